//! What users have done, kept beyond this process: budgets of the day in a file, or all counts in a
//! store that the other copies of pgsieve know as well.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::AppError;
use super::budget_writer::BudgetWriter;
use crate::hex;
use crate::policy::LivePolicies;
use crate::server::limits_store::connection::StoreLink;
use crate::server::limits_store::{CountExchange, RunningExchange};
use crate::session::policy_limits::limits_store::LimitsStoreSettings;
use crate::session::policy_limits::per_user::UserAccounts;
use crate::telemetry::Telemetry;

/// What keeps counts.
pub(super) struct KeptCounts {
    budgets: BudgetWriter,
    exchange: Option<RunningExchange>,
}

impl KeptCounts {
    /// What was counted before counts from now on, and what is counted is written down or told.
    pub(super) async fn open(
        (budget_file, store): (Option<PathBuf>, Option<LimitsStoreSettings>),
        (accounts, live): (&UserAccounts, &Arc<LivePolicies>),
        telemetry: &Telemetry,
    ) -> Result<Self, AppError> {
        let budgets = BudgetWriter::open(budget_file, accounts, telemetry)?;
        let exchange = match store {
            None => None,
            Some(settings) => {
                let link = StoreLink::load(settings).map_err(AppError::LimitsStoreTls)?;
                let (accounts, live) = (accounts.clone(), Arc::clone(live));
                let named = (link, copy_name()?);
                let exchange = CountExchange::new(named, accounts, live, telemetry.clone());
                Some(exchange.start().await)
            }
        };
        Ok(Self { budgets, exchange })
    }

    /// Every session is over.
    pub(super) async fn close(self, telemetry: &Telemetry) {
        self.budgets.close(telemetry);
        if let Some(exchange) = self.exchange {
            exchange.close().await;
        }
    }
}

/// A name that no other copy has.
fn copy_name() -> Result<String, AppError> {
    let mut name = [0; COPY_NAME_BYTES];
    getrandom::fill(&mut name)
        .map_err(|error| AppError::System(io::Error::other(error.to_string())))?;
    Ok(hex::digits(&name))
}

/// So many random bytes name a copy.
const COPY_NAME_BYTES: usize = 8;
