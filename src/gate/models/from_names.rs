//! The names in FROM of a statement, and what else of it matters to models.

use crate::StatementKind;
use crate::command_label;
use crate::rules::{RuleResult, model};
use crate::statement_kind;
use sql::tree::{self, Node, SyntaxTree, UnknownNode, nodes};

/// What a statement names.
#[derive(Default)]
pub(crate) struct StatementNames<'t> {
    /// The names in FROM.
    pub(crate) tables: Vec<FromName<'t>>,
    /// References to columns with a schema in them.
    pub(crate) columns: Vec<&'t nodes::ColumnRef>,
    /// The aliases that it gives.
    pub(crate) aliases: Vec<&'t str>,
    /// The calls of functions.
    pub(crate) calls: Vec<&'t nodes::FuncCall>,
    /// The numbers of its parameters, each as often as it occurs.
    pub(crate) parameters: Vec<i32>,
}

/// A name in FROM.
#[derive(Clone, Copy)]
pub(crate) struct FromName<'t> {
    /// It.
    pub(crate) node: &'t nodes::RangeVar,
    /// Whether TABLESAMPLE follows.
    pub(crate) sampled: bool,
}

impl FromName<'_> {
    /// A model is named without TABLESAMPLE and ONLY.
    pub(crate) fn check_form(&self) -> RuleResult {
        let shown = command_label::relation(self.node);
        if self.sampled {
            return Err(model::form(
                &format!("TABLESAMPLE of the model {shown} is not supported"),
                "SELECT from it with LIMIT, or WHERE random() < 0.1.",
            ));
        }
        if !self.node.inh {
            return Err(model::form(
                &format!("ONLY {shown} is not supported: it is a model"),
                "Leave ONLY away: a model has no children.",
            ));
        }
        Ok(())
    }
}

/// Everything under a node. Names that are locked or written to are left out: other rules refuse
/// them.
pub(crate) fn of(node: Node<'_>) -> Result<StatementNames<'_>, UnknownNode> {
    let mut named = StatementNames::default();
    let mut waiting = vec![(node, false)];
    let mut found = Vec::new();
    while let Some((next, sampled)) = waiting.pop() {
        let mut samples = false;
        match next {
            Node::LockingClause(_) | Node::IntoClause(_) => continue,
            Node::RangeVar(node) => named.tables.push(FromName { node, sampled }),
            Node::RangeTableSample(_) => samples = true,
            Node::ColumnRef(column) if column.fields().len() > 2 => named.columns.push(column),
            Node::FuncCall(call) => named.calls.push(call),
            Node::ParamRef(parameter) => named.parameters.push(parameter.number),
            Node::Alias(alias) => named.aliases.extend(alias.aliasname()),
            _ => {}
        }
        tree::children(next, &mut found)?;
        waiting.extend(found.drain(..).map(|child| (child, samples)));
    }
    Ok(named)
}

/// Whether names may be looked up elsewhere behind a statement, or the session's values be others:
/// all but what is known not to do so.
pub(crate) fn moves_names(node: Node<'_>) -> bool {
    match statement_kind::of(node) {
        StatementKind::Show
        | StatementKind::Begin
        | StatementKind::SetConstraints
        | StatementKind::Savepoint
        | StatementKind::Release => false,
        StatementKind::Select | StatementKind::Values | StatementKind::Table => {
            of(node).is_ok_and(|named| !named.calls.is_empty())
        }
        _ => true,
    }
}

/// Without a snapshot any name in FROM may mean anything, but those of the server's own schemas.
pub(crate) fn without_snapshot(tree: &SyntaxTree) -> RuleResult {
    for statement in tree.statements() {
        let named = match statement.node {
            Node::LockStmt(_) => return Err(model::not_resolved(None)),
            Node::SelectStmt(_)
            | Node::ExplainStmt(_)
            | Node::CopyStmt(_)
            | Node::PrepareStmt(_)
            | Node::DeclareCursorStmt(_)
            | Node::ExecuteStmt(_) => of(statement.node),
            _ => continue,
        };
        let Ok(named) = named else {
            return Err(model::not_resolved(None));
        };
        let servers_own = |table: &&FromName<'_>| {
            let schema = table.node.schemaname();
            !matches!(schema, Some("pg_catalog" | "information_schema"))
        };
        if let Some(table) = named.tables.iter().find(servers_own) {
            return Err(model::not_resolved(table.node.relname()));
        }
    }
    Ok(())
}
