//! `syntax_error`, 42601: what the grammar does not accept, or the server for its form.
//!
//! # Sees
//! Mistakes that have one reading: names in backticks, brackets or behind backslashes, names with
//! spaces that the database has, apostrophes that are not doubled, `LIMIT 20, 10`, `INTERVAL 1
//! DAY`, aliases in single quotes, typos in keywords, commas and parentheses too many, sub-queries
//! without an alias on servers before 16.
//!
//! # Why
//! The text means one thing, and the grammar wants it spelled otherwise. What is changed lets the
//! whole text parse; a reading that is one of several is never chosen.
//!
//! # Before
//! - ```SELECT `name` FROM `customers` LIMIT 20, 10```
//! - `SELECT count(*) AS 'RefusalTotal', FROM orders GROB BY status`
//!
//! # After
//! - `SELECT name FROM customers LIMIT 10 OFFSET 20`
//! - `SELECT count(*) AS "RefusalTotal" FROM orders GROUP BY status`
//!
//! # When not
//! A text that is decidedly of another dialect is translated as a whole before. Where two readings
//! parse, or none, the client gets a hint, as far as what is wrong is known.

pub(crate) mod advice;
pub(crate) mod apostrophes;
pub(crate) mod backticks;
pub(crate) mod brackets;
pub(crate) mod commas;
pub(crate) mod edited_text;
pub(crate) mod escapes;
pub(crate) mod intervals;
pub(crate) mod keyword_list;
pub(crate) mod keywords;
pub(crate) mod limit_pair;
pub(crate) mod mentioned_names;
pub(crate) mod misreadings;
pub(crate) mod operators;
pub(crate) mod parentheses;
pub(crate) mod reserved_words;
pub(in crate::repair) mod spaced_names;
pub(crate) mod string_alias;
pub(crate) mod subquery_alias;
mod token_repair;
pub(crate) mod typography;

use self::edited_text::EditedText;
use self::mentioned_names::MentionedNames;
use self::token_repair::TokenRepair;
use crate::limits;
use crate::repair::{FailureClass, RecovererAnswer, RepairContext};

/// Repairs what can be repaired of a text that the grammar or the server does not take.
pub(in crate::repair) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let known = MentionedNames::of(context);
    let mut edited = EditedText::new(context.text);
    if context.failure.class != FailureClass::SyntaxError {
        return misreadings::recover(context, &edited, &known);
    }
    let mut changes: Vec<String> = Vec::new();
    let mut take = |edited: &mut EditedText, repair: TokenRepair| {
        if !changes.contains(&repair.change) {
            changes.push(repair.change);
        }
        edited.apply(repair.edits)
    };
    let mut parses = context.tree.is_some();
    for _ in 0..limits::SYNTAX_ROUNDS_MAX {
        parses = parses || edited.parse().is_some();
        if parses {
            break;
        }
        // While a quote is open, tokens say little: what follows may be a literal.
        let mut kinds = MISTAKE_FINDERS.iter().take(if edited.is_open() {
            3
        } else {
            MISTAKE_FINDERS.len()
        });
        let repair = kinds.find_map(|kind| kind(&edited, &known));
        let Some(repair) = repair else { break };
        if !take(&mut edited, repair) {
            break;
        }
    }
    if parses && let Some(repair) = subquery_alias::repair(&edited, &known) {
        take(&mut edited, repair);
    }
    let edits = edited.edits();
    if parses && !edits.is_empty() {
        return RecovererAnswer::exact(edits, changes.join("; "));
    }
    advice::of(context).map_or(RecovererAnswer::Silent, RecovererAnswer::hint)
}

/// Writes the signs of word processors as those of SQL, in a text that parses as it is.
pub(in crate::repair) fn straighten_typography(
    context: &RepairContext<'_>,
) -> Option<RecovererAnswer> {
    let known = MentionedNames::of(context);
    let mut edited = EditedText::new(context.text);
    let repair = typography::repair(&edited, &known)?;
    let change = repair.change.clone();
    let fits = edited.apply(repair.edits) && edited.parse().is_some();
    fits.then(|| RecovererAnswer::exact(edited.edits(), change))
}

