//! A name as the words it is made of, and how alike two names are.
//!
//! A name is cut at underscores, blanks and changes of case. Two words are alike when they are
//! equal, singular and plural, a usual abbreviation, or one slip of the hand apart.

use ground::edit_distance::with_swaps;
use std::borrow::Cow;

/// The words of a name, in lower case.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct NameWords(Vec<String>);

/// How two names are alike, closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SimilarityKind {
    /// They differ in upper case only.
    Case,
    /// They differ in what stands between the words.
    Separators,
    /// Word by word one is the other: plurals, abbreviations, slips.
    Aligned,
    /// One has all words of the other, and beyond them only what its relation is called.
    Own,
    /// One has all words of the other.
    Contained,
    /// They share something, or nothing.
    Other,
}

/// What came of holding two names side by side.
pub(crate) struct Similarity {
    /// In which way they are alike.
    pub similarity_kind: SimilarityKind,
    /// From 0 to 1.
    pub score: f64,
    /// Words of the wanted name that the other has nothing for.
    pub lost: Vec<String>,
    /// Words of the other that the wanted name has nothing for.
    pub gained: Vec<String>,
    /// Words that stand for each other without being equal.
    pub exchanged: Vec<(String, String)>,
}

impl NameWords {
    /// The words of a name.
    pub(crate) fn of(name: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut word = String::new();
        let mut before_was_lower = false;
        let mut letters = name.chars().peekable();
        while let Some(letter) = letters.next() {
            if !letter.is_alphanumeric() {
                words.extend(take(&mut word));
                before_was_lower = false;
                continue;
            }
            let next_is_lower = letters.peek().is_some_and(|next| next.is_lowercase());
            let begins =
                letter.is_uppercase() && (before_was_lower || (next_is_lower && !word.is_empty()));
            if begins {
                words.extend(take(&mut word));
            }
            before_was_lower = letter.is_lowercase() || letter.is_numeric();
            word.extend(letter.to_lowercase());
        }
        words.extend(take(&mut word));
        Self(words.into_iter().flat_map(in_full).collect())
    }

    /// The words.
    pub(crate) fn list(&self) -> &[String] {
        &self.0
    }

    /// The last word, a version or a number aside (`transactions_1k`).
    pub(crate) fn noun(&self) -> Option<&String> {
        let mut words = self.0.iter().rev();
        words.find(|word| !word.contains(char::is_numeric))
    }

    /// The words without anything between them.
    pub(crate) fn joined(&self) -> String {
        self.0.concat()
    }

    /// Whether a word is among them, in singular or plural.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.0.iter().any(|own| singular(own) == singular(word))
    }
}

/// What a name is without what stands between its words.
fn letters(name: &str) -> impl Iterator<Item = char> {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase)
}

/// The words that one word is written for: `fname`, which is a first name.
fn in_full(word: String) -> Vec<String> {
    let parts = PERSONAL_NAMES.iter().find(|(short, _)| *short == word);
    match parts {
        Some((_, part)) => vec![(*part).to_owned(), "name".to_owned()],
        None => vec![word],
    }
}

/// The parts of a person's name, and what they are for short.
const PERSONAL_NAMES: [(&str, &str); 6] = [
    ("fname", "first"),
    ("firstname", "first"),
    ("lname", "last"),
    ("lastname", "last"),
    ("mname", "middle"),
    ("middlename", "middle"),
];

