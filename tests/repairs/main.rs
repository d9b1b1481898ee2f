//! The repair loop on a corpus of failing statements over three schemas: what becomes of each, by
//! the rows that come back. `cargo test --test repairs -- --nocapture` prints the figures.

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod figures;
#[cfg(test)]
mod world;
