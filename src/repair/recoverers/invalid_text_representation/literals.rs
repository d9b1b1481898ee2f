//! Strings that are no value of the type that their place asks for.

use crate::repair::expression_editor::{Bench, Change, Cure};
use crate::repair::foreign_functions::expression_span::Run;
use crate::repair::foreign_functions::node_access;
use crate::repair::foreign_functions::value_kind::Kind;
use crate::repair::recoverers::datatype_mismatch::branch_types;
use crate::repair::recoverers::datatype_mismatch::branch_types::Strings;
use crate::repair::{Answer, Confidence, Scene};
use crate::sql::tree::{self, Node};

/// Changes what stands around the string that the server names, or says why nothing is changed.
pub fn mend(scene: &Scene<'_>) -> Answer {
    let Some(all) = scene.statement().and_then(node_access::all) else {
        return Answer::Silent;
    };
    let Some(at) = scene.failure.position else {
        return Answer::Silent;
    };
    let mut bench = Bench::new(scene);
    let cure = all.iter().rev().find_map(|node| around(&bench, *node, at));
    match cure {
        Some(Cure::Changes(changes, confidence)) => {
            bench.apply(&changes, confidence);
            bench.answer()
        }
        Some(Cure::Advice(words)) => Answer::hint(words.to_owned()),
        Some(Cure::Sound) | None => Answer::Silent,
    }
}

/// What is done, if the string stands directly under a node.
fn around<'s>(bench: &Bench<'_, 's>, node: Node<'s>, at: usize) -> Option<Cure> {
    let is_it = |node: Node<'_>| match node {
        Node::A_Const(constant) => {
            node_access::place(constant.location) == Some(at)
                && node_access::constant_text(node).is_some()
        }
        _ => false,
    };
    match node {
        Node::A_Expr(operation) => {
            let (left, right) = (operation.lexpr(), operation.rexpr());
            let beside = match right {
                Node::NodeList(list) => list.iter().find(|one| is_it(*one)).map(|own| (own, left)),
                own if is_it(own) => Some((own, left)),
                _ if is_it(left) => Some((left, right)),
                _ => None,
            };
            let (own, other) = beside?;
            Some(compared(bench, own, other))
        }
        Node::CaseExpr(case) => {
            let tested = case.args().iter().find_map(|when| match when {
                Node::CaseWhen(when) if is_it(when.expr()) => Some(when.expr()),
                _ => None,
            });
            match tested {
                Some(own) => Some(respelled(bench, own, bench.kinds.kind(case.arg()))),
                None => among(bench, branch_types::branches(bench, node)?, is_it),
            }
        }
        Node::CoalesceExpr(_) => among(bench, branch_types::branches(bench, node)?, is_it),
        Node::SelectStmt(select) => branch_types::columns(bench, select)
            .into_iter()
            .find_map(|column| among(bench, column, is_it)),
        Node::BoolExpr(operator) => operator
            .args()
            .iter()
            .any(is_it)
            .then_some(Cure::Advice(CONDITION)),
        _ => {
            let mut children = Vec::new();
            tree::children(node, &mut children).ok()?;
            None
        }
    }
}

/// A string among values that are numbers: everything is text, or it is a number as well.
fn among<'s>(
    bench: &Bench<'_, 's>,
    values: Vec<branch_types::Branch<'s>>,
    is_it: impl Fn(Node<'_>) -> bool,
) -> Option<Cure> {
    let own = values.iter().find(|value| is_it(value.node))?.node;
    if let Some(change) = number(bench, own) {
        return Some(Cure::Changes(vec![change], Confidence::Exact));
    }
    Some(branch_types::together(bench, &values, Strings::Text))
}

/// A string beside a value.
fn compared<'s>(bench: &Bench<'_, 's>, own: Node<'s>, other: Node<'s>) -> Cure {
    let kind = bench.kinds.kind(other);
    match kind {
        Kind::Array => Cure::Advice(ARRAY),
        Kind::Json | Kind::Jsonb => json_as_text(bench, other),
        kind => respelled(bench, own, kind),
    }
}

/// A string where a value of a kind is asked for.
fn respelled(bench: &Bench<'_, '_>, own: Node<'_>, kind: Kind) -> Cure {
    match kind {
        Kind::Int => match number(bench, own) {
            Some(change) => Cure::Changes(vec![change], Confidence::Exact),
            None => Cure::Advice(INTEGER),
        },
        Kind::Numeric | Kind::Float => Cure::Advice(NUMBER),
        Kind::Bool => Cure::Advice(BOOLEAN),
        Kind::Uuid => Cure::Advice(UUID),
        Kind::Enum => Cure::Advice(ENUM),
        _ => Cure::Advice(OTHER),
    }
}

/// A string that is a number, without its quotes: `'12.5'`.
fn number(bench: &Bench<'_, '_>, own: Node<'_>) -> Option<Change> {
    let text = node_access::constant_text(own)?.trim();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.')?;
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let run = bench.ground.expression(own)?;
    Some(Change::Spelled(run, text.to_owned()))
}

/// `x -> 'a' = 'b'`: what is taken out of JSON is compared as text.
fn json_as_text(bench: &Bench<'_, '_>, json: Node<'_>) -> Cure {
    let Node::A_Expr(taken) = json else {
        return Cure::Advice(JSON);
    };
    let text = match node_access::last_name(taken.name()) {
        Some("->") => "->>",
        Some("#>") => "#>>",
        _ => return Cure::Advice(JSON),
    };
    let at = node_access::place(taken.location).and_then(|at| bench.ground.at(at));
    match at {
        Some(at) => {
            let run = Run {
                first: at,
                last: at,
            };
            Cure::Changes(
                vec![Change::Spelled(run, text.to_owned())],
                Confidence::Likely,
            )
        }
        None => Cure::Advice(JSON),
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
