//! Aggregates that several dialects have: COUNT, SUM, and counts with a condition or of different
//! values. What differs is said by who asks.

use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

/// What SUM and AVG take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummandTypes {
    /// Numbers, and what the dialect makes a number of: conditions and texts.
    Converted,
    /// Numbers alone.
    Numbers,
}

/// The number that SUM or AVG takes.
pub fn summand(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    types: SummandTypes,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    let argument = call.argument(0)?;
    match types {
        SummandTypes::Converted => match translator.number(argument)? {
            number if number.kind == SqlType::Unclear => Err(untyped(&number, "a number")),
            number => Ok(number),
        },
        SummandTypes::Numbers => match translator.value(argument)? {
            number if number.kind.is_number() || number.kind == SqlType::Null => Ok(number),
            other => Err(untyped(&other, "a number").hint("cast it to INT or DECIMAL")),
        },
    }
}

/// The sum of a number, of its type.
pub fn sum_of(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    number: Translated,
) -> TranslateResult<Translated> {
    let kind = number.kind;
    translator.aggregate("sum", call, &[number], kind)
}

/// COUNT of rows or of what is not NULL.
pub fn count(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    let mut arguments = Vec::new();
    for argument in &call.arguments {
        arguments.push(translator.value(argument)?);
    }
    let count = translator.aggregate("count", call, &arguments, SqlType::Integer)?;
    Ok(Translated {
        extra_digits: false,
        ..count.never_null(true)
    })
}

/// COUNT_IF: the rows for which a condition holds.
pub fn count_if(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    if call.distinct || call.filter.is_some() {
        return Err(call.refused());
    }
    let condition = translator.condition(call.argument(0)?)?;
    let tail = translator.tail(call)?;
    let text = format!("count(*) FILTER (WHERE {}){tail}", condition.text);
    Ok(Translated {
        name: Some("count".to_owned()),
        ..Translated::primary(text, SqlType::Integer).never_null(true)
    })
}

/// APPROX_COUNT_DISTINCT, which is exact here.
pub fn count_distinct(
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
