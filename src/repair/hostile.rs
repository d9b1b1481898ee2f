//! Texts made to take long, and to overflow the stack: a repair of each ends, on the thread that it
//! gets, in a time that is bounded. Test code only.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::laws::world;
use super::{
    CompileError, Failure, FailureOrigin, RepairConclusion, RepairRequest, StatementCompiler,
    repair_statement,
};
use catalog::fixture::CatalogFixture;
use dialect::session_database::fixture::session;
use gate::{Gate, ParameterTypes, ReadPermit};
use ground::limits;
use policy::Policy;
use sql::fingerprint::Fingerprinter;
use sql::tree;

/// A server that finds the same fault with everything.
struct RefusingServer {
    sqlstate: &'static str,
}

impl StatementCompiler for RefusingServer {
    fn compile(&mut self, _: &ReadPermit<'_>, _: &ParameterTypes) -> Result<(), CompileError> {
        Err(CompileError::Failed {
            sqlstate: self.sqlstate.to_owned(),
            message: "column \"nope\" does not exist".to_owned(),
            hint: None,
            position: Some(8),
        })
    }
}

const CLASSES: &[&str] = &[
    "42601", "42P01", "42703", "42702", "42803", "42883", "42804", "42712", "22P02", "42704",
];

/// A schema in which much is called alike.
fn alike() -> CatalogFixture {
    let mut world = world();
    for table in 0..60 {
        let columns: Vec<String> = (0..100)
            .map(|at| format!("total_amount_{at} int4"))
            .collect();
        world = world.table(&format!("public.amounts_{table}"), &columns.join(", "));
    }
    let wide: Vec<String> = (0..1_000).map(|at| format!("value_{at} text")).collect();
    world.table("public.wide", &wide.join(", "))
}

