//! One row of the table of foreign functions.
//!
//! It is no [`FunctionRule`](crate::rules::FunctionRule), which says what a function
//! means in one dialect: that one is chosen by name, and makes of its arguments what they have to
//! be. Here nobody says which dialect a name is of. A row stands for all that have the function,
//! several rows of a name are told apart by the types that Postgres gives to their arguments
//! (`when`), and how sure the choice is belongs to the row. Both have the same words for results
//! ([`ReturnType`]), types ([`SqlType`]) and templates.

use super::call::{CallReplacement, ForeignCall};
use crate::confidence::Confidence;
use crate::rules::{ArgumentCount, ReturnType, UNCLEAR};
use crate::sql_type::SqlType;

/// A foreign function and what stands for it.
pub struct ForeignFunction {
    /// Its names.
    pub names: &'static [&'static str],
    /// How few and how many arguments it takes.
    pub arguments: ArgumentCount,
    /// What its arguments have to be.
    pub when: &'static [(usize, ArgumentTest)],
    /// What stands for it.
    pub makes: FunctionEquivalent,
    /// The type of that.
    pub returns: ReturnType,
    /// How sure that is, if every argument is what it should be.
    pub confidence: Confidence,
    /// Whether Postgres has functions of this name, for other arguments.
    pub known: bool,
    /// Where it comes from.
    pub source: &'static str,
    /// A statement with it, …
    pub before: &'static str,
    /// … the same for Postgres, or words of the hint, …
    pub after: &'static str,
    /// … and the value that the documentation of the source gives.
    pub value: &'static str,
}

/// What stands for a foreign function.
pub enum FunctionEquivalent {
    /// An expression with places for its arguments; see [`super::template`].
    Text(&'static str),
    /// Another name, everything else left as it is.
    Name(&'static str),
    /// What its arguments say.
    By(fn(&ForeignCall<'_, '_>) -> Option<CallReplacement>),
    /// Nothing that means the same for certain.
    Hint(&'static str),
}

/// What an argument has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentTest {
    /// Of this kind.
    Kind(SqlType),
    /// A date or a point in time.
    Temporal,
    /// A number of any kind.
    Number,
    /// A string that is written out.
    Literal,
    /// An integer that is written out.
    WrittenInteger,
    /// Text, or a string that is written out.
    Text,
    /// Known, and no text.
    NoText,
    /// Anything but a number.
    NoNumber,
    /// `json` or `jsonb`.
    Json,
}

/// The name of a function.
const fn base(
    names: &'static [&'static str],
    arguments: usize,
    makes: FunctionEquivalent,
    returns: ReturnType,
) -> ForeignFunction {
    ForeignFunction {
        names,
        arguments: (arguments, arguments),
        when: &[],
        makes,
        returns,
        confidence: Confidence::Exact,
        known: false,
        source: "",
        before: "",
        after: "",
        value: "",
    }
}

/// A function that an expression stands for.
pub const fn text(
    names: &'static [&'static str],
    arguments: usize,
    makes: &'static str,
    returns: ReturnType,
) -> ForeignFunction {
    base(names, arguments, FunctionEquivalent::Text(makes), returns)
}

/// A function that has another name in Postgres.
pub const fn name(
    names: &'static [&'static str],
    arguments: usize,
    other: &'static str,
    returns: ReturnType,
) -> ForeignFunction {
    base(names, arguments, FunctionEquivalent::Name(other), returns)
}

/// A function whose arguments say what stands for it.
pub const fn by(
    names: &'static [&'static str],
    arguments: usize,
    makes: fn(&ForeignCall<'_, '_>) -> Option<CallReplacement>,
    returns: ReturnType,
) -> ForeignFunction {
    base(names, arguments, FunctionEquivalent::By(makes), returns)
}

/// A function that means too many things.
pub const fn hint(names: &'static [&'static str], advice: &'static str) -> ForeignFunction {
    ForeignFunction {
        arguments: (0, usize::MAX),
        ..base(names, 0, FunctionEquivalent::Hint(advice), UNCLEAR)
    }
}

impl ForeignFunction {
    /// It may have more arguments.
    pub const fn up_to(self, most: usize) -> Self {
        Self {
            arguments: (self.arguments.0, most),
            ..self
        }
    }

    /// It is only meant where arguments are of these kinds.
    pub const fn when(self, when: &'static [(usize, ArgumentTest)]) -> Self {
        Self { when, ..self }
    }

    /// Dialects differ, or a value may not fit.
    pub const fn likely(self) -> Self {
        Self {
            confidence: Confidence::Likely,
            ..self
        }
    }

    /// Postgres has functions of this name; what it is meant for fits none of them.
    pub const fn known(self) -> Self {
        Self {
            known: true,
            ..self
        }
    }

    /// Where it comes from, and a case.
    pub const fn case(
        self,
        source: &'static str,
        before: &'static str,
        after: &'static str,
        value: &'static str,
    ) -> Self {
        Self {
            source,
            before,
            after,
            value,
            ..self
        }
    }
}

impl ArgumentTest {
    /// Whether an argument is that.
    pub fn holds(self, call: &ForeignCall<'_, '_>, number: usize) -> bool {
        let kind = call.kind(number);
        match self {
            Self::Kind(wanted) => kind == wanted,
            Self::Temporal => kind.is_temporal(),
            Self::Number => kind.is_number(),
            Self::Literal => call.literal(number).is_some(),
            Self::WrittenInteger => call.integer(number).is_some(),
            Self::Text => matches!(kind, SqlType::Text | SqlType::Literal),
            Self::NoText => !matches!(kind, SqlType::Text | SqlType::Literal | SqlType::Unclear),
            Self::NoNumber => !kind.is_number(),
            Self::Json => matches!(kind, SqlType::Json | SqlType::Jsonb),
        }
    }
}
