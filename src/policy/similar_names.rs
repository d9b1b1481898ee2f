//! What a misspelt name was meant to be.

use ground::edit_distance::levenshtein;

/// What a misspelt name was probably meant to be: the nearest of some names, if it is near.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = (length / 3).clamp(2, 3).min(length.saturating_sub(1));
    let measured = names
        .into_iter()
        .map(|known| (levenshtein(name, known), known));
    let best = measured.min_by_key(|(distance, _)| *distance);
    best.filter(|(distance, _)| *distance <= allowed)
        .map(|(_, known)| known)
}

/// Which words are wanted in the place of one, and which of them was probably meant. Does not show
/// the one that stands there.
pub fn wanted_words(word: &str, names: &[&str]) -> String {
    let list = names.join(", ");
    if word.contains(CURLY_QUOTES) {
        return format!("one of {list} is wanted, in straight quotes (\") or none");
    }
    match probably_meant(word, names) {
        Some(near) => format!("one of {list} is wanted; did you mean {near}?"),
        None => format!("one of {list} is wanted"),
    }
}

/// The one of some words that another was meant for: by other letters, by another way to say yes
/// or no, by more or fewer of the same letters.
pub fn probably_meant<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let same = |name: &&str| name.replace('_', "-") == lower.replace('_', "-");
    let of = |ways: &[&str]| {
        let mut named = names.iter().copied();
        let is_said = ways.contains(&lower.as_str());
        is_said
            .then(|| named.find(|name| ways.contains(name)))
            .flatten()
    };
    let begins = |name: &&&str| {
        let shorter = name.len().min(lower.len());
        shorter >= PREFIX_LETTERS_MIN && (lower.starts_with(**name) || name.starts_with(&lower))
    };
    let near = nearest(&lower, names.iter().copied());
    of(YES)
        .or_else(|| of(NO))
        .or_else(|| names.iter().copied().find(same))
        .or_else(|| names.iter().find(begins).copied())
        .or(near)
}

/// What editors and chats make of straight quotes.
const CURLY_QUOTES: &[char] = &['“', '”', '„', '‘', '’', '«', '»'];

/// The ways to say yes.
const YES: &[&str] = &["on", "true", "yes", "1"];

/// The ways to say no.
const NO: &[&str] = &["off", "false", "no", "0"];

/// As many letters as two words have to share.
const PREFIX_LETTERS_MIN: usize = 3;

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

    #[test]
    fn what_was_meant_is_found_by_letters_beginnings_and_yes_and_no() {
        let methods = ["passthrough", "scram", "cert", "trust"];
        assert_eq!(probably_meant("scram-sha-256", &methods), Some("scram"));
        assert_eq!(probably_meant("certificate", &methods), Some("cert"));
        assert_eq!(probably_meant("md5", &methods), None);
        assert_eq!(probably_meant("True", &["on", "off"]), Some("on"));
        assert_eq!(probably_meant("no", &["true", "false"]), Some("false"));
        assert_eq!(
            probably_meant("enforced", &["enforce", "observe"]),
            Some("enforce")
        );
        assert_eq!(
            probably_meant("verify_full", &["verify-ca", "verify-full"]),
            Some("verify-full")
        );
        assert!(wanted_words("“on”", &["on", "off"]).contains("straight quotes"));
    }
}
