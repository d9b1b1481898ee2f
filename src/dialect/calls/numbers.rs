//! Foreign functions of numbers, aggregates, and functions of numbers that are given something
//! that Postgres has no such function for.

use super::call::{CallReplacement, ForeignCall};
use super::row::{ArgumentTest, ForeignFunction, by, hint, name, text};
use crate::confidence::Confidence;
use crate::rules::{BOOL, DECIMAL, FIRST, FLOAT, INTEGER, ReturnType};
use crate::sql_type::SqlType;
use sql::node_access;

/// The rows.
#[rustfmt::skip]
pub const ROWS: &[ForeignFunction] = &[
    by(&["round", "trunc"], 2, rounded, DECIMAL).known().case("MySQL, SQLite, SQL Server: ROUND(double, digits); Postgres has it for numeric", "SELECT round(2.345::float8, 2), trunc(7.0 / 2.0::float8, 1)", "SELECT ROUND((2.345::float8)::numeric, 2), TRUNC((7.0 / 2.0::float8)::numeric, 1)", "2.35"),
    text(&["truncate"], 2, "TRUNC({1n}, {2})", DECIMAL).case("MySQL: TRUNCATE(number, digits)", "SELECT truncate(1.999, 1)", "SELECT TRUNC(1.999, 1) AS truncate", "1.9"),
    by(&["add", "plus", "safe_add", "subtract", "minus", "safe_subtract", "multiply", "safe_multiply"], 2, calculated, ReturnType::Common).up_to(8).case("ClickHouse: plus(), minus(), multiply(), BigQuery: SAFE_ADD(), SAFE_SUBTRACT(), SAFE_MULTIPLY(), DuckDB: add(), subtract(), multiply()", "SELECT multiply(4, 2.5)", "SELECT (4 * 2.5) AS multiply", "10.0"),
    text(&["negate", "safe_negate"], 1, "(- {1!})", FIRST).when(&[(1, ArgumentTest::Number)]).case("ClickHouse: negate(), BigQuery: SAFE_NEGATE()", "SELECT safe_negate(+1)", "SELECT (- (+1)) AS safe_negate", "-1"),
    text(&["intdiv"], 2, "({1!} / {2!})", INTEGER).when(&[(1, ArgumentTest::Kind(SqlType::Integer)), (2, ArgumentTest::Kind(SqlType::Integer))]).case("ClickHouse: intDiv()", "SELECT intdiv(7, 2)", "SELECT (7 / 2) AS intdiv", "3"),
    name(&["modulo"], 2, "MOD", ReturnType::Common).when(&[(1, ArgumentTest::Number), (2, ArgumentTest::Number)]).case("ClickHouse: modulo(), the sign is that of the dividend", "SELECT modulo(-7, 3)", "SELECT MOD(-7, 3) AS modulo", "-1"),
    by(&["divide"], 2, divided, FLOAT).case("What models write for a division", "SELECT divide(1.0, 4.0)", "SELECT (1.0 / 4.0) AS divide", "0.25000000000000000000"),
    by(&["safe_divide", "div0null"], 2, safely_divided, FLOAT).case("BigQuery: SAFE_DIVIDE(), NULL for a division by zero", "SELECT safe_divide(1, 4)", "SELECT (1::float8 / NULLIF(4, 0)) AS safe_divide", "0.25"),
    text(&["div0"], 2, "COALESCE({1!} / NULLIF({2n}, 0), 0)", DECIMAL).likely().case("Snowflake: DIV0(), 0 for a division by zero", "SELECT div0(1.0, 0)", "SELECT COALESCE(1.0 / NULLIF(0, 0), 0) AS div0", "0"),
    text(&["mod"], 2, "MOD({1!}::numeric, {2!}::numeric)", DECIMAL).known().when(&[(1, ArgumentTest::Kind(SqlType::Float)), (2, ArgumentTest::Number)]).case("MySQL: MOD() of doubles", "SELECT mod(34.5::float8, 3)", "SELECT MOD((34.5::float8)::numeric, 3::numeric)", "1.5"),
    text(&["mod"], 2, "MOD({1!}::numeric, {2!}::numeric)", DECIMAL).known().when(&[(1, ArgumentTest::Number), (2, ArgumentTest::Kind(SqlType::Float))]).case("MySQL: MOD() of doubles", "SELECT mod(7, 3::float8)", "SELECT MOD(7::numeric, (3::float8)::numeric)", "1"),
    text(&["log"], 2, "LOG({1!}::numeric, {2!}::numeric)", DECIMAL).known().when(&[(1, ArgumentTest::Kind(SqlType::Float)), (2, ArgumentTest::Number)]).case("MySQL, SQLite: LOG(base, x) of doubles", "SELECT round(log(2::float8, 8))", "SELECT round(LOG((2::float8)::numeric, 8::numeric))", "3"),
    text(&["log"], 2, "LOG({1!}::numeric, {2!}::numeric)", DECIMAL).known().when(&[(1, ArgumentTest::Number), (2, ArgumentTest::Kind(SqlType::Float))]).case("MySQL, SQLite: LOG(base, x) of doubles", "SELECT round(log(2, 8::float8))", "SELECT round(LOG(2::numeric, (8::float8)::numeric))", "3"),
    text(&["log2"], 1, "LOG(2, {1!}::numeric)::float8", FLOAT).when(&[(1, ArgumentTest::Number)]).case("MySQL, SQLite, DuckDB: LOG2()", "SELECT log2(8)", "SELECT LOG(2, 8::numeric)::float8 AS log2", "3"),
    text(&["square"], 1, "POWER({1f}, 2)", FLOAT).when(&[(1, ArgumentTest::Number)]).case("SQL Server: SQUARE()", "SELECT square(3)", "SELECT POWER(3::float8, 2) AS square", "9"),
    name(&["rand"], 0, "RANDOM", FLOAT).case("MySQL, SQL Server, BigQuery: RAND()", "SELECT rand() < 1", "SELECT RANDOM() < 1", "t"),
    hint(&["rand"], "RANDOM() takes no seed."),
    name(&["newid", "uuid", "generate_uuid"], 0, "GEN_RANDOM_UUID", ReturnType::Kind(SqlType::Uuid)).case("SQL Server: NEWID(), MySQL: UUID()", "SELECT length(newid()::text)", "SELECT length(GEN_RANDOM_UUID()::text)", "36"),
    text(&["double", "todouble", "to_double"], 1, "{1f}::float8", FLOAT).case("Spark: DOUBLE(), Snowflake: TO_DOUBLE()", "SELECT double(1)", "SELECT 1::float8::float8 AS double", "1"),
    text(&["to_number", "to_decimal", "to_numeric"], 1, "{1!}::numeric", DECIMAL).known().likely().when(&[(1, ArgumentTest::Text)]).case("Oracle, Snowflake: TO_NUMBER() without a pattern", "SELECT to_number('12.5')", "SELECT '12.5'::numeric AS to_number", "12.5"),
    by(&["sum", "avg"], 1, counted, DECIMAL).known().when(&[(1, ArgumentTest::Kind(SqlType::Bool))]).case("MySQL, SQLite: a condition is 1 or 0", "SELECT sum(x > 1), avg(x > 1)::float8 FROM (VALUES (1), (2), (3)) AS v(x)", "SELECT SUM((x > 1)::int), AVG((x > 1)::int)::float8 FROM (VALUES (1), (2), (3)) AS v(x)", "2"),
    name(&["max"], 1, "BOOL_OR", BOOL).known().when(&[(1, ArgumentTest::Kind(SqlType::Bool))]).case("MySQL, SQLite: MAX() of conditions", "SELECT max(x > 1) FROM (VALUES (1), (2), (3)) AS v(x)", "SELECT BOOL_OR(x > 1) AS max FROM (VALUES (1), (2), (3)) AS v(x)", "t"),
    name(&["min"], 1, "BOOL_AND", BOOL).known().when(&[(1, ArgumentTest::Kind(SqlType::Bool))]).case("MySQL, SQLite: MIN() of conditions", "SELECT min(x > 1) FROM (VALUES (1), (2), (3)) AS v(x)", "SELECT BOOL_AND(x > 1) AS min FROM (VALUES (1), (2), (3)) AS v(x)", "f"),
    by(&["max", "min"], 2, extreme, FIRST).known().case("SQLite: max(a, b), NULL where one of them is", "SELECT max(1, 2)", "SELECT CASE WHEN 1 IS NOT NULL AND 2 IS NOT NULL THEN GREATEST(1, 2) END AS max", "2"),
    by(&["sum", "avg"], 1, number_of_text, DECIMAL).known().when(&[(1, ArgumentTest::Kind(SqlType::Text))]).likely().case("MySQL, SQLite: texts are added as numbers", "SELECT sum(x) FROM (VALUES ('1'::text), ('2')) AS v(x)", "SELECT SUM(x::numeric) FROM (VALUES ('1'::text), ('2')) AS v(x)", "3"),
    by(&["countif", "count_if"], 1, count_if, INTEGER).case("BigQuery: COUNTIF(), Snowflake, Spark: COUNT_IF()", "SELECT countif(x > 1) FROM (VALUES (1), (2), (3)) AS v(x)", "SELECT COUNT(*) FILTER (WHERE x > 1) AS countif FROM (VALUES (1), (2), (3)) AS v(x)", "2"),
    by(&["count_distinct"], 1, count_distinct, INTEGER).case("Count of different values", "SELECT count_distinct(x) FROM (VALUES (1), (2), (2)) AS v(x)", "SELECT COUNT(DISTINCT x) AS count_distinct FROM (VALUES (1), (2), (2)) AS v(x)", "2"),
    by(&["count"], 2, count_of_several, INTEGER).up_to(16).known().likely().case("MySQL, Spark, Snowflake: COUNT(DISTINCT a, b) counts rows without a NULL", "SELECT count(DISTINCT x, y) FROM (VALUES (1, 2), (1, 2), (1, NULL), (2, 2)) AS v(x, y)", "SELECT COUNT(DISTINCT (x, y)) FILTER (WHERE x IS NOT NULL AND y IS NOT NULL) FROM (VALUES (1, 2), (1, 2), (1, NULL), (2, 2)) AS v(x, y)", "2"),
    by(&["approx_count_distinct", "ndv", "approx_distinct"], 1, count_distinct, INTEGER).likely().case("BigQuery, Snowflake, DuckDB: APPROX_COUNT_DISTINCT(); here it is exact", "SELECT approx_count_distinct(x) FROM (VALUES (1), (2), (2)) AS v(x)", "SELECT COUNT(DISTINCT x) AS approx_count_distinct FROM (VALUES (1), (2), (2)) AS v(x)", "2"),
    by(&["total"], 1, total, FLOAT).case("SQLite: total(): 0.0 for no rows", "SELECT total(x) FROM (VALUES (1), (2)) AS v(x) WHERE x > 5", "SELECT COALESCE(SUM(x), 0)::float8 AS total FROM (VALUES (1), (2)) AS v(x) WHERE x > 5", "0"),
    name(&["std"], 1, "STDDEV_POP", DECIMAL).when(&[(1, ArgumentTest::Number)]).case("MySQL: STD(), of the population", "SELECT round(std(x), 3) FROM (VALUES (1), (2), (4)) AS v(x)", "SELECT round(STDDEV_POP(x), 3) FROM (VALUES (1), (2), (4)) AS v(x)", "1.247"),
    name(&["stdev"], 1, "STDDEV_SAMP", DECIMAL).when(&[(1, ArgumentTest::Number)]).case("SQL Server: STDEV(), of a sample", "SELECT round(stdev(x), 3) FROM (VALUES (1), (2), (4)) AS v(x)", "SELECT round(STDDEV_SAMP(x), 3) FROM (VALUES (1), (2), (4)) AS v(x)", "1.528"),
    name(&["stdevp"], 1, "STDDEV_POP", DECIMAL).when(&[(1, ArgumentTest::Number)]).case("SQL Server: STDEVP()", "SELECT round(stdevp(x), 3) FROM (VALUES (1), (2), (4)) AS v(x)", "SELECT round(STDDEV_POP(x), 3) FROM (VALUES (1), (2), (4)) AS v(x)", "1.247"),
    name(&["varp"], 1, "VAR_POP", DECIMAL).when(&[(1, ArgumentTest::Number)]).case("SQL Server: VARP()", "SELECT round(varp(x), 3) FROM (VALUES (1), (2), (4)) AS v(x)", "SELECT round(VAR_POP(x), 3) FROM (VALUES (1), (2), (4)) AS v(x)", "1.556"),
    by(&["median"], 1, median, FLOAT).case("Oracle, Snowflake, DuckDB: MEDIAN()", "SELECT median(x) FROM (VALUES (1), (2), (4), (5)) AS v(x)", "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) AS median FROM (VALUES (1), (2), (4), (5)) AS v(x)", "3"),
    by(&["any_value", "arbitrary"], 1, any_value, FIRST).likely().case("MySQL, BigQuery, Snowflake: ANY_VALUE(), Postgres from 16 on", "SELECT any_value(x) FROM (VALUES (1), (1)) AS v(x)", "SELECT MIN(x) AS any_value FROM (VALUES (1), (1)) AS v(x)", "1"),
    hint(&["percentile", "quantile", "approx_percentile", "approx_quantile", "quantile_cont"], "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) interpolates, PERCENTILE_DISC(0.5) takes a value that is there."),
];

