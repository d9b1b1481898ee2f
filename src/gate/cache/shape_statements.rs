//! Statements by chance, with constants in every place that the grammar has for them, and texts
//! that differ from others in constants. Test code only.

use std::fmt::Write;

use super::shape_text;
use super::shape_words::{
    BEHIND, CAST_TO, COLUMNS, COMPARISONS, DECIMALS, FUNCTIONS, LARGE, LIKES, MODIFIED, MOMENTS,
    NAMING_TYPES, OPERATORS, OTHER_CONSTANTS, PLAIN_DECIMALS, SIZED, STRINGS, TEXT_FUNCTIONS,
    TIMES, TYPED, TYPES,
};
use sql::lexer::{TokenKind, tokens};

/// Which constants are other ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Swap {
    /// Those that a shape leaves out, and all numbers.
    LeftOut,
    /// Each number, and each string by chance.
    Some,
    /// One string; each number where there is none.
    One,
}

/// The same text with other constants.
pub(super) fn swapped(text: &str, swap: Swap, chance: &mut Chance) -> String {
    let (mut left_out, mut shape) = (Vec::new(), String::new());
    let _ = shape_text::write(text, &mut shape, |at| left_out.push(at.start));
    let is_string = |kind: &TokenKind| *kind == TokenKind::String;
    let strings = tokens(text).filter(|token| is_string(&token.kind)).count();
    let only = chance.below(strings.max(1));
    let (mut other, mut at) = (String::new(), 0);
    for token in tokens(text) {
        let piece = &text[token.span.clone()];
        match token.kind {
            TokenKind::Number if swap != Swap::One || strings == 0 => {
                other += &chance.number_like(piece);
            }
            TokenKind::String => {
                let is_swapped = match swap {
                    Swap::LeftOut => left_out.contains(&token.span.start),
                    Swap::Some => chance.below(2) == 0,
                    Swap::One => at == only,
                };
                at += 1;
                match is_swapped {
                    true => other += &chance.string_like(piece),
                    false => other += piece,
                }
            }
            _ => other += piece,
        }
    }
    other
}

