//! A private Postgres with sample data, a pgsieve before it, and a short tour through both.
//!
//! It must never change anything in a database that somebody named with `--upstream`, and leaves
//! nothing behind: no process, no folder.
//!
//! - [`cluster`] starts and stops a Postgres of our own; the tests use it as well
//! - [`supervisor`] runs a program that must not outlive us
//! - [`sample`] is the database that the demo shows
//! - [`questions`] about it, and [`generators`] that answer them by a script, for evaluations
//! - [`proxy`] runs `pgsieve serve` as its users do, in a process of its own; [`named_upstream`]:
//!   before a database that somebody names
//! - [`tour`] asks through pgsieve and shows what came back; [`server_notices`]: also what is said
//!   beside it; [`grounding_step`]: a grounding, and how it goes stale; [`evaluation_step`]: three
//!   generators, evaluated

pub mod cluster;
mod error;
mod evaluation_step;
pub mod generators;
mod grounding_step;
pub mod named_upstream;
mod proxy;
pub mod questions;
pub mod sample;
mod server_notices;
pub mod supervisor;
mod text_table;
mod tour;

use std::env;
use std::io::Write;
use std::path::PathBuf;

use tokio::signal::unix::{SignalKind, signal};
use tokio_postgres::NoTls;

use cluster::{PasswordMethod, PrivateCluster};
pub use error::DemoError;
use named_upstream::NamedUpstream;
use proxy::{ProxyLogin, ProxyProcess, ProxyUpstream};

/// What `pgsieve demo` can be told.
#[derive(Debug, Clone, Default)]
pub struct DemoArguments {
    /// Shows pgsieve before this database instead of a private one; nothing in it is changed.
    pub upstream: Option<String>,
    /// Policy file for pgsieve; the default policy without it.
    pub policy: Option<PathBuf>,
    /// Where the audit goes; without it, to a file that goes away at the end.
    pub audit: Option<PathBuf>,
    /// Ends after the tour instead of waiting for Ctrl-C.
    pub once: bool,
    /// Shows an evaluation in the place of the tour.
    pub evaluates: bool,
}

/// Runs the demo until Ctrl-C, or to the end of the tour where that was asked for.
///
/// # Errors
/// The server or pgsieve does not start, a step of the tour fails, or the output cannot be written
/// to.
pub fn run(arguments: &DemoArguments, out: &mut dyn Write) -> Result<(), DemoError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| DemoError::System {
            doing: "start",
            source,
        })?;
    runtime.block_on(show(arguments, out))
}

async fn show(arguments: &DemoArguments, out: &mut dyn Write) -> Result<(), DemoError> {
    let (cluster, login, upstream) = match &arguments.upstream {
        Some(url) => {
            let named = NamedUpstream::of(url, env::vars_os())?;
            (None, ProxyLogin::of(&named), ProxyUpstream::Named(named))
        }
        None => {
            let (cluster, login) = private_shop(out).await?;
            let upstream = login.url(&cluster);
            if arguments.evaluates {
                evaluation_step::show(&login.url(&cluster), out)?;
                return tell_untouched(&cluster, out).await;
            }
            (Some(cluster), login, ProxyUpstream::Private(upstream))
        }
    };
    write_text(out, "Starting pgsieve …\n")?;
    let proxy = ProxyProcess::start(arguments, &upstream, &login)?;
    let (client, mut notices) = proxy.connect(&login).await?;
    let mut steps = if cluster.is_some() {
        tour::of_the_shop()
    } else {
        tour::of_any_database()
    };
    // What somebody's own policy says of repairs is not known here.
    if cluster.is_some() && arguments.policy.is_none() {
        // Behind a step whose answer is complete: this client sends the next statement as soon as
        // it has heard of an error, and a failure with others on their way is not repaired.
        steps.insert(tour::READS_FIRST, tour::of_repairs());
    }
    let mut outcome = tour::run_steps(&client, &mut notices, &steps, out).await;
    if let Some(cluster) = &cluster
        && arguments.policy.is_none()
        && outcome.is_ok()
    {
        let admin = connect(&cluster.admin_url(DATABASE)).await?;
        outcome = grounding_step::show(&client, (&admin, proxy.admin_port()), out).await;
    }
    drop(client);
    outcome?;
    if let Some(cluster) = &cluster {
        tell_untouched(cluster, out).await?;
    }
    proxy.announce(&login, out)?;
    if let Some(cluster) = &cluster {
        let folder = cluster.data();
        write_text(
            out,
            &format!("Data     {} (goes away at the end)\n", folder.display()),
        )?;
    }
    if !arguments.once {
        write_text(out, "\nUp until Ctrl-C.\n")?;
        until_asked_to_end().await?;
        write_text(out, "\nStopping …\n")?;
    }
    // pgsieve first: its upstream must not go away under it.
    drop(proxy);
    drop(cluster);
    Ok(())
}

/// Says that nothing in the shop has changed.
async fn tell_untouched(cluster: &PrivateCluster, out: &mut dyn Write) -> Result<(), DemoError> {
    let admin = connect(&cluster.admin_url(DATABASE)).await?;
    if !tour::shop_is_untouched(&admin).await? {
        return Err(DemoError::Tour {
            step: "the rows of the shop",
            what: "have changed".into(),
        });
    }
    write_text(
        out,
        "Counted behind pgsieve's back: every row of the shop is where it was.\n",
    )
}

async fn private_shop(out: &mut dyn Write) -> Result<(PrivateCluster, ProxyLogin), DemoError> {
    write_text(out, "Starting a private Postgres …\n")?;
    let cluster = PrivateCluster::builder()
        .auth(PasswordMethod::Scram)
        .start()
        .map_err(DemoError::Cluster)?;
    write_text(
        out,
        &format!(
            "PostgreSQL {} is up. Loading a small shop …\n",
            cluster.version()
        ),
    )?;
    let failed = |source| DemoError::Sample { source };
    let admin = connect(&cluster.admin_url("postgres")).await?;
    admin
        .batch_execute(&format!("CREATE DATABASE {DATABASE}"))
        .await
        .map_err(failed)?;
    let admin = connect(&cluster.admin_url(DATABASE)).await?;
    sample::load(&admin, sample::ROLE).await.map_err(failed)?;
    Ok((
        cluster,
        ProxyLogin::new(sample::ROLE, sample::ROLE, DATABASE),
    ))
}

async fn connect(url: &str) -> Result<tokio_postgres::Client, DemoError> {
    let (client, connection) = tokio_postgres::connect(url, NoTls)
        .await
        .map_err(|source| DemoError::Sample { source })?;
    // Ends with the client; what goes wrong shows in the client's answers.
    tokio::spawn(connection);
    Ok(client)
}

/// May be cancelled: it only waits.
async fn until_asked_to_end() -> Result<(), DemoError> {
    let failed = |source| DemoError::System {
        doing: "wait for a signal",
        source,
    };
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut hangup = signal(SignalKind::hangup()).map_err(failed)?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    Ok(())
}

fn write_text(out: &mut dyn Write, text: &str) -> Result<(), DemoError> {
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|source| DemoError::System {
            doing: "write to the terminal",
            source,
        })
}

/// The database of the shop.
const DATABASE: &str = "shop";

#[cfg(test)]
mod tests;
