//! Foreign functions of dates and times.
//!
//! Where dialects count otherwise (weeks, weekdays, months between two dates) a row says which
//! one's meaning it has, and is no more than likely; where nothing tells them apart it is a hint.

use super::row::{ArgumentTest, ForeignFunction, by, hint, text};
use super::value_kind::ValueKind;
use super::{date_arithmetic as added, date_differences as between, date_formats as written};

/// The rows.
pub const ROWS: &[ForeignFunction] = &[
    text(&["year"], 1, "EXTRACT(YEAR FROM {1@})::int", ValueKind::Int).case(
        "MySQL, SQL Server, Snowflake, DuckDB, Spark: YEAR()",
        "SELECT year(DATE '2020-05-17')",
        "SELECT EXTRACT(YEAR FROM (DATE '2020-05-17'))::int AS year",
        "2020",
    ),
    text(&["month"], 1, "EXTRACT(MONTH FROM {1@})::int", ValueKind::Int).case(
        "MySQL, SQL Server, Snowflake, DuckDB, Spark: MONTH()",
        "SELECT month('2020-05-17') AS m",
        "SELECT EXTRACT(MONTH FROM '2020-05-17'::timestamp)::int AS m",
        "5",
    ),
    text(&["day", "dayofmonth", "day_of_month"], 1, "EXTRACT(DAY FROM {1@})::int", ValueKind::Int).case(
        "MySQL, SQL Server, DuckDB, Spark: DAY(), DAYOFMONTH()",
        "SELECT dayofmonth(TIMESTAMP '2020-05-17 10:11:12') + 1",
        "SELECT EXTRACT(DAY FROM (TIMESTAMP '2020-05-17 10:11:12'))::int + 1",
        "18",
    ),
    text(&["hour"], 1, "EXTRACT(HOUR FROM {1@})::int", ValueKind::Int).case(
        "MySQL, Snowflake, DuckDB, Spark: HOUR()",
        "SELECT hour(TIMESTAMP '2020-05-17 10:11:12')",
        "SELECT EXTRACT(HOUR FROM (TIMESTAMP '2020-05-17 10:11:12'))::int AS hour",
        "10",
    ),
    text(&["minute"], 1, "EXTRACT(MINUTE FROM {1@})::int", ValueKind::Int).case(
        "MySQL, Snowflake, DuckDB, Spark: MINUTE()",
        "SELECT minute(TIMESTAMP '2020-05-17 10:11:12')",
        "SELECT EXTRACT(MINUTE FROM (TIMESTAMP '2020-05-17 10:11:12'))::int AS minute",
        "11",
    ),
    text(&["second"], 1, "FLOOR(EXTRACT(SECOND FROM {1@}))::int", ValueKind::Int).case(
        "MySQL, Snowflake, DuckDB, Spark: SECOND(), without fractions",
        "SELECT second(TIMESTAMP '2020-05-17 10:11:12.9')",
        "SELECT FLOOR(EXTRACT(SECOND FROM (TIMESTAMP '2020-05-17 10:11:12.9')))::int AS second",
        "12",
    ),
    text(&["quarter"], 1, "EXTRACT(QUARTER FROM {1@})::int", ValueKind::Int).case(
        "MySQL, Snowflake, DuckDB, Spark: QUARTER()",
        "SELECT quarter(DATE '2020-05-17')",
        "SELECT EXTRACT(QUARTER FROM (DATE '2020-05-17'))::int AS quarter",
        "2",
    ),
    text(&["dayofyear", "day_of_year"], 1, "EXTRACT(DOY FROM {1@})::int", ValueKind::Int).case(
        "MySQL, Snowflake, DuckDB, Spark: DAYOFYEAR()",
        "SELECT dayofyear(DATE '2020-02-01')",
        "SELECT EXTRACT(DOY FROM (DATE '2020-02-01'))::int AS dayofyear",
        "32",
    ),
    text(&["dayofweek"], 1, "(EXTRACT(DOW FROM {1@})::int + 1)", ValueKind::Int).likely().case(
        "MySQL, Spark: DAYOFWEEK(), 1 is Sunday (DuckDB and Snowflake count from 0)",
        "SELECT dayofweek(DATE '2020-05-17')",
        "SELECT (EXTRACT(DOW FROM (DATE '2020-05-17'))::int + 1) AS dayofweek",
        "1",
    ),
    text(&["weekday"], 1, "(EXTRACT(ISODOW FROM {1@})::int - 1)", ValueKind::Int).likely().case(
        "MySQL, Spark: WEEKDAY(), 0 is Monday (DuckDB counts from Sunday)",
        "SELECT weekday(DATE '2020-05-17')",
        "SELECT (EXTRACT(ISODOW FROM (DATE '2020-05-17'))::int - 1) AS weekday",
        "6",
    ),
    text(&["isodow", "dayofweek_iso", "dayofweekiso"], 1, "EXTRACT(ISODOW FROM {1@})::int", ValueKind::Int)
        .case(
            "DuckDB: isodow(), Snowflake: DAYOFWEEKISO()",
            "SELECT isodow(DATE '2020-05-17')",
            "SELECT EXTRACT(ISODOW FROM (DATE '2020-05-17'))::int AS isodow",
            "7",
        ),
    text(&["weekofyear", "weekiso", "week_iso"], 1, "EXTRACT(WEEK FROM {1@})::int", ValueKind::Int)
        .likely()
        .case(
            "MySQL, Spark: WEEKOFYEAR(), as ISO 8601 counts",
            "SELECT weekofyear(DATE '2021-01-03')",
            "SELECT EXTRACT(WEEK FROM (DATE '2021-01-03'))::int AS weekofyear",
            "53",
        ),
    hint(
        &["week", "yearweek"],
        "Dialects number weeks in different ways; EXTRACT(WEEK FROM x) gives the week of ISO 8601.",
    ),
    text(&["dayname"], 1, "TO_CHAR({1@}, 'FMDay')", ValueKind::Text).likely().case(
        "MySQL, DuckDB: DAYNAME() (Snowflake cuts it to three letters)",
        "SELECT dayname(DATE '2020-05-17')",
        "SELECT TO_CHAR((DATE '2020-05-17'), 'FMDay') AS dayname",
        "Sunday",
    ),
    text(&["monthname"], 1, "TO_CHAR({1@}, 'FMMonth')", ValueKind::Text).likely().case(
        "MySQL, DuckDB: MONTHNAME() (Snowflake cuts it to three letters)",
        "SELECT monthname(DATE '2020-05-17')",
        "SELECT TO_CHAR((DATE '2020-05-17'), 'FMMonth') AS monthname",
        "May",
    ),
    text(
        &["last_day", "eomonth"],
        1,
        "(DATE_TRUNC('month', {1@}) + INTERVAL '1 month - 1 day')::date",
        ValueKind::Date,
    )
    .case(
        "MySQL, Oracle, Snowflake, DuckDB: LAST_DAY(), SQL Server: EOMONTH()",
        "SELECT last_day(DATE '2020-02-05')",
        "SELECT (DATE_TRUNC('month', (DATE '2020-02-05')) + INTERVAL '1 month - 1 day')::date AS last_day",
        "2020-02-29",
    ),
    text(&["makedate"], 2, "(MAKE_DATE({1}, 1, 1) + ({2!} - 1))", ValueKind::Date).likely().case(
        "MySQL: MAKEDATE(year, day of the year)",
        "SELECT makedate(2011, 32)",
        "SELECT (MAKE_DATE(2011, 1, 1) + (32 - 1)) AS makedate",
        "2011-02-01",
    ),
    text(&["datefromparts", "date_from_parts"], 3, "MAKE_DATE({1}, {2}, {3})", ValueKind::Date).case(
        "SQL Server: DATEFROMPARTS(), Snowflake: DATE_FROM_PARTS()",
        "SELECT datefromparts(2020, 5, 17)",
        "SELECT MAKE_DATE(2020, 5, 17) AS datefromparts",
        "2020-05-17",
    ),
    text(&["to_days"], 1, "({1d} - DATE '0001-01-01' + 366)", ValueKind::Int).case(
        "MySQL: TO_DAYS()",
        "SELECT to_days(DATE '2007-10-07')",
        "SELECT ((DATE '2007-10-07') - DATE '0001-01-01' + 366) AS to_days",
        "733321",
    ),
    text(&["from_unixtime"], 1, "TO_TIMESTAMP({1})::timestamp", ValueKind::Timestamp)
        .when(&[(1, ArgumentTest::Number)])
        .case(
            "MySQL, Spark: FROM_UNIXTIME(), in the time zone of the session",
            "SELECT from_unixtime(0) = TIMESTAMPTZ 'epoch'::timestamp",
            "SELECT TO_TIMESTAMP(0)::timestamp = TIMESTAMPTZ 'epoch'::timestamp",
            "t",
        ),
    by(&["from_unixtime"], 2, written::from_unixtime, ValueKind::Text).case(
        "MySQL: FROM_UNIXTIME(seconds, pattern)",
        "SELECT from_unixtime(86400 * 45, '%Y-%m')",
        "SELECT TO_CHAR(TO_TIMESTAMP(86400 * 45), 'YYYY-MM') AS from_unixtime",
        "1970-02",
    ),
    text(&["unix_timestamp"], 0, "FLOOR(EXTRACT(EPOCH FROM NOW()))::bigint", ValueKind::Int).case(
        "MySQL, Spark: UNIX_TIMESTAMP()",
        "SELECT unix_timestamp() > 1500000000",
        "SELECT FLOOR(EXTRACT(EPOCH FROM NOW()))::bigint > 1500000000",
        "t",
    ),
    text(
        &["unix_timestamp"],
        1,
        "FLOOR(EXTRACT(EPOCH FROM {1@}::timestamptz))::bigint",
        ValueKind::Int,
    )
    .case(
        "MySQL, Spark: UNIX_TIMESTAMP(), in the time zone of the session",
        "SELECT unix_timestamp(TIMESTAMPTZ '2020-01-01 00:00:00+00')",
        "SELECT FLOOR(EXTRACT(EPOCH FROM (TIMESTAMPTZ '2020-01-01 00:00:00+00')::timestamptz))::bigint AS unix_timestamp",
        "1577836800",
    ),
    text(&["curdate", "today"], 0, "CURRENT_DATE", ValueKind::Date).case(
        "MySQL: CURDATE(), DuckDB: today()",
        "SELECT curdate() = CURRENT_DATE",
        "SELECT CURRENT_DATE = CURRENT_DATE",
        "t",
    ),
    text(&["curtime"], 0, "LOCALTIME(0)", ValueKind::Time).case(
        "MySQL: CURTIME()",
        "SELECT curtime() = LOCALTIME(0)",
        "SELECT LOCALTIME(0) = LOCALTIME(0)",
        "t",
    ),
    text(&["getdate", "sysdatetime", "sysdate"], 0, "LOCALTIMESTAMP", ValueKind::Timestamp).case(
        "SQL Server: GETDATE(), SYSDATETIME(), MySQL: SYSDATE()",
        "SELECT getdate() = LOCALTIMESTAMP",
        "SELECT LOCALTIMESTAMP = LOCALTIMESTAMP",
        "t",
    ),
    text(
        &["getutcdate", "sysutcdatetime", "utc_timestamp"],
        0,
        "(NOW() AT TIME ZONE 'UTC')",
        ValueKind::Timestamp,
    )
    .case(
        "SQL Server: GETUTCDATE(), MySQL: UTC_TIMESTAMP()",
        "SELECT utc_timestamp() = NOW() AT TIME ZONE 'UTC'",
        "SELECT (NOW() AT TIME ZONE 'UTC') = NOW() AT TIME ZONE 'UTC'",
        "t",
    ),
    by(&["strftime"], 2, written::strftime, ValueKind::Text).up_to(6).case(
        "SQLite: strftime(pattern, time, modifiers…); DuckDB: strftime(time, pattern)",
        "SELECT strftime('%Y-%m', DATE '2020-05-17', '+20 days') AS m",
        "SELECT TO_CHAR(((DATE '2020-05-17') + INTERVAL '20 days'), 'YYYY-MM') AS m",
        "2020-06",
    ),
    by(&["date_format"], 2, written::date_format, ValueKind::Text).case(
        "MySQL: DATE_FORMAT(time, pattern)",
        "SELECT date_format(DATE '2020-05-07', '%M %e, %Y') AS d",
        "SELECT TO_CHAR((DATE '2020-05-07'), 'FMMonth FMDD, YYYY') AS d",
        "May 7, 2020",
    ),
    by(&["str_to_date"], 2, written::str_to_date, ValueKind::Date).case(
        "MySQL: STR_TO_DATE(text, pattern)",
        "SELECT str_to_date('01,5,2013', '%d,%m,%Y')",
        "SELECT TO_DATE('01,5,2013', 'DD,MM,YYYY') AS str_to_date",
        "2013-05-01",
    ),
    by(&["julianday"], 1, written::julianday, ValueKind::Float).up_to(4).case(
        "SQLite: julianday(time): days, with a fraction",
        "SELECT julianday(DATE '2020-05-17') - julianday(DATE '2020-05-10')",
        "SELECT (EXTRACT(JULIAN FROM (DATE '2020-05-17'))::float8 - 0.5) - (EXTRACT(JULIAN FROM (DATE '2020-05-10'))::float8 - 0.5)",
        "7",
    ),
    by(&["date"], 2, written::date, ValueKind::Date).up_to(6).known().case(
        "SQLite: date(time, modifiers…)",
        "SELECT date(DATE '2020-05-17', 'start of month', '-1 day')",
        "SELECT (DATE_TRUNC('month', (DATE '2020-05-17')) + INTERVAL '-1 day')::date AS date",
        "2020-04-30",
    ),
    by(&["datetime"], 1, written::datetime, ValueKind::Timestamp).up_to(6).case(
        "SQLite: datetime(time, modifiers…)",
        "SELECT datetime('2020-05-17 10:11:12', '+1 hour')",
        "SELECT DATE_TRUNC('second', ('2020-05-17 10:11:12'::timestamp + INTERVAL '1 hour')) AS datetime",
        "2020-05-17 11:11:12",
    ),
    text(&["datediff", "date_diff"], 2, "({1d} - {2d})", ValueKind::Int).case(
        "MySQL, Spark: DATEDIFF(end, start), in days",
        "SELECT datediff(TIMESTAMP '2020-05-17 01:00:00', DATE '2020-05-10')",
        "SELECT ((TIMESTAMP '2020-05-17 01:00:00')::date - (DATE '2020-05-10')) AS datediff",
        "7",
    ),
    by(&["datediff", "date_diff", "datediff_big"], 3, between::boundaries, ValueKind::Int).case(
        "SQL Server, Snowflake, DuckDB: DATEDIFF(unit, start, end), BigQuery: DATE_DIFF(end, start, unit)",
        "SELECT datediff('day', DATE '2020-05-10', DATE '2020-05-17')",
        "SELECT ((DATE '2020-05-17') - (DATE '2020-05-10')) AS datediff",
        "7",
    ),
    by(&["timestampdiff"], 3, between::complete, ValueKind::Int).case(
        "MySQL: TIMESTAMPDIFF(unit, start, end), complete units",
        "SELECT timestampdiff('day', DATE '2020-05-10', DATE '2020-05-17')",
        "SELECT ((DATE '2020-05-17') - (DATE '2020-05-10')) AS timestampdiff",
        "7",
    ),
    by(&["date_add", "adddate", "date_sub", "subdate"], 2, added::shifted, ValueKind::Unclear).case(
        "MySQL: DATE_ADD(time, INTERVAL …), ADDDATE(time, days)",
        "SELECT date_sub(DATE '2020-05-31', INTERVAL '1 month')",
        "SELECT ((DATE '2020-05-31') - INTERVAL '1 month')::date AS date_sub",
        "2020-04-30",
    ),
    by(&["dateadd", "timestampadd"], 3, added::in_units, ValueKind::Unclear).case(
        "SQL Server, Snowflake: DATEADD(unit, number, time), MySQL: TIMESTAMPADD()",
        "SELECT dateadd('month', -3, DATE '2020-05-31')",
        "SELECT ((DATE '2020-05-31') + (-3) * INTERVAL '1 month')::date AS dateadd",
        "2020-02-29",
    ),
    by(&["add_months"], 2, added::months, ValueKind::Unclear).likely().case(
        "Oracle, Snowflake, Spark: ADD_MONTHS() (Oracle keeps the last day of a month the last)",
        "SELECT add_months(DATE '2020-01-15', 1)",
        "SELECT ((DATE '2020-01-15') + 1 * INTERVAL '1 month')::date AS add_months",
        "2020-02-15",
    ),
    hint(
        &["months_between"],
        "Dialects count months in different ways; EXTRACT(YEAR FROM AGE(b, a)) * 12 + EXTRACT(MONTH FROM AGE(b, a)) counts complete ones.",
    ),
    by(&["extract", "date_part", "datepart"], 2, between::part, ValueKind::Numeric).known().case(
        "EXTRACT of days between two dates, which are an integer in Postgres",
        "SELECT EXTRACT(DAY FROM DATE '2020-05-17' - DATE '2020-05-10')",
        "SELECT (DATE '2020-05-17' - DATE '2020-05-10')::numeric AS extract",
        "7",
    ),
    hint(
        &["extract", "date_part"],
        "The difference of two dates is a number of days; EXTRACT(YEAR FROM AGE(b, a)) gives complete years.",
    )
    .known()
    .when(&[(2, ArgumentTest::Kind(ValueKind::Int))]),
    by(&["datename"], 2, between::name, ValueKind::Text).likely().case(
        "SQL Server: DATENAME(unit, time)",
        "SELECT datename('month', DATE '2020-05-17')",
        "SELECT TO_CHAR((DATE '2020-05-17'), 'FMMonth') AS datename",
        "May",
    ),
    text(&["date_trunc"], 2, "DATE_TRUNC({1}, {2@})", ValueKind::Timestamp)
        .known()
        .when(&[(1, ArgumentTest::Literal), (2, ArgumentTest::Kind(ValueKind::Text))])
        .likely()
        .case(
            "DATE_TRUNC of a text",
            "SELECT date_trunc('month', '2020-05-17'::text)",
            "SELECT DATE_TRUNC('month', ('2020-05-17'::text)::timestamp)",
            "2020-05-01 00:00:00",
        ),
    text(&["age"], 2, "AGE({1@}, {2@})", ValueKind::Interval)
        .known()
        .when(&[(1, ArgumentTest::Kind(ValueKind::Text))])
        .likely()
        .case(
            "AGE of a text",
            "SELECT age('2020-05-17'::text, DATE '2019-05-16')",
            "SELECT AGE(('2020-05-17'::text)::timestamp, (DATE '2019-05-16'))",
            "1 year 1 day",
        ),
    text(&["age"], 2, "AGE({1@}, {2@})", ValueKind::Interval)
        .known()
        .when(&[(2, ArgumentTest::Kind(ValueKind::Text))])
        .likely()
        .case(
            "AGE of a text",
            "SELECT age(DATE '2020-05-17', '2019-05-16'::text)",
            "SELECT AGE((DATE '2020-05-17'), ('2019-05-16'::text)::timestamp)",
            "1 year 1 day",
        ),
    text(&["to_char"], 2, "TO_CHAR({1@}, {2})", ValueKind::Text)
        .known()
        .when(&[(1, ArgumentTest::Kind(ValueKind::Text)), (2, ArgumentTest::Literal)])
        .likely()
        .case(
            "TO_CHAR of a text",
            "SELECT to_char('2020-05-17'::text, 'YYYY-MM')",
            "SELECT TO_CHAR(('2020-05-17'::text)::timestamp, 'YYYY-MM')",
            "2020-05",
        ),
    text(&["to_char"], 1, "{1t}", ValueKind::Text).known().when(&[(1, ArgumentTest::Number)]).case(
        "Oracle, Snowflake: TO_CHAR() of a number",
        "SELECT to_char(12)",
        "SELECT 12::text AS to_char",
        "12",
    ),
    text(&["to_date"], 1, "{1d}", ValueKind::Date).known().case(
        "Snowflake, Spark: TO_DATE() without a pattern",
        "SELECT to_date('2020-05-17')",
        "SELECT '2020-05-17'::date AS to_date",
        "2020-05-17",
    ),
    text(&["to_timestamp"], 1, "{1@}", ValueKind::Timestamp)
        .known()
        .when(&[(1, ArgumentTest::Kind(ValueKind::Text))])
        .likely()
        .case(
            "Snowflake, Spark: TO_TIMESTAMP() of a text",
            "SELECT to_timestamp('2020-05-17'::text)",
            "SELECT ('2020-05-17'::text)::timestamp AS to_timestamp",
            "2020-05-17 00:00:00",
        ),
];
