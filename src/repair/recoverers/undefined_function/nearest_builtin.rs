//! The built-in function that a misspelt name is nearest to.

use crate::repair::RepairContext;

/// A function that differs in one letter, or in two that changed places; none where there are
/// several.
pub(in crate::repair) fn function(context: &RepairContext<'_>, name: &str) -> Option<String> {
    let catalog = context.database?.catalog;
    if name.len() < LETTERS_MIN {
        return None;
    }
    let mut found: Option<&str> = None;
    for (_, function) in catalog.functions() {
        let other = catalog.names().text(function.name);
        if !function.oid.is_built_in() || !is_near(name, other) {
            continue;
        }
        match found {
            Some(known) if known != other => return None,
            _ => found = Some(other),
        }
    }
    found.map(str::to_owned)
}

/// Whether two names differ in one letter, or in two that changed places.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one == other || one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let before = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let behind = one.iter().rev().zip(other.iter().rev());
    let after = behind.take_while(|(a, b)| a == b).count();
    let rest = |name: &[u8]| {
        let end = name.len().saturating_sub(after).max(before);
        name.get(before..end)
            .map(<[u8]>::to_vec)
            .unwrap_or_default()
    };
    let (one, other) = (rest(one), rest(other));
    match (one.as_slice(), other.as_slice()) {
        ([a, b], [c, d]) => a == d && b == c,
        (one, other) => one.len() <= 1 && other.len() <= 1,
    }
}

/// Shorter names are near to too many.
const LETTERS_MIN: usize = 4;
