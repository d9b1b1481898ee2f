//! Hostile candidates: they are scored last, and nothing of them is run.

use std::time::{Duration, Instant};

use super::{database, numbers, ranked};
use crate::support::command::pgsieve;
use crate::support::recorder::Recorder;
use crate::support::{ADMIN, READER, shared_cluster, sql};

const GOOD: &str = "SELECT count(*) FROM orders";

const HOSTILE: [&str; 10] = [
    "DELETE FROM items",
    "SELECT 1; DELETE FROM items",
    "SELECT pg_sleep(30)",
    "WITH gone AS (DELETE FROM items RETURNING 1) SELECT count(*) FROM gone",
    "SELECT nextval('shop.numbers')",
    "EXPLAIN ANALYZE SELECT pg_sleep(30)",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT count(*) FROM orders) AS candidate LIMIT 1; DELETE FROM items; --",
    "SELECT 1 INTO shop.taken",
];

/// What would have changed.
fn state() -> Vec<Vec<String>> {
    sql::block_on(async {
        let url = shared_cluster().url(ADMIN, ADMIN, database());
        let admin = sql::connect(&url).await.unwrap();
        let text = "SELECT (SELECT count(*) FROM shop.items), \
            (SELECT is_called FROM shop.numbers), to_regclass('shop.taken') IS NULL";
        sql::rows(&admin, text).await
    })
}

#[test]
fn hostile_candidates_are_last_and_never_run() {
    let before = state();
    for more in [&[][..], &["--agree"]] {
        let begun = Instant::now();
        let all = [&HOSTILE[..], &["SELECT nothing FROM nowhere", GOOD]].concat();
        let (found, status) = ranked(more, "How many orders are there?", &all);
        assert_eq!(status, Some(0));
        let order = numbers(&found);
        assert_eq!(order[..2], [12, 11], "{found:?}");
        assert_eq!(found.len(), 12);
        for hostile in &found[2..] {
            assert_eq!(hostile["outcome"], "refused", "{hostile}");
            assert!(
                hostile["runs"].is_null() && hostile["cost"].is_null(),
                "{hostile}"
            );
        }
        assert!(begun.elapsed() < Duration::from_secs(25), "something slept");
        assert_eq!(state(), before);
    }
    let (found, status) = ranked(&[], "?", &["DELETE FROM items"]);
    assert_eq!((found.len(), status), (1, Some(1)));
    assert_eq!(state(), before);
}

/// A read-only session would stop most of these by itself, and a clock the rest: that nothing of
/// them is sent shows on the wire alone. Words in comments go where their texts go.
#[test]
fn no_byte_of_a_hostile_candidate_is_sent_to_the_server() {
    let recorder = Recorder::start(shared_cluster().port());
    let url = format!(
        "postgres://{READER}:{READER}@{}/{}",
        recorder.address(),
        database()
    );
    let marked = |(number, text): (usize, &&str)| format!("/* canary_{number} */ {text} ");
    let mut all: Vec<String> = HOSTILE.iter().enumerate().map(marked).collect();
    all.push("SELECT count(*) AS canary_good FROM orders".into());
    all.push("SELECT nothing AS canary_failing FROM nowhere".into());
    let input = serde_json::json!(all).to_string();
    let question = [
        "choose",
        "--json",
        "--agree",
        "--upstream",
        &url,
        "--question",
        "How many?",
    ];
    let output = pgsieve(&question, &input);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let sent: Vec<u8> = recorder
        .of("")
        .into_iter()
        .flat_map(|one| one.sent)
        .collect();
    let sent = String::from_utf8_lossy(&sent);
    // Those that may run are seen: compiled, planned, and executed for the votes.
    let count = |word: &str| sent.matches(word).count();
    assert_eq!((count("canary_good"), count("canary_failing")), (3, 1));
    assert_eq!(
        count("EXPLAIN (FORMAT JSON) SELECT count(*) AS canary_good"),
        1
    );
    for (number, text) in HOSTILE.iter().enumerate() {
        assert!(!sent.contains(&format!("canary_{number} ")), "{text}");
    }
    for word in ["DELETE", "pg_sleep", "nextval", "PROGRAM", "pg_read_file"] {
        assert!(!sent.contains(word), "{word}");
    }
}

#[test]
fn what_is_hidden_is_refused_or_fails() {
    let name = pgsieve::demo::cluster::random_name().unwrap();
    let path = std::env::temp_dir().join(format!("pgsieve-it-{name}.yaml"));
    let policy = "name: p\nextends: agent\ncolumns: {deny: [\"*.*.canary_*\"]}\n";
    std::fs::write(&path, policy).unwrap();
    let more = ["--policy", path.to_str().unwrap()];
    let hidden = "SELECT sum(canary_total) FROM orders";
    let (found, _) = ranked(
        &more,
        "What is the sum?",
        &[hidden, "SELECT sum(total) FROM orders"],
    );
    assert_eq!(numbers(&found), [2, 1]);
    assert_eq!(found[1]["outcome"], "refused");
    let _gone = std::fs::remove_file(path);
}

#[test]
fn one_that_never_ends_costs_its_own_time_only() {
    let endless = "SELECT count(*) FROM orders a, orders b, orders c, orders d WHERE a.id <> d.id";
    let begun = Instant::now();
    let (found, _) = ranked(
        &["--agree"],
        "How many?",
        &[endless, GOOD, "SELECT count(id) FROM orders"],
    );
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "it was waited for"
    );
    let votes = |number: u64| {
        let one = found.iter().find(|one| one["candidate"] == number).unwrap();
        one["votes"].as_u64()
    };
    assert_eq!(
        (votes(1), votes(2), votes(3)),
        (None, Some(1), Some(1)),
        "{found:?}"
    );
}
