//! What of a grounding there is room for, the most needed first.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::worth::WorthEstimate;
use super::{FEW_RELATIONS, weight_of};
use crate::budget::counted;
use crate::document::{GroundedColumn, GroundedRelation, Grounding};

/// Parts of a document, the most needed first.
pub(super) struct RankedParts {
    parts: Vec<RankedPart>,
}

/// A part of a document.
struct RankedPart {
    kind: PartKind,
    /// How much of it there should be for the room it takes.
    worth: f64,
    /// About how many bytes it takes.
    bytes: usize,
}

/// What a part is, by its place in the document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PartKind {
    /// The name of a relation.
    Relation(usize),
    /// What a relation is, in words.
    About(usize),
    /// The name and type of a column of a relation, and its keys.
    Column(usize, usize),
    /// What else is told of a column.
    Detail(usize, usize),
    /// A function.
    Function(usize),
}

impl RankedParts {
    /// Those that there can be room for.
    pub(super) fn of(grounding: &Grounding, estimate: &WorthEstimate<'_>, room: usize) -> Self {
        let sure = estimate.relations();
        let of = |place: usize| sure.get(place).copied().unwrap_or(0.0);
        let room = room_in_bytes(room);
        let heads: usize = grounding.relations.iter().map(head_bytes).sum();
        let is_named = grounding.relations.len() <= FEW_RELATIONS && heads <= room / 3 * 2;
        let mut places: Vec<usize> = (0..grounding.relations.len()).collect();
        if !is_named {
            places.retain(|place| of(*place) > 0.0);
            places.sort_by(|one, other| of(*other).total_cmp(&of(*one)).then(one.cmp(other)));
            places.truncate(room / HEAD_BYTES_MIN + 1);
        }
        let mut ranked = Self { parts: Vec::new() };
        for place in places {
            if let Some(relation) = grounding.relations.get(place) {
                let columns = estimate.columns(place, relation.columns.len(), &sure);
                ranked.add(place, relation, of(place).max(LEAST), &columns, is_named);
            }
        }
        for (number, function) in grounding.functions.iter().enumerate() {
            let own = of(grounding.relations.len() + number);
            let bytes = function.signature.len() + function.returns.len() + 12;
            if own > 0.0 {
                ranked.parts.push(RankedPart {
                    kind: PartKind::Function(number),
                    worth: for_its_room(own, bytes),
                    bytes,
                });
            }
        }
        let order = |one: &RankedPart, other: &RankedPart| {
            let order = other.worth.total_cmp(&one.worth);
            order.then(one.kind.cmp(&other.kind))
        };
        let most = room / PART_BYTES_MIN + 1;
        if ranked.parts.len() > most {
            ranked.parts.select_nth_unstable_by(most, order);
            ranked.parts.truncate(most);
        }
        ranked.parts.sort_unstable_by(order);
        ranked
    }