/// `round(double precision, digits)`: Postgres has it for `numeric` alone.
fn rounded(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let name = node_access::last_name(call.node.funcname())?.to_uppercase();
    let value = match call.kind(1) {
        SqlType::Float => call.operand(1)?,
        SqlType::Text if matches!(call.kind(2), SqlType::Integer) => {
            let text = format!("{name}({}::numeric, {})", call.operand(1)?, call.text(2)?);
            return Some(CallReplacement::exact(text).sure(crate::confidence::Confidence::Likely));
        }
        _ => return None,
    };
    if !matches!(call.kind(2), SqlType::Integer | SqlType::Unclear) {
        return None;
    }
    Some(CallReplacement::exact(format!(
        "{name}({value}::numeric, {})",
        call.text(2)?
    )))
}

/// Arithmetic that is spelled as a call. Where it would overflow there is an error, and NULL in
/// BigQuery's `SAFE_…`.
fn calculated(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let sign = match node_access::last_name(call.node.funcname())? {
        "add" | "plus" | "safe_add" => '+',
        "subtract" | "minus" | "safe_subtract" => '-',
        _ => '*',
    };
    let kinds: Vec<SqlType> = (1..=call.count()).map(|number| call.kind(number)).collect();
    let (kind, confidence) = match (sign, kinds.as_slice()) {
        ('+', [SqlType::Date, SqlType::Integer] | [SqlType::Integer, SqlType::Date])
        | ('-', [SqlType::Date, SqlType::Integer]) => (SqlType::Date, Confidence::Exact),
        ('-', [SqlType::Date, SqlType::Date]) => (SqlType::Integer, Confidence::Exact),
        // Of a date and days some make a date, and others a point in time.
        ('+' | '-', [moment, SqlType::Interval]) if moment.is_temporal() => {
            (SqlType::Timestamp, Confidence::Likely)
        }
        ('-', [_, _, _, ..]) => return None,
        (_, kinds) if kinds.iter().all(|kind| kind.is_number()) => {
            let common = kinds.iter().copied().fold(SqlType::Null, SqlType::common);
            let confidence = match kinds.len() {
                2 => Confidence::Exact,
                _ => Confidence::Likely,
            };
            (common, confidence)
        }
        (_, kinds) => {
            let may_be_number =
                |kind: &SqlType| kind.is_number() || matches!(kind, SqlType::Unclear);
            if !kinds.iter().all(may_be_number) {
                return None;
            }
            (SqlType::Unclear, Confidence::Likely)
        }
    };
    let operands: Option<Vec<String>> = (1..=call.count())
        .map(|number| call.operand(number))
        .collect();
    let text = format!("({})", operands?.join(&format!(" {sign} ")));
    Some(CallReplacement::exact(text).sure(confidence).of(kind))
}

