//! The keys of `knowledge`.

use super::PolicyKey;
use super::access::{COLUMN, RELATION};
use super::forms::{FILLED, MapNames, SchemaForm};

pub(super) const KEYS: &[PolicyKey] = &[
    PolicyKey {
        path: "knowledge",
        form: SchemaForm::Either(&[SchemaForm::Section, SchemaForm::Many(&FILLED)]),
        absent: Some("nothing is known but the catalog"),
        doc: "What people know of the database and its catalog does not say, told in groundings \
              (pgsieve ground). It lets nothing through and hides nothing. Files with such \
              records, relative to this one, or a map of records.",
    },
    PolicyKey {
        path: "knowledge.files",
        form: SchemaForm::Many(&FILLED),
        absent: Some("none"),
        doc: "Files with records, next to those that stand here. Records here replace records of \
              the same kind and name in files, and those of a later file replace those of an \
              earlier one.",
    },
    PolicyKey {
        path: "knowledge.term",
        form: RECORDS,
        absent: Some("none"),
        doc: "Words of the business: each with what it means.",
    },
    PolicyKey {
        path: "knowledge.term.*.meaning",
        form: FILLED,
        absent: None,
        doc: "What the word means.",
    },
    about("knowledge.term.*.about"),
    users("knowledge.term.*.users"),
    PolicyKey {
        path: "knowledge.quirk",
        form: RECORDS,
        absent: Some("none"),
        doc: "What is odd about relations and columns.",
    },
    note("knowledge.quirk.*.note"),
    PolicyKey {
        path: "knowledge.quirk.*.about",
        form: ABOUT,
        absent: None,
        doc: "Patterns of the relations or columns that it is about.",
    },
    users("knowledge.quirk.*.users"),
    PolicyKey {
        path: "knowledge.correction",
        form: RECORDS,
        absent: Some("none"),
        doc: "What people write by mistake, each with what is right.",
    },
    PolicyKey {
        path: "knowledge.correction.*.wrong",
        form: FILLED,
        absent: None,
        doc: "What is wrong: a name, an expression, a join.",
    },
    PolicyKey {
        path: "knowledge.correction.*.right",
        form: FILLED,
        absent: None,
        doc: "What is right instead.",
    },
    about("knowledge.correction.*.about"),
    users("knowledge.correction.*.users"),
    PolicyKey {
        path: "knowledge.relationship",
        form: RECORDS,
        absent: Some("none"),
        doc: "Joins that the database does not declare as foreign keys.",
    },
    PolicyKey {
        path: "knowledge.relationship.*.from",
        form: COLUMNS,
        absent: None,
        doc: "The columns that point to another relation, as shop.orders(customer_no).",
    },
    PolicyKey {
        path: "knowledge.relationship.*.to",
        form: COLUMNS,
        absent: None,
        doc: "The columns that they point to, in the same order.",
    },
    PolicyKey {
        path: "knowledge.relationship.*.note",
        form: FILLED,
        absent: Some("nothing"),
        doc: "What else there is to say about the join.",
    },
    users("knowledge.relationship.*.users"),
    PolicyKey {
        path: "knowledge.metric",
        form: RECORDS,
        absent: Some("none"),
        doc: "Figures of the business: each with the one way in which it is computed. With as a \
              metric can be read like a relation, grouped by the dimensions that the statement \
              names; the SELECT that computes it is judged as if the client had written it.",
    },
    PolicyKey {
        path: "knowledge.metric.*.base",
        form: RELATION_NAME,
        absent: None,
        doc: "The relation or model whose rows it is computed of, with its schema.",
    },
    PolicyKey {
        path: "knowledge.metric.*.measure",
        form: FILLED,
        absent: None,
        doc: "The aggregate, an SQL expression over the columns of base: sum(total - refunded).",
    },
    PolicyKey {
        path: "knowledge.metric.*.dimensions",
        form: SchemaForm::Each(MapNames::Like("."), &FILLED),
        absent: Some("none"),
        doc: "What it may be grouped by: names, each with an SQL expression over the columns of \
              base.",
    },
    PolicyKey {
        path: "knowledge.metric.*.time",
        form: FILLED,
        absent: Some("no column"),
        doc: "The column of base that says when a row happened.",
    },
    PolicyKey {
        path: "knowledge.metric.*.grain",
        form: SchemaForm::Either(&[GRAIN, SchemaForm::Many(&GRAIN)]),
        absent: Some("none"),
        doc: "Parts of time, each of which is a dimension of that name: date_trunc of it and of \
              the column time.",
    },
    PolicyKey {
        path: "knowledge.metric.*.filters",
        form: SchemaForm::Either(&[FILLED, SchemaForm::Many(&FILLED)]),
        absent: Some("every row counts"),
        doc: "Conditions, as in WHERE, that rows of base have to meet to count.",
    },
    PolicyKey {
        path: "knowledge.metric.*.as",
        form: RELATION_NAME,
        absent: Some("it cannot be read"),
        doc: "The name, with its schema, under which it can be read: that of no relation and no \
              model. The column with the figure has the same name without the schema.",
    },
    PolicyKey {
        path: "knowledge.metric.*.note",
        form: FILLED,
        absent: Some("nothing"),
        doc: "What else there is to say about it.",
    },
    users("knowledge.metric.*.users"),
    PolicyKey {
        path: "knowledge.example",
        form: RECORDS,
        absent: Some("none"),
        doc: "Questions, each with a SELECT that answers it. The gate judges the SELECT when the \
              policy is loaded; one that is refused is a mistake in the policy.",
    },
    PolicyKey {
        path: "knowledge.example.*.question",
        form: FILLED,
        absent: None,
        doc: "The question.",
    },
    PolicyKey {
        path: "knowledge.example.*.sql",
        form: FILLED,
        absent: None,
        doc: "The SELECT.",
    },
    about("knowledge.example.*.about"),
    users("knowledge.example.*.users"),
    PolicyKey {
        path: "knowledge.clarify",
        form: RECORDS,
        absent: Some("none"),
        doc: "What has to be asked of a person where a question leaves something open.",
    },
    PolicyKey {
        path: "knowledge.clarify.*.when",
        form: FILLED,
        absent: None,
        doc: "What the question leaves open.",
    },
    PolicyKey {
        path: "knowledge.clarify.*.ask",
        form: FILLED,
        absent: None,
        doc: "What to ask.",
    },
    about("knowledge.clarify.*.about"),
    users("knowledge.clarify.*.users"),
    PolicyKey {
        path: "knowledge.style",
        form: RECORDS,
        absent: Some("none"),
        doc: "How statements are to be written.",
    },
    note("knowledge.style.*.note"),
    about("knowledge.style.*.about"),
    users("knowledge.style.*.users"),
];

