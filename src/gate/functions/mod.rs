//! What a call of a built-in function may do: the verdict of every function that PostgreSQL 13 to
//! 18 brings along.
//!
//! Volatility alone is no guide: `txid_current` is STABLE and writes WAL, `table_to_xml` is STABLE
//! and runs SQL, `random` is VOLATILE and harmless. So each name has a line of its own in
//! `builtins.tsv`. A name without a line is [`FunctionVerdict::Unknown`], never allowed by default.
//!
//! The table speaks about the built-in of a name. That the session's search_path may put another
//! function under it is not visible in a statement's text; names resolved against a catalog answer
//! that.

use std::fmt;
use std::ops::RangeInclusive;

use policy::Policy;

#[cfg(test)]
mod coverage;
mod table;

/// What the gate thinks of one function call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionVerdict {
    /// Computes a value or reads; nothing is different afterwards.
    Allowed,
    /// Changes something outside its result, or reaches what a read has no business with.
    Effects {
        /// What it changes or reaches.
        why: BuiltinEffect,
    },
    /// Runs a string, or a relation named by a string, as SQL that no parser of ours has seen.
    RunsSql,
    /// `set_config`: a SET in the shape of a call, judged like one when its arguments are literals.
    SetConfig,
    /// `pg_advisory_unlock_all`: what drivers send to reset a session.
    Housekeeping,
    /// Not a built-in of any version known here.
    Unknown,
}

/// What a refused built-in changes or reaches. The names are those in the last column of
/// `builtins.tsv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinEffect {
    /// Takes or releases advisory locks.
    AdvisoryLock,
    /// Serves pg_upgrade only.
    BinaryUpgrade,
    /// Changes what the server keeps in memory.
    BufferCache,
    /// Writes the system catalogs.
    CatalogWrite,
    /// Connects to another server, or serves such a connection.
    ForeignServer,
    /// Runs the functions of an index and its operator classes.
    IndexFunctions,
    /// Writes an index.
    IndexMaintenance,
    /// Serves the server's own machinery (handlers, triggers, estimators, polymorphic input); no
    /// client calls it.
    Internal,
    /// Touches large objects or their descriptors.
    LargeObject,
    /// Locks a relation against those that write it.
    Lock,
    /// Sends a notification to other sessions.
    Notify,
    /// Touches replication slots or origins.
    Replication,
    /// Moves a sequence, or depends on one having been moved in this session.
    Sequence,
    /// Acts on the server or on another session.
    ServerControl,
    /// Lists one of the server's own directories: which, no caller says.
    ServerDirectory,
    /// Reads files of the server.
    ServerFile,
    /// Changes state of the session that outlives the statement.
    SessionState,
    /// Exports a snapshot, which holds back the cleaning of dead rows.
    Snapshot,
    /// Resets or flushes statistics.
    Statistics,
    /// Assigns a transaction id, which writes WAL.
    TransactionId,
    /// Sleeps, and holds a server process meanwhile.
    Wait,
    /// Writes WAL or steers backup and recovery.
    WalOrBackup,
}

impl BuiltinEffect {
    /// The end of the sentence "this function …", for the DETAIL of a refusal.
    pub fn text(self) -> &'static str {
        match self {
            Self::AdvisoryLock => "takes or releases advisory locks",
            Self::BinaryUpgrade => "serves pg_upgrade only",
            Self::BufferCache => "changes what the server keeps in memory",
            Self::CatalogWrite => "writes the system catalogs",
            Self::ForeignServer => "works on connections to other servers",
            Self::IndexFunctions => "runs the functions of an index",
            Self::IndexMaintenance => "writes an index",
            Self::Internal => "is part of the server's own machinery",
            Self::LargeObject => "works on large objects",
            Self::Lock => "locks a relation against writers",
            Self::Notify => "sends a notification to other sessions",
            Self::Replication => "works on replication slots or origins",
            Self::Sequence => "moves a sequence, or depends on such a move",
            Self::ServerControl => "acts on the server or on another session",
            Self::ServerDirectory => "lists a directory of the server",
            Self::ServerFile => "reads files of the server",
            Self::SessionState => "changes the state of the session",
            Self::Snapshot => "exports a snapshot",
            Self::Statistics => "resets or flushes statistics",
            Self::TransactionId => "assigns a transaction id",
            Self::Wait => "sleeps and holds a server process",
            Self::WalOrBackup => "writes WAL or steers backup and recovery",
        }
    }

    /// Whether a policy lets functions of this effect run, each key of one being about one effect.
    /// What only some calls of a function may do is asked elsewhere.
    pub(super) fn is_allowed_by(self, policy: &Policy) -> bool {
        match self {
            Self::ServerDirectory => policy.lists_server_directories(),
            Self::TransactionId => policy.gives_transaction_ids(),
            Self::AdvisoryLock
            | Self::BinaryUpgrade
            | Self::BufferCache
            | Self::CatalogWrite
            | Self::ForeignServer
            | Self::IndexFunctions
            | Self::IndexMaintenance
            | Self::Internal
            | Self::LargeObject
            | Self::Lock
            | Self::Notify
            | Self::Replication
            | Self::Sequence
            | Self::ServerControl
            | Self::ServerFile
            | Self::SessionState
            | Self::Snapshot
            | Self::Statistics
            | Self::Wait
            | Self::WalOrBackup => false,
        }
    }

    /// The reason of this name in `builtins.tsv` and `extensions.tsv`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "advisory_lock" => Self::AdvisoryLock,
            "binary_upgrade" => Self::BinaryUpgrade,
            "buffer_cache" => Self::BufferCache,
            "catalog_write" => Self::CatalogWrite,
            "foreign_server" => Self::ForeignServer,
            "index_functions" => Self::IndexFunctions,
            "index_maintenance" => Self::IndexMaintenance,
            "internal" => Self::Internal,
            "large_object" => Self::LargeObject,
            "lock" => Self::Lock,
            "notify" => Self::Notify,
            "replication" => Self::Replication,
            "sequence" => Self::Sequence,
            "server_control" => Self::ServerControl,
            "server_directory" => Self::ServerDirectory,
            "server_file" => Self::ServerFile,
            "session_state" => Self::SessionState,
            "snapshot" => Self::Snapshot,
            "statistics" => Self::Statistics,
            "transaction_id" => Self::TransactionId,
            "wait" => Self::Wait,
            "wal_or_backup" => Self::WalOrBackup,
            _ => return None,
        })
    }
}

