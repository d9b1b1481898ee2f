//! Calls of dates that several dialects have, each alone, beside every server that takes it.

use crate::repair::dialects::by_themselves::{Engines, Figures};

#[tokio::test]
async fn calls_of_dates_return_what_the_servers_return() {
    let Some(mut engines) = Engines::start("date_calls").await else {
        return;
    };
    for (title, calls) in [("first", CALLS), ("held out", HELD_OUT)] {
        let mut figures = Figures::default();
        for call in calls {
            for (day, moment) in [
                ("c.signup", "o.placed"),
                ("o.placed", "c.signup"),
                ("'2024-01-31'", "'2024-02-29 10:20:30'"),
            ] {
                let call = call.replace('D', day).replace('M', moment);
                let text = format!("SELECT o.id, {call} AS x FROM {FROM}");
                engines.one(&text, false, |_| true, &mut figures).await;
            }
        }
        figures.conclude(&format!("calls of dates, {title}"), 30, 8);
    }
}

const FROM: &str = "orders o LEFT JOIN customers c ON c.id = o.customer_id";

/// `D` and `M` are dates or timestamps.
const CALLS: &[&str] = &[
    "last_day(D)",
    "dayofweek(D)",
    "dayofyear(D)",
    "week(D)",
    "yearweek(D)",
    "monthname(D)",
    "year(D) * 100 + month(D)",
    "hour(D)",
    "second(D)",
    "date_add(D, interval 1 day)",
    "date_add(D, interval 2 week)",
    "date_add(D, interval 1 quarter)",
    "date_add(D, interval 5 hour)",
    "date_add(D, interval 90 second)",
    "date_sub(D, interval 1 month)",
    "date_sub(D, interval 1 year)",
    "date_sub(D, interval 30 minute)",
    "adddate(D, 3)",
    "D + interval 1 month",
    "D + interval 2 hour",
    "D - interval 1 year",
    "D - interval 10 minute",
    "timestampadd(month, 1, D)",
    "datediff(D, M)",
    "to_days(D)",
    "from_unixtime(unix_timestamp(D))",
    "date(D)",
    "strftime('%Y-%m', D)",
    "strftime('%w', D)",
    "julianday(D) - julianday(M)",
    "datetime(D, '+1 day')",
    "date(D, 'start of month')",
    "extract(quarter from D)",
    "extract(week from D)",
    "timestampdiff(month, M, D)",
    "timestampdiff(year, M, D)",
    "date_format(D, '%Y-%m-%d')",
    "makedate(year(D), 32)",
    "date_trunc('week', D)",
    "isodow(D)",
];

/// The same, put aside.
const HELD_OUT: &[&str] = &[
    "weekday(D)",
    "weekofyear(D)",
    "dayname(D)",
    "quarter(D)",
    "minute(D)",
    "dayofmonth(D)",
    "date_add(D, interval 1 month)",
    "date_add(D, interval 1 year)",
    "date_add(D, interval 90 minute)",
    "date_sub(D, interval 7 day)",
    "date_sub(D, interval 2 week)",
    "date_sub(D, interval 5 hour)",
    "subdate(D, 3)",
    "D + interval 1 day",
    "D + interval 1 week",
    "D - interval 2 quarter",
    "timestampdiff(day, M, D)",
    "date(D, '-7 days')",
    "strftime('%Y', D)",
    "extract(year from D)",
];
