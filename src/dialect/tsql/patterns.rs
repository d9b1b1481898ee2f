//! T-SQL's patterns with classes of characters (`LIKE '[0-9]%'`, PATINDEX), as regular expressions.
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
use crate::translator::untranslatable::TranslateResult;

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
