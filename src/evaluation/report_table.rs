//! Reports as a table for a person: a column for each.

use std::fmt::Write;

use super::report::{EntryReport, EvaluationReport};
use super::report_comparison::ReportComparison;
use super::scores::EvaluationScores;
use super::told_numbers::{percent, plural, spread};
use crate::telemetry::session_info::cleaned;

/// A line of the table: what it tells, and that of each report.
struct TableLine {
    name: String,
    values: Vec<String>,
}

/// The table, and what each report is beside the first.
pub fn table(reports: &[EvaluationReport]) -> String {
    let mut lines = shares(reports);
    lines.extend(breakdown(reports));
    lines.extend(repairs_and_times(reports));
    written(&lines) + &comparisons(reports)
}

/// What is right and what runs.
fn shares(reports: &[EvaluationReport]) -> Vec<TableLine> {
    let line = |name: &str, value: &dyn Fn(&EvaluationReport) -> String| {
        TableLine::of(reports, name, value)
    };
    let mut lines = vec![
        line("", &|report| cleaned(&report.label)),
        line("questions", &|report| report.entries.len().to_string()),
        line("  that can be scored", &|report| {
            report.scores.scored.to_string()
        }),
        line("runs of each", &|report| report.setup.runs.to_string()),
        line("accuracy", &|report| spread(report.scores.accuracy)),
        line("  with repairs off", &|report| {
            spread(report.scores.accuracy_before_repair)
        }),
        line("statements that run", &|report| {
            spread(report.scores.running)
        }),
    ];
    if has_command(reports) {
        lines.push(line("malformed answers", &|report| {
            percent(report.scores.malformed)
        }));
    }
    lines
}

/// By attempts, by difficulty and by what went wrong.
fn breakdown(reports: &[EvaluationReport]) -> Vec<TableLine> {
    let mut lines = Vec::new();
    let most = reports
        .iter()
        .map(|report| report.scores.rounds.len())
        .max();
    for attempts in 1..=most.unwrap_or(0) {
        let name = format!("right after {attempts} attempt{}", plural(attempts == 1));
        lines.push(TableLine::of(reports, &name, &|report| {
            let rounds = &report.scores.rounds;
            let last = rounds.get(attempts.min(rounds.len()).saturating_sub(1));
            last.map_or_else(String::new, |round| percent(round.accuracy))
        }));
    }
    for difficulty in names(reports, |scores| {
        let all = scores.difficulties.iter();
        all.map(|one| one.difficulty.clone()).collect()
    }) {
        let name = format!("accuracy, {difficulty}");
        lines.push(TableLine::of(reports, &name, &|report| {
            let all = &report.scores.difficulties;
            let own = all.iter().find(|one| one.difficulty == difficulty);
            own.map_or_else(String::new, |one| percent(one.accuracy))
        }));
    }
    for failure in names(reports, |scores| scores.failures.keys().cloned().collect()) {
        lines.push(TableLine::of(reports, &failure, &|report| {
            let count = report.scores.failures.get(&failure);
            count.map_or_else(String::new, ToString::to_string)
        }));
    }
    lines
}

fn repairs_and_times(reports: &[EvaluationReport]) -> Vec<TableLine> {
    let mut lines = Vec::new();
    for recoverer in names(reports, |scores| {
        let all = scores.recoverers.iter();
        all.map(|one| one.recoverer.clone()).collect()
    }) {
        let name = format!("{recoverer}: applied, lift, harm");
        lines.push(TableLine::of(reports, &name, &|report| {
            let all = &report.scores.recoverers;
            let own = all.iter().find(|one| one.recoverer == recoverer);
            own.map_or_else(String::new, |one| {
                format!("{}, {}, {}", one.applied, one.lift, one.harm)
            })
        }));
    }
    let mut add = |name: &str, value: &dyn Fn(&EvaluationReport) -> String| {
        lines.push(TableLine::of(reports, name, value));
    };
    if reports.iter().any(|report| report.scores.hints.hinted > 0) {
        add("next attempts right, with a hint", &|report| {
            let hints = report.scores.hints;
            format!("{} of {}", hints.hinted_right, hints.hinted)
        });
        add("  without one", &|report| {
            let hints = report.scores.hints;
            format!("{} of {}", hints.plain_right, hints.plain)
        });
    }
    add("statements, p50 and p95 ms", &|report| {
        let latency = report.scores.latency;
        times(latency.statement_p50, latency.statement_p95)
    });
    if has_command(reports) {
        add("answers of the command, ms", &|report| {
            let latency = report.scores.latency;
            times(latency.generate_p50, latency.generate_p95)
        });
    }
    lines
}

