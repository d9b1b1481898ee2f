//! Statements judged as in somebody's session, without one: what a policy's tests, and whoever
//! tries a policy out, ask.
//!
//! * [`assumptions`]: which database, and whose session; [`script_session`]: how a session goes on
//! * [`policy_choice`]: the policy that a session gets
//! * [`judge`]: what becomes of one message
//! * [`lints`]: what the lints say of it
//! * [`policy_tests`]: the tests that policies carry
//! * [`catalog_fit`]: a policy against what a database has; [`known_examples`]: the examples of its
//!   knowledge against the gate
//!
//! Never sends a statement anywhere. The gate judges, as for a session; nothing here has a verdict
//! of its own.

pub mod assumptions;
pub mod catalog_fit;
pub mod judge;
pub mod known_examples;
pub mod lints;
pub mod policy_choice;
pub mod policy_tests;
pub mod script_session;
