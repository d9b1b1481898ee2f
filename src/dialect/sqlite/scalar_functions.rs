//! SQLite's scalar functions of texts and numbers.
//!
//! <https://www.sqlite.org/lang_corefunc.html>, <https://www.sqlite.org/lang_mathfunc.html>

use crate::rules::{ArgumentType, FIRST, FLOAT, FunctionRule, INTEGER, TEXT, by, plain, template};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::shared_functions::conditionals::{choice, coalesce, null_where_equal};
use crate::translator::shared_functions::numbers::{never_negative, rounded_to_decimal};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const CORE: &str = "https://www.sqlite.org/lang_corefunc.html";
const MATHS: &str = "https://www.sqlite.org/lang_mathfunc.html";

/// Functions of texts.
#[rustfmt::skip]
pub const TEXTS: &[FunctionRule] = &[
    // Only the letters of ASCII have a case there.
    template("upper", (1, 1), "upper({1!} COLLATE \"C\")", &[ArgumentType::Text], TEXT, CORE, "upper(s)", "upper(s COLLATE \"C\") AS upper"),
    template("lower", (1, 1), "lower({1!} COLLATE \"C\")", &[ArgumentType::Text], TEXT, CORE, "lower(s)", "lower(s COLLATE \"C\") AS lower"),
    plain("length", (1, 1), "length", &[ArgumentType::Text], INTEGER, CORE, "length(n)", "length(CAST(n AS text))"),
    plain("trim", (1, 2), "btrim", &[ArgumentType::Text], TEXT, CORE, "trim(s, 'x')", "btrim(s, 'x')"),
    plain("ltrim", (1, 2), "ltrim", &[ArgumentType::Text], TEXT, CORE, "ltrim(s)", "ltrim(s)"),
    plain("rtrim", (1, 2), "rtrim", &[ArgumentType::Text], TEXT, CORE, "rtrim(s)", "rtrim(s)"),
    plain("replace", (3, 3), "replace", &[ArgumentType::Text], TEXT, CORE, "replace(s, 'a', 'b')", "replace(s, 'a', 'b')"),
    plain("instr", (2, 2), "strpos", &[ArgumentType::Text], INTEGER, CORE, "instr(s, 'a')", "strpos(s, 'a') AS instr"),
    template("unicode", (1, 1), "NULLIF(ascii({1!}), 0)", &[ArgumentType::Text], INTEGER, CORE, "unicode(s)", "NULLIF(ascii(s), 0) AS unicode"),
    plain("char", (1, 1), "chr", &[ArgumentType::Integer], TEXT, CORE, "char(n)", "chr(n) AS \"char\""),
    template("hex", (1, 1), "COALESCE(upper(encode(convert_to({1!}, 'UTF8'), 'hex')), '')", &[ArgumentType::Text], TEXT, CORE, "hex(s)", "COALESCE(upper(encode(convert_to(s, 'UTF8'), 'hex')), '') AS hex"),
    by("quote", (1, 1), quote, CORE, "quote(s)", "COALESCE('''' || replace(s, '''', '''''') || '''', 'NULL') AS quote"),
    by("substr", (2, 3), substr, CORE, "substr(s, -3)", "right(s, 3) AS \"substring\""),
    by("substring", (2, 3), substr, CORE, "substring(s, 2, 3)", "substr(s, 2, 3) AS \"substring\""),
    plain("concat", (1, 99), "concat", &[ArgumentType::Text], TEXT, CORE, "concat(s, n)", "concat(s, CAST(n AS text))"),
];

/// Functions of numbers.
#[rustfmt::skip]
pub const NUMBERS: &[FunctionRule] = &[
    plain("abs", (1, 1), "abs", &[ArgumentType::Number], FIRST, CORE, "abs(n)", "abs(n)"),
    template("sign", (1, 1), "sign({1!})::integer", &[ArgumentType::Number], INTEGER, CORE, "sign(q)", "sign(q)::integer AS sign"),
    by("round", (1, 2), round, CORE, "round(q, 2)", "round(q, 2)"),
    by("random", (0, 0), random, CORE, "random()", "random()"),
    plain("ceil", (1, 1), "ceil", &[ArgumentType::Number], FIRST, MATHS, "ceil(q)", "ceil(q)"),
    plain("ceiling", (1, 1), "ceil", &[ArgumentType::Number], FIRST, MATHS, "ceiling(q)", "ceil(q) AS ceiling"),
    plain("floor", (1, 1), "floor", &[ArgumentType::Number], FIRST, MATHS, "floor(q)", "floor(q)"),
    template("sqrt", (1, 1), "sqrt({1!}::double precision)", &[ArgumentType::Number], FLOAT, MATHS, "sqrt(n)", "sqrt(n::double precision) AS sqrt"),
    template("power", (2, 2), "power({1!}::double precision, {2!})", &[ArgumentType::Number], FLOAT, MATHS, "power(n, 2)", "power(n::double precision, 2) AS power"),
    template("pow", (2, 2), "power({1!}::double precision, {2!})", &[ArgumentType::Number], FLOAT, MATHS, "pow(n, 2)", "power(n::double precision, 2) AS pow"),
    template("exp", (1, 1), "exp({1!}::double precision)", &[ArgumentType::Number], FLOAT, MATHS, "exp(n)", "exp(n::double precision) AS exp"),
    template("ln", (1, 1), "ln({1!}::double precision)", &[ArgumentType::Number], FLOAT, MATHS, "ln(n)", "ln(n::double precision) AS ln"),
    template("log10", (1, 1), "log({1!}::double precision)", &[ArgumentType::Number], FLOAT, MATHS, "log10(n)", "log(n::double precision) AS log10"),
    template("log", (1, 1), "log({1!}::double precision)", &[ArgumentType::Number], FLOAT, MATHS, "log(n)", "log(n::double precision) AS log"),
    plain("pi", (0, 0), "pi", &[], FLOAT, MATHS, "pi()", "pi()"),
];

