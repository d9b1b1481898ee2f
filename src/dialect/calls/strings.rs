//! Foreign functions of text, and functions of text that are given something else.

use super::call::{CallReplacement, ForeignCall, text_confidence};
use super::row::{ArgumentTest, ForeignFunction, by, hint, name, text};
use crate::confidence::Confidence;
use crate::rules::{BOOL, INTEGER, ReturnType, TEXT};
use crate::sql_type::SqlType;
use sql::node_access;

/// The rows.
#[rustfmt::skip]
pub const ROWS: &[ForeignFunction] = &[
    text(&["len"], 1, "CARDINALITY({1})", INTEGER).when(&[(1, ArgumentTest::Kind(SqlType::Array))]).case("DuckDB: len() of a list", "SELECT len(ARRAY[1, 2])", "SELECT CARDINALITY(ARRAY[1, 2]) AS len", "2"),
    text(&["len"], 1, "LENGTH({1t})", INTEGER).case("SQL Server, Snowflake, DuckDB: LEN()", "SELECT len('abc')", "SELECT LENGTH('abc') AS len", "3"),
    text(&["instr"], 2, "STRPOS({1t}, {2t})", INTEGER).case("MySQL, SQLite, Oracle: INSTR(text, part)", "SELECT instr('foobarbar', 'bar')", "SELECT STRPOS('foobarbar', 'bar') AS instr", "4"),
    text(&["locate", "charindex"], 2, "STRPOS({2t}, {1t})", INTEGER).case("MySQL: LOCATE(part, text), SQL Server: CHARINDEX(part, text)", "SELECT locate('bar', 'foobarbar')", "SELECT STRPOS('foobarbar', 'bar') AS locate", "4"),
    text(&["locate", "charindex"], 3, "COALESCE(NULLIF(STRPOS(SUBSTR({2t}, {3}), {1t}), 0) + {3!} - 1, 0)", INTEGER).when(&[(3, ArgumentTest::WrittenInteger)]).likely().case("MySQL: LOCATE(part, text, start), SQL Server: CHARINDEX(part, text, start)", "SELECT locate('bar', 'foobarbar', 5)", "SELECT COALESCE(NULLIF(STRPOS(SUBSTR('foobarbar', 5), 'bar'), 0) + 5 - 1, 0) AS locate", "7"),
    name(&["ucase"], 1, "UPPER", TEXT).case("MySQL: UCASE()", "SELECT ucase('abc')", "SELECT UPPER('abc') AS ucase", "ABC"),
    name(&["lcase"], 1, "LOWER", TEXT).case("MySQL: LCASE()", "SELECT lcase('ABC')", "SELECT LOWER('ABC') AS lcase", "abc"),
    text(&["mid"], 3, "SUBSTR({1t}, {2}, {3})", TEXT).case("MySQL: MID(text, start, length)", "SELECT mid('Quadratically', 5, 6)", "SELECT SUBSTR('Quadratically', 5, 6) AS mid", "ratica"),
    text(&["space"], 1, "REPEAT(' ', {1})", TEXT).case("MySQL, SQL Server: SPACE(n)", "SELECT length(space(6) || 'x')", "SELECT length(REPEAT(' ', 6) || 'x')", "7"),
    text(&["replicate"], 2, "REPEAT({1t}, {2})", TEXT).case("SQL Server: REPLICATE(text, n)", "SELECT replicate('ab', 2)", "SELECT REPEAT('ab', 2) AS replicate", "abab"),
    text(&["strcmp"], 2, "CASE WHEN {1!} = {2!} THEN 0 WHEN {1!} < {2!} THEN -1 WHEN {1!} > {2!} THEN 1 END", INTEGER).likely().case("MySQL: STRCMP(); the order of texts is that of the database", "SELECT strcmp('text', 'text2')", "SELECT CASE WHEN 'text' = 'text2' THEN 0 WHEN 'text' < 'text2' THEN -1 WHEN 'text' > 'text2' THEN 1 END AS strcmp", "-1"),
    by(&["field"], 2, field, INTEGER).up_to(100).case("MySQL: FIELD(text, choices…)", "SELECT field('Bb', 'Aa', 'Bb', 'Cc')", "SELECT COALESCE(ARRAY_POSITION(ARRAY['Aa', 'Bb', 'Cc']::text[], 'Bb'), 0) AS field", "2"),
    text(&["find_in_set"], 2, "COALESCE(ARRAY_POSITION(STRING_TO_ARRAY({2t}, ','), {1t}), 0)", INTEGER).when(&[(1, ArgumentTest::Text), (2, ArgumentTest::Text)]).likely().case("MySQL: FIND_IN_SET(text, list)", "SELECT find_in_set('b', 'a,b,c,d')", "SELECT COALESCE(ARRAY_POSITION(STRING_TO_ARRAY('a,b,c,d', ','), 'b'), 0) AS find_in_set", "2"),
    text(&["elt"], 2, "(ARRAY[{2*}]::text[])[{1}]", TEXT).up_to(100).case("MySQL: ELT(n, texts…)", "SELECT elt(2, 'Aa', 'Bb', 'Cc')", "SELECT (ARRAY['Aa', 'Bb', 'Cc']::text[])[2] AS elt", "Bb"),
    by(&["substring_index"], 3, substring_index, TEXT).case("MySQL: SUBSTRING_INDEX(text, separator, count)", "SELECT substring_index('www.mysql.com', '.', 2)", "SELECT ARRAY_TO_STRING((STRING_TO_ARRAY('www.mysql.com', '.'))[:2], '.') AS substring_index", "www.mysql"),
    text(&["contains"], 2, "(STRPOS({1!}, {2!}) > 0)", BOOL).when(&[(1, ArgumentTest::Text), (2, ArgumentTest::Text)]).case("Snowflake, DuckDB: CONTAINS(text, part)", "SELECT contains('ice tea', 'te')", "SELECT (STRPOS('ice tea', 'te') > 0) AS contains", "t"),
    name(&["startswith"], 2, "STARTS_WITH", BOOL).when(&[(1, ArgumentTest::Text), (2, ArgumentTest::Text)]).case("Snowflake, Spark: STARTSWITH()", "SELECT startswith('coffee', 'co')", "SELECT STARTS_WITH('coffee', 'co') AS startswith", "t"),
    text(&["endswith", "ends_with", "suffix"], 2, "(RIGHT({1!}, LENGTH({2!})) = {2!})", BOOL).when(&[(1, ArgumentTest::Text), (2, ArgumentTest::Text)]).case("Snowflake, BigQuery, DuckDB: ENDSWITH()", "SELECT ends_with('apple', 'e')", "SELECT (RIGHT('apple', LENGTH('e')) = 'e') AS ends_with", "t"),
    text(&["regexp_contains"], 2, "({1!} ~ {2!})", BOOL).when(&[(1, ArgumentTest::Text), (2, ArgumentTest::Text)]).likely().case("BigQuery: REGEXP_CONTAINS(text, pattern)", "SELECT regexp_contains('foo@example.com', '@[a-z]+')", "SELECT ('foo@example.com' ~ '@[a-z]+') AS regexp_contains", "t"),
    text(&["regexp_like"], 2, "({1!} ~ {2!})", BOOL).when(&[(1, ArgumentTest::Text), (2, ArgumentTest::Text)]).case("Oracle, MySQL: REGEXP_LIKE(), Postgres from 15 on", "", "", ""),
    text(&["regexp_extract"], 2, "SUBSTRING({1!}, {2!})", TEXT).when(&[(1, ArgumentTest::Text), (2, ArgumentTest::Text)]).likely().case("BigQuery, DuckDB: REGEXP_EXTRACT(text, pattern)", "SELECT regexp_extract('foo@example.com', '^[a-z]+')", "SELECT SUBSTRING('foo@example.com', '^[a-z]+') AS regexp_extract", "foo"),
    text(&["string_split", "str_split", "split"], 2, "STRING_TO_ARRAY({1}, {2})", ReturnType::Kind(SqlType::Array)).when(&[(1, ArgumentTest::Text), (2, ArgumentTest::Text)]).likely().case("DuckDB: string_split(), BigQuery, Snowflake: SPLIT(text, separator)", "SELECT string_split('a,b', ',')", "SELECT STRING_TO_ARRAY('a,b', ',') AS string_split", "{a,b}"),
    text(&["sha2"], 2, "ENCODE(SHA256(CONVERT_TO({1t}, 'UTF8')), 'hex')", TEXT).when(&[(2, ArgumentTest::WrittenInteger)]).likely().case("MySQL, Snowflake: SHA2(text, 256)", "SELECT left(sha2('abc', 256), 8)", "SELECT left(ENCODE(SHA256(CONVERT_TO('abc', 'UTF8')), 'hex'), 8)", "ba7816bf"),
    name(&["unicode", "ord"], 1, "ASCII", INTEGER).when(&[(1, ArgumentTest::Text)]).likely().case("SQLite, SQL Server: UNICODE()", "SELECT unicode('A')", "SELECT ASCII('A') AS unicode", "65"),
    hint(&["soundex", "difference", "levenshtein", "similarity"], "It belongs to an extension (fuzzystrmatch, pg_trgm) that this database does not have."),
    by(&["printf"], 2, printf, TEXT).likely().case("SQLite: printf('%.2f', number)", "SELECT printf('%.2f', 3.14159)", "SELECT ROUND(3.14159::numeric, 2)::text AS printf", "3.14"),
    by(&["format"], 2, printf, TEXT).known().when(&[(1, ArgumentTest::Literal), (2, ArgumentTest::Number)]).likely().case("SQLite: format('%.2f', number)", "", "", ""),
    text(&["string"], 1, "{1t}", TEXT).likely().case("Spark: STRING(value)", "SELECT string(12)", "SELECT 12::text AS string", "12"),
    by(&["string_agg"], 2, aggregated, TEXT).known().when(&[(1, ArgumentTest::NoText)]).case("string_agg() of what is no text", "SELECT string_agg(x, ',') FROM (VALUES (1), (2)) AS v(x)", "SELECT STRING_AGG(x::text, ',') FROM (VALUES (1), (2)) AS v(x)", "1,2"),
    by(&["group_concat", "wm_concat", "listagg", "string_agg"], 1, aggregated, TEXT).known().case("MySQL, SQLite, DuckDB: GROUP_CONCAT(value), Oracle, Snowflake: LISTAGG(value)", "SELECT group_concat(DISTINCT x) FROM (VALUES (1), (2), (2)) AS v(x)", "SELECT STRING_AGG(DISTINCT x::text, ',') AS group_concat FROM (VALUES (1), (2), (2)) AS v(x)", "1,2"),
    by(&["group_concat", "listagg"], 2, aggregated, TEXT).case("SQLite, DuckDB: GROUP_CONCAT(value, separator), Oracle, Snowflake: LISTAGG(value, separator)", "SELECT listagg(x, '; ') WITHIN GROUP (ORDER BY x DESC) FROM (VALUES ('a'), ('b')) AS v(x)", "SELECT STRING_AGG(x, '; ' ORDER BY x DESC) AS listagg FROM (VALUES ('a'), ('b')) AS v(x)", "b; a"),
    by(&["substr", "substring", "left", "right", "lower", "upper", "trim", "ltrim", "rtrim", "btrim", "length", "char_length", "character_length", "replace", "lpad", "rpad", "split_part", "strpos", "initcap", "reverse", "md5", "translate", "starts_with", "regexp_replace", "regexp_match", "regexp_matches", "string_to_array", "repeat", "octet_length", "ascii"], 1, of_texts, TEXT).up_to(6).known().case("SQLite, MySQL: functions of text take numbers and dates as text", "SELECT substr(DATE '2020-05-17', 1, 4), lpad(7, 2, '0')", "SELECT substr((DATE '2020-05-17')::text, 1, 4), lpad(7::text, 2, '0')", "2020"),
];

