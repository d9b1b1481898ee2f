//! Why a statement failed: classes by Postgres's SQLSTATE, and nothing else is repaired.
//!
//! <https://www.postgresql.org/docs/current/errcodes-appendix.html>

use std::fmt;

/// A class of failures that may have a repair. Everything that has none here fails at once:
/// connection (08), rights (42501), resources (53), cancellation (57014), read-only (25006).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureClass {
    /// 42601, and the few other codes that the grammar itself gives.
    SyntaxError,
    /// 42P01, and 0A000 where another database is named (`a.b.c`).
    UndefinedTable,
    /// 42703.
    UndefinedColumn,
    /// 42702.
    AmbiguousColumn,
    /// 42803.
    GroupingError,
    /// 42883.
    UndefinedFunction,
    /// 42804.
    DatatypeMismatch,
    /// 42712.
    DuplicateAlias,
    /// 42P10, where a list of names is longer than what it names, or DISTINCT stands beside an
    /// ORDER BY of what is not selected.
    InvalidColumnReference,
    /// 22P02, and 22007 and 22008 of dates, where a literal of the text is the cause.
    InvalidTextRepresentation,
    /// 42704: a type that does not exist, and 22023 of a part of a date. Only dialects answer it.
    UndefinedObject,
}

/// One failure of one text.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its class.
    pub class: FailureClass,
    /// The five characters of its code.
    pub sqlstate: String,
    /// The server's or the grammar's own words: they quote the text.
    pub message: String,
    /// The server's HINT, if it gave one.
    pub hint: Option<String>,
    /// Where, in bytes of the text that failed.
    pub position: Option<usize>,
    /// Who said so.
    pub origin: FailureOrigin,
}

/// Who said that a text fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureOrigin {
    /// The gate: the grammar, or the snapshot.
    Gate,
    /// The server.
    Server,
}

impl FailureClass {
    /// The class of a code, if there is one.
    pub fn of(sqlstate: &str, message: &str) -> Option<Self> {
        Some(match sqlstate {
            "42601" | "22025" | "42939" => Self::SyntaxError,
            "42P01" => Self::UndefinedTable,
            "0A000" if message.contains("cross-database references") => Self::UndefinedTable,
            "42703" => Self::UndefinedColumn,
            "42702" => Self::AmbiguousColumn,
            "42803" => Self::GroupingError,
            "42883" => Self::UndefinedFunction,
            "42804" => Self::DatatypeMismatch,
            "42712" => Self::DuplicateAlias,
            "42P10" if message.contains(" columns available but ") => Self::InvalidColumnReference,
            "42P10" if message.starts_with("for SELECT DISTINCT, ORDER BY") => {
                Self::InvalidColumnReference
            }
            "22P02" | "22007" | "22008" => Self::InvalidTextRepresentation,
            "42704" => Self::UndefinedObject,
            // Of EXTRACT, which the server reads when it runs.
            "22023" if message.contains("unit") && message.contains("not recognized") => {
                Self::UndefinedObject
            }
            _ => return None,
        })
    }

    /// Postgres's name of the condition.
    pub fn name(self) -> &'static str {
        match self {
            Self::SyntaxError => "syntax_error",
            Self::UndefinedTable => "undefined_table",
            Self::UndefinedColumn => "undefined_column",
            Self::AmbiguousColumn => "ambiguous_column",
            Self::GroupingError => "grouping_error",
            Self::UndefinedFunction => "undefined_function",
            Self::DatatypeMismatch => "datatype_mismatch",
            Self::DuplicateAlias => "duplicate_alias",
            Self::InvalidColumnReference => "invalid_column_reference",
            Self::InvalidTextRepresentation => "invalid_text_representation",
            Self::UndefinedObject => "undefined_object",
        }
    }
}

impl FailureClass {
    /// What to do next where nobody knows anything better.
    pub fn advice(self) -> &'static str {
        match self {
            Self::SyntaxError => {
                "Write the statement in PostgreSQL's own syntax, one statement at a time, without any text around it."
            }
            Self::UndefinedTable => {
                "Check the name and the schema; information_schema.tables lists the relations that you may read."
            }
            Self::UndefinedColumn => {
                "Check the name; information_schema.columns lists the columns of each relation that you may read."
            }
            Self::AmbiguousColumn => "Write the relation or its alias before the column.",
            Self::GroupingError => {
                "Add the column to GROUP BY, or put it into an aggregate such as max()."
            }
            Self::UndefinedFunction => {
                "Use a function or operator of PostgreSQL, or cast its arguments to types that it takes."
            }
            Self::DatatypeMismatch => {
                "Cast the expressions to one type, such as ::text or ::numeric."
            }
            Self::DuplicateAlias => "Give every relation in FROM an alias of its own.",
            Self::InvalidColumnReference => {
                "Give as many names as there are columns, or select a column for each name."
            }
            Self::InvalidTextRepresentation => {
                "Compare with a literal of the column's type, or cast the column to text."
            }
            Self::UndefinedObject => {
                "Use a type of PostgreSQL, such as text, integer, numeric or timestamp."
            }
        }
    }
}

impl Failure {
    /// A failure as the server or the gate tells it; `character` counts from 1, as in an error's
    /// field P. None where its class has no repair.
    pub fn reported(
        text: &str,
        sqlstate: &str,
        message: &str,
        character: Option<u32>,
        origin: FailureOrigin,
    ) -> Option<Self> {
        let position = character
            .and_then(|from_one| usize::try_from(from_one).ok()?.checked_sub(1))
            .and_then(|place| {
                let ends = std::iter::once(text.len());
                text.char_indices().map(|(at, _)| at).chain(ends).nth(place)
            });
        Some(Self {
            class: FailureClass::of(sqlstate, message)?,
            sqlstate: sqlstate.to_owned(),
            message: message.to_owned(),
            hint: None,
            position,
            origin,
        })
    }
}

impl fmt::Debug for Failure {
    /// Without the words: they quote the text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Failure({} {:?})",
            self.class.name(),
            self.origin
        )
    }
}