    /// Whether nothing of the document has to do with the question.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn add(
        &mut self,
        place: usize,
        relation: &GroundedRelation,
        sure: f64,
        columns: &[f64],
        is_named: bool,
    ) {
        let bytes = head_bytes(relation);
        let head = if is_named {
            f64::INFINITY
        } else {
            for_its_room(sure, bytes)
        };
        self.parts.push(RankedPart {
            kind: PartKind::Relation(place),
            worth: head,
            bytes,
        });
        if let Some(comment) = &relation.comment {
            let bytes = comment.len() + 2;
            self.parts.push(RankedPart {
                kind: PartKind::About(place),
                worth: for_its_room(sure * ABOUT, bytes).min(head),
                bytes,
            });
        }
        for (number, (column, needed)) in relation.columns.iter().zip(columns).enumerate() {
            let bytes = column_bytes(relation, column);
            let worth = for_its_room(sure * needed, bytes).min(head);
            self.parts.push(RankedPart {
                kind: PartKind::Column(place, number),
                worth,
                bytes,
            });
            let bytes = detail_bytes(column);
            self.parts.push(RankedPart {
                kind: PartKind::Detail(place, number),
                worth: for_its_room(sure * needed * DETAIL, bytes).min(worth),
                bytes,
            });
        }
    }

    /// As many of the parts as there is room for. What `is_small` says counts; by `room`, in
    /// tokens, it is only guessed where to begin.
    pub(super) fn fit(
        &self,
        grounding: &Grounding,
        is_small: impl Fn(&Grounding) -> bool,
        room: usize,
    ) -> Grounding {
        let fits = |number: usize| is_small(&self.first(grounding, number));
        let guess = self.guess(room);
        let (mut enough, mut too_many) = (0, self.parts.len() + 1);
        let mut probe = guess;
        while too_many - enough > 1 {
            match fits(probe) {
                true => enough = probe,
                false => too_many = probe,
            }
            probe = match (enough, too_many) {
                (0, too_many) => too_many - too_many.div_ceil(8),
                (enough, too_many) if too_many > self.parts.len() => {
                    (enough + enough.div_ceil(8)).min(self.parts.len())
                }
                (enough, too_many) => usize::midpoint(enough, too_many),
            };
        }
        self.first(grounding, enough)
    }

    /// How many parts there may be room for.
    fn guess(&self, room: usize) -> usize {
        let room = room_in_bytes(room);
        let sums = self.parts.iter().scan(0_usize, |sum, part| {
            *sum += part.bytes;
            Some(*sum)
        });
        sums.take_while(|sum| *sum <= room).count().max(1)
    }

    /// The document of the first parts.
    fn first(&self, grounding: &Grounding, number: usize) -> Grounding {
        let mut chosen: BTreeMap<usize, ChosenParts> = BTreeMap::new();
        let mut functions = BTreeSet::new();
        for part in self.parts.iter().take(number) {
            match part.kind {
                PartKind::Relation(place) => {
                    chosen.entry(place).or_default();
                }
                PartKind::About(place) => chosen.entry(place).or_default().has_comment = true,
                PartKind::Column(place, number) => {
                    let columns = &mut chosen.entry(place).or_default().columns;
                    columns.insert(number, true);
                }
                PartKind::Detail(place, number) => {
                    let columns = &mut chosen.entry(place).or_default().columns;
                    columns.insert(number, false);
                }
                PartKind::Function(place) => {
                    functions.insert(place);
                }
            }
        }
        let relations = chosen.iter().filter_map(|(place, chosen)| {
            let relation = grounding.relations.get(*place)?;
            Some(with_parts(relation, chosen))
        });
        let functions = functions
            .iter()
            .filter_map(|place| grounding.functions.get(*place));
        let mut shown = Grounding {
            relations: relations.collect(),
            functions: functions.cloned().collect(),
            ..frame_of(grounding)
        };
        without_dangling_keys(&mut shown.relations);
        for (all, kept, what) in [
            (grounding.relations.len(), shown.relations.len(), "relation"),
            (grounding.functions.len(), shown.functions.len(), "function"),
        ] {
            if all > kept {
                shown.left_out.push(counted(all - kept, what));
            }
        }
        shown
    }
}

/// A document without relations and functions.
pub(super) fn frame_of(grounding: &Grounding) -> Grounding {
    Grounding {
        database: grounding.database.clone(),
        server: grounding.server.clone(),
        relations: Vec::new(),
        functions: Vec::new(),
        knowledge: Vec::new(),
        left_out: grounding.left_out.clone(),
    }
}

/// Takes away the keys that refer to what is not shown.
fn without_dangling_keys(relations: &mut [GroundedRelation]) {
    let columns = relations.iter().map(|relation| {
        let names = relation.columns.iter().map(|column| column.name.clone());
        (relation.qualified_name(), names.collect::<BTreeSet<_>>())
    });
    let columns: HashMap<String, BTreeSet<String>> = columns.collect();
    for relation in relations {
        relation.foreign_keys.retain(|key| {
            let shown = columns.get(&key.to);
            let mut needed = key.to_columns.iter();
            shown.is_some_and(|shown| needed.all(|column| shown.contains(column)))
        });
    }
}

