//! The real Postgres: where it is, how pgsieve logs in to it, proof that the session is read-only,
//! how a cancel finds it, and what its databases contain.
//!
//! * `address`, `connect`: where it is, and a connection to it; `servers`: which of several
//! * `login`, `password`, `login_retry`, `login_refusal`: the login of a session
//! * `verify`, `session_settings`, `identity`: proof of what the session is, and of which server
//! * `engine`: whether that is Postgres, and what holds where it is not
//! * `outbox`: what may be sent, and the only door for client text; `writer`: the connection, which
//!   takes nothing else; `tripwire`: the last line
//! * `pool`: connections that sessions use in turn; `fair_slots`: whose turn it is
//! * `lease`: the right to use a session; `cancel`, `backend_signals`: what reaches a running one
//! * `account`: sessions of pgsieve's own; `snapshot`, `catalog_cache`: what databases contain
//! * `compile_pool`: where changed texts are compiled; `read_session`: what a
//!   permitted text returns
//! * `verifier_lookup`: verifiers that the upstream has of its users

pub mod account;
pub mod address;
pub mod backend_signals;
pub mod cancel;
pub mod catalog_cache;
pub mod compile_pool;
pub mod connect;
pub mod engine;
pub mod fair_slots;
pub mod identity;
pub mod lease;
pub mod login;
mod login_refusal;
pub mod login_retry;
pub mod outbox;
pub mod password;
pub mod pool;
pub mod read_session;
pub mod servers;
mod session_settings;
pub mod snapshot;
pub mod tripwire;
pub mod verifier_lookup;
pub mod verify;
pub mod writer;