/// A division of models: of integers it may be meant with or without a fraction.
fn divided(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let (one, other) = (call.kind(1), call.kind(2));
    if one == SqlType::Integer && other == SqlType::Integer
        || one == SqlType::Unclear
        || other == SqlType::Unclear
    {
        let text = format!("({}::float8 / {})", call.operand(1)?, call.operand(2)?);
        return Some(CallReplacement::exact(text).sure(crate::confidence::Confidence::Likely));
    }
    if !one.is_number() || !other.is_number() {
        return None;
    }
    let text = format!("({} / {})", call.operand(1)?, call.operand(2)?);
    Some(CallReplacement::exact(text).of(one.common(other)))
}

fn safely_divided(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let (one, other) = (call.kind(1), call.kind(2));
    let divisor = format!("NULLIF({}, 0)", call.text(2)?);
    let is_fraction = |kind| matches!(kind, SqlType::Decimal | SqlType::Float);
    if one.is_number() && other.is_number() && (is_fraction(one) || is_fraction(other)) {
        let text = format!("({} / {divisor})", call.operand(1)?);
        return Some(CallReplacement::exact(text).of(one.common(other)));
    }
    let value = call.float(1)?;
    if !matches!(
        other,
        SqlType::Integer | SqlType::Decimal | SqlType::Float | SqlType::Unclear
    ) {
        return None;
    }
    Some(CallReplacement::exact(format!("({} / {divisor})", value.text)).sure(value.confidence))
}

