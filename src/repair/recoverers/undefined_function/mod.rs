//! `undefined_function`, 42883: a function that does not exist.
//!
//! # Sees
//! Calls of functions that other dialects have, and of Postgres's own functions with arguments that
//! they are not made for: [`dialect::calls::table`] lists them. Calls within
//! calls are changed in the same answer.
//!
//! # Why
//! Where all dialects that have a function mean the same by it, or its arguments tell them apart,
//! there is one expression of Postgres for it. Column names of the result survive.
//!
//! # Before
//! - `SELECT year(placed_on), ifnull(sum(paid), 0) FROM orders GROUP BY year(placed_on)`
//! - `SELECT round(weight, 2) FROM products`
//!
//! # After
//! - `SELECT EXTRACT(YEAR FROM placed_on)::int AS year, COALESCE(SUM(paid::int), 0) AS ifnull …`
//! - `SELECT ROUND(weight::numeric, 2) FROM products`
//!
//! # When not
//! Where two dialects mean different things by a call and nothing tells them apart (`week(x)`):
//! then there is a hint. Where one call of a text cannot be changed, none is.

pub mod foreign_calls;
pub(crate) mod found_calls;
pub(crate) mod nearest_builtin;
#[cfg(test)]
mod row_tests;

use crate::{RecovererAnswer, RepairContext};

pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    foreign_calls::recover(context)
}
