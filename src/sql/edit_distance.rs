//! How near two words are.

/// How many letters have to be added, left out, exchanged or swapped with their neighbour to make
/// one word the other.
pub fn edit_distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    let of = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
    let mut last: Option<char> = None;
    for (line, letter) in one.iter().enumerate() {
        let mut next = vec![line + 1];
        let mut last_wanted: Option<char> = None;
        for (place, wanted) in other.iter().enumerate() {
            let exchanged = of(&row, place) + usize::from(letter != wanted);
            let mut least = exchanged
                .min(of(&row, place + 1) + 1)
                .min(of(&next, place) + 1);
            if last == Some(*wanted) && last_wanted == Some(*letter) && place > 0 {
                least = least.min(of(&before, place - 1) + 1);
            }
            next.push(least);
            last_wanted = Some(*wanted);
        }
        last = Some(*letter);
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swaps_count_as_one() {
        for (one, other, wanted) in [
            ("FORM", "FROM", 1),
            ("SELCT", "SELECT", 1),
            ("GROBY", "GROUPBY", 2),
            ("GROB", "GROUP", 2),
            ("A", "WHERE", 5),
            ("", "", 0),
            ("", "ab", 2),
            ("größe", "grösse", 2),
        ] {
            assert_eq!(edit_distance(one, other), wanted, "{one} {other}");
            assert_eq!(edit_distance(other, one), wanted, "{other} {one}");
        }
    }
}