impl Similarity {
    /// Holds a wanted name beside one that exists, a column or a relation; `own` is what the
    /// relation of the column is called.
    pub(crate) fn of(wanted: &str, name: &str, own: &[NameWords]) -> Self {
        if wanted.to_lowercase() == name.to_lowercase() {
            return Self::plain(SimilarityKind::Case, 1.0);
        }
        let (left, right) = (NameWords::of(wanted), NameWords::of(name));
        let (one, other) = (left.joined(), right.joined());
        if one == other && !one.is_empty() {
            return match letters(wanted).eq(letters(name)) {
                true => Self::plain(SimilarityKind::Separators, 0.99),
                false => Self::plain(SimilarityKind::Aligned, 0.95),
            };
        }
        let mut likeness = aligned(&left, &right);
        likeness.weigh(&left, &right, own);
        if likeness.similarity_kind == SimilarityKind::Other
            && left.list().len() != right.list().len()
            && is_slip(&one, &other, JOINED_SLIP_LETTERS_MIN)
        {
            return Self::plain(SimilarityKind::Aligned, 0.9);
        }
        likeness
    }

    fn plain(similarity_kind: SimilarityKind, score: f64) -> Self {
        Self {
            similarity_kind,
            score,
            lost: Vec::new(),
            gained: Vec::new(),
            exchanged: Vec::new(),
        }
    }

    /// Gives what was aligned a score.
    fn weigh(&mut self, left: &NameWords, right: &NameWords, own: &[NameWords]) {
        let is_own = |word: &String| own.iter().any(|words| words.has(word));
        // `order_id` is no `id` of `order_items`: the key of a relation has its last word.
        let is_key = [left, right].iter().any(|words| *words.list() == ["id"]);
        let is_noun = |word: &String| {
            let nouns = own.iter().filter_map(NameWords::noun);
            nouns
                .into_iter()
                .any(|noun| singular(noun) == singular(word))
        };
        let strength = self.score;
        (self.similarity_kind, self.score) = match (self.lost.as_slice(), self.gained.as_slice()) {
            ([], []) => (SimilarityKind::Aligned, strength),
            ([], extra) | (extra, [])
                if extra.iter().all(is_own)
                    && strength > 0.0
                    && (!is_key || extra.iter().any(is_noun)) =>
            {
                (SimilarityKind::Own, 0.95 * strength)
            }
            ([], _) if is_generic(left) => (SimilarityKind::Contained, 0.5),
            ([], [_]) => (SimilarityKind::Contained, 0.85 * strength),
            ([], [_, _]) => (SimilarityKind::Contained, 0.8 * strength),
            ([], _) => (SimilarityKind::Contained, 0.6),
            (_, []) if strength > 0.0 => (SimilarityKind::Contained, 0.6),
            _ => {
                let all = left.list().len() + right.list().len();
                let lone = self.lost.len() + self.gained.len();
                (SimilarityKind::Other, cubed(shared(all, lone)))
            }
        };
    }
}

/// Words that say what kind of a thing a column is and not which: alone they name nothing that
/// another word beside them would not change.
pub(crate) fn is_generic(words: &NameWords) -> bool {
    matches!(words.list(), [only] if GENERIC.contains(&only.as_str()))
}

fn take(word: &mut String) -> Option<String> {
    (!word.is_empty()).then(|| std::mem::take(word))
}

/// Finds for each word its like. The score is how alike those are that have one.
fn aligned(left: &NameWords, right: &NameWords) -> Similarity {
    let mut free: Vec<&String> = right.list().iter().collect();
    let mut likeness = Similarity::plain(SimilarityKind::Other, 0.0);
    let (mut sum, mut pairs) = (0.0, 0.0);
    let several = left.list().len() > 1 && right.list().len() > 1;
    for word in left.list() {
        let mut best: Option<(usize, f64)> = None;
        for (place, other) in free.iter().enumerate() {
            let score = alike(word, other, several);
            if score > best.map_or(0.0, |(_, best)| best) {
                best = Some((place, score));
            }
        }
        match best {
            None => likeness.lost.push(word.clone()),
            Some((place, score)) => {
                let other = free.remove(place);
                if score < 0.95 {
                    likeness.exchanged.push((word.clone(), other.clone()));
                }
                sum += score;
                pairs += 1.0;
            }
        }
    }
    likeness.gained = free.into_iter().cloned().collect();
    if pairs > 0.0 {
        likeness.score = sum / pairs;
    }
    likeness
}

