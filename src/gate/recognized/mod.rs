//! Statements that the gate knows as a whole, because drivers and dump tools send exactly these.
//!
//! * [`backend_signal`]: calls of `pg_cancel_backend` and `pg_terminate_backend`, which pgsieve
//!   carries out itself
//! * [`single_call`]: SELECTs of one row with a call that passes nowhere else
//! * [`receipt_question`]: the question for the receipt of a statement
//! * [`role_question`]: the questions by which clients tell a primary from a standby

pub(super) mod backend_signal;
pub(super) mod receipt_question;
pub(super) mod role_question;
pub(super) mod single_call;
