//! The repair loop on a corpus of failing statements over three schemas: what becomes of each, by
//! the rows that come back; what they are told where nothing is repaired; and what becomes of them
//! where the policy names a dialect. `cargo test --test servers corpus:: -- --nocapture` prints the
//! figures.

mod figures;
mod hint_laws;
mod named_dialects;
pub mod statements;
mod world;
