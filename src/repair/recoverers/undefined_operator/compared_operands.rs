//! Values of different types that are compared.

use super::operator_sides::{OperatorContext, OperatorSide, OperatorSides};
use super::string_operands::writes_digits;
use crate::Confidence;
use crate::expression_editor::{ExpressionChange, ExpressionRepair};
use dialect::sql_type::SqlType;
use sql::extent::TokenRange;
use sql::node_access;
use sql::tree::{A_Expr_Kind, Node, SubLinkType, nodes};

/// `=`, `<` and their kin.
pub(super) fn comparison_repair(
    sides: &OperatorSides<'_>,
    equality: bool,
    judge: &OperatorContext<'_, '_>,
) -> ExpressionRepair {
    let (left, right) = (&sides.left, &sides.right);
    let exact = |changes| ExpressionRepair::Changes(changes, Confidence::Exact);
    let likely = |changes| ExpressionRepair::Changes(changes, Confidence::Likely);
    match (left.kind, right.kind) {
        (SqlType::Text, number) if number.is_number() => {
            text_and_number(left, right, sides, equality, judge)
        }
        (number, SqlType::Text) if number.is_number() => {
            text_and_number(right, left, sides, equality, judge)
        }
        (SqlType::Bool, number) if number.is_number() => bool_and_number(left, right, equality),
        (number, SqlType::Bool) if number.is_number() => bool_and_number(right, left, equality),
        (moment, SqlType::Text) if moment.is_temporal() => temporal_and_text(left, right),
        (SqlType::Text, moment) if moment.is_temporal() => temporal_and_text(right, left),
        (moment, number) if moment.is_temporal() && number.is_number() => {
            ExpressionRepair::Advice(MOMENT_AND_NUMBER)
        }
        (number, moment) if moment.is_temporal() && number.is_number() => {
            ExpressionRepair::Advice(MOMENT_AND_NUMBER)
        }
        (SqlType::Uuid, SqlType::Text) => likely(vec![ExpressionChange::Cast(left.run, "text")]),
        (SqlType::Text, SqlType::Uuid) => likely(vec![ExpressionChange::Cast(right.run, "text")]),
        (SqlType::Enum, SqlType::Text) if equality => {
            exact(vec![ExpressionChange::Cast(left.run, "text")])
        }
        (SqlType::Text, SqlType::Enum) if equality => {
            exact(vec![ExpressionChange::Cast(right.run, "text")])
        }
        (SqlType::Json | SqlType::Jsonb, other) => json_compared(left, other, judge),
        (other, SqlType::Json | SqlType::Jsonb) => json_compared(right, other, judge),
        (SqlType::Interval, number) if number.is_number() && is_age(left.node) => {
            ExpressionRepair::Advice(AGE_AND_NUMBER)
        }
        (SqlType::Interval, number) if number.is_number() => interval_and_number(right, equality),
        (number, SqlType::Interval) if number.is_number() => match days_written(right.node) {
            Some(days) if number == SqlType::Integer => {
                exact(vec![ExpressionChange::Spelled(right.run, days)])
            }
            _ if is_age(right.node) => ExpressionRepair::Advice(AGE_AND_NUMBER),
            _ => interval_and_number(left, equality),
        },
        (SqlType::Array, value) | (value, SqlType::Array) if is_array_element(value) => {
            ExpressionRepair::Advice("value = ANY (array) asks whether an array contains a value.")
        }
        _ => ExpressionRepair::NotNeeded,
    }
}

/// Whether an array may have elements of a kind, as far as a comparison with one tells.
fn is_array_element(kind: SqlType) -> bool {
    matches!(
        kind,
        SqlType::Text | SqlType::Integer | SqlType::Decimal | SqlType::Float | SqlType::Uuid
    )
}

/// Whether two columns are compared, and what they are called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ComparedColumns {
    /// Columns of one name: they are the same thing, kept in two types.
    OfOneName,
    /// Columns of two names: they may be two things.
    OfTwoNames,
    /// One of the two is no column.
    No,
}

/// The names of two columns that are compared.
pub(super) fn compared_columns(one: Node<'_>, other: Node<'_>) -> ComparedColumns {
    let (Some(one), Some(other)) = (column_of(one), column_of(other)) else {
        return ComparedColumns::No;
    };
    let names = (
        node_access::last_name(one.fields()),
        node_access::last_name(other.fields()),
    );
    match names {
        (Some(one), Some(other)) if one == other => ComparedColumns::OfOneName,
        _ => ComparedColumns::OfTwoNames,
    }
}

/// The column that a value is one of: itself, its least or greatest, or that of a sub-select.
pub(super) fn column_of(node: Node<'_>) -> Option<&nodes::ColumnRef> {
    let mut node = node;
    // Each step leads further down the tree.
    loop {
        node = match node {
            Node::ColumnRef(column) => return Some(column),
            Node::FuncCall(call) if call.args().len() == 1 => {
                let name = node_access::last_name(call.funcname())?;
                let is_extreme = matches!(name, "min" | "max");
                call.args().first().filter(|_| is_extreme)?
            }
            Node::SubLink(link) if link.sub_link_type == SubLinkType::EXPR_SUBLINK => {
                let Node::SelectStmt(select) = link.subselect() else {
                    return None;
                };
                select.target_list().iter().next()?.val()
            }
            _ => return None,
        };
    }
}

