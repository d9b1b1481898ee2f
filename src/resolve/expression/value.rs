//! Values: constants, parameters, what the server knows of itself, and parts of values.

use crate::inferred::InferredType;
use crate::{Analysis, Scope, TooDeep};
use catalog::{Oid, type_oid};
use sql::tree::{ConstValue, Node, SQLValueFunctionOp, nodes};

impl<'a> Analysis<'a> {
    pub(crate) fn constant(&self, constant: &nodes::A_Const) -> InferredType {
        let oid = match constant.val() {
            None | Some(ConstValue::String(_)) => return InferredType::Literal,
            Some(ConstValue::Integer(_)) => type_oid::INT4,
            Some(ConstValue::Float(digits)) => number(digits),
            Some(ConstValue::Boolean(_)) => type_oid::BOOL,
            Some(ConstValue::BitString(_)) => type_oid::BIT,
            Some(_) => return InferredType::Unclear,
        };
        self.own(oid)
    }

    /// A parameter: of the type that the client gave, or a literal if all its places make the same
    /// of it. The type that one place gives to it holds at all others.
    pub(crate) fn parameter_value(&self, parameter: &nodes::ParamRef) -> InferredType {
        let number = u32::try_from(parameter.number).unwrap_or_default();
        let type_rules = self.typing();
        match self.parameter(number) {
            InferredType::Known(id) if !type_rules.is(id, type_oid::UNKNOWN) => {
                InferredType::Known(id)
            }
            InferredType::Known(_) | InferredType::Parameter(_)
                if self.is_literal_everywhere(number) =>
            {
                InferredType::Parameter(number)
            }
            _ => InferredType::Unclear,
        }
    }

    pub(crate) fn server_value(&self, value: &nodes::SQLValueFunction) -> InferredType {
        self.own(match value.op {
            SQLValueFunctionOp::SVFOP_CURRENT_DATE => type_oid::DATE,
            SQLValueFunctionOp::SVFOP_CURRENT_TIME | SQLValueFunctionOp::SVFOP_CURRENT_TIME_N => {
                type_oid::TIMETZ
            }
            SQLValueFunctionOp::SVFOP_CURRENT_TIMESTAMP
            | SQLValueFunctionOp::SVFOP_CURRENT_TIMESTAMP_N => type_oid::TIMESTAMPTZ,
            SQLValueFunctionOp::SVFOP_LOCALTIME | SQLValueFunctionOp::SVFOP_LOCALTIME_N => {
                type_oid::TIME
            }
            SQLValueFunctionOp::SVFOP_LOCALTIMESTAMP
            | SQLValueFunctionOp::SVFOP_LOCALTIMESTAMP_N => type_oid::TIMESTAMP,
            SQLValueFunctionOp::SVFOP_CURRENT_ROLE
            | SQLValueFunctionOp::SVFOP_CURRENT_USER
            | SQLValueFunctionOp::SVFOP_USER
            | SQLValueFunctionOp::SVFOP_SESSION_USER
            | SQLValueFunctionOp::SVFOP_CURRENT_CATALOG
            | SQLValueFunctionOp::SVFOP_CURRENT_SCHEMA => type_oid::NAME,
            _ => return InferredType::Unclear,
        })
    }

    /// The value of the first `steps` of a chain of fields and subscripts.
    ///
    /// # Errors
    /// The text nests deeper than the analysis goes.
    pub fn indirection(
        &mut self,
        of: &'a nodes::A_Indirection,
        steps: usize,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let value = self.expression(of.arg(), scope)?;
        self.indirection_of(of, steps, value, scope)
    }

