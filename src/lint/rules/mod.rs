//! The lints, one a file. Their order is that of the list: it decides nothing but the order of two
//! findings at one place.
//!
//! Every file says what its lint Sees, Why, an example Before and After it, and When it does not
//! apply. The examples are run as tests: each Before is found by exactly that lint, no After is.

mod cartesian_join;
pub mod docs;
mod equals_null;
mod fan_out_aggregation;
mod index_cast;
mod integer_division;
mod join_without_key;
mod limit_without_order;
mod literal_outside_list;
mod not_in_nullable;
mod outer_join_filter;
mod select_all_columns;
mod time_zone_mix;

use crate::LintFinding;
use crate::statement::LintedStatement;

/// Declares the lints: their words, their files' texts, and what runs them.
macro_rules! lints {
    ($($(#[$about:meta])* $rule:ident $name:ident,)+) => {
        ground::words! {
            /// A lint.
            LintRule { $($(#[$about])* $rule => stringify!($name),)+ }
        }

        /// A text that begins with what a lint sees and why, as head comment of its file.
        const fn source(rule: LintRule) -> &'static str {
            match rule {
                $(LintRule::$rule => include_str!(concat!(stringify!($name), ".rs")),)+
            }
        }

        /// What all lints say of a statement.
        pub(super) fn check_all(statement: &LintedStatement<'_>) -> Vec<LintFinding> {
            let mut findings = Vec::new();
            $($name::check(statement, &mut findings);)+
            findings
        }
    };
}

lints! {
    /// Items of FROM with nothing between them.
    CartesianJoin cartesian_join,
    /// Joins by columns that do not belong to each other.
    JoinWithoutKey join_without_key,
    /// Aggregates over rows that a join repeats.
    FanOutAggregation fan_out_aggregation,
    /// Conditions that make an outer join an inner one.
    OuterJoinFilter outer_join_filter,
    /// Comparisons with NULL.
    EqualsNull equals_null,
    /// NOT IN over what may be NULL.
    NotInNullable not_in_nullable,
    /// Comparisons to a text that a column cannot have.
    LiteralOutsideList literal_outside_list,
    /// Divisions of integers.
    IntegerDivision integer_division,
    /// Moments with and without a time zone beside each other.
    TimeZoneMix time_zone_mix,
    /// Casts that nobody wrote and that keep an index from being used.
    IndexCast index_cast,
    /// LIMIT over rows in no order.
    LimitWithoutOrder limit_without_order,
    /// Statements that return all columns, whichever there are.
    SelectAllColumns select_all_columns,
}
