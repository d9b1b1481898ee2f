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

use crate::{Refusal, Rule};

pub(crate) fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::Load,
        "LOAD is not allowed: it runs machine code in the server",
        "Leave it out; SHOW shared_preload_libraries tells what the server has loaded.",
    )
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

    #[test]
    fn libraries_are_seen() {
        check(Rule::Load, &["LOAD 'x'", "load '$libdir/plugins/x'"], &[]);
    }
}
