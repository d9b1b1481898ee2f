//! ORDER BY: what a query is sorted by, and where NULL goes.

use sqlparser::ast::{
    Distinct, Expr, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, OrderBySort, SetExpr,
};

use super::Translator;
use super::folding;
use super::name;
use super::scope::{AliasReach, KnownColumns, OutputColumn};
use super::translated::{Translated, TranslatedForm};
use super::untranslatable::TranslateResult;
use crate::source::{CaseSensitivity, NullOrder};
use crate::sql_type::SqlType;
use policy::Dialect;

/// What an ORDER BY follows.
pub struct SortedQuery {
    /// What is returned.
    pub columns: KnownColumns,
    /// Whether it follows one SELECT, whose FROM and aliases are still in sight.
    pub of_select: bool,
}

impl Translator<'_> {
    /// The items of the query's own ORDER BY.
    pub fn query_order(
        &mut self,
        order_by: &OrderBy,
        sorted: &SortedQuery,
    ) -> TranslateResult<String> {
        let items = match order_by {
            OrderBy {
                kind: OrderByKind::Expressions(items),
                interpolate: None,
            } => items,
            OrderBy {
                kind: OrderByKind::All(options),
                interpolate: None,
            } => return self.order_by_all(options, sorted),
            _ => return self.refuse("INTERPOLATE"),
        };
        let mut parts = Vec::new();
        for item in items {
            let (text, not_null) = self.sort_key(item, sorted)?;
            parts.push(self.sorted(text, &item.options, not_null)?);
        }
        Ok(parts.join(", "))
    }

    /// What one item of the query's own ORDER BY sorts by: a place, a name of the select list, or
    /// an expression in which names of the select list stand for what they name.
    fn sort_key(
        &mut self,
        item: &OrderByExpr,
        sorted: &SortedQuery,
    ) -> TranslateResult<(String, bool)> {
        if item.with_fill.is_some() {
            return self.refuse("WITH FILL");
        }
        let known = match &sorted.columns {
            KnownColumns::Known(columns) => columns.as_slice(),
            KnownColumns::Unknown => &[],
        };
        if let Expr::Identifier(ident) = &item.expr {
            let wanted = name::content(ident);
            let level = self.current_scope();
            if level.is_some_and(|level| level.captured.contains(&wanted.to_lowercase())) {
                return self.refuse("a name in ORDER BY that would mean another column here");
            }
            if let Some(column) = super::scope::find(known, |one| &one.name, &wanted) {
                let column = column.clone();
                return Ok((self.output_key(&column, sorted), column.not_null));
            }
        }
        // Within an expression columns go first in SQLite; alone a name is the select list's.
        let reach = match self.source.dialect() {
            Dialect::Sqlite => AliasReach::AfterColumns,
            _ => AliasReach::BeforeColumns,
        };
        let key = self.with_alias_reach(reach, |translator| translator.value(&item.expr))?;
        if let Some(place) = key.small_integer() {
            if !matches!(item.expr, Expr::Value(_)) {
                // There it is a constant, and here it would be a place.
                return self.refuse("a constant in ORDER BY");
            }
            let index = usize::try_from(place)
                .ok()
                .and_then(|place| place.checked_sub(1));
            let column = index.and_then(|index| known.get(index)).cloned();
            let text = match &column {
                Some(column) if self.has_own_order(column.kind) => self.output_key(column, sorted),
                _ => key.text,
            };
            return Ok((text, column.is_some_and(|column| column.not_null)));
        }
        if !sorted.of_select && key.form != TranslatedForm::Column {
            return self.refuse("an expression in the ORDER BY of a set operation");
        }
        if key.form == TranslatedForm::NullLiteral && sorted.of_select {
            // In no order, as MySQL's users ask for it.
            return Ok(("(SELECT NULL)".to_owned(), false));
        }
        if key.is_literal() {
            return self.refuse("a constant in ORDER BY");
        }
        Ok((self.collated(&key), key.not_null))
    }

    /// A column of the result, as what it is sorted by. Under a collation it is an expression, in
    /// which Postgres does not know the names that the select list gives.
    pub fn output_key(&mut self, column: &OutputColumn, sorted: &SortedQuery) -> String {
        let plain = name::quoted(&column.name).into_owned();
        if !self.has_own_order(column.kind) {
            return plain;
        }
        let value = self.current_scope().and_then(|level| {
            let mut listed = level.listed.iter();
            listed.find(|(name, _)| *name == column.name)
        });
        let value = match value {
            Some((_, value)) if sorted.of_select => value.clone(),
            _ => Translated {
                case_sensitive: column.case_sensitive,
                ..Translated::primary(plain, column.kind)
            },
        };
        self.collated(&value)
    }

    /// Whether values of a kind are sorted in an order of the dialect's own.
    fn has_own_order(&self, kind: SqlType) -> bool {
        let alike = self.source.semantics().equality == CaseSensitivity::Insensitive;
        kind == SqlType::Text && (alike || self.source.collation().is_some())
    }

    /// A value as it is sorted by: a text in the order of the dialect.
    pub fn collated(&self, value: &Translated) -> String {
        match self.source.collation() {
            Some(collation) if value.kind == SqlType::Text => {
                format!("{} COLLATE \"{collation}\"", value.operand())
            }
            None if self.has_own_order(value.kind) && !value.case_sensitive => {
                folding::comparison_key(self, &value.text)
            }
            _ => value.text.clone(),
        }
    }

    /// Whether a query has to be sorted from outside: it sorts texts in an order of the dialect's,
    /// and where DISTINCT or a set operation stands only what is returned can be sorted by.
    pub fn is_sorted_outside(
        &self,
        body: &SetExpr,
        order_by: &OrderBy,
        sorted: &SortedQuery,
    ) -> bool {
        let is_plain = matches!(body, SetExpr::Select(select)
            if !matches!(select.distinct, Some(Distinct::Distinct)));
        let (KnownColumns::Known(columns), OrderByKind::Expressions(items)) =
            (&sorted.columns, &order_by.kind)
        else {
            return false;
        };
        let sorts_text = |item: &OrderByExpr| match &item.expr {
            Expr::Identifier(ident) => {
                let wanted = name::content(ident);
                super::scope::find(columns, |one| &one.name, &wanted)
                    .is_some_and(|column| self.has_own_order(column.kind))
            }
            // By their places, or by an expression, which Postgres has its own word about.
            _ => columns.iter().any(|column| self.has_own_order(column.kind)),
        };
        !is_plain && (folding::folds_rows(self, columns) || items.iter().any(sorts_text))
    }

    /// An item of any ORDER BY, with where NULL goes in the source dialect.
    pub fn sorted(
        &self,
        text: String,
        options: &OrderByOptions,
        not_null: bool,
    ) -> TranslateResult<String> {
        let descending = match &options.sort {
            None | Some(OrderBySort::Asc) => false,
            Some(OrderBySort::Desc) => true,
            Some(OrderBySort::Using(_)) => return self.refuse("ORDER BY USING"),
        };
        let first = options
            .nulls_first
            .unwrap_or(match self.source.semantics().nulls {
                NullOrder::Smallest => !descending,
                NullOrder::Largest => descending,
                NullOrder::Last => false,
            });
        let direction = if descending { " DESC" } else { "" };
        let nulls = match (not_null, first == descending) {
            (true, _) | (false, true) => "",
            (false, false) if first => " NULLS FIRST",
            (false, false) => " NULLS LAST",
        };
        Ok(format!("{text}{direction}{nulls}"))
    }
}
