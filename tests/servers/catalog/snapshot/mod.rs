//! What is read of real servers, old and new, what tells that it has changed, and that the snapshot
//! of it says what the server says.

mod agrees;
mod compile;
mod connect;
mod load;
mod marker;
mod shop;
pub mod support;