/// Whether a command was asked for any of them.
fn has_command(reports: &[EvaluationReport]) -> bool {
    let latencies = reports.iter().map(|report| report.scores.latency);
    latencies
        .into_iter()
        .any(|latency| latency.generate_p50.is_some())
}

/// What became of questions that an earlier report has as failed: then and now, side by side.
pub fn side_by_side(entries: &[EntryReport]) -> String {
    let lines: Vec<TableLine> = (entries.iter())
        .filter_map(|entry| {
            let previous = entry.previous.as_deref()?;
            Some(TableLine {
                name: cleaned(&entry.id),
                values: vec![cleaned(previous), cleaned(&entry.ending())],
            })
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let mut all = vec![TableLine {
        name: String::new(),
        values: vec!["before".into(), "now".into()],
    }];
    all.extend(lines);
    written(&all)
}

fn comparisons(reports: &[EvaluationReport]) -> String {
    let mut out = String::new();
    if let Some((first, others)) = reports.split_first() {
        for other in others {
            let compared = ReportComparison::of(first, other);
            let (first, other) = (cleaned(&first.label), cleaned(&other.label));
            let _ = writeln!(out, "\n{other} beside {first}: {}", compared.verdict());
            for (what, named) in [("won", &compared.won), ("lost", &compared.lost)] {
                if !named.is_empty() {
                    let shown: Vec<String> =
                        named.iter().take(NAMED_MAX).map(|id| cleaned(id)).collect();
                    let more = if named.len() > NAMED_MAX { " …" } else { "" };
                    let _ = writeln!(out, "  {what}: {}{more}", shown.join(" "));
                }
            }
        }
    }
    out
}

impl TableLine {
    fn of(
        reports: &[EvaluationReport],
        name: &str,
        value: &dyn Fn(&EvaluationReport) -> String,
    ) -> Self {
        Self {
            name: cleaned(name),
            values: reports.iter().map(value).collect(),
        }
    }
}

/// Everything that any of them names, each once, in the order in which it comes.
fn names(
    reports: &[EvaluationReport],
    of: impl Fn(&EvaluationScores) -> Vec<String>,
) -> Vec<String> {
    let mut names = Vec::new();
    for name in reports.iter().flat_map(|report| of(&report.scores)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn written(lines: &[TableLine]) -> String {
    let width = |text: &str| text.chars().count();
    let first = lines
        .iter()
        .map(|line| width(&line.name))
        .max()
        .unwrap_or(0);
    let columns = lines
        .iter()
        .map(|line| line.values.len())
        .max()
        .unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let values = lines.iter().filter_map(|line| line.values.get(column));
            values.map(|value| width(value)).max().unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for line in lines {
        let mut text = format!("{:first$}", line.name);
        for (value, width) in line.values.iter().zip(&widths) {
            let _ = write!(text, "  {value:>width$}");
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

fn times(half: Option<f64>, most: Option<f64>) -> String {
    match (half, most) {
        (Some(half), Some(most)) => format!("{half:.1}, {most:.1}"),
        _ => String::new(),
    }
}

/// Questions that are named of a difference.
const NAMED_MAX: usize = 20;
