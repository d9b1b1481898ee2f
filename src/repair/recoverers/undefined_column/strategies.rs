//! A reference to a column that does not exist: what it stands for, the surest way first.

use super::{
    bridging_table, missing_from, missing_join, misspelling, output_name, output_renames, owners,
    qualifier, quoted_literal, surrogate_join,
};
use crate::names::context::{
    MissingColumn, NameRepairContext, VisibleItem, spelled, visible_items,
};
use crate::names::name_repair::{NameFix, NameRepair, case_fix, together};
use crate::names::{suggestions, unquoted_blank};
use crate::{Confidence, RecovererAnswer};
use catalog::quote::quoted;
use ground::limits;

/// Repairs every reference to a column that does not exist, or says what stands against it.
pub(crate) fn recover(name_context: &NameRepairContext<'_>) -> RecovererAnswer {
    let Some(missing) = name_context.missing_columns() else {
        return RecovererAnswer::Silent;
    };
    if let Some(name) = name_context.missing_in_using() {
        let path = owners::path_of_using(name_context, name).unwrap_or_default();
        return RecovererAnswer::hint(format!(
            "USING ({0}) needs a column {0} on both sides of the join: write ON with the column of \
             each side.{path}",
            quoted(name)
        ));
    }
    let position = name_context.context.failure.position;
    let told = position.is_none_or(|at| missing.iter().any(|one| one.place.at == at));
    if missing.is_empty() || !told {
        return RecovererAnswer::Silent;
    }
    if are_too_many(name_context, &missing) {
        return RecovererAnswer::Silent;
    }
    let fixes = missing
        .iter()
        .map(|one| repair_reference(name_context, one))
        .collect();
    let fixes = bridging_table::join_between(name_context, &missing, fixes);
    let fixes = missing_from::add_from(name_context, &missing, fixes);
    let fixes = output_renames::rename_outputs(name_context, &missing, fixes);
    let fixes = missing_join::add_missing_joins(name_context, fixes);
    let mut left = HINTS_WITH_OWNERS_MAX;
    let told = fixes.into_iter().map(|(one, fix)| match fix {
        NameFix::Advised(_) if left > 0 => {
            left -= 1;
            owners::with_owners(name_context, one, fix)
        }
        fix => fix,
    });
    let answer = together(name_context.context.text, told.collect());
    surrogate_join::checked(name_context, &missing, answer)
}

/// Whether it would take too long to compare each with all that is there.
fn are_too_many(name_context: &NameRepairContext<'_>, missing: &[MissingColumn<'_>]) -> bool {
    let levels = missing
        .first()
        .map(|one| name_context.visible_scopes(one.place));
    let items = (levels.iter().flatten()).flat_map(|level| level.items());
    let columns: usize = items.map(|item| item.columns.len()).sum();
    missing.len() > limits::NAMES_MISSING_MAX
        || missing.len().saturating_mul(columns) > limits::NAMES_COMPARISONS_MAX
}

fn repair_reference(name_context: &NameRepairContext<'_>, missing: &MissingColumn<'_>) -> NameFix {
    let levels = name_context.visible_scopes(missing.place);
    let all = visible_items(&levels);
    if missing.qualifier.is_some() {
        return qualifier::repair(name_context, missing, &levels, &all);
    }
    output_name::repair(name_context, missing)
        .or_else(|| in_one_pair_of_quotes(name_context, missing, &all))
        .or_else(|| in_another_case(name_context, missing, &all))
        .or_else(|| unquoted_blank::repair(name_context, missing, &all))
        .or_else(|| quoted_literal::repair(name_context, missing, &all))
        .or_else(|| misspelling::repair(name_context, missing, &all))
        .unwrap_or_else(|| suggestions::column(name_context, missing, &all, &[]))
}

/// `"c.name"`: the quotes stand around both names where they should stand around each.
fn in_one_pair_of_quotes(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> Option<NameFix> {
    let content = name_context.in_quotes(missing)?;
    let (qualifier, name) = content.split_once('.')?;
    let mut called = all.iter().filter(|seen| seen.item.is_called(qualifier));
    let seen = called.next().filter(|_| called.next().is_none())?;
    seen.column(name)?;
    // Where a text makes sense, too, one that is just the name of a column is hardly meant.
    let sure = match quoted_literal::is_value(name_context, missing) {
        true => Confidence::Likely,
        false => Confidence::Exact,
    };
    let right = spelled(Some(qualifier), name);
    let part = missing.parts.first()?;
    let change = format!("{} stands for {right}", name_context.text(part));
    Some(NameFix::name(sure, part.clone(), right, change, name))
}

/// A name that exists once, in another case.
fn in_another_case(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> Option<NameFix> {
    let folded = missing.name.to_lowercase();
    let open = all.iter().filter(|seen| seen.item.is_seen_unqualified());
    let mut found = open
        .flat_map(|seen| seen.item.columns.iter())
        .map(|column| column.name.as_str())
        .filter(|name| name.to_lowercase() == folded);
    let name = found.next()?;
    if found.next().is_some() {
        return None;
    }
    let part = missing.parts.last()?;
    if quoted_literal::is_value(name_context, missing) && name_context.in_quotes(missing).is_some()
    {
        return Some(NameFix::advised(format!(
            "{} could be the column {} or a text: write the column without quotes, or the text \
             in single quotes.",
            name_context.text(part),
            spelled(None, name),
        )));
    }
    match case_fix(name_context, part, name) {
        // Somewhere there is a column of just this name: that may be what is meant.
        NameFix::Repaired(repair) if name_context.is_any_column(|own| own == missing.name) => {
            Some(NameFix::Repaired(NameRepair {
                confidence: Confidence::Likely,
                ..repair
            }))
        }
        fix => Some(fix),
    }
}

/// The client is told of no more columns.
const HINTS_WITH_OWNERS_MAX: usize = 3;
