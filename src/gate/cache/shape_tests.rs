//! Texts that differ in whole numbers alone, judged by the shape of one that came before and judged
//! anew: corpora and generated statements, under policies and in databases of every kind. Test code
//! only.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::{env, fs};

use super::text_shapes::TextShape;
use super::{CacheLookup, JudgementCache};
use crate::rules::check::{agent_with, denies, gate, hides, people, session_of};
use crate::{Gate, Judgement, Judging, ParameterTypes, SessionNames, Verdict};
use policy::Policy;
use sql::lexer::{TokenKind, tokens};

/// Whose texts are judged.
struct ShapeRig {
    what: &'static str,
    gate: Gate,
    names: SessionNames,
    cache: JudgementCache,
    /// Texts that had the verdict of another.
    shared: usize,
    judged: usize,
}

impl ShapeRig {
    fn of(what: &'static str, policy: Policy) -> Self {
        let names = session_of(people().build(), &policy);
        Self::in_session(what, gate(policy), names)
    }

    fn in_session(what: &'static str, gate: Gate, names: SessionNames) -> Self {
        Self {
            what,
            gate,
            names,
            cache: JudgementCache::new(),
            shared: 0,
            judged: 0,
        }
    }

    fn all() -> Vec<Self> {
        let strict = || Policy::from_yaml(include_str!("../../../policies/strict.yaml")).unwrap();
        let models = "\nmodels:\n  shop.orders: {sql: SELECT id FROM orders WHERE id > 1}\n";
        let with_models = || agent_with(&[], models);
        let recording = |policy: Policy| {
            let names = session_of(people().build(), &policy);
            (gate(policy).recording_columns(), names)
        };
        let (agent, of_agent) = recording(Policy::agent());
        let (hiding, of_hiding) = recording(hides());
        let blind = SessionNames::of_no_database();
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
        ]
    }

    /// The text teaches its shape; others of it are judged both ways.
    fn check(&mut self, text: &str, numbers: &mut Numbers, others: usize) {
        for _ in 0..2 {
            self.cache
                .judge(&self.gate, Cow::Borrowed(text), &self.names);
        }
        for _ in 0..others {
            let other = swapped(text, numbers);
            let open = ParameterTypes::none_given();
            let (kept, lookup) =
                self.cache
                    .judge_with(&self.gate, Cow::Borrowed(&other), &open, &self.names);
            let fresh = self.gate.judge(Cow::Borrowed(&other), &self.names);
            assert_eq!(told(&kept), told(&fresh), "{}: {text} | {other}", self.what);
            self.judged += 1;
            self.shared += usize::from(lookup == CacheLookup::Hit && other != text);
        }
    }
}

/// All that comes of a text.
fn told(judgement: &Judgement<'_>) -> (String, Option<String>) {
    let text = match &judgement.verdict {
        Verdict::Permitted(permit) => Some(permit.text().to_owned()),
        Verdict::Clamped(_) | Verdict::Refused(_) => None,
    };
    (format!("{judgement:?}"), text)
}

/// The same text with other whole numbers where a shape has none.
fn swapped(text: &str, numbers: &mut Numbers) -> String {
    let mut other = String::new();
    for token in tokens(text) {
        let piece = &text[token.span];
        let is_small = piece.len() <= 9 && piece.bytes().all(|byte| byte.is_ascii_digit());
        match token.kind {
            TokenKind::Number if is_small => other += &numbers.whole(),
            _ => other += piece,
        }
    }
    other
}

