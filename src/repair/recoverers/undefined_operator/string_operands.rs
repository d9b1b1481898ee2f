//! Texts that are added, calculated with and joined.

use super::operator_sides::{OperatorSide, OperatorSides};
use crate::Confidence;
use crate::expression_editor::{ExpressionChange, ExpressionRepair};
use dialect::calls::call::{least_confidence, text_confidence};
use dialect::sql_type::SqlType;
use sql::node_access;
use sql::tree::Node;

/// `a + b` of texts: SQL Server joins them; a number may be meant elsewhere.
pub(crate) fn text_addition_repair(sides: &OperatorSides<'_>) -> ExpressionRepair {
    if writes_digits(sides.left.node) && writes_digits(sides.right.node) {
        return text_arithmetic_repair(sides);
    }
    let joins = |side: &OperatorSide<'_>| is_joined(side.node);
    match joins(&sides.left) || joins(&sides.right) {
        true => ExpressionRepair::Changes(
            vec![ExpressionChange::Spelled(sides.operator, "||".to_owned())],
            Confidence::Likely,
        ),
        false => ExpressionRepair::Advice(
            "a || b joins texts; CAST(a AS numeric) + CAST(b AS numeric) adds numbers.",
        ),
    }
}

/// Whether a side is a wording, or texts joined by `+` with a wording among them.
fn is_joined(node: Node<'_>) -> bool {
    let mut node = node;
    // Each step leads further down the tree.
    while let Node::A_Expr(operation) = node {
        if node_access::last_name(operation.name()) != Some("+") {
            return false;
        }
        if is_wording(operation.rexpr()) {
            return true;
        }
        node = operation.lexpr();
    }
    is_wording(node)
}

/// Whether a node is a string that is no number.
fn is_wording(node: Node<'_>) -> bool {
    let text = node_access::constant_text(node);
    text.is_some_and(|text| text.trim().parse::<f64>().is_err())
}

/// Texts that are calculated with.
pub(crate) fn text_arithmetic_repair(sides: &OperatorSides<'_>) -> ExpressionRepair {
    let mut confidence = match sides.symbol {
        "/" | "%" => Confidence::Likely,
        _ => Confidence::Exact,
    };
    let mut changes = Vec::new();
    for side in [&sides.left, &sides.right] {
        if side.kind == SqlType::Literal {
            changes.push(ExpressionChange::Cast(side.run, "numeric"));
        }
        if side.kind != SqlType::Text {
            continue;
        }
        if writes_digits(side.node) {
            changes.push(ExpressionChange::Cast(side.run, "int"));
        } else {
            changes.push(ExpressionChange::Cast(side.run, "numeric"));
            confidence = Confidence::Likely;
        }
    }
    ExpressionRepair::Changes(changes, confidence)
}

/// `a || b` joins texts, arrays and JSON.
pub(crate) fn concatenation_repair(sides: &OperatorSides<'_>) -> ExpressionRepair {
    let (left, right) = (&sides.left, &sides.right);
    if left.kind == SqlType::Bool && right.kind == SqlType::Bool {
        let or = ExpressionChange::Spelled(sides.operator, "OR".to_owned());
        return ExpressionRepair::Changes(vec![or], Confidence::Likely);
    }
    let is_plain = |kind| {
        !matches!(
            kind,
            SqlType::Text
                | SqlType::Literal
                | SqlType::Array
                | SqlType::Json
                | SqlType::Jsonb
                | SqlType::Bytes
                | SqlType::Other
                | SqlType::Unclear
        )
    };
    if !is_plain(left.kind) || !is_plain(right.kind) {
        return ExpressionRepair::NotNeeded;
    }
    match (text_confidence(left.kind), text_confidence(right.kind)) {
        (Some(one), Some(other)) => ExpressionRepair::Changes(
            vec![ExpressionChange::Cast(left.run, "text")],
            least_confidence(one, other),
        ),
        _ => ExpressionRepair::NotNeeded,
    }
}

/// Whether a value is text that is nothing but the digits of a part of a date.
pub(crate) fn writes_digits(node: Node<'_>) -> bool {
    let Node::FuncCall(call) = node else {
        return false;
    };
    let pattern = call.args().get(1).and_then(node_access::constant_text);
    node_access::last_name(call.funcname()) == Some("to_char")
        && pattern.is_some_and(|pattern| {
            let pattern = pattern.replace("\"\"", "").to_ascii_uppercase();
            let mut rest = pattern.as_str();
            while !rest.is_empty() {
                let code = DIGITS.iter().find_map(|code| rest.strip_prefix(code));
                match code {
                    Some(after) => rest = after,
                    None => return false,
                }
            }
            !pattern.is_empty()
        })
}

/// What `to_char` writes as digits alone. Longer codes first.
const DIGITS: [&str; 17] = [
    "FM", "IYYY", "YYYY", "YY", "HH24", "HH12", "DDD", "MM", "DD", "MI", "SS", "IW", "WW", "ID",
    "Q", "D", "HH",
];
