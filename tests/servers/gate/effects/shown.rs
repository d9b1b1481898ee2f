//! Everything in `hidden.sql` really has its effect when it is run past pgsieve, and what stands
//! beside it has none: so no case is a dummy.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_postgres::{Client, SimpleQueryMessage};

use crate::gate::effects::cases::{ANALYTICS, Case, EXTENSIONS, HARMLESS, HIDDEN, cases};
use crate::gate::effects::judge::assert_none;
use crate::gate::effects::refused::present;
use crate::gate::effects::servers::{Database, block_on, servers};
use crate::support::sql::connected;

#[test]
fn every_hidden_effect_leaves_its_trace_and_what_stands_beside_it_none() {
    let _turn = turn();
    for server in servers() {
        let all = cases("hidden", HIDDEN, server.major);
        let all = present(&server.hidden, all);
        let wrong = block_on(traces(&server.hidden, &all, |case, seen, rows| {
            seen.iter().any(|trace| *trace == case.trace) || case.trace == "rows" && rows > 0
        }));
        println!("Postgres {}: {} effects proved", server.major, all.len());
        assert_none(&wrong);
        let all = cases("hidden_harmless", HARMLESS, server.major);
        let all = present(&server.hidden, all);
        let wrong = block_on(traces(&server.hidden, &all, |_, seen, _| {
            seen.iter().all(|trace| *trace == "time")
        }));
        println!("Postgres {}: {} without effects", server.major, all.len());
        assert_none(&wrong);
    }
}

#[test]
fn everyday_statements_run() {
    for server in servers() {
        let analytics = cases("analytics", ANALYTICS, server.major);
        let extensions = cases("extensions", EXTENSIONS, server.major);
        let extensions = present(&server.extensions, extensions);
        for (database, all) in [(&server.shop, analytics), (&server.extensions, extensions)] {
            assert_none(&block_on(failures(database, &all)));
        }
    }
}

/// Traces are those of a whole database: one test at a time.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sessions that the server has opened elsewhere end with the one that opened them, and what was
/// planned with a table is kept for the next statement.
pub fn needs_a_session_of_its_own(case: &Case) -> bool {
    matches!(case.kind.as_str(), "foreign" | "planning")
}

/// The statements that left other traces than they should.
async fn traces(
    database: &Database,
    all: &[Case],
    right: fn(&Case, &[&str], usize) -> bool,
) -> Vec<String> {
    let witness = connected(&database.url).await;
    let mut wrong = Vec::new();
    let mut client = connected(&database.url).await;
    for case in all {
        let (seen, rows) = match trace(&client, database, case).await {
            Ok(found) => found,
            Err(error) => (error.to_string(), 0),
        };
        if !right(
            case,
            &seen
                .split(',')
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>(),
            rows,
        ) {
            wrong.push(format!("{}: {seen:?} after {}", case.place, case.text));
        }
        client.batch_execute(CLEAN).await.unwrap();
        if needs_a_session_of_its_own(case) {
            drop(client);
            until_no_lock(&witness).await;
            client = connected(&database.url).await;
        }
    }
    wrong
}

/// Runs a statement in a transaction that is rolled back; what it left, and how many rows it had.
pub async fn trace(
    client: &Client,
    database: &Database,
    case: &Case,
) -> Result<(String, usize), tokio_postgres::Error> {
    let path = database.path.join(", ");
    let role = if case.as_owner { "none" } else { database.role };
    let begin = format!("SET search_path = {path}; BEGIN; SET LOCAL ROLE {role}");
    client.batch_execute(&begin).await?;
    let answer = client.simple_query(&case.text).await?;
    let rows = answer
        .iter()
        .filter(|message| matches!(message, SimpleQueryMessage::Row(_)))
        .count();
    client.batch_execute("SET LOCAL ROLE none").await?;
    let row = client.query_one(TRACE, &[]).await?;
    Ok((row.get(0), rows))
}

pub async fn until_no_lock(witness: &Client) {
    for _ in 0..500 {
        let held = witness.query_one(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
            &[],
        );
        if held.await.unwrap().get::<_, i64>(0) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("an advisory lock stays");
}

/// The statements that a server does not run.
async fn failures(database: &Database, all: &[Case]) -> Vec<String> {
    let client = connected(&database.url).await;
    let path: Vec<String> = database
        .path
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect();
    let begin = format!(
        "SET search_path = {}; SET default_transaction_read_only = on; SET ROLE {}",
        path.join(", "),
        database.role
    );
    client.batch_execute(&begin).await.unwrap();
    let mut wrong = Vec::new();
    for case in all {
        if let Err(error) = client.simple_query(&case.text).await {
            wrong.push(format!("{}: {error} for {}", case.place, case.text));
        }
    }
    wrong
}

pub const CLEAN: &str = "ROLLBACK; SELECT pg_advisory_unlock_all();
  SELECT set_config('hidden.trace', '', false), set_config('hidden.callers', '', false),
    setval('hidden.numbers', 1, false);
  SELECT lo_unlink(oid) FROM pg_largeobject_metadata;
  COPY (SELECT 1) TO PROGRAM 'cat > /dev/null; rm -f hidden_effect'";
const TRACE: &str = include_str!("../../../data/corpus/hidden_trace.sql");