    /// `(x).f`, `x[1]`, `x[1:2]`, and more of them in a row, whose value has been analysed.
    pub(crate) fn indirection_of(
        &mut self,
        of: &'a nodes::A_Indirection,
        steps: usize,
        value: InferredType,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let mut inferred = value;
        let mut subscripts: Vec<&'a nodes::A_Indices> = Vec::new();
        for step in of.indirection().iter().take(steps) {
            match step {
                Node::A_Indices(indices) => subscripts.push(indices),
                Node::String(name) => {
                    inferred = self.subscripted(inferred, &subscripts, scope)?;
                    subscripts.clear();
                    inferred = self.field(&inferred, name.sval().unwrap_or_default(), NO_PLACE)?;
                }
                other => inferred = self.unknown(other, scope)?,
            }
        }
        inferred = self.subscripted(inferred, &subscripts, scope)?;
        self.note_inferred(&inferred, NO_PLACE);
        Ok(inferred)
    }

    /// A container with its subscripts, all at once: `x[1][2]` is an element of a two-dimensional
    /// array, not of an array within an array.
    fn subscripted(
        &mut self,
        container: InferredType,
        subscripts: &[&'a nodes::A_Indices],
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        if subscripts.is_empty() {
            return Ok(container);
        }
        let type_rules = self.typing();
        let known = match container {
            InferredType::Known(id) => Some(type_rules.base(id)),
            _ => None,
        };
        let may_be_json = known.is_none_or(|id| type_rules.is(id, type_oid::JSONB));
        let mut slice = false;
        for indices in subscripts {
            slice |= indices.is_slice;
            for bound in [indices.lidx(), indices.uidx()] {
                if matches!(bound, Node::None) {
                    continue;
                }
                let inferred = self.expression(bound, scope)?;
                if may_be_json {
                    self.coerced_to(&inferred, type_oid::TEXT, NO_PLACE);
                }
                self.coerced_to(&inferred, type_oid::INT4, NO_PLACE);
            }
        }
        let Some(id) = known else {
            return Ok(InferredType::Unclear);
        };
        let data_type = type_rules.data_type(id);
        Ok(match type_rules.oid(id) {
            type_oid::JSONB => InferredType::Known(id),
            type_oid::INT2VECTOR if slice => self.own(type_oid::INT2_ARRAY),
            type_oid::OIDVECTOR if slice => self.own(type_oid::OID_ARRAY),
            _ if slice => data_type.element.map(|_| id).into(),
            // A container of an extension has rules of its own.
            _ => data_type.element.into(),
        })
    }
}

/// The type of a number that is no small integer.
fn number(digits: &str) -> Oid {
    let plain: String = digits.chars().filter(|c| *c != '_').collect();
    let (sign, magnitude) = match plain.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", plain.as_str()),
    };
    let prefix = magnitude.get(..2).unwrap_or_default();
    let (digits, radix) = match prefix {
        "0x" | "0X" => (magnitude.get(2..), 16),
        "0o" | "0O" => (magnitude.get(2..), 8),
        "0b" | "0B" => (magnitude.get(2..), 2),
        _ => (Some(magnitude), 10),
    };
    let signed = format!("{sign}{}", digits.unwrap_or_default());
    match i64::from_str_radix(&signed, radix) {
        Ok(value) if i32::try_from(value).is_ok() => type_oid::INT4,
        Ok(_) => type_oid::INT8,
        Err(_) => type_oid::NUMERIC,
    }
}

/// Where the tree does not say.
const NO_PLACE: i32 = -1;

#[cfg(test)]
mod tests {
    use super::{number, type_oid};

    #[test]
    fn numbers_have_the_smallest_type_that_holds_them() {
        for (digits, oid) in [
            ("2147483648", type_oid::INT8),
            ("-2147483648", type_oid::INT4),
            ("9223372036854775807", type_oid::INT8),
            ("9223372036854775808", type_oid::NUMERIC),
            ("0x1FFFFFFFF", type_oid::INT8),
            ("1_000_000_000_000", type_oid::INT8),
            ("1.5", type_oid::NUMERIC),
            ("1e3", type_oid::NUMERIC),
        ] {
            assert_eq!(number(digits), oid, "{digits}");
        }
    }
}
