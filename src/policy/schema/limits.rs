//! The keys about how much a policy gives: `limits`.

use super::Key;
use super::forms::{DURATION, Form, OFF, SIZE};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "limits",
        form: Form::Section,
        absent: Some("what each of its keys means then"),
        doc: "How much the policy gives: of one statement, of one result, to one user. off \
              is no bound.",
    },
    Key {
        path: "limits.statement_bytes",
        form: Form::Either(&[Form::Whole(1, 16_777_216), SIZE]),
        absent: Some("1MiB"),
        doc: "The longest statement that is judged at all: 1MB, 64KiB, or a number of bytes. Units \
              are B, kB, MB, GB, TB, KiB, MiB, GiB and TiB, powers of 1024 all.",
    },
    Key {
        path: "limits.nesting",
        form: Form::Either(&[Form::Whole(1, 1_000), OFF]),
        absent: Some("off"),
        doc: "How deep queries may stand in each other: 1 is a query without a subquery.",
    },
    Key {
        path: "limits.result_rows",
        form: Form::Either(&[Form::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "Rows of one result.",
    },
    Key {
        path: "limits.result_bytes",
        form: Form::Either(&[Form::Whole(1, 1_125_899_906_842_624), SIZE, OFF]),
        absent: Some("off"),
        doc: "Bytes of the rows of one result, as they are sent: 100MB, 64KiB, or a number of \
              bytes.",
    },
    Key {
        path: "limits.on_limit",
        form: Form::OneOf(&["error", "truncate"]),
        absent: Some("error"),
        doc: "What happens at the boundary of a result: error 54000 after the last row, or \
              truncate, which ends the result and says so in a NOTICE.",
    },
    Key {
        path: "limits.default_limit",
        form: Form::Either(&[Form::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "A SELECT without LIMIT gets this one, and a NOTICE says when it was reached. \
              It is a repair: repair.mode has to be observe or apply.",
    },
    Key {
        path: "limits.max_plan_cost",
        form: Form::Either(&[Form::Decimal(1.0, 1e15), OFF]),
        absent: Some("off"),
        doc: "The highest cost of a plan that is run, in the planner's units. The plan is \
              asked for before the statement runs.",
    },
    Key {
        path: "limits.max_plan_rows",
        form: Form::Either(&[Form::Decimal(1.0, 1e15), OFF]),
        absent: Some("off"),
        doc: "The most rows that a plan may be expected to return.",
    },
    Key {
        path: "limits.plan_age_max",
        form: DURATION,
        absent: Some("60s"),
        doc: "How long the plan of a kind of statement is believed, 1s to 1d, with its unit.",
    },
    Key {
        path: "limits.concurrency_per_user",
        form: Form::Either(&[Form::Whole(1, 100_000), OFF]),
        absent: Some("off"),
        doc: "Statements of one user at a time.",
    },
    Key {
        path: "limits.statements_per_second",
        form: Form::Either(&[Form::Decimal(0.001, 1e15), OFF]),
        absent: Some("off"),
        doc: "Statements of one user in a second, on average; ten seconds' worth may come at \
              once.",
    },
    Key {
        path: "limits.statements_per_day",
        form: Form::Either(&[Form::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "Statements of one user in 24 hours.",
    },
    Key {
        path: "limits.rows_per_day",
        form: Form::Either(&[Form::Whole(1, 1_000_000_000_000), OFF]),
        absent: Some("off"),
        doc: "Rows that one user may receive in a day, from midnight to midnight, UTC.",
    },
    Key {
        path: "limits.bytes_per_day",
        form: Form::Either(&[Form::Whole(1, 1_125_899_906_842_624), SIZE, OFF]),
        absent: Some("off"),
        doc: "Bytes of rows, as they are sent, that one user may receive in a day, from midnight \
              to midnight, UTC: 100MB, 64KiB, or a number of bytes.",
    },
    Key {
        path: "limits.connections_per_user",
        form: Form::Either(&[Form::Whole(1, 100_000), OFF]),
        absent: Some("off"),
        doc: "Connections of one user at a time.",
    },
    Key {
        path: "limits.idle_time",
        form: Form::Either(&[DURATION, OFF]),
        absent: Some("off"),
        doc: "How long a session may do nothing before it is ended, 1s to 24d, with its unit.",
    },
];
