//! BigQuery's functions of numbers, and those that choose among values.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/mathematical_functions>

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

const fn rule(
    name: &'static str,
    arguments: (usize, usize),
    write: FunctionTranslation,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write,
        doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/mathematical_functions",
        case,
    }
}

const fn double(template: &'static str) -> FunctionTranslation {
    FunctionTranslation::Template(template, &[ArgumentType::Number], FLOAT)
}

/// All of them.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    rule("abs", (1, 1), FunctionTranslation::Plain("abs", &[ArgumentType::Number], ReturnType::First), ("ABS(n)", "abs(n)")),
    rule("sign", (1, 1), FunctionTranslation::Plain("sign", &[ArgumentType::Number], ReturnType::First),
        ("SIGN(q)", "sign(q)")),
    rule("ceil", (1, 1), FunctionTranslation::Plain("ceil", &[ArgumentType::Number], ReturnType::First),
        ("CEIL(q)", "ceil(q)")),
    rule("ceiling", (1, 1), FunctionTranslation::Plain("ceil", &[ArgumentType::Number], ReturnType::First),
        ("CEILING(q)", "ceil(q) AS ceiling")),
    rule("floor", (1, 1), FunctionTranslation::Plain("floor", &[ArgumentType::Number], ReturnType::First),
        ("FLOOR(q)", "floor(q)")),
    rule("round", (1, 2), FunctionTranslation::By(round), ("ROUND(q, 2)", "round(q, 2) AS round")),
    rule("trunc", (1, 2), FunctionTranslation::By(round), ("TRUNC(n)", "trunc(n::numeric) AS trunc")),
    rule("mod", (2, 2), FunctionTranslation::Plain("mod", &[ArgumentType::Decimal], ReturnType::Common),
        ("MOD(n, 2)", "mod(n, 2)")),
    rule("div", (2, 2), FunctionTranslation::Template("({0} / {1})", &[ArgumentType::Integer], INTEGER),
        ("DIV(n, 2)", "(n / 2) AS div")),
    rule("sqrt", (1, 1), double("sqrt({0}::double precision)"),
        ("SQRT(n)", "sqrt(n::double precision) AS sqrt")),
    rule("pow", (2, 2), double("power({0}::double precision, {1})"),
        ("POW(n, 2)", "power(n::double precision, 2) AS pow")),
    rule("power", (2, 2), double("power({0}::double precision, {1})"),
        ("POWER(n, 2)", "power(n::double precision, 2) AS power")),
    rule("exp", (1, 1), double("exp({0}::double precision)"),
        ("EXP(n)", "exp(n::double precision) AS exp")),
    rule("ln", (1, 1), double("ln({0}::double precision)"),
        ("LN(n)", "ln(n::double precision) AS ln")),
    // The natural one, unlike Postgres's.
    rule("log", (1, 1), double("ln({0}::double precision)"),
        ("LOG(n)", "ln(n::double precision) AS log")),
    rule("log10", (1, 1), double("log({0}::double precision)"),
        ("LOG10(n)", "log(n::double precision) AS log10")),
    rule("rand", (0, 0), FunctionTranslation::Plain("random", &[], FLOAT), ("RAND()", "random() AS rand")),
    rule("safe_divide", (2, 2), FunctionTranslation::By(safe_divide),
        ("SAFE_DIVIDE(n, 2)", "n::double precision / NULLIF(2, 0) AS safe_divide")),
    rule("greatest", (1, 99), FunctionTranslation::By(extreme),
        ("GREATEST(n, 1)", "CASE WHEN n IS NOT NULL THEN GREATEST(n, 1) END AS \"greatest\"")),
    rule("least", (1, 99), FunctionTranslation::By(extreme), ("LEAST(2, 1)", "LEAST(2, 1) AS \"least\"")),
    rule("coalesce", (1, 99), FunctionTranslation::By(coalesce), ("COALESCE(n, 0)", "COALESCE(n, 0)")),
    rule("ifnull", (2, 2), FunctionTranslation::By(coalesce), ("IFNULL(n, 0)", "COALESCE(n, 0) AS ifnull")),
    rule("nullif", (2, 2), FunctionTranslation::By(nullif), ("NULLIF(n, 0)", "NULLIF(n, 0)")),
    rule("if", (3, 3), FunctionTranslation::By(choice),
        ("IF(b, 1, 2)", "CASE WHEN b THEN 1 ELSE 2 END AS if")),
    rule("format", (1, 99), FunctionTranslation::By(format), ("FORMAT('%s!', s)", "s || '!' AS format")),
];

/// Halves go away from zero.
fn round(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.number(call.argument(0)?)?;
    let number = match value.kind {
        SqlType::Decimal => value.text.clone(),
        SqlType::Integer | SqlType::Float => format!("{}::numeric", value.operand()),
        _ => return Err(untyped(&value, "a number")),
    };
    let text = match call.arguments.get(1) {
        None => format!("{}({number})", call.name),
        Some(places) => {
            let places = translator.integer(places)?;
            format!("{}({number}, {})", call.name, places.text)
        }
    };
    Ok(Translated {
        extra_digits: true,
        ..Translated::primary(text, SqlType::Decimal).never_null(value.not_null)
    })
}

/// NULL where the divisor is zero.
fn safe_divide(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let dividend = translator.number(call.argument(0)?)?;
    let divisor = translator.number(call.argument(1)?)?;
    let (dividend, kind) = quotient(&dividend, &divisor)?;
    let text = format!("{dividend} / NULLIF({}, 0)", divisor.text);
    Ok(Translated {
        extra_digits: true,
        ..Translated::operation(text, kind)
    })
}

