//! A text that failed, and everything that a recoverer may know of it.

use crate::{Failure, SessionDatabase};
use ground::limits;
use policy::{Dialect, RepairSettings};
use resolve::{Resolution, UsedObject};
use sql::extent;
use sql::lexer::{self, Token};
use sql::prescan;
use sql::tree::{self, Node, SyntaxTree};

/// What a recoverer looks at. It names nothing to the client that `database.role` may not see
/// or the policy hides ([`SessionDatabase::rights`]).
pub struct RepairContext<'a> {
    /// The text that failed.
    pub text: &'a str,
    /// All its tokens, blanks included: laid side by side they are the text.
    pub tokens: &'a [Token],
    /// Its tree, where Postgres's grammar reads it.
    pub tree: Option<&'a SyntaxTree>,
    /// What its names mean, where there is a tree of one statement and a snapshot.
    pub resolution: Option<&'a Resolution<'a>>,
    /// Why it failed.
    pub failure: &'a Failure,
    /// The database; none without a snapshot, or where search_path is not known for certain.
    pub database: Option<&'a SessionDatabase<'a>>,
    /// The server's major version.
    pub server_major: u16,
    /// What the policy says of repairs.
    pub settings: &'a RepairSettings,
    /// The dialect that the client itself named (`target_dialect`).
    pub target_dialect: Option<Dialect>,
    /// The dialect that earlier statements of the session were of.
    pub earlier_dialect: Option<Dialect>,
    /// The text that was translated into this one; none where none was.
    pub foreign_text: Option<&'a str>,
}

impl<'a> RepairContext<'a> {
    /// The only statement of the text.
    pub fn statement(&self) -> Option<Node<'a>> {
        let mut statements = self.tree?.statements();
        statements
            .next()
            .filter(|_| statements.next().is_none())
            .map(|statement| statement.node)
    }

    /// The text of a token.
    pub fn word(&self, token: &Token) -> &'a str {
        extent::word(self.text, token)
    }

    /// The place in [`RepairContext::tokens`] of the token that begins at a byte.
    pub fn token_at(&self, position: usize) -> Option<usize> {
        extent::token_at(self.tokens, position)
    }

    /// Whether a call at a place is one that the server cannot run, as far as its name says: none
    /// where nothing is known of it.
    pub fn is_missing_function(&self, place: usize) -> Option<bool> {
        let uses = self.resolution?.uses.iter();
        let mut here = uses.filter(|used| used.at == Some(place));
        Some(here.any(|used| used.what == UsedObject::MissingFunction))
    }
}

/// The tree of a text that nobody has looked at before, where the grammar reads it.
pub(crate) fn tree_of(text: &str) -> Option<SyntaxTree> {
    prescan::prescan(text, limits::REPAIR_BYTES_MAX).ok()?;
    tree::parse(text).ok()
}

/// All tokens of a text.
pub fn tokens_of(text: &str) -> Vec<Token> {
    lexer::tokens(text).collect()
}
