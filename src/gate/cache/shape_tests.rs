//! Texts that differ in constants alone, judged by the shape of one that came before and judged
//! anew: corpora and generated statements, under policies and in databases of every kind. Test code
//! only.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::{env, fs};

use super::shape_statements::{Chance, Swap, swapped};
use super::{CacheLookup, JudgementCache};
use crate::rules::check::{agent_with, denies, gate, hides, path_of, people, session_of};
use crate::{Gate, Judgement, Judging, ParameterTypes, SessionNames, Verdict};
use catalog::catalog_rows::{SupportRow, SupportRowOf};
use catalog::fixture::CatalogFixture;
use ground::engine::Engine;
use policy::Policy;

/// Whose texts are judged.
struct ShapeRig {
    what: &'static str,
    gate: Gate,
    names: SessionNames,
    cache: JudgementCache,
    /// What was judged: it may be known as it is.
    seen: HashSet<String>,
    /// Texts that had the verdict of another.
    shared: usize,
    judged: usize,
}

impl ShapeRig {
    fn of(what: &'static str, policy: Policy) -> Self {
        let names = session_of(database().build(), &policy);
        Self::in_session(what, gate(policy), names)
    }

    fn in_database(what: &'static str, catalog: CatalogFixture, policy: Policy) -> Self {
        let names = session_of(catalog.build(), &policy);
        Self::in_session(what, gate(policy), names)
    }

    fn in_session(what: &'static str, gate: Gate, names: SessionNames) -> Self {
        Self {
            what,
            gate,
            names,
            cache: JudgementCache::new(),
            seen: HashSet::new(),
            shared: 0,
            judged: 0,
        }
    }

    fn all() -> Vec<Self> {
        let strict = || Policy::from_yaml(include_str!("../../../policies/strict.yaml")).unwrap();
        let models = "\nmodels:\n  shop.orders: {sql: SELECT id FROM orders WHERE id > 1}\n";
        let with_models = || agent_with(&[], models);
        let recording = |policy: Policy| {
            let names = session_of(database().build(), &policy);
            (gate(policy).recording_columns(), names)
        };
        let (agent, of_agent) = recording(Policy::agent());
        let (hiding, of_hiding) = recording(hides());
        let blind = SessionNames::of_no_database();
        let mut other = SessionNames::of_no_database();
        other.set_engine(Engine::CockroachDb);
        let allowed = "  allow: [pg_catalog.pg_cancel_backend, pg_terminate_backend]\n";
        let signals = agent_with(&[("  allow: []\n", allowed)], "");
        let crosstab =
            "stable language=c of=tablefunc code=$libdir/tablefunc:crosstab owner=postgres";
        let with_crosstab = database().function("shop.crosstab(text) setof record", crosstab);
        let mut beyond = session_of(in_another_encoding().build(), &Policy::agent());
        beyond.set_paths(path_of(&["shop", "public"]));
        let beyond_ascii = gate(Policy::agent()).recording_columns();
        vec![
            Self::of("agent", Policy::agent()),
            Self::of("bi", Policy::bi()),
            Self::of("strict", strict()),
            Self::of("what is hidden", hides()),
            Self::of("what is denied", denies()),
            Self::of("models", with_models()),
            Self::in_session("columns recorded", agent, of_agent),
            Self::in_session("columns recorded, hidden", hiding, of_hiding),
            Self::in_session("no database", gate(Policy::agent()), blind),
            Self::in_session("another engine", gate(Policy::agent()), other),
            Self::in_session("another encoding", beyond_ascii, beyond),
            Self::in_database("modifiers", with_modifiers(), Policy::agent()),
            Self::in_database("crosstab", with_crosstab, Policy::agent()),
            Self::of("signals", signals),
            Self::of("observing", observing()),
        ]
    }

    /// The text teaches its shape; others of it are judged both ways.
    fn check(&mut self, text: &str, chance: &mut Chance, others: usize) {
        for turn in 0..others {
            self.check_swapped(text, SWAPS[turn % SWAPS.len()], chance, 1);
        }
    }

