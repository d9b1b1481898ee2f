//! What a dialect brings along: the evidence that only it has, its semantics, its functions, and
//! hooks for what tables cannot say.

use sqlparser::ast::{BinaryOperator, DataType, Expr, ObjectName, TableFactor, Value};
use sqlparser::tokenizer::TokenWithSpan;

use super::rules::FunctionRule;
use super::translator::Translator;
use super::translator::compare::ComparisonPurpose;
use super::translator::translated::Translated;
use super::translator::untranslatable::{TranslateResult, Untranslatable};
use crate::sql_type::SqlType;
use policy::Dialect;

/// A dialect that texts are translated from. Everything has a default that refuses or means what
/// Postgres means.
pub trait SourceDialect: Sync {
    /// Which.
    fn dialect(&self) -> Dialect;

    /// What people call it.
    fn title(&self) -> &'static str;

    /// How it is read.
    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect>;

    /// What no other dialect has, Postgres included.
    fn evidence(&self) -> &'static [DialectEvidence];

    /// How it differs from Postgres throughout.
    fn semantics(&self) -> &DialectSemantics;

    /// Its functions, in lists. Names are unique over all of them.
    fn functions(&self) -> &'static [&'static [FunctionRule]];

    /// The tokens as they are to be parsed: where the grammar reads an operator with another
    /// precedence than the dialect has, or not at all, something that it reads rightly stands in
    /// its place.
    fn tokens(&self, tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        tokens
    }

    /// The first look at an expression; none where the core is to write it.
    fn expression(&self, _: &mut Translator<'_>, _: &Expr) -> TranslateResult<Option<Translated>> {
        Ok(None)
    }

    /// The first look at an operation; none where the core is to write it.
    fn operation(
        &self,
        _: &mut Translator<'_>,
        _left: &Expr,
        _: &BinaryOperator,
        _right: &Expr,
    ) -> TranslateResult<Option<Translated>> {
        Ok(None)
    }

    /// A cast. `lenient` is TRY_CAST and SAFE_CAST.
    fn cast(
        &self,
        translator: &mut Translator<'_>,
        value: &Expr,
        to: &DataType,
        lenient: bool,
    ) -> TranslateResult<Translated>;

    /// The collation of Postgres's that puts texts in the order in which the dialect does; none
    /// where that of the database will do.
    fn collation(&self) -> Option<&'static str> {
        None
    }

    /// Whether spaces at the end of a text do not count where texts are compared.
    fn pads_texts(&self) -> bool {
        false
    }

    /// Whether dates and timestamps are texts there, of which each has its own length.
    fn has_text_timestamps(&self) -> bool {
        false
    }

    /// What a string literal of a form of its own holds, and the escapes in it; none for the forms
    /// that the core knows.
    fn string<'v>(&self, _: &'v Value) -> Option<(&'v str, BackslashEscapes)> {
        None
    }

    /// The first look at what stands in FROM; none where the core is to write it. Who writes it
    /// brings its item ([`Translator::add_item`]).
    fn factor(&self, _: &mut Translator<'_>, _: &TableFactor) -> TranslateResult<Option<String>> {
        Ok(None)
    }

    /// The first look at both sides of a comparison; none where the core is to write them.
    fn sides(
        &self,
        _: &mut Translator<'_>,
        _left: &Translated,
        _right: &Translated,
        _: ComparisonPurpose,
    ) -> TranslateResult<Option<(String, String)>> {
        Ok(None)
    }

    /// A value that is no text where a text is needed; literals and texts do not come here.
    fn text_of(&self, value: &Translated) -> TranslateResult<Translated> {
        Err(untyped(value, "text"))
    }

    /// A text that is no literal where a number is needed.
    fn number_of(&self, value: &Translated) -> TranslateResult<Translated> {
        Err(untyped(value, "a number"))
    }

    /// A text that is no literal where a date or timestamp is needed.
    fn timestamp_of(&self, value: &Translated) -> TranslateResult<Translated> {
        Err(untyped(value, "a date"))
    }

    /// The division of two numbers.
    fn division(&self, left: &Translated, right: &Translated) -> TranslateResult<Translated>;

    /// Whether a text among numbers or dates (in CASE, COALESCE) makes texts of them all. Where it
    /// does not, such a mixture is refused.
    fn aligns_as_texts(&self) -> bool {
        true
    }

    /// Whether GROUP BY ALL and ORDER BY ALL stand for what is selected, and `* EXCLUDE` and
    /// `* RENAME` for columns.
    fn has_group_by_all(&self) -> bool {
        false
    }

    /// Whether a common table that reads itself needs no RECURSIVE.
    fn has_implicit_recursion(&self) -> bool {
        false
    }

    /// Whether `x::type` is a cast there. Where it is not, a text that has one is not of the
    /// dialect.
    fn has_double_colon_cast(&self) -> bool {
        false
    }

    /// The relation that a name of several parts stands for: the parts, as Postgres is to find
    /// them. The default keeps them.
    fn relation(&self, _: &Translator<'_>, _: &ObjectName) -> TranslateResult<Option<Vec<String>>> {
        Ok(None)
    }
}

