//! The sample database: a small shop of thirteen tables and some 90,000 rows, computed by SQL.
//!
//! It is only ever loaded into a cluster of our own, never into a database somebody named.

use tokio_postgres::Client;

/// The role that applications log in with.
pub const ROLE: &str = "demo";

/// Loads the shop into the empty database of a superuser's connection and lets the role [`ROLE`]
/// log in with this password, which must need no quoting. A role that is there stays as it is.
///
/// # Errors
/// The server refuses a statement, or the connection ends.
pub async fn load(admin: &Client, password: &str) -> Result<(), tokio_postgres::Error> {
    admin.batch_execute(&create_role(password)).await?;
    admin.batch_execute(include_str!("schema.sql")).await?;
    admin.batch_execute(include_str!("rows.sql")).await?;
    admin.batch_execute(include_str!("access.sql")).await
}

fn create_role(password: &str) -> String {
    format!(
        "DO $$ BEGIN
           CREATE ROLE {ROLE} LOGIN PASSWORD '{password}';
         EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
         END $$"
    )
}
