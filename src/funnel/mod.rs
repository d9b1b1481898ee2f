//! The funnel: a read that failed for a reason with one right answer is changed, judged again, and
//! run. It is pure: it meets a server only through the trait [`Run`].
//!
//! * [`scene`]: a text that failed, and everything a recoverer may know of it
//! * [`database`]: the database of the session; [`failure`]: why it failed; [`repair`]: what a
//!   recoverer answers; [`confidence`]: how sure it is
//! * [`preprocessors`], [`recoverers`]: who changes texts, in order
//! * [`dialect`]: foreign dialects, translated
//! * [`names`]: other spellings of a name, and the nine gates that a rewritten one has to pass
//! * [`joins`]: keys, equalities and functional dependency
//! * [`functions`]: foreign functions that an expression of Postgres stands for
//! * `syntax`: mistakes that the grammar does not take, mended
//! * [`predict`]: whether a text will fail, as far as the snapshot shows
//! * [`rescue`]: the loop; [`outcome`], what comes of it; `step`, what one step may change;
//!   `recursion`, what must not be made to run without end
//!
//! Whatever comes out of here is a text that the gate has judged; nothing here can make a permit.

pub mod confidence;
pub mod database;
pub mod dialect;
pub mod failure;
pub mod functions;
#[cfg(test)]
mod hostile;
pub mod joins;
#[cfg(test)]
pub(crate) mod laws;
pub mod names;
pub mod outcome;
pub mod predict;
pub mod preprocessors;
pub mod recoverers;
mod recursion;
pub mod repair;
pub mod rescue;
#[cfg(test)]
mod rescue_tests;
pub mod scene;
mod step;
pub(in crate::funnel) mod syntax;

pub use self::confidence::Confidence;
pub use self::database::Database;
pub use self::failure::{Class, Failure, Origin};
pub use self::outcome::{Advice, Ending, Outcome, Repaired};
pub use self::repair::{Answer, Attempt, AttemptOutcome, Hint, NameGate, Repair, Rewritten};
pub use self::rescue::{Request, Run, Uncompiled, rescue};
pub use self::scene::Scene;
