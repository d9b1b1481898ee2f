//! The state of one translation. Everything that translates is a method of it, in the files beside
//! this one.
//!
//! * [`query`], [`select`], [`select_star`], [`from`], [`order_by`], `group_by_all`, `qualify`,
//!   [`first_rows`] (TOP, FETCH FIRST, VALUES): queries
//! * [`expression`], [`condition`], [`compare`], [`arithmetic`], [`call`], [`window`],
//!   [`interval`], [`convert`]: expressions
//! * [`literal`], [`timestamp`], [`name`]: values and names; [`scope`]: what names stand for
//! * [`translated`]: what an expression became, and what is known of its value; [`untranslatable`]:
//!   what has no translation

pub mod arithmetic;
pub mod call;
pub mod compare;
pub mod condition;
pub mod convert;
pub mod expression;
pub mod first_rows;
pub mod from;
pub(super) mod group_by_all;
pub mod interval;
pub mod literal;
pub mod name;
pub(super) mod order_by;
pub(super) mod qualify;
pub mod query;
pub mod scope;
pub mod select;
pub(super) mod select_star;
pub mod timestamp;
pub mod translated;
pub mod untranslatable;
pub mod window;

use std::collections::BTreeMap;

use super::source::{DoubleQuoted, Source};
use super::translator::scope::{Columns, Common, Item, Level, OutputColumn, Reach, find};
use super::translator::translated::{Form, Kind, Written};
use super::translator::untranslatable::{Outcome, Untranslatable};

use crate::dialect::confidence::Confidence;
use crate::dialect::session_database::Database;

use sqlparser::ast::Ident;

/// One translation under way.
pub struct Writer<'w> {
    /// The dialect that is translated from.
    pub source: &'static dyn Source,
    /// What names mean; none where that is not known.
    pub database: Option<&'w Database<'w>>,
    /// The server's major version.
    pub server_major: u16,
    /// The queries around the place that is written, innermost last.
    pub levels: Vec<Level>,
    /// The common tables in sight, innermost last.
    pub commons: Vec<Common>,
    /// How many expressions were written.
    pub steps: usize,
    /// How many names were made up.
    pub made_up: usize,
    /// Which schema stands for a data set of BigQuery.
    pub datasets: &'w BTreeMap<String, String>,
    /// How sure the translation is.
    pub confidence: Confidence,
}

impl<'w> Writer<'w> {
    /// For one text.
    pub fn new(
        source: &'static dyn Source,
        database: Option<&'w Database<'w>>,
        server_major: u16,
    ) -> Self {
        Self {
            source,
            database,
            server_major,
            levels: Vec::new(),
            commons: Vec::new(),
            steps: 0,
            made_up: 0,
            datasets: NO_DATASETS,
            confidence: Confidence::Exact,
        }
    }

    /// Refuses a part of the language.
    pub fn refuse<T>(&self, what: &str) -> Outcome<T> {
        Err(Untranslatable::construct(what))
    }

    /// Something was written that is right for what the values most likely are.
    pub fn likely(&mut self) {
        self.confidence = Confidence::Likely;
    }

    /// The level that is written.
    pub fn level(&mut self) -> Option<&mut Level> {
        self.levels.last_mut()
    }

    /// Writes something while aliases of the select list have this reach.
    pub fn reaching<T>(
        &mut self,
        reach: Reach,
        write: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        let before = match self.level() {
            Some(level) => std::mem::replace(&mut level.reach, reach),
            None => Reach::Nowhere,
        };
        let written = write(self);
        if let Some(level) = self.level() {
            level.reach = before;
        }
        written
    }

    /// A name that nothing else has.
    pub fn make_name(&mut self, stem: &str) -> String {
        self.made_up += 1;
        format!("{stem}_{}", self.made_up)
    }

    /// A reference to a column, or to an alias where those are in reach.
    pub fn column(&self, parts: &[Ident]) -> Outcome<Written> {
        for ident in parts {
            self.refuse_quotes(ident)?;
        }
        match parts {
            [ident] => self.bare_column(ident),
            [qualifier, ident] => self.column_of(qualifier, ident),
            [_, qualifier, ident] => self.column_of(qualifier, ident),
            _ => self.refuse("a name of so many parts"),
        }
    }

