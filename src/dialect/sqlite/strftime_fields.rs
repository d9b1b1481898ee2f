//! What the patterns of SQLite's STRFTIME stand for.
//!
//! <https://www.sqlite.org/lang_datefunc.html#strftime>

use crate::dialect::date_patterns::strftime::{Field, Gives};

/// All fields that have an equal.
pub const FIELDS: &[Field] = &[
    ("d", Gives::Digits("DD")),
    ("F", Gives::Pattern("YYYY-MM-DD")),
    ("G", Gives::Digits("IYYY")),
    ("H", Gives::ClockDigits("HH24")),
    ("I", Gives::ClockDigits("HH12")),
    ("j", Gives::Digits("DDD")),
    ("m", Gives::Digits("MM")),
    ("M", Gives::ClockDigits("MI")),
    ("p", Gives::Clock("AM")),
    ("P", Gives::Clock("am")),
    ("R", Gives::Clock("HH24:MI")),
    (
        "s",
        Gives::Template("floor(EXTRACT(EPOCH FROM {0}))::bigint::text"),
    ),
    ("S", Gives::ClockDigits("SS")),
    ("T", Gives::Clock("HH24:MI:SS")),
    ("u", Gives::Digits("ID")),
    (
        "U",
        Gives::Template(
            "lpad(((EXTRACT(DOY FROM {0}) + 6 - EXTRACT(DOW FROM {0}))::integer / 7)::text, 2, '0')",
        ),
    ),
    ("V", Gives::Digits("IW")),
    ("w", Gives::Template("EXTRACT(DOW FROM {0})::integer::text")),
    (
        "W",
        Gives::Template(
            "lpad(((EXTRACT(DOY FROM {0}) + 7 - EXTRACT(ISODOW FROM {0}))::integer / 7)::text, 2, '0')",
        ),
    ),
    ("Y", Gives::Digits("YYYY")),
];
