//! MySQL's functions on the calendar: weeks, names of days, and patterns of dates.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html>

use crate::date_patterns::date_format;
use crate::rules::{ArgumentType, DATE, FunctionRule, INTEGER, TEXT, by, template};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::convert::cast;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const DATES: &str = "https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    template("dayofweek", (1, 1), "CAST(EXTRACT(DOW FROM {1!}) + 1 AS integer)", &[ArgumentType::Temporal], INTEGER, DATES, "DAYOFWEEK(d)", "CAST(EXTRACT(DOW FROM d) + 1 AS integer) AS dayofweek"),
    template("weekday", (1, 1), "CAST(EXTRACT(ISODOW FROM {1!}) - 1 AS integer)", &[ArgumentType::Temporal], INTEGER, DATES, "WEEKDAY(d)", "CAST(EXTRACT(ISODOW FROM d) - 1 AS integer) AS weekday"),
    template("dayofyear", (1, 1), "CAST(EXTRACT(DOY FROM {1!}) AS integer)", &[ArgumentType::Temporal], INTEGER, DATES, "DAYOFYEAR(d)", "CAST(EXTRACT(DOY FROM d) AS integer) AS dayofyear"),
    template("weekofyear", (1, 1), "CAST(EXTRACT(WEEK FROM {1!}) AS integer)", &[ArgumentType::Temporal], INTEGER, DATES, "WEEKOFYEAR(d)", "CAST(EXTRACT(WEEK FROM d) AS integer) AS weekofyear"),
    template("dayname", (1, 1), "to_char({1!}, 'FMDay')", &[ArgumentType::Timestamp], TEXT, DATES, "DAYNAME(m)", "to_char(m, 'FMDay') AS dayname"),
    template("monthname", (1, 1), "to_char({1!}, 'FMMonth')", &[ArgumentType::Timestamp], TEXT, DATES, "MONTHNAME(m)", "to_char(m, 'FMMonth') AS monthname"),
    template("last_day", (1, 1), "CAST(date_trunc('month', {1!}) + INTERVAL '1 month - 1 day' AS date)", &[ArgumentType::Timestamp], DATE, DATES, "LAST_DAY(m)", "CAST(date_trunc('month', m) + INTERVAL '1 month - 1 day' AS date) AS last_day"),
    template("makedate", (2, 2), "CASE WHEN {2!} > 0 THEN make_date({1!}, 1, 1) + ({2!} - 1) END", &[ArgumentType::Integer], DATE, DATES, "MAKEDATE(2024, n)", "CASE WHEN n > 0 THEN make_date(2024, 1, 1) + (n - 1) END AS makedate"),
    template("period_diff", (2, 2), "(({1!} / 100 * 12 + {1!} % 100) - ({2!} / 100 * 12 + {2!} % 100))", &[ArgumentType::Integer], INTEGER, DATES, "PERIOD_DIFF(202402, n)", "((202402 / 100 * 12 + 202402 % 100) - (n / 100 * 12 + n % 100)) AS period_diff"),
    by("week", (1, 2), week, DATES, "WEEK(d, 3)", "CAST(EXTRACT(WEEK FROM d) AS integer) AS week"),
    by("yearweek", (1, 2), year_week, DATES, "YEARWEEK(d, 1)", "CAST(EXTRACT(ISOYEAR FROM d) * 100 + EXTRACT(WEEK FROM d) AS integer) AS yearweek"),
    by("date_format", (2, 2), format, DATES, "DATE_FORMAT(m, '%Y-%m')", "to_char(m, 'YYYY-MM') AS date_format"),
    by("str_to_date", (2, 2), parse, DATES, "STR_TO_DATE(s, '%d.%m.%Y')", "CASE WHEN s ~ '^\\s*\\d{1,2}\\.\\d{1,2}\\.\\d{4}' THEN to_date(s, 'DD.MM.YYYY') END AS str_to_date"),
    by("from_unixtime", (1, 2), from_unixtime, DATES, "FROM_UNIXTIME(n)", "CAST(to_timestamp(n) AS timestamp) AS from_unixtime"),
];

