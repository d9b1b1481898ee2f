//! SQLite's aggregates and window functions.
//!
//! <https://www.sqlite.org/lang_aggfunc.html>, <https://www.sqlite.org/windowfunctions.html>

use crate::dialect::source::{
    ArgumentType, FunctionRule, FunctionTranslation, ReturnType, untyped,
};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::{TranslateResult, Untranslatable};

const INTEGER: ReturnType = ReturnType::Kind(SqlType::Integer);
const FLOAT: ReturnType = ReturnType::Kind(SqlType::Float);

const fn aggregate(
    name: &'static str,
    arguments: (usize, usize),
    write: FunctionTranslation,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write,
        doc: "https://www.sqlite.org/lang_aggfunc.html",
        case,
    }
}

const fn window(
    name: &'static str,
    arguments: (usize, usize),
    takes: &'static [ArgumentType],
    returns: ReturnType,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write: FunctionTranslation::Window(name, takes, returns),
        doc: "https://www.sqlite.org/windowfunctions.html#biwinfunc",
        case,
    }
}

/// All of them.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    aggregate("count", (0, 1), FunctionTranslation::Aggregate("count", &[ArgumentType::Any], INTEGER),
        ("count(n)", "count(n)")),
    aggregate("sum", (1, 1), FunctionTranslation::By(sum), ("sum(n)", "sum(n)::bigint")),
    aggregate("avg", (1, 1), FunctionTranslation::By(avg), ("avg(q)", "avg(q)")),
    aggregate("total", (1, 1), FunctionTranslation::By(total),
        ("total(n)", "COALESCE(sum(n), 0)::double precision AS total")),
    aggregate("min", (1, 99), FunctionTranslation::By(extreme), ("min(n)", "min(n)")),
    aggregate("max", (1, 99), FunctionTranslation::By(extreme), ("max(n, 3)", "CASE WHEN n IS NOT NULL THEN GREATEST(n, 3) END AS max")),
    aggregate("group_concat", (1, 2), FunctionTranslation::By(group_concat),
        ("group_concat(n, '; ')", "string_agg(CAST(n AS text), '; ') AS group_concat")),
    aggregate("string_agg", (2, 2), FunctionTranslation::By(group_concat),
        ("string_agg(s, ',')", "string_agg(s, ',')")),
    window("row_number", (0, 0), &[], INTEGER,
        ("row_number() OVER (ORDER BY n)", "row_number() OVER (ORDER BY n NULLS FIRST)")),
    window("rank", (0, 0), &[], INTEGER,
        ("rank() OVER (ORDER BY n)", "rank() OVER (ORDER BY n NULLS FIRST)")),
    window("dense_rank", (0, 0), &[], INTEGER,
        ("dense_rank() OVER (ORDER BY n)", "dense_rank() OVER (ORDER BY n NULLS FIRST)")),
    window("percent_rank", (0, 0), &[], FLOAT,
        ("percent_rank() OVER (ORDER BY n)", "percent_rank() OVER (ORDER BY n NULLS FIRST)")),
    window("cume_dist", (0, 0), &[], FLOAT,
        ("cume_dist() OVER (ORDER BY n)", "cume_dist() OVER (ORDER BY n NULLS FIRST)")),
    window("ntile", (1, 1), &[ArgumentType::Integer], INTEGER,
        ("ntile(4) OVER (ORDER BY n)", "ntile(4) OVER (ORDER BY n NULLS FIRST)")),
    window("lag", (1, 3), &[ArgumentType::Any, ArgumentType::Integer, ArgumentType::Any], ReturnType::First,
        ("lag(s) OVER (ORDER BY n)", "lag(s) OVER (ORDER BY n NULLS FIRST)")),
    window("lead", (1, 3), &[ArgumentType::Any, ArgumentType::Integer, ArgumentType::Any], ReturnType::First,
        ("lead(s, 2) OVER (ORDER BY n)", "lead(s, 2) OVER (ORDER BY n NULLS FIRST)")),
    window("first_value", (1, 1), &[ArgumentType::Any], ReturnType::First,
        ("first_value(s) OVER (ORDER BY n)", "first_value(s) OVER (ORDER BY n NULLS FIRST)")),
    window("last_value", (1, 1), &[ArgumentType::Any], ReturnType::First,
        ("last_value(s) OVER (ORDER BY n)", "last_value(s) OVER (ORDER BY n NULLS FIRST)")),
];

/// The sum of whole numbers is a whole number, with what follows for divisions.
fn sum(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.aggregate()?;
    let value = translator.number(call.argument(0)?)?;
    let value = known(value)?;
    let kind = value.kind;
    let sum = translator.aggregate("sum", call, &[value], kind)?;
    if kind != SqlType::Integer {
        return Ok(sum);
    }
    Ok(Translated {
        text: format!("{}::bigint", sum.text),
        ..sum
    })
}

fn avg(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.aggregate()?;
    let value = translator.number(call.argument(0)?)?;
    let value = known(value)?;
    let kind = match value.kind {
        SqlType::Float => SqlType::Float,
        _ => SqlType::Decimal,
    };
    let avg = translator.aggregate("avg", call, &[value], kind)?;
    Ok(Translated {
        extra_digits: true,
        ..avg
    })
}

/// A sum that is never NULL, and a double.
fn total(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.aggregate()?;
    let value = translator.number(call.argument(0)?)?;
    let value = known(value)?;
    let kind = value.kind;
    let sum = translator.aggregate("sum", call, &[value], kind)?;
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
    call.plain()?;
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(translator.value(argument)?);
    }
    // Numbers are smaller than texts there, whatever they say.
    let mut unlike = values.windows(2).filter(|pair| match pair {
        [one, next] => !one.kind.compares_directly(next.kind),
        _ => false,
    });
    if let Some([one, ..]) = unlike.next() {
        return Err(untyped(one, "the type of the others"));
    }
    let (values, kind) = translator.with_common_type(values)?;
    let name = if call.name == "max" {
        "GREATEST"
    } else {
        "LEAST"
    };
    let texts: Vec<String> = values
        .iter()
        .map(|value| translator.collated(value))
        .collect();
    let chosen = format!("{name}({})", texts.join(", "));
    let tests: Vec<String> = (values.iter())
        .filter(|value| !value.not_null)
        .map(|value| format!("{} IS NOT NULL", value.operand()))
        .collect();
    if tests.is_empty() {
        return Ok(Translated::primary(chosen, kind).never_null(true));
    }
    let text = format!("CASE WHEN {} THEN {chosen} END", tests.join(" AND "));
    Ok(Translated::primary(text, kind))
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

fn known(value: Translated) -> TranslateResult<Translated> {
    match value.kind {
        SqlType::Unclear => Err(untyped(&value, "a number")),
        _ => Ok(value),
    }
}
