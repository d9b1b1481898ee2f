//! Which names must be quoted in what people read, as Postgres decides it (quote_identifier in
//! utils/adt/ruleutils.c).

use std::borrow::Cow;

/// A name as it can be written in SQL: as it is, or in quotes.
pub fn quoted(name: &str) -> Cow<'_, str> {
    let mut letters = name.bytes();
    let is_plain = letters
        .next()
        .is_some_and(|first| first.is_ascii_lowercase() || first == b'_')
        && letters.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if is_plain && RESERVED.binary_search(&name).is_err() {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
}

/// The keywords that are not free for every use, of versions 13 to 18, sorted
/// (`pg_get_keywords()`).
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization",
    "between", "bigint", "binary", "bit", "boolean", "both", "case", "cast", "char", "character",
    "check", "coalesce", "collate", "collation", "column", "concurrently", "constraint", "create",
    "cross", "current_catalog", "current_date", "current_role", "current_schema", "current_time",
    "current_timestamp", "current_user", "dec", "decimal", "default", "deferrable", "desc",
    "distinct", "do", "else", "end", "except", "exists", "extract", "false", "fetch", "float",
    "for", "foreign", "freeze", "from", "full", "grant", "greatest", "group", "grouping", "having",
    "ilike", "in", "initially", "inner", "inout", "int", "integer", "intersect", "interval", "into",
    "is", "isnull", "join", "json", "json_array", "json_arrayagg", "json_exists", "json_object",
    "json_objectagg", "json_query", "json_scalar", "json_serialize", "json_table", "json_value",
    "lateral", "leading", "least", "left", "like", "limit", "localtime", "localtimestamp",
    "merge_action", "national", "natural", "nchar", "none", "normalize", "not", "notnull", "null",
    "nullif", "numeric", "offset", "on", "only", "or", "order", "out", "outer", "overlaps",
    "overlay", "placing", "position", "precision", "primary", "real", "references", "returning",
    "right", "row", "select", "session_user", "setof", "similar", "smallint", "some", "substring",
    "symmetric", "system_user", "table", "tablesample", "then", "time", "timestamp", "to",
    "trailing", "treat", "trim", "true", "union", "unique", "user", "using", "values", "varchar",
    "variadic", "verbose", "when", "where", "window", "with", "xmlattributes", "xmlconcat",
    "xmlelement", "xmlexists", "xmlforest", "xmlnamespaces", "xmlparse", "xmlpi", "xmlroot",
    "xmlserialize", "xmltable",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert!(RESERVED.is_sorted());
        for plain in ["orders", "_x9", "name", "type", "schema"] {
            assert_eq!(quoted(plain), plain);
        }
        for (name, wanted) in [
            ("", "\"\""),
            ("Orders", "\"Orders\""),
            ("9x", "\"9x\""),
            ("a b", "\"a b\""),
            ("a\"b", "\"a\"\"b\""),
            ("größe", "\"größe\""),
            ("order", "\"order\""),
            ("left", "\"left\""),
            ("char", "\"char\""),
            ("user", "\"user\""),
        ] {
            assert_eq!(quoted(name), wanted);
        }
    }
}
