//! Budgets of the day, over restarts: read before the first client comes, written as they grow.

use std::path::PathBuf;
use std::sync::Arc;

use super::AppError;
use crate::server::budget_file::BudgetFile;
use crate::session::policy_limits::per_user::UserAccounts;
use crate::telemetry::Telemetry;
use crate::telemetry::events::BudgetFileFailed;

/// What keeps budgets of the day.
pub(super) struct BudgetWriter {
    file: Option<(Arc<BudgetFile>, UserAccounts)>,
}

impl BudgetWriter {
    /// What was counted before counts from now on, and is written down as it grows.
    pub(super) fn open(
        path: Option<PathBuf>,
        accounts: &UserAccounts,
        telemetry: &Telemetry,
    ) -> Result<Self, AppError> {
        let Some(path) = path else {
            return Ok(Self { file: None });
        };
        let file = BudgetFile::open(path, accounts).map_err(AppError::Budgets)?;
        let file = Arc::new(file);
        tokio::spawn(Arc::clone(&file).save_while_running(accounts.clone(), telemetry.clone()));
        Ok(Self {
            file: Some((file, accounts.clone())),
        })
    }

    /// Every session is over.
    pub(super) fn close(self, telemetry: &Telemetry) {
        if let Some((file, accounts)) = self.file
            && let Err(failure) = &file.save(&accounts)
        {
            telemetry.emit(&BudgetFileFailed { failure });
        }
    }
}
