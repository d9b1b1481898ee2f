//! BigQuery's FORMAT_DATE, PARSE_DATE and their kin.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements>

use super::timestamps::{day_or_time, time_of_utc, zoned};
use crate::date_patterns::strftime::{StrftimeField, StrftimeOutput, StrftimePattern};
use crate::rules::{FunctionRule, by};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::literal::quoted;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str = "https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements";

/// All of them.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("format_date", (2, 2), format, DOC, "FORMAT_DATE('%Y-%m', d)", "to_char(d, 'YYYY-MM') AS format_date"),
    by("format_datetime", (2, 2), format, DOC, "FORMAT_DATETIME('%H', m)", "to_char(m, 'HH24') AS format_datetime"),
    by("format_timestamp", (2, 2), format, DOC, "FORMAT_TIMESTAMP('%H', m)", "to_char(m, 'HH24') AS format_timestamp"),
    by("parse_date", (2, 2), parse, DOC, "PARSE_DATE('%Y-%m-%d', s)", "to_date(s, 'YYYY-MM-DD') AS parse_date"),
    by("parse_datetime", (2, 2), parse, DOC, "PARSE_DATETIME('%Y-%m-%d %H:%M', s)", "to_timestamp(s, 'YYYY-MM-DD HH24:MI')::timestamp AS parse_datetime"),
    by("parse_timestamp", (2, 2), parse, DOC, "PARSE_TIMESTAMP('%F', s)", "(to_timestamp(s, 'YYYY-MM-DD')::timestamp AT TIME ZONE 'UTC') AS parse_timestamp"),
];

fn format(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let pattern = pattern(translator, call, SHOWN)?;
    let moment = match call.name.as_str() {
        "format_date" => day_or_time(translator, call.argument(1)?)?,
        _ => time_of_utc(translator, call.argument(1)?)?,
    };
    let text = match (pattern.has_clock, moment.kind) {
        (true, SqlType::Date) => format!("{}::timestamp", moment.operand()),
        _ => moment.text.clone(),
    };
    Ok(Translated::primary(pattern.of(&text), SqlType::Text).never_null(moment.not_null))
}

fn parse(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let pattern = pattern(translator, call, READ)?;
    let text = translator.text(call.argument(1)?)?;
    let Some(chars) = pattern.chars() else {
        return Err(call.refused());
    };
    let arguments = format!("{}, {}", text.text, quoted(&chars));
    let time = Translated::primary(
        format!("to_timestamp({arguments})::timestamp"),
        SqlType::Timestamp,
    );
    let written = match call.name.as_str() {
        "parse_date" => Translated::primary(format!("to_date({arguments})"), SqlType::Date),
        "parse_datetime" => time,
        _ => zoned(&time),
    };
    Ok(written.never_null(text.not_null))
}

fn pattern(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    fields: &[StrftimeField],
) -> TranslateResult<StrftimePattern> {
    call.plain()?;
    let pattern = translator.value(call.argument(0)?)?;
    match pattern.text_literal() {
        Some(pattern) => StrftimePattern::read(pattern, fields),
        None => Err(Untranslatable::construct("a computed format of dates")),
    }
}

/// What can be shown.
const SHOWN: &[StrftimeField] = &[
    ("E4Y", StrftimeOutput::Digits("YYYY")),
    ("A", StrftimeOutput::Pattern("FMDay")),
    ("a", StrftimeOutput::Pattern("Dy")),
    ("B", StrftimeOutput::Pattern("FMMonth")),
    ("b", StrftimeOutput::Pattern("Mon")),
    ("D", StrftimeOutput::Pattern("MM/DD/YY")),
    ("d", StrftimeOutput::Digits("DD")),
    ("F", StrftimeOutput::Pattern("YYYY-MM-DD")),
    ("G", StrftimeOutput::Digits("IYYY")),
    ("g", StrftimeOutput::Digits("IY")),
    ("H", StrftimeOutput::ClockDigits("HH24")),
    ("h", StrftimeOutput::Pattern("Mon")),
    ("I", StrftimeOutput::ClockDigits("HH12")),
    ("j", StrftimeOutput::Digits("DDD")),
    ("M", StrftimeOutput::ClockDigits("MI")),
    ("m", StrftimeOutput::Digits("MM")),
    ("P", StrftimeOutput::Clock("am")),
    ("p", StrftimeOutput::Clock("AM")),
    ("Q", StrftimeOutput::Digits("Q")),
    ("R", StrftimeOutput::Clock("HH24:MI")),
    ("S", StrftimeOutput::ClockDigits("SS")),
    (
        "s",
        StrftimeOutput::Template("floor(EXTRACT(EPOCH FROM {0}))::bigint::text"),
    ),
    ("T", StrftimeOutput::Clock("HH24:MI:SS")),
    (
        "U",
        StrftimeOutput::Template(
            "lpad(((EXTRACT(DOY FROM {0}) + 6 - EXTRACT(DOW FROM {0}))::integer / 7)::text, 2, '0')",
        ),
    ),
    ("u", StrftimeOutput::Digits("ID")),
    ("V", StrftimeOutput::Digits("IW")),
    (
        "W",
        StrftimeOutput::Template(
            "lpad(((EXTRACT(DOY FROM {0}) + 7 - EXTRACT(ISODOW FROM {0}))::integer / 7)::text, 2, '0')",
        ),
    ),
    (
        "w",
        StrftimeOutput::Template("EXTRACT(DOW FROM {0})::integer::text"),
    ),
    ("X", StrftimeOutput::Clock("HH24:MI:SS")),
    ("x", StrftimeOutput::Pattern("MM/DD/YY")),
    ("Y", StrftimeOutput::Digits("YYYY")),
    ("y", StrftimeOutput::Digits("YY")),
];

/// What can be read back.
const READ: &[StrftimeField] = &[
    ("E4Y", StrftimeOutput::Digits("YYYY")),
    ("B", StrftimeOutput::Pattern("FMMonth")),
    ("b", StrftimeOutput::Pattern("Mon")),
    ("d", StrftimeOutput::Digits("DD")),
    ("F", StrftimeOutput::Pattern("YYYY-MM-DD")),
    ("H", StrftimeOutput::ClockDigits("HH24")),
    ("M", StrftimeOutput::ClockDigits("MI")),
    ("m", StrftimeOutput::Digits("MM")),
    ("S", StrftimeOutput::ClockDigits("SS")),
    ("T", StrftimeOutput::Clock("HH24:MI:SS")),
    ("Y", StrftimeOutput::Digits("YYYY")),
];
