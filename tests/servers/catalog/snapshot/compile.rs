//! The connections on which changed texts are compiled: what the server says of a text, in the
//! session's own search_path, with nothing executed.

use std::borrow::Cow;
use std::sync::Arc;

use pgsieve::gate::{Gate, ParameterTypes, SessionNames, Verdict};
use pgsieve::policy::Policy;
use pgsieve::repair::{CompileError, StatementCompiler};
use pgsieve::secret::Secret;
use pgsieve::upstream::address::UpstreamSettings;
use pgsieve::upstream::compile_pool::{CompilePool, CompilePools, CompileRun};
use pgsieve::upstream::connect::Upstream;
use pgsieve::upstream::snapshot::UpstreamAccount;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::catalog::snapshot::support::{Database, READER, number};
use crate::support::sql::rows;

#[tokio::test]
async fn what_the_server_says_of_a_text_is_told() {
    for version in [13, 15, 18] {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let side = side(&database, READER, READER);
        for (text, types, wanted) in [
            ("SELECT 1", vec![], "runs"),
            ("SHOW search_path", vec![], "runs"),
            ("SELECT 1/0", vec![], "runs"),
            (
                "SELECT nam FROM pg_class",
                vec![],
                "42703 column \"nam\" does not exist | - | 8",
            ),
            (
                "SELECT 'é', relnames FROM pg_class",
                vec![],
                "42703 column \"relnames\" does not exist | Perhaps you meant to reference the \
                 column \"pg_class.relname\". | 13",
            ),
            (
                "SELECT 1 FROM nowhere",
                vec![],
                "42P01 relation \"nowhere\" does not exist | - | 15",
            ),
            // As the client says, or as the server finds.
            ("SELECT $1 + 1", vec![], "runs"),
            ("SELECT $1 + 1", vec![0], "runs"),
            ("SELECT $1 + 1", vec![23], "runs"),
            (
                "SELECT $1 + 1",
                vec![16],
                "42883 operator does not exist: boolean + integer | No operator matches the \
                 given name and argument types. You might need to add explicit type casts. | 11",
            ),
        ] {
            let said = compile(side.run(PUBLIC), text, &types).await;
            assert_eq!(said, wanted, "{text} {types:?} on {version}");
        }
        let unknown =
            spawn_blocking(move || ask(side.run(PUBLIC), "SELECT 1", ParameterTypes::Unknown));
        assert_eq!(unknown.await.unwrap(), "unavailable");
    }
}

#[tokio::test]
async fn names_are_looked_up_where_the_session_looks() {
    let Some(database) = Database::new(15).await else {
        return;
    };
    let admin = database.admin().await;
    let odd = "Odd \"schema\", it's\\";
    let script = "CREATE SCHEMA \"Odd \"\"schema\"\", it's\\\"; \
         CREATE SCHEMA reader; \
         CREATE TABLE \"Odd \"\"schema\"\", it's\\\".odd (a int); \
         CREATE TABLE reader.own (a int); \
         CREATE TABLE public.usual (a int); \
         GRANT USAGE ON SCHEMA reader, \"Odd \"\"schema\"\", it's\\\" TO reader";
    admin.batch_execute(script).await.unwrap();
    let side = side(&database, READER, READER);
    let (found, absent) = ("runs", "42P01");
    for (path, usual, own, in_odd) in [
        (vec!["public"], found, absent, absent),
        (vec!["$user", "public"], found, found, absent),
        (vec![odd], absent, absent, found),
        (vec![odd, "nowhere", "$user"], absent, found, found),
        (vec![], absent, absent, absent),
        (vec![""], absent, absent, absent),
        (vec!["PUBLIC", "public, reader"], absent, absent, absent),
    ] {
        for (table, wanted) in [("usual", usual), ("own", own), ("odd", in_odd)] {
            let said = compile(side.run(&path), &format!("SELECT a FROM {table}"), &[]).await;
            assert!(said.starts_with(wanted), "{table} in {path:?}: {said}");
        }
    }
    // All that over one connection, which shows what it is for.
    let own = "SELECT count(*) FROM pg_stat_activity \
        WHERE datname = current_database() AND application_name = 'pgsieve repair'";
    assert_eq!(number(&admin, own).await, 1);
}

