//! Texts that the source dialect takes for one, and Postgres for several, where they are grouped,
//! made distinct or counted: `a` and `A` under a collation that does not tell cases apart.
//!
//! They are grouped by their small letters, and one of each group is shown, as the source shows
//! any one of them.

use sqlparser::ast::{Expr, GroupByExpr, SelectItem, SetOperator};

use super::Translator;
use super::name;
use super::scope::{KnownColumns, OutputColumn, TranslationScope};
use super::translated::Translated;
use super::untranslatable::TranslateResult;
use crate::source::CaseSensitivity;
use crate::sql_type::SqlType;

/// The texts that a query is grouped by.
#[derive(Default)]
pub struct FoldedKeys {
    /// Which of its keys they are, and how they are written.
    keys: Vec<(usize, String)>,
    /// Whether there are totals, whose keys are NULL.
    has_totals: bool,
    /// Whether what is written now comes after the grouping.
    after_grouping: bool,
    /// How many aggregates what is written now is an argument of.
    aggregates: usize,
}

impl FoldedKeys {
    /// How the key at a place is written, if it is one of them.
    pub fn key(&self, place: usize) -> Option<&str> {
        let mut keys = self.keys.iter();
        keys.find(|(at, _)| *at == place)
            .map(|(_, text)| text.as_str())
    }
}

