//! How values are written, and what that is in a JSON Schema.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::{Dialect, PolicyRule, Recoverer};
use super::{object, section};
use ground::rule::Rule;
use ground::statement_kind::StatementKind;

/// How a value is written.
#[derive(Clone, Copy)]
pub(super) enum SchemaForm {
    /// A map with the keys of its path.
    Section,
    /// A map from names of this kind.
    Each(MapNames, &'static Self),
    /// A list.
    Many(&'static Self),
    /// One of several forms.
    Either(&'static [Self]),
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// One of the words that a part of the program knows.
    Known(fn() -> Vec<&'static str>),
    /// A text of this form, or any.
    Text(Option<&'static str>),
    /// YAML's null.
    Nothing,
    /// A text, or a number or truth value that is taken as one.
    Scalar,
    /// true or false.
    Truth,
    /// A whole number.
    Whole(u64, u64),
    /// A whole number of either sign.
    Integer,
    /// A number.
    Decimal(f64, f64),
}

/// What names a map is from.
#[derive(Clone, Copy)]
pub(super) enum MapNames {
    /// Those that match.
    Like(&'static str),
    /// These.
    Known(fn() -> Vec<&'static str>),
    /// Any.
    Any,
}

impl SchemaForm {
    /// The schema of the value at a path.
    pub(super) fn schema(self, path: &str) -> BTreeMap<String, Value> {
        let below = format!("{path}.*");
        match self {
            Self::Section => match section(path) {
                Value::Object(members) => members.into_iter().collect(),
                _ => BTreeMap::new(),
            },
            Self::Each(names, form) => {
                let form = object(form.schema(&below));
                let names = match names {
                    MapNames::Like(pattern) => json!({ "pattern": pattern }),
                    MapNames::Known(names) => json!({ "enum": names() }),
                    MapNames::Any => json!({}),
                };
                members([
                    ("additionalProperties", form),
                    ("propertyNames", names),
                    ("type", json!("object")),
                ])
            }
            Self::Many(form) => {
                let form = object(form.schema(&below));
                members([("items", form), ("type", json!("array"))])
            }
            Self::Either(forms) => {
                let forms = forms.iter().map(|form| object(form.schema(path)));
                members([("anyOf", forms.collect())])
            }
            Self::OneOf(words) => members([("enum", json!(words))]),
            Self::Known(words) => members([("enum", json!(words()))]),
            Self::Text(None) => members([("type", json!("string"))]),
            Self::Text(Some(pattern)) => {
                members([("pattern", json!(pattern)), ("type", json!("string"))])
            }
            Self::Nothing => members([("type", json!("null"))]),
            Self::Scalar => members([("type", json!(["string", "number", "boolean"]))]),
            Self::Truth => members([("type", json!("boolean"))]),
            Self::Integer => members([("type", json!("integer"))]),
            Self::Whole(least, most) => members([
                ("maximum", json!(most)),
                ("minimum", json!(least)),
                ("type", json!("integer")),
            ]),
            Self::Decimal(least, most) => members([
                ("maximum", json!(most)),
                ("minimum", json!(least)),
                ("type", json!("number")),
            ]),
        }
    }
}

/// The rules of a policy.
pub(super) fn rules() -> Vec<&'static str> {
    PolicyRule::ALL.iter().map(|rule| rule.name()).collect()
}

/// Every rule that a test can expect.
pub(super) fn all_rules() -> Vec<&'static str> {
    Rule::names().collect()
}

/// The recoverers.
pub(super) fn recoverers() -> Vec<&'static str> {
    Recoverer::ALL.iter().map(|one| one.name()).collect()
}

/// What `repair.dialect` can be.
pub(super) fn dialects() -> Vec<&'static str> {
    let mut all = vec!["auto", "off"];
    all.extend(Dialect::ALL.iter().map(|one| one.name()));
    all
}

/// Kinds of statements that can be allowed.
pub(super) fn passable() -> Vec<&'static str> {
    let all = StatementKind::ALL.iter().filter(|kind| kind.can_run());
    all.map(|kind| kind.name()).collect()
}

/// Kinds of statements that can be denied.
pub(super) fn deniable() -> Vec<&'static str> {
    let all = StatementKind::ALL.iter();
    let refused = all.filter(|kind| kind.is_one_statement() && !kind.can_run());
    let mut deniable = passable();
    deniable.extend(refused.map(|kind| kind.name()));
    deniable
}

/// Any text.
pub(super) const TEXT: SchemaForm = SchemaForm::Text(None);

/// A text that is not empty.
pub(super) const FILLED: SchemaForm = SchemaForm::Text(Some(r"\S"));

/// A list of texts.
pub(super) const TEXTS: SchemaForm = SchemaForm::Many(&TEXT);

/// A duration with its unit; 0 needs none.
pub(super) const DURATION: SchemaForm = SchemaForm::Either(&[
    SchemaForm::Text(Some(
        r"^\s*((0|[1-9][0-9]*)(\.[0-9]+)?\s*(us|ms|s|min|h|d)|0)\s*$",
    )),
    SchemaForm::Whole(0, 0),
]);

/// A size with its unit.
pub(super) const SIZE: SchemaForm = SchemaForm::Text(Some(
    r"^\s*(0|[1-9][0-9]*)(\.[0-9]+)?\s*([kMGT]?B|[KMGT]iB)\s*$",
));

/// No bound.
pub(super) const OFF: SchemaForm = SchemaForm::OneOf(&["off"]);

fn members<const N: usize>(members: [(&str, Value); N]) -> BTreeMap<String, Value> {
    let members = members.into_iter();
    members
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
