//! `hidden_function`: user functions that may do more than read.
//!
//! # Sees
//! A call of a function that is no built-in, and that is VOLATILE, SECURITY DEFINER, a
//! procedure, in a schema that the policy does not trust, or runs such a thing itself: in a
//! body of SQL, a default of an argument, an aggregate.
//!
//! # Why
//! Nothing but its owner's word says that a user's function only reads, and this one's owner
//! does not give it.
//!
//! # Before
//! - `SELECT shop.settle()` (shop)
//!
//! # After
//! - `SELECT shop.vat(100)` (shop)
//!
//! # When not
//! Functions that the policy names under `functions.allow` pass. A function that is declared
//! IMMUTABLE or STABLE and is not is its owner's lie: the policy `strict` trusts no function
//! that it does not name. Without a snapshot of the database the rule is `unknown_function`.

use crate::effects::graph::EffectDescription;
use crate::{Refusal, Rule};

pub(crate) fn refusal(told: &EffectDescription) -> Box<Refusal> {
    told.refusal(Rule::HiddenFunction, "a function of the statement")
}
