//! `ambiguous_column`, 42702: a column that could be several.
//!
//! # Sees
//! A name alone that several relations of its query have, and a key of ORDER BY that several
//! columns of the result are called.
//!
//! # Why
//! A join key that is selected without its table is the same value in every table of the join: it
//! does not matter which one is meant.
//!
//! # Before
//! ```sql
//! SELECT customer_id, name FROM customers c JOIN visits v ON v.customer_id = c.customer_id
//! ```
//!
//! # After
//! ```sql
//! SELECT c.customer_id, name FROM customers c JOIN visits v ON v.customer_id = c.customer_id
//! ```
//!
//! # When not
//! The join does not equate them, equal values of the type can look different (`numeric`), or an
//! outer join makes one NULL and the place is no plain column of the result: then it is a choice,
//! and all of them are named. A name that is compared with itself over a join, or of whose columns
//! one alone is grouped, has one reading that makes sense ([`only_reading`], likely).

mod only_reading;

use crate::dependencies::equalities::{
    ColumnEqualities, ConditionExtent, EqualityKind, ServerComparisons, is_plain, is_same_type,
};
use crate::scopes::column_reference::{ColumnReference, QueryClause, ReferenceMeaning, own_name};
use crate::scopes::query_scopes::{ColumnIndex, QueryScopes};
use crate::scopes::{qualifier, span_of};
use crate::{RecovererAnswer, RepairContext};
use catalog::quote::quoted;
use resolve::{ColumnCompleteness, Resolution, UsedObject};
use sql::edit::TextEdit;
use sql::tree::{Node, nodes};

pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let parts = (context.statement(), context.resolution, context.database);
    let (Some(statement), Some(resolution), Some(database)) = parts else {
        return RecovererAnswer::Silent;
    };
    let Some(query_scopes) =
        QueryScopes::of(statement, resolution, database.catalog, database.mask)
    else {
        return RecovererAnswer::Silent;
    };
    let choosing = AmbiguityResolver {
        context,
        query_scopes: &query_scopes,
        comparisons: ServerComparisons::of(resolution),
    };
    choosing.all(resolution)
}

struct AmbiguityResolver<'s, 'a> {
    context: &'s RepairContext<'a>,
    query_scopes: &'s QueryScopes<'a>,
    comparisons: ServerComparisons,
}

/// What is written in the place of a name.
struct QualifierChoice {
    edit: TextEdit,
    words: String,
    certain: ChoiceCertainty,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChoiceCertainty {
    Exact,
    Likely,
}

impl AmbiguityResolver<'_, '_> {
    fn all(&self, resolution: &Resolution<'_>) -> RecovererAnswer {
        let mut chosen = Vec::new();
        for used in &resolution.uses {
            let UsedObject::AmbiguousColumn { qualifier, name } = &used.what else {
                continue;
            };
            let reference = used.at.and_then(|at| self.query_scopes.reference_at(at));
            let Some(reference) = reference.filter(|_| qualifier.is_none()) else {
                return RecovererAnswer::hint(format!(
                    "Column {} stands for several columns here: give each of them a name of its \
                     own, or write the condition of the join with ON.",
                    quoted(name.as_str())
                ));
            };
            match self.choose_relation(reference, name.as_str()) {
                Ok(one) => chosen.push(one),
                Err(advice) => return RecovererAnswer::hint(advice),
            }
        }
        for reference in &self.query_scopes.references {
            match self.result_key(reference) {
                None => {}
                Some(Ok(one)) => chosen.push(one),
                Some(Err(advice)) => return RecovererAnswer::hint(advice),
            }
        }
        if chosen.is_empty() {
            return RecovererAnswer::Silent;
        }
        let mut words: Vec<String> = chosen.iter().map(|one| one.words.clone()).collect();
        words.sort();
        words.dedup();
        let certain = chosen
            .iter()
            .all(|one| one.certain == ChoiceCertainty::Exact);
        let edits = chosen.into_iter().map(|one| one.edit).collect();
        match certain {
            true => RecovererAnswer::exact(edits, words.join("; ")),
            false => RecovererAnswer::likely(edits, words.join("; ")),
        }
    }

