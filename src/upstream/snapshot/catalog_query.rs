//! Runs one query of the reading and takes its rows apart.
//!
//! Text is taken as bytes: names of a database need not be text.

use std::error::Error;

use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Client, Row};

use super::error::{CatalogPart, LoadError};
use crate::catalog::catalog_rows::GrantRow;
use crate::catalog::unreadable_names;
use crate::limits;

/// The connection, and what bytes mean that come over it.
#[derive(Clone, Copy)]
pub struct CatalogReader<'c> {
    /// The connection.
    pub client: &'c Client,
    /// What bytes mean.
    pub script: TextEncoding,
}

/// What the bytes of a text mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEncoding {
    /// What is UTF-8 is text.
    Utf8,
    /// They are in an encoding that is not known here: only ASCII is text.
    Other,
}

/// One query: what it reads, its text, and what a row of it becomes.
pub struct CatalogQuery<T> {
    /// For errors.
    pub part: CatalogPart,
    /// The text, without a LIMIT.
    pub text: String,
    /// Takes one row apart.
    pub decode: fn(&mut FieldReader<'_>) -> Result<T, UnreadableColumn>,
}

/// The columns of a row, one after the other.
pub struct FieldReader<'r> {
    row: &'r Row,
    place: usize,
    script: TextEncoding,
}

/// The bytes of a text.
struct TextBytes<'r>(&'r [u8]);

/// A column is not of the kind that it should be.
#[derive(Debug)]
pub struct UnreadableColumn;

impl<T> CatalogQuery<T> {
    /// All rows.
    ///
    /// May be cancelled: the connection reads the answer away.
    ///
    /// # Errors
    /// The connection is lost or the server refuses; or a row is not what its documentation says,
    /// or there are more rows than pgsieve takes.
    pub async fn run(self, reader: CatalogReader<'_>) -> Result<Vec<T>, LoadError> {
        let CatalogReader { client, script } = reader;
        let Self { part, text, decode } = self;
        let most = limits::CATALOG_ROWS_MAX;
        let text = format!("{text} LIMIT {}", most.saturating_add(1));
        let rows = client.query_typed(&text, &[]).await;
        let rows = rows.map_err(|error| LoadError::of(part, &error))?;
        if rows.len() > most {
            return Err(LoadError::TooLarge(part));
        }
        let fields = |row| FieldReader {
            row,
            place: 0,
            script,
        };
        let decoded = rows.iter().map(|row| decode(&mut fields(row)));
        let decoded: Result<Vec<T>, UnreadableColumn> = decoded.collect();
        decoded.map_err(|UnreadableColumn| LoadError::Unreadable(part))
    }
}

