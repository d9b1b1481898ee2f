//! Metrics in texts: where they are put, by which dimensions, and where they are refused.

use std::borrow::Cow;
use std::sync::Arc;

use crate::rules::check::{agent_with, gate, path_of, session_of};
use crate::{Gate, SearchPaths, SessionNames, SessionValues, Verdict};
use catalog::fixture::CatalogFixture;
use ground::limits::HINT_CHARACTERS_MAX;
use policy::SessionValue;

const METRICS: &str = "knowledge:
  metric:
    net:
      base: shop.orders
      measure: sum(total)
      dimensions: {region: region, Kind: kind, big: total > 9}
      time: at
      grain: month
      filters: [not void]
      as: shop.net
    visits: {base: shop.log, measure: count(*), dimensions: {region: region}, as: stats.visits}
    in_the_way: {base: shop.log, measure: count(*), as: shop.log2}
    modelled: {base: shop.log, measure: count(*), as: shop.modelled}
    for_ann: {base: shop.log, measure: count(*), as: shop.own, users: ann}
    untold: {base: shop.log, measure: count(*)}
    stale: {base: shop.log, measure: sum(total), as: shop.stale}
    late: {base: shop.log, measure: count(*), dimensions: {kind: kind}, as: shop.late}
    filtered: {base: shop.log, measure: count(*), filters: not void, as: shop.filtered}
    gone: {base: shop.gone, measure: sum(total), as: shop.of_gone}
    masked: {base: shop.other, measure: count(at), as: shop.of_model}
  clarify:";

fn session() -> (Gate, SessionNames) {
    let columns = "id int4, region text, kind text, total numeric, at timestamptz, void bool";
    let shop = CatalogFixture::new(15)
        .schema("shop")
        .schema("other")
        .table("shop.orders", columns)
        .table("shop.log", "region text, at timestamptz")
        .table("shop.log2", "id int4")
        .table("shop.regions", "region text, name text")
        .build();
    let model = "\nmodels: {shop.modelled: {new: true, sql: SELECT region FROM shop.log}, \
                 shop.other: {new: true, sql: SELECT region FROM shop.log}}\n";
    let policy = agent_with(&[("knowledge:\n  clarify:", METRICS)], model);
    let mut names = session_of(shop, &policy);
    names.set_paths(path_of(&["shop"]));
    (gate(policy), names)
}

/// What is judged next, with `‹net by Kind, month›` where a metric was put; the code and the
/// message where that is refused.
fn runs((gate, names): &(Gate, SessionNames), text: &str) -> String {
    match gate.judge(Cow::Borrowed(text), names).verdict {
        Verdict::Refused(refusal) => format!("{}: {}", refusal.sqlstate, refusal.message),
        Verdict::Permitted(permit) => permit.original().to_owned(),
        Verdict::Clamped(clamp) => {
            assert!(!clamp.is_lowered && clamp.notice.is_none());
            shortened(&clamp.text)
        }
    }
}

fn shortened(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("(SELECT (") {
        let (outputs, behind) = from.split_once(" FROM \"shop\".\"").unwrap();
        let outputs: Vec<&str> = outputs
            .split(" AS \"")
            .skip(1)
            .map(|output| output.split('"').next().unwrap())
            .collect();
        let (figure, by) = outputs.split_last().unwrap();
        let ends = match by {
            [] => "HAVING true)",
            _ => "GROUP BY ",
        };
        let (_, behind) = behind.split_once(ends).unwrap();
        let behind = match by {
            [] => behind,
            _ => behind.split_once(')').unwrap().1,
        };
        short.push_str(before);
        short.push_str(&format!(
            "‹{figure}{}{}›",
            if by.is_empty() { "" } else { " by " },
            by.join(", ")
        ));
        rest = behind;
    }
    short + rest
}

