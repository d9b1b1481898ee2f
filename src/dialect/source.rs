//! What a dialect brings along: the words that only it has, its habits, its functions, and hooks
//! for what tables cannot say.

use sqlparser::ast::{BinaryOperator, DataType, Expr, ObjectName, TableFactor, Value};
use sqlparser::tokenizer::TokenWithSpan;

use super::translator::Writer;
use super::translator::call::Call;
use super::translator::compare::Side;
use super::translator::translated::{Kind, Written};
use super::translator::untranslatable::{Outcome, Untranslatable};
use crate::policy::Dialect;

/// A dialect that texts are translated from. Everything has a default that refuses or means what
/// Postgres means.
pub trait Source: Sync {
    /// Which.
    fn dialect(&self) -> Dialect;

    /// What people call it.
    fn title(&self) -> &'static str;

    /// How it is read.
    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect>;

    /// What no other dialect has, Postgres included.
    fn evidence(&self) -> &'static [Evidence];

    /// How it differs from Postgres throughout.
    fn habits(&self) -> &'static Habits;

    /// Its functions, in lists. Names are unique over all of them.
    fn functions(&self) -> &'static [&'static [Rule]];

    /// The tokens as they are to be parsed: where the grammar reads an operator with another
    /// precedence than the dialect has, or not at all, something that it reads rightly stands in
    /// its place.
    fn tokens(&self, tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        tokens
    }

    /// The first look at an expression; none where the core is to write it.
    fn expression(&self, _: &mut Writer<'_>, _: &Expr) -> Outcome<Option<Written>> {
        Ok(None)
    }

    /// The first look at an operation; none where the core is to write it.
    fn operation(
        &self,
        _: &mut Writer<'_>,
        _left: &Expr,
        _: &BinaryOperator,
        _right: &Expr,
    ) -> Outcome<Option<Written>> {
        Ok(None)
    }

    /// A cast. `lenient` is TRY_CAST and SAFE_CAST.
    fn cast(
        &self,
        writer: &mut Writer<'_>,
        value: &Expr,
        to: &DataType,
        lenient: bool,
    ) -> Outcome<Written>;

    /// The collation of Postgres's that puts texts in the order in which the dialect does; none
    /// where that of the database will do.
    fn collation(&self) -> Option<&'static str> {
        None
    }

    /// Whether dates and timestamps are texts there, of which each has its own length.
    fn moments_are_texts(&self) -> bool {
        false
    }

    /// What a string literal of a form of its own holds, and the escapes in it; none for the forms
    /// that the core knows.
    fn string<'v>(&self, _: &'v Value) -> Option<(&'v str, Backslash)> {
        None
    }

    /// The first look at what stands in FROM; none where the core is to write it. Who writes it
    /// brings its item ([`Writer::bring`]).
    fn factor(&self, _: &mut Writer<'_>, _: &TableFactor) -> Outcome<Option<String>> {
        Ok(None)
    }

    /// The first look at both sides of a comparison; none where the core is to write them.
    fn sides(
        &self,
        _: &mut Writer<'_>,
        _left: &Written,
        _right: &Written,
        _: Side,
    ) -> Outcome<Option<(String, String)>> {
        Ok(None)
    }

    /// A value that is no text where a text is needed; literals and texts do not come here.
    fn text_of(&self, value: &Written) -> Outcome<Written> {
        Err(untyped(value, "text"))
    }

    /// A text that is no literal where a number is needed.
    fn number_of(&self, value: &Written) -> Outcome<Written> {
        Err(untyped(value, "a number"))
    }

    /// A text that is no literal where a date or timestamp is needed.
    fn moment_of(&self, value: &Written) -> Outcome<Written> {
        Err(untyped(value, "a date"))
    }

    /// The division of two numbers.
    fn division(&self, left: &Written, right: &Written) -> Outcome<Written>;

    /// Whether a text among numbers or dates (in CASE, COALESCE) makes texts of them all. Where it
    /// does not, such a mixture is refused.
    fn aligns_as_texts(&self) -> bool {
        true
    }

    /// Whether GROUP BY ALL and ORDER BY ALL stand for what is selected, and `* EXCLUDE` and
    /// `* RENAME` for columns.
    fn has_all(&self) -> bool {
        false
    }

    /// Whether a common table that reads itself needs no RECURSIVE.
    fn recurs_unsaid(&self) -> bool {
        false
    }

    /// Whether `x::type` is a cast there. Where it is not, a text that has one is not of the
    /// dialect.
    fn has_colons(&self) -> bool {
        false
    }

    /// The relation that a name of several parts stands for: the parts, as Postgres is to find
    /// them. The default keeps them.
    fn relation(&self, _: &Writer<'_>, _: &ObjectName) -> Outcome<Option<Vec<String>>> {
        Ok(None)
    }
}

