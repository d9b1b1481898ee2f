//! Aggregates.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-aggregation>

use crate::rules::{ArgumentType, FLOAT, FunctionRule, aggregate, by};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::shared_functions::aggregates::{
    self, SummandTypes, count_distinct, count_if, sum_of, summand,
};
use crate::translator::shared_functions::numbers::mean;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;
use policy::Dialect;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-aggregation";

/// The rows.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("count", (0, 1), count, DOC, "COUNT(DISTINCT n)", "count(DISTINCT n)"),
    by("sum", (1, 1), sum, DOC, "SUM(n)", "sum(n)"),
    by("avg", (1, 1), average, DOC, "AVG(n)", "avg(n)"),
    by("min", (1, 1), extreme, DOC, "MIN(d)", "min(d)"),
    by("max", (1, 1), extreme, DOC, "MAX(d)", "max(d)"),
    by("count_if", (1, 1), count_if, DOC, "COUNT_IF(n > 1)", "count(*) FILTER (WHERE n > 1) AS count_if"),
    by("any_value", (1, 1), any_value, DOC, "ANY_VALUE(s)", "min(s) AS any_value"),
    by("median", (1, 1), median, DOC, "MEDIAN(n)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY n) AS median"),
    by("approx_count_distinct", (1, 1), count_distinct, DOC, "APPROX_COUNT_DISTINCT(n)", "count(DISTINCT n) AS approx_count_distinct"),
    by("max_by", (2, 2), beside, DOC, "MAX_BY(s, id)", "(array_agg(s ORDER BY id DESC) FILTER (WHERE id IS NOT NULL))[1] AS max_by"),
    by("min_by", (2, 2), beside, DOC, "MIN_BY(s, id)", "(array_agg(s ORDER BY id) FILTER (WHERE id IS NOT NULL))[1] AS min_by"),
    aggregate("stddev", (1, 1), "stddev_samp", &[ArgumentType::Double], FLOAT, DOC, "STDDEV(f)", "stddev_samp(f) AS stddev"),
    aggregate("stddev_samp", (1, 1), "stddev_samp", &[ArgumentType::Double], FLOAT, DOC, "STDDEV_SAMP(f)", "stddev_samp(f)"),
    aggregate("stddev_pop", (1, 1), "stddev_pop", &[ArgumentType::Double], FLOAT, DOC, "STDDEV_POP(f)", "stddev_pop(f)"),
    aggregate("variance", (1, 1), "var_samp", &[ArgumentType::Double], FLOAT, DOC, "VARIANCE(f)", "var_samp(f) AS variance"),
    aggregate("var_samp", (1, 1), "var_samp", &[ArgumentType::Double], FLOAT, DOC, "VAR_SAMP(f)", "var_samp(f)"),
    aggregate("var_pop", (1, 1), "var_pop", &[ArgumentType::Double], FLOAT, DOC, "VAR_POP(f)", "var_pop(f)"),
];

/// COUNT(), which is COUNT(*) too.
fn count(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let star = call.star || call.arguments.is_empty();
    aggregates::count(
        translator,
        &SourceCall {
            star,
            ..call.clone()
        },
    )
}

fn sum(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summand(translator, call, SummandTypes::Numbers)?;
    sum_of(translator, call, number)
}

/// AVG: of exact numbers a double in DuckDB.
fn average(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summand(translator, call, SummandTypes::Numbers)?;
    let exact = match translator.source.dialect() {
        Dialect::Duckdb => SqlType::Float,
        _ => SqlType::Decimal,
    };
    mean(translator, call, number, exact)
}

/// MIN and MAX: of texts by their bytes.
pub fn extreme(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    let value = translator.value(call.argument(0)?)?;
    let text = translator.collated(&value);
    let argument = Translated { text, ..value };
    let kind = argument.kind;
    translator.aggregate(&call.name, call, &[argument], kind)
}

/// ANY_VALUE: one is as good as another.
pub fn any_value(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    let value = translator.value(call.argument(0)?)?;
    let is_ordered =
        value.kind.is_number() || value.kind.is_temporal() || value.kind == SqlType::Text;
    if !is_ordered {
        return Err(untyped(&value, "a number, a text or a date"));
    }
    let kind = value.kind;
    translator.aggregate("min", call, &[value], kind)
}

pub fn median(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    let number = translator.number(call.argument(0)?)?;
    if call.over.is_some() || call.distinct || !number.kind.is_number() {
        return Err(call.refused().hint("it is no window function here"));
    }
    let text = format!(
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY {}){}",
        number.text,
        translator.tail(call)?
    );
    Ok(Translated::primary(text, SqlType::Float))
}

/// LISTAGG: an empty string where there is nothing, in Snowflake.
pub fn joined(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    let is_bare = call.separator.is_none() && call.limit.is_none() && call.nulls.is_none();
    if !is_bare || call.star || call.over.is_some() || call.distinct && !call.order_by.is_empty() {
        return Err(call.refused());
    }
    let text = translator.text(call.argument(0)?)?;
    let is_snowflake = translator.source.dialect() == Dialect::Snowflake;
    let separator = match call.arguments.get(1) {
        Some(separator) => translator.text(separator)?.text,
        None if is_snowflake => "''".to_owned(),
        None => "','".to_owned(),
    };
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let order = match call.order_by {
        [] => String::new(),
        some => format!(" ORDER BY {}", translator.inner_order(some)?),
    };
    let tail = translator.tail(call)?;
    let written = format!(
        "string_agg({distinct}{}, {separator}{order}){tail}",
        text.text
    );
    Ok(match is_snowflake {
        true => {
            Translated::primary(format!("COALESCE({written}, '')"), SqlType::Text).never_null(true)
        }
        false => Translated {
            name: Some("string_agg".to_owned()),
            ..Translated::primary(written, SqlType::Text)
        },
    })
}

/// ARRAY_AGG: Snowflake leaves NULL out, DuckDB does not.
pub fn array(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    let is_bare = call.separator.is_none() && call.limit.is_none() && call.nulls.is_none();
    if !is_bare || call.star || call.over.is_some() || call.filter.is_some() {
        return Err(call.refused());
    }
    if call.distinct && !call.order_by.is_empty() {
        return Err(call.refused().hint("sort it in a subquery"));
    }
    let value = translator.value(call.argument(0)?)?;
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let order = match call.order_by {
        [] => String::new(),
        some => format!(" ORDER BY {}", translator.inner_order(some)?),
    };
    let is_snowflake = translator.source.dialect() == Dialect::Snowflake;
    let filter = match is_snowflake && !value.not_null {
        true => format!(" FILTER (WHERE {} IS NOT NULL)", value.operand()),
        false => String::new(),
    };
    Ok(Translated {
        element: value.kind,
        name: Some("array_agg".to_owned()),
        ..Translated::primary(
            format!("array_agg({distinct}{}{order}){filter}", value.text),
            SqlType::Array,
        )
    })
}

/// MAX_BY(x, y): x of the row with the greatest y.
pub fn beside(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    if call.distinct || call.filter.is_some() || call.over.is_some() {
        return Err(call.refused());
    }
    let value = translator.value(call.argument(0)?)?;
    let key = translator.value(call.argument(1)?)?;
    let down = if call.name.contains("max") {
        " DESC"
    } else {
        ""
    };
    let text = format!(
        "(array_agg({} ORDER BY {}{down}) FILTER (WHERE {} IS NOT NULL))[1]",
        value.text,
        translator.collated(&key),
        key.operand()
    );
    Ok(Translated::primary(text, value.kind))
}
