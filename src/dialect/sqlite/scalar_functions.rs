//! SQLite's scalar functions of texts and numbers.
//!
//! <https://www.sqlite.org/lang_corefunc.html>, <https://www.sqlite.org/lang_mathfunc.html>

use crate::dialect::source::{ArgumentType, FunctionRule, FunctionTranslation, ReturnType};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::{TranslateResult, Untranslatable};

const CORE: &str = "https://www.sqlite.org/lang_corefunc.html";
const MATHS: &str = "https://www.sqlite.org/lang_mathfunc.html";

const TEXT: ReturnType = ReturnType::Kind(SqlType::Text);
const INTEGER: ReturnType = ReturnType::Kind(SqlType::Integer);
const FLOAT: ReturnType = ReturnType::Kind(SqlType::Float);

const fn core(
    name: &'static str,
    arguments: (usize, usize),
    write: FunctionTranslation,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write,
        doc: CORE,
        case,
    }
}

const fn maths(
    name: &'static str,
    arguments: (usize, usize),
    write: FunctionTranslation,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write,
        doc: MATHS,
        case,
    }
}

/// Functions of texts.
#[rustfmt::skip]
pub const TEXTS: &[FunctionRule] = &[
    // Only the letters of ASCII have a case there.
    core("upper", (1, 1), FunctionTranslation::Template("upper({0} COLLATE \"C\")", &[ArgumentType::Text], TEXT),
        ("upper(s)", "upper(s COLLATE \"C\") AS upper")),
    core("lower", (1, 1), FunctionTranslation::Template("lower({0} COLLATE \"C\")", &[ArgumentType::Text], TEXT),
        ("lower(s)", "lower(s COLLATE \"C\") AS lower")),
    core("length", (1, 1), FunctionTranslation::Plain("length", &[ArgumentType::Text], INTEGER),
        ("length(n)", "length(CAST(n AS text))")),
    core("trim", (1, 2), FunctionTranslation::Plain("btrim", &[ArgumentType::Text], TEXT),
        ("trim(s, 'x')", "btrim(s, 'x')")),
    core("ltrim", (1, 2), FunctionTranslation::Plain("ltrim", &[ArgumentType::Text], TEXT),
        ("ltrim(s)", "ltrim(s)")),
    core("rtrim", (1, 2), FunctionTranslation::Plain("rtrim", &[ArgumentType::Text], TEXT),
        ("rtrim(s)", "rtrim(s)")),
    core("replace", (3, 3), FunctionTranslation::Plain("replace", &[ArgumentType::Text], TEXT),
        ("replace(s, 'a', 'b')", "replace(s, 'a', 'b')")),
    core("instr", (2, 2), FunctionTranslation::Plain("strpos", &[ArgumentType::Text], INTEGER),
        ("instr(s, 'a')", "strpos(s, 'a') AS instr")),
    core("unicode", (1, 1), FunctionTranslation::Template("NULLIF(ascii({0}), 0)", &[ArgumentType::Text], INTEGER),
        ("unicode(s)", "NULLIF(ascii(s), 0) AS unicode")),
    core("char", (1, 1), FunctionTranslation::Plain("chr", &[ArgumentType::Integer], TEXT),
        ("char(n)", "chr(n) AS \"char\"")),
    core("hex", (1, 1),
        FunctionTranslation::Template("COALESCE(upper(encode(convert_to({0}, 'UTF8'), 'hex')), '')",
            &[ArgumentType::Text], TEXT),
        ("hex(s)", "COALESCE(upper(encode(convert_to(s, 'UTF8'), 'hex')), '') AS hex")),
    core("quote", (1, 1), FunctionTranslation::By(quote),
        ("quote(s)", "COALESCE('''' || replace(s, '''', '''''') || '''', 'NULL') AS quote")),
    core("substr", (2, 3), FunctionTranslation::By(substr),
        ("substr(s, -3)", "right(s, 3) AS \"substring\"")),
    core("substring", (2, 3), FunctionTranslation::By(substr),
        ("substring(s, 2, 3)", "substr(s, 2, 3) AS \"substring\"")),
    core("concat", (1, 99), FunctionTranslation::Plain("concat", &[ArgumentType::Text], TEXT),
        ("concat(s, n)", "concat(s, CAST(n AS text))")),
];

/// Functions of numbers.
#[rustfmt::skip]
pub const NUMBERS: &[FunctionRule] = &[
    core("abs", (1, 1), FunctionTranslation::Plain("abs", &[ArgumentType::Number], ReturnType::First),
        ("abs(n)", "abs(n)")),
    core("sign", (1, 1), FunctionTranslation::Template("sign({0})::integer", &[ArgumentType::Number], INTEGER),
        ("sign(q)", "sign(q)::integer AS sign")),
    core("round", (1, 2), FunctionTranslation::By(round),
        ("round(q, 2)", "round(q, 2)")),
    core("random", (0, 0), FunctionTranslation::By(random),
        ("random()", "random()")),
    maths("ceil", (1, 1), FunctionTranslation::Plain("ceil", &[ArgumentType::Number], ReturnType::First),
        ("ceil(q)", "ceil(q)")),
    maths("ceiling", (1, 1), FunctionTranslation::Plain("ceil", &[ArgumentType::Number], ReturnType::First),
        ("ceiling(q)", "ceil(q) AS ceiling")),
    maths("floor", (1, 1), FunctionTranslation::Plain("floor", &[ArgumentType::Number], ReturnType::First),
        ("floor(q)", "floor(q)")),
    maths("sqrt", (1, 1), FunctionTranslation::Template("sqrt({0}::double precision)", &[ArgumentType::Number], FLOAT),
        ("sqrt(n)", "sqrt(n::double precision) AS sqrt")),
    maths("power", (2, 2), power(), ("power(n, 2)", "power(n::double precision, 2) AS power")),
    maths("pow", (2, 2), power(), ("pow(n, 2)", "power(n::double precision, 2) AS pow")),
    maths("exp", (1, 1), FunctionTranslation::Template("exp({0}::double precision)", &[ArgumentType::Number], FLOAT),
        ("exp(n)", "exp(n::double precision) AS exp")),
    maths("ln", (1, 1), FunctionTranslation::Template("ln({0}::double precision)", &[ArgumentType::Number], FLOAT),
        ("ln(n)", "ln(n::double precision) AS ln")),
    maths("log10", (1, 1), FunctionTranslation::Template("log({0}::double precision)", &[ArgumentType::Number], FLOAT),
        ("log10(n)", "log(n::double precision) AS log10")),
    maths("log", (1, 1), FunctionTranslation::Template("log({0}::double precision)", &[ArgumentType::Number], FLOAT),
        ("log(n)", "log(n::double precision) AS log")),
    maths("pi", (0, 0), FunctionTranslation::Plain("pi", &[], FLOAT), ("pi()", "pi()")),
];

