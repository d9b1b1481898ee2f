//! Texts of a foreign dialect: the one that the client names, the one that the policy names, or the
//! only one that has something that the text has.

use crate::dialect;
use crate::dialect::detect::by_evidence;
use crate::dialect::detect::mixture;
use crate::dialect::source::SourceDialect;
use crate::dialect::{DialectTranslation, Untranslatable, registry};
use crate::policy::{Dialect, DialectChoice};
use crate::repair::{RecovererAnswer, Repair, RepairContext, TextChange};

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
            .filter(|dialect| *dialect != Dialect::Mysql || !joins_texts(context))
            .map(|one| (one, DecidedBy::Evidence)),
    }
}

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
    use crate::policy::Recoverer;
    use crate::repair::laws::{OutputNameLaw, check_file, world};

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
