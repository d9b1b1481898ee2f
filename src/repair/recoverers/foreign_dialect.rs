//! Texts of a foreign dialect: the one that the client names, the one that the policy names, or the
//! only one that has something that the text has.

use crate::{RecovererAnswer, Repair, RepairContext, TextChange};
use dialect::detect::by_evidence;
use dialect::detect::mixture;
use dialect::source::SourceDialect;
use dialect::{DialectTranslation, Untranslatable, registry};
use policy::{Dialect, DialectChoice};

/// Translates the text, if it is of a foreign dialect.
pub(super) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let Some((named, by)) = detect(context) else {
        return RecovererAnswer::Silent;
    };
    let Some(source) = registry::of(named) else {
        return RecovererAnswer::Silent;
    };
    if by == DecidedBy::Evidence && mixture::is_mixed(context.text, source, context.database) {
        return RecovererAnswer::Silent;
    }
    match dialect::translation(
        context.text,
        named,
        context.database,
        context.server_major,
        context.settings,
    ) {
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

/// What a dialect is decided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DecidedBy {
    /// The client or the policy names it.
    Name,
    /// The text has what only one dialect has.
    Evidence,
}

/// The dialect of a text, if it is decided.
fn detect(context: &RepairContext<'_>) -> Option<(Dialect, DecidedBy)> {
    match (context.target_dialect, context.settings.dialect) {
        (_, DialectChoice::Off) => None,
        (Some(named), _) => Some((named, DecidedBy::Name)),
        (None, DialectChoice::Always(always)) => Some((always, DecidedBy::Name)),
        (None, DialectChoice::Auto) => by_evidence(context.text)
            .filter(|dialect| *dialect != Dialect::Mysql || !is_unlike_mysql(context))
            .map(|one| (one, DecidedBy::Evidence)),
    }
}

/// Whether a text that looks like MySQL's has what means something else there than was meant.
fn is_unlike_mysql(context: &RepairContext<'_>) -> bool {
    joins_texts(context) || has_pattern_of_letters(context)
}

/// Whether a date is written or read by a pattern without `%`, as `'yyyy-MM-dd'`: Spark's and
/// Hive's functions of these names take those of Java. MySQL would answer the pattern itself.
fn has_pattern_of_letters(context: &RepairContext<'_>) -> bool {
    let tokens = context.tokens.iter().filter(|token| !token.kind.is_blank());
    let words: Vec<&str> = tokens.map(|token| context.word(token)).collect();
    let calls = words.windows(2).enumerate().filter(|(_, pair)| {
        let [name, open] = pair else { return false };
        let takes_pattern = |one: &&str| name.eq_ignore_ascii_case(one);
        *open == "(" && TAKE_PATTERNS.iter().any(takes_pattern)
    });
    calls.into_iter().any(|(at, _)| {
        let arguments = words.get(at + 2..).unwrap_or_default();
        last_argument(arguments)
            .is_some_and(|last| last.starts_with(['\'', '"']) && !last.contains('%'))
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
