//! Which dialects a text is of: the only one that has something that the text has, or those
//! ([`shared`]) that have all of it. A double-quoted string alone says nothing.
//!
//! [`mixture`]: texts that are Postgres's as well; [`unclaimed`]: systems that are not translated;
//! `token_search`: what evidence is looked for with

pub mod mixture;
pub(super) mod postgres_markers;
pub mod shared;
pub(super) mod token_search;
pub mod unclaimed;

use sqlparser::tokenizer::{Token, Tokenizer};

use super::registry;
use super::session_database::SessionDatabase;
use super::source::{DialectMarker, EvidenceToken, EvidenceTokenKind, SourceDialect};
use super::tsql::from::USUAL_SCHEMA;
use policy::Dialect;

/// The only dialect that a text has evidence of.
pub fn by_evidence(text: &str) -> Option<Dialect> {
    let mut decided = None;
    for source in registry::ALL {
        let seen = evidence_tokens(text, *source);
        let found = (source.evidence().iter()).any(|evidence| has_marker(&evidence.mark, &seen));
        match (found, decided) {
            (false, _) => {}
            (true, None) => decided = Some(source.dialect()),
            (true, Some(_)) => return None,
        }
    }
    decided
}

/// The dialect whose usual schema a text names, where the database has none of that name and the
/// text has no evidence of another.
pub fn by_missing_schema(text: &str, database: &SessionDatabase<'_>) -> Option<Dialect> {
    let source = registry::of(Dialect::Tsql)?;
    let seen = evidence_tokens(text, source);
    let is_named = seen.windows(2).any(|pair| {
        matches!(pair, [schema, dot]
            if dot.word == "."
                && schema.kind != EvidenceTokenKind::Text
                && schema.word.eq_ignore_ascii_case(USUAL_SCHEMA))
    });
    let others = registry::ALL
        .iter()
        .filter(|one| one.dialect() != Dialect::Tsql);
    let mut evidence = others.flat_map(|other| other.evidence());
    let is_its = is_named
        && !database.has_schema(USUAL_SCHEMA)
        && !evidence.any(|one| has_marker(&one.mark, &seen));
    is_its.then_some(Dialect::Tsql)
}

/// The tokens of a text as a dialect reads them, blanks left out; none where it cannot.
pub(super) fn evidence_tokens(text: &str, source: &dyn SourceDialect) -> Vec<EvidenceToken> {
    let grammar = source.grammar();
    let mut tokenizer = Tokenizer::new(&*grammar, text).with_unescape(false);
    let Ok(tokens) = tokenizer.tokenize() else {
        return Vec::new();
    };
    let of = |token: Token| -> Option<EvidenceToken> {
        let (word, kind) = match token {
            Token::Whitespace(_) | Token::EOF => return None,
            Token::Word(word) if word.quote_style.is_none() => {
                (word.value.to_lowercase(), EvidenceTokenKind::Word)
            }
            Token::Word(word) if word.quote_style == Some('[') => {
                (word.value, EvidenceTokenKind::Bracketed)
            }
            Token::Word(word) if word.quote_style == Some('`') => {
                (word.value, EvidenceTokenKind::Backticked)
            }
            Token::Word(word) => (word.value, EvidenceTokenKind::Quoted),
            Token::Number(digits, _) => (digits, EvidenceTokenKind::Number),
            Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_)
            | Token::TripleSingleQuotedString(_)
            | Token::TripleDoubleQuotedString(_)
            | Token::DollarQuotedString(_)
            | Token::NationalStringLiteral(_)
            | Token::EscapedStringLiteral(_)
            | Token::HexStringLiteral(_) => (String::new(), EvidenceTokenKind::Text),
            // Signs carry no value of the text; whatever else does is of no use as evidence.
            sign => (sign.to_string().to_lowercase(), EvidenceTokenKind::Sign),
        };
        Some(EvidenceToken { word, kind })
    };
    tokens.into_iter().filter_map(of).collect()
}

/// Whether a mark is among them.
pub(super) fn has_marker(mark: &DialectMarker, seen: &[EvidenceToken]) -> bool {
    match mark {
        DialectMarker::Call(name) => calls(seen, name).next().is_some(),
        DialectMarker::CallOf(name, count) => calls(seen, name).any(|given| given == Some(*count)),
        DialectMarker::Sequence(words) => seen.windows(words.len()).any(|window| {
            let pairs = window.iter().zip(*words);
            let mut same = pairs.map(|(one, word)| {
                one.word == *word
                    && matches!(one.kind, EvidenceTokenKind::Word | EvidenceTokenKind::Sign)
            });
            same.all(|same| same)
        }),
        DialectMarker::Shape(shape) => shape(seen),
    }
}

/// The calls of a function, by how many arguments each has; none where the call never ends.
fn calls<'s>(seen: &'s [EvidenceToken], name: &'s str) -> impl Iterator<Item = Option<usize>> + 's {
    let places = seen.windows(2).enumerate().filter_map(move |(at, pair)| {
        let [word, open] = pair else { return None };
        let is_call = word.kind == EvidenceTokenKind::Word && word.word == name && open.word == "(";
        let of_something = at
            .checked_sub(1)
            .and_then(|before| seen.get(before))
            .is_some_and(|before| before.word == ".");
        (is_call && !of_something).then_some(at + 2)
    });
    places.map(move |start| arguments(seen.get(start..).unwrap_or_default()))
}

/// How many arguments stand before the closing parenthesis.
fn arguments(rest: &[EvidenceToken]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut count = 1;
    for (at, one) in rest.iter().enumerate() {
        if one.kind != EvidenceTokenKind::Sign {
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