/// Numbers by chance, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// Those that mean something somewhere: places of columns, precisions, oids, processes.
    fn whole(&mut self) -> String {
        match self.below(4) {
            0 => self.below(4).to_string(),
            1 => self
                .pick(&[
                    "0",
                    "1",
                    "2",
                    "3",
                    "24",
                    "25",
                    "53",
                    "54",
                    "64",
                    "100",
                    "1000",
                    "1259",
                    "2200",
                    "16384",
                    "32767",
                    "32768",
                    "65536",
                    "2147483",
                    "00",
                    "007",
                    "000000001",
                    "999999999",
                ])
                .to_owned(),
            2 => self.below(100_000).to_string(),
            _ => self.below(1_000_000_000).to_string(),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => self
                    .pick(&["id", "total", "note", "o.id", "p.name", "relname"])
                    .to_owned(),
                1 => format!("-{}", self.whole()),
                2 => self
                    .pick(&["'x'", "'1'", "NULL", "true", "1.5", "$1", "'shop.secrets'"])
                    .to_owned(),
                _ => self.whole(),
            };
        }
        let mut inner = || self.expression(depth - 1);
        let (one, other) = (inner(), inner());
        let (n, m) = (self.whole(), self.whole());
        match self.below(26) {
            0 => format!(
                "{one} {} {other}",
                self.pick(&["+", "-", "*", "/", "%", "||"])
            ),
            1 => format!(
                "{one} {} {other}",
                self.pick(&[
                    "=",
                    "<",
                    ">=",
                    "<>",
                    "~",
                    "IS DISTINCT FROM",
                    "===",
                    "OPERATOR(public.===)"
                ])
            ),
            2 => format!("{one} BETWEEN {n} AND {m}"),
            3 => format!("{one} IN ({n}, {m})"),
            4 => format!("{}({one})", self.pick(FUNCTIONS)),
            5 => format!("{}({n})", self.pick(FUNCTIONS)),
            6 => format!("{}({n}, {m})", self.pick(FUNCTIONS)),
            7 => format!("{}({one}, {n}, {m})", self.pick(FUNCTIONS)),
            8 => format!("{n}::{}", self.pick(TYPES)),
            9 => format!("CAST({one} AS {}({n}))", self.pick(SIZED)),
            10 => format!("CAST({one} AS numeric({n}, {m}))"),
            11 => format!("(ARRAY[{n}, {m}])[{n}]"),
            12 => format!("(ARRAY[{one}])[{n}:{m}]"),
            13 => format!("CASE {one} WHEN {n} THEN {other} ELSE {m} END"),
            14 => format!("EXISTS ({})", self.select(depth - 1)),
            15 => format!("({})", self.select(depth - 1)),
            16 => format!(
                "interval '{n}' {}({m})",
                self.pick(&["second", "day to second"])
            ),
            17 => format!("set_config('work_mem', {n}::text, {one} = {m})"),
            18 => format!("sum({one}) OVER (ROWS BETWEEN {n} PRECEDING AND {m} FOLLOWING)"),
            19 => format!("{one} = ANY (ARRAY[{n}, {m}])"),
            20 => format!("ROW({n}, {one}) = ROW({m}, {other})"),
            21 => format!("substring({one} FROM {n} FOR {m})"),
            22 => format!("bit '{n}' || {one}::bit({m})"),
            23 => format!("({one}) AND {other} > {n} OR NOT {one} < {m}"),
            24 => format!("coalesce({one}, {n}) IN ({})", self.select(depth - 1)),
            _ => format!("({one})"),
        }
    }

    fn select(&mut self, depth: usize) -> String {
        let targets: Vec<String> = (0..=self.below(3))
            .map(|_| self.expression(depth))
            .collect();
        let mut text = format!("SELECT {}", targets.join(", "));
        let (n, m) = (self.whole(), self.whole());
        if self.below(8) > 0 {
            let from = match self.below(9) {
                0 => format!("generate_series({n}, {m}) AS s(id)"),
                1 => format!("(VALUES ({n}, {m})) AS v(id, total)"),
                2 if depth > 0 => format!("({}) AS q", self.select(depth - 1)),
                3 => format!("shop.orders AS o TABLESAMPLE bernoulli ({n}) REPEATABLE ({m})"),
                4 => format!("shop.orders o JOIN shop.people p ON o.id = p.id + {n}"),
                _ => self
                    .pick(&[
                        "shop.orders",
                        "shop.orders AS o",
                        "shop.people AS p",
                        "pg_class",
                        "shop.secrets",
                        "pg_settings",
                        "shop.v_totals",
                        "shop.v_clean",
                        "shop.tenants",
                        "shop.remote",
                        "pg_stat_activity",
                        "missing",
                        "shop.people",
                    ])
                    .to_owned(),
            };
            write!(text, " FROM {from}").unwrap();
        }
        if self.below(2) == 0 {
            write!(text, " WHERE {}", self.expression(depth)).unwrap();
        }
        let tail = match self.below(24) {
            0 => format!(" ORDER BY {n}"),
            1 => format!(" GROUP BY {n}, {m}"),
            2 => format!(" GROUP BY id HAVING count(*) > {n}"),
            3 | 4 => format!(" LIMIT {n} OFFSET {m}"),
            5 => format!(" FETCH FIRST {n} ROWS ONLY"),
            6 => format!(" UNION ALL SELECT {n}, {m}"),
            7 => " FOR UPDATE".to_owned(),
            8 => format!(" ORDER BY id + {n} LIMIT {m}"),
            9 => format!(" WINDOW w AS (PARTITION BY {n})"),
            _ => String::new(),
        };
        text + &tail
    }

    fn statement(&mut self) -> String {
        let depth = self.below(3);
        let select = self.select(depth);
        let n = self.whole();
        match self.below(30) {
            0 => format!("WITH x AS ({select}) SELECT {n} FROM x"),
            1 => format!("EXPLAIN (ANALYZE {n}) {select}"),
            2 => format!("{select}; SELECT {n}"),
            3 => format!("SET statement_timeout = {n}"),
            4 => format!("DELETE FROM shop.orders WHERE id = {n}"),
            5 => format!("PREPARE p AS {select}"),
            6 => format!("DECLARE c CURSOR WITH HOLD FOR {select}"),
            7 => format!("FETCH {n} FROM c"),
            8 => format!("VALUES ({n}), ({n})"),
            9 => format!("COPY ({select}) TO STDOUT"),
            10 => format!("SELECT DISTINCT ON ({n}) * FROM shop.orders"),
            11 => format!("SELECT {n} AS \"x\" /* {n} */ -- {n}\n, id FROM shop.people"),
            12 => format!("SELECT $tag$ {n} $tag$, U&'\\0041', E'{n}', B'1', X'{n}', {n}"),
            13 => format!("SELECT pg_cancel_backend({n})"),
            14 => format!("SELECT pg_terminate_backend({n}, {n})"),
            15 => format!("SELECT currval('s'), setval('s', {n})"),
            16 => format!("  ;{select}  ;  "),
            _ => select,
        }
    }
}