/// Whether a letter is one that word processors put in the place of a sign of SQL.
pub(in crate::repair) fn is_typographic(letter: char) -> bool {
    typography::straight(letter).is_some()
}

/// Looks for one kind of mistake.
type MistakeFinder = fn(&EditedText, &MentionedNames<'_>) -> Option<TokenRepair>;

/// The kinds, in order: what decides where literals end comes first, and what is certain comes
/// before what has to be tried (from `spaced_names` on): those are repaired only where exactly one
/// reading parses.
const MISTAKE_FINDERS: &[MistakeFinder] = &[
    typography::repair,
    apostrophes::repair,
    escapes::repair,
    backticks::repair,
    brackets::repair,
    operators::repair,
    limit_pair::repair,
    string_alias::repair,
    intervals::repair,
    commas::repair,
    spaced_names::repair,
    reserved_words::repair,
    keywords::repair,
    parentheses::repair,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use crate::catalog::fixture::CatalogFixture;
    use crate::policy::Recoverer;
    use crate::repair::laws::{ExpectedRepair, OutputNameLaw, RepairCase, check_in, fuzzed, world};

    /// `""` wants silence, `hint: …` words.
    fn repaired(cases: &[(&str, &str)]) {
        let cases: Vec<RepairCase<'_>> = cases
            .iter()
            .map(|(before, after)| RepairCase {
                before,
                wanted: match *after {
                    "" => ExpectedRepair::Silence,
                    hint if hint.starts_with("hint: ") => ExpectedRepair::Hint(&hint[6..]),
                    after => ExpectedRepair::Exact(after),
                },
            })
            .collect();
        check_in(
            schools(),
            Recoverer::SyntaxError,
            "42601",
            OutputNameLaw::Repaired,
            &cases,
        );
    }

    fn schools() -> CatalogFixture {
        world()
            .table(
                "public.frpm",
                "CDSCode text, \"School Name\" text, \"Free Meal Count (K-12)\" float8, \
                 \"Free Meal Count\" float8, \"Percent (%) Eligible\" float8, \"Discount %\" float8, \
                 \"2013-14 Status\" text, \"A-B\" int4, \"A\" int4, \"B\" int4",
            )
            .table("public.Order Items", "id int4, \"Unit Price\" numeric, \"order\" int4")
            .table("public.user", "id int4, \"desc\" text, \"end\" date, client_id int4, Name text")
    }

    #[test]
    fn foreign_quotes_are_those_of_postgres() {
        repaired(&[
            (
                "SELECT `name` FROM `customers`",
                "SELECT name FROM customers",
            ),
            (
                "SELECT `c`.`Name`, `id` AS `Total Count` FROM `customers` AS `c`",
                "SELECT c.Name, id AS \"Total Count\" FROM customers AS c",
            ),
            (
                "SELECT `free meal count` FROM `frpm` WHERE `School Name`='a`b'",
                "SELECT \"Free Meal Count\" FROM frpm WHERE \"School Name\"='a`b'",
            ),
            (
                "SELECT `order` FROM `Order Items`",
                "SELECT \"order\" FROM \"Order Items\"",
            ),
            (
                "SELECT id FROM `public.customers`",
                "SELECT id FROM public.customers",
            ),
            ("SELECT `a FROM t", ""),
            (
                "SELECT [Unit Price], o.[id] FROM [Order Items] AS o WHERE o.[id] IN (1)",
                "SELECT \"Unit Price\", o.id FROM \"Order Items\" AS o WHERE o.id IN (1)",
            ),
            ("SELECT (ARRAY[1, 2])[1], a[1] b c FROM t", ""),
            (
                "SELECT client\\_id, \\\"Name\\\" FROM \"user\" WHERE client\\_id > 1",
                "SELECT client_id, \"Name\" FROM \"user\" WHERE client_id > 1",
            ),
            (
                "SELECT count(\\*) FROM orders",
                "SELECT count(*) FROM orders",
            ),
            (
                "SELECT name FROM customers WHERE country = \\'DE\\'",
                "SELECT name FROM customers WHERE country = 'DE'",
            ),
            (
                "SELECT \u{feff}name FROM\u{a0}customers WHERE country = ‘DE land’ AND id ≥ 1",
                "SELECT name FROM customers WHERE country = 'DE land' AND id >= 1",
            ),
            ("SELECT a b c，d FROM “x y”", ""),
        ]);
    }

    #[test]
    fn strings_end_where_one_reading_lets_them() {
        repaired(&[
            (
                "SELECT id FROM customers WHERE name = 'O'Brien'",
                "SELECT id FROM customers WHERE name = 'O''Brien'",
            ),
            (
                "SELECT id FROM customers WHERE name = 'O'Brien' OR name = 'D'Arcy'",
                "SELECT id FROM customers WHERE name = 'O''Brien' OR name = 'D''Arcy'",
            ),
            (
                "SELECT id FROM customers WHERE name = 'it\\'s' AND country = 'x'",
                "SELECT id FROM customers WHERE name = 'it''s' AND country = 'x'",
            ),
            (
                "SELECT `id` FROM customers WHERE name = 'O'Brien' LIMIT 1, 2",
                "SELECT id FROM customers WHERE name = 'O''Brien' LIMIT 2 OFFSET 1",
            ),
            (
                "SELECT id FROM customers WHERE name = 'abc",
                "hint: never closed",
            ),
            (
                "SELECT id FROM customers WHERE name = 'dogs' bowl'",
                "hint: never closed",
            ),
        ]);
    }

    #[test]
    fn names_that_are_no_words_are_found() {
        repaired(&[
            (
                "SELECT free meal count FROM frpm WHERE x",
                "SELECT \"Free Meal Count\" FROM frpm WHERE x",
            ),
            (
                "SELECT frpm.Free Meal Count (K-12) FROM frpm",
                "SELECT frpm.\"Free Meal Count (K-12)\" FROM frpm",
            ),
            (
                "SELECT max(Percent (%) Eligible), Discount % FROM frpm",
                "SELECT max(\"Percent (%) Eligible\"), \"Discount %\" FROM frpm",
            ),
            (
                "SELECT 2013-14 Status FROM frpm WHERE \"School\" Name = 'School Name x'",
                "SELECT \"2013-14 Status\" FROM frpm WHERE \"School Name\" = 'School Name x'",
            ),
            (
                "SELECT Unit Price x FROM Order Items",
                "SELECT \"Unit Price\" x FROM \"Order Items\"",
            ),
            (
                "SELECT status, sum(id) AS \"Total Sales\" FROM orders GROUP BY 1 ORDER BY Total Sales",
                "SELECT status, sum(id) AS \"Total Sales\" FROM orders GROUP BY 1 \
                 ORDER BY \"Total Sales\"",
            ),
            ("SELECT free meal counts x FROM frpm", ""),
            ("SELECT free meal count x FROM customers", ""),
            (
                "SELECT desc, end FROM \"user\"",
                "SELECT \"desc\", \"end\" FROM \"user\"",
            ),
            (
                "SELECT \"order\" FROM \"Order Items\" ORDER BY order",
                "SELECT \"order\" FROM \"Order Items\" ORDER BY \"order\"",
            ),
            (
                "SELECT order.id FROM orders AS order WHERE order.id > 1",
                "SELECT \"order\".id FROM orders AS \"order\" WHERE \"order\".id > 1",
            ),
        ]);
    }

    #[test]
    fn forms_of_other_databases_are_spelled_as_here() {
        repaired(&[
            (
                "SELECT id FROM orders LIMIT 20, 10",
                "SELECT id FROM orders LIMIT 10 OFFSET 20",
            ),
            (
                "SELECT id FROM orders WHERE id == 1 AND id =< 5 LIMIT 1, 1",
                "SELECT id FROM orders WHERE id = 1 AND id <= 5 LIMIT 1 OFFSET 1",
            ),
            (
                "SELECT id FROM orders WHERE id > = 1 AND id => 5",
                "SELECT id FROM orders WHERE id >= 1 AND id >= 5",
            ),
            (
                "SELECT count(*) AS 'Total' FROM orders",
                "SELECT count(*) AS \"Total\" FROM orders",
            ),
            (
                "SELECT count(*) 'Total' FROM orders",
                "SELECT count(*) \"Total\" FROM orders",
            ),
            (
                "SELECT id FROM orders WHERE placed_on > now() - INTERVAL 1 MONTH",
                "SELECT id FROM orders WHERE placed_on > now() - INTERVAL '1 month'",
            ),
            (
                "SELECT now() - INTERVAL 2 QUARTER, 1 FROM orders",
                "SELECT now() - INTERVAL '6 months', 1 FROM orders",
            ),
        ]);
    }

    #[test]
    fn typos_are_repaired_where_there_is_one_reading() {
        repaired(&[
            ("SELECT id, FROM orders", "SELECT id FROM orders"),
            (
                "SELECT id,, status FROM orders,",
                "SELECT id, status FROM orders",
            ),
            (
                "SELECT id FROM orders WHERE id IN (1, 2,)",
                "SELECT id FROM orders WHERE id IN (1, 2)",
            ),
            (
                "WITH a AS (SELECT 1 AS x), SELECT x FROM a",
                "WITH a AS (SELECT 1 AS x) SELECT x FROM a",
            ),
            ("SELECT coalesce(id,) FROM orders", ""),
            ("SELCT id FROM orders", "SELECT id FROM orders"),
            ("SELECT id FORM orders", "SELECT id FROM orders"),
            (
                "SELECT id FROM orders WHER id = 1",
                "SELECT id FROM orders WHERE id = 1",
            ),
            (
                "SELECT status, count(*) FROM orders GROBY status",
                "SELECT status, count(*) FROM orders GROUP BY status",
            ),
            (
                "SELECT status FROM orders groupby status ",
                "SELECT status FROM orders GROUP BY status ",
            ),
            (
                "SELECT sum(CASE WHEN paid THEN 1 ELSE 0) AS n FROM orders",
                "SELECT sum(CASE WHEN paid THEN 1 ELSE 0 END) AS n FROM orders",
            ),
            (
                "SELECT CASE WHEN paid THEN 'a' ELSE 'b' FROM orders",
                "SELECT CASE WHEN paid THEN 'a' ELSE 'b' END FROM orders",
            ),
            (
                "SELECT status, count(*) FROM orders o GROB BY status",
                "SELECT status, count(*) FROM orders o GROUP BY status",
            ),
            (
                "SELECT status, count(*) FROM orders GROUP BT status",
                "SELECT status, count(*) FROM orders GROUP BY status",
            ),
            (
                "SELECT id FROM orders ODER BY id",
                "SELECT id FROM orders ORDER BY id",
            ),
            (
                "SELECT id FROM orders LIMT 5",
                "SELECT id FROM orders LIMIT 5",
            ),
            (
                "SELECT status FROM orders GROUP BY status HAVIN count(*) > 1",
                "SELECT status FROM orders GROUP BY status HAVING count(*) > 1",
            ),
            (
                "SELECT id FROM orders WHERE id IN (SELECT order_id FROM order_items",
                "SELECT id FROM orders WHERE id IN (SELECT order_id FROM order_items)",
            ),
            (
                "SELECT (id + 1) FROM orders)",
                "SELECT (id + 1) FROM orders",
            ),
            ("SELECT (id + 1) * 2) FROM orders", "hint: never opened"),
            (
                "SELECT id FROM orders ORDER BY id WHERE id = 1",
                "hint: in this order",
            ),
            (
                "SELECT (id + 1) ) FROM orders",
                "SELECT (id + 1 ) FROM orders",
            ),
            (
                "WITH a AS (SELECT 1 AS x) b AS (SELECT 2 AS y) SELECT x, y FROM a, b",
                "WITH a AS (SELECT 1 AS x), b AS (SELECT 2 AS y) SELECT x, y FROM a, b",
            ),
            // Two typos: one of them would pass for an alias.
            ("SELECT * FORM orders WERE", ""),
            (
                "SELECT id FROM orders WHERE (id = 4 OR (id = 5)",
                "SELECT id FROM orders WHERE (id = 4) OR (id = 5)",
            ),
            (
                "SELECT count(*) order FROM orders",
                "SELECT count(*) \"order\" FROM orders",
            ),
            // Words of other databases, and not typos.
            ("SELECT id FROM orders WHERE paid XOR id = 1", "hint: <>"),
            ("SELECT id FROM orders WHERE status RLIKE '^a'", "hint: ~"),
            (
                "SELECT id FROM orders WHERE (paid OR id = 1 AND id = 2",
                "hint: never closed",
            ),
            (
                "SELECT id FROM orders WHERE id = 1 AND",
                "hint: in the middle",
            ),
            ("SELECT id FROM orders ORDER BY id DSC", ""),
            ("SELECT id FROM orders WHERE id ON (1, 2)", ""),
        ]);
    }

    #[test]
    fn sub_queries_get_an_alias_where_the_server_asks_for_it() {
        repaired(&[
            (
                "SELECT count(*) FROM ⟪(SELECT id FROM orders)",
                "SELECT count(*) FROM (SELECT id FROM orders) AS subquery",
            ),
            (
                "SELECT * FROM (SELECT id FROM (SELECT id FROM orders) WHERE id > 1), \
                 (VALUES (1)) JOIN (SELECT 2 AS b) x ON true ORDER BY 1",
                "SELECT * FROM (SELECT id FROM (SELECT id FROM orders) AS subquery WHERE id > 1) \
                 AS subquery_2, (VALUES (1)) AS subquery_3 JOIN (SELECT 2 AS b) x ON true ORDER BY 1",
            ),
            (
                "SELECT extract(year FROM (SELECT now())), subquery FROM (SELECT `id` FROM orders)",
                "SELECT extract(year FROM (SELECT now())), subquery \
                 FROM (SELECT id FROM orders) AS subquery_2",
            ),
            ("SELECT count(*) FROM (SELECT id FROM orders) x", ""),
        ]);
    }

    #[test]
    fn what_parses_by_accident_is_seen() {
        let check = |sqlstate, before, after| {
            let case = RepairCase {
                before,
                wanted: ExpectedRepair::Exact(after),
            };
            check_in(
                schools(),
                Recoverer::SyntaxError,
                sqlstate,
                OutputNameLaw::Repaired,
                &[case],
            );
        };
        check(
            "42703",
            "SELECT DISTNCT country FROM customers",
            "SELECT DISTINCT country FROM customers",
        );
        check(
            "42704",
            "SELECT name 'product', o.status 'it''s' FROM orders o, customers",
            "SELECT name \"product\", o.status \"it's\" FROM orders o, customers",
        );
        check(
            "42883",
            "SELECT id FROM orders WHERE id =< 5 AND id >== 1",
            "SELECT id FROM orders WHERE id <= 5 AND id >= 1",
        );
    }

    #[test]
    fn what_is_not_repaired_is_hinted() {
        repaired(&[
            ("SELECT TOP 5 name FROM customers", "hint: LIMIT"),
            ("SELECT 1 FROM orders QUALIFY 1 = 1 x", "hint: outer query"),
            (
                "SELECT name FROM customers WHERE name REGEXP '^a'",
                "hint: ~",
            ),
            ("SELECT 'top' x y FROM customers", ""),
            ("this is no SQL at all", ""),
        ]);
    }

    #[test]
    fn any_text_is_looked_at() {
        let look = fuzzed(schools(), Recoverer::SyntaxError, "42601");
        let pieces = prop::collection::vec(
            prop::sample::select(vec![
                "SELECT",
                " ",
                "`",
                "[",
                "]",
                "'",
                "\\",
                "\"",
                "FROM",
                ",",
                "(",
                ")",
                "orders",
                "LIMIT",
                "1",
                "INTERVAL",
                "DAY",
                "GROB",
                "BY",
                "==",
                "= >",
                "‘",
                "\u{a0}",
                "Free Meal",
                "order",
                "AS",
                "é",
                "--",
                "/*",
                "frpm",
                ";",
            ]),
            0..24,
        );
        let mut runner = TestRunner::new(ProptestConfig::with_cases(400));
        let tried = runner.run(&("\\PC{0,60}", pieces), |(text, pieces)| {
            look(&text);
            look(&pieces.concat());
            look(&pieces.join(" "));
            Ok(())
        });
        tried.unwrap();
    }
}
