//! How good an agent is, as a number: statements for questions are held against what answers them.
//!
//! * [`dataset`]: questions with their reference, as they are published; [`csv_records`]: files of
//!   CSV; `predictions`: statements that somebody's agent gave earlier
//! * `proxy`: a pgsieve of its own, before the database that is asked; `proxy_session`: a session of
//!   it, as any client has one
//! * `external_command`: a command of the user's; `generator`: what it is told, and what it prints
//! * `runner`: all questions, over several connections; `trial`: one of them
//! * [`result_comparison`]: whether two results are the same answer
//! * [`report`]: what was found; [`scores`]: what it comes to; `report_table`: told for a person
//! * [`paired_test`]: whether a difference between two runs is more than chance

pub mod csv_records;
pub mod dataset;
pub mod paired_test;
pub mod report;
pub mod result_comparison;
pub mod scores;
