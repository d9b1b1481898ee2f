//! A whole grounding, and what is told of it.

use std::fmt;
use std::sync::OnceLock;

use super::budget;
use super::document::Grounding;
use super::format::{GroundingFormat, render};
use super::retrieval::{SchemaIndex, usual_budget};
use super::version::GroundingVersion;

/// A whole grounding with its version. Questions about it share an index.
pub struct WholeGrounding {
    /// What a session may read.
    pub document: Grounding,
    /// The hash of what it shows.
    pub version: GroundingVersion,
    /// Made when the first question comes.
    index: OnceLock<SchemaIndex>,
}

/// How it is told.
#[derive(Clone, Debug)]
pub struct GroundingWish {
    /// What it has to answer; all is told without one.
    pub question: Option<String>,
    /// At most so many tokens.
    pub budget: Option<usize>,
    /// How it is written.
    pub format: GroundingFormat,
}

/// What cannot be left out is more than there is room for: it takes so many tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetTooSmall(pub usize);

impl WholeGrounding {
    /// Of a document.
    pub fn new((document, version): (Grounding, GroundingVersion)) -> Self {
        Self {
            document,
            version,
            index: OnceLock::new(),
        }
    }

    /// A measure of the memory that it takes: the bytes of its JSON, of which the document and an
    /// index are a few times as many.
    pub fn bytes(&self) -> usize {
        serde_json::to_vec(&self.document).map_or(0, |text| text.len())
    }

    /// What is told of it.
    ///
    /// # Errors
    /// The budget has no room for what cannot be left out.
    pub fn text(&self, wish: &GroundingWish) -> Result<String, BudgetTooSmall> {
        let whole = &self.document;
        let write = |grounding: &Grounding| render(grounding, self.version, wish.format);
        match (&wish.question, wish.budget) {
            (Some(question), budget) => {
                let usual = || usual_budget(whole.relations.len(), budget::tokens(&write(whole)));
                let budget = budget.unwrap_or_else(usual);
                let index = self.index.get_or_init(|| SchemaIndex::of(whole));
                Ok(write(&index.answer(whole, question, budget, write)))
            }
            (None, Some(room)) => {
                let text = write(&budget::fit(whole, room, write));
                let least = budget::tokens(&text);
                match least <= room {
                    true => Ok(text),
                    false => Err(BudgetTooSmall(least)),
                }
            }
            (None, None) => Ok(write(whole)),
        }
    }
}

impl fmt::Debug for WholeGrounding {
    /// Without any name of the database.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "WholeGrounding({})", self.version)
    }
}
