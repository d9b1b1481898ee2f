//! The real Postgres: where it is, how pgsieve logs in to it, proof that the session is read-only,
//! and how a cancel finds it.

pub mod address;
pub mod cancel;
pub mod connect;
pub mod lease;
pub mod login;
pub mod outbox;
pub mod password;
pub mod tripwire;
pub mod verify;
