//! The `traceparent` in a statement's text, in a comment as sqlcommenter writes it.
//!
//! The last thing in the text counts, or else the first; comments between and literals that look
//! like comments do not. Nothing of the comment is kept but the ids.
//!
//! <https://google.github.io/sqlcommenter/spec/>

use crate::limits;
use crate::sql::lexer::{TokenKind, tokens};
use crate::telemetry::traces::traceparent::TraceParent;

/// What a text says of its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentParent {
    /// Nothing.
    Nothing,
    /// This.
    Parent(TraceParent),
    /// It may say something; the text is too long to find out.
    Unclear,
}

/// Looks for it.
pub fn parent_in(text: &str) -> CommentParent {
    if !text.contains(KEY) {
        return CommentParent::Nothing;
    }
    if text.len() > limits::TRACE_TEXT_BYTES_MAX {
        return CommentParent::Unclear;
    }
    let (mut first, mut last, mut is_begun) = (None, None, false);
    for token in tokens(text) {
        match token.kind {
            TokenKind::Space => continue,
            TokenKind::Punctuation if text.get(token.span.clone()) == Some(";") => continue,
            TokenKind::BlockComment => {
                last = text.get(token.span);
                if !is_begun {
                    first = last;
                }
            }
            _ => last = None,
        }
        is_begun = true;
    }
    let mut comments = last.into_iter().chain(first);
    match comments.find_map(parent_of) {
        Some(parent) => CommentParent::Parent(parent),
        None => CommentParent::Nothing,
    }
}

fn parent_of(comment: &str) -> Option<TraceParent> {
    let pairs = comment.strip_prefix("/*")?.strip_suffix("*/")?;
    // What sqlcommenter writes is encoded: no comment can stand in it.
    if pairs.contains("/*") {
        return None;
    }
    TraceParent::read(value_in(pairs)?)
}

/// The value of the one key that counts, where all of the text is `key='value'` with commas
/// between. Said twice, it is not said.
fn value_in(pairs: &str) -> Option<&str> {
    let mut rest = pairs.trim();
    let mut found = None;
    for _ in 0..limits::TRACE_COMMENT_PAIRS_MAX {
        let (key, after) = rest.split_once('=')?;
        let quoted = after.trim_start().strip_prefix('\'')?;
        let end = end_of_value(quoted)?;
        if key.trim() == KEY && found.replace(quoted.get(..end)?).is_some() {
            return None;
        }
        rest = quoted.get(end..)?.strip_prefix('\'')?.trim_start();
        if rest.is_empty() {
            return found;
        }
        rest = rest.strip_prefix(',')?.trim_start();
    }
    None
}

/// Where the quote stands that ends a value; a backslash escapes.
fn end_of_value(quoted: &str) -> Option<usize> {
    let mut is_escaped = false;
    quoted.bytes().position(|byte| {
        let ends = byte == b'\'' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

const KEY: &str = "traceparent";

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const OTHER: &str = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-00";

    fn check(text: &str, value: Option<&str>) {
        let wanted = match value {
            Some(value) => CommentParent::Parent(TraceParent::read(value).unwrap()),
            None => CommentParent::Nothing,
        };
        let text = text.replace("VALUE", VALUE).replace("OTHER", OTHER);
        assert_eq!(parent_in(&text), wanted, "{text}");
    }

    #[test]
    fn a_comment_at_the_end_or_the_beginning_counts() {
        for text in [
            "SELECT 1 /*traceparent='VALUE'*/",
            "SELECT 1 /* traceparent='VALUE' */ ;\n",
            "SELECT 1; /*traceparent='VALUE'*/ ;;",
            "/*traceparent='VALUE'*/ SELECT 1",
            "  \n /*traceparent='VALUE',tracestate='a%3Db'*/SELECT 1",
            "/*a='b'*/ SELECT 1 /*action='%2Fp*d',db_driver='x',traceparent='VALUE'*/",
            "/*traceparent='OTHER'*/ SELECT 1 /*traceparent='VALUE'*/",
            "/*traceparent='VALUE'*/ SELECT 1 /* a remark */",
            "SELECT 1 /*route='it\\'s',traceparent='VALUE'*/",
            "SELECT 1 -- a remark\n /*traceparent='VALUE'*/",
            "/*traceparent='VALUE'*/",
        ] {
            check(text, Some(VALUE));
        }
    }

    #[test]
    fn nothing_else_does() {
        for text in [
            "SELECT '/*traceparent=''VALUE''*/'",
            "SELECT $$/*traceparent='VALUE'*/$$",
            "SELECT 1 AS \"/*traceparent='VALUE'*/\"",
            "SELECT '/*', $$traceparent='VALUE'*/$$",
            "SELECT E'\\'/*traceparent=\\'VALUE\\'*/'",
            "SELECT 1 -- /*traceparent='VALUE'*/",
            "SELECT /*traceparent='VALUE'*/ 1",
            "SELECT 1 /*traceparent='VALUE'*/ FROM t",
            "SELECT 1 /*traceparent='VALUE'*/ /* a remark */",
            "SELECT 1 /* /*traceparent='VALUE'*/ */",
            "SELECT 1 /*/*traceparent='VALUE'*/*/",
            "SELECT 1 /*traceparent='VALUE'",
            "SELECT 1 /*traceparent=\"VALUE\"*/",
            "SELECT 1 /*traceparent=VALUE*/",
            "SELECT 1 /*Traceparent='VALUE'*/",
            "SELECT 1 /*traceparent='VALUE' and words*/",
            "SELECT 1 /*words traceparent='VALUE*/",
            "SELECT 1 /*traceparent='VALUE',traceparent='OTHER'*/",
            "SELECT 1 /*traceparent='VALUE',*/",
            "SELECT 1 /*traceparent='VALUE-'*/",
            "SELECT 1 /*traceparent='VALUE\\'*/",
            "traceparent='VALUE'",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn work_has_a_bound() {
        let many = format!(
            "SELECT 1 /*{}traceparent='VALUE'*/",
            "a='b',".repeat(limits::TRACE_COMMENT_PAIRS_MAX)
        );
        check(&many, None);
        let long = " ".repeat(limits::TRACE_TEXT_BYTES_MAX);
        assert_eq!(parent_in(&long), CommentParent::Nothing);
        assert_eq!(
            parent_in(&format!("{long}/*traceparent='{VALUE}'*/")),
            CommentParent::Unclear
        );
    }
}
