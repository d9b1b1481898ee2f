//! The keys about who reads what: `match`, `relations`, `columns`, `models`, `functions` and
//! `foreign`.

use super::PolicyKey;
use super::forms::{FILLED, MapNames, SchemaForm, TEXT, TEXTS};

pub(super) const KEYS: &[PolicyKey] = &[
    PolicyKey {
        path: "name",
        form: SchemaForm::Text(Some("^[A-Za-z0-9_-]+$")),
        absent: None,
        doc: "What the audit, metrics and the log call the policy: letters, digits, - and _.",
    },
    PolicyKey {
        path: "extends",
        form: FILLED,
        absent: Some("nothing"),
        doc: "A policy that this one is laid over: the name of a built-in one, or a file, whose \
              path begins where this file is. Keys replace; lists add to the list of the same key; \
              a model, the rule for a setting, match and with_hold are replaced as a whole. name \
              and tests are not taken over. pgsieve policy print shows what comes of it.",
    },
    PolicyKey {
        path: "replace",
        form: TEXTS,
        absent: Some("none"),
        doc: "Paths of lists and maps of this file that take the place of those of the policy that \
              it extends, where they would add to them: relations.allow, models.",
    },
    PolicyKey {
        path: "match",
        form: SchemaForm::Section,
        absent: Some("the sessions that no other policy fits"),
        doc: "Which sessions the policy is for: those for which every list that is here has an \
              entry. A session gets the first policy that fits. `*` stands for any letters.",
    },
    PolicyKey {
        path: "match.user",
        form: NAMES,
        absent: Some("every user"),
        doc: "Names of users, as clients log in with.",
    },
    PolicyKey {
        path: "match.database",
        form: NAMES,
        absent: Some("every database"),
        doc: "Names of databases.",
    },
    PolicyKey {
        path: "match.application_name",
        form: SchemaForm::Either(&[TEXT, SchemaForm::Many(&TEXT)]),
        absent: Some("every name"),
        doc: "What clients call themselves when they connect; \"\" is who says nothing. Anybody \
              can say anything here: it tells tools apart, and proves nothing.",
    },
    PolicyKey {
        path: "match.client_address",
        form: SchemaForm::Either(&[NETWORK, SchemaForm::Many(&NETWORK)]),
        absent: Some("every address"),
        doc: "Where clients come from: addresses, networks such as 10.0.0.0/8, and local for Unix \
              sockets.",
    },
    PolicyKey {
        path: "match.certificate_name",
        form: NAMES,
        absent: Some("any certificate, and none"),
        doc: "Common names of the certificates that clients have shown.",
    },
    PolicyKey {
        path: "match.certificate",
        form: SchemaForm::Section,
        absent: Some("any certificate, and none"),
        doc: "What else the certificates say that clients have shown. Where one says several \
              things of a kind, any of them fits.",
    },
    PolicyKey {
        path: "match.certificate.organization",
        form: NAMES,
        absent: Some("whatever it says"),
        doc: "Organizations (O) of the subject.",
    },
    PolicyKey {
        path: "match.certificate.organizational_unit",
        form: NAMES,
        absent: Some("whatever it says"),
        doc: "Parts of organizations (OU) of the subject.",
    },
    PolicyKey {
        path: "match.certificate.email",
        form: NAMES,
        absent: Some("whatever it says"),
        doc: "Addresses for mail of the subject.",
    },
    PolicyKey {
        path: "match.certificate.alternative_name",
        form: NAMES,
        absent: Some("whatever it says"),
        doc: "DNS names, mail addresses and URIs among the alternative names.",
    },
    PolicyKey {
        path: "match.attributes",
        form: SchemaForm::Each(MapNames::Like(r"^[a-z][a-z0-9_]{0,62}$"), &NAMES),
        absent: Some("whatever users have"),
        doc: "Attributes that client.auth.attributes of the settings gives users, each with the \
              values that fit. Who has none fits nothing here.",
    },
    PolicyKey {
        path: "match.role_member",
        form: NAMES,
        absent: Some("any role"),
        doc: "Roles of the database that the session's own role is, or is a member of, directly or \
              through others, whether it inherits their rights or not, as +role in pg_hba.conf. \
              While the database's catalog is not known, whoever this could be for is turned away.",
    },
    PolicyKey {
        path: "priority",
        form: SchemaForm::Integer,
        absent: Some("0"),
        doc: "Where several policies fit a session it gets the one with the highest number, and \
              of those with the same the first. A whole number from -1000 to 1000.",
    },
    PolicyKey {
        path: "relations",
        form: SchemaForm::Section,
        absent: Some("every relation"),
        doc: "Which tables, views and other relations may be read, by what the catalog says that \
              a statement reads. Partitions and children count as their parents too.",
    },
    PolicyKey {
        path: "relations.allow",
        form: SchemaForm::Either(&[ANY, SchemaForm::Many(&RELATION)]),
        absent: Some("any"),
        doc: "Patterns of relations that may be read and no others, or any. pg_catalog and \
              information_schema need not be named.",
    },
    PolicyKey {
        path: "relations.deny",
        form: SchemaForm::Many(&RELATION),
        absent: Some("none"),
        doc: "Patterns of relations that may not be read, whatever is allowed.",
    },
    PolicyKey {
        path: "relations.new",
        form: SchemaForm::OneOf(&["allow", "refuse"]),
        absent: Some("allow"),
        doc: "What any and a pattern with a wildcard in relations.allow do with relations that \
              are made later: let them in, or only those that relations.known names.",
    },
    PolicyKey {
        path: "relations.known",
        form: SchemaForm::Many(&SchemaForm::Text(Some(RELATION_NAME))),
        absent: Some("not needed with new: allow"),
        doc: "The relations that were there when the policy was written, where new ones are \
              refused. pgsieve policy known FILE --upstream URL prints them.",
    },
    PolicyKey {
        path: "relations.through_views",
        form: SchemaForm::OneOf(&["own", "check"]),
        absent: Some("own"),
        doc: "own: a view counts as itself. check: a view that reads what the policy hides may \
              not be read.",
    },
    PolicyKey {
        path: "columns",
        form: SchemaForm::Section,
        absent: Some("every column of what may be read"),
        doc: "Which columns may be read. A hidden column cannot be named anywhere in a statement, \
              nor come with a star or a whole row.",
    },
    PolicyKey {
        path: "columns.allow",
        form: SchemaForm::Many(&COLUMN),
        absent: Some("none"),
        doc: "Patterns of columns. Of the relations that they name, only these columns may be \
              read; other relations are not touched by it.",
    },
    PolicyKey {
        path: "columns.deny",
        form: SchemaForm::Many(&COLUMN),
        absent: Some("none"),
        doc: "Patterns of columns that may not be read, whatever is allowed.",
    },
    PolicyKey {
        path: "columns.mask",
        form: SchemaForm::Each(MapNames::Like(r"\S"), &MASK),
        absent: Some("none"),
        doc: "What is read in place of columns, of the column's type: null; partial, the first \
              letter of a text; last(4), its last letters; hash, a keyed fingerprint of a text, \
              which needs policy.mask_key_file in the settings. The name of a column alone means \
              every relation. Of several patterns the one with fewest wildcards holds. A view \
              that reads such a column cannot be read, unless a model, or an entry here or in rows \
              without wildcards, has its name.",
    },
    PolicyKey {
        path: "rows",
        form: SchemaForm::Each(MapNames::Like(RELATION_NAME), &FILLED),
        absent: Some("every row"),
        doc: "Conditions by pattern of relations, as behind WHERE, with the session's values as in \
              models: \"sales.*\": tenant = :user. All that name a relation have to hold. A relation \
              without a column that one names cannot be read, nor a view that reads such a \
              relation, unless a model or an entry without wildcards has its name: shop.v: \"true\".",
    },
    PolicyKey {
        path: "models",
        form: SchemaForm::Each(MapNames::Like(RELATION_NAME), &SchemaForm::Section),
        absent: Some("none"),
        doc: "Names that are bound to a SELECT, as schema.name. Under the name of a table it is \
              what everybody reads instead of the table: a filter of rows, a mask of columns. \
              Under a new name, where new says so, it is a table of its own. It is read whatever \
              relations and columns say of its name.",
    },
    PolicyKey {
        path: "models.*.sql",
        form: FILLED,
        absent: None,
        doc: "One SELECT, without comments and semicolon. :user, :database, :application_name, \
              :certificate.common_name (or organization, organizational_unit, email) and settings \
              such as :app.tenant are put in as literals; a setting has to be in settings.allow. \
              The user, the database and the certificate are \
              proven; the application_name and settings are what the client says.",
    },
    PolicyKey {
        path: "models.*.new",
        form: SchemaForm::Truth,
        absent: Some("false"),
        doc: "true: the name is the model's own. Else it has to be that of a relation, so that a \
              misspelt name is an error, and not a filter of nothing.",
    },
    PolicyKey {
        path: "models.*.about",
        form: TEXT,
        absent: Some("nothing"),
        doc: "What it is, in words.",
    },
    PolicyKey {
        path: "models.*.columns",
        form: SchemaForm::Each(MapNames::Any, &TEXT),
        absent: Some("nothing"),
        doc: "What its columns are, in words, by name.",
    },
    PolicyKey {
        path: "functions",
        form: SchemaForm::Section,
        absent: Some("what each of its keys means then"),
        doc: "Which functions may be called, on top of what the gate knows of them.",
    },
    PolicyKey {
        path: "functions.allow",
        form: SchemaForm::Many(&FUNCTION),
        absent: Some("none"),
        doc: "Functions that are no built-ins and may be called: name, schema.name, or one \
              overload as schema.name(integer, text). Whoever lists one has read its body.",
    },
    PolicyKey {
        path: "functions.deny",
        form: SchemaForm::Many(&FUNCTION),
        absent: Some("none"),
        doc: "Functions that may not be called, built-ins included: pg_catalog.random.",
    },
    PolicyKey {
        path: "functions.trusted_schemas",
        form: SchemaForm::Either(&[ANY, TEXTS]),
        absent: Some("none"),
        doc: "Schemas whose functions may be called without being named, where they are IMMUTABLE \
              or STABLE, not SECURITY DEFINER and no overload of a built-in; or any.",
    },
    PolicyKey {
        path: "functions.any_search_path",
        form: SchemaForm::Many(&FUNCTION),
        absent: Some("none"),
        doc: "Functions that have no SET search_path of their own and may run under any that a \
              client sets, whatever their bodies make of it. It does not let them be called.",
    },
    PolicyKey {
        path: "functions.extensions",
        form: SchemaForm::OneOf(&["known", "named"]),
        absent: Some("known"),
        doc: "known: functions of well-known extensions (contrib, PostGIS, pgvector) run where what \
              they do is known to be a read, as built-ins do. named: only those that allow names.",
    },
    PolicyKey {
        path: "functions.transaction_ids",
        form: SchemaForm::OneOf(&["refuse", "allow"]),
        absent: Some("refuse"),
        doc: "Whether txid_current() and pg_current_xact_id() may run, which use up a transaction \
              id; txid_current_if_assigned() never does.",
    },
    PolicyKey {
        path: "functions.server_directories",
        form: SchemaForm::OneOf(&["refuse", "allow"]),
        absent: Some("refuse"),
        doc: "Whether functions may run that list one directory of the server by name, size and \
              time, such as pg_ls_waldir(), which Postgres gives to pg_monitor. Those that read \
              files or take a path never run.",
    },
    PolicyKey {
        path: "foreign",
        form: SchemaForm::Section,
        absent: Some("no foreign table"),
        doc: "Which tables of foreign servers may be read.",
    },
    PolicyKey {
        path: "foreign.tables",
        form: SchemaForm::Many(&SchemaForm::Text(Some(RELATION_NAME))),
        absent: Some("none"),
        doc: "Foreign tables that may be read, as schema.table.",
    },
    PolicyKey {
        path: "foreign.servers",
        form: TEXTS,
        absent: Some("none"),
        doc: "Foreign servers all of whose tables may be read.",
    },
];

