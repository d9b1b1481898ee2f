//! How good an agent is, as a number: statements for questions are held against what answers them.
//!
//! * [`dataset`]: questions with their reference, as they are published; [`csv_records`]: files of
//!   CSV; [`predictions`]: statements that somebody's agent gave earlier; [`captured`]: those that
//!   failed on the wire and were kept
//! * [`proxy`]: a pgsieve of its own, before the database that is asked; [`proxy_session`]: a
//!   session of it
//! * [`external_command`]: a command of the user's; [`generator`]: what it is told, and what it
//!   prints; [`grounding_source`]: what it is told of the database
//! * [`plan`]: what is to be done; [`runner`]: all questions, over several connections;
//!   `question_trial`: one of them; `question_sessions`: its sessions; `held_reference`: what it is
//!   held against
//! * [`result_comparison`]: whether two results are the same answer
//! * [`report`]: what was found; [`entry_report`]: of one question; [`scores`]: what it comes to;
//!   [`report_table`]: told for a person; [`report_page`]: as one HTML file with charts;
//!   `told_numbers`: its numbers in both
//! * [`report_comparison`]: two reports question by question; [`paired_test`]: whether a difference
//!   is more than chance

pub mod captured;
pub mod csv_records;
pub mod dataset;
pub mod entry_report;
pub mod external_command;
pub mod generator;
pub mod grounding_source;
mod held_reference;
pub mod paired_test;
pub mod plan;
pub mod predictions;
pub mod proxy;
pub mod proxy_session;
mod question_sessions;
mod question_trial;
pub mod report;
pub mod report_comparison;
pub mod report_page;
pub mod report_table;
pub mod result_comparison;
pub mod runner;
pub mod scores;
mod told_numbers;
