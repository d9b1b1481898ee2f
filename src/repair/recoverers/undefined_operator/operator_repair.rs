//! What is done about one operator between two kinds of values.

use super::mismatched_operators::{Side, Sides};
use super::string_operands::{added_texts, joined, numbers_of_texts, writes_digits};
use crate::repair::expression_editor::{Change, Cure};
use crate::repair::foreign_functions::call::as_text;
use crate::repair::foreign_functions::expression_span::{Ground, Run};
use crate::repair::foreign_functions::node_access;
use crate::repair::foreign_functions::value_kind::{Kind, Kinds};
use crate::repair::{Confidence, Scene};
use crate::sql::tree::{A_Expr_Kind, Node, nodes};

/// What a cure is found with.
pub(in crate::repair) struct Judge<'c, 's> {
    pub(in crate::repair) scene: &'c Scene<'s>,
    pub(in crate::repair) ground: &'c Ground<'s>,
}

/// What is done about an operator.
pub(in crate::repair) fn cure(sides: &Sides<'_>, judge: &Judge<'_, '_>) -> Cure {
    match sides.symbol {
        "=" | "<>" => compared(sides, true, judge),
        "<" | ">" | "<=" | ">=" => compared(sides, false, judge),
        "like" | "~" | "~*" | "!~" | "!~*" => matched(sides),
        "+" | "-" | "*" | "/" | "%" => calculated(sides),
        "||" => joined(sides),
        "->" | "->>" | "#>" | "#>>" => json_taken(sides),
        "==" | "===" | "!==" | "<==" | ">==" | "=<" | "<=>" | "&&" => spelled(sides, judge),
        _ => Cure::Sound,
    }
}

/// What an operator is after its cure.
pub(in crate::repair) fn result(operation: &nodes::A_Expr, kinds: &Kinds<'_>) -> Option<Kind> {
    let symbol = node_access::last_name(operation.name())?;
    if operation.kind != A_Expr_Kind::AEXPR_OP {
        return None;
    }
    let of = |node| match kinds.kind(node) {
        Kind::Text | Kind::Literal => Kind::Numeric,
        Kind::Bool => Kind::Int,
        kind => kind,
    };
    let (left, right) = (of(operation.lexpr()), of(operation.rexpr()));
    Some(match symbol {
        "+" | "-" if left.is_moment() => left.together(Kind::Timestamp),
        "+" | "-" | "*" | "/" | "%" => left.together(right),
        "||" => Kind::Text,
        _ => Kind::Bool,
    })
}

/// `=`, `<` and their kin.
fn compared(sides: &Sides<'_>, equality: bool, judge: &Judge<'_, '_>) -> Cure {
    let (left, right) = (&sides.left, &sides.right);
    let exact = |changes| Cure::Changes(changes, Confidence::Exact);
    let likely = |changes| Cure::Changes(changes, Confidence::Likely);
    match (left.kind, right.kind) {
        (Kind::Text, number) if number.is_number() => text_and_number(left, right, equality, judge),
        (number, Kind::Text) if number.is_number() => text_and_number(right, left, equality, judge),
        (Kind::Bool, number) if number.is_number() => bool_and_number(left, right, equality),
        (number, Kind::Bool) if number.is_number() => bool_and_number(right, left, equality),
        (moment, Kind::Text) if moment.is_moment() => moment_and_text(left, right),
        (Kind::Text, moment) if moment.is_moment() => moment_and_text(right, left),
        (moment, number) if moment.is_moment() && number.is_number() => {
            Cure::Advice(MOMENT_AND_NUMBER)
        }
        (number, moment) if moment.is_moment() && number.is_number() => {
            Cure::Advice(MOMENT_AND_NUMBER)
        }
        (Kind::Uuid, Kind::Text) => likely(vec![Change::Cast(left.run, "text")]),
        (Kind::Text, Kind::Uuid) => likely(vec![Change::Cast(right.run, "text")]),
        (Kind::Enum, Kind::Text) if equality => exact(vec![Change::Cast(left.run, "text")]),
        (Kind::Text, Kind::Enum) if equality => exact(vec![Change::Cast(right.run, "text")]),
        (Kind::Json | Kind::Jsonb, other) => json_compared(left, other, judge),
        (other, Kind::Json | Kind::Jsonb) => json_compared(right, other, judge),
        (Kind::Interval, number) if number.is_number() && is_age(left.node) => {
            Cure::Advice(AGE_AND_NUMBER)
        }
        (Kind::Interval, number) if number.is_number() => days(right, equality),
        (number, Kind::Interval) if number.is_number() => match days_written(right.node) {
            Some(days) if number == Kind::Int => exact(vec![Change::Spelled(right.run, days)]),
            _ if is_age(right.node) => Cure::Advice(AGE_AND_NUMBER),
            _ => days(left, equality),
        },
        (Kind::Array, Kind::Text | Kind::Int | Kind::Numeric | Kind::Float | Kind::Uuid)
        | (Kind::Text | Kind::Int | Kind::Numeric | Kind::Float | Kind::Uuid, Kind::Array) => {
            Cure::Advice("value = ANY (array) asks whether an array contains a value.")
        }
        _ => Cure::Sound,
    }
}