    /// Whether a column or an alias has exactly this name.
    pub fn is_name_in_sight(&self, wanted: &str) -> bool {
        self.levels.iter().any(|level| {
            let of_item = |item: &Item| match &item.columns {
                Columns::Known(columns) => columns.iter().any(|one| one.name == wanted),
                Columns::Unknown => false,
            };
            level.aliases.iter().any(|(name, _)| name == wanted) || level.items.iter().any(of_item)
        })
    }

    /// Refuses a name in double quotes where the dialect has strings in those.
    pub fn refuse_quotes(&self, ident: &Ident) -> Outcome<()> {
        let as_text = self.source.habits().double_quoted == DoubleQuoted::Text;
        if as_text && ident.quote_style == Some('"') {
            return Err(Untranslatable::mixed());
        }
        Ok(())
    }

    fn bare_column(&self, ident: &Ident) -> Outcome<Written> {
        let wanted = name::content(ident);
        for level in self.levels.iter().rev() {
            let alias = find(&level.aliases, |(name, _)| name, &wanted);
            if let (Some((_, value)), Reach::BeforeColumns) = (alias, level.reach) {
                return Ok(value.clone());
            }
            if let Some(column) = self.column_in(&level.items, &wanted)? {
                return Ok(column);
            }
            if let (Some((_, value)), Reach::AfterColumns) = (alias, level.reach) {
                return Ok(value.clone());
            }
            if level
                .items
                .iter()
                .any(|item| matches!(item.columns, Columns::Unknown))
            {
                break;
            }
        }
        let or_text = self.source.habits().double_quoted == DoubleQuoted::NameOrText;
        if or_text && ident.quote_style == Some('"') {
            return Ok(literal::text(&wanted));
        }
        unknown_column(None, ident)
    }

    /// The column of this name among items of one FROM.
    pub fn column_in(&self, items: &[Item], wanted: &str) -> Outcome<Option<Written>> {
        let known = |item: &Item| match &item.columns {
            Columns::Known(columns) => find(columns, |one| &one.name, wanted).cloned(),
            Columns::Unknown => None,
        };
        let found: Vec<OutputColumn> = items.iter().filter_map(known).collect();
        let Some(first) = found.first() else {
            return Ok(None);
        };
        if found.iter().any(|other| other.name != first.name) {
            return self.refuse("a name that several columns have");
        }
        // Several of one name are joined by USING, or Postgres says that the name is ambiguous.
        let kind = found
            .iter()
            .fold(Kind::Null, |kind, one| kind.common(one.kind));
        let column = OutputColumn {
            kind,
            not_null: found.iter().all(|one| one.not_null),
            ..first.clone()
        };
        Ok(Some(column_text(None, &column)))
    }

    fn column_of(&self, qualifier: &Ident, ident: &Ident) -> Outcome<Written> {
        let wanted = name::content(qualifier);
        for level in self.levels.iter().rev() {
            let Some(item) = find(&level.items, |item| &item.name, &wanted) else {
                continue;
            };
            let Columns::Known(columns) = &item.columns else {
                return unknown_column(Some(&item.name), ident);
            };
            return match find(columns, |one| &one.name, &name::content(ident)) {
                Some(column) => Ok(column_text(Some(&item.name), column)),
                None => unknown_column(Some(&item.name), ident),
            };
        }
        unknown_column(Some(&name::spelled(qualifier)?), ident)
    }
}

fn column_text(qualifier: Option<&str>, column: &OutputColumn) -> Written {
    let text = match qualifier {
        Some(qualifier) => format!("{}.{}", name::quoted(qualifier), name::quoted(&column.name)),
        None => name::quoted(&column.name).into_owned(),
    };
    Written {
        form: column.form.clone(),
        name: Some(column.name.clone()),
        longer: column.longer,
        cased: column.cased,
        ..Written::tight(text, column.kind).never_null(column.not_null)
    }
}

fn unknown_column(qualifier: Option<&str>, ident: &Ident) -> Outcome<Written> {
    let column = OutputColumn {
        name: name::spelled(ident)?,
        kind: Kind::Unclear,
        not_null: false,
        longer: false,
        form: Form::Column,
        cased: false,
    };
    Ok(column_text(qualifier, &column))
}

/// For a writer without a policy.
const NO_DATASETS: &BTreeMap<String, String> = &BTreeMap::new();
