//! Random queries over a table with a hidden column: whatever a role without the right to the
//! column may not read, the gate does not let pass. Postgres's own rights are the judge.

use crate::access::hidden::{HIDES, LIMITED, is_refused, reset, start};
use crate::support::{READER, RawClient};

#[test]
fn random_queries_read_no_hidden_column() {
    let stack = start(HIDES);
    stack.prepare(&[LIMITED]);
    let mut limited = RawClient::login(stack.direct_address(), &stack.login("it_limited"));
    let mut proxied = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let mut wrong = Vec::new();
    let (mut refused, mut passed, mut strict, mut failed) = (0, 0, 0, 0);
    let mut first_strict = Vec::new();
    for seed in 0..QUERIES {
        let mut maker = Maker {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66,
            names: 0,
        };
        let text = maker.query(3).0;
        // It is not run: what it reads is asked for when it is planned.
        let text = format!("EXPLAIN {text}");
        let expected = limited.query(&text);
        let given = proxied.query(&text);
        let code = expected.iter().find(|frame| frame.kind == b'E');
        match code.map(crate::support::raw::Frame::sqlstate).as_deref() {
            Some("42501") if is_refused(&given) => refused += 1,
            Some("42501") => wrong.push(format!("{text}: {given:?}")),
            Some(_) => failed += 1,
            None if is_refused(&given) => {
                strict += 1;
                first_strict.push(text);
            }
            None => passed += 1,
        }
        reset(&mut limited);
        reset(&mut proxied);
    }
    first_strict.truncate(12);
    println!(
        "{refused} refused by both, {passed} by none, {strict} by the gate alone, {failed} wrong \
         in themselves\n{}",
        first_strict.join("\n")
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > 100 && passed > 100);
}

/// Makes queries. A query comes with the names of its columns.
struct Maker {
    state: u64,
    names: usize,
}

/// Something in FROM: its name, and its columns.
struct Source {
    name: String,
    columns: Vec<String>,
}

