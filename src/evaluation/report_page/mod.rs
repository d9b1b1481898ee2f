//! Reports as one HTML file: figures, charts, what is more than chance, and what failed.
//!
//! The file holds everything that it shows, has no script and asks nobody for anything. Questions,
//! statements and labels are texts of others: all of them go through `markup`.
//!
//! * `markup`: texts of others; `chart`: drawings
//! * `figures`: what is drawn; `failed_entries`: the questions without an answer

mod chart;
mod failed_entries;
mod figures;
mod markup;

use std::fmt::Write;

use self::chart::ReportMark;
use self::markup::{escaped, shortened};
use super::report::{EvaluationReport, StatementSource};
use super::report_comparison::ReportComparison;
use super::told_numbers::{percent, plural, spread};

/// The page of these reports; each further one is held against the first.
pub fn page(reports: &[EvaluationReport]) -> String {
    let labels: Vec<String> = reports.iter().map(label).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{CONTENT_SECURITY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Evaluation: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>Evaluation</h1></header>\n<main>\n{}{}<section class=\"charts\">\n{}</section>\n{}\
         </main>\n</body>\n</html>\n",
        shortened(&labels.join(", "), TITLE_CHARS_MAX),
        summary(reports),
        verdicts(reports),
        figures::all(reports),
        failed_entries::table(reports),
    )
}

/// Each with its mark.
fn marked(reports: &[EvaluationReport]) -> impl Iterator<Item = (ReportMark, &EvaluationReport)> {
    let marks = (0..).map(|number| ReportMark { number });
    marks.zip(reports)
}

fn label(report: &EvaluationReport) -> String {
    escaped(&shortened(&report.label, LABEL_CHARS_MAX))
}

/// The mark of a report as it stands in texts.
fn badge(mark: ReportMark) -> String {
    format!("<b class=\"badge {}\">{}</b>", mark.class(), mark.letter())
}

fn summary(reports: &[EvaluationReport]) -> String {
    let mut out = String::from(
        "<section><h2>Reports</h2>\n<table class=\"reports\">\n<thead><tr><th>Report</th>\
         <th>Statements</th>",
    );
    for name in NUMBERS {
        let _ = write!(out, "<th class=\"number\">{name}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (mark, report) in marked(reports) {
        let setup = &report.setup;
        let _ = write!(
            out,
            "<tr><th>{} {}<small>{}</small></th><td>{}<small>policy {}, {} run{}, {} \
             correction{}</small></td>",
            badge(mark),
            label(report),
            escaped(&shortened(&report.began_at, LABEL_CHARS_MAX)),
            source(setup.source),
            escaped(&shortened(&setup.policy, LABEL_CHARS_MAX)),
            setup.runs,
            plural(setup.runs == 1),
            setup.rounds,
            plural(setup.rounds == 1),
        );
        for (name, number) in NUMBERS.iter().zip(numbers(report)) {
            let _ = write!(
                out,
                "<td class=\"number\" data-name=\"{name}\">{number}</td>"
            );
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></section>\n");
    out
}

/// Those of [`NUMBERS`].
fn numbers(report: &EvaluationReport) -> [String; NUMBERS.len()] {
    let scores = &report.scores;
    let malformed = match scores.latency.generate_p50 {
        Some(_) => percent(scores.malformed),
        None => "–".to_owned(),
    };
    [
        report.entries.len().to_string(),
        scores.scored.to_string(),
        spread(scores.accuracy),
        spread(scores.accuracy_before_repair),
        spread(scores.running),
        malformed,
    ]
}

/// What each report is beside the first, in words.
fn verdicts(reports: &[EvaluationReport]) -> String {
    let mut marked = marked(reports);
    let Some((first_mark, first)) = marked.next() else {
        return String::new();
    };
    let mut out = String::new();
    for (mark, report) in marked {
        let compared = ReportComparison::of(first, report);
        let _ = writeln!(
            out,
            "<li>{} beside {}: {}{}{}</li>",
            badge(mark),
            badge(first_mark),
            escaped(&compared.verdict()),
            questions("won", &compared.won),
            questions("lost", &compared.lost),
        );
    }
    if out.is_empty() {
        return out;
    }
    format!(
        "<section><h2>More than chance?</h2>\n<ul>\n{out}</ul>\n<p class=\"soft\">A question counts \
         as answered where more than half of its runs are right. Only questions that one report \
         answers and the other does not say anything; p is how often so many of them would fall to \
         one side if both were equally good.</p></section>\n"
    )
}

fn questions(what: &str, ids: &[String]) -> String {
    if ids.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = (ids.iter().take(NAMED_MAX))
        .map(|id| format!("<bdi>{}</bdi>", escaped(&shortened(id, LABEL_CHARS_MAX))))
        .collect();
    let more = if ids.len() > NAMED_MAX { " …" } else { "" };
    format!("<small>{what}: {}{more}</small>", shown.join(" "))
}

fn source(source: StatementSource) -> &'static str {
    match source {
        StatementSource::Dataset => "of the dataset",
        StatementSource::Predictions => "of a file of predictions",
        StatementSource::Command => "of a command",
        StatementSource::Capture => "that failed on the wire",
    }
}

/// Nothing is loaded, and nothing runs; the page has a style of its own.
const CONTENT_SECURITY: &str = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE: &str = include_str!("style.css");

/// Columns of the first table.
const NUMBERS: [&str; 6] = [
    "Questions",
    "Scored",
    "Accuracy",
    "With repairs off",
    "Running",
    "Malformed",
];

/// Letters of the page's title.
const TITLE_CHARS_MAX: usize = 120;

/// Letters of a label, of a name and of a moment.
const LABEL_CHARS_MAX: usize = 80;

/// Questions that are named of a difference.
const NAMED_MAX: usize = 40;

#[cfg(test)]
mod tests;
