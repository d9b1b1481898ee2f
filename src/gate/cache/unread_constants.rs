//! Constants of which neither the gate nor anything that stands on its verdict reads the value, by
//! the tree of a text.
//!
//! What a shape leaves out by the place of its tokens is held against this before a verdict is
//! remembered. The grammar makes the same tree of every text of the shape but for those values: so
//! each of them stands where it stands in the text that was looked at, and begins there.
//!
//! * What something is compared with by an operator that compares, LIKE, IN or BETWEEN, where it is
//!   all of that operand; and the elements of an ARRAY. Nothing but its type counts there.
//! * The same cast to a text or a uuid; and what is cast to a point or a span of time, wherever it
//!   stands. What `now` is then is read when the statement runs: it is a read all the same. If a
//!   user has a type of such a name, the verdict follows from the type.
//!
//! The gate does read these in texts with certain calls, where the string says what is meant: the
//! setting that `pg_settings` is searched for, the process id that `pg_stat_activity` is searched
//! for. Texts with such a call have no part in this. All else that reads strings is listed, each
//! with the reason why it does not count here (`known_places_tests.rs`).

use std::ops::Range;

use super::constant_place::COMPARISONS;
use super::shape_text;
use sql::node_access::{cast_name, last_name, place};
use sql::tree::{self, A_Expr_Kind, ConstValue, Node, nodes};

/// Whether no value is read of the constants that stand at these bytes, in their order.
pub(super) fn are_unread(text: &str, at: &[Range<usize>]) -> bool {
    if at.is_empty() {
        return true;
    }
    let Ok(tree) = tree::parse(text) else {
        return false;
    };
    let mut constants = Constants {
        text,
        at,
        found: vec![false; at.len()],
    };
    let mut waiting: Vec<Node<'_>> = tree.statements().map(|one| one.node).collect();
    while let Some(node) = waiting.pop() {
        match node {
            Node::A_Expr(operation) => constants.of_operation(operation),
            Node::A_ArrayExpr(array) => array.elements().iter().for_each(|one| constants.take(one)),
            Node::TypeCast(cast) if is_cast_to(cast, TIMES) => constants.take(cast.arg()),
            Node::SelectStmt(select) => {
                constants.take_number(select.limit_count());
                constants.take_number(select.limit_offset());
            }
            Node::FuncCall(call)
                if last_name(call.funcname()).is_none_or(|name| NAMED_BY_ROWS.contains(&name)) =>
            {
                return false;
            }
            _ => {}
        }
        if tree::children(node, &mut waiting).is_err() {
            return false;
        }
    }
    constants.found.iter().all(|found| *found)
}

/// Constants that are looked for in a tree.
struct Constants<'t> {
    text: &'t str,
    at: &'t [Range<usize>],
    found: Vec<bool>,
}

impl Constants<'_> {
    fn of_operation(&mut self, operation: &nodes::A_Expr) {
        let compares = match operation.kind {
            A_Expr_Kind::AEXPR_OP => {
                let names = operation.name();
                names.len() == 1 && last_name(names).is_some_and(|name| COMPARISONS.contains(&name))
            }
            A_Expr_Kind::AEXPR_LIKE
            | A_Expr_Kind::AEXPR_ILIKE
            | A_Expr_Kind::AEXPR_IN
            | A_Expr_Kind::AEXPR_BETWEEN
            | A_Expr_Kind::AEXPR_NOT_BETWEEN => true,
            _ => false,
        };
        match operation.rexpr() {
            _ if !compares => {}
            Node::NodeList(list) => list.iter().for_each(|one| self.take_operand(one)),
            one => self.take_operand(one),
        }
    }

    /// A constant that something is compared with, as it is or as a text.
    fn take_operand(&mut self, node: Node<'_>) {
        match node {
            Node::TypeCast(cast) if is_cast_to(cast, TEXTS) => self.take(cast.arg()),
            other => self.take(other),
        }
    }

    fn take_number(&mut self, node: Node<'_>) {
        match node {
            Node::A_Const(constant) if !matches!(constant.val(), Some(ConstValue::String(_))) => {
                self.take(node);
            }
            _ => {}
        }
    }

    fn take(&mut self, node: Node<'_>) {
        let Node::A_Const(constant) = node else {
            return;
        };
        let at = place(constant.location);
        let Some(at) = at.and_then(|at| self.at.binary_search_by_key(&at, |own| own.start).ok())
        else {
            return;
        };
        let (Some(span), Some(found)) = (self.at.get(at), self.found.get_mut(at)) else {
            return;
        };
        let piece = self.text.get(span.clone()).unwrap_or_default();
        // The grammar has read the whole token, and nothing more.
        *found |= match constant.val().filter(|_| !constant.isnull) {
            Some(ConstValue::String(value)) => {
                shape_text::inner(piece).is_some_and(|inner| inner.replace("''", "'") == value)
            }
            Some(ConstValue::Integer(value)) => piece.parse() == Ok(value),
            Some(ConstValue::Float(digits)) => piece == digits,
            _ => false,
        };
    }
}

/// Whether a cast names one of these types, and makes one value of it.
fn is_cast_to(cast: &nodes::TypeCast, types: &[&str]) -> bool {
    cast_name(cast).is_some_and(|name| types.contains(&name))
}

/// Points and spans of time, as the grammar names them.
const TIMES: &[&str] = &["date", "timestamp", "timestamptz", "interval"];

/// Types that strings are cast to where something is compared.
const TEXTS: &[&str] = &["text", "varchar", "uuid"];

/// Calls for which what a row is searched by says what is meant (`recognized/`).
const NAMED_BY_ROWS: &[&str] = &["set_config", "pg_cancel_backend", "pg_terminate_backend"];
