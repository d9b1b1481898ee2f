//! Each hidden effect alone: in a database where nothing else is hidden, nothing else can be the
//! reason for a refusal. A direct run tells which functions a statement really reaches; in a copy
//! of the catalog all others are harmless, and the statement must be refused all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pgsieve::catalog::Catalog;
use pgsieve::catalog::catalog_rows::CatalogRows;
use tokio_postgres::Client;

use crate::gate::effects::cases::{Case, HARMLESS, HIDDEN, cases};
use crate::gate::effects::judge::{Judge, Outcome, assert_none, complaint};
use crate::gate::effects::refused::present;
use crate::gate::effects::servers::{Database, Server, block_on, servers};
use crate::gate::effects::shown::{CLEAN, needs_a_session_of_its_own, trace, turn, until_no_lock};
use crate::support::sql::connected;

#[test]
fn each_effect_alone_is_refused() {
    let _turn = turn();
    for server in servers() {
        let all = present(&server.hidden, cases("hidden", HIDDEN, server.major));
        let groups = block_on(reached(&server.hidden, &all));
        let harmless = present(
            &server.hidden,
            cases("hidden_harmless", HARMLESS, server.major),
        );
        let mut wrong = Vec::new();
        let mut strict = BTreeSet::new();
        for (functions, cases) in &groups {
            let judge = alone(server, functions);
            for case in &harmless {
                let outcome = judge.judge(&case.text);
                if outcome != Outcome::Permitted {
                    strict.insert(&case.text);
                    if !case.strict {
                        wrong.push(complaint(case, &judge, &outcome));
                    }
                }
            }
            for case in cases {
                if judge.judge(&case.text) == Outcome::Permitted {
                    let complaint = complaint(case, &judge, &Outcome::Permitted);
                    wrong.push(format!("{complaint} with only {functions:?}"));
                }
            }
        }
        println!(
            "Postgres {}: {} effects in {} catalogs that hide nothing else; {} refused in vain",
            server.major,
            all.len(),
            groups.len(),
            strict.len()
        );
        assert!(groups.len() > 40);
        assert_none(&wrong);
    }
}

/// With nothing hidden but what built-ins do, also what is marked as strict passes.
#[test]
fn what_stands_beside_nothing_passes() {
    for server in servers() {
        let judge = alone(server, &BTreeSet::new());
        let all = cases("hidden_harmless", HARMLESS, server.major);
        let all = present(&server.hidden, all);
        let wrong: Vec<_> = all
            .iter()
            .filter_map(|case| match judge.judge(&case.text) {
                Outcome::Permitted => None,
                outcome => Some(complaint(case, &judge, &outcome)),
            })
            .collect();
        assert_none(&wrong);
    }
}

/// A judge of a catalog in which of all functions that users have made only these have effects.
fn alone(server: &Server, functions: &BTreeSet<String>) -> Judge {
    let catalog = Catalog::build(cleaned(&server.hidden.rows, functions)).unwrap();
    Judge::seeing(&Arc::new(catalog), &server.hidden, "agent", server.major)
}

fn cleaned(rows: &CatalogRows, functions: &BTreeSet<String>) -> CatalogRows {
    let mut rows = rows.clone();
    let schemas: BTreeMap<u32, String> = rows
        .schemas
        .iter()
        .map(|schema| (schema.oid, schema.name.clone()))
        .collect();
    for function in &mut rows.functions {
        let name = format!("{}.{}", schemas[&function.schema], function.name);
        // What is written in C leaves no name in its trace.
        let kept = function.extension.is_some() || functions.is_empty() && IN_C.contains(&&*name);
        if function.oid >= FIRST_OF_USERS && !kept && !functions.contains(&name) {
            function.volatility = b'i';
            function.security_definer = false;
            function.settings.clear();
        }
    }
    // Made of a built-in; where that is meant, no function of a user has been reached.
    if !functions.is_empty() {
        for data_type in &mut rows.types {
            if data_type.name == "d_lock" {
                data_type.checks.clear();
            }
        }
    }
    rows
}

/// The statements by the functions that a direct run of them reaches.
async fn reached(database: &Database, all: &[Case]) -> BTreeMap<BTreeSet<String>, Vec<Case>> {
    let mut groups: BTreeMap<_, Vec<Case>> = BTreeMap::new();
    let witness = connected(&database.url).await;
    let mut client = connected(&database.url).await;
    for case in all {
        trace(&client, database, case).await.unwrap();
        let functions = callers(&client).await;
        client.batch_execute(CLEAN).await.unwrap();
        groups.entry(functions).or_default().push(case.clone());
        if needs_a_session_of_its_own(case) {
            drop(client);
            until_no_lock(&witness).await;
            client = connected(&database.url).await;
        }
    }
    groups
}

/// The functions that have left a trace in the open transaction.
async fn callers(client: &Client) -> BTreeSet<String> {
    let asked = client.query_one("SELECT current_setting('hidden.callers', true)", &[]);
    let said: Option<String> = asked.await.unwrap().get(0);
    said.unwrap_or_default()
        .lines()
        .filter_map(|line| line.strip_prefix("PL/pgSQL function ")?.split('(').next())
        .map(qualified)
        .filter(|name| name != "hidden.trace")
        .collect()
}

/// Functions of the search_path are told without their schema.
fn qualified(name: &str) -> String {
    match name.contains('.') {
        true => name.to_owned(),
        false => format!("hidden.{name}"),
    }
}

/// The functions of types that are made of a built-in with an effect.
const IN_C: [&str; 2] = ["hidden.locking_in", "hidden.measured_typmod_in"];

/// FirstNormalObjectId.
const FIRST_OF_USERS: u32 = 16_384;
