//! What one repair compiles its texts with.

use std::fmt;
use std::sync::Arc;

use tokio::time::Instant;

use super::connection::{BrokenConnection, CompileResult, StoredSearchPath};
use super::pool::{AccountPool, HeldConnection};
use crate::gate::{ParameterTypes, ReadPermit};
use crate::limits;
use crate::repair::{CompileError, StatementCompiler};

/// A compile connection from the first text of a repair to its end. To be used on a thread that may
/// wait: it panics on one that runs tasks.
pub struct CompileRun {
    pool: Arc<AccountPool>,
    path: StoredSearchPath,
    /// Ready for the next text.
    held: Option<HeldConnection>,
}

impl CompileRun {
    pub(super) fn new(pool: Arc<AccountPool>, path: StoredSearchPath) -> Self {
        Self {
            pool,
            path,
            held: None,
        }
    }

    async fn ask(&mut self, permit: &ReadPermit<'_>, types: &[u32]) -> CompileResult {
        let deadline = Instant::now() + limits::COMPILE_TIME_MAX;
        for _ in 0..limits::COMPILE_TRIES_MAX {
            let held = match self.held.take() {
                Some(held) => Some(held),
                None => self.pool.take(deadline).await,
            };
            let Some(mut held) = held else {
                return Err(CompileError::Unavailable);
            };
            let compiling = held.connection.compile(permit, types, &self.path, deadline);
            match compiling.await {
                Ok(compiled) => {
                    self.held = Some(held);
                    return compiled;
                }
                // Most likely it rested for too long, or the server has restarted.
                Err(BrokenConnection::Lost) => {}
                Err(BrokenConnection::Spent) => return Err(CompileError::Unavailable),
            }
        }
        Err(CompileError::Unavailable)
    }
}

impl StatementCompiler for CompileRun {
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        parameters: &ParameterTypes,
    ) -> Result<(), CompileError> {
        let ParameterTypes::Given(types) = parameters else {
            return Err(CompileError::Unavailable);
        };
        let runtime = self.pool.runtime.clone();
        runtime.block_on(self.ask(permit, types))
    }
}

impl Drop for CompileRun {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            self.pool.give_back(held);
        }
    }
}

impl fmt::Debug for CompileRun {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CompileRun")
    }
}