/// Text beside a number. What is written out is written as text: `zip = '94103'`.
fn text_and_number(
    text: &Side<'_>,
    number: &Side<'_>,
    equality: bool,
    judge: &Judge<'_, '_>,
) -> Cure {
    if writes_digits(text.node) {
        return Cure::Changes(vec![Change::Cast(text.run, "int")], Confidence::Exact);
    }
    let as_number = || Cure::Changes(vec![Change::Cast(text.run, "numeric")], Confidence::Likely);
    let written = node_access::constant_integer(number.node);
    match (equality, written) {
        (true, Some(value)) => {
            // A short number may stand beside one with zeros before it: '05'.
            let is_computed = matches!(text.node, Node::FuncCall(_));
            if is_computed && value.abs() < FOUR_DIGITS {
                return as_number();
            }
            let Some(run) = judge.ground.expression(number.node) else {
                return Cure::Sound;
            };
            let digits = judge.ground.bytes(run);
            let digits = judge.scene.text.get(digits).unwrap_or_default();
            let plain = digits
                .trim_start_matches('-')
                .bytes()
                .all(|byte| byte.is_ascii_digit());
            if !plain {
                return as_number();
            }
            let literal = format!("'{digits}'");
            Cure::Changes(vec![Change::Spelled(run, literal)], Confidence::Exact)
        }
        (true, None) if number.kind == Kind::Int => {
            Cure::Changes(vec![Change::Cast(number.run, "text")], Confidence::Likely)
        }
        _ => as_number(),
    }
}

/// A condition beside a number: 1 is true, 0 is false.
fn bool_and_number(truth: &Side<'_>, number: &Side<'_>, equality: bool) -> Cure {
    let literal = match node_access::constant_integer(number.node) {
        Some(0) => Some("false"),
        Some(1) => Some("true"),
        _ => None,
    };
    let change = match literal.filter(|_| equality) {
        Some(literal) => Change::Spelled(number.run, literal.to_owned()),
        None => Change::Cast(truth.run, "int"),
    };
    Cure::Changes(vec![change], Confidence::Exact)
}

fn moment_and_text(moment: &Side<'_>, text: &Side<'_>) -> Cure {
    let is_written = matches!(
        text.node,
        Node::FuncCall(call) if node_access::last_name(call.funcname()) == Some("to_char")
    );
    if is_written {
        // As text, which is how SQLite compares dates.
        let sure = match moment.kind {
            Kind::Date => Confidence::Exact,
            _ => Confidence::Likely,
        };
        return Cure::Changes(vec![Change::Cast(moment.run, "text")], sure);
    }
    let name = match moment.kind {
        Kind::Date => "date",
        Kind::Timestamp => "timestamp",
        _ => "timestamptz",
    };
    Cure::Changes(vec![Change::Cast(text.run, name)], Confidence::Likely)
}