fn texts() -> Vec<(&'static str, String)> {
    let fill = |piece: &str| piece.repeat(65_000 / piece.len());
    let list = |of: &dyn Fn(usize) -> String, count: usize| {
        (0..count).map(of).collect::<Vec<_>>().join(", ")
    };
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let mut texts = Vec::new();
    for sign in [
        "`",
        "\"",
        "'",
        "[",
        "]",
        "(",
        ")",
        ",",
        "``",
        "```",
        "{",
        "}",
        "{\"",
        "\\",
        "\\n",
        ";",
        "; ",
        "$1 ",
        "-",
        "--\n",
        "/*",
        "*/",
        "==",
        "&&",
        "||",
        "a ",
        "a b ",
        "a.",
        "a,",
        "a(",
        "`a` ",
        "[a] ",
        "'a'",
        "it's ",
        "\n",
        "\nSELECT 1",
        ": select 1 ",
        "```sql\nSELECT 1\n",
        "SELECT ",
        "SELECT 1;",
        "select 1\n\nthis is the query\n",
        "<sql>",
        "<think>",
        "<think></think>",
        "case when ",
        "not ",
        "- ",
        "+",
        "LIMIT 1,2 ",
        "é",
        "“",
        "1.",
        "1 ",
        "x'",
        "e'",
        "u&\"",
        "$$",
        "$a$",
        "interval ",
        "ifnull(",
        "if(1,",
        "date_add(",
        "[1,",
        "limit 5 ",
        "a=",
        "@",
        "#",
        "%",
        "?",
        "::",
        "::int",
        "cast(a as ",
        "select * from (",
        "with a as (",
        "from ",
        "join ",
        "union ",
    ] {
        texts.push(("signs", fill(sign)));
        texts.push(("signs behind SELECT", format!("SELECT {}", fill(sign))));
        texts.push((
            "signs in WHERE",
            format!("SELECT nope FROM orders WHERE {}", fill(sign)),
        ));
    }
    texts.extend([
        (
            "missing columns",
            format!(
                "SELECT {} FROM orders",
                list(&|at| format!("nope_{at}"), 5_000)
            ),
        ),
        (
            "missing near names",
            format!(
                "SELECT {} FROM wide",
                list(&|at| format!("valu_{at}"), 4_000)
            ),
        ),
        (
            "amounts",
            format!(
                "SELECT {} FROM amounts_1, amounts_2",
                list(&|at| format!("totl_amount_{at}"), 3_000)
            ),
        ),
        (
            "many relations",
            format!(
                "SELECT nope, total_amount_1 FROM {}",
                list(&|at| format!("amounts_{} AS a{at}", at % 60), 3_000)
            ),
        ),
        (
            "missing relations",
            format!(
                "SELECT 1 FROM {}",
                list(&|at| format!("amunts_{at}"), 4_000)
            ),
        ),
        (
            "ambiguous",
            format!(
                "SELECT {} FROM amounts_1 JOIN amounts_2 USING (total_amount_1)",
                list(&|at| format!("total_amount_{}", at % 100), 3_000)
            ),
        ),
        (
            "grouped",
            format!(
                "SELECT {} FROM amounts_1 GROUP BY {}",
                list(&|at| format!("total_amount_{}", at % 100), 1_500),
                list(&|at| format!("total_amount_{}", at % 7), 1_500)
            ),
        ),
        (
            "calls",
            format!(
                "SELECT {} FROM orders",
                list(&|at| format!("ifnull(id, {at})"), 3_000)
            ),
        ),
        (
            "nested calls",
            format!(
                "SELECT {} FROM orders",
                nested("ifnull(", "id", ", 1)", 4_000)
            ),
        ),
        (
            "ifs",
            format!(
                "SELECT {} FROM orders",
                nested("if(paid, 1, ", "id", ")", 4_000)
            ),
        ),
        (
            "parentheses",
            format!("SELECT {} FROM orders", nested("(", "nope", ")", 20_000)),
        ),
        (
            "queries",
            format!("SELECT {}", nested("(SELECT ", "nope", ")", 5_000)),
        ),
        (
            "queries in FROM",
            format!(
                "SELECT * FROM {}",
                nested("(SELECT * FROM ", "orders", ")", 3_000)
            ),
        ),
        (
            "queries in FROM with names",
            format!(
                "SELECT nope FROM {}",
                nested("(SELECT * FROM ", "orders", ") x", 3_000)
            ),
        ),
        (
            "joins",
            format!(
                "SELECT nope FROM orders o0 {}",
                (1..1_500)
                    .map(|at| format!("JOIN orders o{at} ON o{at}.idd = o{}.id ", at - 1))
                    .collect::<String>()
            ),
        ),
        (
            "names without FROM",
            format!("SELECT {}", list(&|at| format!("value_{at}"), 390)),
        ),
        (
            "queries without FROM",
            format!("SELECT {}", list(&|at| format!("(SELECT value_{at})"), 390)),
        ),
        (
            "names that are not in FROM",
            format!(
                "SELECT {} FROM orders",
                list(&|at| format!("a{at}.id"), 390)
            ),
        ),
        (
            "one name that is not in FROM",
            format!("SELECT {} FROM orders", list(&|_| "o.id".to_owned(), 390)),
        ),
        (
            "joins by the names of keys",
            format!(
                "SELECT {} FROM orders o {}",
                list(&|at| format!("c{}.customer_id", at % 195), 195),
                (0..195)
                    .map(|at| format!("JOIN customers c{at} ON o.customer_id = c{at}.customer_id "))
                    .collect::<String>()
            ),
        ),
        (
            "joins by words",
            format!(
                "SELECT id FROM orders o0 {}",
                (1..1_500)
                    .map(|at| format!("LEFT JOIN orders o{at} ON o{at}.id = o{}.id ", at - 1))
                    .collect::<String>()
            ),
        ),
        (
            "unions",
            format!("SELECT nope {}", "UNION SELECT nope ".repeat(3_000)),
        ),
        (
            "conditions",
            format!(
                "SELECT 1 FROM orders WHERE {}",
                vec!["status = \"paid\""; 3_500].join(" AND ")
            ),
        ),
        (
            "conditions of kinds",
            format!(
                "SELECT 1 FROM orders WHERE {}",
                vec!["id = status"; 4_500].join(" OR ")
            ),
        ),
        (
            "nots",
            format!("SELECT 1 FROM orders WHERE {} nope", "NOT ".repeat(15_000)),
        ),
        (
            "cases",
            format!(
                "SELECT {} FROM orders",
                nested("CASE WHEN paid THEN ", "nope", " ELSE 1 END", 1_800)
            ),
        ),
        (
            "casts",
            format!("SELECT nope{} FROM orders", "::text".repeat(10_000)),
        ),
        (
            "arrays",
            format!(
                "SELECT {} FROM orders",
                nested("ARRAY[", "nope", "]", 8_000)
            ),
        ),
        (
            "subscripts",
            format!("SELECT nope{} FROM orders", "[1]".repeat(20_000)),
        ),
        (
            "fields",
            format!("SELECT a{} FROM orders", ".b".repeat(30_000)),
        ),
        (
            "sums",
            format!("SELECT {} FROM orders", vec!["nope"; 10_000].join(" + ")),
        ),
        (
            "texts added",
            format!(
                "SELECT {} FROM orders",
                vec!["status + 'a'"; 4_500].join(" + ")
            ),
        ),
        (
            "tables of WITH",
            format!(
                "WITH {} SELECT nope FROM a1",
                list(
                    &|at| format!("a{} AS (SELECT nope FROM a{at})", at + 1),
                    1_500
                )
            ),
        ),
        (
            "windows",
            format!(
                "SELECT {} FROM orders",
                list(
                    &|_| "sum(nope) OVER (PARTITION BY nope ORDER BY nope)".to_owned(),
                    1_200
                )
            ),
        ),
        ("json", nested("{\"sql\": ", "1", "}", 7_000)),
        (
            "json lists",
            format!("{{\"sql\": {}}}", nested("[", "1", "]", 30_000)),
        ),
        (
            "json in json",
            (0..12).fold("SELECT 1".to_owned(), |text, _| {
                format!("{{\"sql\": {}}}", serde_json::to_string(&text).unwrap())
            }),
        ),
        (
            "apostrophes",
            format!(
                "SELECT * FROM orders WHERE status = '{}'",
                "it's ".repeat(10_000)
            ),
        ),
        (
            "aliases",
            format!(
                "SELECT {} FROM orders o WHERE o.nope = 1",
                list(&|at| format!("id AS nope{at}"), 4_000)
            ),
        ),
        (
            "lists",
            format!(
                "SELECT 1 FROM orders WHERE id IN ({})",
                list(&|_| "'a'".to_owned(), 12_000)
            ),
        ),
        (
            "mysql lists",
            format!(
                "SELECT `id` FROM orders WHERE ifnull(id,1) IN ({})",
                list(&|_| "\"a\"".to_owned(), 12_000)
            ),
        ),
        (
            "mysql sums",
            format!(
                "SELECT ifnull(`id`,1) FROM orders WHERE {}",
                vec!["`id`"; 9_000].join(" + ")
            ),
        ),
        (
            "mysql cases",
            format!(
                "SELECT ifnull(`id`, 1), {} FROM orders",
                nested("IF(`paid`, 1, ", "`id`", ")", 3_000)
            ),
        ),
        (
            "schools",
            format!(
                "SELECT {} FROM Schools",
                list(&|_| "Free Meal Count".to_owned(), 3_500)
            ),
        ),
        (
            "spaced",
            format!("SELECT {} FROM Schools", "free meal count ".repeat(4_000)),
        ),
        (
            "keywords",
            format!("SELCT {}", "FORM WERE GROB BY ODER ".repeat(2_800)),
        ),
    ]);
    for (_, text) in &mut texts {
        text.truncate(text.floor_char_boundary(limits::REPAIR_BYTES_MAX));
    }
    texts.reverse();
    texts
}