/// How alike two words are: 0 or nearly 1.
fn alike(one: &str, other: &str, several: bool) -> f64 {
    if one == other {
        return 1.0;
    }
    if singular(one) == singular(other) {
        return 0.98;
    }
    let slipped = is_slip(one, other, SLIP_LETTERS_MIN) || undoubled(one) == undoubled(other);
    let (one, other) = (singular(one), singular(other));
    let (one, other) = (one.as_ref(), other.as_ref());
    if stands_for(one, other) || stands_for(other, one) {
        return 0.95;
    }
    if several && (shortens(one, other) || shortens(other, one)) {
        return 0.9;
    }
    match slipped || is_slip(one, other, SLIP_LETTERS_MIN) {
        true => 0.9,
        false => 0.0,
    }
}

/// A word with each letter that is written twice in a row written once.
fn undoubled(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.dedup_by(|one, other| one == other && one.is_alphabetic());
    letters.into_iter().collect()
}

fn stands_for(short: &str, long: &str) -> bool {
    ABBREVIATIONS.contains(&(short, long))
}

/// `cust` for `customer`.
fn shortens(short: &str, long: &str) -> bool {
    short.len() >= 3 && long.len() >= short.len() + 3 && long.starts_with(short) && short != "count"
}

/// Whether one slip (two in long words) makes one of the other. What the first letter or a digit
/// tells apart is no slip, and neither is what does and what is done to (`payer`, `payee`).
pub(crate) fn is_slip(one: &str, other: &str, least: usize) -> bool {
    let (left, right): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let shorter = left.len().min(right.len());
    let longer = left.len().max(right.len());
    if longer < least || longer > LETTERS_MAX || left.first() != right.first() {
        return false;
    }
    let digits = |letters: &[char]| -> Vec<char> {
        let digits = letters.iter().filter(|letter| letter.is_numeric());
        digits.copied().collect()
    };
    if digits(&left) != digits(&right) {
        return false;
    }
    let ends = [("er", "ee"), ("or", "ee"), ("ed", "er"), ("ed", "or")];
    let apart = ends.iter().any(|(end, opposite)| {
        (one.ends_with(end) && other.ends_with(opposite))
            || (one.ends_with(opposite) && other.ends_with(end))
    });
    let allowed = if shorter >= TWO_SLIPS_LETTERS_MIN {
        2
    } else {
        1
    };
    !apart && one != "count" && other != "count" && with_swaps(&left, &right) <= allowed
}

/// A word without the ending of its plural.
pub(crate) fn singular(word: &str) -> Cow<'_, str> {
    if word == "ids" {
        return Cow::Borrowed("id");
    }
    if word.len() < 4 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return Cow::Borrowed(word);
    }
    if let Some(stem) = word.strip_suffix("ies")
        && word.len() > 4
    {
        return Cow::Owned(format!("{stem}y"));
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(ending) {
            return Cow::Borrowed(word.strip_suffix("es").unwrap_or(word));
        }
    }
    Cow::Borrowed(word.strip_suffix('s').unwrap_or(word))
}

/// The part of the words that both names have.
fn shared(all: usize, lone: usize) -> f64 {
    let count = |number: usize| u32::try_from(number).map_or(f64::MAX, f64::from);
    match all {
        0 => 0.0,
        all => 1.0 - count(lone) / count(all),
    }
}

fn cubed(part: f64) -> f64 {
    part * part * part
}

/// What alone says only what kind of a thing a column is.
const GENERIC: [&str; 16] = [
    "id",
    "name",
    "date",
    "number",
    "code",
    "type",
    "status",
    "key",
    "value",
    "title",
    "time",
    "year",
    "description",
    "no",
    "count",
    "day",
];

