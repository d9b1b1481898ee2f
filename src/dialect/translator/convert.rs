//! Values as what is needed: a text, a number, a date.

use sqlparser::ast::Expr;

use super::Translator;
use super::literal;
use super::timestamp;
use super::translated::{Translated, TranslatedForm};
use super::untranslatable::{TranslateResult, Untranslatable};
use crate::rules::ArgumentType;
use crate::source::{BooleanForm, untyped};
use crate::sql_type::SqlType;
use policy::Dialect;

impl Translator<'_> {
    /// An argument as what a function takes.
    pub fn argument_as(&mut self, expr: &Expr, takes: ArgumentType) -> TranslateResult<Translated> {
        match takes {
            ArgumentType::Any => {
                let value = self.value(expr)?;
                if self.source.semantics().booleans == BooleanForm::Numbers
                    && value.form != TranslatedForm::Column
                {
                    return self.numeric(value);
                }
                Ok(value)
            }
            ArgumentType::Text => self.text(expr),
            ArgumentType::Number => self.number(expr),
            ArgumentType::Integer => self.integer(expr),
            ArgumentType::Decimal => {
                let number = self.number(expr)?;
                match number.kind {
                    SqlType::Float | SqlType::Unclear => Err(untyped(&number, "an exact number")),
                    _ => Ok(number),
                }
            }
            ArgumentType::Double => self.double(expr),
            ArgumentType::Date => self.date(expr),
            ArgumentType::Timestamp => self.timestamp(expr),
            ArgumentType::Temporal => self.temporal(expr),
            ArgumentType::Condition => self.condition(expr),
        }
    }

    /// An expression where a text is needed.
    pub fn text(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        let value = self.value(expr)?;
        self.as_text(value)
    }

    /// A value as a text.
    pub fn as_text(&mut self, value: Translated) -> TranslateResult<Translated> {
        match value.kind {
            SqlType::Text | SqlType::Null => Ok(value),
            SqlType::Unclear if value.form == TranslatedForm::Parameter => Ok(value),
            SqlType::Bool => {
                let number = match self.source.semantics().booleans {
                    BooleanForm::Numbers => self.numeric(value)?,
                    BooleanForm::Values => value,
                };
                Ok(cast(&number, "text", SqlType::Text))
            }
            SqlType::Integer => match value.number_literal() {
                Some(digits) => Ok(literal::text(digits)),
                None => Ok(cast(&value, "text", SqlType::Text)),
            },
            kind if kind.is_of_postgres_alone() => Ok(cast(&value, "text", SqlType::Text)),
            _ if value.extra_digits => Err(Untranslatable::construct(
                "a quotient or average made into text, whose digits differ",
            )
            .hint("round it to a fixed number of digits first")),
            _ => self.source.text_of(&value),
        }
    }

    /// An expression where a number is needed.
    pub fn number(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        let value = self.value(expr)?;
        self.as_number(&value)
    }

    /// A value as a number.
    pub fn as_number(&mut self, value: &Translated) -> TranslateResult<Translated> {
        let numbers = self.source.semantics().booleans == BooleanForm::Numbers;
        match value.kind {
            kind if kind.is_number() => Ok(value.clone()),
            SqlType::Null => Ok(value.clone()),
            // If it is no number, Postgres says so.
            SqlType::Unclear => Ok(value.clone()),
            SqlType::Bool if numbers => self.numeric(value.clone()),
            SqlType::Text => match value.text_literal() {
                Some(content) => self.number_in(content, value),
                None => self.source.number_of(value),
            },
            // Nobody counts with the digits of a date in MySQL, and everybody with dates in
            // Postgres.
            kind => Err(Untranslatable {
                mixed: kind.is_temporal() && self.source.dialect() == Dialect::Mysql,
                ..untyped(value, "a number")
            }),
        }
    }

    /// The number that a string literal spells.
    fn number_in(&self, content: &str, value: &Translated) -> TranslateResult<Translated> {
        let (sign, digits) = match content.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", content),
        };
        let Ok(number) = literal::number(digits) else {
            return self.source.number_of(value);
        };
        if sign.is_empty() {
            return Ok(number);
        }
        Ok(Translated {
            form: TranslatedForm::NumberLiteral(content.to_owned()),
            ..Translated::operation(format!("- {}", number.text), number.kind).never_null(true)
        })
    }

    /// An expression where a whole number is needed.
    pub fn integer(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        let number = self.number(expr)?;
        match number.kind {
            SqlType::Integer | SqlType::Null | SqlType::Unclear => Ok(number),
            _ => Err(untyped(&number, "a whole number")),
        }
    }

    /// An expression where a double is needed.
    pub fn double(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        let number = self.number(expr)?;
        match number.kind {
            SqlType::Float => Ok(number),
            SqlType::Unclear => Err(untyped(&number, "a number")),
            _ => Ok(Translated {
                extra_digits: number.extra_digits,
                ..cast(&number, "double precision", SqlType::Float)
            }),
        }
    }

    /// An expression where a date is needed: of a timestamp, its day.
    pub fn date(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        let moment = self.temporal(expr)?;
        match moment.kind {
            SqlType::Timestamp | SqlType::TimestampTz => {
                let not_null = moment.not_null;
                Ok(cast(&moment, "date", SqlType::Date).never_null(not_null))
            }
            _ => Ok(moment),
        }
    }

    /// An expression where a timestamp is needed: of a date, its beginning.
    pub fn timestamp(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        let value = self.value(expr)?;
        self.as_timestamp(value)
    }

    /// A value as a timestamp.
    pub fn as_timestamp(&mut self, value: Translated) -> TranslateResult<Translated> {
        if let Some(read) = value.text_literal().and_then(timestamp::read) {
            return Ok(read.timestamp());
        }
        let moment = self.as_temporal(value)?;
        match moment.kind {
            SqlType::Date | SqlType::TimestampTz => {
                let not_null = moment.not_null;
                Ok(cast(&moment, "timestamp", SqlType::Timestamp).never_null(not_null))
            }
            _ => Ok(moment),
        }
    }

    /// An expression where a date or a timestamp is needed.
    pub fn temporal(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        let value = self.value(expr)?;
        self.as_temporal(value)
    }

    /// A value as a date or timestamp.
    pub fn as_temporal(&mut self, value: Translated) -> TranslateResult<Translated> {
        match value.kind {
            kind if kind.is_temporal() => Ok(value),
            SqlType::Null => Ok(Translated::primary(
                "CAST(NULL AS timestamp)",
                SqlType::Timestamp,
            )),
            SqlType::Text => match value.text_literal() {
                Some(content) => match timestamp::read(content) {
                    Some(read) => Ok(read.written()),
                    None => Err(untyped(&value, "a date")),
                },
                None => self.source.timestamp_of(&value),
            },
            _ => Err(untyped(&value, "a date")),
        }
    }
}

/// `CAST(value AS type)`, never NULL where the value is not.
pub fn cast(value: &Translated, to: &str, kind: SqlType) -> Translated {
    Translated::primary(format!("CAST({} AS {to})", value.text), kind).never_null(value.not_null)
}
