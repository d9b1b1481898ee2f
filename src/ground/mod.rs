//! The ground: what every room stands on, and what knows nothing of any.
//!
//! [`limits`] has every bound, with its reason; [`rule`] every rule, in one row each; [`waits`]
//! every wait, and what ends it; [`words`](mod@words) closed sets of words.

pub mod edit_distance;
pub mod engine;
pub mod hex;
pub mod limits;
pub mod lsn;
pub mod rule;
pub mod secret;
pub mod sqlstate;
pub mod statement_kind;
pub mod system_error;
pub mod target_servers;
pub mod text_file;
pub mod waits;
pub mod words;
