//! The laws of every HINT: it names the thing, says where it exists, proposes at most three
//! candidates and never the failing one, and is short. Test code only.

use crate::FailureClass;
use ground::limits::HINT_CHARACTERS_MAX;

/// The laws that a HINT breaks, which is told for an error of a text.
pub fn broken(sqlstate: &str, message: &str, text: &str, hint: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let words = hint.split(STATEMENT).next().unwrap_or_default();
    let general = FailureClass::of(sqlstate, message).is_some_and(|class| class.advice() == hint);
    let named = failing_name(message).to_lowercase();
    let candidates: Vec<&str> = words
        .split_once("the nearest is ")
        .or_else(|| words.split_once("the nearest are "))
        .or_else(|| words.split_once(", which has "))
        .map(|(_, list)| {
            list.split_once('.')
                .map_or(list, |(list, _)| list)
                .split(", ")
                .collect()
        })
        .unwrap_or_default();
    let mut sentences: Vec<&str> = words.split(". ").collect();
    sentences.sort_unstable();
    let mut check = |is_broken: bool, law: &'static str| {
        if is_broken {
            found.push(law);
        }
    };
    check(hint.is_empty(), "none");
    check(general || GATES.contains(&hint), "general");
    check(
        words.contains("single quotes") && !text.contains('"'),
        "irrelevant",
    );
    check(words.chars().count() > HINT_CHARACTERS_MAX, "long");
    check(!words.ends_with(['.', ' ']), "cut");
    check(candidates.len() > 3, "many");
    check(
        candidates.iter().any(|one| one.to_lowercase() == named),
        "repeating",
    );
    check(
        sentences.windows(2).any(|pair| pair.first() == pair.last()),
        "twice",
    );
    check(is_restated(words), "restating");
    // A whole statement names what was changed.
    let is_own = !hint.starts_with("Write it with functions that the server has")
        && !hint.starts_with("A likely repair: ");
    let names = ["42703", "42P01", "42883", "42704", "42702", "42712"];
    let name = named.rsplit('.').next().unwrap_or_default();
    check(
        is_own && names.contains(&sqlstate) && !hint.to_lowercase().contains(name),
        "unnamed",
    );
    found
}

/// What the server's words name: the last part of what stands in quotes, a function, an operator.
fn failing_name(message: &str) -> &str {
    if let Some((_, rest)) = message.split_once('"') {
        return rest.split('"').next().unwrap_or_default();
    }
    let rest = ["function ", "column ", "operator does not exist: "];
    let rest = rest.iter().find_map(|start| message.strip_prefix(start));
    let rest = rest.unwrap_or_default();
    let name = rest.split(['(', ' ']).next().unwrap_or_default();
    if message.starts_with("operator") {
        ""
    } else {
        name
    }
}

/// Whether a HINT says no more than the error does.
fn is_restated(words: &str) -> bool {
    let only = words.trim_end_matches('.').matches(". ").count() == 0;
    only && words.starts_with("There is no ") && !words.contains([';', ':', ','])
        || words.starts_with("PostgreSQL has no ") && only && !words.contains([';', ':', ','])
}

/// What the gate says of all texts of a kind.
const GATES: &[&str] = &[
    "Check the statement: it has to be valid PostgreSQL.",
    "Check the spelling and the schema; information_schema.tables lists what there is.",
    "Check the spelling; information_schema.columns lists what there is.",
    "Check the name and the types of the arguments; pg_proc lists what functions there are.",
    "Check the types on its sides; pg_operator lists what operators there are.",
    "Check the spelling and the schema; pg_type lists what types there are.",
];

const STATEMENT: &str = "Send this if it is what was meant: ";
