//! Strings that are no value of the type that their place asks for.

use crate::expression_editor::{ExpressionChange, ExpressionEditor, ExpressionRepair};
use crate::recoverers::datatype_mismatch::branch_types;
use crate::recoverers::datatype_mismatch::branch_types::UntypedStrings;
use crate::{Confidence, RecovererAnswer, RepairContext};
use dialect::calls::expression_kinds::ExpressionKinds;
use dialect::sql_type::SqlType;
use sql::extent::TokenRange;
use sql::node_access;
use sql::tree::{self, Node};

/// Changes what stands around the string that the server names, or says why nothing is changed.
pub fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let Some(all) = context.statement().and_then(node_access::all) else {
        return RecovererAnswer::Silent;
    };
    let Some(at) = context.failure.position else {
        return RecovererAnswer::Silent;
    };
    let mut editor = ExpressionEditor::new(context);
    let repair = all
        .iter()
        .rev()
        .find_map(|node| repair_around(&editor, *node, at));
    match repair {
        Some(ExpressionRepair::Changes(changes, confidence)) => {
            editor.apply(&changes, confidence);
            editor.answer()
        }
        Some(ExpressionRepair::Advice(words)) => RecovererAnswer::hint(words.to_owned()),
        Some(ExpressionRepair::NotNeeded) | None => RecovererAnswer::Silent,
    }
}

/// What is done, if the string stands directly under a node.
fn repair_around<'s>(
    editor: &ExpressionEditor<'_, 's>,
    node: Node<'s>,
    at: usize,
) -> Option<ExpressionRepair> {
    let is_it = |node: Node<'_>| is_string_at(node, at);
    match (node, compared(node, at)) {
        (Node::A_Expr(_), beside) => {
            let (own, other) = beside?;
            Some(repair_beside(editor, own, other))
        }
        (Node::CaseExpr(_), Some((own, tested))) => {
            Some(repair_literal(editor, own, editor.kinds.kind(tested)))
        }
        (Node::CaseExpr(_), None) => {
            repair_among_values(editor, branch_types::branches(editor, node)?, is_it)
        }
        (Node::CoalesceExpr(_), _) => {
            repair_among_values(editor, branch_types::branches(editor, node)?, is_it)
        }
        (Node::SelectStmt(select), _) => branch_types::columns(editor, select)
            .into_iter()
            .find_map(|column| repair_among_values(editor, column, is_it)),
        (Node::BoolExpr(operator), _) => operator
            .args()
            .iter()
            .any(is_it)
            .then_some(ExpressionRepair::Advice(CONDITION)),
        _ => {
            let mut children = Vec::new();
            tree::children(node, &mut children).ok()?;
            None
        }
    }
}

/// The string at a place, if it is compared directly under a node, and what with.
fn compared(node: Node<'_>, at: usize) -> Option<(Node<'_>, Node<'_>)> {
    match node {
        Node::A_Expr(operation) => {
            let (left, right) = (operation.lexpr(), operation.rexpr());
            match right {
                Node::NodeList(list) => {
                    let mut list = list.iter();
                    let own = list.find(|one| is_string_at(*one, at));
                    own.map(|own| (own, left))
                }
                own if is_string_at(own, at) => Some((own, left)),
                _ if is_string_at(left, at) => Some((left, right)),
                _ => None,
            }
        }
        Node::CaseExpr(case) => case.args().iter().find_map(|when| match when {
            Node::CaseWhen(when) if is_string_at(when.expr(), at) => {
                Some((when.expr(), case.arg()))
            }
            _ => None,
        }),
        _ => None,
    }
}

fn is_string_at(node: Node<'_>, at: usize) -> bool {
    match node {
        Node::A_Const(constant) => {
            node_access::place(constant.location) == Some(at)
                && node_access::constant_text(node).is_some()
        }
        _ => false,
    }
}

/// Whether the string that the server names is compared with a number.
pub(super) fn is_beside_number(context: &RepairContext<'_>) -> bool {
    let all = context.statement().and_then(node_access::all);
    let Some((all, at)) = all.zip(context.failure.position) else {
        return false;
    };
    let kinds = ExpressionKinds::of(context.database, context.statement());
    let mut compared = all.iter().filter_map(|node| compared(*node, at));
    compared.next().is_some_and(|(_, other)| {
        matches!(
            kinds.kind(other),
            SqlType::Integer | SqlType::Decimal | SqlType::Float
        )
    })
}

