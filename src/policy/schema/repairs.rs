//! The keys about repairs: `repair`.

use super::PolicyKey;
use super::forms::{MapNames, OFF, SchemaForm, TEXT, dialects, recoverers};

pub(super) const KEYS: &[PolicyKey] = &[
    PolicyKey {
        path: "repair",
        form: SchemaForm::Section,
        absent: Some("nothing is repaired"),
        doc: "Reads that fail for a reason with one right answer.",
    },
    PolicyKey {
        path: "repair.mode",
        form: SchemaForm::OneOf(&["off", "observe", "apply"]),
        absent: Some("off"),
        doc: "off: nothing is looked for. observe: everything is computed and counted, and \
              no answer changes. apply: the repaired statement runs, and a NOTICE says so.",
    },
    PolicyKey {
        path: "repair.likely",
        form: SchemaForm::OneOf(&["hint", "apply"]),
        absent: Some("hint"),
        doc: "Repairs that passed all gates and are still not certain: hint puts them into \
              the error's HINT, apply runs them.",
    },
    PolicyKey {
        path: "repair.max_attempts",
        form: SchemaForm::Whole(1, 10),
        absent: Some("3"),
        doc: "Changed texts that are tried for one statement.",
    },
    PolicyKey {
        path: "repair.recoverers",
        form: SchemaForm::Each(
            MapNames::Known(recoverers),
            &SchemaForm::OneOf(&["off", "observe", "apply"]),
        ),
        absent: Some("as mode says"),
        doc: "Modes of single recoverers, where they are to be narrower than the one above.",
    },
    PolicyKey {
        path: "repair.gates",
        form: SchemaForm::Section,
        absent: Some("the defaults of each"),
        doc: "When a rewritten name is likely enough. Scores are from 0 to 1.",
    },
    PolicyKey {
        path: "repair.gates.score_min",
        form: SchemaForm::Decimal(0.0, 1.0),
        absent: Some("0.80"),
        doc: "The best candidate's score is at least this.",
    },
    PolicyKey {
        path: "repair.gates.dominance_min",
        form: SchemaForm::Decimal(0.0, 1.0),
        absent: Some("0.60"),
        doc: "The best candidate is ahead of the second by at least this.",
    },
    PolicyKey {
        path: "repair.gates.separation_min",
        form: SchemaForm::Decimal(0.0, 1.0),
        absent: Some("0.10"),
        doc: "Or: the best candidate is ahead by at least this.",
    },
    PolicyKey {
        path: "repair.gates.separation_ratio_min",
        form: SchemaForm::Decimal(1.0, 100.0),
        absent: Some("1.15"),
        doc: "Or: the best candidate is this many times the second.",
    },
    PolicyKey {
        path: "repair.gates.columns_max",
        form: SchemaForm::Whole(1, 1_000),
        absent: Some("60"),
        doc: "Columns of one table that are looked at.",
    },
    PolicyKey {
        path: "repair.gates.tables_max",
        form: SchemaForm::Whole(1, 1_000),
        absent: Some("4"),
        doc: "Tables that are looked at.",
    },
    PolicyKey {
        path: "repair.risk_pairs",
        form: SchemaForm::Many(&SchemaForm::Text(Some("^[^/ ]+/[^/ ]+$"))),
        absent: Some("none but those that are built in"),
        doc: "Words that are never exchanged for each other, as gross/net.",
    },
    PolicyKey {
        path: "repair.dialect",
        form: SchemaForm::Known(dialects),
        absent: Some("auto"),
        doc: "The dialect of texts that Postgres does not read: auto tells it by what only \
              one has.",
    },
    PolicyKey {
        path: "repair.datasets",
        form: SchemaForm::Each(MapNames::Any, &TEXT),
        absent: Some("none"),
        doc: "The schemas that stand for datasets of BigQuery, as project.dataset or \
              dataset.",
    },
    PolicyKey {
        path: "repair.default_limit",
        form: SchemaForm::Either(&[SchemaForm::Whole(1, 9_007_199_254_740_991), OFF]),
        absent: Some("limits.default_limit"),
        doc: "The same as limits.default_limit, from before there was that one.",
    },
];
