//! Where references to columns stand: in which query, in which clause, beside what. Which names can
//! be seen from there is told by the resolution alone ([`resolve::ScopeView`]).

use super::clauses;
use super::reference_position::{
    ExpressionContext, ExpressionRole, JoinSide, ReferenceClause, ScopeStep,
};
use ground::limits::NAMES_JOINS_MAX;
use sql::tree::{self, Node, nodes};

/// All places of a statement.
#[derive(Default)]
pub(crate) struct ReferenceScopes<'t> {
    /// The queries, each before those inside it.
    pub reference_scopes: Vec<ReferenceScope<'t>>,
    /// The references.
    pub refs: Vec<PlacedReference<'t>>,
}

/// One query.
pub(crate) struct ReferenceScope<'t> {
    /// It.
    pub select: &'t nodes::SelectStmt,
    /// The query around it, by its place in [`ReferenceScopes::reference_scopes`].
    pub outer: Option<usize>,
    /// What stands in its FROM, in the order of the text.
    pub entries: Vec<ScopeEntry<'t>>,
    /// The joins of its FROM: those of [`ScopeEntry::joins`].
    pub joins: Vec<&'t nodes::JoinExpr>,
}

/// Something in FROM.
pub(crate) struct ScopeEntry<'t> {
    /// What qualifies its columns.
    pub name: Option<&'t str>,
    /// The relation as it is written, if it is one.
    pub table: Option<&'t nodes::RangeVar>,
    /// The joins that it is part of, by their place in [`ReferenceScope::joins`], with its side.
    pub joins: Vec<(usize, JoinSide)>,
}

/// One reference to a column.
#[derive(Clone, Copy)]
pub(crate) struct PlacedReference<'t> {
    /// It.
    pub reference: &'t nodes::ColumnRef,
    /// Where it begins.
    pub at: usize,
    /// Its query.
    pub scope: usize,
    /// Its clause.
    pub clause: ReferenceClause,
    /// What it is there.
    pub role: ExpressionRole<'t>,
}

impl<'t> ReferenceScopes<'t> {
    /// The places of a statement; none where it holds something that is not known.
    pub(crate) fn of(statement: Node<'t>) -> Option<Self> {
        let mut places = Self::default();
        let around = ExpressionContext {
            scope: None,
            clause: ReferenceClause::Other,
            role: ExpressionRole::Part,
        };
        let mut waiting = vec![ScopeStep::Expression(carried(statement), around)];
        while let Some(step) = waiting.pop() {
            match step {
                ScopeStep::Query(select, outer) => {
                    let scope = places.begin(select, outer);
                    clauses::of_query(select, scope, &mut waiting);
                }
                ScopeStep::From(node, scope, joins, hidden) => {
                    places.from(node, scope, joins, hidden, &mut waiting)?;
                }
                ScopeStep::Expression(node, around) => {
                    places.expression(node, around, &mut waiting)?
                }
            }
        }
        Some(places)
    }

