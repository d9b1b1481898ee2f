//! A column that is misspelt: under the nine gates.

use super::missing_join::is_one_key_away;
use crate::names::context::{
    MissingColumn, NameRepairContext, VisibleItem, is_only_candidate, spelled,
};
use crate::names::gates::{CandidateName, NameGateResult, UnknownName, check_gates};
use crate::names::name_repair::NameFix;
use crate::names::reference_position::{ExpressionRole, ReferenceClause};
use crate::names::similarity::{NameWords, SimilarityKind};
use crate::names::suggestions;
use crate::{Confidence, NameGate};
use catalog::RelationId;
use catalog::quote::quoted;
use resolve::ScopeColumn;
use sql::tree::Node;

/// Names that a reference may have meant.
struct SpellingCandidates<'g> {
    list: Vec<CandidateName<'g>>,
    /// How each is written at the place; none for what is not in reach.
    written: Vec<Option<String>>,
    too_many: bool,
}

/// A name alone.
pub(crate) fn repair(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> Option<NameFix> {
    let mut candidates = SpellingCandidates::new();
    let open: Vec<&VisibleItem<'_>> = all
        .iter()
        .filter(|seen| seen.item.is_seen_unqualified())
        .collect();
    for seen in &open {
        candidates.add_item(name_context, seen, |column| {
            let name = column.name.as_str();
            match (is_only_candidate(all, seen, name), seen.qualifier) {
                _ if seen.level > 0 => None,
                (true, _) => Some(spelled(None, name)),
                (false, Some(qualifier)) => Some(spelled(Some(qualifier), name)),
                (false, None) => None,
            }
        });
    }
    candidates.add_neighbours(name_context, &open);
    let is_key = matches!(missing.place.role, ExpressionRole::Whole)
        && matches!(
            missing.place.clause,
            ReferenceClause::Order | ReferenceClause::Group
        );
    if let Some(scope) = name_context.places.frame(missing.place.scope)
        && is_key
    {
        for name in scope
            .select
            .target_list()
            .iter()
            .filter_map(|own| own.name())
        {
            candidates.add(name, Vec::new(), Some(spelled(None, name)));
        }
    }
    Some(candidates.fix(name_context, missing, all))
}

/// A column of one thing in FROM.
pub(crate) fn of_item(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    seen: &VisibleItem<'_>,
) -> Option<NameFix> {
    let mut candidates = SpellingCandidates::new();
    candidates.add_item(name_context, seen, |column| {
        Some(spelled(None, column.name.as_str()))
    });
    candidates.add_neighbours(name_context, &[seen]);
    Some(candidates.fix(name_context, missing, &[*seen]))
}

impl<'g> SpellingCandidates<'g> {
    fn new() -> Self {
        Self {
            list: Vec::new(),
            written: Vec::new(),
            too_many: false,
        }
    }

    fn add(&mut self, name: &'g str, own: Vec<NameWords>, written: Option<String>) {
        self.list.push(CandidateName {
            name,
            own,
            in_reach: written.is_some(),
        });
        self.written.push(written);
    }

    fn add_item(
        &mut self,
        name_context: &NameRepairContext<'_>,
        seen: &VisibleItem<'g>,
        written: impl Fn(&ScopeColumn<'_>) -> Option<String>,
    ) {
        let most =
            usize::try_from(name_context.context.settings.gates.columns_max).unwrap_or(usize::MAX);
        self.too_many |= seen.item.columns.len() > most;
        for column in seen.item.columns.iter().take(most) {
            if !name_context.may_show_column(column) {
                continue;
            }
            let mut own = name_context.own_words(seen.item);
            if let Some((relation, _)) = column.origin {
                own = vec![NameWords::of(name_context.name_of(relation))];
            }
            self.add(column.name.as_str(), own, written(column));
        }
    }

    /// The columns one step away along foreign keys: they cannot be taken, but may be meant.
    fn add_neighbours(&mut self, name_context: &NameRepairContext<'g>, seen: &[&VisibleItem<'_>]) {
        let gates = name_context.context.settings.gates;
        let most = usize::try_from(gates.tables_max).unwrap_or(usize::MAX);
        self.too_many |= seen.len() > most;
        let own: Vec<RelationId> = seen.iter().filter_map(|seen| seen.item.relation).collect();
        let mut near: Vec<RelationId> = Vec::new();
        for other in own
            .iter()
            .flat_map(|relation| name_context.neighbours(*relation))
        {
            if !own.contains(&other) && !near.contains(&other) {
                near.push(other);
            }
        }
        let columns = usize::try_from(gates.columns_max).unwrap_or(usize::MAX);
        let catalog = name_context.catalog();
        for relation in near.into_iter().take(most.saturating_sub(seen.len())) {
            for column in catalog.columns_of(relation).iter().take(columns) {
                // What only refers to a row that is here is no other value.
                let refers = own.iter().any(|own| {
                    let number = column.number;
                    name_context.is_foreign_key_to(relation, number, *own)
                });
                if name_context.may_show_column_of(relation, column) && !refers {
                    let words = vec![NameWords::of(name_context.name_of(relation))];
                    self.add(catalog.names().text(column.name), words, None);
                }
            }
        }
    }

    fn fix(
        self,
        name_context: &NameRepairContext<'_>,
        missing: &MissingColumn<'_>,
        all: &[VisibleItem<'_>],
    ) -> NameFix {
        let wanted = UnknownName {
            name: missing.name,
            bare: missing.qualifier.is_none() && !name_context.ends_in_quotes(missing),
            one_relation: true,
            cheaper_tried: true,
        };
        let judged = check_gates(
            &wanted,
            &self.list,
            self.too_many,
            name_context.context.settings,
        );
        // A word in quotes that is only part of a name may be a text, and what things are joined by
        // has to be written in full.
        let in_full = name_context.in_quotes(missing).is_some()
            || matches!(
                missing.place.role,
                ExpressionRole::Compared {
                    other: Node::ColumnRef(_),
                    equal: true
                }
            );
        let failed = match judged {
            NameGateResult::Passed {
                similarity_kind, ..
            } if in_full && similarity_kind == SimilarityKind::Contained => {
                vec![NameGate::Containment]
            }
            // The very name, one declared key away, is nearer than a name that is like it.
            NameGateResult::Passed { .. } if is_one_key_away(name_context, missing, all) => {
                vec![NameGate::OneRelation]
            }
            NameGateResult::Passed { place, .. } => {
                let name = self.list.get(place).map(|one| one.name);
                let written = self.written.into_iter().nth(place).flatten();
                if let (Some(name), Some(written), Some(part)) =
                    (name, written, missing.parts.last())
                {
                    let change = format!(
                        "{written} stands for {}, which does not exist",
                        quoted(missing.name)
                    );
                    return NameFix::name(Confidence::Likely, part.clone(), written, change, name);
                }
                Vec::new()
            }
            NameGateResult::Failed { failed } => failed,
        };
        suggestions::column(name_context, missing, all, &failed)
    }
}
