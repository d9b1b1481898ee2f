//! What a question about a database with 2,000 tables and 40,000 columns costs: the index of what a
//! session may read, and the answers.

use std::time::{Duration, Instant};

use pgsieve::grounding::document::GroundedForeignKey;
use pgsieve::grounding::format::render;
use pgsieve::grounding::retrieval::SchemaIndex;
use pgsieve::grounding::{
    GroundedColumn, GroundedRelation, Grounding, GroundingFacets, GroundingFormat, GroundingVersion,
};

/// Prints both, as the median and, behind it, the best of the rounds.
pub fn report() {
    let grounding = large();
    let version = GroundingVersion::of(&grounding, &GroundingFacets::default(), "");
    let write = |shown: &Grounding| render(shown, version, GroundingFormat::Markdown);
    let (mut builds, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let since = Instant::now();
        let index = SchemaIndex::of(&grounding);
        builds.push(since.elapsed());
        for question in QUESTIONS {
            let since = Instant::now();
            let answer = index.answer(&grounding, question, BUDGET, write);
            answers.push(since.elapsed());
            assert!(!answer.relations.is_empty());
        }
    }
    let columns: usize = grounding
        .relations
        .iter()
        .map(|one| one.columns.len())
        .sum();
    println!(
        "grounding: {} relations, {columns} columns: index {}, answer of {BUDGET} tokens {}",
        grounding.relations.len(),
        shown(&mut builds),
        shown(&mut answers)
    );
}

fn shown(times: &mut [Duration]) -> String {
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    format!("{:.1} ms ({:.1})", ms(times[times.len() / 2]), ms(times[0]))
}

/// Tables of twenty departments, of hundred kinds of things each, with names and comments.
fn large() -> Grounding {
    let mut grounding = Grounding::default();
    for department in DEPARTMENTS {
        for (place, thing) in things().enumerate() {
            let name = format!("{department}_{thing}");
            let mut columns = vec![column(&format!("{thing}_id"), "bigint", None)];
            for (number, part) in PARTS.iter().enumerate() {
                let other = THINGS[(place + number) % THINGS.len()];
                let about = format!("The {part} of the {other} in {department}");
                columns.push(column(&format!("{other}_{part}"), "text", Some(about)));
            }
            let to = things().nth(place / 2).unwrap();
            let key = GroundedForeignKey {
                columns: vec![columns[1].name.clone()],
                to: format!("public.{department}_{to}"),
                to_columns: vec![format!("{to}_id")],
            };
            grounding.relations.push(GroundedRelation {
                schema: "public".to_owned(),
                name,
                kind: "table",
                comment: Some(format!("Each {thing} of the department for {department}")),
                primary_key: vec![format!("{thing}_id")],
                foreign_keys: vec![key],
                columns,
                ..GroundedRelation::default()
            });
        }
    }
    grounding
}

fn things() -> impl Iterator<Item = String> {
    let kinds = ["", "_line", "_status", "_history", "_document"];
    kinds
        .into_iter()
        .flat_map(|kind| THINGS.iter().map(move |thing| format!("{thing}{kind}")))
}

fn column(name: &str, type_name: &str, comment: Option<String>) -> GroundedColumn {
    GroundedColumn {
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        comment,
        ..GroundedColumn::default()
    }
}

const ROUNDS: usize = 20;
const BUDGET: usize = 4000;

const QUESTIONS: [&str; 5] = [
    "Which customers of the purchasing department have unpaid invoices from last year?",
    "Total amount of orders per supplier and month in logistics",
    "Who approved the contract documents that expire next week?",
    "status",
    "How many machines in production were repaired three times, and what did the parts cost?",
];

const DEPARTMENTS: [&str; 20] = [
    "purchasing",
    "sales",
    "logistics",
    "production",
    "finance",
    "personnel",
    "research",
    "legal",
    "marketing",
    "service",
    "quality",
    "security",
    "travel",
    "training",
    "planning",
    "export",
    "energy",
    "housing",
    "health",
    "archive",
];

const THINGS: [&str; 20] = [
    "customer",
    "supplier",
    "order",
    "invoice",
    "payment",
    "contract",
    "machine",
    "employee",
    "product",
    "shipment",
    "project",
    "budget",
    "account",
    "ticket",
    "campaign",
    "warehouse",
    "vehicle",
    "course",
    "meeting",
    "complaint",
];

const PARTS: [&str; 19] = [
    "name",
    "number",
    "amount",
    "state",
    "created_at",
    "due_date",
    "owner",
    "city",
    "country",
    "price",
    "quantity",
    "reason",
    "category",
    "score",
    "phone",
    "email",
    "weight",
    "discount",
    "remark",
];
