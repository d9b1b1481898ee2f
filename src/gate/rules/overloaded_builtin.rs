//! `overloaded_builtin`: user functions with the name of a built-in.
//!
//! # Sees
//! A call that may mean a user's function whose name a built-in has too.
//!
//! # Why
//! Postgres takes the overload that fits the arguments best: `lower(1)` is the user's
//! `lower(integer)`, however search_path stands. Who reads the statement sees the built-in.
//!
//! # Before
//! - `SELECT lower(1)` (shop)
//!
//! # After
//! - `SELECT lower('A'), lower(note) FROM shop.orders` (shop)
//!
//! # When not
//! Where the types of the arguments leave only the built-in, it passes; so does
//! `pg_catalog.lower(…)`. An overload that the policy names with the types of its arguments
//! passes.

use crate::effects::graph::EffectDescription;
use crate::{Refusal, Rule};

pub(crate) fn refusal(told: &EffectDescription) -> Box<Refusal> {
    told.refusal(
        Rule::OverloadedBuiltin,
        "a function under the name of a built-in",
    )
}
