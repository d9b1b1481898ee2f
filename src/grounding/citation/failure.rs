//! What a failure is about: a name, types and values, or the shape of a statement.

use crate::failing_names::{function_in, names_in};

/// What a failure is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FailureSubject {
    pub(super) kind: SubjectKind,
    /// The names that the error has, each in its parts; none where it is not about names.
    pub(super) names: Vec<Vec<String>>,
}

/// Of which kind that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubjectKind {
    /// A name that means nothing, or several things.
    Name,
    /// The same of a column.
    Column,
    /// Types that do not fit, or a value that is none of its type.
    Value,
    /// How the statement is built.
    Shape,
}

impl FailureSubject {
    /// By the error's code and words; none where no record can help: what only happens while rows
    /// are read, what the moment brings, what is not allowed.
    pub(super) fn of(sqlstate: &str, message: &str) -> Option<Self> {
        let names = || names_in(message);
        let function = function_in(message);
        let (kind, names) = match (sqlstate, function) {
            // undefined_column, ambiguous_column
            ("42703" | "42702", _) => (SubjectKind::Column, names()),
            // undefined_table, ambiguous_alias, undefined_object, invalid_schema_name
            ("42P01" | "42P09" | "42704" | "3F000", _) => (SubjectKind::Name, names()),
            // undefined_function, ambiguous_function, wrong_object_type
            ("42883" | "42725" | "42809", Some(name)) => (SubjectKind::Name, vec![name]),
            // the same of operators, datatype_mismatch, cannot_coerce, indeterminate_datatype
            ("42883" | "42725" | "42804" | "42846" | "42P18", _) => {
                (SubjectKind::Value, Vec::new())
            }
            // invalid_text_representation, invalid_datetime_format, datetime_field_overflow,
            // numeric_value_out_of_range
            ("22P02" | "22007" | "22008" | "22003", _) => (SubjectKind::Value, Vec::new()),
            // syntax_error, grouping_error, windowing_error, invalid_column_reference
            ("42601" | "42803" | "42P20" | "42P10", _) => (SubjectKind::Shape, Vec::new()),
            _ => return None,
        };
        Some(Self { kind, names })
    }

    /// The last parts of the names that the error has.
    pub(super) fn last_parts(&self) -> impl Iterator<Item = &str> {
        let names = self.names.iter();
        names.filter_map(|name| name.last().map(String::as_str))
    }
}
