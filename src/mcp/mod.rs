//! The Model Context Protocol: statements, groundings and verdicts as tools for agents that have no
//! driver.
//!
//! A call is a statement like any other: it goes through a session of pgsieve ([`statements`]),
//! over a socket of this process, with the same gate, repairs, limits and records.
//!
//! * [`services`]: what calls are answered with, and who calls
//! * [`server`]: the protocol; [`session`]: one session of it; [`stdio`]: over standard input and
//!   output; [`http`]: over HTTP, for who has one of the [`tokens`] of a [`watched_file`]
//!   or one of an issuer: what it lets its bearer do is a [`bearer_grant`]
//! * [`tools`]: what can be called; [`arguments`], [`answers`]: how calls are read and answered
//! * [`statements`]: a statement sent and its answer read; [`outcome`]: what came of it;
//!   [`values`]: values as JSON; [`held_results`]: further pages of long results
//! * [`clarification`]: questions to the person behind a client
//! * [`resources`]: what can be read; [`prompts`]: what can be asked a model; [`drift`]: whether
//!   what callers may read has changed

pub mod answers;
pub mod arguments;
pub mod bearer_grant;
pub mod clarification;
pub mod drift;
pub mod held_results;
pub mod http;
pub mod outcome;
pub mod prompts;
pub mod resources;
pub mod server;
pub mod services;
pub mod session;
pub mod statements;
pub mod stdio;
pub mod tokens;
pub mod tools;
pub mod values;
pub mod watched_file;