const FUNCTIONS: &[&str] = &[
    "abs",
    "shop.vat",
    "shop.rate",
    "shop.peek",
    "shop.settle",
    "shop.pack",
    "shop.weigh",
    "shop.same",
    "pg_sleep",
    "repeat",
    "lower",
    "pg_get_viewdef",
    "pg_relation_size",
    "has_table_privilege",
    "has_column_privilege",
    "nextval",
    "obj_description",
    "pg_cancel_backend",
    "pg_terminate_backend",
    "pg_advisory_lock",
    "now",
    "pg_get_constraintdef",
    "format_type",
    "pg_stat_get_activity",
    "lo_get",
    "lo_import",
    "count",
    "generate_series",
    "txid_status",
    "pg_is_in_recovery",
    "round",
    "chr",
    "to_char",
    "random",
    "make_date",
    "pg_blocking_pids",
    "pg_get_userbyid",
    "pg_stat_reset_single_table_counters",
    "currval",
    "pg_log_backend_memory_contexts",
    "query_to_xml",
    "missing",
    "public.missing",
];

const TYPES: &[&str] = &[
    "int",
    "bigint",
    "text",
    "regclass",
    "oid",
    "float",
    "numeric",
    "bool",
    "shop.parcel",
    "shop.positive",
    "shop.checked",
    "regproc",
    "varchar",
    "int[]",
    "money",
    "regrole",
    "float(24)",
    "missing",
];

