//! `cast_effects`: casts whose function may do more than read.
//!
//! # Sees
//! A cast, written or unasked for, that a user's function does which is not known to only read.
//!
//! # Why
//! A cast is a call of a function.
//!
//! # Before
//! - `SELECT 1::shop.parcel` (shop)
//!
//! # After
//! - `SELECT '1'::integer::text` (shop)
//!
//! # When not
//! Where the types leave only casts that are clean, it passes.

use crate::gate::{Refusal, Rule};
use crate::sqlstate;

/// `told` says which, if the client's role may know.
pub(in crate::gate) fn refusal(told: Option<&str>) -> Box<Refusal> {
    let refusal = Refusal::new(
        Rule::CastEffects,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        "a cast of the statement may do more than read",
        "Have the function behind it named under functions.allow of the policy.",
    );
    match told {
        Some(told) => refusal.about(format_args!("{told}")),
        None => refusal,
    }
}
