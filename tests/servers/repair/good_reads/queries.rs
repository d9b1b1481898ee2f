//! Random reads over the tables of one schema.

use crate::repair::dialects::grammar::Dice;
use crate::repair::good_reads::expressions::Scope;
use crate::repair::good_reads::tables::{Tables, ValueKind};

/// A read.
pub fn query(tables: &Tables, schema: &str, dice: &mut Dice) -> String {
    let reads = Reads { tables, schema };
    match dice.roll(14) {
        0..3 => reads.rows(dice),
        3..5 => reads.groups(dice),
        5..7 => reads.windows(dice),
        7 => reads.with(dice),
        8 => reads.nested(dice),
        9 => reads.sets(dice),
        10 => reads.filtered_by_query(dice),
        11 => reads.by_row(dice),
        12 => reads.distinct_on(dice),
        _ => reads.generated(dice),
    }
}

/// Reads of one schema.
struct Reads<'t> {
    tables: &'t Tables,
    schema: &'t str,
}

/// What stands behind FROM, and what is in sight of it.
struct Source {
    from: String,
    scope: Scope,
}

impl Reads<'_> {
    /// A table, or several that are joined by their keys.
    fn source(&self, dice: &mut Dice) -> Source {
        let first = self.tables.any_table(self.schema, dice);
        let alias = dice.pick(&["", "t", "a", "T1", "x"]);
        let alone = alias.is_empty() && (first.keys.is_empty() || dice.happens(50));
        let before = if alone {
            String::new()
        } else {
            "m.".to_owned()
        };
        let own = if alias.is_empty() { "m" } else { alias };
        let before = before.replace("m.", &format!("{own}."));
        let mut columns: Vec<(String, ValueKind)> = Vec::new();
        let mut add = |before: &str, table: &crate::repair::good_reads::tables::Table| {
            let named =
                (table.columns.iter()).map(|one| (format!("{before}{}", one.name), one.kind));
            columns.extend(named);
        };
        add(&before, first);
        let written = match dice.happens(20) {
            true => format!("{}.{}", self.schema, first.name),
            false => any_case(&first.name, dice),
        };
        let mut from = match alone {
            true => written,
            false => format!("{written} {}{own}", dice.pick(&["", "AS ", "as "])),
        };
        let joins = if alone {
            0
        } else {
            first.keys.len().min(dice.roll(3))
        };
        for (place, key) in first.keys.iter().take(joins).enumerate() {
            let other = self.tables.table(self.schema, &key.table);
            let alias = format!("j{place}");
            let join = dice.pick(&["JOIN", "LEFT JOIN", "inner join", "LEFT OUTER JOIN"]);
            let condition = format!("{before}{} = {alias}.{}", key.column, key.to);
            from.push_str(&format!(" {join} {} {alias} ON {condition}", key.table));
            add(&format!("{alias}."), other);
        }
        Source {
            from,
            scope: Scope { columns },
        }
    }

    fn filter(&self, scope: &Scope, dice: &mut Dice) -> String {
        match dice.happens(60) {
            true => format!(" WHERE {}", scope.condition(dice, 2)),
            false => String::new(),
        }
    }

    fn rows(&self, dice: &mut Dice) -> String {
        let Source { from, scope } = self.source(dice);
        let (items, count) = items(&scope, dice);
        let distinct = dice.pick(&["", "", "", "DISTINCT "]);
        format!(
            "{} {distinct}{items} FROM {from}{}{}",
            dice.pick(&["SELECT", "select"]),
            self.filter(&scope, dice),
            last_clauses(count, dice)
        )
    }

    fn groups(&self, dice: &mut Dice) -> String {
        let Source { from, scope } = self.source(dice);
        let key = groupable(&scope, dice);
        let mut items = vec![format!("{key} AS k")];
        for place in 0..1 + dice.roll(3) {
            let aggregate = dice.pick(AGGREGATES);
            let aggregate = scope.fill(aggregate, dice, 1);
            let filter = match dice.happens(15) {
                true => format!(" FILTER (WHERE {})", scope.condition(dice, 1)),
                false => String::new(),
            };
            items.push(format!("{aggregate}{filter} AS \"Value {place}\""));
        }
        let filter = self.filter(&scope, dice);
        let by = match dice.roll(6) {
            0 => "1".to_owned(),
            1 => "k".to_owned(),
            2 => format!("ROLLUP ({key})"),
            3 => format!("GROUPING SETS (({key}), ())"),
            _ => key,
        };
        let having = dice.pick(&["", "", " HAVING count(*) > 1", " HAVING min(1) = 1"]);
        let order = dice.pick(&["", " ORDER BY 2 DESC NULLS LAST", " ORDER BY count(*), 1"]);
        let items = items.join(", ");
        // A column that is called as the result is grouped by in its place.
        let by = if by == "k" { "1".to_owned() } else { by };
        format!("SELECT {items} FROM {from}{filter} GROUP BY {by}{having}{order}")
    }

    fn windows(&self, dice: &mut Dice) -> String {
        let Source { from, scope } = self.source(dice);
        let partition = groupable(&scope, dice);
        let order = groupable(&scope, dice);
        let call = dice.pick(WINDOWS);
        let call = scope.fill(call, dice, 1);
        let frame = dice.pick(&["", "", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"]);
        let over = format!("PARTITION BY {partition} ORDER BY {order} DESC{frame}");
        let filter = self.filter(&scope, dice);
        match dice.happens(30) {
            true => format!(
                "SELECT {partition}, {call} OVER w AS v FROM {from}{filter} WINDOW w AS ({over})\
                 {}",
                last_clauses(2, dice)
            ),
            false => format!(
                "SELECT * FROM (SELECT {partition} AS p, {call} OVER ({over}) AS v FROM \
                 {from}{filter}) ranked WHERE v IS NOT NULL{}",
                last_clauses(2, dice)
            ),
        }
    }

    fn with(&self, dice: &mut Dice) -> String {
        let (first, second) = (self.source(dice), self.source(dice));
        let (key, other) = (
            groupable(&first.scope, dice),
            groupable(&second.scope, dice),
        );
        let columns = dice.pick(&["", " (k, n)"]);
        let kept = dice.pick(&["", "MATERIALIZED ", "NOT MATERIALIZED "]);
        format!(
            "WITH one{columns} AS {kept}(SELECT {key}::text AS k, count(*) AS n FROM {} GROUP BY \
             {key}), Two AS (SELECT {other}::text AS k, count(*) AS n FROM {} GROUP BY 1) SELECT \
             one.k, one.n, two.n AS \"Other\" FROM one {} two USING (k){}",
            first.from,
            second.from,
            dice.pick(&["JOIN", "LEFT JOIN", "FULL JOIN"]),
            last_clauses(3, dice)
        )
    }

    fn nested(&self, dice: &mut Dice) -> String {
        let Source { from, scope } = self.source(dice);
        let (value, kind) = scope.value(dice, 1);
        let inner = Scope {
            columns: vec![
                ("s.v".to_owned(), kind),
                ("s.\"Row\"".to_owned(), ValueKind::Whole),
            ],
        };
        let (items, count) = items(&inner, dice);
        format!(
            "SELECT {items} FROM (SELECT {value} AS v, row_number() OVER (ORDER BY {}) AS \"Row\" \
             FROM {from}{}) AS s WHERE {}{}",
            groupable(&scope, dice),
            self.filter(&scope, dice),
            inner.condition(dice, 1),
            last_clauses(count, dice)
        )
    }

    fn sets(&self, dice: &mut Dice) -> String {
        let (first, second) = (self.source(dice), self.source(dice));
        let kind = [ValueKind::Text, ValueKind::Whole, ValueKind::Day][dice.roll(3)];
        let operator = dice.pick(&["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]);
        format!(
            "SELECT {} AS v FROM {}{} {operator} SELECT {} FROM {}{}",
            first.scope.of(kind, dice, 1),
            first.from,
            self.filter(&first.scope, dice),
            second.scope.of(kind, dice, 1),
            second.from,
            last_clauses(1, dice)
        )
    }

    fn filtered_by_query(&self, dice: &mut Dice) -> String {
        let Source { from, scope } = self.source(dice);
        let (items, count) = items(&scope, dice);
        let other = self.tables.any_table(self.schema, dice);
        let inner = Scope {
            columns: (other.columns.iter())
                .map(|one| (format!("o.{}", one.name), one.kind))
                .collect(),
        };
        let (column, _) = inner.any(dice);
        let table = &other.name;
        let condition = match dice.roll(5) {
            0 => format!(
                "EXISTS (SELECT 1 FROM {table} o WHERE {})",
                inner.condition(dice, 1)
            ),
            1 => format!(
                "{}::text IN (SELECT {column}::text FROM {table} o)",
                groupable(&scope, dice)
            ),
            2 => format!(
                "{} > (SELECT count(*) FROM {table} AS o WHERE {column} IS NULL)",
                scope.of(ValueKind::Whole, dice, 1)
            ),
            3 => format!(
                "{}::text <> ALL (SELECT {column}::text FROM {table} o WHERE {column} IS NOT NULL)",
                groupable(&scope, dice)
            ),
            _ => format!(
                "NOT EXISTS (SELECT * FROM {table} o WHERE {column}::text = {}::text)",
                groupable(&scope, dice)
            ),
        };
        format!(
            "SELECT {items} FROM {from} WHERE {condition}{}",
            last_clauses(count, dice)
        )
    }

    fn by_row(&self, dice: &mut Dice) -> String {
        let Source { from, scope } = self.source(dice);
        let (items, count) = items(&scope, dice);
        let values = [
            scope.of(ValueKind::Text, dice, 1),
            scope.of(ValueKind::Text, dice, 1),
        ];
        let lateral = match dice.roll(4) {
            0 => format!("CROSS JOIN LATERAL (SELECT {} AS z) AS l", values[0]),
            1 => format!(
                "CROSS JOIN LATERAL (VALUES ({}), ({})) AS l(z)",
                values[0], values[1]
            ),
            2 => format!(
                "CROSS JOIN unnest({}) AS l(z)",
                scope.of(ValueKind::Texts, dice, 1)
            ),
            _ => format!(
                "LEFT JOIN LATERAL jsonb_each_text(jsonb_build_object('a', {})) AS l(y, z) ON true",
                values[0]
            ),
        };
        format!(
            "SELECT {items}, l.z FROM {from} {lateral}{}",
            last_clauses(count + 1, dice)
        )
    }

    fn distinct_on(&self, dice: &mut Dice) -> String {
        let Source { from, scope } = self.source(dice);
        let key = groupable(&scope, dice);
        let (value, _) = scope.any(dice);
        let shown = match value.contains("json") {
            true => "1".to_owned(),
            false => value,
        };
        format!(
            "SELECT DISTINCT ON ({key}) {key} AS k, {shown}::text AS v FROM {from}{} ORDER BY \
             {key}, {shown}::text",
            self.filter(&scope, dice)
        )
    }

    fn generated(&self, dice: &mut Dice) -> String {
        let Source { from, scope } = self.source(dice);
        let key = scope.of(ValueKind::Whole, dice, 1);
        match dice.roll(4) {
            0 => format!(
                "SELECT n, (SELECT count(*) FROM {from} WHERE {key} = n) AS hits FROM \
                 generate_series(1, 9) AS g(n)"
            ),
            1 => format!(
                "WITH RECURSIVE steps(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM steps WHERE n < \
                 5) SELECT s.n, count(q.v) FROM steps s LEFT JOIN (SELECT {key} AS v FROM {from}) \
                 q ON q.v = s.n GROUP BY s.n ORDER BY s.n"
            ),
            2 => format!(
                "SELECT v.label, count(*) FILTER (WHERE q.v % 2 = v.rest) FROM (VALUES ('odd', 1), \
                 ('even', 0)) AS v(label, rest) CROSS JOIN (SELECT {key} AS v FROM {from} LIMIT \
                 50) q GROUP BY v.label ORDER BY v.label"
            ),
            _ => format!(
                "SELECT d::date AS day, extract(isodow FROM d) AS \"Weekday\" FROM \
                 generate_series(timestamp '2024-01-01', '2024-01-05', interval '1 day') d WHERE \
                 EXISTS (SELECT FROM {from} WHERE {})",
                scope.condition(dice, 1)
            ),
        }
    }
}

/// What is selected, and how many columns that is.
fn items(scope: &Scope, dice: &mut Dice) -> (String, usize) {
    let count = 1 + dice.roll(4);
    let item = |place: usize| {
        let (value, _) = scope.value(dice, 2);
        let name = match dice.roll(5) {
            0 => format!(" AS \"Item {place}\""),
            1 => format!(" AS item_{place}"),
            2 => format!(" AS Item{place}"),
            _ => String::new(),
        };
        format!("{value}{name}")
    };
    let items: Vec<String> = (0..count).map(item).collect();
    (items.join(", "), count)
}

/// A column that can be grouped and sorted by.
fn groupable(scope: &Scope, dice: &mut Dice) -> String {
    let (column, _) = scope.any(dice);
    column
}

/// An order of all columns, and perhaps a LIMIT, which then cuts the same rows each time.
fn last_clauses(columns: usize, dice: &mut Dice) -> String {
    let places: Vec<String> = (1..=columns).map(|place| place.to_string()).collect();
    let limit = dice.pick(&[" LIMIT 20", " limit 5 offset 2", " FETCH FIRST 7 ROWS ONLY"]);
    format!(" ORDER BY {}{limit}", places.join(", "))
}

/// A name in another letter case, where that is the same name.
fn any_case(name: &str, dice: &mut Dice) -> String {
    match name.starts_with('"') || dice.happens(70) {
        true => name.to_owned(),
        false => name.to_uppercase(),
    }
}

const AGGREGATES: &[&str] = &[
    "count(*)",
    "COUNT($A)",
    "count(DISTINCT $T)",
    "sum($W)",
    "SUM($N)",
    "avg($W)",
    "round(avg($N)::numeric, 2)",
    "min($T)",
    "MAX($D)",
    "max($M)",
    "string_agg($T, ', ' ORDER BY 1)",
    "string_agg(DISTINCT $T, ';')",
    "array_agg($W ORDER BY $W)",
    "bool_or($B)",
    "every($B)",
    "jsonb_agg($T ORDER BY $T)",
    "percentile_cont(0.5) WITHIN GROUP (ORDER BY $W)",
    "mode() WITHIN GROUP (ORDER BY $T)",
    "stddev($W)",
    "sum(CASE WHEN $B THEN 1 ELSE 0 END)",
    "coalesce(sum($W), 0)",
];

const WINDOWS: &[&str] = &[
    "row_number()",
    "RANK()",
    "dense_rank()",
    "count(*)",
    "sum($W)",
    "avg($N)",
    "lag($W)",
    "lead($T, 1, 'none')",
    "first_value($T)",
    "ntile(3)",
    "max($D)",
    "percent_rank()",
];
