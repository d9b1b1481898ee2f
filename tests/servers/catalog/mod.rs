//! The catalog of a database: read, kept, compared with what the server itself says.

mod cache;
mod resolve;
pub mod servers;
pub mod snapshot;
