//! Names and texts as words, and English words without their endings.

use std::str::Chars;

/// The words of a name or text in small letters. A name is split at what is no letter or digit,
/// before a capital letter, and before a digit that follows a letter.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut letters = text.chars();
    let mut last = LetterKind::Other;
    while let Some(letter) = letters.next() {
        let kind = LetterKind::of(letter);
        let is_start = match (last, kind) {
            (LetterKind::Small, LetterKind::Capital)
            | (LetterKind::Small | LetterKind::Capital, LetterKind::Digit) => true,
            (LetterKind::Capital, LetterKind::Capital) => {
                next_kind(letters.clone()) == LetterKind::Small
            }
            _ => kind == LetterKind::Other,
        };
        if is_start && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        match kind {
            LetterKind::Other => {}
            _ if letter.is_ascii() => word.push(letter.to_ascii_lowercase()),
            _ => word.extend(letter.to_lowercase()),
        }
        last = kind;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// What stands next. The s of `ATMs` counts as a capital letter.
fn next_kind(mut letters: Chars<'_>) -> LetterKind {
    match (letters.next(), letters.next().map(LetterKind::of)) {
        (Some('s'), None | Some(LetterKind::Other)) => LetterKind::Capital,
        (Some(next), _) => LetterKind::of(next),
        (None, _) => LetterKind::Other,
    }
}

/// What a word in small letters has in common with its other forms: `deliveries` and `delivered`
/// share it with `deliver`.
pub(crate) fn stem(word: &str) -> String {
    if let Ok(place) = IRREGULAR.binary_search_by(|(form, _)| (*form).cmp(word)) {
        return IRREGULAR
            .get(place)
            .map_or(word, |(_, plain)| plain)
            .to_owned();
    }
    let mut stem = without_plural(word);
    for ending in ["ing", "ed"] {
        if let Some(shorter) = stem.strip_suffix(ending)
            && shorter.len() >= 3
            && shorter.contains(|letter| is_vowel(letter) || letter == 'y')
        {
            stem = without_double(shorter).to_owned();
            break;
        }
    }
    if let Some(shorter) = stem.strip_suffix('e')
        && shorter.len() >= 3
    {
        stem = shorter.to_owned();
    }
    match stem.strip_suffix('y') {
        Some(shorter) if shorter.len() >= 3 => format!("{shorter}i"),
        _ => stem,
    }
}

/// Whether a list, with a space between words, has a word.
pub(super) fn is_among(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// Whether a letter is a vowel; y is none.
pub(super) fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}

fn without_plural(word: &str) -> String {
    if word.len() > 4
        && let Some(shorter) = word.strip_suffix("ies")
    {
        return format!("{shorter}y");
    }
    let hissing = ["sses", "xes", "ches", "shes", "zes"];
    if hissing.iter().any(|ending| word.ends_with(ending)) {
        return word.strip_suffix("es").unwrap_or(word).to_owned();
    }
    let stays = ["ss", "us", "is"]
        .iter()
        .any(|ending| word.ends_with(ending));
    match word.strip_suffix('s') {
        Some(shorter) if !stays && shorter.len() >= 3 => shorter.to_owned(),
        _ => word.to_owned(),
    }
}

/// `shipp` is `ship`.
fn without_double(word: &str) -> &str {
    let mut letters = word.chars().rev();
    let (last, before) = (letters.next(), letters.next());
    let is_double = last == before && last.is_some_and(|last| !matches!(last, 'l' | 's' | 'z'));
    match last {
        Some(last) if is_double && !is_vowel(last) => word.strip_suffix(last).unwrap_or(word),
        _ => word,
    }
}

/// What a letter is for the ends of words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LetterKind {
    Small,
    Capital,
    Digit,
    Other,
}

impl LetterKind {
    fn of(letter: char) -> Self {
        match letter {
            'a'..='z' => Self::Small,
            '0'..='9' => Self::Digit,
            ' ' | '_' | '.' => Self::Other,
            letter if letter.is_numeric() => Self::Digit,
            letter if letter.is_uppercase() => Self::Capital,
            letter if letter.is_alphabetic() => Self::Small,
            _ => Self::Other,
        }
    }
}

/// Forms that no rule leads back, sorted, each with its stem.
const IRREGULAR: [(&str, &str); 41] = [
    ("bought", "bui"),
    ("broken", "break"),
    ("built", "build"),
    ("chosen", "choos"),
    ("died", "die"),
    ("driven", "driv"),
    ("drove", "driv"),
    ("feet", "foot"),
    ("flew", "fli"),
    ("flown", "fli"),
    ("found", "find"),
    ("given", "giv"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("held", "hold"),
    ("indices", "index"),
    ("kept", "keep"),
    ("left", "leav"),
    ("lent", "lend"),
    ("lost", "los"),
    ("made", "mak"),
    ("men", "man"),
    ("met", "meet"),
    ("mice", "mous"),
    ("paid", "pay"),
    ("payment", "pay"),
    ("people", "person"),
    ("pymt", "pay"),
    ("sent", "send"),
    ("sold", "sell"),
    ("spent", "spend"),
    ("taken", "tak"),
    ("taught", "teach"),
    ("theses", "thesis"),
    ("thesis", "thesis"),
    ("took", "tak"),
    ("used", "use"),
    ("women", "woman"),
    ("won", "win"),
    ("worn", "wear"),
    ("written", "writ"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_are_split_into_words() {
        for (text, expected) in [
            ("order_lines", "order lines"),
            ("OrderLineNo", "order line no"),
            ("XMLFile2", "xml file 2"),
            ("\"Placed at\"", "placed at"),
            ("addr1", "addr 1"),
            ("has_3d", "has 3d"),
            ("5G", "5g"),
            ("patient's", "patient s"),
            ("ISBN", "isbn"),
            ("ATMs of VIPs", "atms of vips"),
            ("straße_nr", "straße nr"),
            ("__", ""),
            ("", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["delivery", "deliveries"][..],
            &["deliver", "delivered", "delivering", "delivers"],
            &["invoice", "invoices", "invoiced", "invoicing"],
            &["ship", "ships", "shipped", "shipping"],
            &["box", "boxes"],
            &["address", "addresses"],
            &["status"],
            &["pay", "paid", "pays", "payment"],
            &["sell", "sold", "selling"],
            &["bill", "billed", "billing"],
            &["company", "companies"],
            &["use", "used", "uses"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(
                stems.iter().all(|one| *one == stems[0]),
                "{forms:?}: {stems:?}"
            );
        }
        for (one, other) in [
            ("state", "status"),
            ("bed", "be"),
            ("red", "r"),
            ("ring", "r"),
        ] {
            assert_ne!(stem(one), stem(other));
        }
        assert!(IRREGULAR.is_sorted());
    }
}
