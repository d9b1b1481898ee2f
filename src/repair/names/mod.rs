//! Names that do not exist, and what is like them.
//!
//! * [`similarity`]: how alike two names are; [`risk_list`]: words that must not be exchanged;
//!   [`gates`]: the nine gates; `letter_case`: names that differ in case alone
//! * [`reference_scopes`] and `clauses`: where references stand in a text; [`context`]: what is
//!   missing, and what can be seen from there
//! * `suggestions`: words about what is there instead; `key_route`: the joins that lead there
//! * `unquoted_blank`: a name with a blank in it, without its quotes; [`name_repair`]: all of it in
//!   one answer
//!
//! What is done about a column or a relation stands with its recoverer, in `undefined_column` and
//! `undefined_table`.

mod clauses;
pub(crate) mod context;
pub(crate) mod gates;
pub(crate) mod key_route;
pub(crate) mod letter_case;
pub(crate) mod name_repair;
pub(crate) mod readable_relations;
pub(crate) mod reference_position;
pub(crate) mod reference_scopes;
pub(crate) mod risk_list;
pub(crate) mod similarity;
#[cfg(test)]
mod slip_tests;
pub(crate) mod suggestions;
pub(crate) mod unquoted_blank;
