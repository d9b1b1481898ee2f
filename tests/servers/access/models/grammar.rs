//! Random queries over the tables of the shop.
//!
//! What may fail fails for every order in which rows are read, or never: `100 / (x - 5)` of a
//! column whose visible values are no 5, casts of notes that are numbers where they are visible,
//! and now and then an expression that fails on each row.

mod quiet;

use std::fmt::Write;

/// What follows a number that may be sent as a parameter.
pub const PARAMETER: &str = "/*p*/";

/// Makes queries from a seed.
pub struct Grammar {
    random: Random,
    aliases: usize,
    /// Queries of WITH that are in sight, by name.
    common: Vec<(String, Vec<Column>)>,
    /// Whether queries of WITH RECURSIVE are being written, which see each other.
    writing: bool,
}

/// Something that can be read in a query.
#[derive(Clone)]
struct Source {
    qualifier: String,
    columns: Vec<Column>,
}

#[derive(Clone)]
struct Column {
    name: String,
    kind: Kind,
}

/// What is known of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A number that is no 5 where it is visible.
    NotFive,
    Number,
    /// A text that is a number where it is visible.
    Digits,
    Text,
}

impl Grammar {
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            aliases: 0,
            common: Vec::new(),
            writing: false,
        }
    }

    /// A query.
    pub fn query(&mut self) -> String {
        self.common.clear();
        if self.random.one_in(30) {
            return self.failing();
        }
        if self.random.one_in(5) {
            return self.quiet();
        }
        let mut text = self.with();
        let kinds = self.kinds();
        let (select, columns) = self.select(2, Some(&kinds), &[]);
        text.push_str(&select);
        if self.random.one_in(4) {
            let operator = self
                .random
                .of(&["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]);
            let (other, _) = self.select(1, Some(&kinds), &[]);
            let _ = write!(text, " {operator} {other}");
        }
        if self.random.one_in(3) {
            let all: Vec<String> = (1..=columns.len()).map(|at| at.to_string()).collect();
            let _ = write!(text, " ORDER BY {}", all.join(", "));
            match self.random.below(3) {
                0 => {}
                1 => {
                    let _ = write!(text, " LIMIT {}", self.random.below(8));
                }
                _ => {
                    let rows = self.random.below(8);
                    let _ = write!(text, " OFFSET {rows} ROWS FETCH FIRST 5 ROWS ONLY");
                }
            }
        }
        text
    }

    /// WITH, or nothing.
    fn with(&mut self) -> String {
        let mut text = String::new();
        let recursive = self.random.one_in(4);
        for at in 0..self.random.below(3) {
            let name = match self.random.below(4) {
                0 => "customers".to_owned(),
                1 => "orders".to_owned(),
                _ => format!("w{at}"),
            };
            if self.common.iter().any(|(known, _)| *known == name) {
                continue;
            }
            self.writing = recursive;
            let (inner, columns) = match recursive && self.random.one_in(2) {
                true => self.recursive(&name),
                false => self.select(1, None, &[]),
            };
            self.writing = false;
            let start = match (text.is_empty(), recursive) {
                (true, true) => "WITH RECURSIVE ",
                (true, false) => "WITH ",
                (false, _) => ", ",
            };
            let kinds = ["", "", "MATERIALIZED ", "NOT MATERIALIZED "];
            let kept = self.random.of(&kinds);
            let _ = write!(text, "{start}{name} AS {kept}({inner})");
            self.common.push((name, columns));
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text
    }

    /// What fails on each row that is visible, if there is one.
    fn failing(&mut self) -> String {
        let (name, _) = self.random.of(&TABLES[..4]);
        let id = self.random.below(90);
        let failing = self
            .random
            .of(&["1 / (t.id - t.id)", "(t.id || 'x')::int", "t.nothing"]);
        format!("SELECT {failing} FROM {name} AS t WHERE t.id > {id}")
    }

    fn kinds(&mut self) -> Vec<Kind> {
        let count = 1 + self.random.below(3);
        let kinds = [Kind::Number, Kind::Text, Kind::Number];
        (0..count).map(|_| self.random.of(&kinds)).collect()
    }

    /// A SELECT, and the columns that it returns.
    fn select(
        &mut self,
        depth: usize,
        wanted: Option<&[Kind]>,
        outer: &[Source],
    ) -> (String, Vec<Column>) {
        if wanted.is_none() && outer.is_empty() && self.random.one_in(6) {
            return self.whole();
        }
        let (from, own) = self.from(depth, outer);
        let sources: Vec<Source> = own.iter().chain(outer).cloned().collect();
        let kinds = match wanted {
            Some(kinds) => kinds.to_vec(),
            None => self.kinds(),
        };
        let filter = match self.random.below(3) {
            0 => String::new(),
            1 => format!(" WHERE {}", self.condition(depth, &sources)),
            _ => {
                let (one, other) = (self.lookup(&own), self.condition(depth, &sources));
                format!(" WHERE {one} AND {other}")
            }
        };
        let shape = self.random.below(6);
        let mut list = Vec::new();
        let mut columns = Vec::new();
        let mut groups = Vec::new();
        for (at, kind) in kinds.iter().enumerate() {
            let text = match (shape, kind) {
                (0, _) if at > 0 || self.random.one_in(2) => self.aggregate(*kind, &own),
                (0, _) => {
                    let group = self.reference(*kind, &own);
                    groups.push(group.clone());
                    group
                }
                (1, Kind::Number | Kind::NotFive) => self.window(&own),
                _ => self.expression(*kind, depth, &sources),
            };
            list.push(format!("{text} AS c{at}"));
            columns.push(Column {
                name: format!("c{at}"),
                kind: *kind,
            });
        }
        let distinct = if shape == 2 { "DISTINCT " } else { "" };
        let mut text = format!("SELECT {distinct}{} FROM {from}{filter}", list.join(", "));
        if !groups.is_empty() {
            // Servers before 18 make NULL of a constant in grouping sets for some plans only.
            let constant = groups.iter().any(|group| !group.contains('.'));
            let by = match self.random.below(4) {
                _ if constant => groups.join(", "),
                0 => format!("ROLLUP ({})", groups.join(", ")),
                1 => format!("GROUPING SETS (({}), ())", groups.join(", ")),
                _ => groups.join(", "),
            };
            let _ = write!(text, " GROUP BY {by}");
            if self.random.one_in(3) {
                let _ = write!(text, " HAVING {} > 1", self.aggregate(Kind::Number, &own));
            }
        }
        (text, columns)
    }

    /// A query of WITH that reads itself.
    fn recursive(&mut self, name: &str) -> (String, Vec<Column>) {
        let (table, _) = self.random.of(&TABLES[..7]);
        let (other, _) = self.random.of(&TABLES[..7]);
        let union = self.random.of(&["UNION", "UNION ALL"]);
        let text = format!(
            "SELECT t.id AS id FROM shop.{table} t WHERE t.id < 9 {union} \
             SELECT o.id FROM shop.{other} o JOIN {name} r ON o.id = r.id + 3 WHERE o.id < 30"
        );
        let id = Column {
            name: "id".to_owned(),
            kind: Kind::Number,
        };
        (text, vec![id])
    }

    /// Everything of a table.
    fn whole(&mut self) -> (String, Vec<Column>) {
        let (name, columns) = self.table();
        let text = match self.random.below(3) {
            0 => format!("TABLE {name}"),
            1 => format!("SELECT * FROM {name}"),
            _ => format!("SELECT t.* FROM {name} AS t"),
        };
        (text, columns)
    }

    /// A table, as it is written.
    fn table(&mut self) -> (String, Vec<Column>) {
        if !self.common.is_empty() && self.random.one_in(3) {
            let at = self.random.below(self.common.len());
            return self.common[at].clone();
        }
        let column = |(name, kind): &(&str, Kind)| Column {
            name: (*name).to_owned(),
            kind: *kind,
        };
        let (name, columns) = self.random.of(&TABLES);
        let mut hidden = self.common.iter().any(|(known, _)| known == name);
        hidden |= self.writing;
        let written = match self.random.below(5) {
            0 => format!("shop.{name}"),
            1 => format!("shop . /* {name} */ \"{name}\""),
            _ if hidden => format!("shop.{name}"),
            2 => name.to_uppercase(),
            3 => format!("\"{name}\""),
            _ => name.to_owned(),
        };
        (written, columns.iter().map(column).collect())
    }

    fn from(&mut self, depth: usize, outer: &[Source]) -> (String, Vec<Source>) {
        let (mut text, first) = self.item(depth, &[], outer);
        let mut sources = vec![first];
        for _ in 0..self.random.below(3) {
            let (item, source) = self.item(depth, &sources, outer);
            let both = |source: &Source| source.columns.iter().any(|column| column.name == "id");
            let by_id = sources.len() == 1 && both(&sources[0]) && both(&source);
            match self.random.below(6) {
                5 if by_id && !item.starts_with("LATERAL") => {
                    let kind = self.random.of(&["JOIN", "LEFT JOIN", "FULL JOIN"]);
                    let alias = self.random.of(&["", " AS u"]);
                    let _ = write!(text, " {kind} {item} USING (id){alias}");
                }
                0 if !item.starts_with("LATERAL") => {
                    let on = self.equal(&sources, &source);
                    let kind = self.random.of(&["LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
                    let _ = write!(text, " {kind} {item} ON {on}");
                }
                1 => {
                    let on = self.equal(&sources, &source);
                    let _ = write!(text, " LEFT JOIN {item} ON {on}");
                }
                2 if sources.len() < 2 => {
                    let _ = write!(text, " CROSS JOIN {item}");
                }
                _ => {
                    let on = self.equal(&sources, &source);
                    let _ = write!(text, " JOIN {item} ON {on}");
                }
            }
            sources.push(source);
        }
        (text, sources)
    }

    fn item(&mut self, depth: usize, left: &[Source], outer: &[Source]) -> (String, Source) {
        self.aliases += 1;
        let qualifier = format!("t{}", self.aliases);
        let source = |columns| Source {
            qualifier: qualifier.clone(),
            columns,
        };
        if depth > 0 && self.random.one_in(4) {
            let lateral = !left.is_empty() && self.random.one_in(2);
            let seen: Vec<Source> = match lateral {
                true => left.iter().chain(outer).cloned().collect(),
                false => outer.to_vec(),
            };
            let (inner, columns) = self.select(depth - 1, None, &seen);
            let word = if lateral { "LATERAL " } else { "" };
            return (format!("{word}({inner}) AS {qualifier}"), source(columns));
        }
        let (name, mut columns) = self.table();
        match self.random.below(4) {
            0 => (format!("{name} {qualifier}"), source(columns)),
            1 => {
                for (at, column) in columns.iter_mut().enumerate() {
                    column.name = format!("r{at}");
                }
                let names: Vec<_> = columns.iter().map(|column| &*column.name).collect();
                let text = format!("{name} AS {qualifier} ({})", names.join(", "));
                (text, source(columns))
            }
            _ => (format!("{name} AS {qualifier}"), source(columns)),
        }
    }

    fn equal(&mut self, left: &[Source], right: &Source) -> String {
        let one = self.reference(Kind::Number, left);
        let other = self.reference(Kind::Number, std::slice::from_ref(right));
        let on = format!("{one} = {other}");
        match self.random.below(6) {
            0 => format!("{on} AND {}", self.lookup(std::slice::from_ref(right))),
            1 => format!("{} AND {on}", self.lookup(left)),
            2 => self.lookup(left),
            _ => on,
        }
    }

    fn condition(&mut self, depth: usize, sources: &[Source]) -> String {
        match self.random.below(15) {
            12 => {
                let source = &sources[self.random.below(sources.len())];
                format!("({}.*) IS NOT NULL", source.qualifier)
            }
            13 => {
                let source = &sources[self.random.below(sources.len())];
                let own = &source.qualifier;
                let other = self.random.of(&["", ", 1"]);
                format!("ROW({own}.*{other}) IS NOT DISTINCT FROM ROW({own}.*, 1)")
            }
            14 if depth > 0 => {
                let (inner, _) = self.select(depth - 1, Some(&[Kind::Number]), sources);
                format!("({inner} ORDER BY 1 LIMIT 1) IS NOT NULL")
            }
            0 => {
                let (one, other) = (self.condition(0, sources), self.condition(0, sources));
                let word = self.random.of(&["AND", "OR"]);
                format!("({one} {word} {other})")
            }
            1 => format!("NOT ({})", self.condition(0, sources)),
            2 => format!("{} IS NULL", self.reference(Kind::Text, sources)),
            3 => format!("{} LIKE '%A%'", self.reference(Kind::Text, sources)),
            4 if depth > 0 => {
                let (inner, _) = self.select(depth - 1, Some(&[Kind::Number]), sources);
                format!("EXISTS ({inner})")
            }
            5 if depth > 0 => {
                let word = self.random.of(&["IN", "NOT IN", "= ANY", "<> ALL"]);
                let (inner, _) = self.select(depth - 1, Some(&[Kind::Number]), &[]);
                format!("{} {word} ({inner})", self.reference(Kind::Number, sources))
            }
            6 | 7 => match self.trap(sources) {
                Some(trap) => format!("{trap} > 1"),
                None => "true".to_owned(),
            },
            8 => format!("{} BETWEEN 1 AND 40", self.reference(Kind::Number, sources)),
            9 => {
                let text = self.reference(Kind::Text, sources);
                format!("{text} IN ('north', '1', 'a…', 'CANARY')")
            }
            _ => {
                let sign = self
                    .random
                    .of(&["=", "<", ">", "<=", "<>", "IS DISTINCT FROM"]);
                let one = self.reference(Kind::Number, sources);
                let other = self.expression(Kind::Number, 0, sources);
                format!("{one} {sign} {other}")
            }
        }
    }

    /// What fails on rows that are not visible.
    fn trap(&mut self, sources: &[Source]) -> Option<String> {
        let all = sources.iter().flat_map(|source| {
            let own = source.columns.iter();
            own.map(|column| (format!("{}.{}", source.qualifier, column.name), column.kind))
        });
        let traps: Vec<String> = all
            .filter_map(|(name, kind)| match kind {
                Kind::NotFive if self.aliases.is_multiple_of(3) => {
                    Some(format!("({name} * 100000)"))
                }
                Kind::NotFive => Some(format!("100 / ({name} - 5)")),
                Kind::Digits => Some(format!("{name}::int")),
                Kind::Number | Kind::Text => None,
            })
            .collect();
        match traps.len() {
            0 => None,
            count => Some(traps[self.random.below(count)].clone()),
        }
    }

    fn expression(&mut self, kind: Kind, depth: usize, sources: &[Source]) -> String {
        let own = self.reference(kind, sources);
        match (kind, self.random.below(10)) {
            (Kind::Number | Kind::NotFive, 0) => {
                let other = self.reference(kind, sources);
                format!("({own} + {other})")
            }
            (Kind::Number | Kind::NotFive, 1) => {
                let text = self.reference(Kind::Text, sources);
                format!("length({text})")
            }
            (Kind::Number | Kind::NotFive, 2 | 3) => self.trap(sources).unwrap_or(own),
            (Kind::Number | Kind::NotFive, 4) if depth > 0 => {
                let (inner, _) = self.select(0, Some(&[Kind::Number]), &[]);
                format!("(SELECT max(c0) FROM ({inner}) s)::int")
            }
            (Kind::Text | Kind::Digits, 0) => format!("upper({own})"),
            (Kind::Text | Kind::Digits, 1) => {
                let number = self.reference(Kind::Number, sources);
                format!("CASE WHEN {number} > 3 THEN {own} ELSE 'x' END")
            }
            (Kind::Text | Kind::Digits, 2) => {
                let source = &sources[self.random.below(sources.len())];
                format!("{}::text", source.qualifier)
            }
            (Kind::Text | Kind::Digits, 3) => format!("coalesce({own}, '-')"),
            _ => own,
        }
    }

    fn aggregate(&mut self, kind: Kind, sources: &[Source]) -> String {
        let number = self.reference(Kind::Number, sources);
        let text = self.reference(Kind::Text, sources);
        match (kind, self.random.below(4)) {
            (Kind::Text | Kind::Digits, 0) => format!("min({text})"),
            (Kind::Text | Kind::Digits, 1) => format!("max({text})"),
            (Kind::Text | Kind::Digits, _) => format!("string_agg({text}, ',' ORDER BY {text})"),
            (_, 0) => "count(*)::int".to_owned(),
            (_, 1) => format!("sum({number})::int"),
            (_, 2) => format!("count(DISTINCT {text})::int"),
            _ => format!("max({number}) FILTER (WHERE {number} < 90)"),
        }
    }

    /// Whatever stands beside it in the window's order, it is the same for all.
    fn window(&mut self, sources: &[Source]) -> String {
        let number = self.reference(Kind::Number, sources);
        let text = self.reference(Kind::Text, sources);
        match self.random.below(3) {
            0 => format!("(rank() OVER (ORDER BY {number}))::int"),
            1 => format!("(count(*) OVER (PARTITION BY {text}))::int"),
            _ => format!("(sum({number}) OVER (PARTITION BY {text} ORDER BY {number}))::int"),
        }
    }

    /// A column of a kind; a literal where there is none.
    fn reference(&mut self, kind: Kind, sources: &[Source]) -> String {
        let is_number = |kind: Kind| matches!(kind, Kind::NotFive | Kind::Number);
        let mut fitting = Vec::new();
        for source in sources {
            let own = source.columns.iter();
            let own = own.filter(|column| is_number(column.kind) == is_number(kind));
            fitting.extend(own.map(|column| format!("{}.{}", source.qualifier, column.name)));
        }
        match fitting.len() {
            0 if is_number(kind) => "4".to_owned(),
            0 => "'y'::text".to_owned(),
            count => fitting[self.random.below(count)].clone(),
        }
    }
}

type Table = (&'static str, &'static [(&'static str, Kind)]);

const TABLES: [Table; 8] = [
    CUSTOMERS,
    CUSTOMERS,
    (
        "orders",
        &[
            ("id", Kind::Number),
            ("customer", Kind::Number),
            ("total", Kind::Number),
            ("secret", Kind::Digits),
        ],
    ),
    (
        "items",
        &[
            ("id", Kind::Number),
            ("code", Kind::Digits),
            ("x", Kind::NotFive),
        ],
    ),
    (
        "plain",
        &[
            ("id", Kind::Number),
            ("region", Kind::Text),
            ("x", Kind::NotFive),
            ("note", Kind::Digits),
        ],
    ),
    (
        "tagged",
        &[
            ("id", Kind::Number),
            ("x", Kind::NotFive),
            ("tag", Kind::Digits),
        ],
    ),
    (
        "linked",
        &[
            ("id", Kind::Number),
            ("x", Kind::NotFive),
            ("note", Kind::Digits),
            ("tenant", Kind::Text),
        ],
    ),
    ("regions", &[("region", Kind::Text)]),
];

const CUSTOMERS: Table = (
    "customers",
    &[
        ("id", Kind::Number),
        ("region", Kind::Text),
        ("email", Kind::Text),
        ("x", Kind::NotFive),
        ("note", Kind::Digits),
    ],
);

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % u64::try_from(bound).unwrap()).unwrap()
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}
