//! SQL through tokio-postgres, for tests that need no bytes.

use std::thread;

use tokio_postgres::error::DbError;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::{ADMIN, Stack, until};

/// Opens a connection; its task ends with the client.
pub async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// The same, where it has to succeed.
pub async fn connected(url: &str) -> Client {
    connect(url).await.expect("a connection")
}

/// The rows of all statements of one Query message as text, NULL as `NULL`.
pub async fn rows(client: &Client, sql: &str) -> Vec<Vec<String>> {
    let answer = client.simple_query(sql).await;
    let messages = answer.unwrap_or_else(|error| panic!("{error:?} at {sql}"));
    let rows = rows_of(&messages).into_iter();
    rows.map(|row| {
        row.into_iter()
            .map(|field| field.unwrap_or("NULL".to_owned()))
            .collect()
    })
    .collect()
}

/// The rows of an answer as text; none for NULL.
pub fn rows_of(messages: &[SimpleQueryMessage]) -> Vec<Vec<Option<String>>> {
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    rows.map(|row| {
        (0..row.len())
            .map(|at| row.get(at).map(str::to_owned))
            .collect()
    })
    .collect()
}

/// The error that one Query message is answered with.
pub async fn refusal(client: &Client, sql: &str) -> DbError {
    let error = client
        .simple_query(sql)
        .await
        .expect_err("this must not run");
    error
        .as_db_error()
        .expect("an error of the server, not of the connection")
        .clone()
}

/// Runs statements on a connection of their own, each in a message of its own, from any test.
pub fn run_blocking(url: &str, statements: &[&str]) {
    block_on(async {
        let client = connect(url).await.expect("a direct connection");
        for statement in statements {
            client.batch_execute(statement).await.expect(statement);
        }
    });
}

/// Runs something async to its end, also from a test that is async itself.
pub fn block_on<F: Future<Output: Send> + Send>(work: F) -> F::Output {
    // A runtime cannot be started inside of another one, so it gets a thread.
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(work)
        });
        worker.join().expect("the work does not panic")
    })
}

/// Runs something that blocks from an async test.
pub fn blocking<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(work).join().expect("the work does not panic"))
}

/// Waits until just so many statements of clients run in the database of a stack.
#[track_caller]
pub fn assert_running(stack: &Stack, statements: i64) {
    let asked = format!("SELECT count(*) {RUNNING}");
    let met = until(|| {
        let running: i64 = block_on(async {
            let client = stack.direct(ADMIN).await;
            client.query_one(&asked, &[]).await.unwrap().get(0)
        });
        (running == statements).then_some(())
    });
    assert!(met.is_some(), "{statements} should run");
}

/// Later sessions of the database do not compile expressions: a cancel that comes while Postgres
/// does is lost, whoever sends it (seen on 15).
pub const WITHOUT_JIT: &str = "DO $$ BEGIN \
    EXECUTE format('ALTER DATABASE %I SET jit = off', current_database()); END $$";

/// Cancels the statements that run in the database of a stack.
pub fn cancel_running(stack: &Stack) {
    stack.prepare(&[&format!("SELECT pg_cancel_backend(pid) {RUNNING}")]);
}

const RUNNING: &str = "FROM pg_stat_activity WHERE datname = current_database() \
    AND backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid()";
