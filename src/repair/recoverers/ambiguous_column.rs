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
//! and all of them are named.

use crate::catalog::quote::quoted;
use crate::repair::dependencies::equalities::{
    Comparisons, Equalities, Equated, Extent, is_plain, is_same_type,
};
use crate::repair::scopes::column_reference::{Clause, Meaning, Reference, own_name};
use crate::repair::scopes::query_scopes::{Outline, Spot};
use crate::repair::scopes::{qualifier, span_of};
use crate::repair::{Answer, Scene};
use crate::resolve::{Completeness, Resolution, What};
use crate::sql::edit::Edit;
use crate::sql::tree::{Node, nodes};

pub(in crate::repair) fn recover(scene: &Scene<'_>) -> Answer {
    let parts = (scene.statement(), scene.resolution, scene.database);
    let (Some(statement), Some(resolution), Some(database)) = parts else {
        return Answer::Silent;
    };
    let Some(outline) = Outline::of(statement, resolution, database.catalog, database.mask) else {
        return Answer::Silent;
    };
    let choosing = Choosing {
        scene,
        outline: &outline,
        comparisons: Comparisons::of(resolution),
    };
    choosing.all(resolution)
}

struct Choosing<'s, 'a> {
    scene: &'s Scene<'a>,
    outline: &'s Outline<'a>,
    comparisons: Comparisons,
}

/// What is written in the place of a name.
struct Chosen {
    edit: Edit,
    words: String,
    certain: Certainty,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    Exact,
    Likely,
}

impl Choosing<'_, '_> {
    fn all(&self, resolution: &Resolution<'_>) -> Answer {
        let mut chosen = Vec::new();
        for used in &resolution.uses {
            let What::AmbiguousColumn { qualifier, name } = &used.what else {
                continue;
            };
            let reference = used.at.and_then(|at| self.outline.reference_at(at));
            let Some(reference) = reference.filter(|_| qualifier.is_none()) else {
                return Answer::hint(format!(
                    "Column {} stands for several columns here: give each of them a name of its \
                     own, or write the condition of the join with ON.",
                    quoted(name.as_str())
                ));
            };
            match self.input(reference, name.as_str()) {
                Ok(one) => chosen.push(one),
                Err(advice) => return Answer::hint(advice),
            }
        }
        for reference in &self.outline.references {
            match self.result_key(reference) {
                None => {}
                Some(Ok(one)) => chosen.push(one),
                Some(Err(advice)) => return Answer::hint(advice),
            }
        }
        if chosen.is_empty() {
            return Answer::Silent;
        }
        let mut words: Vec<String> = chosen.iter().map(|one| one.words.clone()).collect();
        words.sort();
        words.dedup();
        let certain = chosen.iter().all(|one| one.certain == Certainty::Exact);
        let edits = chosen.into_iter().map(|one| one.edit).collect();
        match certain {
            true => Answer::exact(edits, words.join("; ")),
            false => Answer::likely(edits, words.join("; ")),
        }
    }

    /// A name that several relations have.
    fn input(&self, reference: &Reference<'_>, name: &str) -> Result<Chosen, String> {
        let fallback = || format!("Column {} is ambiguous: qualify it.", quoted(name));
        let seen = self.outline.seen_from(reference.level);
        let place = seen.into_iter().find(|place| {
            let level = self.outline.level(*place);
            level.is_some_and(|level| !level.leaves_with(name).is_empty())
        });
        let place = place.ok_or_else(fallback)?;
        let level = self.outline.level(place).ok_or_else(fallback)?;
        let known = level
            .leaves
            .iter()
            .all(|leaf| !leaf.hidden && leaf.completeness == Completeness::Complete);
        let within = reference.join.filter(|_| place == reference.level);
        let leaves = level.leaves_with(name).into_iter();
        let mut spots: Vec<Spot> = leaves
            .map(|(leaf, column)| Spot {
                level: place,
                leaf,
                column,
            })
            .filter(|spot| {
                let column = self.outline.column(*spot);
                column.is_some_and(|column| self.outline.shows(column))
            })
            .collect();
        let extent = match within {
            None => Extent::Whole,
            Some(join) => {
                let join_of = level.joins.get(join).ok_or_else(fallback)?;
                let inside = join_of.left.start..join_of.right.end;
                spots.retain(|spot| inside.contains(&spot.leaf));
                Extent::Within(join)
            }
        };
        if known && let Some(spot) = self.choice(&spots, reference, extent) {
            return self.qualified(reference, spot, name, Certainty::Exact);
        }
        if reference.clause == Clause::GroupKey
            && let Some(chosen) = self.group_key(reference, &spots, name)
        {
            return Ok(chosen);
        }
        Err(self.advice(&spots, reference, name))
    }

