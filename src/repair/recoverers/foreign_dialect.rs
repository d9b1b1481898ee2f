//! Texts of a foreign dialect: the one that the client names, the one that the policy names, the
//! only one that has something that the text has, several that agree ([`shared_readings`]), or the
//! one that earlier statements were of ([`earlier_statements`]).
//!
//! [`any_row`]: dialects that take any row of a group.

mod any_row;
mod earlier_statements;
pub(crate) mod shared_readings;

pub(super) use self::any_row::takers_of_any_row;

use crate::context::tokens_of;
use crate::names::letter_case::unquoted;
use crate::{Confidence, FailureClass, RecovererAnswer, Repair, RepairContext, TextChange};
use dialect::detect::mixture;
use dialect::detect::shared::{CandidateDialect, candidates};
use dialect::detect::unclaimed::{self, UnclaimedSystem};
use dialect::detect::{by_evidence, by_missing_schema};
use dialect::partial_reading::DialectShare;
use dialect::source::{DoubleQuoted, SourceDialect};
use dialect::{DialectTranslation, Untranslatable, registry};
use policy::{Dialect, DialectChoice};
use sql::lexer::TokenKind;

/// Translates the text, if it is of a foreign dialect.
pub(super) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    if context.settings.dialect == DialectChoice::Off {
        return RecovererAnswer::Silent;
    }
    let named = named_source(context);
    let takes_any_row = named.is_some_and(|source| any_row::is_taken(source.dialect()));
    if context.failure.class == FailureClass::GroupingError && !takes_any_row {
        // Postgres has read all of it, so that nothing in it is foreign.
        return RecovererAnswer::Silent;
    }
    if let Some(source) = named {
        let has_marks = has_marks(context, source);
        return match of_one(context, source) {
            // Nothing says that it is not Postgres's, and other repairs may know it.
            RecovererAnswer::Hinted(_) if !has_marks => RecovererAnswer::Doubted,
            RecovererAnswer::Repaired(repair)
                if !has_marks && names_nothing(context) && !differs(context, source, &repair) =>
            {
                RecovererAnswer::Doubted
            }
            answer => answer,
        };
    }
    if let Some(system) = unclaimed_system(context) {
        return RecovererAnswer::hint(unclaimed_advice(&system));
    }
    let Some(source) = evident_source(context) else {
        if let Some(answer) = of_missing_schema(context) {
            return answer;
        }
        return match has_pattern_of_letters(context) {
            // Spark's or Hive's, whose single calls are known.
            true => RecovererAnswer::Doubted,
            false => earlier_statements::recover(context, shared_readings::recover(context)),
        };
    };
    if mixture::is_mixed(context.text, source, context.database) {
        return RecovererAnswer::Silent;
    }
    of_one(context, source)
}

