//! The table of foreign functions against a real server: what stands for a call gives the value
//! that the documentation of its dialect gives, and the call itself fails.

mod repaired;
mod server;
mod table;
