//! Where a string stands in another, and what stands in its place then: the default collation does
//! not tell letters apart.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/charindex-transact-sql>

use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::condition::has_letters;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::Outcome;

/// CHARINDEX(part, text [, start])
pub fn charindex(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let part = writer.text(call.argument(0)?)?;
    let text = writer.text(call.argument(1)?)?;
    let start = call
        .arguments
        .get(2)
        .map(|start| writer.integer(start))
        .transpose()?;
    found(&part, &text, start.as_ref())
}

/// The place of a part in a text, 0 where there is none.
pub fn found(part: &Written, text: &Written, start: Option<&Written>) -> Outcome<Written> {
    let alike = has_letters(part) && !part.cased && !text.cased;
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
        let text = format!("CASE WHEN {} IS NOT NULL THEN 0 END", text.atom());
        return Ok(Written::tight(text, Kind::Integer));
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
                text.atom(),
                part.atom()
            )
        }
    };
    let written = match is_solid {
        true => written,
        false => format!("CASE WHEN {} = '' THEN 0 ELSE {written} END", part.atom()),
    };
    Ok(Written::tight(written, Kind::Integer).never_null(not_null))
}

/// REPLACE(text, what, with)
pub fn replaced(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let text = writer.text(call.argument(0)?)?;
    let what = writer.text(call.argument(1)?)?;
    let with = writer.text(call.argument(2)?)?;
    let not_null = text.not_null && what.not_null && with.not_null;
    if !has_letters(&what) || text.cased {
        let arguments = [text.text.as_str(), what.text.as_str(), with.text.as_str()];
        return Ok(Written::call("replace", &arguments, Kind::Text).never_null(not_null));
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
    Ok(Written::tight(written, Kind::Text).never_null(not_null))
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
