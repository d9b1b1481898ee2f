//! Comparisons: both sides are written so that Postgres compares them as the source dialect does.

use sqlparser::ast::{BinaryOperator, Expr};

use super::Writer;
use super::condition::has_letters;
use super::literal;
use super::timestamp;
use super::translated::{Form, Kind, Written};
use super::untranslatable::{Outcome, Untranslatable};
use crate::dialect::source::{Booleans, Letters, untyped};

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// Not equal, NULL being a value.
    Distinct,
    /// Equal, NULL being a value.
    NotDistinct,
}

/// What two sides are compared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Whether they are equal.
    Equality,
    /// Which comes first.
    Order,
}

impl Comparison {
    /// The comparison that an operator is.
    pub fn of(op: &BinaryOperator) -> Option<Self> {
        Some(match op {
            BinaryOperator::Eq => Self::Equal,
            BinaryOperator::NotEq => Self::NotEqual,
            BinaryOperator::Lt => Self::Less,
            BinaryOperator::LtEq => Self::LessOrEqual,
            BinaryOperator::Gt => Self::Greater,
            BinaryOperator::GtEq => Self::GreaterOrEqual,
            _ => return None,
        })
    }

    fn text(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Distinct => "IS DISTINCT FROM",
            Self::NotDistinct => "IS NOT DISTINCT FROM",
        }
    }

    fn side(self) -> Side {
        match self {
            Self::Equal | Self::NotEqual | Self::Distinct | Self::NotDistinct => Side::Equality,
            Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual => Side::Order,
        }
    }
}

impl Kind {
    /// Whether Postgres compares these two as they are, as any dialect would.
    pub fn goes_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Null, _) | (_, Self::Null) => true,
            (Self::Unclear, _) | (_, Self::Unclear) => false,
            (one, other) => {
                one == other
                    || one.is_number() && other.is_number()
                    || one.is_moment() && other.is_moment()
            }
        }
    }
}

