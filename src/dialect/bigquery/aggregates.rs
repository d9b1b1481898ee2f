//! BigQuery's aggregates, window functions and arrays.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions>,
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/array_functions>

use sqlparser::ast::{Expr, NullTreatment};

use super::timestamps::day;
use crate::rules::{
    ArgumentType, BOOL, FIRST, FLOAT, FunctionRule, INTEGER, TEXT, aggregate, by, plain,
};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::interval::{TimeUnit, interval_of};
use crate::translator::literal;
use crate::translator::shared_functions::aggregates::{self, count_if};
use crate::translator::shared_functions::numbers::mean;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str =
    "https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions";

/// Aggregates and window functions.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    aggregate("count", (0, 1), "count", &[ArgumentType::Any], INTEGER, DOC, "COUNT(n)", "count(n)"),
    aggregate("sum", (1, 1), "sum", &[ArgumentType::Number], FIRST, DOC, "SUM(n)", "sum(n)"),
    by("avg", (1, 1), avg, DOC, "AVG(q)", "avg(q)"),
    by("min", (1, 1), extreme, DOC, "MIN(n)", "min(n)"),
    by("max", (1, 1), extreme, DOC, "MAX(s)", "max(s COLLATE \"C\")"),
    by("countif", (1, 1), count_if, DOC, "COUNTIF(b)", "count(*) FILTER (WHERE b) AS countif"),
    by("approx_count_distinct", (1, 1), count_distinct, DOC, "APPROX_COUNT_DISTINCT(n)", "count(DISTINCT n) AS approx_count_distinct"),
    aggregate("logical_or", (1, 1), "bool_or", &[ArgumentType::Condition], BOOL, DOC, "LOGICAL_OR(b)", "bool_or(b) AS logical_or"),
    aggregate("logical_and", (1, 1), "bool_and", &[ArgumentType::Condition], BOOL, DOC, "LOGICAL_AND(b)", "bool_and(b) AS logical_and"),
    by("any_value", (1, 1), any_value, DOC, "ANY_VALUE(n)", "(array_agg(n))[1] AS any_value"),
    by("string_agg", (1, 2), string_agg, DOC, "STRING_AGG(s)", "string_agg(s, ',')"),
    by("array_agg", (1, 1), array_agg, DOC, "ARRAY_AGG(n IGNORE NULLS LIMIT 1)", "(array_agg(n) FILTER (WHERE n IS NOT NULL))[1:1]"),
    aggregate("stddev", (1, 1), "stddev_samp", &[ArgumentType::Number], FLOAT, DOC, "STDDEV(n)", "stddev_samp(n) AS stddev"),
    aggregate("stddev_samp", (1, 1), "stddev_samp", &[ArgumentType::Number], FLOAT, DOC, "STDDEV_SAMP(n)", "stddev_samp(n)"),
    aggregate("stddev_pop", (1, 1), "stddev_pop", &[ArgumentType::Number], FLOAT, DOC, "STDDEV_POP(n)", "stddev_pop(n)"),
    aggregate("variance", (1, 1), "var_samp", &[ArgumentType::Number], FLOAT, DOC, "VARIANCE(n)", "var_samp(n) AS variance"),
];

/// Arrays.
#[rustfmt::skip]
pub const ARRAYS: &[FunctionRule] = &[
    plain("array_length", (1, 1), "cardinality", &[ArgumentType::Any], INTEGER, DOC, "ARRAY_LENGTH([1, 2])", "cardinality(ARRAY[1, 2]) AS array_length"),
    plain("array_to_string", (2, 3), "array_to_string", &[ArgumentType::Any], TEXT, DOC, "ARRAY_TO_STRING(['a'], ',')", "array_to_string(ARRAY['a'], ',')"),
    by("array_concat", (2, 2), array_concat, DOC, "ARRAY_CONCAT([1], [2])", "ARRAY[1] || ARRAY[2] AS array_concat"),
    by("generate_array", (2, 3), generate_array, DOC, "GENERATE_ARRAY(1, 5)", "ARRAY(SELECT generate_series(1, 5)) AS generate_array"),
    by("generate_date_array", (2, 3), generate_dates, DOC, "GENERATE_DATE_ARRAY(d, d)", "ARRAY(SELECT day::date FROM generate_series(d::timestamp, d::timestamp, INTERVAL '1 days') AS day) AS generate_date_array"),
];

fn avg(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.aggregate()?;
    let number = translator.number(call.argument(0)?)?;
    mean(translator, call, number, SqlType::Decimal)
}

fn extreme(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.aggregate()?;
    let mut value = translator.value(call.argument(0)?)?;
    let kind = value.kind;
    if kind == SqlType::Bool {
        return Err(call.refused().hint("write bool_or() or bool_and()"));
    }
    value.text = translator.collated(&value);
    translator.aggregate(&call.name, call, &[value], kind)
}

fn count_distinct(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    aggregates::count_distinct(translator, call)
}

