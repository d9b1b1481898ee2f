//! The keys about who reads what: `match`, `relations`, `columns`, `models`, `functions` and
//! `foreign`.

use super::PolicyKey;
use super::forms::{FILLED, MapNames, SchemaForm, TEXT, TEXTS};

pub(super) const KEYS: &[PolicyKey] = &[
    PolicyKey {
        path: "name",
        form: SchemaForm::Text(Some("^[A-Za-z0-9_-]+$")),
        absent: None,
        doc: "The policy's name in the audit, metrics and the log: letters, digits, - and _.",
    },
    PolicyKey {
        path: "extends",
        form: FILLED,
        absent: Some("nothing"),
        doc: "The policy that this one extends: the name of a built-in policy, or a file, relative \
              to this one. Keys here replace those of the extended policy; lists are added to its \
              lists; a model, the rule for a setting, match and with_hold are replaced as a whole. \
              name and tests are not inherited. pgsieve policy print shows the result.",
    },
    PolicyKey {
        path: "replace",
        form: TEXTS,
        absent: Some("none"),
        doc: "Paths of lists and maps in this file that replace those of the extended policy \
              instead of adding to them: relations.allow, models.",
    },
    PolicyKey {
        path: "match",
        form: SchemaForm::Section,
        absent: Some("the sessions that no other policy fits"),
        doc: "Which sessions get the policy: those that match every key given here. A session gets \
              the first policy that matches. `*` stands for any letters.",
    },
    PolicyKey {
        path: "match.user",
        form: NAMES,
        absent: Some("every user"),
        doc: "User names that clients log in with.",
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
        doc: "The application_name that clients connect with; \"\" matches clients that give none. \
              Clients can set application_name themselves: it tells tools apart, but proves \
              nothing.",
    },
    PolicyKey {
        path: "match.client_address",
        form: SchemaForm::Either(&[NETWORK, SchemaForm::Many(&NETWORK)]),
        absent: Some("every address"),
        doc: "Addresses of clients: addresses, networks such as 10.0.0.0/8, and local for Unix \
              sockets.",
    },
    PolicyKey {
        path: "match.certificate_name",
        form: NAMES,
        absent: Some("any certificate, and none"),
        doc: "Common names (CN) of the client's certificate.",
    },
    PolicyKey {
        path: "match.certificate",
        form: SchemaForm::Section,
        absent: Some("any certificate, and none"),
        doc: "Other fields of the client's certificate. If a field has several values, any of them \
              may match.",
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
        doc: "Attributes of users (client.auth.attributes in the settings, or claims of a token), \
              each with the values that match. A user without the attribute does not match.",
    },
    PolicyKey {
        path: "match.role_member",
        form: NAMES,
        absent: Some("any role"),
        doc: "Roles of the database that the session's role is, or is a member of, directly or \
              indirectly, with or without INHERIT, like +role in pg_hba.conf. While the catalog of \
              the database is not loaded, logins that could match are refused.",
    },
    PolicyKey {
        path: "priority",
        form: SchemaForm::Integer,
        absent: Some("0"),
        doc: "If several policies match a session, it gets the one with the highest priority, and \
              the first of those with the same. A whole number from -1000 to 1000.",
    },
    PolicyKey {
        path: "relations",
        form: SchemaForm::Section,
        absent: Some("every relation"),
        doc: "Which tables, views and other relations may be read. The catalog tells what a \
              statement reads. Rules for a table also cover its partitions and children.",
    },
    PolicyKey {
        path: "relations.allow",
        form: SchemaForm::Either(&[ANY, SchemaForm::Many(&RELATION)]),
        absent: Some("any"),
        doc: "Patterns of the relations that may be read; no others may be. Or any. pg_catalog and \
              information_schema need not be named.",
    },
    PolicyKey {
        path: "relations.deny",
        form: SchemaForm::Many(&RELATION),
        absent: Some("none"),
        doc: "Patterns of relations that may not be read, even if allow names them.",
    },
    PolicyKey {
        path: "relations.new",
        form: SchemaForm::OneOf(&["allow", "refuse"]),
        absent: Some("allow"),
        doc: "Whether any, and patterns with a wildcard in relations.allow, include relations that \
              are created later: allow, or refuse all that relations.known does not name.",
    },
    PolicyKey {
        path: "relations.known",
        form: SchemaForm::Many(&SchemaForm::Text(Some(RELATION_NAME))),
        absent: Some("not needed with new: allow"),
        doc: "The relations that existed when the policy was written, for new: refuse. pgsieve \
              policy known FILE --upstream URL prints them.",
    },
    PolicyKey {
        path: "relations.through_views",
        form: SchemaForm::OneOf(&["own", "check"]),
        absent: Some("own"),
        doc: "own: only the view's own name counts; listing a view means that you vouch for what \
              it reads. check: a view that reads what the policy hides may not be read.",
    },
    PolicyKey {
        path: "columns",
        form: SchemaForm::Section,
        absent: Some("every column of what may be read"),
        doc: "Which columns may be read. A hidden column cannot be used anywhere in a statement, \
              not by name, by * or as part of a whole row.",
    },
    PolicyKey {
        path: "columns.allow",
        form: SchemaForm::Many(&COLUMN),
        absent: Some("none"),
        doc: "Patterns of columns. In the relations that the patterns name, only these columns may \
              be read. Other relations are not affected.",
    },
    PolicyKey {
        path: "columns.deny",
        form: SchemaForm::Many(&COLUMN),
        absent: Some("none"),
        doc: "Patterns of columns that may not be read, even if allow names them.",
    },
    PolicyKey {
        path: "columns.mask",
        form: SchemaForm::Each(MapNames::Like(r"\S"), &MASK),
        absent: Some("none"),
        doc: "Masks: what is read in place of a column's values, with the column's type. null; \
              partial, the first letter of a text; last(4), its last letters; hash, a keyed \
              fingerprint of a text, which needs policy.mask_key_file in the settings. A column's \
              name alone means that column in every relation. If several patterns match, the one \
              with the fewest wildcards decides. A view that reads a masked column cannot be read, \
              unless a model, or an entry without wildcards here or in rows, names the view.",
    },
    PolicyKey {
        path: "rows",
        form: SchemaForm::Each(MapNames::Like(RELATION_NAME), &FILLED),
        absent: Some("every row"),
        doc: "Row filters: for each pattern of relations a condition, as in WHERE, with the \
              session's values as in models: \"sales.*\": tenant = :user. All conditions that \
              match a relation apply. A relation that lacks a column of its condition cannot be \
              read, nor can a view that reads a filtered relation, unless a model or an entry \
              without wildcards names it: shop.v: \"true\".",
    },
    PolicyKey {
        path: "models",
        form: SchemaForm::Each(MapNames::Like(RELATION_NAME), &SchemaForm::Section),
        absent: Some("none"),
        doc: "Models: names, as schema.name, each with a SELECT. Under the name of a table, \
              statements read the SELECT instead of the table: it filters rows and masks columns. \
              With new: true it is a relation of its own. A model can be read whatever relations \
              and columns say of its name.",
    },
    PolicyKey {
        path: "models.*.sql",
        form: FILLED,
        absent: None,
        doc: "One SELECT, without comments and semicolon. :user, :database, :application_name, \
              :certificate.common_name (or organization, organizational_unit, email) and settings \
              such as :app.tenant are replaced by literals; a setting has to be in settings.allow. \
              The user, the database and the certificate are proved; clients can set \
              application_name and settings themselves.",
    },
    PolicyKey {
        path: "models.*.new",
        form: SchemaForm::Truth,
        absent: Some("false"),
        doc: "true: the model has a name of its own. Otherwise the name must be that of a \
              relation, so that a misspelt name is an error and not a filter without effect.",
    },
    PolicyKey {
        path: "models.*.about",
        form: TEXT,
        absent: Some("nothing"),
        doc: "What it is, in words.",
    },
    PolicyKey {
        path: "models.*.columns",
        form: SchemaForm::Each(MapNames::Any, &MODEL_COLUMN),
        absent: Some("nothing"),
        doc: "Its columns by name: what each is, in words, or a map that can have an expression.",
    },
    PolicyKey {
        path: "models.*.columns.*.about",
        form: TEXT,
        absent: Some("nothing"),
        doc: "What it is, in words.",
    },
    PolicyKey {
        path: "models.*.columns.*.expression",
        form: FILLED,
        absent: Some("a column of the model's SELECT"),
        doc: "Makes it a calculated column beside those of the SELECT: an expression over these, \
              and along a record of knowledge.relationship that leads from the model's name, over \
              the other side's columns, as customer.name. No query, no aggregate; the session's \
              values as in sql. Several rows at the other side are an error, none is NULL. Where \
              the other side is hidden, masked, filtered or a model, the model cannot be used.",
    },
    PolicyKey {
        path: "functions",
        form: SchemaForm::Section,
        absent: Some("what each of its keys means then"),
        doc: "Which functions may be called, beside those that the gate knows to be reads.",
    },
    PolicyKey {
        path: "functions.allow",
        form: SchemaForm::Many(&FUNCTION),
        absent: Some("none"),
        doc: "Functions other than built-ins that may be called: name, schema.name, or one \
              overload as schema.name(integer, text). Listing a function means that you vouch for \
              what its body does.",
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
        doc: "Schemas whose functions may be called without being named one by one, if they are \
              IMMUTABLE or STABLE, not SECURITY DEFINER and not an overload of a built-in; or any.",
    },
    PolicyKey {
        path: "functions.any_search_path",
        form: SchemaForm::Many(&FUNCTION),
        absent: Some("none"),
        doc: "Functions without a SET search_path of their own that may run under any search_path \
              that a client sets. Listing one means that you vouch for what its body does then. It \
              does not allow the function to be called.",
    },
    PolicyKey {
        path: "functions.extensions",
        form: SchemaForm::OneOf(&["known", "named"]),
        absent: Some("known"),
        doc: "known: functions of well-known extensions (contrib, PostGIS, pgvector) run if they \
              are known to only read, like built-ins. named: only those that allow names.",
    },
    PolicyKey {
        path: "functions.transaction_ids",
        form: SchemaForm::OneOf(&["refuse", "allow"]),
        absent: Some("refuse"),
        doc: "Whether txid_current() and pg_current_xact_id() may run, which consume a transaction \
              id. txid_current_if_assigned() consumes none and may always run.",
    },
    PolicyKey {
        path: "functions.server_directories",
        form: SchemaForm::OneOf(&["refuse", "allow"]),
        absent: Some("refuse"),
        doc: "Whether functions may run that list the files of one directory of the server with \
              size and time, such as pg_ls_waldir(), which Postgres grants to pg_monitor. \
              Functions that read files or take a path never run.",
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
        doc: "Foreign servers; all their tables may be read.",
    },
];

const ANY: SchemaForm = SchemaForm::OneOf(&["any"]);
const NAMES: SchemaForm = SchemaForm::Either(&[FILLED, SchemaForm::Many(&FILLED)]);
pub(super) const RELATION: SchemaForm = SchemaForm::Text(Some(RELATION_NAME));
const MODEL_COLUMN: SchemaForm = SchemaForm::Either(&[TEXT, SchemaForm::Section]);
const MASK: SchemaForm = SchemaForm::Either(&[
    SchemaForm::Nothing,
    SchemaForm::Text(Some(r"^(null|partial|hash|last\(\s*[1-9][0-9]?\s*\))$")),
]);
pub(super) const COLUMN: SchemaForm = SchemaForm::Text(Some(COLUMN_NAME));

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
