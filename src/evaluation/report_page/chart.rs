//! Charts as inline SVG: columns and lines of shares, and bars of any numbers. Their heights and
//! widths are in proportion to what they show, from zero.
//!
//! A number from a file may be anything; what no chart can show is drawn as its nearest end.

use std::fmt::Write;

use super::markup::{escaped, shortened};
use crate::evaluation::scores::real;
use crate::evaluation::told_numbers::percent;

/// A report among those on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReportMark {
    /// From zero.
    pub(super) number: usize,
}

/// Shares with repairs off and on: a column each.
pub(super) struct ColumnChart {
    /// What it shows.
    pub(super) title: &'static str,
    /// How to read it.
    pub(super) note: &'static str,
    /// From left to right.
    pub(super) categories: Vec<ColumnCategory>,
}

/// What stands above one name.
pub(super) struct ColumnCategory {
    /// The name.
    pub(super) name: String,
    /// One of each report that has it.
    pub(super) columns: Vec<RepairedShare>,
}

/// A share with repairs off and on.
pub(super) struct RepairedShare {
    /// Of which report.
    pub(super) mark: ReportMark,
    /// With repairs off.
    pub(super) before: f64,
    /// With repairs on.
    pub(super) after: f64,
}

/// Shares that follow each other: a line for each report.
pub(super) struct LineChart {
    /// What it shows.
    pub(super) title: &'static str,
    /// How to read it.
    pub(super) note: &'static str,
    /// From the first number on.
    pub(super) lines: Vec<(ReportMark, Vec<f64>)>,
}

/// Numbers from zero: a bar each.
pub(super) struct BarChart {
    /// What it shows.
    pub(super) title: &'static str,
    /// How to read it.
    pub(super) note: &'static str,
    /// What a bar of the whole width is; without it, the largest number.
    pub(super) whole: Option<f64>,
    /// From the top.
    pub(super) rows: Vec<BarRow>,
}

/// The bars below one name.
pub(super) struct BarRow {
    /// The name.
    pub(super) name: String,
    /// From the top.
    pub(super) bars: Vec<ValueBar>,
}

/// One number.
pub(super) struct ValueBar {
    /// Of which report.
    pub(super) mark: ReportMark,
    /// Whether it is a bad one.
    pub(super) look: BarLook,
    /// The number.
    pub(super) value: f64,
    /// The same in words.
    pub(super) text: String,
}

/// How a bar looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarLook {
    /// In the colour of its report.
    OfReport,
    /// In that of harm.
    Harm,
}

impl ReportMark {
    /// A letter, so that reports are told apart without colours.
    pub(super) fn letter(self) -> String {
        let letter = LETTERS.chars().nth(self.number);
        letter.map_or_else(|| (self.number + 1).to_string(), String::from)
    }

    /// The class of its colour.
    pub(super) fn class(self) -> String {
        let colour = self.number.checked_rem(COLOURS);
        format!("r{}", colour.unwrap_or_default())
    }
}

impl ColumnChart {
    /// Nothing where there is nothing to show.
    pub(super) fn svg(&self) -> String {
        if self.categories.is_empty() {
            return String::new();
        }
        let mut out = share_axis();
        let slot = (WIDTH - LEFT) / amount(self.categories.len());
        for (category, at) in self.categories.iter().zip(steps()) {
            let left = LEFT + slot * at;
            category.draw(&mut out, left, slot);
        }
        figure(self.title, self.note, TOP + PLOT + BOTTOM, &out)
    }
}

impl ColumnCategory {
    fn draw(&self, out: &mut String, left: f64, slot: f64) {
        let count = amount(self.columns.len().max(1));
        let width = (slot * 0.8 / count).min(COLUMN_MAX);
        let first = left + (slot - width * count) / 2.0;
        for (column, at) in self.columns.iter().zip(steps()) {
            column.draw(out, &self.name, first + width * at, width);
        }
        let letters = slot / LETTER_WIDTH;
        axis_name(out, left + slot / 2.0, &self.name, letters);
    }
}

