//! Statements that differ in constants alone whose values nothing reads: what they name, their
//! fingerprint, in which no constant is, and the verdict on them.
//!
//! What a statement reads and calls follows from its tokens and from the types of its constants.
//! Which constants a shape leaves out is said in [`shape_text`], and why no value of them counts in
//! [`unread_constants`]. Two tests hold that: one names the places where the gate reads any value
//! (`known_places_tests.rs`), the other compares verdicts (`shape_tests.rs`).
//!
//! * A verdict is taken over where a read passed and nothing else came of it ([`is_shared`]); it
//!   may be switched off ([`crate::Judging`]). It is kept from the second text on.
//! * Names and fingerprint alone are taken over where nothing is decided by the names: the policy
//!   hides nothing and denies no function.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::mem;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::{IdentityBuildHasher, SeenOnce, VerdictKey, shape_text, unread_constants};
use crate::named_objects::StatementObjects;
use crate::{Facts, StatementKind};
use ground::limits;
use sql::fingerprint::Fingerprint;

/// What is recorded of the shapes that one worker thread has met.
#[derive(Default)]
pub(crate) struct ShapeCache {
    /// Seeded at random: a client cannot choose texts that collide.
    hasher: RandomState,
    known: HashMap<u64, KnownShape, IdentityBuildHasher>,
    bytes: usize,
    /// Shapes that came once cost no more than that: they may be as many as the texts are.
    seen: SeenOnce,
    /// Where the next shape is written, so that a text that is known costs no allocation.
    spare: String,
}

struct KnownShape {
    key: VerdictKey,
    text: Box<str>,
    recorded: ShapeRecord,
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

/// A text without constants whose values nothing reads, and what its verdict depends on beside it.
/// Never shown: it holds everything else of the text.
pub(crate) struct TextShape {
    key: VerdictKey,
    hash: u64,
    text: String,
}

impl TextShape {
    /// Whether it is the shape of a text, and the tree of that text says as well that no value is
    /// read of the constants which are left out of it for where they stand.
    pub(crate) fn is_proved_by(&self, text: &str) -> bool {
        let (mut own, mut at) = (String::with_capacity(self.text.len()), Vec::new());
        shape_text::write(text, &mut own, |span| at.push(span)).is_some()
            && own == self.text
            && unread_constants::are_unread(text, &at)
    }
}

impl ShapeCache {
    /// The shape of a text, where it is told by its tokens alone.
    pub(crate) fn shape_of(&mut self, key: VerdictKey, text: &str) -> Option<TextShape> {
        let mut shape = mem::take(&mut self.spare);
        shape.clear();
        let told = shape_text::write(text, &mut shape, |_| ());
        let mut hasher = self.hasher.build_hasher();
        key.hash(&mut hasher);
        hasher.write(shape.as_bytes());
        let shape = TextShape {
            key,
            hash: hasher.finish(),
            text: shape,
        };
        match told {
            Some(()) => Some(shape),
            None => {
                self.give_back(shape);
                None
            }
        }
    }

    /// Takes a shape back that is not needed any more.
    pub(crate) fn give_back(&mut self, shape: TextShape) {
        self.spare = shape.text;
    }

    /// Whether a text of this shape came before; a wrong yes costs one entry.
    pub(crate) fn came_before(&mut self, shape: &TextShape) -> bool {
        self.seen.came_before(shape.hash)
    }

    /// What is recorded of a statement of this shape, where one was met.
    pub(crate) fn find(&self, shape: &TextShape) -> Option<&ShapeRecord> {
        let known = self.known.get(&shape.hash)?;
        (known.key == shape.key && *known.text == *shape.text).then_some(&known.recorded)
    }

