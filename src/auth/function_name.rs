//! The name of the function that the upstream is asked for verifiers by. It goes into a statement:
//! it is two names, and never SQL.

use std::fmt;

use crate::limits;

/// The name of a function, with its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionName {
    schema: Box<str>,
    name: Box<str>,
}

impl FunctionName {
    /// Reads `schema.name`, each as it is in the database, without quotes.
    pub fn parse(text: &str) -> Option<Self> {
        let (schema, name) = text.split_once('.')?;
        let is_name = |part: &str| {
            (1..=limits::NAME_BYTES_MAX).contains(&part.len())
                && !part.contains(['.', '"', '\0'])
                && part.trim() == part
        };
        (is_name(schema) && is_name(name)).then(|| Self {
            schema: schema.into(),
            name: name.into(),
        })
    }

    /// The schema.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// The name in it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Both in quotes.
    pub fn quoted(&self) -> String {
        format!("\"{}\".\"{}\"", self.schema, self.name)
    }
}

impl fmt::Display for FunctionName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.schema, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_a_name_in_a_schema_and_nothing_else() {
        let read = FunctionName::parse("pgsieve.user_lookup").unwrap();
        assert_eq!(read.quoted(), "\"pgsieve\".\"user_lookup\"");
        assert_eq!(read.to_string(), "pgsieve.user_lookup");
        let odd = FunctionName::parse("My Schema.get; DROP TABLE x").unwrap();
        assert_eq!(odd.quoted(), "\"My Schema\".\"get; DROP TABLE x\"");
        let long = format!("a.{}", "b".repeat(64));
        for text in [
            "", "a", ".", "a.", ".b", "a.b.c", "a.\"b\"", "a.b\0", " a.b", "a. b", &long,
        ] {
            assert!(FunctionName::parse(text).is_none(), "{text}");
        }
    }
}
