//! How sure it is that a word of a question means a word of a name.

use super::words::is_vowel;

/// A word as it stands, and its stem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StemmedWord {
    /// In small letters.
    pub(super) word: String,
    /// Without its ending.
    pub(super) stem: String,
}

/// Between 0, where the one does not mean the other, and 1, where they are the same word: a part of
/// a name may be an abbreviation, or another form, of what is asked for.
pub(super) fn likeness(asked: &StemmedWord, part: &StemmedWord) -> f64 {
    if asked.stem == part.stem {
        return SAME;
    }
    let abbreviated = abbreviation(&asked.word, &part.word);
    abbreviated.max(other_form(asked, part))
}

/// Whether a word ends or begins with another, as in names that are written in one.
pub(super) fn compound(asked: &StemmedWord, part: &StemmedWord) -> f64 {
    let (short, long) = (&asked.stem, &part.stem);
    let is_part = short.len() >= 4
        && long.len() >= short.len() + 3
        && (long.ends_with(short.as_str()) || long.starts_with(short.as_str()));
    if is_part { COMPOUND } else { 0.0 }
}

/// `cust` and `cstmr` for customer, `qty` for quantity, `no` for number.
fn abbreviation(asked: &str, part: &str) -> f64 {
    if WRITTEN_SHORT
        .iter()
        .any(|(short, long)| *short == part && *long == asked)
    {
        return ABBREVIATION;
    }
    if part.len() < 2 || part.len() >= asked.len() || asked.chars().next() != part.chars().next() {
        return 0.0;
    }
    if part.len() >= 3 && asked.starts_with(part) {
        return if part.len() > 3 {
            ABBREVIATION
        } else {
            SHORT_PREFIX
        };
    }
    // The vowel at the end may stay: whse.
    let last = part.chars().last().filter(|last| asked.ends_with(*last));
    let inner = last
        .and_then(|last| part.strip_suffix(last))
        .unwrap_or(part);
    let has_vowels = inner.chars().skip(1).any(is_vowel);
    let mut letters = asked.chars();
    let is_within = part.chars().all(|letter| letters.any(|one| one == letter));
    match part.len() {
        _ if has_vowels || !is_within => 0.0,
        // Two letters mean little: the second is the first consonant behind, or the last.
        2 => match asked.len() <= 8 && has_short_skeleton(asked, part) {
            true => TWO_LETTERS,
            false => 0.0,
        },
        _ => ABBREVIATION,
    }
}

fn has_short_skeleton(asked: &str, part: &str) -> bool {
    let second = part.chars().nth(1);
    let mut consonants = asked.chars().skip(1).filter(|letter| !is_vowel(*letter));
    let first = consonants.next();
    first == second || consonants.last() == second
}

/// Words that begin alike: `cancel` and `cancellation`, `renew` and `renewal`.
fn other_form(asked: &StemmedWord, part: &StemmedWord) -> f64 {
    let (one, other) = (&asked.stem, &part.stem);
    let pairs = one.chars().zip(other.chars());
    let common = pairs.take_while(|(a, b)| a == b).count();
    let shorter = one.len().min(other.len());
    if common >= 5 && common + 2 >= shorter {
        OTHER_FORM
    } else {
        0.0
    }
}

const SAME: f64 = 1.0;
const ABBREVIATION: f64 = 0.58;
const SHORT_PREFIX: f64 = 0.65;
const TWO_LETTERS: f64 = 0.5;
const OTHER_FORM: f64 = 0.6;
const COMPOUND: f64 = 0.5;

/// Abbreviations whose letters do not all stand in the word, or that are too short to tell.
const WRITTEN_SHORT: [(&str, &str); 23] = [
    ("acc", "account"),
    ("avg", "average"),
    ("bo", "backordered"),
    ("dob", "birth"),
    ("dt", "date"),
    ("fx", "exchange"),
    ("id", "identifier"),
    ("nbr", "number"),
    ("no", "number"),
    ("nr", "number"),
    ("num", "number"),
    ("oh", "hand"),
    ("pct", "percent"),
    ("pct", "percentage"),
    ("tel", "phone"),
    ("trn", "transaction"),
    ("trx", "transaction"),
    ("tx", "transaction"),
    ("txn", "transaction"),
    ("wh", "warehouse"),
    ("xfer", "transfer"),
    ("xfr", "transfer"),
    ("xref", "reference"),
];

#[cfg(test)]
mod tests {
    use super::super::words::stem;
    use super::*;

    fn of(asked: &str, part: &str) -> f64 {
        let word = |word: &str| StemmedWord {
            word: word.to_owned(),
            stem: stem(word),
        };
        likeness(&word(asked), &word(part))
    }

    #[test]
    fn abbreviations_and_other_forms_are_known() {
        for (asked, parts) in [
            ("customer", "customers cust cstmr cst"),
            ("quantity", "qty quantities qnty"),
            ("number", "no nbr num nr"),
            ("amount", "amt amnt"),
            ("date", "dt dates"),
            ("description", "desc descr dscr"),
            ("address", "addr addresses adr"),
            ("header", "hdr"),
            ("account", "acct acc accounts"),
            ("transaction", "txn trx tx trans"),
            ("weight", "wgt wt"),
            ("warehouse", "whs wh whse"),
            ("name", "nme nm"),
            ("carrier", "crr"),
            ("payment", "pymt pmt pay paid"),
            ("cancellation", "cancel cancelled cncl"),
            ("renewed", "renewal renewals"),
            ("year", "yr"),
            ("code", "cd"),
            ("name", "nm"),
            ("line", "ln"),
            ("employee", "emp empl"),
        ] {
            for part in parts.split(' ') {
                assert!(of(asked, part) >= 0.5, "{asked}: {part}");
            }
        }
    }

    #[test]
    fn words_that_only_look_alike_are_told_apart() {
        for (asked, parts) in [
            ("customer", "carrier cost mr course"),
            ("order", "border older id"),
            ("date", "data rate day"),
            ("price", "prize piece"),
            ("number", "member not"),
            ("state", "estate stock"),
            ("item", "time"),
        ] {
            for part in parts.split(' ') {
                assert!(of(asked, part) < 0.5, "{asked}: {part}");
            }
        }
    }
}
