//! The functions of dialects: one row each, with its documentation and a case that runs as a test.
//!
//! Tables of rows stand in the dialects' folders, by subject; a row is a line and says all about
//! its function. [`standard`](super::standard) has those that several dialects share.
//!
//! A foreign function in a text that Postgres itself reads is looked for in the rows of
//! [`calls`](super::calls) instead, whose [`row`](super::calls::row) says why they are others.

use super::translator::Translator;
use super::translator::call::SourceCall;
use super::translator::translated::Translated;
use super::translator::untranslatable::TranslateResult;
use crate::sql_type::SqlType;

/// One function of a dialect.
#[derive(Clone, Copy)]
pub struct FunctionRule {
    /// Its name, in small letters.
    pub name: &'static str,
    /// How few and how many arguments it takes.
    pub arguments: ArgumentCount,
    /// How it is written.
    pub write: FunctionTranslation,
    /// Its documentation in the source dialect.
    pub doc: &'static str,
    /// A call, and what it becomes, in a world where `t.n` is an integer, `t.s` a text, `t.d` a
    /// date, `t.m` a timestamp, `t.q` a numeric, `t.f` a double,
    /// `t.b` a boolean, `t.j` a jsonb and `t.id` an integer that is never NULL.
    pub case: (&'static str, &'static str),
}

/// How a function is written.
#[derive(Clone, Copy)]
pub enum FunctionTranslation {
    /// A call of Postgres's function of this name with the same meaning.
    Plain(&'static str, &'static [ArgumentType], ReturnType),
    /// A [template](super::template) in which `{1!}` is the first argument.
    Template(&'static str, &'static [ArgumentType], ReturnType),
    /// An aggregate of Postgres with the same meaning: it takes DISTINCT, FILTER and OVER.
    Aggregate(&'static str, &'static [ArgumentType], ReturnType),
    /// A window function of Postgres with the same meaning.
    Window(&'static str, &'static [ArgumentType], ReturnType),
    /// By code.
    By(TranslateFn),
}

/// Code that writes a call. It reads everything of it, OVER included.
pub type TranslateFn = fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>;

/// What an argument has to be. The last of a list stands for all that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentType {
    /// Anything.
    Any,
    /// A text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// A number, as numeric: doubles are refused.
    Decimal,
    /// A number, as a double.
    Double,
    /// A date; the date of a timestamp.
    Date,
    /// A timestamp; the beginning of a date.
    Timestamp,
    /// A date or a timestamp, as it is.
    Temporal,
    /// A condition.
    Condition,
}

/// The type of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnType {
    /// This.
    Kind(SqlType),
    /// That of the argument of this number, from 1.
    Argument(usize),
    /// What all arguments have in common.
    Common,
}

/// The result is of the type of the first argument.
pub const FIRST: ReturnType = ReturnType::Argument(1);
/// The type of the result cannot be told from the row.
pub const UNCLEAR: ReturnType = ReturnType::Kind(SqlType::Unclear);
/// The result is a whole number.
pub const INTEGER: ReturnType = ReturnType::Kind(SqlType::Integer);
/// The result is exact, with a fraction.
pub const DECIMAL: ReturnType = ReturnType::Kind(SqlType::Decimal);
/// The result is a double.
pub const FLOAT: ReturnType = ReturnType::Kind(SqlType::Float);
/// The result is a text.
pub const TEXT: ReturnType = ReturnType::Kind(SqlType::Text);
/// The result is a condition.
pub const BOOL: ReturnType = ReturnType::Kind(SqlType::Bool);
/// The result is a date.
pub const DATE: ReturnType = ReturnType::Kind(SqlType::Date);
/// The result is a timestamp without a time zone.
pub const TIMESTAMP: ReturnType = ReturnType::Kind(SqlType::Timestamp);
/// The result is a timestamp with a time zone.
pub const TIMESTAMP_TZ: ReturnType = ReturnType::Kind(SqlType::TimestampTz);

/// How few and how many arguments a function takes.
pub type ArgumentCount = (usize, usize);

/// A function that is written by code.
pub const fn by(
    name: &'static str,
    arguments: ArgumentCount,
    write: TranslateFn,
    doc: &'static str,
    before: &'static str,
    after: &'static str,
) -> FunctionRule {
    rule(
        name,
        arguments,
        FunctionTranslation::By(write),
        doc,
        (before, after),
    )
}

/// A function that is called `here` in Postgres.
#[expect(clippy::too_many_arguments, reason = "a row of a table")]
pub const fn plain(
    name: &'static str,
    arguments: ArgumentCount,
    here: &'static str,
    takes: &'static [ArgumentType],
    returns: ReturnType,
    doc: &'static str,
    before: &'static str,
    after: &'static str,
) -> FunctionRule {
    let write = FunctionTranslation::Plain(here, takes, returns);
    rule(name, arguments, write, doc, (before, after))
}

/// A function that a [template](super::template) stands for.
#[expect(clippy::too_many_arguments, reason = "a row of a table")]
pub const fn template(
    name: &'static str,
    arguments: ArgumentCount,
    text: &'static str,
    takes: &'static [ArgumentType],
    returns: ReturnType,
    doc: &'static str,
    before: &'static str,
    after: &'static str,
) -> FunctionRule {
    let write = FunctionTranslation::Template(text, takes, returns);
    rule(name, arguments, write, doc, (before, after))
}

/// An aggregate that is called `here` in Postgres.
#[expect(clippy::too_many_arguments, reason = "a row of a table")]
pub const fn aggregate(
    name: &'static str,
    arguments: ArgumentCount,
    here: &'static str,
    takes: &'static [ArgumentType],
    returns: ReturnType,
    doc: &'static str,
    before: &'static str,
    after: &'static str,
) -> FunctionRule {
    let write = FunctionTranslation::Aggregate(here, takes, returns);
    rule(name, arguments, write, doc, (before, after))
}

/// A window function that Postgres has under the same name.
pub const fn window(
    name: &'static str,
    arguments: ArgumentCount,
    takes: &'static [ArgumentType],
    returns: ReturnType,
    doc: &'static str,
    before: &'static str,
    after: &'static str,
) -> FunctionRule {
    let write = FunctionTranslation::Window(name, takes, returns);
    rule(name, arguments, write, doc, (before, after))
}

const fn rule(
    name: &'static str,
    arguments: ArgumentCount,
    write: FunctionTranslation,
    doc: &'static str,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write,
        doc,
        case,
    }
}
