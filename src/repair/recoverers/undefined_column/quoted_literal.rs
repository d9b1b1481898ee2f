//! A text in double quotes, as MySQL and SQLite let it be written, where Postgres reads a name.

use crate::Confidence;
use crate::names::context::{MissingColumn, NameRepairContext, VisibleItem};
use crate::names::name_repair::NameFix;
use crate::names::reference_position::{ExpressionRole, ReferenceClause};
use crate::names::similarity::{Similarity, SimilarityKind};
use catalog::RelationId;
use ground::limits::NAMES_RELATIONS_MAX;
use sql::tree::{self, Node, list};

/// How sure it is that a value stands here and not a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QuotedReading {
    /// Nothing else makes sense.
    Value,
    /// A value, unless the name is one that was made up.
    Maybe,
    /// A name.
    Name,
}

/// A name in double quotes that can only be a value becomes one.
pub(crate) fn repair(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> Option<NameFix> {
    let content = name_context.in_quotes(missing)?;
    let reading = reading(name_context, missing, &content);
    if reading == QuotedReading::Name {
        return None;
    }
    if let Some(column) = like_a_column(name_context, &content, reading, all) {
        return Some(NameFix::advised(format!(
            "{} names no column here: a text is written in single quotes, and the nearest column \
             is {column}.",
            name_context.text(missing.parts.first()?),
        )));
    }
    let folded = content.to_lowercase();
    let form = |of, place| reading == QuotedReading::Value && is_format_argument(of, place);
    let is_form =
        matches!(missing.place.role, ExpressionRole::Argument { of, place, .. } if form(of, place));
    let elsewhere = !is_form && name_context.is_any_column(|name| name.to_lowercase() == folded);
    let confidence = match (reading, missing.place.clause) {
        (QuotedReading::Value, _) if elsewhere => Confidence::Likely,
        (QuotedReading::Value, ReferenceClause::On(_)) if has_letters(&content) => {
            Confidence::Likely
        }
        (QuotedReading::Value, _) => Confidence::Exact,
        (QuotedReading::Maybe | QuotedReading::Name, _) if elsewhere => return None,
        (QuotedReading::Maybe | QuotedReading::Name, _) => Confidence::Likely,
    };
    let right = format!("'{}'", content.replace('\'', "''"));
    let span = missing.parts.first()?.clone();
    let change = format!(
        "{} is a text, not a name: {right}",
        name_context.text(&span)
    );
    Some(NameFix::text(confidence, span, right, change))
}

/// Whether a value makes sense at the place of a name in quotes.
pub(crate) fn is_value(name_context: &NameRepairContext<'_>, missing: &MissingColumn<'_>) -> bool {
    let content = name_context.in_quotes(missing);
    content.is_some_and(|content| reading(name_context, missing, &content) != QuotedReading::Name)
}

fn reading(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    content: &str,
) -> QuotedReading {
    let is_known = |node| is_known_value(name_context, node);
    match missing.place.role {
        ExpressionRole::Compared { other, .. } if is_known(other) => QuotedReading::Value,
        ExpressionRole::Listed { sought } if is_known(sought) => QuotedReading::Value,
        ExpressionRole::Branch | ExpressionRole::Tested | ExpressionRole::Element => {
            QuotedReading::Value
        }
        // No column is called by a number.
        ExpressionRole::Compared { .. } if is_number(content) => QuotedReading::Value,
        ExpressionRole::Cast if !has_letters(content) => QuotedReading::Value,
        ExpressionRole::Joined { .. } if !has_letters(content) => QuotedReading::Value,
        ExpressionRole::Joined { other } if is_known(other) && content.contains(' ') => {
            QuotedReading::Maybe
        }
        ExpressionRole::Argument { of, place, .. } if is_format_argument(of, place) => {
            QuotedReading::Value
        }
        ExpressionRole::Argument { all, place, .. } if has_known(name_context, all, place) => {
            match () {
                () if !has_letters(content) || is_pattern(content) => QuotedReading::Value,
                () if place == 0 => QuotedReading::Name,
                () => QuotedReading::Maybe,
            }
        }
        ExpressionRole::Compared { .. }
        | ExpressionRole::Listed { .. }
        | ExpressionRole::Cast
        | ExpressionRole::Joined { .. }
        | ExpressionRole::Argument { .. }
        | ExpressionRole::Whole
        | ExpressionRole::Test
        | ExpressionRole::Part => QuotedReading::Name,
    }
}

/// Whether an argument of a function is a format, a field or a separator.
fn is_format_argument(of: &str, place: usize) -> bool {
    let mut forms = FORMS.iter();
    forms.any(|(name, own)| of.eq_ignore_ascii_case(name) && *own == place)
}

fn has_known(name_context: &NameRepairContext<'_>, all: &list::NodeList, place: usize) -> bool {
    let others = all.iter().enumerate().filter(|(own, _)| *own != place);
    others
        .into_iter()
        .any(|(_, node)| is_known_value(name_context, node))
}

/// Whether an expression has a column in it, or a sub-select: beside a constant, or beside another
/// name in quotes that does not exist, a name in quotes is no value.
fn is_known_value(name_context: &NameRepairContext<'_>, node: Node<'_>) -> bool {
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        match node {
            Node::SubLink(_) => return true,
            Node::ColumnRef(reference) => {
                let at = usize::try_from(reference.location).ok();
                let is_missing = at.is_some_and(|at| name_context.is_missing(at));
                let text = at.and_then(|at| name_context.context.text.get(at..));
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
    name_context: &NameRepairContext<'_>,
    content: &str,
    reading: QuotedReading,
    all: &[VisibleItem<'_>],
) -> Option<String> {
    if content.contains('%') && reading == QuotedReading::Value {
        return None;
    }
    let is_near = |name: &str| {
        let likeness = Similarity::of(content, name, &[]);
        match reading {
            QuotedReading::Value => likeness.similarity_kind <= SimilarityKind::Separators,
            QuotedReading::Maybe | QuotedReading::Name => {
                likeness.similarity_kind <= SimilarityKind::Contained && likeness.score >= 0.8
            }
        }
    };
    for seen in all {
        for column in seen.item.columns.iter() {
            if name_context.may_show_column(column) && is_near(column.name.as_str()) {
                return Some(column.name.as_str().to_owned());
            }
        }
    }
    let catalog = name_context.catalog();
    let own = name_context.relations();
    let mut near: Vec<RelationId> = own.clone();
    near.extend(
        own.iter()
            .flat_map(|relation| name_context.neighbours(*relation)),
    );
    near.truncate(NAMES_RELATIONS_MAX);
    near.into_iter().find_map(|relation| {
        let columns = catalog.columns_of(relation).iter();
        let columns = columns.filter(|column| name_context.may_show_column_of(relation, column));
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
