//! The recoverers, in the order in which they are asked: the first that answers wins.
//!
//! A text that is decidedly foreign is translated before anything in it is mended by itself:
//! mended word by word it would run with Postgres's meaning of what means something else there.

mod ambiguous_column;
mod datatype_mismatch;
mod duplicate_alias;
mod foreign_dialect;
pub(in crate::repair) mod grouping_error;
mod invalid_text_representation;
pub(in crate::repair) mod syntax_error;
pub(in crate::repair) mod undefined_column;
mod undefined_function;
mod undefined_operator;
pub(in crate::repair) mod undefined_table;

use crate::policy::Recoverer;
use crate::repair::{Answer, Class, Scene};

/// Those to ask about a class of failures, in order.
pub fn of(class: Class) -> &'static [Recoverer] {
    match class {
        Class::SyntaxError => &[Recoverer::Dialect, Recoverer::SyntaxError],
        Class::UndefinedTable => &[Recoverer::Dialect, Recoverer::UndefinedTable],
        // The server looks at `day` in `datediff(day, a, b)` before it looks at the function.
        Class::UndefinedColumn => &[
            Recoverer::Dialect,
            Recoverer::SyntaxError,
            Recoverer::UndefinedFunction,
            Recoverer::UndefinedColumn,
        ],
        Class::AmbiguousColumn => &[Recoverer::AmbiguousColumn],
        Class::GroupingError => &[Recoverer::GroupingError],
        Class::UndefinedFunction => &[
            Recoverer::Dialect,
            Recoverer::SyntaxError,
            Recoverer::UndefinedFunction,
            Recoverer::UndefinedOperator,
        ],
        Class::DatatypeMismatch => &[Recoverer::DatatypeMismatch],
        Class::DuplicateAlias => &[Recoverer::DuplicateAlias],
        Class::InvalidTextRepresentation => &[Recoverer::InvalidTextRepresentation],
        Class::UndefinedObject => &[Recoverer::Dialect, Recoverer::SyntaxError],
    }
}

/// Asks one.
pub fn ask(recoverer: Recoverer, scene: &Scene<'_>) -> Answer {
    match recoverer {
        Recoverer::Dialect => foreign_dialect::recover(scene),
        Recoverer::SyntaxError => syntax_error::recover(scene),
        Recoverer::UndefinedTable => undefined_table::recover(scene),
        Recoverer::UndefinedColumn => undefined_column::recover(scene),
        Recoverer::AmbiguousColumn => ambiguous_column::recover(scene),
        Recoverer::GroupingError => grouping_error::recover(scene),
        Recoverer::UndefinedFunction => undefined_function::recover(scene),
        Recoverer::UndefinedOperator => undefined_operator::recover(scene),
        Recoverer::DatatypeMismatch => datatype_mismatch::recover(scene),
        Recoverer::DuplicateAlias => duplicate_alias::recover(scene),
        Recoverer::InvalidTextRepresentation => invalid_text_representation::recover(scene),
        Recoverer::Unwrap | Recoverer::QuoteIdentifiers | Recoverer::DefaultLimit => Answer::Silent,
    }
}
