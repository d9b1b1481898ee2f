//! What stands at a place among the tokens in which evidence is looked for.

use crate::source::{EvidenceToken, EvidenceTokenKind};

/// Where a call ends whose parenthesis opens at a place.
pub fn end_of_call(seen: &[EvidenceToken], open: usize) -> Option<usize> {
    if !is_sign(seen, open, "(") {
        return None;
    }
    let mut depth = 0_usize;
    for at in open..seen.len() {
        if is_sign(seen, at, "(") {
            depth += 1;
        } else if is_sign(seen, at, ")") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// Whether a word without quotes stands at a place.
pub fn is_word(seen: &[EvidenceToken], at: usize, word: &str) -> bool {
    (seen.get(at)).is_some_and(|one| one.word == word && one.kind == EvidenceTokenKind::Word)
}

/// Whether a sign stands at a place.
pub fn is_sign(seen: &[EvidenceToken], at: usize, sign: &str) -> bool {
    (seen.get(at)).is_some_and(|one| one.word == sign && one.kind == EvidenceTokenKind::Sign)
}

/// Whether a token of this kind stands at a place.
pub fn is_kind(seen: &[EvidenceToken], at: usize, kind: EvidenceTokenKind) -> bool {
    seen.get(at).is_some_and(|one| one.kind == kind)
}

/// Where the second argument begins of a call whose parenthesis opens at a place.
pub fn second_argument(seen: &[EvidenceToken], open: usize) -> Option<usize> {
    let end = end_of_call(seen, open)?;
    let mut depth = 0_usize;
    for at in open..end {
        if is_sign(seen, at, "(") {
            depth += 1;
        } else if is_sign(seen, at, ")") {
            depth = depth.saturating_sub(1);
        } else if depth == 1 && is_sign(seen, at, ",") {
            return Some(at + 1);
        }
    }
    None
}
