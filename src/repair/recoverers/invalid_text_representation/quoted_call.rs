//! A call that is written as a text where a date or a number is asked for: `placed_on >
//! 'CURRENT_DATE'`, `id > 'YEAR(CURRENT_DATE) - 1'`.
//!
//! It is taken out of its quotes where all of it is one expression of functions of dates, or of
//! numbers: such a text is no date in any format, and no number.

use super::{known_calls, literals};
use crate::context::{tokens_of, tree_of};
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::recoverers::syntax_error::intervals;
use crate::recoverers::syntax_error::mentioned_names::MentionedNames;
use crate::{RecovererAnswer, RepairContext};
use sql::edit::{self, TextEdit};
use sql::lexer::TokenKind;
use sql::node_access;
use sql::tree::{Node, nodes};

/// Takes the text that the server names out of its quotes.
pub(super) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    match unquoted_call(context) {
        Some((edit, call)) => RecovererAnswer::likely(
            vec![edit],
            format!("{call} is a call, and stands without quotes"),
        ),
        None => RecovererAnswer::Silent,
    }
}

/// What is asked for where the text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AskedValue {
    /// A date or a timestamp.
    Moment,
    /// A number.
    Number,
}

fn unquoted_call(context: &RepairContext<'_>) -> Option<(TextEdit, String)> {
    let asked = AskedValue::of(context)?;
    let place = context.token_at(context.failure.position?)?;
    let token = context.tokens.get(place)?;
    if token.kind != TokenKind::String {
        return None;
    }
    let inside = context.word(token).strip_prefix('\'')?.strip_suffix('\'')?;
    let call = inside.replace("''", "'").trim().to_owned();
    // A comment would take what stands behind the text with it.
    let is_comment = |kind| matches!(kind, TokenKind::LineComment | TokenKind::BlockComment);
    if tokens_of(&call).iter().any(|token| is_comment(token.kind)) {
        return None;
    }
    let (spelled, is_sum) = spelled(context, &call, asked)?;
    let replacement = match is_sum {
        true => format!("({spelled})"),
        false => spelled,
    };
    let edit = TextEdit {
        span: token.span.clone(),
        replacement,
    };
    let text = edit::apply(context.text, vec![edit.clone()]).ok()?;
    tree_of(&text)?;
    Some((edit, call))
}

impl AskedValue {
    /// By the code of the error, and by what stands beside the text or the type that is named.
    fn of(context: &RepairContext<'_>) -> Option<Self> {
        match context.failure.sqlstate.as_str() {
            "22007" | "22008" => Some(Self::Moment),
            "22P02" if is_of_number(&context.failure.message) => Some(Self::Number),
            "22P02" => literals::is_beside_number(context).then_some(Self::Number),
            _ => None,
        }
    }
}

/// Whether an error names a type of numbers. Its words have a language, and types have none.
fn is_of_number(message: &str) -> bool {
    let before = message.split(['"', '«', '»', '„', '“']).next();
    let mut words = before.unwrap_or_default().split([' ', ':']);
    words.any(|word| NUMBERS.contains(&word))
}

/// The call as Postgres's grammar reads it, and whether it is an operation.
fn spelled(context: &RepairContext<'_>, call: &str, asked: AskedValue) -> Option<(String, bool)> {
    let mut query = EditedText::new(&format!("{SELECT}{call}"));
    if query.parse().is_none()
        && let Some(repair) = intervals::repair(&query, &MentionedNames::of(context))
    {
        query.apply(repair.edits);
    }
    let tree = query.parse()?;
    let Node::SelectStmt(select) = tree.statements().next()?.node else {
        return None;
    };
    let value = only_value(select)?;
    let nodes = node_access::all(value)?;
    let is_call = nodes
        .iter()
        .any(|node| matches!(node, Node::FuncCall(_) | Node::SQLValueFunction(_)));
    let is_known = match asked {
        AskedValue::Moment => nodes.iter().all(|node| known_calls::is_of_dates(*node)),
        AskedValue::Number => {
            known_calls::is_number(value)
                && (nodes.iter()).all(|node| known_calls::is_of_numbers(*node))
        }
    };
    let spelled = query.text.strip_prefix(SELECT)?.to_owned();
    (is_call && is_known).then_some((spelled, matches!(value, Node::A_Expr(_))))
}

/// The only column of a query that is nothing but that.
fn only_value(select: &nodes::SelectStmt) -> Option<Node<'_>> {
    let mut targets = select.target_list().iter();
    let only = targets.next().filter(|_| targets.next().is_none())?;
    let is_bare = select.from_clause().is_empty()
        && only.name().is_none()
        && select.sort_clause().is_empty()
        && select.group_clause().is_empty();
    is_bare.then(|| only.val())
}

const SELECT: &str = "SELECT ";

/// Types of numbers, by a word of their names.
const NUMBERS: &[&str] = &["smallint", "integer", "bigint", "numeric", "real", "double"];
