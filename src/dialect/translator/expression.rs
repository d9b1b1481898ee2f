//! Expressions. Each kind of node is written on purpose; what is not here has no translation.

use sqlparser::ast::{CaseWhen, CastKind, Expr, UnaryOperator, Value};

use super::Writer;
use super::literal;
use super::translated::{Form, Kind, Written};
use super::untranslatable::{Outcome, Untranslatable};
use crate::dialect::source::{Booleans, DoubleQuoted};
use crate::limits;

impl Writer<'_> {
    /// An expression, as the value that Postgres has of it: a comparison is a boolean.
    ///
    /// Some functions write an argument several times, and some are looked at twice: both are
    /// bounded, or nested ones would grow without end.
    pub fn value(&mut self, expr: &Expr) -> Outcome<Written> {
        self.steps += 1;
        if self.steps > limits::DIALECT_STEPS_MAX {
            return self.refuse("so long a statement");
        }
        let written = self.value_of(expr)?;
        if written.text.len() > limits::REPAIR_BYTES_MAX {
            return self.refuse("so long an expression");
        }
        Ok(written)
    }

    fn value_of(&mut self, expr: &Expr) -> Outcome<Written> {
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
                Ok(Written {
                    text: if inner.tight {
                        inner.text.clone()
                    } else {
                        format!("({})", inner.text)
                    },
                    tight: true,
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
                    CastKind::DoubleColon if !source.has_colons() => {
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
                    Some(column) => (column.kind, column.longer, column.cased),
                    None => (Kind::Unclear, false, false),
                };
                Ok(Written {
                    longer,
                    cased,
                    ..Written::tight(format!("({})", written.text), kind)
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
    fn literal(&mut self, value: &Value) -> Outcome<Written> {
        if let Value::Placeholder(place) = value {
            return self.parameter(place);
        }
        if let Value::DoubleQuotedString(raw) = value
            && self.source.habits().double_quoted == DoubleQuoted::Text
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
    fn parameter(&self, place: &str) -> Outcome<Written> {
        let number: usize = match place.strip_prefix('$').map(str::parse) {
            Some(Ok(number)) => number,
            _ => return self.refuse("a parameter that is not written $1"),
        };
        let kind = self.database.and_then(|database| {
            let given = database.parameters.get(number.checked_sub(1)?)?;
            given.map(|type_id| Kind::of(database.catalog, type_id))
        });
        Ok(Written {
            form: Form::Parameter,
            ..Written::tight(format!("${number}"), kind.unwrap_or(Kind::Unclear))
        })
    }

    fn unary(&mut self, op: UnaryOperator, expr: &Expr) -> Outcome<Written> {
        match op {
            UnaryOperator::Not | UnaryOperator::BangNot => {
                let inner = self.condition(expr)?;
                Ok(
                    Written::operation(format!("NOT {}", inner.atom()), Kind::Bool)
                        .never_null(inner.not_null),
                )
            }
            UnaryOperator::Minus => {
                let inner = self.number(expr)?;
                let form = match &inner.form {
                    Form::NumberLiteral(digits) if !digits.starts_with('-') => {
                        Form::NumberLiteral(format!("-{digits}"))
                    }
                    _ => Form::Computed,
                };
                Ok(Written {
                    form,
                    longer: inner.longer,
                    not_null: inner.not_null,
                    ..Written::operation(format!("- {}", inner.atom()), inner.kind)
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
    ) -> Outcome<Written> {
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
        let (values, common) = self.aligned(values)?;
        for (condition, value) in conditions.iter().zip(&values) {
            match condition {
                Some(condition) => {
                    text.push_str(&format!(" WHEN {} THEN {}", condition.text, value.text));
                }
                None if value.form == Form::NullLiteral => {}
                None => text.push_str(&format!(" ELSE {}", value.text)),
            }
        }
        text.push_str(" END");
        Ok(Written {
            name: Some("case".to_owned()),
            longer: values.iter().any(|value| value.longer),
            cased: values.iter().any(|value| value.cased),
            not_null: values.iter().all(|value| value.not_null),
            ..Written::tight(text, common)
        })
    }

    /// Values that become one (of CASE, COALESCE, GREATEST), written so that Postgres finds their
    /// common type to be what the source dialect has; and its kind.
    pub fn aligned(&mut self, values: Vec<Written>) -> Outcome<(Vec<Written>, Kind)> {
        let as_numbers = self.source.habits().booleans == Booleans::Numbers;
        let all_booleans = (values.iter()).all(|one| matches!(one.kind, Kind::Bool | Kind::Null));
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
            [one, next] => one.kind.is_other_moment(next.kind),
            _ => false,
        });
        if mixed && self.source.moments_are_texts() {
            return self.refuse("dates and timestamps in one place");
        }
        let kinds = written.iter().map(|value| value.kind);
        let common = kinds.fold(Kind::Null, Kind::common);
        if common == Kind::Decimal && written.len() > 1 {
            // In one place all have the digits of the longest there.
            for value in &mut written {
                value.longer = true;
            }
        }
        if common != Kind::Unclear {
            return Ok((written, common));
        }
        let is_unclear = |value: &Written| value.kind == Kind::Unclear;
        if written.iter().any(is_unclear) {
            return Ok((written, Kind::Unclear));
        }
        let is_text = |value: &Written| value.kind == Kind::Text;
        if written.iter().any(is_text) && !self.source.aligns_as_texts() {
            return Err(
                Untranslatable::construct("texts and other values in one place")
                    .hint("cast them all to the type that is meant"),
            );
        }
        // A text among others makes texts of them all; a literal of Postgres alone would be read
        // as the others' type.
        if written.iter().any(|value| value.kind == Kind::Text) {
            let mut texts = Vec::new();
            for value in written {
                texts.push(self.textual(value)?);
            }
            return Ok((texts, Kind::Text));
        }
        self.refuse("values of different types in one place")
    }

    /// A boolean that is a number in the source dialect, as one; anything else as it is.
    pub fn numeric(&mut self, value: Written) -> Outcome<Written> {
        match value.form {
            Form::BoolLiteral(truth) => literal::number(if truth { "1" } else { "0" }),
            _ if value.kind == Kind::Bool => Ok(self.as_integer(&value)),
            _ => Ok(value),
        }
    }

    /// A boolean as 1 or 0.
    pub fn as_integer(&self, value: &Written) -> Written {
        Written::tight(format!("CAST({} AS integer)", value.text), Kind::Integer)
            .never_null(value.not_null)
    }

    /// What sqlparser keeps apart from calls because of its syntax.
    fn special(&mut self, expr: &Expr) -> Outcome<Written> {
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
    ) -> Outcome<Written> {
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
