//! The types of expressions in a text that Postgres reads, where parts of it are foreign.

use std::collections::HashMap;

use crate::session_database::SessionDatabase;
use crate::sql_type::SqlType;
use catalog::{Catalog, type_oid};
use ground::limits::FUNCTIONS_DEPTH_MAX;
use resolve::InferredType;
use resolve::expression::node_types;
use resolve::expression::node_types::{ExpressionTypes, address};
use sql::node_access;
use sql::node_access::constant_text;
use sql::tree::{A_Expr_Kind, ConstValue, Node, nodes};

/// The kinds of the expressions of a text.
pub struct ExpressionKinds<'s> {
    catalog: Option<&'s Catalog>,
    typed: Option<ExpressionTypes>,
    /// What takes the place of calls that have been changed.
    replaced: HashMap<*const (), SqlType>,
}

impl<'s> ExpressionKinds<'s> {
    /// Those of a text of one statement.
    pub fn of(database: Option<&'s SessionDatabase<'s>>, statement: Option<Node<'_>>) -> Self {
        let typed = database.zip(statement).and_then(|(database, node)| {
            node_types::expression_types(node, &database.lookup()).ok()
        });
        Self {
            catalog: database.map(|database| database.catalog),
            typed,
            replaced: HashMap::new(),
        }
    }

    /// From now on a node is of this kind.
    pub fn set_kind(&mut self, node: Node<'_>, kind: SqlType) {
        if let Some(at) = address(node) {
            self.replaced.insert(at, kind);
        }
    }

    /// The kind of what takes the place of a call, if it was changed.
    pub fn kind_made(&self, node: Node<'_>) -> Option<SqlType> {
        address(node).and_then(|at| self.replaced.get(&at)).copied()
    }

    /// The kind of an expression.
    pub fn kind(&self, node: Node<'_>) -> SqlType {
        self.deep(node, FUNCTIONS_DEPTH_MAX)
    }

    fn deep(&self, node: Node<'_>, depth: usize) -> SqlType {
        let Some(depth) = depth.checked_sub(1) else {
            return SqlType::Unclear;
        };
        if let Some(made) = address(node).and_then(|at| self.replaced.get(&at)) {
            return *made;
        }
        if constant_text(node).is_some() {
            return SqlType::Literal;
        }
        let known = self.typed.as_ref().map(|typed| typed.of(node));
        match known
            .as_ref()
            .map_or(SqlType::Unclear, |known| self.of_type(known))
        {
            SqlType::Unclear => self.guessed(node, depth),
            kind => kind,
        }
    }

    fn of_type(&self, inferred: &InferredType) -> SqlType {
        let (InferredType::Known(id), Some(catalog)) = (inferred, self.catalog) else {
            return match inferred {
                InferredType::Literal => SqlType::Literal,
                InferredType::Row(_) => SqlType::Other,
                _ => SqlType::Unclear,
            };
        };
        match catalog.data_type(*id).oid {
            type_oid::UNKNOWN => SqlType::Literal,
            // To a translation they are types that its dialect has no equal of.
            type_oid::OID => SqlType::Integer,
            type_oid::TIMETZ => SqlType::Time,
            _ => SqlType::of(catalog, *id),
        }
    }

    /// What the resolver could not tell, because something in it is foreign.
    fn guessed(&self, node: Node<'_>, depth: usize) -> SqlType {
        let of = |node| self.deep(node, depth);
        match node {
            Node::A_Const(constant) => match constant.val() {
                Some(ConstValue::Integer(_)) => SqlType::Integer,
                Some(ConstValue::Float(_)) => SqlType::Decimal,
                Some(ConstValue::Boolean(_)) => SqlType::Bool,
                Some(ConstValue::String(_)) | None => SqlType::Literal,
                Some(_) => SqlType::Other,
            },
            Node::CoalesceExpr(coalesce) => together(coalesce.args().iter().map(of)),
            Node::MinMaxExpr(extreme) => together(extreme.args().iter().map(of)),
            Node::CaseExpr(case) => {
                let results = case.args().iter().filter_map(|when| match when {
                    Node::CaseWhen(when) => Some(of(when.result())),
                    _ => None,
                });
                let otherwise = match case.defresult() {
                    Node::None => None,
                    node => Some(of(node)),
                };
                together(results.chain(otherwise))
            }
            Node::BoolExpr(_) | Node::NullTest(_) | Node::BooleanTest(_) => SqlType::Bool,
            Node::CollateClause(_) => SqlType::Text,
            Node::TypeCast(cast) => {
                node_access::cast_name(cast).map_or(SqlType::Unclear, named_short)
            }
            Node::A_Expr(operation) => self.operation(operation, depth),
            Node::FuncCall(call) => self.call(call, depth),
            _ => SqlType::Unclear,
        }
    }

