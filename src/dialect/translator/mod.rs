//! The state of one translation. Everything that translates is a method of it, in the files beside
//! this one.
//!
//! * [`query`], [`select`], [`select_star`], [`from`], [`order_by`], `group_by_all`, `qualify`,
//!   [`first_rows`] (TOP, FETCH FIRST, VALUES): queries
//! * [`expression`], [`condition`], [`compare`], `subquery_comparison` (EXISTS, IN, ANY and ALL),
//!   [`arithmetic`], [`call`], [`window`], [`interval`], [`convert`]: expressions
//! * [`shared_functions`]: functions that several dialects have
//! * [`folding`]: texts that the source takes for one, grouped and made distinct
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
pub mod folding;
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
pub mod shared_functions;
pub(super) mod subquery_comparison;
pub mod timestamp;
pub mod translated;
pub mod untranslatable;
pub mod window;

use std::collections::BTreeMap;

use super::source::{DoubleQuoted, SourceDialect};
use super::translator::scope::{
    AliasReach, KnownColumns, OutputColumn, TranslatedCte, TranslatedItem, TranslationScope, find,
};
use super::translator::translated::{Translated, TranslatedForm};
use super::translator::untranslatable::{TranslateResult, Untranslatable};
use crate::sql_type::SqlType;

use crate::confidence::Confidence;
use crate::session_database::SessionDatabase;

use sqlparser::ast::Ident;

/// One translation under way.
pub struct Translator<'w> {
    /// The dialect that is translated from.
    pub source: &'static dyn SourceDialect,
    /// What names mean; none where that is not known.
    pub database: Option<&'w SessionDatabase<'w>>,
    /// The server's major version.
    pub server_major: u16,
    /// The queries around the place that is written, innermost last.
    pub scopes: Vec<TranslationScope>,
    /// The common tables in sight, innermost last.
    pub common_tables: Vec<TranslatedCte>,
    /// How many expressions were written.
    pub steps: usize,
    /// How many names were made up.
    pub generated_names: usize,
    /// Which schema stands for a data set of BigQuery.
    pub datasets: &'w BTreeMap<String, String>,
    /// How sure the translation is.
    pub confidence: Confidence,
}

impl<'w> Translator<'w> {
    /// For one text.
    pub fn new(
        source: &'static dyn SourceDialect,
        database: Option<&'w SessionDatabase<'w>>,
        server_major: u16,
    ) -> Self {
        Self {
            source,
            database,
            server_major,
            scopes: Vec::new(),
            common_tables: Vec::new(),
            steps: 0,
            generated_names: 0,
            datasets: NO_DATASETS,
            confidence: Confidence::Exact,
        }
    }

    /// Refuses a part of the language.
    pub fn refuse<T>(&self, what: &str) -> TranslateResult<T> {
        Err(Untranslatable::construct(what))
    }

    /// Something was written that is right for what the values most likely are.
    pub fn mark_likely(&mut self) {
        self.confidence = Confidence::Likely;
    }

    /// The level that is written.
    pub fn current_scope(&mut self) -> Option<&mut TranslationScope> {
        self.scopes.last_mut()
    }

    /// Writes something while aliases of the select list have this reach.
    pub fn with_alias_reach<T>(
        &mut self,
        reach: AliasReach,
        write: impl FnOnce(&mut Self) -> TranslateResult<T>,
    ) -> TranslateResult<T> {
        let before = match self.current_scope() {
            Some(level) => std::mem::replace(&mut level.reach, reach),
            None => AliasReach::Nowhere,
        };
        let written = write(self);
        if let Some(level) = self.current_scope() {
            level.reach = before;
        }
        written
    }

    /// A name that nothing else has.
    pub fn make_name(&mut self, stem: &str) -> String {
        self.generated_names += 1;
        format!("{stem}_{}", self.generated_names)
    }