/// The mode of WEEK and YEARWEEK: 0 where none is written, which is MySQL's own default.
fn mode(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<i64> {
    match call.arguments.get(1) {
        None => Ok(0),
        Some(mode) => {
            let mode = translator.value(mode)?;
            mode.small_integer().ok_or_else(|| call.refused())
        }
    }
}

/// WEEK: 0 counts from the first Sunday, 1 has weeks from Monday of which the first has four days,
/// 3 is that of ISO 8601, 5 counts from the first Monday.
fn week(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let day = translator.temporal(call.argument(0)?)?;
    let of = |field: &str| format!("EXTRACT({field} FROM {})", day.text);
    let text = match mode(translator, call)? {
        0 => format!(
            "CAST(floor(({} + 6 - {}) / 7) AS integer)",
            of("DOY"),
            of("DOW")
        ),
        1 => format!(
            "CAST(CASE WHEN {iso} < {year} THEN 0 WHEN {iso} > {year} THEN 53 ELSE {} END AS integer)",
            of("WEEK"),
            iso = of("ISOYEAR"),
            year = of("YEAR"),
        ),
        3 => format!("CAST({} AS integer)", of("WEEK")),
        5 => format!(
            "CAST(floor(({} + 7 - {}) / 7) AS integer)",
            of("DOY"),
            of("ISODOW")
        ),
        _ => {
            return Err(call
                .refused()
                .hint("of its modes 0, 1, 3 and 5 are translated"));
        }
    };
    Ok(Translated::primary(text, SqlType::Integer).never_null(day.not_null))
}

fn year_week(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let mode = mode(translator, call)?;
    let day = translator.date(call.argument(0)?)?;
    let not_null = day.not_null;
    let text = match mode {
        // The week is that of its Sunday.
        0 => {
            let sunday = format!(
                "({day} - CAST(EXTRACT(DOW FROM {day}) AS integer))",
                day = day.operand()
            );
            format!(
                "CAST(EXTRACT(YEAR FROM {sunday}) * 100 + floor((EXTRACT(DOY FROM {sunday}) + 6) / 7) \
                 AS integer)"
            )
        }
        1 | 3 => format!(
            "CAST(EXTRACT(ISOYEAR FROM {day}) * 100 + EXTRACT(WEEK FROM {day}) AS integer)",
            day = day.text
        ),
        _ => {
            return Err(call
                .refused()
                .hint("of its modes 0, 1 and 3 are translated"));
        }
    };
    Ok(Translated::primary(text, SqlType::Integer).never_null(not_null))
}

fn format(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = translator.timestamp(call.argument(0)?)?;
    let pattern = translator.value(call.argument(1)?)?;
    formatted(&moment, &pattern, call)
}

fn formatted(
    moment: &Translated,
    pattern: &Translated,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    let translated = pattern.text_literal().and_then(date_format::from_mysql);
    let Some(translated) = translated else {
        return Err(call
            .refused()
            .hint("its pattern has to be a literal that to_char can write"));
    };
    Ok(Translated::call(
        "to_char",
        &[&moment.text, &translated.literal()],
        SqlType::Text,
    )
    .never_null(moment.not_null))
}

fn from_unixtime(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let seconds = translator.number(call.argument(0)?)?;
    let moment = Translated::primary(
        format!("CAST(to_timestamp({}) AS timestamp)", seconds.text),
        SqlType::Timestamp,
    )
    .never_null(seconds.not_null);
    match call.arguments.get(1) {
        None => Ok(moment),
        Some(pattern) => {
            let pattern = translator.value(pattern)?;
            formatted(&moment, &pattern, call)
        }
    }
}

/// STR_TO_DATE: NULL for what does not look like its pattern.
fn parse(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let subject = translator.text(call.argument(0)?)?;
    let pattern = translator.value(call.argument(1)?)?;
    let content = pattern.text_literal().ok_or_else(|| call.refused())?;
    let refused = || {
        call.refused()
            .hint("its pattern has to be a literal of %Y, %m, %d, %H, %i, %s and plain signs")
    };
    let translated = date_format::from_mysql(content).ok_or_else(refused)?;
    let shape = shape(content).ok_or_else(refused)?;
    let (function, kind) = match (translated.has_date, translated.has_time) {
        (true, false) => ("to_date", SqlType::Date),
        (true, true) => ("to_timestamp", SqlType::Timestamp),
        (false, _) => return Err(refused()),
    };
    let read = Translated::call(function, &[&subject.text, &translated.literal()], kind);
    let read = match kind {
        SqlType::Timestamp => cast(&read, "timestamp", kind),
        _ => read,
    };
    let text = format!(
        "CASE WHEN {} ~ {} THEN {} END",
        subject.operand(),
        literal::quoted(&shape),
        read.text
    );
    Ok(Translated::primary(text, kind))
}

/// The regular expression of what a pattern reads; none where it is not plain to say.
fn shape(pattern: &str) -> Option<String> {
    let mut shape = String::from("^\\s*");
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            if letter.is_ascii_alphanumeric() {
                return None;
            }
            if letter == ' ' {
                shape.push_str("\\s+");
            } else {
                shape.push('\\');
                shape.push(letter);
            }
            continue;
        }
        let code = letters.next()?;
        let ends_with_digits = matches!(letters.peek(), Some('%'));
        shape.push_str(match code {
            'Y' => "\\d{4}",
            'm' | 'd' | 'H' | 'i' | 's' | 'S' if ends_with_digits => "\\d{2}",
            'm' | 'd' | 'e' | 'c' | 'H' | 'i' | 's' | 'S' => "\\d{1,2}",
            'T' => "\\d{1,2}:\\d{1,2}:\\d{1,2}",
            'b' => "[A-Za-z]{3}",
            'M' => "[A-Za-z]{3,9}",
            _ => return None,
        });
    }
    Some(shape)
}
