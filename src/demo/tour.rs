//! The tour: three reads that are answered, one that would have failed, and five things that are
//! refused, through pgsieve, over the simple and the extended protocol. Its statements are ours, so
//! they may be shown.
//!
//! A read that is refused or another that is not ends the demo with an error.

use std::io::Write;

use tokio_postgres::error::DbError;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::server_notices::ServerNotices;
use super::text_table::table;
use super::{DemoError, write_text};

/// One thing that the tour shows.
#[derive(Debug)]
pub struct TourStep {
    title: &'static str,
    sql: &'static str,
    expected: ExpectedOutcome,
}

/// How a step must come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedOutcome {
    /// Rows, asked for with a Query message.
    Rows,
    /// Rows, asked for with a prepared statement and one parameter; all columns are text.
    PreparedRows(&'static str),
    /// An error made by pgsieve.
    Refusal,
    /// Rows of another text than was sent, and a notice of pgsieve's about it.
    RepairedRows,
}

/// Steps for the sample database.
pub fn of_the_shop() -> Vec<TourStep> {
    use ExpectedOutcome::{PreparedRows, Refusal, Rows};
    let steps = [
        ("Revenue by month", Rows, REVENUE),
        (
            "Best sellers, from a table with a space in its name",
            Rows,
            BEST_SELLERS,
        ),
        (
            "Orders of German-speaking customers, prepared and with a parameter",
            PreparedRows("de"),
            BY_LANGUAGE,
        ),
        (
            "A plain write",
            Refusal,
            "DELETE FROM orders WHERE placed_at < '2024-01-01'",
        ),
        (
            "A write inside of a SELECT",
            Refusal,
            "WITH gone AS (DELETE FROM payments RETURNING amount)\nSELECT sum(amount) FROM gone",
        ),
        (
            "A function with effects, which even a read-only transaction would run",
            Refusal,
            "SELECT id, pg_advisory_lock(id) FROM customers LIMIT 3",
        ),
        (
            "A view that hides such a function: nothing in the statement shows it",
            Refusal,
            "SELECT name, email FROM call_list ORDER BY last_order LIMIT 3",
        ),
        (
            "A setting that would leave triggers and rules out",
            Refusal,
            "SET session_replication_role = replica",
        ),
    ];
    steps
        .map(|(title, expected, sql)| TourStep {
            title,
            sql,
            expected,
        })
        .into()
}

/// The step of the sample database that only a policy with repairs has an answer to.
pub fn of_repairs() -> TourStep {
    TourStep {
        title: "A read that fails in Postgres: nobody quoted the names in mixed case",
        sql: OF_EVENTS,
        expected: ExpectedOutcome::RepairedRows,
    }
}

/// Steps that any database has an answer to, and that would do no harm in it even if pgsieve let
/// them through: the tables they would write to are not there.
pub fn of_any_database() -> Vec<TourStep> {
    use ExpectedOutcome::{PreparedRows, Refusal, Rows};
    let steps = [
        (
            "Who and where",
            Rows,
            "SELECT current_user, current_database() AS database, version()",
        ),
        ("Largest tables", Rows, LARGEST_TABLES),
        (
            "A setting, prepared and with a parameter",
            PreparedRows("transaction_read_only"),
            A_SETTING,
        ),
        (
            "A plain write",
            Refusal,
            "DELETE FROM \"no such table of the demo\"",
        ),
        (
            "A write inside of a SELECT",
            Refusal,
            "WITH gone AS (DELETE FROM \"no such table of the demo\")\nSELECT 1",
        ),
        (
            "A function with effects, which even a read-only transaction would run",
            Refusal,
            "SELECT pg_advisory_lock(0)",
        ),
        (
            "A setting that would leave triggers and rules out",
            Refusal,
            "SET session_replication_role = replica",
        ),
    ];
    steps
        .map(|(title, expected, sql)| TourStep {
            title,
            sql,
            expected,
        })
        .into()
}

/// Takes the steps one after the other and shows what came of each.
///
/// # Errors
/// A step has another end than the tour tells, the connection ends, or the output cannot be
/// written to.
pub async fn run_steps(
    client: &Client,
    notices: &mut ServerNotices,
    steps: &[TourStep],
    out: &mut dyn Write,
) -> Result<(), DemoError> {
    for (number, step) in (1..).zip(steps) {
        write_text(
            out,
            &format!("\n  {number}. {}\n\n{}\n\n", step.title, indented(step.sql)),
        )?;
        let taken = run_step(client, notices, step).await;
        let shown = taken.map_err(|what| DemoError::Tour {
            step: step.title,
            what,
        })?;
        write_text(out, &shown)?;
    }
    write_text(out, "\n")
}

/// Whether the tables that the tour tried to write to have the rows they were loaded with.
///
/// # Errors
/// The connection ends.
pub async fn shop_is_untouched(admin: &Client) -> Result<bool, DemoError> {
    let failed = |source| DemoError::Sample { source };
    let row = admin.query_one(UNTOUCHED, &[]).await.map_err(failed)?;
    row.try_get(0).map_err(failed)
}

