//! How the aggregates of Snowflake and DuckDB are written.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-aggregation>

use crate::dialect::source::untyped;
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;
use crate::policy::Dialect;

pub fn count(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    let is_star = call.star || call.arguments.is_empty();
    let mut arguments = Vec::new();
    for argument in &call.arguments {
        arguments.push(translator.value(argument)?);
    }
    let call = SourceCall {
        star: is_star,
        ..call.clone()
    };
    let written = translator.aggregate("count", &call, &arguments, SqlType::Integer)?;
    Ok(Translated {
        extra_digits: false,
        ..written.never_null(true)
    })
}

pub fn sum(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.aggregate()?;
    let number = translator.value(call.argument(0)?)?;
    if !number.kind.is_number() && number.kind != SqlType::Null {
        return Err(untyped(&number, "a number"));
    }
    let is_mean = call.name == "avg";
    let is_double = translator.source.dialect() == Dialect::Duckdb;
    let kind = match (number.kind, is_mean) {
        (kind, false) => kind,
        (SqlType::Float, true) => SqlType::Float,
        (_, true) if is_double => SqlType::Float,
        (_, true) => SqlType::Decimal,
    };
    let written = translator.aggregate(&call.name, call, &[number], kind)?;
    Ok(match is_mean {
        true => Translated {
            extra_digits: true,
            ..written
        },
        false => written,
    })
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

pub fn count_if(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    if call.distinct || call.filter.is_some() {
        return Err(call.refused());
    }
    let condition = translator.condition(call.argument(0)?)?;
    let text = format!(
        "count(*) FILTER (WHERE {}){}",
        condition.text,
        translator.tail(call)?
    );
    Ok(Translated::primary(text, SqlType::Integer).never_null(true))
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

pub fn distinct(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    if call.over.is_some() || call.distinct {
        return Err(call.refused());
    }
    let value = translator.value(call.argument(0)?)?;
    let text = format!("count(DISTINCT {}){}", value.text, translator.tail(call)?);
    Ok(Translated::primary(text, SqlType::Integer).never_null(true))
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