    /// The one of several columns that stands for all of them.
    fn choice(&self, spots: &[Spot], reference: &Reference<'_>, extent: Extent) -> Option<Spot> {
        let first = spots.first()?;
        let equalities = Equalities::of(self.outline, &self.comparisons, first.level, extent);
        let catalog = self.outline.catalog;
        let plain = spots.iter().all(|spot| {
            let column = self.outline.column(*spot);
            is_same_type(self.outline, *first, *spot)
                && column.is_some_and(|column| is_plain(catalog, &column.inferred))
        });
        if !plain {
            return None;
        }
        let stands_for_all = |spot: &Spot, preserved: bool| {
            spots
                .iter()
                .all(|other| match equalities.between(*spot, *other) {
                    Equated::Inner => true,
                    Equated::Preserved => preserved,
                    Equated::No => false,
                })
        };
        let inner = spots.iter().find(|spot| stands_for_all(spot, false));
        let preserved = || {
            let mut spots = spots.iter();
            spots.find(|spot| self.is_whole(reference) && stands_for_all(spot, true))
        };
        inner.or_else(preserved).copied()
    }

    /// Whether a reference is a whole column of the result, or a whole key: a count, or a test for
    /// NULL, would ask which side is meant.
    fn is_whole(&self, reference: &Reference<'_>) -> bool {
        match reference.clause {
            Clause::GroupKey | Clause::ResultKey => true,
            Clause::Targets => self.target_of(reference).is_some(),
            _ => false,
        }
    }

    fn target_of(&self, reference: &Reference<'_>) -> Option<&nodes::ResTarget> {
        let level = self.outline.level(reference.level)?;
        let at = i32::try_from(reference.at).ok()?;
        level
            .select
            .target_list()
            .iter()
            .find(|target| matches!(target.val(), Node::ColumnRef(column) if column.location == at))
    }

    /// A key of GROUP BY that a column of the result is called, too: grouped by anything else, that
    /// column would be an error.
    fn group_key(&self, reference: &Reference<'_>, spots: &[Spot], name: &str) -> Option<Chosen> {
        let level = self.outline.level(reference.level)?;
        let targets = level.select.target_list().iter().enumerate();
        let mut named = targets
            .filter(|(_, target)| target.name().or_else(|| own_name(target.val())) == Some(name));
        let (place, target) = named.next()?;
        if named.next().is_some() || level.has_star() {
            return None;
        }
        if let Node::ColumnRef(column) = target.val() {
            let spot = self.outline.spot_at(column.location)?;
            let only = spots.contains(&spot).then_some(spot)?;
            return self.qualified(reference, only, name, Certainty::Exact).ok();
        }
        target.name()?;
        let number = place.checked_add(1)?;
        Some(Chosen {
            edit: Edit {
                span: span_of(self.scene, reference.at)?,
                replacement: number.to_string(),
            },
            words: format!(
                "GROUP BY {} means the column of the result, number {number}",
                quoted(name)
            ),
            certain: Certainty::Likely,
        })
    }

