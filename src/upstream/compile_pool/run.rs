//! What one rescue compiles its texts with.

use std::fmt;
use std::sync::Arc;

use tokio::time::Instant;

use super::connection::{Broken, Compiled, Path};
use super::pool::{Held, Pool};
use crate::gate::{Parameters, ReadPermit};
use crate::limits;
use crate::repair::{Run, Uncompiled};

/// A side connection from the first text of a rescue to its end. To be used on a thread that may
/// wait: it panics on one that runs tasks.
pub struct SideRun {
    pool: Arc<Pool>,
    path: Path,
    /// Ready for the next text.
    held: Option<Held>,
}

impl SideRun {
    pub(super) fn new(pool: Arc<Pool>, path: Path) -> Self {
        Self {
            pool,
            path,
            held: None,
        }
    }

    async fn ask(&mut self, permit: &ReadPermit<'_>, types: &[u32]) -> Compiled {
        let deadline = Instant::now() + limits::SIDE_COMPILE_TIME_MAX;
        for _ in 0..limits::SIDE_TRIES_MAX {
            let held = match self.held.take() {
                Some(held) => Some(held),
                None => self.pool.take(deadline).await,
            };
            let Some(mut held) = held else {
                return Err(Uncompiled::Unavailable);
            };
            let compiling = held.connection.compile(permit, types, &self.path, deadline);
            match compiling.await {
                Ok(compiled) => {
                    self.held = Some(held);
                    return compiled;
                }
                // Most likely it rested for too long, or the server has restarted.
                Err(Broken::Lost) => {}
                Err(Broken::Spent) => return Err(Uncompiled::Unavailable),
            }
        }
        Err(Uncompiled::Unavailable)
    }
}

impl Run for SideRun {
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        parameters: &Parameters,
    ) -> Result<(), Uncompiled> {
        let Parameters::Given(types) = parameters else {
            return Err(Uncompiled::Unavailable);
        };
        let runtime = self.pool.runtime.clone();
        runtime.block_on(self.ask(permit, types))
    }
}

impl Drop for SideRun {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            self.pool.give_back(held);
        }
    }
}

impl fmt::Debug for SideRun {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SideRun")
    }
}