/// How a dialect differs from Postgres throughout.
#[derive(Clone, Copy, Debug)]
pub struct DialectSemantics {
    /// Where NULL is sorted.
    pub nulls: NullOrder,
    /// What comparisons are as values.
    pub booleans: BooleanForm,
    /// What `"x"` is.
    pub double_quoted: DoubleQuoted,
    /// Whether a backslash escapes in string literals.
    pub backslash: BackslashEscapes,
    /// Whether `LIKE` tells cases apart.
    pub like: CaseSensitivity,
    /// The escape character of LIKE without ESCAPE; none where there is none.
    pub like_escape: Option<char>,
    /// Whether `=` and `<` on texts tell cases apart.
    pub equality: CaseSensitivity,
    /// What a quoted name may be spelled like.
    pub names: CaseSensitivity,
    /// Where an alias of the select list is known.
    pub aliases: AliasScope,
}

/// Where NULL is sorted when nothing says where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullOrder {
    /// First when ascending: it is the smallest.
    Smallest,
    /// Last when ascending, as in Postgres.
    Largest,
    /// Last in both directions.
    Last,
}

/// What a comparison is as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BooleanForm {
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
pub enum BackslashEscapes {
    /// A character like any other.
    Plain,
    /// MySQL's escapes; `\%` and `\_` stay as they are.
    Mysql,
    /// The escapes of C, as BigQuery and Snowflake have them.
    C,
}

/// Whether capital letters are told from small ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseSensitivity {
    /// They are.
    Sensitive,
    /// They are not.
    Insensitive,
}

/// Where an alias of the select list is known, beside ORDER BY. Columns of FROM go first.
#[derive(Clone, Copy, Debug)]
pub struct AliasScope {
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
pub struct DialectEvidence {
    /// What.
    pub mark: DialectMarker,
    /// Where its documentation says so.
    pub doc: &'static str,
}

/// What is looked for in the tokens of a text.
#[derive(Clone, Copy, Debug)]
pub enum DialectMarker {
    /// A call of a function of this name, in small letters.
    Call(&'static str),
    /// A call with so many arguments.
    CallOf(&'static str, usize),
    /// Words and signs that follow each other, in small letters.
    Sequence(&'static [&'static str]),
    /// Anything else.
    Shape(fn(&[EvidenceToken]) -> bool),
}

/// A token, as evidence is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceToken {
    /// In small letters; the content of literals is left out.
    pub word: String,
    /// What it is.
    pub kind: EvidenceTokenKind,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceTokenKind {
    /// A word without quotes.
    Word,
    /// A name in double quotes.
    Quoted,
    /// A name in backticks.
    Backticked,
    /// A name in brackets.
    Bracketed,
    /// A string literal.
    Text,
    /// A number.
    Number,
    /// Anything else.
    Sign,
}

/// A value that cannot be taken for what is needed.
pub fn untyped(value: &Translated, needed: &str) -> Untranslatable {
    let what = match value.kind {
        SqlType::Unclear => "a value of unknown type".to_owned(),
        kind => format!("a value of type {kind:?}").to_lowercase(),
    };
    Untranslatable::construct(&format!("{what} where {needed} is needed"))
        .hint("write the cast that is meant")
}
