//! A grounding as text.
//!
//! * `markdown`: for people and models; `m_schema`: the form that models are often trained on;
//!   `ddl`: CREATE TABLE statements; JSON is the document as it is

mod ddl;
mod m_schema;
mod markdown;

use ground::words::words;
use serde_json::{Value, json};

use super::document::Grounding;
use super::version::GroundingVersion;

words! {
    /// How a grounding is written.
    GroundingFormat {
        /// Headings, and a line for each column.
        Markdown => "markdown",
        /// M-Schema.
        MSchema => "m-schema",
        /// CREATE TABLE statements with comments.
        Ddl => "ddl",
        /// One JSON object.
        Json => "json",
    }
}

/// A grounding in a format, with its version. It ends in a newline.
pub fn render(grounding: &Grounding, version: GroundingVersion, format: GroundingFormat) -> String {
    match format {
        GroundingFormat::Markdown => markdown::render(grounding, version),
        GroundingFormat::MSchema => m_schema::render(grounding, version),
        GroundingFormat::Ddl => ddl::render(grounding, version),
        GroundingFormat::Json => json(grounding, version),
    }
}

fn json(grounding: &Grounding, version: GroundingVersion) -> String {
    let mut whole = json!({ "grounding_version": version.to_string() });
    if let (Ok(Value::Object(document)), Value::Object(fields)) =
        (serde_json::to_value(grounding), &mut whole)
    {
        fields.extend(document);
    }
    format!("{whole}\n")
}

/// The records of knowledge, a sentence each, in one line.
pub(super) fn known_lines(grounding: &Grounding) -> impl Iterator<Item = String> {
    let records = grounding.knowledge.iter();
    records.map(|record| one_line(&record.sentence()))
}

/// A text of a person's in one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
