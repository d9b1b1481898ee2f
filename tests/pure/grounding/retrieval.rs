//! How much of what the right SQL needs is in what a question is answered with, on schemas and
//! questions of our own.

use std::collections::BTreeMap;

use pgsieve::grounding::budget::tokens;
use pgsieve::grounding::format::render;
use pgsieve::grounding::{
    Grounding, GroundingFacets, GroundingFormat, GroundingVersion, budget, retrieval,
};

use super::baselines;
use super::dataset::{DatasetQuestion, QuestionedSchema, schemas};

/// What is found in percent of what is needed, seen and unseen: relations and columns. Each floor
/// lies a little below what is reached.
const FLOORS: [(&str, [f64; 2], [f64; 2]); 2] = [
    ("small", [100.0, 95.5], [100.0, 93.5]),
    ("large", [98.5, 97.0], [97.5, 94.0]),
];

#[test]
fn what_a_question_needs_is_found_with_a_part_of_the_tokens() {
    let schemas = schemas();
    let questions: usize = schemas.iter().map(|schema| schema.questions.len()).sum();
    let wide = schemas
        .iter()
        .filter(|one| one.grounding.relations.len() > 200);
    assert!(schemas.len() >= 15 && questions >= 300 && wide.count() >= 3);
    let mut tallies: BTreeMap<(&str, &str, bool), Tally> = BTreeMap::new();
    for schema in &schemas {
        schema.measure(&mut tallies);
    }
    println!(
        "| schemas | questions | method | tokens | relations | columns | questions with all |"
    );
    println!("|---|---|---|---|---|---|---|");
    for ((group, method, is_seen), tally) in &tallies {
        let asked = if *is_seen { "seen" } else { "unseen" };
        println!("| {group} | {asked} | {method} | {}", tally.row());
    }
    for (group, seen, unseen) in FLOORS {
        for (is_seen, [relations, columns]) in [(true, seen), (false, unseen)] {
            let tally = &tallies[&(group, "by question", is_seen)];
            let reached = [tally.relations.percent(), tally.columns.percent()];
            let is_reached = reached[0] >= relations && reached[1] >= columns;
            assert!(is_reached, "{group}, seen {is_seen}: {reached:?}");
        }
    }
}

impl QuestionedSchema {
    /// Whether every relation of it is named, and which part of its tokens there is room for.
    fn group(&self) -> (&'static str, f64) {
        match self.grounding.relations.len() {
            ..=15 => ("small", 0.5),
            _ => ("large", 0.15),
        }
    }

    fn measure(&self, tallies: &mut BTreeMap<(&'static str, &'static str, bool), Tally>) {
        let version = GroundingVersion::of(&self.grounding, &GroundingFacets::default(), "");
        let write = |shown: &Grounding| render(shown, version, GroundingFormat::Markdown);
        let size = |shown: &Grounding| tokens(&write(shown));
        let (group, part) = self.group();
        let whole = size(&self.grounding);
        let room = (whole as f64 * part) as usize;
        let unasked = budget::fit(&self.grounding, room, write);
        let index = retrieval::SchemaIndex::of(&self.grounding);
        for question in &self.questions {
            let answer = index.answer(&self.grounding, &question.text, room, write);
            assert!(size(&answer) <= room, "{}", question.id);
            question.explain(&answer);
            let by_words = baselines::bm25(&self.grounding, &question.text, room, size);
            let methods = [
                ("by question", &answer),
                ("BM25 and one key", &by_words),
                ("the budget alone", &unasked),
                ("the whole schema", &self.grounding),
            ];
            for (method, shown) in methods {
                let tally = tallies
                    .entry((group, method, question.is_seen()))
                    .or_default();
                tally.add(question, shown, size(shown) as f64 / whole as f64);
            }
        }
    }
}

impl DatasetQuestion {
    /// With `EXPLAIN_MISSES`, says what is missing for a question that may be looked at.
    fn explain(&self, shown: &Grounding) {
        if std::env::var_os("EXPLAIN_MISSES").is_none() || !self.is_seen() {
            return;
        }
        let missing: Vec<String> = self
            .parts(shown)
            .into_iter()
            .filter(|(_, _, is_shown)| !is_shown)
            .map(|(relation, column, _)| format!("{relation}.{}", column.unwrap_or("*")))
            .collect();
        if !missing.is_empty() {
            println!("{}: {}: {}", self.id, self.text, missing.join(" "));
        }
    }

    /// Each relation and column that is needed, and whether it is shown.
    fn parts(&self, shown: &Grounding) -> Vec<(&str, Option<&str>, bool)> {
        let mut parts = Vec::new();
        for (relation, columns) in &self.gold {
            let mut all = shown.relations.iter();
            let found = all.find(|one| one.qualified_name() == *relation);
            parts.push((relation.as_str(), None, found.is_some()));
            for column in columns {
                let mut names = found.into_iter().flat_map(|one| &one.columns);
                let is_shown = names.any(|one| one.name == *column);
                parts.push((relation, Some(column.as_str()), is_shown));
            }
        }
        parts
    }
}

/// What was found with one method.
#[derive(Default)]
struct Tally {
    relations: Share,
    columns: Share,
    questions: Share,
    token_parts: f64,
}

/// A part of a whole.
#[derive(Default)]
struct Share {
    part: usize,
    of: usize,
}

impl Tally {
    fn add(&mut self, question: &DatasetQuestion, shown: &Grounding, token_part: f64) {
        let parts = question.parts(shown);
        self.questions
            .add(parts.iter().all(|(_, _, is_shown)| *is_shown));
        for (_, column, is_shown) in parts {
            match column {
                Some(_) => self.columns.add(is_shown),
                None => self.relations.add(is_shown),
            }
        }
        self.token_parts += token_part;
    }

    fn row(&self) -> String {
        format!(
            "{:.0} % | {:.1} % | {:.1} % | {:.1} % of {} |",
            100.0 * self.token_parts / self.questions.of as f64,
            self.relations.percent(),
            self.columns.percent(),
            self.questions.percent(),
            self.questions.of,
        )
    }
}

impl Share {
    fn add(&mut self, is_part: bool) {
        self.of += 1;
        self.part += usize::from(is_part);
    }

    fn percent(&self) -> f64 {
        100.0 * self.part as f64 / self.of as f64
    }
}
