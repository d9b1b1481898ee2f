//! Texts that the source dialect takes for one, and Postgres for several, where they are grouped,
//! made distinct or counted: `a` and `A` under a collation that does not tell cases apart.
//!
//! They are grouped by their small letters, and one of each group is shown, as the source shows
//! any one of them.

use sqlparser::ast::{Expr, GroupByExpr, SelectItem, SetOperator};

use super::Translator;
use super::name;
use super::scope::{KnownColumns, OutputColumn, TranslationScope};
use super::translated::Translated;
use super::untranslatable::TranslateResult;
use crate::source::CaseSensitivity;
use crate::sql_type::SqlType;

/// Whether texts of this value are taken for one that Postgres tells apart.
pub fn folds(translator: &Translator<'_>, value: &Translated) -> bool {
    // Whatever to_char() writes differs by more than the case of its letters, if it does.
    let in_one_case = value.is_primary && ONE_CASE.iter().any(|call| value.text.starts_with(call));
    folds_texts(translator)
        && value.kind == SqlType::Text
        && !value.case_sensitive
        && !value.apart_in_small
        && !value.is_literal()
        && !in_one_case
}

fn folds_texts(translator: &Translator<'_>) -> bool {
    translator.source.semantics().equality == CaseSensitivity::Insensitive
}

fn folds_column(translator: &Translator<'_>, column: &OutputColumn) -> bool {
    folds_texts(translator) && column.kind == SqlType::Text && !column.case_sensitive
}

/// What a value is told apart by.
pub fn folded(translator: &Translator<'_>, value: &Translated) -> String {
    match folds(translator, value) {
        true => format!("lower({})", value.text),
        false => value.text.clone(),
    }
}

/// Looks for texts among what a query is grouped by, before its select list is written.
pub fn find_folded_keys(
    translator: &mut Translator<'_>,
    group_by: &GroupByExpr,
    projection: &[SelectItem],
) -> TranslateResult<()> {
    let GroupByExpr::Expressions(expressions, modifiers) = group_by else {
        return Ok(());
    };
    if !folds_texts(translator) {
        return Ok(());
    }
    let mut keys = Vec::new();
    for (place, expr) in expressions.iter().enumerate() {
        let Some(expr) = grouped_expression(translator, expr, projection)? else {
            continue;
        };
        // What cannot be written is told of where it stands.
        if let Ok(key) = translator.value(expr)
            && folds(translator, &key)
        {
            keys.push((place, key.text));
        }
    }
    if let Some(level) = translator.current_scope() {
        level.folded.keys = keys;
        level.folded.has_totals = !modifiers.is_empty();
    }
    Ok(())
}

/// The expression that a key stands for: itself, or an item of the select list.
fn grouped_expression<'e>(
    translator: &mut Translator<'_>,
    expr: &'e Expr,
    projection: &'e [SelectItem],
) -> TranslateResult<Option<&'e Expr>> {
    if let Expr::Value(_) = expr {
        let place = translator.value(expr)?.small_integer();
        let place = place.and_then(|place| usize::try_from(place).ok()?.checked_sub(1));
        let item = place.and_then(|place| projection.get(place));
        return Ok(item.and_then(expression_of));
    }
    let Expr::Identifier(ident) = expr else {
        return Ok(Some(expr));
    };
    let wanted = name::content(ident);
    let is_column = translator.scopes.last().is_some_and(|level| {
        level.items.iter().any(|item| match &item.columns {
            KnownColumns::Known(columns) => {
                super::scope::find(columns, |one| &one.name, &wanted).is_some()
            }
            KnownColumns::Unknown => true,
        })
    });
    if is_column {
        return Ok(Some(expr));
    }
    let named = projection.iter().find_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias }
            if name::content(alias).eq_ignore_ascii_case(&wanted) =>
        {
            Some(expr)
        }
        _ => None,
    });
    Ok(named)
}

/// What is written from now on comes after the grouping of the query, or does not.
pub fn set_after_grouping(translator: &mut Translator<'_>, after: bool) {
    if let Some(level) = translator.current_scope() {
        level.folded.after_grouping = after;
    }
}

