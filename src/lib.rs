//! pgsieve: a proxy that speaks the PostgreSQL wire protocol on both sides and lets only reads
//! through.
//!
//! The modules are listed by floor, lowest first; a module imports only from lower floors
//! (`tests/tidy.rs` proves it).

pub mod dialect;
pub mod doctor;
pub mod limits;
pub mod secret;
pub mod sqlstate;
pub mod system_error;
pub mod text_file;
pub mod waits;

pub mod catalog;
pub mod sql;
pub mod wire;

pub mod resolve;

pub mod gate;
pub mod policy;
pub mod repair;

pub mod telemetry;

pub mod auth;
pub mod net;
pub mod upstream;

pub mod session;

pub mod offline;

pub mod app;
pub mod cli;
pub mod config;
pub mod demo;
pub mod server;
