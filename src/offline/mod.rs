//! Statements judged as in somebody's session, without one: what a policy's tests, and whoever
//! tries a policy out, ask.
//!
//! * [`world`]: which database, and whose session; [`course`]: how a session goes on
//! * [`choice`]: the policy that a session gets
//! * [`judge`]: what becomes of one message
//! * [`cases`]: the tests that policies carry
//!
//! Never sends a statement anywhere. The gate judges, as for a session; nothing here has a verdict
//! of its own.

pub mod cases;
pub mod choice;
pub mod course;
pub mod judge;
pub mod world;