/// Statements by chance, the same in each run.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// Those that mean something somewhere: places of columns, precisions, oids, processes.
    pub(super) fn whole(&mut self) -> String {
        match self.below(4) {
            0 => self.below(4).to_string(),
            1 => self
                .pick(&[
                    "0",
                    "1",
                    "2",
                    "3",
                    "24",
                    "25",
                    "53",
                    "54",
                    "64",
                    "100",
                    "1000",
                    "1259",
                    "2200",
                    "16384",
                    "32767",
                    "32768",
                    "65536",
                    "2147483",
                    "00",
                    "007",
                    "000000001",
                    "999999999",
                ])
                .to_owned(),
            2 => self.below(100_000).to_string(),
            _ => self.below(1_000_000_000).to_string(),
        }
    }

    /// Numbers with a point or an exponent, and those that are no small integers.
    fn decimal(&mut self) -> String {
        self.pick(DECIMALS).to_owned()
    }

    /// A number of the same class as another, mostly.
    fn number_like(&mut self, piece: &str) -> String {
        let is_whole = piece.bytes().all(|byte| byte.is_ascii_digit());
        match self.below(12) {
            0 => self.decimal(),
            1 => self.whole(),
            _ if is_whole && piece.len() < 10 => self.whole(),
            _ if is_whole => self.pick(LARGE).to_owned(),
            _ if piece.starts_with('.') => self.pick(&[".5", ".25", ".0", ".5e3"]).to_owned(),
            _ => self.pick(PLAIN_DECIMALS).to_owned(),
        }
    }

    /// A string that means something somewhere: names, settings, processes, types, SQL, times.
    fn string(&mut self) -> String {
        match self.below(30) {
            0 => format!("'{}'", self.whole()),
            3 => "'checked(5)'".to_owned(),
            1 => format!("'{}'", "long ".repeat(self.below(300))),
            2 => format!("'{}(5)'", self.pick(MODIFIED)),
            _ => self.pick(STRINGS).to_owned(),
        }
    }

    /// A string of the same class as another, mostly.
    fn string_like(&mut self, piece: &str) -> String {
        let has_digit = piece.contains(|letter: char| letter.is_ascii_digit());
        match self.below(6) {
            0 if has_digit => self.pick(MOMENTS).to_owned(),
            _ => self.string(),
        }
    }

    /// A constant of any kind.
    fn constant(&mut self) -> String {
        match self.below(8) {
            0 => self.whole(),
            1 => self.decimal(),
            2 => self.pick(OTHER_CONSTANTS).to_owned(),
            _ => self.string(),
        }
    }

    /// A condition or a value with constants in places of every kind.
    fn literal_place(&mut self, depth: usize) -> String {
        let one = self.expression(depth);
        let (s, t, c, n) = (self.string(), self.string(), self.constant(), self.whole());
        let column = self.pick(COLUMNS).to_owned();
        match self.below(44) {
            0..=3 => format!("{column} {} {s}", self.pick(COMPARISONS)),
            4 => format!("{one} {} {c}", self.pick(COMPARISONS)),
            5 => format!("{column} {} {s}", self.pick(LIKES)),
            6 => format!("{column} LIKE {s} ESCAPE {t}"),
            7 => format!("{column} BETWEEN {s} AND {t}"),
            8 => format!("{one} NOT BETWEEN {c} AND {t}"),
            9 => format!("{column} BETWEEN SYMMETRIC {s} AND {t}"),
            10 => format!("{column} IN ({s}, {t}, {c})"),
            11 => format!("{one} NOT IN ({c}, {s})"),
            12 => format!("{column} IN ({s}, lower({t}), {c})"),
            13 => format!("{column} = ANY (ARRAY[{s}, {t}])"),
            14 => format!("{column} = ({s})"),
            15 => format!("{column} = {s}::{}", self.pick(CAST_TO)),
            16 => format!("{column} >= {} {s}", self.pick(TYPED)),
            17 => format!("{one} < {s}::{}", self.pick(TIMES)),
            18 => format!("CAST({s} AS {})", self.pick(CAST_TO)),
            19 => format!("{} {s}", self.pick(TYPED)),
            20 => format!(
                "now() - interval {s}{}",
                self.pick(&["", " day", " * 2", " second(3)"])
            ),
            21 => format!("{}({s})", self.pick(FUNCTIONS)),
            22 => format!("{}({s}, {t})", self.pick(TEXT_FUNCTIONS)),
            23 => format!("{}({s}, {one}, {t})", self.pick(TEXT_FUNCTIONS)),
            24 => format!("{}({s}::{})", self.pick(FUNCTIONS), self.pick(CAST_TO)),
            25 => format!("{}(a => {s})", self.pick(FUNCTIONS)),
            26 => format!("position({s} IN ({t}))"),
            27 => format!("CASE {column} WHEN {s} THEN {t} ELSE {c} END"),
            28 => format!("CASE WHEN {column} = {s} THEN {t} END"),
            29 => format!(
                "{column} = {s} {} {t}",
                self.pick(&["||", "COLLATE \"C\" =", "~"])
            ),
            30 => format!("{column} {} {s}", self.pick(OPERATORS)),
            31 => format!("{column} = {s}\n{t}"),
            32 => format!("{column} = {s} -- {n}\n{t}"),
            33 => format!("{column} = {s}{}", self.pick(BEHIND)),
            34 => format!("({column}, {one}) = ({s}, {c})"),
            35 => format!("({column}, {column}) IN (({s}, {t}), ({c}, {s}))"),
            36 => format!("set_config({s}, {t}, {column} = {s})"),
            37 => format!("count(*) FILTER (WHERE {column} = {s}) OVER (ORDER BY {column} = {t})"),
            38 => format!("coalesce({column}, {s}) = {t}"),
            39 => format!("{column} > {}", self.decimal()),
            40 => format!("total BETWEEN {} AND -{}", self.decimal(), self.decimal()),
            41 => format!(
                "{}({}, {})",
                self.pick(FUNCTIONS),
                self.decimal(),
                self.decimal()
            ),
            42 => format!("to_regtype({s}) = to_regtype({t})"),
            _ => format!("note::{} = {s}", self.pick(NAMING_TYPES)),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => self
                    .pick(&["id", "total", "note", "o.id", "p.name", "relname"])
                    .to_owned(),
                1 => format!("-{}", self.whole()),
                2 => self
                    .pick(&["'x'", "'1'", "NULL", "true", "1.5", "$1", "'shop.secrets'"])
                    .to_owned(),
                _ => self.whole(),
            };
        }
        if self.below(2) == 0 {
            return self.literal_place(depth - 1);
        }
        let mut inner = || self.expression(depth - 1);
        let (one, other) = (inner(), inner());
        let (n, m) = (self.whole(), self.whole());
        match self.below(26) {
            0 => format!(
                "{one} {} {other}",
                self.pick(&["+", "-", "*", "/", "%", "||"])
            ),
            1 => format!(
                "{one} {} {other}",
                self.pick(&[
                    "=",
                    "<",
                    ">=",
                    "<>",
                    "~",
                    "IS DISTINCT FROM",
                    "===",
                    "OPERATOR(public.===)"
                ])
            ),
            2 => format!("{one} BETWEEN {n} AND {m}"),
            3 => format!("{one} IN ({n}, {m})"),
            4 => format!("{}({one})", self.pick(FUNCTIONS)),
            5 => format!("{}({n})", self.pick(FUNCTIONS)),
            6 => format!("{}({n}, {m})", self.pick(FUNCTIONS)),
            7 => format!("{}({one}, {n}, {m})", self.pick(FUNCTIONS)),
            8 => format!("{n}::{}", self.pick(TYPES)),
            9 => format!("CAST({one} AS {}({n}))", self.pick(SIZED)),
            10 => format!("CAST({one} AS numeric({n}, {m}))"),
            11 => format!("(ARRAY[{n}, {m}])[{n}]"),
            12 => format!("(ARRAY[{one}])[{n}:{m}]"),
            13 => format!("CASE {one} WHEN {n} THEN {other} ELSE {m} END"),
            14 => format!("EXISTS ({})", self.select(depth - 1)),
            15 => format!("({})", self.select(depth - 1)),
            16 => format!(
                "interval '{n}' {}({m})",
                self.pick(&["second", "day to second"])
            ),
            17 => format!("set_config('work_mem', {n}::text, {one} = {m})"),
            18 => format!("sum({one}) OVER (ROWS BETWEEN {n} PRECEDING AND {m} FOLLOWING)"),
            19 => format!("{one} = ANY (ARRAY[{n}, {m}])"),
            20 => format!("ROW({n}, {one}) = ROW({m}, {other})"),
            21 => format!("substring({one} FROM {n} FOR {m})"),
            22 => format!("bit '{n}' || {one}::bit({m})"),
            23 => format!("({one}) AND {other} > {n} OR NOT {one} < {m}"),
            24 => format!("coalesce({one}, {n}) IN ({})", self.select(depth - 1)),
            _ => format!("({one})"),
        }
    }

    fn select(&mut self, depth: usize) -> String {
        let targets: Vec<String> = (0..=self.below(3))
            .map(|_| self.expression(depth))
            .collect();
        let mut text = format!("SELECT {}", targets.join(", "));
        let (n, m, s) = (self.whole(), self.whole(), self.string());
        if self.below(8) > 0 {
            let from = match self.below(9) {
                0 => format!("generate_series({n}, {m}) AS s(id)"),
                1 => format!("(VALUES ({n}, {m})) AS v(id, total)"),
                2 if depth > 0 => format!("({}) AS q", self.select(depth - 1)),
                3 => format!("shop.orders AS o TABLESAMPLE bernoulli ({n}) REPEATABLE ({m})"),
                4 => format!("shop.orders o JOIN shop.people p ON o.id = p.id + {n}"),
                _ => self
                    .pick(&[
                        "shop.orders",
                        "shop.orders AS o",
                        "shop.people AS p",
                        "pg_class",
                        "shop.secrets",
                        "pg_settings",
                        "shop.v_totals",
                        "shop.v_clean",
                        "shop.tenants",
                        "shop.remote",
                        "pg_stat_activity",
                        "missing",
                        "shop.people",
                    ])
                    .to_owned(),
            };
            write!(text, " FROM {from}").unwrap();
        }
        if self.below(2) == 0 {
            write!(text, " WHERE {}", self.expression(depth.max(1))).unwrap();
        }
        let tail = match self.below(30) {
            24 => format!(" ORDER BY {n}, id = {s} LIMIT {m} OFFSET {n}"),
            25 => format!(" GROUP BY {n}, note = {s} HAVING count(*) > {m} AND max(note) < {s}"),
            26 => format!(" ORDER BY note = {s}, {n} LIMIT {m} + 1"),
            27 => format!(" ORDER BY CASE WHEN note = {s} THEN {n} END FETCH FIRST {m} ROWS ONLY"),
            28 => format!(" LIMIT {s} OFFSET {s}::int"),
            0 => format!(" ORDER BY {n}"),
            1 => format!(" GROUP BY {n}, {m}"),
            2 => format!(" GROUP BY id HAVING count(*) > {n}"),
            3 | 4 => format!(" LIMIT {n} OFFSET {m}"),
            5 => format!(" FETCH FIRST {n} ROWS ONLY"),
            6 => format!(" UNION ALL SELECT {n}, {m}"),
            7 => " FOR UPDATE".to_owned(),
            8 => format!(" ORDER BY id + {n} LIMIT {m}"),
            9 => format!(" WINDOW w AS (PARTITION BY {n})"),
            _ => String::new(),
        };
        text + &tail
    }

    pub(super) fn statement(&mut self) -> String {
        let depth = self.below(3);
        let select = self.select(depth);
        let (n, s, t) = (self.whole(), self.string(), self.string());
        match self.below(56) {
            30 => format!("SELECT set_config(name, {s}, false) FROM pg_settings WHERE name = {t}"),
            31 => format!("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = {s}"),
            32 => format!(
                "SELECT \"pg_terminate_backend\"(pid) FROM pg_stat_activity WHERE pid = {s}"
            ),
            33 => format!("SELECT pid FROM pg_stat_activity WHERE pid = {s} AND state = {t}"),
            34 => format!("SELECT setting FROM pg_settings WHERE name = {s} AND name <> {t}"),
            35 => format!("SELECT oid FROM pg_class WHERE relname = {s} AND oid::regclass = {t}"),
            36 => format!("SELECT * FROM shop.crosstab({s}) AS c(a int) WHERE a = {t}"),
            37 => format!("SELECT set_config('jit', {s}, {s} = {t})"),
            38 => format!("SET application_name = {s}"),
            39 => format!("SELECT {s}, {t}::date, 'x' AS \"x\" FROM shop.people WHERE name = {s}"),
            40 => format!("SELECT id FROM shop.people WHERE name = {s} ORDER BY {n} LIMIT {n}"),
            41 => format!("SELECT position({s} IN ({t})), like {s} FROM shop.people"),
            42 => format!("EXPLAIN SELECT 1 FROM shop.people WHERE name = {s}"),
            43 => format!("COPY (SELECT id FROM shop.people WHERE name = {s}) TO STDOUT"),
            44 => format!("SELECT U&\"n!0061me\" UESCAPE '!' FROM shop.people WHERE name = {s}"),
            45 => format!("SELECT NULL::pg_catalog.text AS \"pgsieve.receipt\" WHERE 'a' = {s}"),
            46 => format!("SELECT 'int4'::regtype, oid::regtype FROM pg_type WHERE typname = {s}"),
            47 => format!("SELECT 'int4'::regtype FROM shop.people WHERE name IN ({s}, {t})"),
            48 => format!("SELECT to_regtype('int4') FROM shop.people WHERE name = {s}"),
            49 => format!("SELECT weigh, o.weigh FROM shop.orders o WHERE note = {s}"),
            50 => format!(
                "SELECT shop.pick({}), shop.pick(-{})",
                self.decimal(),
                self.decimal()
            ),
            51 => format!(
                "SELECT {}/* {n} */ - {n}, {}-- x\n",
                self.decimal(),
                self.decimal()
            ),
            52 => format!("SELECT shop.pick({s}), shop.pick({t}::date), shop.pick(date {s})"),
            53 => format!("SELECT shop.pick(-{n}) FROM shop.people WHERE name = {s} LIMIT {n}"),
            54 => format!("SELECT 'int4'::regtype FROM shop.orders WHERE note BETWEEN {s} AND {t}"),
            55 => format!("SELECT oid::regtype, date {s} FROM pg_type WHERE typname = {t}::text"),
            0 => format!("WITH x AS ({select}) SELECT {n} FROM x"),
            1 => format!("EXPLAIN (ANALYZE {n}) {select}"),
            2 => format!("{select}; SELECT {n}"),
            3 => format!("SET statement_timeout = {n}"),
            4 => format!("DELETE FROM shop.orders WHERE id = {n}"),
            5 => format!("PREPARE p AS {select}"),
            6 => format!("DECLARE c CURSOR WITH HOLD FOR {select}"),
            7 => format!("FETCH {n} FROM c"),
            8 => format!("VALUES ({n}), ({n})"),
            9 => format!("COPY ({select}) TO STDOUT"),
            10 => format!("SELECT DISTINCT ON ({n}) * FROM shop.orders"),
            11 => format!("SELECT {n} AS \"x\" /* {n} */ -- {n}\n, id FROM shop.people"),
            12 => format!("SELECT $tag$ {n} $tag$, U&'\\0041', E'{n}', B'1', X'{n}', {n}"),
            13 => format!("SELECT pg_cancel_backend({n})"),
            14 => format!("SELECT pg_terminate_backend({n}, {n})"),
            15 => format!("SELECT currval('s'), setval('s', {n})"),
            16 => format!("  ;{select}  ;  "),
            _ => select,
        }
    }
}
