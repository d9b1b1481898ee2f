//! Records of knowledge beside a question: terms that it uses, and those that are told with what it
//! needs.

use std::collections::BTreeSet;

use crate::document::{GroundedRecord, Grounding};

/// The share of a budget that is kept for records, at most: one part in so many.
const KNOWLEDGE_PART: usize = 5;

/// The question with what its terms mean, and the names of what they are about.
pub(super) fn spelled_out(question: &str, grounding: &Grounding) -> String {
    let small = question.to_lowercase();
    let mut whole = question.to_owned();
    for record in grounding.knowledge.iter().filter(|one| one.kind == "term") {
        let term = record.says.get("term").map(|term| term.to_lowercase());
        if term.is_some_and(|term| has_words(&small, &term)) {
            for more in record
                .says
                .get("meaning")
                .into_iter()
                .chain(&record.relations)
            {
                whole.push(' ');
                whole.push_str(more);
            }
        }
    }
    whole
}

/// Whether a text has these words in a row.
fn has_words(text: &str, words: &str) -> bool {
    let is_edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    let mut found = text.match_indices(words);
    !words.is_empty()
        && found.any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let behind = text.get(at + words.len()..);
            is_edge(before) && is_edge(behind.and_then(|behind| behind.chars().next()))
        })
}

/// How much of a budget relations and columns may take, where all records take so much.
pub(super) fn budget_of_relations(budget: usize, of_records: usize) -> usize {
    budget - of_records.min(budget / KNOWLEDGE_PART)
}

/// The same document with the records about what it shows, and those about nothing in particular,
/// as many of the first as there is room for.
pub(super) fn with_records(
    shown: Grounding,
    whole: &Grounding,
    is_small: impl Fn(&Grounding) -> bool,
) -> Grounding {
    let names = shown
        .relations
        .iter()
        .map(|relation| relation.qualified_name());
    let names: BTreeSet<String> = names.collect();
    let is_told = |record: &&GroundedRecord| {
        record.about.is_empty() && record.relations.is_empty()
            || record.relations.iter().any(|name| names.contains(name))
    };
    let told: Vec<&GroundedRecord> = whole.knowledge.iter().filter(is_told).collect();
    let first = |number: usize| Grounding {
        knowledge: told.iter().take(number).copied().cloned().collect(),
        ..shown.clone()
    };
    let (mut enough, mut too_many) = (0, told.len() + 1);
    let mut probe = told.len();
    while too_many - enough > 1 {
        match is_small(&first(probe)) {
            true => enough = probe,
            false => too_many = probe,
        }
        probe = usize::midpoint(enough, too_many);
    }
    first(enough)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: &'static str, name: &str, relations: &[&str]) -> GroundedRecord {
        let what = if kind == "term" { "meaning" } else { "note" };
        let says = [("term", name.to_owned()), (what, format!("said of {name}"))];
        GroundedRecord {
            kind,
            name: name.to_owned(),
            says: says.into_iter().collect(),
            about: relations.iter().map(|name| (*name).to_owned()).collect(),
            relations: relations.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn terms_are_spelled_out_where_they_are_used() {
        let grounding = Grounding {
            knowledge: vec![
                record("term", "Lost customer", &["shop.buyers"]),
                record("term", "art", &[]),
                record("style", "customer", &[]),
            ],
            ..Grounding::default()
        };
        let asked = "How many lost customers, and which lost customer started it?";
        let whole = spelled_out(asked, &grounding);
        assert_eq!(whole, format!("{asked} said of Lost customer shop.buyers"));
        let other = "Which customer is lost?";
        assert_eq!(spelled_out(other, &grounding), other);
    }

    #[test]
    fn records_are_told_with_what_they_are_about() {
        let whole = Grounding {
            knowledge: vec![
                record("quirk", "a", &["shop.orders"]),
                record("quirk", "b", &["shop.other"]),
                record("style", "c", &[]),
            ],
            ..Grounding::default()
        };
        let shown = Grounding {
            relations: vec![crate::GroundedRelation {
                schema: "shop".into(),
                name: "orders".into(),
                ..Default::default()
            }],
            ..Grounding::default()
        };
        let told = |most: usize| {
            let fits = |one: &Grounding| one.knowledge.len() <= most;
            let told = with_records(shown.clone(), &whole, fits).knowledge;
            told.into_iter().map(|one| one.name).collect::<String>()
        };
        assert_eq!([told(9), told(2), told(1), told(0)], ["ac", "ac", "a", ""]);
        assert_eq!(
            [0, 7, 70].map(|all| budget_of_relations(100, all)),
            [100, 93, 80]
        );
    }
}
