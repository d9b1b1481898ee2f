//! What clients do: reads, writes that are refused, misspelt names, failures, limits, transactions,
//! cancelled statements, wrong passwords, and an operator who changes things meanwhile.

use std::thread;
use std::time::{Duration, Instant};

use super::run::Policies;
use crate::support::raw::Login;
use crate::support::{RawClient, Stack, frames, until};

/// Who is there; the password of each is its name.
pub const USERS: &[&str] = &["agent_7", "agent_9", "board", "ann", "report"];

/// Lets everybody work for a while.
pub fn run(stack: &Stack, policies: &Policies, time: Duration) {
    let clock = Clock {
        begin: Instant::now(),
        time,
    };
    thread::scope(|scope| {
        for worker in WORKERS {
            scope.spawn(move || worker.work(stack, clock));
        }
        scope.spawn(move || transactions(stack, clock));
        scope.spawn(move || cancelled(stack, clock));
        scope.spawn(move || strangers(stack, clock));
        scope.spawn(move || prompted(stack, clock));
        scope.spawn(move || operator(stack, policies, clock));
    });
}

/// A client that sends one statement after another.
struct Worker {
    user: &'static str,
    texts: &'static [&'static str],
    pause: Duration,
    way: Way,
    /// From when to when, in thousandths of the whole time.
    busy: (u32, u32),
}

#[derive(Clone, Copy)]
enum Way {
    Query,
    Extended,
}

const WORKERS: &[Worker] = &[
    Worker {
        user: "report",
        texts: READS,
        pause: Duration::from_millis(18),
        way: Way::Extended,
        busy: (0, 1000),
    },
    Worker {
        user: "ann",
        texts: READS,
        pause: Duration::from_millis(30),
        way: Way::Query,
        busy: (0, 1000),
    },
    Worker {
        user: "ann",
        texts: SLOW,
        pause: Duration::from_millis(400),
        way: Way::Query,
        busy: (0, 1000),
    },
    Worker {
        user: "agent_7",
        texts: MISSPELT,
        pause: Duration::from_millis(120),
        way: Way::Query,
        busy: (0, 1000),
    },
    Worker {
        user: "agent_7",
        texts: REFUSED,
        pause: Duration::from_millis(350),
        way: Way::Query,
        busy: (0, 1000),
    },
    // An agent that does not read its errors.
    Worker {
        user: "agent_9",
        texts: INSISTENT,
        pause: Duration::from_millis(60),
        way: Way::Extended,
        busy: (350, 700),
    },
    Worker {
        user: "agent_9",
        texts: LIMITED,
        pause: Duration::from_millis(250),
        way: Way::Query,
        busy: (100, 1000),
    },
    Worker {
        user: "board",
        texts: BOARD,
        pause: Duration::from_millis(90),
        way: Way::Query,
        busy: (0, 1000),
    },
];

const READS: &[&str] = &[
    "SELECT count(*) FROM customers",
    "SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id LIMIT 20",
    "SELECT status, count(*) FROM orders GROUP BY status",
    "SELECT name, price FROM products ORDER BY price DESC LIMIT 10",
    "SELECT id FROM customers WHERE id = 7",
    "SELECT 1",
    "SELECT kind, count(*) FROM \"orderEvents\" GROUP BY kind",
    "SET statement_timeout = '10min'",
    "SHOW search_path",
];

const SLOW: &[&str] = &[
    "SELECT count(*) FROM generate_series(1, 400000)",
    "SELECT count(*) FROM generate_series(1, 90000) AS a (n)",
    "SELECT sum(total) FROM order_totals WHERE order_id < 40",
    "SELECT 1 / 0",
    // More than the planner may expect.
    "SELECT count(*) FROM \"Order Items\" a, \"Order Items\" b WHERE a.line = b.line",
];

const MISSPELT: &[&str] = &[
    "SELECT kind, payload FROM orderEvents WHERE id = 3",
    "SELECT happenedAt FROM orderEvents LIMIT 1",
    "SELECT `name` FROM products LIMIT 2",
    "SELECT nmae FROM customers LIMIT 1",
    "SELECT sum(amount) FROM payments WHERE status = 'delivered'",
    // Is mended, and fails all the same.
    "SELECT 1 / (id - id) FROM orderEvents LIMIT 1",
    "SELECT no_such_thing_at_all FROM customers",
];

const REFUSED: &[&str] = &[
    "DELETE FROM payments",
    "WITH gone AS (DELETE FROM payments RETURNING amount) SELECT sum(amount) FROM gone",
    "SELECT pg_sleep(1)",
    "CREATE TABLE t (a int)",
    "SELECT name, salary FROM employees",
    "SELECT 1; SELECT 2",
    "SET session_replication_role = replica",
    "SELECT * FROM customers FOR UPDATE",
    "SELECT FROM WHERE ((",
];

const INSISTENT: &[&str] = &[
    "UPDATE orders SET status = 'delivered' WHERE id = 4",
    "UPDATE orders SET status = 'delivered' WHERE id = 5",
    "INSERT INTO reviews VALUES (1)",
    "SELECT salary FROM employees",
];

const LIMITED: &[&str] = &[
    "SELECT generate_series(1, 500)",
    "SELECT id FROM customers LIMIT 10",
    "SELECT id FROM orders",
];

const BOARD: &[&str] = &[
    "SELECT date_trunc('month', placed_at), count(*) FROM orders GROUP BY 1 ORDER BY 1",
    "SELECT method, sum(amount) FROM payments GROUP BY method",
    "SELECT kind FROM orderEvents LIMIT 1",
    "SELECT carrier, count(*) FROM shipments GROUP BY carrier",
    "TRUNCATE payments",
];

