//! What has no translation, in words for the client.

use std::fmt;

/// Something in a foreign text that has no exact equivalent here.
#[derive(Clone, PartialEq, Eq)]
pub struct Untranslatable {
    /// What it is: `the function FOO()`, `a user variable`.
    pub what: String,
    /// What to write instead, as a sentence without its full stop, where that is known.
    pub hint: Option<String>,
    /// Whether the text is not of one dialect at all: then nothing is said about it.
    pub mixed: bool,
}

/// What comes of translating a part.
pub type TranslateResult<T> = Result<T, Untranslatable>;

impl Untranslatable {
    /// A function without a mapping, or with arguments that have none.
    pub fn function(name: &str) -> Self {
        Self::construct(&format!("the function {}()", name.to_uppercase()))
    }

    /// A part of the language without a mapping.
    pub fn construct(what: &str) -> Self {
        Self {
            what: what.to_owned(),
            hint: None,
            mixed: false,
        }
    }

    /// Something that the dialect does not have, and Postgres does: the text is a mixture, which
    /// the dialect's meaning must not be put on.
    pub fn mixed() -> Self {
        Self {
            mixed: true,
            ..Self::construct("a mixture of dialects")
        }
    }

    /// A variable, whose value nobody knows here.
    pub fn variable(name: &str) -> Self {
        Self::construct(&format!("the variable {name}"))
            .hint("write $1, or put the value in its place")
    }

    /// With words on what to write instead.
    #[must_use]
    pub fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }
}

impl fmt::Debug for Untranslatable {
    /// Without the words: they name what the text says.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Untranslatable(..)")
    }
}
