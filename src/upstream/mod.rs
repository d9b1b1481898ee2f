//! The real Postgres: where it is, how pgsieve logs in to it, proof that the session is read-only,
//! how a cancel finds it, and what its databases contain.

pub mod account;
pub mod address;
pub mod again;
pub mod cancel;
mod cancel_turns;
pub mod connect;
pub mod examination;
pub mod identity;
pub mod keeper;
pub mod lease;
pub mod login;
pub mod outbox;
pub mod password;
mod refusal;
pub mod rows;
pub mod scheme;
mod settings;
pub mod side;
pub mod signals;
pub mod snapshot;
pub mod tripwire;
pub mod verify;
