//! The names that PostgreSQL 13 to 18 bring along, beside functions: relations and their columns,
//! types and operators. What the gate has to go by while there is no snapshot of the database.
//!
//! The table is `names.tsv`, made by `tests/data/catalogs/built_in_names.sh` from servers of all
//! versions.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum BuiltinNameKind {
    /// A table or view.
    Relation,
    /// A function that returns several columns.
    Function,
    /// A type.
    Type,
    /// An operator.
    Operator,
}

/// Whether a server of this version, or of any where none is known, brings such a thing along.
pub(super) fn has(
    kind: BuiltinNameKind,
    schema: Option<&str>,
    name: &str,
    server_major: Option<u16>,
) -> bool {
    find(kind, schema, name)
        .is_some_and(|found| server_major.is_none_or(|major| found.versions.contains(&major)))
}

/// Whether a relation has such a column, or a function returns it.
pub(super) fn has_column(
    kind: BuiltinNameKind,
    schema: Option<&str>,
    name: &str,
    column: &str,
) -> bool {
    find(kind, schema, name).is_some_and(|found| found.columns.split(' ').any(|own| own == column))
}

struct BuiltinName {
    versions: RangeInclusive<u16>,
    /// Their names, separated by spaces.
    columns: &'static str,
}

type BuiltinNameTable =
    HashMap<BuiltinNameKind, HashMap<&'static str, BuiltinName, RandomState>, RandomState>;

fn find(kind: BuiltinNameKind, schema: Option<&str>, name: &str) -> Option<&'static BuiltinName> {
    let table = TABLE.get(&kind)?;
    match schema {
        None | Some("pg_catalog") if name.contains(SEPARATOR) => None,
        None | Some("pg_catalog") => table.get(name),
        Some("information_schema") => {
            table.get(format!("information_schema{SEPARATOR}{name}").as_str())
        }
        Some(_) => None,
    }
}

/// One line; nothing for one that cannot be read, so that its name is none of a built-in.
fn read_line(line: &'static str) -> Option<(BuiltinNameKind, &'static str, BuiltinName)> {
    let mut columns = line.split('\t');
    let kind = match columns.next()? {
        "relation" => BuiltinNameKind::Relation,
        "function" => BuiltinNameKind::Function,
        "type" => BuiltinNameKind::Type,
        "operator" => BuiltinNameKind::Operator,
        _ => return None,
    };
    let name = columns.next()?;
    let (first, last) = columns.next()?.split_once('-')?;
    let last = match last {
        "" => u16::MAX,
        last => last.parse().ok()?,
    };
    let built_in = BuiltinName {
        versions: first.parse().ok()?..=last,
        columns: columns.next()?,
    };
    Some((kind, name, built_in))
}

/// Between a schema and a name.
const SEPARATOR: char = '.';

fn read_table(text: &'static str) -> BuiltinNameTable {
    let mut table = BuiltinNameTable::default();
    for (kind, name, built_in) in text.lines().filter_map(read_line) {
        table.entry(kind).or_default().insert(name, built_in);
    }
    table
}

static TABLE: LazyLock<BuiltinNameTable> = LazyLock::new(|| read_table(NAMES));

const NAMES: &str = include_str!("names.tsv");

#[cfg(test)]
mod tests {
    use super::{BuiltinNameKind, NAMES, has, has_column, read_line};

    #[test]
    fn every_line_is_read_and_in_order() {
        assert!(NAMES.lines().all(|line| read_line(line).is_some()));
        assert!(NAMES.lines().is_sorted());
    }

    #[test]
    fn names_are_those_of_the_server_and_its_schemas() {
        let check = |kind, schema, name, major, expected| {
            assert_eq!(has(kind, schema, name, major), expected, "{name}");
        };
        check(BuiltinNameKind::Relation, None, "pg_class", Some(13), true);
        check(
            BuiltinNameKind::Relation,
            Some("pg_catalog"),
            "pg_class",
            None,
            true,
        );
        check(
            BuiltinNameKind::Relation,
            Some("public"),
            "pg_class",
            None,
            false,
        );
        check(BuiltinNameKind::Relation, None, "orders", None, false);
        check(BuiltinNameKind::Relation, None, "tables", None, false);
        check(
            BuiltinNameKind::Relation,
            None,
            "information_schema.tables",
            None,
            false,
        );
        let of_standard = Some("information_schema");
        check(
            BuiltinNameKind::Relation,
            of_standard,
            "tables",
            Some(18),
            true,
        );
        check(
            BuiltinNameKind::Relation,
            None,
            "pg_stat_io",
            Some(15),
            false,
        );
        check(
            BuiltinNameKind::Relation,
            None,
            "pg_stat_io",
            Some(16),
            true,
        );
        assert!(has_column(
            BuiltinNameKind::Relation,
            None,
            "pg_class",
            "relname"
        ));
        assert!(has_column(
            BuiltinNameKind::Function,
            None,
            "aclexplode",
            "grantee"
        ));
        assert!(!has_column(
            BuiltinNameKind::Relation,
            None,
            "pg_class",
            "lower"
        ));
        check(BuiltinNameKind::Type, None, "int4", Some(15), true);
        check(
            BuiltinNameKind::Type,
            None,
            "int4multirange",
            Some(13),
            false,
        );
        check(BuiltinNameKind::Operator, None, "@>", Some(15), true);
        check(BuiltinNameKind::Operator, None, "===", Some(15), false);
    }
}
