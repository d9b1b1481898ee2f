//! `INTERVAL 1 DAY`, as MySQL and BigQuery write it.

use super::edited_text::Stage;
use super::mentioned_names::Known;
use super::token_repairs::{Mend, edit, mended};
use crate::sql::edit::Edit;
use crate::sql::lexer::TokenKind;

pub(in crate::repair::recoverers::syntax_error) fn mend(
    stage: &Stage,
    _: &Known<'_>,
) -> Option<Mend> {
    let mut edits: Vec<Edit> = Vec::new();
    for place in 0..stage.tokens.len() {
        if !stage.is(place, "interval") {
            continue;
        }
        let first = place.saturating_add(1);
        let minus = stage.is_sign(first, "-");
        let number = first.saturating_add(usize::from(minus));
        let unit = number.saturating_add(1);
        if stage.kind(number) != Some(TokenKind::Number) {
            continue;
        }
        let sign = if minus { "-" } else { "" };
        let word = stage.word(unit).to_ascii_lowercase();
        let singular = word.strip_suffix('s').unwrap_or(&word);
        let amount = match (singular, stage.word(number)) {
            ("quarter", quarters) => {
                let months = quarters.parse::<u32>().ok().and_then(|n| n.checked_mul(3));
                let Some(months) = months else { continue };
                format!("'{sign}{months} months'")
            }
            (unit, number) if UNITS.contains(&unit) => format!("'{sign}{number} {word}'"),
            _ => continue,
        };
        edits.push(edit(stage.span(first).start..stage.span(unit).end, amount));
    }
    mended(edits, "intervals are written as literals")
}

const UNITS: &[&str] = &[
    "microsecond",
    "millisecond",
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "year",
];
