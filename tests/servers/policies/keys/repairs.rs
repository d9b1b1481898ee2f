//! Cases of the keys about repairs.

use super::Case;
use super::access::{app, asked};

pub(super) const CASES: &[Case] = &[
    asked(
        "repair.mode",
        &[("repair/mode", r#""off""#)],
        &[app(UNQUOTED, "42P01")],
        &[app(QUOTED, "a")],
    ),
    asked(
        "repair.likely",
        &[APPLIED],
        &[app(LIKELY, "5 !")],
        &[
            app(HOPELESS, "42703"),
            app(AMBIGUOUS, "42703"),
            app(JOINED, "5 !"),
            app(TWICE, "5 !"),
        ],
    ),
    asked(
        "repair.max_attempts",
        &[APPLIED, ("repair/max_attempts", "1")],
        &[app(TWICE, "42703")],
        &[app(UNQUOTED, "a !")],
    ),
    asked(
        "repair.recoverers",
        &[("repair/recoverers", r#"{"unwrap": "off"}"#)],
        &[app(FENCED, "42601 syntax_error")],
        &[app(UNQUOTED, "a !")],
    ),
    asked(
        "repair.gates.score_min",
        &[APPLIED, ("repair/gates/score_min", "0.99")],
        &[app(LIKELY, "42703")],
        &[app(UNQUOTED, "a !")],
    ),
    asked(
        "repair.gates.dominance_min",
        &[APPLIED, ("repair/gates/dominance_min", "1.0")],
        &[app(LIKELY, "42703")],
        &[app(UNQUOTED, "a !")],
    ),
    asked(
        "repair.gates.separation_min",
        &[
            APPLIED,
            ("repair/gates/dominance_min", "0"),
            ("repair/gates/separation_min", "0"),
        ],
        &[app(AMBIGUOUS, "7 !")],
        &[app(HOPELESS, "42703")],
    ),
    asked(
        "repair.gates.separation_ratio_min",
        &[
            APPLIED,
            ("repair/gates/dominance_min", "0"),
            ("repair/gates/separation_ratio_min", "1.0"),
        ],
        &[app(AMBIGUOUS, "7 !")],
        &[app(HOPELESS, "42703")],
    ),
    asked(
        "repair.gates.columns_max",
        &[APPLIED, ("repair/gates/columns_max", "1")],
        &[app(LIKELY, "42703")],
        &[app(UNQUOTED, "a !")],
    ),
    asked(
        "repair.gates.tables_max",
        &[APPLIED, ("repair/gates/tables_max", "1")],
        &[app(JOINED, "42703")],
        &[app(LIKELY, "5 !")],
    ),
    asked(
        "repair.risk_pairs",
        &[APPLIED, ("repair/risk_pairs", r#"["total/amount"]"#)],
        &[app(LIKELY, "42703")],
        &[app(UNQUOTED, "a !")],
    ),
    asked(
        "repair.dialect",
        &[("repair/dialect", r#""off""#)],
        &[app(TOP, "42601 syntax_error")],
        &[app(FENCED, "1 !")],
    ),
    asked(
        "repair.datasets",
        &[
            ("repair/datasets", r#"{"project.sales": "shop"}"#),
            ("repair/dialect", r#""bigquery""#),
        ],
        &[app(&["SELECT word FROM `project.sales.secrets`"], "hush !")],
        &[app(
            &["SELECT word FROM `project.other.secrets`"],
            "42601 syntax_error",
        )],
    ),
    asked(
        "repair.default_limit",
        &[("repair/default_limit", "2")],
        &[app(&["SELECT * FROM generate_series(1, 5)"], "1 2 !")],
        &[app(
            &["SELECT * FROM generate_series(1, 3) LIMIT 3"],
            "1 2 3",
        )],
    ),
];

const APPLIED: (&str, &str) = ("repair/likely", r#""apply""#);
const UNQUOTED: &[&str] = &["SELECT Name FROM Schools"];
const QUOTED: &[&str] = &["SELECT \"Name\" FROM \"Schools\""];
const FENCED: &[&str] = &["```sql\nSELECT 1 AS one\n```"];
const TOP: &[&str] = &["SELECT TOP 1 id FROM shop.orders ORDER BY id"];
const LIKELY: &[&str] = &["SELECT amount FROM shop.sales"];
const HOPELESS: &[&str] = &["SELECT no_such_thing FROM shop.sales"];
const AMBIGUOUS: &[&str] = &["SELECT amount FROM shop.ledger"];
const JOINED: &[&str] = &["SELECT amount FROM shop.sales s JOIN shop.orders o ON o.id = s.id"];
/// Mended in two steps.
const TWICE: &[&str] = &["SELECT amount FROM shop.sales WHERE region <> 94103"];