#[tokio::test]
async fn a_lost_connection_is_replaced_once() {
    let Some(database) = Database::new(15).await else {
        return;
    };
    let admin = database.admin().await;
    let role = "CREATE ROLE lost LOGIN PASSWORD 'lost'";
    admin.batch_execute(role).await.unwrap();
    let side = side(&database, "lost", "lost");
    assert_eq!(compile(side.run(PUBLIC), "SELECT 1", &[]).await, "runs");
    rows(&admin, END).await;
    assert_eq!(compile(side.run(PUBLIC), "SELECT 1", &[]).await, "runs");
    // Nobody is let in any more: the repair ends, and the next one is not long about it.
    admin
        .batch_execute("ALTER ROLE lost NOLOGIN")
        .await
        .unwrap();
    rows(&admin, END).await;
    let said = compile(side.run(PUBLIC), "SELECT 1", &[]).await;
    admin.batch_execute("ALTER ROLE lost LOGIN").await.unwrap();
    assert_eq!(said, "unavailable");
    assert_eq!(
        compile(side.run(PUBLIC), "SELECT 1", &[]).await,
        "unavailable"
    );
    tokio::time::sleep(pgsieve::limits::COMPILE_RETRY_PAUSE).await;
    assert_eq!(compile(side.run(PUBLIC), "SELECT 1", &[]).await, "runs");
}

#[tokio::test]
async fn a_repair_waits_for_its_turn_and_not_for_ever() {
    let Some(database) = Database::new(15).await else {
        return;
    };
    let side = side(&database, READER, READER);
    let most = pgsieve::limits::COMPILE_CONNECTIONS_OF_ACCOUNT_MAX;
    let mut busy = Vec::new();
    for _ in 0..most {
        let side = side.clone();
        let held = spawn_blocking(move || {
            let mut run = side.run(PUBLIC);
            assert_eq!(
                said(&mut run, "SELECT 1", ParameterTypes::none_given()),
                "runs"
            );
            run
        });
        busy.push(held.await.unwrap());
    }
    assert_eq!(
        compile(side.run(PUBLIC), "SELECT 1", &[]).await,
        "unavailable"
    );
    let waiting = tokio::spawn(compile(side.run(PUBLIC), "SELECT 1", &[]));
    tokio::time::sleep(pgsieve::limits::COMPILE_WAIT_MAX / 5).await;
    drop(busy.pop());
    assert_eq!(waiting.await.unwrap(), "runs");
}

#[tokio::test]
async fn who_is_not_let_in_compiles_nothing() {
    let Some(database) = Database::new(15).await else {
        return;
    };
    let side = side(&database, READER, "hunter2");
    assert_eq!(
        compile(side.run(PUBLIC), "SELECT 1", &[]).await,
        "unavailable"
    );
    assert!(!format!("{side:?} {:?}", side.run(PUBLIC)).contains("hunter2"));
}

/// The compile connections of a role, with that password.
fn side(database: &Database, user: &str, password: &str) -> CompilePool {
    let port = database.cluster.port();
    let address = format!("postgres://127.0.0.1:{port}/?sslmode=disable");
    let upstream = Upstream::load(UpstreamSettings::parse(&address).unwrap()).unwrap();
    let account = UpstreamAccount {
        user: user.to_owned(),
        secret: Some(Secret::new(password).into()),
    };
    let way = (None, &Arc::new(upstream));
    CompilePools::new(Handle::current()).of(&database.name, &account, way)
}

async fn compile(run: CompileRun, text: &str, types: &[u32]) -> String {
    let parameters = ParameterTypes::given(types.iter().copied());
    let text = text.to_owned();
    let asked = spawn_blocking(move || ask(run, &text, parameters));
    asked.await.unwrap()
}

fn ask(mut run: CompileRun, text: &str, parameters: ParameterTypes) -> String {
    said(&mut run, text, parameters)
}

fn said(run: &mut CompileRun, text: &str, parameters: ParameterTypes) -> String {
    let gate = Gate::without_fingerprints(Arc::new(Policy::bi()));
    let names = SessionNames::of_no_database();
    let judgement = gate.judge(Cow::Borrowed(text), &names);
    let Verdict::Permitted(permit) = judgement.verdict else {
        panic!("{text} is not permitted")
    };
    match run.compile(&permit, &parameters) {
        Ok(()) => "runs".to_owned(),
        Err(CompileError::Unavailable) => "unavailable".to_owned(),
        Err(CompileError::Failed {
            sqlstate,
            message,
            hint,
            position,
        }) => {
            let hint = hint.unwrap_or_else(|| "-".to_owned());
            let position = position.map_or("-".to_owned(), |at| at.to_string());
            format!("{sqlstate} {message} | {hint} | {position}")
        }
    }
}

const PUBLIC: &[&str] = &["public"];

const END: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
    WHERE datname = current_database() AND usename = 'lost'";
