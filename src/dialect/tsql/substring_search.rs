//! Where a string stands in another, and what stands in its place then: the default collation does
//! not tell letters apart.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/charindex-transact-sql>

use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::condition::has_letters;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

/// CHARINDEX(part, text [, start])
pub fn charindex(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let part = translator.text(call.argument(0)?)?;
    let text = translator.text(call.argument(1)?)?;
    let start = call
        .arguments
        .get(2)
        .map(|start| translator.integer(start))
        .transpose()?;
    found(&part, &text, start.as_ref())
}

/// The place of a part in a text, 0 where there is none.
pub fn found(
    part: &Translated,
    text: &Translated,
    start: Option<&Translated>,
) -> TranslateResult<Translated> {
    let alike = has_letters(part) && !part.case_sensitive && !text.case_sensitive;
    let (needle, place) = match (alike, part.text_literal()) {
        (false, _) => (part.text.clone(), text.text.clone()),
        (true, Some(content)) if content.is_ascii() => (
            literal::quoted(&content.to_ascii_lowercase()),
            format!("lower({})", text.text),
        ),
        (true, _) => (
            format!("lower({})", part.text),
            format!("lower({})", text.text),
        ),
    };
    let not_null = part.not_null && text.not_null;
    // An empty part is nowhere there, and everywhere here.
    if part.text_literal() == Some("") {
        let text = format!("CASE WHEN {} IS NOT NULL THEN 0 END", text.operand());
        return Ok(Translated::primary(text, SqlType::Integer));
    }
    let is_solid = part.text_literal().is_some();
    let written = match start.map(|start| (start, start.small_integer())) {
        None | Some((_, Some(0 | 1))) => format!("strpos({place}, {needle})"),
        Some((start, number)) => {
            let from = match number {
                Some(number) => number.max(1).to_string(),
                None => format!("GREATEST({}, 1)", start.text),
            };
            format!(
                "COALESCE(NULLIF(strpos(substr({place}, {from}), {needle}), 0) + {from} - 1, \
                 CASE WHEN {} IS NOT NULL AND {} IS NOT NULL THEN 0 END)",
                text.operand(),
                part.operand()
            )
        }
    };
    let written = match is_solid {
        true => written,
        false => format!(
            "CASE WHEN {} = '' THEN 0 ELSE {written} END",
            part.operand()
        ),
    };
    Ok(Translated::primary(written, SqlType::Integer).never_null(not_null))
}

/// REPLACE(text, what, with)
pub fn replaced(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let what = translator.text(call.argument(1)?)?;
    let with = translator.text(call.argument(2)?)?;
    let not_null = text.not_null && what.not_null && with.not_null;
    if !has_letters(&what) || text.case_sensitive {
        let arguments = [text.text.as_str(), what.text.as_str(), with.text.as_str()];
        return Ok(Translated::call("replace", &arguments, SqlType::Text).never_null(not_null));
    }
    let Some(content) = what.text_literal() else {
        return Err(call
            .refused()
            .hint("what is replaced has to be a string, letters being alike"));
    };
    let pattern = literal::quoted(&escaped(content));
    let new = match with.text_literal() {
        Some(new) => literal::quoted(&new.replace('\\', "\\\\")),
        None => format!("replace({}, '\\', '\\\\')", with.text),
    };
    let written = format!("regexp_replace({}, {pattern}, {new}, 'gi')", text.text);
    Ok(Translated::primary(written, SqlType::Text).never_null(not_null))
}

/// A string as the regular expression that finds it.
pub fn escaped(content: &str) -> String {
    let mut pattern = String::new();
    for letter in content.chars() {
        if "\\^$.|?*+()[]{}".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}
