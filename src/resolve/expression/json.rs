//! The SQL/JSON forms.
//!
//! A server that does not have them reads them as calls: then nothing is claimed about them.
//!
//! <https://www.postgresql.org/docs/current/functions-json.html>

use crate::inferred::InferredType;
use crate::{Analysis, ColumnCompleteness, Scope, TooDeep};
use catalog::{Oid, type_oid};
use sql::tree::{JsonExprOp, Node, nodes};

/// The first servers that have the constructors, and the other forms.
const CONSTRUCTORS_SINCE: u16 = 16;
const FUNCTIONS_SINCE: u16 = 17;

impl<'a> Analysis<'a> {
    /// A JSON form, or one that is not known.
    pub(crate) fn json(
        &mut self,
        node: Node<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        if self.catalog.server_major() < since(node) {
            return self.unknown(node, scope);
        }
        match node {
            Node::JsonValueExpr(value) => self.json_value(Some(value), scope),
            Node::JsonIsPredicate(predicate) => {
                self.expression(predicate.expr(), scope)?;
                Ok(self.own(type_oid::BOOL))
            }
            Node::JsonParseExpr(parse) => {
                let value = self.json_value(parse.expr(), scope)?;
                self.json_input(&value, parse.location);
                self.json_output(parse.output(), type_oid::JSON, parse.location)
            }
            Node::JsonScalarExpr(scalar) => {
                self.expression(scalar.expr(), scope)?;
                self.json_output(scalar.output(), type_oid::JSON, scalar.location)
            }
            Node::JsonSerializeExpr(serialize) => {
                let value = self.json_value(serialize.expr(), scope)?;
                self.json_input(&value, serialize.location);
                self.json_output(serialize.output(), type_oid::TEXT, serialize.location)
            }
            Node::JsonFuncExpr(function) => self.json_function(function, scope),
            other => self.json_constructor(other, scope),
        }
    }

    /// What makes JSON of other values.
    fn json_constructor(
        &mut self,
        node: Node<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        match node {
            Node::JsonObjectConstructor(object) => {
                let mut values = Vec::new();
                for pair in object.exprs() {
                    values.extend(self.json_pair(pair, scope)?);
                }
                self.constructed(object.output(), &values, object.location)
            }
            Node::JsonArrayConstructor(array) => {
                let mut values = Vec::new();
                for value in array.exprs() {
                    values.push(self.json_value(Some(value), scope)?);
                }
                self.constructed(array.output(), &values, array.location)
            }
            Node::JsonArrayQueryConstructor(array) => {
                let Node::SelectStmt(select) = array.query() else {
                    return self.unknown(node, scope);
                };
                let shape = self.query(select, Some(scope))?;
                let columns = shape.columns.into_iter();
                let mut values: Vec<InferredType> = columns.map(|column| column.inferred).collect();
                if shape.completeness == ColumnCompleteness::Open {
                    values.push(InferredType::Unclear);
                }
                self.constructed(array.output(), &values, array.location)
            }
            Node::JsonObjectAgg(aggregate) => {
                let values = match aggregate.arg() {
                    Some(pair) => self.json_pair(pair, scope)?.into(),
                    None => Vec::new(),
                };
                self.json_aggregate(aggregate.constructor(), &values, scope)
            }
            Node::JsonArrayAgg(aggregate) => {
                let value = self.json_value(aggregate.arg(), scope)?;
                self.json_aggregate(aggregate.constructor(), &[value], scope)
            }
            other => self.unknown(other, scope),
        }
    }

    fn json_aggregate(
        &mut self,
        constructor: Option<&'a nodes::JsonAggConstructor>,
        values: &[InferredType],
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let Some(constructor) = constructor else {
            return Ok(InferredType::Unclear);
        };
        for sort in constructor.agg_order() {
            match sort {
                Node::SortBy(sort) => self.sort_key(sort, scope)?,
                other => self.unknown(other, scope)?,
            };
        }
        self.condition(constructor.agg_filter(), scope)?;
        if let Some(window) = constructor.over() {
            self.window(window, scope)?;
        }
        self.constructed(constructor.output(), values, constructor.location)
    }

