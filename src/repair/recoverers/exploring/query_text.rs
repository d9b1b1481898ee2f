//! A text that Postgres's grammar reads, and what is changed in it.

use std::ops::Range;

use super::dictionary::DictionaryOwner;
use super::lookup::{Lookup, literal};
use sql::edit::TextEdit;
use sql::extent::{PairedTokens, TokenRange};
use sql::lexer::Token;
use sql::node_access::{self, constant_text};
use sql::tree::{A_Expr_Kind, Node, nodes};

/// A text of one query, and its edits.
pub(super) struct QueryText<'q> {
    pub(super) text: &'q str,
    pub(super) tokens: &'q [Token],
    pub(super) nodes: Vec<Node<'q>>,
    pub(super) paired: PairedTokens<'q>,
    pub(super) lookup: Lookup<'q>,
    pub(super) edits: Vec<TextEdit>,
    /// The systems whose dictionaries it reads.
    pub(super) owners: Vec<DictionaryOwner>,
}

impl<'q> QueryText<'q> {
    /// Replaces a part.
    pub(super) fn edit(&mut self, span: Range<usize>, replacement: String) {
        self.edits.push(TextEdit { span, replacement });
    }

    /// Whether a relation of SQL Server's is named.
    pub(super) fn is_of_server(&self) -> bool {
        self.owners.contains(&DictionaryOwner::Server)
    }

    /// Whether information_schema is named.
    pub(super) fn names_information_schema(&self) -> bool {
        self.tables()
            .filter_map(nodes::RangeVar::schemaname)
            .any(|schema| schema.eq_ignore_ascii_case(INFORMATION_SCHEMA))
    }

    /// Whatever is named in a FROM.
    pub(super) fn tables(&self) -> impl Iterator<Item = &'q nodes::RangeVar> {
        let tables = self.nodes.iter().map(|node| match node {
            Node::RangeVar(table) => Some(*table),
            _ => None,
        });
        tables.flatten()
    }

    /// Whether a column of this name is named.
    pub(super) fn names_column(&self, name: &str) -> bool {
        self.nodes.iter().any(|node| match node {
            Node::ColumnRef(column) => {
                column.fields().iter().next_back().and_then(Node::as_str) == Some(name)
            }
            _ => false,
        })
    }

    /// Names that Oracle keeps in capitals, where they are compared.
    pub(super) fn fold_literals(&mut self) {
        let mut found: Vec<(usize, String)> = Vec::new();
        for node in &self.nodes {
            let Node::A_Expr(comparison) = node else {
                continue;
            };
            let is_name = match comparison.lexpr() {
                Node::ColumnRef(column) => (column.fields().iter().next_back())
                    .and_then(Node::as_str)
                    .is_some_and(|name| NAME_COLUMNS.contains(&name)),
                _ => false,
            };
            if !is_name {
                continue;
            }
            let literals: Vec<Node<'_>> = match (comparison.kind, comparison.rexpr()) {
                (A_Expr_Kind::AEXPR_IN, Node::NodeList(list)) => list.iter().collect(),
                (A_Expr_Kind::AEXPR_OP | A_Expr_Kind::AEXPR_LIKE, one) => vec![one],
                _ => Vec::new(),
            };
            for literal in literals {
                if let (Some(text), Node::A_Const(constant)) = (constant_text(literal), literal)
                    && let Some(at) = node_access::place(constant.location)
                    && text.to_uppercase() == text
                {
                    let known = self.lookup.name_in_capitals(text).map(str::to_owned);
                    found.push((at, known.unwrap_or_else(|| text.to_lowercase())));
                }
            }
        }
        for (at, name) in found {
            self.replace_token(at, literal(&name));
        }
        self.fold_calls();
    }

    /// `UPPER('orders')` and `USER` beside such a column.
    fn fold_calls(&mut self) {
        let mut edits: Vec<TextEdit> = Vec::new();
        for node in &self.nodes {
            let Node::A_Expr(comparison) = node else {
                continue;
            };
            let column = match comparison.lexpr() {
                Node::ColumnRef(column) => {
                    column.fields().iter().next_back().and_then(Node::as_str)
                }
                _ => None,
            };
            let folded = match (column, comparison.rexpr()) {
                (Some("owner"), Node::SQLValueFunction(of)) => node_access::place(of.location)
                    .and_then(|at| self.paired.at(at))
                    .map(|token| (token, token, "pg_catalog.current_schema()".to_owned())),
                (Some(name), Node::FuncCall(call)) if NAME_COLUMNS.contains(&name) => {
                    self.upper_literal(call)
                }
                _ => None,
            };
            if let Some((first, last, replacement)) = folded {
                let span = self.paired.bytes(TokenRange { first, last });
                edits.push(TextEdit { span, replacement });
            }
        }
        self.edits.extend(edits);
    }

    fn upper_literal(&self, call: &nodes::FuncCall) -> Option<(usize, usize, String)> {
        let text = constant_text(call.args().first()?)?;
        let is_upper = node_access::last_name(call.funcname()) == Some("upper");
        let written = self.paired.call(node_access::place(call.location)?)?;
        let known = self.lookup.name_in_capitals(&text.to_uppercase());
        let name = known.map_or_else(|| text.to_lowercase(), str::to_owned);
        (is_upper && call.args().len() == 1)
            .then(|| (written.name.first, written.close, literal(&name)))
    }

    /// `'dbo'` where it is compared with a schema, and there is no schema of this name.
    pub(super) fn replace_default_schema(&mut self) {
        if !matches!(self.lookup.schema(&["dbo".to_owned()]), Ok(None)) {
            return;
        }
        let mut found: Vec<usize> = Vec::new();
        for node in &self.nodes {
            if let Node::A_Expr(comparison) = node
                && let Node::A_Const(constant) = comparison.rexpr()
                && constant_text(comparison.rexpr()).is_some_and(|text| text == "dbo")
                && comparison.kind == A_Expr_Kind::AEXPR_OP
            {
                found.extend(node_access::place(constant.location));
            }
        }
        for at in found {
            self.replace_token(at, "pg_catalog.current_schema()".to_owned());
        }
    }

    fn replace_token(&mut self, at: usize, replacement: String) {
        let token = self.tokens.iter().find(|token| token.span.start == at);
        if let Some(span) = token.map(|token| token.span.clone())
            && !self.edits.iter().any(|edit| edit.span.contains(&at))
        {
            self.edit(span, replacement);
        }
    }
}

pub(super) const INFORMATION_SCHEMA: &str = "information_schema";

/// Columns of Oracle's dictionary that hold names.
const NAME_COLUMNS: &[&str] = &[
    "table_name",
    "view_name",
    "object_name",
    "column_name",
    "owner",
];
