//! The keys about how a session conducts itself: `mode`, `rules`, `catalog`, `timeouts`,
//! `statements`, `settings`, and the `tests` of it all.

use super::PolicyKey;
use super::forms::{
    DURATION, FILLED, MapNames, SchemaForm, TEXT, TEXTS, all_rules, deniable, passable, rules,
};

pub(super) const KEYS: &[PolicyKey] = &[
    PolicyKey {
        path: "mode",
        form: MODE,
        absent: Some("enforce"),
        doc: "enforce: what the policy's own rules refuse is refused. observe: it is counted, and \
              no answer changes. What the gate refuses by itself (writes, effects, settings that \
              are not allowed) is refused in both, and models stand for their names in both, \
              unless rules says model: observe.",
    },
    PolicyKey {
        path: "until",
        form: SchemaForm::Text(Some(
            r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+(Z|[+-][0-9]{2}(:?[0-9]{2})?))?$",
        )),
        absent: Some("for ever"),
        doc: "When the policy ends by itself: a moment such as 2030-01-31T18:00:00Z, or a day, \
              which ends at midnight UTC. Sessions under it, running ones included, get the next \
              policy that is for them at their next statement, or are ended.",
    },
    PolicyKey {
        path: "observe_until",
        form: SchemaForm::Text(Some(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")),
        absent: Some("as long as it likes"),
        doc: "The day until whose end, in UTC, the policy is meant to observe: an alert fires \
              when it still does afterwards. It changes nothing by itself.",
    },
    PolicyKey {
        path: "rules",
        form: SchemaForm::Each(MapNames::Known(rules), &MODE),
        absent: Some("as mode says"),
        doc: "Modes of single rules, in place of the one of the whole.",
    },
    PolicyKey {
        path: "catalog",
        form: SchemaForm::OneOf(&["required", "preferred"]),
        absent: Some("required"),
        doc: "While there is no snapshot of the database's catalog: required lets only statements \
              pass whose every name is a built-in, preferred judges by the text alone.",
    },
    PolicyKey {
        path: "timeouts",
        form: SchemaForm::Section,
        absent: Some("what each of its keys means then"),
        doc: "Bounds in time that the session starts with, with their units: 30s, 500ms, 5min. A \
              client may tighten them.",
    },
    PolicyKey {
        path: "timeouts.statement_timeout",
        form: DURATION,
        absent: Some("30s"),
        doc: "How long one statement may run; 0 is no bound.",
    },
    PolicyKey {
        path: "timeouts.lock_timeout",
        form: DURATION,
        absent: Some("5s"),
        doc: "How long one statement may wait for a lock; 0 is no bound.",
    },
    PolicyKey {
        path: "timeouts.idle_in_transaction_session_timeout",
        form: DURATION,
        absent: Some("60s"),
        doc: "How long a transaction may stand open and idle; 0 is no bound.",
    },
    PolicyKey {
        path: "statements",
        form: SchemaForm::Section,
        absent: Some("what each of its keys means then"),
        doc: "Which kinds of statements run, of those that only read.",
    },
    PolicyKey {
        path: "statements.several",
        form: SchemaForm::OneOf(&["housekeeping", "each"]),
        absent: Some("housekeeping"),
        doc: "Several statements in one message: housekeeping where each only keeps house in the \
              session, each where each passes by itself.",
    },
    PolicyKey {
        path: "statements.reads_per_message",
        form: SchemaForm::Either(&[SchemaForm::Whole(0, 1_000), SchemaForm::OneOf(&["any"])]),
        absent: Some("1, or any where several is each"),
        doc: "Reads in a message of several statements, beside housekeeping. Where all of them \
              are of the system catalogs they are not counted.",
    },
    PolicyKey {
        path: "statements.explain_analyze",
        form: SchemaForm::OneOf(&["refuse", "reads"]),
        absent: Some("refuse"),
        doc: "EXPLAIN ANALYZE runs the statement: refuse, or reads where it would pass by itself.",
    },
    PolicyKey {
        path: "statements.with_hold",
        form: SchemaForm::Either(&[CHOICE, SchemaForm::Section]),
        absent: Some("refuse"),
        doc: "DECLARE … CURSOR WITH HOLD keeps rows on the server after COMMIT: refuse, allow, or \
              the bounds of those that may be declared.",
    },
    PolicyKey {
        path: "statements.with_hold.max_rows",
        form: SchemaForm::Whole(1, 1_000_000_000),
        absent: None,
        doc: "The rows that a client gets of one cursor. The query runs with a LIMIT of one more; \
              where that row would come, an error does.",
    },
    PolicyKey {
        path: "statements.with_hold.max_cursors",
        form: SchemaForm::Whole(1, 1_000),
        absent: Some("10"),
        doc: "Cursors WITH HOLD that a session has at a time.",
    },
    PolicyKey {
        path: "statements.lock_access_share",
        form: CHOICE,
        absent: Some("refuse"),
        doc: "LOCK TABLE … IN ACCESS SHARE MODE takes the lock that SELECT takes, and keeps it.",
    },
    PolicyKey {
        path: "statements.snapshots",
        form: CHOICE,
        absent: Some("refuse"),
        doc: "SELECT pg_export_snapshot() lets other sessions read what a transaction sees, and \
              SET TRANSACTION SNAPSHOT reads what another one sees: dump tools that work in \
              parallel do so.",
    },
    PolicyKey {
        path: "statements.cancel_own",
        form: CHOICE,
        absent: Some("refuse"),
        doc: "SELECT pg_cancel_backend(pid) and SELECT pg_terminate_backend(pid) by a number or a \
              parameter, carried out by pgsieve on sessions of the same user, policy and server: \
              drivers and tools stop a statement so.",
    },
    PolicyKey {
        path: "statements.listen",
        form: SchemaForm::OneOf(&["refuse", "ignore"]),
        absent: Some("refuse"),
        doc: "LISTEN: ignore answers it as if it had worked, with a NOTICE that no notification \
              will come; listeners try a refused one again for ever.",
    },
    PolicyKey {
        path: "statements.write_sqlstate",
        form: SchemaForm::OneOf(&["25006", "42501"]),
        absent: Some("25006"),
        doc: "The SQLSTATE that writes are refused with: 25006, as by a session that only reads, \
              which Python's drivers raise as InternalError; or 42501, as for want of a right, \
              which they raise as ProgrammingError.",
    },
    PolicyKey {
        path: "statements.allow",
        form: SchemaForm::Either(&[
            SchemaForm::OneOf(&["any"]),
            SchemaForm::Many(&SchemaForm::Known(passable)),
        ]),
        absent: Some("any"),
        doc: "Kinds of statements that run and no others, as the audit names them; or any. What \
              changes data cannot be allowed.",
    },
    PolicyKey {
        path: "statements.deny",
        form: SchemaForm::Many(&SchemaForm::Known(deniable)),
        absent: Some("none"),
        doc: "Kinds of statements that do not run, whatever is allowed.",
    },
    PolicyKey {
        path: "settings",
        form: SchemaForm::Section,
        absent: Some("what each of its keys means then"),
        doc: "What SET, set_config() and a connection string may set. RESET always passes.",
    },
    PolicyKey {
        path: "settings.allow",
        form: SchemaForm::Each(MapNames::Like(SETTINGS), &VALUE_RULE),
        absent: Some("what the built-in policy agent allows"),
        doc: "Settings that may be set, with the values that they may have: any, only on, only \
              off, on or off, only utf8, catalog first, at most the timeout, at most 256MB, at \
              most 5min, at most 4, a list of words, or {min, max}. What asks for more is lowered. \
              Those of applications are named here too, or by a pattern: app.tenant, \
              request.jwt.*.",
    },
    PolicyKey {
        path: "settings.allow.*.min",
        form: SchemaForm::Integer,
        absent: None,
        doc: "The smallest value.",
    },
    PolicyKey {
        path: "settings.allow.*.max",
        form: SchemaForm::Integer,
        absent: None,
        doc: "The largest value.",
    },
    PolicyKey {
        path: "settings.deny",
        form: SchemaForm::Many(&SchemaForm::Text(Some(r"^[A-Za-z_*][A-Za-z0-9_$.*]*$"))),
        absent: Some("none"),
        doc: "Patterns of settings that may not be set, whatever is allowed: enable_*.",
    },
    PolicyKey {
        path: "settings.read_write",
        form: SchemaForm::OneOf(&["lower", "refuse"]),
        absent: Some("lower"),
        doc: "READ WRITE in BEGIN and SET TRANSACTION, and default_transaction_read_only or \
              transaction_read_only set to off: lower runs the statement with READ ONLY in its \
              place, refuse answers with an error. The session only reads in both.",
    },
    PolicyKey {
        path: "settings.on_refused_setting",
        form: SchemaForm::OneOf(&["refuse", "ignore"]),
        absent: Some("refuse"),
        doc: "What becomes of a setting in a connection string that is refused. ignore: the client \
              logs in without it and is told by a NOTICE, where rows mean the same without it \
              (not search_path, row_security, encodings, roles). refuse: so is the login.",
    },
    PolicyKey {
        path: "tests",
        form: SchemaForm::Many(&SchemaForm::Section),
        absent: Some("none"),
        doc: "What becomes of statements under the policy, for pgsieve policy test. They are no \
              part of what the policy means.",
    },
    PolicyKey {
        path: "tests.*.statement",
        form: FILLED,
        absent: None,
        doc: "The statement.",
    },
    PolicyKey {
        path: "tests.*.expect",
        form: SchemaForm::OneOf(&["permit", "refuse", "observe"]),
        absent: None,
        doc: "Whether it runs; observe: it runs because a rule is only observed.",
    },
    PolicyKey {
        path: "tests.*.rule",
        form: SchemaForm::Known(all_rules),
        absent: Some("any rule"),
        doc: "The rule that refuses it, or would.",
    },
    PolicyKey {
        path: "tests.*.user",
        form: FILLED,
        absent: Some("app"),
        doc: "As whom.",
    },
    PolicyKey {
        path: "tests.*.application_name",
        form: TEXT,
        absent: Some("none"),
        doc: "What the client calls itself.",
    },
    PolicyKey {
        path: "tests.*.search_path",
        form: TEXTS,
        absent: Some("that of the database"),
        doc: "Where names are looked up.",
    },
    PolicyKey {
        path: "tests.*.settings",
        form: SchemaForm::Each(MapNames::Like(SETTING), &SchemaForm::Scalar),
        absent: Some("none"),
        doc: "What the session has set.",
    },
];

const MODE: SchemaForm = SchemaForm::OneOf(&["enforce", "observe"]);
const CHOICE: SchemaForm = SchemaForm::OneOf(&["refuse", "allow"]);

/// The name of a setting.
const SETTING: &str = r"^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)*$";

/// The same, or a pattern for those of applications.
const SETTINGS: &str = r"^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_*][A-Za-z0-9_$*]*)*$";

/// The values that a setting may have.
const VALUE_RULE: SchemaForm = SchemaForm::Either(&[
    SchemaForm::OneOf(&[
        "any",
        "only on",
        "only off",
        "on or off",
        "only utf8",
        "catalog first",
        "at most the timeout",
    ]),
    SchemaForm::Text(Some(
        r"^at most [0-9]+(\.[0-9]+)?\s*([kMGT]?B|[KMGT]iB|us|ms|s|min|h|d)?$",
    )),
    SchemaForm::Many(&SchemaForm::Scalar),
    SchemaForm::Section,
]);
