//! Names that do not exist, and what is like them.
//!
//! * [`similarity`]: how alike two names are; [`risk_list`]: words that must not be exchanged;
//!   [`gates`]: the nine gates; `letter_case`: names that differ in case alone
//! * [`reference_scopes`] and `clauses`: where references stand in a text; [`context`]: what is
//!   missing, and what can be seen from there
//! * `suggestions`: words about what is there instead; `unquoted_blank`: a name with a blank in it,
//!   without its quotes; [`name_repair`]: all of it in one answer
//!
//! What is done about a column or a relation stands with its recoverer, in `undefined_column` and
//! `undefined_table`.

mod clauses;
pub(in crate::repair) mod context;
pub(in crate::repair) mod gates;
pub(in crate::repair) mod letter_case;
pub(in crate::repair) mod name_repair;
mod readable_relations;
pub(in crate::repair) mod reference_position;
pub(in crate::repair) mod reference_scopes;
pub(in crate::repair) mod risk_list;
pub(in crate::repair) mod similarity;
#[cfg(test)]
mod slip_tests;
pub(in crate::repair) mod suggestions;
pub(in crate::repair) mod unquoted_blank;