    /// Remembers what is recorded of a statement of this shape.
    pub(crate) fn learn(&mut self, shape: &TextShape, recorded: ShapeRecord) {
        let known = KnownShape {
            key: shape.key,
            text: shape.text.as_str().into(),
            recorded,
        };
        let bytes = known.bytes();
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
        if let Some(replaced) = self.known.insert(shape.hash, known) {
            self.bytes = self.bytes.saturating_sub(replaced.bytes());
        }
    }
}

impl KnownShape {
    fn bytes(&self) -> usize {
        let named = self.recorded.named.as_ref();
        self.text.len() + named.map_or(0, |named| named.bytes()) + size_of::<Facts>()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::JudgementCache;
    use crate::rules;
    use crate::rules::check::{agent_with, gate, hides, people, rule_of, session_of};
    use sql::fingerprint::Fingerprinter;
    use sql::lexer::tokens;

    fn made(text: &str) -> Option<TextShape> {
        ShapeCache::default().shape_of(VerdictKey::default(), text)
    }

    #[track_caller]
    fn check(one: &str, other: &str, same: bool) {
        let shape = |text: &str| made(text).map(|shape| shape.text);
        let alike = shape(one).is_some() && shape(one) == shape(other);
        assert_eq!(alike, same, "{one} | {other}");
    }

    #[test]
    fn constants_of_one_class_may_differ() {
        for (one, other) in [
            (
                "SELECT a FROM t WHERE b = 1",
                "SELECT a FROM t WHERE b = 999999999",
            ),
            ("SELECT f(1, -2)", "SELECT f(3, -4)"),
            ("SELECT f(1)", "SELECT f(1700000000)"),
            ("SELECT f(1.5)", "SELECT f(2e10)"),
            ("SELECT f(.5)", "SELECT f(.25)"),
            ("SELECT f(3000000000)", "SELECT f(9223372036854775807)"),
            ("SELECT a ORDER BY 1 LIMIT 2", "SELECT a ORDER BY 1 LIMIT 3"),
            (
                "SELECT a GROUP BY 1 HAVING a > 2",
                "SELECT a GROUP BY 1 HAVING a > 3",
            ),
            ("SELECT a WHERE b = 'x'", "SELECT a WHERE b = 'it''s'"),
            (
                "SELECT a WHERE b LIKE'x' AND c",
                "SELECT a WHERE b LIKE'' AND c",
            ),
            (
                "SELECT a WHERE b IN ('x', 'y')",
                "SELECT a WHERE b IN ('', 'z')",
            ),
            (
                "SELECT a WHERE b BETWEEN 'x' AND 'y'",
                "SELECT a WHERE b BETWEEN '1' AND '2'",
            ),
            ("SELECT a WHERE b = 'é'", "SELECT a WHERE b = 'ü'"),
            ("SELECT date '2024-01-01'", "SELECT date 'now'"),
            ("SELECT f('2024-01-01'::date)", "SELECT f('now'::date)"),
        ] {
            check(one, other, true);
        }
    }

    #[test]
    fn nothing_else_may_differ() {
        for (one, other) in [
            ("SELECT f(1)", "SELECT f(1.5)"),
            ("SELECT f(1)", "SELECT f(3000000000)"),
            ("SELECT f(1)", "SELECT f(0000000001)"),
            ("SELECT f(1)", "SELECT f(1e3)"),
            ("SELECT f(1)", "SELECT f(0x1)"),
            ("SELECT f(1)", "SELECT f('1')"),
            ("SELECT f(1.5)", "SELECT f(1.)"),
            ("SELECT f(1.5)", "SELECT f(.5)"),
            ("SELECT f(2147483647)", "SELECT f(2147483648)"),
            ("SELECT f(2147483648)", "SELECT f(2147483649)"),
            (
                "SELECT f(9223372036854775807)",
                "SELECT f(9223372036854775808)",
            ),
            ("SELECT f('1')", "SELECT f('2')"),
            ("SELECT 'x'", "SELECT 'y'"),
            ("SELECT a = E'x'", "SELECT a = E'y'"),
            ("SELECT a = 'x'", "SELECT a = 'é'"),
            ("SELECT a = 'x'", "SELECT a = 'f(1)'"),
            ("SELECT a = 'f(1)'", "SELECT a = 'f(2)'"),
            ("SELECT a = 'x'", "SELECT a = 'x\0'"),
            ("SELECT a = 'x'\n'y'", "SELECT a = 'x'\n'z'"),
            ("SELECT a = 'x' --\n'y'", "SELECT a = 'z' --\n'y'"),
            ("SELECT a = 'x' || b", "SELECT a = 'y' || b"),
            ("SELECT a = 'x'::regclass", "SELECT a = 'y'::regclass"),
            (
                "SELECT a = 'x'::text::regclass",
                "SELECT a = 'y'::date.regclass",
            ),
            ("SELECT f(a => 'x')", "SELECT f(a => 'y')"),
            ("SELECT a AND 'x'", "SELECT a AND 'y'"),
            ("SELECT a ORDER BY 1", "SELECT a ORDER BY 2"),
            ("SELECT a GROUP/**/BY 1", "SELECT a GROUP/**/BY 2"),
            ("SELECT DISTINCT ON (1) a", "SELECT DISTINCT ON (2) a"),
            ("SELECT f(1::Float(24))", "SELECT f(1::Float(25))"),
            (
                "SELECT a ORDER BY 1 LIMIT 2 + 3",
                "SELECT a ORDER BY 1 LIMIT 2 + 4",
            ),
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
    fn what_is_no_text_has_no_shape() {
        for text in [
            "SELECT 12abc",
            "SELECT 'open",
            "SELECT /* open",
            "SELECT 1.5x",
        ] {
            check(text, text, false);
        }
    }

    /// What the tokens propose the tree has to say as well.
    #[test]
    fn the_tree_has_the_last_word() {
        for (text, proved) in [
            ("SELECT a = 'x' AND b LIKE 'y' AND c IN ('z')", true),
            (
                "SELECT a = 'it''s'::text, date '2024-01-01', ARRAY['x']",
                true,
            ),
            ("SELECT a FROM t ORDER BY 1, a = 5 LIMIT 3", true),
            ("SELECT position('a' IN ('b'))", false),
            ("SELECT like 'x'", false),
            ("SELECT a BETWEEN 'x' AND 'y', set_config(a, b, c)", false),
            (
                "SELECT a = 'x', U&\"set!005fconfig\" UESCAPE '!' (a, b, c)",
                false,
            ),
            (
                "SELECT pg_catalog.pg_cancel_backend(a) WHERE a = 'x'",
                false,
            ),
            ("SELECT a = 'x' FROM", false),
        ] {
            assert_eq!(made(text).unwrap().is_proved_by(text), proved, "{text}");
        }
        assert!(
            !made("SELECT a = 'x'")
                .unwrap()
                .is_proved_by("SELECT b = 'x'")
        );
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
                let (key, shapes) = (cache.key_of(&gate, &names), cache.shapes());
                let shape = shapes.shape_of(key, &text).unwrap();
                known += usize::from(shapes.find(&shape).is_some());
            }
        }
        // Four of them from the second round on, and that which is sorted by the second column.
        assert_eq!(known, 9);
        // Where the policy hides something the names decide: nothing is on record by shape alone.
        let gate = rules::check::gate(hides()).recording_names();
        assert!(!gate.only_records_names());
    }

    fn learn(shapes: &mut ShapeCache, text: &str, recorded: &ShapeRecord) {
        let shape = shapes.shape_of(VerdictKey::default(), text).unwrap();
        shapes.learn(&shape, recorded.clone());
        assert!(shapes.find(&shape).is_some());
        shapes.give_back(shape);
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
            learn(&mut shapes, &format!("SELECT a{number}"), &recorded);
            assert!(shapes.known.len() <= limits::SHAPES_KNOWN_MAX);
        }
        for number in 0..2_000 {
            let text = format!("SELECT a{number}, '{}'", "x".repeat(15_000));
            learn(&mut shapes, &text, &recorded);
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
            learn(&mut shapes, &format!("SELECT f{number}()"), &recorded);
            assert!(shapes.known.len() < 10, "{}", shapes.known.len());
        }
    }

    /// What a shape says is what the lexer says of the text: no two texts run together.
    #[test]
    fn a_shape_has_the_tokens_of_its_text() {
        let pieces = [
            "1",
            "0",
            "12",
            "x",
            "e",
            "_",
            "b1",
            ".",
            "..",
            "$",
            "$1",
            "'1'",
            "x'1'",
            " ",
            "-",
            "U&'1'",
            "\"1\"",
            "--1\n",
            "/*1*/",
            "$$1$$",
            "::",
            "a",
            "(",
            "[",
            "7::int",
            "1.5",
            ".5",
            "5.",
            "1e3",
            "3000000000",
            "=",
            "a='x'",
            "='é'",
            "LIKE",
            "IN(",
            ",",
            "date",
            "'x'::date",
            "AND",
            "\n'1'",
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
