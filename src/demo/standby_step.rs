//! The last step of the tour: the standby that answers is stopped, and the same session has its
//! next answer from the primary, on the same connection.

use std::io::Write;
use std::time::{Duration, Instant};

use tokio::task::{JoinHandle, spawn_blocking};
use tokio_postgres::Client;

use super::cluster::{ClusterError, PrivateCluster};
use super::tour::simple;
use super::{DemoError, write_text};

/// A standby that starts again. Whoever drops it leaves that to the end of the process.
pub type StartingStandby = JoinHandle<Result<PrivateCluster, ClusterError>>;

/// Shows it. The standby is on its way up again afterwards.
///
/// # Errors
/// Another server answers than the step tells of, or none, or the output cannot be written to.
pub async fn show(
    client: &Client,
    mut standby: PrivateCluster,
    out: &mut dyn Write,
) -> Result<StartingStandby, DemoError> {
    let question = QUESTION.replace('\n', "\n      ");
    write_text(out, &format!("  {TITLE}\n\n      {question}\n\n"))?;
    let before = match simple(client, QUESTION).await {
        // Somebody's own policy may have no answer to it.
        Err(error) if error.as_db_error().is_some() => {
            let first_line = words(&error).lines().next().unwrap_or_default().to_owned();
            let text = format!("      ✗ {first_line}\n\n      {LEFT_OUT}\n\n");
            write_text(out, &text)?;
            return Ok(spawn_blocking(move || Ok(standby)));
        }
        answer => by(STANDBY, answer)?,
    };
    write_text(out, &format!("{before}\n"))?;
    let begin = Instant::now();
    standby.crash();
    let stopped = begin.elapsed();
    write_text(out, &format!("      {STOPPING}\n\n      {question}\n\n"))?;
    let begin = Instant::now();
    let after = by(PRIMARY, simple(client, QUESTION).await)?;
    let text = format!("{after}\n{}\n", explanation(stopped, begin.elapsed()));
    write_text(out, &text)?;
    // Not on this thread, which drives connections.
    Ok(spawn_blocking(move || standby.restart().map(|()| standby)))
}

/// The standby, when it is up.
///
/// # Errors
/// It does not start in time.
pub async fn started(starting: StartingStandby) -> Result<PrivateCluster, DemoError> {
    match starting.await {
        Ok(started) => started.map_err(DemoError::Cluster),
        Err(_panicked) => Err(DemoError::Tour {
            step: TITLE,
            what: "it cannot be started again".into(),
        }),
    }
}

/// What is shown of an answer, if that server has given it.
fn by(server: &str, answer: Result<String, tokio_postgres::Error>) -> Result<String, DemoError> {
    let what = match answer {
        Ok(shown) if shown.contains(server) => return Ok(shown),
        Ok(shown) => format!("this is not by {server}:\n{shown}"),
        Err(error) => words(&error),
    };
    Err(DemoError::Tour { step: TITLE, what })
}

fn words(error: &tokio_postgres::Error) -> String {
    error
        .as_db_error()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

fn explanation(stopped: Duration, answered: Duration) -> String {
    format!(
        "      The standby was gone after {:.2} s. The session asked again on the connection that it had, and\n      \
         pgsieve took it to the primary, with its settings: the answer came after {:.2} s.\n      \
         Now the standby is started again, and sessions go back to it when it is there.\n",
        stopped.as_secs_f64(),
        answered.as_secs_f64()
    )
}

/// What the step is called.
const TITLE: &str = "A standby is stopped, and whoever was reading from it goes on";

const STOPPING: &str = "$ pg_ctl stop --mode immediate   # the standby, by somebody else";

const LEFT_OUT: &str = "So it cannot be seen who answers, and the rest of this step is left out.";

const QUESTION: &str = "SELECT count(*) AS orders, CASE WHEN pg_is_in_recovery()
  THEN 'the standby' ELSE 'the primary' END AS answered_by FROM orders";

const STANDBY: &str = "the standby";

const PRIMARY: &str = "the primary";
