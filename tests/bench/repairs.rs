//! What a failing statement costs: a look at a text before it is sent where a failure could not be
//! undone, and a repair, with what the server takes for its part of it and without. The same with
//! 2,000 tables more, all of them visible.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pgsieve::gate::{Gate, ParameterTypes, SessionNames};
use pgsieve::policy::Policy;
use pgsieve::repair::predict;
use pgsieve::repair::predict::FailureForecast;
use pgsieve::repair::{RepairConclusion, RepairRequest, repair_statement};
use pgsieve::sql::fingerprint::Fingerprinter;

use crate::corpus::{Class, Entry, entries};
use crate::world::World;

/// Prints both.
pub fn report() {
    let policy = Arc::new(Policy::agent());
    for (size, world) in [
        ("22 schemas", World::start()),
        ("22 schemas and 2,000 tables", World::start_beside_large()),
    ] {
        let Some(mut world) = world else {
            return;
        };
        println!("a database of {size}");
        predictions(&world.session("shop", &policy));
        repairs(&mut world, &policy);
    }
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
    let mut all = entries();
    if let Some(schema) = world.beside {
        all.extend(OF_LARGE.iter().map(|failing| Entry {
            schema,
            class: Class::Likely,
            failing: (*failing).to_owned(),
            meant: None,
            place: format!("{schema}: {failing}"),
        }));
    }
    let mut spent: Vec<(Duration, Duration, &Entry)> = Vec::new();
    let mut wholes: Vec<Duration> = Vec::new();
    let (mut schema, mut names) = ("", None);
    let mut repaired = 0_u32;
    for entry in &all {
        if schema != entry.schema {
            schema = entry.schema;
            names = Some(world.session(schema, policy));
        }
        let request = RepairRequest {
            user: "",
            gate: &gate,
            names: names.as_ref().unwrap(),
            parameters: &ParameterTypes::none_given(),
            text: &entry.failing,
            failure: None,
            earlier_dialect: None,
        };
        world.compiling = Duration::ZERO;
        let since = Instant::now();
        let outcome = repair_statement(&request, world);
        let whole = since.elapsed();
        wholes.push(whole);
        let own = whole.saturating_sub(world.compiling);
        spent.push((own, world.compiling, entry));
        repaired += u32::from(matches!(outcome.ending, RepairConclusion::Repaired(_)));
    }
    spent.sort_by_key(|(own, _, _)| *own);
    wholes.sort();
    let place = |share: usize| (spent.len() * share / 100).min(spent.len() - 1);
    let at = |share: usize| spent[place(share)].0;
    println!(
        "{} repairs looked for, {repaired} found: beyond the server's own time median {:.2?}, \
         95 % {:.2?}, longest {:.2?}; with the server's: median {:.2?}, 95 % {:.2?}",
        spent.len(),
        at(50),
        at(95),
        at(100),
        wholes[place(50)],
        wholes[place(95)],
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

/// About the 2,000 tables, whose columns have the same names everywhere.
const OF_LARGE: [&str; 24] = [
    "SELECT custmer_name FROM orders_17",
    "SELECT o.customername, o.amountTotal FROM orders_1999 o",
    "SELECT \"Customer_Name\" FROM orders_512 WHERE \"STATUS\" = 'paid'",
    "SELECT id FROM \"Orders_1024\"",
    "SELECT id FROM order_77 WHERE is_paid",
    "SELECT id FROM larg.orders_8",
    "SELECT `id`, `status` FROM `orders_3` LIMIT 5, 10",
    "SELECT TOP 5 id, amount_total FROM orders_44 ORDER BY created_at DESC",
    "SELECT YEAR(created_at), COUNT(*) FROM orders_9 GROUP BY YEAR(created_at)",
    "SELECT id FROM orders_5 WHERE status = \"paid\"",
    "SELECT id FROM orders_6 WHERE created_at > DATE_SUB(NOW(), INTERVAL 7 DAY)",
    "SELECT IFNULL(email_address, 'none') FROM orders_7",
    "SELECT o.id FROM orders_10 o JOIN orders_9 p ON o.parentid = p.id",
    "SELECT total FROM orders_20",
    "SELECT warehouse_name FROM orders_21",
    "SELECT o.id, p.region FROM orders_30 o JOIN orders_29 p ON p.id = o.parent_id",
    "SELECT customer_name, sum(amount_total) FROM orders_40",
    "SELECT id FROM orders_50 WHERE sum(amount_total) > 10 GROUP BY id",
    "SELECT id FROM orders_2001",
    "SELECT x.id FROM orders_60 o",
    "SELECT id WHERE status = 'paid'",
    "SELECT recent.total FROM recent_100 r",
    "SELECT doubled_10(status) FROM orders_10",
    "SELECT id FROM orders_70 WHERE external_id = 7",
];

const ROUNDS: usize = 21;

const TIMES: u32 = 500;

const LONGEST_SHOWN: usize = 8;
