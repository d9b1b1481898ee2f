//! Text and meaning: Postgres's own grammar, our lexer, fingerprints and edits. Knows no protocol.
//!
//! The order in which a text meets these: [`prescan`] (linear, before any parser), [`tree`] (the
//! grammar and the walk), [`fingerprint`] (what is recorded of it), [`edit`] (how a text is
//! changed), [`nested_edits`] (the same where changes contain each other),
//! [`syntax_error_position`] and [`error_condition`] (where the grammar stopped, and with which
//! code), [`string_continuation`] (strings that it does not read).
//!
//! Beside them: [`extent`] says where a part of a text begins and ends, [`node_access`] answers
//! small questions about nodes.

pub mod children;
pub mod edit;
pub mod error_condition;
pub mod extent;
pub mod fingerprint;
pub mod lexer;
pub mod nested_edits;
pub mod node_access;
pub mod prescan;
pub mod string_continuation;
pub mod syntax_error_position;
pub mod tree;