impl Worker {
    fn work(&self, stack: &Stack, clock: Clock) {
        clock.wait_for(self.busy.0);
        let mut turn = 0_u32;
        'connections: while clock.before(self.busy.1) {
            let mut client = login(stack, self.user);
            for text in self.texts.iter().cycle() {
                match self.way {
                    Way::Query => client.send(&frames::query(text)),
                    Way::Extended => client.send(&frames::extended(text, &[], false)),
                }
                client.until_ready();
                thread::sleep(self.pause.mul_f64(clock.calm()));
                turn += 1;
                if !clock.before(self.busy.1) {
                    break 'connections;
                }
                // A new connection now and then.
                if turn.is_multiple_of(97) {
                    client.send(&frames::terminate());
                    break;
                }
            }
        }
    }
}

/// Transactions that are open for a while, one of them failed, of sessions that ask for a setting
/// that they do not get.
fn transactions(stack: &Stack, clock: Clock) {
    let asks = Login {
        parameters: &[("log_statement", "all")],
        ..stack.login("ann")
    };
    while clock.before(1000) {
        let mut client = RawClient::login(stack.proxied_address(), &asks);
        for text in ["BEGIN", "SELECT count(*) FROM reviews"] {
            client.query(text);
        }
        thread::sleep(Duration::from_millis(1200));
        client.query("SELECT 1 / 0");
        thread::sleep(Duration::from_millis(1200));
        client.query("ROLLBACK");
    }
}

/// Statements that take long, and a cancel for each: a request, or by its process id.
fn cancelled(stack: &Stack, clock: Clock) {
    let mut by_pid = login(stack, "report");
    for turn in 0.. {
        if !clock.before(1000) {
            return;
        }
        let mut client = login(stack, "report");
        let (pid, secret) = client.key.clone().unwrap();
        client.send(&frames::query(
            "SELECT count(*) FROM (SELECT generate_series(1, 1000000000)) AS s",
        ));
        thread::sleep(Duration::from_millis(1500));
        if turn % 2 == 0 {
            by_pid.query(&format!("SELECT pg_cancel_backend({pid})"));
        } else {
            let request = frames::cancel_request(pid, &secret);
            RawClient::connect(stack.proxied_address()).send(&request);
        }
        client.until_ready();
        thread::sleep(Duration::from_millis(2000));
    }
}

/// Wrong passwords, and bytes that are no protocol.
fn strangers(stack: &Stack, clock: Clock) {
    while clock.before(1000) {
        let guess = Login {
            password: "guess",
            ..stack.login("ann")
        };
        assert!(RawClient::try_login(stack.proxied_address(), &guess).is_err());
        RawClient::connect(stack.proxied_address()).send(b"GET / HTTP/1.1\r\n\r\n");
        // The protocol of thirty years ago.
        let ancient = frames::untyped(&[0, 2, 0, 0, 0, 0, 0, 0]);
        RawClient::connect(stack.proxied_address()).send(&ancient);
        // Replication, which pgsieve does not carry.
        let parameters = [("replication", "database")];
        let replica = Login {
            parameters: &parameters,
            ..stack.login("ann")
        };
        assert!(RawClient::try_login(stack.proxied_address(), &replica).is_err());
        let mut client = login(stack, "report");
        client.send(&frames::message(b'?', b"what"));
        client.until_closed();
        thread::sleep(Duration::from_millis(900));
    }
}

/// A client whose prompt was made at the beginning, and goes stale when the operator changes the
/// database.
fn prompted(stack: &Stack, clock: Clock) {
    let told = until(|| {
        let (status, told) = stack.get("/grounding?user=ann");
        (status == 200).then_some(told)
    });
    let told = told.expect("a grounding");
    let (_, version) = told.rsplit_once("grounding_version: ").unwrap();
    let mut client = login(stack, "ann");
    client.query(&format!("SET pgsieve.grounding = '{}'", version.trim()));
    clock.wait_for(1000);
}

/// Changes in the database, policies that change, and one with a mistake.
fn operator(stack: &Stack, policies: &Policies, clock: Clock) {
    clock.wait_for(200);
    stack.prepare(&[
        "ALTER TABLE shop.customers ADD COLUMN note text",
        "CREATE VIEW shop.late AS SELECT id FROM shop.orders WHERE status = 'placed'",
    ]);
    clock.wait_for(300);
    policies.drain_within(8);
    clock.wait_for(400);
    policies.spoil();
    clock.wait_for(550);
    policies.agents(60);
    clock.wait_for(750);
    stack.prepare(&["CREATE TABLE shop.notes AS SELECT 1 AS id"]);
}

fn login(stack: &Stack, user: &str) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(user))
}

/// How far the run is.
#[derive(Clone, Copy)]
struct Clock {
    begin: Instant,
    time: Duration,
}

impl Clock {
    /// Whether so many thousandths of the time are not over yet.
    fn before(self, thousandths: u32) -> bool {
        self.begin.elapsed() < self.time * thousandths / 1000
    }

    fn wait_for(self, thousandths: u32) {
        while self.before(thousandths) {
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// How calm the hour is: there are busy ones, three in a run.
    fn calm(self) -> f64 {
        let part = self.begin.elapsed().as_secs_f64() / self.time.as_secs_f64();
        1.0 + 0.6 * (part * 3.0 * std::f64::consts::TAU).sin()
    }
}
