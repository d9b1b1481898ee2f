//! CREATE TABLE statements with comments. Views and models are written as tables: this is what can
//! be read, and not how it was made.

use std::fmt::Write;

use super::markdown::quoted_list;
use super::{known_lines, one_line};
use crate::document::{GroundedColumn, GroundedRelation, Grounding};
use crate::version::GroundingVersion;

/// The whole text.
pub(super) fn render(grounding: &Grounding, version: GroundingVersion) -> String {
    let mut text = format!("-- Database {}\n", grounding.database);
    if let Some(server) = &grounding.server {
        let _ = writeln!(text, "-- PostgreSQL {}", server.version);
        for note in &server.notes {
            let _ = writeln!(text, "-- {note}");
        }
    }
    for relation in &grounding.relations {
        add_relation(&mut text, relation);
    }
    for function in &grounding.functions {
        let _ = writeln!(
            text,
            "\n-- {} returns {}",
            function.signature, function.returns
        );
    }
    for (place, line) in known_lines(grounding).enumerate() {
        let before = if place == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{before}-- {line}");
    }
    if !grounding.left_out.is_empty() {
        let _ = writeln!(text, "\n-- Left out: {}", grounding.left_out.join("; "));
    }
    let _ = writeln!(text, "\n-- grounding_version: {version}");
    text
}

fn add_relation(text: &mut String, relation: &GroundedRelation) {
    text.push('\n');
    let comment = relation.comment.as_deref().map(one_line);
    let rows = relation.rows.map(|rows| format!("about {rows} rows"));
    let kind = Some(relation.kind.to_owned()).filter(|kind| kind != "table");
    let said: Vec<String> = [kind, rows, comment].into_iter().flatten().collect();
    if !said.is_empty() {
        let _ = writeln!(text, "-- {}", said.join("; "));
    }
    let _ = writeln!(text, "CREATE TABLE {} (", relation.qualified_name());
    let lines = lines(relation);
    for (place, (line, note)) in lines.iter().enumerate() {
        let comma = if place + 1 < lines.len() { "," } else { "" };
        let note = note
            .as_ref()
            .map_or(String::new(), |note| format!(" -- {note}"));
        let _ = writeln!(text, "    {line}{comma}{note}");
    }
    if relation.columns_left_out > 0 {
        let _ = writeln!(text, "    -- {} more columns", relation.columns_left_out);
    }
    text.push_str(");\n");
    for index in &relation.indexes {
        let unique = if index.is_unique { "UNIQUE " } else { "" };
        let (name, columns) = (relation.qualified_name(), index.columns.join(", "));
        let _ = writeln!(
            text,
            "CREATE {unique}INDEX ON {name} USING {} ({columns});",
            index.method
        );
    }
}

/// Columns and keys, each with what is said of it.
fn lines(relation: &GroundedRelation) -> Vec<(String, Option<String>)> {
    let mut lines: Vec<(String, Option<String>)> = Vec::new();
    for column in &relation.columns {
        let not_null = if column.not_null { " NOT NULL" } else { "" };
        let line = format!("{} {}{not_null}", column.name, column.type_name);
        lines.push((line, note(column)));
    }
    if !relation.primary_key.is_empty() {
        lines.push((
            format!("PRIMARY KEY ({})", relation.primary_key.join(", ")),
            None,
        ));
    }
    for unique in &relation.unique_keys {
        lines.push((format!("UNIQUE ({})", unique.join(", ")), None));
    }
    for key in &relation.foreign_keys {
        let (columns, to_columns) = (key.columns.join(", "), key.to_columns.join(", "));
        lines.push((
            format!(
                "FOREIGN KEY ({columns}) REFERENCES {} ({to_columns})",
                key.to
            ),
            None,
        ));
    }
    lines
}

fn note(column: &GroundedColumn) -> Option<String> {
    let generated = column.is_generated.then(|| "generated".to_owned());
    let calculated = column.is_calculated.then(|| "calculated".to_owned());
    let comment = column.comment.as_deref().map(one_line);
    let labels = Some(&column.labels).filter(|labels| !labels.is_empty());
    let labels = labels.map(|labels| format!("one of {}", quoted_list(labels)));
    let samples = Some(&column.samples).filter(|samples| !samples.is_empty());
    let samples = samples.map(|samples| format!("values {}", quoted_list(samples)));
    let common = column.statistics.as_ref().map(|known| &known.common_values);
    let common = common.filter(|values| !values.is_empty());
    let common = common.map(|values| format!("often {}", quoted_list(values)));
    let said = [generated, calculated, comment, labels, samples, common];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
}
