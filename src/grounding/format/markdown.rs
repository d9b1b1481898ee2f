//! Headings, and a line for each column.

use std::fmt::Write;

use super::{known_lines, one_line};
use crate::document::{GroundedColumn, GroundedRelation, Grounding};
use crate::version::GroundingVersion;

/// The whole text.
pub(super) fn render(grounding: &Grounding, version: GroundingVersion) -> String {
    let mut text = format!("# Database {}\n\n", grounding.database);
    if let Some(server) = &grounding.server {
        let _ = writeln!(text, "PostgreSQL {}.\n", server.version);
        for note in &server.notes {
            let _ = writeln!(text, "- {note}");
        }
        text.push('\n');
    }
    for relation in &grounding.relations {
        add_relation(&mut text, relation);
    }
    if !grounding.functions.is_empty() {
        text.push_str("## Functions\n\n");
        for function in &grounding.functions {
            let comment = function.comment.as_deref().map(one_line);
            let comment = comment.map_or(String::new(), |comment| format!(": {comment}"));
            let _ = writeln!(
                text,
                "- {} → {}{comment}",
                function.signature, function.returns
            );
        }
        text.push('\n');
    }
    if !grounding.knowledge.is_empty() {
        text.push_str("## What is known besides\n\n");
        for line in known_lines(grounding) {
            let _ = writeln!(text, "- {line}");
        }
        text.push('\n');
    }
    if !grounding.left_out.is_empty() {
        let _ = writeln!(text, "Left out: {}.\n", grounding.left_out.join("; "));
    }
    let _ = writeln!(text, "grounding_version: {version}");
    text
}

fn add_relation(text: &mut String, relation: &GroundedRelation) {
    let _ = write!(text, "## {} ({}", relation.qualified_name(), relation.kind);
    if let Some(rows) = relation.rows {
        let _ = write!(text, ", about {rows} rows");
    }
    text.push_str(")\n\n");
    if let Some(comment) = &relation.comment {
        let _ = writeln!(text, "{}\n", one_line(comment));
    }
    let (brief, told): (Vec<_>, Vec<_>) = relation.columns.iter().partition(|one| one.is_brief);
    for column in told {
        let _ = writeln!(text, "- {}", column_line(column));
    }
    if !brief.is_empty() {
        let brief = brief.into_iter();
        let brief = brief.map(|column| format!("{} {}", column.name, column.type_name));
        let _ = writeln!(text, "- {}", brief.collect::<Vec<_>>().join(", "));
    }
    if relation.columns_left_out > 0 {
        let _ = writeln!(text, "- {} more columns", relation.columns_left_out);
    }
    let mut keys = Vec::new();
    if !relation.primary_key.is_empty() {
        keys.push(format!("Primary key: {}", relation.primary_key.join(", ")));
    }
    for unique in &relation.unique_keys {
        keys.push(format!("Unique: {}", unique.join(", ")));
    }
    for key in &relation.foreign_keys {
        let (columns, to_columns) = (key.columns.join(", "), key.to_columns.join(", "));
        keys.push(format!("({columns}) refers to {}({to_columns})", key.to));
    }
    for index in &relation.indexes {
        let unique = if index.is_unique { "unique " } else { "" };
        keys.push(format!(
            "Index: {unique}{}({})",
            index.method,
            index.columns.join(", ")
        ));
    }
    if !keys.is_empty() {
        text.push('\n');
    }
    for key in keys {
        let _ = writeln!(text, "{key}");
    }
    text.push('\n');
}

fn column_line(column: &GroundedColumn) -> String {
    let mut line = format!("{} {}", column.name, column.type_name);
    if column.not_null {
        line.push_str(" not null");
    }
    if column.is_generated {
        line.push_str(" generated");
    }
    if column.is_calculated {
        line.push_str(" calculated");
    }
    if let Some(comment) = &column.comment {
        let _ = write!(line, ": {}", one_line(comment));
    }
    if !column.labels.is_empty() {
        let _ = write!(line, "; one of {}", quoted_list(&column.labels));
    }
    if !column.samples.is_empty() {
        let _ = write!(line, "; values {}", quoted_list(&column.samples));
    }
    if let Some(statistics) = &column.statistics {
        if let Some(distinct) = statistics.distinct {
            let _ = write!(line, "; about {distinct} distinct");
        }
        if statistics.null_percent > 0 {
            let _ = write!(line, "; {} % NULL", statistics.null_percent);
        }
        if !statistics.common_values.is_empty() {
            let _ = write!(line, "; often {}", quoted_list(&statistics.common_values));
        }
    }
    line
}

/// Values as SQL writes them, in one line: a value must not look like a line of the text.
pub(super) fn quoted_list(values: &[String]) -> String {
    let values = values.iter().map(|value| quoted_value(value));
    values.collect::<Vec<_>>().join(", ")
}

fn quoted_value(value: &str) -> String {
    let doubled = value.replace('\'', "''");
    match value.contains(char::is_control) {
        false => format!("'{doubled}'"),
        true => {
            let mut escaped = String::new();
            for letter in doubled.chars() {
                match letter {
                    '\\' => escaped.push_str("\\\\"),
                    letter if letter.is_control() => {
                        let _ = write!(escaped, "\\u{:04x}", u32::from(letter));
                    }
                    letter => escaped.push(letter),
                }
            }
            format!("E'{escaped}'")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_one_line() {
        for (value, written) in [
            ("plain", "'plain'"),
            ("it's", "'it''s'"),
            ("back\\slash", "'back\\slash'"),
            ("two\n## lines", "E'two\\u000a## lines'"),
            ("\\ it's\t", "E'\\\\ it''s\\u0009'"),
        ] {
            assert_eq!(quoted_value(value), written);
        }
    }
}