const SIZED: &[&str] = &[
    "varchar",
    "char",
    "float",
    "time",
    "timestamp",
    "bit",
    "bit varying",
    "numeric",
    "interval",
];

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

fn check_corpora(files: &[&str], shared_min: usize) {
    let mut numbers = Numbers(7);
    let mut shared = 0;
    for rig in &mut ShapeRig::all() {
        for file in files {
            for text in corpus(file) {
                rig.check(&text, &mut numbers, 2);
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
    let mut numbers = Numbers(11);
    let mut rigs = ShapeRig::all();
    let mut rules = BTreeSet::new();
    let (mut judged, mut passed) = (0, 0);
    while judged < count {
        let text = numbers.statement();
        for rig in &mut rigs {
            rig.check(&text, &mut numbers, 3);
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

/// Every place at which the gate, or what it asks, reads a whole number: a shape has to keep those
/// that a read can have apart.
#[test]
fn numbers_are_read_in_known_places() {
    let known = [
        // A session's settings: no read, or one that touches settings.
        ("gate/rules/settings.rs", 2),
        // EXPLAIN, FETCH and the calls that pgsieve carries out itself.
        ("gate/rules/explain_analyze.rs", 2),
        ("gate/rules/with_hold.rs", 1),
        ("gate/recognized/backend_signal.rs", 1),
        // What is compared in a model's text, which runs in the place of the client's.
        ("gate/models/pushdown.rs", 1),
        ("gate/models/leakproof.rs", 1),
        // The type, which is the same for all: no value.
        ("gate/sql_literal.rs", 1),
        ("resolve/expression/value.rs", 1),
        // The places of columns behind ORDER BY, GROUP BY and DISTINCT ON.
        ("resolve/query/clauses.rs", 1),
    ];
    let source = format!("{}/..", env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![format!("{source}/gate"), format!("{source}/resolve")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(name);
                continue;
            }
            let is_test = ["tests.rs", "_tests.rs"]
                .iter()
                .any(|end| name.ends_with(end));
            if !name.ends_with(".rs") || is_test {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
            let reads = code.lines().filter(|line| {
                let is_comment = line.trim_start().starts_with("//");
                let reads = [
                    "ConstValue::Integer(",
                    "Node::Integer(",
                    ".ival",
                    "constant_integer",
                ];
                !is_comment && reads.iter().any(|read| line.contains(read))
            });
            let count = reads.count();
            if count > 0 {
                let short = name.strip_prefix(&format!("{source}/")).unwrap().to_owned();
                found.push((short, count));
            }
        }
    }
    found.sort();
    let mut known: Vec<_> = known
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect();
    known.sort();
    assert_eq!(found, known);
}

#[test]
fn a_text_that_is_too_long_has_no_verdict_of_a_shorter_one() {
    let policy = agent_with(&[("statement_bytes: 1MiB", "statement_bytes: 64B")], "");
    let names = session_of(people().build(), &policy);
    let mut rig = ShapeRig::in_session("short", gate(policy), names);
    let text = |number: &str| {
        format!("SELECT id FROM shop.orders WHERE id IN ({number}, {number}, {number})")
    };
    rig.check(&text("1"), &mut Numbers(1), 20);
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
    let shape = TextShape::of(key, "SELECT id FROM shop.orders WHERE id = 9").unwrap();
    let kept = rig.cache.shapes().find(&shape).unwrap().facts.unwrap();
    assert!(kept.stands_in.get().is_none() && kept.rows_max.get().is_none());
}