#[test]
fn it_is_grouped_by_what_is_named() {
    let session = session();
    for (text, wanted) in [
        (
            "SELECT net FROM shop.net",
            "SELECT net FROM ‹net› AS \"net\"",
        ),
        ("SELECT net FROM net n", "SELECT net FROM ‹net› n"),
        (
            "SELECT region, net FROM shop.net ORDER BY net DESC",
            "SELECT region, net FROM ‹net by region› AS \"net\" ORDER BY net DESC",
        ),
        (
            "SELECT n.\"Kind\", n.net FROM shop.net AS n WHERE n.month > '2026-01-01'",
            "SELECT n.\"Kind\", n.net FROM ‹net by Kind, month› AS n WHERE n.month > '2026-01-01'",
        ),
        (
            "SELECT * FROM shop.net",
            "SELECT * FROM ‹net by region, Kind, big, month› AS \"net\"",
        ),
        (
            "TABLE shop.net",
            "SELECT * FROM ‹net by region, Kind, big, month› AS \"net\"",
        ),
        (
            "SELECT n.* FROM net n",
            "SELECT n.* FROM ‹net by region, Kind, big, month› n",
        ),
        (
            "SELECT n FROM net n",
            "SELECT n FROM ‹net by region, Kind, big, month› n",
        ),
        (
            "SELECT count(*) FROM shop.net",
            "SELECT count(*) FROM ‹net› AS \"net\"",
        ),
        (
            "SELECT sum(net) FROM shop.net GROUP BY big HAVING max(month) > now()",
            "SELECT sum(net) FROM ‹net by big, month› AS \"net\" GROUP BY big HAVING max(month) > now()",
        ),
        (
            "SELECT shop.net.region, shop.net.net FROM shop.net",
            "SELECT net.region, net.net FROM ‹net by region› AS \"net\"",
        ),
        (
            "SELECT 1 AS region FROM net ORDER BY region",
            "SELECT 1 AS region FROM ‹net› AS \"net\" ORDER BY region",
        ),
        (
            "SELECT DISTINCT ON (month) region AS month FROM net ORDER BY month, upper(region)",
            "SELECT DISTINCT ON (month) region AS month FROM ‹net by region› AS \"net\" \
             ORDER BY month, upper(region)",
        ),
        (
            "SELECT r.name, n.net FROM regions r JOIN net n USING (region)",
            "SELECT r.name, n.net FROM regions r JOIN ‹net by region› n USING (region)",
        ),
        (
            "SELECT name, net FROM regions r LEFT JOIN net n ON n.region = r.region AND n.big",
            "SELECT name, net FROM regions r LEFT JOIN ‹net by region, big› n ON n.region = \
             r.region AND n.big",
        ),
        (
            "SELECT (SELECT name FROM regions r WHERE r.region = n.region) FROM net n",
            "SELECT (SELECT name FROM regions r WHERE r.region = n.region) FROM ‹net by region› n",
        ),
        (
            "SELECT 1 FROM net n, LATERAL (SELECT n.month) m",
            "SELECT 1 FROM ‹net by month› n, LATERAL (SELECT n.month) m",
        ),
        (
            "SELECT n.region FROM (SELECT region, net FROM net) n, regions r",
            "SELECT n.region FROM (SELECT region, net FROM ‹net by region› AS \"net\") n, regions r",
        ),
        (
            "WITH n AS (SELECT month, net FROM net) SELECT month FROM n WHERE region = 'x'",
            "WITH n AS (SELECT month, net FROM ‹net by month› AS \"net\") SELECT month FROM n \
             WHERE region = 'x'",
        ),
        (
            "SELECT region, net FROM net UNION ALL SELECT 'all', net FROM net ORDER BY region",
            "SELECT region, net FROM ‹net by region› AS \"net\" UNION ALL SELECT 'all', net FROM \
             ‹net› AS \"net\" ORDER BY region",
        ),
        (
            "SELECT v.region, net FROM stats.visits v JOIN net n ON n.region = v.region",
            "SELECT v.region, net FROM ‹visits by region› v JOIN ‹net by region› n ON n.region = \
             v.region",
        ),
        (
            "SELECT net FROM net n WHERE n.region IN (SELECT region FROM regions WHERE name > 'x')",
            "SELECT net FROM ‹net by region› n WHERE n.region IN (SELECT region FROM regions WHERE \
             name > 'x')",
        ),
        (
            "SELECT region FROM net WHERE net > (SELECT avg(net) FROM (SELECT month, net FROM net) m)",
            "SELECT region FROM ‹net by region› AS \"net\" WHERE net > (SELECT avg(net) FROM (SELECT \
             month, net FROM ‹net by month› AS \"net\") m)",
        ),
        (
            "EXPLAIN SELECT net FROM shop.net",
            "EXPLAIN SELECT net FROM ‹net› AS \"net\"",
        ),
        (
            "COPY (SELECT region, net FROM net) TO STDOUT",
            "COPY (SELECT region, net FROM ‹net by region› AS \"net\") TO STDOUT",
        ),
        (
            "SELECT sum(net) OVER (PARTITION BY \"Kind\") FROM net",
            "SELECT sum(net) OVER (PARTITION BY \"Kind\") FROM ‹net by Kind› AS \"net\"",
        ),
        (
            "SELECT 1 FROM log WHERE EXISTS (SELECT FROM net WHERE net > 3 AND big)",
            "SELECT 1 FROM log WHERE EXISTS (SELECT FROM ‹net by big› AS \"net\" WHERE net > 3 AND big)",
        ),
    ] {
        assert_eq!(runs(&session, text), wanted, "{text}");
    }
}

