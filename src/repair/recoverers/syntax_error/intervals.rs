//! `INTERVAL 1 DAY`, as MySQL and BigQuery write it.

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit, token_repair};
use sql::edit::TextEdit;
use sql::lexer::TokenKind;

pub(crate) fn repair(edited: &EditedText, _: &MentionedNames<'_>) -> Option<TokenRepair> {
    let mut edits: Vec<TextEdit> = Vec::new();
    for place in 0..edited.tokens.len() {
        if !edited.is(place, "interval") {
            continue;
        }
        let first = place.saturating_add(1);
        let minus = edited.is_sign(first, "-");
        let number = first.saturating_add(usize::from(minus));
        let unit = number.saturating_add(1);
        if edited.kind(number) != Some(TokenKind::Number) {
            continue;
        }
        let sign = if minus { "-" } else { "" };
        let word = edited.word(unit).to_ascii_lowercase();
        let singular = word.strip_suffix('s').unwrap_or(&word);
        let amount = match (singular, edited.word(number)) {
            ("quarter", quarters) => {
                let months = quarters.parse::<u32>().ok().and_then(|n| n.checked_mul(3));
                let Some(months) = months else { continue };
                format!("'{sign}{months} months'")
            }
            (unit, number) if UNITS.contains(&unit) => format!("'{sign}{number} {word}'"),
            _ => continue,
        };
        edits.push(edit(
            edited.span(first).start..edited.span(unit).end,
            amount,
        ));
    }
    token_repair(edits, "intervals are written as literals")
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
