//! The database: `shop` has everything, and models; `lacks` has what the models leave of it.

use std::sync::LazyLock;

use crate::access::models::grammar::PARAMETER;
use crate::support::raw::Frame;
use crate::support::{APP, Options, RawClient, Stack, UNREPAIRED, frames, until};

/// A session with pgsieve, and one with the database.
pub struct Both {
    real: RawClient,
    through: RawClient,
}

impl Both {
    pub fn open(stack: &Stack) -> Self {
        let mut real = RawClient::login(stack.direct_address(), &stack.login(APP));
        real.query("SET search_path = lacks");
        real.query(BOUND);
        let mut through = session(stack);
        through.query(BOUND);
        Self { real, through }
    }

    /// The answers to a query, by one of the ways to send it.
    pub fn ask(&mut self, query: &str, way: u64) -> (Vec<Frame>, Vec<Frame>) {
        let real = query
            .replace("shop.", "lacks.")
            .replace("shop .", "lacks .");
        (
            asked(&mut self.real, &real, way),
            asked(&mut self.through, query, way),
        )
    }
}

/// A session of the tenant whose rows are shown.
pub fn session(stack: &Stack) -> RawClient {
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    for text in ["SET search_path = shop", "SET app.tenant = 'a''\\'"] {
        let answer = client.query(text);
        assert!(answer.iter().all(|frame| frame.kind != b'E'), "{answer:?}");
    }
    client
}

fn asked(client: &mut RawClient, query: &str, way: u64) -> Vec<Frame> {
    match way {
        0 => client.query(query),
        1 => {
            let (text, values) = with_parameters(query);
            let values: Vec<Option<&str>> = values.iter().map(|value| Some(&**value)).collect();
            client.send(&frames::extended(&text, &values, false));
            client.until_ready()
        }
        _ => {
            client.query("BEGIN");
            let mut answer = client.query(&format!("DECLARE c CURSOR FOR {query}"));
            answer.extend(client.query("FETCH ALL FROM c"));
            client.query("ROLLBACK");
            // After an error the transaction's own follows.
            if let Some(first) = answer.iter().position(|frame| frame.kind == b'E') {
                answer.truncate(first + 1);
                answer.retain(|frame| frame.kind == b'E');
            }
            answer
        }
    }
}

/// A query with a parameter in each place that may have one, and their values.
fn with_parameters(query: &str) -> (String, Vec<String>) {
    let mut parts: Vec<&str> = query.split(PARAMETER).collect();
    let last = parts.pop().unwrap_or_default();
    let (mut text, mut values) = (String::new(), Vec::new());
    for part in parts {
        let bare = part.trim_end_matches(|c: char| c.is_ascii_digit());
        values.push(part[bare.len()..].to_owned());
        text.push_str(&format!("{bare}${}", values.len()));
    }
    (text + last, values)
}

/// Whether an answer has anything of what is hidden.
pub fn shows_hidden(answer: &[Frame]) -> bool {
    let holds = |frame: &Frame, word: &[u8]| frame.body.windows(word.len()).any(|at| at == word);
    let mut canaries = [&b"CANARY"[..], b"7777"].into_iter();
    canaries.any(|word| answer.iter().any(|frame| holds(frame, word)))
}

/// The database with pgsieve before it.
pub fn stack() -> &'static Stack {
    static SHOP: LazyLock<Stack> = LazyLock::new(|| {
        let mut edits = UNREPAIRED.to_vec();
        edits.extend([
            ("\nforeign:\n", MODELS),
            (
                "    timezone: any\n",
                "    timezone: any\n    app.tenant: any\n",
            ),
        ]);
        let stack = Stack::start(Options {
            policy_edits: edits.leak(),
            ..Options::default()
        });
        stack.prepare(&[FULL, LACKS]);
        // The account of the catalog is that of the first client; a later one knows all of it.
        let knows = || {
            let mut client = session(&stack);
            let answer = client.query("SELECT id FROM customers WHERE note LIKE 'CAN%'");
            let answer = answer.iter().map(|frame| frame.kind).collect::<Vec<u8>>();
            (answer == *b"TCZ").then_some(())
        };
        if until(knows).is_none() {
            let answer = session(&stack).query("SELECT id FROM customers");
            panic!("models do not hold: {answer:?}\n{}", stack.stderr());
        }
        stack
    });
    &SHOP
}

/// A random query may take any time.
const BOUND: &str = "SET statement_timeout = '1500ms'";

