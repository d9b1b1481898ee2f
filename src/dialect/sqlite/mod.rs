//! SQLite, as its own documentation has it: types belong to values, comparisons convert by the
//! affinity of columns, and dates are texts.
//!
//! <https://www.sqlite.org/lang_expr.html>, <https://www.sqlite.org/datatype3.html>

pub(super) mod aggregates;
pub(super) mod casts;
pub(super) mod date_functions;
pub(super) mod expressions;
pub(super) mod glob;
pub(super) mod json;
pub(super) mod operators;
pub(super) mod printf;
pub(super) mod scalar_functions;
pub(super) mod strftime_fields;
pub(super) mod time_string;
pub(super) mod time_value;

use sqlparser::ast::{BinaryOperator, DataType, Expr, TableFactor};
use sqlparser::tokenizer::TokenWithSpan;

use super::rules::FunctionRule;
use super::source::{
    AliasScope, BackslashEscapes, BooleanForm, CaseSensitivity, DialectEvidence, DialectMarker,
    DialectSemantics, DoubleQuoted, EvidenceToken, EvidenceTokenKind, NullOrder, SourceDialect,
    untyped,
};
use super::standard;
use super::translator::Translator;
use super::translator::compare::ComparisonPurpose;
use super::translator::translated::{Translated, TranslatedForm};
use super::translator::untranslatable::{TranslateResult, Untranslatable};
use crate::sql_type::SqlType;

use policy::Dialect;

/// SQLite.
pub struct SqliteSource;

impl SourceDialect for SqliteSource {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn title(&self) -> &'static str {
        "SQLite"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(sqlparser::dialect::SQLiteDialect {})
    }

    fn evidence(&self) -> &'static [DialectEvidence] {
        EVIDENCE
    }

    fn semantics(&self) -> &'static DialectSemantics {
        &SEMANTICS
    }

    fn functions(&self) -> &'static [&'static [FunctionRule]] {
        &[
            standard::WINDOWS,
            standard::DISTRIBUTIONS,
            standard::NEIGHBOURS_AT,
            scalar_functions::TEXTS,
            scalar_functions::NUMBERS,
            scalar_functions::CHOICES,
            aggregates::RULES,
            date_functions::RULES,
            json::RULES,
            printf::RULES,
        ]
    }

    fn expression(
        &self,
        translator: &mut Translator<'_>,
        expr: &Expr,
    ) -> TranslateResult<Option<Translated>> {
        expressions::written(translator, expr)
    }

    fn operation(
        &self,
        translator: &mut Translator<'_>,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
    ) -> TranslateResult<Option<Translated>> {
        operators::operation(translator, left, operator, right)
    }

    fn collation(&self) -> Option<&'static str> {
        Some("C")
    }

    fn has_text_timestamps(&self) -> bool {
        true
    }

    fn tokens(&self, tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        expressions::tokens(tokens)
    }

    fn factor(
        &self,
        translator: &mut Translator<'_>,
        factor: &TableFactor,
    ) -> TranslateResult<Option<String>> {
        json::factor(translator, factor)
    }

    fn sides(
        &self,
        translator: &mut Translator<'_>,
        left: &Translated,
        right: &Translated,
        side: ComparisonPurpose,
    ) -> TranslateResult<Option<(String, String)>> {
        operators::sides(translator, left, right, side)
    }

    fn cast(
        &self,
        translator: &mut Translator<'_>,
        value: &Expr,
        to: &DataType,
        _lenient: bool,
    ) -> TranslateResult<Translated> {
        casts::written(translator, value, to)
    }

    fn text_of(&self, value: &Translated) -> TranslateResult<Translated> {
        let text = match value.kind {
            SqlType::Null => return Ok(value.clone()),
            SqlType::Integer => format!("{}::text", value.operand()),
            SqlType::Bool => format!("{}::integer::text", value.operand()),
            SqlType::Date => format!("to_char({}, 'YYYY-MM-DD')", value.text),
            SqlType::Timestamp => format!("to_char({}, 'YYYY-MM-DD HH24:MI:SS')", value.text),
            SqlType::Time => format!("to_char({}, 'HH24:MI:SS')", value.text),
            _ => {
                return Err(untyped(value, "text"));
            }
        };
        Ok(Translated::primary(text, SqlType::Text).never_null(value.not_null))
    }

    fn number_of(&self, value: &Translated) -> TranslateResult<Translated> {
        if value.form == TranslatedForm::Digits {
            let text = format!("{}::bigint", value.operand());
            return Ok(Translated::primary(text, SqlType::Integer).never_null(value.not_null));
        }
        Err(
            Untranslatable::construct("a text that is counted with").hint(
                "CAST it AS INTEGER or AS REAL: which of the two SQLite takes depends on the row",
            ),
        )
    }

    fn division(&self, left: &Translated, right: &Translated) -> TranslateResult<Translated> {
        let (dividend, divisor) = (left.operand(), right.operand());
        let is_safe = right
            .number_literal()
            .is_some_and(|digits| digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit)));
        let text = if is_safe {
            format!("{dividend} / {divisor}")
        } else {
            format!("{dividend} / NULLIF({}, 0)", right.text)
        };
        let mut written = Translated::operation(text, left.kind.common(right.kind));
        written.extra_digits = written.kind != SqlType::Integer;
        Ok(written.never_null(is_safe && left.not_null))
    }
}

