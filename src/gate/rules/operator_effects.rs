//! `operator_effects`: operators whose function may do more than read.
//!
//! # Sees
//! An operator, in any notation or implied by BETWEEN, IN, CASE, NULLIF, USING or NATURAL, that
//! may be a user's whose function, or whose commutator's or negator's function, is not known to
//! only read.
//!
//! # Why
//! An operator is a call of a function.
//!
//! # Before
//! - `SELECT id FROM shop.orders WHERE id === 1` (shop)
//!
//! # After
//! - `SELECT id FROM shop.orders WHERE id = 1` (shop)
//!
//! # When not
//! Where the types of the operands leave only operators that are clean, it passes.

use crate::effects::graph::EffectDescription;
use crate::{Refusal, Rule};

pub(crate) fn refusal(told: &EffectDescription) -> Box<Refusal> {
    told.refusal(Rule::OperatorEffects, "an operator of the statement")
}