/// An interval beside a number: the number is one of days.
fn days(number: &Side<'_>, equality: bool) -> Cure {
    if equality {
        return Cure::Advice(INTERVAL_AND_NUMBER);
    }
    let change = match node_access::constant_integer(number.node) {
        Some(days) => Change::Spelled(number.run, format!("INTERVAL '{days} day'")),
        None => Change::Times(number.run, "INTERVAL '1 day'"),
    };
    Cure::Changes(vec![change], Confidence::Likely)
}

/// Whether an interval is an age: beside a number, years are meant as well as days.
fn is_age(node: Node<'_>) -> bool {
    match node {
        Node::FuncCall(call) => node_access::last_name(call.funcname()) == Some("age"),
        _ => false,
    }
}

/// The number in `INTERVAL '30 days'`.
fn days_written(node: Node<'_>) -> Option<String> {
    let Node::TypeCast(cast) = node else {
        return None;
    };
    let text = node_access::constant_text(cast.arg())?;
    let (days, unit) = text.trim().split_once(' ')?;
    let days: i32 = days.parse().ok()?;
    matches!(unit.trim(), "day" | "days").then(|| days.to_string())
}

/// JSON beside anything else: what is taken out of it is taken as text.
fn json_compared(json: &Side<'_>, other: Kind, judge: &Judge<'_, '_>) -> Cure {
    let symbol = match json.node {
        Node::A_Expr(taken) if taken.kind == A_Expr_Kind::AEXPR_OP => {
            let at = node_access::place(taken.location).and_then(|at| judge.ground.at(at));
            node_access::last_name(taken.name()).zip(at)
        }
        _ => None,
    };
    let (text, at) = match symbol {
        Some(("->", at)) => ("->>", at),
        Some(("#>", at)) => ("#>>", at),
        _ => return Cure::Advice(JSON),
    };
    let mut changes = vec![Change::Spelled(
        Run {
            first: at,
            last: at,
        },
        text.to_owned(),
    )];
    match other {
        Kind::Text | Kind::Literal => {}
        kind if kind.is_number() => changes.push(Change::Cast(json.run, "numeric")),
        Kind::Bool => changes.push(Change::Cast(json.run, "boolean")),
        _ => return Cure::Advice(JSON),
    }
    Cure::Changes(changes, Confidence::Likely)
}

/// LIKE and regular expressions take text on both sides.
fn matched(sides: &Sides<'_>) -> Cure {
    let mut changes = Vec::new();
    let mut confidence = Confidence::Exact;
    for side in [&sides.left, &sides.right] {
        if matches!(side.kind, Kind::Text | Kind::Literal | Kind::Unclear) {
            continue;
        }
        match as_text(side.kind) {
            Some(sure) => {
                changes.push(Change::Cast(side.run, "text"));
                confidence = crate::repair::foreign_functions::call::least(confidence, sure);
            }
            None => return Cure::Advice("LIKE compares text: cast the value with ::text."),
        }
    }
    match changes.is_empty() {
        true => Cure::Sound,
        false => Cure::Changes(changes, confidence),
    }
}

