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
        doc: "enforce: what the policy's rules refuse is refused. observe: it is only counted, and \
              no answer changes. What the gate refuses under every policy (writes, effects, \
              settings that are not allowed) is refused in both modes. Models replace their \
              relations in both modes, unless rules has model: observe.",
    },
    PolicyKey {
        path: "until",
        form: SchemaForm::Text(Some(
            r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+(Z|[+-][0-9]{2}(:?[0-9]{2})?))?$",
        )),
        absent: Some("for ever"),
        doc: "When the policy expires: a moment such as 2030-01-31T18:00:00Z, or a day, which ends \
              at midnight UTC. Its sessions get the next policy that matches them at their next \
              statement, or are ended if there is none.",
    },
    PolicyKey {
        path: "observe_until",
        form: SchemaForm::Text(Some(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")),
        absent: Some("as long as it likes"),
        doc: "The last day, in UTC, on which the policy should be in mode observe. An alert fires \
              if it still is afterwards; the mode does not change by itself.",
    },
    PolicyKey {
        path: "rules",
        form: SchemaForm::Each(MapNames::Known(rules), &MODE),
        absent: Some("as mode says"),
        doc: "Modes of single rules, instead of the policy's mode.",
    },
    PolicyKey {
        path: "catalog",
        form: SchemaForm::OneOf(&["required", "preferred"]),
        absent: Some("required"),
        doc: "What happens while no catalog of the database is loaded: required permits only \
              statements in which every name is a built-in, preferred judges by the text alone.",
    },
    PolicyKey {
        path: "catalog_view",
        form: SchemaForm::OneOf(&["open", "policy"]),
        absent: Some("open"),
        doc: "What the catalogs (pg_catalog, information_schema) show: open shows the names and \
              definitions of everything, policy shows those of what the policy shows.",
    },
    PolicyKey {
        path: "targets",
        form: SchemaForm::OneOf(&["any", "primary", "standby", "prefer-standby"]),
        absent: Some("any that upstream.targets of the settings lets sessions go to"),
        doc: "Which of several servers its sessions go to, in the words of upstream.targets, which \
              holds beside it: primary, standby (never the primary), or prefer-standby (the \
              primary where no standby is there). With primary and standby no statement runs at \
              another kind of server.",
    },
    PolicyKey {
        path: "timeouts",
        form: SchemaForm::Section,
        absent: Some("what each of its keys means then"),
        doc: "Timeouts that the session starts with, with units: 30s, 500ms, 5min. A client may \
              set shorter ones.",
    },
    PolicyKey {
        path: "timeouts.statement_timeout",
        form: DURATION,
        absent: Some("30s"),
        doc: "How long a statement may run; 0 is no limit.",
    },
    PolicyKey {
        path: "timeouts.lock_timeout",
        form: DURATION,
        absent: Some("5s"),
        doc: "How long a statement may wait for a lock; 0 is no limit.",
    },
    PolicyKey {
        path: "timeouts.idle_in_transaction_session_timeout",
        form: DURATION,
        absent: Some("60s"),
        doc: "How long an open transaction may be idle; 0 is no limit.",
    },
    PolicyKey {
        path: "statements",
        form: SchemaForm::Section,
        absent: Some("what each of its keys means then"),
        doc: "Which kinds of reading statements may run.",
    },
    PolicyKey {
        path: "statements.several",
        form: SchemaForm::OneOf(&["housekeeping", "each"]),
        absent: Some("housekeeping"),
        doc: "Several statements in one message: housekeeping permits them if each one only \
              changes the session's state (SET, BEGIN, DEALLOCATE …), each if each one would be \
              permitted alone.",
    },
    PolicyKey {
        path: "statements.reads_per_message",
        form: SchemaForm::Either(&[SchemaForm::Whole(0, 1_000), SchemaForm::OneOf(&["any"])]),
        absent: Some("1, or any where several is each"),
        doc: "The most reads in a message of several statements, beside housekeeping. If all of \
              them read system catalogs only, they are not counted.",
    },
    PolicyKey {
        path: "statements.explain_analyze",
        form: SchemaForm::OneOf(&["refuse", "reads"]),
        absent: Some("refuse"),
        doc: "EXPLAIN ANALYZE, which runs the statement: refuse, or reads, which permits it for \
              statements that would be permitted themselves.",
    },
    PolicyKey {
        path: "statements.with_hold",
        form: SchemaForm::Either(&[CHOICE, SchemaForm::Section]),
        absent: Some("refuse"),
        doc: "DECLARE … CURSOR WITH HOLD, which keeps rows on the server after COMMIT: refuse, \
              allow, or limits for such cursors.",
    },
    PolicyKey {
        path: "statements.with_hold.max_rows",
        form: SchemaForm::Whole(1, 1_000_000_000),
        absent: None,
        doc: "The most rows that a client gets from one cursor. The query runs with a LIMIT of one \
              row more; instead of that row the client gets an error.",
    },
    PolicyKey {
        path: "statements.with_hold.max_cursors",
        form: SchemaForm::Whole(1, 1_000),
        absent: Some("10"),
        doc: "The most cursors WITH HOLD that a session may have at a time.",
    },
    PolicyKey {
        path: "statements.lock_access_share",
        form: CHOICE,
        absent: Some("refuse"),
        doc: "LOCK TABLE … IN ACCESS SHARE MODE, which takes the lock that SELECT takes and keeps \
              it until the transaction ends.",
    },
    PolicyKey {
        path: "statements.snapshots",
        form: CHOICE,
        absent: Some("refuse"),
        doc: "SELECT pg_export_snapshot() and SET TRANSACTION SNAPSHOT, with which parallel dump \
              tools make several sessions see the same snapshot.",
    },
    PolicyKey {
        path: "statements.cancel_own",
        form: CHOICE,
        absent: Some("refuse"),
        doc: "SELECT pg_cancel_backend(pid) and SELECT pg_terminate_backend(pid) by a number or a \
              parameter, which pgsieve carries out on sessions of the same user, policy and \
              server; drivers and tools cancel statements this way.",
    },
    PolicyKey {
        path: "statements.listen",
        form: SchemaForm::OneOf(&["refuse", "ignore"]),
        absent: Some("refuse"),
        doc: "LISTEN: ignore answers as if it had worked, with a NOTICE that no notification will \
              come, because some clients retry a refused LISTEN for ever.",
    },
    PolicyKey {
        path: "statements.write_sqlstate",
        form: SchemaForm::OneOf(&["25006", "42501"]),
        absent: Some("25006"),
        doc: "The SQLSTATE that writes are refused with: 25006 (read_only_sql_transaction), which \
              Python's drivers raise as InternalError; or 42501 (insufficient_privilege), which \
              they raise as ProgrammingError.",
    },
    PolicyKey {
        path: "statements.allow",
        form: SchemaForm::Either(&[
            SchemaForm::OneOf(&["any"]),
            SchemaForm::Many(&SchemaForm::Known(passable)),
        ]),
        absent: Some("any"),
        doc: "The kinds of statements, as named in the audit, that may run; no others may. Or any. \
              No policy can allow a write.",
    },
    PolicyKey {
        path: "statements.deny",
        form: SchemaForm::Many(&SchemaForm::Known(deniable)),
        absent: Some("none"),
        doc: "Kinds of statements that may not run, even if allow names them.",
    },
    PolicyKey {
        path: "settings",
        form: SchemaForm::Section,
        absent: Some("what each of its keys means then"),
        doc: "What SET, set_config() and a connection string may set. RESET is always allowed.",
    },
    PolicyKey {
        path: "settings.allow",
        form: SchemaForm::Each(MapNames::Like(SETTINGS), &VALUE_RULE),
        absent: Some("what the built-in policy agent allows"),
        doc: "Settings that may be set, with the values that they may have: any, only on, only \
              off, on or off, only utf8, catalog first, at most the timeout, at most 256MB, at \
              most 5min, at most 4, a list of words, or {min, max}. A value above the maximum is \
              lowered to it. Settings of applications must be named here too, or by a pattern: \
              app.tenant, request.jwt.*.",
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
        doc: "Patterns of settings that may not be set, even if allow names them: enable_*.",
    },
    PolicyKey {
        path: "settings.read_write",
        form: SchemaForm::OneOf(&["lower", "refuse"]),
        absent: Some("lower"),
        doc: "What happens to READ WRITE in BEGIN and SET TRANSACTION, and to \
              default_transaction_read_only or transaction_read_only set to off: lower runs the \
              statement with READ ONLY instead, refuse answers with an error. The session is \
              read-only with both.",
    },
    PolicyKey {
        path: "settings.on_refused_setting",
        form: SchemaForm::OneOf(&["refuse", "ignore"]),
        absent: Some("refuse"),
        doc: "What happens if a setting in a connection string is refused. ignore: the client logs \
              in without it and a NOTICE says so, if rows mean the same without it (not \
              search_path, row_security, encodings, roles). refuse: the login is refused.",
    },
    PolicyKey {
        path: "tests",
        form: SchemaForm::Many(&SchemaForm::Section),
        absent: Some("none"),
        doc: "Tests of the policy, for pgsieve policy test: statements and what must happen to \
              them. They do not change what the policy means.",
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
        doc: "permit, refuse, or observe: the statement runs because the rule that would refuse it \
              is only observed.",
    },
    PolicyKey {
        path: "tests.*.rule",
        form: SchemaForm::Known(all_rules),
        absent: Some("any rule"),
        doc: "The rule that refuses the statement, or would refuse it.",
    },
    PolicyKey {
        path: "tests.*.user",
        form: FILLED,
        absent: Some("app"),
        doc: "The user.",
    },
    PolicyKey {
        path: "tests.*.application_name",
        form: TEXT,
        absent: Some("none"),
        doc: "The application_name of the client.",
    },
    PolicyKey {
        path: "tests.*.certificate",
        form: FILLED,
        absent: Some("not said"),
        doc: "The certificate that the client has shown: its common name, or \
              CN=ann,O=Acme,OU=reports,email=ann@acme.example,SAN=ann.acme.example. A comma in a \
              value is written \\,. What is left out is not in the certificate.",
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
        doc: "Settings of the session, and attributes of the user as user.NAME.",
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
