//! Texts that have what several dialects have: translated by each of them that may be meant. Where
//! all agree, the dialect does not matter; where they do not, the reading that is most likely meant
//! is taken, and is no more than likely.

use std::collections::{BTreeMap, BTreeSet};

use super::{is_unlike, translation, unblank_words};
use crate::{Confidence, RecovererAnswer, Repair, RepairContext, TextChange};
use dialect::calls::row::FunctionEquivalent;
use dialect::calls::table;
use dialect::detect::mixture;
use dialect::detect::shared::{CandidateDialect, SharedMarks, candidates, takers_of_operands};
use dialect::partial_reading::{self, DialectShare};
use dialect::source::SourceDialect;
use policy::{Dialect, DialectChoice};

/// What the dialects make of a text that has something of several of them.
pub(super) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let Some(database) = context.database else {
        return RecovererAnswer::Silent;
    };
    Readings::of(context, candidates(context.text, database)).answer(context)
}

/// Whether a text that fails for the types of an operator's operands means something else in a
/// dialect that takes them.
pub(crate) fn is_taken_otherwise(context: &RepairContext<'_>) -> bool {
    let is_told =
        context.target_dialect.is_none() && context.settings.dialect == DialectChoice::Auto;
    let Some(operands) = operands(&context.failure.message).filter(|_| is_told) else {
        return false;
    };
    let readings = Readings::of(context, takers_of_operands(context.text, operands));
    readings.differs_from_plain
}

/// The types that the server names: `operator does not exist: boolean = integer`, `function
/// sum(boolean) does not exist`.
fn operands(message: &str) -> Option<[&str; 2]> {
    if message.ends_with("(boolean) does not exist") {
        return Some(["boolean", "integer"]);
    }
    let (_, types) = message.split_once("operator does not exist: ")?;
    let signs = [
        " = ", " <> ", " < ", " > ", " <= ", " >= ", " + ", " - ", " * ", " / ", " ~~ ", " !~~ ",
    ];
    let (left, right) = signs.iter().find_map(|sign| types.split_once(sign))?;
    Some([left, right])
}

/// What the dialects that may be meant make of a text.
#[derive(Default)]
struct Readings {
    /// Each text that one of them makes of it.
    texts: BTreeMap<String, Reading>,
    /// Whether one of them cannot say it in Postgres's SQL.
    is_untranslatable: bool,
    /// Whether one of them means something else than the same spellings in a text that is written
    /// for Postgres.
    differs_from_plain: bool,
    /// Whether the likeliest of them cannot be meant, for what else the text has: then it is
    /// written for Postgres, with functions as that one has them.
    leaves_out_likeliest: bool,
    /// What their spellings mean in a text that is written for Postgres. Where that is several
    /// things, functions themselves differ.
    plain_texts: BTreeSet<String>,
    /// Whether that matters: they are known by functions alone, or there is another dialect, of
    /// which no more is known than that its functions mean the same.
    needs_plain: bool,
}

/// One meaning of a text.
#[derive(Default)]
struct Reading {
    /// Whether one of the dialects is not sure of it.
    is_likely: bool,
    /// The dialects that mean it so.
    dialects: Vec<(&'static dyn SourceDialect, usize)>,
    /// The weight of its being meant for Postgres but for its spellings.
    plain_weight: usize,
}

impl Reading {
    fn weight(&self) -> usize {
        self.weight_of_dialects() + self.plain_weight
    }

    fn weight_of_dialects(&self) -> usize {
        self.dialects.iter().map(|(_, weight)| weight).sum()
    }

    fn is_of(&self, dialect: Dialect) -> bool {
        self.dialects
            .iter()
            .any(|(source, _)| source.dialect() == dialect)
    }

    fn titles(&self) -> String {
        let titles = self.dialects.iter().map(|(source, _)| source.title());
        let titles: Vec<&str> = titles.collect();
        titles.join(", ")
    }
}

impl Readings {
    fn of(context: &RepairContext<'_>, candidates: Vec<CandidateDialect>) -> Self {
        let mut readings = Self::default();
        let most = |of: &[CandidateDialect]| of.iter().map(weight).max();
        let (others, meant): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|one| {
            is_unlike(context, one.source)
                || mixture::is_mixed(context.text, one.source, context.database)
        });
        let likeliest = most(&meant);
        readings.leaves_out_likeliest = most(&others) > likeliest;
        let plain_of = |candidate: &CandidateDialect| {
            partial_text(context, candidate.source.dialect(), DialectShare::Spellings)
        };
        readings
            .plain_texts
            .extend(others.iter().filter_map(plain_of));
        for candidate in meant {
            let plain = plain_of(&candidate);
            readings.plain_texts.extend(plain.clone());
            let weighs = Some(weight(&candidate)) == likeliest;
            readings.add(context, candidate, plain, weighs);
        }
        readings
    }