impl<'r> FieldReader<'r> {
    /// The next column.
    ///
    /// # Errors
    /// There is no such column, or it is of another type, or NULL where that has no meaning.
    pub fn next<T: FromSql<'r>>(&mut self) -> Result<T, UnreadableColumn> {
        let value = self
            .row
            .try_get(self.place)
            .map_err(|_error| UnreadableColumn)?;
        self.place += 1;
        Ok(value)
    }

    /// The next column, of the type `"char"`.
    ///
    /// # Errors
    /// The same as of [`Self::next`].
    pub fn letter(&mut self) -> Result<u8, UnreadableColumn> {
        Ok(self.next::<i8>()?.cast_unsigned())
    }

    /// The next column, text that is kept: what is none as [`unreadable_names`] keeps it.
    ///
    /// # Errors
    /// The same as of [`Self::next`].
    pub fn text(&mut self) -> Result<String, UnreadableColumn> {
        let bytes: TextBytes<'r> = self.next()?;
        Ok(self.read(bytes))
    }

    /// The same, where it may be NULL.
    ///
    /// # Errors
    /// The same as of [`Self::next`].
    pub fn text_or_none(&mut self) -> Result<Option<String>, UnreadableColumn> {
        let bytes: Option<TextBytes<'r>> = self.next()?;
        Ok(bytes.map(|bytes| self.read(bytes)))
    }

    /// The next column, a list of texts; nothing where it is NULL.
    ///
    /// # Errors
    /// The same as of [`Self::next`].
    pub fn texts(&mut self) -> Result<Vec<String>, UnreadableColumn> {
        let list: Option<Vec<TextBytes<'r>>> = self.next()?;
        let list = list.unwrap_or_default().into_iter();
        Ok(list.map(|bytes| self.read(bytes)).collect())
    }

    /// The next column, an expression that the server keeps. Names in it say nothing, and the rest
    /// is ASCII.
    ///
    /// # Errors
    /// The same as of [`Self::next`].
    pub fn tree(&mut self) -> Result<String, UnreadableColumn> {
        self.tree_or_none()?.ok_or(UnreadableColumn)
    }

    /// The same, where it may be NULL.
    ///
    /// # Errors
    /// The same as of [`Self::next`].
    pub fn tree_or_none(&mut self) -> Result<Option<String>, UnreadableColumn> {
        let bytes: Option<TextBytes<'r>> = self.next()?;
        Ok(bytes.map(|TextBytes(bytes)| String::from_utf8_lossy(bytes).into_owned()))
    }

    /// The next column, a text that is SQL, or NULL. One that is not UTF-8 is none that Postgres
    /// reads: what it does cannot be told.
    ///
    /// # Errors
    /// The same as of [`Self::next`].
    pub fn body_or_none(&mut self) -> Result<Option<String>, UnreadableColumn> {
        let bytes: Option<TextBytes<'r>> = self.next()?;
        Ok(bytes.map(|TextBytes(bytes)| match str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => NO_SQL.to_owned(),
        }))
    }

    fn read(&self, TextBytes(bytes): TextBytes<'_>) -> String {
        match (self.script, str::from_utf8(bytes)) {
            (TextEncoding::Utf8, Ok(text)) => text.to_owned(),
            (TextEncoding::Other, Ok(text)) if text.is_ascii() => text.to_owned(),
            (TextEncoding::Utf8 | TextEncoding::Other, _) => unreadable_names::kept(bytes),
        }
    }

    /// The next column, an int2 that counts something.
    ///
    /// # Errors
    /// The same as of [`Self::next`], or the number is negative.
    pub fn count(&mut self) -> Result<u16, UnreadableColumn> {
        u16::try_from(self.next::<i16>()?).map_err(|_error| UnreadableColumn)
    }

    /// The next column, a list of oids; nothing where it is NULL.
    ///
    /// # Errors
    /// The same as of [`Self::next`].
    pub fn oids(&mut self) -> Result<Vec<u32>, UnreadableColumn> {
        Ok(self.next::<Option<Vec<u32>>>()?.unwrap_or_default())
    }

    /// The next column, made by [`acl`].
    ///
    /// # Errors
    /// The same as of [`Self::next`], or a number in it stands for no grant.
    pub fn acl(&mut self) -> Result<Option<Vec<GrantRow>>, UnreadableColumn> {
        self.next::<Option<Vec<i64>>>()?.map(grants).transpose()
    }
}

impl<'r> FromSql<'r> for TextBytes<'r> {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw))
    }

    /// Those whose binary form is that of text.
    fn accepts(of: &Type) -> bool {
        matches!(*of, Type::TEXT | Type::NAME | Type::VARCHAR)
    }
}

/// What no grammar of SQL reads.
const NO_SQL: &str = "(";

/// The grants of an ACL as one number each: the grantee's oid times eight, and what is granted.
/// aclitem has no binary form, and its text has names that would have to be taken apart again.
pub fn acl(column: &str) -> String {
    format!(
        "CASE WHEN {column} IS NOT NULL THEN ARRAY(\
           SELECT g.grantee::int8 * 8 + CASE g.privilege_type \
             WHEN 'SELECT' THEN {SELECT} WHEN 'USAGE' THEN {USAGE} ELSE {EXECUTE} END \
           FROM aclexplode({column}) g \
           WHERE g.privilege_type IN ('SELECT', 'USAGE', 'EXECUTE')) END"
    )
}

/// One row for each grantee, in the order of their oids.
fn grants(mut numbers: Vec<i64>) -> Result<Vec<GrantRow>, UnreadableColumn> {
    numbers.sort_unstable();
    let mut rows: Vec<GrantRow> = Vec::new();
    for number in numbers {
        let to = u32::try_from(number / 8).map_err(|_error| UnreadableColumn)?;
        if rows.last().is_none_or(|last| last.to != to) {
            let row = GrantRow {
                to,
                ..GrantRow::default()
            };
            rows.push(row);
        }
        if let Some(row) = rows.last_mut() {
            let right = number % 8;
            row.select |= right == SELECT;
            row.usage |= right == USAGE;
            row.execute |= right == EXECUTE;
        }
    }
    Ok(rows)
}

const SELECT: i64 = 1;
const USAGE: i64 = 2;
const EXECUTE: i64 = 4;
