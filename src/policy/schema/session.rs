//! The keys about how a session conducts itself: `mode`, `rules`, `catalog`, `timeouts`,
//! `statements`, `settings`, and the `tests` of it all.

use super::Key;
use super::forms::{
    DURATION, FILLED, Form, Names, TEXT, TEXTS, all_rules, deniable, passable, rules,
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "mode",
        form: MODE,
        absent: Some("enforce"),
        doc: "enforce: what the policy's own rules refuse is refused. observe: it is counted, and \
              no answer changes. What the gate refuses by itself (writes, effects, settings that \
              are not allowed) is refused in both, and models stand for their names in both, \
              unless rules says model: observe.",
    },
    Key {
        path: "until",
        form: Form::Text(Some(
            r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+(Z|[+-][0-9]{2}(:?[0-9]{2})?))?$",
        )),
        absent: Some("for ever"),
        doc: "When the policy ends by itself: a moment such as 2030-01-31T18:00:00Z, or a day, \
              which ends at midnight UTC. Sessions under it, running ones included, get the next \
              policy that is for them at their next statement, or are ended.",
    },
    Key {
        path: "observe_until",
        form: Form::Text(Some(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")),
        absent: Some("as long as it likes"),
        doc: "The day until whose end, in UTC, the policy is meant to observe: an alert fires \
              when it still does afterwards. It changes nothing by itself.",
    },
    Key {
        path: "rules",
        form: Form::Each(Names::Known(rules), &MODE),
        absent: Some("as mode says"),
        doc: "Modes of single rules, in place of the one of the whole.",
    },
    Key {
        path: "catalog",
        form: Form::OneOf(&["required", "preferred"]),
        absent: Some("required"),
        doc: "While there is no snapshot of the database's catalog: required lets only statements \
              pass whose every name is a built-in, preferred judges by the text alone.",
    },
    Key {
        path: "timeouts",
        form: Form::Section,
        absent: Some("what each of its keys means then"),
        doc: "Bounds in time that the session starts with, with their units: 30s, 500ms, 5min. A \
              client may tighten them.",
    },
    Key {
        path: "timeouts.statement_timeout",
        form: DURATION,
        absent: Some("30s"),
        doc: "How long one statement may run; 0 is no bound.",
    },
    Key {
        path: "timeouts.lock_timeout",
        form: DURATION,
        absent: Some("5s"),
        doc: "How long one statement may wait for a lock; 0 is no bound.",
    },
    Key {
        path: "timeouts.idle_in_transaction_session_timeout",
        form: DURATION,
        absent: Some("60s"),
        doc: "How long a transaction may stand open and idle; 0 is no bound.",
    },
    Key {
        path: "statements",
        form: Form::Section,
        absent: Some("what each of its keys means then"),
        doc: "Which kinds of statements run, of those that only read.",
    },
    Key {
        path: "statements.several",
        form: Form::OneOf(&["housekeeping", "each"]),
        absent: Some("housekeeping"),
        doc: "Several statements in one message: housekeeping where each only keeps house in the \
              session, each where each passes by itself.",
    },
    Key {
        path: "statements.reads_per_message",
        form: Form::Either(&[Form::Whole(0, 1_000), Form::OneOf(&["any"])]),
        absent: Some("1, or any where several is each"),
        doc: "Reads in a message of several statements, beside housekeeping. Where all of them \
              are of the system catalogs they are not counted.",
    },
    Key {
        path: "statements.explain_analyze",
        form: Form::OneOf(&["refuse", "reads"]),
        absent: Some("refuse"),
        doc: "EXPLAIN ANALYZE runs the statement: refuse, or reads where it would pass by itself.",
    },
    Key {
        path: "statements.with_hold",
        form: Form::Either(&[CHOICE, Form::Section]),
        absent: Some("refuse"),
        doc: "DECLARE … CURSOR WITH HOLD keeps rows on the server after COMMIT: refuse, allow, or \
              the bounds of those that may be declared.",
    },
    Key {
        path: "statements.with_hold.max_rows",
        form: Form::Whole(1, 1_000_000_000),
        absent: None,
        doc: "The rows that a client gets of one cursor. The query runs with a LIMIT of one more; \
              where that row would come, an error does.",
    },
    Key {
        path: "statements.with_hold.max_cursors",
        form: Form::Whole(1, 1_000),
        absent: Some("10"),
        doc: "Cursors WITH HOLD that a session has at a time.",
    },
    Key {
        path: "statements.lock_access_share",
        form: CHOICE,
        absent: Some("refuse"),
        doc: "LOCK TABLE … IN ACCESS SHARE MODE takes the lock that SELECT takes, and keeps it.",
    },
    Key {
        path: "statements.snapshots",
        form: CHOICE,
        absent: Some("refuse"),
        doc: "SELECT pg_export_snapshot() lets other sessions read what a transaction sees, and \
              SET TRANSACTION SNAPSHOT reads what another one sees: dump tools that work in \
              parallel do so.",
    },
    Key {
        path: "statements.cancel_own",
        form: CHOICE,
        absent: Some("refuse"),
        doc: "SELECT pg_cancel_backend(pid) and SELECT pg_terminate_backend(pid) by a number or a \
              parameter, carried out by pgsieve on sessions of the same user, policy and server: \
              drivers and tools stop a statement so.",
    },
    Key {
        path: "statements.listen",
        form: Form::OneOf(&["refuse", "ignore"]),
        absent: Some("refuse"),
        doc: "LISTEN: ignore answers it as if it had worked, with a NOTICE that no notification \
              will come; listeners try a refused one again for ever.",
    },
    Key {
        path: "statements.write_sqlstate",
        form: Form::OneOf(&["25006", "42501"]),
        absent: Some("25006"),
        doc: "The SQLSTATE that writes are refused with: 25006, as by a session that only reads, \
              which Python's drivers raise as InternalError; or 42501, as for want of a right, \
              which they raise as ProgrammingError.",
    },
    Key {
        path: "statements.allow",
        form: Form::Either(&[Form::OneOf(&["any"]), Form::Many(&Form::Known(passable))]),
        absent: Some("any"),
        doc: "Kinds of statements that run and no others, as the audit names them; or any. What \
              changes data cannot be allowed.",
    },
    Key {
        path: "statements.deny",
        form: Form::Many(&Form::Known(deniable)),
        absent: Some("none"),
        doc: "Kinds of statements that do not run, whatever is allowed.",
    },
    Key {
        path: "settings",
        form: Form::Section,
        absent: Some("what each of its keys means then"),
        doc: "What SET, set_config() and a connection string may set. RESET always passes.",
    },
    Key {
        path: "settings.allow",
        form: Form::Each(Names::Like(SETTINGS), &VALUE_RULE),
        absent: Some("what the built-in policy agent allows"),
        doc: "Settings that may be set, with the values that they may have: any, only on, only \
              off, on or off, only utf8, catalog first, at most the timeout, at most 256MB, at \
              most 5min, at most 4, a list of words, or {min, max}. What asks for more is lowered. \
              Those of applications are named here too, or by a pattern: app.tenant, \
              request.jwt.*.",
    },
    Key {
        path: "settings.allow.*.min",
        form: Form::Integer,
        absent: None,
        doc: "The smallest value.",
    },
    Key {
        path: "settings.allow.*.max",
        form: Form::Integer,
        absent: None,
        doc: "The largest value.",
    },
    Key {
        path: "settings.deny",
        form: Form::Many(&Form::Text(Some(r"^[A-Za-z_*][A-Za-z0-9_$.*]*$"))),
        absent: Some("none"),
        doc: "Patterns of settings that may not be set, whatever is allowed: enable_*.",
    },
    Key {
        path: "settings.read_write",
        form: Form::OneOf(&["lower", "refuse"]),
        absent: Some("lower"),
        doc: "READ WRITE in BEGIN and SET TRANSACTION, and default_transaction_read_only or \
              transaction_read_only set to off: lower runs the statement with READ ONLY in its \
              place, refuse answers with an error. The session only reads in both.",
    },
    Key {
        path: "settings.on_refused_setting",
        form: Form::OneOf(&["refuse", "ignore"]),
        absent: Some("refuse"),
        doc: "What becomes of a setting in a connection string that is refused. ignore: the client \
              logs in without it and is told by a NOTICE, where rows mean the same without it \
              (not search_path, row_security, encodings, roles). refuse: so is the login.",
    },
    Key {
        path: "tests",
        form: Form::Many(&Form::Section),
        absent: Some("none"),
        doc: "What becomes of statements under the policy, for pgsieve policy test. They are no \
              part of what the policy means.",
    },
    Key {
        path: "tests.*.statement",
        form: FILLED,
        absent: None,
        doc: "The statement.",
    },
    Key {
        path: "tests.*.expect",
        form: Form::OneOf(&["permit", "refuse", "observe"]),
        absent: None,
        doc: "Whether it runs; observe: it runs because a rule is only observed.",
    },
    Key {
        path: "tests.*.rule",
        form: Form::Known(all_rules),
        absent: Some("any rule"),
        doc: "The rule that refuses it, or would.",
    },
    Key {
        path: "tests.*.user",
        form: FILLED,
        absent: Some("app"),
        doc: "As whom.",
    },
    Key {
        path: "tests.*.application_name",
        form: TEXT,
        absent: Some("none"),
        doc: "What the client calls itself.",
    },
    Key {
        path: "tests.*.search_path",
        form: TEXTS,
        absent: Some("that of the database"),
        doc: "Where names are looked up.",
    },
    Key {
        path: "tests.*.settings",
        form: Form::Each(Names::Like(SETTING), &Form::Scalar),
        absent: Some("none"),
        doc: "What the session has set.",
    },
];

const MODE: Form = Form::OneOf(&["enforce", "observe"]);
const CHOICE: Form = Form::OneOf(&["refuse", "allow"]);

/// The name of a setting.
const SETTING: &str = r"^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)*$";

/// The same, or a pattern for those of applications.
const SETTINGS: &str = r"^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_*][A-Za-z0-9_$*]*)*$";

/// The values that a setting may have.
const VALUE_RULE: Form = Form::Either(&[
    Form::OneOf(&[
        "any",
        "only on",
        "only off",
        "on or off",
        "only utf8",
        "catalog first",
        "at most the timeout",
    ]),
    Form::Text(Some(
        r"^at most [0-9]+(\.[0-9]+)?\s*([kMGT]?B|[KMGT]iB|us|ms|s|min|h|d)?$",
    )),
    Form::Many(&Form::Scalar),
    Form::Section,
]);
