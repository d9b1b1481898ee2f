//! Comparisons: both sides are written so that Postgres compares them as the source dialect does.

use sqlparser::ast::{BinaryOperator, Expr};

use super::Translator;
use super::condition::has_letters;
use super::folding;
use super::literal;
use super::timestamp;
use super::translated::{Translated, TranslatedForm};
use super::untranslatable::{TranslateResult, Untranslatable};
use crate::source::{BooleanForm, CaseSensitivity, untyped};
use crate::sql_type::SqlType;

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOperator {
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
pub enum ComparisonPurpose {
    /// Whether they are equal.
    Equality,
    /// Which comes first.
    Order,
}

impl ComparisonOperator {
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

    /// How Postgres writes it.
    pub fn text(self) -> &'static str {
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

    /// What it asks of its sides.
    pub fn purpose(self) -> ComparisonPurpose {
        match self {
            Self::Equal | Self::NotEqual | Self::Distinct | Self::NotDistinct => {
                ComparisonPurpose::Equality
            }
            Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual => {
                ComparisonPurpose::Order
            }
        }
    }
}

impl SqlType {
    /// Whether Postgres compares these two as they are, as any dialect would.
    pub fn compares_directly(self, other: Self) -> bool {
        match (self, other) {
            (Self::Null, _) | (_, Self::Null) => true,
            (Self::Unclear, _) | (_, Self::Unclear) => false,
            (one, other) => {
                one == other
                    || one.is_number() && other.is_number()
                    || one.is_temporal() && other.is_temporal()
            }
        }
    }
}

impl Translator<'_> {
    /// A comparison of two expressions.
    pub fn compare_expressions(
        &mut self,
        comparison: ComparisonOperator,
        left: &Expr,
        right: &Expr,
    ) -> TranslateResult<Translated> {
        if let (Expr::Tuple(left), Expr::Tuple(right)) = (left, right) {
            return self.compare_rows(comparison, left, right);
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        self.compare(comparison, &left, &right)
    }

    /// A comparison of two values.
    pub fn compare(
        &mut self,
        comparison: ComparisonOperator,
        left: &Translated,
        right: &Translated,
    ) -> TranslateResult<Translated> {
        let (one, other) = self.sides(left, right, comparison.purpose())?;
        let null_proof = matches!(
            comparison,
            ComparisonOperator::Distinct | ComparisonOperator::NotDistinct
        );
        let not_null = null_proof || left.not_null && right.not_null;
        let text = format!("{one} {} {other}", comparison.text());
        Ok(Translated::operation(text, SqlType::Bool).never_null(not_null))
    }

    /// `left = right`
    pub fn equal(&mut self, left: &Translated, right: &Translated) -> TranslateResult<Translated> {
        self.compare(ComparisonOperator::Equal, left, right)
    }

    /// `(a, b) = (1, 2)`
    fn compare_rows(
        &mut self,
        comparison: ComparisonOperator,
        left: &[Expr],
        right: &[Expr],
    ) -> TranslateResult<Translated> {
        let not = match comparison {
            ComparisonOperator::Equal => "",
            ComparisonOperator::NotEqual => "NOT ",
            _ => return self.refuse("rows that are put in order"),
        };
        if left.len() != right.len() {
            return self.refuse("rows of different lengths");
        }
        let mut pairs = Vec::new();
        for (left, right) in left.iter().zip(right) {
            let (left, right) = (self.value(left)?, self.value(right)?);
            pairs.push(self.equal(&left, &right)?.operand());
        }
        let text = format!("{not}({})", pairs.join(" AND "));
        Ok(Translated::operation(text, SqlType::Bool))
    }

    /// Both sides of a comparison, ready to stand beside an operator.
    pub fn sides(
        &mut self,
        left: &Translated,
        right: &Translated,
        side: ComparisonPurpose,
    ) -> TranslateResult<(String, String)> {
        let source = self.source;
        if let Some(sides) = source.sides(self, left, right, side)? {
            return Ok(sides);
        }
        let plain = || Ok((left.operand(), right.operand()));
        let numbers = self.source.semantics().booleans == BooleanForm::Numbers;
        match (left.kind, right.kind) {
            (SqlType::Text, SqlType::Text) => self.texts(left, right, side),
            (SqlType::Bool, kind) if numbers && kind.is_number() => {
                self.boolean_and_number(left, right)
            }
            (kind, SqlType::Bool) if numbers && kind.is_number() => {
                let (right, left) = self.boolean_and_number(right, left)?;
                Ok((left, right))
            }
            (kind, SqlType::Text) if kind.is_number() => {
                let number = self.as_number(right)?;
                Ok((left.operand(), number.operand()))
            }
            (SqlType::Text, kind) if kind.is_number() => {
                let number = self.as_number(left)?;
                Ok((number.operand(), right.operand()))
            }
            (kind, SqlType::Text) if kind.is_temporal() => {
                let moment = self.timestamp_beside(kind, right)?;
                Ok((left.operand(), moment))
            }
            (SqlType::Text, kind) if kind.is_temporal() => {
                let moment = self.timestamp_beside(kind, left)?;
                Ok((moment, right.operand()))
            }
            (SqlType::Jsonb, _) if side == ComparisonPurpose::Equality && right.is_literal() => {
                Ok((left.operand(), document(right)?))
            }
            (_, SqlType::Jsonb) if side == ComparisonPurpose::Equality && left.is_literal() => {
                Ok((document(left)?, right.operand()))
            }
            (kind, SqlType::Text) if reads_literals(kind) && right.is_literal() => plain(),
            (SqlType::Text, kind) if reads_literals(kind) && left.is_literal() => plain(),
            (SqlType::Unclear, _) => self.beside_unclear(left, right, right, side),
            (_, SqlType::Unclear) => self.beside_unclear(left, right, left, side),
            (one, other) if one.compares_directly(other) => plain(),
            _ => Err(untyped(left, "the type of what it is compared with")),
        }
    }

    fn texts(
        &self,
        left: &Translated,
        right: &Translated,
        side: ComparisonPurpose,
    ) -> TranslateResult<(String, String)> {
        // Of digits and signs alone every collation makes the same.
        let is_sure = |value: &Translated| {
            value.form == TranslatedForm::Digits || value.text.starts_with("to_char(")
        };
        if let Some(collation) = self.source.collation()
            && side == ComparisonPurpose::Order
            && !is_sure(left)
            && !is_sure(right)
        {
            return Ok((
                format!("{} COLLATE \"{collation}\"", left.operand()),
                right.operand(),
            ));
        }
        let alike = self.source.semantics().equality == CaseSensitivity::Insensitive;
        if !alike
            || left.case_sensitive
            || right.case_sensitive
            || !has_letters(left)
            || !has_letters(right)
        {
            return Ok(
                match self.source.pads_texts() && !is_sure(left) && !is_sure(right) {
                    true => (without_spaces(left), without_spaces(right)),
                    false => (left.operand(), right.operand()),
                },
            );
        }
        let pads = self.source.pads_texts();
        let lower = |side: &Translated| match side.text_literal() {
            Some(text) if text.is_ascii() => {
                let text = if pads {
                    text.trim_end_matches(' ')
                } else {
                    text
                };
                literal::quoted(&text.to_ascii_lowercase())
            }
            _ => folding::comparison_key(self, &side.text),
        };
        Ok((lower(left), lower(right)))
    }

    /// TRUE is 1 and FALSE is 0.
    fn boolean_and_number(
        &mut self,
        boolean: &Translated,
        number: &Translated,
    ) -> TranslateResult<(String, String)> {
        match (
            boolean.form == TranslatedForm::Column,
            number.small_integer(),
        ) {
            (true, Some(0)) => Ok((boolean.operand(), "FALSE".to_owned())),
            (true, Some(1)) => Ok((boolean.operand(), "TRUE".to_owned())),
            _ => {
                let boolean = self.numeric(boolean.clone())?;
                Ok((boolean.operand(), number.operand()))
            }
        }
    }

    /// A text beside a date or timestamp: a literal becomes one, so that nothing of it is lost.
    fn timestamp_beside(&mut self, kind: SqlType, text: &Translated) -> TranslateResult<String> {
        let Some(content) = text.text_literal() else {
            // What holds no date is compared as something else there.
            self.mark_likely();
            return Ok(self.source.timestamp_of(text)?.operand());
        };
        match timestamp::read(content) {
            Some(read) if kind == SqlType::TimestampTz => Ok(literal::quoted(&read.text())),
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
        left: &Translated,
        right: &Translated,
        known: &Translated,
        side: ComparisonPurpose,
    ) -> TranslateResult<(String, String)> {
        let semantics = self.source.semantics();
        let parameter =
            left.form == TranslatedForm::Parameter || right.form == TranslatedForm::Parameter;
        if parameter && known.kind == SqlType::Text {
            return self.texts(left, right, side);
        }
        let fine = match known.kind {
            SqlType::Text => {
                let told_apart = semantics.equality == CaseSensitivity::Sensitive;
                let as_text = told_apart || known.is_literal() && !has_letters(known);
                let is_time = known
                    .text_literal()
                    .and_then(timestamp::read)
                    .is_some_and(|moment| moment.has_time());
                as_text && !is_time && (side == ComparisonPurpose::Equality || known.is_literal())
            }
            SqlType::Unclear => semantics.equality == CaseSensitivity::Sensitive,
            _ => true,
        };
        if fine || parameter {
            return Ok((left.operand(), right.operand()));
        }
        Err(Untranslatable::construct(
            "a comparison with a value of unknown type",
        ))
    }
}

/// A text without the spaces at its end.
fn without_spaces(value: &Translated) -> String {
    match value.text_literal() {
        Some(text) => literal::quoted(text.trim_end_matches(' ')),
        None => format!("rtrim({}, ' ')", value.text),
    }
}

/// Whether a literal beside a value of this type is read as Postgres reads it.
fn reads_literals(kind: SqlType) -> bool {
    kind.is_of_postgres_alone() || matches!(kind, SqlType::Time | SqlType::Interval)
}

/// A literal as the JSON that equals it.
fn document(value: &Translated) -> TranslateResult<String> {
    match &value.form {
        TranslatedForm::TextLiteral(_) => Ok(format!("to_jsonb(CAST({} AS text))", value.text)),
        TranslatedForm::NumberLiteral(_) => Ok(format!("to_jsonb({})", value.text)),
        _ => Err(untyped(value, "JSON")),
    }
}
