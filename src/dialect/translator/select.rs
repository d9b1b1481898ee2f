//! One SELECT.

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, GroupByWithModifier, Ident, NamedWindowDefinition,
    NamedWindowExpr, Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind,
    SelectModifiers,
};

use super::Translator;
use super::folding;
use super::name;
use super::qualify::SelectParts;
use super::scope::{AliasReach, KnownColumns, OutputColumn};
use super::translated::{NAMELESS, Translated};
use super::untranslatable::TranslateResult;
use policy::Dialect;

impl Translator<'_> {
    /// The SELECT whose level is the innermost: its text and its columns.
    pub fn select(&mut self, select: &Select) -> TranslateResult<(String, KnownColumns)> {
        self.refuse_unsupported_clauses(select)?;
        let from = self.from(&select.from)?;
        folding::find_folded_keys(self, &select.group_by, &select.projection)?;
        folding::set_after_grouping(self, true);
        let (list, mut columns) = self.select_list(&select.projection)?;
        folding::set_after_grouping(self, false);
        let has_totals = matches!(&select.group_by,
            GroupByExpr::Expressions(keys, modifiers)
                if !modifiers.is_empty() || keys.iter().any(folding::is_grouping_sets));
        if has_totals {
            // A total's keys are NULL.
            self.may_be_null(&mut columns);
        }
        let distinct = self.distinct(select.distinct.as_ref(), &columns)?;
        let mut text = format!("SELECT {distinct}{list}");
        let list_end = text.len();
        text.push_str(&from);
        let aliases = self.source.semantics().aliases;
        let having = select.having.as_ref();
        let chooses_rows = self.having_chooses_rows(select);
        let row_filter = having
            .filter(|_| chooses_rows)
            .map(|having| self.with_alias_reach(AliasReach::BeforeColumns, |w| w.condition(having)))
            .transpose()?;
        let filter = (select.selection.as_ref())
            .map(|filter| self.with_alias_reach(after(aliases.filter), |w| w.condition(filter)))
            .transpose()?;
        match (filter, row_filter) {
            (None, None) => {}
            (Some(one), None) | (None, Some(one)) => {
                text.push_str(&format!(" WHERE {}", one.text));
            }
            (Some(one), Some(other)) => {
                text.push_str(&format!(" WHERE {} AND {}", one.operand(), other.operand()));
            }
        }
        text.push_str(&self.group_by(&select.group_by, &select.projection, &columns)?);
        folding::set_after_grouping(self, true);
        if let Some(having) = having.filter(|_| !chooses_rows) {
            let having = self.with_alias_reach(after(aliases.having), |w| w.condition(having))?;
            text.push_str(&format!(" HAVING {}", having.text));
        }
        let windows = self.windows(&select.named_window)?;
        if let Some(qualify) = &select.qualify {
            let body = SelectParts {
                is_distinct: matches!(select.distinct, Some(Distinct::Distinct)),
                list,
                rest: text.split_off(list_end),
                windows,
            };
            return self.qualified(qualify, body, columns);
        }
        text.push_str(&windows);
        Ok((text, columns))
    }

    /// Refuses the clauses that are not written. All fields are named, so that none is passed over.
    fn refuse_unsupported_clauses(&self, select: &Select) -> TranslateResult<()> {
        let Select {
            select_token: _,
            optimizer_hints: _,
            distinct: _,
            select_modifiers,
            top: _,
            top_before_distinct: _,
            projection: _,
            exclude,
            into,
            from: _,
            lateral_views,
            prewhere,
            selection: _,
            connect_by,
            group_by: _,
            cluster_by,
            distribute_by,
            sort_by,
            having: _,
            named_window: _,
            qualify: _,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        if into.is_some() {
            return self.refuse("SELECT INTO, which makes a table,");
        }
        let strange = exclude.is_some()
            || !lateral_views.is_empty()
            || prewhere.is_some()
            || !connect_by.is_empty()
            || !cluster_by.is_empty()
            || !distribute_by.is_empty()
            || !sort_by.is_empty()
            || value_table_mode.is_some()
            || *flavor != SelectFlavor::Standard && !self.source.has_group_by_all();
        if strange {
            return self.refuse("this clause of SELECT");
        }
        if let Some(modifiers) = select_modifiers
            && modifiers_matter(modifiers)
        {
            return self.refuse("SQL_CALC_FOUND_ROWS");
        }
        Ok(())
    }

    fn select_list(
        &mut self,
        projection: &[SelectItem],
    ) -> TranslateResult<(String, KnownColumns)> {
        let mut parts = Vec::new();
        let mut columns = Some(Vec::new());
        let reach = after(self.source.semantics().aliases.list);
        for item in projection {
            let (expr, alias) = match item {
                SelectItem::UnnamedExpr(expr) => (expr, None),
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(name::spelled(alias)?)),
                SelectItem::Wildcard(options) => {
                    let star = self.star(None, options)?;
                    parts.push(star.text);
                    columns = with_star_columns(columns, star.columns);
                    continue;
                }
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(of),
                    options,
                ) => {
                    let star = self.star(Some(of), options)?;
                    parts.push(star.text);
                    columns = with_star_columns(columns, star.columns);
                    continue;
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _)
                | SelectItem::ExprWithAliases { .. } => {
                    return self.refuse("this form of a select list");
                }
            };
            let value = self.with_alias_reach(reach, |translator| translator.value(expr))?;
            let shown = self.output_value(value.clone())?;
            let wanted = match &alias {
                Some(alias) => alias.clone(),
                None => default_column_name(expr, &value),
            };
            let natural = shown.name.as_deref() == Some(wanted.as_str());
            if alias.is_none() && natural {
                parts.push(shown.text.clone());
            } else {
                parts.push(format!("{} AS {}", shown.text, name::quoted(&wanted)));
            }
            if alias.is_none() && !is_column(expr) {
                self.capture(&wanted)?;
            }
            if let Some(columns) = &mut columns {
                columns.push(OutputColumn::of(&wanted, &shown));
            }
            if let Some(level) = self.current_scope() {
                level.listed.push((wanted.clone(), shown));
            }
            if alias.is_some()
                && let Some(level) = self.current_scope()
            {
                level.aliases.push((wanted, value));
            }
        }
        if projection.is_empty() {
            // `FROM t` alone.
            columns = self.star_columns(None);
            parts.push("*".to_owned());
        }
        let columns = columns.map_or(KnownColumns::Unknown, KnownColumns::Known);
        Ok((parts.join(", "), columns))
    }

    fn distinct(
        &mut self,
        distinct: Option<&Distinct>,
        columns: &KnownColumns,
    ) -> TranslateResult<String> {
        match distinct {
            None | Some(Distinct::All) => Ok(String::new()),
            Some(Distinct::Distinct) => Ok(folding::distinct_rows(self, columns)),
            Some(Distinct::On(_)) => self.refuse("DISTINCT ON"),
        }
    }

    fn may_be_null(&mut self, columns: &mut KnownColumns) {
        if let KnownColumns::Known(columns) = columns {
            for column in columns {
                column.not_null = false;
            }
        }
        if let Some(level) = self.current_scope() {
            for (_, value) in &mut level.aliases {
                value.not_null = false;
            }
        }
    }

    /// Remembers a name that an ORDER BY of Postgres would find in the select list, and the
    /// source's in FROM.
    fn capture(&mut self, name: &str) -> TranslateResult<()> {
        let items = match self.current_scope() {
            Some(level) => level.items.clone(),
            None => return Ok(()),
        };
        let is_column = self
            .column_in(&items, name)
            .map_or(true, |found| found.is_some());
        if let Some(level) = self.current_scope()
            && is_column
        {
            level.captured.push(name.to_lowercase());
        }
        Ok(())
    }

    fn group_by(
        &mut self,
        group_by: &GroupByExpr,
        projection: &[SelectItem],
        columns: &KnownColumns,
    ) -> TranslateResult<String> {
        let (expressions, modifiers) = match group_by {
            GroupByExpr::Expressions(expressions, modifiers) => (expressions, modifiers),
            GroupByExpr::All(modifiers) if modifiers.is_empty() => {
                return self.group_by_all(projection);
            }
            GroupByExpr::All(_) => return self.refuse("GROUP BY ALL"),
        };
        if expressions.is_empty() {
            return Ok(String::new());
        }
        let mut parts = Vec::new();
        for (place, expr) in expressions.iter().enumerate() {
            let level = self.scopes.last();
            let folded = level.and_then(|level| level.folded.key(place));
            parts.push(match folded {
                Some(key) => folding::comparison_key(self, key),
                None => self.group_key(expr, projection, columns)?,
            });
        }
        let keys = parts.join(", ");
        Ok(match modifiers.as_slice() {
            [] => format!(" GROUP BY {keys}"),
            [GroupByWithModifier::Rollup] => format!(" GROUP BY ROLLUP ({keys})"),
            [GroupByWithModifier::Cube] => format!(" GROUP BY CUBE ({keys})"),
            _ => return self.refuse("this form of GROUP BY"),
        })
    }

    /// A place, an alias where the dialect knows them here, or an expression.
    fn group_key(
        &mut self,
        expr: &Expr,
        projection: &[SelectItem],
        columns: &KnownColumns,
    ) -> TranslateResult<String> {
        if let Some(place) = self.alias_first(expr, columns) {
            return Ok(place.to_string());
        }
        let reach = after(self.source.semantics().aliases.group);
        let key = self.with_alias_reach(reach, |translator| translator.value(expr))?;
        if let Some(place) = key.small_integer() {
            let index = usize::try_from(place)
                .ok()
                .and_then(|place| place.checked_sub(1));
            if index.is_none_or(|index| index >= projection.len()) {
                return self.refuse("a place in GROUP BY that the select list does not have");
            }
            return Ok(key.text);
        }
        if key.is_literal() {
            return self.refuse("a constant in GROUP BY");
        }
        // By its place: what is grouped by is then what is selected, letter by letter.
        if let (KnownColumns::Known(known), Expr::Identifier(ident)) = (columns, expr)
            && known.len() == projection.len()
            && self.is_alias_only(&name::content(ident))?
        {
            let wanted = name::content(ident).to_lowercase();
            let place = known
                .iter()
                .position(|one| one.name.to_lowercase() == wanted);
            if let Some(place) = place {
                return Ok((place + 1).to_string());
            }
        }
        Ok(key.text)
    }

    /// The place of an alias in the select list, where the dialect asks for aliases before columns.
    fn alias_first(&mut self, expr: &Expr, columns: &KnownColumns) -> Option<usize> {
        let (Expr::Identifier(ident), KnownColumns::Known(known)) = (expr, columns) else {
            return None;
        };
        if self.source.dialect() != Dialect::Bigquery {
            return None;
        }
        let wanted = name::content(ident).to_lowercase();
        let level = self.current_scope()?;
        level
            .aliases
            .iter()
            .find(|(name, _)| name.to_lowercase() == wanted)?;
        let place = known
            .iter()
            .position(|one| one.name.to_lowercase() == wanted)?;
        Some(place + 1)
    }

    fn windows(&mut self, named: &[NamedWindowDefinition]) -> TranslateResult<String> {
        let mut parts = Vec::new();
        for NamedWindowDefinition(ident, window) in named {
            let NamedWindowExpr::WindowSpec(spec) = window else {
                return self.refuse("a window that is another's name");
            };
            let spec = self.window(spec)?;
            let name = name::spelled(ident)?;
            parts.push(format!("{} AS ({spec})", name::quoted(&name)));
        }
        if parts.is_empty() {
            return Ok(String::new());
        }
        Ok(format!(" WINDOW {}", parts.join(", ")))
    }
}

