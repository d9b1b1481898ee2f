//! What a failing statement costs: a look at a text before it is sent where a failure could not be
//! undone, and a repair beyond what the server takes for its part of it.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pgsieve::gate::{Gate, ParameterTypes, SessionNames};
use pgsieve::policy::Policy;
use pgsieve::repair::predict;
use pgsieve::repair::predict::FailureForecast;
use pgsieve::repair::{RepairConclusion, RepairRequest, repair_statement};
use pgsieve::sql::fingerprint::Fingerprinter;

use crate::corpus::{Entry, entries};
use crate::world::World;

/// Prints both.
pub fn report() {
    let Some(mut world) = World::start() else {
        return;
    };
    let policy = Arc::new(Policy::agent());
    predictions(&world.session("shop", &policy));
    repairs(&mut world, &policy);
}

/// µs for a look at a text that nobody has looked at before.
fn predictions(names: &SessionNames) {
    println!("a cold forecast, in µs: median of {ROUNDS} rounds of {TIMES}");
    let parameters = ParameterTypes::none_given();
    for (what, text) in [("one row by its key", BY_KEY), ("analytic", ANALYTIC)] {
        let mut rounds: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let since = Instant::now();
                for _ in 0..TIMES {
                    let doubt = predict::forecast(black_box(text), &parameters, names);
                    assert_eq!(doubt, FailureForecast::None, "{text}");
                }
                since.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES)
            })
            .collect();
        rounds.sort_by(f64::total_cmp);
        println!("{what:<42} {:>8.2}", rounds[rounds.len() / 2]);
    }
}

/// The time of each repair of the corpus beyond that of the server, and where the longest are.
fn repairs(world: &mut World, policy: &Arc<Policy>) {
    let gate = Gate::new(Arc::clone(policy), Fingerprinter::new(None, [7; 32]));
    let all = entries();
    let mut spent: Vec<(Duration, Duration, &Entry)> = Vec::new();
    let (mut schema, mut names) = ("", None);
    let mut repaired = 0_u32;
    for entry in &all {
        if schema != entry.schema {
            schema = entry.schema;
            names = Some(world.session(schema, policy));
        }
        let request = RepairRequest {
            gate: &gate,
            names: names.as_ref().unwrap(),
            parameters: &ParameterTypes::none_given(),
            text: &entry.failing,
            failure: None,
        };
        world.compiling = Duration::ZERO;
        let since = Instant::now();
        let outcome = repair_statement(&request, world);
        let own = since.elapsed().saturating_sub(world.compiling);
        spent.push((own, world.compiling, entry));
        repaired += u32::from(matches!(outcome.ending, RepairConclusion::Repaired(_)));
    }
    spent.sort_by_key(|(own, _, _)| *own);
    let at = |share: usize| spent[(spent.len() * share / 100).min(spent.len() - 1)].0;
    let mut servers: Vec<Duration> = spent.iter().map(|(_, server, _)| *server).collect();
    servers.sort();
    println!(
        "{} repairs looked for, {repaired} found: beyond the server's own time median {:.2?}, \
         95 % {:.2?}, longest {:.2?}; the server's time: median {:.2?}",
        spent.len(),
        at(50),
        at(95),
        at(100),
        servers[servers.len() / 2],
    );
    for (own, _, entry) in spent.iter().rev().take(LONGEST_SHOWN) {
        println!("  {own:>8.2?}  {}", entry.place);
    }
}

const BY_KEY: &str = "SELECT status FROM orders WHERE id = 4242";

const ANALYTIC: &str = "SELECT c.name, o.status, count(*) AS orders, sum(i.quantity) AS pieces, \
    rank() OVER (PARTITION BY o.status ORDER BY sum(i.quantity) DESC) AS place \
    FROM customers c JOIN orders o ON o.customer_id = c.id \
    JOIN \"Order Items\" i ON i.\"orderId\" = o.id \
    WHERE o.status IN ('shipped', 'paid') AND EXISTS \
    (SELECT 1 FROM addresses a WHERE a.customer_id = c.id AND a.city LIKE 'B%') \
    GROUP BY c.name, o.status HAVING count(*) > 1 ORDER BY pieces DESC LIMIT 20";

const ROUNDS: usize = 21;

const TIMES: u32 = 500;

const LONGEST_SHOWN: usize = 8;