/// `sum(condition)`: NULL for no rows, as the sum of integers is.
fn counted(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let name = node_access::last_name(call.node.funcname())?.to_uppercase();
    let distinct = if call.node.agg_distinct {
        "DISTINCT "
    } else {
        ""
    };
    let text = format!(
        "{name}({distinct}{}::int){}",
        call.operand(1)?,
        call.tail()?
    );
    let kind = if name == "SUM" {
        SqlType::Integer
    } else {
        SqlType::Decimal
    };
    Some(CallReplacement::exact(text).of(kind))
}

/// `count(DISTINCT a, b)`: the rows of which none is NULL, each once.
fn count_of_several(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let is_plain = call.tail()?.is_empty() && call.node.agg_distinct;
    let numbers = 1..=call.count();
    let values: Option<Vec<String>> = numbers.clone().map(|number| call.text(number)).collect();
    let tests = numbers.map(|number| Some(format!("{} IS NOT NULL", call.operand(number)?)));
    let tests: Option<Vec<String>> = tests.collect();
    let text = format!(
        "COUNT(DISTINCT ({})) FILTER (WHERE {})",
        values?.join(", "),
        tests?.join(" AND ")
    );
    is_plain.then(|| CallReplacement::exact(text))
}

fn number_of_text(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let name = node_access::last_name(call.node.funcname())?.to_uppercase();
    let distinct = if call.node.agg_distinct {
        "DISTINCT "
    } else {
        ""
    };
    let text = format!(
        "{name}({distinct}{}::numeric){}",
        call.operand(1)?,
        call.tail()?
    );
    Some(CallReplacement::exact(text))
}

