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

use crate::effects::graph::EffectDescription;
use crate::{Refusal, Rule};

pub(crate) fn refusal(told: &EffectDescription) -> Box<Refusal> {
    told.refusal(Rule::CastEffects, "a cast of the statement")
}
