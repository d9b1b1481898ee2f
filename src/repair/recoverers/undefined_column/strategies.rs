//! A reference to a column that does not exist: what it stands for, the surest way first.

use super::{missing_join, misspelling, output_name, output_renames, qualifier, quoted_literal};
use crate::catalog::quote::quoted;
use crate::limits;
use crate::repair::names::context::{Ground, Missing, Seen, seen, spelled};
use crate::repair::names::name_repair::{Fix, Mend, together};
use crate::repair::names::{suggestions, unquoted_blank};
use crate::repair::{Answer, Confidence};

/// Mends every reference to a column that does not exist, or says what stands against it.
pub(in crate::repair) fn all(ground: &Ground<'_>) -> Answer {
    let Some(missing) = ground.missing() else {
        return Answer::Silent;
    };
    if let Some(name) = ground.missing_in_using() {
        return Answer::hint(format!(
            "USING ({0}) needs a column {0} on both sides of the join: write ON with the column of \
             each side.",
            quoted(name)
        ));
    }
    let position = ground.scene.failure.position;
    let told = position.is_none_or(|at| missing.iter().any(|one| one.place.at == at));
    if missing.is_empty() || !told {
        return Answer::Silent;
    }
    if are_too_many(ground, &missing) {
        return Answer::Silent;
    }
    let fixes = missing.iter().map(|one| of_one(ground, one)).collect();
    let fixes = output_renames::followed(ground, &missing, fixes);
    together(
        ground.scene.text,
        missing_join::joined(ground, &missing, fixes),
    )
}

/// Whether it would take too long to compare each with all that is there.
fn are_too_many(ground: &Ground<'_>, missing: &[Missing<'_>]) -> bool {
    let levels = missing.first().map(|one| ground.levels(one.place));
    let items = (levels.iter().flatten()).flat_map(|level| level.items());
    let columns: usize = items.map(|item| item.columns.len()).sum();
    missing.len() > limits::NAMES_MISSING_MAX
        || missing.len().saturating_mul(columns) > limits::NAMES_COMPARISONS_MAX
}

fn of_one(ground: &Ground<'_>, missing: &Missing<'_>) -> Fix {
    let levels = ground.levels(missing.place);
    let all = seen(&levels);
    if missing.qualifier.is_some() {
        return qualifier::mend(ground, missing, &levels, &all);
    }
    output_name::mend(ground, missing)
        .or_else(|| in_one_pair_of_quotes(ground, missing, &all))
        .or_else(|| in_another_case(ground, missing, &all))
        .or_else(|| unquoted_blank::mend(ground, missing, &all))
        .or_else(|| quoted_literal::mend(ground, missing, &all))
        .or_else(|| misspelling::mend(ground, missing, &all))
        .unwrap_or_else(|| suggestions::column(ground, missing, &all, &[]))
}

/// `"c.name"`: the quotes stand around both names where they should stand around each.
fn in_one_pair_of_quotes(
    ground: &Ground<'_>,
    missing: &Missing<'_>,
    all: &[Seen<'_>],
) -> Option<Fix> {
    let content = ground.in_quotes(missing)?;
    let (qualifier, name) = content.split_once('.')?;
    let mut called = all.iter().filter(|seen| seen.item.is_called(qualifier));
    let seen = called.next().filter(|_| called.next().is_none())?;
    seen.column(name)?;
    if quoted_literal::is_value(ground, missing) {
        return None;
    }
    let right = spelled(Some(qualifier), name);
    let part = missing.parts.first()?;
    let change = format!("{} stands for {right}", ground.text(part));
    Some(Fix::name(
        Confidence::Exact,
        part.clone(),
        right,
        change,
        name,
    ))
}

/// A name that exists once, in another case.
fn in_another_case(ground: &Ground<'_>, missing: &Missing<'_>, all: &[Seen<'_>]) -> Option<Fix> {
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
    if quoted_literal::is_value(ground, missing) && ground.in_quotes(missing).is_some() {
        return Some(Fix::told(format!(
            "{} could be the column {} or a text: write the column without quotes, or the text \
             in single quotes.",
            ground.text(part),
            spelled(None, name),
        )));
    }
    match case_fix(ground, part, name) {
        // Somewhere there is a column of just this name: that may be what is meant.
        Fix::Mended(mend) if ground.is_a_column(|own| own == missing.name) => {
            Some(Fix::Mended(Mend {
                confidence: Confidence::Likely,
                ..mend
            }))
        }
        fix => Some(fix),
    }
}

/// The last part of a reference, in the case in which it exists.
pub(in crate::repair) fn case_fix(
    ground: &Ground<'_>,
    part: &std::ops::Range<usize>,
    name: &str,
) -> Fix {
    let right = spelled(None, name);
    let change = format!(
        "{} is written as the catalog spells it, {right}",
        ground.text(part)
    );
    Fix::name(Confidence::Exact, part.clone(), right, change, name)
}
