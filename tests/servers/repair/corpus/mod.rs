//! The repair loop on a corpus of failing statements over three schemas: what becomes of each, by
//! the rows that come back. `cargo test --test servers corpus::figures -- --nocapture` prints the
//! figures.

mod figures;
pub mod statements;
mod world;
