//! `view_effects`: views that run something that may do more than read.
//!
//! # Sees
//! A read of a view that calls a function with effects, or reads through another one that does,
//! at any depth; of what has such a view among its parts.
//!
//! # Why
//! A view is a query that no statement shows.
//!
//! # Before
//! - `SELECT * FROM shop.v_totals` (shop)
//!
//! # After
//! - `SELECT * FROM shop.v_clean` (shop)
//!
//! # When not
//! What the view does not run does not count: a WITH query of the same name hides it.

use crate::effects::graph::EffectDescription;
use crate::{Refusal, Rule};

pub(crate) fn refusal(told: &EffectDescription) -> Box<Refusal> {
    told.refusal(Rule::ViewEffects, "a relation of the statement")
}
