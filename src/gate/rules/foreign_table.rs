//! `foreign_table`: foreign tables, which read other servers.
//!
//! # Sees
//! A read of a foreign table that the policy names neither by itself nor by its server, and of
//! what has one among its partitions, children or views.
//!
//! # Why
//! What a foreign server runs for a read nobody here can see: file_fdw runs a shell command.
//!
//! # Before
//! - `SELECT * FROM shop.remote` (shop)
//!
//! # After
//! - `SELECT * FROM shop.orders` (shop)
//!
//! # When not
//! Tables and servers that the policy names under `foreign` pass.

use crate::effects::graph::EffectDescription;
use crate::{Refusal, Rule};

pub(crate) fn refusal(told: &EffectDescription) -> Box<Refusal> {
    told.refusal(Rule::ForeignTable, "a foreign table")
}
