//! The kinds of statements, by the names that the audit shows. The gate knows what they are; a test
//! proves that these are its names.

/// Kinds that can run.
pub(super) const PASSABLE: &[&str] = &[
    "select",
    "values",
    "table",
    "explain",
    "copy",
    "show",
    "set",
    "reset",
    "begin",
    "commit",
    "rollback",
    "set_constraints",
    "savepoint",
    "release",
    "prepare",
    "execute",
    "deallocate",
    "declare",
    "fetch",
    "move",
    "close",
    "discard",
    "unlisten",
    "lock",
];

/// Kinds that are refused whatever a policy says.
pub(super) const REFUSED: &[&str] = &[
    "prepared_transaction",
    "listen",
    "notify",
    "load",
    "insert",
    "update",
    "delete",
    "merge",
    "do",
    "call",
    "ddl",
    "maintenance",
];

/// What a whole text can be that is not one statement of a known kind.
pub(super) const OF_MESSAGES: &[&str] = &["several", "empty", "unparsed", "unknown"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::StatementKind;

    #[test]
    fn the_names_are_those_of_the_gate() {
        let mut own = [PASSABLE, REFUSED, OF_MESSAGES].concat();
        let mut known: Vec<&str> = StatementKind::ALL.iter().map(|kind| kind.name()).collect();
        own.sort_unstable();
        known.sort_unstable();
        assert_eq!(own, known);
    }
}
