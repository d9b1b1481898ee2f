//! What becomes of each class of failures, as policies/README.md shows it. Test code only: it holds
//! the table against the classes, their recoverers and the corpora.

use crate::failure::FailureClass;
use crate::hints::{self, messages};
use crate::recoverers;
use policy::Recoverer;

/// One class of failures.
struct ClassRow {
    class: FailureClass,
    /// Its codes.
    codes: &'static [&'static str],
    /// What is repaired for certain; nothing where it is empty.
    exact: &'static str,
    /// What is repaired likely; nothing where it is empty.
    likely: &'static str,
    /// What the HINT says where nothing is repaired.
    hint: &'static str,
}

const CLASSES: &[ClassRow] = &[
    ClassRow {
        class: FailureClass::SyntaxError,
        codes: &["42601", "22025", "42939"],
        exact: "other dialects, foreign quotes, apostrophes, typos in keywords, commas, missing aliases",
        likely: "dialects whose meaning is not certain",
        hint: "what is missing or too much at the place, or how Postgres writes it",
    },
    ClassRow {
        class: FailureClass::UndefinedTable,
        codes: &["42P01", "0A000"],
        exact: "an alias in place of the table's name, letter case",
        likely: "schema left out or wrong, plural, misspelt names",
        hint: "the nearest relations, the joins that are missing, where a query of WITH has to stand",
    },
    ClassRow {
        class: FailureClass::UndefinedColumn,
        codes: &["42703"],
        exact: "letter case, texts in double quotes, names of results",
        likely: "wrong qualifiers, misspelt names, columns one foreign key away, joins over the only relation whose keys lead to both sides",
        hint: "the nearest columns, the relation that has it and the joins that lead there, keys of JSON",
    },
    ClassRow {
        class: FailureClass::AmbiguousColumn,
        codes: &["42702"],
        exact: "columns that the join makes equal",
        likely: "names of results in GROUP BY that a column has too, a name that is compared with itself over a join, the only one that is grouped",
        hint: "the qualified names to choose from",
    },
    ClassRow {
        class: FailureClass::GroupingError,
        codes: &["42803"],
        exact: "columns that the grouped ones determine",
        likely: "GROUP BY of the columns beside a HAVING without groups; in texts of MySQL and SQLite: columns of one row of each group",
        hint: "both ways to write it, or where the aggregate has to stand",
    },
    ClassRow {
        class: FailureClass::UndefinedFunction,
        codes: &["42883"],
        exact: "functions and operators of other dialects, casts that change no value",
        likely: "calls whose meaning differs between dialects, casts that may fail",
        hint: "the types that the function takes, the nearest functions, what to cast",
    },
    ClassRow {
        class: FailureClass::DatatypeMismatch,
        codes: &["42804"],
        exact: "constants written in the type of their neighbours, numbers and booleans beside each other",
        likely: "",
        hint: "which side to cast, or how the condition is written",
    },
    ClassRow {
        class: FailureClass::DuplicateAlias,
        codes: &["42712"],
        exact: "",
        likely: "",
        hint: "which alias to rename",
    },
    ClassRow {
        class: FailureClass::InvalidColumnReference,
        codes: &["42P10"],
        exact: "DISTINCT beside an ORDER BY of what the selected columns decide",
        likely: "DISTINCT beside an ORDER BY of an aggregate; names beyond the last column that nothing uses; columns that a list names and its query left out",
        hint: "how many columns and names there are, or what distinct rows can be sorted by",
    },
    ClassRow {
        class: FailureClass::InvalidTextRepresentation,
        codes: &["22P02", "22007", "22008"],
        exact: "numbers with a fraction compared with integers",
        likely: "texts beside numbers in COALESCE, CASE and UNION, parts of JSON, calls of dates and numbers in quotes, texts beside a key that is a number",
        hint: "what a value of the type looks like, or which side to cast",
    },
    ClassRow {
        class: FailureClass::UndefinedObject,
        codes: &["42704", "22023"],
        exact: "types of other dialects, parts of dates such as DAYOFYEAR",
        likely: "parts of dates that dialects count otherwise, such as DAYOFWEEK",
        hint: "the types and other objects that there are",
    },
];

