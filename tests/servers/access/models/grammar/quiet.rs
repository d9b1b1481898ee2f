//! Queries of which nothing fails for any row, and what an index is for: their models may need no
//! fence, or be asked within it.

use std::fmt::Write;

use super::{Column, Grammar, Kind, PARAMETER, Source, TABLES};

impl Grammar {
    /// A query of which nothing fails for any row: its models may need no fence.
    pub(super) fn quiet(&mut self) -> String {
        let mut sources: Vec<Source> = Vec::new();
        let mut from = String::new();
        for _ in 0..1 + self.random.below(3) {
            self.aliases += 1;
            let (name, columns) = self.random.of(&TABLES);
            let column = |(name, kind): &(&str, Kind)| Column {
                name: (*name).to_owned(),
                kind: *kind,
            };
            let source = Source {
                qualifier: format!("t{}", self.aliases),
                columns: columns.iter().map(column).collect(),
            };
            let item = format!("shop.{name} AS {}", source.qualifier);
            if sources.is_empty() {
                from = item;
            } else {
                let on = self.equal(&sources, &source);
                let kinds = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"];
                let kind = self.random.of(&kinds);
                let on = if kind == "FULL JOIN" {
                    on.replace(" AND ", " OR ")
                } else {
                    on
                };
                let _ = write!(from, " {kind} {item} ON {on}");
            }
            sources.push(source);
        }
        let mut filter = self.lookup(&sources);
        if self.random.one_in(3) {
            let word = self.random.of(&["AND", "OR", "AND NOT"]);
            let _ = write!(filter, " {word} {}", self.lookup(&sources));
        }
        if self.random.one_in(4) {
            let number = self.reference(Kind::Number, &sources);
            let _ = write!(
                filter,
                " AND EXISTS (SELECT FROM shop.orders o WHERE o.id = {number})"
            );
        }
        let (one, other) = (
            self.reference(Kind::Number, &sources),
            self.reference(Kind::Text, &sources),
        );
        let end = format!("FROM {from} WHERE {filter}");
        match self.random.below(5) {
            0 => format!("SELECT count(*), max({one}), min({other}) {end}"),
            1 => format!("SELECT {one}, count(*) {end} GROUP BY {one} HAVING count(*) < 9"),
            2 => format!("SELECT DISTINCT {one}, {other} {end} ORDER BY {one}, {other} LIMIT 7"),
            _ => format!("SELECT {one}, {other} {end}"),
        }
    }

    /// A column compared with constants: what an index is for.
    pub(super) fn lookup(&mut self, sources: &[Source]) -> String {
        let number = self.reference(Kind::Number, sources);
        let text = self.reference(Kind::Text, sources);
        let at = self.random.below(60);
        match self.random.below(12) {
            0 | 1 => format!("{number} = {at}{PARAMETER}"),
            2 => format!("{number} = {at}"),
            3 => format!("{at} >= {number}"),
            4 => format!("{number} IN ({at}, 5, 9, 77777)"),
            5 => format!("{number} = ANY ('{{5,{at},8}}')"),
            6 => format!("{number} BETWEEN 3 AND {at}"),
            7 => format!("{text} = 'north'"),
            8 => format!("{text} IN ('1', 'south', 'CANARY')"),
            9 => format!("({number} < {at} OR {text} > '0')"),
            10 => format!("{number} <> {at}::bigint"),
            _ => format!("{text} IS NOT NULL"),
        }
    }
}
