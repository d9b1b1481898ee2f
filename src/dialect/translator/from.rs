//! FROM: relations, subqueries and joins.

use sqlparser::ast::{
    Ident, Join, JoinConstraint, JoinOperator, ObjectName, TableAlias, TableFactor,
    TableIndexHints, TableWithJoins,
};

use super::Translator;
use super::name;
use super::scope::{KnownColumns, OutputColumn, TranslatedItem, TranslationScope, find};
use super::untranslatable::TranslateResult;

impl Translator<'_> {
    /// The whole FROM, with the word; nothing for none.
    pub fn from(&mut self, from: &[TableWithJoins]) -> TranslateResult<String> {
        let mut parts = Vec::new();
        for table in from {
            if is_dual(table) {
                continue;
            }
            parts.push(self.joined(table)?);
        }
        if parts.is_empty() {
            return Ok(String::new());
        }
        Ok(format!(" FROM {}", parts.join(", ")))
    }

    fn joined(&mut self, table: &TableWithJoins) -> TranslateResult<String> {
        let TableWithJoins { relation, joins } = table;
        let first = self.items();
        let mut text = self.factor(relation)?;
        for join in joins {
            text.push_str(&self.join(join, first)?);
        }
        Ok(text)
    }

    fn items(&mut self) -> usize {
        self.current_scope().map_or(0, |level| level.items.len())
    }

    /// One join with what stands left of it, whose items begin at `first`.
    fn join(&mut self, join: &Join, first: usize) -> TranslateResult<String> {
        let Join {
            relation,
            global: false,
            join_operator,
        } = join
        else {
            return self.refuse("a GLOBAL join");
        };
        if matches!(
            join_operator,
            JoinOperator::CrossApply | JoinOperator::OuterApply
        ) {
            return self.apply_join(relation, *join_operator == JoinOperator::OuterApply);
        }
        let (keyword, constraint, left, right) = match join_operator {
            JoinOperator::Join(on) | JoinOperator::Inner(on) | JoinOperator::StraightJoin(on) => {
                ("JOIN", on, false, false)
            }
            JoinOperator::CrossJoin(on) => ("CROSS JOIN", on, false, false),
            JoinOperator::Left(on) | JoinOperator::LeftOuter(on) => ("LEFT JOIN", on, false, true),
            JoinOperator::Right(on) | JoinOperator::RightOuter(on) => {
                ("RIGHT JOIN", on, true, false)
            }
            JoinOperator::FullOuter(on) => ("FULL JOIN", on, true, true),
            _ => return self.refuse("this kind of join"),
        };
        let middle = self.items();
        let factor = self.factor(relation)?;
        let end = self.items();
        if left {
            self.make_nullable(first, middle);
        }
        if right {
            self.make_nullable(middle, end);
        }
        let outer = left || right;
        Ok(match constraint {
            JoinConstraint::On(condition) => {
                let keyword = if outer { keyword } else { "JOIN" };
                let condition = self.condition(condition)?;
                format!(" {keyword} {factor} ON {}", condition.text)
            }
            JoinConstraint::Using(names) => {
                let keyword = if outer { keyword } else { "JOIN" };
                let names = self.using(names, first)?;
                self.note_merged_columns();
                format!(" {keyword} {factor} USING ({})", names.join(", "))
            }
            JoinConstraint::Natural => {
                self.note_merged_columns();
                format!(" NATURAL {keyword} {factor}")
            }
            JoinConstraint::None if outer => return self.refuse("an outer join without ON"),
            JoinConstraint::None => format!(" CROSS JOIN {factor}"),
        })
    }

    /// CROSS APPLY and OUTER APPLY: what stands right of them is asked for every row left of them.
    fn apply_join(&mut self, relation: &TableFactor, outer: bool) -> TranslateResult<String> {
        let middle = self.items();
        let factor = match relation {
            TableFactor::Derived { .. } => {
                let mut relation = relation.clone();
                if let TableFactor::Derived { lateral, .. } = &mut relation {
                    *lateral = true;
                }
                self.factor(&relation)?
            }
            other => self.factor(other)?,
        };
        if !outer {
            return Ok(format!(" CROSS JOIN {factor}"));
        }
        let end = self.items();
        self.make_nullable(middle, end);
        Ok(format!(" LEFT JOIN {factor} ON TRUE"))
    }

    /// A star then has some columns once.
    fn note_merged_columns(&mut self) {
        if let Some(level) = self.current_scope() {
            level.merged = true;
        }
    }

    /// Rows of these items may be missing: their columns are NULL then.
    fn make_nullable(&mut self, from: usize, to: usize) {
        let Some(level) = self.current_scope() else {
            return;
        };
        for item in level.items.get_mut(from..to).unwrap_or_default() {
            if let KnownColumns::Known(columns) = &mut item.columns {
                for column in columns {
                    column.not_null = false;
                }
            }
        }
    }

    fn using(&mut self, names: &[ObjectName], first: usize) -> TranslateResult<Vec<String>> {
        let items = match self.current_scope() {
            Some(level) => level.items.get(first..).unwrap_or_default().to_vec(),
            None => Vec::new(),
        };
        let mut written = Vec::new();
        for name in names {
            let idents = name::parts(name)?;
            let [ident] = idents.as_slice() else {
                return self.refuse("this form of USING");
            };
            let wanted = name::content(ident);
            let spelled = items.iter().find_map(|item| match &item.columns {
                KnownColumns::Known(columns) => find(columns, |one| &one.name, &wanted),
                KnownColumns::Unknown => None,
            });
            let name = match spelled {
                Some(column) => column.name.clone(),
                None => name::spelled(ident)?,
            };
            written.push(name::quoted(&name).into_owned());
        }
        Ok(written)
    }

    /// What stands between the commas and joins of FROM.
    pub fn factor(&mut self, factor: &TableFactor) -> TranslateResult<String> {
        let source = self.source;
        if let Some(written) = source.factor(self, factor)? {
            return Ok(written);
        }
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                with_hints,
                version: None,
                with_ordinality: false,
                partitions,
                json_path: None,
                sample: None,
                index_hints,
            } if with_hints.is_empty() && partitions.is_empty() => {
                drop_hints(index_hints);
                self.table(name, alias.as_ref())
            }
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample: None,
            } => {
                // Only a LATERAL subquery sees what stands before it.
                let before = match self.current_scope() {
                    Some(level) if !lateral => std::mem::take(&mut level.items),
                    _ => Vec::new(),
                };
                let written = self.query(subquery)?;
                if let Some(level) = self.current_scope()
                    && !lateral
                {
                    level.items = before;
                }
                let (name, given) = match alias {
                    Some(alias) => self.alias(alias)?,
                    None => (self.make_name("subquery"), Vec::new()),
                };
                let columns = written.columns.renamed(&given);
                let alias = aliased(&name, &given);
                self.add_item(TranslatedItem { name, columns });
                let lateral = if *lateral { "LATERAL " } else { "" };
                Ok(format!("{lateral}({}){alias}", written.text))
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias: None,
            } => Ok(format!("({})", self.joined(table_with_joins)?)),
            _ => self.refuse("this kind of table"),
        }
    }

    fn table(&mut self, name: &ObjectName, alias: Option<&TableAlias>) -> TranslateResult<String> {
        let idents = name::parts(name)?;
        for ident in &idents {
            self.refuse_quotes(ident)?;
        }
        let common = match idents.as_slice() {
            [ident] => {
                let wanted = name::content(ident);
                let newest: Vec<_> = self.common_tables.iter().rev().cloned().collect();
                find(&newest, |common| &common.name, &wanted).cloned()
            }
            _ => None,
        };
        let (mut text, mut item) = match common {
            Some(common) => {
                let item = TranslatedItem {
                    name: common.name.clone(),
                    columns: common.columns,
                };
                (name::quoted(&common.name).into_owned(), item)
            }
            None => self.relation(name)?,
        };
        if let Some(alias) = alias {
            let (name, given) = self.alias(alias)?;
            text.push_str(&aliased(&name, &given));
            item = TranslatedItem {
                name,
                columns: item.columns.renamed(&given),
            };
        }
        self.add_item(item);
        Ok(text)
    }

    /// The name and the names of columns that an alias gives.
    pub fn alias(&self, alias: &TableAlias) -> TranslateResult<(String, Vec<String>)> {
        let TableAlias {
            explicit: _,
            name,
            columns,
            at: None,
        } = alias
        else {
            return self.refuse("AT in an alias");
        };
        let mut given = Vec::new();
        for column in columns {
            if column.data_type.is_some() {
                return self.refuse("types in an alias");
            }
            given.push(name::spelled(&column.name)?);
        }
        Ok((name::spelled(name)?, given))
    }

    /// Puts an item into the innermost FROM.
    pub fn add_item(&mut self, item: TranslatedItem) {
        if self.scopes.is_empty() {
            self.scopes.push(TranslationScope::default());
        }
        if let Some(level) = self.current_scope() {
            level.items.push(item);
        }
    }

    /// The item of the innermost FROM that a name means, as it is spelled.
    pub fn item_named(&mut self, wanted: &str) -> Option<String> {
        let level = self.current_scope()?;
        find(&level.items, |item| &item.name, wanted).map(|item| item.name.clone())
    }

    /// The columns that a star brings; none where that is not known, or where a USING merges some.
    pub fn star_columns(&mut self, of: Option<&str>) -> Option<Vec<OutputColumn>> {
        let level = self.current_scope()?;
        if level.merged && of.is_none() {
            return None;
        }
        let mut all: Vec<OutputColumn> = Vec::new();
        for item in level
            .items
            .iter()
            .filter(|item| of.is_none_or(|of| item.name == of))
        {
            match &item.columns {
                KnownColumns::Known(columns) => all.extend(columns.iter().cloned()),
                KnownColumns::Unknown => return None,
            }
        }
        Some(all)
    }

    /// Whether a name stands for no column of the innermost FROM.
    pub fn is_alias_only(&mut self, wanted: &str) -> TranslateResult<bool> {
        let Some(level) = self.current_scope() else {
            return Ok(false);
        };
        let has_alias = find(&level.aliases, |(name, _)| name, wanted).is_some();
        let has_column = level.items.iter().any(|item| match &item.columns {
            KnownColumns::Known(columns) => find(columns, |one| &one.name, wanted).is_some(),
            KnownColumns::Unknown => false,
        });
        Ok(has_alias && !has_column)
    }
}

fn aliased(name: &str, given: &[String]) -> String {
    let quoted: Vec<_> = given.iter().map(|one| name::quoted(one)).collect();
    let columns = if given.is_empty() {
        String::new()
    } else {
        format!(" ({})", quoted.join(", "))
    };
    format!(" AS {}{columns}", name::quoted(name))
}

/// Hints say how, not what.
fn drop_hints(_: &[TableIndexHints]) {}

/// `FROM DUAL`: nothing.
fn is_dual(table: &TableWithJoins) -> bool {
    let TableFactor::Table {
        name, alias: None, ..
    } = &table.relation
    else {
        return false;
    };
    let idents: Vec<&Ident> = name.0.iter().filter_map(|part| part.as_ident()).collect();
    table.joins.is_empty()
        && matches!(idents.as_slice(), [only]
            if only.quote_style.is_none() && only.value.eq_ignore_ascii_case("dual"))
}
