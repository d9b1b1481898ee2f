//! BigQuery's FORMAT_DATE, PARSE_DATE and their kin.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements>

use super::timestamps::{day_or_time, time_of_utc, zoned};
use crate::dialect::date_patterns::strftime::{Field, Gives, Pattern};
use crate::dialect::source::{Rule, Write};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::literal::quoted;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const fn by(
    name: &'static str,
    write: fn(&mut Writer<'_>, &Call<'_>) -> Outcome<Written>,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments: (2, 2),
        write: Write::By(write),
        doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements",
        case,
    }
}

/// All of them.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    by("format_date", format, ("FORMAT_DATE('%Y-%m', d)", "to_char(d, 'YYYY-MM') AS format_date")),
    by("format_datetime", format, ("FORMAT_DATETIME('%H', m)", "to_char(m, 'HH24') AS format_datetime")),
    by("format_timestamp", format, ("FORMAT_TIMESTAMP('%H', m)", "to_char(m, 'HH24') AS format_timestamp")),
    by("parse_date", parse, ("PARSE_DATE('%Y-%m-%d', s)", "to_date(s, 'YYYY-MM-DD') AS parse_date")),
    by("parse_datetime", parse,
        ("PARSE_DATETIME('%Y-%m-%d %H:%M', s)", "to_timestamp(s, 'YYYY-MM-DD HH24:MI')::timestamp AS parse_datetime")),
    by("parse_timestamp", parse,
        ("PARSE_TIMESTAMP('%F', s)", "(to_timestamp(s, 'YYYY-MM-DD')::timestamp AT TIME ZONE 'UTC') AS parse_timestamp")),
];

fn format(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let pattern = pattern(writer, call, SHOWN)?;
    let moment = match call.name.as_str() {
        "format_date" => day_or_time(writer, call.argument(1)?)?,
        _ => time_of_utc(writer, call.argument(1)?)?,
    };
    let text = match (pattern.has_clock, moment.kind) {
        (true, Kind::Date) => format!("{}::timestamp", moment.atom()),
        _ => moment.text.clone(),
    };
    Ok(Written::tight(pattern.of(&text), Kind::Text).never_null(moment.not_null))
}

fn parse(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let pattern = pattern(writer, call, READ)?;
    let text = writer.text(call.argument(1)?)?;
    let Some(chars) = pattern.chars() else {
        return Err(call.refused());
    };
    let arguments = format!("{}, {}", text.text, quoted(&chars));
    let time = Written::tight(
        format!("to_timestamp({arguments})::timestamp"),
        Kind::Timestamp,
    );
    let written = match call.name.as_str() {
        "parse_date" => Written::tight(format!("to_date({arguments})"), Kind::Date),
        "parse_datetime" => time,
        _ => zoned(&time),
    };
    Ok(written.never_null(text.not_null))
}

fn pattern(writer: &mut Writer<'_>, call: &Call<'_>, fields: &[Field]) -> Outcome<Pattern> {
    call.plain()?;
    let pattern = writer.value(call.argument(0)?)?;
    match pattern.text_literal() {
        Some(pattern) => Pattern::read(pattern, fields),
        None => Err(Untranslatable::construct("a computed format of dates")),
    }
}

/// What can be shown.
const SHOWN: &[Field] = &[
    ("E4Y", Gives::Digits("YYYY")),
    ("A", Gives::Pattern("FMDay")),
    ("a", Gives::Pattern("Dy")),
    ("B", Gives::Pattern("FMMonth")),
    ("b", Gives::Pattern("Mon")),
    ("D", Gives::Pattern("MM/DD/YY")),
    ("d", Gives::Digits("DD")),
    ("F", Gives::Pattern("YYYY-MM-DD")),
    ("G", Gives::Digits("IYYY")),
    ("g", Gives::Digits("IY")),
    ("H", Gives::ClockDigits("HH24")),
    ("h", Gives::Pattern("Mon")),
    ("I", Gives::ClockDigits("HH12")),
    ("j", Gives::Digits("DDD")),
    ("M", Gives::ClockDigits("MI")),
    ("m", Gives::Digits("MM")),
    ("P", Gives::Clock("am")),
    ("p", Gives::Clock("AM")),
    ("Q", Gives::Digits("Q")),
    ("R", Gives::Clock("HH24:MI")),
    ("S", Gives::ClockDigits("SS")),
    (
        "s",
        Gives::Template("floor(EXTRACT(EPOCH FROM {0}))::bigint::text"),
    ),
    ("T", Gives::Clock("HH24:MI:SS")),
    (
        "U",
        Gives::Template(
            "lpad(((EXTRACT(DOY FROM {0}) + 6 - EXTRACT(DOW FROM {0}))::integer / 7)::text, 2, '0')",
        ),
    ),
    ("u", Gives::Digits("ID")),
    ("V", Gives::Digits("IW")),
    (
        "W",
        Gives::Template(
            "lpad(((EXTRACT(DOY FROM {0}) + 7 - EXTRACT(ISODOW FROM {0}))::integer / 7)::text, 2, '0')",
        ),
    ),
    ("w", Gives::Template("EXTRACT(DOW FROM {0})::integer::text")),
    ("X", Gives::Clock("HH24:MI:SS")),
    ("x", Gives::Pattern("MM/DD/YY")),
    ("Y", Gives::Digits("YYYY")),
    ("y", Gives::Digits("YY")),
];

/// What can be read back.
const READ: &[Field] = &[
    ("E4Y", Gives::Digits("YYYY")),
    ("B", Gives::Pattern("FMMonth")),
    ("b", Gives::Pattern("Mon")),
    ("d", Gives::Digits("DD")),
    ("F", Gives::Pattern("YYYY-MM-DD")),
    ("H", Gives::ClockDigits("HH24")),
    ("M", Gives::ClockDigits("MI")),
    ("m", Gives::Digits("MM")),
    ("S", Gives::ClockDigits("SS")),
    ("T", Gives::Clock("HH24:MI:SS")),
    ("Y", Gives::Digits("YYYY")),
];