/// A few of them, for the classes that look furthest; all of them, for every class, with
/// `EVERY_HOSTILE_TEXT=1 cargo test --release -p repair hostile`.
#[test]
fn no_text_takes_long_or_too_much_of_the_stack() {
    let (is_wanted, classes): (fn(&str) -> bool, _) = if every_hostile_text() {
        (|_| true, CLASSES)
    } else {
        (|what| SAMPLE.contains(&what), &CLASSES_OF_SAMPLE[..])
    };
    let stack = thread::Builder::new().stack_size(STACK_BYTES);
    let looking = stack.spawn(move || look_at_all(is_wanted, classes));
    let slow = looking.unwrap().join().unwrap();
    assert!(slow.is_empty(), "{slow:#?}");
}

fn look_at_all(is_wanted: fn(&str) -> bool, all: &[&'static str]) -> Vec<String> {
    let policy = Policy::agent();
    let names = session(alike(), &policy);
    let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
    let parameters = ParameterTypes::none_given();
    let mut slow = Vec::new();
    for (what, text) in texts().into_iter().filter(|(what, _)| is_wanted(what)) {
        // What nobody reads fails in one way.
        let classes = if tree::parse(&text).is_ok() {
            all
        } else {
            &all[..1]
        };
        for sqlstate in classes {
            let failures = [Failure::reported(
                &text,
                sqlstate,
                "",
                Some(8),
                FailureOrigin::Server,
            )];
            for failure in failures {
                let request = RepairRequest {
                    user: "",
                    gate: &gate,
                    names: &names,
                    parameters: &parameters,
                    text: &text,
                    failure,
                    earlier_dialect: None,
                };
                let since = Instant::now();
                let outcome = repair_statement(&request, &mut RefusingServer { sqlstate });
                let took = since.elapsed();
                assert!(!matches!(outcome.ending, RepairConclusion::Repaired(_)));
                if took > time_max() {
                    let start: String = text.chars().take(40).collect();
                    slow.push(format!("{took:?} {sqlstate} {what}: {start}"));
                }
            }
        }
    }
    slow
}

/// What a thread that waits has.
const STACK_BYTES: usize = 2 << 20;

/// Whether all is looked at, by a build that is optimised.
fn every_hostile_text() -> bool {
    std::env::var_os("EVERY_HOSTILE_TEXT").is_some()
}

/// Far more than any takes: what grows with the square of its length takes minutes.
fn time_max() -> Duration {
    Duration::from_secs(if every_hostile_text() { 1 } else { 60 })
}

const CLASSES_OF_SAMPLE: [&str; 2] = ["42601", "42703"];

/// Those that once were slow, and those that nest.
const SAMPLE: &[&str] = &[
    "names that are not in FROM",
    "joins by the names of keys",
    "missing near names",
    "missing relations",
    "many relations",
    "parentheses",
    "queries",
    "nested calls",
    "mysql cases",
    "json",
    "nots",
    "keywords",
];
