//! What the charts of a page show.

use std::collections::BTreeMap;

use super::chart::{
    BarChart, BarLook, BarRow, ColumnCategory, ColumnChart, LineChart, RepairedShare, ReportMark,
    ValueBar,
};
use super::marked;
use crate::evaluation::report::EvaluationReport;
use crate::evaluation::scores::{LatencyScores, RecovererScores, real};
use crate::evaluation::told_numbers::{number, percent};

/// All charts that have something to show.
pub(super) fn all(reports: &[EvaluationReport]) -> String {
    [
        by_run(reports).svg(),
        by_difficulty(reports).svg(),
        by_round(reports).svg(),
        failures(reports).svg(),
        recoverers(reports).svg(),
        hints(reports).svg(),
        malformed(reports).svg(),
        statement_times(reports).svg(),
        command_times(reports).svg(),
    ]
    .concat()
}

fn by_run(reports: &[EvaluationReport]) -> ColumnChart {
    let longest = reports.iter().map(|report| report.scores.runs.len()).max();
    let runs = 0..longest.unwrap_or(0).min(CATEGORIES_MAX);
    let category = |run: usize| ColumnCategory {
        name: format!("run {}", run + 1),
        columns: (marked(reports))
            .filter_map(|(mark, report)| {
                let scores = report.scores.runs.get(run)?;
                Some(RepairedShare {
                    mark,
                    before: scores.accuracy_before_repair,
                    after: scores.accuracy,
                })
            })
            .collect(),
    };
    ColumnChart {
        title: "Accuracy by run",
        note: "The pale part is what repairs add; a red part is what they take away.",
        categories: runs.map(category).collect(),
    }
}

fn by_difficulty(reports: &[EvaluationReport]) -> ColumnChart {
    let names = in_order(reports.iter().flat_map(|report| {
        let all = report.scores.difficulties.iter();
        all.map(|one| one.difficulty.as_str())
    }));
    let category = |name: &str| ColumnCategory {
        name: name.to_owned(),
        columns: (marked(reports))
            .filter_map(|(mark, report)| {
                let mut all = report.scores.difficulties.iter();
                let scores = all.find(|one| one.difficulty == name)?;
                Some(RepairedShare {
                    mark,
                    before: scores.accuracy_before_repair,
                    after: scores.accuracy,
                })
            })
            .collect(),
    };
    let names = names.into_iter().take(CATEGORIES_MAX);
    ColumnChart {
        title: "Accuracy by difficulty",
        note: "As the dataset names it; the pale part is what repairs add.",
        categories: names.map(category).collect(),
    }
}

fn by_round(reports: &[EvaluationReport]) -> LineChart {
    let lines = marked(reports).map(|(mark, report)| {
        let rounds = report.scores.rounds.iter();
        (mark, rounds.map(|round| round.accuracy).collect())
    });
    LineChart {
        title: "Accuracy by attempts",
        note: "Right after so many attempts, where a failure is told to whoever wrote it.",
        lines: lines.collect(),
    }
}

fn failures(reports: &[EvaluationReport]) -> BarChart {
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for (class, count) in reports.iter().flat_map(|report| &report.scores.failures) {
        let total = totals.entry(class).or_default();
        *total = total.saturating_add(*count);
    }
    let row = |class: &str| BarRow {
        name: class.to_owned(),
        bars: (marked(reports))
            .filter_map(|(mark, report)| {
                let count = report.scores.failures.get(class)?;
                Some(counted(mark, *count))
            })
            .collect(),
    };
    BarChart {
        title: "What is no right answer",
        note: "Last attempts of all runs, by outcome and SQLSTATE.",
        whole: None,
        rows: largest_first(totals).map(row).collect(),
    }
}

fn recoverers(reports: &[EvaluationReport]) -> BarChart {
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for one in reports.iter().flat_map(|report| &report.scores.recoverers) {
        let total = totals.entry(&one.recoverer).or_default();
        *total = total.saturating_add(one.applied);
    }
    let row = |name: &str| BarRow {
        name: name.to_owned(),
        bars: (marked(reports))
            .flat_map(|(mark, report)| {
                let mut all = report.scores.recoverers.iter();
                let found = all.find(|one| one.recoverer == name);
                found.into_iter().flat_map(move |one| effects(mark, one))
            })
            .collect(),
    };
    BarChart {
        title: "Recoverers: lift and harm",
        note: "Attempts that are right only with it, and in red those that it makes wrong.",
        whole: None,
        rows: largest_first(totals).map(row).collect(),
    }
}

