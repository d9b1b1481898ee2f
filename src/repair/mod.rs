//! Repair: a read that failed for a reason with one right answer is changed, judged again, and run.
//! It is pure: it meets a server only through the trait [`StatementCompiler`].
//!
//! * [`repair_loop`]: preprocess, judge, compile, ask a recoverer, and again;
//!   [`statement_compiler`]: who compiles; [`outcome`]: what comes of it; `allowed_changes`: what
//!   one attempt may change; `recursive_cte`: what must not be made to run without end
//! * [`context`]: a text that failed, and everything a recoverer may know of it; [`failure`]: why
//!   it failed; [`answer`]: what a recoverer answers
//! * [`preprocessors`], [`recoverers`]: who changes texts, in order, each with its own code
//! * [`names`]: names that do not exist: what is like them, and the nine gates of a rewritten one
//! * [`scopes`]: the queries of a statement, their FROM items and column references;
//!   [`dependencies`]: keys, equalities and functional dependency
//! * [`dialect_history`]: the dialect that earlier statements of a session were of
//! * `expression_editor`: casts and other spellings of expressions, for three recoverers
//! * [`predict`]: whether a text will fail, as far as the snapshot shows
//! * [`hints`]: what a client is told of what nobody repairs
//! * `laws` (what every repair keeps), `hint_laws` (and every HINT), `class_table` (what becomes of
//!   each class of failures), `known_joins` (those that the policy knows), `hostile`,
//!   `repair_loop_tests`: test code
//!
//! Foreign dialects are translated in [`dialect`], and foreign calls in a text that Postgres
//! reads by [`dialect::calls`]. Whatever comes out of here is a text that
//! the gate has judged; nothing here can make a permit.

mod allowed_changes;
pub mod answer;
#[cfg(test)]
mod class_table;
pub mod context;
pub mod dependencies;
pub mod dialect_history;
pub(crate) mod expression_editor;
pub mod failure;
#[cfg(test)]
mod hint_laws;
pub mod hints;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod known_joins;
#[cfg(test)]
pub(crate) mod laws;
pub mod names;
pub mod outcome;
pub mod predict;
pub mod preprocessors;
pub mod recoverers;
mod recursive_cte;
pub mod repair_loop;
#[cfg(test)]
mod repair_loop_tests;
pub mod scopes;
pub mod statement_compiler;

pub use self::answer::{
    Attempt, AttemptOutcome, NameGate, RecovererAnswer, Repair, RepairHint, TextChange,
};
pub use self::context::RepairContext;
pub use self::failure::{Failure, FailureClass, FailureOrigin};
pub use self::outcome::{RepairAdvice, RepairConclusion, RepairOutcome, RepairedStatement};
pub use self::repair_loop::{RepairRequest, repair_statement};
pub use self::statement_compiler::{CompileError, StatementCompiler};
pub use dialect::confidence::Confidence;
pub use dialect::session_database::SessionDatabase;
