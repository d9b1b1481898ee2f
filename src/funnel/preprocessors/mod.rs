//! The preprocessors, in order: unwrap first, because the others read SQL; names are quoted before
//! anything else is looked for in them. A text that Postgres reads and runs never comes here:
//! nothing that they see can be in one.

pub mod default_limit;
mod draft;
pub mod quote_identifiers;
mod result_names;
pub(in crate::funnel) mod spelling;
mod spellings;
pub mod unwrap;
mod unwrap_fence;
mod unwrap_json;
mod unwrap_prose;
mod unwrap_quotes;
mod unwrap_tag;

pub use self::unwrap::Unwrapped;