impl Translator<'_> {
    /// Whether texts of this value are taken for one that Postgres tells apart.
    pub fn folds(&self, value: &Translated) -> bool {
        let in_one_case = value.is_primary
            && (value.text.starts_with("lower(") || value.text.starts_with("upper("));
        self.folds_texts()
            && value.kind == SqlType::Text
            && !value.case_sensitive
            && !value.is_literal()
            && !in_one_case
    }

    fn folds_texts(&self) -> bool {
        self.source.semantics().equality == CaseSensitivity::Insensitive
    }

    fn folds_column(&self, column: &OutputColumn) -> bool {
        self.folds_texts() && column.kind == SqlType::Text && !column.case_sensitive
    }

    /// What a value is told apart by.
    pub fn folded(&self, value: &Translated) -> String {
        match self.folds(value) {
            true => format!("lower({})", value.text),
            false => value.text.clone(),
        }
    }

    /// Looks for texts among what a query is grouped by, before its select list is written.
    pub fn find_folded_keys(
        &mut self,
        group_by: &GroupByExpr,
        projection: &[SelectItem],
    ) -> TranslateResult<()> {
        let GroupByExpr::Expressions(expressions, modifiers) = group_by else {
            return Ok(());
        };
        if !self.folds_texts() {
            return Ok(());
        }
        let mut keys = Vec::new();
        for (place, expr) in expressions.iter().enumerate() {
            let Some(expr) = self.grouped_expression(expr, projection)? else {
                continue;
            };
            // What cannot be written is told of where it stands.
            if let Ok(key) = self.value(expr)
                && self.folds(&key)
            {
                keys.push((place, key.text));
            }
        }
        if let Some(level) = self.current_scope() {
            level.folded.keys = keys;
            level.folded.has_totals = !modifiers.is_empty();
        }
        Ok(())
    }

    /// The expression that a key stands for: itself, or an item of the select list.
    fn grouped_expression<'e>(
        &mut self,
        expr: &'e Expr,
        projection: &'e [SelectItem],
    ) -> TranslateResult<Option<&'e Expr>> {
        if let Expr::Value(_) = expr {
            let place = self.value(expr)?.small_integer();
            let place = place.and_then(|place| usize::try_from(place).ok()?.checked_sub(1));
            let item = place.and_then(|place| projection.get(place));
            return Ok(item.and_then(expression_of));
        }
        let Expr::Identifier(ident) = expr else {
            return Ok(Some(expr));
        };
        let wanted = name::content(ident);
        let is_column = self.scopes.last().is_some_and(|level| {
            level.items.iter().any(|item| match &item.columns {
                KnownColumns::Known(columns) => {
                    super::scope::find(columns, |one| &one.name, &wanted).is_some()
                }
                KnownColumns::Unknown => true,
            })
        });
        if is_column {
            return Ok(Some(expr));
        }
        let named = projection.iter().find_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias }
                if name::content(alias).eq_ignore_ascii_case(&wanted) =>
            {
                Some(expr)
            }
            _ => None,
        });
        Ok(named)
    }

    /// What is written from now on comes after the grouping of the query, or does not.
    pub fn set_after_grouping(&mut self, after: bool) {
        if let Some(level) = self.current_scope() {
            level.folded.after_grouping = after;
        }
    }

    /// Writes the arguments of an aggregate.
    pub fn in_aggregate<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> TranslateResult<T>,
    ) -> TranslateResult<T> {
        let depth = self.scopes.len();
        if let Some(level) = self.current_scope() {
            level.folded.aggregates += 1;
        }
        let written = write(self);
        if self.scopes.len() == depth
            && let Some(level) = self.current_scope()
        {
            level.folded.aggregates -= 1;
        }
        written
    }

    /// One of the texts of a group, where a value is a key of it.
    pub fn shown_of_group(&self, value: Translated) -> Translated {
        let is_key = self.scopes.last().is_some_and(|level: &TranslationScope| {
            let folded = &level.folded;
            folded.after_grouping
                && folded.aggregates == 0
                && folded.keys.iter().any(|(_, text)| *text == value.text)
        });
        if !is_key || value.kind != SqlType::Text {
            return value;
        }
        let has_totals = (self.scopes.last()).is_some_and(|level| level.folded.has_totals);
        let text = match has_totals {
            true => format!(
                "CASE WHEN grouping(lower({0})) = 0 THEN min({0}) END",
                value.text
            ),
            false => format!("min({})", value.text),
        };
        Translated {
            case_sensitive: value.case_sensitive,
            name: None,
            ..Translated::primary(text, SqlType::Text).never_null(value.not_null && !has_totals)
        }
    }

    /// What stands behind SELECT where rows are made distinct.
    pub fn distinct_rows(&mut self, columns: &KnownColumns) -> String {
        let plain = "DISTINCT ".to_owned();
        let KnownColumns::Known(columns) = columns else {
            return plain;
        };
        if !columns.iter().any(|column| self.folds_column(column)) {
            return plain;
        }
        let listed = match self.scopes.last() {
            Some(level) if level.listed.len() == columns.len() => level.listed.as_slice(),
            _ => {
                self.mark_likely();
                return plain;
            }
        };
        let keys = listed
            .iter()
            .enumerate()
            .map(|(at, (_, value))| match self.folds(value) {
                true => self.folded(value),
                false => (at + 1).to_string(),
            });
        let keys: Vec<String> = keys.collect();
        if !listed.iter().any(|(_, value)| self.folds(value)) {
            return plain;
        }
        format!("DISTINCT ON ({}) ", keys.join(", "))
    }

    /// Whether rows that are distinct there are not all so here, so that they are made distinct by
    /// an expression, and sorted from outside.
    pub fn folds_rows(&self, columns: &[OutputColumn]) -> bool {
        columns.iter().any(|column| self.folds_column(column))
    }

    /// A set operation without ALL whose columns are these.
    pub fn distinct_union(
        &mut self,
        operation: SetOperator,
        text: String,
        columns: &KnownColumns,
    ) -> String {
        let KnownColumns::Known(columns) = columns else {
            return text;
        };
        if !self.folds_rows(columns) {
            return text;
        }
        if operation != SetOperator::Union {
            self.mark_likely();
            return text;
        }
        let keys = columns
            .iter()
            .enumerate()
            .map(|(at, column)| match self.folds_column(column) {
                true => format!("lower({})", name::quoted(&column.name)),
                false => (at + 1).to_string(),
            });
        let keys: Vec<String> = keys.collect();
        let name = self.make_name("united");
        format!(
            "SELECT DISTINCT ON ({}) * FROM ({text}) AS {name}",
            keys.join(", ")
        )
    }
}

fn expression_of(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        SelectItem::ExprWithAliases { .. }
        | SelectItem::QualifiedWildcard(..)
        | SelectItem::Wildcard(_) => None,
    }
}

/// Whether a function is an aggregate.
pub fn is_aggregate(name: &str) -> bool {
    AGGREGATES.contains(&name)
}

const AGGREGATES: &[&str] = &[
    "any_value",
    "approx_count_distinct",
    "array_agg",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "count",
    "count_big",
    "group_concat",
    "json_arrayagg",
    "json_objectagg",
    "max",
    "min",
    "std",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "stdev",
    "stdevp",
    "string_agg",
    "sum",
    "var",
    "var_pop",
    "var_samp",
    "variance",
    "varp",
];