    /// A reference to a column, or to an alias where those are in reach.
    pub fn column(&self, parts: &[Ident]) -> TranslateResult<Translated> {
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
        self.scopes.iter().any(|level| {
            let of_item = |item: &TranslatedItem| match &item.columns {
                KnownColumns::Known(columns) => columns.iter().any(|one| one.name == wanted),
                KnownColumns::Unknown => false,
            };
            level.aliases.iter().any(|(name, _)| name == wanted) || level.items.iter().any(of_item)
        })
    }

    /// Refuses a name in double quotes where the dialect has strings in those.
    pub fn refuse_quotes(&self, ident: &Ident) -> TranslateResult<()> {
        let as_text = self.source.semantics().double_quoted == DoubleQuoted::Text;
        if as_text && ident.quote_style == Some('"') {
            return Err(Untranslatable::mixed());
        }
        Ok(())
    }

    fn bare_column(&self, ident: &Ident) -> TranslateResult<Translated> {
        let wanted = name::content(ident);
        for level in self.scopes.iter().rev() {
            let alias = find(&level.aliases, |(name, _)| name, &wanted);
            if let (Some((_, value)), AliasReach::BeforeColumns) = (alias, level.reach) {
                return Ok(value.clone());
            }
            if let Some(column) = self.column_in(&level.items, &wanted)? {
                return Ok(column);
            }
            if let (Some((_, value)), AliasReach::AfterColumns) = (alias, level.reach) {
                return Ok(value.clone());
            }
            if level
                .items
                .iter()
                .any(|item| matches!(item.columns, KnownColumns::Unknown))
            {
                break;
            }
        }
        let or_text = self.source.semantics().double_quoted == DoubleQuoted::NameOrText;
        if or_text && ident.quote_style == Some('"') {
            return Ok(literal::text(&wanted));
        }
        unknown_column(None, ident)
    }

    /// The column of this name among items of one FROM.
    pub fn column_in(
        &self,
        items: &[TranslatedItem],
        wanted: &str,
    ) -> TranslateResult<Option<Translated>> {
        let known = |item: &TranslatedItem| match &item.columns {
            KnownColumns::Known(columns) => find(columns, |one| &one.name, wanted).cloned(),
            KnownColumns::Unknown => None,
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
            .fold(SqlType::Null, |kind, one| kind.common(one.kind));
        let column = OutputColumn {
            kind,
            not_null: found.iter().all(|one| one.not_null),
            ..first.clone()
        };
        Ok(Some(column_text(None, &column)))
    }

    fn column_of(&self, qualifier: &Ident, ident: &Ident) -> TranslateResult<Translated> {
        let wanted = name::content(qualifier);
        for level in self.scopes.iter().rev() {
            let Some(item) = find(&level.items, |item| &item.name, &wanted) else {
                continue;
            };
            let KnownColumns::Known(columns) = &item.columns else {
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

fn column_text(qualifier: Option<&str>, column: &OutputColumn) -> Translated {
    let text = match qualifier {
        Some(qualifier) => format!("{}.{}", name::quoted(qualifier), name::quoted(&column.name)),
        None => name::quoted(&column.name).into_owned(),
    };
    Translated {
        form: column.form.clone(),
        name: Some(column.name.clone()),
        extra_digits: column.extra_digits,
        case_sensitive: column.case_sensitive,
        ..Translated::primary(text, column.kind).never_null(column.not_null)
    }
}

fn unknown_column(qualifier: Option<&str>, ident: &Ident) -> TranslateResult<Translated> {
    let column = OutputColumn {
        name: name::spelled(ident)?,
        kind: SqlType::Unclear,
        not_null: false,
        extra_digits: false,
        form: TranslatedForm::Column,
        case_sensitive: false,
    };
    Ok(column_text(qualifier, &column))
}

/// For a writer without a policy.
const NO_DATASETS: &BTreeMap<String, String> = &BTreeMap::new();
