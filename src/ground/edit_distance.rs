//! How far two words are from each other, in letters.

/// Letters to add, to leave out or to exchange (Levenshtein's distance).
pub fn levenshtein(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    least(&one, &other, |_, _| false)
}

/// The same where letters may be swapped with their neighbours as well.
pub fn with_swaps(one: &[char], other: &[char]) -> usize {
    least(
        one,
        other,
        |pair, of_other| matches!((pair, of_other), ([a, b], [c, d]) if a == d && b == c),
    )
}

/// One row at a time; `is_swap` is asked about two letters of each.
fn least(one: &[char], other: &[char], is_swap: impl Fn(&[char], &[char]) -> bool) -> usize {
    let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.iter().enumerate() {
        let mut next = vec![line + 1];
        for (place, wanted) in other.iter().enumerate() {
            let exchanged = at(&row, place) + usize::from(letter != wanted);
            let left_out = at(&row, place + 1) + 1;
            let added = at(&next, place) + 1;
            let mut best = exchanged.min(left_out).min(added);
            if let (Some(up), Some(left)) = (line.checked_sub(1), place.checked_sub(1))
                && let (Some(own), Some(others)) = (one.get(up..=line), other.get(left..=place))
                && is_swap(own, others)
            {
                best = best.min(at(&before, left) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edit_counts_once() {
        let both = |one: &str, other: &str| {
            let letters = |word: &str| word.chars().collect::<Vec<char>>();
            let swaps = with_swaps(&letters(one), &letters(other));
            (levenshtein(one, other), swaps)
        };
        for (one, other, distances) in [
            ("", "", (0, 0)),
            ("", "abc", (3, 3)),
            ("abc", "abc", (0, 0)),
            ("abc", "abd", (1, 1)),
            ("abc", "ab", (1, 1)),
            ("abc", "xabc", (1, 1)),
            ("abc", "acb", (2, 1)),
            ("listen", "silent", (4, 4)),
            ("ca", "abc", (3, 3)),
            ("größe", "grösse", (2, 2)),
        ] {
            assert_eq!(both(one, other), distances, "{one} {other}");
            assert_eq!(both(other, one), distances, "{other} {one}");
        }
    }
}
