//! A text in double quotes, as MySQL and SQLite let it be written, where Postgres reads a name.

use crate::catalog::RelationId;
use crate::limits::NAMES_RELATIONS_MAX;
use crate::repair::Confidence;
use crate::repair::names::context::{Ground, Missing, Seen};
use crate::repair::names::name_repair::Fix;
use crate::repair::names::reference_scopes::{Clause, Role};
use crate::repair::names::similarity::{Kinship, Likeness};
use crate::sql::tree::{self, Node, list};

/// How sure it is that a value stands here and not a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Nothing else makes sense.
    Value,
    /// A value, unless the name is one that was made up.
    Maybe,
    /// A name.
    Name,
}

/// A name in double quotes that can only be a value becomes one.
pub(in crate::repair) fn mend(
    ground: &Ground<'_>,
    missing: &Missing<'_>,
    all: &[Seen<'_>],
) -> Option<Fix> {
    let content = ground.in_quotes(missing)?;
    let reading = reading(ground, missing, &content);
    if reading == Reading::Name {
        return None;
    }
    if let Some(column) = like_a_column(ground, &content, reading, all) {
        return Some(Fix::told(format!(
            "{} names no column here: a text is written in single quotes, and the nearest column \
             is {column}.",
            ground.text(missing.parts.first()?),
        )));
    }
    let folded = content.to_lowercase();
    let form = |of, place| reading == Reading::Value && is_form(of, place);
    let is_form = matches!(missing.place.role, Role::Argument { of, place, .. } if form(of, place));
    let elsewhere = !is_form && ground.is_a_column(|name| name.to_lowercase() == folded);
    let confidence = match (reading, missing.place.clause) {
        (Reading::Value, _) if elsewhere => Confidence::Likely,
        (Reading::Value, Clause::On(_)) if has_letters(&content) => Confidence::Likely,
        (Reading::Value, _) => Confidence::Exact,
        (Reading::Maybe | Reading::Name, _) if elsewhere => return None,
        (Reading::Maybe | Reading::Name, _) => Confidence::Likely,
    };
    let right = format!("'{}'", content.replace('\'', "''"));
    let span = missing.parts.first()?.clone();
    let change = format!("{} is a text, not a name: {right}", ground.text(&span));
    Some(Fix::text(confidence, span, right, change))
}

/// Whether a value makes sense at the place of a name in quotes.
pub(in crate::repair) fn is_value(ground: &Ground<'_>, missing: &Missing<'_>) -> bool {
    let content = ground.in_quotes(missing);
    content.is_some_and(|content| reading(ground, missing, &content) != Reading::Name)
}

fn reading(ground: &Ground<'_>, missing: &Missing<'_>, content: &str) -> Reading {
    let is_known = |node| is_known_value(ground, node);
    match missing.place.role {
        Role::Compared { other, .. } if is_known(other) => Reading::Value,
        Role::Listed { sought } if is_known(sought) => Reading::Value,
        Role::Branch | Role::Tested | Role::Element => Reading::Value,
        // No column is called by a number.
        Role::Compared { .. } if is_number(content) => Reading::Value,
        Role::Cast if !has_letters(content) => Reading::Value,
        Role::Joined { .. } if !has_letters(content) => Reading::Value,
        Role::Joined { other } if is_known(other) && content.contains(' ') => Reading::Maybe,
        Role::Argument { of, place, .. } if is_form(of, place) => Reading::Value,
        Role::Argument { all, place, .. } if has_known(ground, all, place) => match () {
            () if !has_letters(content) || is_pattern(content) => Reading::Value,
            () if place == 0 => Reading::Name,
            () => Reading::Maybe,
        },
        Role::Compared { .. }
        | Role::Listed { .. }
        | Role::Cast
        | Role::Joined { .. }
        | Role::Argument { .. }
        | Role::Whole
        | Role::Test
        | Role::Part => Reading::Name,
    }
}

/// Whether an argument of a function is a format, a field or a separator.
fn is_form(of: &str, place: usize) -> bool {
    let mut forms = FORMS.iter();
    forms.any(|(name, own)| of.eq_ignore_ascii_case(name) && *own == place)
}

fn has_known(ground: &Ground<'_>, all: &list::NodeList, place: usize) -> bool {
    let others = all.iter().enumerate().filter(|(own, _)| *own != place);
    others
        .into_iter()
        .any(|(_, node)| is_known_value(ground, node))
}

/// Whether an expression has a column in it, or a sub-select: beside a constant, or beside another
/// name in quotes that does not exist, a name in quotes is no value.
fn is_known_value(ground: &Ground<'_>, node: Node<'_>) -> bool {
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        match node {
            Node::SubLink(_) => return true,
            Node::ColumnRef(reference) => {
                let at = usize::try_from(reference.location).ok();
                let is_missing = at.is_some_and(|at| ground.is_missing(at));
                let text = at.and_then(|at| ground.scene.text.get(at..));
                if !is_missing || text.is_some_and(|text| !text.starts_with('"')) {
                    return true;
                }
            }
            other => {
                if tree::children(other, &mut waiting).is_err() {
                    return false;
                }
            }
        }
    }
    false
}

/// A column that the text may have meant after all.
fn like_a_column(
    ground: &Ground<'_>,
    content: &str,
    reading: Reading,
    all: &[Seen<'_>],
) -> Option<String> {
    if content.contains('%') && reading == Reading::Value {
        return None;
    }
    let is_near = |name: &str| {
        let likeness = Likeness::of(content, name, &[]);
        match reading {
            Reading::Value => likeness.kinship <= Kinship::Joints,
            Reading::Maybe | Reading::Name => {
                likeness.kinship <= Kinship::Contained && likeness.score >= 0.8
            }
        }
    };
    for seen in all {
        for column in seen.item.columns.iter() {
            if is_near(column.name.as_str()) {
                return Some(column.name.as_str().to_owned());
            }
        }
    }
    let catalog = ground.catalog();
    let own = ground.relations();
    let mut near: Vec<RelationId> = own.clone();
    near.extend(own.iter().flat_map(|relation| ground.neighbours(*relation)));
    near.truncate(NAMES_RELATIONS_MAX);
    near.into_iter().find_map(|relation| {
        let columns = catalog.columns_of(relation).iter();
        let columns = columns.filter(|column| ground.reads(relation, column));
        let mut names = columns.map(|column| catalog.names().text(column.name));
        let found = names.find(|name| is_near(name))?;
        Some(format!("{found} of {}", catalog.relation_name(relation)))
    })
}

/// `%Y-%m`: what only a format or a pattern has.
fn is_pattern(content: &str) -> bool {
    content.starts_with('%')
}

fn is_number(content: &str) -> bool {
    content.parse::<f64>().is_ok() && !has_letters(content)
}

fn has_letters(content: &str) -> bool {
    content.chars().any(char::is_alphabetic)
}

/// Arguments that say how, and are hardly ever kept in a column: the function and the place.
const FORMS: &[(&str, usize)] = &[
    ("array_to_string", 1),
    ("concat_ws", 0),
    ("date_format", 1),
    ("date_part", 0),
    ("date_trunc", 0),
    ("group_concat", 1),
    ("regexp_replace", 3),
    ("split_part", 1),
    ("strftime", 0),
    ("string_agg", 1),
    ("string_to_array", 1),
    ("to_char", 1),
    ("to_date", 1),
    ("to_number", 1),
    ("to_timestamp", 1),
];
