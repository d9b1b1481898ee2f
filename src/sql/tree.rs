//! The one door to Postgres's grammar (`pg_raw_parse`): a text becomes statements, or an error that
//! carries no text.
//!
//! Only the crate's `parse()` is used. Its `walk()`, `normalize()` and `deparse()` recurse and
//! abort the process on deep input: never call them. Its `Debug` output holds literals and recurses
//! too: never print a node. [`children`] walks instead, one level at a time, over node kinds it
//! knows in full.
//!
//! Call [`crate::prescan::prescan`] before [`parse`]: Postgres's lexer is quadratic on hostile
//! input.

use std::fmt;
use std::ops::Range;

pub use pg_raw_parse::raw::{
    A_Expr_Kind, BoolExprType, CoercionForm, JoinType, JsonExprOp, JsonTableColumnType,
    LockClauseStrength, MinMaxOp, NullTestType, SQLValueFunctionOp, SubLinkType, XmlExprOp,
};
pub use pg_raw_parse::raw::{
    CURSOR_OPT_HOLD, DiscardMode, FetchDirection, LimitOption, SetOperation, TransactionStmtKind,
    VariableSetKind,
};
pub use pg_raw_parse::{ConstValue, Node, list, nodes};

pub use super::children::{UnknownNode, children, kind_name};

/// The statements of one text. Drop it on the thread that parsed it.
pub struct SyntaxTree {
    parsed: pg_raw_parse::ParseResult,
    length: usize,
}

/// One statement of a text.
#[derive(Clone, Copy)]
pub struct ParsedStatement<'t> {
    /// The top node.
    pub node: Node<'t>,
    start: usize,
    end: usize,
}

/// Why the grammar did not accept a text. `Debug` and `Display` never hold any of the text.
pub enum SyntaxError {
    /// The text is not SQL as Postgres understands it.
    Syntax(ClientMessage),
    /// The text nests deeper, or grew larger, than the parser's own bounds.
    TooComplex,
}

/// Postgres's own words about a text that it could not parse: they quote the text.
pub struct ClientMessage(Box<str>);

/// Parses a text with Postgres's grammar. The text runs with `standard_conforming_strings` on.
///
/// # Errors
/// The grammar does not take it.
pub fn parse(text: &str) -> Result<SyntaxTree, SyntaxError> {
    match pg_raw_parse::parse(text) {
        Ok(parsed) => Ok(SyntaxTree {
            parsed,
            length: text.len(),
        }),
        Err(error) => Err(SyntaxError::of(&error)),
    }
}

impl SyntaxTree {
    /// The statements, in order. Empty ones (only white space or comments) are left out.
    pub fn statements(&self) -> impl Iterator<Item = ParsedStatement<'_>> {
        self.parsed
            .iter()
            .map(|raw| ParsedStatement::of(raw, self.length))
    }
}

impl<'t> ParsedStatement<'t> {
    /// The bytes that the statement takes in the text, without its semicolon. White space and
    /// comments around it may be part of it.
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    fn of(raw: &'t nodes::RawStmt, length: usize) -> Self {
        let start = usize::try_from(raw.stmt_location).unwrap_or(0).min(length);
        let end = match usize::try_from(raw.stmt_len) {
            // Zero means: to the end of the text.
            Ok(0) | Err(_) => length,
            Ok(taken) => start.saturating_add(taken).min(length),
        };
        Self {
            node: raw.stmt(),
            start,
            end,
        }
    }
}

impl SyntaxError {
    /// What Postgres says, for the client that sent the text and for nobody else: it quotes
    /// literals.
    pub fn message_for_client(&self) -> &str {
        match self {
            Self::Syntax(message) => &message.0,
            Self::TooComplex => "statement is too complex",
        }
    }

    fn of(error: &pg_raw_parse::Error) -> Self {
        let message = match error {
            pg_raw_parse::Error::Parse(inner) => inner.to_string(),
            pg_raw_parse::Error::StatementContainedNul(_) => NUL_MESSAGE.to_owned(),
            pg_raw_parse::Error::PgError(_) => return Self::TooComplex,
        };
        if TOO_COMPLEX_MESSAGES
            .iter()
            .any(|prefix| message.starts_with(prefix))
        {
            return Self::TooComplex;
        }
        Self::Syntax(ClientMessage(message.into_boxed_str()))
    }
}

impl fmt::Debug for SyntaxError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Syntax(_) => "Syntax",
            Self::TooComplex => "TooComplex",
        })
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Syntax(_) => "the text is not SQL that Postgres accepts",
            Self::TooComplex => "the statement is more complex than the parser accepts",
        })
    }
}

impl std::error::Error for SyntaxError {}

impl fmt::Debug for ClientMessage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ClientMessage(..)")
    }
}

impl fmt::Debug for SyntaxTree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Tree")
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

/// How Postgres's messages begin when a bound of the parser was hit, not its grammar. A text that
/// fails by its grammar gets "syntax error at or near ..." and cannot begin with these.
const TOO_COMPLEX_MESSAGES: [&str; 5] = [
    "memory exhausted",
    "stack depth limit exceeded",
    "out of memory",
    "invalid memory alloc request size",
    "Failed to open pipe",
];

const NUL_MESSAGE: &str = "invalid byte sequence for encoding \"UTF8\": 0x00";
