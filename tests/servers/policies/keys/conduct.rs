//! Cases of the keys about how a session conducts itself.

use super::access::{app, asked};
use super::{Case, Shown, scenes};

pub(super) const CASES: &[Case] = &[
    asked(
        "mode",
        &[("mode", r#""observe""#), SECRETS_DENIED],
        &[app(SECRETS, "hush")],
        &[app(&["DELETE FROM shop.secrets"], "25006 write_statement")],
    ),
    Case {
        key: "priority",
        edits: &[],
        shown: Shown::Checked {
            bites: r#"priority="high""#,
            spares: "priority=7",
        },
    },
    Case {
        key: "until",
        edits: &[],
        shown: Shown::Checked {
            bites: r#"until="2030-02-28T18:00:00""#,
            spares: r#"until="2030-02-28T18:00:00Z""#,
        },
    },
    Case {
        key: "observe_until",
        edits: &[("mode", r#""observe""#)],
        shown: Shown::Checked {
            bites: r#"observe_until="2030-02-30""#,
            spares: r#"observe_until="2030-02-28""#,
        },
    },
    asked(
        "rules",
        &[
            ("rules", r#"{"relation_denied": "observe"}"#),
            SECRETS_DENIED,
            ("columns/deny", r#"["*.*.email"]"#),
        ],
        &[app(SECRETS, "hush")],
        &[app(
            &["SELECT email FROM shop.customers"],
            "42501 column_denied",
        )],
    ),
    Case {
        key: "catalog",
        edits: &[],
        shown: Shown::Scene(scenes::catalog),
    },
    asked(
        "catalog_view",
        &[("catalog_view", r#""policy""#), SECRETS_DENIED],
        &[app(
            &["SELECT schemaname FROM pg_tables WHERE tablename = 'secrets'"],
            "open",
        )],
        &[app(
            &["SELECT schemaname FROM pg_tables WHERE tablename = 'orders'"],
            "shop",
        )],
    ),
    Case {
        key: "targets",
        edits: &[("targets", r#""standby""#)],
        shown: Shown::Scene(scenes::targets),
    },
    asked(
        "timeouts.statement_timeout",
        &[("timeouts/statement_timeout", r#""300ms""#)],
        &[
            app(
                &["SELECT count(*) FROM generate_series(1, 1000000000)"],
                "57014",
            ),
            app(
                &["SET statement_timeout = 0", "SHOW statement_timeout"],
                "300ms",
            ),
        ],
        &[app(&["SELECT 1"], "1"), app(&["SHOW lock_timeout"], "30s")],
    ),
    Case {
        key: "timeouts.lock_timeout",
        edits: &[("timeouts/lock_timeout", "\"300ms\"")],
        shown: Shown::Scene(scenes::lock_timeout),
    },
    Case {
        key: "timeouts.idle_in_transaction_session_timeout",
        edits: &[("timeouts/idle_in_transaction_session_timeout", r#""500ms""#)],
        shown: Shown::Scene(scenes::idle_in_transaction),
    },
    asked(
        "statements.several",
        &[("statements/several", r#""housekeeping""#)],
        &[app(
            &["SELECT 1; LOCK shop.orders IN ACCESS SHARE MODE"],
            "42501 several_statements",
        )],
        &[app(&["SET geqo = on; SHOW geqo"], "on")],
    ),
    asked(
        "statements.reads_per_message",
        &[
            ("statements/several", r#""housekeeping""#),
            ("statements/reads_per_message", "1"),
        ],
        &[app(&["SELECT 1; SELECT 2"], "42501 several_statements")],
        &[
            app(&["SET geqo = on; SELECT 1"], "1"),
            app(&["BEGIN; SELECT 1; COMMIT"], "1"),
        ],
    ),
    asked(
        "statements.explain_analyze",
        &[("statements/explain_analyze", r#""refuse""#)],
        &[app(&["EXPLAIN ANALYZE SELECT 1"], "42501 explain_analyze")],
        &[app(&["EXPLAIN (COSTS OFF) SELECT 1"], "Result")],
    ),
    asked(
        "statements.with_hold",
        &[("statements/with_hold", r#""refuse""#)],
        &[app(
            &["DECLARE c CURSOR WITH HOLD FOR SELECT 1"],
            "42501 with_hold",
        )],
        &[app(
            &["BEGIN", "DECLARE c CURSOR FOR SELECT 1", "FETCH c"],
            "1",
        )],
    ),
    asked(
        "statements.with_hold.max_rows",
        &[("statements/with_hold", r#"{"max_rows": 2}"#)],
        &[app(
            &[
                "DECLARE c CURSOR WITH HOLD FOR SELECT generate_series(1, 3)",
                "MOVE ALL c",
            ],
            "54000 with_hold",
        )],
        &[app(
            &[
                "DECLARE c CURSOR WITH HOLD FOR SELECT generate_series(1, 2)",
                "FETCH 2 c",
            ],
            "1 2",
        )],
    ),
    asked(
        "statements.with_hold.max_cursors",
        &[(
            "statements/with_hold",
            r#"{"max_rows": 2, "max_cursors": 1}"#,
        )],
        &[app(
            &[
                "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
                "DECLARE d CURSOR WITH HOLD FOR SELECT 1",
            ],
            "54000 with_hold",
        )],
        &[app(
            &[
                "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
                "CLOSE c",
                "DECLARE d CURSOR WITH HOLD FOR SELECT 1",
                "FETCH d",
            ],
            "1",
        )],
    ),
    asked(
        "statements.lock_access_share",
        &[("statements/lock_access_share", r#""refuse""#)],
        &[app(
            &["BEGIN", "LOCK shop.orders IN ACCESS SHARE MODE"],
            "42501 lock",
        )],
        &[app(&["BEGIN", "SELECT 1 FROM shop.orders LIMIT 1"], "1")],
    ),
    asked(
        "statements.cancel_own",
        &[("statements/cancel_own", r#""refuse""#)],
        &[
            app(
                &["SELECT pg_cancel_backend(2147483647)"],
                "42501 function_effects",
            ),
            app(
                &["SELECT pg_terminate_backend(2147483647)"],
                "42501 function_effects",
            ),
        ],
        &[app(&["SELECT pg_backend_pid() > 0"], "t")],
    ),
    asked(
        "statements.snapshots",
        &[("statements/snapshots", r#""refuse""#)],
        &[
            app(
                &["BEGIN", "SELECT pg_export_snapshot()"],
                "42501 function_effects",
            ),
            app(
                &[
                    "BEGIN ISOLATION LEVEL REPEATABLE READ",
                    "SET TRANSACTION SNAPSHOT '00000003-0000001B-1'",
                ],
                "42501 settings",
            ),
        ],
        &[app(&["BEGIN", "SELECT pg_current_snapshot() IS NULL"], "f")],
    ),
    asked(
        "statements.listen",
        &[("statements/listen", r#""refuse""#)],
        &[app(&["LISTEN jobs"], "42501 listen_notify")],
        &[app(&["UNLISTEN jobs", "SELECT 1"], "1")],
    ),
    asked(
        "statements.write_sqlstate",
        &[("statements/write_sqlstate", r#""42501""#)],
        &[app(&["DELETE FROM shop.orders"], "42501 write_statement")],
        &[app(&["SELECT 1"], "1")],
    ),
    asked(
        "statements.allow",
        &[(
            "statements/allow",
            r#"["select", "begin", "commit", "rollback"]"#,
        )],
        &[
            app(&["SHOW geqo"], "42501 statement_denied"),
            app(&["VALUES (1)"], "42501 statement_denied"),
        ],
        &[app(&["BEGIN", "SELECT 1"], "1")],
    ),
    asked(
        "statements.deny",
        &[("statements/deny", r#"["show", "copy", "set_constraints"]"#)],
        &[
            app(&["SET CONSTRAINTS ALL DEFERRED"], "42501 statement_denied"),
            app(&["SHOW geqo"], "42501 statement_denied"),
            app(&["COPY (SELECT 1) TO STDOUT"], "42501 statement_denied"),
        ],
        &[app(&["VALUES (1)"], "1")],
    ),
    asked(
        "settings.allow",
        &[
            ("settings/allow/geqo", r#""only off""#),
            ("settings/allow/app.tenant", r#"["a", "b"]"#),
        ],
        &[
            app(&["SET geqo = on"], "22023 settings"),
            app(&["SET app.tenant = 'c'"], "22023 settings"),
            app(&["SET temp_buffers = '1GB'"], "42501 settings"),
        ],
        &[
            app(&["SET geqo = off", "SHOW geqo"], "off"),
            app(&["SET app.tenant = 'b'", "SHOW app.tenant"], "b"),
        ],
    ),
    asked(
        "settings.allow.*.min",
        &[(
            "settings/allow/extra_float_digits",
            r#"{"min": 0, "max": 3}"#,
        )],
        &[app(&["SET extra_float_digits = -1"], "22023 settings")],
        &[app(
            &["SET extra_float_digits = 0", "SHOW extra_float_digits"],
            "0",
        )],
    ),
    asked(
        "settings.allow.*.max",
        &[(
            "settings/allow/extra_float_digits",
            r#"{"min": 0, "max": 2}"#,
        )],
        &[app(&["SET extra_float_digits = 3"], "22023 settings")],
        &[app(
            &["SET extra_float_digits = 2", "SHOW extra_float_digits"],
            "2",
        )],
    ),
    asked(
        "settings.deny",
        &[("settings/deny", r#"["enable_*"]"#)],
        &[
            app(&["SET enable_sort = off"], "42501 setting_denied"),
            app(
                &["SELECT set_config('enable_sort', 'off', false)"],
                "42501 setting_denied",
            ),
        ],
        &[
            app(&["SET geqo = off", "SHOW geqo"], "off"),
            app(&["RESET enable_sort"], ""),
        ],
    ),
    asked(
        "settings.read_write",
        &[("settings/read_write", r#""refuse""#)],
        &[
            app(&["BEGIN READ WRITE"], "25006 settings"),
            app(
                &["SET default_transaction_read_only = off"],
                "25006 settings",
            ),
            app(
                &["SELECT set_config('transaction_read_only', '0', true)"],
                "25006 settings",
            ),
        ],
        &[app(
            &["BEGIN READ ONLY", "SHOW transaction_read_only"],
            "on",
        )],
    ),
    Case {
        key: "settings.on_refused_setting",
        edits: &[("settings/on_refused_setting", r#""refuse""#)],
        shown: Shown::Scene(scenes::on_refused_setting),
    },
    tested(
        "tests.*.statement",
        r#"{"statement": "DELETE FROM t", "expect": "permit"}"#,
        r#"{"statement": "SELECT 1", "expect": "permit"}"#,
    ),
    tested(
        "tests.*.expect",
        r#"{"statement": "SELECT 1", "expect": "refuse"}"#,
        r#"{"statement": "DELETE FROM t", "expect": "refuse"}"#,
    ),
    tested(
        "tests.*.rule",
        r#"{"statement": "DELETE FROM t", "expect": "refuse", "rule": "ddl"}"#,
        r#"{"statement": "DELETE FROM t", "expect": "refuse", "rule": "write_statement"}"#,
    ),
    tested(
        "tests.*.user",
        r#"{"statement": "SELECT pi()", "expect": "permit", "user": "app", "application_name": "x"}"#,
        r#"{"statement": "SELECT pi()", "expect": "permit", "user": "reader", "application_name": "x"}"#,
    ),
    tested(
        "tests.*.application_name",
        r#"{"statement": "SELECT pi()", "expect": "permit", "user": "reader", "application_name": ""}"#,
        r#"{"statement": "SELECT pi()", "expect": "permit", "user": "reader", "application_name": "x"}"#,
    ),
    tested(
        "tests.*.certificate",
        r#"{"statement": "SELECT pi()", "expect": "permit", "user": "reader", "certificate": "CN=bob"}"#,
        r#"{"statement": "SELECT pi()", "expect": "permit", "user": "reader", "certificate": "CN=ann"}"#,
    ),
    tested(
        "tests.*.search_path",
        r#"{"statement": "SELECT * FROM secrets", "expect": "permit", "search_path": ["shop"]}"#,
        r#"{"statement": "SELECT * FROM secrets", "expect": "permit", "search_path": ["open"]}"#,
    ),
    tested(
        "tests.*.settings",
        r#"{"statement": "SELECT * FROM shop.mine", "expect": "permit", "settings": {"app.tenant": "LONG"}}"#,
        r#"{"statement": "SELECT * FROM shop.mine", "expect": "permit", "settings": {"app.tenant": "a"}}"#,
    ),
];

/// A case of tests that the policy carries.
const fn tested(key: &'static str, bites: &'static str, spares: &'static str) -> Case {
    Case {
        key,
        edits: &[],
        shown: Shown::Tested { bites, spares },
    }
}

const SECRETS_DENIED: (&str, &str) = ("relations/deny", r#"["shop.secrets"]"#);
const SECRETS: &[&str] = &["SELECT word FROM shop.secrets"];
