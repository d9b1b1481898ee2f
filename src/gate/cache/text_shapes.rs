//! Statements that differ in whole numbers alone: what they name, their fingerprint, in which no
//! number is, and the verdict on them.
//!
//! What a statement reads and calls follows from its tokens and from the types of its constants; a
//! whole number of at most nine digits is an integer whatever its value. Where a value does count
//! (the place of a column behind ORDER BY, the precision of a float), texts are not taken for each
//! other. That the gate reads no other number of a read is held by two tests: one names the places
//! where it reads any (`numbers_are_read_in_known_places`), the other compares verdicts
//! (`tests/pure/gate/shapes.rs`).
//!
//! * A verdict is taken over where a read passed and nothing else came of it ([`is_shared`]); it
//!   may be switched off ([`crate::Judging`]).
//! * Names and fingerprint alone are taken over where nothing is decided by the names: the policy
//!   hides nothing and denies no function.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::VerdictKey;
use crate::named_objects::StatementObjects;
use crate::{Facts, StatementKind};
use ground::limits;
use sql::fingerprint::Fingerprint;
use sql::lexer::{TokenKind, tokens};

/// What is recorded of the shapes that one worker thread has met.
#[derive(Default)]
pub(crate) struct ShapeCache {
    known: HashMap<TextShape, ShapeRecord, RandomState>,
    bytes: usize,
}

/// What is recorded of every statement of one shape.
#[derive(Clone)]
pub(crate) struct ShapeRecord {
    /// What it names, where that is recorded.
    pub(crate) named: Option<Arc<StatementObjects>>,
    /// What it is called.
    pub(crate) fingerprint: Option<Fingerprint>,
    /// What is known of each of them, where each of them passes.
    pub(crate) facts: Option<Arc<Facts>>,
}

/// A text without its whole numbers, and what its names depend on beside it. Never shown: it holds
/// everything else of the text.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct TextShape {
    key: VerdictKey,
    text: Box<str>,
}

impl TextShape {
    /// The shape of a text, where it is told by its tokens alone.
    pub(crate) fn of(key: VerdictKey, text: &str) -> Option<Self> {
        let mut shape = String::with_capacity(text.len());
        for token in tokens(text) {
            let piece = text.get(token.span)?;
            match token.kind {
                TokenKind::Number if is_small_and_whole(piece) => shape.push('0'),
                TokenKind::Word if WEIGHTY.iter().any(|word| word.eq_ignore_ascii_case(piece)) => {
                    return None;
                }
                TokenKind::JunkNumber
                | TokenKind::UnterminatedLiteral
                | TokenKind::UnterminatedComment
                | TokenKind::Other => return None,
                TokenKind::Space
                | TokenKind::LineComment
                | TokenKind::BlockComment
                | TokenKind::Word
                | TokenKind::QuotedName
                | TokenKind::UnicodeName
                | TokenKind::String
                | TokenKind::EscapeString
                | TokenKind::UnicodeString
                | TokenKind::BitString
                | TokenKind::DollarString
                | TokenKind::Number
                | TokenKind::Parameter
                | TokenKind::Operator
                | TokenKind::Punctuation => shape.push_str(piece),
            }
        }
        Some(Self {
            key,
            text: shape.into_boxed_str(),
        })
    }
}

impl ShapeCache {
    /// What is recorded of a statement of this shape, where one was met.
    pub(crate) fn find(&self, shape: &TextShape) -> Option<ShapeRecord> {
        self.known.get(shape).cloned()
    }

    /// Remembers what is recorded of a statement of this shape.
    pub(crate) fn learn(&mut self, shape: TextShape, recorded: ShapeRecord) {
        let named = recorded.named.as_ref().map_or(0, |named| named.bytes());
        let bytes = shape.text.len() + named + size_of::<Facts>();
        if bytes > limits::SHAPES_BYTES_MAX {
            return;
        }
        if self.known.len() >= limits::SHAPES_KNOWN_MAX
            || self.bytes + bytes > limits::SHAPES_BYTES_MAX
        {
            self.known.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.known.insert(shape, recorded);
    }
}

impl fmt::Debug for ShapeCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Shapes(..)")
    }
}