/// The condition costs more than what a client would like to have run before it.
const MODELS: &str = "
models:
  shop.customers:
    sql: SELECT id, region, left(email, 2) || '…' AS email, x, note FROM customers \
        WHERE lower(lower(lower(lower(tenant)))) = :app.tenant
  shop.orders:
    sql: SELECT id, customer, total, NULL::text AS secret FROM orders WHERE total < 1000
  shop.items:
    sql: SELECT id, left(code, 1) AS code, x FROM items
  shop.tagged:
    sql: SELECT id, x, unnest(tags) AS tag FROM tagged
  shop.linked:
    new: true
    sql: >-
      SELECT p.id, p.x, p.note, c.tenant FROM plain p
      JOIN linking c ON c.plain = p.id AND c.tenant = :app.tenant
  shop.regions:
    new: true
    sql: SELECT region, count(*) AS n, sum(x) AS x FROM plain GROUP BY region
foreign:
";

/// Rows of others have a 5 where the visible ones have none, and notes that are no numbers.
const FULL: &str = r"
CREATE SCHEMA shop;
GRANT USAGE ON SCHEMA shop TO app;
CREATE TABLE shop.customers (id int PRIMARY KEY, tenant text NOT NULL, region text, email text,
    x int, note text, ssn text);
INSERT INTO shop.customers
SELECT i, CASE WHEN i % 3 = 0 THEN 'a''\' WHEN i % 3 = 1 THEN 'b' ELSE 'a' END,
    CASE WHEN i % 7 < 3 THEN 'north' WHEN i % 7 < 5 THEN 'south' END,
    CASE WHEN i % 3 = 0 THEN chr(97 + i % 5) || 'xCANARY' ELSE 'CANARY' || i END,
    CASE WHEN i % 3 = 0 THEN (ARRAY[1, 2, 3, NULL, 9])[1 + i % 5] ELSE 5 + 77770 * (i % 2) END,
    CASE WHEN i % 3 = 0 THEN (i % 4)::text ELSE 'CANARY' END,
    'CANARY'
FROM generate_series(1, 60) i;
CREATE TABLE shop.orders (id int PRIMARY KEY, customer int, total int, secret text);
INSERT INTO shop.orders
SELECT i, i % 40, CASE WHEN i % 4 = 0 THEN 77770 + i ELSE i * 3 % 97 END, 'CANARY' || i
FROM generate_series(1, 80) i;
CREATE TABLE shop.items (id int PRIMARY KEY, code text, x int, price int);
INSERT INTO shop.items
SELECT i, (i % 6)::text || 'CANARY', i % 5, 7777 FROM generate_series(1, 30) i;
CREATE TABLE shop.plain (id int PRIMARY KEY, region text, x int, note text);
INSERT INTO shop.plain
SELECT i, (ARRAY['north', 'south', 'east', NULL])[1 + i % 4], i % 4, (i % 3)::text
FROM generate_series(1, 25) i;
CREATE TABLE shop.tagged (id int PRIMARY KEY, x int, tags text[], secret text);
INSERT INTO shop.tagged
SELECT i, CASE WHEN i % 3 = 0 THEN 5 ELSE i % 4 END,
    CASE WHEN i % 3 = 0 THEN '{}' ELSE ARRAY[(i % 4)::text, '1'] END, 'CANARY'
FROM generate_series(1, 24) i;
CREATE TABLE shop.linking (plain int, tenant text);
INSERT INTO shop.linking
SELECT i, CASE WHEN i % 2 = 0 THEN 'a''\' ELSE 'CANARY' END FROM generate_series(1, 25) i;
CREATE INDEX ON shop.tagged (x);
CREATE INDEX ON shop.customers (x);
CREATE INDEX ON shop.customers (note);
ANALYZE shop.tagged, shop.linking, shop.customers, shop.orders, shop.items, shop.plain;
";

const LACKS: &str = r"
CREATE SCHEMA lacks;
GRANT USAGE ON SCHEMA lacks TO app;
CREATE TABLE lacks.customers AS
    SELECT id, region, left(email, 2) || '…' AS email, x, note FROM shop.customers
    WHERE tenant = 'a''\';
CREATE TABLE lacks.orders AS
    SELECT id, customer, total, NULL::text AS secret FROM shop.orders WHERE total < 1000;
CREATE TABLE lacks.items AS SELECT id, left(code, 1) AS code, x FROM shop.items;
CREATE TABLE lacks.plain AS SELECT * FROM shop.plain;
CREATE TABLE lacks.regions AS
    SELECT region, count(*) AS n, sum(x) AS x FROM shop.plain GROUP BY region;
CREATE TABLE lacks.tagged AS SELECT id, x, unnest(tags) AS tag FROM shop.tagged;
CREATE TABLE lacks.linked AS
    SELECT p.id, p.x, p.note, c.tenant FROM shop.plain p
    JOIN shop.linking c ON c.plain = p.id AND c.tenant = 'a''\';
ANALYZE lacks.tagged, lacks.linked;
ANALYZE lacks.customers, lacks.orders, lacks.items, lacks.plain, lacks.regions;
";