fn effects(mark: ReportMark, scores: &RecovererScores) -> Vec<ValueBar> {
    let lift = ValueBar {
        mark,
        look: BarLook::OfReport,
        value: real(scores.lift),
        text: format!("{} of {} applied", scores.lift, scores.applied),
    };
    let harm = ValueBar {
        mark,
        look: BarLook::Harm,
        value: real(scores.harm),
        text: format!("harm: {}", scores.harm),
    };
    match scores.harm {
        0 => vec![lift],
        _ => vec![lift, harm],
    }
}

fn hints(reports: &[EvaluationReport]) -> BarChart {
    let row = |name: &str, of: fn(&EvaluationReport) -> [u64; 3]| {
        let bars = marked(reports).filter_map(|(mark, report)| {
            let [told, running, right] = of(report);
            (told > 0).then(|| ValueBar {
                mark,
                look: BarLook::OfReport,
                value: real(right) / real(told),
                text: format!("{right} right, {running} run of {told}"),
            })
        });
        BarRow {
            name: name.to_owned(),
            bars: bars.collect(),
        }
    };
    let rows = [
        row("failures with a HINT", |report| {
            let hints = report.scores.hints;
            [hints.hinted, hints.hinted_running, hints.hinted_right]
        }),
        row("failures without one", |report| {
            let hints = report.scores.hints;
            [hints.plain, hints.plain_running, hints.plain_right]
        }),
    ];
    BarChart {
        title: "What hints are worth",
        note: "The share of next attempts that are right.",
        whole: Some(1.0),
        rows: with_bars(rows),
    }
}

fn malformed(reports: &[EvaluationReport]) -> BarChart {
    let bars = marked(reports).filter_map(|(mark, report)| {
        report.scores.latency.generate_p50?;
        Some(ValueBar {
            mark,
            look: BarLook::OfReport,
            value: report.scores.malformed,
            text: percent(report.scores.malformed),
        })
    });
    let row = BarRow {
        name: "of what the command printed".to_owned(),
        bars: bars.collect(),
    };
    BarChart {
        title: "Malformed answers",
        note: "The share that is no statement.",
        whole: Some(1.0),
        rows: with_bars([row]),
    }
}

fn statement_times(reports: &[EvaluationReport]) -> BarChart {
    BarChart {
        title: "Time of statements",
        note: "Milliseconds, repairs included.",
        whole: None,
        rows: times(reports, |times| [times.statement_p50, times.statement_p95]),
    }
}

fn command_times(reports: &[EvaluationReport]) -> BarChart {
    BarChart {
        title: "Time of the command",
        note: "Milliseconds until it had printed its answer.",
        whole: None,
        rows: times(reports, |times| [times.generate_p50, times.generate_p95]),
    }
}

fn times(reports: &[EvaluationReport], of: fn(&LatencyScores) -> [Option<f64>; 2]) -> Vec<BarRow> {
    let row = |name: &str, pick: fn([Option<f64>; 2]) -> Option<f64>| {
        let bars = marked(reports).filter_map(|(mark, report)| {
            let value = pick(of(&report.scores.latency))?;
            Some(ValueBar {
                mark,
                look: BarLook::OfReport,
                value,
                text: format!("{} ms", number(value)),
            })
        });
        BarRow {
            name: name.to_owned(),
            bars: bars.collect(),
        }
    };
    with_bars([
        row("half of them within (p50)", |[half, _]| half),
        row("95 of 100 within (p95)", |[_, most]| most),
    ])
}

fn counted(mark: ReportMark, count: u64) -> ValueBar {
    ValueBar {
        mark,
        look: BarLook::OfReport,
        value: real(count),
        text: count.to_string(),
    }
}

fn with_bars(rows: impl IntoIterator<Item = BarRow>) -> Vec<BarRow> {
    let rows = rows.into_iter().filter(|row| !row.bars.is_empty());
    rows.collect()
}

/// Each name once, as they come.
fn in_order<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut all = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The names with the largest totals, and of equals in order.
fn largest_first(totals: BTreeMap<&str, u64>) -> impl Iterator<Item = &str> {
    let mut all: Vec<(&str, u64)> = totals.into_iter().collect();
    all.sort_by_key(|(name, total)| (std::cmp::Reverse(*total), *name));
    all.into_iter().take(ROWS_MAX).map(|(name, _)| name)
}

/// Names beside each other that can be told apart.
const CATEGORIES_MAX: usize = 12;

/// Names below each other: the tail of rare failures is in the table.
const ROWS_MAX: usize = 16;
