//! A column that is misspelt: under the nine gates.

use crate::catalog::RelationId;
use crate::catalog::quote::quoted;
use crate::repair::names::context::{Ground, Missing, Seen, spelled, stands_alone};
use crate::repair::names::gates::{Existing, Judged, Wanted, judge};
use crate::repair::names::name_repair::Fix;
use crate::repair::names::reference_scopes::{Clause, Role};
use crate::repair::names::similarity::{Kinship, Words};
use crate::repair::names::suggestions;
use crate::repair::{Confidence, NameGate};
use crate::resolve::ScopeColumn;
use crate::sql::tree::Node;

/// Names that a reference may have meant.
struct Candidates<'g> {
    list: Vec<Existing<'g>>,
    /// How each is written at the place; none for what is not in reach.
    written: Vec<Option<String>>,
    too_many: bool,
}

/// A name alone.
pub(in crate::repair) fn mend(
    ground: &Ground<'_>,
    missing: &Missing<'_>,
    all: &[Seen<'_>],
) -> Option<Fix> {
    let mut candidates = Candidates::new();
    let open: Vec<&Seen<'_>> = all
        .iter()
        .filter(|seen| seen.item.is_seen_unqualified())
        .collect();
    for seen in &open {
        candidates.add_item(ground, seen, |column| {
            let name = column.name.as_str();
            match (stands_alone(all, seen, name), seen.qualifier) {
                _ if seen.level > 0 => None,
                (true, _) => Some(spelled(None, name)),
                (false, Some(qualifier)) => Some(spelled(Some(qualifier), name)),
                (false, None) => None,
            }
        });
    }
    candidates.add_neighbours(ground, &open);
    let is_key = matches!(missing.place.role, Role::Whole)
        && matches!(missing.place.clause, Clause::Order | Clause::Group);
    if let Some(frame) = ground.places.frame(missing.place.frame)
        && is_key
    {
        for name in frame
            .select
            .target_list()
            .iter()
            .filter_map(|own| own.name())
        {
            candidates.add(name, Vec::new(), Some(spelled(None, name)));
        }
    }
    Some(candidates.fix(ground, missing, all))
}

/// A column of one thing in FROM.
pub(in crate::repair) fn of_item(
    ground: &Ground<'_>,
    missing: &Missing<'_>,
    seen: &Seen<'_>,
) -> Option<Fix> {
    let mut candidates = Candidates::new();
    candidates.add_item(ground, seen, |column| {
        Some(spelled(None, column.name.as_str()))
    });
    candidates.add_neighbours(ground, &[seen]);
    Some(candidates.fix(ground, missing, &[*seen]))
}

impl<'g> Candidates<'g> {
    fn new() -> Self {
        Self {
            list: Vec::new(),
            written: Vec::new(),
            too_many: false,
        }
    }

    fn add(&mut self, name: &'g str, own: Vec<Words>, written: Option<String>) {
        self.list.push(Existing {
            name,
            own,
            in_reach: written.is_some(),
        });
        self.written.push(written);
    }

    fn add_item(
        &mut self,
        ground: &Ground<'_>,
        seen: &Seen<'g>,
        written: impl Fn(&ScopeColumn<'_>) -> Option<String>,
    ) {
        let most = usize::try_from(ground.scene.settings.gates.columns_max).unwrap_or(usize::MAX);
        self.too_many |= seen.item.columns.len() > most;
        for column in seen.item.columns.iter().take(most) {
            if !ground.shows(column) {
                continue;
            }
            let mut own = ground.own_words(seen.item);
            if let Some((relation, _)) = column.origin {
                own = vec![Words::of(ground.name_of(relation))];
            }
            self.add(column.name.as_str(), own, written(column));
        }
    }

    /// The columns one step away along foreign keys: they cannot be taken, but may be meant.
    fn add_neighbours(&mut self, ground: &Ground<'g>, seen: &[&Seen<'_>]) {
        let gates = ground.scene.settings.gates;
        let most = usize::try_from(gates.tables_max).unwrap_or(usize::MAX);
        self.too_many |= seen.len() > most;
        let own: Vec<RelationId> = seen.iter().filter_map(|seen| seen.item.relation).collect();
        let mut near: Vec<RelationId> = Vec::new();
        for other in own.iter().flat_map(|relation| ground.neighbours(*relation)) {
            if !own.contains(&other) && !near.contains(&other) {
                near.push(other);
            }
        }
        let columns = usize::try_from(gates.columns_max).unwrap_or(usize::MAX);
        let catalog = ground.catalog();
        for relation in near.into_iter().take(most.saturating_sub(seen.len())) {
            for column in catalog.columns_of(relation).iter().take(columns) {
                // What only refers to a row that is here is no other value.
                let refers = own.iter().any(|own| {
                    let number = column.number;
                    ground.refers(relation, number, *own)
                });
                if ground.reads(relation, column) && !refers {
                    let words = vec![Words::of(ground.name_of(relation))];
                    self.add(catalog.names().text(column.name), words, None);
                }
            }
        }
    }

    fn fix(self, ground: &Ground<'_>, missing: &Missing<'_>, all: &[Seen<'_>]) -> Fix {
        let wanted = Wanted {
            name: missing.name,
            bare: missing.qualifier.is_none() && !ground.ends_in_quotes(missing),
            one_relation: true,
            cheaper_tried: true,
        };
        let judged = judge(&wanted, &self.list, self.too_many, ground.scene.settings);
        // A word in quotes that is only part of a name may be a text, and what things are joined by
        // has to be written in full.
        let in_full = ground.in_quotes(missing).is_some()
            || matches!(
                missing.place.role,
                Role::Compared {
                    other: Node::ColumnRef(_),
                    equal: true
                }
            );
        let failed = match judged {
            Judged::Passed { kinship, .. } if in_full && kinship == Kinship::Contained => {
                vec![NameGate::Containment]
            }
            Judged::Passed { place, .. } => {
                let name = self.list.get(place).map(|one| one.name);
                let written = self.written.into_iter().nth(place).flatten();
                if let (Some(name), Some(written), Some(part)) =
                    (name, written, missing.parts.last())
                {
                    let change = format!(
                        "{written} stands for {}, which does not exist",
                        quoted(missing.name)
                    );
                    return Fix::name(Confidence::Likely, part.clone(), written, change, name);
                }
                Vec::new()
            }
            Judged::Failed { failed } => failed,
        };
        suggestions::column(ground, missing, all, &failed)
    }
}
