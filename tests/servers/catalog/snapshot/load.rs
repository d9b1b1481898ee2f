//! What is read is what the server has.

use std::time::{Duration, Instant};

use pgsieve::upstream::snapshot;

use crate::catalog::snapshot::support::{Database, VERSIONS, number};

#[tokio::test]
async fn an_empty_database_of_each_version_is_read_whole() {
    for version in VERSIONS {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let (client, admin) = (database.catalog().await, database.admin().await);
        let since = std::time::Instant::now();
        let rows = snapshot::load(&client).await.unwrap();
        println!("{version}: {:?}", since.elapsed());
        assert_eq!(u32::from(rows.server_major), version);
        for (table, count) in [
            ("pg_namespace", rows.schemas.len()),
            ("pg_proc", rows.functions.len()),
            ("pg_operator", rows.operators.len()),
            ("pg_cast", rows.casts.len()),
        ] {
            let text = format!("SELECT count(*) FROM {table}");
            assert_eq!(number(&admin, &text).await, count, "{table} of {version}");
        }
    }
}

/// The bound is generous, for debug builds on busy machines; the figure is the benchmark's.
#[tokio::test]
async fn forty_thousand_columns_are_read_quickly() {
    let Some(database) = Database::alone(15).await else {
        return;
    };
    let (admin, client) = (database.admin().await, database.catalog().await);
    for statement in include_str!("../../../data/schemas/snapshot/large.sql").split("\n\n") {
        admin.batch_execute(statement).await.unwrap();
    }
    for _ in 0..3 {
        let since = Instant::now();
        let marker = snapshot::marker(&client).await.unwrap();
        println!("marker: {:?}", since.elapsed());
        let since = Instant::now();
        let rows = snapshot::load(&client).await.unwrap();
        let taken = since.elapsed();
        println!("load: {taken:?}, {} columns", rows.columns.len());
        assert!(rows.columns.len() > 40_000);
        assert!(taken < Duration::from_secs(5), "{taken:?}");
        let since = Instant::now();
        assert_eq!(marker.again(&client).await.unwrap(), marker);
        println!("again: {:?}", since.elapsed());
    }
}
