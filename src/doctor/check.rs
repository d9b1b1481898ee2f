//! What an examination looks for: every check with its name, and why it matters.
//!
//! The names are for programs: they do not change.

/// One thing that is looked for.
#[derive(Debug, PartialEq, Eq)]
pub struct DoctorCheck {
    /// Its name, for programs.
    pub id: &'static str,
    /// What was found where it speaks up, in a few words.
    pub title: &'static str,
    /// Why that matters, in one sentence.
    pub why: &'static str,
}

/// How much what was found matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingSeverity {
    /// Nothing was found.
    Ok,
    /// The role may not look there.
    Unseen,
    /// Worth knowing.
    Note,
    /// Should be fixed.
    Warning,
    /// Must be fixed: it writes, or leads to everything.
    Danger,
}

impl FindingSeverity {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unseen => "unseen",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Danger => "danger",
        }
    }
}

macro_rules! checks {
    ($($name:ident, $id:literal, $title:literal, $why:literal;)*) => {
        $(
            #[doc = $title]
            pub const $name: &DoctorCheck = &DoctorCheck { id: $id, title: $title, why: $why };
        )*
        /// All of them, in the order of a report.
        pub const ALL: &[&DoctorCheck] = &[$($name),*];
    };
}

checks! {
    UNSUPPORTED_VERSION, "unsupported_version", "the server gets no more fixes",
        "Holes that become known in this version stay open.";
    READ_ONLY_UNREPORTED, "read_only_unreported", "the server does not report read-only",
        "Servers since 14 tell at once when a session stops being read-only; here pgsieve has to ask.";
    PRIMARY_SERVER, "primary_server", "the server is a primary",
        "A standby cannot be written to by anybody, whatever rights they have.";
    READ_ONLY_SWITCHABLE, "read_only_switchable", "any session may leave read-only",
        "default_transaction_read_only is a default that each session may change, not a right.";
    PREPARED_TRANSACTIONS, "prepared_transactions", "prepared transactions are on",
        "A transaction that is prepared and forgotten holds its locks for ever.";
    PRELOADED_LIBRARIES, "preloaded_libraries", "a library with outward reach is loaded",
        "It runs in every server process, beyond what rights and read-only sessions govern.";
    LOGIN_TRIGGERS, "login_triggers", "a trigger fires at each login",
        "Its function runs before anybody has sent a statement.";
    PASSWORD_UNASKED, "password_unasked", "the login asked for no password",
        "Whoever reaches the port is let in as this role.";
    PASSWORD_METHOD, "password_method", "the login asked for a weak proof",
        "MD5 can be replayed by who has read the hash, a password in clear by whoever listens.";
    PASSWORD_HASHING, "password_hashing", "passwords are kept as MD5",
        "The hash is as good as the password to log in with.";
    PASSWORD_EXPIRES, "password_expires", "the password has an end",
        "From then on nobody gets through pgsieve.";
    TLS_ABSENT, "tls_absent", "the connection is not encrypted",
        "Rows and statements can be read and changed on their way.";
    TLS_UNVERIFIED, "tls_unverified", "the certificate is not checked",
        "An impostor between pgsieve and the server would be believed.";
    SUPERUSER, "superuser", "the role is a superuser",
        "No right holds it back: it writes everything, reads files and runs programs.";
    CREATEROLE, "createrole", "the role may make and change roles",
        "It can give itself what it does not have.";
    CREATEDB, "createdb", "the role may make databases",
        "It owns what it makes, and fills the disk.";
    REPLICATION, "replication", "the role may replicate",
        "It can copy the whole server, and slots of its own fill the disk.";
    BYPASSRLS, "bypassrls", "the role bypasses row security",
        "Policies of tables do not hide rows from it.";
    DANGEROUS_MEMBERSHIP, "dangerous_membership", "a membership leads to everything",
        "Rights of a role count for its members, at the latest after SET ROLE.";
    OPERATING_MEMBERSHIP, "operating_membership", "a membership operates the server",
        "It can end other sessions, or rewrite and lock tables that it does not own.";
    MONITORING_MEMBERSHIP, "monitoring_membership", "a membership sees other sessions",
        "The texts of their statements hold other people's data.";
    ADMIN_OPTION, "admin_option", "the role may give memberships away",
        "It can give itself, or a role that it makes, rights that it does not have.";
    WRITING_MEMBERSHIP, "writing_membership", "memberships bring rights to write",
        "Rights of a role count for its members, at the latest after SET ROLE.";
    CONNECTION_LIMIT, "connection_limit", "connections are not limited",
        "The role can take every place that the server has.";
    OWNERSHIP, "ownership", "the role owns things",
        "An owner may change and drop, and can take no right away from itself for good.";
    TABLE_WRITES, "table_writes", "tables may be written",
        "Without the gate, a session of this role changes these rows.";
    COLUMN_WRITES, "column_writes", "columns may be written",
        "Without the gate, a session of this role changes these values.";
    TABLE_SIDE_RIGHTS, "table_side_rights", "rights beside reading on tables",
        "TRIGGER runs code in others' sessions, REFERENCES blocks their writes, MAINTAIN locks.";
    SEQUENCE_RIGHTS, "sequence_rights", "sequences may be moved",
        "nextval and setval are writes that no rollback takes back.";
    SCHEMA_CREATE, "schema_create", "objects may be made in schemas",
        "What it makes there, a function under a trusted name say, may be run by others.";
    PUBLIC_SCHEMA_CREATE, "public_schema_create", "everybody may make objects in public",
        "What anybody makes there is found by everybody's search_path (CVE-2018-1058).";
    DATABASE_CREATE, "database_create", "schemas may be made",
        "It owns what it makes, and can install trusted extensions.";
    DATABASE_TEMP, "database_temp", "temporary tables may be made",
        "They fill the disk, and an existing one can be written in a read-only session.";
    DEFAULT_PRIVILEGES, "default_privileges", "future objects will be writable",
        "Rights that are taken away today come back with the next table.";
    OTHER_DATABASES, "other_databases", "other databases may be connected to",
        "Only this one was examined.";
    ROW_SECURITY_BYPASSED, "row_security_bypassed", "row security does not hold",
        "The policies of these tables hide nothing from this role.";
    ROW_SECURITY_OFF, "row_security_off", "policies that are not in force",
        "The tables have policies, and nobody has switched row security on.";
    PARAMETER_RIGHTS, "parameter_rights", "settings of superusers may be set",
        "session_replication_role alone switches off triggers and foreign keys.";
    DEFINER_OPEN_PATH, "definer_open_path", "SECURITY DEFINER without search_path",
        "A caller chooses what the names in it mean, and runs code with its owner's rights.";
    DEFINER_FUNCTIONS, "definer_functions", "SECURITY DEFINER functions",
        "They run with the rights of their owners, which may be rights to write.";
    UNTRUSTED_FUNCTIONS, "untrusted_functions", "functions in untrusted languages",
        "They reach files, programs and networks as the server itself, read-only session or not.";
    VOLATILE_FUNCTIONS, "volatile_functions", "volatile functions",
        "They may write whatever this role may; the gate refuses those that no policy names.";
    BUILTINS_GRANTED, "builtins_granted", "dangerous built-in functions were granted",
        "They act on the server or its files; a read-only session does not stop them.";
    WAL_MESSAGES, "wal_messages", "anybody may write to the WAL",
        "pg_logical_emit_message needs no right, and a read-only session does not stop it.";
    PUBLIC_EFFECTS, "public_effects", "built-in functions with effects",
        "Everybody has them from the start; a read-only session stops few of them.";
    OUTREACH_FUNCTIONS, "outreach_functions", "functions that reach out of the database",
        "What they do elsewhere, no read-only session here stops.";
    OUTREACH_INSTALLED, "outreach_installed", "extensions with outward reach",
        "They open ways to files, programs or other servers.";
    OUTREACH_AVAILABLE, "outreach_available", "more extensions with outward reach",
        "A superuser could install them at any time.";
    LANGUAGE_USAGE, "language_usage", "code may be run with DO",
        "A block of code runs any statement that the role may run.";
    FOREIGN_RIGHTS, "foreign_rights", "foreign servers may be used",
        "It can make accounts at other servers for itself, and tables where it may create.";
    FOREIGN_TABLES, "foreign_tables", "foreign tables may be read",
        "A read of them is a statement at another server, with the rights of an account there.";
    USER_MAPPINGS, "user_mappings", "accounts at other servers",
        "Foreign tables and dblink log in with them.";
    LARGE_OBJECT_FUNCTIONS, "large_object_functions", "large objects may be made",
        "Everybody may from the start; before 16 even in a read-only session.";
    LARGE_OBJECT_RIGHTS, "large_object_rights", "large objects may be written",
        "Without the gate, a session of this role changes them.";
    LARGE_OBJECT_COMPAT, "large_object_compat", "large objects have no rights",
        "With lo_compat_privileges everybody may read and write every one.";
    READ_ONLY_DEFAULT, "read_only_default", "sessions begin writable",
        "A connection of this role that does not come through pgsieve can write at once.";
    STATEMENT_TIMEOUT, "statement_timeout", "statements may run for ever",
        "One query can hold a processor, and rows that vacuum wants, for days.";
    IDLE_IN_TRANSACTION_TIMEOUT, "idle_in_transaction_timeout", "transactions may idle for ever",
        "A forgotten one holds back vacuum for all tables.";
    LOCK_TIMEOUT, "lock_timeout", "waiting for locks has no end",
        "A reader that waits behind a migration makes others wait behind it.";
    IDLE_SESSION_TIMEOUT, "idle_session_timeout", "sessions may idle for ever",
        "Forgotten sessions keep places and memory.";
    TRANSACTION_TIMEOUT, "transaction_timeout", "transactions may last for ever",
        "Many short statements in one transaction hold back vacuum as one long statement does.";
    TEMP_FILE_LIMIT, "temp_file_limit", "temporary files are not limited",
        "One sort or join can fill the disk, which stops everybody.";
}

/// Where the settings ask the database for verifiers: whether that is to be had.
pub const LOOKUP_FUNCTION: &DoctorCheck = &DoctorCheck {
    id: "lookup_function",
    title: "verifiers cannot be asked for",
    why: "Nobody can log in by client.auth.method auth_query.",
};

/// The same: whether others can have it as well.
pub const LOOKUP_PUBLIC: &DoctorCheck = &DoctorCheck {
    id: "lookup_public",
    title: "anybody may ask for verifiers",
    why: "Who has a verifier can guess its password, and pass for the server before its user.",
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_check_has_a_name_of_its_own_and_says_what_it_is() {
        let ids: BTreeSet<&str> = ALL.iter().map(|check| check.id).collect();
        assert_eq!(ids.len(), ALL.len());
        for check in ALL {
            let snake = |c: char| c.is_ascii_lowercase() || c == '_';
            assert!(check.id.chars().all(snake), "{}", check.id);
            assert!(check.title.len() <= 44, "{}", check.id);
            assert!(check.why.ends_with('.'), "{}", check.id);
        }
    }
}
