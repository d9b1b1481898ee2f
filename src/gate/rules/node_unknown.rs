//! `node_unknown`: syntax that no rule knows; what is not known is refused.
//!
//! # Sees
//! Statements and expressions of a kind that is not on the lists of this gate, or that the parser
//! has no node for.
//!
//! # Why
//! Unknown means refused: what a later grammar adds is refused until someone has looked at it.
//!
//! # Before
//! - `SELECT merge_action()`
//! - `CREATE FOREIGN TABLE remote (a int) SERVER elsewhere`
//!
//! # After
//! - `SELECT 1`
//!
//! # When not
//! Never.

use crate::{Refusal, Rule};
use sql::tree::{self, Node};

pub(crate) fn refusal(node: Node<'_>) -> Box<Refusal> {
    Refusal::new(
        Rule::NodeUnknown,
        &format!(
            "{} is not allowed: it is not known here",
            tree::kind_name(node)
        ),
        "Ask with an ordinary SELECT.",
    )
    .about(format_args!("{}", tree::kind_name(node)))
}