/// The columns of a list so far and those of a star; none where either are not known.
fn with_star_columns(
    columns: Option<Vec<OutputColumn>>,
    star: Option<Vec<OutputColumn>>,
) -> Option<Vec<OutputColumn>> {
    columns.zip(star).map(|(mut one, all)| {
        one.extend(all);
        one
    })
}

fn after(known: bool) -> AliasReach {
    if known {
        AliasReach::AfterColumns
    } else {
        AliasReach::Nowhere
    }
}

fn is_column(expr: &Expr) -> bool {
    matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
}

/// What a column without an alias is called: as Postgres would call it if it read the source's
/// text.
fn default_column_name(expr: &Expr, value: &Translated) -> String {
    match expr {
        Expr::Identifier(ident) => name_of_column(value, Some(ident)),
        Expr::CompoundIdentifier(parts) => name_of_column(value, parts.last()),
        Expr::Function(function) => {
            let last = function.name.0.last().and_then(|part| part.as_ident());
            last.map_or_else(|| NAMELESS.to_owned(), |ident| ident.value.to_lowercase())
        }
        Expr::Nested(inner) => default_column_name(inner, value),
        Expr::Cast { expr, .. } => match &**expr {
            Expr::Identifier(ident) => name::spelled(ident).unwrap_or_default(),
            _ => value.name.clone().unwrap_or_else(|| NAMELESS.to_owned()),
        },
        Expr::Case { .. } => "case".to_owned(),
        Expr::Exists { .. } => "exists".to_owned(),
        Expr::Substring { .. } => "substring".to_owned(),
        Expr::Extract { .. } => "extract".to_owned(),
        Expr::Position { .. } => "position".to_owned(),
        Expr::Ceil { .. } => "ceil".to_owned(),
        Expr::Floor { .. } => "floor".to_owned(),
        Expr::Convert { .. } => "convert".to_owned(),
        Expr::Subquery(_) | Expr::Trim { .. } => {
            value.name.clone().unwrap_or_else(|| NAMELESS.to_owned())
        }
        _ => NAMELESS.to_owned(),
    }
}