    fn check_swapped(&mut self, text: &str, swap: Swap, chance: &mut Chance, others: usize) {
        for _ in 0..2 {
            self.cache
                .judge(&self.gate, Cow::Borrowed(text), &self.names);
        }
        for _ in 0..others {
            let other = swapped(text, swap, chance);
            let open = ParameterTypes::none_given();
            let (kept, lookup) =
                self.cache
                    .judge_with(&self.gate, Cow::Borrowed(&other), &open, &self.names);
            let fresh = self.gate.judge(Cow::Borrowed(&other), &self.names);
            assert_eq!(told(&kept), told(&fresh), "{}: {text} | {other}", self.what);
            self.judged += 1;
            let is_new = other != text && self.seen.insert(other);
            self.shared += usize::from(lookup == CacheLookup::Hit && is_new);
        }
    }
}

/// A database in which the type of a number decides what a call runs.
fn database() -> CatalogFixture {
    people()
        .function("shop.pick(a int4) int4", "immutable")
        .function("shop.pick(a int8) int4", "volatile")
        .function("shop.pick(a text) int4", "immutable")
        .function("shop.pick(a date) int4", "volatile")
}

/// A database in which a modifier in the name of a type runs what is not clean.
fn with_modifiers() -> CatalogFixture {
    let mut catalog = database();
    let rows = catalog.rows();
    let mut functions = rows.functions.iter();
    let function = functions.find(|row| row.name == "settle").unwrap().oid;
    rows.supports.push(SupportRow {
        of: SupportRowOf::TypeModifier,
        oid: 0,
        function,
    });
    catalog
}

/// A database whose letters are not those of the client.
fn in_another_encoding() -> CatalogFixture {
    let long = format!("shop.{}", "é".repeat(40));
    let mut catalog = database().view(&long, "id int4", &["pg_advisory_lock(int8)"]);
    catalog.rows().other_encoding = true;
    catalog
}

fn observing() -> Policy {
    Policy::from_yaml(include_str!("../../../policies/observe.yaml")).unwrap()
}

/// All that comes of a text.
fn told(judgement: &Judgement<'_>) -> (String, Option<String>) {
    let text = match &judgement.verdict {
        Verdict::Permitted(permit) => Some(permit.text().to_owned()),
        Verdict::Clamped(_) | Verdict::Refused(_) => None,
    };
    (format!("{judgement:?}"), text)
}