/// Writes the arguments of an aggregate.
pub fn in_aggregate<'w, T>(
    translator: &mut Translator<'w>,
    write: impl FnOnce(&mut Translator<'w>) -> TranslateResult<T>,
) -> TranslateResult<T> {
    let depth = translator.scopes.len();
    if let Some(level) = translator.current_scope() {
        level.folded.aggregates += 1;
    }
    let written = write(translator);
    if translator.scopes.len() == depth
        && let Some(level) = translator.current_scope()
    {
        level.folded.aggregates -= 1;
    }
    written
}

/// One of the texts of a group, where a value is a key of it.
pub fn shown_of_group(translator: &Translator<'_>, value: Translated) -> Translated {
    let is_key = translator
        .scopes
        .last()
        .is_some_and(|level: &TranslationScope| {
            let folded = &level.folded;
            folded.after_grouping
                && folded.aggregates == 0
                && folded.keys.iter().any(|(_, text)| *text == value.text)
        });
    if !is_key || value.kind != SqlType::Text {
        return value;
    }
    let has_totals = (translator.scopes.last()).is_some_and(|level| level.folded.has_totals);
    let text = match has_totals {
        true => format!(
            "CASE WHEN grouping(lower({0})) = 0 THEN min({0}) END",
            value.text
        ),
        false => format!("min({})", value.text),
    };
    Translated {
        case_sensitive: value.case_sensitive,
        name: None,
        ..Translated::primary(text, SqlType::Text).never_null(value.not_null && !has_totals)
    }
}

/// What stands behind SELECT where rows are made distinct.
pub fn distinct_rows(translator: &mut Translator<'_>, columns: &KnownColumns) -> String {
    let plain = "DISTINCT ".to_owned();
    let KnownColumns::Known(columns) = columns else {
        return plain;
    };
    if !columns
        .iter()
        .any(|column| folds_column(translator, column))
    {
        return plain;
    }
    let listed = match translator.scopes.last() {
        Some(level) if level.listed.len() == columns.len() => level.listed.as_slice(),
        _ => {
            translator.mark_likely();
            return plain;
        }
    };
    let keys = listed
        .iter()
        .enumerate()
        .map(|(at, (_, value))| match folds(translator, value) {
            true => folded(translator, value),
            false => (at + 1).to_string(),
        });
    let keys: Vec<String> = keys.collect();
    if !listed.iter().any(|(_, value)| folds(translator, value)) {
        return plain;
    }
    format!("DISTINCT ON ({}) ", keys.join(", "))
}

/// Whether rows that are distinct there are not all so here, so that they are made distinct by
/// an expression, and sorted from outside.
pub fn folds_rows(translator: &Translator<'_>, columns: &[OutputColumn]) -> bool {
    columns
        .iter()
        .any(|column| folds_column(translator, column))
}

/// A set operation without ALL whose columns are these.
pub fn distinct_union(
    translator: &mut Translator<'_>,
    operation: SetOperator,
    text: String,
    columns: &KnownColumns,
) -> String {
    let KnownColumns::Known(columns) = columns else {
        return text;
    };
    if !folds_rows(translator, columns) {
        return text;
    }
    if operation != SetOperator::Union {
        translator.mark_likely();
        return text;
    }
    let keys =
        columns
            .iter()
            .enumerate()
            .map(|(at, column)| match folds_column(translator, column) {
                true => format!("lower({})", name::quoted(&column.name)),
                false => (at + 1).to_string(),
            });
    let keys: Vec<String> = keys.collect();
    let name = translator.make_name("united");
    format!(
        "SELECT DISTINCT ON ({}) * FROM ({text}) AS {name}",
        keys.join(", ")
    )
}
/// The expression that an item of a select list is.
pub(super) fn expression_of(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        SelectItem::ExprWithAliases { .. }
        | SelectItem::QualifiedWildcard(..)
        | SelectItem::Wildcard(_) => None,
    }
}

/// Whether a function is an aggregate.
pub fn is_aggregate(name: &str) -> bool {
    AGGREGATES.contains(&name)
}

const AGGREGATES: &[&str] = &[
    "any_value",
    "approx_count_distinct",
    "array_agg",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "count",
    "count_big",
    "group_concat",
    "json_arrayagg",
    "json_objectagg",
    "max",
    "min",
    "std",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "stdev",
    "stdevp",
    "string_agg",
    "sum",
    "var",
    "var_pop",
    "var_samp",
    "variance",
    "varp",
];

/// Calls of which no two results differ by the case of their letters alone.
const ONE_CASE: &[&str] = &["lower(", "upper(", "to_char("];