/// Whether a text of the same shape as this one, which passed, passes as well, with the same facts:
/// one read, of which nothing is known but that, and what it names.
pub(crate) fn is_shared(facts: &Facts) -> bool {
    let Facts {
        kind,
        fingerprint: _,
        statements,
        effects,
        cacheable,
        basis: _,
        depth: _,
        forecast,
        stands_in,
        signal,
        asks_role,
        asks_receipt,
        source_text,
        rows_max,
        observed,
        rewritten,
        runs_by_path: _,
        runs_prepared,
        named_objects: _,
        text,
        shape,
        cursor_steps,
        listens,
    } = facts;
    let is_told_later = forecast.get().is_some()
        || stands_in.get().is_some()
        || signal.get().is_some()
        || rows_max.get().is_some()
        || listens.get().is_some();
    *kind == StatementKind::Select
        && *statements == 1
        && *cacheable
        && effects.is_empty()
        && observed.is_empty()
        && cursor_steps.is_empty()
        && !asks_receipt
        && !runs_prepared
        && asks_role.is_none()
        && source_text.is_none()
        && rewritten.is_none()
        && text.is_none()
        && shape.is_none()
        && !is_told_later
}

fn is_small_and_whole(number: &str) -> bool {
    number.len() <= SMALL_DIGITS_MAX && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Every number of so many digits is an `integer`.
const SMALL_DIGITS_MAX: usize = 9;

/// Key words behind which the value of a whole number says what is meant: the place of a column,
/// or which of two types.
const WEIGHTY: &[&str] = &["order", "group", "distinct", "float"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::JudgementCache;
    use crate::rules;
    use crate::rules::check::{agent_with, gate, hides, people, rule_of, session_of};
    use sql::fingerprint::Fingerprinter;

    fn made(text: &str) -> Option<TextShape> {
        TextShape::of(VerdictKey::default(), text)
    }

    #[track_caller]
    fn check(one: &str, other: &str, same: bool) {
        let shape = |text: &str| made(text).map(|shape| shape.text);
        let alike = shape(one).is_some() && shape(one) == shape(other);
        assert_eq!(alike, same, "{one} | {other}");
    }

    #[test]
    fn whole_numbers_alone_may_differ() {
        check(
            "SELECT a FROM t WHERE b = 1",
            "SELECT a FROM t WHERE b = 999999999",
            true,
        );
        check("SELECT f(1, -2)", "SELECT f(3, -4)", true);
        for (one, other) in [
            ("SELECT f(1)", "SELECT f(1.5)"),
            ("SELECT f(1)", "SELECT f(3000000000)"),
            ("SELECT f(1)", "SELECT f(0000000001)"),
            ("SELECT f(1)", "SELECT f(1e3)"),
            ("SELECT f(1)", "SELECT f(0x1)"),
            ("SELECT f(1)", "SELECT f('1')"),
            ("SELECT f('1')", "SELECT f('2')"),
            ("SELECT t1.a FROM t1", "SELECT t2.a FROM t2"),
            ("SELECT \"1\"", "SELECT \"2\""),
            ("SELECT $1", "SELECT $2"),
            ("SELECT 1 1", "SELECT 11"),
            ("SELECT a", "SELECT A"),
        ] {
            check(one, other, false);
        }
    }

    #[test]
    fn where_a_value_counts_there_is_no_shape() {
        for text in [
            "SELECT a, b FROM t ORDER BY 1",
            "SELECT a, b FROM t GROUP/**/BY 1",
            "SELECT DISTINCT ON (1) a FROM t",
            "SELECT f(1::Float(24))",
            "SELECT 12abc",
            "SELECT 'open",
            "SELECT /* open",
        ] {
            check(text, text, false);
        }
    }

    /// Texts of one shape and of others, all through one cache: what is recorded is what a gate
    /// records that has met none of them.
    #[test]
    fn names_are_those_of_the_text_itself() {
        let policy = agent_with(&[], "");
        let names = session_of(people().build(), &policy);
        let gate = gate(policy).recording_names();
        let mut cache = JudgementCache::new();
        let mut known = 0;
        for round in 1..4 {
            for text in [
                format!("SELECT id, {round} FROM shop.people WHERE id = {round}"),
                format!("SELECT shop.peek({round}) FROM shop.people"),
                format!("SELECT id, name FROM shop.people ORDER BY {}", round.min(2)),
                format!("SELECT * FROM shop.orders LIMIT {round}"),
                format!("WITH x AS (SELECT {round} AS id) SELECT * FROM x"),
                format!("DELETE FROM shop.people WHERE id = {round}"),
                format!("SET statement_timeout = {round}"),
                format!("PREPARE p AS SELECT {round} FROM shop.people"),
            ] {
                let fresh = gate.judge(text.as_str().into(), &names);
                let kept = cache.judge(&gate, text.as_str().into(), &names);
                assert_eq!(
                    kept.facts.named_objects, fresh.facts.named_objects,
                    "{text}"
                );
                assert_eq!(kept.facts.fingerprint, fresh.facts.fingerprint, "{text}");
                assert_eq!(rule_of(&kept), rule_of(&fresh), "{text}");
                assert_eq!(kept.facts.depth, fresh.facts.depth, "{text}");
                assert_eq!(kept.facts.observed, fresh.facts.observed, "{text}");
                assert_eq!(kept.facts.cacheable, fresh.facts.cacheable, "{text}");
                let shape = cache.key_of(&gate, &names);
                let shape = TextShape::of(shape, &text);
                known += usize::from(shape.is_some_and(|it| cache.shapes().find(&it).is_some()));
            }
        }
        assert_eq!(known, 12, "four of them have a shape that is kept");
        // Where the policy hides something the names decide: nothing is on record by shape alone.
        let gate = rules::check::gate(hides()).recording_names();
        assert!(!gate.only_records_names());
    }

    #[test]
    fn memory_is_bounded() {
        let mut shapes = ShapeCache::default();
        let recorded = ShapeRecord {
            named: None,
            fingerprint: None,
            facts: None,
        };
        for number in 0..limits::SHAPES_KNOWN_MAX * 3 {
            let shape = made(&format!("SELECT a{number}")).unwrap();
            shapes.learn(shape, recorded.clone());
            assert!(shapes.known.len() <= limits::SHAPES_KNOWN_MAX);
        }
        for number in 0..2_000 {
            let text = format!("SELECT a{number}, '{}'", "x".repeat(15_000));
            shapes.learn(made(&text).unwrap(), recorded.clone());
            assert!(shapes.bytes <= limits::SHAPES_BYTES_MAX);
        }
        // A short text may name much: what is remembered of it counts.
        let mut shapes = ShapeCache::default();
        let many = (0..256).map(|number| Arc::from("x".repeat(1_000) + &number.to_string()));
        let named = Arc::new(StatementObjects {
            functions: many.collect(),
            ..StatementObjects::default()
        });
        let recorded = ShapeRecord {
            named: Some(named),
            ..recorded
        };
        for number in 0..50 {
            let shape = made(&format!("SELECT f{number}()")).unwrap();
            shapes.learn(shape, recorded.clone());
            assert!(shapes.known.len() < 10, "{}", shapes.known.len());
        }
    }

    /// What a shape says is what the lexer says of the text: no two texts run together.
    #[test]
    fn a_shape_has_the_tokens_of_its_text() {
        let pieces = [
            "1", "0", "12", "x", "e", "_", "b1", ".", "..", "$", "$1", "'1'", "x'1'", " ", "-",
            "U&'1'", "\"1\"", "--1\n", "/*1*/", "$$1$$", "::", "a", "(", "[", "7::int",
        ];
        let fingerprints = Fingerprinter::new(None, [0; 32]);
        let mut kept = 0;
        for one in pieces {
            for other in pieces {
                for third in pieces {
                    let text = [one, other, third].concat();
                    let Some(shape) = made(&text) else { continue };
                    kept += 1;
                    let kinds = |text: &str| tokens(text).map(|t| t.kind).collect::<Vec<_>>();
                    assert_eq!(kinds(&text), kinds(&shape.text), "{text} | {}", shape.text);
                    let name = |text: &str| fingerprints.of(text);
                    assert_eq!(name(&text), name(&shape.text), "{text} | {}", shape.text);
                    let again = made(&shape.text).unwrap();
                    assert_eq!(again.text, shape.text, "{text}");
                }
            }
        }
        assert!(kept > 5_000, "{kept}");
    }
}
