//! What a cold judgement costs: the tree alone, with names, and with names of which one hides an
//! effect somewhere in the database, so that every use of it has to be told apart.

use std::borrow::Cow;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use pgsieve::catalog::Catalog;
use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::gate::{Gate, SearchPaths, SessionNames, Verdict};
use pgsieve::policy::Policy;

/// Prints a line for each text: µs for each way of judging it.
pub fn report(plain: Arc<Catalog>, with_an_effect: Arc<Catalog>) {
    let policy = Arc::new(Policy::agent());
    let bi = Gate::without_fingerprints(Arc::new(Policy::bi()));
    let agent = Gate::without_fingerprints(Arc::clone(&policy));
    let plain = names(Some(Arc::new(EffectGraph::new(plain, &policy))));
    let told_apart = names(Some(Arc::new(EffectGraph::new(with_an_effect, &policy))));
    println!("a cold judgement, in µs: median of {ROUNDS} rounds of {TIMES}");
    println!(
        "{:<42} {:>8} {:>8} {:>12}",
        "text", "tree", "names", "told apart"
    );
    for (what, text) in texts() {
        println!(
            "{what:<42} {:>8.2} {:>8.2} {:>12.2}",
            cost(&bi, &names(None), text),
            cost(&agent, &plain, text),
            cost(&agent, &told_apart, text),
        );
    }
}

fn names(effect_graph: Option<Arc<EffectGraph>>) -> SessionNames {
    let mut names = SessionNames::default();
    names.set_server_major(15);
    names.set_role("postgres");
    let path: Box<[Box<str>]> = ["$user".into(), "public".into()].into();
    names.set_paths(SearchPaths::Known([path].into()));
    names.set_effect_graph(effect_graph);
    names
}

fn cost(gate: &Gate, names: &SessionNames, text: &str) -> f64 {
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let since = Instant::now();
            for _ in 0..TIMES {
                let judgement = gate.judge(Cow::Borrowed(black_box(text)), names);
                // Shown as NaN: what is refused is not judged to its end.
                if matches!(judgement.verdict, Verdict::Refused(_)) {
                    return f64::NAN;
                }
            }
            since.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES)
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[rounds.len() / 2]
}

/// A statement of pgbench, and what psql 15 sends for \d and \d of a table.
fn texts() -> Vec<(&'static str, &'static str)> {
    let psql: Vec<&str> = include_str!("../data/corpus/psql.sql")
        .split("\n----\n")
        .skip(1)
        .map(|text| text.split_once('\n').map_or(text, |(_, sql)| sql))
        .collect();
    vec![
        (
            "pgbench -S",
            "SELECT abalance FROM pgbench_accounts WHERE aid = 4242;",
        ),
        ("psql \\d", psql[0]),
        ("psql \\d table: the table", psql[3]),
        ("psql \\d table: its columns", psql[4]),
    ]
}

const ROUNDS: usize = 21;

const TIMES: u32 = 2_000;
