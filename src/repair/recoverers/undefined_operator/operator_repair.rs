//! What is done about one operator between two kinds of values.

use super::compared_operands::{JSON, comparison_repair, interval_and_number};
use super::operator_sides::{OperatorContext, OperatorSides};
use super::string_operands::{concatenation_repair, text_addition_repair, text_arithmetic_repair};
use crate::Confidence;
use crate::expression_editor::{ExpressionChange, ExpressionRepair};
use dialect::calls::call::{least_confidence, text_confidence};
use dialect::calls::expression_kinds::ExpressionKinds;
use dialect::sql_type::SqlType;
use sql::node_access;
use sql::tree::{A_Expr_Kind, nodes};

/// What is done about an operator.
pub(crate) fn operator_repair(
    sides: &OperatorSides<'_>,
    judge: &OperatorContext<'_, '_>,
) -> ExpressionRepair {
    match sides.symbol {
        "=" | "<>" => comparison_repair(sides, true, judge),
        "<" | ">" | "<=" | ">=" => comparison_repair(sides, false, judge),
        "like" | "~" | "~*" | "!~" | "!~*" => pattern_repair(sides),
        "+" | "-" | "*" | "/" | "%" => arithmetic_repair(sides),
        "||" => concatenation_repair(sides),
        "->" | "->>" | "#>" | "#>>" => json_extraction(sides),
        "==" | "===" | "!==" | "<==" | ">==" | "=<" | "<=>" | "&&" => {
            foreign_operator_repair(sides, judge)
        }
        _ => ExpressionRepair::NotNeeded,
    }
}

/// What an operator is after its repair.
pub(crate) fn result_kind(
    operation: &nodes::A_Expr,
    kinds: &ExpressionKinds<'_>,
) -> Option<SqlType> {
    let symbol = node_access::last_name(operation.name())?;
    if operation.kind != A_Expr_Kind::AEXPR_OP {
        return None;
    }
    let of = |node| match kinds.kind(node) {
        SqlType::Text | SqlType::Literal => SqlType::Decimal,
        SqlType::Bool => SqlType::Integer,
        kind => kind,
    };
    let (left, right) = (of(operation.lexpr()), of(operation.rexpr()));
    Some(match symbol {
        "+" | "-" if left.is_temporal() => left.common(SqlType::Timestamp),
        "+" | "-" | "*" | "/" | "%" => left.common(right),
        "||" => SqlType::Text,
        _ => SqlType::Bool,
    })
}

/// LIKE and regular expressions take text on both sides.
fn pattern_repair(sides: &OperatorSides<'_>) -> ExpressionRepair {
    let mut changes = Vec::new();
    let mut confidence = Confidence::Exact;
    for side in [&sides.left, &sides.right] {
        if matches!(
            side.kind,
            SqlType::Text | SqlType::Literal | SqlType::Unclear
        ) {
            continue;
        }
        match text_confidence(side.kind) {
            Some(sure) => {
                changes.push(ExpressionChange::Cast(side.run, "text"));
                confidence = least_confidence(confidence, sure);
            }
            None => {
                return ExpressionRepair::Advice("LIKE compares text: cast the value with ::text.");
            }
        }
    }
    match changes.is_empty() {
        true => ExpressionRepair::NotNeeded,
        false => ExpressionRepair::Changes(changes, confidence),
    }
}

