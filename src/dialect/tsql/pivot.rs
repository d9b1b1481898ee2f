//! T-SQL's PIVOT and UNPIVOT, as the queries that its documentation explains them by: aggregates of
//! one value each, and a row for each column that is not NULL.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/queries/from-using-pivot-and-unpivot>

use sqlparser::ast::{
    Expr, ExprWithAlias, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    PivotValueSource, SetExpr, TableAlias, TableFactor,
};

use crate::parse;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::name;
use crate::translator::scope::{OutputColumn, TranslationScope, find};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// `source PIVOT (SUM(amount) FOR year IN ([2023], [2024])) AS p`: grouped by all other columns.
pub fn pivot(translator: &mut Translator<'_>, factor: &TableFactor) -> TranslateResult<String> {
    let TableFactor::Pivot {
        table,
        aggregate_functions,
        value_column,
        value_source: PivotValueSource::List(values),
        default_on_null: None,
        alias,
    } = factor
    else {
        return translator.refuse("this form of PIVOT");
    };
    let (
        [
            ExprWithAlias {
                expr: Expr::Function(function),
                alias: None,
            },
        ],
        [key],
    ) = (aggregate_functions.as_slice(), value_column.as_slice())
    else {
        return translator.refuse("this form of PIVOT");
    };
    let columns = columns_of(translator, table)?;
    let (aggregate, value) = aggregated(translator, function)?;
    let (value, key) = (
        column(translator, &columns, value)?,
        column(translator, &columns, key)?,
    );
    let others = columns
        .iter()
        .filter(|one| one.name != value.name && one.name != key.name);
    let others: Vec<String> = others.map(|one| bracketed(&one.name)).collect();
    let mut list = others.clone();
    for one in values {
        let ExprWithAlias {
            expr: Expr::Identifier(ident),
            alias: None,
        } = one
        else {
            return translator.refuse("this form of PIVOT");
        };
        let wanted = name::content(ident);
        list.push(format!(
            "{aggregate}(CASE WHEN {} = {} THEN {} END) AS {}",
            bracketed(&key.name),
            string(&wanted),
            bracketed(&value.name),
            bracketed(&wanted)
        ));
    }
    let grouped = match others.is_empty() {
        true => String::new(),
        false => format!(" GROUP BY {}", others.join(", ")),
    };
    let text = format!("SELECT {} FROM [source]{grouped}", list.join(", "));
    derived(translator, &text, table, alias.as_ref())
}

/// `source UNPIVOT (amount FOR quarter IN (q1, q2)) AS u`
pub fn unpivot(translator: &mut Translator<'_>, factor: &TableFactor) -> TranslateResult<String> {
    let TableFactor::Unpivot {
        table,
        value: Expr::Identifier(value),
        name: key,
        columns: turned,
        null_inclusion: None,
        alias,
    } = factor
    else {
        return translator.refuse("this form of UNPIVOT");
    };
    let columns = columns_of(translator, table)?;
    let mut rows = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let mut kind = SqlType::Null;
    for one in turned {
        let ExprWithAlias { expr, alias: None } = one else {
            return translator.refuse("this form of UNPIVOT");
        };
        let found = column(translator, &columns, expr)?;
        kind = kind.common(found.kind);
        names.push(&found.name);
        rows.push(format!(
            "({}, {})",
            string(&found.name),
            bracketed(&found.name)
        ));
    }
    if !matches!(kind, SqlType::Integer | SqlType::Decimal | SqlType::Float)
        && columns
            .iter()
            .any(|one| names.contains(&one.name.as_str()) && one.kind != kind)
    {
        return translator.refuse("UNPIVOT of columns of several types");
    }
    let turned = translator.make_name("turned");
    let (key, value) = (
        bracketed(&name::content(key)),
        bracketed(&name::content(value)),
    );
    let others = columns
        .iter()
        .filter(|one| !names.contains(&one.name.as_str()));
    let mut list: Vec<String> = others.map(|one| bracketed(&one.name)).collect();
    list.push(format!("{turned}.{key}"));
    list.push(format!("{turned}.{value}"));
    let text = format!(
        "SELECT {} FROM [source] CROSS APPLY (VALUES {}) AS {turned} ({key}, {value}) \
         WHERE {turned}.{value} IS NOT NULL",
        list.join(", "),
        rows.join(", ")
    );
    derived(translator, &text, table, alias.as_ref())
}

/// The columns of what is turned.
fn columns_of(
    translator: &mut Translator<'_>,
    table: &TableFactor,
) -> TranslateResult<Vec<OutputColumn>> {
    let depth = translator.scopes.len();
    translator.scopes.push(TranslationScope::default());
    let written = translator.factor(table);
    let columns = translator.star_columns(None);
    translator.scopes.truncate(depth);
    written?;
    match columns {
        Some(columns) => Ok(columns),
        None => Err(
            Untranslatable::construct("PIVOT of columns that are not known")
                .hint("write sum(…) FILTER (WHERE …) for each column"),
        ),
    }
}

/// The aggregate, and what it is of.
fn aggregated<'f>(
    translator: &Translator<'_>,
    function: &'f Function,
) -> TranslateResult<(String, &'f Expr)> {
    let aggregate = function.name.to_string().to_ascii_lowercase();
    let FunctionArguments::List(list) = &function.args else {
        return translator.refuse("this form of PIVOT");
    };
    let is_known = [
        "count",
        "count_big",
        "sum",
        "avg",
        "min",
        "max",
        "stdev",
        "stdevp",
        "var",
        "varp",
    ]
    .contains(&aggregate.as_str());
    let is_bare = list.duplicate_treatment.is_none()
        && list.clauses.is_empty()
        && function.within_group.is_empty()
        && function.filter.is_none()
        && function.over.is_none();
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(value))] if is_known && is_bare => {
            Ok((aggregate, value))
        }
        _ => translator.refuse("this form of PIVOT"),
    }
}

/// The column that an expression names.
fn column<'c>(
    translator: &Translator<'_>,
    columns: &'c [OutputColumn],
    expr: &Expr,
) -> TranslateResult<&'c OutputColumn> {
    let ident: Option<&Ident> = match expr {
        Expr::Identifier(ident) => Some(ident),
        Expr::CompoundIdentifier(parts) => parts.last(),
        _ => None,
    };
    let found = ident.and_then(|ident| find(columns, |one| &one.name, &name::content(ident)));
    match found {
        Some(found) => Ok(found),
        None => translator.refuse("PIVOT of something that is no column"),
    }
}

/// A query whose `[source]` is a table, in its place.
fn derived(
    translator: &mut Translator<'_>,
    text: &str,
    table: &TableFactor,
    alias: Option<&TableAlias>,
) -> TranslateResult<String> {
    let Some(mut subquery) = parse::query(text, translator.source) else {
        return translator.refuse("so many columns in PIVOT");
    };
    if let SetExpr::Select(select) = &mut *subquery.body
        && let Some(first) = select.from.first_mut()
    {
        first.relation = table.clone();
    }
    translator.factor(&TableFactor::Derived {
        lateral: false,
        subquery,
        alias: alias.cloned(),
        sample: None,
    })
}

fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

fn string(content: &str) -> String {
    format!("'{}'", content.replace('\'', "''"))
}
