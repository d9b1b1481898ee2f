//! How good an agent is, as a number: statements for questions are held against what answers them.
//!
//! * [`dataset`]: questions with their reference, as they are published; [`csv_records`]: files of
//!   CSV
//! * [`result_comparison`]: whether two results are the same answer
//! * [`paired_test`]: whether a difference between two runs is more than chance

pub mod csv_records;
pub mod dataset;
pub mod paired_test;
pub mod result_comparison;
