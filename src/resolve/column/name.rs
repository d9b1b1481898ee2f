//! A name as a statement or a snapshot spells it. It is never printed for debugging: the client
//! chose it.

use std::borrow::Cow;
use std::fmt;

/// A name.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SqlName<'a>(Cow<'a, str>);

impl SqlName<'_> {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'a> From<&'a str> for SqlName<'a> {
    fn from(name: &'a str) -> Self {
        Self(Cow::Borrowed(name))
    }
}

impl From<String> for SqlName<'_> {
    fn from(name: String) -> Self {
        Self(Cow::Owned(name))
    }
}

impl fmt::Debug for SqlName<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Name(..)")
    }
}
