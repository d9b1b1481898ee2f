//! The sample and the tour against a real Postgres, without pgsieve in between. The demo as a whole
//! is run by the integration tests.

use tokio_postgres::NoTls;

use super::*;

#[tokio::test]
async fn the_shop_loads_and_the_reads_of_the_tour_find_something() {
    let mut out = Vec::new();
    let shop = PrivateShop::start(ShopServers::Primary, &mut out).await;
    let shop = shop.unwrap();
    let admin = shop.admin().await.unwrap();
    assert!(tour::shop_is_untouched(&admin).await.unwrap());
    let (client, connection) = tokio_postgres::connect(&shop.url(), NoTls).await.unwrap();
    let mut notices = server_notices::ServerNotices::of(connection);
    for steps in [tour::of_the_shop(), tour::of_any_database()] {
        let reads: Vec<_> = steps.into_iter().take(3).collect();
        tour::run_steps(&client, &mut notices, &reads, &mut out)
            .await
            .unwrap();
    }
    let shown = String::from_utf8(out).unwrap();
    assert!(shown.contains("delivered"), "{shown}");
    let rows =
        "SELECT sum(reltuples)::bigint FROM pg_class WHERE relnamespace = 'shop'::regnamespace
                AND relkind = 'r'";
    let rows: i64 = admin.query_one(rows, &[]).await.unwrap().get(0);
    assert!(rows > 50_000, "{rows}");
}

/// A tour that took a write for a refusal would be worth nothing.
#[tokio::test]
async fn a_write_that_is_not_refused_ends_the_tour() {
    let mut out = Vec::new();
    let shop = PrivateShop::start(ShopServers::Primary, &mut out).await;
    let shop = shop.unwrap();
    let (client, connection) = tokio_postgres::connect(&shop.url(), NoTls).await.unwrap();
    let mut notices = server_notices::ServerNotices::of(connection);
    let others = tour::of_the_shop().into_iter().skip(3);
    for step in others.chain([tour::of_repairs()]) {
        let walked = tour::run_steps(&client, &mut notices, &[step], &mut out).await;
        assert!(matches!(walked, Err(DemoError::Tour { .. })));
    }
    let admin = shop.admin().await.unwrap();
    assert!(!tour::shop_is_untouched(&admin).await.unwrap());
}
