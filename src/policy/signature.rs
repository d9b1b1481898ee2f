//! The functions that a policy names: `f`, `shop.f` or `shop.f(integer, text)`.
//!
//! Names are taken as they are written, without folding; a name with anything but letters, digits,
//! `_`, `$` and `-` in it stands in double quotes. Types are compared as what they mean: `int`,
//! `int4` and `integer` are one type. A type of a user without its schema is looked for beside the
//! function and in `public`, and nowhere else.

use std::fmt;

/// One entry of `functions.allow`, `functions.deny` or `functions.any_search_path`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionSignature {
    schema: Option<String>,
    name: String,
    /// None names every overload.
    arguments: Option<Vec<ArgumentName>>,
}

/// A type as an entry names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ArgumentName {
    schema: Option<String>,
    /// The server's own name: `int4` for `integer`.
    name: String,
    is_array: bool,
}

/// The type of an argument as a catalog has it: of an array the type of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogArgument<'a> {
    /// The schema of the type.
    pub schema: &'a str,
    /// The name of the type (`int4`, not `integer`).
    pub name: &'a str,
    /// Whether the argument is an array of it.
    pub is_array: bool,
}

impl FunctionSignature {
    /// Reads an entry, or says what is wrong with it.
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let (name, rest) = dotted(text)?;
        if name.1.contains('*') || name.0.as_ref().is_some_and(|own| own.contains('*')) {
            return Err(NO_WILDCARD);
        }
        let arguments = match rest.trim() {
            "" => None,
            rest => {
                let inside = rest
                    .strip_prefix('(')
                    .and_then(|rest| rest.strip_suffix(')'));
                Some(arguments(inside.ok_or(WANTED)?)?)
            }
        };
        let (schema, name) = name;
        Ok(Self {
            schema,
            name,
            arguments,
        })
    }

    /// The name, without its schema.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it names all functions of a name that are called with or without a schema.
    pub(super) fn is_spelled(&self, schema: Option<&str>, name: &str) -> bool {
        self.arguments.is_none() && self.schema.as_deref() == schema && self.name == name
    }

    /// Whether it may name what is called by a name.
    pub(super) fn may_be(&self, schema: Option<&str>, name: &str) -> bool {
        let written = schema.zip(self.schema.as_deref());
        self.name == name && written.is_none_or(|(schema, own)| schema == own)
    }

    /// Whether it names this function.
    pub fn names(&self, schema: &str, name: &str, given: &[CatalogArgument<'_>]) -> bool {
        let same_name = self.name == name && self.schema.as_deref().is_none_or(|own| own == schema);
        same_name
            && self.arguments.as_ref().is_none_or(|named| {
                let mut pairs = named.iter().zip(given);
                named.len() == given.len() && pairs.all(|(named, given)| named.is(given, schema))
            })
    }
}

impl fmt::Display for FunctionSignature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(schema) = &self.schema {
            write!(formatter, "{schema}.")?;
        }
        formatter.write_str(&self.name)?;
        let Some(arguments) = &self.arguments else {
            return Ok(());
        };
        let names = arguments.iter().map(|argument| argument.name.as_str());
        let names: Vec<&str> = names.collect();
        write!(formatter, "({})", names.join(", "))
    }
}

impl ArgumentName {
    fn read(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        let text = text
            .strip_prefix("VARIADIC ")
            .or(text.strip_prefix("variadic "))
            .unwrap_or(text);
        let (element, dimensions) = text.split_once('[').unwrap_or((text, ""));
        if !dimensions
            .chars()
            .all(|letter| "[] ".contains(letter) || letter.is_ascii_digit())
        {
            return Err(TYPE_WANTED);
        }
        let element = element.trim();
        let words: Vec<&str> = element.split_whitespace().collect();
        let spoken = words.join(" ").to_ascii_lowercase();
        if let Some((_, name)) = SPELLINGS.iter().find(|(spelling, _)| *spelling == spoken) {
            return Ok(Self {
                schema: Some("pg_catalog".into()),
                name: (*name).into(),
                is_array: text.contains('['),
            });
        }
        let ((schema, name), rest) = dotted(element).map_err(|_| TYPE_WANTED)?;
        if !rest.trim().is_empty() {
            return Err(TYPE_WANTED);
        }
        Ok(Self {
            schema,
            name,
            is_array: text.contains('['),
        })
    }

