//! Repairs of ambiguous and of ungrouped columns return the rows that are meant: proved by rows of
//! the sample shop, against the same question written out by hand.

use pgsieve::policy::{Policy, Recoverer};
use pgsieve::repair::context::tokens_of;
use pgsieve::repair::{
    Confidence, Failure, FailureOrigin, RecovererAnswer, RepairContext, SessionDatabase, recoverers,
};
use pgsieve::sql::tree;

use super::support::{Database, VERSIONS};

#[tokio::test]
async fn repaired_texts_return_the_rows_that_are_meant() {
    for version in VERSIONS {
        let Some(database) = Database::of_shop(version).await else {
            continue;
        };
        for (text, meant) in CASES {
            let error = database.client.prepare(text).await.expect_err(text);
            let code = error
                .code()
                .expect("an error of the server")
                .code()
                .to_owned();
            let repaired = repair(&database, text, &code);
            let (found, wanted) = (
                rows(&database, &repaired).await,
                rows(&database, meant).await,
            );
            assert!(!wanted.is_empty(), "{meant}: no rows to compare");
            assert_eq!(found, wanted, "{version}: {repaired}");
        }
    }
}

/// Joins of every kind over tables full of NULLs, rows without partners and equal values: what is
/// grouped as well must split no group, and what a name stands for must be the same everywhere.
#[tokio::test]
async fn no_certain_repair_changes_rows() {
    for version in VERSIONS {
        let Some(database) = Database::of_text(version, NASTY).await else {
            continue;
        };
        let mut choices = Choices(77_123 + u64::from(version));
        let (mut grouped, mut qualified) = (0, 0);
        for _ in 0..STATEMENTS {
            let from = choices.from();
            grouped += usize::from(grouping(&database, &mut choices, &from).await);
            qualified += usize::from(ambiguity(&database, &mut choices, &from).await);
        }
        eprintln!("PostgreSQL {version}: {grouped} grouped, {qualified} qualified of {STATEMENTS}");
        assert!(grouped > STATEMENTS / 20 && qualified > STATEMENTS / 50);
    }
}

/// Whether a column was grouped as well.
async fn grouping(database: &Database, choices: &mut Choices, from: &str) -> bool {
    let columns: Vec<String> = columns_of(from, &["id", "code", "maybe", "pid", "cid", "n", "v"]);
    let mut keys = vec![choices.of(&columns).clone()];
    if choices.one_in(3) {
        keys.push(choices.of(&columns).clone());
    }
    let keys = keys.join(", ");
    let shown = choices
        .of(&columns_of(from, &["name", "code", "pid", "v", "id"]))
        .clone();
    let text = format!("SELECT {shown}, count(*) FROM {from} GROUP BY {keys}");
    let Some(after) = answer(database, &text, "42803") else {
        return false;
    };
    let (_, all_keys) = after.split_once(" GROUP BY ").unwrap();
    let check = format!(
        "SELECT (SELECT count(*) FROM (SELECT 1 FROM {from} GROUP BY {keys}) a) = \
         (SELECT count(*) FROM (SELECT 1 FROM {from} GROUP BY {all_keys}) b)"
    );
    assert!(holds(database, &check).await, "{after}");
    database.client.prepare(&after).await.expect(&after);
    true
}

/// Whether a name was qualified.
async fn ambiguity(database: &Database, choices: &mut Choices, from: &str) -> bool {
    let name = *choices.of(&["id", "code", "pid", "name", "v", "cid"]);
    let among = columns_of(from, &[name]);
    if among.len() < 2 {
        return false;
    }
    let (before, after) = *choices.of(&[("", ""), ("count(", ")"), ("coalesce(", ", 0)")]);
    let whole = before.is_empty();
    let text = format!("SELECT {before}{name}{after} AS shown FROM {from}");
    let Some(repaired) = answer(database, &text, "42702") else {
        return false;
    };
    let chosen = repaired.strip_prefix(&format!("SELECT {before}")).unwrap();
    let (chosen, _) = chosen.split_once(&format!("{after} AS shown")).unwrap();
    for other in &among {
        let may_be_null = if whole {
            format!("{other} IS NOT NULL AND")
        } else {
            String::new()
        };
        let check = format!(
            "SELECT count(*) = 0 FROM (SELECT {chosen} IS DISTINCT FROM {other} AS differs, \
             {may_be_null} true AS counts FROM {from}) x WHERE differs AND counts"
        );
        assert!(holds(database, &check).await, "{repaired}: {other}");
    }
    true
}

async fn holds(database: &Database, check: &str) -> bool {
    let row = database.client.query_one(check, &[]).await;
    row.unwrap_or_else(|error| panic!("{check}: {error}"))
        .get(0)
}

/// The text of a certain repair, if there is one.
fn answer(database: &Database, text: &str, code: &str) -> Option<String> {
    match asked(database, text, code) {
        RecovererAnswer::Repaired(repair) if repair.confidence == Confidence::Exact => {
            Some(repair.rewritten.text(text).unwrap())
        }
        _ => None,
    }
}

/// The columns of these names that a FROM brings, qualified.
fn columns_of(from: &str, names: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (alias, columns) in TABLES {
        if from.contains(&format!(" {alias} ")) {
            let own = names.iter().filter(|name| columns.contains(*name));
            found.extend(own.map(|name| format!("{alias}.{name}")));
        }
    }
    found
}

/// Choices that are the same in every run.
struct Choices(u64);