/// `STRFTIME('…', …)`: where others have a function of that name, the moment stands first.
fn strftime_begins_with_pattern(seen: &[EvidenceToken]) -> bool {
    seen.windows(3).any(|window| {
        let [name, open, first] = window else {
            return false;
        };
        name.word == "strftime" && open.word == "(" && first.kind == EvidenceTokenKind::Text
    })
}

/// `DATE(x, '…', '…')`: modifiers.
fn date_has_modifiers(seen: &[EvidenceToken]) -> bool {
    seen.windows(7).any(|window| {
        let [name, open, _, comma, modifier, next, last] = window else {
            return false;
        };
        ["date", "time", "datetime"].contains(&name.word.as_str())
            && name.kind == EvidenceTokenKind::Word
            && open.word == "("
            && comma.word == ","
            && modifier.kind == EvidenceTokenKind::Text
            && next.word == ","
            && last.kind == EvidenceTokenKind::Text
    })
}

const SEMANTICS: DialectSemantics = DialectSemantics {
    nulls: NullOrder::Smallest,
    booleans: BooleanForm::Numbers,
    double_quoted: DoubleQuoted::NameOrText,
    backslash: BackslashEscapes::Plain,
    like: CaseSensitivity::Insensitive,
    like_escape: None,
    equality: CaseSensitivity::Sensitive,
    names: CaseSensitivity::Insensitive,
    aliases: AliasScope {
        filter: true,
        group: true,
        having: true,
        list: false,
    },
};

const EVIDENCE: &[DialectEvidence] = &[
    DialectEvidence {
        mark: DialectMarker::Shape(strftime_begins_with_pattern),
        doc: "https://www.sqlite.org/lang_datefunc.html",
    },
    DialectEvidence {
        mark: DialectMarker::Shape(date_has_modifiers),
        doc: "https://www.sqlite.org/lang_datefunc.html#modifiers",
    },
    DialectEvidence {
        mark: DialectMarker::Call("julianday"),
        doc: "https://www.sqlite.org/lang_datefunc.html",
    },
    DialectEvidence {
        mark: DialectMarker::Call("unixepoch"),
        doc: "https://www.sqlite.org/lang_datefunc.html",
    },
    DialectEvidence {
        mark: DialectMarker::Call("total"),
        doc: "https://www.sqlite.org/lang_aggfunc.html#sumunc",
    },
    DialectEvidence {
        mark: DialectMarker::Call("last_insert_rowid"),
        doc: "https://www.sqlite.org/lang_corefunc.html#last_insert_rowid",
    },
    DialectEvidence {
        mark: DialectMarker::Call("randomblob"),
        doc: "https://www.sqlite.org/lang_corefunc.html#randomblob",
    },
    DialectEvidence {
        mark: DialectMarker::Call("zeroblob"),
        doc: "https://www.sqlite.org/lang_corefunc.html#zeroblob",
    },
    DialectEvidence {
        mark: DialectMarker::Call("sqlite_version"),
        doc: "https://www.sqlite.org/lang_corefunc.html#sqlite_version",
    },
    DialectEvidence {
        mark: DialectMarker::Sequence(&["from", "sqlite_master"]),
        doc: "https://www.sqlite.org/schematab.html",
    },
    DialectEvidence {
        mark: DialectMarker::Sequence(&["from", "sqlite_schema"]),
        doc: "https://www.sqlite.org/schematab.html",
    },
];
