//! Foreign functions in a text that Postgres reads, and the expressions that stand for them.
//!
//! * [`table`]: the rows; [`values`], [`dates`], [`strings`], [`numbers`] hold them, with those
//!   functions that a template cannot make (`date_arithmetic`, `date_differences`, `date_formats`);
//!   [`row`]: what a row is; [`template`]: templates
//! * [`call`]: one call with its arguments; [`expression_kinds`]: the types of expressions
//!
//! A call is replaced only where its arguments say what it means; it is replaced by built-in
//! functions without effects, and the gate judges the new text like any other. All calls of a text
//! are changed by the recoverer `undefined_function`.

pub mod call;
mod date_arithmetic;
mod date_differences;
mod date_formats;
pub mod dates;
pub mod expression_kinds;
pub mod numbers;
pub mod row;
pub mod strings;
pub mod table;
pub mod template;
pub mod values;