    fn is(&self, given: &CatalogArgument<'_>, beside: &str) -> bool {
        let in_schema = match &self.schema {
            Some(own) => own == given.schema,
            None => ["pg_catalog", "public", beside].contains(&given.schema),
        };
        in_schema && self.name == given.name && self.is_array == given.is_array
    }
}

/// The types between the parentheses.
fn arguments(text: &str) -> Result<Vec<ArgumentName>, &'static str> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut quoted = false;
    let outside = |letter: char| {
        quoted ^= letter == '"';
        letter == ',' && !quoted
    };
    text.split(outside).map(ArgumentName::read).collect()
}

/// A name with or without a schema.
type DottedName = (Option<String>, String);

/// A name at the beginning, and what follows it.
pub(super) fn dotted(text: &str) -> Result<(DottedName, &str), &'static str> {
    let (first, rest) = part(text.trim())?;
    let Some(rest) = rest.strip_prefix('.') else {
        return Ok(((None, first), rest));
    };
    let (second, rest) = part(rest)?;
    Ok(((Some(first), second), rest))
}

/// The parts of a name of any length; none when there is something else beside it.
pub fn parts(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let (name, after) = part(rest).ok()?;
        parts.push(name);
        if after.is_empty() {
            return Some(parts);
        }
        rest = after.strip_prefix('.')?;
    }
}

/// One part of a name, quoted or not, and what follows it.
fn part(text: &str) -> Result<(String, &str), &'static str> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(needs_quotes).unwrap_or(text.len());
        let (name, rest) = text.split_at_checked(end).ok_or(WANTED)?;
        return if name.is_empty() {
            Err(WANTED)
        } else {
            Ok((name.into(), rest))
        };
    };
    let mut name = String::new();
    let mut rest = quoted;
    loop {
        let (before, after) = rest.split_once('"').ok_or(WANTED)?;
        name.push_str(before);
        let Some(more) = after.strip_prefix('"') else {
            return if name.is_empty() {
                Err(WANTED)
            } else {
                Ok((name, after))
            };
        };
        name.push('"');
        rest = more;
    }
}

/// Whether a name with this letter stands in double quotes. Many that would do without are among
/// them: whoever writes `shop.secret%` means a wildcard, and would hide nothing.
pub(super) fn needs_quotes(letter: char) -> bool {
    letter.is_ascii() && !letter.is_ascii_alphanumeric() && !"_$-*".contains(letter)
        || letter.is_whitespace()
}

const WANTED: &str =
    "a function is wanted: name, schema.name, or schema.name(type, …), such as shop.f(integer)";

const NO_WILDCARD: &str = "functions are named one by one: * is no wildcard here";

const TYPE_WANTED: &str = "a list of types is wanted between the parentheses, without names, \
    lengths and OUT arguments, such as shop.f(integer, text[])";