    /// The reference that begins at a byte.
    pub(crate) fn at(&self, at: usize) -> Option<&PlacedReference<'t>> {
        self.refs.iter().find(|place| place.at == at)
    }

    /// A query.
    pub(crate) fn frame(&self, scope: usize) -> Option<&ReferenceScope<'t>> {
        self.reference_scopes.get(scope)
    }

    /// A query and those around it, nearest first.
    pub(crate) fn scope_chain(&self, scope: usize) -> impl Iterator<Item = &ReferenceScope<'t>> {
        std::iter::successors(self.frame(scope), |inner| self.frame(inner.outer?))
    }

    fn begin(&mut self, select: &'t nodes::SelectStmt, outer: Option<usize>) -> usize {
        self.reference_scopes.push(ReferenceScope {
            select,
            outer,
            entries: Vec::new(),
            joins: Vec::new(),
        });
        self.reference_scopes.len() - 1
    }

    fn expression(
        &mut self,
        node: Node<'t>,
        around: ExpressionContext<'t>,
        waiting: &mut Vec<ScopeStep<'t>>,
    ) -> Option<()> {
        match node {
            Node::SelectStmt(select) => {
                waiting.push(ScopeStep::Query(select, around.scope));
            }
            Node::ColumnRef(reference) => {
                if let (Ok(at), Some(scope)) = (usize::try_from(reference.location), around.scope) {
                    self.refs.push(PlacedReference {
                        reference,
                        at,
                        scope,
                        clause: around.clause,
                        role: around.role,
                    });
                }
            }
            other => clauses::inside(other, around, waiting)?,
        }
        Some(())
    }

    fn from(
        &mut self,
        node: Node<'t>,
        scope: usize,
        joins: Vec<(usize, JoinSide)>,
        hidden: bool,
        waiting: &mut Vec<ScopeStep<'t>>,
    ) -> Option<()> {
        let own = self.reference_scopes.get_mut(scope)?;
        let around = ExpressionContext {
            scope: Some(scope),
            clause: ReferenceClause::From,
            role: ExpressionRole::Part,
        };
        let expression = |node: Node<'t>| ScopeStep::Expression(node, around);
        let mut entry = |alias: Option<&'t nodes::Alias>, table: Option<&'t nodes::RangeVar>| {
            let named = alias.and_then(|alias| alias.aliasname());
            let name = named.or_else(|| table.and_then(|table| table.relname()));
            own.entries.push(ScopeEntry {
                name: name.filter(|_| !hidden),
                table,
                joins: joins.clone(),
            });
        };
        match node {
            Node::RangeVar(table) => entry(table.alias(), Some(table)),
            Node::RangeSubselect(range) => {
                entry(range.alias(), None);
                let Node::SelectStmt(select) = range.subquery() else {
                    return None;
                };
                waiting.push(ScopeStep::Query(select, Some(scope)));
            }
            Node::RangeTableSample(sample) => {
                let arguments = sample.args().iter();
                waiting.extend(arguments.map(expression));
                waiting.push(ScopeStep::From(sample.relation(), scope, joins, hidden));
            }
            Node::JoinExpr(join) => {
                if join.alias().is_some() {
                    entry(join.alias(), None);
                }
                return self.join(join, scope, &joins, hidden, waiting);
            }
            Node::RangeFunction(range) => {
                entry(range.alias(), None);
                let mut parts = Vec::new();
                for function in range.functions() {
                    tree::children(function, &mut parts).ok()?;
                }
                waiting.extend(parts.into_iter().map(expression));
            }
            other => {
                let mut parts = Vec::new();
                tree::children(other, &mut parts).ok()?;
                let named = parts.iter().find_map(|part| match part {
                    Node::Alias(alias) => Some(*alias),
                    _ => None,
                });
                entry(named, None);
                waiting.extend(parts.into_iter().map(expression));
            }
        }
        Some(())
    }

    fn join(
        &mut self,
        join: &'t nodes::JoinExpr,
        scope: usize,
        joins: &[(usize, JoinSide)],
        hidden: bool,
        waiting: &mut Vec<ScopeStep<'t>>,
    ) -> Option<()> {
        if joins.len() >= NAMES_JOINS_MAX {
            return None;
        }
        let own = self.reference_scopes.get_mut(scope)?;
        let place = own.joins.len();
        own.joins.push(join);
        let hidden = hidden || join.alias().is_some();
        let condition = ExpressionContext {
            scope: Some(scope),
            clause: ReferenceClause::On(place),
            role: ExpressionRole::Whole,
        };
        waiting.push(ScopeStep::Expression(join.quals(), condition));
        for (node, side) in [
            (join.rarg(), JoinSide::Right),
            (join.larg(), JoinSide::Left),
        ] {
            let mut joins = joins.to_vec();
            joins.push((place, side));
            waiting.push(ScopeStep::From(node, scope, joins, hidden));
        }
        Some(())
    }
}

/// The query that a statement carries.
fn carried(node: Node<'_>) -> Node<'_> {
    match node {
        Node::ExplainStmt(explain) => explain.query(),
        Node::DeclareCursorStmt(declare) => declare.query(),
        Node::CopyStmt(copy) if !matches!(copy.query(), Node::None) => copy.query(),
        Node::PrepareStmt(prepare) => prepare.query(),
        other => other,
    }
}
