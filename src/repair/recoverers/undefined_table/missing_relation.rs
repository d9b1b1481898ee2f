//! A relation that does not exist, and what it may have meant.

use crate::names::context::NameRepairContext;
use crate::names::reference_scopes::ReferenceScope;
use catalog::RelationId;
use sql::tree::{Node, nodes};

/// A relation in FROM that does not exist, or is written with a database before it.
pub(crate) struct MissingRelation<'g> {
    /// As it is written.
    pub table: &'g nodes::RangeVar,
    /// The query that it stands in.
    pub scope: &'g ReferenceScope<'g>,
    /// Where it begins.
    pub at: usize,
    /// Its name.
    pub name: &'g str,
}

/// Something that a name in FROM may have meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelationTarget<'g> {
    /// A relation.
    Relation(RelationId),
    /// A query of WITH.
    Common(&'g str),
}

/// The queries of WITH that can be named at a place in FROM.
pub(crate) fn visible_ctes<'g>(
    name_context: &'g NameRepairContext<'_>,
    absent: &MissingRelation<'g>,
) -> Vec<&'g str> {
    let mut names = Vec::new();
    let mut inner: Option<&ReferenceScope<'_>> = None;
    let mut next = Some(absent.scope);
    while let Some(scope) = next {
        for table in scope
            .select
            .with_clause()
            .into_iter()
            .flat_map(|with| with.ctes())
        {
            // Its own query cannot name it, nor one that comes before it.
            let is_own = match (table.ctequery(), inner) {
                (Node::SelectStmt(query), Some(inner)) => std::ptr::eq(query, inner.select),
                _ => false,
            };
            let before = usize::try_from(table.location).is_ok_and(|at| at < absent.at);
            names.extend(table.ctename().filter(|_| before && !is_own));
        }
        inner = Some(scope);
        next = scope
            .outer
            .and_then(|outer| name_context.places.frame(outer));
    }
    names
}