/// What to show for a step, or how it went wrong.
async fn run_step(
    client: &Client,
    notices: &mut ServerNotices,
    step: &TourStep,
) -> Result<String, String> {
    let answer = match step.expected {
        ExpectedOutcome::Rows | ExpectedOutcome::Refusal | ExpectedOutcome::RepairedRows => {
            simple(client, step.sql).await
        }
        ExpectedOutcome::PreparedRows(parameter) => prepared(client, step.sql, &parameter).await,
    };
    match (step.expected, answer) {
        (ExpectedOutcome::Rows | ExpectedOutcome::PreparedRows(_), Ok(shown)) => Ok(shown),
        (ExpectedOutcome::RepairedRows, Ok(shown)) => match notices.repair() {
            Some(notice) => Ok(format!("{}\n{shown}", repaired(&notice))),
            None => Err("there is no notice of a repair".to_owned()),
        },
        (ExpectedOutcome::Refusal, Err(error)) => match error.as_db_error() {
            Some(refusal) => refused(refusal),
            None => Err(error.to_string()),
        },
        (ExpectedOutcome::Refusal, Ok(_)) => Err("it was not refused".to_owned()),
        (
            ExpectedOutcome::Rows
            | ExpectedOutcome::PreparedRows(_)
            | ExpectedOutcome::RepairedRows,
            Err(error),
        ) => Err(error
            .as_db_error()
            .map_or_else(|| error.to_string(), ToString::to_string)),
    }
}

/// Asks with a Query message, and shows the answer as a table.
///
/// # Errors
/// The statement fails, or the connection ends.
pub async fn simple(client: &Client, sql: &str) -> Result<String, tokio_postgres::Error> {
    let mut columns = Vec::new();
    let mut rows = Vec::new();
    for message in client.simple_query(sql).await? {
        match message {
            SimpleQueryMessage::RowDescription(described) => {
                columns = described
                    .iter()
                    .map(|column| column.name().to_owned())
                    .collect();
            }
            SimpleQueryMessage::Row(row) => {
                let values = (0..row.len()).map(|at| row.try_get(at));
                let values: Result<Vec<Option<&str>>, _> = values.collect();
                rows.push(
                    values?
                        .into_iter()
                        .map(|value| value.unwrap_or("∅").to_owned())
                        .collect(),
                );
            }
            // Command tags.
            _ => {}
        }
    }
    Ok(table(&columns, &rows))
}

async fn prepared(
    client: &Client,
    sql: &str,
    parameter: &(dyn ToSql + Sync),
) -> Result<String, tokio_postgres::Error> {
    let statement = client.prepare(sql).await?;
    let columns: Vec<String> = statement
        .columns()
        .iter()
        .map(|column| column.name().to_owned())
        .collect();
    let mut rows = Vec::new();
    for row in client.query(&statement, &[parameter]).await? {
        let values: Result<Vec<String>, _> = (0..row.len()).map(|at| row.try_get(at)).collect();
        rows.push(values?);
    }
    Ok(table(&columns, &rows))
}

/// The refusal as a client sees it. Only pgsieve gives a hint to each of these.
fn refused(refusal: &DbError) -> Result<String, String> {
    let hint = refusal
        .hint()
        .ok_or_else(|| format!("refused by the database: {refusal}"))?;
    let mut text = format!("      ✗ {}  {}\n", refusal.code().code(), refusal.message());
    if let Some(detail) = refusal.detail() {
        text.push_str(&format!("        DETAIL: {detail}\n"));
    }
    text.push_str(&format!("        HINT:   {hint}\n"));
    Ok(text)
}

/// A notice as a client sees it.
fn repaired(notice: &DbError) -> String {
    let mut text = format!("      ✓ NOTICE: {}\n", notice.message());
    if let Some(detail) = notice.detail() {
        text.push_str(&format!("        DETAIL: {detail}\n"));
    }
    text
}

fn indented(sql: &str) -> String {
    let lines: Vec<String> = sql.lines().map(|line| format!("      {line}")).collect();
    lines.join("\n")
}

/// Steps of the shop before that of repairs.
pub const READS_FIRST: usize = 2;

const REVENUE: &str = "SELECT month, orders, revenue FROM monthly_revenue
ORDER BY month DESC LIMIT 5";

const BEST_SELLERS: &str =
    "SELECT p.name, sum(i.quantity) AS sold, round(avg(i.\"unitPrice\"), 2) AS price
FROM \"Order Items\" i JOIN products p ON p.id = i.\"productId\"
GROUP BY p.id ORDER BY sold DESC, p.id LIMIT 5";

const BY_LANGUAGE: &str = "SELECT o.status::text, count(*)::text AS orders
FROM orders o JOIN customers c ON c.id = o.customer_id
WHERE c.preferences->>'language' = $1
GROUP BY o.status ORDER BY o.status";

const OF_EVENTS: &str = "SELECT kind, count(*) AS events FROM orderEvents
WHERE happenedAt < '2024-01-01' GROUP BY kind ORDER BY events DESC";

const LARGEST_TABLES: &str = "SELECT relname AS table, reltuples::bigint AS rows,
  pg_size_pretty(pg_relation_size(oid)) AS size
FROM pg_class WHERE relkind = 'r'
ORDER BY relpages DESC, relname LIMIT 5";

const A_SETTING: &str = "SELECT name::text, setting::text FROM pg_settings WHERE name = $1";

const UNTOUCHED: &str = "SELECT (SELECT count(*) FROM shop.orders) = 12000
 AND (SELECT count(*) FROM shop.payments)
   = (SELECT count(*) FROM shop.orders WHERE status >= 'paid')
 AND NOT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory')";