    /// A name that several relations have.
    fn choose_relation(
        &self,
        reference: &ColumnReference<'_>,
        name: &str,
    ) -> Result<QualifierChoice, String> {
        let fallback = || format!("Column {} is ambiguous: qualify it.", quoted(name));
        let seen = self.query_scopes.visible_from(reference.level);
        let place = seen.into_iter().find(|place| {
            let level = self.query_scopes.scope(*place);
            level.is_some_and(|level| !level.items_with(name).is_empty())
        });
        let place = place.ok_or_else(fallback)?;
        let level = self.query_scopes.scope(place).ok_or_else(fallback)?;
        let known = level.from_items.iter().all(|from_item| {
            !from_item.hidden && from_item.completeness == ColumnCompleteness::Complete
        });
        let within = reference.join.filter(|_| place == reference.level);
        let from_items = level.items_with(name).into_iter();
        let mut column_indexes: Vec<ColumnIndex> = from_items
            .map(|(from_item, column)| ColumnIndex {
                level: place,
                from_item,
                column,
            })
            .filter(|column_index| {
                let column = self.query_scopes.column(*column_index);
                column.is_some_and(|column| self.query_scopes.may_show_column(column))
            })
            .collect();
        let extent = match within {
            None => ConditionExtent::Whole,
            Some(join) => {
                let join_of = level.joins.get(join).ok_or_else(fallback)?;
                let inside = join_of.left.start..join_of.right.end;
                column_indexes.retain(|column_index| inside.contains(&column_index.from_item));
                ConditionExtent::Within(join)
            }
        };
        if known && let Some(column_index) = self.choice(&column_indexes, reference, extent) {
            return self.qualified(reference, column_index, name, ChoiceCertainty::Exact);
        }
        if reference.clause == QueryClause::GroupKey
            && let Some(chosen) = self.group_key(reference, &column_indexes, name)
        {
            return Ok(chosen);
        }
        self.only_reading(reference, &column_indexes, name)
            .ok_or_else(|| self.advice(&column_indexes, reference, name))
    }

    /// The one of several columns that stands for all of them.
    fn choice(
        &self,
        column_indexes: &[ColumnIndex],
        reference: &ColumnReference<'_>,
        extent: ConditionExtent,
    ) -> Option<ColumnIndex> {
        let first = column_indexes.first()?;
        let equalities =
            ColumnEqualities::of(self.query_scopes, &self.comparisons, first.level, extent);
        let catalog = self.query_scopes.catalog;
        let plain = column_indexes.iter().all(|column_index| {
            let column = self.query_scopes.column(*column_index);
            is_same_type(self.query_scopes, *first, *column_index)
                && column.is_some_and(|column| is_plain(catalog, &column.inferred))
        });
        if !plain {
            return None;
        }
        let stands_for_all = |column_index: &ColumnIndex, preserved: bool| {
            column_indexes
                .iter()
                .all(|other| match equalities.between(*column_index, *other) {
                    EqualityKind::Inner => true,
                    EqualityKind::Preserved => preserved,
                    EqualityKind::No => false,
                })
        };
        let inner = column_indexes
            .iter()
            .find(|column_index| stands_for_all(column_index, false));
        let preserved = || {
            let mut column_indexes = column_indexes.iter();
            column_indexes
                .find(|column_index| self.is_whole(reference) && stands_for_all(column_index, true))
        };
        inner.or_else(preserved).copied()
    }

    /// Whether a reference is a whole column of the result, or a whole key: a count, or a test for
    /// NULL, would ask which side is meant.
    fn is_whole(&self, reference: &ColumnReference<'_>) -> bool {
        match reference.clause {
            QueryClause::GroupKey | QueryClause::ResultKey => true,
            QueryClause::Targets => self.target_of(reference).is_some(),
            _ => false,
        }
    }

    fn target_of(&self, reference: &ColumnReference<'_>) -> Option<&nodes::ResTarget> {
        let level = self.query_scopes.scope(reference.level)?;
        let at = i32::try_from(reference.at).ok()?;
        level
            .select
            .target_list()
            .iter()
            .find(|target| matches!(target.val(), Node::ColumnRef(column) if column.location == at))
    }

    /// A key of GROUP BY that a column of the result is called, too: grouped by anything else, that
    /// column would be an error.
    fn group_key(
        &self,
        reference: &ColumnReference<'_>,
        column_indexes: &[ColumnIndex],
        name: &str,
    ) -> Option<QualifierChoice> {
        let level = self.query_scopes.scope(reference.level)?;
        let targets = level.select.target_list().iter().enumerate();
        let mut named = targets
            .filter(|(_, target)| target.name().or_else(|| own_name(target.val())) == Some(name));
        let (place, target) = named.next()?;
        if named.next().is_some() || level.has_star() {
            return None;
        }
        if let Node::ColumnRef(column) = target.val() {
            let column_index = self.query_scopes.column_at(column.location)?;
            let only = column_indexes
                .contains(&column_index)
                .then_some(column_index)?;
            return self
                .qualified(reference, only, name, ChoiceCertainty::Exact)
                .ok();
        }
        target.name()?;
        let number = place.checked_add(1)?;
        Some(QualifierChoice {
            edit: TextEdit {
                span: span_of(self.context, reference.at)?,
                replacement: number.to_string(),
            },
            words: format!(
                "GROUP BY {} means the column of the result, number {number}",
                quoted(name)
            ),
            certain: ChoiceCertainty::Likely,
        })
    }

