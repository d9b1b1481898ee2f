//! A call that is written as a text where a date is asked for: `placed_on > 'CURRENT_DATE'`.
//!
//! It is taken out of its quotes where all of it is one expression of functions of dates: such a
//! text is no date in any format.

use crate::context::{tokens_of, tree_of};
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::recoverers::syntax_error::intervals;
use crate::recoverers::syntax_error::mentioned_names::MentionedNames;
use crate::{RecovererAnswer, RepairContext};
use sql::edit::{self, TextEdit};
use sql::lexer::TokenKind;
use sql::node_access::{self, last_name};
use sql::tree::{Node, SQLValueFunctionOp, nodes};

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

fn unquoted_call(context: &RepairContext<'_>) -> Option<(TextEdit, String)> {
    let is_of_dates = DATE_ERRORS.contains(&context.failure.sqlstate.as_str());
    let place = context.token_at(context.failure.position.filter(|_| is_of_dates)?)?;
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
    let (spelled, is_sum) = spelled(context, &call)?;
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

/// The call as Postgres's grammar reads it, and whether it is a sum or a difference.
fn spelled(context: &RepairContext<'_>, call: &str) -> Option<(String, bool)> {
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
    let is_known = nodes.iter().all(|node| is_of_dates(*node));
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

fn is_of_dates(node: Node<'_>) -> bool {
    match node {
        Node::FuncCall(call) => {
            let name = last_name(call.funcname()).unwrap_or_default();
            call.funcname().len() == 1 && FUNCTIONS.contains(&name)
        }
        Node::A_Expr(operation) => {
            matches!(last_name(operation.name()), Some("+" | "-"))
        }
        // The units of DATEADD.
        Node::ColumnRef(column) => (column.fields().first())
            .and_then(Node::as_str)
            .is_some_and(|name| column.fields().len() == 1 && UNITS.contains(&name)),
        Node::SQLValueFunction(of) => matches!(
            of.op,
            SQLValueFunctionOp::SVFOP_CURRENT_DATE
                | SQLValueFunctionOp::SVFOP_CURRENT_TIMESTAMP
                | SQLValueFunctionOp::SVFOP_CURRENT_TIMESTAMP_N
                | SQLValueFunctionOp::SVFOP_LOCALTIMESTAMP
                | SQLValueFunctionOp::SVFOP_LOCALTIMESTAMP_N
        ),
        Node::A_Const(_)
        | Node::TypeCast(_)
        | Node::TypeName(_)
        | Node::String(_)
        | Node::Integer(_)
        | Node::NodeList(_) => true,
        _ => false,
    }
}

/// invalid_datetime_format and datetime_field_overflow.
const DATE_ERRORS: &[&str] = &["22007", "22008"];

const SELECT: &str = "SELECT ";

/// Functions of dates, of Postgres and of others.
#[rustfmt::skip]
const FUNCTIONS: &[&str] = &[
    "now", "date_trunc", "make_date", "to_date", "to_timestamp", "clock_timestamp",
    "statement_timestamp", "transaction_timestamp", "age", "date", "date_add", "date_sub",
    "dateadd", "getdate", "sysdate", "curdate", "datetime", "adddate", "subdate", "last_day",
    "date_part", "timezone",
];

const UNITS: &[&str] = &[
    "year", "quarter", "month", "week", "day", "hour", "minute", "second",
];
