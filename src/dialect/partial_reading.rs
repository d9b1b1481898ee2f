//! Dialects of which a text has not all: only spellings, if they are slips in a text that is
//! written for Postgres, or all but how texts are compared and sorted, which is then the
//! database's way.

use std::sync::LazyLock;

use sqlparser::ast::{BinaryOperator, DataType, Expr, ObjectName, TableFactor, Value};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::registry;
use crate::rules::FunctionRule;
use crate::source::{
    AliasScope, BackslashEscapes, BooleanForm, CaseSensitivity, DialectEvidence, DialectSemantics,
    DoubleQuoted, NullOrder, SourceDialect,
};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::compare::ComparisonPurpose;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;
use policy::Dialect;

/// What of a dialect a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialectShare {
    /// Its functions and spellings: everything else means what it means in Postgres.
    Spellings,
    /// Everything, but texts are compared and sorted as the database does it.
    AllButCollation,
}

/// A dialect of which a text has not all.
pub struct PartialReading {
    source: &'static dyn SourceDialect,
    share: DialectShare,
    semantics: DialectSemantics,
}

/// That share of a dialect.
pub fn of(dialect: Dialect, share: DialectShare) -> Option<&'static dyn SourceDialect> {
    let mut all = ALL.iter();
    let found = all.find(|one| one.source.dialect() == dialect && one.share == share)?;
    Some(found)
}

static ALL: LazyLock<Vec<PartialReading>> = LazyLock::new(|| {
    let sources = registry::ALL.iter().copied();
    let both = |source: &'static dyn SourceDialect| {
        let without_collation = DialectSemantics {
            like: CaseSensitivity::Sensitive,
            equality: CaseSensitivity::Sensitive,
            ..*source.semantics()
        };
        [
            (DialectShare::Spellings, POSTGRES),
            (DialectShare::AllButCollation, without_collation),
        ]
        .map(|(share, semantics)| PartialReading {
            source,
            share,
            semantics,
        })
    };
    sources.flat_map(both).collect()
});

/// Postgres's. A word in double quotes that is no name was meant as a text.
const POSTGRES: DialectSemantics = DialectSemantics {
    nulls: NullOrder::Largest,
    booleans: BooleanForm::Numbers,
    double_quoted: DoubleQuoted::NameOrText,
    backslash: BackslashEscapes::Plain,
    like: CaseSensitivity::Sensitive,
    like_escape: Some('\\'),
    equality: CaseSensitivity::Sensitive,
    names: CaseSensitivity::Insensitive,
    aliases: AliasScope {
        filter: false,
        group: true,
        having: false,
        list: false,
    },
};

/// A text beside a whole number as it is usually written: it is compared with the same digits. What
/// a dialect that makes numbers of texts finds beside those are texts such as `007`.
fn beside_digits(left: &Translated, right: &Translated) -> Option<(String, String)> {
    let digits = |value: &Translated| {
        let digits = value.number_literal()?;
        let is_usual = digits == "0" || !digits.starts_with('0');
        let is_whole = digits.bytes().all(|one| one.is_ascii_digit());
        (is_usual && is_whole).then(|| format!("'{digits}'"))
    };
    let is_text = |value: &Translated| value.kind == SqlType::Text && !value.is_literal();
    if is_text(left) {
        return digits(right).map(|digits| (left.operand(), digits));
    }
    let digits = digits(left).filter(|_| is_text(right))?;
    Some((digits, right.operand()))
}

impl SourceDialect for PartialReading {
    fn dialect(&self) -> Dialect {
        self.source.dialect()
    }

