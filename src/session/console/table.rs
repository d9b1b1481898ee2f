//! An answer of the console: columns, and rows of texts.

use bytes::BytesMut;

use crate::limits;
use crate::wire::encode::{self, ColumnDescription, EncodeError};

/// A table.
pub struct ConsoleTable {
    columns: &'static [ConsoleColumn],
    rows: Vec<Vec<Option<String>>>,
    /// How many rows there are beyond those.
    more: usize,
}

/// A column: its name, and what its values are.
pub struct ConsoleColumn(pub &'static str, pub ColumnType);

/// What values are, as PgBouncer has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// text.
    Text,
    /// integer.
    Int4,
    /// numeric.
    Numeric,
}

impl ConsoleTable {
    /// Without rows.
    pub fn of(columns: &'static [ConsoleColumn]) -> Self {
        Self {
            columns,
            rows: Vec::new(),
            more: 0,
        }
    }

    /// Adds a row; what is not known is none. Beyond the bound it is only counted.
    pub fn add(&mut self, row: Vec<Option<String>>) {
        if self.rows.len() < limits::console::ROWS_MAX {
            self.rows.push(row);
        } else {
            self.more += 1;
        }
    }

    /// How many rows there are that are not shown.
    pub fn more(&self) -> usize {
        self.more
    }

    /// Appends it as messages.
    ///
    /// # Errors
    /// A message is longer than the receiver takes.
    pub fn encode(&self, out: &mut BytesMut) -> Result<(), EncodeError> {
        let columns = self.columns.iter().map(|ConsoleColumn(name, kind)| {
            let (type_oid, type_size) = kind.postgres_type();
            ColumnDescription {
                name,
                type_oid,
                type_size,
            }
        });
        encode::row_description(out, columns)?;
        for row in &self.rows {
            let values = row.iter().map(|value| value.as_deref());
            encode::data_row(out, values)?;
        }
        encode::command_complete(out, "SHOW")
    }
}

impl ColumnType {
    /// The oid of the type at a server, and the bytes of a value.
    fn postgres_type(self) -> (u32, i16) {
        match self {
            Self::Text => (25, -1),
            Self::Int4 => (23, 4),
            Self::Numeric => (1700, -1),
        }
    }
}

/// A value that is known.
pub fn known(value: impl ToString) -> Option<String> {
    Some(value.to_string())
}
