//! What a policy that hides something adds to a judgement: of a statement that was judged before,
//! and of one that was not, its parse and the resolution of its names included. Beside it the same
//! under the policy that hides nothing, in the same rounds. And what is made for each policy when a
//! catalog was read.

use std::borrow::Cow;
use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use pgsieve::catalog::Catalog;
use pgsieve::gate::cache::JudgementCache;
use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::gate::{Gate, SearchPaths, SessionNames, Verdict};
use pgsieve::policy::Policy;
use pgsieve::sql::tree;
use pgsieve::upstream::snapshot;

use crate::catalog::{administrator, on_private_server, reader};
use crate::machine::memory_mib;

/// Prints a line for each statement and way of judging it, then what is made for each policy.
pub fn report() {
    let catalog = loaded();
    let ways = WAYS.map(|way| (way, Judge::new(way, &catalog)));
    println!(
        "a judgement, {} relations: best and median of {ROUNDS} rounds, alternating; goals: cached \
         < 1000 ns, cold < 60 µs",
        catalog.relations().len()
    );
    println!(
        "{:<22} {:>5} {:<26} {:>18} {:>18}",
        "statement", "nodes", "under", "cached, ns", "cold, µs"
    );
    for (what, text) in STATEMENTS {
        let mut judges = ways.each_ref().map(|(_, judge)| judge.anew());
        let cached = rounds(&mut judges, |judge| judge.cached(text));
        let cold = rounds(&mut judges, |judge| judge.cold(text));
        for ((way, cached), cold) in WAYS.iter().zip(&cached).zip(&cold) {
            println!(
                "{what:<22} {:>5} {:<26} {:>18} {:>18}",
                nodes(text),
                way.name(),
                shown(cached),
                shown(cold)
            );
        }
    }
    sights(&catalog);
}

/// What is made for each policy whenever a catalog was read.
fn sights(catalog: &Arc<Catalog>) {
    let columns = catalog.relations().map(|(id, _)| catalog.columns_of(id));
    let columns: usize = columns.map(<[_]>::len).sum();
    println!(
        "what is made of {} relations with {columns} columns for a policy: best and median of \
         {SIGHTS} policies, one after the other",
        catalog.relations().len()
    );
    for way in WAYS {
        let policy = way.policy();
        let before = memory_mib(std::process::id(), "VmRSS");
        let (mut times, mut kept) = (Vec::new(), Vec::new());
        for _ in 0..SIGHTS {
            let since = Instant::now();
            kept.push(EffectGraph::new(Arc::clone(catalog), &policy));
            times.push(since.elapsed().as_secs_f64() * 1e3);
        }
        let grown = memory_mib(std::process::id(), "VmRSS") - before;
        times.sort_by(f64::total_cmp);
        println!(
            "{:<26} {:>18} ms, about {:.2} MiB each",
            way.name(),
            shown(&times),
            grown / SIGHTS_EACH
        );
    }
}

/// Best and median of times in order.
fn shown(times: &[f64]) -> String {
    format!("{:.1} / {:.1}", times[0], times[times.len() / 2])
}

/// The times of each judge, shortest first.
fn rounds<const N: usize>(
    judges: &mut [Judge; N],
    one: impl Fn(&mut Judge) -> f64,
) -> [Vec<f64>; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for (judge, times) in judges.iter_mut().zip(&mut times) {
            times.push(one(judge));
        }
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }
    times
}

/// How statements are judged.
#[derive(Clone, Copy)]
enum Way {
    /// Under the policy that agents have.
    Agent,
    /// The same, and what statements name is recorded.
    Recording,
    /// With patterns of relations.
    Patterns,
    /// With patterns of columns.
    Columns,
    /// With a model for one of the tables.
    Model,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Recording => "agent, names recorded",
            Self::Patterns => "1,000 patterns",
            Self::Columns => "1,000 patterns of columns",
            Self::Model => "a model",
        }
    }

    fn policy(self) -> Policy {
        let more = match self {
            Self::Agent | Self::Recording => String::new(),
            Self::Patterns => lists(),
            Self::Columns => columns(),
            Self::Model => MODEL.to_owned(),
        };
        let agent = include_str!("../../policies/agent.yaml");
        Policy::from_yaml(&format!("{agent}\n{more}")).unwrap()
    }

    fn gate(self) -> Gate {
        let gate = Gate::without_fingerprints(Arc::new(self.policy()));
        match self {
            Self::Recording => gate.recording_names(),
            Self::Agent | Self::Patterns | Self::Columns | Self::Model => gate,
        }
    }
}

/// Judges statements of a session at one database.
pub struct Judge {
    gate: Arc<Gate>,
    names: Arc<SessionNames>,
    cache: JudgementCache,
}

impl Judge {
    fn new(way: Way, catalog: &Arc<Catalog>) -> Self {
        Self::of(way.gate(), catalog)
    }

    /// With this gate, at a database that contains this.
    pub fn of(gate: Gate, catalog: &Arc<Catalog>) -> Self {
        let mut names = SessionNames::default();
        names.set_server_major(catalog.server_major());
        names.set_role("postgres");
        let path: Box<[Box<str>]> = ["shop".into(), "public".into()].into();
        names.set_paths(SearchPaths::Known([path].into()));
        names.set_effect_graph(Some(Arc::new(EffectGraph::new(
            Arc::clone(catalog),
            gate.policy(),
        ))));
        Self {
            gate: Arc::new(gate),
            names: Arc::new(names),
            cache: JudgementCache::new(),
        }
    }

    fn anew(&self) -> Self {
        Self {
            gate: Arc::clone(&self.gate),
            names: Arc::clone(&self.names),
            cache: JudgementCache::new(),
        }
    }

