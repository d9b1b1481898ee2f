//! MySQL's functions on parts of texts: cutting and finding. Finding does not tell letters apart.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/string-functions.html>

use crate::rules::{FunctionRule, by};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::condition::has_letters;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const TEXTS: &str = "https://dev.mysql.com/doc/refman/8.0/en/string-functions.html";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("substring", (2, 3), substring, TEXTS, "SUBSTRING(s, 2, 3)", "substr(s, 2, 3) AS \"substring\""),
    by("substr", (2, 3), substring, TEXTS, "SUBSTR(s, 2)", "substr(s, 2) AS \"substring\""),
    by("mid", (3, 3), substring, TEXTS, "MID(s, 2, 3)", "substr(s, 2, 3) AS mid"),
    by("left", (2, 2), side, TEXTS, "LEFT(s, 2)", "\"left\"(s, 2) AS \"left\""),
    by("right", (2, 2), side, TEXTS, "RIGHT(s, n)", "\"right\"(s, CASE WHEN n < 0 THEN 0 ELSE n END) AS \"right\""),
    by("locate", (2, 3), locate, TEXTS, "LOCATE('A', s)", "strpos(lower(s), 'a') AS locate"),
    by("position", (2, 2), locate, TEXTS, "POSITION('-' IN s)", "strpos(s, '-') AS \"position\""),
    by("instr", (2, 2), instr, TEXTS, "INSTR(s, '-')", "strpos(s, '-') AS instr"),
    by("substring_index", (3, 3), substring_index, TEXTS, "SUBSTRING_INDEX(s, '@', 1)", "split_part(s, '@', 1) AS substring_index"),
    by("find_in_set", (2, 2), find_in_set, TEXTS, "FIND_IN_SET('1', s)", "CASE WHEN s IS NOT NULL THEN COALESCE(array_position(string_to_array(s, ','), '1'), 0) END AS find_in_set"),
];

/// SUBSTRING counts from the end where the place is negative, and is empty from place 0.
fn substring(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let subject = translator.text(call.argument(0)?)?;
    let place = translator.integer(call.argument(1)?)?;
    let length = match call.arguments.get(2) {
        Some(length) => Some(translator.integer(length)?),
        None => None,
    };
    let (own, place_text) = (&subject.text, &place.text);
    let tail = match &length {
        None => String::new(),
        Some(length) => match length.small_integer() {
            Some(known) => format!(", {}", known.max(0)),
            None => format!(", GREATEST({}, 0)", length.text),
        },
    };
    let mut not_null = subject.not_null && place.not_null;
    not_null &= length.as_ref().is_none_or(|length| length.not_null);
    if place.small_integer().is_some_and(|place| place > 0) {
        let text = format!("substr({own}, {place_text}{tail})");
        return Ok(Translated::primary(text, SqlType::Text).never_null(not_null));
    }
    let from_end = format!("char_length({own}) + 1 + {}", place.operand());
    let text = format!(
        "CASE WHEN {0} > 0 THEN substr({own}, {place_text}{tail}) \
         WHEN {0} = 0 OR char_length({own}) + {0} < 0 THEN '' \
         WHEN {0} < 0 THEN substr({own}, {from_end}{tail}) END",
        place.operand(),
    );
    Ok(Translated::primary(text, SqlType::Text))
}

/// LEFT and RIGHT of nothing positive are empty.
fn side(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let subject = translator.text(call.argument(0)?)?;
    let count = translator.integer(call.argument(1)?)?;
    let count_text = match count.small_integer() {
        Some(known) => known.max(0).to_string(),
        None if count.not_null => format!("GREATEST({}, 0)", count.text),
        // Of a NULL the greatest would be 0.
        None => format!("CASE WHEN {0} < 0 THEN 0 ELSE {0} END", count.operand()),
    };
    let text = format!("\"{}\"({}, {count_text})", call.name, subject.text);
    Ok(Translated::primary(text, SqlType::Text).never_null(subject.not_null && count.not_null))
}

