//! What only stands beside hidden effects passes, and so does everything that is asked every day.

use crate::gate::effects::cases::{
    ANALYTICS, CATALOGS, CLIENTS, Case, EXTENSIONS, HARMLESS, PSQL, READS, cases,
};
use crate::gate::effects::judge::{Judge, Outcome, assert_none, complaint};
use crate::gate::effects::refused::present;
use crate::gate::effects::servers::{Database, Server, block_on, servers};
use crate::gate::effects::variations;
use crate::support::sql::connected;

#[test]
fn what_stands_beside_hidden_effects_passes() {
    for server in servers() {
        let all = cases("hidden_harmless", HARMLESS, server.major);
        assert!(all.len() >= 60);
        let all = present(&server.hidden, all);
        check("harmless", server, &server.hidden, &all);
    }
}

#[test]
fn what_stands_beside_hidden_effects_passes_in_every_wrapping() {
    for server in servers() {
        let all = cases("hidden_harmless", HARMLESS, server.major);
        let all = present(&server.hidden, all);
        let all: Vec<Case> = all.iter().flat_map(variations::all).collect();
        check("harmless variations", server, &server.hidden, &all);
    }
}

#[test]
fn everyday_analytics_pass() {
    for server in servers() {
        assert!(ANALYTICS.matches("----\n").count() >= 500);
        let all = cases("analytics", ANALYTICS, server.major);
        check("analytics", server, &server.shop, &all);
    }
}

#[test]
fn what_extensions_are_for_passes() {
    for server in servers() {
        let all = cases("extensions", EXTENSIONS, server.major);
        let all = present(&server.extensions, all);
        check("extensions", server, &server.extensions, &all);
    }
}

/// Also where names are marked: beside hidden effects.
#[test]
fn what_clients_and_tools_ask_passes() {
    for server in servers() {
        for (file, corpus) in [
            ("reads", READS),
            ("clients", CLIENTS),
            ("psql", PSQL),
            ("catalogs", CATALOGS),
        ] {
            // What psql sends depends on the version, and is a question to each.
            let asked = if file == "psql" { 15 } else { server.major };
            let all = cases(file, corpus, asked);
            check(file, server, &server.corpus, &all);
            // Nothing in it names a table of the corpora.
            if file == "psql" {
                check(file, server, &server.hidden, &all);
            }
        }
    }
}

#[test]
fn system_views_can_be_read() {
    for server in servers() {
        let views = block_on(system_views(&server.corpus));
        let mut refused = Vec::new();
        for database in [&server.corpus, &server.hidden] {
            let judge = Judge::of(database, "agent", server.major);
            for view in &views {
                let outcome = judge.judge(&format!("SELECT * FROM {view}"));
                if outcome != Outcome::Permitted && !refused.contains(view) {
                    refused.push(view.clone());
                }
            }
        }
        let count = views.len() - refused.len();
        println!("Postgres {}: {count} system relations pass", server.major);
        assert!(count > 180);
        let unexpected = refused
            .iter()
            .filter(|view| !REFUSED_SYSTEM_VIEWS.contains(&view.as_str()));
        assert_eq!(
            unexpected.collect::<Vec<_>>(),
            [""; 0],
            "on {}",
            server.major
        );
    }
}

async fn system_views(database: &Database) -> Vec<String> {
    let client = connected(&database.url).await;
    let rows = client.query(SYSTEM_VIEWS, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn check(what: &str, server: &Server, database: &Database, all: &[Case]) {
    let mut wrong = Vec::new();
    for policy in ["agent", "bi"] {
        let judge = Judge::of(database, policy, server.major);
        wrong.extend(all.iter().filter_map(|case| refused(&judge, case)));
    }
    let strict = all.iter().filter(|case| case.strict).count();
    println!(
        "Postgres {}: {} {what} pass, {strict} may not",
        server.major,
        all.len() - strict
    );
    assert_none(&wrong);
}

fn refused(judge: &Judge, case: &Case) -> Option<String> {
    let belongs = case
        .policy
        .as_deref()
        .is_none_or(|policy| policy == judge.policy);
    let outcome = judge.judge(&case.text);
    let right = match &outcome {
        Outcome::Permitted => !case.clamped,
        Outcome::Clamped => case.clamped,
        Outcome::Refused(..) => !belongs || case.strict,
    };
    (!right).then(|| complaint(case, judge, &outcome))
}

/// Every relation that came with the server and can be read.
const SYSTEM_VIEWS: &str = "SELECT format('%I.%I', n.nspname, c.relname)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname IN ('pg_catalog', 'information_schema')
   AND c.relkind IN ('r', 'v') AND c.oid < 16384
 ORDER BY 1";

/// System views whose functions the gate refuses: they read files of the server, or what is for
/// superusers.
const REFUSED_SYSTEM_VIEWS: [&str; 5] = [
    "pg_catalog.pg_file_settings",
    "pg_catalog.pg_hba_file_rules",
    "pg_catalog.pg_ident_file_mappings",
    "pg_catalog.pg_replication_origin_status",
    "pg_catalog.pg_shmem_allocations_numa",
];
