//! The gate with names, without a proxy: on real servers of two versions, what hides an effect is
//! refused, and what only stands beside it passes, and so does everything that is asked every day.

mod cases;
mod classes;
mod isolated;
mod judge;
mod permitted;
mod refused;
mod servers;
mod shares;
mod shown;
mod support;
mod support_function_families;
mod unreadable;
mod variations;
