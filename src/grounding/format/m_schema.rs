//! M-Schema: a tuple for each column, with examples, and the foreign keys behind all tables.
//!
//! <https://github.com/XGenerationLab/M-Schema>

use std::fmt::Write;

use super::{known_lines, one_line};
use crate::document::{GroundedColumn, GroundedRelation, Grounding};
use crate::version::GroundingVersion;

/// The whole text.
pub(super) fn render(grounding: &Grounding, version: GroundingVersion) -> String {
    let mut text = format!("【DB_ID】 {}\n", grounding.database);
    if let Some(server) = &grounding.server {
        let _ = writeln!(text, "【Dialect】 PostgreSQL {}", server.version);
        for note in &server.notes {
            let _ = writeln!(text, "# {note}");
        }
    }
    text.push_str("【Schema】\n");
    for relation in &grounding.relations {
        add_relation(&mut text, relation);
    }
    let mut keys = String::new();
    for relation in &grounding.relations {
        for key in &relation.foreign_keys {
            for (from, to) in key.columns.iter().zip(&key.to_columns) {
                let _ = writeln!(keys, "{}.{from}={}.{to}", relation.qualified_name(), key.to);
            }
        }
    }
    if !keys.is_empty() {
        text.push_str("【Foreign keys】\n");
        text.push_str(&keys);
    }
    if !grounding.functions.is_empty() {
        text.push_str("【Functions】\n");
        for function in &grounding.functions {
            let _ = writeln!(text, "{}: {}", function.signature, function.returns);
        }
    }
    if !grounding.knowledge.is_empty() {
        text.push_str("【Evidence】\n");
        for line in known_lines(grounding) {
            let _ = writeln!(text, "{line}");
        }
    }
    if !grounding.left_out.is_empty() {
        let _ = writeln!(text, "# Left out: {}", grounding.left_out.join("; "));
    }
    let _ = writeln!(text, "# grounding_version: {version}");
    text
}

fn add_relation(text: &mut String, relation: &GroundedRelation) {
    let _ = write!(text, "# Table: {}", relation.qualified_name());
    if let Some(comment) = &relation.comment {
        let _ = write!(text, ", {}", one_line(comment));
    }
    text.push_str("\n[\n");
    for column in &relation.columns {
        let _ = writeln!(text, "({}),", tuple(relation, column));
    }
    if relation.columns_left_out > 0 {
        let _ = writeln!(text, "# {} more columns", relation.columns_left_out);
    }
    for unique in relation.unique_keys.iter().filter(|key| key.len() > 1) {
        let _ = writeln!(text, "# unique: {}", unique.join(", "));
    }
    for index in &relation.indexes {
        let _ = writeln!(text, "# index: {}", index.columns.join(", "));
    }
    text.push_str("]\n");
}

fn tuple(relation: &GroundedRelation, column: &GroundedColumn) -> String {
    let mut tuple = format!("{}:{}", column.name, column.type_name.to_uppercase());
    if relation.primary_key.contains(&column.name) {
        tuple.push_str(", Primary Key");
    }
    if relation
        .unique_keys
        .iter()
        .any(|key| key.as_slice() == [column.name.clone()])
    {
        tuple.push_str(", Unique");
    }
    if column.not_null {
        tuple.push_str(", Not Null");
    }
    if column.is_calculated {
        tuple.push_str(", Calculated");
    }
    if let Some(comment) = &column.comment {
        let _ = write!(tuple, ", {}", one_line(comment));
    }
    let common = column
        .statistics
        .iter()
        .flat_map(|known| &known.common_values);
    let mut examples: Vec<&String> = column.labels.iter().chain(&column.samples).collect();
    examples.extend(common);
    examples.dedup();
    if !examples.is_empty() {
        let examples: Vec<String> = examples.into_iter().map(|one| one_line(one)).collect();
        let _ = write!(tuple, ", Examples: [{}]", examples.join(", "));
    }
    tuple
}