/// A string among values that are numbers: everything is text, or it is a number as well.
fn repair_among_values<'s>(
    editor: &ExpressionEditor<'_, 's>,
    values: Vec<branch_types::TypedBranch<'s>>,
    is_it: impl Fn(Node<'_>) -> bool,
) -> Option<ExpressionRepair> {
    let own = values.iter().find(|value| is_it(value.node))?.node;
    if let Some(change) = number(editor, own) {
        return Some(ExpressionRepair::Changes(vec![change], Confidence::Exact));
    }
    Some(branch_types::common_type_repair(
        editor,
        &values,
        UntypedStrings::Text,
    ))
}

/// A string beside a value.
fn repair_beside<'s>(
    editor: &ExpressionEditor<'_, 's>,
    own: Node<'s>,
    other: Node<'s>,
) -> ExpressionRepair {
    let kind = editor.kinds.kind(other);
    match kind {
        SqlType::Array => ExpressionRepair::Advice(ARRAY),
        SqlType::Json | SqlType::Jsonb => json_as_text(editor, other),
        kind => repair_literal(editor, own, kind),
    }
}

/// A string where a value of a kind is asked for.
fn repair_literal(
    editor: &ExpressionEditor<'_, '_>,
    own: Node<'_>,
    kind: SqlType,
) -> ExpressionRepair {
    match kind {
        SqlType::Integer => match number(editor, own) {
            Some(change) => ExpressionRepair::Changes(vec![change], Confidence::Exact),
            None => ExpressionRepair::Advice(INTEGER),
        },
        SqlType::Decimal | SqlType::Float => ExpressionRepair::Advice(NUMBER),
        SqlType::Bool => ExpressionRepair::Advice(BOOLEAN),
        SqlType::Uuid => ExpressionRepair::Advice(UUID),
        SqlType::Enum => ExpressionRepair::Advice(ENUM),
        _ => ExpressionRepair::Advice(OTHER),
    }
}

/// A string that is a number, without its quotes: `'12.5'`.
fn number(editor: &ExpressionEditor<'_, '_>, own: Node<'_>) -> Option<ExpressionChange> {
    let text = node_access::constant_text(own)?.trim();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.')?;
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let run = editor.ground.expression(own)?;
    Some(ExpressionChange::Spelled(run, text.to_owned()))
}

/// `x -> 'a' = 'b'`: what is taken out of JSON is compared as text.
fn json_as_text(editor: &ExpressionEditor<'_, '_>, json: Node<'_>) -> ExpressionRepair {
    let Node::A_Expr(taken) = json else {
        return ExpressionRepair::Advice(JSON);
    };
    let text = match node_access::last_name(taken.name()) {
        Some("->") => "->>",
        Some("#>") => "#>>",
        _ => return ExpressionRepair::Advice(JSON),
    };
    let at = node_access::place(taken.location).and_then(|at| editor.ground.at(at));
    match at {
        Some(at) => {
            let run = TokenRange {
                first: at,
                last: at,
            };
            ExpressionRepair::Changes(
                vec![ExpressionChange::Spelled(run, text.to_owned())],
                Confidence::Likely,
            )
        }
        None => ExpressionRepair::Advice(JSON),
    }
}

const CONDITION: &str =
    "A string alone is no condition: x IN ('a', 'b') asks for one of several values.";

const INTEGER: &str = "The value is compared with an integer: write a whole number, IS NULL for a missing one, or cast the other side with ::text.";

const NUMBER: &str = "The value is compared with a number: write digits without separators, or IS NULL for a missing one.";

const BOOLEAN: &str = "The value is compared with a boolean: write true or false.";

const UUID: &str =
    "The value is compared with a uuid: write it in full, or cast the other side with ::text.";

const ENUM: &str =
    "The value is none of the enumeration's: its labels are in pg_enum, and their case matters.";

const ARRAY: &str =
    "value = ANY (array) asks whether an array contains a value; '{a,b}' is an array written out.";

const JSON: &str =
    "x ->> 'key' gives a part of JSON as text; JSON written out has its strings in double quotes.";

const OTHER: &str = "The string is no value of the type that its place asks for.";