/// `field(value, choices…)`.
fn field(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let choices: Option<Vec<String>> = (2..=call.count()).map(|number| call.text(number)).collect();
    let all =
        |wanted: fn(SqlType) -> bool| (1..=call.count()).all(|number| wanted(call.kind(number)));
    let cast = if all(|kind| matches!(kind, SqlType::Text | SqlType::Literal)) {
        "::text[]"
    } else if all(|kind| kind == SqlType::Integer) {
        ""
    } else {
        return None;
    };
    let value = match call.kind(1) {
        SqlType::Text => format!("{}::text", call.operand(1)?),
        _ => call.text(1)?,
    };
    let choices = choices?.join(", ");
    let text = format!("COALESCE(ARRAY_POSITION(ARRAY[{choices}]{cast}, {value}), 0)");
    Some(CallReplacement::exact(text))
}

/// `substring_index(text, separator, count)`: what stands before the count-th separator, or after
/// it from behind.
fn substring_index(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let (text, separator) = (call.as_text(1)?, call.text(2)?);
    call.literal(2).filter(|separator| !separator.is_empty())?;
    let parts = format!("STRING_TO_ARRAY({}, {separator})", text.text);
    let whole = match call.integer(3)? {
        1 => format!("SPLIT_PART({}, {separator}, 1)", text.text),
        count @ 2.. => format!("ARRAY_TO_STRING(({parts})[:{count}], {separator})"),
        count @ ..=-1 => {
            let back = count.checked_neg()?.checked_sub(1)?;
            let from = format!("GREATEST(CARDINALITY({parts}) - {back}, 1)");
            format!("ARRAY_TO_STRING(({parts})[{from}:], {separator})")
        }
        0 => return None,
    };
    Some(CallReplacement::exact(whole).sure(text.confidence))
}

