//! Values as what is needed: a text, a number, a date.

use sqlparser::ast::Expr;

use super::Writer;
use super::literal;
use super::timestamp;
use super::translated::{Form, Kind, Written};
use super::untranslatable::{Outcome, Untranslatable};
use crate::dialect::source::{Booleans, Takes, untyped};
use crate::policy::Dialect;

impl Writer<'_> {
    /// An argument as what a function takes.
    pub fn taken(&mut self, expr: &Expr, takes: Takes) -> Outcome<Written> {
        match takes {
            Takes::Any => {
                let value = self.value(expr)?;
                if self.source.habits().booleans == Booleans::Numbers && value.form != Form::Column
                {
                    return self.numeric(value);
                }
                Ok(value)
            }
            Takes::Text => self.text(expr),
            Takes::Number => self.number(expr),
            Takes::Integer => self.integer(expr),
            Takes::Decimal => {
                let number = self.number(expr)?;
                match number.kind {
                    Kind::Float | Kind::Unclear => Err(untyped(&number, "an exact number")),
                    _ => Ok(number),
                }
            }
            Takes::Double => self.double(expr),
            Takes::Date => self.date(expr),
            Takes::Timestamp => self.timestamp(expr),
            Takes::Moment => self.moment(expr),
            Takes::Condition => self.condition(expr),
        }
    }

    /// An expression where a text is needed.
    pub fn text(&mut self, expr: &Expr) -> Outcome<Written> {
        let value = self.value(expr)?;
        self.textual(value)
    }

    /// A value as a text.
    pub fn textual(&mut self, value: Written) -> Outcome<Written> {
        match value.kind {
            Kind::Text | Kind::Null => Ok(value),
            Kind::Unclear if value.form == Form::Parameter => Ok(value),
            Kind::Bool => {
                let number = match self.source.habits().booleans {
                    Booleans::Numbers => self.numeric(value)?,
                    Booleans::Values => value,
                };
                Ok(cast(&number, "text", Kind::Text))
            }
            Kind::Integer => match value.number_literal() {
                Some(digits) => Ok(literal::text(digits)),
                None => Ok(cast(&value, "text", Kind::Text)),
            },
            Kind::Other => Ok(cast(&value, "text", Kind::Text)),
            _ if value.longer => Err(Untranslatable::construct(
                "a quotient or average made into text, whose digits differ",
            )
            .hint("round it to a fixed number of digits first")),
            _ => self.source.text_of(&value),
        }
    }

    /// An expression where a number is needed.
    pub fn number(&mut self, expr: &Expr) -> Outcome<Written> {
        let value = self.value(expr)?;
        self.numeral(&value)
    }

    /// A value as a number.
    pub fn numeral(&mut self, value: &Written) -> Outcome<Written> {
        let numbers = self.source.habits().booleans == Booleans::Numbers;
        match value.kind {
            kind if kind.is_number() => Ok(value.clone()),
            Kind::Null => Ok(value.clone()),
            // If it is no number, Postgres says so.
            Kind::Unclear => Ok(value.clone()),
            Kind::Bool if numbers => self.numeric(value.clone()),
            Kind::Text => match value.text_literal() {
                Some(content) => self.number_in(content, value),
                None => self.source.number_of(value),
            },
            // Nobody counts with the digits of a date in MySQL, and everybody with dates in
            // Postgres.
            kind => Err(Untranslatable {
                mixed: kind.is_moment() && self.source.dialect() == Dialect::Mysql,
                ..untyped(value, "a number")
            }),
        }
    }

    /// The number that a string literal spells.
    fn number_in(&self, content: &str, value: &Written) -> Outcome<Written> {
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
        Ok(Written {
            form: Form::NumberLiteral(content.to_owned()),
            ..Written::operation(format!("- {}", number.text), number.kind).never_null(true)
        })
    }

    /// An expression where a whole number is needed.
    pub fn integer(&mut self, expr: &Expr) -> Outcome<Written> {
        let number = self.number(expr)?;
        match number.kind {
            Kind::Integer | Kind::Null | Kind::Unclear => Ok(number),
            _ => Err(untyped(&number, "a whole number")),
        }
    }

    /// An expression where a double is needed.
    pub fn double(&mut self, expr: &Expr) -> Outcome<Written> {
        let number = self.number(expr)?;
        match number.kind {
            Kind::Float => Ok(number),
            Kind::Unclear => Err(untyped(&number, "a number")),
            _ => Ok(Written {
                longer: number.longer,
                ..cast(&number, "double precision", Kind::Float)
            }),
        }
    }

    /// An expression where a date is needed: of a timestamp, its day.
    pub fn date(&mut self, expr: &Expr) -> Outcome<Written> {
        let moment = self.moment(expr)?;
        match moment.kind {
            Kind::Timestamp | Kind::TimestampTz => {
                let not_null = moment.not_null;
                Ok(cast(&moment, "date", Kind::Date).never_null(not_null))
            }
            _ => Ok(moment),
        }
    }

    /// An expression where a timestamp is needed: of a date, its beginning.
    pub fn timestamp(&mut self, expr: &Expr) -> Outcome<Written> {
        let value = self.value(expr)?;
        self.stamped(value)
    }

    /// A value as a timestamp.
    pub fn stamped(&mut self, value: Written) -> Outcome<Written> {
        if let Some(read) = value.text_literal().and_then(timestamp::read) {
            return Ok(read.timestamp());
        }
        let moment = self.dated(value)?;
        match moment.kind {
            Kind::Date | Kind::TimestampTz => {
                let not_null = moment.not_null;
                Ok(cast(&moment, "timestamp", Kind::Timestamp).never_null(not_null))
            }
            _ => Ok(moment),
        }
    }

    /// An expression where a date or a timestamp is needed.
    pub fn moment(&mut self, expr: &Expr) -> Outcome<Written> {
        let value = self.value(expr)?;
        self.dated(value)
    }

    /// A value as a date or timestamp.
    pub fn dated(&mut self, value: Written) -> Outcome<Written> {
        match value.kind {
            kind if kind.is_moment() => Ok(value),
            Kind::Null => Ok(Written::tight("CAST(NULL AS timestamp)", Kind::Timestamp)),
            Kind::Text => match value.text_literal() {
                Some(content) => match timestamp::read(content) {
                    Some(read) => Ok(read.written()),
                    None => Err(untyped(&value, "a date")),
                },
                None => self.source.moment_of(&value),
            },
            _ => Err(untyped(&value, "a date")),
        }
    }
}

/// `CAST(value AS type)`, never NULL where the value is not.
pub fn cast(value: &Written, to: &str, kind: Kind) -> Written {
    Written::tight(format!("CAST({} AS {to})", value.text), kind).never_null(value.not_null)
}