/// Functions that choose among values.
#[rustfmt::skip]
pub const CHOICES: &[FunctionRule] = &[
    by("coalesce", (2, 99), coalesce, CORE, "coalesce(n, 0)", "COALESCE(n, 0)"),
    by("ifnull", (2, 2), coalesce, CORE, "ifnull(s, 'x')", "COALESCE(s, 'x') AS ifnull"),
    by("nullif", (2, 2), nullif, CORE, "nullif(n, 0)", "NULLIF(n, 0)"),
    by("iif", (2, 3), choice, CORE, "iif(n > 1, 'a', 'b')", "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS iif"),
    by("if", (2, 3), choice, CORE, "if(n > 1, 'a')", "CASE WHEN n > 1 THEN 'a' END AS if"),
];

fn nullif(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let mut numbers = Vec::new();
    for value in values(translator, call)? {
        numbers.push(translator.numeric(value)?);
    }
    let [left, right] = numbers.as_slice() else {
        return Err(Untranslatable::function("nullif"));
    };
    // Both are compared as `=` compares them, which for unlike types is never equal there.
    let alike = left.kind == right.kind || (left.kind.is_number() && right.kind.is_number());
    if !alike && right.kind != SqlType::Null {
        return Err(Untranslatable::function("nullif").hint("give it two values of one type"));
    }
    Ok(null_where_equal(left, &left.text, &right.text))
}

fn quote(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let values = values(translator, call)?;
    let [value] = values.as_slice() else {
        return Err(Untranslatable::function("quote"));
    };
    let text = match value.kind {
        SqlType::Integer => format!("COALESCE({}::text, 'NULL')", value.operand()),
        SqlType::Text => format!(
            "COALESCE('''' || replace({}, '''', '''''') || '''', 'NULL')",
            value.text
        ),
        _ => return Err(Untranslatable::function("quote")),
    };
    Ok(Translated::primary(text, SqlType::Text).never_null(true))
}

/// Characters from a place, which counts from the end where it is negative.
fn substr(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let (whole, start, count) = match call.arguments.as_slice() {
        [whole, start] => (whole, start, None),
        [whole, start, count] => (whole, start, Some(count)),
        _ => return Err(Untranslatable::function("substr")),
    };
    let whole = translator.value(whole)?;
    let whole = translator.as_text(whole)?;
    let start = translator.number(start)?;
    let count = count.map(|count| translator.number(count)).transpose()?;
    let computed = "SUBSTR with a place that may be negative";
    let length = match &count {
        None => None,
        Some(count) if count.kind != SqlType::Integer => {
            return Err(Untranslatable::function("substr"));
        }
        Some(count) => match (count.small_integer(), start.small_integer()) {
            (Some(given), _) if given >= 0 => Some(count.text.clone()),
            // What would be before the first character is nothing.
            (None, Some(1)) if never_negative(count) => Some(count.text.clone()),
            (None, Some(1)) => Some(format!("GREATEST({}, 0)", count.text)),
            (None, _) if never_negative(count) => Some(count.text.clone()),
            _ => {
                return Err(
                    Untranslatable::construct("SUBSTR with a length that may be negative")
                        .hint("substr() of Postgres takes no negative length"),
                );
            }
        },
    };
    let not_null = whole.not_null && start.not_null && count.is_none_or(|count| count.not_null);
    let text = match (start.small_integer(), length) {
        (Some(from), None) if from < 0 => {
            format!("right({}, {})", whole.text, from.unsigned_abs())
        }
        (Some(from), Some(length)) if from < 0 => {
            let back = from.unsigned_abs().saturating_sub(1);
            let place = format!("length({}) - {back}", whole.text);
            format!("substr({}, {place}, {length})", whole.text)
        }
        (None, _) if start.kind != SqlType::Integer || !never_negative(&start) => {
            return Err(Untranslatable::construct(computed)
                .hint("count from the beginning, or take right()"));
        }
        (_, None) => format!("substr({}, {})", whole.text, start.text),
        (_, Some(length)) => format!("substr({}, {}, {length})", whole.text, start.text),
    };
    Ok(Translated::primary(text, SqlType::Text).never_null(not_null))
}

/// Halves are rounded away from zero, and the result is a double.
fn round(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = translator.number(call.argument(0)?)?;
    let places = (call.arguments.get(1)).map(|places| translator.number(places));
    let places = places.transpose()?;
    let is_known = |places: &Translated| matches!(places.small_integer(), Some(0..=30));
    if !places.as_ref().is_none_or(is_known) {
        return Err(Untranslatable::construct("ROUND to a computed place"));
    }
    Ok(Translated {
        name: Some("round".to_owned()),
        ..rounded_to_decimal("round", &number, places.as_ref())?
    })
}

/// For sorting by chance alone: its values are others.
fn random(_: &mut Translator<'_>, _: &SourceCall<'_>) -> TranslateResult<Translated> {
    Ok(Translated {
        // Nothing is counted or compared with it.
        ..Translated::call("random", &[], SqlType::Other).never_null(true)
    })
}

fn values(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Vec<Translated>> {
    let arguments = call.arguments.iter();
    arguments
        .map(|argument| translator.value(argument))
        .collect()
}
