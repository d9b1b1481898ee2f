//! What a misspelt name was meant to be.

/// What a misspelt name was probably meant to be: the nearest of some names, if it is near.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = (length / 3).clamp(2, 3).min(length.saturating_sub(1));
    let measured = names
        .into_iter()
        .map(|known| (distance(name, known), known));
    let best = measured.min_by_key(|(distance, _)| *distance);
    best.filter(|(distance, _)| *distance <= allowed)
        .map(|(_, known)| known)
}

/// Edits between two words (Levenshtein's distance), one row at a time.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, c) in one.chars().enumerate() {
        let mut left = line + 1;
        let mut next = vec![left];
        for (d, pair) in other.iter().zip(row.windows(2)) {
            let [diagonal, above] = pair else { continue };
            left = (diagonal + usize::from(*d != c))
                .min(above + 1)
                .min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = || ["listen", "client.tls.mode", "admin.listen"];
        assert_eq!(nearest("client.tls.mod", names()), Some("client.tls.mode"));
        assert_eq!(nearest("listne", names()), Some("listen"));
        assert_eq!(nearest("colour", names()), None);
        assert_eq!(nearest("", names()), None);
    }
}
