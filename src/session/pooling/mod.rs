//! Sessions that share connections to the upstream: each has one from the first message of a
//! transaction to its end.
//!
//! What a client has made in its session is there whichever connection it has. Settings are read
//! off the connection once a statement may have changed them, and replayed on the next one;
//! prepared statements are judged again and prepared again. What is carried in neither way
//! pins the session: it keeps its connection until its end, and that is closed then.
//!
//! * `pool_side`: what the protocol knows of it; `prepared`: prepared statements; `named`: those
//!   with names; `described`: what clients were told of them
//! * `pooled_relay`: the connection at hand, and the wait for one; `checkout`: taking it and giving
//!   it back; `moving`: taking it at another server; `last_words`: what a
//!   server says as it ends; `lost_server`: what runs once more elsewhere
//! * `awaited_lsn`: what a session's server must have replayed for its reads
//! * `server_place`: whether a session, one that shares nothing as well, may be at its server

pub(super) mod awaited_lsn;
pub(super) mod checkout;
pub(super) mod described;
mod last_words;
pub(super) mod lost_server;
pub(super) mod moving;
pub(super) mod named;
pub(super) mod pool_side;
pub(super) mod pooled_relay;
pub(super) mod prepared;
pub(super) mod server_place;