/// Functions that choose among values.
#[rustfmt::skip]
pub const CHOICES: &[FunctionRule] = &[
    core("coalesce", (2, 99), FunctionTranslation::By(coalesce), ("coalesce(n, 0)", "COALESCE(n, 0)")),
    core("ifnull", (2, 2), FunctionTranslation::By(coalesce), ("ifnull(s, 'x')", "COALESCE(s, 'x') AS ifnull")),
    core("nullif", (2, 2), FunctionTranslation::By(nullif), ("nullif(n, 0)", "NULLIF(n, 0)")),
    core("iif", (2, 3), FunctionTranslation::By(iif),
        ("iif(n > 1, 'a', 'b')", "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS iif")),
    core("if", (2, 3), FunctionTranslation::By(iif),
        ("if(n > 1, 'a')", "CASE WHEN n > 1 THEN 'a' END AS if")),
];

const fn power() -> FunctionTranslation {
    FunctionTranslation::Template(
        "power({0}::double precision, {1})",
        &[ArgumentType::Number],
        FLOAT,
    )
}

fn coalesce(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let values = values(translator, call)?;
    let (values, kind) = translator.with_common_type(values)?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let written = Translated::call("COALESCE", &texts, kind);
    Ok(Translated {
        name: Some("coalesce".to_owned()),
        extra_digits: values.iter().any(|value| value.extra_digits),
        ..written.never_null(values.iter().any(|value| value.not_null))
    })
}

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
    Ok(Translated {
        name: Some("nullif".to_owned()),
        extra_digits: left.extra_digits,
        ..Translated::call("NULLIF", &[&left.text, &right.text], left.kind)
    })
}

fn iif(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let (condition, chosen, otherwise) = match call.arguments.as_slice() {
        [condition, chosen] => (condition, chosen, None),
        [condition, chosen, otherwise] => (condition, chosen, Some(otherwise)),
        _ => return Err(Untranslatable::function("iif")),
    };
    let condition = translator.condition(condition)?;
    let mut values = vec![translator.value(chosen)?];
    if let Some(otherwise) = otherwise {
        values.push(translator.value(otherwise)?);
    }
    let (values, kind) = translator.with_common_type(values)?;
    let mut text = format!("CASE WHEN {}", condition.text);
    for (value, keyword) in values.iter().zip(["THEN", "ELSE"]) {
        text.push_str(&format!(" {keyword} {}", value.text));
    }
    text.push_str(" END");
    Ok(Translated {
        name: Some("case".to_owned()),
        extra_digits: values.iter().any(|value| value.extra_digits),
        not_null: values.len() == 2 && values.iter().all(|value| value.not_null),
        ..Translated::primary(text, kind)
    })
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

/// Whether a number cannot be negative: places and lengths, and what is added to them.
pub fn never_negative(value: &Translated) -> bool {
    let parts = value.text.split(" + ");
    let mut all = parts.map(|part| {
        let is_digits = !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
        let is_call = ["strpos(", "length("]
            .iter()
            .any(|call| part.starts_with(call) && closes_at_end(part));
        is_digits || is_call
    });
    all.all(|sure| sure)
}

/// Whether the first parenthesis of a text is closed by its last character, and nothing in it
/// could be mistaken for one.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0_usize;
    let last = text.len().saturating_sub(1);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at == last;
                }
            }
            _ => {}
        }
    }
    false
}

/// Halves are rounded away from zero, and the result is a double.
fn round(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let (value, places) = match call.arguments.as_slice() {
        [value] => (value, None),
        [value, places] => (value, Some(places)),
        _ => return Err(Untranslatable::function("round")),
    };
    let value = translator.number(value)?;
    let number = match value.kind {
        SqlType::Decimal => value.text.clone(),
        SqlType::Integer | SqlType::Float => format!("{}::numeric", value.operand()),
        _ => return Err(crate::dialect::source::untyped(&value, "a number")),
    };
    let text = match places {
        None => format!("round({number})"),
        Some(places) => {
            let places = translator.number(places)?;
            match places.small_integer() {
                Some(count) if (0..=30).contains(&count) => {
                    format!("round({number}, {count})")
                }
                _ => return Err(Untranslatable::construct("ROUND to a computed place")),
            }
        }
    };
    Ok(Translated {
        extra_digits: true,
        name: Some("round".to_owned()),
        ..Translated::primary(text, SqlType::Decimal).never_null(value.not_null)
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