fn name_of_column(value: &Translated, ident: Option<&Ident>) -> String {
    let spelled = || ident.and_then(|ident| name::spelled(ident).ok());
    let name = value.name.clone().or_else(spelled);
    name.unwrap_or_else(|| NAMELESS.to_owned())
}

/// Whether a modifier changes what is returned, not only how.
fn modifiers_matter(modifiers: &SelectModifiers) -> bool {
    let SelectModifiers {
        high_priority: _,
        straight_join: _,
        sql_small_result: _,
        sql_big_result: _,
        sql_buffer_result: _,
        sql_no_cache: _,
        sql_calc_found_rows,
    } = modifiers;
    *sql_calc_found_rows
}

#[cfg(test)]
mod tests {
    use crate::rule_cases::{becomes, session};
    use policy::Dialect;

    #[test]
    fn having_chooses_rows_where_nothing_is_grouped_in_mysql() {
        let session = session();
        for (text, wanted) in [
            (
                "SELECT id, q FROM t HAVING q > 50",
                "SELECT id, q FROM t WHERE q > 50",
            ),
            (
                "SELECT id, q * 2 AS twice FROM t WHERE n = 1 OR n = 2 HAVING twice > 100",
                "SELECT id, q * 2 AS twice FROM t WHERE ((n = 1) OR (n = 2)) AND ((q * 2) > 100)",
            ),
            (
                "SELECT q * 2 AS q FROM t HAVING q > 100",
                "SELECT q * 2 AS q FROM t WHERE (q * 2) > 100",
            ),
            (
                "SELECT COUNT(*) AS c FROM t HAVING c > 1",
                "SELECT count(*) AS c FROM t HAVING count(*) > 1",
            ),
            (
                "SELECT n FROM t GROUP BY n HAVING n > 1",
                "SELECT n FROM t GROUP BY n HAVING n > 1",
            ),
        ] {
            assert_eq!(becomes(&session, Dialect::Mysql, text), wanted, "{text}");
        }
        assert_eq!(
            becomes(&session, Dialect::Sqlite, "SELECT n FROM t HAVING n > 50"),
            "SELECT n FROM t HAVING n > 50"
        );
    }
}
