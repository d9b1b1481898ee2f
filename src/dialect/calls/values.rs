//! Foreign functions of any values: conditions, NULL, JSON, arrays, and what a session is.

use super::call::{CallReplacement, ForeignCall, least_confidence};
use super::row::{ArgumentTest, ForeignFunction, by, hint, name, text};
use crate::confidence::Confidence;
use crate::rules::{BOOL, FIRST, INTEGER, ReturnType, TEXT, UNCLEAR};
use crate::sql_type::SqlType;
use sql::node_access;
use sql::tree::Node;

/// The rows.
#[rustfmt::skip]
pub const ROWS: &[ForeignFunction] = &[
    name(&["ifnull", "nvl"], 2, "COALESCE", FIRST).case("MySQL, SQLite, BigQuery: IFNULL(), Oracle, Snowflake: NVL()", "SELECT ifnull(NULL, 7)", "SELECT COALESCE(NULL, 7) AS ifnull", "7"),
    name(&["isnull"], 2, "COALESCE", FIRST).case("SQL Server: ISNULL(value, other)", "SELECT isnull(NULL, 7)", "SELECT COALESCE(NULL, 7) AS isnull", "7"),
    text(&["isnull"], 1, "({1!} IS NULL)", BOOL).case("MySQL: ISNULL(value)", "SELECT isnull(1)", "SELECT (1 IS NULL) AS isnull", "f"),
    text(&["nvl2"], 3, "CASE WHEN {1!} IS NOT NULL THEN {2} ELSE {3} END", ReturnType::Argument(2)).case("Oracle, Snowflake: NVL2(value, if not null, if null)", "SELECT nvl2(1, 'a', 'b')", "SELECT CASE WHEN 1 IS NOT NULL THEN 'a' ELSE 'b' END AS nvl2", "a"),
    text(&["zeroifnull"], 1, "COALESCE({1}, 0)", FIRST).case("Snowflake: ZEROIFNULL()", "SELECT zeroifnull(NULL::int)", "SELECT COALESCE(NULL::int, 0) AS zeroifnull", "0"),
    text(&["nullifzero"], 1, "NULLIF({1}, 0)", FIRST).case("Snowflake: NULLIFZERO()", "SELECT nullifzero(5)", "SELECT NULLIF(5, 0) AS nullifzero", "5"),
    text(&["if", "iif", "iff"], 3, "CASE WHEN {1b} THEN {2} ELSE {3} END", ReturnType::Argument(2)).case("MySQL, BigQuery: IF(), SQLite, SQL Server: IIF(), Snowflake: IFF()", "SELECT if(1 > 0, 'yes', 'no')", "SELECT CASE WHEN 1 > 0 THEN 'yes' ELSE 'no' END AS if", "yes"),
    text(&["if", "iif"], 2, "CASE WHEN {1b} THEN {2} END", ReturnType::Argument(2)).case("SQLite: iif(condition, value)", "SELECT iif(1 > 0, 5)", "SELECT CASE WHEN 1 > 0 THEN 5 END AS iif", "5"),
    by(&["decode"], 3, decode, UNCLEAR).up_to(100).known().case("Oracle, Snowflake: DECODE(value, choice, result, …, default); NULL is like NULL", "SELECT decode(2, 1, 'one', 2, 'two', 'many')", "SELECT CASE WHEN 2 IS NOT DISTINCT FROM 1 THEN 'one' WHEN 2 IS NOT DISTINCT FROM 2 THEN 'two' ELSE 'many' END AS decode", "two"),
    by(&["json_extract_scalar", "json_value", "json_extract_string", "get_json_object", "json_extract_path_text_at"], 2, json_text, TEXT).case("BigQuery: JSON_EXTRACT_SCALAR(), SQL:2016: JSON_VALUE(), DuckDB: json_extract_string()", "SELECT json_extract_scalar('{\"a\": {\"b\": [5]}}'::jsonb, '$.a.b[0]')", "SELECT (('{\"a\": {\"b\": [5]}}'::jsonb) #>> '{a,b,0}') AS json_extract_scalar", "5"),
    by(&["json_extract"], 2, json_text, TEXT).likely().case("SQLite: json_extract() gives a value (MySQL and DuckDB give JSON)", "SELECT json_extract('{\"a\": \"x\"}'::jsonb, '$.a')", "SELECT (('{\"a\": \"x\"}'::jsonb) #>> '{a}') AS json_extract", "x"),
    hint(&["json_query", "json_unquote", "json_contains", "json_length"], "x #>> '{a,b}' gives a part of JSON as text, x #> '{a,b}' as JSON, x @> y asks whether JSON contains JSON (jsonb)."),
    text(&["array_length", "array_size"], 1, "CARDINALITY({1})", INTEGER).when(&[(1, ArgumentTest::Kind(SqlType::Array))]).known().case("BigQuery: ARRAY_LENGTH(array), Snowflake: ARRAY_SIZE()", "SELECT array_length(ARRAY[1, 2, 3])", "SELECT CARDINALITY(ARRAY[1, 2, 3]) AS array_length", "3"),
    text(&["size"], 1, "CARDINALITY({1})", INTEGER).when(&[(1, ArgumentTest::Kind(SqlType::Array))]).likely().case("Spark: SIZE(array) (-1 for NULL in older ones)", "SELECT size(ARRAY[1, 2, 3])", "SELECT CARDINALITY(ARRAY[1, 2, 3]) AS size", "3"),
    text(&["array_contains", "list_contains", "contains"], 2, "({2!} = ANY ({1}))", BOOL).when(&[(1, ArgumentTest::Kind(SqlType::Array))]).case("Spark: ARRAY_CONTAINS(array, value), DuckDB: list_contains()", "SELECT array_contains(ARRAY[1, 2], 2)", "SELECT (2 = ANY (ARRAY[1, 2])) AS array_contains", "t"),
    text(&["array_contains"], 2, "({1!} = ANY ({2}))", BOOL).when(&[(2, ArgumentTest::Kind(SqlType::Array))]).case("Snowflake: ARRAY_CONTAINS(value, array)", "SELECT array_contains(2, ARRAY[1, 2])", "SELECT (2 = ANY (ARRAY[1, 2])) AS array_contains", "t"),
    by(&["max_by", "arg_max"], 2, by_other, FIRST).likely().case("Snowflake, Spark, DuckDB: MAX_BY(value, by); which of several equal ones is open", "SELECT max_by(x, y) FROM (VALUES ('a', 1), ('b', 3), ('c', NULL)) AS v(x, y)", "SELECT (ARRAY_AGG(x ORDER BY y DESC) FILTER (WHERE y IS NOT NULL))[1] AS max_by FROM (VALUES ('a', 1), ('b', 3), ('c', NULL)) AS v(x, y)", "b"),
    by(&["min_by", "arg_min"], 2, by_other, FIRST).likely().case("Snowflake, Spark, DuckDB: MIN_BY(value, by)", "SELECT min_by(x, y) FROM (VALUES ('a', 1), ('b', 3)) AS v(x, y)", "SELECT (ARRAY_AGG(x ORDER BY y ASC) FILTER (WHERE y IS NOT NULL))[1] AS min_by FROM (VALUES ('a', 1), ('b', 3)) AS v(x, y)", "a"),
    text(&["database", "db_name"], 0, "CURRENT_DATABASE()", TEXT).case("MySQL: DATABASE(), SQL Server: DB_NAME()", "SELECT database() = current_database()", "SELECT CURRENT_DATABASE() = current_database()", "t"),
    hint(&["isnumeric", "is_number", "try_cast", "try_to_number", "isdate"], "Postgres has no test before a cast; x ~ '^-?[0-9]+(\\.[0-9]+)?$' tells numbers from other text."),
    hint(&["typeof"], "PG_TYPEOF(x) gives the name of a type as Postgres calls it."),
    hint(&["convert", "try_convert"], "CAST(x AS type) converts; TO_CHAR(x, pattern) writes dates and numbers."),
    hint(&["hash", "checksum", "farm_fingerprint"], "MD5(x::text) gives a hash of a text."),
    hint(&["first", "last"], "(ARRAY_AGG(x ORDER BY y))[1] gives the first value in an order, FIRST_VALUE(x) OVER (…) that of a window."),
];

