//! A private Postgres with sample data and a standby, a pgsieve before both, and a short tour.
//!
//! It must never change anything in a database that somebody named with `--upstream`, and leaves
//! nothing behind: no process, no folder.
//!
//! - [`cluster`] starts and stops a Postgres of our own; the tests use it as well
//! - [`supervisor`] runs a program that must not outlive us
//! - [`sample`] is the database that the demo shows; [`private_shop`]: our own servers with it
//! - [`questions`] about it, and [`generators`] that answer them by a script, for evaluations
//! - [`proxy`] runs `pgsieve serve` as its users do, in a process of its own; [`named_upstream`]:
//!   before a database that somebody names
//! - [`tour`] asks through pgsieve and shows what came back; [`server_notices`]: also what is said
//!   beside it; [`grounding_step`]: a grounding, and how it goes stale; [`standby_step`]: a read
//!   that moves from the standby to the primary; [`evaluation_step`]: three generators, evaluated

pub mod cluster;
mod error;
mod evaluation_step;
pub mod generators;
mod grounding_step;
pub mod named_upstream;
mod private_shop;
mod proxy;
pub mod questions;
pub mod sample;
mod server_notices;
mod standby_step;
pub mod supervisor;
mod text_table;
mod tour;

use std::env;
use std::io::Write;
use std::path::PathBuf;

use tokio::signal::unix::{SignalKind, signal};

pub use error::DemoError;
use named_upstream::NamedUpstream;
use private_shop::{PrivateShop, ShopServers};
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
    let (mut shop, login, upstream) = match &arguments.upstream {
        Some(url) => {
            let named = NamedUpstream::of(url, env::vars_os())?;
            (None, ProxyLogin::of(&named), ProxyUpstream::Named(named))
        }
        None if arguments.evaluates => {
            let shop = PrivateShop::start(ShopServers::Primary, out).await?;
            evaluation_step::show(&shop.url(), out)?;
            return shop.tell_untouched(out).await;
        }
        None => {
            let shop = PrivateShop::start(ShopServers::WithStandby, out).await?;
            let (login, upstream) = (shop.login.clone(), ProxyUpstream::Private(shop.url()));
            (Some(shop), login, upstream)
        }
    };
    write_text(out, "Starting pgsieve …\n")?;
    let proxy = ProxyProcess::start(arguments, &upstream, &login)?;
    tour_through(&proxy, (&login, arguments), &mut shop, out).await?;
    proxy.announce(&login, out)?;
    if let Some(shop) = &shop {
        shop.tell_data(out)?;
    }
    if !arguments.once {
        write_text(out, "\nUp until Ctrl-C.\n")?;
        until_asked_to_end().await?;
        write_text(out, "\nStopping …\n")?;
    }
    // pgsieve first: its upstream must not go away under it.
    drop(proxy);
    if let Some(shop) = shop {
        shop.end();
    }
    Ok(())
}

/// The tour from its first step to its last. All servers are up afterwards.
async fn tour_through(
    proxy: &ProxyProcess,
    (login, arguments): (&ProxyLogin, &DemoArguments),
    shop: &mut Option<PrivateShop>,
    out: &mut dyn Write,
) -> Result<(), DemoError> {
    let (client, mut notices) = proxy.connect(login).await?;
    let Some(shop) = shop else {
        let steps = tour::of_any_database();
        return tour::run_steps(&client, &mut notices, &steps, out).await;
    };
    let mut steps = tour::of_the_shop();
    // What somebody's own policy says of repairs is not known here.
    if arguments.policy.is_none() {
        // Behind a step whose answer is complete: this client sends the next statement as soon as
        // it has heard of an error, and a failure with others on their way is not repaired.
        steps.insert(tour::READS_FIRST, tour::of_repairs());
    }
    tour::run_steps(&client, &mut notices, &steps, out).await?;
    if arguments.policy.is_none() {
        let admin = shop.admin().await?;
        grounding_step::show(&client, (&admin, proxy.admin_port()), out).await?;
    }
    let starting = match shop.standby.take() {
        Some(standby) => Some(standby_step::show(&client, standby, out).await?),
        None => None,
    };
    drop(client);
    shop.tell_untouched(out).await?;
    if let Some(starting) = starting {
        shop.standby = Some(standby_step::started(starting).await?);
    }
    Ok(())
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

#[cfg(test)]
mod tests;
