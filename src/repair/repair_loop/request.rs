//! What a repair is asked for.

use crate::{Failure, SessionDatabase};
use gate::{Gate, ParameterTypes, SessionNames};
use policy::Dialect;

/// A statement to repair.
pub struct RepairRequest<'r> {
    /// The judge, under the session's policy.
    pub gate: &'r Gate,
    /// What the session's names mean. Its snapshot has to be in sight.
    pub names: &'r SessionNames,
    /// The types of parameters, as the client gave them.
    pub parameters: &'r ParameterTypes,
    /// The client's text.
    pub text: &'r str,
    /// Why it failed; none where it may fail and the server is to be asked first.
    pub failure: Option<Failure>,
    /// The dialect that earlier statements of the session were of.
    pub earlier_dialect: Option<Dialect>,
    /// The user whose session it is: some of what the policy knows is for some users.
    pub user: &'r str,
}

impl<'r> RepairRequest<'r> {
    /// The database as the session sees it, with the joins that its policy knows.
    pub(super) fn database(&self) -> Option<SessionDatabase<'r>> {
        let database = SessionDatabase::of(self.names, self.parameters)?;
        Some(database.knowing(self.gate.policy(), self.user))
    }
}