/// Abbreviations that stand for one word whatever is beside them.
const ABBREVIATIONS: &[(&str, &str)] = &[
    ("addr", "address"),
    ("amt", "amount"),
    ("avg", "average"),
    ("cat", "category"),
    ("cust", "customer"),
    ("dept", "department"),
    ("desc", "description"),
    ("dob", "birthdate"),
    ("emp", "employee"),
    ("lang", "language"),
    ("lat", "latitude"),
    ("lng", "longitude"),
    ("lon", "longitude"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("nbr", "number"),
    ("num", "number"),
    ("org", "organization"),
    ("pct", "percent"),
    ("prod", "product"),
    ("qty", "quantity"),
    ("tel", "telephone"),
];

/// Shorter words are told apart by one letter too often (`form`, `from`).
const SLIP_LETTERS_MIN: usize = 5;

/// The same for names taken as one word.
const JOINED_SLIP_LETTERS_MIN: usize = 8;

/// From here on two letters may differ.
const TWO_SLIPS_LETTERS_MIN: usize = 9;

/// Postgres's names end here; the distance costs their lengths multiplied.
const LETTERS_MAX: usize = 63;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &str, name: &str, relation: &str, similarity_kind: SimilarityKind) {
        let likeness = Similarity::of(wanted, name, &[NameWords::of(relation)]);
        assert_eq!(likeness.similarity_kind, similarity_kind, "{wanted} {name}");
    }

    #[test]
    fn names_are_cut_into_words() {
        for (name, words) in [
            ("order_id", "order id"),
            ("CDSCode", "cds code"),
            ("AvgScrMath", "avg scr math"),
            ("Free Meal Count (K-12)", "free meal count k 12"),
            ("__a__b", "a b"),
            ("", ""),
            ("größeMax", "größe max"),
        ] {
            assert_eq!(NameWords::of(name).list().join(" "), words, "{name}");
        }
    }

    #[test]
    fn names_are_alike_in_ways() {
        check("Name", "name", "t", SimilarityKind::Case);
        check("orderid", "order_id", "t", SimilarityKind::Separators);
        check("OrderID", "order_id", "t", SimilarityKind::Separators);
        check("rating", "ratings", "t", SimilarityKind::Aligned);
        check("totl_amount", "total_amount", "t", SimilarityKind::Aligned);
        check("cust_id", "customer_id", "t", SimilarityKind::Aligned);
        check("custmerid", "customer_id", "t", SimilarityKind::Aligned);
        check("qty", "quantity", "t", SimilarityKind::Aligned);
        check("fname", "first_name", "t", SimilarityKind::Aligned);
        check("LastName", "lname", "t", SimilarityKind::Aligned);
        check("name", "product_name", "products", SimilarityKind::Own);
        check("customer_name", "name", "customers", SimilarityKind::Own);
        check("item_id", "id", "order_items", SimilarityKind::Own);
        check("order_item_id", "id", "order_items", SimilarityKind::Own);
        check("order_id", "id", "order_items", SimilarityKind::Contained);
        check(
            "customer_name",
            "name",
            "vendors",
            SimilarityKind::Contained,
        );
        check("amount", "total_amount", "t", SimilarityKind::Contained);
        check("status", "country", "t", SimilarityKind::Other);
        check("payer_id", "payee_id", "t", SimilarityKind::Other);
        check("sender", "lender", "t", SimilarityKind::Other);
        check("line1", "line2", "t", SimilarityKind::Other);
        check("country", "county", "t", SimilarityKind::Aligned);
        check("count", "country", "t", SimilarityKind::Other);
    }

    #[test]
    fn plurals_lose_their_ending() {
        for (plural, one) in [
            ("customers", "customer"),
            ("categories", "category"),
            ("boxes", "box"),
            ("status", "status"),
            ("address", "address"),
            ("ids", "id"),
            ("series", "sery"),
            ("houses", "house"),
        ] {
            assert_eq!(singular(plural), one);
        }
    }
}
