//! Texts that the source dialect takes for one, and Postgres for several, where they are grouped,
//! made distinct or counted: `a` and `A` under a collation that does not tell cases apart.
//!
//! They are grouped by their small letters, and one of each group is shown, as the source shows
//! any one of them.

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, SelectItem, SetOperator,
};

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
    let calls = match translator.source.pads_texts() {
        true => WITHOUT_SPACES,
        false => ONE_CASE,
    };
    let in_one_case = value.is_primary && calls.iter().any(|call| value.text.starts_with(call));
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
        true => comparison_key(translator, &value.text),
        false => value.text.clone(),
    }
}

/// What a text is told apart by, by the source that does not tell letters' case apart.
pub fn comparison_key(translator: &Translator<'_>, text: &str) -> String {
    match translator.source.pads_texts() {
        true => format!("lower(rtrim({text}, ' '))"),
        false => format!("lower({text})"),
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
    let mut within_totals = Vec::new();
    for (place, expr) in expressions.iter().enumerate() {
        for argument in keys_within(expr) {
            if let Ok(key) = translator.value(argument)
                && folds(translator, &key)
            {
                within_totals.push(key.text);
            }
        }
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
        level.folded.has_totals = !modifiers.is_empty() || !within_totals.is_empty();
        level.folded.keys = keys;
        level.folded.within_totals = within_totals;
    }
    Ok(())
}

/// What stands in a call of ROLLUP, CUBE or GROUPING SETS.
fn keys_within(key: &Expr) -> Vec<&Expr> {
    let Expr::Function(function) = key else {
        return Vec::new();
    };
    let FunctionArguments::List(list) = &function.args else {
        return Vec::new();
    };
    if !is_grouping_sets(key) {
        return Vec::new();
    }
    let arguments = list.args.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    let mut keys = Vec::new();
    for argument in arguments {
        match argument {
            Expr::Tuple(parts) => keys.extend(parts),
            Expr::Nested(inner) => keys.push(&**inner),
            of_keys if is_grouping_sets(of_keys) => keys.extend(keys_within(of_keys)),
            one => keys.push(one),
        }
    }
    keys
}

/// `ROLLUP (a, b)` and its kin, as keys.
pub fn is_grouping_sets(key: &Expr) -> bool {
    match key {
        Expr::Rollup(_) | Expr::Cube(_) | Expr::GroupingSets(_) => true,
        Expr::Function(function) => {
            let name = function.name.to_string().to_ascii_lowercase();
            ["rollup", "cube", "grouping_sets"].contains(&name.as_str())
        }
        _ => false,
    }
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

/// Writes what means the keys themselves, as an argument of GROUPING().
pub fn before_grouping<'w, T>(
    translator: &mut Translator<'w>,
    write: impl FnOnce(&mut Translator<'w>) -> TranslateResult<T>,
) -> TranslateResult<T> {
    let after = (translator.current_scope()).is_some_and(|level| level.folded.after_grouping);
    set_after_grouping(translator, false);
    let written = write(translator);
    set_after_grouping(translator, after);
    written
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
            folded.after_grouping && folded.aggregates == 0 && folded.holds(&value.text)
        });
    if !is_key || value.kind != SqlType::Text {
        return value;
    }
    let has_totals = (translator.scopes.last()).is_some_and(|level| level.folded.has_totals);
    let text = match has_totals {
        true => format!(
            "CASE WHEN grouping({}) = 0 THEN min({}) END",
            comparison_key(translator, &value.text),
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
                true => comparison_key(translator, &name::quoted(&column.name)),
                false => (at + 1).to_string(),
            });
    let keys: Vec<String> = keys.collect();
    let name = translator.make_name("united");
    format!(
        "SELECT DISTINCT ON ({}) * FROM ({text}) AS {name}",
        keys.join(", ")
    )
}

/// INTERSECT or EXCEPT of two queries, one of whose columns is a text: by what its rows are told
/// apart by. None where no column is, or where names do not tell the columns apart.
pub fn compared_rows(
    translator: &mut Translator<'_>,
    operation: SetOperator,
    (left, right): (&str, &str),
    columns: &KnownColumns,
) -> Option<String> {
    let KnownColumns::Known(columns) = columns else {
        return None;
    };
    let mut names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if !folds_rows(translator, columns) || names.len() != columns.len() {
        return None;
    }
    let (kept, compared) = (
        translator.make_name("kept"),
        translator.make_name("compared"),
    );
    let key = |column: &OutputColumn, text: String| match folds_column(translator, column) {
        true => comparison_key(translator, &text),
        false => text,
    };
    let mut keys = Vec::new();
    let mut pairs = Vec::new();
    let mut places = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let own = key(column, format!("{kept}.{}", name::quoted(&column.name)));
        let other = key(column, format!("{compared}.column_{at}"));
        pairs.push(format!("{own} IS NOT DISTINCT FROM {other}"));
        places.push(format!("column_{at}"));
        keys.push(own);
    }
    let not = match operation {
        SetOperator::Intersect => "",
        _ => "NOT ",
    };
    Some(format!(
        "SELECT DISTINCT ON ({}) * FROM ({left}) AS {kept} WHERE {not}EXISTS (SELECT 1 FROM \
         ({right}) AS {compared} ({}) WHERE {})",
        keys.join(", "),
        places.join(", "),
        pairs.join(" AND ")
    ))
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

/// Those of them that end in no space.
const WITHOUT_SPACES: &[&str] = &["to_char("];
