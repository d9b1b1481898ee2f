//! `catalog_missing`: names that are not built-ins, while no catalog of the database is loaded.
//!
//! # Sees
//! A relation, a function, a type, an operator or a field of a row that PostgreSQL does not bring
//! along, under a policy with `catalog: required`, in a session whose database has not been looked
//! into, or not lately.
//!
//! # Why
//! A view, an operator, a cast or a type may run anything, and the text does not show it.
//!
//! # Before
//! - `SELECT * FROM orders` (blind)
//! - `SELECT 1 === 2` (blind)
//! - `SELECT 'x'::shop.checked` (blind)
//!
//! # After
//! - `SELECT c.relname FROM pg_class AS c WHERE c.oid::regclass::text ~ '^pg_'` (blind)
//! - `WITH recent AS (SELECT now() AS at) SELECT recent.at FROM recent` (blind)
//!
//! # When not
//! Under `catalog: preferred` such statements are judged by their text alone; so they are where
//! there is no database at all, as in `pgsieve check` without one.

use std::fmt;

use crate::builtin_names;
use crate::builtin_names::BuiltinNameKind;
use crate::context::JudgeContext;
use crate::rules::{CalledName, RuleResult, node_unknown};
use crate::{Refusal, Rule, VerdictDepth};
use sql::tree::{self, A_Expr_Kind, Node, list::NodeList, nodes};

/// Looks at a statement and everything under it.
pub(crate) fn check(statement: Node<'_>, context: &JudgeContext<'_>) -> RuleResult {
    match context.depth() {
        VerdictDepth::BuiltIns => check_at_any_depth(statement, context),
        VerdictDepth::Names | VerdictDepth::Tree => Ok(()),
    }
}

/// The same, however deep the verdict looks otherwise.
pub(crate) fn check_at_any_depth(statement: Node<'_>, context: &JudgeContext<'_>) -> RuleResult {
    let mut walk = NameWalk {
        context,
        withs: Vec::new(),
        items: Vec::new(),
        fields: Vec::new(),
    };
    let mut waiting = vec![(statement, VisibleWith::Nothing)];
    let mut children = Vec::new();
    while let Some((node, visible)) = waiting.pop() {
        walk.check_node(node, visible)?;
        let visible = match node {
            Node::SelectStmt(select) => walk.open(select, visible, &mut waiting),
            _ => visible,
        };
        tree::children(node, &mut children).map_err(|_| node_unknown::refusal(node))?;
        let inner = children
            .drain(..)
            .filter(|child| !matches!(child, Node::WithClause(_)));
        waiting.extend(inner.map(|child| (child, visible)));
    }
    walk.close()
}

/// A function that is no built-in, or that the server does not have.
pub(crate) fn check_unknown_function(
    called: CalledName<'_>,
    context: &JudgeContext<'_>,
) -> RuleResult {
    match context.depth() {
        VerdictDepth::BuiltIns => Err(refusal("function", format_args!("{called}"))),
        VerdictDepth::Names | VerdictDepth::Tree => Ok(()),
    }
}

/// A parameter of a type that is no built-in.
pub(crate) fn refusal_of_parameter() -> Box<Refusal> {
    refusal("type", format_args!("of a parameter"))
}

/// The queries of WITH that a node sees: the one at this place, and those that it sees.
#[derive(Clone, Copy)]
enum VisibleWith {
    Nothing,
    From(usize),
}