fn any_value(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    let value = translator.value(call.argument(0)?)?;
    let kind = value.kind;
    let values = translator.aggregate("array_agg", call, &[value], kind)?;
    Ok(Translated::primary(format!("({})[1]", values.text), kind))
}

fn string_agg(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    if call.limit.is_some() || call.star || call.separator.is_some() || call.nulls.is_some() {
        return Err(call.refused());
    }
    if call.distinct && call.order_by.is_empty() {
        // They come sorted here, and in any order there.
        translator.mark_likely();
    }
    let value = translator.text(call.argument(0)?)?;
    let separator = match call.arguments.get(1) {
        Some(separator) => translator.text(separator)?,
        None => literal::text(","),
    };
    let order = ordered(translator, call, &value)?;
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let tail = translator.tail(call)?;
    let text = format!(
        "string_agg({distinct}{}, {}{order}){tail}",
        value.text, separator.text
    );
    Ok(Translated {
        name: Some("string_agg".to_owned()),
        ..Translated::primary(text, SqlType::Text)
    })
}

/// With DISTINCT only what is collected can be sorted by, and without a collation of its own.
fn ordered(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    value: &Translated,
) -> TranslateResult<String> {
    match call.order_by {
        [] => Ok(String::new()),
        [only] if call.distinct => {
            let key = translator.value(&only.expr)?;
            if key.text != value.text {
                return Err(call.refused());
            }
            let key = translator.sorted(key.text, &only.options, true)?;
            Ok(format!(" ORDER BY {key}"))
        }
        order_by => Ok(format!(" ORDER BY {}", translator.inner_order(order_by)?)),
    }
}

fn array_agg(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    if call.star || call.separator.is_some() || call.filter.is_some() {
        return Err(call.refused());
    }
    let value = translator.value(call.argument(0)?)?;
    let order = ordered(translator, call, &value)?;
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let filter = match call.nulls {
        Some(NullTreatment::IgnoreNulls) if !value.not_null => {
            format!(" FILTER (WHERE {} IS NOT NULL)", value.operand())
        }
        _ => String::new(),
    };
    let tail = translator.tail(call)?;
    let mut text = format!("array_agg({distinct}{}{order}){filter}{tail}", value.text);
    if let Some(limit) = call.limit {
        let limit = translator.value(limit)?;
        let Some(limit) = limit.small_integer().filter(|limit| *limit >= 0) else {
            return Err(Untranslatable::construct("a computed LIMIT"));
        };
        text = format!("({text})[1:{limit}]");
    }
    Ok(Translated {
        element: value.kind,
        name: Some("array_agg".to_owned()),
        ..Translated::primary(text, SqlType::Array)
    })
}

fn array_concat(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let one = translator.value(call.argument(0)?)?;
    let two = translator.value(call.argument(1)?)?;
    if one.kind != SqlType::Array || two.kind != SqlType::Array {
        return Err(call.refused());
    }
    Ok(Translated {
        element: one.element,
        ..Translated::operation(
            format!("{} || {}", one.operand(), two.operand()),
            SqlType::Array,
        )
    })
}

fn generate_array(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let mut texts = Vec::new();
    for argument in &call.arguments {
        texts.push(translator.integer(argument)?.text);
    }
    let text = format!("ARRAY(SELECT generate_series({}))", texts.join(", "));
    Ok(Translated {
        element: SqlType::Integer,
        ..Translated::primary(text, SqlType::Array).never_null(true)
    })
}

/// Each is counted from the first: a series of Postgres would count from the one before, and lose
/// the last days of months.
fn generate_dates(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let first = day(translator, call.argument(0)?)?;
    let last = day(translator, call.argument(1)?)?;
    let (count, unit) = match call.arguments.get(2) {
        None => (1, TimeUnit::Day),
        Some(Expr::Interval(interval)) => {
            let (count, unit) = translator.interval(interval)?;
            let count = count.small_integer().filter(|count| *count > 0);
            (count.ok_or_else(|| call.refused())?, unit)
        }
        Some(_) => return Err(call.refused()),
    };
    let step = literal::number(&count.to_string())?;
    let step = interval_of(
        &Translated {
            form: TranslatedForm::NumberLiteral(count.to_string()),
            ..step
        },
        unit,
    )?;
    let text = match unit {
        TimeUnit::Day | TimeUnit::Week => format!(
            "ARRAY(SELECT day::date FROM \
             generate_series({}::timestamp, {}::timestamp, {step}) AS day)",
            first.operand(),
            last.operand()
        ),
        TimeUnit::Month | TimeUnit::Quarter | TimeUnit::Year => format!(
            "ARRAY(SELECT ({0} + number * {step})::date FROM \
             generate_series(0, ((EXTRACT(YEAR FROM {1}) - EXTRACT(YEAR FROM {0})) * 12 \
             + 12)::integer) AS number WHERE ({0} + number * {step})::date <= {1} ORDER BY number)",
            first.operand(),
            last.operand()
        ),
        _ => return Err(call.refused()),
    };
    Ok(Translated {
        element: SqlType::Date,
        ..Translated::primary(text, SqlType::Array).never_null(true)
    })
}
