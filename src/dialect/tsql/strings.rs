//! T-SQL's functions of strings.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/string-functions-transact-sql>

use sqlparser::ast::{Expr, Value};

use super::patterns;
use super::substring_search::{charindex, replaced};
use crate::rules::{ArgumentType, FunctionRule, INTEGER, TEXT, by, plain, template};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::call::SourceCall;
use crate::translator::condition::has_letters;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;
use crate::translator::{Translator, literal};

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                   string-functions-transact-sql";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    template("len", (1, 1), "length(rtrim({1!}, ' '))", &[ArgumentType::Text], INTEGER, DOC, "LEN(s)", "length(rtrim(s, ' ')) AS len"),
    plain("upper", (1, 1), "upper", &[ArgumentType::Text], TEXT, DOC, "UPPER(s)", "upper(s)"),
    plain("lower", (1, 1), "lower", &[ArgumentType::Text], TEXT, DOC, "LOWER(s)", "lower(s)"),
    plain("reverse", (1, 1), "reverse", &[ArgumentType::Text], TEXT, DOC, "REVERSE(s)", "reverse(s)"),
    template("ltrim", (1, 1), "ltrim({1!}, ' ')", &[ArgumentType::Text], TEXT, DOC, "LTRIM(s)", "ltrim(s, ' ') AS ltrim"),
    template("rtrim", (1, 1), "rtrim({1!}, ' ')", &[ArgumentType::Text], TEXT, DOC, "RTRIM(s)", "rtrim(s, ' ') AS rtrim"),
    template("trim", (1, 1), "btrim({1!}, ' ')", &[ArgumentType::Text], TEXT, DOC, "TRIM(s)", "btrim(s, ' ')"),
    by("left", (2, 2), side, DOC, "LEFT(s, 2)", "\"left\"(s, 2) AS \"left\""),
    by("right", (2, 2), side, DOC, "RIGHT(s, 2)", "\"right\"(s, 2) AS \"right\""),
    by("substring", (3, 3), part, DOC, "SUBSTRING(s, 2, 3)", "substr(s, 2, 3) AS \"substring\""),
    by("charindex", (2, 3), charindex, DOC, "CHARINDEX('-', s)", "strpos(s, '-') AS charindex"),
    by("patindex", (2, 2), patterns::patindex, DOC, "PATINDEX('%-%', s)", "strpos(s, '-') AS patindex"),
    by("replace", (3, 3), replaced, DOC, "REPLACE(s, '-', '')", "replace(s, '-', '')"),
    by("translate", (3, 3), translated, DOC, "TRANSLATE(s, '-_', '  ')", "translate(s, '-_', '  ')"),
    by("stuff", (4, 4), stuff, DOC, "STUFF(s, 1, 2, 'x')", "overlay(NULLIF(s, '') PLACING 'x' FROM 1 FOR 2) AS stuff"),
    by("replicate", (2, 2), replicate, DOC, "REPLICATE(s, 3)", "repeat(s, 3) AS replicate"),
    by("space", (1, 1), space, DOC, "SPACE(3)", "repeat(' ', 3) AS space"),
    by("concat", (2, 254), concat, DOC, "CONCAT(s, n)", "concat(s, CAST(n AS text))"),
    by("concat_ws", (3, 254), concat_ws, DOC, "CONCAT_WS('-', s, n)", "concat_ws('-', s, CAST(n AS text))"),
    by("str", (1, 3), number_text, DOC, "STR(n, 5)", "lpad(CAST(round(CAST(n AS numeric), 0) AS text), 5) AS str"),
    by("quotename", (1, 2), quoted_name, DOC, "QUOTENAME(s)", "('[' || replace(s, ']', ']]') || ']') AS quotename"),
    template("ascii", (1, 1), "NULLIF(ascii({1!}), 0)", &[ArgumentType::Text], INTEGER, DOC, "ASCII(s)", "NULLIF(ascii(s), 0) AS ascii"),
    template("unicode", (1, 1), "NULLIF(ascii({1!}), 0)", &[ArgumentType::Text], INTEGER, DOC, "UNICODE(s)", "NULLIF(ascii(s), 0) AS unicode"),
    by("char", (1, 1), character, DOC, "CHAR(65)", "chr(65) AS \"char\""),
    by("nchar", (1, 1), character, DOC, "NCHAR(65)", "chr(65) AS \"nchar\""),
    by("parsename", (2, 2), part_of_name, DOC, "PARSENAME(s, 1)", "(string_to_array(s, '.'))[cardinality(string_to_array(s, '.'))] AS parsename"),
    by("datalength", (1, 1), bytes, DOC, "DATALENGTH(s)", "length(s) AS datalength"),
];

