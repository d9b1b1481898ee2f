//! What holds for every question and document.

use std::cell::Cell;

use super::*;
use crate::document::{GroundedColumn, GroundedForeignKey, GroundedFunction, GroundedRelation};

/// `orders: id* customer_id>customers total`
fn relation(text: &str) -> GroundedRelation {
    let (name, columns) = text.split_once(": ").unwrap();
    let mut relation = GroundedRelation {
        schema: "shop".to_owned(),
        name: name.to_owned(),
        kind: "table",
        ..GroundedRelation::default()
    };
    for column in columns.split(' ') {
        let end = column.find(['*', '>']).unwrap_or(column.len());
        let (name, rest) = column.split_at(end);
        if rest == "*" {
            relation.primary_key.push(name.to_owned());
        }
        if let Some(to) = rest.strip_prefix('>') {
            relation.foreign_keys.push(GroundedForeignKey {
                columns: vec![name.to_owned()],
                to: format!("shop.{to}"),
                to_columns: vec!["id".to_owned()],
            });
        }
        relation.columns.push(GroundedColumn {
            name: name.to_owned(),
            type_name: "text".to_owned(),
            ..GroundedColumn::default()
        });
    }
    relation
}

/// A shop, and so many relations that nobody asks for.
fn shop(others: usize) -> Grounding {
    let mut relations: Vec<GroundedRelation> = [
        "customers: id* name city",
        "invoices: id* order_id>orders amount",
        "orders: id* customer_id>customers placed_at",
        "orders_archive: id customer_id placed_at",
        "cstmr_vst: id* vst_dt dur_min",
    ]
    .map(relation)
    .into();
    for number in 0..others {
        relations.push(relation(&format!("zone{number}: id* colour shape depth")));
    }
    relations[1].columns[2].comment = Some("Gross turnover".to_owned());
    let functions = ["shop.discount_of(customers)", "shop.moon_phase(date)"];
    let functions = functions.map(|signature| GroundedFunction {
        signature: signature.to_owned(),
        returns: "numeric".to_owned(),
        comment: None,
    });
    Grounding {
        database: "shop".to_owned(),
        relations,
        functions: functions.into(),
        ..Grounding::default()
    }
}

fn write(shown: &Grounding) -> String {
    serde_json::to_string(shown).unwrap()
}

fn answer(grounding: &Grounding, question: &str, budget: usize) -> Grounding {
    SchemaIndex::of(grounding).answer(grounding, question, budget, write)
}

fn names(shown: &Grounding) -> Vec<&str> {
    let names = shown
        .relations
        .iter()
        .map(|relation| relation.name.as_str());
    names.collect()
}

#[test]
fn what_is_asked_for_is_told_with_what_lies_between() {
    let grounding = shop(60);
    let told = answer(&grounding, "Turnover per city", 400);
    for name in ["customers", "invoices", "orders"] {
        assert!(names(&told).contains(&name), "{told:?}");
    }
    let amounts = told.relations.iter().find(|one| one.name == "invoices");
    let amounts: Vec<&str> = amounts
        .unwrap()
        .columns
        .iter()
        .map(|one| &*one.name)
        .collect();
    assert!(
        amounts.contains(&"amount") && amounts.contains(&"order_id"),
        "{told:?}"
    );
    let left_out = grounding.relations.len() - told.relations.len();
    assert!(
        told.left_out.contains(&format!("{left_out} relations")),
        "{:?}",
        told.left_out
    );
}

#[test]
fn abbreviated_names_are_found() {
    let told = answer(
        &shop(60),
        "How many minutes did each customer visit take?",
        150,
    );
    assert!(names(&told).contains(&"cstmr_vst"), "{told:?}");
}

#[test]
fn what_is_kept_aside_comes_after_what_is_in_use_unless_it_is_asked_for() {
    let first = |question: &str| {
        let told = answer(&shop(60), question, 75);
        names(&told).first().map(|name| (*name).to_owned())
    };
    assert_eq!(first("orders").as_deref(), Some("orders"));
    assert_eq!(
        first("the archive of orders").as_deref(),
        Some("orders_archive")
    );
}

#[test]
fn functions_are_told_where_they_match() {
    let told = answer(&shop(60), "What discount do customers get?", 300);
    let signatures: Vec<&str> = told.functions.iter().map(|one| &*one.signature).collect();
    assert_eq!(signatures, ["shop.discount_of(customers)"]);
    assert!(told.left_out.contains(&"1 function".to_owned()));
}

