//! SQLite's aggregates and window functions.
//!
//! <https://www.sqlite.org/lang_aggfunc.html>, <https://www.sqlite.org/windowfunctions.html>

use crate::rules::{ArgumentType, FunctionRule, INTEGER, aggregate, by};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::literal;
use crate::translator::shared_functions::aggregates::{SummandTypes, sum_of, summand};
use crate::translator::shared_functions::conditionals::{self, ComparedTypes, NullArgument};
use crate::translator::shared_functions::numbers::mean;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str = "https://www.sqlite.org/lang_aggfunc.html";

/// All of them.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    aggregate("count", (0, 1), "count", &[ArgumentType::Any], INTEGER, DOC, "count(n)", "count(n)"),
    by("sum", (1, 1), sum, DOC, "sum(n)", "sum(n)::bigint"),
    by("avg", (1, 1), avg, DOC, "avg(q)", "avg(q)"),
    by("total", (1, 1), total, DOC, "total(n)", "COALESCE(sum(n), 0)::double precision AS total"),
    by("min", (1, 99), extreme, DOC, "min(n)", "min(n)"),
    by("max", (1, 99), extreme, DOC, "max(n, 3)", "CASE WHEN n IS NOT NULL THEN GREATEST(n, 3) END AS max"),
    by("group_concat", (1, 2), group_concat, DOC, "group_concat(n, '; ')", "string_agg(CAST(n AS text), '; ') AS group_concat"),
    by("string_agg", (2, 2), group_concat, DOC, "string_agg(s, ',')", "string_agg(s, ',')"),
];

/// The sum of whole numbers is a whole number, with what follows for divisions.
fn sum(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summand(translator, call, SummandTypes::Converted)?;
    let sum = sum_of(translator, call, number)?;
    if sum.kind != SqlType::Integer {
        return Ok(sum);
    }
    Ok(Translated {
        text: format!("{}::bigint", sum.text),
        ..sum
    })
}

fn avg(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summand(translator, call, SummandTypes::Converted)?;
    mean(translator, call, number, SqlType::Decimal)
}

/// A sum that is never NULL, and a double.
fn total(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summand(translator, call, SummandTypes::Converted)?;
    let sum = sum_of(translator, call, number)?;
    let text = format!("COALESCE({}, 0)::double precision", sum.text);
    Ok(Translated {
        extra_digits: true,
        ..Translated::primary(text, SqlType::Float).never_null(true)
    })
}

/// With one argument an aggregate; with more the smallest or largest of them, which is NULL where
/// one is.
fn extreme(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    if let [only] = call.arguments.as_slice() {
        call.aggregate()?;
        let mut value = translator.value(only)?;
        value = translator.numeric(value)?;
        let kind = value.kind;
        value.text = translator.collated(&value);
        return translator.aggregate(&call.name, call, &[value], kind);
    }
    conditionals::extreme(
        translator,
        call,
        NullArgument::MakesNull,
        ComparedTypes::LikeTypes,
    )
}

fn group_concat(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    let extras = call.separator.is_some() || call.limit.is_some() || call.nulls.is_some();
    if extras || call.star || (call.distinct && call.arguments.len() > 1) {
        return Err(call.refused());
    }
    if call.distinct {
        // They come sorted here, and as they are met there.
        translator.mark_likely();
    }
    let value = translator.text(call.argument(0)?)?;
    let separator = match call.arguments.get(1) {
        Some(separator) => translator.text(separator)?,
        None => literal::text(","),
    };
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let order = match call.order_by {
        [] => String::new(),
        _ if call.distinct => {
            return Err(Untranslatable::construct(
                "GROUP_CONCAT with DISTINCT and ORDER BY",
            ));
        }
        order_by => format!(" ORDER BY {}", translator.inner_order(order_by)?),
    };
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
