//! The protocol over HTTP (streamable HTTP), for callers who have a token.
//!
//! * [`listener`]: connections, TLS, bounds; [`admission`]: which token a request has
//! * [`callers`]: what is served for each token, so that a session is of the token that began it
//!
//! <https://modelcontextprotocol.io/specification/draft/basic/transports>

pub mod admission;
pub mod callers;
pub mod listener;
