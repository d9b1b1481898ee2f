//! Text and meaning: Postgres's own grammar, our lexer, fingerprints and edits. Knows no protocol.
//!
//! The order in which a text meets these: [`scan`] (linear, before any parser), [`tree`] (the
//! grammar and the walk), [`fingerprint`] (what is recorded of it), [`edit`] (how a text is
//! changed), [`position`] and [`condition`] (where the grammar stopped, and with which code),
//! [`continued`] (strings that it does not read).

pub mod children;
pub mod condition;
pub mod continued;
pub mod edit;
pub mod fingerprint;
pub mod lexer;
pub mod position;
pub mod scan;
pub mod tree;
