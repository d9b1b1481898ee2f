//! `foreign_table`: tables of other servers.
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

use crate::gate::{Refusal, Rule};
use crate::sqlstate;

/// `told` says which, if the client's role may know.
pub(in crate::gate) fn refusal(told: Option<&str>) -> Box<Refusal> {
    let refusal = Refusal::new(
        Rule::ForeignTable,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        "a relation of the statement is on another server",
        "Have the table named under foreign.tables of the policy, or its server under foreign.servers.",
    );
    match told {
        Some(told) => refusal.about(format_args!("{told}")),
        None => refusal,
    }
}
