//! `pgsieve mcp`, before a real server: what agents without a driver are answered.

mod clarified;
mod client;
mod conformance;
mod http;
mod http_client;
mod oauth;
mod policies;
mod protocol;
mod revisions;
mod slow_readers;
mod statements;
mod told;

use std::sync::LazyLock;

use self::client::McpClient;
use crate::support::{ADMIN, READER, shared, shared_cluster, sql};

const SCHEMA: &str = "
    CREATE SCHEMA shop;
    CREATE TABLE shop.customers (id int PRIMARY KEY, name text NOT NULL, \"joinedOn\" date);
    CREATE TABLE shop.orders (
        id int PRIMARY KEY, customer_id int NOT NULL REFERENCES shop.customers,
        total numeric(10, 2) NOT NULL, weight float8 NOT NULL, paid boolean NOT NULL);
    CREATE TABLE shop.secrets (id int, word text);
    INSERT INTO shop.customers
        SELECT n, 'name ' || n, date '2024-01-01' + n FROM generate_series(1, 40) n;
    INSERT INTO shop.orders
        SELECT n, n % 40 + 1, n, n / 4.0, n % 2 = 0 FROM generate_series(1, 400) n;
    INSERT INTO shop.secrets VALUES (1, 'canary');
    GRANT USAGE ON SCHEMA shop TO reader;
    GRANT SELECT ON shop.customers, shop.orders TO reader;
    GRANT DELETE ON shop.orders TO reader;
    REVOKE ALL ON shop.secrets FROM reader;
    ANALYZE";

/// A database of its own with that schema: its name.
fn new_database() -> String {
    let cluster = shared_cluster();
    let database = shared::new_database(cluster);
    let schema = SCHEMA.replace("reader", READER);
    let path = format!("ALTER DATABASE {database} SET search_path = shop, public");
    change(&database, &[&schema, &path]);
    database
}

/// Changes a database as its superuser.
fn change(database: &str, statements: &[&str]) {
    sql::block_on(async {
        let url = shared_cluster().url(ADMIN, ADMIN, database);
        let admin = sql::connect(&url).await.unwrap();
        for statement in statements {
            admin.batch_execute(statement).await.unwrap();
        }
    });
}

/// The database that tests share which change nothing.
fn database() -> &'static str {
    static DATABASE: LazyLock<String> = LazyLock::new(new_database);
    &DATABASE
}

/// The address of the reader there.
fn upstream(database: &str) -> String {
    shared_cluster().url(READER, READER, database)
}

/// A client of the shared database that has greeted.
fn client() -> McpClient {
    McpClient::greeted(&["--upstream", &upstream(database())])
}