    /// A key of ORDER BY or DISTINCT ON that several columns of the result are called.
    fn result_key(&self, reference: &Reference<'_>) -> Option<Result<Chosen, String>> {
        let name = reference.name.filter(|_| reference.is_bare())?;
        if reference.clause != Clause::ResultKey {
            return None;
        }
        let mut spots = Vec::new();
        let level = self.outline.level(reference.level)?;
        for target in level.select.target_list() {
            match target.val() {
                Node::ColumnRef(column) if target.name().is_none() => {
                    spots.extend(self.shown(column, reference.level, name)?);
                }
                other if target.name().or_else(|| own_name(other)) == Some(name) => match other {
                    Node::ColumnRef(column) => spots.push(self.outline.spot_at(column.location)?),
                    _ => return None,
                },
                _ => {}
            }
        }
        spots.sort();
        spots.dedup();
        if spots.len() < 2 {
            return None;
        }
        let same_level = spots.iter().all(|spot| spot.level == reference.level);
        match self.choice(&spots, reference, Extent::Whole) {
            Some(spot) if same_level => {
                Some(self.qualified(reference, spot, name, Certainty::Exact))
            }
            _ => Some(Err(self.advice(&spots, reference, name))),
        }
    }

    /// The columns of a name that a reference in the list of the result brings.
    fn shown(&self, column: &nodes::ColumnRef, place: usize, name: &str) -> Option<Vec<Spot>> {
        let at = usize::try_from(column.location).ok()?;
        let reference = self.outline.reference_at(at)?;
        let level = self.outline.level(place)?;
        match (reference.name, reference.qualifier, reference.meaning) {
            (Some(own), _, _) if own != name => Some(Vec::new()),
            (Some(_), _, Meaning::Column(spot)) => Some(vec![spot]),
            (Some(_), ..) => None,
            (None, qualifier, _) => {
                // What USING merges is one column of a star.
                if qualifier.is_none() && level.joins.iter().any(|join| !join.using.is_empty()) {
                    return None;
                }
                let only = match qualifier {
                    None => None,
                    Some(qualifier) => Some(level.leaf_named(qualifier)?),
                };
                let with = level.leaves_with(name).into_iter();
                let with = with.filter(|(leaf, _)| only.is_none_or(|only| only == *leaf));
                let spots = with.map(|(leaf, column)| Spot {
                    level: place,
                    leaf,
                    column,
                });
                Some(spots.collect())
            }
        }
    }

    fn qualified(
        &self,
        reference: &Reference<'_>,
        spot: Spot,
        name: &str,
        certain: Certainty,
    ) -> Result<Chosen, String> {
        let parts =
            qualifier(self.outline, reference.level, spot).zip(span_of(self.scene, reference.at));
        let Some((relation, span)) = parts else {
            return Err(self.advice(&[spot], reference, name));
        };
        let replacement = format!("{}.{}", quoted(relation), quoted(name));
        Ok(Chosen {
            words: format!(
                "{} is {replacement}: the query makes it the same as the others of its name",
                quoted(name)
            ),
            edit: Edit { span, replacement },
            certain,
        })
    }

