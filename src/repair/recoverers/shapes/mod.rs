//! Clauses in wrong shapes, by words alone: for `syntax_error`, whose texts do not parse, and
//! `grouping_error`.
//!
//! * [`query_clauses`]: the queries of a text, and their clauses
//! * [`clause_order`]: clauses in another order than a SELECT has them
//! * [`union_branches`]: branches of UNION with an ORDER BY or LIMIT of their own
//! * [`aggregate_filters`]: aggregates with a WHERE, and sub-selects without their SELECT
//! * [`join_condition`]: a JOIN without ON; [`repeated_with`]: WITH before each of its queries

pub(super) mod aggregate_filters;
pub(crate) mod clause_order;
pub(super) mod join_condition;
pub(crate) mod query_clauses;
pub(super) mod repeated_with;
pub(super) mod union_branches;