#[test]
fn what_is_something_else_is_left_alone() {
    let session = session();
    for text in [
        "SELECT region FROM shop.orders",
        "WITH net AS (SELECT 1 AS region) SELECT region FROM net",
        "SELECT id FROM shop.log2",
        "SELECT 'shop.net', 1 AS net",
    ] {
        assert_eq!(runs(&session, text), text, "{text}");
    }
    // A model of the name comes first, and a metric that one is not told of is not there.
    assert_eq!(
        runs(&session, "SELECT region FROM shop.modelled"),
        "SELECT region FROM shop.modelled"
    );
    // The server says that there is no such thing.
    for text in [
        "SELECT own FROM shop.own",
        "SELECT 1 FROM visits",
        "SELECT 1 FROM other.net",
    ] {
        assert_eq!(runs(&session, text), text);
    }
    let (gate, mut names) = session;
    let mut values = SessionValues::default();
    values.set(SessionValue::User, Some("ann"));
    names.set_values(Arc::new(values));
    let own = (gate, names);
    assert_eq!(
        runs(&own, "SELECT own FROM shop.own"),
        "SELECT own FROM ‹own› AS \"own\""
    );
}

#[test]
fn what_cannot_be_told_is_refused_and_says_what_can() {
    let session = session();
    for (text, wanted) in [
        (
            "SELECT regon, net FROM net",
            "42703: column \"regon\" does not exist",
        ),
        (
            "SELECT n.regon FROM net n, regions",
            "42703: column \"regon\" does not exist",
        ),
        ("SELECT total FROM net", "42703: column \"total\""),
        (
            "SELECT region FROM net, regions",
            "42702: column reference \"region\" is ambiguous",
        ),
        (
            "SELECT month FROM net, regions",
            "42702: column reference \"month\" is ambiguous",
        ),
        (
            "SELECT 1 FROM net WHERE EXISTS (SELECT FROM log WHERE big)",
            "42702: column reference \"big\"",
        ),
        (
            "SELECT 1 FROM net n WHERE EXISTS (SELECT FROM missing WHERE region = 'x')",
            "42702: column reference \"region\"",
        ),
        (
            "SELECT 1 FROM (log JOIN net n ON true) JOIN regions USING (region)",
            "42702: column reference \"region\"",
        ),
        (
            "SELECT 1 FROM net NATURAL JOIN regions",
            "42501: NATURAL JOIN",
        ),
        (
            "SELECT a FROM net n(a)",
            "42501: columns of the metric net are renamed",
        ),
        (
            "SELECT 1 FROM (net JOIN regions ON true) j",
            "42501: columns of the metric net are",
        ),
        ("SELECT 1 FROM ONLY net", "42501: ONLY and TABLESAMPLE"),
        (
            "SELECT 1 FROM net TABLESAMPLE system (1)",
            "42501: ONLY and TABLESAMPLE",
        ),
    ] {
        let found = runs(&session, text);
        assert!(found.starts_with(wanted), "{text}: {found}");
    }
    let (gate, names) = &session;
    let text = Cow::Borrowed("SELECT regon FROM net");
    let Verdict::Refused(refusal) = gate.judge(text, names).verdict else {
        panic!("it is refused");
    };
    assert_eq!(
        refusal.hint,
        "The metric net has region, Kind, big, month, net."
    );
}

