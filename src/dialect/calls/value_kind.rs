//! Kinds of values: types as far as it matters what a foreign function means for them.

use std::collections::HashMap;

use crate::catalog::type_oid;
use crate::catalog::{Catalog, Oid, TypeKind};
use crate::dialect::session_database::SessionDatabase;
use crate::limits::{DOMAINS_NESTED_MAX, FUNCTIONS_DEPTH_MAX};
use crate::resolve::InferredType;
use crate::resolve::expression::node_types;
use crate::resolve::expression::node_types::{ExpressionTypes, address};
use crate::sql::node_access;
use crate::sql::node_access::constant_text;
use crate::sql::tree::{A_Expr_Kind, ConstValue, Node, nodes};

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `boolean`.
    Bool,
    /// `smallint`, `integer`, `bigint`, `oid`.
    Int,
    /// `numeric`.
    Numeric,
    /// `real`, `double precision`.
    Float,
    /// `text`, `varchar`, `char`, `name`.
    Text,
    /// A string without a type: it becomes what its place asks for.
    Literal,
    /// `date`.
    Date,
    /// `timestamp`.
    Timestamp,
    /// `timestamp with time zone`.
    Timestamptz,
    /// `time`, with or without time zone.
    Time,
    /// `interval`.
    Interval,
    /// `json`.
    Json,
    /// `jsonb`.
    Jsonb,
    /// `uuid`.
    Uuid,
    /// An enumeration.
    Enum,
    /// An array.
    Array,
    /// Any other type.
    Other,
    /// It cannot be told.
    Unclear,
}

impl ValueKind {
    /// `integer`, `numeric` or `double precision`, and their kin.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Int | Self::Numeric | Self::Float)
    }

    /// A date or a point in time.
    pub fn is_temporal(self) -> bool {
        matches!(self, Self::Date | Self::Timestamp | Self::Timestamptz)
    }

    /// A type that the server's messages name (`format_type`).
    pub fn named(name: &str) -> Self {
        match name {
            "boolean" => Self::Bool,
            "smallint" | "integer" | "bigint" | "oid" => Self::Int,
            "numeric" => Self::Numeric,
            "real" | "double precision" => Self::Float,
            "text" | "character varying" | "character" | "name" => Self::Text,
            "unknown" => Self::Literal,
            "date" => Self::Date,
            "timestamp without time zone" => Self::Timestamp,
            "timestamp with time zone" => Self::Timestamptz,
            "time without time zone" | "time with time zone" => Self::Time,
            "interval" => Self::Interval,
            "json" => Self::Json,
            "jsonb" => Self::Jsonb,
            "uuid" => Self::Uuid,
            other if other.ends_with("[]") => Self::Array,
            _ => Self::Other,
        }
    }

    /// What two numbers become together.
    pub fn together(self, other: Self) -> Self {
        match (self, other) {
            (Self::Literal, kind) | (kind, Self::Literal) => kind,
            (one, other) if one == other => one,
            (Self::Float, other) | (other, Self::Float) if other.is_number() => Self::Float,
            (Self::Numeric, Self::Int) | (Self::Int, Self::Numeric) => Self::Numeric,
            (Self::Date, Self::Timestamp) | (Self::Timestamp, Self::Date) => Self::Timestamp,
            (Self::Timestamptz, other) | (other, Self::Timestamptz) if other.is_temporal() => {
                Self::Timestamptz
            }
            _ => Self::Unclear,
        }
    }

    fn of_oid(oid: Oid) -> Option<Self> {
        Some(match oid {
            type_oid::BOOL => Self::Bool,
            type_oid::INT8 | type_oid::INT2 | type_oid::INT4 | type_oid::OID => Self::Int,
            type_oid::NUMERIC => Self::Numeric,
            type_oid::FLOAT4 | type_oid::FLOAT8 => Self::Float,
            type_oid::NAME | type_oid::TEXT | type_oid::BPCHAR | type_oid::VARCHAR => Self::Text,
            type_oid::UNKNOWN => Self::Literal,
            type_oid::DATE => Self::Date,
            type_oid::TIMESTAMP => Self::Timestamp,
            type_oid::TIMESTAMPTZ => Self::Timestamptz,
            type_oid::TIME | type_oid::TIMETZ => Self::Time,
            type_oid::INTERVAL => Self::Interval,
            type_oid::JSON => Self::Json,
            type_oid::JSONB => Self::Jsonb,
            type_oid::UUID => Self::Uuid,
            _ => return None,
        })
    }
}

