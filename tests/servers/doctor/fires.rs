//! Each check is silent in a well set-up database, speaks up when something is wrong, and is silent
//! again when the printed SQL was run. What could be read before can be read afterwards.

use std::collections::BTreeSet;

use pgsieve::demo::cluster::PrivateCluster;
use pgsieve::doctor::check;

use crate::doctor::cases::{CASES, Case, SHARED_CASES};
use crate::doctor::special;
use crate::doctor::support::{Place, VERSIONS, cluster_of, finding, fires, run, start};
use crate::support::own_cluster;

#[test]
fn every_check_has_a_case() {
    let cases = CASES.iter().map(|case| case.id);
    let covered: BTreeSet<&str> = cases.chain(special::COVERED.iter().copied()).collect();
    let all: BTreeSet<&str> = check::ALL.iter().map(|check| check.id).collect();
    assert_eq!(covered, all);
}

#[test]
fn each_fires_and_is_mended_on_13() {
    check_all(VERSIONS[0]);
}

#[test]
fn each_fires_and_is_mended_on_15() {
    check_all(VERSIONS[1]);
}

#[test]
fn each_fires_and_is_mended_on_18() {
    check_all(VERSIONS[2]);
}

#[test]
fn what_everybody_has_in_the_whole_server_fires_and_is_mended() {
    for version in [15, 18] {
        let Some(cluster) = start(version, own_cluster()) else {
            continue;
        };
        // Never dropped: its supervisor sees this process end.
        let cluster: &'static PrivateCluster = Box::leak(Box::new(cluster));
        for case in SHARED_CASES.iter().filter(|case| case.since <= version) {
            run(async {
                let place = Place::new(cluster).await;
                assert!(!fires(&place.examine().await, case.id));
                check_case(&place, case).await;
            });
        }
    }
}

#[test]
fn a_neighbour_that_is_being_made_is_not_seen() {
    let Some(cluster) = cluster_of(15) else {
        return;
    };
    let place = run(Place::new(cluster));
    std::thread::scope(|scope| {
        let makers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..5 {
                        run(Place::new(cluster));
                    }
                })
            })
            .collect();
        // Bounded by the making.
        while makers.iter().any(|maker| !maker.is_finished()) {
            let found = run(place.examine());
            let seen = &finding(&found, "other_databases").names;
            assert!(seen.is_empty(), "{seen:?}");
        }
    });
}

/// The newest has all cases, the others have every other one.
fn check_all(version: u32) {
    let Some(cluster) = cluster_of(version) else {
        return;
    };
    let before = run(async { Place::new(cluster).await.examine().await });
    let newest = VERSIONS.into_iter().max() == Some(version);
    for (number, case) in CASES.iter().enumerate() {
        let id = case.id;
        if case.since > version {
            continue;
        }
        assert!(!fires(&before, id), "{id} fires for nothing on {version}");
        if !newest && number % 2 != usize::from(version == VERSIONS[0]) {
            continue;
        }
        run(async {
            let place = Place::new(cluster).await;
            check_case(&place, case).await;
        });
    }
}

async fn check_case(place: &Place, case: &Case) {
    let (id, version) = (case.id, place.cluster.version());
    place.make(case.sql).await;
    let found = place.examine().await;
    let told = finding(&found, id);
    assert!(
        fires(&found, id),
        "{id} is silent on {version}: {}",
        case.sql
    );
    let readable = place.rows(READABLE).await;
    assert!(readable.len() >= 3, "{readable:?}");
    let statements: Vec<&str> = found.script.statements().collect();
    place.run_all(statements.iter().copied()).await;
    let reader = found.script.new_role.as_ref().unwrap_or(&place.role);
    if found.script.new_role.is_some() {
        let text = format!("ALTER ROLE \"{reader}\" PASSWORD '{reader}'");
        place.make(&text).await;
    }
    let after = place.examine_as(reader, reader).await;
    for finding in found
        .findings
        .iter()
        .filter(|f| found.script.fixes_anything(f))
    {
        let mended = !fires(&after, finding.check.id);
        let (other, sql) = (finding.check.id, case.sql);
        assert!(
            mended,
            "{other} is not mended on {version} after {sql}: {statements:#?}"
        );
    }
    assert_eq!(
        found.script.fixes_anything(told),
        !fires(&after, id),
        "{id} on {version}: {}",
        case.sql
    );
    let text = READABLE.replace("{r_text}", reader);
    let still: BTreeSet<_> = place.rows(&text).await.into_iter().collect();
    for relation in readable {
        assert!(
            still.contains(&relation),
            "{relation:?} was readable on {version} before {statements:#?}"
        );
    }
    if found.script.new_role.is_some() {
        place
            .make(&format!(
                "DROP OWNED BY \"{reader}\"; DROP ROLE \"{reader}\""
            ))
            .await;
    }
}

/// Every relation and column that the role can read.
const READABLE: &str = "SELECT c.oid::regclass, a.attname FROM pg_class c \
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'v', 'f', 'S') \
      AND has_schema_privilege('{r_text}', c.relnamespace, 'USAGE') \
      AND has_column_privilege('{r_text}', c.oid, a.attnum, 'SELECT') ORDER BY 1, 2";
