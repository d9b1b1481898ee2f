//! `row_policy_effects`: tables whose row-security policies or columns may do more than read.
//!
//! # Sees
//! A read of a table whose row-security policies or computed columns call a function with
//! effects, whose columns have types that do, or one of whose partitions or children does.
//!
//! # Why
//! A row policy runs for each row that is read, and for the owner's convenience may call
//! anything.
//!
//! # Before
//! - `SELECT * FROM shop.tenants` (shop)
//!
//! # After
//! - `SELECT * FROM shop.orders` (shop)
//!
//! # When not
//! `FROM ONLY` leaves the children out. A policy for writes alone is not run by a read.

use crate::effects::graph::EffectDescription;
use crate::{Refusal, Rule};

pub(crate) fn refusal(told: &EffectDescription) -> Box<Refusal> {
    told.refusal(Rule::RowPolicyEffects, "a table of the statement")
}