impl fmt::Display for BuiltinEffect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

/// The verdict on a call of `name`, as the parser has folded it, with so many arguments.
///
/// Without a schema, or in `pg_catalog`, it is a built-in; `information_schema` has its `_pg_…`
/// functions; any other schema is unknown. The count decides only where the overloads of one name
/// differ; where it does not fit any of them (defaults, ordered-set aggregates), the worst overload
/// does.
pub fn verdict(schema: Option<&str>, name: &str, arg_count: usize) -> FunctionVerdict {
    let of_information_schema = name.starts_with("_pg_");
    let known_there = match schema {
        None | Some("pg_catalog") => !of_information_schema,
        Some("information_schema") => of_information_schema,
        Some(_) => false,
    };
    if known_there {
        table::look_up(name, arg_count)
    } else {
        FunctionVerdict::Unknown
    }
}

/// The major versions that have a built-in of this name; nothing when all have. A server of another
/// version would call a user's function.
pub fn versions(name: &str) -> Option<&'static RangeInclusive<u16>> {
    table::versions(name)
}

#[cfg(test)]
mod tests {
    use super::{BuiltinEffect, FunctionVerdict, verdict, versions};

    fn check(call: &str, count: usize, expected: FunctionVerdict) {
        let (schema, name) = match call.split_once('.') {
            Some((schema, name)) => (Some(schema), name),
            None => (None, call),
        };
        assert_eq!(verdict(schema, name, count), expected, "{call}/{count}");
    }

    #[test]
    fn what_a_function_does_decides_and_not_its_volatility() {
        check("random", 0, FunctionVerdict::Allowed);
        check("pg_relation_size", 1, FunctionVerdict::Allowed);
        check(
            "txid_current",
            0,
            FunctionVerdict::Effects {
                why: BuiltinEffect::TransactionId,
            },
        );
        check("table_to_xml", 4, FunctionVerdict::RunsSql);
        check("set_config", 3, FunctionVerdict::SetConfig);
        check("pg_advisory_unlock_all", 0, FunctionVerdict::Housekeeping);
        check(
            "pg_advisory_unlock",
            1,
            FunctionVerdict::Effects {
                why: BuiltinEffect::AdvisoryLock,
            },
        );
    }

    #[test]
    fn only_the_built_in_schemas_hold_built_ins() {
        check("pg_catalog.lower", 1, FunctionVerdict::Allowed);
        check("public.lower", 1, FunctionVerdict::Unknown);
        check(
            "information_schema._pg_expandarray",
            1,
            FunctionVerdict::Allowed,
        );
        check("information_schema.lower", 1, FunctionVerdict::Unknown);
        check("_pg_expandarray", 1, FunctionVerdict::Unknown);
        check("pg_catalog._pg_expandarray", 1, FunctionVerdict::Unknown);
    }

    #[test]
    fn names_compare_exactly() {
        check("LOWER", 1, FunctionVerdict::Unknown);
        check("lower ", 1, FunctionVerdict::Unknown);
        check("", 0, FunctionVerdict::Unknown);
        check(
            "RI_FKey_check_ins",
            0,
            FunctionVerdict::Effects {
                why: BuiltinEffect::Internal,
            },
        );
        check("ri_fkey_check_ins", 0, FunctionVerdict::Unknown);
    }

    #[test]
    fn the_count_decides_between_overloads_and_else_the_worst_does() {
        check("ts_rewrite", 2, FunctionVerdict::RunsSql);
        check("ts_rewrite", 3, FunctionVerdict::Allowed);
        check("ts_rewrite", 1, FunctionVerdict::RunsSql);
        check("lower", 7, FunctionVerdict::Allowed);
    }

    #[test]
    fn some_servers_are_too_old_or_too_new_for_a_function() {
        assert_eq!(versions("lower"), None);
        assert_eq!(versions("no_such_function"), None);
        assert!(versions("any_value").is_some_and(|has| !has.contains(&15) && has.contains(&99)));
        assert!(versions("pg_start_backup").is_some_and(|has| has.contains(&14)));
        assert!(versions("pg_start_backup").is_some_and(|has| !has.contains(&15)));
    }
}
