//! The questions that a report does not answer, and what was tried, where the report has the texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::chart::ReportMark;
use super::markup::{escaped, shortened};
use super::{badge, marked};
use crate::evaluation::entry_report::{AnswerOutcome, AttemptReport, EntryReport, RunReport};
use crate::evaluation::report::EvaluationReport;

/// The table; nothing where everything is answered.
pub(super) fn table(reports: &[EvaluationReport]) -> String {
    let failed = failed(reports);
    if failed.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "<section><h2>Without an answer: {} question{}</h2>\n<table class=\"failed\">\n",
        failed.len(),
        if failed.len() == 1 { "" } else { "s" }
    );
    for question in failed.iter().take(QUESTIONS_MAX) {
        write_question(&mut out, question);
    }
    out.push_str("</table>\n");
    if failed.len() > QUESTIONS_MAX {
        let _ = writeln!(
            out,
            "<p class=\"soft\">The first {QUESTIONS_MAX} are shown.</p>"
        );
    }
    out.push_str("</section>\n");
    out
}

/// The same question in each report that does not answer it.
type FailedQuestion<'r> = Vec<(ReportMark, &'r EntryReport)>;

fn failed(reports: &[EvaluationReport]) -> Vec<FailedQuestion<'_>> {
    let mut order: Vec<&str> = Vec::new();
    let mut known = BTreeSet::new();
    let mut by_id: BTreeMap<&str, FailedQuestion<'_>> = BTreeMap::new();
    for (mark, report) in marked(reports) {
        for entry in &report.entries {
            if known.insert(&*entry.id) {
                order.push(&entry.id);
            }
            if !entry.is_answered() {
                by_id.entry(&entry.id).or_default().push((mark, entry));
            }
        }
    }
    let failed = order.into_iter().filter_map(|id| by_id.remove(id));
    failed.collect()
}

fn write_question(out: &mut String, question: &FailedQuestion<'_>) {
    let Some((_, first)) = question.first() else {
        return;
    };
    let asked = question
        .iter()
        .find_map(|(_, entry)| entry.question.as_deref());
    let _ = write!(
        out,
        "<tbody><tr><th colspan=\"2\"><bdi>{}</bdi>",
        escaped(&shortened(&first.id, NAME_CHARS_MAX))
    );
    if let Some(difficulty) = &first.difficulty {
        let difficulty = escaped(&shortened(difficulty, NAME_CHARS_MAX));
        let _ = write!(
            out,
            " <small class=\"inline\"><bdi>{difficulty}</bdi></small>"
        );
    }
    if let Some(asked) = asked {
        let asked = escaped(&shortened(asked, TEXT_CHARS_MAX));
        let _ = write!(out, "<p dir=\"auto\">{asked}</p>");
    }
    out.push_str("</th></tr>\n");
    for (mark, entry) in question {
        let ending = escaped(&shortened(&entry.ending(), NAME_CHARS_MAX));
        let _ = write!(out, "<tr><td>{} {ending}</td><td>", badge(*mark));
        if let Some(attempt) = deciding(entry) {
            write_texts(out, attempt);
        }
        out.push_str("</td></tr>\n");
    }
    out.push_str("</tbody>\n");
}

/// The last attempt of the first run that is not right.
fn deciding(entry: &EntryReport) -> Option<&AttemptReport> {
    let mut lasts = entry.runs.iter().filter_map(RunReport::last);
    lasts.find(|last| !matches!(last.outcome, AnswerOutcome::Right | AnswerOutcome::Runs))
}

fn write_texts(out: &mut String, attempt: &AttemptReport) {
    for (name, text) in [("", &attempt.sql), ("ran in its place:", &attempt.ran)] {
        if let Some(text) = text {
            let text = escaped(&shortened(text, TEXT_CHARS_MAX));
            if !name.is_empty() {
                let _ = write!(out, "<small>{name}</small>");
            }
            let _ = write!(out, "<pre dir=\"ltr\">{text}</pre>");
        }
    }
    if let Some(message) = &attempt.message {
        let message = escaped(&shortened(message, TEXT_CHARS_MAX));
        let _ = write!(out, "<p class=\"message\" dir=\"auto\">{message}</p>");
    }
}

/// Questions that somebody reads through.
const QUESTIONS_MAX: usize = 300;

/// Letters of a statement, a question or a message; a longer one is in the report.
const TEXT_CHARS_MAX: usize = 4_000;

/// Letters of a name.
const NAME_CHARS_MAX: usize = 80;