impl Writer<'_> {
    /// A comparison of two expressions.
    pub fn compared(
        &mut self,
        comparison: Comparison,
        left: &Expr,
        right: &Expr,
    ) -> Outcome<Written> {
        if let (Expr::Tuple(left), Expr::Tuple(right)) = (left, right) {
            return self.rows_compared(comparison, left, right);
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        self.compare(comparison, &left, &right)
    }

    /// A comparison of two values.
    pub fn compare(
        &mut self,
        comparison: Comparison,
        left: &Written,
        right: &Written,
    ) -> Outcome<Written> {
        let (one, other) = self.sides(left, right, comparison.side())?;
        let null_proof = matches!(comparison, Comparison::Distinct | Comparison::NotDistinct);
        let not_null = null_proof || left.not_null && right.not_null;
        let text = format!("{one} {} {other}", comparison.text());
        Ok(Written::operation(text, Kind::Bool).never_null(not_null))
    }

    /// `left = right`
    pub fn equal(&mut self, left: &Written, right: &Written) -> Outcome<Written> {
        self.compare(Comparison::Equal, left, right)
    }

    /// `(a, b) = (1, 2)`
    fn rows_compared(
        &mut self,
        comparison: Comparison,
        left: &[Expr],
        right: &[Expr],
    ) -> Outcome<Written> {
        let not = match comparison {
            Comparison::Equal => "",
            Comparison::NotEqual => "NOT ",
            _ => return self.refuse("rows that are put in order"),
        };
        if left.len() != right.len() {
            return self.refuse("rows of different lengths");
        }
        let mut pairs = Vec::new();
        for (left, right) in left.iter().zip(right) {
            let (left, right) = (self.value(left)?, self.value(right)?);
            pairs.push(self.equal(&left, &right)?.atom());
        }
        let text = format!("{not}({})", pairs.join(" AND "));
        Ok(Written::operation(text, Kind::Bool))
    }

    /// Both sides of a comparison, ready to stand beside an operator.
    pub fn sides(
        &mut self,
        left: &Written,
        right: &Written,
        side: Side,
    ) -> Outcome<(String, String)> {
        let source = self.source;
        if let Some(sides) = source.sides(self, left, right, side)? {
            return Ok(sides);
        }
        let plain = || Ok((left.atom(), right.atom()));
        let numbers = self.source.habits().booleans == Booleans::Numbers;
        match (left.kind, right.kind) {
            (Kind::Text, Kind::Text) => self.texts(left, right, side),
            (Kind::Bool, kind) if numbers && kind.is_number() => {
                self.boolean_and_number(left, right)
            }
            (kind, Kind::Bool) if numbers && kind.is_number() => {
                let (right, left) = self.boolean_and_number(right, left)?;
                Ok((left, right))
            }
            (kind, Kind::Text) if kind.is_number() => {
                let number = self.numeral(right)?;
                Ok((left.atom(), number.atom()))
            }
            (Kind::Text, kind) if kind.is_number() => {
                let number = self.numeral(left)?;
                Ok((number.atom(), right.atom()))
            }
            (kind, Kind::Text) if kind.is_moment() => {
                let moment = self.moment_beside(kind, right)?;
                Ok((left.atom(), moment))
            }
            (Kind::Text, kind) if kind.is_moment() => {
                let moment = self.moment_beside(kind, left)?;
                Ok((moment, right.atom()))
            }
            (Kind::Jsonb, _) if side == Side::Equality && right.is_literal() => {
                Ok((left.atom(), document(right)?))
            }
            (_, Kind::Jsonb) if side == Side::Equality && left.is_literal() => {
                Ok((document(left)?, right.atom()))
            }
            (Kind::Other | Kind::Time | Kind::Interval, Kind::Text) if right.is_literal() => {
                plain()
            }
            (Kind::Text, Kind::Other | Kind::Time | Kind::Interval) if left.is_literal() => plain(),
            (Kind::Unclear, _) => self.beside_unclear(left, right, right, side),
            (_, Kind::Unclear) => self.beside_unclear(left, right, left, side),
            (one, other) if one.goes_with(other) => plain(),
            _ => Err(untyped(left, "the type of what it is compared with")),
        }
    }

    fn texts(&self, left: &Written, right: &Written, side: Side) -> Outcome<(String, String)> {
        // Of digits and signs alone every collation makes the same.
        let is_sure =
            |value: &Written| value.form == Form::Digits || value.text.starts_with("to_char(");
        if let Some(collation) = self.source.collation()
            && side == Side::Order
            && !is_sure(left)
            && !is_sure(right)
        {
            return Ok((
                format!("{} COLLATE \"{collation}\"", left.atom()),
                right.atom(),
            ));
        }
        let alike = self.source.habits().equality == Letters::Alike;
        if !alike || left.cased || right.cased || !has_letters(left) || !has_letters(right) {
            return Ok((left.atom(), right.atom()));
        }
        let lower = |side: &Written| match side.text_literal() {
            Some(text) if text.is_ascii() => literal::quoted(&text.to_ascii_lowercase()),
            _ => format!("lower({})", side.text),
        };
        Ok((lower(left), lower(right)))
    }

    /// TRUE is 1 and FALSE is 0.
    fn boolean_and_number(
        &mut self,
        boolean: &Written,
        number: &Written,
    ) -> Outcome<(String, String)> {
        match (boolean.form == Form::Column, number.small_integer()) {
            (true, Some(0)) => Ok((boolean.atom(), "FALSE".to_owned())),
            (true, Some(1)) => Ok((boolean.atom(), "TRUE".to_owned())),
            _ => {
                let boolean = self.numeric(boolean.clone())?;
                Ok((boolean.atom(), number.atom()))
            }
        }
    }

    /// A text beside a date or timestamp: a literal becomes one, so that nothing of it is lost.
    fn moment_beside(&mut self, kind: Kind, text: &Written) -> Outcome<String> {
        let Some(content) = text.text_literal() else {
            // What holds no date is compared as something else there.
            self.likely();
            return Ok(self.source.moment_of(text)?.atom());
        };
        match timestamp::read(content) {
            Some(read) if kind == Kind::TimestampTz => Ok(literal::quoted(&read.text())),
            Some(read) => Ok(read.written().text),
            None => Err(Untranslatable::construct(
                "a string that is no date beside a date",
            )),
        }
    }

    /// What stands beside a value of unknown type. A wrong guess of the type must be an error of
    /// Postgres's, never another comparison.
    fn beside_unclear(
        &self,
        left: &Written,
        right: &Written,
        known: &Written,
        side: Side,
    ) -> Outcome<(String, String)> {
        let habits = self.source.habits();
        let parameter = left.form == Form::Parameter || right.form == Form::Parameter;
        if parameter && known.kind == Kind::Text {
            return self.texts(left, right, side);
        }
        let fine = match known.kind {
            Kind::Text => {
                let told_apart = habits.equality == Letters::ToldApart;
                let as_text = told_apart || known.is_literal() && !has_letters(known);
                let is_time = known
                    .text_literal()
                    .and_then(timestamp::read)
                    .is_some_and(|moment| moment.has_time());
                as_text && !is_time && (side == Side::Equality || known.is_literal())
            }
            Kind::Unclear => habits.equality == Letters::ToldApart,
            _ => true,
        };
        if fine || parameter {
            return Ok((left.atom(), right.atom()));
        }
        Err(Untranslatable::construct(
            "a comparison with a value of unknown type",
        ))
    }
}

/// A literal as the JSON that equals it.
fn document(value: &Written) -> Outcome<String> {
    match &value.form {
        Form::TextLiteral(_) => Ok(format!("to_jsonb(CAST({} AS text))", value.text)),
        Form::NumberLiteral(_) => Ok(format!("to_jsonb({})", value.text)),
        _ => Err(untyped(value, "JSON")),
    }
}