    fn advice(&self, spots: &[Spot], reference: &Reference<'_>, name: &str) -> String {
        let mut choices: Vec<String> = Vec::new();
        for spot in spots {
            if let Some(relation) = qualifier(self.outline, reference.level, *spot) {
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
    use crate::policy::Recoverer;
    use crate::repair::laws::{Case, Names, Wanted, check};

    fn exact(cases: &[(&str, &str)]) {
        let cases: Vec<Case<'_>> = cases
            .iter()
            .map(|(before, after)| Case {
                before,
                wanted: Wanted::Exact(after),
            })
            .collect();
        check(Recoverer::AmbiguousColumn, "42702", Names::Survive, &cases);
    }

    fn hints(cases: &[(&str, &str)]) {
        let cases: Vec<Case<'_>> = cases
            .iter()
            .map(|(before, words)| Case {
                before,
                wanted: Wanted::Hint(words),
            })
            .collect();
        check(Recoverer::AmbiguousColumn, "42702", Names::Survive, &cases);
    }

    #[test]
    fn a_join_key_is_the_same_on_both_sides() {
        exact(&[
            (
                "SELECT ⟪account_id, label FROM accounts a JOIN payments p ON a.account_id = p.account_id",
                "SELECT a.account_id, label FROM accounts a JOIN payments p ON a.account_id = p.account_id",
            ),
            (
                "SELECT account_id, count(*) FROM accounts a, payments p WHERE p.account_id = a.account_id \
                 AND account_id > 3 GROUP BY account_id ORDER BY account_id",
                "SELECT a.account_id, count(*) FROM accounts a, payments p WHERE p.account_id = a.account_id \
                 AND a.account_id > 3 GROUP BY a.account_id ORDER BY account_id",
            ),
            (
                "SELECT count(DISTINCT account_id) FROM accounts JOIN payments ON accounts.account_id = payments.account_id",
                "SELECT count(DISTINCT accounts.account_id) FROM accounts JOIN payments ON accounts.account_id = payments.account_id",
            ),
            // Over a third table.
            (
                "SELECT account_id FROM payments a JOIN payments b ON a.account_id = b.account_id \
                 JOIN payments c ON c.account_id = b.account_id WHERE account_id IN (1, 2)",
                "SELECT a.account_id FROM payments a JOIN payments b ON a.account_id = b.account_id \
                 JOIN payments c ON c.account_id = b.account_id WHERE a.account_id IN (1, 2)",
            ),
            // In a condition, by what else it asks for.
            (
                "SELECT 1 FROM accounts a LEFT JOIN payments p ON a.account_id = p.account_id AND account_id < 9",
                "SELECT 1 FROM accounts a LEFT JOIN payments p ON a.account_id = p.account_id AND a.account_id < 9",
            ),
            (
                "SELECT (SELECT max(quantity) FROM order_items WHERE order_id = account_id) \
                 FROM accounts a JOIN payments p ON a.account_id = p.account_id",
                "SELECT (SELECT max(quantity) FROM order_items WHERE order_id = a.account_id) \
                 FROM accounts a JOIN payments p ON a.account_id = p.account_id",
            ),
            // Joined on the side that may have no partner: equal there too, NULLs among them.
            (
                "SELECT account_id FROM orders o LEFT JOIN (accounts a JOIN payments p ON a.account_id = p.account_id) \
                 ON a.customer_id = o.customer_id",
                "SELECT a.account_id FROM orders o LEFT JOIN (accounts a JOIN payments p ON a.account_id = p.account_id) \
                 ON a.customer_id = o.customer_id",
            ),
        ]);
    }

    #[test]
    fn the_side_that_is_always_there() {
        exact(&[
            (
                "SELECT account_id, paid_on FROM accounts a LEFT JOIN payments p ON a.account_id = p.account_id",
                "SELECT a.account_id, paid_on FROM accounts a LEFT JOIN payments p ON a.account_id = p.account_id",
            ),
            (
                "SELECT account_id, paid_on FROM payments p RIGHT JOIN accounts a ON a.account_id = p.account_id",
                "SELECT a.account_id, paid_on FROM payments p RIGHT JOIN accounts a ON a.account_id = p.account_id",
            ),
        ]);
        hints(&[
            // Which side is meant makes all the difference.
            (
                "SELECT label, count(account_id) FROM accounts a LEFT JOIN payments p ON a.account_id = p.account_id GROUP BY label",
                "a.account_id or p.account_id",
            ),
            (
                "SELECT label FROM accounts a LEFT JOIN payments p ON a.account_id = p.account_id WHERE account_id IS NULL",
                "a.account_id or p.account_id",
            ),
            (
                "SELECT account_id FROM accounts a FULL JOIN payments p ON a.account_id = p.account_id",
                "a.account_id or p.account_id",
            ),
        ]);
    }

    #[test]
    fn what_nothing_equates_is_a_choice() {
        hints(&[
            (
                "SELECT id FROM customers c JOIN orders o ON c.id = o.customer_id",
                "c.id or o.id",
            ),
            (
                "SELECT customer_id FROM accounts a JOIN payments p ON a.account_id = p.account_id",
                "a.customer_id or p.customer_id",
            ),
            (
                "SELECT account_id FROM accounts a JOIN payments p ON a.account_id <= p.account_id",
                "a.account_id or p.account_id",
            ),
            (
                "SELECT account_id FROM accounts a JOIN payments p ON a.account_id = p.account_id OR p.rate > 1",
                "a.account_id or p.account_id",
            ),
            (
                "SELECT account_id FROM accounts a JOIN payments p ON a.account_id = p.account_id + 0",
                "a.account_id or p.account_id",
            ),
            // Equal numbers can have other digits.
            (
                "SELECT rate FROM accounts a JOIN payments p ON a.rate = p.rate",
                "a.rate or p.rate",
            ),
            // One of three is apart.
            (
                "SELECT account_id FROM accounts a JOIN payments p ON a.account_id = p.account_id CROSS JOIN payments q",
                "a.account_id or p.account_id or q.account_id",
            ),
            (
                "SELECT account_id FROM accounts a JOIN payments p ON account_id = a.account_id",
                "a.account_id or p.account_id",
            ),
            // All or nothing.
            (
                "SELECT account_id, rate FROM accounts a JOIN payments p ON a.account_id = p.account_id",
                "a.rate or p.rate",
            ),
        ]);
    }

    #[test]
    fn keys_of_order_by_and_group_by() {
        exact(&[
            (
                "SELECT a.account_id, p.account_id FROM accounts a JOIN payments p ON a.account_id = p.account_id ORDER BY ⟪account_id DESC",
                "SELECT a.account_id, p.account_id FROM accounts a JOIN payments p ON a.account_id = p.account_id ORDER BY a.account_id DESC",
            ),
            (
                "SELECT * FROM accounts a JOIN payments p ON a.account_id = p.account_id ORDER BY account_id",
                "SELECT * FROM accounts a JOIN payments p ON a.account_id = p.account_id ORDER BY a.account_id",
            ),
            // Only one of them can be grouped: the other one stands in the result.
            (
                "SELECT c.id, count(*) FROM customers c JOIN orders o ON c.id = o.customer_id GROUP BY id",
                "SELECT c.id, count(*) FROM customers c JOIN orders o ON c.id = o.customer_id GROUP BY c.id",
            ),
        ]);
        hints(&[(
            "SELECT c.id, o.id FROM customers c JOIN orders o ON c.id = o.customer_id ORDER BY id",
            "c.id or o.id",
        )]);
        check(
            Recoverer::AmbiguousColumn,
            "42702",
            Names::Survive,
            &[Case {
                before: "SELECT date_trunc('year', a.opened) AS customer_id, count(*) FROM accounts a \
                         JOIN payments p ON a.account_id = p.account_id GROUP BY customer_id",
                wanted: Wanted::Likely(
                    "SELECT date_trunc('year', a.opened) AS customer_id, count(*) FROM accounts a \
                     JOIN payments p ON a.account_id = p.account_id GROUP BY 1",
                ),
            }],
        );
    }

    #[test]
    fn what_is_not_ambiguous_is_left_alone() {
        let silent = |before| Case {
            before,
            wanted: Wanted::Silence,
        };
        check(
            Recoverer::AmbiguousColumn,
            "42702",
            Names::Survive,
            &[
                silent(
                    "SELECT a.account_id FROM accounts a JOIN payments p USING (account_id) ORDER BY account_id",
                ),
                silent("SELECT account_id FROM accounts a JOIN payments p USING (account_id)"),
                silent("SELECT a.account_id, a.account_id FROM accounts a ORDER BY account_id"),
            ],
        );
    }
}
