//! The recoverers, in the order in which they are asked: the first that answers wins.
//!
//! A text that is decidedly foreign is translated before anything in it is repaired by itself:
//! repaired word by word it would run with Postgres's meaning of what means something else there.

mod ambiguous_column;
mod datatype_mismatch;
mod duplicate_alias;
mod exploring;
mod foreign_dialect;
pub(crate) mod grouping_error;
mod invalid_column_reference;
mod invalid_text_representation;
pub(crate) mod shapes;
pub(crate) mod syntax_error;
pub(crate) mod undefined_column;
mod undefined_function;
mod undefined_operator;
pub(crate) mod undefined_table;

pub(crate) use self::foreign_dialect::shared_readings::is_taken_otherwise;
pub(crate) use self::foreign_dialect::{evident_dialect, means_other, named_source};

use crate::{FailureClass, RecovererAnswer, RepairContext};
use policy::Recoverer;

/// Those to ask about a class of failures, in order.
pub fn of(class: FailureClass) -> &'static [Recoverer] {
    match class {
        FailureClass::SyntaxError => &[Recoverer::Dialect, Recoverer::SyntaxError],
        FailureClass::UndefinedTable => &[Recoverer::Dialect, Recoverer::UndefinedTable],
        // The server looks at `day` in `datediff(day, a, b)` before it looks at the function.
        FailureClass::UndefinedColumn => &[
            Recoverer::Dialect,
            Recoverer::SyntaxError,
            Recoverer::UndefinedFunction,
            Recoverer::UndefinedColumn,
        ],
        FailureClass::AmbiguousColumn => &[Recoverer::AmbiguousColumn],
        FailureClass::GroupingError => &[Recoverer::Dialect, Recoverer::GroupingError],
        FailureClass::UndefinedFunction => &[
            Recoverer::Dialect,
            Recoverer::SyntaxError,
            Recoverer::UndefinedFunction,
            Recoverer::UndefinedOperator,
        ],
        FailureClass::DatatypeMismatch => &[Recoverer::DatatypeMismatch],
        FailureClass::DuplicateAlias => &[Recoverer::DuplicateAlias],
        FailureClass::InvalidColumnReference => &[Recoverer::InvalidColumnReference],
        FailureClass::InvalidTextRepresentation => &[Recoverer::InvalidTextRepresentation],
        FailureClass::UndefinedObject => &[Recoverer::Dialect, Recoverer::SyntaxError],
    }
}

/// All that are asked about a class of failures, in order. Names are quoted by themselves only in
/// what no dialect has answered: it may quote them otherwise.
pub fn in_order(class: FailureClass) -> impl Iterator<Item = Recoverer> {
    let all = of(class);
    let (first, rest) = match all.split_first() {
        Some((Recoverer::Dialect, rest)) => (Some(Recoverer::Dialect), rest),
        _ => (None, all),
    };
    let quoting = std::iter::once(Recoverer::QuoteIdentifiers);
    (first.into_iter().chain(quoting)).chain(rest.iter().copied())
}

/// Asks one.
pub fn ask(recoverer: Recoverer, context: &RepairContext<'_>) -> RecovererAnswer {
    // What was translated already is not given to `Dialect` again.
    let may_explore = matches!(
        recoverer,
        Recoverer::Dialect
            | Recoverer::UndefinedTable
            | Recoverer::UndefinedColumn
            | Recoverer::UndefinedFunction
    );
    if may_explore {
        match exploring::recover(context) {
            RecovererAnswer::Silent => {}
            answer => return answer,
        }
    }
    match recoverer {
        Recoverer::Dialect => foreign_dialect::recover(context),
        Recoverer::SyntaxError => syntax_error::recover(context),
        Recoverer::UndefinedTable => undefined_table::recover(context),
        Recoverer::UndefinedColumn => undefined_column::recover(context),
        Recoverer::AmbiguousColumn => ambiguous_column::recover(context),
        Recoverer::GroupingError => grouping_error::recover(context),
        Recoverer::UndefinedFunction => undefined_function::recover(context),
        Recoverer::UndefinedOperator => undefined_operator::recover(context),
        Recoverer::DatatypeMismatch => datatype_mismatch::recover(context),
        Recoverer::DuplicateAlias => duplicate_alias::recover(context),
        Recoverer::InvalidColumnReference => invalid_column_reference::recover(context),
        Recoverer::InvalidTextRepresentation => invalid_text_representation::recover(context),
        Recoverer::Unwrap | Recoverer::QuoteIdentifiers | Recoverer::DefaultLimit => {
            RecovererAnswer::Silent
        }
    }
}