fn instr(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let subject = translator.text(call.argument(0)?)?;
    let sought = translator.text(call.argument(1)?)?;
    let not_null = subject.not_null && sought.not_null;
    Ok(
        Translated::primary(found(&subject.text, &subject, &sought), SqlType::Integer)
            .never_null(not_null),
    )
}

/// LOCATE(sought, in, from) and POSITION(sought IN in).
fn locate(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let sought = translator.text(call.argument(0)?)?;
    let subject = translator.text(call.argument(1)?)?;
    let not_null = subject.not_null && sought.not_null;
    let from = match call.arguments.get(2) {
        None => {
            let text = found(&subject.text, &subject, &sought);
            return Ok(Translated::primary(text, SqlType::Integer).never_null(not_null));
        }
        Some(from) => translator.integer(from)?,
    };
    if from.small_integer().is_none_or(|from| from < 1) {
        return Err(call
            .refused()
            .hint("its third argument has to be a literal"));
    }
    let rest = format!("substr({}, {})", subject.text, from.text);
    let place = found(&rest, &subject, &sought);
    let text = format!(
        "CASE WHEN {place} = 0 THEN 0 ELSE {place} + {} - 1 END",
        from.text
    );
    Ok(Translated::primary(text, SqlType::Integer))
}

/// The place of a text in another, letters alike.
fn found(within: &str, subject: &Translated, sought: &Translated) -> String {
    if !has_letters(subject) || !has_letters(sought) {
        return format!("strpos({within}, {})", sought.text);
    }
    let sought = match sought.text_literal() {
        Some(text) if text.is_ascii() => literal::quoted(&text.to_ascii_lowercase()),
        _ => format!("lower({})", sought.text),
    };
    format!("strpos(lower({within}), {sought})")
}

/// What stands before the nth delimiter, or behind the nth from the end.
fn substring_index(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let subject = translator.text(call.argument(0)?)?;
    let delimiter = translator.text(call.argument(1)?)?;
    let count = translator.integer(call.argument(2)?)?;
    let single = (delimiter.text_literal()).is_some_and(|text| text.chars().count() == 1);
    let (Some(count), true) = (count.small_integer(), single) else {
        return Err(call
            .refused()
            .hint("its delimiter has to be one character and its count a literal"));
    };
    let (own, by) = (&subject.text, &delimiter.text);
    let text = match count {
        0 => return Err(call.refused()),
        1 => format!("split_part({own}, {by}, 1)"),
        -1 => format!("reverse(split_part(reverse({own}), {by}, 1))"),
        count if count > 0 => {
            format!("array_to_string((string_to_array({own}, {by}))[1:{count}], {by})")
        }
        count => format!(
            "reverse(array_to_string((string_to_array(reverse({own}), {by}))[1:{}], {by}))",
            count.unsigned_abs()
        ),
    };
    Ok(Translated::primary(text, SqlType::Text).never_null(subject.not_null))
}

fn find_in_set(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let sought = translator.text(call.argument(0)?)?;
    let set = translator.text(call.argument(1)?)?;
    let alike = has_letters(&sought) && has_letters(&set);
    let lower = |value: &Translated| match value.text_literal() {
        Some(text) if alike && text.is_ascii() => literal::quoted(&text.to_ascii_lowercase()),
        _ if alike => format!("lower({})", value.text),
        _ => value.text.clone(),
    };
    let found = format!(
        "COALESCE(array_position(string_to_array({}, ','), {}), 0)",
        lower(&set),
        lower(&sought)
    );
    let doubts: Vec<String> = [&sought, &set]
        .iter()
        .filter(|value| !value.not_null)
        .map(|value| format!("{} IS NOT NULL", value.operand()))
        .collect();
    if doubts.is_empty() {
        return Ok(Translated::primary(found, SqlType::Integer).never_null(true));
    }
    let text = format!("CASE WHEN {} THEN {found} END", doubts.join(" AND "));
    Ok(Translated::primary(text, SqlType::Integer))
}
