//! SQLite's scalar functions of texts and numbers.
//!
//! <https://www.sqlite.org/lang_corefunc.html>, <https://www.sqlite.org/lang_mathfunc.html>

use crate::dialect::source::{Returns, Rule, Takes, Write};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const CORE: &str = "https://www.sqlite.org/lang_corefunc.html";
const MATHS: &str = "https://www.sqlite.org/lang_mathfunc.html";

const TEXT: Returns = Returns::Kind(Kind::Text);
const INTEGER: Returns = Returns::Kind(Kind::Integer);
const FLOAT: Returns = Returns::Kind(Kind::Float);

const fn core(
    name: &'static str,
    arguments: (usize, usize),
    write: Write,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
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
    write: Write,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments,
        write,
        doc: MATHS,
        case,
    }
}

/// Functions of texts.
#[rustfmt::skip]
pub const TEXTS: &[Rule] = &[
    // Only the letters of ASCII have a case there.
    core("upper", (1, 1), Write::Template("upper({0} COLLATE \"C\")", &[Takes::Text], TEXT),
        ("upper(s)", "upper(s COLLATE \"C\") AS upper")),
    core("lower", (1, 1), Write::Template("lower({0} COLLATE \"C\")", &[Takes::Text], TEXT),
        ("lower(s)", "lower(s COLLATE \"C\") AS lower")),
    core("length", (1, 1), Write::Plain("length", &[Takes::Text], INTEGER),
        ("length(n)", "length(CAST(n AS text))")),
    core("trim", (1, 2), Write::Plain("btrim", &[Takes::Text], TEXT),
        ("trim(s, 'x')", "btrim(s, 'x')")),
    core("ltrim", (1, 2), Write::Plain("ltrim", &[Takes::Text], TEXT),
        ("ltrim(s)", "ltrim(s)")),
    core("rtrim", (1, 2), Write::Plain("rtrim", &[Takes::Text], TEXT),
        ("rtrim(s)", "rtrim(s)")),
    core("replace", (3, 3), Write::Plain("replace", &[Takes::Text], TEXT),
        ("replace(s, 'a', 'b')", "replace(s, 'a', 'b')")),
    core("instr", (2, 2), Write::Plain("strpos", &[Takes::Text], INTEGER),
        ("instr(s, 'a')", "strpos(s, 'a') AS instr")),
    core("unicode", (1, 1), Write::Template("NULLIF(ascii({0}), 0)", &[Takes::Text], INTEGER),
        ("unicode(s)", "NULLIF(ascii(s), 0) AS unicode")),
    core("char", (1, 1), Write::Plain("chr", &[Takes::Integer], TEXT),
        ("char(n)", "chr(n) AS \"char\"")),
    core("hex", (1, 1),
        Write::Template("COALESCE(upper(encode(convert_to({0}, 'UTF8'), 'hex')), '')",
            &[Takes::Text], TEXT),
        ("hex(s)", "COALESCE(upper(encode(convert_to(s, 'UTF8'), 'hex')), '') AS hex")),
    core("quote", (1, 1), Write::By(quote),
        ("quote(s)", "COALESCE('''' || replace(s, '''', '''''') || '''', 'NULL') AS quote")),
    core("substr", (2, 3), Write::By(substr),
        ("substr(s, -3)", "right(s, 3) AS \"substring\"")),
    core("substring", (2, 3), Write::By(substr),
        ("substring(s, 2, 3)", "substr(s, 2, 3) AS \"substring\"")),
    core("concat", (1, 99), Write::Plain("concat", &[Takes::Text], TEXT),
        ("concat(s, n)", "concat(s, CAST(n AS text))")),
];