/// SQLite's `max(a, b)`.
fn extreme(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let (one, other) = (call.kind(1), call.kind(2));
    let alike = one == other && one != SqlType::Unclear || one.is_number() && other.is_number();
    if !alike {
        return None;
    }
    let name = match node_access::last_name(call.node.funcname())? {
        "max" => "GREATEST",
        _ => "LEAST",
    };
    let (first, second) = (call.operand(1)?, call.operand(2)?);
    let text = format!(
        "CASE WHEN {first} IS NOT NULL AND {second} IS NOT NULL THEN {name}({}, {}) END",
        call.text(1)?,
        call.text(2)?
    );
    Some(CallReplacement::exact(text))
}

fn count_if(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    if call.node.agg_distinct || !matches!(call.node.agg_filter(), sql::tree::Node::None) {
        return None;
    }
    let condition = call.condition(1)?;
    let text = format!("COUNT(*) FILTER (WHERE {}){}", condition.text, call.tail()?);
    Some(CallReplacement::exact(text).sure(condition.confidence))
}

fn count_distinct(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    if call.node.over().is_some() {
        return None;
    }
    let text = format!("COUNT(DISTINCT {}){}", call.text(1)?, call.tail()?);
    Some(CallReplacement::exact(text))
}

fn total(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    if !call.kind(1).is_number() {
        return None;
    }
    let distinct = if call.node.agg_distinct {
        "DISTINCT "
    } else {
        ""
    };
    let sum = format!("SUM({distinct}{}){}", call.text(1)?, call.tail()?);
    Some(CallReplacement::exact(format!(
        "COALESCE({sum}, 0)::float8"
    )))
}

fn median(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    if call.node.over().is_some() || call.node.agg_distinct || !call.kind(1).is_number() {
        return None;
    }
    let sorted = format!("WITHIN GROUP (ORDER BY {})", call.text(1)?);
    Some(CallReplacement::exact(format!(
        "PERCENTILE_CONT(0.5) {sorted}{}",
        call.tail()?
    )))
}

fn any_value(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let name = match call.kind(1) {
        SqlType::Bool => "BOOL_OR",
        kind if kind.is_number() || kind.is_temporal() => "MIN",
        SqlType::Text | SqlType::Literal | SqlType::Enum | SqlType::Interval | SqlType::Time => {
            "MIN"
        }
        _ => return None,
    };
    if call.node.agg_distinct {
        return None;
    }
    Some(CallReplacement::exact(format!(
        "{name}({}){}",
        call.text(1)?,
        call.tail()?
    )))
}
