//! The keys about repairs: `repair`.

use super::PolicyKey;
use super::forms::{MapNames, OFF, SchemaForm, TEXT, dialects, recoverers};

pub(super) const KEYS: &[PolicyKey] = &[
    PolicyKey {
        path: "repair",
        form: SchemaForm::Section,
        absent: Some("nothing is repaired"),
        doc: "Repairs of reads that fail for a reason with one right answer.",
    },
    PolicyKey {
        path: "repair.mode",
        form: SchemaForm::OneOf(&["off", "observe", "apply"]),
        absent: Some("off"),
        doc: "off: no repairs. observe: repairs are found and counted, but no answer changes. \
              apply: the repaired statement runs, and a NOTICE says so.",
    },
    PolicyKey {
        path: "repair.likely",
        form: SchemaForm::OneOf(&["hint", "apply"]),
        absent: Some("hint"),
        doc: "Repairs that passed all thresholds but are not certain: hint puts them into the \
              error's HINT, apply runs them.",
    },
    PolicyKey {
        path: "repair.max_attempts",
        form: SchemaForm::Whole(1, 10),
        absent: Some("3"),
        doc: "The most changed texts that are tried for one statement.",
    },
    PolicyKey {
        path: "repair.recoverers",
        form: SchemaForm::Each(
            MapNames::Known(recoverers),
            &SchemaForm::OneOf(&["off", "observe", "apply"]),
        ),
        absent: Some("as mode says"),
        doc: "Modes of single recoverers, if they should do less than repair.mode.",
    },
    PolicyKey {
        path: "repair.gates",
        form: SchemaForm::Section,
        absent: Some("the defaults of each"),
        doc: "Thresholds for replacing a name. Scores are from 0 to 1.",
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
        doc: "The best candidate's score is higher than the second's by at least this.",
    },
    PolicyKey {
        path: "repair.gates.separation_min",
        form: SchemaForm::Decimal(0.0, 1.0),
        absent: Some("0.10"),
        doc: "Or: the best candidate's score is higher by at least this.",
    },
    PolicyKey {
        path: "repair.gates.separation_ratio_min",
        form: SchemaForm::Decimal(1.0, 100.0),
        absent: Some("1.15"),
        doc: "Or: the best candidate's score is at least this many times the second's.",
    },
    PolicyKey {
        path: "repair.gates.columns_max",
        form: SchemaForm::Whole(1, 1_000),
        absent: Some("60"),
        doc: "The most columns of one table that are compared.",
    },
    PolicyKey {
        path: "repair.gates.tables_max",
        form: SchemaForm::Whole(1, 1_000),
        absent: Some("4"),
        doc: "The most tables that are compared.",
    },
    PolicyKey {
        path: "repair.risk_pairs",
        form: SchemaForm::Many(&SchemaForm::Text(Some("^[^/ ]+/[^/ ]+$"))),
        absent: Some("none but those that are built in"),
        doc: "Pairs of words that are never exchanged for each other, as gross/net.",
    },
    PolicyKey {
        path: "repair.dialect",
        form: SchemaForm::Known(dialects),
        absent: Some("auto"),
        doc: "The dialect of texts that are not Postgres's: auto recognizes a dialect by syntax \
              that only it has.",
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
        doc: "The former name of limits.default_limit.",
    },
];