/// Functions of numbers.
#[rustfmt::skip]
pub const NUMBERS: &[Rule] = &[
    core("abs", (1, 1), Write::Plain("abs", &[Takes::Number], Returns::First),
        ("abs(n)", "abs(n)")),
    core("sign", (1, 1), Write::Template("sign({0})::integer", &[Takes::Number], INTEGER),
        ("sign(q)", "sign(q)::integer AS sign")),
    core("round", (1, 2), Write::By(round),
        ("round(q, 2)", "round(q, 2)")),
    core("random", (0, 0), Write::By(random),
        ("random()", "random()")),
    maths("ceil", (1, 1), Write::Plain("ceil", &[Takes::Number], Returns::First),
        ("ceil(q)", "ceil(q)")),
    maths("ceiling", (1, 1), Write::Plain("ceil", &[Takes::Number], Returns::First),
        ("ceiling(q)", "ceil(q) AS ceiling")),
    maths("floor", (1, 1), Write::Plain("floor", &[Takes::Number], Returns::First),
        ("floor(q)", "floor(q)")),
    maths("sqrt", (1, 1), Write::Template("sqrt({0}::double precision)", &[Takes::Number], FLOAT),
        ("sqrt(n)", "sqrt(n::double precision) AS sqrt")),
    maths("power", (2, 2), power(), ("power(n, 2)", "power(n::double precision, 2) AS power")),
    maths("pow", (2, 2), power(), ("pow(n, 2)", "power(n::double precision, 2) AS pow")),
    maths("exp", (1, 1), Write::Template("exp({0}::double precision)", &[Takes::Number], FLOAT),
        ("exp(n)", "exp(n::double precision) AS exp")),
    maths("ln", (1, 1), Write::Template("ln({0}::double precision)", &[Takes::Number], FLOAT),
        ("ln(n)", "ln(n::double precision) AS ln")),
    maths("log10", (1, 1), Write::Template("log({0}::double precision)", &[Takes::Number], FLOAT),
        ("log10(n)", "log(n::double precision) AS log10")),
    maths("log", (1, 1), Write::Template("log({0}::double precision)", &[Takes::Number], FLOAT),
        ("log(n)", "log(n::double precision) AS log")),
    maths("pi", (0, 0), Write::Plain("pi", &[], FLOAT), ("pi()", "pi()")),
];

/// Functions that choose among values.
#[rustfmt::skip]
pub const CHOICES: &[Rule] = &[
    core("coalesce", (2, 99), Write::By(coalesce), ("coalesce(n, 0)", "COALESCE(n, 0)")),
    core("ifnull", (2, 2), Write::By(coalesce), ("ifnull(s, 'x')", "COALESCE(s, 'x') AS ifnull")),
    core("nullif", (2, 2), Write::By(nullif), ("nullif(n, 0)", "NULLIF(n, 0)")),
    core("iif", (2, 3), Write::By(iif),
        ("iif(n > 1, 'a', 'b')", "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS iif")),
    core("if", (2, 3), Write::By(iif),
        ("if(n > 1, 'a')", "CASE WHEN n > 1 THEN 'a' END AS if")),
];

const fn power() -> Write {
    Write::Template("power({0}::double precision, {1})", &[Takes::Number], FLOAT)
}

fn coalesce(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let values = values(writer, call)?;
    let (values, kind) = writer.aligned(values)?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let written = Written::call("COALESCE", &texts, kind);
    Ok(Written {
        name: Some("coalesce".to_owned()),
        longer: values.iter().any(|value| value.longer),
        ..written.never_null(values.iter().any(|value| value.not_null))
    })
}

fn nullif(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let mut numbers = Vec::new();
    for value in values(writer, call)? {
        numbers.push(writer.numeric(value)?);
    }
    let [left, right] = numbers.as_slice() else {
        return Err(Untranslatable::function("nullif"));
    };
    // Both are compared as `=` compares them, which for unlike types is never equal there.
    let alike = left.kind == right.kind || (left.kind.is_number() && right.kind.is_number());
    if !alike && right.kind != Kind::Null {
        return Err(Untranslatable::function("nullif").hint("give it two values of one type"));
    }
    Ok(Written {
        name: Some("nullif".to_owned()),
        longer: left.longer,
        ..Written::call("NULLIF", &[&left.text, &right.text], left.kind)
    })
}