/// `printf('%.2f', number)`, and no other pattern.
fn printf(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let pattern = call.literal(1)?;
    let digits = pattern.strip_prefix("%.")?.strip_suffix('f')?;
    let digits: u8 = digits.parse().ok()?;
    if !call.kind(2).is_number() {
        return None;
    }
    let value = call.operand(2)?;
    Some(CallReplacement::exact(format!(
        "ROUND({value}::numeric, {digits})::text"
    )))
}

/// `group_concat(DISTINCT value, separator ORDER BY …)`, `listagg(…) WITHIN GROUP (ORDER BY …)`.
fn aggregated(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let (node, ground) = (call.node, call.ground);
    let value = call.as_text(1)?;
    let name = node_access::last_name(node.funcname())?;
    let separator = match (call.count(), name) {
        (2, "group_concat") => call.literal(2).map(|_| call.text(2))??,
        (2, _) => call.text(2)?,
        (_, "listagg") => "''".to_owned(),
        _ => "','".to_owned(),
    };
    let distinct = if node.agg_distinct { "DISTINCT " } else { "" };
    // What is distinct can be sorted only by itself: numbers as text come in another order.
    let is_changed = value.text.ends_with("::text");
    if node.agg_distinct && is_changed && !node.agg_order().is_empty() {
        return None;
    }
    let bytes = |first, last| {
        call.edits
            .text(&ground.bytes(sql::extent::TokenRange { first, last }))
    };
    let (order, tail) = match call.written.order {
        Some(order) => (
            format!(" {}", bytes(order.first, order.last)?),
            call.tail()?,
        ),
        None if node.agg_within_group => {
            // WITHIN GROUP ( ORDER BY … )
            let open = call.written.close.checked_add(3)?;
            let close = ground.partner(open)?;
            let order = bytes(open.checked_add(1)?, close.checked_sub(1)?)?;
            let rest = match close == call.written.end {
                true => String::new(),
                false => format!(" {}", bytes(close.checked_add(1)?, call.written.end)?),
            };
            (format!(" {order}"), rest)
        }
        None => (String::new(), call.tail()?),
    };
    let text = format!(
        "STRING_AGG({distinct}{}, {separator}{order}){tail}",
        value.text
    );
    let sure = match node.agg_distinct && node.over().is_some() {
        true => return None,
        false => value.confidence,
    };
    Some(CallReplacement::exact(text).sure(sure))
}