const ANY: SchemaForm = SchemaForm::OneOf(&["any"]);
const NAMES: SchemaForm = SchemaForm::Either(&[FILLED, SchemaForm::Many(&FILLED)]);
const RELATION: SchemaForm = SchemaForm::Text(Some(RELATION_NAME));
const MASK: SchemaForm = SchemaForm::Either(&[
    SchemaForm::Nothing,
    SchemaForm::Text(Some(r"^(null|partial|hash|last\(\s*[1-9][0-9]?\s*\))$")),
]);
const COLUMN: SchemaForm = SchemaForm::Text(Some(COLUMN_NAME));

/// Two names with a dot between them. Without quotes a name is letters, digits, `_`, `$`, `-`, `*`
/// and what is not ASCII.
const RELATION_NAME: &str = concat!(
    r"^\s*",
    r#"("([^"]|"")+"|[^!-#%-)+,./:-@\[-^`{-~\s]+)"#,
    r"\.",
    r#"("([^"]|"")+"|[^!-#%-)+,./:-@\[-^`{-~\s]+)"#,
    r"\s*$"
);

/// Three.
const COLUMN_NAME: &str = concat!(
    r"^\s*",
    r#"("([^"]|"")+"|[^!-#%-)+,./:-@\[-^`{-~\s]+)"#,
    r"\.",
    r#"("([^"]|"")+"|[^!-#%-)+,./:-@\[-^`{-~\s]+)"#,
    r"\.",
    r#"("([^"]|"")+"|[^!-#%-)+,./:-@\[-^`{-~\s]+)"#,
    r"\s*$"
);

/// One or two names, with or without a list of types. No name has a wildcard.
const FUNCTION: SchemaForm = SchemaForm::Text(Some(concat!(
    r"^\s*",
    r#"("([^"]|"")+"|[^!-#%-,./:-@\[-^`{-~\s]+)"#,
    r"(\.",
    r#"("([^"]|"")+"|[^!-#%-,./:-@\[-^`{-~\s]+)"#,
    r")?\s*(\(.*\))?\s*$"
)));

const NETWORK: SchemaForm = SchemaForm::Text(Some(
    r"^(local|[0-9.]+(/[0-9]+)?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(/[0-9]+)?)$",
));