fn iif(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let (condition, chosen, otherwise) = match call.arguments.as_slice() {
        [condition, chosen] => (condition, chosen, None),
        [condition, chosen, otherwise] => (condition, chosen, Some(otherwise)),
        _ => return Err(Untranslatable::function("iif")),
    };
    let condition = writer.condition(condition)?;
    let mut values = vec![writer.value(chosen)?];
    if let Some(otherwise) = otherwise {
        values.push(writer.value(otherwise)?);
    }
    let (values, kind) = writer.aligned(values)?;
    let mut text = format!("CASE WHEN {}", condition.text);
    for (value, keyword) in values.iter().zip(["THEN", "ELSE"]) {
        text.push_str(&format!(" {keyword} {}", value.text));
    }
    text.push_str(" END");
    Ok(Written {
        name: Some("case".to_owned()),
        longer: values.iter().any(|value| value.longer),
        not_null: values.len() == 2 && values.iter().all(|value| value.not_null),
        ..Written::tight(text, kind)
    })
}

fn quote(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let values = values(writer, call)?;
    let [value] = values.as_slice() else {
        return Err(Untranslatable::function("quote"));
    };
    let text = match value.kind {
        Kind::Integer => format!("COALESCE({}::text, 'NULL')", value.atom()),
        Kind::Text => format!(
            "COALESCE('''' || replace({}, '''', '''''') || '''', 'NULL')",
            value.text
        ),
        _ => return Err(Untranslatable::function("quote")),
    };
    Ok(Written::tight(text, Kind::Text).never_null(true))
}

/// Characters from a place, which counts from the end where it is negative.
fn substr(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let (whole, start, count) = match call.arguments.as_slice() {
        [whole, start] => (whole, start, None),
        [whole, start, count] => (whole, start, Some(count)),
        _ => return Err(Untranslatable::function("substr")),
    };
    let whole = writer.value(whole)?;
    let whole = writer.textual(whole)?;
    let start = writer.number(start)?;
    let count = count.map(|count| writer.number(count)).transpose()?;
    let computed = "SUBSTR with a place that may be negative";
    let length = match &count {
        None => None,
        Some(count) if count.kind != Kind::Integer => {
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
        (None, _) if start.kind != Kind::Integer || !never_negative(&start) => {
            return Err(Untranslatable::construct(computed)
                .hint("count from the beginning, or take right()"));
        }
        (_, None) => format!("substr({}, {})", whole.text, start.text),
        (_, Some(length)) => format!("substr({}, {}, {length})", whole.text, start.text),
    };
    Ok(Written::tight(text, Kind::Text).never_null(not_null))
}

/// Whether a number cannot be negative: places and lengths, and what is added to them.
pub fn never_negative(value: &Written) -> bool {
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
fn round(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let (value, places) = match call.arguments.as_slice() {
        [value] => (value, None),
        [value, places] => (value, Some(places)),
        _ => return Err(Untranslatable::function("round")),
    };
    let value = writer.number(value)?;
    let number = match value.kind {
        Kind::Decimal => value.text.clone(),
        Kind::Integer | Kind::Float => format!("{}::numeric", value.atom()),
        _ => return Err(crate::dialect::source::untyped(&value, "a number")),
    };
    let text = match places {
        None => format!("round({number})"),
        Some(places) => {
            let places = writer.number(places)?;
            match places.small_integer() {
                Some(count) if (0..=30).contains(&count) => {
                    format!("round({number}, {count})")
                }
                _ => return Err(Untranslatable::construct("ROUND to a computed place")),
            }
        }
    };
    Ok(Written {
        longer: true,
        name: Some("round".to_owned()),
        ..Written::tight(text, Kind::Decimal).never_null(value.not_null)
    })
}

/// For sorting by chance alone: its values are others.
fn random(_: &mut Writer<'_>, _: &Call<'_>) -> Outcome<Written> {
    Ok(Written {
        // Nothing is counted or compared with it.
        ..Written::call("random", &[], Kind::Other).never_null(true)
    })
}

fn values(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Vec<Written>> {
    let arguments = call.arguments.iter();
    arguments.map(|argument| writer.value(argument)).collect()
}
