//! Who compiles a changed text, and why it does not compile.

use crate::{Failure, FailureOrigin};
use gate::{ParameterTypes, ReadPermit};

/// Where texts are compiled.
pub trait StatementCompiler {
    /// Asks the server whether it would run the permit's text: Parse, never Execute.
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        parameters: &ParameterTypes,
    ) -> Result<(), CompileError>;

    /// One more step is done, for those who count the time.
    fn attempt_finished(&mut self) {}
}

/// Why a text did not compile.
pub enum CompileError {
    /// The server says that it would fail.
    Failed {
        /// The error's code.
        sqlstate: String,
        /// The error's words.
        message: String,
        /// The error's HINT.
        hint: Option<String>,
        /// The error's place, in characters from 1.
        position: Option<u32>,
    },
    /// The server cannot be asked.
    Unavailable,
}

impl CompileError {
    /// What it says about a text that could be repaired; none where the server cannot be asked.
    pub(super) fn failure(self, text: &str) -> Option<Failure> {
        match self {
            Self::Unavailable => None,
            Self::Failed {
                sqlstate,
                message,
                hint,
                position,
            } => {
                let told =
                    Failure::reported(text, &sqlstate, &message, position, FailureOrigin::Server);
                told.map(|failure| Failure { hint, ..failure })
            }
        }
    }
}
