//! What the console shows of the settings, and how it has them read again.

use std::pin::Pin;
use std::sync::Arc;

use crate::server::reload::ReloadHandle;
use crate::session::console::context::{ConsoleContext, ConsoleSettings, ReloadOutcome};
use crate::session::console::keep_history;
use crate::session::login::LoginContext;
use crate::upstream::pool::{OwnPoolSizes, PoolSettings};

/// A console that shows these settings.
pub fn showing(
    connections_max: usize,
    pool: Option<&(PoolSettings, OwnPoolSizes)>,
) -> ConsoleContext {
    ConsoleContext {
        settings: ConsoleSettings {
            connections_max,
            pool: pool.map(|(pool, _)| *pool),
        },
        ..ConsoleContext::default()
    }
}

/// The console has settings and policies read again as SIGHUP does, and what is done in databases
/// is noted for it from now on.
pub fn begin(login_context: LoginContext, asker: ReloadHandle) -> Arc<LoginContext> {
    let reload = move || -> Pin<Box<dyn Future<Output = ReloadOutcome> + Send>> {
        let asker = asker.clone();
        Box::pin(async move {
            match asker.hear().await {
                Some(report) if report.problems.is_empty() => ReloadOutcome::Held,
                Some(report) => ReloadOutcome::Rejected(report.problems.len()),
                None => ReloadOutcome::NotRead,
            }
        })
    };
    let login_context = Arc::new(LoginContext {
        console: ConsoleContext {
            reload: Some(Box::new(reload)),
            ..login_context.console
        },
        ..login_context
    });
    tokio::spawn(keep_history(Arc::clone(&login_context)));
    login_context
}
