//! Other spellings of a name that does not exist.
//!
//! * [`words`]: how alike two names are; [`risk`]: what must not be exchanged; [`gates`]: the nine
//!   gates
//! * [`place`] and `clause`: where references stand in a text; [`ground`]: what can be seen from
//!   there
//! * [`column`]: a column that does not exist: `literal` (a text in double quotes), `result_name`
//!   (the name of a result where Postgres does not know it), `qualifier` with `wrong_side` and
//!   `join_key`, `spelling`, `one_step` (it is one foreign key away), `passed_on`
//!   (results that are named by it), `two_words` (a name with a blank in it, without its quotes)
//! * [`relation`], with `relation_hint`: a relation that does not exist
//! * `nearest`: words about what is there instead; [`mend`]: all of it in one answer

mod clause;
pub(in crate::funnel) mod column;
pub(in crate::funnel) mod gates;
pub(in crate::funnel) mod ground;
mod join_key;
mod literal;
pub(in crate::funnel) mod mend;
mod nearest;
mod one_step;
mod passed_on;
pub(in crate::funnel) mod place;
mod qualifier;
pub(in crate::funnel) mod relation;
mod relation_hint;
mod result_name;
pub(in crate::funnel) mod risk;
mod spelling;
#[cfg(test)]
mod trials;
mod two_words;
pub(in crate::funnel) mod words;
mod wrong_side;
