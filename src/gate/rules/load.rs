//! `load`: LOAD.
//!
//! # Sees
//! LOAD of a shared library.
//!
//! # Why
//! It runs machine code in the server.
//!
//! # Before
//! - `LOAD 'auto_explain'`
//!
//! # After
//! - `SHOW shared_preload_libraries`
//!
//! # When not
//! Never.

use crate::gate::{Refusal, Rule};
use crate::sqlstate;

pub(in crate::gate) fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::Load,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        "loading libraries is not allowed",
        "Libraries are loaded by the server's own configuration.",
    )
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::check;

    #[test]
    fn libraries_are_seen() {
        check(Rule::Load, &["LOAD 'x'", "load '$libdir/plugins/x'"], &[]);
    }
}