impl RepairedShare {
    /// What is right anyway, and on top of it what repairs add; or what they take away.
    fn draw(&self, out: &mut String, name: &str, left: f64, width: f64) {
        let (before, after) = (share(self.before), share(self.after));
        let kept = before.min(after) * PLOT;
        let changed = (before - after).abs() * PLOT;
        let look = if before > after { "harm" } else { "lift" };
        let class = self.mark.class();
        let bottom = TOP + PLOT;
        let drawn = (width - 2.0).max(1.0);
        let _ = write!(
            out,
            "<g class=\"{class}\"><title>{}: {}, with repairs off {}: {}</title>\
             <rect class=\"bar\" x=\"{left:.2}\" y=\"{:.2}\" width=\"{drawn:.2}\" height=\"{kept:.2}\"/>\
             <rect class=\"{look}\" x=\"{left:.2}\" y=\"{:.2}\" width=\"{drawn:.2}\" height=\"{changed:.2}\"/>",
            self.mark.letter(),
            percent(after),
            percent(before),
            escaped(name),
            bottom - kept,
            bottom - kept - changed,
        );
        if width >= LABELLED_MIN {
            let top = bottom - kept - changed - 4.0;
            let middle = left + drawn / 2.0;
            let _ = write!(
                out,
                "<text class=\"middle\" x=\"{middle:.2}\" y=\"{top:.2}\">{:.0}</text>",
                after * 100.0
            );
        }
        out.push_str("</g>");
    }
}

impl LineChart {
    /// Nothing where no line has two points.
    pub(super) fn svg(&self) -> String {
        let longest = self.lines.iter().map(|(_, points)| points.len()).max();
        let longest = longest.unwrap_or(0).min(POINTS_MAX);
        if longest < 2 {
            return String::new();
        }
        let mut out = share_axis();
        let slot = (WIDTH - LEFT) / amount(longest);
        let x = |at: f64| LEFT + slot * (at + 0.5);
        for at in steps().take(longest) {
            axis_name(&mut out, x(at), &format!("{:.0}", at + 1.0), 4.0);
        }
        let mut labels: Vec<Vec<(f64, String)>> = vec![Vec::new(); longest];
        for (mark, points) in &self.lines {
            // What needs no further attempt stays where it is.
            let last = points.last().into_iter().cycle();
            let points: Vec<f64> = points.iter().chain(last).take(longest).copied().collect();
            let places: Vec<(f64, f64)> = (points.iter().zip(steps()))
                .map(|(value, at)| (x(at), TOP + PLOT * (1.0 - share(*value))))
                .collect();
            let line: Vec<String> = (places.iter())
                .map(|(x, y)| format!("{x:.2},{y:.2}"))
                .collect();
            let _ = write!(
                out,
                "<g class=\"{}\"><polyline class=\"line\" points=\"{}\"/>",
                mark.class(),
                line.join(" ")
            );
            for (((x, y), value), labels) in places.iter().zip(&points).zip(&mut labels) {
                let _ = write!(
                    out,
                    "<circle class=\"bar\" cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"3.5\"/>"
                );
                let text = format!("{} {:.0}", mark.letter(), share(*value) * 100.0);
                labels.push((y - 6.0, text));
            }
            out.push_str("</g>");
        }
        for (labels, at) in labels.into_iter().zip(steps()) {
            write_apart(&mut out, x(at) + 7.0, labels);
        }
        figure(self.title, self.note, TOP + PLOT + BOTTOM, &out)
    }
}

impl BarChart {
    /// Nothing where there is nothing to show.
    pub(super) fn svg(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let bars = || self.rows.iter().flat_map(|row| &row.bars);
        let largest = bars().map(|bar| positive(bar.value)).fold(0.0, f64::max);
        let whole = self.whole.unwrap_or(largest);
        let mut out = String::new();
        let mut y = 0.0;
        for row in &self.rows {
            y += ROW_NAME;
            let _ = write!(
                out,
                "<text x=\"0\" y=\"{:.2}\">{}</text>",
                y - 6.0,
                named(&row.name, WIDTH / LETTER_WIDTH)
            );
            for bar in &row.bars {
                bar.draw(&mut out, y, whole);
                y += BAR_STEP;
            }
            y += ROW_GAP;
        }
        figure(self.title, self.note, y, &out)
    }
}

