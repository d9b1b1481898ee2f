//! BigQuery's functions of numbers, and those that choose among values.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/mathematical_functions>

use crate::rules::{
    ArgumentType, FIRST, FLOAT, FunctionRule, INTEGER, ReturnType, by, plain, template,
};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::literal;
use crate::translator::shared_functions::conditionals::{
    self, ComparedTypes, NullArgument, aligned_arguments, choice, coalesce, null_where_equal,
};
use crate::translator::shared_functions::numbers::rounded_to_decimal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str =
    "https://cloud.google.com/bigquery/docs/reference/standard-sql/mathematical_functions";

/// All of them.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    plain("abs", (1, 1), "abs", &[ArgumentType::Number], FIRST, DOC, "ABS(n)", "abs(n)"),
    plain("sign", (1, 1), "sign", &[ArgumentType::Number], FIRST, DOC, "SIGN(q)", "sign(q)"),
    plain("ceil", (1, 1), "ceil", &[ArgumentType::Number], FIRST, DOC, "CEIL(q)", "ceil(q)"),
    plain("ceiling", (1, 1), "ceil", &[ArgumentType::Number], FIRST, DOC, "CEILING(q)", "ceil(q) AS ceiling"),
    plain("floor", (1, 1), "floor", &[ArgumentType::Number], FIRST, DOC, "FLOOR(q)", "floor(q)"),
    by("round", (1, 2), round, DOC, "ROUND(q, 2)", "round(q, 2) AS round"),
    by("trunc", (1, 2), round, DOC, "TRUNC(n)", "trunc(n::numeric) AS trunc"),
    plain("mod", (2, 2), "mod", &[ArgumentType::Decimal], ReturnType::Common, DOC, "MOD(n, 2)", "mod(n, 2)"),
    template("div", (2, 2), "({1!} / {2!})", &[ArgumentType::Integer], INTEGER, DOC, "DIV(n, 2)", "(n / 2) AS div"),
    template("sqrt", (1, 1), "sqrt({1!}::double precision)", &[ArgumentType::Number], FLOAT, DOC, "SQRT(n)", "sqrt(n::double precision) AS sqrt"),
    template("pow", (2, 2), "power({1!}::double precision, {2!})", &[ArgumentType::Number], FLOAT, DOC, "POW(n, 2)", "power(n::double precision, 2) AS pow"),
    template("power", (2, 2), "power({1!}::double precision, {2!})", &[ArgumentType::Number], FLOAT, DOC, "POWER(n, 2)", "power(n::double precision, 2) AS power"),
    template("exp", (1, 1), "exp({1!}::double precision)", &[ArgumentType::Number], FLOAT, DOC, "EXP(n)", "exp(n::double precision) AS exp"),
    template("ln", (1, 1), "ln({1!}::double precision)", &[ArgumentType::Number], FLOAT, DOC, "LN(n)", "ln(n::double precision) AS ln"),
    // The natural one, unlike Postgres's.
    template("log", (1, 1), "ln({1!}::double precision)", &[ArgumentType::Number], FLOAT, DOC, "LOG(n)", "ln(n::double precision) AS log"),
    template("log10", (1, 1), "log({1!}::double precision)", &[ArgumentType::Number], FLOAT, DOC, "LOG10(n)", "log(n::double precision) AS log10"),
    plain("rand", (0, 0), "random", &[], FLOAT, DOC, "RAND()", "random() AS rand"),
    by("safe_divide", (2, 2), safe_divide, DOC, "SAFE_DIVIDE(n, 2)", "n::double precision / NULLIF(2, 0) AS safe_divide"),
    // Where they overflow there is an error here, and NULL there.
    template("safe_add", (2, 2), "({1!} + {2!})", &[ArgumentType::Number], ReturnType::Common, DOC, "SAFE_ADD(n, 1)", "(n + 1) AS safe_add"),
    template("safe_subtract", (2, 2), "({1!} - {2!})", &[ArgumentType::Number], ReturnType::Common, DOC, "SAFE_SUBTRACT(q, n)", "(q - n) AS safe_subtract"),
    template("safe_multiply", (2, 2), "({1!} * {2!})", &[ArgumentType::Number], ReturnType::Common, DOC, "SAFE_MULTIPLY(n, 2)", "(n * 2) AS safe_multiply"),
    template("safe_negate", (1, 1), "(- {1!})", &[ArgumentType::Number], FIRST, DOC, "SAFE_NEGATE(n)", "(- n) AS safe_negate"),
    by("greatest", (1, 99), extreme, DOC, "GREATEST(n, 1)", "CASE WHEN n IS NOT NULL THEN GREATEST(n, 1) END AS \"greatest\""),
    by("least", (1, 99), extreme, DOC, "LEAST(2, 1)", "LEAST(2, 1) AS \"least\""),
    by("coalesce", (1, 99), coalesce, DOC, "COALESCE(n, 0)", "COALESCE(n, 0)"),
    by("ifnull", (2, 2), coalesce, DOC, "IFNULL(n, 0)", "COALESCE(n, 0) AS ifnull"),
    by("nullif", (2, 2), nullif, DOC, "NULLIF(n, 0)", "NULLIF(n, 0)"),
    by("if", (3, 3), choice, DOC, "IF(b, 1, 2)", "CASE WHEN b THEN 1 ELSE 2 END AS if"),
    by("format", (1, 99), format, DOC, "FORMAT('%s!', s)", "s || '!' AS format"),
];

/// Halves go away from zero.
fn round(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let places = (call.arguments.get(1)).map(|places| translator.integer(places));
    rounded_to_decimal(&call.name, &number, places.transpose()?.as_ref())
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
    conditionals::extreme(
        translator,
        call,
        NullArgument::MakesNull,
        ComparedTypes::OneType,
    )
}

fn nullif(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let (values, kind) = aligned_arguments(translator, call)?;
    match values.as_slice() {
        [value, other] => Ok(Translated {
            kind,
            ..null_where_equal(value, &value.text, &other.text)
        }),
        _ => Err(call.refused()),
    }
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
