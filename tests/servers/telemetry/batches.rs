//! Spans of the extended protocol: a Parse and the Execute of its batch are one statement, whatever
//! becomes of it on the way.

use crate::support::collector::SERVER;
use crate::support::frames;
use crate::support::raw::kinds;
use crate::telemetry::traces::{Place, Traced, check, names};

#[test]
fn a_parse_and_its_execute_are_one_statement_within_a_batch() {
    let traced = Traced::shared();
    let place = Place::new(true);
    let mut client = traced.client();
    let text = format!("SELECT $1::int {}", place.comment());
    client.send(&frames::extended(&text, &[Some("7")], true));
    assert_eq!(kinds(&client.until_ready()), "12TDCZ");
    let spans = traced.of_place(&place);
    assert_eq!(names(&spans), ["judge", "preprocess", "upstream"]);
    assert_eq!(spans[0].get("pgsieve.path"), "execute");
    assert_eq!(spans[0].get("db.response.returned_rows"), "1");
    // Prepared by itself, it has a span of its own, and so has each run.
    let place = Place::new(true);
    let text = format!("SELECT $1::int {}", place.comment());
    client.send(&[frames::parse("s", &text), frames::sync()].concat());
    client.until_ready();
    for value in ["1", "2"] {
        let run = [
            frames::bind("", "s", &[Some(value)], false),
            frames::execute("", 0),
        ];
        client.send(&[run.concat(), frames::sync()].concat());
        assert_eq!(kinds(&client.until_ready()), "2DCZ");
    }
    let spans = traced.collector.trace(&place.trace, 3);
    check(&spans, &place.span);
    let paths: Vec<_> = spans[..3]
        .iter()
        .map(|span| span.get("pgsieve.path"))
        .collect();
    assert_eq!(paths, ["parse", "execute", "execute"]);
}

#[test]
fn what_fails_or_is_refused_on_the_way_to_its_execute_is_there_once() {
    let traced = Traced::shared();
    for (text, value, code, path) in [
        ("SELECT $1::int", "x", "22P02", "execute"),
        ("SELECT $1::int / 0", "1", "22012", "execute"),
        ("SELECT $1::int FROM nowhere_at_all", "1", "42P01", "parse"),
        (
            "DELETE FROM \"Schools\" WHERE $1::int = 1",
            "1",
            "25006",
            "parse",
        ),
    ] {
        let place = Place::new(true);
        let mut client = traced.client();
        let text = format!("{text} {}", place.comment());
        client.send(&frames::extended(&text, &[Some(value)], true));
        client.until_ready();
        let spans = traced.of_place(&place);
        assert_eq!(
            spans.iter().filter(|span| span.kind == SERVER).count(),
            1,
            "{text}"
        );
        let whole = &spans[0];
        assert_eq!(whole.get("error.type"), code, "{whole:?}");
        assert_eq!(whole.get("pgsieve.path"), path, "{text}");
    }
}

/// However a batch is cut into pieces that are answered one by one, what is one statement is one.
#[test]
fn a_batch_that_comes_in_pieces_has_the_same_spans() {
    let traced = Traced::shared();
    let bind = |name: &str, value| frames::bind("", name, &[Some(value)], false);
    let (run, sync) = (frames::execute("", 0), frames::sync());
    let division = "SELECT 8 / $1::int";
    let cases = [
        (
            vec![bind("", "2"), run.clone(), sync.clone()],
            vec![("execute", "")],
        ),
        (
            vec![bind("", "0"), run.clone(), sync.clone()],
            vec![("execute", "22012")],
        ),
        (
            vec![bind("", "x"), run.clone(), sync.clone()],
            vec![("execute", "22P02")],
        ),
        (
            vec![bind("", "2"), run.clone(), run.clone(), sync.clone()],
            vec![("execute", ""), ("execute", "")],
        ),
        (vec![bind("", "2"), sync.clone()], vec![("parse", "")]),
        (
            vec![bind("other", "2"), run.clone(), sync.clone()],
            vec![("parse", "")],
        ),
        (vec![bind("other", "0"), sync.clone()], vec![("parse", "")]),
        (vec![sync.clone()], vec![("parse", "")]),
        (vec![frames::query("SELECT 1")], vec![("parse", "")]),
        (vec![frames::terminate()], vec![("parse", "")]),
        (
            vec![frames::parse("", "DELETE FROM \"Schools\""), sync.clone()],
            vec![("parse", "")],
        ),
    ];
    for (number, (pieces, expected)) in cases.into_iter().enumerate() {
        let place = Place::new(true);
        let mut client = traced.client();
        client.send(&[frames::parse("other", division), sync.clone()].concat());
        client.until_ready();
        let text = format!("{division} {}", place.comment());
        client.send(&[frames::parse("", &text), frames::flush()].concat());
        assert_eq!(client.read().unwrap().kind, b'1');
        let mut has_failed = false;
        for piece in pieces {
            let is_last = matches!(piece[0], b'S' | b'Q' | b'X');
            client.send(&match is_last {
                true => piece.clone(),
                false => [piece.clone(), frames::flush()].concat(),
            });
            let until = match piece[0] {
                b'X' => continue,
                b'S' | b'Q' => "Z",
                _ if has_failed => continue,
                b'E' => "CE",
                _ => "2E",
            };
            let last = loop {
                let kind = client.read().unwrap().kind;
                if until.contains(char::from(kind)) {
                    break kind;
                }
            };
            has_failed |= last == b'E';
        }
        let spans = traced.collector.trace(&place.trace, expected.len());
        let found: Vec<_> = spans
            .iter()
            .filter(|span| span.kind == SERVER)
            .map(|span| (span.get("pgsieve.path"), span.get("error.type")))
            .collect();
        assert_eq!(found, expected, "{number}");
    }
}
