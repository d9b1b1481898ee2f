//! The only dialect that has something that a text has. A backtick or a double-quoted string alone
//! decides nothing.

pub(crate) mod mixture;
pub(super) mod postgres_markers;

use sqlparser::tokenizer::{Token, Tokenizer};

use super::registry;
use super::source::{Mark, Seen, SeenKind, Source};
use crate::policy::Dialect;

/// The only dialect that a text has evidence of.
pub fn by_evidence(text: &str) -> Option<Dialect> {
    let mut decided = None;
    for source in registry::ALL {
        let seen = seen(text, *source);
        let found = (source.evidence().iter()).any(|evidence| holds(&evidence.mark, &seen));
        match (found, decided) {
            (false, _) => {}
            (true, None) => decided = Some(source.dialect()),
            (true, Some(_)) => return None,
        }
    }
    decided
}

/// The tokens of a text as a dialect reads them, blanks left out; none where it cannot.
pub(super) fn seen(text: &str, source: &dyn Source) -> Vec<Seen> {
    let grammar = source.grammar();
    let mut tokenizer = Tokenizer::new(&*grammar, text).with_unescape(false);
    let Ok(tokens) = tokenizer.tokenize() else {
        return Vec::new();
    };
    let of = |token: Token| -> Option<Seen> {
        let (word, kind) = match token {
            Token::Whitespace(_) | Token::EOF => return None,
            Token::Word(word) if word.quote_style.is_none() => {
                (word.value.to_lowercase(), SeenKind::Word)
            }
            Token::Word(word) if word.quote_style == Some('[') => (word.value, SeenKind::Bracketed),
            Token::Word(word) => (word.value, SeenKind::Quoted),
            Token::Number(digits, _) => (digits, SeenKind::Number),
            Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_)
            | Token::TripleSingleQuotedString(_)
            | Token::TripleDoubleQuotedString(_)
            | Token::DollarQuotedString(_)
            | Token::NationalStringLiteral(_)
            | Token::EscapedStringLiteral(_)
            | Token::HexStringLiteral(_) => (String::new(), SeenKind::Text),
            // Signs carry no value of the text; whatever else does is of no use as evidence.
            sign => (sign.to_string().to_lowercase(), SeenKind::Sign),
        };
        Some(Seen { word, kind })
    };
    tokens.into_iter().filter_map(of).collect()
}

/// Whether a mark is among them.
pub(super) fn holds(mark: &Mark, seen: &[Seen]) -> bool {
    match mark {
        Mark::Call(name) => calls(seen, name).next().is_some(),
        Mark::CallOf(name, count) => calls(seen, name).any(|given| given == Some(*count)),
        Mark::Row(words) => seen.windows(words.len()).any(|window| {
            let pairs = window.iter().zip(*words);
            let mut same = pairs.map(|(one, word)| {
                one.word == *word && matches!(one.kind, SeenKind::Word | SeenKind::Sign)
            });
            same.all(|same| same)
        }),
        Mark::Shape(shape) => shape(seen),
    }
}

/// The calls of a function, by how many arguments each has; none where the call never ends.
fn calls<'s>(seen: &'s [Seen], name: &'s str) -> impl Iterator<Item = Option<usize>> + 's {
    let places = seen.windows(2).enumerate().filter_map(move |(at, pair)| {
        let [word, open] = pair else { return None };
        let is_call = word.kind == SeenKind::Word && word.word == name && open.word == "(";
        let of_something = at
            .checked_sub(1)
            .and_then(|before| seen.get(before))
            .is_some_and(|before| before.word == ".");
        (is_call && !of_something).then_some(at + 2)
    });
    places.map(move |start| arguments(seen.get(start..).unwrap_or_default()))
}

/// How many arguments stand before the closing parenthesis.
fn arguments(rest: &[Seen]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut count = 1;
    for (at, one) in rest.iter().enumerate() {
        if one.kind != SeenKind::Sign {
            continue;
        }
        match one.word.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" if depth == 0 => return Some(if at == 0 { 0 } else { count }),
            ")" | "]" => depth -= 1,
            "," if depth == 0 => count += 1,
            _ => {}
        }
    }
    None
}