impl Choices {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn of<'c, T>(&mut self, among: &'c [T]) -> &'c T {
        &among[self.below(among.len())]
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// What stands between FROM and GROUP BY.
    fn from(&mut self) -> String {
        let (one, two) = (*self.of(KINDS), *self.of(KINDS));
        let parents = *self.of(&["parents p ", "parents p ", "ONLY parents p "]);
        let (on_parent, on_child) = (*self.of(ON_PARENT), *self.of(ON_CHILD));
        let joined = match self.below(6) {
            0 => format!("{parents} {one} children c ON {on_parent}"),
            1 => format!("children c {one} {parents} ON {on_parent}"),
            2 => format!("{parents} {one} children c ON {on_parent} {two} details d ON {on_child}"),
            3 => format!(
                "{parents} {one} (children c {two} details d ON d.cid = c.id) ON {on_parent}"
            ),
            4 => {
                format!("details d {one} (children c {two} {parents} ON {on_parent}) ON {on_child}")
            }
            _ => format!("{parents} {one} children c ON {on_parent}, details d "),
        };
        let condition = *self.of(WHERE);
        match condition {
            "" => joined,
            other if other.contains("d.") && !joined.contains(" d ") => joined,
            other => format!("{joined} WHERE {other}"),
        }
    }
}

fn repair(database: &Database, text: &str, code: &str) -> String {
    match asked(database, text, code) {
        RecovererAnswer::Repaired(repair) => {
            assert_eq!(repair.confidence, Confidence::Exact, "{text}");
            repair.rewritten.text(text).unwrap()
        }
        RecovererAnswer::Hinted(hint) => panic!("{text}: {}", hint.advice),
        RecovererAnswer::Silent | RecovererAnswer::Doubted => panic!("{text}: silence"),
    }
}

fn asked(database: &Database, text: &str, code: &str) -> RecovererAnswer {
    let catalog = &database.catalog;
    let role = catalog.role_named("postgres");
    let seen = SessionDatabase {
        catalog,
        path: catalog.search_path(database.path, role),
        role,
        mask: None,
        parameters: Vec::new(),
        known_keys: Vec::new(),
    };
    let failure = Failure::reported(text, code, "", None, FailureOrigin::Server).unwrap();
    let tokens = tokens_of(text);
    let parsed = tree::parse(text).unwrap();
    let resolution = seen.resolve(&parsed);
    let policy = Policy::agent();
    let scene = RepairContext {
        text,
        tokens: &tokens,
        tree: Some(&parsed),
        resolution: resolution.as_ref(),
        failure: &failure,
        database: Some(&seen),
        server_major: catalog.server_major(),
        settings: policy.repair(),
        target_dialect: None,
        earlier_dialect: None,
        foreign_text: None,
    };
    let recoverer = match code {
        "42702" => Recoverer::AmbiguousColumn,
        "42803" => Recoverer::GroupingError,
        other => panic!("{text}: {other}"),
    };
    recoverers::ask(recoverer, &scene)
}

async fn rows(database: &Database, text: &str) -> Vec<String> {
    let text = format!("SELECT row_to_json(q)::text FROM ({text}) q");
    let rows = database.client.query(&text, &[]).await;
    let rows = rows.unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut rows: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    rows.sort();
    rows
}

/// A text that fails, and the question that is meant.
const CASES: &[(&str, &str)] = &[
    (
        "SELECT c.name, count(*) AS n FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY o.customer_id",
        "SELECT (SELECT name FROM customers WHERE id = g.customer_id), n \
         FROM (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) g",
    ),
    (
        "SELECT c.name, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.email",
        "SELECT name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS n FROM customers c",
    ),
    (
        "SELECT order_id, p.amount FROM orders o JOIN payments p ON p.order_id = o.id JOIN shipments s ON s.order_id = p.order_id",
        "SELECT p.order_id, p.amount FROM payments p, shipments s WHERE p.order_id = s.order_id",
    ),
];

/// Aliases and what is behind them.
const TABLES: [(&str, &[&str]); 3] = [
    ("p", &["id", "code", "maybe", "name", "v"]),
    ("c", &["id", "pid", "code", "name", "v"]),
    ("d", &["cid", "n", "pid", "name", "code"]),
];

const KINDS: &[&str] = &["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"];

const ON_PARENT: &[&str] = &[
    "c.pid = p.id",
    "p.id = c.pid",
    "c.pid = p.id AND c.v > 1",
    "c.pid = p.id AND p.v = 1",
    "c.code = p.code",
    "c.code = p.maybe",
    "c.pid = p.id AND c.code = p.code",
    "c.id = p.id",
    "c.id = p.id AND c.v = 1",
];

const ON_CHILD: &[&str] = &[
    "d.cid = c.id",
    "d.cid = c.id AND d.n = 1",
    "d.cid = c.id AND d.n = c.v",
    "d.pid = c.pid",
    "d.code = c.code",
    "d.cid = c.id AND d.code = c.code",
];

const WHERE: &[&str] = &[
    "",
    "",
    "c.pid = p.id",
    "p.code = 3",
    "c.v = 1 AND p.code = c.code",
    "p.id IS NULL",
    "c.pid = p.id OR c.v = 2",
    "d.cid = c.id",
    "d.n = 1 AND d.cid = c.id",
];

const STATEMENTS: usize = 350;

const NASTY: &str = include_str!("../../../data/schemas/resolve/nulls.sql");