/// The table of policies/README.md.
fn markdown() -> String {
    let mut lines = vec![
        "| SQLSTATE | class | repaired exactly | likely | otherwise the HINT says |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    for row in CLASSES {
        let cell = |text: &str| {
            if text.is_empty() {
                "–".to_owned()
            } else {
                text.to_owned()
            }
        };
        lines.push(format!(
            "| {} | `{}` | {} | {} | {} |",
            row.codes.join(", "),
            row.class.name(),
            cell(row.exact),
            cell(row.likely),
            row.hint
        ));
    }
    lines.push(format!(
        "| {} | any other | – | – | what to write instead, from the words of the error |",
        unrepaired().join(", ")
    ));
    lines.join("\n")
}

/// The codes of errors that are not repaired, and get a HINT.
fn unrepaired() -> Vec<&'static str> {
    let mut codes = messages::sqlstates();
    codes.retain(|code| FailureClass::of(code, "").is_none() && !hints::is_of_run_time(code, ""));
    codes
}

#[test]
fn the_table_of_the_readme_is_this_one() {
    let readme = include_str!("../../policies/README.md");
    let table = markdown();
    assert!(
        readme.contains(&table),
        "policies/README.md has another table than:\n{table}"
    );
}

#[test]
fn every_class_has_its_row_and_its_codes() {
    for code in messages::sqlstates() {
        let Some(class) = FailureClass::of(code, "") else {
            continue;
        };
        let row = CLASSES.iter().find(|row| row.class == class).unwrap();
        assert!(
            row.codes.contains(&code),
            "{code} is not in the row of {}",
            class.name()
        );
    }
    for row in CLASSES {
        for code in row.codes {
            let class = FailureClass::of(code, REPAIRED_MESSAGES);
            assert_eq!(class, Some(row.class), "{code}");
        }
        assert!(!recoverers::of(row.class).is_empty() && !row.hint.is_empty());
    }
}

/// Words of codes that are repaired in some messages alone.
const REPAIRED_MESSAGES: &str = "cross-database references, 1 columns available but 2 columns, \
    unit \"dayofweek\" not recognized";

/// What a recoverer repairs for certain, or likely, is in the row of its class, and nothing else.
#[test]
fn rows_are_those_of_the_corpora() {
    for (class, recoverer, corpus) in CORPORA {
        let row = CLASSES.iter().find(|row| row.class == *class).unwrap();
        assert!(recoverers::of(*class).contains(recoverer), "{recoverer:?}");
        let has = |mark: &str| corpus.lines().any(|line| line.starts_with(mark));
        assert_eq!(!row.exact.is_empty(), has("E "), "{recoverer:?} exactly");
        assert_eq!(!row.likely.is_empty(), has("L "), "{recoverer:?} likely");
    }
}

#[rustfmt::skip]
const CORPORA: &[(FailureClass, Recoverer, &str)] = &[
    (FailureClass::UndefinedTable, Recoverer::UndefinedTable, include_str!("../../tests/data/corpus/recoverers/undefined_table.txt")),
    (FailureClass::UndefinedColumn, Recoverer::UndefinedColumn, include_str!("../../tests/data/corpus/recoverers/undefined_column.txt")),
    (FailureClass::AmbiguousColumn, Recoverer::AmbiguousColumn, include_str!("../../tests/data/corpus/recoverers/ambiguous_column.txt")),
    (FailureClass::GroupingError, Recoverer::GroupingError, include_str!("../../tests/data/corpus/recoverers/grouping_error.txt")),
    (FailureClass::UndefinedFunction, Recoverer::UndefinedOperator, include_str!("../../tests/data/corpus/recoverers/undefined_operator.txt")),
    (FailureClass::DatatypeMismatch, Recoverer::DatatypeMismatch, include_str!("../../tests/data/corpus/recoverers/datatype_mismatch.txt")),
    (FailureClass::DuplicateAlias, Recoverer::DuplicateAlias, include_str!("../../tests/data/corpus/recoverers/duplicate_alias.txt")),
    (FailureClass::InvalidTextRepresentation, Recoverer::InvalidTextRepresentation, include_str!("../../tests/data/corpus/recoverers/invalid_text_representation.txt")),
];
