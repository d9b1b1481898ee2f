//! Expressions. Each kind of node is written on purpose; what is not here has no translation.

use sqlparser::ast::{CaseWhen, CastKind, Expr, UnaryOperator, Value};

use super::Translator;
use super::folding;
use super::literal;
use super::translated::{Translated, TranslatedForm, are_apart_in_small};
use super::untranslatable::{TranslateResult, Untranslatable};
use crate::source::{BooleanForm, DoubleQuoted};
use crate::sql_type::SqlType;
use ground::limits;

impl Translator<'_> {
    /// An expression, as the value that Postgres has of it: a comparison is a boolean.
    ///
    /// Some functions write an argument several times, and some are looked at twice: both are
    /// bounded, or nested ones would grow without end.
    pub fn value(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        self.steps += 1;
        if self.steps > limits::DIALECT_STEPS_MAX {
            return self.refuse("so long a statement");
        }
        let written = self.value_of(expr)?;
        let written = folding::shown_of_group(self, written);
        if written.text.len() > limits::REPAIR_BYTES_MAX {
            return self.refuse("so long an expression");
        }
        Ok(written)
    }

    fn value_of(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        let source = self.source;
        if let Some(written) = source.expression(self, expr)? {
            return Ok(written);
        }
        match expr {
            Expr::Identifier(ident) if ident.value.starts_with('$') => self.parameter(&ident.value),
            Expr::Identifier(ident) => self.column(std::slice::from_ref(ident)),
            Expr::CompoundIdentifier(parts) => self.column(parts),
            Expr::Value(value) => self.literal(&value.value),
            Expr::Nested(inner) => {
                let inner = self.value(inner)?;
                Ok(Translated {
                    text: if inner.is_primary {
                        inner.text.clone()
                    } else {
                        format!("({})", inner.text)
                    },
                    is_primary: true,
                    ..inner
                })
            }
            Expr::UnaryOp { op, expr } => self.unary(*op, expr),
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right),
            Expr::Function(function) => self.function(function),
            Expr::Case {
                case_token: _,
                end_token: _,
                operand,
                conditions,
                else_result,
            } => self.case(operand.as_deref(), conditions, else_result.as_deref()),
            Expr::Cast {
                kind,
                expr,
                data_type,
                format: None,
            } => {
                let lenient = match kind {
                    CastKind::DoubleColon if !source.has_double_colon_cast() => {
                        return Err(Untranslatable::mixed());
                    }
                    CastKind::Cast | CastKind::DoubleColon => false,
                    CastKind::TryCast | CastKind::SafeCast => true,
                };
                source.cast(self, expr, data_type, lenient)
            }
            Expr::Subquery(query) => {
                let written = self.query(query)?;
                let (kind, longer, cased) = match written.columns.only() {
                    Some(column) => (column.kind, column.extra_digits, column.case_sensitive),
                    None => (SqlType::Unclear, false, false),
                };
                Ok(Translated {
                    extra_digits: longer,
                    case_sensitive: cased,
                    ..Translated::primary(format!("({})", written.text), kind)
                })
            }
            Expr::Tuple(_) => self.refuse("a row of values here"),
            other => match self.condition_of(other)? {
                Some(condition) => Ok(condition),
                None => self.special(other),
            },
        }
    }

    /// A literal, or a double-quoted name.
    fn literal(&mut self, value: &Value) -> TranslateResult<Translated> {
        if let Value::Placeholder(place) = value {
            return self.parameter(place);
        }
        if let Value::DoubleQuotedString(raw) = value
            && self.source.semantics().double_quoted == DoubleQuoted::Text
            && self.is_name_in_sight(raw)
        {
            // A string there, a name here: whoever wrote it did not write in one dialect.
            return Err(Untranslatable::mixed());
        }
        match literal::written(value, self.source)? {
            Some(written) => Ok(written),
            None => self.refuse("a double-quoted string here"),
        }
    }

    /// `$1`: its number stays, its type is what the client said.
    fn parameter(&self, place: &str) -> TranslateResult<Translated> {
        let number: usize = match place.strip_prefix('$').map(str::parse) {
            Some(Ok(number)) => number,
            _ => return self.refuse("a parameter that is not written $1"),
        };
        let kind = self.database.and_then(|database| {
            let given = database.parameters.get(number.checked_sub(1)?)?;
            given.map(|type_id| SqlType::of(database.catalog, type_id))
        });
        Ok(Translated {
            form: TranslatedForm::Parameter,
            ..Translated::primary(format!("${number}"), kind.unwrap_or(SqlType::Unclear))
        })
    }

    fn unary(&mut self, op: UnaryOperator, expr: &Expr) -> TranslateResult<Translated> {
        match op {
            UnaryOperator::Not | UnaryOperator::BangNot => {
                let inner = self.condition(expr)?;
                Ok(
                    Translated::operation(format!("NOT {}", inner.operand()), SqlType::Bool)
                        .never_null(inner.not_null),
                )
            }
            UnaryOperator::Minus => {
                let inner = self.number(expr)?;
                let form = match &inner.form {
                    TranslatedForm::NumberLiteral(digits) if !digits.starts_with('-') => {
                        TranslatedForm::NumberLiteral(format!("-{digits}"))
                    }
                    _ => TranslatedForm::Computed,
                };
                Ok(Translated {
                    form,
                    extra_digits: inner.extra_digits,
                    not_null: inner.not_null,
                    ..Translated::operation(format!("- {}", inner.operand()), inner.kind)
                })
            }
            UnaryOperator::Plus => self.number(expr),
            _ => self.refuse("this operator"),
        }
    }

    fn case(
        &mut self,
        operand: Option<&Expr>,
        conditions: &[CaseWhen],
        otherwise: Option<&Expr>,
    ) -> TranslateResult<Translated> {
        let mut text = String::from("CASE");
        let mut results = Vec::new();
        let operand = operand.map(|operand| self.value(operand)).transpose()?;
        for CaseWhen { condition, result } in conditions {
            let condition = match &operand {
                Some(operand) => {
                    let value = self.value(condition)?;
                    self.equal(operand, &value)?
                }
                None => self.condition(condition)?,
            };
            let result = self.value(result)?;
            results.push((Some(condition), result));
        }
        match otherwise {
            Some(otherwise) => results.push((None, self.value(otherwise)?)),
            None => results.push((None, literal::null())),
        }
        let (conditions, values): (Vec<_>, Vec<_>) = results.into_iter().unzip();
        let (values, common) = self.with_common_type(values)?;
        for (condition, value) in conditions.iter().zip(&values) {
            match condition {
                Some(condition) => {
                    text.push_str(&format!(" WHEN {} THEN {}", condition.text, value.text));
                }
                None if value.form == TranslatedForm::NullLiteral => {}
                None => text.push_str(&format!(" ELSE {}", value.text)),
            }
        }
        text.push_str(" END");
        Ok(Translated {
            name: Some("case".to_owned()),
            extra_digits: values.iter().any(|value| value.extra_digits),
            case_sensitive: values.iter().any(|value| value.case_sensitive),
            apart_in_small: are_apart_in_small(&values),
            not_null: values.iter().all(|value| value.not_null),
            ..Translated::primary(text, common)
        })
    }

    /// Values that become one (of CASE, COALESCE, GREATEST), written so that Postgres finds their
    /// common type to be what the source dialect has; and its kind.
    pub fn with_common_type(
        &mut self,
        values: Vec<Translated>,
    ) -> TranslateResult<(Vec<Translated>, SqlType)> {
        let as_numbers = self.source.semantics().booleans == BooleanForm::Numbers;
        let all_booleans =
            (values.iter()).all(|one| matches!(one.kind, SqlType::Bool | SqlType::Null));
        let mut written = Vec::new();
        for value in values {
            written.push(if as_numbers && !all_booleans {
                self.numeric(value)?
            } else {
                value
            });
        }
        let mut pairs = written.windows(2);
        let mixed = pairs.any(|pair| match pair {
            [one, next] => one.kind.is_other_temporal(next.kind),
            _ => false,
        });
        if mixed && self.source.has_text_timestamps() {
            return self.refuse("dates and timestamps in one place");
        }
        let kinds = written.iter().map(|value| value.kind);
        let common = kinds.fold(SqlType::Null, SqlType::common);
        if common == SqlType::Decimal && written.len() > 1 {
            // In one place all have the digits of the longest there.
            for value in &mut written {
                value.extra_digits = true;
            }
        }
        if common != SqlType::Unclear {
            return Ok((written, common));
        }
        let is_unclear = |value: &Translated| value.kind == SqlType::Unclear;
        if written.iter().any(is_unclear) {
            return Ok((written, SqlType::Unclear));
        }
        let is_text = |value: &Translated| value.kind == SqlType::Text;
        if written.iter().any(is_text) && !self.source.aligns_as_texts() {
            return Err(
                Untranslatable::construct("texts and other values in one place")
                    .hint("cast them all to the type that is meant"),
            );
        }
        // A text among others makes texts of them all; a literal of Postgres alone would be read
        // as the others' type.
        if written.iter().any(|value| value.kind == SqlType::Text) {
            let mut texts = Vec::new();
            for value in written {
                texts.push(self.as_text(value)?);
            }
            return Ok((texts, SqlType::Text));
        }
        self.refuse("values of different types in one place")
    }

    /// A boolean that is a number in the source dialect, as one; anything else as it is.
    pub fn numeric(&mut self, value: Translated) -> TranslateResult<Translated> {
        match value.form {
            TranslatedForm::BoolLiteral(truth) => literal::number(if truth { "1" } else { "0" }),
            _ if value.kind == SqlType::Bool => Ok(self.as_integer(&value)),
            _ => Ok(value),
        }
    }

    /// A boolean as 1 or 0.
    pub fn as_integer(&self, value: &Translated) -> Translated {
        Translated::primary(format!("CAST({} AS integer)", value.text), SqlType::Integer)
            .never_null(value.not_null)
    }

    /// What sqlparser keeps apart from calls because of its syntax.
    fn special(&mut self, expr: &Expr) -> TranslateResult<Translated> {
        match expr {
            Expr::Substring {
                expr,
                substring_from,
                substring_for,
                special: _,
                shorthand: _,
            } => {
                let mut arguments = vec![&**expr];
                arguments.extend(substring_from.as_deref());
                arguments.extend(substring_for.as_deref());
                self.call_named("substring", arguments)
            }
            Expr::Position { expr, r#in } => self.call_named("position", vec![&**expr, &**r#in]),
            Expr::Ceil { expr, field } => self.rounded("ceil", expr, field),
            Expr::Floor { expr, field } => self.rounded("floor", expr, field),
            other => Err(Untranslatable::construct(kind_of(other))),
        }
    }

    fn rounded(
        &mut self,
        name: &str,
        expr: &Expr,
        field: &sqlparser::ast::CeilFloorKind,
    ) -> TranslateResult<Translated> {
        use sqlparser::ast::{CeilFloorKind, DateTimeField};
        match field {
            CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => {
                self.call_named(name, vec![expr])
            }
            CeilFloorKind::DateTimeField(_) | CeilFloorKind::Scale(_) => {
                Err(Untranslatable::function(name))
            }
        }
    }
}