/// `+`, `-`, `*`, `/`, `%`.
fn arithmetic_repair(sides: &OperatorSides<'_>) -> ExpressionRepair {
    let (left, right) = (&sides.left, &sides.right);
    let (one, other) = (left.kind, right.kind);
    let is_text = |kind| matches!(kind, SqlType::Text | SqlType::Literal);
    if one == SqlType::Bool && (other.is_number() || other == SqlType::Bool)
        || other == SqlType::Bool && one.is_number()
    {
        let bools = [left, right]
            .into_iter()
            .filter(|side| side.kind == SqlType::Bool);
        let changes = bools
            .map(|side| ExpressionChange::Cast(side.run, "int"))
            .collect();
        let whole = matches!(sides.symbol, "/" | "%");
        return ExpressionRepair::Changes(
            changes,
            if whole {
                Confidence::Likely
            } else {
                Confidence::Exact
            },
        );
    }
    match (one, sides.symbol, other) {
        (SqlType::Timestamp | SqlType::TimestampTz, "+" | "-", SqlType::Integer) => {
            interval_and_number(right, false)
        }
        (SqlType::Integer, "+", SqlType::Timestamp | SqlType::TimestampTz) => {
            interval_and_number(left, false)
        }
        (SqlType::Date, "+" | "-", SqlType::Decimal | SqlType::Float) => {
            ExpressionRepair::Advice(DATE_PLUS)
        }
        (SqlType::Date | SqlType::Timestamp | SqlType::TimestampTz, "+" | "-", SqlType::Text) => {
            ExpressionRepair::Advice(DATE_PLUS)
        }
        (SqlType::Float, "%", number) | (number, "%", SqlType::Float) if number.is_number() => {
            let floats = [left, right]
                .into_iter()
                .filter(|side| side.kind == SqlType::Float);
            let changes = floats
                .map(|side| ExpressionChange::Cast(side.run, "numeric"))
                .collect();
            ExpressionRepair::Changes(changes, Confidence::Exact)
        }
        (SqlType::Text, "+", SqlType::Text | SqlType::Literal)
        | (SqlType::Literal, "+", SqlType::Text) => text_addition_repair(sides),
        (one, _, other)
            if (one == SqlType::Text && (is_text(other) || other.is_number()))
                || other == SqlType::Text && (is_text(one) || one.is_number()) =>
        {
            text_arithmetic_repair(sides)
        }
        _ => ExpressionRepair::NotNeeded,
    }
}

/// `text ->> 'a'`: the text is JSON.
fn json_extraction(sides: &OperatorSides<'_>) -> ExpressionRepair {
    match sides.left.kind {
        SqlType::Text => {
            let path = node_access::constant_text(sides.right.node);
            if path.is_some_and(|path| path.starts_with('$')) {
                return ExpressionRepair::Advice(JSON);
            }
            ExpressionRepair::Changes(
                vec![ExpressionChange::Cast(sides.left.run, "jsonb")],
                Confidence::Likely,
            )
        }
        _ => ExpressionRepair::NotNeeded,
    }
}

fn is_order(letter: char) -> bool {
    matches!(letter, '<' | '>')
}

/// Operators of other dialects that Postgres's grammar reads as ones that somebody may have made.
fn foreign_operator_repair(
    sides: &OperatorSides<'_>,
    judge: &OperatorContext<'_, '_>,
) -> ExpressionRepair {
    let exists = judge.context.database.is_some_and(|database| {
        let named = database.catalog.names().find(sides.symbol);
        named.is_some_and(|name| {
            let found = database.catalog.index().operators(name).iter();
            let mut own = found.filter(|id| !database.catalog.operator(**id).oid.is_built_in());
            own.next().is_some()
        })
    });
    let both = |kind| sides.left.kind == kind && sides.right.kind == kind;
    let word = match sides.symbol {
        _ if exists => return ExpressionRepair::NotNeeded,
        "==" | "===" => "=",
        "!==" => "!=",
        "<==" | "=<" => "<=",
        ">==" => ">=",
        "<=>" => "IS NOT DISTINCT FROM",
        "&&" if both(SqlType::Bool) => "AND",
        _ => return ExpressionRepair::NotNeeded,
    };
    let mut changes = vec![ExpressionChange::Spelled(sides.operator, word.to_owned())];
    let mut confidence = Confidence::Exact;
    if sides.symbol != "&&"
        && let ExpressionRepair::Changes(more, own) =
            comparison_repair(sides, !word.starts_with(is_order), judge)
    {
        changes.extend(more);
        confidence = own;
    }
    ExpressionRepair::Changes(changes, confidence)
}

const DATE_PLUS: &str = "x + INTERVAL '1 day' adds to a date; date + integer adds days.";
