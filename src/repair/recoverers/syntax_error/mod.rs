//! `syntax_error`, 42601: what the grammar does not accept, or the server for its form.
//!
//! # Sees
//! Mistakes that have one reading: names in backticks, brackets or behind backslashes, names with
//! spaces that the database has, apostrophes that are not doubled, `LIMIT 20, 10`, `INTERVAL 1
//! DAY`, aliases in single quotes, typos in keywords, commas and parentheses too many, sub-queries
//! without an alias on servers before 16; clauses in the wrong order, a second WITH, an aggregate
//! with a WHERE of its own, branches of UNION with a LIMIT, joins without a condition.
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
pub(crate) mod spaced_names;
pub(crate) mod string_alias;
pub(crate) mod subquery_alias;
pub(crate) mod token_repair;
pub(crate) mod typography;
mod uneven_rows;

use self::edited_text::EditedText;
use self::mentioned_names::MentionedNames;
use self::token_repair::TokenRepair;
use crate::recoverers::shapes::join_condition::{self, JoinRepair};
use crate::recoverers::shapes::union_branches::{self, BranchRepair};
use crate::recoverers::shapes::{aggregate_filters, clause_order, repeated_with};
use crate::{Confidence, FailureClass, RecovererAnswer, RepairContext};
use ground::limits;

/// Repairs what can be repaired of a text that the grammar or the server does not take.
pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
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
    let mut confidence = Confidence::Exact;
    for _ in 0..limits::SYNTAX_ROUNDS_MAX {
        parses = parses || edited.parse().is_some();
        if parses {
            break;
        }
        let certain = mistake(&edited, &known, CERTAIN_FINDERS);
        let shape = match certain {
            Some(_) => None,
            None => likely_shape(context, &edited),
        };
        let repair = match (certain, shape) {
            (Some(repair), _) => repair,
            (None, Some(Ok(repair))) => {
                confidence = Confidence::Likely;
                repair
            }
            (None, Some(Err(advice))) => return RecovererAnswer::hint(advice.to_owned()),
            (None, None) if edited.is_open() => break,
            (None, None) => match mistake(&edited, &known, TRYING_FINDERS) {
                Some(repair) => repair,
                None => break,
            },
        };
        if !take(&mut edited, repair) {
            break;
        }
    }
    if parses && let Some(repair) = subquery_alias::repair(&edited, &known) {
        take(&mut edited, repair);
    }
    let edits = edited.edits();
    if parses && !edits.is_empty() {
        return match confidence {
            Confidence::Exact => RecovererAnswer::exact(edits, changes.join("; ")),
            Confidence::Likely | Confidence::Guess => {
                RecovererAnswer::likely(edits, changes.join("; "))
            }
        };
    }
    advice::of(context).map_or(RecovererAnswer::Silent, RecovererAnswer::hint)
}

/// The first mistake that one of these finds.
fn mistake(
    edited: &EditedText,
    known: &MentionedNames<'_>,
    finders: &[MistakeFinder],
) -> Option<TokenRepair> {
    // While a quote is open, tokens say little: what follows may be a literal.
    let finders = match edited.is_open() {
        true => finders.get(..LITERAL_FINDERS)?,
        false => finders,
    };
    finders.iter().find_map(|finder| finder(edited, known))
}

/// A shape that is likely what was meant, or words about one that may mean several things.
fn likely_shape(
    context: &RepairContext<'_>,
    edited: &EditedText,
) -> Option<Result<TokenRepair, &'static str>> {
    if edited.is_open() {
        return None;
    }
    match union_branches::find(edited) {
        Some(BranchRepair::Enclosed(repair)) => return Some(Ok(repair)),
        Some(BranchRepair::Doubtful) => return Some(Err(BRANCHES)),
        None => {}
    }
    match join_condition::find(edited, context.database)? {
        JoinRepair::Joined(repair) => Some(Ok(repair)),
        JoinRepair::Unknown => None,
    }
}

/// Writes the signs of word processors as those of SQL, in a text that parses as it is.
pub(crate) fn straighten_typography(context: &RepairContext<'_>) -> Option<RecovererAnswer> {
    let known = MentionedNames::of(context);
    let mut edited = EditedText::new(context.text);
    let repair = typography::repair(&edited, &known)?;
    let change = repair.change.clone();
    let fits = edited.apply(repair.edits) && edited.parse().is_some();
    fits.then(|| RecovererAnswer::exact(edited.edits(), change))
}

/// Whether a letter is one that word processors put in the place of a sign of SQL.
pub(crate) fn is_typographic(letter: char) -> bool {
    typography::straight(letter).is_some()
}

/// Looks for one kind of mistake.
type MistakeFinder = fn(&EditedText, &MentionedNames<'_>) -> Option<TokenRepair>;

/// The kinds that are certain, in order: what decides where literals end comes first.
const CERTAIN_FINDERS: &[MistakeFinder] = &[
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
    repeated_with::repair,
    aggregate_filters::repair,
    clause_order::repair,
];

/// So many of them decide where literals end.
const LITERAL_FINDERS: usize = 3;

/// The kinds that have to be tried: they are repaired only where exactly one reading parses.
const TRYING_FINDERS: &[MistakeFinder] = &[
    spaced_names::repair,
    reserved_words::repair,
    keywords::repair,
    parentheses::repair,
];

const BRANCHES: &str = "A branch of UNION with an ORDER BY or LIMIT of its own stands in \
     parentheses: (SELECT … LIMIT n) UNION …. What follows the last branch is for the whole result.";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use crate::laws::{
        ExpectedRepair, OutputNameLaw, RepairCase, check_file, check_in, fuzzed, world,
    };
    use catalog::fixture::CatalogFixture;
    use policy::Recoverer;

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
    fn cases_come_to_what_they_should() {
        check_file(
            schools(),
            Recoverer::SyntaxError,
            "42601",
            OutputNameLaw::Repaired,
            include_str!("../../../../tests/data/corpus/recoverers/syntax_error.txt"),
        );
    }

    #[test]
    fn shapes_come_to_what_they_should() {
        for file in [
            include_str!("../../../../tests/data/corpus/recoverers/shapes.txt"),
            include_str!("../../../../tests/data/corpus/recoverers/held_out_shapes.txt"),
        ] {
            let names = OutputNameLaw::Repaired;
            check_file(world(), Recoverer::SyntaxError, "42601", names, file);
        }
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
