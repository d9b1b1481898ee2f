//! The children of a node, for every kind of node that a read can hold, and no other.
//!
//! Postgres's own walker skips fields (the type of a cycle mark, the method of a sample) and ends
//! the process on statements that are no query. So each kind is written out here, every field of
//! its struct: a child node is visited, a list of names is looked through for anything that is not
//! a name, and flags, numbers and strings hold no node. A kind that is not written out is
//! [`UnknownNode`].
//!
//! The files: `query` (SELECT and its clauses), `from` (what stands in FROM), `expression`, `json`
//! (the SQL/JSON clauses) and `utility` (statements that carry a query or values).

mod expression;
mod from;
mod json;
mod query;
mod utility;

use std::fmt::{self, Write};

use pg_raw_parse::{Node, list::NodeList};

/// A node of a kind that is not known here: nothing can be said about what it would do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UnknownNode {
    kind: KindName,
}

/// Appends every child of `node`, whatever its field, to `into`.
///
/// The caller keeps the stack, so the walk uses no more of the thread's than one call does:
/// pop a node, look at it, call this, until nothing is left.
///
/// # Errors
/// The node is of a kind that is not known here.
pub fn children<'t>(node: Node<'t>, into: &mut Vec<Node<'t>>) -> Result<(), UnknownNode> {
    let mut found = FoundChildren(into);
    let known = match node {
        Node::None => KindKnown::Known,
        Node::NodeList(list) => found.many(list),
        _ => query::visit(node, &mut found)
            .or_else(|| expression::visit(node, &mut found))
            .or_else(|| from::visit(node, &mut found))
            .or_else(|| json::visit(node, &mut found))
            .or_else(|| utility::visit(node, &mut found)),
    };
    match known {
        KindKnown::Known => Ok(()),
        KindKnown::Unknown => Err(UnknownNode {
            kind: KindName::of(node),
        }),
    }
}

/// The name of a node's kind, as Postgres spells it. Never anything of what the node holds.
pub fn kind_name(node: Node<'_>) -> KindName {
    KindName::of(node)
}

/// The name of a node kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KindName {
    bytes: [u8; NAME_BYTES_MAX],
    length: usize,
}

impl KindName {
    /// The name.
    pub fn as_str(&self) -> &str {
        self.bytes
            .get(..self.length)
            .and_then(|name| std::str::from_utf8(name).ok())
            .unwrap_or("")
    }

    /// `Debug` of the node enum writes the variant's name first, in one piece, and the node itself
    /// after it. The writer takes that first piece and then fails, so nothing of the node is ever
    /// formatted: not its literals, and not its depth.
    fn of(node: Node<'_>) -> Self {
        let mut name = Self {
            bytes: [0; NAME_BYTES_MAX],
            length: 0,
        };
        let _ended_early = write!(name, "{node:?}");
        name
    }
}

impl Write for KindName {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let is_name = piece
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if self.length > 0 || !is_name {
            return Err(fmt::Error);
        }
        let target = self.bytes.get_mut(..piece.len()).ok_or(fmt::Error)?;
        target.copy_from_slice(piece.as_bytes());
        self.length = piece.len();
        Ok(())
    }
}

impl fmt::Display for KindName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Debug for KindName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl UnknownNode {
    /// The kind of the node, as Postgres spells it.
    pub fn kind(&self) -> &str {
        self.kind.as_str()
    }
}

impl fmt::Debug for UnknownNode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "UnknownNode({})", self.kind)
    }
}

impl fmt::Display for UnknownNode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a node of kind {} is not known", self.kind)
    }
}

impl std::error::Error for UnknownNode {}

/// Whether a file of this folder knows a kind. If so, its children have been found.
enum KindKnown {
    Known,
    Unknown,
}

impl KindKnown {
    fn or_else(self, next: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Known => Self::Known,
            Self::Unknown => next(),
        }
    }
}

/// The children found so far. Each method is one sort of field.
struct FoundChildren<'s, 't>(&'s mut Vec<Node<'t>>);

impl<'t> FoundChildren<'_, 't> {
    /// A field that holds one node, or none.
    fn one(&mut self, child: impl Into<Node<'t>>) -> KindKnown {
        let child = child.into();
        if !matches!(child, Node::None) {
            self.0.push(child);
        }
        KindKnown::Known
    }

    /// A field that holds a list of nodes.
    fn many<I>(&mut self, list: I) -> KindKnown
    where
        I: IntoIterator,
        I::Item: Into<Node<'t>>,
    {
        for child in list {
            self.one(child);
        }
        KindKnown::Known
    }

    /// A field that holds the parts of a name. Strings have no children and are passed over;
    /// whatever else stands there (a star, a subscript) is a child like any other.
    fn names(&mut self, list: &'t NodeList) -> KindKnown {
        self.many(list.iter().filter(|part| !matches!(part, Node::String(_))))
    }

    /// A kind whose fields hold no node.
    fn nothing(&mut self) -> KindKnown {
        KindKnown::Known
    }
}

/// Longer than any name of a node kind.
const NAME_BYTES_MAX: usize = 48;