    fn operation(&self, operation: &nodes::A_Expr, depth: usize) -> SqlType {
        let name = node_access::last_name(operation.name()).unwrap_or_default();
        match operation.kind {
            A_Expr_Kind::AEXPR_OP => {}
            A_Expr_Kind::AEXPR_NULLIF => return self.deep(operation.lexpr(), depth),
            _ => return SqlType::Bool,
        }
        let right = self.deep(operation.rexpr(), depth);
        let left = match operation.lexpr() {
            Node::None => return right,
            node => self.deep(node, depth),
        };
        match name {
            "=" | "<>" | "<" | ">" | "<=" | ">=" | "~" | "~*" | "!~" | "!~*" | "~~" => {
                SqlType::Bool
            }
            "||" => SqlType::Text,
            "->>" | "#>>" => SqlType::Text,
            "+" | "-" | "*" | "/" | "%" => match (left, name, right) {
                (SqlType::Date, "-", SqlType::Date) => SqlType::Integer,
                (SqlType::Date, _, SqlType::Integer) => SqlType::Date,
                (SqlType::Interval, "*" | "/", _) => SqlType::Interval,
                (left, "-", right) if left.is_temporal() && right.is_temporal() => {
                    SqlType::Interval
                }
                (SqlType::TimestampTz, _, SqlType::Interval) => SqlType::TimestampTz,
                (left, _, SqlType::Interval) if left.is_temporal() => SqlType::Timestamp,
                (left, _, right) if left.is_number() || right.is_number() => left.common(right),
                _ => SqlType::Unclear,
            },
            _ => SqlType::Unclear,
        }
    }

    /// Functions of Postgres whose result follows from arguments that are foreign.
    fn call(&self, call: &nodes::FuncCall, depth: usize) -> SqlType {
        let first = || match call.args().first() {
            Some(node) => self.deep(node, depth),
            None => SqlType::Unclear,
        };
        match node_access::last_name(call.funcname()).unwrap_or_default() {
            "count" | "length" | "strpos" | "row_number" | "rank" | "dense_rank" => {
                SqlType::Integer
            }
            "upper" | "lower" | "substr" | "substring" | "concat" | "concat_ws" | "to_char"
            | "left" | "right" | "replace" | "lpad" | "rpad" | "string_agg" => SqlType::Text,
            "max" | "min" | "abs" | "lag" | "lead" | "first_value" | "last_value" => first(),
            "sum" => match first() {
                SqlType::Integer => SqlType::Integer,
                kind => kind,
            },
            "avg" => match first() {
                SqlType::Integer => SqlType::Decimal,
                kind => kind,
            },
            "round" | "trunc" | "ceil" | "ceiling" | "floor" => match first() {
                SqlType::Integer if call.args().len() > 1 => SqlType::Decimal,
                SqlType::Integer => SqlType::Float,
                kind => kind,
            },
            "extract" => SqlType::Decimal,
            "date_part" => SqlType::Float,
            _ => SqlType::Unclear,
        }
    }
}

fn together(mut kinds: impl Iterator<Item = SqlType>) -> SqlType {
    let first = kinds.next().unwrap_or(SqlType::Unclear);
    kinds.fold(first, SqlType::common)
}

/// A type as the grammar names it.
fn named_short(name: &str) -> SqlType {
    match name {
        "bool" => SqlType::Bool,
        "int2" | "int4" | "int8" => SqlType::Integer,
        "float4" | "float8" => SqlType::Float,
        "varchar" | "bpchar" => SqlType::Text,
        "timestamp" => SqlType::Timestamp,
        "timestamptz" => SqlType::TimestampTz,
        other => match SqlType::named(other) {
            SqlType::Other => SqlType::Unclear,
            kind => kind,
        },
    }
}
