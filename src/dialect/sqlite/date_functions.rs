//! SQLite's functions of dates and times: what [`Moment`] reads, as each of them shows it.
//!
//! <https://www.sqlite.org/lang_datefunc.html>

use super::time_value::Moment;
use crate::dialect::source::{Rule, Write};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::translated::Written;
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const fn rule(
    name: &'static str,
    arguments: (usize, usize),
    write: fn(&mut Writer<'_>, &Call<'_>) -> Outcome<Written>,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments,
        write: Write::By(write),
        doc: "https://www.sqlite.org/lang_datefunc.html",
        case,
    }
}

/// All of them.
pub const RULES: &[Rule] = &[
    rule("date", (0, 9), date, ("date(m)", "m::date AS date")),
    rule(
        "datetime",
        (0, 9),
        datetime,
        (
            "datetime(d, '+1 hour')",
            "d::timestamp + INTERVAL '1 hour' AS datetime",
        ),
    ),
    rule(
        "time",
        (0, 9),
        time,
        ("time(m)", "date_trunc('second', m)::time AS \"time\""),
    ),
    rule(
        "julianday",
        (0, 9),
        julianday,
        (
            "julianday(d)",
            "EXTRACT(JULIAN FROM d)::double precision - 0.5 AS julianday",
        ),
    ),
    rule(
        "unixepoch",
        (0, 9),
        unixepoch,
        (
            "unixepoch(m)",
            "floor(EXTRACT(EPOCH FROM m))::bigint AS unixepoch",
        ),
    ),
    rule(
        "strftime",
        (1, 9),
        strftime,
        ("strftime('%Y', d)", "to_char(d, 'YYYY') AS strftime"),
    ),
    rule(
        "current_date",
        (0, 0),
        date,
        (
            "current_date",
            "(now() AT TIME ZONE 'UTC')::date AS \"current_date\"",
        ),
    ),
    rule(
        "current_time",
        (0, 0),
        time,
        (
            "current_time",
            "date_trunc('second', now() AT TIME ZONE 'UTC')::time AS \"current_time\"",
        ),
    ),
    rule(
        "current_timestamp",
        (0, 0),
        datetime,
        (
            "current_timestamp",
            "date_trunc('second', now() AT TIME ZONE 'UTC') AS \"current_timestamp\"",
        ),
    ),
];

fn date(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    Ok(moment(writer, call)?.date())
}

fn datetime(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    Ok(moment(writer, call)?.timestamp())
}

fn time(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    Ok(moment(writer, call)?.time())
}

fn julianday(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    Ok(moment(writer, call)?.julian_day())
}

fn unixepoch(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    Ok(moment(writer, call)?.epoch())
}

fn strftime(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let (pattern, arguments) = (call.arguments.split_first()).ok_or_else(|| call.refused())?;
    let pattern = writer.value(pattern)?;
    let Some(pattern) = pattern.text_literal() else {
        return Err(Untranslatable::construct("a computed format of dates"));
    };
    Moment::read(writer, arguments)?.formatted(pattern)
}

fn moment(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Moment> {
    call.plain()?;
    Moment::read(writer, &call.arguments)
}
