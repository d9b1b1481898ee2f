//! Values as JSON: numbers and booleans where JSON has the same value, else the text that Postgres
//! writes.

use serde_json::{Number, Value};

use crate::catalog::Oid;
use crate::catalog::type_oid::{BOOL, FLOAT4, FLOAT8, INT2, INT4, INT8, OID};
use crate::limits::mcp::VALUE_BYTES_MAX;

/// A value as JSON, and whether it was cut.
pub fn as_json(type_oid: u32, value: Option<&str>) -> (Value, bool) {
    let Some(text) = value else {
        return (Value::Null, false);
    };
    if text.len() > VALUE_BYTES_MAX {
        let end = text.floor_char_boundary(VALUE_BYTES_MAX);
        let shown = text.get(..end).unwrap_or_default();
        return (Value::String(format!("{shown}…")), true);
    }
    let exact = match Oid(type_oid) {
        BOOL => match text {
            "t" => Some(Value::Bool(true)),
            "f" => Some(Value::Bool(false)),
            _ => None,
        },
        INT2 | INT4 | INT8 | OID => whole_number(text),
        FLOAT4 | FLOAT8 => {
            let number = text.parse().ok().and_then(Number::from_f64);
            number.map(Value::Number)
        }
        _ => None,
    };
    (
        exact.unwrap_or_else(|| Value::String(text.to_owned())),
        false,
    )
}

/// None where a reader that has doubles alone would read another number.
fn whole_number(text: &str) -> Option<Value> {
    let number: i64 = text.parse().ok()?;
    (number.unsigned_abs() <= DOUBLE_EXACT_MAX).then(|| Value::from(number))
}

/// 2^53: whole numbers up to it are doubles.
const DOUBLE_EXACT_MAX: u64 = 1 << 53;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_what_postgres_means() {
        for (type_oid, text, value) in [
            (BOOL, "t", json!(true)),
            (BOOL, "f", json!(false)),
            (INT4, "-12", json!(-12)),
            (INT8, "9007199254740992", json!(9_007_199_254_740_992_i64)),
            (INT8, "9007199254740993", json!("9007199254740993")),
            (INT8, "-9223372036854775808", json!("-9223372036854775808")),
            (OID, "4294967295", json!(4_294_967_295_i64)),
            (FLOAT8, "1.5", json!(1.5)),
            (FLOAT8, "NaN", json!("NaN")),
            (FLOAT8, "-Infinity", json!("-Infinity")),
            (Oid(1700), "12.50", json!("12.50")),
            (Oid(25), "t", json!("t")),
            (Oid(3802), "{\"a\": 1.00}", json!("{\"a\": 1.00}")),
        ] {
            assert_eq!(as_json(type_oid.0, Some(text)), (value, false), "{text}");
        }
        assert_eq!(as_json(23, None), (Value::Null, false));
    }

    #[test]
    fn a_long_value_is_cut_between_letters() {
        let long = "ü".repeat(VALUE_BYTES_MAX);
        let (value, is_cut) = as_json(25, Some(&long));
        let shown = value.as_str().unwrap_or_default();
        assert!(is_cut && shown.ends_with('…'));
        assert!(shown.len() <= VALUE_BYTES_MAX + '…'.len_utf8());
    }
}