/// `+`, `-`, `*`, `/`, `%`.
fn calculated(sides: &Sides<'_>) -> Cure {
    let (left, right) = (&sides.left, &sides.right);
    let (one, other) = (left.kind, right.kind);
    let is_text = |kind| matches!(kind, Kind::Text | Kind::Literal);
    if one == Kind::Bool && (other.is_number() || other == Kind::Bool)
        || other == Kind::Bool && one.is_number()
    {
        let bools = [left, right]
            .into_iter()
            .filter(|side| side.kind == Kind::Bool);
        let changes = bools.map(|side| Change::Cast(side.run, "int")).collect();
        let whole = matches!(sides.symbol, "/" | "%");
        return Cure::Changes(
            changes,
            if whole {
                Confidence::Likely
            } else {
                Confidence::Exact
            },
        );
    }
    match (one, sides.symbol, other) {
        (Kind::Timestamp | Kind::Timestamptz, "+" | "-", Kind::Int) => days(right, false),
        (Kind::Int, "+", Kind::Timestamp | Kind::Timestamptz) => days(left, false),
        (Kind::Date, "+" | "-", Kind::Numeric | Kind::Float) => Cure::Advice(DATE_PLUS),
        (Kind::Date | Kind::Timestamp | Kind::Timestamptz, "+" | "-", Kind::Text) => {
            Cure::Advice(DATE_PLUS)
        }
        (Kind::Float, "%", number) | (number, "%", Kind::Float) if number.is_number() => {
            let floats = [left, right]
                .into_iter()
                .filter(|side| side.kind == Kind::Float);
            let changes = floats
                .map(|side| Change::Cast(side.run, "numeric"))
                .collect();
            Cure::Changes(changes, Confidence::Exact)
        }
        (Kind::Text, "+", Kind::Text | Kind::Literal) | (Kind::Literal, "+", Kind::Text) => {
            added_texts(sides)
        }
        (one, _, other)
            if (one == Kind::Text && (is_text(other) || other.is_number()))
                || other == Kind::Text && (is_text(one) || one.is_number()) =>
        {
            numbers_of_texts(sides)
        }
        _ => Cure::Sound,
    }
}

/// `text ->> 'a'`: the text is JSON.
fn json_taken(sides: &Sides<'_>) -> Cure {
    match sides.left.kind {
        Kind::Text => {
            let path = node_access::constant_text(sides.right.node);
            if path.is_some_and(|path| path.starts_with('$')) {
                return Cure::Advice(JSON);
            }
            Cure::Changes(
                vec![Change::Cast(sides.left.run, "jsonb")],
                Confidence::Likely,
            )
        }
        _ => Cure::Sound,
    }
}

fn is_order(letter: char) -> bool {
    matches!(letter, '<' | '>')
}

/// Operators of other dialects that Postgres's grammar reads as ones that somebody may have made.
fn spelled(sides: &Sides<'_>, judge: &Judge<'_, '_>) -> Cure {
    let exists = judge.scene.database.is_some_and(|database| {
        let named = database.catalog.names().find(sides.symbol);
        named.is_some_and(|name| {
            let found = database.catalog.index().operators(name).iter();
            let mut own = found.filter(|id| !database.catalog.operator(**id).oid.is_built_in());
            own.next().is_some()
        })
    });
    let both = |kind| sides.left.kind == kind && sides.right.kind == kind;
    let word = match sides.symbol {
        _ if exists => return Cure::Sound,
        "==" | "===" => "=",
        "!==" => "!=",
        "<==" | "=<" => "<=",
        ">==" => ">=",
        "<=>" => "IS NOT DISTINCT FROM",
        "&&" if both(Kind::Bool) => "AND",
        _ => return Cure::Sound,
    };
    let mut changes = vec![Change::Spelled(sides.operator, word.to_owned())];
    let mut confidence = Confidence::Exact;
    if sides.symbol != "&&"
        && let Cure::Changes(more, own) = compared(sides, !word.starts_with(is_order), judge)
    {
        changes.extend(more);
        confidence = own;
    }
    Cure::Changes(changes, confidence)
}

/// The first number of four digits.
const FOUR_DIGITS: i64 = 1000;

const MOMENT_AND_NUMBER: &str = "A date is compared with a date ('2020-01-01'); EXTRACT(YEAR FROM x) gives its year as a number.";

const AGE_AND_NUMBER: &str =
    "age(x) is an interval: EXTRACT(YEAR FROM age(x)) gives its years as a number.";

const INTERVAL_AND_NUMBER: &str = "The difference of two points in time is an interval: compare it with INTERVAL '30 days', or take EXTRACT(DAY FROM x).";

const DATE_PLUS: &str = "x + INTERVAL '1 day' adds to a date; date + integer adds days.";

const JSON: &str =
    "x ->> 'key' gives a part of JSON as text: cast that to compare it with numbers.";
