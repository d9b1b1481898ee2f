//! The keys about how much a policy gives: `limits`.

use super::PolicyKey;
use super::forms::{DURATION, OFF, SIZE, SchemaForm};

pub(super) const KEYS: &[PolicyKey] = &[
    PolicyKey {
        path: "limits",
        form: SchemaForm::Section,
        absent: Some("what each of its keys means then"),
        doc: "Limits for one statement, one result and one user. off means no limit.",
    },
    PolicyKey {
        path: "limits.statement_bytes",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 16_777_216), SIZE]),
        absent: Some("1MiB"),
        doc: "The length of the longest statement that is accepted: 1MB, 64KiB, or a number of \
              bytes. Units are B, kB, MB, GB, TB, KiB, MiB, GiB and TiB, powers of 1024 all.",
    },
    PolicyKey {
        path: "limits.nesting",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_000), OFF]),
        absent: Some("off"),
        doc: "How deep queries may be nested: 1 is a query without a subquery.",
    },
    PolicyKey {
        path: "limits.result_rows",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "The most rows of one result.",
    },
    PolicyKey {
        path: "limits.result_bytes",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_125_899_906_842_624), SIZE, OFF]),
        absent: Some("off"),
        doc: "The most bytes of rows of one result, as sent: 100MB, 64KiB, or a number of bytes.",
    },
    PolicyKey {
        path: "limits.on_limit",
        form: SchemaForm::OneOf(&["error", "truncate"]),
        absent: Some("error"),
        doc: "What happens when a result reaches its limit: error, which is 54000 after the last \
              row, or truncate, which ends the result and says so in a NOTICE.",
    },
    PolicyKey {
        path: "limits.default_limit",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "The LIMIT that a SELECT without LIMIT gets; a NOTICE says when it was reached. This \
              is a repair, so repair.mode has to be observe or apply.",
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
        doc: "How long a cached plan of statements with one fingerprint is used, 1s to 1d, with a \
              unit.",
    },
    PolicyKey {
        path: "limits.concurrency_per_user",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 100_000), OFF]),
        absent: Some("off"),
        doc: "The most statements of one user at a time.",
    },
    PolicyKey {
        path: "limits.statements_per_second",
        form: SchemaForm::Either(&[SchemaForm::Decimal(0.001, 1e15), OFF]),
        absent: Some("off"),
        doc: "The most statements of one user in a second, on average; a burst may be ten times as \
              many.",
    },
    PolicyKey {
        path: "limits.statements_per_day",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "The most statements of one user in 24 hours.",
    },
    PolicyKey {
        path: "limits.rows_per_day",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "The most rows that one user may receive in a day, from midnight to midnight, UTC.",
    },
    PolicyKey {
        path: "limits.bytes_per_day",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 1_125_899_906_842_624), SIZE, OFF]),
        absent: Some("off"),
        doc: "The most bytes of rows, as sent, that one user may receive in a day, from midnight \
              to midnight, UTC: 100MB, 64KiB, or a number of bytes.",
    },
    PolicyKey {
        path: "limits.connections_per_user",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 100_000), OFF]),
        absent: Some("off"),
        doc: "The most connections of one user at a time.",
    },
    PolicyKey {
        path: "limits.idle_time",
        form: SchemaForm::Either(&[DURATION, OFF]),
        absent: Some("off"),
        doc: "How long a session may be idle before it is ended, 1s to 24d, with a unit.",
    },
];
