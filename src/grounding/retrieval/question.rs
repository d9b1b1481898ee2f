//! What is looked for in a question.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ground::limits;

use super::likeness::StemmedWord;
use super::synonyms::SYNONYMS;
use super::words::{is_among, stem, words};

/// A question, read.
pub(super) struct AskedQuestion {
    /// Its words that say something, each once, in their order.
    pub(super) words: Vec<AskedWord>,
    /// Whether it asks for a time, or limits it.
    pub(super) asks_time: bool,
    /// Whether it asks for an amount, or compares them.
    pub(super) asks_amount: bool,
    /// Whether it asks for people.
    pub(super) asks_person: bool,
    /// Whether it names a place.
    pub(super) asks_place: bool,
}

/// A word of a question.
pub(super) struct AskedWord {
    /// The word.
    pub(super) word: StemmedWord,
    /// Words that mean much the same.
    pub(super) synonyms: &'static [StemmedWord],
    /// How much it says, at most 1.
    pub(super) weight: f64,
    /// Whether it is the first letters of adjacent words: only a whole part of a name is meant.
    pub(super) is_initials: bool,
}

impl AskedQuestion {
    pub(super) fn read(question: &str) -> Self {
        let mut all = words(question);
        all.truncate(limits::GROUNDING_QUESTION_WORDS_MAX);
        let has = |list| all.iter().any(|word| is_among(list, word));
        let mut known = HashSet::new();
        let mut asked = Vec::new();
        for word in &all {
            let word = StemmedWord {
                stem: stem(word),
                word: word.clone(),
            };
            let says_nothing = word.word.len() < 2 || is_among(STOP_WORDS, &word.word);
            if !says_nothing && known.insert(word.stem.clone()) {
                asked.push(AskedWord::of(word));
            }
        }
        for initials in initials(&all) {
            if known.insert(initials.clone()) {
                asked.push(AskedWord::of_initials(initials));
            }
        }
        Self {
            words: asked,
            asks_time: has(TIME_WORDS) || all.iter().any(|word| is_year(word)),
            asks_amount: has(AMOUNT_WORDS),
            asks_person: has(PERSON_WORDS),
            asks_place: has("where") || names_place(question),
        }
    }
}

impl AskedWord {
    fn of(word: StemmedWord) -> Self {
        let is_weak = is_among(WEAK_WORDS, &word.word);
        let synonyms = synonyms_of(&word.stem);
        Self {
            word,
            synonyms,
            weight: if is_weak { WEAK } else { 1.0 },
            is_initials: false,
        }
    }

    fn of_initials(initials: String) -> Self {
        Self {
            word: StemmedWord {
                stem: initials.clone(),
                word: initials,
            },
            synonyms: &[],
            weight: 1.0,
            is_initials: true,
        }
    }
}

/// The first letters of two and three adjacent words: `po` for purchase order.
fn initials(words: &[String]) -> Vec<String> {
    let of = |some: &[String]| {
        let letters = some.iter().filter_map(|word| word.chars().next());
        letters.collect::<String>()
    };
    let pairs = words.windows(2).map(of);
    pairs.chain(words.windows(3).map(of)).collect()
}

fn synonyms_of(stem: &str) -> &'static [StemmedWord] {
    GROUPS.get(stem).map_or(&[], Vec::as_slice)
}

/// Whether a name follows `in` or `from` that is no time.
fn names_place(question: &str) -> bool {
    let words: Vec<&str> = question.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let [before, name] = pair else {
            return false;
        };
        let is_name = name.chars().next().is_some_and(char::is_uppercase);
        let name = name.to_lowercase();
        let name = name.trim_matches(|letter: char| !letter.is_alphanumeric());
        is_among("in from", before) && is_name && !is_among(TIME_WORDS, name)
    })
}

fn is_year(word: &str) -> bool {
    let has_digits = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    has_digits && (word.starts_with("19") || word.starts_with("20"))
}

/// Of each stem those that stand in a group with it.
static GROUPS: LazyLock<HashMap<String, Vec<StemmedWord>>> = LazyLock::new(|| {
    let mut groups: HashMap<String, Vec<StemmedWord>> = HashMap::new();
    for group in SYNONYMS {
        for one in *group {
            let others = group.iter().filter(|other| *other != one);
            let others = others.map(|other| StemmedWord {
                word: (*other).to_owned(),
                stem: stem(other),
            });
            groups.entry(stem(one)).or_default().extend(others);
        }
    }
    groups
});

const WEAK: f64 = 0.4;

/// Words that stand in questions about anything.
const STOP_WORDS: &str = "\
    a about above after again against all also am among an and any are around as at be because \
    been before being below best between both but by can compare compared could did display do \
    does during each ever every find five for four from get give had has have having he her here \
    highest him his how i if in into is it its largest least less list lowest many me more most \
    much must my never not of off often on one only or other our out over own per please same \
    she should show since so some still such tell ten than that the their them then there these \
    they this those three to too top two under up us use used using very was we were what \
    whether which while who's whose with within without would yet you your";

/// Words that say little about what is asked.
const WEAK_WORDS: &str = "\
    average balance common count date day days hour hours last latest list long longer longest \
    mean minutes month monthly months name names new next number quarter recent share sum time \
    today tomorrow total week weekend who year yearly years yesterday";

/// Words of times.
const TIME_WORDS: &str = "\
    after age ago annual april august autumn before between christmas closed daily date day days \
    deadline december during earlier earliest easter evening fast faster fastest february first \
    friday hour hours january july june last late later latest long longer longest march may \
    missed monday month monthly months morning newest next night november october old oldest \
    overdue past period promised quarter quickly recent saturday season september since slow \
    slowest soon spring summer sunday thursday time today tomorrow trend tuesday until wednesday \
    week weekend weeks when winter year years yesterday";

/// Words of amounts.
const AMOUNT_WORDS: &str = "\
    amount amounts average balance biggest bill budget charge cheapest cost costs dearest earn \
    earned expensive exposure fee fees highest income largest less loss losses lowest money more \
    most much over owe paid pay paying payments price prices profit revenue sales share smallest \
    spend spent sum sums total totals turnover value volume worth";

/// Words of people.
const PERSON_WORDS: &str = "\
    people person who whom";