/// What a kind of expression is called in a hint.
fn kind_of(expr: &Expr) -> &'static str {
    match expr {
        Expr::CompoundFieldAccess { .. } => "a subscript",
        Expr::JsonAccess { .. } => "a path into JSON",
        Expr::Convert { .. } => "CONVERT",
        Expr::AtTimeZone { .. } => "AT TIME ZONE",
        Expr::Extract { .. } => "EXTRACT",
        Expr::Trim { .. } => "TRIM",
        Expr::Overlay { .. } => "OVERLAY",
        Expr::Collate { .. } => "COLLATE",
        Expr::Prefixed { .. } => "a prefixed literal",
        Expr::TypedString(_) => "a typed literal",
        Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_) => "grouping sets",
        Expr::Struct { .. } | Expr::Named { .. } => "a STRUCT",
        Expr::Dictionary(_) | Expr::Map(_) => "a map",
        Expr::Array(_) => "an array",
        Expr::Interval(_) => "INTERVAL here",
        Expr::MatchAgainst { .. } => "MATCH AGAINST",
        Expr::Wildcard(_) | Expr::QualifiedWildcard(..) => "a star here",
        Expr::OuterJoin(_) => "(+)",
        Expr::Prior(_) => "PRIOR",
        Expr::Lambda(_) => "a lambda",
        Expr::MemberOf(_) => "MEMBER OF",
        Expr::IsNormalized { .. } | Expr::IsJson { .. } => "this IS test",
        Expr::SimilarTo { .. } => "SIMILAR TO",
        Expr::InUnnest { .. } => "IN UNNEST",
        Expr::AnyOp { .. } | Expr::AllOp { .. } => "ANY and ALL",
        _ => "this kind of expression",
    }
}