/// Records by name.
const RECORDS: SchemaForm = SchemaForm::Each(MapNames::Like(r"\S"), &SchemaForm::Section);

/// A pattern of relations or columns, or some.
const ABOUT: SchemaForm = SchemaForm::Either(&[PATTERN, SchemaForm::Many(&PATTERN)]);
const PATTERN: SchemaForm = SchemaForm::Either(&[RELATION, COLUMN]);

/// A user name, or some.
const USERS: SchemaForm = SchemaForm::Either(&[FILLED, SchemaForm::Many(&FILLED)]);

/// One relation, with its schema.
const RELATION_NAME: SchemaForm = SchemaForm::Text(Some(r"^\s*\S.*\.\S.*$"));

/// A part of time.
const GRAIN: SchemaForm = SchemaForm::Known(grains);

fn grains() -> Vec<&'static str> {
    let all = super::super::metric::MetricGrain::ALL.iter();
    all.map(|grain| grain.name()).collect()
}

/// Columns of one relation.
const COLUMNS: SchemaForm = SchemaForm::Text(Some(r"^\s*\S.*\.\S.*\(.*\S.*\)\s*$"));

const fn note(path: &'static str) -> PolicyKey {
    PolicyKey {
        path,
        form: FILLED,
        absent: None,
        doc: "What there is to say, in words.",
    }
}

const fn about(path: &'static str) -> PolicyKey {
    PolicyKey {
        path,
        form: ABOUT,
        absent: Some("the database as a whole"),
        doc: "Patterns of the relations or columns that it is about. Who may not read one of them \
              is not told.",
    }
}

const fn users(path: &'static str) -> PolicyKey {
    PolicyKey {
        path,
        form: USERS,
        absent: Some("everybody"),
        doc: "User names that are told; `*` stands for any letters.",
    }
}
