//! Clients of all sorts, at work until they are told to stop: what a page has to show.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::support::raw::Login;
use crate::support::{READER, RawClient, Stack};

/// A name that runs as a script wherever somebody takes it for markup.
pub const MARKUP: &str = "<img src=x onerror=alert(1)>";

/// Users with what they call themselves, and whose statements are the reads alone.
const USERS: [(&str, &str, Manner); 4] = [
    ("analyst", "notebook", Manner::Mixed),
    ("dashboard", "Metabase", Manner::Reads),
    ("sales_agent", "agent 2.1", Manner::Mixed),
    ("nightly_job", "psql", Manner::Writes),
];

/// What somebody sends.
#[derive(Clone, Copy)]
enum Manner {
    Reads,
    Mixed,
    Writes,
}

/// The clients. They end with the value.
pub struct Load {
    stop: Arc<AtomicBool>,
    clients: Vec<JoinHandle<()>>,
}

impl Load {
    /// Makes the users and sets them to work; with one whose name is markup, or without.
    pub fn start(stack: &Stack, with_markup: bool) -> Self {
        let mut users = USERS.to_vec();
        if with_markup {
            users.push((MARKUP, "<script>alert(2)</script>", Manner::Mixed));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let clients = (1..)
            .zip(users)
            .map(|(pause, (user, application, manner))| {
                let quoted = user.replace('\'', "''");
                stack.prepare(&[&format!(
                    "DO $$ BEGIN CREATE ROLE \"{user}\" LOGIN PASSWORD '{quoted}'; \
                 EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$; \
                 GRANT {READER} TO \"{user}\""
                )]);
                let login = Login {
                    user,
                    password: user,
                    database: stack.database(),
                    parameters: &[("application_name", application)],
                };
                let mut client = RawClient::login(stack.proxied_address(), &login);
                let stop = Arc::clone(&stop);
                thread::spawn(move || {
                    let mut turn = 0_usize;
                    while !stop.load(Ordering::Relaxed) {
                        client.query(manner.statement(turn));
                        turn += 1;
                        // Waves, so that a curve has something to show.
                        let wave = if (turn / 400).is_multiple_of(2) { 1 } else { 3 };
                        thread::sleep(Duration::from_millis(4 * pause * wave));
                    }
                })
            });
        Self {
            clients: clients.collect(),
            stop,
        }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for client in self.clients.drain(..) {
            let ended = client.join();
            assert!(ended.is_ok() || thread::panicking(), "a client failed");
        }
    }
}

impl Manner {
    fn statement(self, turn: usize) -> &'static str {
        let read = READS[turn % READS.len()];
        let write = WRITES[turn / 7 % WRITES.len()];
        match self {
            Self::Reads => read,
            Self::Mixed if turn % 29 == 11 => REPAIRED[turn / 29 % REPAIRED.len()],
            Self::Mixed if turn % 41 == 3 => write,
            Self::Writes if turn.is_multiple_of(9) => write,
            Self::Mixed | Self::Writes => read,
        }
    }
}

const READS: [&str; 5] = [
    "SELECT name, price FROM shop.products WHERE id = 17",
    "SELECT status, count(*) FROM shop.orders GROUP BY status",
    "SELECT count(*) FROM shop.customers WHERE newsletter",
    "SELECT c.name, count(*) FROM shop.customers c JOIN shop.orders o ON o.customer_id = c.id \
     GROUP BY c.name ORDER BY 2 DESC LIMIT 5",
    "SELECT 1",
];

const WRITES: [&str; 8] = [
    "DELETE FROM shop.orders WHERE id = 5",
    "UPDATE shop.products SET price = 0 WHERE id = 17",
    "CREATE TABLE copy_of_orders AS SELECT * FROM shop.orders",
    "DELETE FROM shop.orders WHERE id = 9",
    "SELECT * FROM shop.orders FOR UPDATE",
    "SELECT pg_advisory_lock(7)",
    "SET work_mem = '4GB'",
    "COPY shop.customers TO '/tmp/customers'",
];

const REPAIRED: [&str; 3] = [
    "SELECT `name` FROM shop.products WHERE id = 17",
    "```sql\nSELECT name FROM shop.suppliers LIMIT 3\n```",
    "SELECT IFNULL(company, 'none') FROM shop.customers LIMIT 3",
];