    fn title(&self) -> &'static str {
        self.source.title()
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        self.source.grammar()
    }

    fn evidence(&self) -> &'static [DialectEvidence] {
        self.source.evidence()
    }

    fn semantics(&self) -> &DialectSemantics {
        &self.semantics
    }

    fn functions(&self) -> &'static [&'static [FunctionRule]] {
        self.source.functions()
    }

    fn tokens(&self, tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        let mut tokens = self.source.tokens(tokens);
        if self.share != DialectShare::Spellings {
            return tokens;
        }
        for one in &mut tokens {
            if let Token::DoubleQuotedString(content) = &one.token {
                one.token = Token::make_word(content, Some('"'));
            }
        }
        tokens
    }

    fn expression(
        &self,
        translator: &mut Translator<'_>,
        expr: &Expr,
    ) -> TranslateResult<Option<Translated>> {
        self.source.expression(translator, expr)
    }

    fn operation(
        &self,
        translator: &mut Translator<'_>,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
    ) -> TranslateResult<Option<Translated>> {
        match (left, right) {
            (_, Expr::Interval(_)) | (Expr::Interval(_), _) => {
                self.source.operation(translator, left, operator, right)
            }
            _ if self.share == DialectShare::AllButCollation => {
                self.source.operation(translator, left, operator, right)
            }
            _ => Ok(None),
        }
    }

    fn cast(
        &self,
        translator: &mut Translator<'_>,
        value: &Expr,
        to: &DataType,
        lenient: bool,
    ) -> TranslateResult<Translated> {
        self.source.cast(translator, value, to, lenient)
    }

    fn string<'v>(&self, value: &'v Value) -> Option<(&'v str, BackslashEscapes)> {
        self.source.string(value)
    }

    fn factor(
        &self,
        translator: &mut Translator<'_>,
        factor: &TableFactor,
    ) -> TranslateResult<Option<String>> {
        self.source.factor(translator, factor)
    }

    fn text_of(&self, value: &Translated) -> TranslateResult<Translated> {
        self.source.text_of(value)
    }

    fn number_of(&self, value: &Translated) -> TranslateResult<Translated> {
        self.source.number_of(value)
    }

    fn timestamp_of(&self, value: &Translated) -> TranslateResult<Translated> {
        self.source.timestamp_of(value)
    }

    fn division(&self, left: &Translated, right: &Translated) -> TranslateResult<Translated> {
        if self.share == DialectShare::AllButCollation {
            return self.source.division(left, right);
        }
        // By zero is NULL in most dialects and an error here: it is no other meaning.
        let literal = right.number_literal();
        let is_safe =
            literal.is_some_and(|digits| digits.bytes().any(|one| one > b'0' && one <= b'9'));
        let text = match is_safe {
            true => format!("{} / {}", left.operand(), right.operand()),
            false => format!("{} / NULLIF({}, 0)", left.operand(), right.text),
        };
        let mut written = Translated::operation(text, left.kind.common(right.kind));
        written.extra_digits = written.kind != SqlType::Integer;
        Ok(written.never_null(is_safe && left.not_null))
    }

    fn has_group_by_all(&self) -> bool {
        self.source.has_group_by_all()
    }

    fn has_double_colon_cast(&self) -> bool {
        self.share == DialectShare::Spellings || self.source.has_double_colon_cast()
    }

    fn sides(
        &self,
        translator: &mut Translator<'_>,
        left: &Translated,
        right: &Translated,
        purpose: ComparisonPurpose,
    ) -> TranslateResult<Option<(String, String)>> {
        if let Some(sides) = beside_digits(left, right) {
            return Ok(Some(sides));
        }
        match self.share {
            DialectShare::Spellings => Ok(None),
            DialectShare::AllButCollation => self.source.sides(translator, left, right, purpose),
        }
    }

    fn has_text_timestamps(&self) -> bool {
        self.share == DialectShare::AllButCollation && self.source.has_text_timestamps()
    }

    fn aligns_as_texts(&self) -> bool {
        self.source.aligns_as_texts()
    }

    fn has_implicit_recursion(&self) -> bool {
        self.source.has_implicit_recursion()
    }

    fn relation(
        &self,
        translator: &Translator<'_>,
        name: &ObjectName,
    ) -> TranslateResult<Option<Vec<String>>> {
        self.source.relation(translator, name)
    }
}
