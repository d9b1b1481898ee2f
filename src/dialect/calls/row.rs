//! One row of the table of foreign functions.

use super::call::{CallReplacement, ForeignCall};
use super::value_kind::ValueKind;
use crate::dialect::confidence::Confidence;

/// A foreign function and what stands for it.
pub struct ForeignFunction {
    /// Its names.
    pub names: &'static [&'static str],
    /// How many arguments it has at least …
    pub least: usize,
    /// … and at most.
    pub most: usize,
    /// What its arguments have to be.
    pub when: &'static [(usize, ArgumentTest)],
    /// What stands for it.
    pub makes: FunctionEquivalent,
    /// What it then is.
    pub gives: ResultKind,
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

/// What an expression is.
#[derive(Clone, Copy)]
pub enum ResultKind {
    /// Always this.
    Kind(ValueKind),
    /// What the argument of this number is.
    Same(usize),
}

/// What an argument has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentTest {
    /// Of this kind.
    Kind(ValueKind),
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
    gives: ResultKind,
) -> ForeignFunction {
    ForeignFunction {
        names,
        least: arguments,
        most: arguments,
        when: &[],
        makes,
        gives,
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
    gives: ValueKind,
) -> ForeignFunction {
    base(
        names,
        arguments,
        FunctionEquivalent::Text(makes),
        ResultKind::Kind(gives),
    )
}

/// A function that has another name in Postgres.
pub const fn name(
    names: &'static [&'static str],
    arguments: usize,
    other: &'static str,
    gives: ValueKind,
) -> ForeignFunction {
    base(
        names,
        arguments,
        FunctionEquivalent::Name(other),
        ResultKind::Kind(gives),
    )
}

/// A function whose arguments say what stands for it.
pub const fn by(
    names: &'static [&'static str],
    arguments: usize,
    makes: fn(&ForeignCall<'_, '_>) -> Option<CallReplacement>,
    gives: ValueKind,
) -> ForeignFunction {
    base(
        names,
        arguments,
        FunctionEquivalent::By(makes),
        ResultKind::Kind(gives),
    )
}

/// A function that means too many things.
pub const fn hint(names: &'static [&'static str], advice: &'static str) -> ForeignFunction {
    ForeignFunction {
        most: usize::MAX,
        ..base(
            names,
            0,
            FunctionEquivalent::Hint(advice),
            ResultKind::Kind(ValueKind::Unclear),
        )
    }
}

impl ForeignFunction {
    /// It may have more arguments.
    pub const fn up_to(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// It is only meant where arguments are of these kinds.
    pub const fn when(self, when: &'static [(usize, ArgumentTest)]) -> Self {
        Self { when, ..self }
    }

    /// It is of the kind of its argument.
    pub const fn same(self, number: usize) -> Self {
        Self {
            gives: ResultKind::Same(number),
            ..self
        }
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
            Self::Text => matches!(kind, ValueKind::Text | ValueKind::Literal),
            Self::NoText => !matches!(
                kind,
                ValueKind::Text | ValueKind::Literal | ValueKind::Unclear
            ),
            Self::NoNumber => !kind.is_number(),
            Self::Json => matches!(kind, ValueKind::Json | ValueKind::Jsonb),
        }
    }
}
