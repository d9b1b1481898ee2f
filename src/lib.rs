//! pgsieve: a proxy that speaks the PostgreSQL wire protocol on both sides and lets only reads
//! through.
//!
//! # The rooms
//!
//! Each module here is a room, listed by floor. A room imports only from the floors below it, and
//! from a neighbour where a row says so (`tests/tidy/floors.rs` proves it). Up to `repair` the
//! rooms are pure: no socket, no clock, no task.
//!
//! These are crates in their folders, so that the compiler holds their floors and a change builds
//! again what is built on it. They stand here under their names, and the modules of `ground` at the
//! root; from `telemetry` up the rooms are modules of this crate.
//!
//! * Ground: [`limits`] (every bound, with its reason), [`rule`] (every rule, in one row each),
//!   [`statement_kind`], [`waits`] (every wait, and what ends it), [`words`](mod@words) (closed
//!   sets of words), [`secret`], [`sqlstate`], [`system_error`], [`text_file`], [`hex`],
//!   [`edit_distance`], [`engine`] (what speaks the protocol beside Postgres)
//! * Languages: [`wire`] (frames of the protocol), [`sql`] (Postgres's lexer, grammar, tree and
//!   fingerprint), [`catalog`] (what a database contains, as of one moment), [`resolve`] (what the
//!   names of a text mean in it, and of which types its expressions are)
//! * Judgement: [`policy`] (what may be read, and how much of it), [`gate`] (may this text run;
//!   the only maker of a [`gate::ReadPermit`]), [`grounding`] (what may be read, told for a
//!   prompt), [`lint`](mod@lint) (what a text says that is seldom meant)
//! * Repair: [`dialect`] (foreign dialects become Postgres's), [`repair`] (a read that failed is
//!   changed and judged again)
//! * Record: [`receipts`] (what proves that a statement ran), [`telemetry`] (metrics, audit,
//!   traces, the live page)
//! * Reach: [`net`] (sockets and TLS), [`auth`] (who a client is), [`upstream`] (logins, the proof
//!   that a session is read-only, cancels, the catalog cache), [`doctor`] (a server as it is set
//!   up)
//! * Session: [`session`] (one client from accept to goodbye), [`offline`] (what would become of a
//!   statement in one), [`choose`] (which of several answers a question)
//! * Program: [`config`], [`server`] (listeners, the admin address, reloads), [`wire_client`] (a
//!   client of pgsieve's own), [`mcp`] (tools for agents that have no driver), [`app`] (all of it
//!   put together), [`demo`], [`evaluation`] (how good statements for questions are), [`cli`]
//!
//! # The life of a statement
//!
//! 1. [`session::io`] reads bytes of the client; [`session::client`] cuts them into frames.
//!    `session::statement` is the path of those that bring or run a statement: 2 to 4 are its
//!    steps.
//! 2. The text of a Query or a Parse is judged by [`gate::Gate`] under the session's policy, with
//!    the catalog and the search_path of this moment (`session::context`). Verdicts are remembered
//!    by [`gate::cache`].
//! 3. A refusal is answered in its place among the replies (`session::refuse`). A text that is
//!    expected to fail, or that is refused for a reason with one right answer, goes to
//!    `session::repair`, and its repaired text comes back to 2.
//! 4. What may run passes the limits of the policy (`session::policy_limits`, `session::plan`) and
//!    is put into [`upstream::outbox`], which takes current permits and pgsieve's own questions and
//!    nothing else; [`upstream::writer`] writes that and nothing else.
//! 5. [`session::server`] reads the answer and holds it against the queue of expected replies
//!    (`session::pending`): rows are counted and passed on, an error may become a repair.
//! 6. [`telemetry`] is told what happened: the fingerprint, the verdict, counts and times, never
//!    the text.
//!
//! # Where safety is proved
//!
//! * A text goes upstream only inside a permit, and only [`gate`] makes one (`gate::permit`). One
//!   that waited is of another type until it was found to be current. The connection to an upstream
//!   is of a type of its own, to which only an outbox is written ([`upstream::writer`]).
//! * The upstream's session is read-only by itself, and that is asked of it before a client hears
//!   anything (`upstream::verify`).
//! * What of the source may do what (who opens sockets, who composes messages, who imports whom,
//!   what each wait is ended by) is a law of `tests/tidy`.

pub use ground::{
    edit_distance, engine, hex, limits, lsn, rule, secret, sqlstate, statement_kind, system_error,
    target_servers, text_file, waits, words,
};

pub use {catalog, resolve, sql, wire};

pub use {gate, grounding, lint, policy};

pub use {dialect, repair};

pub mod receipts;
pub mod telemetry;

pub mod auth;
pub mod doctor;
pub mod net;
pub mod upstream;

pub mod choose;
pub mod offline;
pub mod session;

pub mod app;
pub mod cli;
pub mod config;
pub mod demo;
pub mod evaluation;
pub mod mcp;
pub mod server;
pub mod wire_client;
