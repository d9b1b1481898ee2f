//! Bytes and messages: frames are cut and checked strictly before anything reads them.
//!
//! Nothing here knows SQL, touches a socket or keeps state. What a peer sent is either exactly one
//! well-formed message, or a [`malformed::MalformedMessage`] that says why not; there is no third
//! reading. The decoder of `pgwire` never sees bytes of a peer; its encoders write most of our own
//! answers.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

pub mod malformed;
mod reader;

pub mod frame;
pub mod startup;

pub mod backend;
pub mod encode;
pub mod frontend;

#[cfg(test)]
mod message_laws;
