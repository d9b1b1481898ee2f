//! T-SQL's patterns with classes of characters (`LIKE '[0-9]%'`, PATINDEX), as regular expressions;
//! and JSON_VALUE.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/language-elements/like-transact-sql>

use sqlparser::ast::Expr;

use super::substring_search::{escaped, found};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::condition::has_letters;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// `x LIKE '[0-9]%'`; none for patterns without classes, which the core writes.
pub fn like(
    translator: &mut Translator<'_>,
    expr: &Expr,
    pattern: &Expr,
    escape: bool,
    negated: bool,
) -> TranslateResult<Option<Translated>> {
    let pattern = match pattern {
        Expr::Value(_) => translator.value(pattern)?,
        _ => {
            // A class may stand in what it holds.
            translator.mark_likely();
            return Ok(None);
        }
    };
    let Some(content) = pattern.text_literal() else {
        return Ok(None);
    };
    if !content.contains('[') {
        return Ok(None);
    }
    if escape {
        return translator.refuse("a class of characters beside ESCAPE");
    }
    let Some(body) = regular(content) else {
        return translator.refuse("this pattern of LIKE");
    };
    let subject = translator.text(expr)?;
    let sign = match (has_letters(&pattern) && !subject.case_sensitive, negated) {
        (true, false) => "~*",
        (true, true) => "!~*",
        (false, false) => "~",
        (false, true) => "!~",
    };
    let text = format!(
        "{} {sign} {}",
        subject.operand(),
        literal::quoted(&format!("^{body}$"))
    );
    Ok(Some(
        Translated::operation(text, SqlType::Bool).never_null(subject.not_null),
    ))
}

/// The regular expression of a pattern, without anchors.
fn regular(pattern: &str) -> Option<String> {
    let mut made = String::new();
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..)?;
        match letter {
            '%' => made.push_str(".*"),
            '_' => made.push('.'),
            '[' => {
                let (class, behind) = after.split_once(']')?;
                made.push_str(&class_of(class)?);
                rest = behind;
                continue;
            }
            other => made.push_str(&escaped(&other.to_string())),
        }
        rest = after;
    }
    Some(made)
}

/// A class: ASCII letters, digits, and ranges of them.
fn class_of(class: &str) -> Option<String> {
    let (not, members) = match class.strip_prefix('^') {
        Some(members) => ("^", members),
        None => ("", class),
    };
    // One character in brackets stands for itself.
    if not.is_empty() && members.chars().count() == 1 {
        return Some(escaped(members));
    }
    let mut made = String::new();
    for letter in members.chars() {
        match letter {
            '\\' | '[' | '^' => {
                made.push('\\');
                made.push(letter);
            }
            one if one.is_ascii() && !one.is_ascii_control() => made.push(one),
            _ => return None,
        }
    }
    (!made.is_empty()).then(|| format!("[{not}{made}]"))
}

/// PATINDEX('%pattern%', text)
pub fn patindex(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let pattern = translator.value(call.argument(0)?)?;
    let text = translator.text(call.argument(1)?)?;
    let refused = || {
        call.refused()
            .hint("only patterns such as '%[0-9]%' are translated")
    };
    let content = pattern.text_literal().ok_or_else(refused)?;
    let inner = content
        .strip_prefix('%')
        .and_then(|rest| rest.strip_suffix('%'))
        .filter(|inner| !inner.is_empty() && !inner.contains('%'))
        .ok_or_else(refused)?;
    if !inner.contains(['[', '_']) {
        return found(&literal::text(inner), &text, None);
    }
    let body = regular(inner).ok_or_else(refused)?;
    let flags = if has_letters(&pattern) { "(?i)" } else { "" };
    let before = literal::quoted(&format!("{flags}^(.*?){body}"));
    let written = format!(
        "COALESCE(length(substring({} from {before})) + 1, \
         CASE WHEN {} IS NOT NULL THEN 0 END)",
        text.text,
        text.operand()
    );
    Ok(Translated::primary(written, SqlType::Integer).never_null(text.not_null))
}

/// JSON_VALUE(document, '$.a.b'): NULL where there is no scalar.
pub fn json_value(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let document = translator.value(call.argument(0)?)?;
    let path = translator.value(call.argument(1)?)?;
    let document = match document.kind {
        SqlType::Jsonb => document,
        SqlType::Json | SqlType::Text => {
            Translated::primary(format!("CAST({} AS jsonb)", document.text), SqlType::Jsonb)
        }
        _ => return Err(crate::source::untyped(&document, "JSON")),
    };
    let keys = path.text_literal().and_then(keys).ok_or_else(|| {
        Untranslatable::construct("this path of JSON_VALUE()").hint("write '$.a.b' or '$.a[0]'")
    })?;
    let keys = literal::quoted(&format!("{{{}}}", keys.join(",")));
    let text = format!(
        "CASE WHEN jsonb_typeof({0} #> {keys}) NOT IN ('object', 'array') \
         THEN {0} #>> {keys} END",
        document.operand()
    );
    Ok(Translated::primary(text, SqlType::Text))
}

/// `$.a.b[0]` as its steps.
fn keys(path: &str) -> Option<Vec<String>> {
    let rest = path
        .strip_prefix("lax ")
        .unwrap_or(path)
        .strip_prefix('$')?;
    let mut keys = Vec::new();
    for step in rest.split('.').skip(1) {
        let (key, places) = step.split_once('[').unwrap_or((step, ""));
        let is_word =
            |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_word(key) {
            return None;
        }
        keys.push(key.to_owned());
        if !places.is_empty() {
            let place = places.strip_suffix(']')?;
            if !place.bytes().all(|b| b.is_ascii_digit()) || place.is_empty() {
                return None;
            }
            keys.push(place.to_owned());
        }
    }
    (!keys.is_empty()).then_some(keys)
}
