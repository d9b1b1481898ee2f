//! Cases of the keys about how much a policy gives.

use super::access::{app, as_user, asked};
use super::{Case, Shown, scenes};
use crate::support::READER;

pub(super) const CASES: &[Case] = &[
    asked(
        "limits.statement_bytes",
        &[("limits/statement_bytes", "60")],
        &[app(
            &["SELECT 1 AS a_name_that_is_long_for_a_statement_of_these_bytes"],
            "54000 too_long",
        )],
        &[app(&["SELECT 1 AS a_name_that_is_not_so"], "1")],
    ),
    asked(
        "limits.nesting",
        &[("limits/nesting", "1")],
        &[app(&["SELECT (SELECT 1)"], "54001 nesting")],
        &[app(&["SELECT 1 + (2 * (3 + 4))"], "15")],
    ),
    asked(
        "limits.result_rows",
        &[("limits/result_rows", "2")],
        &[app(
            &["SELECT generate_series(1, 5)"],
            "1 2 54000 result_rows",
        )],
        &[app(&["SELECT generate_series(1, 2)"], "1 2")],
    ),
    asked(
        "limits.result_bytes",
        &[("limits/result_bytes", "100")],
        &[app(&["SELECT repeat('x', 200)"], "54000 result_bytes")],
        &[app(&["SELECT repeat('x', 5)"], "xxxxx")],
    ),
    asked(
        "limits.on_limit",
        &[
            ("limits/result_rows", "2"),
            ("limits/on_limit", r#""truncate""#),
        ],
        &[app(&["SELECT generate_series(1, 5)"], "1 2 !")],
        &[app(&["SELECT generate_series(1, 2)"], "1 2")],
    ),
    asked(
        "limits.default_limit",
        &[
            ("limits/default_limit", "2"),
            ("repair/default_limit", "null"),
        ],
        &[app(&["SELECT * FROM generate_series(1, 5)"], "1 2 !")],
        &[app(
            &["SELECT * FROM generate_series(1, 3) LIMIT 3"],
            "1 2 3",
        )],
    ),
    asked(
        "limits.max_plan_cost",
        &[("limits/max_plan_cost", "500")],
        &[app(
            &["SELECT count(*) FROM generate_series(1, 5000000)"],
            "54000 plan_cost",
        )],
        &[app(&["SELECT count(*) FROM generate_series(1, 50)"], "50")],
    ),
    asked(
        "limits.max_plan_rows",
        &[("limits/max_plan_rows", "100")],
        &[app(
            &["SELECT * FROM generate_series(1, 5000)"],
            "54000 plan_rows",
        )],
        &[app(
            &["SELECT count(*) FROM generate_series(1, 5000)"],
            "5000",
        )],
    ),
    Case {
        key: "limits.plan_age_max",
        edits: &[
            ("limits/max_plan_rows", "100"),
            ("limits/plan_age_max", r#""4s""#),
        ],
        shown: Shown::Scene(scenes::plan_age),
    },
    Case {
        key: "limits.concurrency_per_user",
        edits: &[("limits/concurrency_per_user", "1")],
        shown: Shown::Scene(scenes::concurrency),
    },
    asked(
        "limits.statements_per_second",
        &[("limits/statements_per_second", "0.1")],
        &[app(&["SELECT 1", "SELECT 1"], "53400 statement_rate")],
        &[
            as_user(READER, &["SELECT 1"], "1"),
            app(&["SHOW geqo"], "on"),
        ],
    ),
    asked(
        "limits.statements_per_day",
        &[("limits/statements_per_day", "2")],
        &[app(
            &["SELECT 1", "SELECT 1", "SELECT 1"],
            "53400 statement_rate",
        )],
        &[as_user(READER, &["SELECT 1", "SELECT 1"], "1")],
    ),
    asked(
        "limits.rows_per_day",
        &[("limits/rows_per_day", "5")],
        &[app(
            &["SELECT generate_series(1, 4)", "SELECT 1", "SELECT 1"],
            "53400 daily_budget",
        )],
        &[
            as_user(READER, &["SELECT generate_series(1, 4)"], "1 2 3 4"),
            app(&["SHOW geqo"], "on"),
        ],
    ),
    asked(
        "limits.bytes_per_day",
        &[("limits/bytes_per_day", "200")],
        &[app(&["SELECT repeat('x', 300)"], "53400 daily_budget")],
        &[as_user(READER, &["SELECT 1"], "1")],
    ),
    Case {
        key: "limits.connections_per_user",
        edits: &[("limits/connections_per_user", "1")],
        shown: Shown::Scene(scenes::connections),
    },
    Case {
        key: "limits.idle_time",
        edits: &[("limits/idle_time", r#""2s""#)],
        shown: Shown::Scene(scenes::idle_time),
    },
];