/// DATALENGTH counts spaces at the end too; of characters that take two bytes each there it is the
/// double, which of a column nothing here tells.
fn bytes(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let argument = call.argument(0)?;
    let text = translator.value(argument)?;
    if text.kind != SqlType::Text {
        return Err(untyped(&text, "text"));
    }
    let length = format!("length({})", text.text);
    let written = match argument {
        Expr::Value(value) => match &value.value {
            Value::NationalStringLiteral(_) => format!("({length} * 2)"),
            _ => length,
        },
        _ => {
            translator.mark_likely();
            length
        }
    };
    Ok(Translated::primary(written, SqlType::Integer).never_null(text.not_null))
}

/// LEFT and RIGHT: a negative count is an error there, and another thing here.
pub fn side(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let count = translator.integer(call.argument(1)?)?;
    if count.small_integer().is_some_and(|count| count < 0) {
        return Err(call.refused().hint("the length must not be negative"));
    }
    let not_null = text.not_null && count.not_null;
    let written = format!("\"{}\"({}, {})", call.name, text.text, count.text);
    Ok(Translated::primary(written, SqlType::Text).never_null(not_null))
}

pub fn part(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let start = translator.integer(call.argument(1)?)?;
    let length = translator.integer(call.argument(2)?)?;
    let not_null = text.not_null && start.not_null && length.not_null;
    let written = format!("substr({}, {}, {})", text.text, start.text, length.text);
    Ok(Translated::primary(written, SqlType::Text).never_null(not_null))
}

/// TRANSLATE does not tell letters apart either, and both lists are of one length.
pub fn translated(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let from = translator.text(call.argument(1)?)?;
    let to = translator.text(call.argument(2)?)?;
    let length = |value: &Translated| value.text_literal().map(|content| content.chars().count());
    let fits = length(&from).is_some() && length(&from) == length(&to);
    if !fits || has_letters(&from) {
        return Err(call
            .refused()
            .hint("only characters that are no letters are translated"));
    }
    let arguments = [text.text.as_str(), from.text.as_str(), to.text.as_str()];
    Ok(Translated::call("translate", &arguments, SqlType::Text).never_null(text.not_null))
}

/// STUFF(text, start, length, new): NULL where it begins outside of the text.
pub fn stuff(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let start = translator.integer(call.argument(1)?)?;
    let length = translator.integer(call.argument(2)?)?;
    let new = translator.text(call.argument(3)?)?;
    let is_fine = length.small_integer().is_some_and(|length| length >= 0);
    if start.small_integer() == Some(1) && is_fine {
        let (new, length) = (placed(&new), &length.text);
        let written = format!(
            "overlay(NULLIF({}, '') PLACING {new} FROM 1 FOR {length})",
            text.text
        );
        return Ok(Translated::primary(written, SqlType::Text));
    }
    let from = match start.small_integer() {
        Some(start) if start >= 1 => format!("length({}) >= {start}", text.text),
        Some(_) => return Err(call.refused().hint("it begins at 1")),
        None => format!("{} BETWEEN 1 AND length({})", start.operand(), text.text),
    };
    let room = match is_fine {
        true => String::new(),
        false => format!(" AND {} >= 0", length.operand()),
    };
    let new = placed(&new);
    let written = format!(
        "CASE WHEN {from}{room} THEN overlay({} PLACING {new} FROM {} FOR {}) END",
        text.text, start.text, length.text
    );
    Ok(Translated::primary(written, SqlType::Text))
}

/// What STUFF puts into a text: NULL is nothing.
fn placed(new: &Translated) -> String {
    match new.not_null {
        true => new.text.clone(),
        false => format!("COALESCE({}, '')", new.text),
    }
}

/// REPLICATE a negative number of times is NULL.
pub fn replicate(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    repeated(translator, call, text, 1)
}

pub fn space(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    repeated(translator, call, literal::text(" "), 0)
}

fn repeated(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    text: Translated,
    place: usize,
) -> TranslateResult<Translated> {
    let count = translator.integer(call.argument(place)?)?;
    let written = Translated::call("repeat", &[&text.text, &count.text], SqlType::Text);
    if count.small_integer().is_some_and(|count| count >= 0) {
        return Ok(written.never_null(text.not_null));
    }
    let guarded = format!(
        "CASE WHEN {} >= 0 THEN {} END",
        count.operand(),
        written.text
    );
    Ok(Translated::primary(guarded, SqlType::Text))
}