/// The kinds of the expressions of a text.
pub struct ExpressionKinds<'s> {
    catalog: Option<&'s Catalog>,
    typed: Option<ExpressionTypes>,
    /// What takes the place of calls that have been changed.
    replaced: HashMap<*const (), ValueKind>,
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
    pub fn set_kind(&mut self, node: Node<'_>, kind: ValueKind) {
        if let Some(at) = address(node) {
            self.replaced.insert(at, kind);
        }
    }

    /// The kind of what takes the place of a call, if it was changed.
    pub fn kind_made(&self, node: Node<'_>) -> Option<ValueKind> {
        address(node).and_then(|at| self.replaced.get(&at)).copied()
    }

    /// The kind of an expression.
    pub fn kind(&self, node: Node<'_>) -> ValueKind {
        self.deep(node, FUNCTIONS_DEPTH_MAX)
    }

    fn deep(&self, node: Node<'_>, depth: usize) -> ValueKind {
        let Some(depth) = depth.checked_sub(1) else {
            return ValueKind::Unclear;
        };
        if let Some(made) = address(node).and_then(|at| self.replaced.get(&at)) {
            return *made;
        }
        if constant_text(node).is_some() {
            return ValueKind::Literal;
        }
        let known = self.typed.as_ref().map(|typed| typed.of(node));
        match known
            .as_ref()
            .map_or(ValueKind::Unclear, |known| self.of_type(known))
        {
            ValueKind::Unclear => self.guessed(node, depth),
            kind => kind,
        }
    }

    fn of_type(&self, inferred: &InferredType) -> ValueKind {
        let (InferredType::Known(id), Some(catalog)) = (inferred, self.catalog) else {
            return match inferred {
                InferredType::Literal => ValueKind::Literal,
                InferredType::Row(_) => ValueKind::Other,
                _ => ValueKind::Unclear,
            };
        };
        let mut id = *id;
        for _ in 0..DOMAINS_NESTED_MAX {
            match catalog.data_type(id).kind {
                TypeKind::Domain { base, .. } => id = base,
                _ => break,
            }
        }
        let found = catalog.data_type(id);
        match (&found.kind, ValueKind::of_oid(found.oid)) {
            (_, Some(kind)) => kind,
            (TypeKind::Enum, None) => ValueKind::Enum,
            (_, None) if found.is_array => ValueKind::Array,
            (_, None) => ValueKind::Other,
        }
    }

    /// What the resolver could not tell, because something in it is foreign.
    fn guessed(&self, node: Node<'_>, depth: usize) -> ValueKind {
        let of = |node| self.deep(node, depth);
        match node {
            Node::A_Const(constant) => match constant.val() {
                Some(ConstValue::Integer(_)) => ValueKind::Int,
                Some(ConstValue::Float(_)) => ValueKind::Numeric,
                Some(ConstValue::Boolean(_)) => ValueKind::Bool,
                Some(ConstValue::String(_)) | None => ValueKind::Literal,
                Some(_) => ValueKind::Other,
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
            Node::BoolExpr(_) | Node::NullTest(_) | Node::BooleanTest(_) => ValueKind::Bool,
            Node::CollateClause(_) => ValueKind::Text,
            Node::TypeCast(cast) => {
                node_access::cast_name(cast).map_or(ValueKind::Unclear, named_short)
            }
            Node::A_Expr(operation) => self.operation(operation, depth),
            Node::FuncCall(call) => self.call(call, depth),
            _ => ValueKind::Unclear,
        }
    }

    fn operation(&self, operation: &nodes::A_Expr, depth: usize) -> ValueKind {
        let name = node_access::last_name(operation.name()).unwrap_or_default();
        match operation.kind {
            A_Expr_Kind::AEXPR_OP => {}
            A_Expr_Kind::AEXPR_NULLIF => return self.deep(operation.lexpr(), depth),
            _ => return ValueKind::Bool,
        }
        let right = self.deep(operation.rexpr(), depth);
        let left = match operation.lexpr() {
            Node::None => return right,
            node => self.deep(node, depth),
        };
        match name {
            "=" | "<>" | "<" | ">" | "<=" | ">=" | "~" | "~*" | "!~" | "!~*" | "~~" => {
                ValueKind::Bool
            }
            "||" => ValueKind::Text,
            "->>" | "#>>" => ValueKind::Text,
            "+" | "-" | "*" | "/" | "%" => match (left, name, right) {
                (ValueKind::Date, "-", ValueKind::Date) => ValueKind::Int,
                (ValueKind::Date, _, ValueKind::Int) => ValueKind::Date,
                (ValueKind::Interval, "*" | "/", _) => ValueKind::Interval,
                (left, "-", right) if left.is_temporal() && right.is_temporal() => {
                    ValueKind::Interval
                }
                (ValueKind::Timestamptz, _, ValueKind::Interval) => ValueKind::Timestamptz,
                (left, _, ValueKind::Interval) if left.is_temporal() => ValueKind::Timestamp,
                (left, _, right) if left.is_number() || right.is_number() => left.together(right),
                _ => ValueKind::Unclear,
            },
            _ => ValueKind::Unclear,
        }
    }

    /// Functions of Postgres whose result follows from arguments that are foreign.
    fn call(&self, call: &nodes::FuncCall, depth: usize) -> ValueKind {
        let first = || match call.args().first() {
            Some(node) => self.deep(node, depth),
            None => ValueKind::Unclear,
        };
        match node_access::last_name(call.funcname()).unwrap_or_default() {
            "count" | "length" | "strpos" | "row_number" | "rank" | "dense_rank" => ValueKind::Int,
            "upper" | "lower" | "substr" | "substring" | "concat" | "concat_ws" | "to_char"
            | "left" | "right" | "replace" | "lpad" | "rpad" | "string_agg" => ValueKind::Text,
            "max" | "min" | "abs" | "lag" | "lead" | "first_value" | "last_value" => first(),
            "sum" => match first() {
                ValueKind::Int => ValueKind::Int,
                kind => kind,
            },
            "avg" => match first() {
                ValueKind::Int => ValueKind::Numeric,
                kind => kind,
            },
            "round" | "trunc" | "ceil" | "ceiling" | "floor" => match first() {
                ValueKind::Int if call.args().len() > 1 => ValueKind::Numeric,
                ValueKind::Int => ValueKind::Float,
                kind => kind,
            },
            "extract" => ValueKind::Numeric,
            "date_part" => ValueKind::Float,
            _ => ValueKind::Unclear,
        }
    }
}

fn together(mut kinds: impl Iterator<Item = ValueKind>) -> ValueKind {
    let first = kinds.next().unwrap_or(ValueKind::Unclear);
    kinds.fold(first, ValueKind::together)
}

/// A type as the grammar names it.
fn named_short(name: &str) -> ValueKind {
    match name {
        "bool" => ValueKind::Bool,
        "int2" | "int4" | "int8" => ValueKind::Int,
        "float4" | "float8" => ValueKind::Float,
        "varchar" | "bpchar" => ValueKind::Text,
        "timestamp" => ValueKind::Timestamp,
        "timestamptz" => ValueKind::Timestamptz,
        other => match ValueKind::named(other) {
            ValueKind::Other => ValueKind::Unclear,
            kind => kind,
        },
    }
}
