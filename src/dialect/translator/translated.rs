//! What a translated expression is: its text in Postgres's SQL, and what is known of its value.

use std::collections::BTreeSet;

use crate::sql_type::SqlType;

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
    /// Whether no two texts that it can be differ by the case of their letters alone: it is chosen
    /// from a few.
    pub apart_in_small: bool,
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
            apart_in_small: false,
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

/// Whether these are literals of which no two differ by the case of their letters alone.
pub fn are_apart_in_small(values: &[Translated]) -> bool {
    let literals = values
        .iter()
        .filter(|value| value.form != TranslatedForm::NullLiteral);
    let contents: Option<BTreeSet<&str>> = literals.map(Translated::text_literal).collect();
    contents.is_some_and(|contents| {
        let small = contents.iter().map(|content| content.to_lowercase());
        small.collect::<BTreeSet<_>>().len() == contents.len()
    })
}

/// What Postgres calls a column that has no name.
pub const NAMELESS: &str = "?column?";