/// How a dialect differs from Postgres throughout.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// Where NULL is sorted.
    pub nulls: Nulls,
    /// What comparisons are as values.
    pub booleans: Booleans,
    /// What `"x"` is.
    pub double_quoted: DoubleQuoted,
    /// Whether a backslash escapes in string literals.
    pub backslash: Backslash,
    /// Whether `LIKE` tells cases apart.
    pub like: Letters,
    /// The escape character of LIKE without ESCAPE; none where there is none.
    pub like_escape: Option<char>,
    /// Whether `=` and `<` on texts tell cases apart.
    pub equality: Letters,
    /// What a quoted name may be spelled like.
    pub names: Letters,
    /// Where an alias of the select list is known.
    pub aliases: Aliases,
}

/// Where NULL is sorted when nothing says where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// First when ascending: it is the smallest.
    Smallest,
    /// Last when ascending, as in Postgres.
    Largest,
    /// Last in both directions.
    Last,
}

/// What a comparison is as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Booleans {
    /// 1 or 0.
    Numbers,
    /// TRUE or FALSE, as in Postgres.
    Values,
}

/// What `"x"` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubleQuoted {
    /// A string.
    Text,
    /// A name.
    Name,
    /// A name where there is one of it in sight, otherwise a string.
    NameOrText,
}

/// What a backslash in a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backslash {
    /// A character like any other.
    Plain,
    /// MySQL's escapes; `\%` and `\_` stay as they are.
    Mysql,
    /// The escapes of C, as BigQuery and Snowflake have them.
    C,
}

/// Whether capital letters are told from small ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// They are.
    ToldApart,
    /// They are not.
    Alike,
}

/// Where an alias of the select list is known, beside ORDER BY. Columns of FROM go first.
#[derive(Clone, Copy, Debug)]
pub struct Aliases {
    /// In WHERE.
    pub filter: bool,
    /// In GROUP BY.
    pub group: bool,
    /// In HAVING and QUALIFY.
    pub having: bool,
    /// In later items of the select list.
    pub list: bool,
}

/// One thing that only one dialect has.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// What.
    pub mark: Mark,
    /// Where its documentation says so.
    pub doc: &'static str,
}

/// What is looked for in the tokens of a text.
#[derive(Clone, Copy, Debug)]
pub enum Mark {
    /// A call of a function of this name, in small letters.
    Call(&'static str),
    /// A call with so many arguments.
    CallOf(&'static str, usize),
    /// Words and signs that follow each other, in small letters.
    Row(&'static [&'static str]),
    /// Anything else.
    Shape(fn(&[Seen]) -> bool),
}

/// A token, as evidence is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// In small letters; the content of literals is left out.
    pub word: String,
    /// What it is.
    pub kind: SeenKind,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenKind {
    /// A word without quotes.
    Word,
    /// A name in backticks or double quotes.
    Quoted,
    /// A name in brackets.
    Bracketed,
    /// A string literal.
    Text,
    /// A number.
    Number,
    /// Anything else.
    Sign,
}

/// One function of a dialect.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its name, in small letters.
    pub name: &'static str,
    /// How few and how many arguments it takes.
    pub arguments: (usize, usize),
    /// How it is written.
    pub write: Write,
    /// Its documentation in the source dialect.
    pub doc: &'static str,
    /// A call, and what it becomes, in a world where `t.n` is an integer, `t.s` a text, `t.d` a
    /// date, `t.m` a timestamp, `t.q` a numeric, `t.f` a double,
    /// `t.b` a boolean, `t.j` a jsonb and `t.id` an integer that is never NULL.
    pub case: (&'static str, &'static str),
}

/// How a function is written.
#[derive(Clone, Copy)]
pub enum Write {
    /// A call of Postgres's function of this name with the same meaning.
    Plain(&'static str, &'static [Takes], Returns),
    /// Text in which `{0}` is the first argument, ready to stand beside operators.
    Template(&'static str, &'static [Takes], Returns),
    /// An aggregate of Postgres with the same meaning: it takes DISTINCT, FILTER and OVER.
    Aggregate(&'static str, &'static [Takes], Returns),
    /// A window function of Postgres with the same meaning.
    Window(&'static str, &'static [Takes], Returns),
    /// By code. It reads everything of the call, OVER included.
    By(fn(&mut Writer<'_>, &Call<'_>) -> Outcome<Written>),
}

/// What an argument has to be. The last of a list stands for all that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
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
    Moment,
    /// A condition.
    Condition,
}

/// The kind of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// This.
    Kind(Kind),
    /// That of the first argument.
    First,
    /// What all arguments have in common.
    Common,
}

/// A value that cannot be taken for what is needed.
pub fn untyped(value: &Written, needed: &str) -> Untranslatable {
    let what = match value.kind {
        Kind::Unclear => "a value of unknown type".to_owned(),
        kind => format!("a value of type {kind:?}").to_lowercase(),
    };
    Untranslatable::construct(&format!("{what} where {needed} is needed"))
        .hint("write the cast that is meant")
}
