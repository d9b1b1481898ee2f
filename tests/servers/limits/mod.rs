//! Bounds of rows, bytes, time, plans, memory and users.

mod budgets;
mod held_cursors;
mod lasting;
mod memory;
mod pieces;
mod plan_hints;
pub mod plans;
mod plans_counted;
pub mod results;
mod store;
mod users;
mod walk;
