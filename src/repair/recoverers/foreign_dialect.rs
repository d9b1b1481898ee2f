//! Texts of a foreign dialect: the one that the client names, the one that the policy names, the
//! only one that has something that the text has, or several that agree ([`shared_readings`]).

pub(crate) mod shared_readings;

use crate::{FailureClass, RecovererAnswer, Repair, RepairContext, TextChange};
use dialect::detect::by_evidence;
use dialect::detect::mixture;
use dialect::detect::shared::{CandidateDialect, SharedMarks, candidates};
use dialect::detect::unclaimed::{self, UnclaimedSystem};
use dialect::source::SourceDialect;
use dialect::{DialectTranslation, Untranslatable, registry};
use policy::{Dialect, DialectChoice};

/// Translates the text, if it is of a foreign dialect.
pub(super) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    if context.settings.dialect == DialectChoice::Off {
        return RecovererAnswer::Silent;
    }
    let named = named(context);
    if context.failure.class == FailureClass::GroupingError && !named.is_some_and(takes_any_row) {
        // Postgres has read all of it, so that nothing in it is foreign.
        return RecovererAnswer::Silent;
    }
    if let Some(source) = named.and_then(registry::of) {
        let has_marks = has_marks(context, source);
        return match of_one(context, source) {
            // Nothing says that it is not Postgres's, and other repairs may know it.
            RecovererAnswer::Hinted(_) if !has_marks => RecovererAnswer::Doubted,
            answer => answer,
        };
    }
    if let Some(system) = unclaimed_system(context) {
        return RecovererAnswer::hint(unclaimed_advice(&system));
    }
    let evident = by_evidence(context.text).and_then(registry::of);
    let Some(source) = evident.filter(|source| !is_unlike(context, *source)) else {
        return match has_pattern_of_letters(context) {
            // Spark's or Hive's, whose single calls are known.
            true => RecovererAnswer::Doubted,
            false => shared_readings::recover(context),
        };
    };
    if mixture::is_mixed(context.text, source, context.database) {
        return RecovererAnswer::Silent;
    }
    of_one(context, source)
}

/// The dialect that the client or the policy names.
fn named(context: &RepairContext<'_>) -> Option<Dialect> {
    match (context.target_dialect, context.settings.dialect) {
        (_, DialectChoice::Off) => None,
        (Some(named), _) => Some(named),
        (None, DialectChoice::Always(always)) => Some(always),
        (None, DialectChoice::Auto) => None,
    }
}

/// Whether a dialect takes columns of any row of a group, where they are not grouped.
fn takes_any_row(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Mysql | Dialect::Sqlite)
}

/// The dialects that take columns of any row of a group, of those that a text may be of. Functions
/// that others have too say too little of it: they are slips in a text for Postgres.
pub(super) fn takers_of_any_row(context: &RepairContext<'_>) -> Vec<Dialect> {
    if let Some(named) = named(context) {
        return Vec::from_iter(Some(named).filter(|one| takes_any_row(*one)));
    }
    let (Some(text), Some(database)) = (context.foreign_text, context.database) else {
        return Vec::new();
    };
    if let Some(evident) = by_evidence(text) {
        return Vec::from_iter(Some(evident).filter(|one| takes_any_row(*one)));
    }
    let mut candidates = candidates(text, database);
    let is_told = candidates
        .iter()
        .all(|one| one.marks == SharedMarks::Syntax || takes_any_row(one.source.dialect()));
    candidates.retain(|one| is_told && takes_any_row(one.source.dialect()));
    candidates.iter().map(|one| one.source.dialect()).collect()
}

/// Translates a text that is of this dialect.
fn of_one(context: &RepairContext<'_>, source: &'static dyn SourceDialect) -> RecovererAnswer {
    match translation(context, source) {
        None => RecovererAnswer::Silent,
        Some(Ok(translation)) if translation.text == context.text => RecovererAnswer::Silent,
        Some(Ok(DialectTranslation { text, confidence })) => RecovererAnswer::Repaired(Repair {
            confidence,
            rewritten: TextChange::Text(text),
            change: format!("it is translated from {}", source.title()),
        }),
        Some(Err(untranslatable)) if untranslatable.mixed => RecovererAnswer::Silent,
        Some(Err(untranslatable)) => RecovererAnswer::hint(advice(source, &untranslatable)),
    }
}

/// Whether a text has anything of a dialect.
fn has_marks(context: &RepairContext<'_>, source: &dyn SourceDialect) -> bool {
    let is_of_it = |one: &CandidateDialect| one.source.dialect() == source.dialect();
    let shared = context
        .database
        .is_some_and(|database| candidates(context.text, database).iter().any(is_of_it));
    shared || by_evidence(context.text) == Some(source.dialect())
}

fn translation(
    context: &RepairContext<'_>,
    source: &'static dyn SourceDialect,
) -> Option<Result<DialectTranslation, Untranslatable>> {
    dialect::translation_from(
        context.text,
        source,
        context.database,
        context.server_major,
        context.settings,
    )
}