/// The dividend of a quotient with a fraction, and the quotient's kind.
pub fn quotient(dividend: &Translated, divisor: &Translated) -> TranslateResult<(String, SqlType)> {
    for side in [dividend, divisor] {
        if !side.kind.is_number() && side.kind != SqlType::Null {
            return Err(untyped(side, "a number"));
        }
    }
    match dividend.kind.common(divisor.kind) {
        SqlType::Decimal => Ok((dividend.operand(), SqlType::Decimal)),
        SqlType::Null => Ok(("NULL::double precision".to_owned(), SqlType::Float)),
        _ if dividend.kind == SqlType::Float => Ok((dividend.operand(), SqlType::Float)),
        _ => Ok((
            format!("{}::double precision", dividend.operand()),
            SqlType::Float,
        )),
    }
}

fn extreme(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let (values, kind) = aligned(translator, call)?;
    let name = call.name.to_ascii_uppercase();
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

fn coalesce(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let (values, kind) = aligned(translator, call)?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Ok(Translated {
        extra_digits: values.iter().any(|value| value.extra_digits),
        name: Some("coalesce".to_owned()),
        ..Translated::call("COALESCE", &texts, kind)
            .never_null(values.iter().any(|value| value.not_null))
    })
}

fn nullif(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let (values, kind) = aligned(translator, call)?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Ok(Translated {
        name: Some("nullif".to_owned()),
        ..Translated::call("NULLIF", &texts, kind)
    })
}

fn choice(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let condition = translator.condition(call.argument(0)?)?;
    let values = vec![
        translator.value(call.argument(1)?)?,
        translator.value(call.argument(2)?)?,
    ];
    let (values, kind) = translator.with_common_type(values)?;
    let mut text = format!("CASE WHEN {}", condition.text);
    for (value, keyword) in values.iter().zip(["THEN", "ELSE"]) {
        text.push_str(&format!(" {keyword} {}", value.text));
    }
    text.push_str(" END");
    Ok(Translated {
        name: Some("case".to_owned()),
        extra_digits: values.iter().any(|value| value.extra_digits),
        ..Translated::primary(text, kind).never_null(values.iter().all(|value| value.not_null))
    })
}

fn aligned(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<(Vec<Translated>, SqlType)> {
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(translator.value(argument)?);
    }
    translator.with_common_type(values)
}

/// FORMAT with the conversions that people write. What is NULL makes it all NULL.
fn format(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let format = translator.value(call.argument(0)?)?;
    let Some(format) = format.text_literal() else {
        return Err(Untranslatable::construct("a computed format"));
    };
    let mut arguments = call.arguments.iter().skip(1);
    let mut parts: Vec<String> = Vec::new();
    let mut letters = String::new();
    let mut rest = format;
    let mut not_null = true;
    while let Some((before, after)) = rest.split_once('%') {
        letters.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            letters.push('%');
            rest = after;
            continue;
        }
        let end = after
            .find(|letter: char| letter.is_ascii_alphabetic())
            .unwrap_or(0);
        let (flags, after) = after.split_at(end);
        let sign = after.chars().next().unwrap_or(' ');
        rest = after.get(1..).unwrap_or_default();
        let Some(argument) = arguments.next() else {
            return Err(Untranslatable::construct("a format without its value"));
        };
        let value = translator.value(argument)?;
        not_null &= value.not_null;
        if !letters.is_empty() {
            parts.push(literal::quoted(&std::mem::take(&mut letters)));
        }
        parts.push(converted(flags, sign, value)?);
    }
    letters.push_str(rest);
    if !letters.is_empty() || parts.is_empty() {
        parts.push(literal::quoted(&letters));
    }
    if arguments.next().is_some() {
        return Err(Untranslatable::construct("a value without its format"));
    }
    Ok(match parts.as_slice() {
        [only] => Translated::primary(only.clone(), SqlType::Text),
        parts => Translated::operation(parts.join(" || "), SqlType::Text),
    }
    .never_null(not_null))
}

fn converted(flags: &str, sign: char, value: Translated) -> TranslateResult<String> {
    let width = flags
        .strip_prefix('0')
        .and_then(|width| width.parse::<u8>().ok());
    let digits = flags
        .strip_prefix('.')
        .and_then(|digits| digits.parse::<u8>().ok());
    match (sign, flags, width, digits, value.kind) {
        ('s', "", _, _, SqlType::Text) => Ok(value.operand()),
        ('d' | 'i', "", _, _, SqlType::Integer) => Ok(format!("{}::text", value.operand())),
        ('d' | 'i', _, Some(width), _, SqlType::Integer) => {
            let number = value.operand();
            Ok(format!(
                "CASE WHEN {number} < 0 \
                 THEN '-' || lpad(abs({number})::text, \
                 GREATEST(length(abs({number})::text), {}), '0') \
                 ELSE lpad({number}::text, GREATEST(length({number}::text), {width}), '0') END",
                width.saturating_sub(1)
            ))
        }
        ('f' | 'F', _, _, Some(digits), SqlType::Decimal | SqlType::Float | SqlType::Integer) => {
            Ok(format!(
                "round({}::numeric, {digits})::text",
                value.operand()
            ))
        }
        _ => Err(
            Untranslatable::construct(&format!("the format %{flags}{sign}"))
                .hint("%s, %d and %.2f have an equivalent"),
        ),
    }
}