/// What is told of a relation.
#[derive(Default)]
struct ChosenParts {
    has_comment: bool,
    /// Columns by their number, each brief or not.
    columns: BTreeMap<usize, bool>,
}

/// A relation with what is chosen of it, and of its keys and indexes those that the chosen columns
/// have whole.
fn with_parts(relation: &GroundedRelation, chosen: &ChosenParts) -> GroundedRelation {
    let kept = chosen.columns.iter().filter_map(|(number, is_brief)| {
        let column = relation.columns.get(*number)?;
        Some(match is_brief {
            true => brief(column),
            false => column.clone(),
        })
    });
    let columns: Vec<GroundedColumn> = kept.collect();
    let has = |names: &[String]| {
        let mut names = names.iter();
        names.all(|name| columns.iter().any(|column| column.name == *name))
    };
    let primary = Some(&relation.primary_key).filter(|key| has(key));
    let unique = relation.unique_keys.iter().filter(|key| has(key));
    let foreign = relation.foreign_keys.iter().filter(|key| has(&key.columns));
    let indexes = relation.indexes.iter().filter(|index| has(&index.columns));
    GroundedRelation {
        schema: relation.schema.clone(),
        name: relation.name.clone(),
        kind: relation.kind,
        comment: relation.comment.clone().filter(|_| chosen.has_comment),
        rows: relation.rows,
        primary_key: primary.cloned().unwrap_or_default(),
        unique_keys: unique.cloned().collect(),
        foreign_keys: foreign.cloned().collect(),
        indexes: indexes.cloned().collect(),
        columns_left_out: relation.columns_left_out + relation.columns.len() - columns.len(),
        columns,
    }
}

/// A column by its name and type.
fn brief(column: &GroundedColumn) -> GroundedColumn {
    GroundedColumn {
        name: column.name.clone(),
        type_name: column.type_name.clone(),
        not_null: column.not_null,
        is_generated: column.is_generated,
        is_calculated: column.is_calculated,
        is_brief: true,
        ..GroundedColumn::default()
    }
}

/// About how many bytes so many tokens are.
fn room_in_bytes(tokens: usize) -> usize {
    tokens.saturating_mul(7) / 2
}

/// What is short is worth more than what is long and as sure.
fn for_its_room(sure: f64, bytes: usize) -> f64 {
    sure / weight_of(bytes).sqrt()
}

fn head_bytes(relation: &GroundedRelation) -> usize {
    relation.schema.len() + relation.name.len() + relation.kind.len() + 28
}

fn column_bytes(relation: &GroundedRelation, column: &GroundedColumn) -> usize {
    let name = column.name.len();
    let keys = relation
        .foreign_keys
        .iter()
        .filter(|key| key.columns.contains(&column.name));
    let keys: usize = keys.map(|key| key.to.len() + name + 22).sum();
    let primary = if relation.primary_key.contains(&column.name) {
        name + 16
    } else {
        0
    };
    name + column.type_name.len() + keys + primary + 3
}

fn detail_bytes(column: &GroundedColumn) -> usize {
    let comment = column
        .comment
        .as_ref()
        .map_or(0, |comment| comment.len() + 2);
    let values = column.labels.iter().chain(&column.samples);
    let values: usize = values.map(|value| value.len() + 4).sum();
    let not_null = if column.not_null { 9 } else { 0 };
    comment + values + not_null + 3
}

/// How much of the worth of a column there is in what is told of it beside its name and type.
const DETAIL: f64 = 0.1;

/// How much of the worth of a relation there is in its comment.
const ABOUT: f64 = 0.05;

/// No format tells a relation in fewer bytes.
const HEAD_BYTES_MIN: usize = 20;

/// No format tells anything in fewer bytes.
const PART_BYTES_MIN: usize = 6;

/// How sure something is needed about which nothing is known.
const LEAST: f64 = 0.01;
