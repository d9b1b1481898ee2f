//! What the names of a query stand for: relations in FROM with their columns, common tables, and
//! aliases of the select list.

use super::translated::{Translated, TranslatedForm};
use crate::sql_type::SqlType;

/// One query's names.
#[derive(Default)]
pub struct TranslationScope {
    /// What stands in its FROM, so far.
    pub items: Vec<TranslatedItem>,
    /// Whether a join merged columns of its items (USING, NATURAL).
    pub merged: bool,
    /// Its select list's aliases, as they are spelled in Postgres, and what they stand for.
    pub aliases: Vec<(String, Translated)>,
    /// What its select list holds, with the names of the columns.
    pub listed: Vec<(String, Translated)>,
    /// Names that the select list has here and not in the source, where a column of FROM has them.
    pub captured: Vec<String>,
    /// Where aliases are looked up now.
    pub reach: AliasReach,
    /// The texts that it is grouped by.
    pub folded: FoldedKeys,
}

/// The texts that a query is grouped by.
#[derive(Default)]
pub struct FoldedKeys {
    /// Which of its keys they are, and how they are written.
    pub keys: Vec<(usize, String)>,
    /// Those that stand in ROLLUP or CUBE, as they are written.
    pub within_totals: Vec<String>,
    /// Whether there are totals, whose keys are NULL.
    pub has_totals: bool,
    /// Whether what is written now comes after the grouping.
    pub after_grouping: bool,
    /// How many aggregates what is written now is an argument of.
    pub aggregates: usize,
}

impl FoldedKeys {
    /// How the key at a place is written, if it is one of them.
    pub fn key(&self, place: usize) -> Option<&str> {
        let mut keys = self.keys.iter();
        keys.find(|(at, _)| *at == place)
            .map(|(_, text)| text.as_str())
    }

    /// Whether what is written so is one of them.
    pub fn holds(&self, text: &str) -> bool {
        let keys = self.keys.iter().map(|(_, key)| key);
        keys.chain(&self.within_totals).any(|key| key == text)
    }
}

/// When an alias is what a name stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AliasReach {
    /// Never.
    #[default]
    Nowhere,
    /// Where no column of FROM has the name.
    AfterColumns,
    /// Before columns of FROM.
    BeforeColumns,
}

/// One item of FROM.
#[derive(Clone)]
pub struct TranslatedItem {
    /// What it is called there: its alias, or the relation's name.
    pub name: String,
    /// Its columns.
    pub columns: KnownColumns,
}

/// What is known of columns.
#[derive(Clone)]
pub enum KnownColumns {
    /// All of them.
    Known(Vec<OutputColumn>),
    /// Nothing is known.
    Unknown,
}

/// A column of a relation or of a query's result.
#[derive(Clone, Debug)]
pub struct OutputColumn {
    /// As Postgres spells it.
    pub name: String,
    /// Its type.
    pub kind: SqlType,
    /// Whether it is never NULL.
    pub not_null: bool,
    /// See [`Translated::extra_digits`].
    pub extra_digits: bool,
    /// What it is where it comes from: [`TranslatedForm::Column`] for a relation's own, others
    /// where they matter further out.
    pub form: TranslatedForm,
    /// See [`Translated::case_sensitive`].
    pub case_sensitive: bool,
}

/// A common table.
#[derive(Clone)]
pub struct TranslatedCte {
    /// As Postgres spells it.
    pub name: String,
    /// Its columns.
    pub columns: KnownColumns,
}

impl KnownColumns {
    /// The column, where there is one alone.
    pub fn only(&self) -> Option<&OutputColumn> {
        match self {
            Self::Known(columns) => match columns.as_slice() {
                [only] => Some(only),
                _ => None,
            },
            Self::Unknown => None,
        }
    }

    /// The same columns, the first of them with these names.
    #[must_use]
    pub fn renamed(self, given: &[String]) -> Self {
        match self {
            Self::Known(mut columns) => {
                for (column, name) in columns.iter_mut().zip(given) {
                    column.name.clone_from(name);
                }
                Self::Known(columns)
            }
            Self::Unknown => Self::Unknown,
        }
    }
}

impl OutputColumn {
    /// The column that an expression of a select list becomes.
    pub fn of(name: &str, value: &Translated) -> Self {
        Self {
            name: name.to_owned(),
            kind: value.kind,
            not_null: value.not_null,
            extra_digits: value.extra_digits,
            form: match value.form {
                TranslatedForm::Column => TranslatedForm::Column,
                TranslatedForm::Digits => TranslatedForm::Digits,
                TranslatedForm::Document => TranslatedForm::Document,
                _ => TranslatedForm::Computed,
            },
            case_sensitive: value.case_sensitive,
        }
    }
}

/// The one among `all` that a name means: spelled so, or the only one that is but for its case.
pub fn find<'a, T>(all: &'a [T], name_of: impl Fn(&T) -> &str, name: &str) -> Option<&'a T> {
    if let Some(exact) = all.iter().find(|one| name_of(one) == name) {
        return Some(exact);
    }
    let wanted = name.to_lowercase();
    let mut alike = all
        .iter()
        .filter(|one| name_of(one).to_lowercase() == wanted);
    alike.next().filter(|_| alike.next().is_none())
}