/// The system whose dialect is not translated that a text is of, where nothing in it is Postgres's
/// own.
fn unclaimed_system(context: &RepairContext<'_>) -> Option<UnclaimedSystem> {
    let mysql = registry::of(Dialect::Mysql)?;
    let system = unclaimed::system(context.text, context.database);
    system.filter(|_| !mixture::is_mixed(context.text, mysql, context.database))
}

fn unclaimed_advice(system: &UnclaimedSystem) -> String {
    let UnclaimedSystem {
        title,
        mark,
        instead,
    } = system;
    let write = match *instead {
        "" => "write it in PostgreSQL's SQL".to_owned(),
        instead => format!("PostgreSQL has {instead}"),
    };
    match mark.as_str() {
        "it" => format!("This reads as SQL of {title}, which is not translated: {write}."),
        mark => format!("{mark} reads as SQL of {title}, which is not translated: {write}."),
    }
}

/// Whether a text cannot be of a dialect whose evidence it has.
fn is_unlike(context: &RepairContext<'_>, source: &dyn SourceDialect) -> bool {
    source.dialect() == Dialect::Mysql && is_unlike_mysql(context)
}

/// Whether a text that looks like MySQL's has what means something else there than was meant.
fn is_unlike_mysql(context: &RepairContext<'_>) -> bool {
    joins_texts(context)
        || has_pattern_of_letters(context)
        || has_literal_at_end(context, &["group_concat"], |_| true)
}

/// Whether a date is written or read by a pattern without `%`, as `'yyyy-MM-dd'`: Spark's and
/// Hive's functions of these names take those of Java. MySQL would answer the pattern itself.
fn has_pattern_of_letters(context: &RepairContext<'_>) -> bool {
    has_literal_at_end(context, TAKE_PATTERNS, |pattern| !pattern.contains('%'))
}

/// Whether a literal is the last of several arguments of one of these functions. As that of
/// GROUP_CONCAT it separates, but in MySQL, which would write it behind each value.
fn has_literal_at_end(
    context: &RepairContext<'_>,
    functions: &[&str],
    is_meant: fn(&str) -> bool,
) -> bool {
    let tokens = context.tokens.iter().filter(|token| !token.kind.is_blank());
    let words: Vec<&str> = tokens.map(|token| context.word(token)).collect();
    let calls = words.windows(2).enumerate().filter(|(_, pair)| {
        let [name, open] = pair else { return false };
        let is_called = |one: &&str| name.eq_ignore_ascii_case(one);
        *open == "(" && functions.iter().any(is_called)
    });
    calls.into_iter().any(|(at, _)| {
        let arguments = words.get(at + 2..).unwrap_or_default();
        last_argument(arguments).is_some_and(|last| last.starts_with(['\'', '"']) && is_meant(last))
    })
}

/// The last of several arguments, where it is one word.
fn last_argument<'w>(words: &[&'w str]) -> Option<&'w str> {
    let mut depth = 0_usize;
    let end = words.iter().position(|word| {
        match *word {
            "(" => depth += 1,
            ")" if depth == 0 => return true,
            ")" => depth -= 1,
            _ => {}
        }
        false
    })?;
    match words.get(..end)? {
        [.., ",", last] => Some(last),
        _ => None,
    }
}

/// Functions of MySQL whose last argument is a pattern.
const TAKE_PATTERNS: &[&str] = &[
    "date_format",
    "time_format",
    "from_unixtime",
    "str_to_date",
    "unix_timestamp",
];

/// Whether `||` stands beside a text: it joins texts everywhere but in MySQL, so the text is
/// written for Postgres but for some calls, and these alone are repaired.
fn joins_texts(context: &RepairContext<'_>) -> bool {
    let beside_text = |place: usize| {
        let (before, after) = context.tokens.split_at(place);
        let before = before.iter().rev().find(|token| !token.kind.is_blank());
        let after = after.iter().skip(1).find(|token| !token.kind.is_blank());
        let mut beside = before.into_iter().chain(after);
        beside.any(|token| context.word(token).starts_with('\''))
    };
    let mut tokens = context.tokens.iter().enumerate();
    tokens.any(|(place, token)| context.word(token) == "||" && beside_text(place))
}

fn advice(source: &dyn SourceDialect, untranslatable: &Untranslatable) -> String {
    let what = &untranslatable.what;
    let title = source.title();
    match &untranslatable.hint {
        Some(hint) => {
            format!("This reads as {title}, but {what} has no exact translation: {hint}.")
        }
        None => format!(
            "This reads as {title}, but {what} has no exact translation: write it in Postgres's SQL."
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::laws::{OutputNameLaw, check_file, world};
    use policy::Recoverer;

    #[test]
    fn cases_come_to_what_they_should() {
        check_file(
            world(),
            Recoverer::Dialect,
            "42883",
            OutputNameLaw::Kept,
            include_str!("../../../tests/data/corpus/recoverers/foreign_dialect.txt"),
        );
    }
}
