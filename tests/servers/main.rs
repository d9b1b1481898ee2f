//! A whole pgsieve, or a part of it, before real servers of all versions: one program, so that
//! there is one link and one private Postgres for each version.
//!
//! A folder is a feature. To add tests, put `NAME.rs` into it, add `mod NAME;` to its `mod.rs`, and
//! start with `use crate::support::Stack;`. The head of `tests/support/mod.rs` says what there is.

#[cfg(test)]
mod access;
#[cfg(test)]
mod cancel;
#[cfg(test)]
mod capture;
#[cfg(test)]
mod catalog;
#[cfg(test)]
mod choose;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod engines;
#[cfg(test)]
mod evaluation;
#[cfg(test)]
mod gate;
#[cfg(test)]
mod grounding;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod lint;
#[cfg(test)]
mod login;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod policies;
#[cfg(test)]
mod pools;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod protocol;
#[cfg(test)]
mod receipts;
#[cfg(test)]
mod repair;
#[cfg(test)]
mod settings;
#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;
#[cfg(test)]
mod telemetry;
#[cfg(test)]
mod upstreams;
#[cfg(test)]
mod uring;
#[cfg(test)]
mod versions;
#[cfg(test)]
mod workers;