    /// JSON_EXISTS, JSON_VALUE, JSON_QUERY.
    fn json_function(
        &mut self,
        function: &'a nodes::JsonFuncExpr,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let at = function.location;
        let context = self.json_value(function.context_item(), scope)?;
        self.json_input(&context, at);
        let path = self.expression(function.pathspec(), scope)?;
        self.coerced_to(&path, type_oid::JSONPATH, at);
        for argument in function.passing() {
            match argument {
                Node::JsonArgument(argument) => self.json_value(argument.val(), scope)?,
                other => self.unknown(other, scope)?,
            };
        }
        let usual = match function.op {
            JsonExprOp::JSON_EXISTS_OP => type_oid::BOOL,
            JsonExprOp::JSON_VALUE_OP => type_oid::TEXT,
            JsonExprOp::JSON_QUERY_OP => type_oid::JSONB,
            _ => return self.unknown(Node::JsonFuncExpr(function), scope),
        };
        let inferred = self.json_output(function.output(), usual, at)?;
        for behavior in [function.on_empty(), function.on_error()]
            .into_iter()
            .flatten()
        {
            if !matches!(behavior.expr(), Node::None) {
                let value = self.expression(behavior.expr(), scope)?;
                if let InferredType::Known(target) = inferred {
                    self.cast_to(&value, target, true, at);
                }
            }
        }
        Ok(inferred)
    }

    fn json_pair(
        &mut self,
        pair: &'a nodes::JsonKeyValue,
        scope: &Scope<'_, 'a>,
    ) -> Result<[InferredType; 2], TooDeep> {
        let key = self.expression(pair.key(), scope)?;
        Ok([key, self.json_value(pair.value(), scope)?])
    }

    /// A value with an optional FORMAT.
    fn json_value(
        &mut self,
        value: Option<&'a nodes::JsonValueExpr>,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        match value {
            Some(value) => self.expression(value.raw_expr(), scope),
            None => Ok(InferredType::Unclear),
        }
    }

    /// Notes that a value is read as JSON.
    fn json_input(&mut self, value: &InferredType, location: i32) {
        for target in [type_oid::TEXT, type_oid::JSON, type_oid::JSONB] {
            self.coerced_to(value, target, location);
        }
    }

    /// The type of a constructor: jsonb if one of the values is, json otherwise, unless RETURNING
    /// says more.
    fn constructed(
        &mut self,
        output: Option<&'a nodes::JsonOutput>,
        values: &[InferredType],
        location: i32,
    ) -> Result<InferredType, TooDeep> {
        if output.and_then(nodes::JsonOutput::type_name).is_none()
            && values.contains(&InferredType::Unclear)
        {
            return Ok(InferredType::Unclear);
        }
        let jsonb = self.own(type_oid::JSONB);
        let usual = if values.contains(&jsonb) {
            type_oid::JSONB
        } else {
            type_oid::JSON
        };
        self.json_output(output, usual, location)
    }

    /// The type of RETURNING, made from JSON or text where it is another.
    fn json_output(
        &mut self,
        output: Option<&'a nodes::JsonOutput>,
        usual: Oid,
        location: i32,
    ) -> Result<InferredType, TooDeep> {
        let Some(name) = output.and_then(nodes::JsonOutput::type_name) else {
            return Ok(self.own(usual));
        };
        let inferred = self.type_name(name);
        if let InferredType::Known(target) = inferred {
            for source in [type_oid::TEXT, type_oid::JSON, type_oid::JSONB] {
                let source = self.own(source);
                self.cast_to(&source, target, true, location);
            }
        }
        Ok(inferred)
    }
}

fn since(node: Node<'_>) -> u16 {
    match node {
        Node::JsonIsPredicate(_)
        | Node::JsonObjectConstructor(_)
        | Node::JsonArrayConstructor(_)
        | Node::JsonArrayQueryConstructor(_)
        | Node::JsonObjectAgg(_)
        | Node::JsonArrayAgg(_) => CONSTRUCTORS_SINCE,
        Node::JsonParseExpr(_)
        | Node::JsonScalarExpr(_)
        | Node::JsonSerializeExpr(_)
        | Node::JsonFuncExpr(_) => FUNCTIONS_SINCE,
        _ => 0,
    }
}
