//! The preprocessors, in order: unwrap first, because the others read SQL; names are quoted before
//! anything else is looked for in them. A text that Postgres reads and runs never comes here:
//! nothing that they see can be in one.

pub mod default_limit;
pub mod quote_identifiers;
pub mod unwrap;

pub use self::unwrap::UnwrappedText;