impl ValueBar {
    fn draw(&self, out: &mut String, y: f64, whole: f64) {
        let part = if whole > 0.0 {
            (positive(self.value) / whole).min(1.0)
        } else {
            0.0
        };
        let width = part * BAR_MAX;
        let look = match self.look {
            BarLook::OfReport => "bar",
            BarLook::Harm => "harm",
        };
        let base = y + BAR_HEIGHT - 3.0;
        let _ = write!(
            out,
            "<g class=\"{}\"><text class=\"soft\" x=\"0\" y=\"{base:.2}\">{}</text>\
             <rect class=\"{look}\" x=\"{BAR_LEFT:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{BAR_HEIGHT:.2}\"/>\
             <text x=\"{:.2}\" y=\"{base:.2}\">{}</text></g>",
            self.mark.class(),
            self.mark.letter(),
            BAR_LEFT + width + 5.0,
            escaped(&self.text)
        );
    }
}

fn figure(title: &str, note: &str, height: f64, drawn: &str) -> String {
    format!(
        "<figure><figcaption><h3>{title}</h3><p class=\"soft\">{note}</p></figcaption>\
         <svg viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\" aria-label=\"{title}\">{drawn}</svg>\
         </figure>\n"
    )
}

/// Labels beside their points, or as far below as the ones above need.
fn write_apart(out: &mut String, x: f64, mut labels: Vec<(f64, String)>) {
    labels.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let mut free = 0.0_f64;
    for (wanted, text) in labels {
        let y = wanted.max(free);
        let _ = write!(
            out,
            "<text class=\"halo\" x=\"{x:.2}\" y=\"{y:.2}\">{text}</text>"
        );
        free = y + LABEL_HEIGHT;
    }
}

/// Lines at each quarter.
fn share_axis() -> String {
    let mut out = String::new();
    for quarter in steps().take(5) {
        let y = TOP + PLOT * (1.0 - quarter / 4.0);
        let _ = write!(
            out,
            "<line x1=\"{LEFT:.0}\" x2=\"{WIDTH:.0}\" y1=\"{y:.2}\" y2=\"{y:.2}\"/>\
             <text class=\"soft end\" x=\"{:.0}\" y=\"{:.2}\">{:.0} %</text>",
            LEFT - 5.0,
            y + 4.0,
            quarter * 25.0
        );
    }
    out
}

fn axis_name(out: &mut String, middle: f64, name: &str, letters: f64) {
    let _ = write!(
        out,
        "<text class=\"middle\" x=\"{middle:.2}\" y=\"{:.2}\">{}</text>",
        TOP + PLOT + 17.0,
        named(name, letters)
    );
}

/// A name as far as there is room for it, and the whole of it for whoever points at it.
fn named(name: &str, letters: f64) -> String {
    let room = (1..LETTERS_MAX).take_while(|count| amount(*count) <= letters);
    let shown = shortened(name, room.count().max(1));
    if shown == name {
        return escaped(name);
    }
    format!(
        "<title>{}</title>{}",
        escaped(&shortened(name, LETTERS_MAX * 4)),
        escaped(&shown)
    )
}

/// 0, 1, 2 and so on.
fn steps() -> impl Iterator<Item = f64> {
    std::iter::successors(Some(0.0), |step| Some(step + 1.0))
}

fn amount(count: usize) -> f64 {
    real(u64::try_from(count).unwrap_or(u64::MAX))
}

/// From 0 to 1, whatever it was.
fn share(value: f64) -> f64 {
    positive(value).min(1.0)
}

/// What a bar can be as long as.
fn positive(value: f64) -> f64 {
    if value.is_finite() {
        value.max(0.0)
    } else {
        0.0
    }
}

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Colours of the style sheet.
const COLOURS: usize = 6;

/// Of all charts, in units of their own: a narrow phone shows them as they are.
const WIDTH: f64 = 400.0;
const LEFT: f64 = 44.0;
const TOP: f64 = 18.0;
const PLOT: f64 = 160.0;
const BOTTOM: f64 = 24.0;
const COLUMN_MAX: f64 = 44.0;
/// Columns narrower than this have no number above them.
const LABELLED_MIN: f64 = 17.0;
/// About that of a letter, rather too wide than too narrow.
const LETTER_WIDTH: f64 = 7.0;
const LABEL_HEIGHT: f64 = 13.0;
/// Letters of a name, at most.
const LETTERS_MAX: usize = 60;
const BAR_LEFT: f64 = 18.0;
const BAR_MAX: f64 = 230.0;
const BAR_HEIGHT: f64 = 13.0;
const BAR_STEP: f64 = 16.0;
const ROW_NAME: f64 = 19.0;
const ROW_GAP: f64 = 4.0;
/// Points of a line that can be told apart.
const POINTS_MAX: usize = 12;

#[cfg(test)]
mod tests;
