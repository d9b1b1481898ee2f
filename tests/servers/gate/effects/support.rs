//! Support functions: what a server runs unasked, of which the statement shows nothing. Each family
//! really leaves its trace when it is asked past pgsieve, is refused, and what stands beside it
//! passes. Together they cover every line of `references.tsv` that says "followed".

use std::collections::BTreeSet;
use std::sync::Arc;

use pgsieve::catalog::Catalog;
use pgsieve::upstream::snapshot;
use tokio_postgres::Client;

use crate::gate::effects::judge::{Judge, Outcome, assert_none};
use crate::gate::effects::servers::{Server, block_on, servers};
use crate::gate::effects::support_function_families::FAMILIES;
use crate::support::sql::connected;

/// What is made, what it is run by and what not.
pub struct Family {
    /// What it is about: the file of `tests/data/schemas/names` with what a superuser makes in a
    /// database of its own.
    pub name: &'static str,
    /// The columns of `references.tsv` that are proved by it.
    pub covers: &'static [&'static str],
    /// What is set before each statement, when it is run past pgsieve.
    pub before: &'static str,
    /// What leaves a trace, and must be refused; from which version on.
    pub statements: &'static [(u16, &'static str)],
    /// What passes.
    pub harmless: &'static [&'static str],
}

#[test]
fn what_is_run_unasked_leaves_its_trace_and_is_refused() {
    for server in servers() {
        let mut wrong = Vec::new();
        for family in FAMILIES {
            wrong.extend(block_on(check(family, server)));
        }
        assert_none(&wrong);
    }
}

#[test]
fn every_reference_that_is_followed_is_proved() {
    let proved: BTreeSet<&str> = FAMILIES
        .iter()
        .flat_map(|family| family.covers)
        .copied()
        .collect();
    let elsewhere: BTreeSet<&str> = ELSEWHERE.iter().copied().collect();
    let lines = REFERENCES.lines().filter(|line| !line.starts_with('#'));
    let fields = lines.map(|line| line.split('\t').collect::<Vec<_>>());
    let followed: BTreeSet<&str> = fields
        .filter(|fields| fields[2] == "followed")
        .map(|fields| fields[0])
        .collect();
    let all: BTreeSet<&str> = proved.union(&elsewhere).copied().collect();
    assert_eq!(all, followed);
    assert!(proved.is_disjoint(&elsewhere));
}

async fn check(family: &Family, server: &Server) -> Vec<String> {
    let admin = connected(&server.shop.url).await;
    let name = format!("support_{}", family.name);
    let create = format!("CREATE DATABASE {name} TEMPLATE template0");
    admin.batch_execute(&create).await.unwrap();
    let url = server.shop.url.replace("/shop", &format!("/{name}"));
    assert!(url != server.shop.url, "{url}");
    let client = connected(&url).await;
    let schema = format!(
        "{}/tests/data/schemas/names/{}.sql",
        env!("CARGO_MANIFEST_DIR"),
        family.name
    );
    let schema = std::fs::read_to_string(schema).unwrap();
    let made = client.batch_execute(&schema).await;
    made.unwrap_or_else(|error| panic!("{} on {}: {error:?}", family.name, server.major));
    // Making it may have left traces.
    client.batch_execute(UNLOCK).await.unwrap();
    let mut wrong = traces(family, server, &url).await;
    let rows = snapshot::load(&connected(&url).await).await.unwrap();
    let catalog = Arc::new(Catalog::build(rows).unwrap());
    for policy in ["agent", "bi"] {
        let judge = Judge::seeing(&catalog, &server.shop, policy, server.major);
        let about = |text: &str, outcome: Outcome| {
            format!("{} on {}: {outcome:?}: {text}", family.name, server.major)
        };
        for (since, statement) in family.statements {
            let outcome = judge.judge(statement);
            if server.major >= *since && !matches!(outcome, Outcome::Refused(..)) {
                wrong.push(about(statement, outcome));
            }
        }
        for statement in family.harmless {
            let outcome = judge.judge(statement);
            if outcome != Outcome::Permitted {
                wrong.push(about(statement, outcome));
            }
        }
    }
    wrong
}

