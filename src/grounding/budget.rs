//! How much of a grounding there is room for.

use std::collections::{BTreeSet, HashMap};

use self::LeftOutStep::Part;
use super::document::{GroundedColumn, GroundedRelation, Grounding};

/// How many tokens a text is, by a rule of thumb: one for each 3.5 bytes, rounded up. What
/// tokenizers make of names and SQL lies between 3 and 4 bytes.
pub fn tokens(text: &str) -> usize {
    (text.len() * 2).div_ceil(7)
}

/// Leaves out what there is no room for, in this order, and of each no more than is needed:
/// samples; statistics; indexes; functions; comments on columns; records of knowledge;
/// columns that are in no key; comments on relations; relations. Those with the fewest links to
/// others lose theirs first. What was left out stands in [`Grounding::left_out`].
pub fn fit(
    grounding: &Grounding,
    budget: usize,
    render: impl Fn(&Grounding) -> String,
) -> Grounding {
    let is_small = |grounding: &Grounding| tokens(&render(grounding)) <= budget;
    let mut fitted = grounding.clone();
    for step in STEPS {
        if is_small(&fitted) {
            break;
        }
        let order = step.order(&fitted);
        let (mut enough, mut too_little) = (order.len(), 0);
        if is_small(&step.without(&fitted, &order)) {
            while enough - too_little > 1 {
                let middle = usize::midpoint(too_little, enough);
                let first = order.get(..middle).unwrap_or(&order);
                match is_small(&step.without(&fitted, first)) {
                    true => enough = middle,
                    false => too_little = middle,
                }
            }
        }
        let first = order.get(..enough).unwrap_or(&order);
        if !first.is_empty() {
            fitted = step.without(&fitted, first);
        }
    }
    fitted
}

/// One kind of thing that can be left out.
#[derive(Clone, Copy)]
enum LeftOutStep {
    /// A part of relations: what it is called, whether one has it, and what takes it away.
    Part(
        &'static str,
        fn(&GroundedRelation) -> bool,
        fn(&mut GroundedRelation),
    ),
    /// Functions, the last first.
    Functions,
    /// Records of knowledge, the last first.
    Knowledge,
    /// Whole relations.
    Relations,
}

impl LeftOutStep {
    /// The places of what could be left out, what is missed least first.
    fn order(self, grounding: &Grounding) -> Vec<usize> {
        if let Self::Functions = self {
            return (0..grounding.functions.len()).rev().collect();
        }
        if let Self::Knowledge = self {
            return (0..grounding.knowledge.len()).rev().collect();
        }
        let mut links: HashMap<String, usize> = HashMap::new();
        for relation in &grounding.relations {
            for key in &relation.foreign_keys {
                *links.entry(key.to.clone()).or_default() += 1;
                *links.entry(relation.qualified_name()).or_default() += 1;
            }
        }
        let has = |relation: &GroundedRelation| match self {
            Self::Part(_, has, _) => has(relation),
            Self::Functions | Self::Knowledge | Self::Relations => true,
        };
        let all = grounding.relations.iter().enumerate();
        let mut places: Vec<(usize, usize)> = all
            .filter(|(_, relation)| has(relation))
            .map(|(place, relation)| {
                let links = links.get(&relation.qualified_name());
                (links.copied().unwrap_or(0), place)
            })
            .collect();
        places.sort_by(|one, two| one.0.cmp(&two.0).then(two.1.cmp(&one.1)));
        places.into_iter().map(|(_, place)| place).collect()
    }

    /// The same without what stands in these places.
    fn without(self, grounding: &Grounding, places: &[usize]) -> Grounding {
        let gone: BTreeSet<usize> = places.iter().copied().collect();
        let mut less = grounding.clone();
        let what = match self {
            Self::Part(what, _, strip) => {
                let relations = less.relations.iter_mut().enumerate();
                let stripped = relations.filter(|(place, _)| gone.contains(place));
                stripped.for_each(|(_, relation)| strip(relation));
                format!("{what} of {}", counted(gone.len(), "relation"))
            }
            Self::Functions => {
                less.functions = kept(less.functions, &gone);
                counted(gone.len(), "function")
            }
            Self::Knowledge => {
                less.knowledge = kept(less.knowledge, &gone);
                counted(gone.len(), "record") + " of knowledge"
            }
            Self::Relations => {
                less.relations = kept(less.relations, &gone);
                counted(gone.len(), "relation")
            }
        };
        less.left_out.push(what);
        less
    }
}

fn kept<T>(all: Vec<T>, gone: &BTreeSet<usize>) -> Vec<T> {
    let all = all.into_iter().enumerate();
    let kept = all.filter(|(place, _)| !gone.contains(place));
    kept.map(|(_, one)| one).collect()
}

/// A number of things in words.
pub(crate) fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

fn any_column(relation: &GroundedRelation, has: fn(&GroundedColumn) -> bool) -> bool {
    relation.columns.iter().any(has)
}

fn leave_plain(relation: &mut GroundedRelation) {
    let (kept, gone): (Vec<GroundedColumn>, Vec<GroundedColumn>) =
        std::mem::take(&mut relation.columns)
            .into_iter()
            .partition(|column| relation.is_key_column(&column.name));
    relation.columns = kept;
    relation.columns_left_out += gone.len();
}

fn has_samples(relation: &GroundedRelation) -> bool {
    any_column(relation, |column| !column.samples.is_empty())
}

fn leave_samples(relation: &mut GroundedRelation) {
    let columns = relation.columns.iter_mut();
    columns.for_each(|column| column.samples.clear());
}

fn has_statistics(relation: &GroundedRelation) -> bool {
    any_column(relation, |column| column.statistics.is_some())
}

fn leave_statistics(relation: &mut GroundedRelation) {
    let columns = relation.columns.iter_mut();
    columns.for_each(|column| column.statistics = None);
}

fn has_notes(relation: &GroundedRelation) -> bool {
    any_column(relation, |column| column.comment.is_some())
}

fn leave_notes(relation: &mut GroundedRelation) {
    let columns = relation.columns.iter_mut();
    columns.for_each(|column| column.comment = None);
}

fn has_plain(relation: &GroundedRelation) -> bool {
    let mut columns = relation.columns.iter();
    columns.any(|column| !relation.is_key_column(&column.name))
}

fn has_indexes(relation: &GroundedRelation) -> bool {
    !relation.indexes.is_empty()
}

fn leave_indexes(relation: &mut GroundedRelation) {
    relation.indexes.clear();
}

fn has_comment(relation: &GroundedRelation) -> bool {
    relation.comment.is_some()
}

fn leave_comment(relation: &mut GroundedRelation) {
    relation.comment = None;
}

const STEPS: [LeftOutStep; 9] = [
    Part("samples", has_samples, leave_samples),
    Part("statistics", has_statistics, leave_statistics),
    Part("indexes", has_indexes, leave_indexes),
    LeftOutStep::Functions,
    Part("comments on columns", has_notes, leave_notes),
    LeftOutStep::Knowledge,
    Part("columns that are in no key", has_plain, leave_plain),
    Part("comments", has_comment, leave_comment),
    LeftOutStep::Relations,
];