#[test]
fn an_answer_is_a_part_of_the_document_within_its_budget_and_the_same_again() {
    for others in [0, 5, 60] {
        let grounding = shop(others);
        let index = SchemaIndex::of(&grounding);
        for question in &questions() {
            for budget in [0, 1, 60, 150, 400, 1000, 100_000, usize::MAX] {
                let told = index.answer(&grounding, question, budget, write);
                let again = answer(&grounding, question, budget);
                assert_eq!(told, again, "{question}: {budget}");
                let is_unmatched = UNMATCHED.contains(&question.as_str());
                check_part(&told, &grounding, is_unmatched);
                let least = tokens(&write(&answer(&grounding, question, 0)));
                let size = tokens(&write(&told));
                assert!(size <= budget.max(least), "{question}: {size} of {budget}");
            }
        }
    }
    let empty = Grounding::default();
    for question in &questions() {
        assert_eq!(answer(&empty, question, 100), empty);
    }
}

#[test]
fn few_relations_are_all_named() {
    let grounding = shop(10);
    for question in &questions() {
        let whole = tokens(&write(&grounding));
        let told = answer(&grounding, question, whole * 3 / 4);
        assert_eq!(names(&told), names(&grounding), "{question}");
    }
}

#[test]
fn a_document_is_rendered_a_few_times() {
    let grounding = shop(3000);
    let index = SchemaIndex::of(&grounding);
    let questions = questions();
    for question in questions
        .iter()
        .filter(|question| question.contains("order"))
    {
        for budget in [100, 1000, 10_000] {
            let (times, bytes) = (Cell::new(0), Cell::new(0));
            let counted = |shown: &Grounding| {
                let text = write(shown);
                times.set(times.get() + 1);
                bytes.set(bytes.get() + text.len());
                text
            };
            index.answer(&grounding, question, budget, counted);
            assert!(times.get() <= 30, "{question}: {} times", times.get());
            assert!(
                bytes.get() <= 200 * budget,
                "{question}: {} bytes",
                bytes.get()
            );
        }
    }
}

/// Each relation, column, key and function stands in the document, and keys refer to what is told,
/// unless nothing of the question stands anywhere.
fn check_part(told: &Grounding, grounding: &Grounding, is_unmatched: bool) {
    for relation in &told.relations {
        let name = relation.qualified_name();
        let mut all = grounding.relations.iter();
        let whole = all.find(|one| one.qualified_name() == name).unwrap();
        for one in &relation.columns {
            let mut all = whole.columns.iter();
            let full = all.find(|full| full.name == one.name).unwrap();
            match one.is_brief {
                true => assert_eq!((&one.type_name, &one.comment), (&full.type_name, &None)),
                false => assert_eq!(one, full),
            }
        }
        let left_out = whole.columns.len() - relation.columns.len();
        assert_eq!(relation.columns_left_out, left_out, "{name}");
        for key in &relation.foreign_keys {
            assert!(whole.foreign_keys.contains(key));
            let mut others = told.relations.iter();
            let Some(other) = others.find(|one| one.qualified_name() == key.to) else {
                assert!(is_unmatched, "{name}: {key:?}");
                continue;
            };
            let mut columns = other.columns.iter();
            assert!(
                columns.any(|column| key.to_columns.contains(&column.name)),
                "{name}"
            );
        }
        let has = |key: &String| relation.columns.iter().any(|column| column.name == *key);
        assert!(relation.primary_key.iter().all(has), "{name}");
    }
    assert!(
        told.functions
            .iter()
            .all(|one| grounding.functions.contains(one))
    );
}

fn questions() -> Vec<String> {
    let mut questions = QUESTIONS.map(str::to_owned).to_vec();
    questions.push("orders of customers ".repeat(2000));
    questions
}

/// Of these nothing stands anywhere: they are answered as if nothing was asked.
const UNMATCHED: [&str; 4] = [
    "",
    "?",
    "xyzzy plugh",
    "Größe der Bestellungen, 注文 и клиенты",
];

const QUESTIONS: [&str; 9] = [
    "",
    "?",
    "Which customers from Berlin placed no order in 2024?",
    "turnover by city",
    "xyzzy plugh",
    "orders orders orders",
    "Größe der Bestellungen, 注文 и клиенты",
    "'; DROP TABLE orders; --",
    "colour",
];