    fn cached(&mut self, text: &str) -> f64 {
        self.cached_of(CACHED_TIMES, text)
    }

    /// Nanoseconds for a judgement that the cache has, of so many.
    pub fn cached_of(&mut self, times: u32, text: &str) -> f64 {
        for _ in 0..3 {
            self.cache
                .judge(&self.gate, Cow::Borrowed(text), &self.names);
        }
        let since = Instant::now();
        for _ in 0..times {
            let text = Cow::Borrowed(black_box(text));
            let judgement = self.cache.judge(&self.gate, text, &self.names);
            assert!(matches!(judgement.verdict, Verdict::Permitted(_)));
        }
        since.elapsed().as_secs_f64() * 1e9 / f64::from(times)
    }

    fn cold(&mut self, text: &str) -> f64 {
        self.cold_of(COLD_TIMES, text)
    }

    /// Microseconds for a judgement from the text on, of so many.
    pub fn cold_of(&mut self, times: u32, text: &str) -> f64 {
        let since = Instant::now();
        for _ in 0..times {
            let judgement = self.gate.judge(Cow::Borrowed(black_box(text)), &self.names);
            assert!(
                matches!(judgement.verdict, Verdict::Permitted(_)),
                "{judgement:?}"
            );
        }
        since.elapsed().as_secs_f64() * 1e6 / f64::from(times)
    }
}

fn loaded() -> Arc<Catalog> {
    on_private_server(async |cluster| {
        let mut script = "CREATE SCHEMA shop; \
            CREATE TABLE shop.customers (id int PRIMARY KEY, name text, region text, email text); \
            CREATE TABLE shop.orders (id int PRIMARY KEY, customer int, placed date, total numeric);"
            .to_owned();
        for number in 0..OTHERS {
            write!(
                script,
                "CREATE TABLE shop.t{number} (id int, a int, b text);"
            )
            .unwrap();
        }
        let admin = administrator(cluster).await;
        admin.batch_execute(&script).await.unwrap();
        for statement in include_str!("../data/schemas/snapshot/large.sql").split("\n\n") {
            admin.batch_execute(statement).await.unwrap();
        }
        let client = reader(cluster).await;
        let rows = snapshot::load(&client).await.unwrap();
        Arc::new(Catalog::build(rows).unwrap())
    })
}

/// Mostly names as they are, as `policy suggest` writes them, and some with wildcards.
fn lists() -> String {
    let mut text = "relations:\n  allow:\n".to_owned();
    for number in 0..PATTERNS - 2 * WILD - 2 {
        writeln!(text, "    - area_{}.table_{number}", number % 20).unwrap();
    }
    for number in 0..WILD {
        writeln!(text, "    - \"other_*.t{number}_*\"").unwrap();
    }
    text.push_str("    - shop.orders\n    - shop.customers\n  deny:\n");
    for number in 0..WILD {
        writeln!(text, "    - \"shop.secret_{number}_*\"").unwrap();
    }
    text
}

/// Some by their names, some that fit in many tables.
fn columns() -> String {
    let mut text = "columns:\n  deny:\n".to_owned();
    for number in 0..PATTERNS - WILD {
        writeln!(text, "    - area_{}.table_{number}.secret", number % 20).unwrap();
    }
    for number in 0..WILD {
        writeln!(text, "    - \"*.*.secret_{number}_*\"").unwrap();
    }
    text
}

fn nodes(text: &str) -> usize {
    let tree = tree::parse(text).unwrap();
    let mut count = 0;
    let mut waiting: Vec<_> = tree.statements().map(|one| one.node).collect();
    while let Some(node) = waiting.pop() {
        count += 1;
        tree::children(node, &mut waiting).unwrap();
    }
    count
}

/// Of a dozen nodes, of two dozen, and of fifty.
const STATEMENTS: [(&str, &str); 3] = [
    (
        "a lookup by key",
        "SELECT name, region FROM customers WHERE id = 42",
    ),
    (
        "a report over a join",
        "SELECT c.region, count(*) AS orders, sum(o.total) AS revenue \
         FROM shop.orders o JOIN customers c ON c.id = o.customer \
         WHERE o.placed >= '2024-01-01' AND c.region <> 'x' \
         GROUP BY c.region ORDER BY revenue DESC LIMIT 10",
    ),
    (
        "one with a subquery",
        "SELECT c.region, o.placed, count(*) AS orders, sum(o.total) AS revenue, \
         max(o.total) - min(o.total) AS spread \
         FROM shop.orders o JOIN customers c ON c.id = o.customer \
         WHERE o.placed >= '2024-01-01' AND o.placed < '2025-01-01' AND c.region <> 'x' \
         AND o.total > 10 AND o.id NOT IN (SELECT p.id FROM orders p WHERE p.total < 0) \
         GROUP BY c.region, o.placed ORDER BY revenue DESC, c.region LIMIT 10",
    ),
];

const WAYS: [Way; 5] = [
    Way::Agent,
    Way::Recording,
    Way::Patterns,
    Way::Columns,
    Way::Model,
];

/// A row filter and a mask.
const MODEL: &str = "models:
  shop.customers:
    sql: SELECT id, name, region, left(email, 2) || '…' AS email FROM customers WHERE region <> 'y'
";

const PATTERNS: usize = 1_000;
const WILD: usize = 50;
const OTHERS: usize = 500;
/// Many short ones: what else runs on the machine stays out of some of them.
const ROUNDS: usize = 201;
const CACHED_TIMES: u32 = 2_000;
const COLD_TIMES: u32 = 40;
const SIGHTS: usize = 10;
const SIGHTS_EACH: f64 = 10.0;