/// `decode(value, choice, result, …, default)`.
fn decode(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    // Postgres's own decode(text, format) has two.
    let value = call.operand(1)?;
    let mut text = String::from("CASE");
    let mut number = 2_usize;
    while number < call.count() {
        let result = number.checked_add(1)?;
        let choice = call.operand(number)?;
        let when = match call.argument(number)? {
            Node::A_Const(constant) if constant.isnull => format!("{value} IS NULL"),
            _ => format!("{value} IS NOT DISTINCT FROM {choice}"),
        };
        text.push_str(&format!(" WHEN {when} THEN {}", call.text(result)?));
        number = number.checked_add(2)?;
    }
    if number == call.count() {
        text.push_str(&format!(" ELSE {}", call.text(number)?));
    }
    text.push_str(" END");
    Some(CallReplacement::exact(text).of(call.kind(3)))
}

/// A value of JSON at a path that is written out, as text.
fn json_text(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let json = call.json(1)?;
    let path = path_of(call.literal(2)?)?;
    let text = format!("({} #>> '{{{}}}')", json.text, path.join(","));
    Some(CallReplacement::exact(text).sure(json.confidence))
}

/// The steps of `$.a.b[0]`: plain names and numbers, nothing else.
fn path_of(path: &str) -> Option<Vec<String>> {
    let mut rest = path.trim().strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(inside) = rest.strip_prefix('[') {
            let (step, after) = inside.split_once(']')?;
            step.parse::<u32>().ok()?;
            (step, after)
        } else {
            let name = rest.strip_prefix('.')?;
            let end = name.find(['.', '[']).unwrap_or(name.len());
            (name.get(..end)?, name.get(end..)?)
        };
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if step.is_empty() || !step.chars().all(plain) || step.eq_ignore_ascii_case("null") {
            return None;
        }
        steps.push(step.to_owned());
        rest = after;
    }
    (!steps.is_empty()).then_some(steps)
}

/// `max_by(value, by)`: the value where the other one is the greatest.
fn by_other(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let plain = call.written.end == call.written.close && !call.node.agg_distinct;
    if !plain || call.written.order.is_some() {
        return None;
    }
    let direction = match node_access::last_name(call.node.funcname())? {
        "max_by" | "arg_max" => "DESC",
        _ => "ASC",
    };
    let (value, other, tested) = (call.text(1)?, call.text(2)?, call.operand(2)?);
    let text = format!(
        "(ARRAY_AGG({value} ORDER BY {other} {direction}) FILTER (WHERE {tested} IS NOT NULL))[1]"
    );
    Some(CallReplacement::exact(text).sure(least_confidence(Confidence::Likely, Confidence::Exact)))
}
