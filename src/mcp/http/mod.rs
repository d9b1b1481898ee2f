//! The protocol over HTTP (streamable HTTP), for callers who have a token.
//!
//! * [`listener`]: connections, TLS, bounds; [`web_pages`]: what browsers are told
//! * [`admission`]: which token a request has; [`bearers`]: whose tokens let anybody in;
//!   [`oauth`]: those of an issuer
//! * [`callers`]: what is served for each token, so that a session is of the token that began it
//!
//! <https://modelcontextprotocol.io/specification/draft/basic/transports>

pub mod admission;
pub mod bearers;
pub mod callers;
pub mod listener;
pub mod oauth;
pub mod web_pages;
