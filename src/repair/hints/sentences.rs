//! What every HINT keeps: it is short, it ends where a sentence does, and it says nothing twice.

use std::ops::Range;

use ground::limits::HINT_CHARACTERS_MAX;

/// The sentences of some pieces of advice, each once, as many as fit.
pub(crate) fn fit(pieces: &[String]) -> String {
    let mut told: Vec<&str> = Vec::new();
    let mut length = 0;
    for piece in pieces {
        for span in sentences(piece) {
            let sentence = piece.get(span).unwrap_or_default().trim();
            if sentence.is_empty() || told.contains(&sentence) {
                continue;
            }
            let more = sentence.chars().count() + usize::from(!told.is_empty());
            if length + more > HINT_CHARACTERS_MAX {
                return told.join(" ");
            }
            length += more;
            told.push(sentence);
        }
    }
    told.join(" ")
}

/// The sentences of a text: a full stop ends one where a blank and the beginning of another come
/// behind it, but not within quotes or parentheses.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut quote) = (0, 0_usize, None);
    for (at, letter) in text.char_indices() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) if begins_quote(text, at) => quote = Some(letter),
            ('(', None) => depth += 1,
            (')', None) => depth = depth.saturating_sub(1),
            ('.', None) if depth == 0 => {
                let rest = text.get(at + 1..).unwrap_or_default();
                let goes_on = rest.starts_with(' ') && !rest.starts_with(" .");
                if goes_on {
                    found.push(start..at + 1);
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    found.push(start..text.len());
    found
}

/// Whether a quote opens something: an apostrophe within a word does not.
fn begins_quote(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    before.is_none_or(|before| !before.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(pieces: &[&str]) -> String {
        let pieces: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
        fit(&pieces)
    }

    #[test]
    fn nothing_is_said_twice() {
        assert_eq!(fitted(&["A b. C d.", "C d.", "E."]), "A b. C d. E.");
    }

    #[test]
    fn what_is_too_long_ends_with_a_sentence() {
        let long = format!("First \"a. b\" it's so. {} end.", "word ".repeat(70));
        assert_eq!(fitted(&[&long]), "First \"a. b\" it's so.");
        assert_eq!(fitted(&["word ".repeat(80).as_str()]), "");
        let letters = "ü".repeat(HINT_CHARACTERS_MAX);
        assert_eq!(fitted(&[&letters]), letters);
    }
}
