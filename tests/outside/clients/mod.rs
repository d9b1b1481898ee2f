//! Clients and drivers as others made them.

mod catalog_view;
pub mod drivers;
mod matrix;
