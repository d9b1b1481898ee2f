//! The keys about how much a policy gives: `limits`.

use super::PolicyKey;
use super::forms::{DURATION, OFF, SIZE, SchemaForm};

pub(super) const KEYS: &[PolicyKey] = &[
    PolicyKey {
        path: "limits",
        form: SchemaForm::Section,
        absent: Some("what each of its keys means then"),
        doc: "How much the policy gives: of one statement, of one result, to one user. off \
              is no bound.",
    },
    PolicyKey {
        path: "limits.statement_bytes",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 16_777_216), SIZE]),
        absent: Some("1MiB"),
        doc: "The longest statement that is judged at all: 1MB, 64KiB, or a number of bytes. Units \
              are B, kB, MB, GB, TB, KiB, MiB, GiB and TiB, powers of 1024 all.",
    },
    PolicyKey {
        path: "limits.nesting",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_000), OFF]),
        absent: Some("off"),
        doc: "How deep queries may stand in each other: 1 is a query without a subquery.",
    },
    PolicyKey {
        path: "limits.result_rows",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "Rows of one result.",
    },
    PolicyKey {
        path: "limits.result_bytes",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_125_899_906_842_624), SIZE, OFF]),
        absent: Some("off"),
        doc: "Bytes of the rows of one result, as they are sent: 100MB, 64KiB, or a number of \
              bytes.",
    },
    PolicyKey {
        path: "limits.on_limit",
        form: SchemaForm::OneOf(&["error", "truncate"]),
        absent: Some("error"),
        doc: "What happens at the boundary of a result: error 54000 after the last row, or \
              truncate, which ends the result and says so in a NOTICE.",
    },
    PolicyKey {
        path: "limits.default_limit",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "A SELECT without LIMIT gets this one, and a NOTICE says when it was reached. \
              It is a repair: repair.mode has to be observe or apply.",
    },
    PolicyKey {
        path: "limits.max_plan_cost",
        form: SchemaForm::Either(&[SchemaForm::Decimal(1.0, 1e15), OFF]),
        absent: Some("off"),
        doc: "The highest cost of a plan that is run, in the planner's units. The plan is \
              asked for before the statement runs.",
    },
    PolicyKey {
        path: "limits.max_plan_rows",
        form: SchemaForm::Either(&[SchemaForm::Decimal(1.0, 1e15), OFF]),
        absent: Some("off"),
        doc: "The most rows that a plan may be expected to return.",
    },
    PolicyKey {
        path: "limits.plan_age_max",
        form: DURATION,
        absent: Some("60s"),
        doc: "How long the plan of a kind of statement is believed, 1s to 1d, with its unit.",
    },
    PolicyKey {
        path: "limits.concurrency_per_user",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 100_000), OFF]),
        absent: Some("off"),
        doc: "Statements of one user at a time.",
    },
    PolicyKey {
        path: "limits.statements_per_second",
        form: SchemaForm::Either(&[SchemaForm::Decimal(0.001, 1e15), OFF]),
        absent: Some("off"),
        doc: "Statements of one user in a second, on average; ten seconds' worth may come at \
              once.",
    },
    PolicyKey {
        path: "limits.statements_per_day",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "Statements of one user in 24 hours.",
    },
    PolicyKey {
        path: "limits.rows_per_day",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "Rows that one user may receive in a day, from midnight to midnight, UTC.",
    },
    PolicyKey {
        path: "limits.bytes_per_day",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_125_899_906_842_624), SIZE, OFF]),
        absent: Some("off"),
        doc: "Bytes of rows, as they are sent, that one user may receive in a day, from midnight \
              to midnight, UTC: 100MB, 64KiB, or a number of bytes.",
    },
    PolicyKey {
        path: "limits.connections_per_user",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 100_000), OFF]),
        absent: Some("off"),
        doc: "Connections of one user at a time.",
    },
    PolicyKey {
        path: "limits.idle_time",
        form: SchemaForm::Either(&[DURATION, OFF]),
        absent: Some("off"),
        doc: "How long a session may do nothing before it is ended, 1s to 24d, with its unit.",
    },
];