struct NameWalk<'w, 't> {
    context: &'w JudgeContext<'w>,
    /// The queries of WITH, each with what was visible before it.
    withs: Vec<(&'t str, VisibleWith)>,
    /// What stands in FROM under which name.
    items: Vec<(&'t str, FromColumns<'t>)>,
    /// Fields of what stands in FROM.
    fields: Vec<(&'t str, &'t str)>,
}

/// Something in FROM, whose columns are known as far as they are named.
#[derive(Clone, Copy)]
enum FromColumns<'t> {
    Relation(CalledName<'t>),
    Function(CalledName<'t>),
    Query(&'t nodes::SelectStmt),
    /// The columns of something, in an alias.
    Names(&'t NodeList),
    Unknown,
}

impl<'t> NameWalk<'_, 't> {
    /// The queries of the WITH of a SELECT are put on the list; what the SELECT itself sees is
    /// returned.
    fn open(
        &mut self,
        select: &'t nodes::SelectStmt,
        outside: VisibleWith,
        waiting: &mut Vec<(Node<'t>, VisibleWith)>,
    ) -> VisibleWith {
        let Some(with) = select.with_clause() else {
            return outside;
        };
        let mut visible = outside;
        let mut queries = Vec::new();
        for table in with.ctes() {
            let (name, before) = (table.ctename().unwrap_or_default(), visible);
            let item = match table.ctequery() {
                _ if !table.aliascolnames().is_empty() => FromColumns::Names(table.aliascolnames()),
                Node::SelectStmt(query) => FromColumns::Query(query),
                _ => FromColumns::Unknown,
            };
            self.items.push((name, item));
            self.withs.push((name, visible));
            visible = VisibleWith::From(self.withs.len().saturating_sub(1));
            queries.push((Node::CommonTableExpr(table), before));
        }
        let recursive = with.recursive;
        waiting.extend(queries.into_iter().map(|(query, before)| {
            // WITH RECURSIVE shows all of its queries to each other.
            (query, if recursive { visible } else { before })
        }));
        visible
    }

    fn sees(&self, name: &str, mut visible: VisibleWith) -> bool {
        // Each step leads to an earlier place.
        while let VisibleWith::From(place) = visible {
            let Some((found, before)) = self.withs.get(place) else {
                return false;
            };
            if *found == name {
                return true;
            }
            visible = *before;
        }
        false
    }

    fn check_node(&mut self, node: Node<'t>, visible: VisibleWith) -> RuleResult {
        match node {
            Node::RangeVar(table) => self.relation(table, visible),
            Node::FuncCall(call) => type_in_string(call),
            Node::RangeSubselect(range) => {
                let item = match range.subquery() {
                    Node::SelectStmt(query) => FromColumns::Query(query),
                    _ => FromColumns::Unknown,
                };
                self.name(range.alias(), item);
                Ok(())
            }
            Node::RangeFunction(range) => {
                self.name(
                    range.alias(),
                    called_alone(range).map_or(FromColumns::Unknown, FromColumns::Function),
                );
                Ok(())
            }
            Node::TypeName(name) => self.data_type(name),
            Node::A_Expr(expression) if is_between(expression) => Ok(()),
            Node::A_Expr(expression) => self.operator(expression.name()),
            Node::SubLink(link) => self.operator(link.oper_name()),
            Node::SortBy(sort) => self.operator(sort.use_op()),
            Node::ColumnRef(column) => self.column(column.fields()),
            Node::A_Indirection(indirection) => self.indirection(indirection),
            _ => Ok(()),
        }
    }

    fn name(&mut self, alias: Option<&'t nodes::Alias>, item: FromColumns<'t>) {
        let Some(alias) = alias else {
            return;
        };
        let item = if alias.colnames().is_empty() {
            item
        } else {
            FromColumns::Names(alias.colnames())
        };
        self.items
            .push((alias.aliasname().unwrap_or_default(), item));
    }

    fn relation(&mut self, table: &'t nodes::RangeVar, visible: VisibleWith) -> RuleResult {
        let called = CalledName {
            schema: table.schemaname(),
            name: table.relname().unwrap_or_default(),
        };
        if called.schema.is_none() && self.sees(called.name, visible) {
            let columns = self.items.iter().find(|(name, _)| *name == called.name);
            let item = columns.map_or(FromColumns::Unknown, |(_, item)| *item);
            self.name(table.alias(), item);
            return Ok(());
        }
        if !self.has(BuiltinNameKind::Relation, called) {
            return Err(refusal("relation", format_args!("{called}")));
        }
        self.items
            .push((called.name, FromColumns::Relation(called)));
        self.name(table.alias(), FromColumns::Relation(called));
        Ok(())
    }

    fn data_type(&self, name: &nodes::TypeName) -> RuleResult {
        let mut parts = name.names().iter().rev().map(|part| part.sval());
        let called = CalledName {
            name: parts.next().flatten().unwrap_or_default(),
            schema: parts.next().map(Option::unwrap_or_default),
        };
        if self.has(BuiltinNameKind::Type, called) || self.has(BuiltinNameKind::Relation, called) {
            Ok(())
        } else {
            Err(refusal("type", format_args!("{called}")))
        }
    }

    fn operator(&self, symbol: &NodeList) -> RuleResult {
        let called = CalledName::of(symbol);
        if symbol.is_empty() || self.has(BuiltinNameKind::Operator, called) {
            Ok(())
        } else {
            Err(refusal("operator", format_args!("{called}")))
        }
    }

    /// `q.f`: a column of `q`, or a call of f.
    fn column(&mut self, fields: &'t NodeList) -> RuleResult {
        let mut names = fields.iter().rev().map(|field| field.as_str());
        match (names.next().flatten(), names.next()) {
            (_, None) | (None, Some(_)) => Ok(()),
            (Some(field), Some(of)) => {
                self.fields.push((of.unwrap_or_default(), field));
                Ok(())
            }
        }
    }

    /// `(f(x)).g`: a column of what f returns, or a call of g.
    fn indirection(&self, indirection: &nodes::A_Indirection) -> RuleResult {
        let mut fields = indirection.indirection().iter();
        let called = match indirection.arg() {
            Node::FuncCall(call) => Some(CalledName::of(call.funcname())),
            _ => None,
        };
        let unknown = fields.find_map(|field| {
            let field = field.as_str()?;
            let known = called.is_some_and(|of| {
                builtin_names::has_column(BuiltinNameKind::Function, of.schema, of.name, field)
            });
            (!known).then_some(field)
        });
        match unknown {
            None => Ok(()),
            Some(field) => Err(refusal("field", format_args!("{field}"))),
        }
    }

    fn close(self) -> RuleResult {
        let unknown = self.fields.iter().find(|(of, field)| {
            // The same name may stand for several things in several queries.
            let mut items = self.items.iter().filter(|(name, _)| name == of).peekable();
            items.peek().is_none() || !items.all(|(name, item)| item.has(name, field))
        });
        match unknown {
            None => Ok(()),
            Some((_, field)) => Err(refusal("field", format_args!("{field}"))),
        }
    }

    fn has(&self, kind: BuiltinNameKind, called: CalledName<'_>) -> bool {
        builtin_names::has(
            kind,
            called.schema,
            called.name,
            self.context.server_major(),
        )
    }
}

impl FromColumns<'_> {
    /// Whether it has a column of this name, where it stands in FROM by that of its own.
    fn has(self, name: &str, column: &str) -> bool {
        match self {
            Self::Relation(called) => builtin_names::has_column(
                BuiltinNameKind::Relation,
                called.schema,
                called.name,
                column,
            ),
            Self::Function(called) => {
                if builtin_names::has(BuiltinNameKind::Function, called.schema, called.name, None) {
                    builtin_names::has_column(
                        BuiltinNameKind::Function,
                        called.schema,
                        called.name,
                        column,
                    )
                } else {
                    // The only column of a function has the name by which it stands there.
                    name == column
                }
            }
            Self::Names(names) => names.iter().any(|name| name.as_str() == Some(column)),
            Self::Query(query) => first_arm(query).target_list().iter().any(|target| {
                let own = target.name().or_else(|| match target.val() {
                    Node::ColumnRef(column) => column.fields().iter().next_back()?.as_str(),
                    Node::FuncCall(call) => Some(CalledName::of(call.funcname()).name),
                    _ => None,
                });
                own == Some(column)
            }),
            Self::Unknown => false,
        }
    }
}

/// A type that a built-in is given the name of. It cannot be looked up.
fn type_in_string(call: &nodes::FuncCall) -> RuleResult {
    let called = CalledName::of(call.funcname());
    if matches!(called.name, "pg_input_is_valid" | "pg_input_error_info") {
        return Err(refusal("type", format_args!("of {called}")));
    }
    Ok(())
}

/// The SELECT that names the columns of a set operation.
fn first_arm(query: &nodes::SelectStmt) -> &nodes::SelectStmt {
    let mut arm = query;
    // Each step leads further down the tree.
    while let Some(left) = arm.larg() {
        arm = left;
    }
    arm
}

/// The function that stands alone in FROM.
fn called_alone(range: &nodes::RangeFunction) -> Option<CalledName<'_>> {
    if range.is_rowsfrom || range.ordinality || !range.coldeflist().is_empty() {
        return None;
    }
    let Some(Node::NodeList(function)) = range.functions().iter().next() else {
        return None;
    };
    match function.get(0) {
        Some(Node::FuncCall(call)) => Some(CalledName::of(call.funcname())),
        _ => None,
    }
}

fn is_between(expression: &nodes::A_Expr) -> bool {
    matches!(
        expression.kind,
        A_Expr_Kind::AEXPR_BETWEEN
            | A_Expr_Kind::AEXPR_NOT_BETWEEN
            | A_Expr_Kind::AEXPR_BETWEEN_SYM
            | A_Expr_Kind::AEXPR_NOT_BETWEEN_SYM
    )
}

fn refusal(what: &str, name: fmt::Arguments<'_>) -> Box<Refusal> {
    Refusal::new(
        Rule::CatalogMissing,
        &format!("{what} {name} cannot be looked up: the database's catalog is not loaded"),
        "Try again shortly; until then only the system catalogs and built-in functions can be used.",
    )
    .about(format_args!("{what} {name}"))
}
