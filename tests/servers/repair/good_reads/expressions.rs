//! Random expressions over the columns in sight, of a kind that is asked for.

use crate::repair::dialects::grammar::Dice;
use crate::repair::good_reads::tables::ValueKind;

/// The columns in sight, as they are to be written.
pub struct Scope {
    pub columns: Vec<(String, ValueKind)>,
}

impl Scope {
    /// Any column, as it is.
    pub fn any(&self, dice: &mut Dice) -> (String, ValueKind) {
        self.columns[dice.roll(self.columns.len())].clone()
    }

    /// A column of a kind, where there is one.
    fn column(&self, kind: ValueKind, dice: &mut Dice) -> Option<String> {
        let of_it: Vec<&String> = (self.columns.iter())
            .filter(|(_, own)| *own == kind)
            .map(|(name, _)| name)
            .collect();
        (!of_it.is_empty()).then(|| of_it[dice.roll(of_it.len())].clone())
    }

    /// A value that can be shown, and which kind it is.
    pub fn value(&self, dice: &mut Dice, depth: usize) -> (String, ValueKind) {
        if dice.happens(40) {
            return self.any(dice);
        }
        let kind = match dice.roll(8) {
            0..2 => ValueKind::Whole,
            2 => ValueKind::Number,
            3..5 => ValueKind::Text,
            5 => ValueKind::Day,
            6 => ValueKind::Moment,
            _ => ValueKind::Truth,
        };
        (self.of(kind, dice, depth), kind)
    }

    /// A value of a kind.
    pub fn of(&self, kind: ValueKind, dice: &mut Dice, depth: usize) -> String {
        if (depth == 0 || dice.happens(40))
            && let Some(column) = self.column(kind, dice)
        {
            return column;
        }
        let (templates, literals) = match kind {
            ValueKind::Whole => (WHOLE, WHOLE_LITERALS),
            ValueKind::Number => (NUMBERS, NUMBER_LITERALS),
            ValueKind::Day => (DAYS, DAY_LITERALS),
            ValueKind::Moment => (MOMENTS, MOMENT_LITERALS),
            ValueKind::Truth => (CONDITIONS, TRUTH_LITERALS),
            ValueKind::Json => (JSON, JSON_LITERALS),
            ValueKind::Texts => (LISTS, LIST_LITERALS),
            ValueKind::Text | ValueKind::Other => (TEXTS, TEXT_LITERALS),
        };
        match depth == 0 || dice.happens(15) {
            true => dice.pick(literals).to_owned(),
            false => {
                let template = dice.pick(templates);
                self.fill(template, dice, depth - 1)
            }
        }
    }

    /// A condition.
    pub fn condition(&self, dice: &mut Dice, depth: usize) -> String {
        let template = dice.pick(CONDITIONS);
        self.fill(template, dice, depth)
    }

    /// A template, the letters behind `$` replaced by values of their kinds.
    pub fn fill(&self, template: &str, dice: &mut Dice, depth: usize) -> String {
        let mut parts = template.split('$');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (letter, rest) = part.split_at(1);
            let kind = match letter {
                "W" => ValueKind::Whole,
                "N" => ValueKind::Number,
                "T" => ValueKind::Text,
                "D" => ValueKind::Day,
                "M" => ValueKind::Moment,
                "B" => ValueKind::Truth,
                "J" => ValueKind::Json,
                "L" => ValueKind::Texts,
                "A" => {
                    text.push_str(&self.any(dice).0);
                    text.push_str(rest);
                    continue;
                }
                other => panic!("{template}: what is {other}?"),
            };
            text.push_str(&self.of(kind, dice, depth));
            text.push_str(rest);
        }
        text
    }
}

const WHOLE_LITERALS: &[&str] = &["0", "1", "2", "7", "100", "-3", "2020"];
const NUMBER_LITERALS: &[&str] = &["0.5", "1.25", "100", "-2.5", "1e3"];
const TEXT_LITERALS: &[&str] = &[
    "'a'",
    "'Berlin'",
    "'x''y'",
    "''",
    "E'tab\\there'",
    "$$it's$$",
    "'%'",
    "'2020-01-01'",
    "'year'",
];
const DAY_LITERALS: &[&str] = &["DATE '2020-02-29'", "'1999-12-31'::date", "current_date"];
const MOMENT_LITERALS: &[&str] = &[
    "TIMESTAMP '2021-05-06 07:08:09'",
    "CAST('2019-01-01' AS timestamp)",
    "localtimestamp(0) - localtimestamp(0) + timestamp '2020-01-01'",
];
const TRUTH_LITERALS: &[&str] = &["true", "FALSE", "NULL::boolean", "'t'::bool"];
const JSON_LITERALS: &[&str] = &[
    "'{\"a\": [1, 2], \"b\": null}'::jsonb",
    "jsonb_build_object('k', 1, 'l', 'x')",
    "to_jsonb(array[1, 2])",
];
const LIST_LITERALS: &[&str] = &[
    "ARRAY['a', 'b']",
    "'{x,y}'::text[]",
    "string_to_array('a,b', ',')",
];