/// The spellings of types that SQL or Postgres's grammar have of their own, and the server's names.
/// A type `char` without quotes is `bpchar`; the one of a single byte is `"char"`.
const SPELLINGS: &[(&str, &str)] = &[
    ("bigint", "int8"),
    ("bit", "bit"),
    ("bit varying", "varbit"),
    ("boolean", "bool"),
    ("char", "bpchar"),
    ("char varying", "varchar"),
    ("character", "bpchar"),
    ("character varying", "varchar"),
    ("dec", "numeric"),
    ("decimal", "numeric"),
    ("double precision", "float8"),
    ("float", "float8"),
    ("int", "int4"),
    ("integer", "int4"),
    ("national char", "bpchar"),
    ("national char varying", "varchar"),
    ("national character", "bpchar"),
    ("national character varying", "varchar"),
    ("nchar", "bpchar"),
    ("nchar varying", "varchar"),
    ("numeric", "numeric"),
    ("real", "float4"),
    ("smallint", "int2"),
    ("time", "time"),
    ("time with time zone", "timetz"),
    ("time without time zone", "time"),
    ("timestamp", "timestamp"),
    ("timestamp with time zone", "timestamptz"),
    ("timestamp without time zone", "timestamp"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A type as `schema.name` with or without `[]`.
    fn given(text: &str) -> CatalogArgument<'_> {
        let (schema, name) = text.split_once('.').unwrap();
        CatalogArgument {
            schema,
            name: name.trim_end_matches("[]"),
            is_array: name.ends_with("[]"),
        }
    }

    #[track_caller]
    fn check(entry: &str, function: (&str, &str), arguments: &[&str], named: bool) {
        let arguments: Vec<CatalogArgument<'_>> =
            arguments.iter().map(|text| given(text)).collect();
        let signature = FunctionSignature::read(entry).unwrap();
        assert_eq!(signature.names(function.0, function.1, &arguments), named);
    }

    #[test]
    fn without_types_every_overload_is_named() {
        let f = ("shop", "f");
        check("f", f, &[], true);
        check("f", f, &["pg_catalog.int4"], true);
        check("shop.f", f, &["pg_catalog.int4"], true);
        check("other.f", f, &[], false);
        check("g", f, &[], false);
        check("F", f, &[], false);
        check("\"shop\".\"f\"", f, &[], true);
        check("shop.\"a.b(\"\"c\"", ("shop", "a.b(\"c"), &[], true);
    }

    #[test]
    fn types_are_compared_as_what_they_mean() {
        let f = ("shop", "f");
        for spelling in ["int", "INTEGER", "int4", "pg_catalog.int4", " integer "] {
            check(
                &format!("shop.f({spelling})"),
                f,
                &["pg_catalog.int4"],
                true,
            );
        }
        for (spelling, meant) in SPELLINGS {
            check(
                &format!("f({spelling})"),
                f,
                &[&format!("pg_catalog.{meant}")],
                true,
            );
            check(
                &format!("f({spelling}[])"),
                f,
                &[&format!("pg_catalog.{meant}[]")],
                true,
            );
        }
        check("f()", f, &[], true);
        check("f()", f, &["pg_catalog.int4"], false);
        check("f(int)", f, &[], false);
        check("f(int)", f, &["pg_catalog.int8"], false);
        check("f(int)", f, &["pg_catalog.int4[]"], false);
        check("f(int)", f, &["evil.int4"], false);
        check("f(\"char\")", f, &["pg_catalog.char"], true);
        check(
            "f(double  precision, text)",
            f,
            &["pg_catalog.float8", "pg_catalog.text"],
            true,
        );
        check("f(VARIADIC text[])", f, &["pg_catalog.text[]"], true);
    }

    #[test]
    fn types_of_users_are_looked_for_beside_the_function_and_in_public() {
        let f = ("shop", "f");
        check("f(color)", f, &["shop.color"], true);
        check("f(color)", f, &["public.color"], true);
        check("f(color)", f, &["evil.color"], false);
        check("f(evil.color)", f, &["evil.color"], true);
        check("f(\"a, b\".\"c\"\"d\")", f, &["a, b.c\"d"], true);
    }

    #[test]
    fn what_is_no_function_is_said_so() {
        for wrong in [
            "",
            " ",
            ".",
            "a.",
            ".a",
            "a.b.c",
            "a b",
            "a(",
            "a)",
            "a(int",
            "a(int) x",
            "\"a",
            "\"\"",
            "a(int,)",
            "a(x int)",
            "a(numeric(10, 2))",
            "a(int[x])",
            "a(OUT int)",
        ] {
            assert!(FunctionSignature::read(wrong).is_err(), "{wrong}");
        }
    }
}
