//! What the patterns of SQLite's STRFTIME stand for.
//!
//! <https://www.sqlite.org/lang_datefunc.html#strftime>

use crate::date_patterns::strftime::{StrftimeField, StrftimeOutput};

/// All fields that have an equal.
pub const FIELDS: &[StrftimeField] = &[
    ("d", StrftimeOutput::Digits("DD")),
    ("F", StrftimeOutput::Pattern("YYYY-MM-DD")),
    ("G", StrftimeOutput::Digits("IYYY")),
    ("H", StrftimeOutput::ClockDigits("HH24")),
    ("I", StrftimeOutput::ClockDigits("HH12")),
    ("j", StrftimeOutput::Digits("DDD")),
    ("m", StrftimeOutput::Digits("MM")),
    ("M", StrftimeOutput::ClockDigits("MI")),
    ("p", StrftimeOutput::Clock("AM")),
    ("P", StrftimeOutput::Clock("am")),
    ("R", StrftimeOutput::Clock("HH24:MI")),
    (
        "s",
        StrftimeOutput::Template("floor(EXTRACT(EPOCH FROM {0}))::bigint::text"),
    ),
    ("S", StrftimeOutput::ClockDigits("SS")),
    ("T", StrftimeOutput::Clock("HH24:MI:SS")),
    ("u", StrftimeOutput::Digits("ID")),
    (
        "U",
        StrftimeOutput::Template(
            "lpad(((EXTRACT(DOY FROM {0}) + 6 - EXTRACT(DOW FROM {0}))::integer / 7)::text, 2, '0')",
        ),
    ),
    ("V", StrftimeOutput::Digits("IW")),
    (
        "w",
        StrftimeOutput::Template("EXTRACT(DOW FROM {0})::integer::text"),
    ),
    (
        "W",
        StrftimeOutput::Template(
            "lpad(((EXTRACT(DOY FROM {0}) + 7 - EXTRACT(ISODOW FROM {0}))::integer / 7)::text, 2, '0')",
        ),
    ),
    ("Y", StrftimeOutput::Digits("YYYY")),
];
