//! What is found for single references, put together into one answer.

use std::ops::Range;

use super::context::{NameRepairContext, spelled};
use crate::{Confidence, NameGate, RecovererAnswer, Repair, RepairHint, TextChange};
use ground::limits::NAMES_EXPANSION_DEPTH_MAX;
use sql::edit::{self, TextEdit};

/// What is found for one reference.
pub(crate) enum NameFix {
    /// Another text for it.
    Repaired(NameRepair),
    /// Words.
    Advised(NameAdvice),
}

/// Another text for a part of the text.
pub(crate) struct NameRepair {
    /// How sure it is.
    pub confidence: Confidence,
    /// What is replaced.
    pub span: Range<usize>,
    /// By what.
    pub with: NameReplacement,
    /// Insertions elsewhere that it needs.
    pub beside: Vec<TextEdit>,
    /// Why, for the client.
    pub change: String,
    /// The name of the column where it is another one than was written.
    pub renamed: Option<String>,
}

/// What replaces something.
pub(crate) enum NameReplacement {
    /// This.
    Text(String),
    /// Another part of the text as it becomes, in parentheses, and what follows it.
    Part(Range<usize>, String),
}

/// Words instead of a changed text.
pub(crate) struct NameAdvice {
    /// They.
    pub advice: String,
    /// The gates that failed.
    pub failed: Vec<NameGate>,
    /// Whether nothing here could stand for the name: another relation may have to be joined.
    pub absent: bool,
}

impl NameFix {
    /// Words alone.
    pub(crate) fn advised(advice: String) -> Self {
        Self::Advised(NameAdvice {
            advice,
            failed: Vec::new(),
            absent: false,
        })
    }

    /// A replacement by a text.
    pub(crate) fn text(
        confidence: Confidence,
        span: Range<usize>,
        text: String,
        change: String,
    ) -> Self {
        Self::Repaired(NameRepair {
            confidence,
            span,
            with: NameReplacement::Text(text),
            beside: Vec::new(),
            change,
            renamed: None,
        })
    }

    /// A replacement by the name of another column.
    pub(crate) fn name(
        confidence: Confidence,
        span: Range<usize>,
        text: String,
        change: String,
        renamed: &str,
    ) -> Self {
        Self::Repaired(NameRepair {
            confidence,
            span,
            with: NameReplacement::Text(text),
            beside: Vec::new(),
            change,
            renamed: Some(renamed.to_owned()),
        })
    }
}

/// The last part of a reference, in the case in which it exists.
pub(crate) fn case_fix(
    name_context: &NameRepairContext<'_>,
    part: &Range<usize>,
    name: &str,
) -> NameFix {
    let right = spelled(None, name);
    let change = format!(
        "{} is written as the catalog spells it, {right}",
        name_context.text(part)
    );
    NameFix::name(Confidence::Exact, part.clone(), right, change, name)
}

/// One answer of all: a changed text where every one is repaired, as sure as the least sure.
pub(crate) fn together(text: &str, fixes: Vec<NameFix>) -> RecovererAnswer {
    let mut repairs = Vec::new();
    let mut told = Vec::new();
    for fix in fixes {
        match fix {
            NameFix::Repaired(repair) => repairs.push(repair),
            NameFix::Advised(words) => told.push(words),
        }
    }
    if !told.is_empty() {
        return hinted(told);
    }
    let confidence = match repairs
        .iter()
        .all(|repair| repair.confidence == Confidence::Exact)
    {
        true => Confidence::Exact,
        false => Confidence::Likely,
    };
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut changes: Vec<&str> = Vec::new();
    for repair in &repairs {
        let Some(replacement) = repair.replacement(text, &repairs, 0) else {
            return RecovererAnswer::Silent;
        };
        let whole = TextEdit {
            span: repair.span.clone(),
            replacement,
        };
        for edit in repair.beside.iter().cloned().chain([whole]) {
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        }
        if !changes.contains(&repair.change.as_str()) {
            changes.push(&repair.change);
        }
    }
    if edits.is_empty() {
        return RecovererAnswer::Silent;
    }
    RecovererAnswer::Repaired(Repair {
        confidence,
        rewritten: TextChange::Edits(edits),
        change: changes.join("; "),
    })
}

impl NameRepair {
    fn replacement(&self, text: &str, all: &[Self], depth: usize) -> Option<String> {
        match &self.with {
            NameReplacement::Text(text) => Some(text.clone()),
            NameReplacement::Part(part, after) => {
                let inner = becoming(text, part, all, depth)?;
                Some(format!("({inner}){after}"))
            }
        }
    }
}

/// A part of the text with all changes made in it.
fn becoming(text: &str, part: &Range<usize>, all: &[NameRepair], depth: usize) -> Option<String> {
    if depth >= NAMES_EXPANSION_DEPTH_MAX {
        return None;
    }
    let own = text.get(part.clone())?;
    let mut edits = Vec::new();
    for repair in all {
        let (Some(start), Some(end)) = (
            repair.span.start.checked_sub(part.start),
            repair.span.end.checked_sub(part.start),
        ) else {
            continue;
        };
        if repair.span.end > part.end {
            continue;
        }
        edits.push(TextEdit {
            span: start..end,
            replacement: repair.replacement(text, all, depth + 1)?,
        });
    }
    let made = edit::apply(own, edits).ok()?;
    (made.len() <= ground::limits::REPAIR_BYTES_MAX).then_some(made)
}

fn hinted(told: Vec<NameAdvice>) -> RecovererAnswer {
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
    RecovererAnswer::Hinted(RepairHint {
        advice: advice.join(" "),
        failed,
    })
}

/// Words about more places are not read.
const HINTS_MAX: usize = 3;