/// CONCAT takes NULL for an empty string.
pub fn concat(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let mut texts = Vec::new();
    for argument in &call.arguments {
        texts.push(translator.text(argument)?.text);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(Translated::call("concat", &texts, SqlType::Text).never_null(true))
}

/// CONCAT_WS passes over NULL; a separator that is NULL is an empty string.
pub fn concat_ws(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let mut texts = Vec::new();
    for argument in &call.arguments {
        let text = translator.text(argument)?;
        texts.push(match texts.is_empty() && !text.not_null {
            true => format!("COALESCE({}, '')", text.text),
            false => text.text,
        });
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(Translated::call("concat_ws", &texts, SqlType::Text).never_null(true))
}

/// STR(number, length, places): at the right of so many characters.
pub fn number_text(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let mut small = |place: usize, usual: i64| -> TranslateResult<i64> {
        match call.arguments.get(place) {
            None => Ok(usual),
            Some(expr) => {
                let value = translator.integer(expr)?;
                (value.small_integer())
                    .filter(|value| (0..=16).contains(value))
                    .ok_or_else(|| {
                        call.refused()
                            .hint("its length has to be a number up to 16")
                    })
            }
        }
    };
    let (length, places) = (small(1, 10)?, small(2, 0)?);
    if !number.kind.is_number() {
        return Err(untyped(&number, "a number of known type"));
    }
    let text = format!(
        "CAST(round(CAST({} AS numeric), {places}) AS text)",
        number.text
    );
    let written = if number.kind == SqlType::Integer && length >= 5 && places == 0 {
        format!("lpad({text}, {length})")
    } else {
        format!(
            "CASE WHEN length({text}) > {length} THEN repeat('*', {length}) \
             ELSE lpad({text}, {length}) END"
        )
    };
    Ok(Translated::primary(written, SqlType::Text).never_null(number.not_null))
}

/// CHAR of ASCII, beyond which it depends on the code page; NCHAR of what is one character.
pub fn character(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let code = translator.integer(call.argument(0)?)?;
    let most = match call.name.as_str() {
        "nchar" => 0xD7FF,
        _ => 127,
    };
    match code.small_integer() {
        Some(number) if (1..=most).contains(&number) => {
            Ok(Translated::call("chr", &[&code.text], SqlType::Text).never_null(true))
        }
        _ => Err(call
            .refused()
            .hint(&format!("only codes from 1 to {most} are translated"))),
    }
}

/// QUOTENAME(text [, sign]): the sign that ends it is doubled.
fn quoted_name(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let sign = match call.arguments.get(1) {
        None => Some("[".to_owned()),
        Some(sign) => translator.text(sign)?.text_literal().map(str::to_owned),
    };
    let (open, close) = match sign.as_deref() {
        Some("[" | "]") => ("[", "]"),
        Some("(" | ")") => ("(", ")"),
        Some("{" | "}") => ("{", "}"),
        Some("<" | ">") => ("<", ">"),
        Some("'") => ("'", "'"),
        Some("\"") => ("\"", "\""),
        Some("`") => ("`", "`"),
        _ => {
            return Err(call
                .refused()
                .hint("its sign has to be a bracket or a quote"));
        }
    };
    let written = format!(
        "({} || replace({}, {}, {}) || {})",
        literal::quoted(open),
        text.text,
        literal::quoted(close),
        literal::quoted(&close.repeat(2)),
        literal::quoted(close)
    );
    Ok(Translated::primary(written, SqlType::Text).never_null(text.not_null))
}

/// PARSENAME(text, n): the nth part between dots, from the end; there are four at most.
fn part_of_name(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let place = translator.integer(call.argument(1)?)?.small_integer();
    let Some(place @ 1..=4) = place else {
        return Err(call
            .refused()
            .hint("its place has to be a number from 1 to 4"));
    };
    // Parts in brackets or quotes, empty ones, and more than four make another thing of it there.
    translator.mark_likely();
    let parts = format!("string_to_array({}, '.')", text.text);
    let at = match place {
        1 => format!("cardinality({parts})"),
        _ => format!("cardinality({parts}) - {}", place - 1),
    };
    Ok(Translated::primary(
        format!("({parts})[{at}]"),
        SqlType::Text,
    ))
}