/// The dialect that the client or the policy has named. What is Postgres's own in a text, or other
/// dialects', says more than the name.
pub(crate) fn named_source(context: &RepairContext<'_>) -> Option<&'static dyn SourceDialect> {
    let source = named(context).and_then(registry::of)?;
    let is_other = mixture::is_mixed(context.text, source, context.database)
        || is_of_others(context, source.dialect());
    (!is_other).then_some(source)
}

/// Whether a text has what other dialects have, and not this one.
fn is_of_others(context: &RepairContext<'_>, dialect: Dialect) -> bool {
    match (by_evidence(context.text), context.database) {
        (Some(evident), _) => evident != dialect,
        (None, Some(database)) => {
            let others = candidates(context.text, database);
            !others.is_empty() && others.iter().all(|one| one.source.dialect() != dialect)
        }
        (None, None) => false,
    }
}

/// Whether a text fails for a name alone.
fn names_nothing(context: &RepairContext<'_>) -> bool {
    let class = context.failure.class;
    matches!(
        class,
        FailureClass::UndefinedTable | FailureClass::UndefinedColumn
    )
}

/// Whether a dialect means something else than Postgres does by what is not foreign in a text.
fn differs(context: &RepairContext<'_>, source: &dyn SourceDialect, repair: &Repair) -> bool {
    let plain = shared_readings::partial_text(context, source.dialect(), DialectShare::Spellings);
    match &repair.rewritten {
        TextChange::Text(text) => plain.as_ref() != Some(text),
        TextChange::Edits(_) => true,
    }
}

/// The dialect that alone has what a text has, where nobody has named one and nothing in the text
/// is Postgres's own.
pub(crate) fn evident_dialect(context: &RepairContext<'_>) -> Option<Dialect> {
    let is_told =
        context.target_dialect.is_some() || context.settings.dialect != DialectChoice::Auto;
    let source = evident_source(context).filter(|_| !is_told)?;
    (!mixture::is_mixed(context.text, source, context.database)).then(|| source.dialect())
}

/// The only dialect that has something that a text has.
fn evident_source(context: &RepairContext<'_>) -> Option<&'static dyn SourceDialect> {
    let evident = by_evidence(context.text).and_then(registry::of);
    evident.filter(|source| !is_unlike(context, *source))
}

/// Whether a dialect means something else than Postgres by a text that the server runs, or cannot
/// say it.
pub(crate) fn means_other(context: &RepairContext<'_>, source: &'static dyn SourceDialect) -> bool {
    let text = match source.semantics().double_quoted {
        DoubleQuoted::Text => with_backticks(context.text),
        DoubleQuoted::Name | DoubleQuoted::NameOrText => context.text.to_owned(),
    };
    let context = RepairContext {
        text: &text,
        ..*context
    };
    let plain = shared_readings::partial_text(&context, source.dialect(), DialectShare::Spellings);
    match (translation(&context, source), plain) {
        (Some(Ok(own)), Some(plain)) => own.text != plain,
        (_, _) => true,
    }
}

/// A text of Postgres's, its names in backticks in the place of double quotes.
fn with_backticks(text: &str) -> String {
    let tokens = tokens_of(text).into_iter();
    let words = tokens.map(|token| {
        let word = text.get(token.span).unwrap_or_default();
        let name = unquoted(word).filter(|name| !name.contains('`'));
        match (token.kind, name) {
            (TokenKind::QuotedName, Some(name)) => format!("`{name}`"),
            (_, _) => word.to_owned(),
        }
    });
    words.collect()
}

/// Translates a text that names the usual schema of a dialect, where the database has no such one.
/// It may have been written for Postgres but for that.
fn of_missing_schema(context: &RepairContext<'_>) -> Option<RecovererAnswer> {
    let source = registry::of(by_missing_schema(context.text, context.database?)?)?;
    if mixture::is_mixed(context.text, source, context.database) {
        return None;
    }
    match of_one(context, source) {
        // Its texts would be grouped as Postgres tells them apart.
        RecovererAnswer::Silent if groups_by_sets(context) => {
            let what = Untranslatable::construct("GROUPING SETS");
            Some(RecovererAnswer::hint(advice(source, &what)))
        }
        RecovererAnswer::Silent => None,
        RecovererAnswer::Repaired(repair) => {
            let confidence = match has_marks(context, source) {
                true => repair.confidence,
                false => repair.confidence.max(Confidence::Likely),
            };
            Some(RecovererAnswer::Repaired(Repair {
                confidence,
                ..repair
            }))
        }
        answer => Some(answer),
    }
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
        || adds_blanks(context)
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
    let words = unblank_words(context);
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
    match words.get(..closing_place(words)?)? {
        [.., ",", last] => Some(last),
        _ => None,
    }
}

/// The place of the parenthesis that ends a list, in the words behind the one that begins it.
fn closing_place(words: &[&str]) -> Option<usize> {
    let mut depth = 0_usize;
    words.iter().position(|word| {
        match *word {
            "(" => depth += 1,
            ")" if depth == 0 => return true,
            ")" => depth -= 1,
            _ => {}
        }
        false
    })
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

/// Whether blanks are added to something: MySQL would add the number 0.
fn adds_blanks(context: &RepairContext<'_>) -> bool {
    let words = unblank_words(context);
    let mut calls = words
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| matches!(pair, [name, "("] if name.eq_ignore_ascii_case("space")));
    calls.any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let arguments = words.get(at + 2..).unwrap_or_default();
        let behind = closing_place(arguments).and_then(|end| arguments.get(end + 1));
        before == Some(&"+") || behind == Some(&"+")
    })
}

/// Whether rows are grouped by sets of keys that are written out.
fn groups_by_sets(context: &RepairContext<'_>) -> bool {
    let words = unblank_words(context);
    let mut rows = words.windows(3);
    rows.any(|row| match row {
        [first, second, "("] => {
            first.eq_ignore_ascii_case("grouping") && second.eq_ignore_ascii_case("sets")
        }
        _ => false,
    })
}

fn unblank_words<'c>(context: &RepairContext<'c>) -> Vec<&'c str> {
    let tokens = context.tokens.iter().filter(|token| !token.kind.is_blank());
    tokens.map(|token| context.word(token)).collect()
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