#[test]
fn a_name_is_looked_up_wherever_the_session_looks() {
    let (gate, mut names) = session();
    names.set_paths(path_of(&["other", "stats"]));
    let session = (gate, names);
    // A schema that is not there holds no name that is looked up.
    for text in ["SELECT 1 FROM visits", "SELECT 1 FROM net"] {
        assert_eq!(runs(&session, text), text);
    }
    let wanted = "SELECT net FROM ‹net› AS \"net\"";
    assert_eq!(runs(&session, "SELECT net FROM shop.net"), wanted);
    let (gate, mut names) = session;
    names.set_paths(SearchPaths::Unknown);
    let session = (gate, names);
    // Nobody knows which sum that would be.
    let found = runs(&session, "SELECT net FROM shop.net");
    assert!(found.contains("cannot be computed here"), "{found}");
    assert!(!runs(&session, "SELECT net FROM net").contains('‹'));
}

#[test]
fn places_are_those_of_the_text_that_came() {
    let (gate, names) = session();
    let text = "SELECT region, net / 0 FROM shop.net n WHERE region = 'ü' LIMIT 1";
    let Verdict::Clamped(clamp) = gate.judge(Cow::Borrowed(text), &names).verdict else {
        panic!("a metric is put in");
    };
    let character = |text: &str, word: &str| text[..text.find(word).unwrap()].chars().count() + 1;
    let offsets = clamp.offsets.unwrap();
    for (word, wanted) in [
        ("net / 0", "net / 0"),
        ("sum(total)", "shop.net"),
        ("n WHERE", "n WHERE"),
        ("LIMIT", "LIMIT"),
    ] {
        let place = offsets.original_position(character(&clamp.text, word));
        assert_eq!(place, character(text, wanted), "{word}");
    }
}

#[test]
fn a_hint_has_room_for_some_of_many_columns() {
    let names: Vec<String> = (0..90)
        .map(|number| format!("dimension_{number}"))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for known in [&names[..3], &names[..]] {
        let refusal = crate::rules::model::no_metric_column(("net", None), "x", known);
        let hint = &refusal.hint;
        assert!(hint.chars().count() <= HINT_CHARACTERS_MAX, "{hint}");
        assert!(hint.contains("dimension_2"), "{hint}");
        assert_eq!(hint.ends_with("and others."), known.len() > 3, "{hint}");
    }
}

/// What is gone could be found in the query around the metric, and be another figure.
#[test]
fn a_column_that_is_gone_is_looked_for_nowhere_else() {
    let session = session();
    for metric in ["stale", "late", "filtered", "of_gone", "of_model"] {
        for text in [
            format!("SELECT {metric} FROM shop.{metric}"),
            format!("SELECT (SELECT {metric} FROM shop.{metric}) FROM shop.orders o"),
            format!("SELECT 1 FROM orders o, LATERAL (SELECT {metric} FROM shop.{metric}) m"),
        ] {
            let found = runs(&session, &text);
            assert!(
                found.ends_with("cannot be computed here"),
                "{text}: {found}"
            );
        }
    }
}
