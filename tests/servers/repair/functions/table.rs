//! The rows of the table and the patterns of dates, one by one.

use pgsieve::dialect::calls::row::FunctionEquivalent;
use pgsieve::dialect::calls::table;
use pgsieve::dialect::date_patterns::date_format;
use pgsieve::dialect::date_patterns::date_format::ToCharPattern;
use tokio_postgres::error::SqlState;

use crate::repair::functions::server::{Server, value};

#[tokio::test]
async fn every_row_gives_the_documented_value() {
    let Some(server) = Server::start().await else {
        return;
    };
    let mut wrong = Vec::new();
    for row in table::rows() {
        if row.before.is_empty() || matches!(row.makes, FunctionEquivalent::Hint(_)) {
            continue;
        }
        let failed = server.client.simple_query(row.before).await;
        let code = failed.err().and_then(|error| error.code().cloned());
        if code != Some(SqlState::UNDEFINED_FUNCTION) && code != Some(SqlState::UNDEFINED_COLUMN) {
            wrong.push(format!("{} does not fail: {code:?}", row.before));
        }
        match value(&server.client, row.after).await {
            Ok(value) if value == row.value => {}
            other => wrong.push(format!("{}: {other:?}, not {}", row.after, row.value)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn patterns_write_what_their_dialects_write() {
    let Some(server) = Server::start().await else {
        return;
    };
    type Read = fn(&str) -> Option<ToCharPattern>;
    let rows: [(Read, &str, &str); 22] = [
        (date_format::from_mysql, "%W %M %Y", "Thursday May 2020"),
        (
            date_format::from_mysql,
            "%D %y %a %d %m %b %j",
            "7th 20 Thu 07 05 May 128",
        ),
        (
            date_format::from_mysql,
            "%H %k %I %r %T %S",
            "09 9 09 09:03:01 AM 09:03:01 01",
        ),
        (date_format::from_mysql, "%X", ""),
        (date_format::from_mysql, "%x W%v", "2020 W19"),
        (date_format::from_mysql, "%l:%i %p", "9:03 AM"),
        (date_format::from_mysql, "%c/%e/%Y", "5/7/2020"),
        (date_format::from_mysql, "%d%d%j", "0707128"),
        (date_format::from_mysql, "%s%S", "0101"),
        (date_format::from_mysql, "%Y%y%Y", "2020202020"),
        (date_format::from_mysql, "%f", "250000"),
        (
            date_format::from_mysql,
            "Day \"%d\" \\ 100%%",
            "Day \"07\" \\ 100%",
        ),
        (date_format::from_mysql, "%Yth %b's", "2020th May's"),
        (date_format::from_sqlite, "%Y-%m-%d", "2020-05-07"),
        (date_format::from_sqlite, "%H:%M:%f", "09:03:01.250"),
        (date_format::from_sqlite, "%Y%m%d%H%M%S", "20200507090301"),
        (date_format::from_sqlite, "%j|%u|%G-W%V", "128|4|2020-W19"),
        (
            date_format::from_strftime,
            "%A, %-d %B %Y %-I %p",
            "Thursday, 7 May 2020 9 AM",
        ),
        (date_format::from_bigquery, "%Y Q%Q", "2020 Q2"),
        (date_format::from_bigquery, "%b-%y %R", "May-20 09:03"),
        (
            date_format::from_java,
            "yyyy-MM-dd HH:mm:ss",
            "2020-05-07 09:03:01",
        ),
        (date_format::from_java, "EEEE, MMMM d", "Thursday, May 7"),
    ];
    for (read, pattern, wanted) in rows {
        let Some(made) = read(pattern) else {
            assert!(wanted.is_empty(), "{pattern} is not read");
            continue;
        };
        let text = format!(
            "SELECT to_char(TIMESTAMP '2020-05-07 09:03:01.25', {})",
            made.literal()
        );
        assert_eq!(
            value(&server.client, &text).await.unwrap(),
            wanted,
            "{pattern}"
        );
    }
    let back = date_format::from_mysql("%d%m%Y %H:%i").unwrap();
    let text = format!(
        "SELECT to_timestamp('07052020 09:03', {})::timestamp",
        back.literal()
    );
    assert_eq!(
        value(&server.client, &text).await.unwrap(),
        "2020-05-07 09:03:00"
    );
}