/// A function of text whose arguments are something else.
fn of_texts(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let name = node_access::last_name(call.node.funcname())?;
    let texts: &[usize] = match name {
        "lpad" | "rpad" | "trim" | "ltrim" | "rtrim" | "btrim" => &[1, 3],
        "replace" | "translate" | "regexp_replace" => &[1, 2, 3],
        "split_part" | "strpos" | "starts_with" | "string_to_array" => &[1, 2],
        _ => &[1],
    };
    // Elsewhere a start below zero counts from the end.
    if name.starts_with("substr") && call.integer(2).is_some_and(|start| start < 0) {
        return None;
    }
    let mut confidence = Confidence::Exact;
    let mut changed = false;
    let mut arguments = Vec::new();
    for number in 1..=call.count() {
        let kind = call.kind(number);
        let is_text = matches!(kind, SqlType::Text | SqlType::Literal | SqlType::Unclear);
        if !texts.contains(&number) || is_text {
            arguments.push(call.text(number)?);
            continue;
        }
        let sure = text_confidence(kind)?;
        confidence = super::call::least_confidence(confidence, sure);
        arguments.push(format!("{}::text", call.operand(number)?));
        changed = true;
    }
    if !changed || call.node.agg_distinct {
        return None;
    }
    let written = call.ground.bytes(call.written.name);
    let own = call.edits.text(&written)?;
    let text = format!("{own}({}){}", arguments.join(", "), call.tail()?);
    let kind = match name {
        "length" | "char_length" | "character_length" | "strpos" | "octet_length" | "ascii" => {
            SqlType::Integer
        }
        "starts_with" => SqlType::Bool,
        "string_to_array" | "regexp_match" => SqlType::Array,
        _ => SqlType::Text,
    };
    Some(CallReplacement::exact(text).sure(confidence).of(kind))
}
