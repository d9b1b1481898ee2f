//! What is found for single references, put together into one answer.

use std::ops::Range;

use crate::limits::NAMES_EXPANSION_DEPTH_MAX;
use crate::repair::{Answer, Confidence, Hint, NameGate, Repair, Rewritten};
use crate::sql::edit::{self, Edit};

/// What is found for one reference.
pub(in crate::repair) enum Fix {
    /// Another text for it.
    Mended(Mend),
    /// Words.
    Told(Told),
}

/// Another text for a part of the text.
pub(in crate::repair) struct Mend {
    /// How sure it is.
    pub confidence: Confidence,
    /// What is replaced.
    pub span: Range<usize>,
    /// By what.
    pub with: With,
    /// Insertions elsewhere that it needs.
    pub beside: Vec<Edit>,
    /// Why, for the client.
    pub change: String,
    /// The name of the column where it is another one than was written.
    pub renamed: Option<String>,
}

/// What replaces something.
pub(in crate::repair) enum With {
    /// This.
    Text(String),
    /// Another part of the text as it becomes, in parentheses, and what follows it.
    Part(Range<usize>, String),
}

/// Words instead of a changed text.
pub(in crate::repair) struct Told {
    /// They.
    pub advice: String,
    /// The gates that failed.
    pub failed: Vec<NameGate>,
    /// Whether nothing here could stand for the name: another relation may have to be joined.
    pub absent: bool,
}

impl Fix {
    /// Words alone.
    pub(in crate::repair) fn told(advice: String) -> Self {
        Self::Told(Told {
            advice,
            failed: Vec::new(),
            absent: false,
        })
    }

    /// A replacement by a text.
    pub(in crate::repair) fn text(
        confidence: Confidence,
        span: Range<usize>,
        text: String,
        change: String,
    ) -> Self {
        Self::Mended(Mend {
            confidence,
            span,
            with: With::Text(text),
            beside: Vec::new(),
            change,
            renamed: None,
        })
    }

    /// A replacement by the name of another column.
    pub(in crate::repair) fn name(
        confidence: Confidence,
        span: Range<usize>,
        text: String,
        change: String,
        renamed: &str,
    ) -> Self {
        Self::Mended(Mend {
            confidence,
            span,
            with: With::Text(text),
            beside: Vec::new(),
            change,
            renamed: Some(renamed.to_owned()),
        })
    }
}

/// One answer of all: a changed text where every one is mended, as sure as the least sure.
pub(in crate::repair) fn together(text: &str, fixes: Vec<Fix>) -> Answer {
    let mut mends = Vec::new();
    let mut told = Vec::new();
    for fix in fixes {
        match fix {
            Fix::Mended(mend) => mends.push(mend),
            Fix::Told(words) => told.push(words),
        }
    }
    if !told.is_empty() {
        return hinted(told);
    }
    let confidence = match mends
        .iter()
        .all(|mend| mend.confidence == Confidence::Exact)
    {
        true => Confidence::Exact,
        false => Confidence::Likely,
    };
    let mut edits: Vec<Edit> = Vec::new();
    let mut changes: Vec<&str> = Vec::new();
    for mend in &mends {
        let Some(replacement) = mend.replacement(text, &mends, 0) else {
            return Answer::Silent;
        };
        let whole = Edit {
            span: mend.span.clone(),
            replacement,
        };
        for edit in mend.beside.iter().cloned().chain([whole]) {
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        }
        if !changes.contains(&mend.change.as_str()) {
            changes.push(&mend.change);
        }
    }
    if edits.is_empty() {
        return Answer::Silent;
    }
    Answer::Repaired(Repair {
        confidence,
        rewritten: Rewritten::Edits(edits),
        change: changes.join("; "),
    })
}

impl Mend {
    fn replacement(&self, text: &str, all: &[Self], depth: usize) -> Option<String> {
        match &self.with {
            With::Text(text) => Some(text.clone()),
            With::Part(part, after) => {
                let inner = becoming(text, part, all, depth)?;
                Some(format!("({inner}){after}"))
            }
        }
    }
}

/// A part of the text with all changes made in it.
fn becoming(text: &str, part: &Range<usize>, all: &[Mend], depth: usize) -> Option<String> {
    if depth >= NAMES_EXPANSION_DEPTH_MAX {
        return None;
    }
    let own = text.get(part.clone())?;
    let mut edits = Vec::new();
    for mend in all {
        let (Some(start), Some(end)) = (
            mend.span.start.checked_sub(part.start),
            mend.span.end.checked_sub(part.start),
        ) else {
            continue;
        };
        if mend.span.end > part.end {
            continue;
        }
        edits.push(Edit {
            span: start..end,
            replacement: mend.replacement(text, all, depth + 1)?,
        });
    }
    let made = edit::apply(own, edits).ok()?;
    (made.len() <= crate::limits::REPAIR_BYTES_MAX).then_some(made)
}

fn hinted(told: Vec<Told>) -> Answer {
    let mut advice: Vec<String> = Vec::new();
    let mut failed: Vec<NameGate> = Vec::new();
    for one in told {
        if !advice.contains(&one.advice) && advice.len() < HINTS_MAX {
            advice.push(one.advice);
        }
        failed.extend(one.failed);
    }
    failed.sort();
    failed.dedup();
    Answer::Hinted(Hint {
        advice: advice.join(" "),
        failed,
    })
}

/// Words about more places are not read.
const HINTS_MAX: usize = 3;
