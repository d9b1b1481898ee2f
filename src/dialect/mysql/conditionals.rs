//! MySQL's functions that choose between values.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/flow-control-functions.html>

use crate::rules::{FunctionRule, by};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::shared_functions::conditionals::{
    choice, coalesce, extreme_or_null, null_if,
};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const FLOW: &str = "https://dev.mysql.com/doc/refman/8.0/en/flow-control-functions.html";
const COMPARISON: &str = "https://dev.mysql.com/doc/refman/8.0/en/comparison-operators.html";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("if", (3, 3), choice, FLOW, "IF(n > 1, 'a', 'b')", "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS if"),
    by("ifnull", (2, 2), coalesce, FLOW, "IFNULL(n, 0)", "COALESCE(n, 0) AS ifnull"),
    by("nvl", (2, 2), coalesce, FLOW, "NVL(n, 0)", "COALESCE(n, 0) AS nvl"),
    by("coalesce", (1, 64), coalesce, COMPARISON, "COALESCE(n, q, 0)", "COALESCE(n, q, 0)"),
    by("nullif", (2, 2), null_if, FLOW, "NULLIF(n, 0)", "NULLIF(n, 0)"),
    by("isnull", (1, 1), is_null, COMPARISON, "ISNULL(n)", "CAST(n IS NULL AS integer) AS \"isnull\""),
    by("greatest", (2, 64), extreme_or_null, COMPARISON, "GREATEST(n, 2)", "CASE WHEN n IS NOT NULL THEN GREATEST(n, 2) END AS \"greatest\""),
    by("least", (2, 64), extreme_or_null, COMPARISON, "LEAST(id, 2)", "LEAST(id, 2)"),
];

fn is_null(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    Ok(
        Translated::compound(format!("{} IS NULL", value.operand()), SqlType::Bool)
            .never_null(true),
    )
}