/// The statements of a file of `tests/data/corpus`.
fn corpus(file: &str) -> Vec<String> {
    let path = format!(
        "{}/../../tests/data/corpus/{file}.sql",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let chunks = text.split("----\n").skip(1);
    chunks.map(str::to_owned).collect()
}

/// The constants that are others, by turns.
const SWAPS: &[Swap] = &[Swap::LeftOut, Swap::Some, Swap::One];

fn check_corpora(files: &[&str], shared_min: usize) {
    let mut chance = Chance(7);
    let mut shared = 0;
    for rig in &mut ShapeRig::all() {
        for file in files {
            for text in corpus(file) {
                rig.check(&text, &mut chance, 2);
            }
        }
        println!("{}: {} of {} shared", rig.what, rig.shared, rig.judged);
        shared += rig.shared;
    }
    assert!(shared >= shared_min, "{shared}");
}

#[test]
fn verdicts_on_shapes_of_everyday_statements_are_those_on_the_texts() {
    check_corpora(
        &["reads", "psql", "clients", "analytics", "tricks", "writes"],
        1_000,
    );
}

/// What the head of each text says holds under `agent`, and under all its verdict is its own.
fn check_constants(file: &str) {
    let mut chance = Chance(5);
    let mut rigs = ShapeRig::all();
    let (mut texts, mut wrong) = (0, Vec::new());
    for noted in corpus(file) {
        let (note, text) = noted.split_once('\n').unwrap();
        texts += 1;
        for rig in &mut rigs {
            let before = rig.shared;
            let mut shared = |swap: Swap| {
                rig.check_swapped(text, swap, &mut chance, 24);
                rig.shared - before
            };
            let is_right = match note {
                "--! by shape" => shared(Swap::LeftOut) > 0,
                "--! each" => shared(Swap::One) == 0,
                other => panic!("{other}"),
            };
            if rig.what == "agent" && !is_right {
                wrong.push(text.to_owned());
            }
        }
    }
    println!("{file}: {} of {texts} are as they say", texts - wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn constants_that_nothing_reads_have_shapes() {
    check_constants("shapes/constants");
}

#[test]
fn constants_have_shapes_in_texts_that_were_held_out() {
    check_constants("shapes/held_out_constants");
}

#[test]
fn verdicts_on_shapes_of_other_statements_are_those_on_the_texts() {
    check_corpora(
        &[
            "catalogs",
            "catalog_view_attacks",
            "catalog_view_more",
            "extensions",
            "extensions_refused",
            "hidden",
            "hidden_columns",
            "hidden_foreign",
            "hidden_harmless",
            "hidden_honest",
            "hidden_relations",
        ],
        100,
    );
}

/// `SHAPES=1000000 cargo test -p gate --release shape_tests` judges a million.
#[test]
fn verdicts_on_generated_shapes_are_those_on_the_texts() {
    let count = env::var("SHAPES").ok().and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(18_000);
    let mut chance = Chance(11);
    let mut rigs = ShapeRig::all();
    let mut rules = BTreeSet::new();
    let (mut judged, mut passed) = (0, 0);
    while judged < count {
        let text = chance.statement();
        for rig in &mut rigs {
            rig.check(&text, &mut chance, 3);
            judged += 3;
            match &rig.gate.judge(Cow::Borrowed(&text), &rig.names).verdict {
                Verdict::Refused(refusal) => {
                    rules.insert(refusal.rule.name());
                }
                Verdict::Permitted(_) | Verdict::Clamped(_) => passed += 1,
            }
        }
    }
    for rig in &rigs {
        println!("{}: {} of {} shared", rig.what, rig.shared, rig.judged);
    }
    println!("{passed} texts passed; refused by {rules:?}");
    let shared: usize = rigs.iter().map(|rig| rig.shared).sum();
    assert!(shared > judged / 20, "{shared} of {judged}");
    assert!(passed > judged / 3 / 10, "{passed}");
    assert!(rules.len() > 10, "{rules:?}");
}

#[test]
fn a_text_that_is_too_long_has_no_verdict_of_a_shorter_one() {
    let policy = agent_with(&[("statement_bytes: 1MiB", "statement_bytes: 64B")], "");
    let names = session_of(database().build(), &policy);
    let mut rig = ShapeRig::in_session("short", gate(policy), names);
    let text = |number: &str| {
        format!("SELECT id FROM shop.orders WHERE id IN ({number}, {number}, {number})")
    };
    rig.check(&text("1"), &mut Chance(1), 20);
    let long = text("999999999");
    let judgement = rig.cache.judge(&rig.gate, Cow::Borrowed(&long), &rig.names);
    assert!(
        matches!(judgement.verdict, Verdict::Refused(_)),
        "{judgement:?}"
    );
    assert!(rig.shared > 0);
}

#[test]
fn each_text_is_judged_where_that_is_wanted() {
    let rig = ShapeRig::of("agent", Policy::agent());
    let gate = rig.gate.judging(Judging::EachText);
    let (mut cache, open) = (JudgementCache::new(), ParameterTypes::none_given());
    for number in 0..5 {
        let text = Cow::Owned(format!("SELECT {number}"));
        assert_eq!(
            cache.judge_with(&gate, text, &open, &rig.names).1,
            CacheLookup::Miss
        );
    }
}

/// What a session notes on the facts of one text is not known of another.
#[test]
fn facts_are_each_text_s_own() {
    let mut rig = ShapeRig::of("agent", Policy::agent());
    let mut facts = |number: usize| {
        let text = Cow::Owned(format!("SELECT id FROM shop.orders WHERE id = {number}"));
        rig.cache.judge(&rig.gate, text, &rig.names).facts
    };
    for number in 0..4 {
        let facts = facts(number);
        assert!(facts.stands_in.set(()).is_ok());
        assert!(facts.rows_max.set(5).is_ok());
    }
    let key = rig.cache.key_of(&rig.gate, &rig.names);
    let shapes = rig.cache.shapes();
    let text = "SELECT id FROM shop.orders WHERE id = 9";
    let shape = shapes.shape_of(key, text).unwrap();
    let kept = shapes.find(&shape).unwrap().facts.clone().unwrap();
    assert!(kept.stands_in.get().is_none() && kept.rows_max.get().is_none());
}