const WHOLE: &[&str] = &[
    "($W + $W)",
    "($W - $W)",
    "abs($W)",
    "mod($W, 7)",
    "length($T)",
    "CHAR_LENGTH($T)",
    "position('a' IN $T)",
    "strpos($T, 'e')",
    "extract(year FROM $D)::integer",
    "EXTRACT(DOW FROM $M)::int",
    "date_part('month', $M)::int",
    "CASE WHEN $B THEN $W ELSE $W END",
    "coalesce($W, 0)",
    "COALESCE($W, $W, 1)",
    "nullif($W, 0)",
    "greatest($W, $W)",
    "($D - $D)",
    "($B)::int",
    "cardinality($L)",
    "round($N::numeric)::bigint",
    "CAST(trunc($N::numeric, 0) AS bigint)",
    "sign($W::numeric)::int",
    "($W / 3)",
    "$W % 5",
    "ascii($T)",
];
const NUMBERS: &[&str] = &[
    "($N + $N)",
    "($N * 1.5)",
    "($W / 2.0)",
    "round($N::numeric, 2)",
    "abs($N)",
    "$W::numeric",
    "($N)::double precision",
    "CAST($W AS numeric(20, 4))",
    "coalesce($N, 0)",
    "CASE WHEN $B THEN $N END",
    "least($N, $N)",
    "floor($N)",
    "ceil($N::numeric)",
    "power(2, mod($W, 5))",
    "sqrt(abs($N))",
    "$N / NULLIF($N, 0)",
    "extract(epoch FROM ($M - $M))",
];
const TEXTS: &[&str] = &[
    "upper($T)",
    "LOWER($T)",
    "initcap($T)",
    "trim($T)",
    "TRIM(BOTH ' ' FROM $T)",
    "substr($T, 1, 3)",
    "substring($T FROM 2 FOR 4)",
    "left($T, 2)",
    "RIGHT($T, 3)",
    "replace($T, 'a', 'b')",
    "($T || '-' || $T)",
    "concat($T, ' ', $W)",
    "CONCAT_WS(', ', $T, $T)",
    "coalesce($T, 'none')",
    "CASE $W WHEN 1 THEN 'one' ELSE $T END",
    "CASE WHEN $B THEN 'yes' ELSE 'no' END",
    "to_char($D, 'YYYY-MM')",
    "to_char($M, 'DD.MM.YYYY HH24:MI')",
    "to_char($N, 'FM999990.00')",
    "$W::text",
    "CAST($D AS varchar)",
    "split_part($T, ' ', 1)",
    "regexp_replace($T, '[aeiou]', '', 'g')",
    "reverse($T)",
    "lpad($T, 4, '0')",
    "md5($T)",
    "$J ->> 'k'",
    "jsonb_typeof($J)",
    "array_to_string($L, '/')",
    "($L)[1]",
    "nullif($T, '')",
    "format('%s: %s', $T, $W)",
    "$A::text",
    "quote_literal($T)",
    "overlay($T PLACING 'X' FROM 1 FOR 1)",
];
const DAYS: &[&str] = &[
    "($D + 1)",
    "($D - 30)",
    "($D + interval '1 month')::date",
    "date_trunc('year', $D)::date",
    "$M::date",
    "CAST($M AS date)",
    "coalesce($D, DATE '2000-01-01')",
    "make_date(2000 + mod(abs($W), 30)::int, 5, 6)",
    "to_date('20200131', 'YYYYMMDD')",
    "greatest($D, $D)",
];
const MOMENTS: &[&str] = &[
    "($M + interval '1 day')",
    "($M - INTERVAL '2 hours')",
    "date_trunc('month', $M)",
    "DATE_TRUNC('week', $D)",
    "$D::timestamp",
    "($D + time '12:30')",
    "CASE WHEN $B THEN $M ELSE NULL END",
    "timestamp '2001-02-03 04:05:06' + mod($W, 100)::int * interval '1 hour'",
];
const JSON: &[&str] = &[
    "to_jsonb($A)",
    "jsonb_build_array($W, $T)",
    "($J -> 'k')",
    "($J #> '{a,0}')",
    "$J || '{\"z\": 1}'::jsonb",
];
const LISTS: &[&str] = &[
    "array_append($L, 'z')",
    "ARRAY[$T, $T]",
    "string_to_array($T, ' ')",
    "array_remove($L, 'a')",
    "($L || $L)",
];
const CONDITIONS: &[&str] = &[
    "$W > $W",
    "$W <> $W",
    "$W BETWEEN $W AND $W",
    "$W IN (1, 2, 3, $W)",
    "$W = ANY (ARRAY[1, 2, 5])",
    "$N >= $N",
    "$N IS DISTINCT FROM $N",
    "$T = $T",
    "$T LIKE '%a%'",
    "$T NOT LIKE 'B_%'",
    "$T ILIKE '%E%'",
    "$T ~ '^[A-Z]'",
    "$T !~* 'q'",
    "$T SIMILAR TO '%(a|b)%'",
    "$T IN ('a', 'b', 'Berlin')",
    "$T < $T",
    "$D >= DATE '2000-01-01'",
    "$D BETWEEN '1990-01-01' AND '2030-12-31'",
    "$M > $M",
    "extract(year FROM $D) = 2020",
    "$A IS NULL",
    "$A IS NOT NULL",
    "NOT ($B)",
    "($B AND $B)",
    "($B OR $B)",
    "$B IS NOT TRUE",
    "$B",
    "$J ? 'k'",
    "$J @> '{\"k\": 1}'",
    "'a' = ANY ($L)",
    "$L && ARRAY['a', 'x']",
    "($W, $T) = ($W, $T)",
    "($D, $D + 10) OVERLAPS (DATE '2010-01-01', DATE '2020-01-01')",
    "starts_with($T, 'A')",
];
