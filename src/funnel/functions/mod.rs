//! Foreign functions that an expression of Postgres stands for, and what it takes to change calls
//! in a text.
//!
//! * [`table`]: the rows; [`values`], [`dates`], [`texts`], [`numbers`] hold them, with those
//!   functions that a template cannot make; [`row`]: what a row is; [`template`]: templates
//! * [`mend`]: all foreign calls of a text, innermost first (`mend_found`: as they are found);
//!   [`call`]: one of them
//! * [`operators`]: all operators of a text that stand between kinds of values that they are not
//!   made for; `operators_cured`, `operators_texts`: what is done about one
//! * [`mismatches`]: branches, arms and conditions of types that do not go together; [`literals`]:
//!   strings that are no value of a type; `bench`: what they and [`operators`] are changed with
//! * [`kind`]: types, as far as they matter here; [`spans`], [`spans_call`]: which bytes an
//!   expression takes;
//!   [`workshop`]: edits within edits; `nodes_of`: questions to nodes
//! * [`date_format`]: patterns of dates, shared with the dialects
//!
//! A call is replaced only where its arguments say what it means; it is replaced by built-in
//! functions without effects, and the gate judges the new text like any other.

mod bench;
pub mod call;
pub mod date_format;
pub mod dates;
mod dates_added;
mod dates_between;
mod dates_written;
pub mod kind;
pub mod literals;
pub mod mend;
mod mend_found;
pub mod mismatches;
mod nearest;
pub(in crate::funnel) mod nodes_of;
pub mod numbers;
pub mod operators;
mod operators_cured;
mod operators_texts;
pub mod row;
pub mod spans;
pub mod spans_call;
pub mod table;
pub mod template;
pub mod texts;
pub mod values;
pub mod workshop;

#[cfg(test)]
mod tests;