impl Maker {
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).unwrap() % bound
    }

    fn name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    /// A query of columns that are all text.
    fn query(&mut self, depth: usize) -> (String, Vec<String>) {
        match self.below(10) {
            0 if depth > 0 => {
                let (one, columns) = self.query(depth - 1);
                let more = vec!["'x'::text"; columns.len()].join(", ");
                let kind = ["UNION ALL", "UNION", "EXCEPT", "INTERSECT"][self.below(4)];
                (format!("({one}) {kind} SELECT {more}"), columns)
            }
            1 if depth > 0 => {
                let (inner, columns) = self.query(depth - 1);
                // Now and then under the name of a table.
                let name = match self.below(3) {
                    0 => "people".to_owned(),
                    _ => self.name('w'),
                };
                let list: Vec<String> = columns.iter().map(|_| self.name('c')).collect();
                let source = Source {
                    name: name.clone(),
                    columns: list.clone(),
                };
                let (body, out) = self.select(depth - 1, vec![(name.clone(), source)]);
                let list = list.join(", ");
                (format!("WITH {name}({list}) AS ({inner}) {body}"), out)
            }
            _ => {
                let first = self.source(depth);
                self.select(depth, vec![first])
            }
        }
    }

    fn select(&mut self, depth: usize, from: Vec<(String, Source)>) -> (String, Vec<String>) {
        let mut text = String::new();
        let mut sources = Vec::new();
        for (place, (written, source)) in from.into_iter().enumerate() {
            if place > 0 {
                text.push_str(", ");
            }
            text.push_str(&written);
            sources.push(source);
        }
        for _ in 0..self.below(2) {
            let (written, source) = self.source(depth.saturating_sub(1));
            let kind = [
                "CROSS JOIN",
                "NATURAL JOIN",
                "LEFT JOIN",
                "JOIN",
                "FULL JOIN",
            ];
            let kind = kind[self.below(5)];
            sources.push(source);
            text = match kind {
                "CROSS JOIN" | "NATURAL JOIN" => format!("{text} {kind} {written}"),
                _ => {
                    let condition = self.condition(&sources, 0);
                    format!("{text} {kind} {written} ON {condition}")
                }
            };
        }
        let mut out = Vec::new();
        let mut targets = Vec::new();
        for _ in 0..=self.below(2) {
            let name = self.name('o');
            let value = self.value(&sources, depth);
            targets.push(format!("({value})::text AS {name}"));
            out.push(name);
        }
        let mut query = format!("SELECT {} FROM {text}", targets.join(", "));
        if self.below(3) == 0 {
            let condition = self.condition(&sources, depth);
            query = format!("{query} WHERE {condition}");
        }
        if self.below(5) == 0 {
            let key = self.value(&sources, 0);
            query = format!("{query} ORDER BY ({key})::text");
        }
        (query, out)
    }

    fn source(&mut self, depth: usize) -> (String, Source) {
        let owned = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect();
        let name = self.name('t');
        let renamed: Vec<String> = (0..3).map(|_| self.name('a')).collect();
        let (written, columns) = match self.below(8) {
            0 | 1 => (
                format!("shop.people {name}"),
                owned(&["id", "name", "secret"]),
            ),
            2 => (format!("people AS {name}({})", renamed.join(", ")), renamed),
            3 => (
                format!("ONLY shop.people {name}"),
                owned(&["id", "name", "secret"]),
            ),
            4 | 5 => (
                format!("shop.orders {name}"),
                owned(&["id", "total", "note"]),
            ),
            6 if depth > 0 => {
                let (inner, columns) = self.query(depth - 1);
                (format!("LATERAL ({inner}) {name}"), columns)
            }
            7 => (
                format!("(shop.people CROSS JOIN (SELECT 'x' AS x) j) AS {name}(k1, k2, k3)"),
                owned(&["k1", "k2", "k3"]),
            ),
            _ => (
                format!("(VALUES ('x', 'y')) {name}(id, name)"),
                owned(&["id", "name"]),
            ),
        };
        (written, Source { name, columns })
    }

    fn condition(&mut self, sources: &[Source], depth: usize) -> String {
        let (one, other) = (self.value(sources, depth), self.value(sources, 0));
        match self.below(4) {
            0 => format!("({one})::text IS NOT NULL"),
            1 => format!("({one})::text LIKE 'a%'"),
            2 => format!("({one})::text IN ('a', ({other})::text)"),
            _ => format!("({one})::text = ({other})::text"),
        }
    }

    fn value(&mut self, sources: &[Source], depth: usize) -> String {
        let source = &sources[self.below(sources.len())];
        let name = source.name.clone();
        // The hidden column is asked for less often than its neighbours.
        let mut place = self.below(source.columns.len());
        if self.below(3) > 0 {
            place = place.min(1);
        }
        let column = format!(
            "{name}.{}",
            source.columns[place.min(source.columns.len() - 1)]
        );
        match self.below(22) {
            0 => name,
            1 => format!("to_jsonb({name})"),
            2 => format!("ROW({name}.*)"),
            3 => format!("({name}).{}", source.columns[0]),
            4 => format!("count({column}) OVER ()"),
            5 if depth > 0 => format!("(SELECT {column})"),
            6 if depth > 0 => {
                let (inner, _) = self.query(depth - 1);
                format!("EXISTS ({inner})")
            }
            7 => format!("CASE WHEN {column} IS NULL THEN 'a' ELSE 'b' END"),
            8 => format!("coalesce({column}::text, 'x')"),
            9 => format!("(ARRAY[{column}])[1]"),
            10 if depth > 0 => {
                let inner = self.value(sources, depth - 1);
                format!("length(({inner})::text)")
            }
            11 => format!("json_build_object('a', {column})"),
            _ => column,
        }
    }
}

const QUERIES: u64 = 1_500;
