//! What a translated expression is: its text in Postgres's SQL, and what is known of its value.

use crate::catalog::type_oid;
use crate::catalog::{Catalog, TypeId, TypeKind};

/// A translated expression.
#[derive(Clone, Debug)]
pub struct Translated {
    /// Its text.
    pub text: String,
    /// The type of its value, as Postgres has it.
    pub kind: SqlType,
    /// Whether the text can stand beside any operator without parentheses.
    pub is_primary: bool,
    /// Whether its value is known never to be NULL.
    pub not_null: bool,
    /// What it is by itself.
    pub form: TranslatedForm,
    /// Of an array, the type of its elements.
    pub element: SqlType,
    /// Whether a number's digits may be more than the source dialect would show: right as a value,
    /// not to be made a text of.
    pub extra_digits: bool,
    /// Whether the letters of a text are told apart even where the dialect does not: it has a
    /// binary collation there.
    pub case_sensitive: bool,
    /// The name that Postgres gives to a column of it without an alias; none where that is not
    /// known.
    pub name: Option<String>,
}

/// What an expression is by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranslatedForm {
    /// A string literal of this content.
    TextLiteral(String),
    /// A number literal, as it is printed.
    NumberLiteral(String),
    /// TRUE or FALSE.
    BoolLiteral(bool),
    /// NULL.
    NullLiteral,
    /// A column.
    Column,
    /// A text of digits only, such as the year of a date.
    Digits,
    /// A text taken out of a JSON document, where it may have been a number.
    Document,
    /// The place of a parameter.
    Parameter,
    /// Anything else.
    Computed,
}

/// The type of a value, as far as a translation depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlType {
    /// NULL alone.
    Null,
    /// boolean.
    Bool,
    /// smallint, integer, bigint.
    Integer,
    /// numeric.
    Decimal,
    /// real, double precision.
    Float,
    /// text, varchar, char, and string literals.
    Text,
    /// date.
    Date,
    /// time.
    Time,
    /// timestamp.
    Timestamp,
    /// timestamptz.
    TimestampTz,
    /// interval.
    Interval,
    /// json.
    Json,
    /// jsonb.
    Jsonb,
    /// bytea.
    Bytes,
    /// Any array.
    Array,
    /// A type of Postgres's own that the source dialect has no equal of: uuid, an enumeration.
    Other,
    /// Not known.
    Unclear,
}

impl SqlType {
    /// A number.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Decimal | Self::Float)
    }

    /// A date or a timestamp.
    pub fn is_temporal(self) -> bool {
        matches!(self, Self::Date | Self::Timestamp | Self::TimestampTz)
    }

    /// Whether both are dates or timestamps, and not of the same type.
    pub fn is_other_temporal(self, other: Self) -> bool {
        self != other && self.is_temporal() && other.is_temporal()
    }

    /// The kind of a type of the catalog.
    pub fn of(catalog: &Catalog, type_id: TypeId) -> Self {
        let found = catalog.data_type(type_id);
        if let TypeKind::Domain { base, .. } = &found.kind {
            // A domain of a domain has the other as its base, one step at a time.
            return if *base == type_id {
                Self::Unclear
            } else {
                Self::of(catalog, *base)
            };
        }
        if found.is_array {
            return Self::Array;
        }
        match found.oid {
            type_oid::BOOL => Self::Bool,
            type_oid::BYTEA => Self::Bytes,
            type_oid::INT8 | type_oid::INT2 | type_oid::INT4 => Self::Integer,
            type_oid::FLOAT4 | type_oid::FLOAT8 => Self::Float,
            type_oid::NUMERIC => Self::Decimal,
            type_oid::CHAR
            | type_oid::NAME
            | type_oid::TEXT
            | type_oid::BPCHAR
            | type_oid::VARCHAR => Self::Text,
            type_oid::DATE => Self::Date,
            type_oid::TIME => Self::Time,
            type_oid::TIMESTAMP => Self::Timestamp,
            type_oid::TIMESTAMPTZ => Self::TimestampTz,
            type_oid::INTERVAL => Self::Interval,
            type_oid::JSON => Self::Json,
            type_oid::JSONB => Self::Jsonb,
            _ => Self::Other,
        }
    }

    /// The kind that values of both have in one column or CASE; unclear where Postgres would not
    /// have it or nobody knows.
    pub fn common(self, other: Self) -> Self {
        match (self, other) {
            (one, same) if one == same => one,
            (Self::Null, known) | (known, Self::Null) => known,
            (Self::Float, number) | (number, Self::Float) if number.is_number() => Self::Float,
            (Self::Decimal, number) | (number, Self::Decimal) if number.is_number() => {
                Self::Decimal
            }
            (Self::TimestampTz, moment) | (moment, Self::TimestampTz) if moment.is_temporal() => {
                Self::TimestampTz
            }
            (Self::Date, Self::Timestamp) | (Self::Timestamp, Self::Date) => Self::Timestamp,
            _ => Self::Unclear,
        }
    }
}

impl Translated {
    /// An expression that needs parentheses beside operators.
    pub fn compound(text: impl Into<String>, kind: SqlType) -> Self {
        Self {
            text: text.into(),
            kind,
            is_primary: false,
            not_null: false,
            form: TranslatedForm::Computed,
            element: SqlType::Unclear,
            extra_digits: false,
            case_sensitive: false,
            name: None,
        }
    }

    /// An expression that needs none: a call, a literal, something in parentheses.
    pub fn primary(text: impl Into<String>, kind: SqlType) -> Self {
        Self {
            is_primary: true,
            ..Self::compound(text, kind)
        }
    }

    /// An operation, whose column Postgres calls `?column?`.
    pub fn operation(text: impl Into<String>, kind: SqlType) -> Self {
        Self {
            name: Some(NAMELESS.to_owned()),
            ..Self::compound(text, kind)
        }
    }

    /// A call: `name(arguments)`.
    pub fn call(name: &str, arguments: &[&str], kind: SqlType) -> Self {
        Self {
            name: Some(name.to_owned()),
            ..Self::primary(format!("{name}({})", arguments.join(", ")), kind)
        }
    }

    /// Known never to be NULL, or not.
    #[must_use]
    pub fn never_null(mut self, not_null: bool) -> Self {
        self.not_null = not_null;
        self
    }

    /// As it stands beside an operator.
    pub fn operand(&self) -> String {
        if self.is_primary {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }

    /// The content, where it is a string literal.
    pub fn text_literal(&self) -> Option<&str> {
        match &self.form {
            TranslatedForm::TextLiteral(content) => Some(content),
            _ => None,
        }
    }

    /// The digits, where it is a number literal.
    pub fn number_literal(&self) -> Option<&str> {
        match &self.form {
            TranslatedForm::NumberLiteral(digits) => Some(digits),
            _ => None,
        }
    }

    /// The value, where it is a small whole number, written as one.
    pub fn small_integer(&self) -> Option<i64> {
        self.number_literal()?.parse().ok()
    }

    /// Whether it is a literal of any kind.
    pub fn is_literal(&self) -> bool {
        matches!(
            self.form,
            TranslatedForm::TextLiteral(_)
                | TranslatedForm::NumberLiteral(_)
                | TranslatedForm::BoolLiteral(_)
                | TranslatedForm::NullLiteral
        )
    }
}

/// What Postgres calls a column that has no name.
pub const NAMELESS: &str = "?column?";
