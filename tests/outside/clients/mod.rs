//! Clients and drivers as others made them.

pub mod drivers;
mod matrix;