    /// A key of ORDER BY or DISTINCT ON that several columns of the result are called.
    fn result_key(
        &self,
        reference: &ColumnReference<'_>,
    ) -> Option<Result<QualifierChoice, String>> {
        let name = reference.name.filter(|_| reference.is_bare())?;
        if reference.clause != QueryClause::ResultKey {
            return None;
        }
        let mut column_indexes = Vec::new();
        let level = self.query_scopes.scope(reference.level)?;
        for target in level.select.target_list() {
            match target.val() {
                Node::ColumnRef(column) if target.name().is_none() => {
                    column_indexes.extend(self.selected_columns(column, reference.level, name)?);
                }
                other if target.name().or_else(|| own_name(other)) == Some(name) => match other {
                    Node::ColumnRef(column) => {
                        column_indexes.push(self.query_scopes.column_at(column.location)?)
                    }
                    _ => return None,
                },
                _ => {}
            }
        }
        column_indexes.sort();
        column_indexes.dedup();
        if column_indexes.len() < 2 {
            return None;
        }
        let same_level = column_indexes
            .iter()
            .all(|column_index| column_index.level == reference.level);
        match self.choice(&column_indexes, reference, ConditionExtent::Whole) {
            Some(column_index) if same_level => {
                Some(self.qualified(reference, column_index, name, ChoiceCertainty::Exact))
            }
            _ => Some(Err(self.advice(&column_indexes, reference, name))),
        }
    }

    /// The columns of a name that a reference in the list of the result brings.
    fn selected_columns(
        &self,
        column: &nodes::ColumnRef,
        place: usize,
        name: &str,
    ) -> Option<Vec<ColumnIndex>> {
        let at = usize::try_from(column.location).ok()?;
        let reference = self.query_scopes.reference_at(at)?;
        let level = self.query_scopes.scope(place)?;
        match (reference.name, reference.qualifier, reference.meaning) {
            (Some(own), _, _) if own != name => Some(Vec::new()),
            (Some(_), _, ReferenceMeaning::Column(column_index)) => Some(vec![column_index]),
            (Some(_), ..) => None,
            (None, qualifier, _) => {
                // What USING merges is one column of a star.
                if qualifier.is_none() && level.joins.iter().any(|join| !join.using.is_empty()) {
                    return None;
                }
                let only = match qualifier {
                    None => None,
                    Some(qualifier) => Some(level.item_named(qualifier)?),
                };
                let with = level.items_with(name).into_iter();
                let with = with.filter(|(from_item, _)| only.is_none_or(|only| only == *from_item));
                let column_indexes = with.map(|(from_item, column)| ColumnIndex {
                    level: place,
                    from_item,
                    column,
                });
                Some(column_indexes.collect())
            }
        }
    }

    fn qualified(
        &self,
        reference: &ColumnReference<'_>,
        column_index: ColumnIndex,
        name: &str,
        certain: ChoiceCertainty,
    ) -> Result<QualifierChoice, String> {
        let parts = qualifier(self.query_scopes, reference.level, column_index)
            .zip(span_of(self.context, reference.at));
        let Some((relation, span)) = parts else {
            return Err(self.advice(&[column_index], reference, name));
        };
        let replacement = format!("{}.{}", quoted(relation), quoted(name));
        Ok(QualifierChoice {
            words: format!(
                "{} is {replacement}: the query makes it the same as the others of its name",
                quoted(name)
            ),
            edit: TextEdit { span, replacement },
            certain,
        })
    }

    fn advice(
        &self,
        column_indexes: &[ColumnIndex],
        reference: &ColumnReference<'_>,
        name: &str,
    ) -> String {
        let mut choices: Vec<String> = Vec::new();
        for column_index in column_indexes {
            if let Some(relation) = qualifier(self.query_scopes, reference.level, *column_index) {
                choices.push(format!("{}.{}", quoted(relation), quoted(name)));
            }
        }
        choices.dedup();
        format!(
            "Column {} is ambiguous: write {}. Nothing in the statement makes them the same.",
            quoted(name),
            choices.join(" or ")
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::laws::{OutputNameLaw, check_file, world};
    use policy::Recoverer;

    #[test]
    fn cases_come_to_what_they_should() {
        for file in [
            include_str!("../../../tests/data/corpus/recoverers/ambiguous_column.txt"),
            include_str!("../../../tests/data/corpus/recoverers/held_out_ambiguous_column.txt"),
        ] {
            let recoverer = Recoverer::AmbiguousColumn;
            check_file(world(), recoverer, "42702", OutputNameLaw::Kept, file);
        }
    }
}