    /// Adds what a dialect makes of a text, and what a text for Postgres with its spellings means.
    /// The latter weighs only for those that are likeliest: it is one reading.
    fn add(
        &mut self,
        context: &RepairContext<'_>,
        candidate: CandidateDialect,
        plain: Option<String>,
        weighs: bool,
    ) {
        let made = match translation(context, candidate.source) {
            None => return,
            Some(Err(_)) if candidate.is_alike => {
                self.needs_plain = true;
                return;
            }
            Some(Err(untranslatable)) => {
                self.is_untranslatable |= !untranslatable.mixed;
                return;
            }
            Some(Ok(made)) => made,
        };
        self.needs_plain |= candidate.marks != SharedMarks::Syntax;
        let meant = match candidate.marks {
            SharedMarks::Operands => partial_text(
                context,
                candidate.source.dialect(),
                DialectShare::AllButCollation,
            ),
            SharedMarks::Functions | SharedMarks::Syntax => Some(made.text.clone()),
        };
        self.differs_from_plain |= plain.is_none() || plain != meant;
        let reading = self.texts.entry(made.text).or_default();
        reading.is_likely |= made.confidence != Confidence::Exact;
        reading
            .dialects
            .push((candidate.source, weight(&candidate)));
        if let Some(plain) = plain.filter(|_| weighs) {
            self.texts.entry(plain).or_default().plain_weight = match candidate.marks {
                SharedMarks::Operands | SharedMarks::Functions => PLAIN_WEIGHT,
                SharedMarks::Syntax => PLAIN_SYNTAX_WEIGHT,
            };
        }
    }

    /// Whether one dialect is meant more often than all others that may be.
    fn is_mostly_of(&self, dialect: Dialect) -> bool {
        let weight = |is_wanted: bool| -> usize {
            let readings = self.texts.values();
            let readings = readings.filter(|one| one.is_of(dialect) == is_wanted);
            readings.map(Reading::weight_of_dialects).sum()
        };
        weight(true) > weight(false)
    }

    fn answer(self, context: &RepairContext<'_>) -> RecovererAnswer {
        let mut meanings = (self.texts.values()).filter(|one| !one.dialects.is_empty());
        let is_one_meaning = meanings.next().is_some() && meanings.next().is_none();
        // Where functions themselves differ, the same text for Postgres has no one meaning.
        let has_other_functions = self.plain_texts.len() > 1;
        let is_for_postgres = (self.leaves_out_likeliest || calls_what_is_only_hinted(context))
            && !self.is_mostly_of(Dialect::Tsql);
        if has_other_functions && is_for_postgres {
            return RecovererAnswer::Doubted;
        }
        let agreed = !self.is_untranslatable
            && !has_other_functions
            && match self.needs_plain {
                true => !self.differs_from_plain && !self.plain_texts.is_empty(),
                false => is_one_meaning,
            };
        let mut texts = (self.texts.into_iter())
            .filter(|(_, one)| !has_other_functions || !one.dialects.is_empty());
        let best = match (agreed, self.needs_plain) {
            (true, true) => texts.find(|(_, one)| one.plain_weight > 0),
            (true, false) => texts.find(|(_, one)| !one.dialects.is_empty()),
            (false, _) => texts.max_by_key(|(_, one)| one.weight()),
        };
        let Some((text, best)) = best.filter(|(text, _)| text != context.text) else {
            return match self.is_untranslatable || has_other_functions {
                true => RecovererAnswer::Doubted,
                false => RecovererAnswer::Silent,
            };
        };
        let titles = best.titles();
        let change = match (agreed, titles.is_empty()) {
            (true, false) => format!("it is translated from {titles}"),
            (true, true) => PLAIN.to_owned(),
            (false, true) => PLAIN.to_owned(),
            (false, false) => {
                format!(
                    "it is translated from {titles}, and other dialects mean something else by it"
                )
            }
        };
        RecovererAnswer::Repaired(Repair {
            confidence: match agreed && !best.is_likely {
                true => Confidence::Exact,
                false => Confidence::Likely,
            },
            rewritten: TextChange::Text(text),
            change,
        })
    }
}

/// What is told of a text of which spellings alone are foreign.
const PLAIN: &str = "its foreign spellings are written as PostgreSQL's, and all else means what it means in PostgreSQL";

/// What a share of a dialect makes of a text.
pub(super) fn partial_text(
    context: &RepairContext<'_>,
    dialect: Dialect,
    share: DialectShare,
) -> Option<String> {
    let partial = partial_reading::of(dialect, share)?;
    let made = translation(context, partial)?;
    made.ok().map(|made| made.text)
}

/// Whether a function is called of which dialects make such different things that nothing but a
/// HINT is known to say of it.
fn calls_what_is_only_hinted(context: &RepairContext<'_>) -> bool {
    let words = unblank_words(context);
    let mut calls = words.windows(2).filter_map(|pair| match pair {
        [name, "("] => Some(name.to_ascii_lowercase()),
        _ => None,
    });
    calls.any(|name| {
        let row = table::named(&name).next();
        row.is_some_and(|row| matches!(row.makes, FunctionEquivalent::Hint(_)))
    })
}

/// How often a text of several dialects is meant for one of them, as far as they are told apart by
/// how many write them. What MySQL means outweighs one that others share of which few write each.
fn weight(candidate: &CandidateDialect) -> usize {
    match candidate.source.dialect() {
        Dialect::Mysql => 7,
        Dialect::Tsql => 5,
        // It takes brackets, and those who write them write for others.
        Dialect::Sqlite if candidate.has_brackets => 1,
        Dialect::Sqlite => 4,
        Dialect::Bigquery | Dialect::Snowflake | Dialect::Duckdb => 1,
    }
}

/// The weight of the reading that everything but a few spellings is meant for Postgres …
const PLAIN_WEIGHT: usize = 4;

/// … and of the same where syntax is foreign, too.
const PLAIN_SYNTAX_WEIGHT: usize = 2;
