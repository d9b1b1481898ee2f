//! The last step of the tour: a grounding is asked for, the database moves on, and whoever still
//! stands on the grounding of before is told so.

use std::io::Write;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_postgres::Client;
use tokio_postgres::error::DbError;

use super::{DemoError, write_text};
use crate::limits;

/// Shows it. The shop is as it was afterwards.
///
/// # Errors
/// pgsieve gives no grounding, or does not notice that it went stale.
pub async fn show(
    client: &Client,
    (admin, port): (&Client, u16),
    out: &mut dyn Write,
) -> Result<(), DemoError> {
    let failed = |what: String| DemoError::Tour { step: TITLE, what };
    let grounding = told(port).await.map_err(failed)?;
    let text = format!("  {TITLE}\n\n      GET {PATH}\n\n{}\n", grounding.text);
    write_text(out, &text)?;
    let set = format!("SET pgsieve.grounding = '{}'", grounding.version);
    for (asked, what) in [(client, &*set), (admin, RENAME)] {
        let done = asked.batch_execute(what).await;
        done.map_err(|error| failed(error.to_string()))?;
    }
    let shown = noticed(client).await;
    let undone = admin.batch_execute(RENAME_BACK).await;
    undone.map_err(|error| failed(error.to_string()))?;
    let text = format!(
        "      {set};\n      {RENAME};  -- by somebody else\n\n      {FAILING}\n\n{}",
        shown.map_err(failed)?
    );
    write_text(out, &text)
}

/// What came for a request.
struct ToldGrounding {
    version: String,
    /// Its first lines.
    text: String,
}

async fn told(port: u16) -> Result<ToldGrounding, String> {
    let wrong = |error: std::io::Error| error.kind().to_string();
    let stream = TcpStream::connect(("127.0.0.1", port)).await;
    let mut stream = stream.map_err(wrong)?;
    let request = format!("GET {PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.map_err(wrong)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.map_err(wrong)?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: "));
    let Some(tag) = tag.filter(|_| head.contains(" 200 ")) else {
        return Err(format!("there is no grounding: {answer}"));
    };
    let lines = body.lines().take(LINES_SHOWN);
    let mut text: String = lines.map(|line| format!("      {line}\n")).collect();
    text.push_str("      …\n");
    Ok(ToldGrounding {
        version: tag.trim_matches('"').to_owned(),
        text,
    })
}

/// The error of the statement, once pgsieve knows that the schema has changed.
async fn noticed(client: &Client) -> Result<String, String> {
    let end = Instant::now() + Duration::from_secs(limits::demo::DEMO_PROXY_SECONDS_MAX);
    loop {
        let said = match client.simple_query(FAILING).await {
            Ok(_) => "the statement did not fail".to_owned(),
            Err(error) => match error.as_db_error() {
                Some(told) if told.hint().is_some_and(|hint| hint.starts_with(STALE)) => {
                    return Ok(error_text(told));
                }
                _ => error.to_string(),
            },
        };
        if Instant::now() > end {
            return Err(said);
        }
        tokio::time::sleep(Duration::from_millis(limits::CLUSTER_POLL_MS)).await;
    }
}

fn error_text(error: &DbError) -> String {
    format!(
        "      ✗ {}  {}\n        HINT:   {}\n\n",
        error.code().code(),
        error.message(),
        error.hint().unwrap_or_default()
    )
}

/// What the step is called.
const TITLE: &str = "A prompt knows the schema, and hears when it went stale";

/// What an agent would ask for before it asks a question.
const PATH: &str = "/grounding?user=demo&facets=tables,columns\
    &question=Which+orders+were+placed+in+2024";

const RENAME: &str = "ALTER TABLE shop.orders RENAME placed_at TO ordered_at";

const RENAME_BACK: &str = "ALTER TABLE shop.orders RENAME ordered_at TO placed_at";

const FAILING: &str = "SELECT count(*) FROM orders WHERE placed_at >= '2024-01-01'";

/// How pgsieve begins to tell of it.
const STALE: &str = "Your schema is stale: renamed";

/// Lines of the grounding that are shown.
const LINES_SHOWN: usize = 14;
