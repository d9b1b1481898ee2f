//! The text of a policy file: YAML with the place of every key, and what is wrong with a text that
//! is none. Nothing here knows what a key means.
//!
//! * [`tree`]: a text as a tree in which every key and value knows its line and column
//! * [`section`]: maps, lists and words, taken key by key, and the report of what is left over
//! * [`syntax_fault`]: the mistake in a text that is no YAML

pub(super) mod section;
pub(super) mod syntax_fault;
pub mod tree;
