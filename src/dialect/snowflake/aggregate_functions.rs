//! How the aggregates of Snowflake and DuckDB are written.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-aggregation>

use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::Outcome;
use crate::policy::Dialect;

pub fn count(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let is_star = call.star || call.arguments.is_empty();
    let mut arguments = Vec::new();
    for argument in &call.arguments {
        arguments.push(writer.value(argument)?);
    }
    let call = Call {
        star: is_star,
        ..call.clone()
    };
    let written = writer.aggregate("count", &call, &arguments, Kind::Integer)?;
    Ok(Written {
        longer: false,
        ..written.never_null(true)
    })
}

pub fn sum(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let number = writer.value(call.argument(0)?)?;
    if !number.kind.is_number() && number.kind != Kind::Null {
        return Err(untyped(&number, "a number"));
    }
    let is_mean = call.name == "avg";
    let is_double = writer.source.dialect() == Dialect::Duckdb;
    let kind = match (number.kind, is_mean) {
        (kind, false) => kind,
        (Kind::Float, true) => Kind::Float,
        (_, true) if is_double => Kind::Float,
        (_, true) => Kind::Decimal,
    };
    let written = writer.aggregate(&call.name, call, &[number], kind)?;
    Ok(match is_mean {
        true => Written {
            longer: true,
            ..written
        },
        false => written,
    })
}

/// MIN and MAX: of texts by their bytes.
pub fn extreme(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let value = writer.value(call.argument(0)?)?;
    let text = writer.collated(&value);
    let argument = Written { text, ..value };
    let kind = argument.kind;
    writer.aggregate(&call.name, call, &[argument], kind)
}

pub fn count_if(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    if call.distinct || call.filter.is_some() {
        return Err(call.refused());
    }
    let condition = writer.condition(call.argument(0)?)?;
    let text = format!(
        "count(*) FILTER (WHERE {}){}",
        condition.text,
        writer.tail(call)?
    );
    Ok(Written::tight(text, Kind::Integer).never_null(true))
}

/// ANY_VALUE: one is as good as another.
pub fn any_value(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let value = writer.value(call.argument(0)?)?;
    let is_ordered = value.kind.is_number() || value.kind.is_moment() || value.kind == Kind::Text;
    if !is_ordered {
        return Err(untyped(&value, "a number, a text or a date"));
    }
    let kind = value.kind;
    writer.aggregate("min", call, &[value], kind)
}

pub fn median(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let number = writer.number(call.argument(0)?)?;
    if call.over.is_some() || call.distinct || !number.kind.is_number() {
        return Err(call.refused().hint("it is no window function here"));
    }
    let text = format!(
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY {}){}",
        number.text,
        writer.tail(call)?
    );
    Ok(Written::tight(text, Kind::Float))
}

pub fn distinct(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    if call.over.is_some() || call.distinct {
        return Err(call.refused());
    }
    let value = writer.value(call.argument(0)?)?;
    let text = format!("count(DISTINCT {}){}", value.text, writer.tail(call)?);
    Ok(Written::tight(text, Kind::Integer).never_null(true))
}

/// LISTAGG: an empty string where there is nothing, in Snowflake.
pub fn joined(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let is_bare = call.separator.is_none() && call.limit.is_none() && call.nulls.is_none();
    if !is_bare || call.star || call.over.is_some() || call.distinct && !call.order_by.is_empty() {
        return Err(call.refused());
    }
    let text = writer.text(call.argument(0)?)?;
    let is_snowflake = writer.source.dialect() == Dialect::Snowflake;
    let separator = match call.arguments.get(1) {
        Some(separator) => writer.text(separator)?.text,
        None if is_snowflake => "''".to_owned(),
        None => "','".to_owned(),
    };
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let order = match call.order_by {
        [] => String::new(),
        some => format!(" ORDER BY {}", writer.inner_order(some)?),
    };
    let tail = writer.tail(call)?;
    let written = format!(
        "string_agg({distinct}{}, {separator}{order}){tail}",
        text.text
    );
    Ok(match is_snowflake {
        true => Written::tight(format!("COALESCE({written}, '')"), Kind::Text).never_null(true),
        false => Written {
            name: Some("string_agg".to_owned()),
            ..Written::tight(written, Kind::Text)
        },
    })
}

/// ARRAY_AGG: Snowflake leaves NULL out, DuckDB does not.
pub fn array(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let is_bare = call.separator.is_none() && call.limit.is_none() && call.nulls.is_none();
    if !is_bare || call.star || call.over.is_some() || call.filter.is_some() {
        return Err(call.refused());
    }
    if call.distinct && !call.order_by.is_empty() {
        return Err(call.refused().hint("sort it in a subquery"));
    }
    let value = writer.value(call.argument(0)?)?;
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let order = match call.order_by {
        [] => String::new(),
        some => format!(" ORDER BY {}", writer.inner_order(some)?),
    };
    let is_snowflake = writer.source.dialect() == Dialect::Snowflake;
    let filter = match is_snowflake && !value.not_null {
        true => format!(" FILTER (WHERE {} IS NOT NULL)", value.atom()),
        false => String::new(),
    };
    Ok(Written {
        element: value.kind,
        name: Some("array_agg".to_owned()),
        ..Written::tight(
            format!("array_agg({distinct}{}{order}){filter}", value.text),
            Kind::Array,
        )
    })
}

/// MAX_BY(x, y): x of the row with the greatest y.
pub fn beside(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    if call.distinct || call.filter.is_some() || call.over.is_some() {
        return Err(call.refused());
    }
    let value = writer.value(call.argument(0)?)?;
    let key = writer.value(call.argument(1)?)?;
    let down = if call.name.contains("max") {
        " DESC"
    } else {
        ""
    };
    let text = format!(
        "(array_agg({} ORDER BY {}{down}) FILTER (WHERE {} IS NOT NULL))[1]",
        value.text,
        writer.collated(&key),
        key.atom()
    );
    Ok(Written::tight(text, value.kind))
}