/// Text beside a number. What is written out is written as text: `zip = '94103'`.
fn text_and_number(
    text: &OperatorSide<'_>,
    number: &OperatorSide<'_>,
    sides: &OperatorSides<'_>,
    equality: bool,
    judge: &OperatorContext<'_, '_>,
) -> ExpressionRepair {
    if writes_digits(text.node) {
        return ExpressionRepair::Changes(
            vec![ExpressionChange::Cast(text.run, "int")],
            Confidence::Exact,
        );
    }
    let columns = compared_columns(text.node, number.node);
    if columns == ComparedColumns::OfTwoNames {
        return ExpressionRepair::Advice(TWO_COLUMNS);
    }
    let as_number = || {
        ExpressionRepair::Changes(
            vec![ExpressionChange::Cast(text.run, "numeric")],
            Confidence::Likely,
        )
    };
    let written = node_access::constant_integer(number.node);
    match (equality, written) {
        (true, Some(value)) => {
            // A short number may stand beside one with zeros before it: '05'.
            let is_computed = matches!(text.node, Node::FuncCall(_));
            if is_computed && value.abs() < FOUR_DIGITS {
                return as_number();
            }
            let Some(run) = judge.ground.expression(number.node) else {
                return ExpressionRepair::NotNeeded;
            };
            let digits = judge.ground.bytes(run);
            let digits = judge.context.text.get(digits).unwrap_or_default();
            let plain = digits
                .trim_start_matches('-')
                .bytes()
                .all(|byte| byte.is_ascii_digit());
            if !plain {
                return as_number();
            }
            let literal = format!("'{digits}'");
            ExpressionRepair::Changes(
                vec![ExpressionChange::Spelled(run, literal)],
                Confidence::Exact,
            )
        }
        (true, None) if number.kind == SqlType::Integer => {
            let sure = match columns {
                ComparedColumns::OfOneName if sides.symbol == "=" => Confidence::Exact,
                ComparedColumns::OfOneName | ComparedColumns::OfTwoNames | ComparedColumns::No => {
                    Confidence::Likely
                }
            };
            ExpressionRepair::Changes(vec![ExpressionChange::Cast(number.run, "text")], sure)
        }
        _ => as_number(),
    }
}

/// A condition beside a number: 1 is true, 0 is false.
fn bool_and_number(
    truth: &OperatorSide<'_>,
    number: &OperatorSide<'_>,
    equality: bool,
) -> ExpressionRepair {
    let literal = match node_access::constant_integer(number.node) {
        Some(0) => Some("false"),
        Some(1) => Some("true"),
        _ => None,
    };
    let change = match literal.filter(|_| equality) {
        Some(literal) => ExpressionChange::Spelled(number.run, literal.to_owned()),
        None => ExpressionChange::Cast(truth.run, "int"),
    };
    ExpressionRepair::Changes(vec![change], Confidence::Exact)
}

fn temporal_and_text(moment: &OperatorSide<'_>, text: &OperatorSide<'_>) -> ExpressionRepair {
    let is_written = matches!(
        text.node,
        Node::FuncCall(call) if node_access::last_name(call.funcname()) == Some("to_char")
    );
    if is_written {
        // As text, which is how SQLite compares dates.
        let sure = match moment.kind {
            SqlType::Date => Confidence::Exact,
            _ => Confidence::Likely,
        };
        return ExpressionRepair::Changes(vec![ExpressionChange::Cast(moment.run, "text")], sure);
    }
    let name = match moment.kind {
        SqlType::Date => "date",
        SqlType::Timestamp => "timestamp",
        _ => "timestamptz",
    };
    ExpressionRepair::Changes(
        vec![ExpressionChange::Cast(text.run, name)],
        Confidence::Likely,
    )
}

/// An interval beside a number: the number is one of days.
pub(super) fn interval_and_number(number: &OperatorSide<'_>, equality: bool) -> ExpressionRepair {
    if equality {
        return ExpressionRepair::Advice(INTERVAL_AND_NUMBER);
    }
    let change = match node_access::constant_integer(number.node) {
        Some(days) => ExpressionChange::Spelled(number.run, format!("INTERVAL '{days} day'")),
        None => ExpressionChange::Times(number.run, "INTERVAL '1 day'"),
    };
    ExpressionRepair::Changes(vec![change], Confidence::Likely)
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
fn json_compared(
    json: &OperatorSide<'_>,
    other: SqlType,
    judge: &OperatorContext<'_, '_>,
) -> ExpressionRepair {
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
        _ => return ExpressionRepair::Advice(JSON),
    };
    let mut changes = vec![ExpressionChange::Spelled(
        TokenRange {
            first: at,
            last: at,
        },
        text.to_owned(),
    )];
    match other {
        SqlType::Text | SqlType::Literal => {}
        kind if kind.is_number() => changes.push(ExpressionChange::Cast(json.run, "numeric")),
        SqlType::Bool => changes.push(ExpressionChange::Cast(json.run, "boolean")),
        _ => return ExpressionRepair::Advice(JSON),
    }
    ExpressionRepair::Changes(changes, Confidence::Likely)
}

/// What is said of a number and a text of two names.
pub(super) const TWO_COLUMNS: &str = "A number is compared with a text of another name, which may \
     be another thing: check which columns belong together, or write the cast, as in \
     CAST(number_column AS text) = text_column.";

/// The first number of four digits.
const FOUR_DIGITS: i64 = 1000;

const MOMENT_AND_NUMBER: &str = "A date is compared with a date ('2020-01-01'); \
     EXTRACT(YEAR FROM x) gives its year as a number.";

const AGE_AND_NUMBER: &str =
    "age(x) is an interval: EXTRACT(YEAR FROM age(x)) gives its years as a number.";

const INTERVAL_AND_NUMBER: &str = "The difference of two points in time is an interval: \
     compare it with INTERVAL '30 days', or take EXTRACT(DAY FROM x).";

/// What is said of JSON that is taken for what it contains.
pub(super) const JSON: &str =
    "x ->> 'key' gives a part of JSON as text: cast that to compare it with numbers.";