/// What runs past pgsieve without a trace, or leaves one though it is harmless.
async fn traces(family: &Family, server: &Server, url: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let attacks = family
        .statements
        .iter()
        .filter(|(since, _)| server.major >= *since);
    let attacks = attacks.map(|(_, text)| (*text, true));
    let harmless = family.harmless.iter().map(|text| (*text, false));
    for (statement, expected) in attacks.chain(harmless) {
        // A session remembers what it has run already.
        let client = &connected(url).await;
        let begin = format!("SELECT pg_advisory_lock(99); BEGIN; {}", family.before);
        client.batch_execute(&begin).await.unwrap();
        let outcome = client.simple_query(statement).await;
        // Handlers that are not what they should be end in an error, and have run by then.
        let snapshots = match outcome {
            Ok(_) => number(client, SNAPSHOTS).await,
            Err(_) => 0,
        };
        client.batch_execute("ROLLBACK").await.unwrap();
        let seen = snapshots > 0 || number(client, LOCKS).await != 1;
        if seen != expected {
            let failed = outcome.err();
            wrong.push(format!(
                "{} on {}: trace {seen}: {statement} {failed:?}",
                family.name, server.major
            ));
        }
        client.batch_execute(UNLOCK).await.unwrap();
    }
    wrong
}

async fn number(client: &Client, text: &str) -> i64 {
    client.query_one(text, &[]).await.unwrap().get(0)
}

const UNLOCK: &str = "SELECT pg_advisory_unlock_all()";

/// The locks that this session holds: one of its own, before anything has run.
const LOCKS: &str = "SELECT count(*) FROM pg_locks
 WHERE locktype = 'advisory' AND pid = pg_backend_pid()";

/// The snapshots that this session has exported, whatever a copy beside it does.
const SNAPSHOTS: &str = "SELECT count(*) FROM pg_ls_dir('pg_snapshots') AS f WHERE f LIKE
  (SELECT upper(lpad(to_hex(split_part(virtualtransaction, '/', 1)::int8), 8, '0')) || '-%'
     FROM pg_locks WHERE pid = pg_backend_pid() LIMIT 1)";

/// What the cases of `hidden.sql`, of `classes` and of `tests/servers/gate/stored_queries` prove.
const ELSEWHERE: &[&str] = &[
    "pg_aggregate.aggcombinefn",
    "pg_aggregate.aggdeserialfn",
    "pg_aggregate.aggfinalfn",
    "pg_aggregate.aggfnoid",
    "pg_aggregate.aggmfinalfn",
    "pg_aggregate.aggminvtransfn",
    "pg_aggregate.aggmtransfn",
    "pg_aggregate.aggserialfn",
    "pg_aggregate.aggsortop",
    "pg_aggregate.aggtransfn",
    "pg_attrdef.adbin",
    "pg_cast.castfunc",
    "pg_constraint.conbin",
    "pg_index.indexprs",
    "pg_index.indpred",
    "pg_operator.oprcode",
    "pg_partitioned_table.partexprs",
    "pg_policy.polqual",
    "pg_proc.proargdefaults",
    "pg_proc.prosqlbody",
    "pg_range.rngcanonical",
    "pg_range.rngsubdiff",
    "pg_range.rngsubopc",
    "pg_rewrite.ev_action",
    "pg_statistic_ext.stxexprs",
    "pg_transform.trffromsql",
    "pg_transform.trflang",
    "pg_transform.trftosql",
    "pg_type.typinput",
    "pg_type.typmodin",
    "pg_type.typreceive",
    "pg_type.typsend",
    "pg_type.typsubscript",
];

const REFERENCES: &str = include_str!("../../../../src/gate/effects/graph/references.tsv");
