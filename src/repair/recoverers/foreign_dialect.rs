//! Texts of a foreign dialect: the one that the client names, the one that the policy names, or the
//! only one that has something that the text has.

use crate::dialect;
use crate::dialect::detect::by_evidence;
use crate::dialect::detect::mixture;
use crate::dialect::source::Source;
use crate::dialect::{Translation, Untranslatable, registry};
use crate::policy::{Dialect, DialectChoice};
use crate::repair::{Answer, Repair, Rewritten, Scene};

/// Translates the text, if it is of a foreign dialect.
pub(super) fn recover(scene: &Scene<'_>) -> Answer {
    let Some((named, by)) = decide(scene) else {
        return Answer::Silent;
    };
    let Some(source) = registry::of(named) else {
        return Answer::Silent;
    };
    if by == By::Evidence && mixture::is_mixed(scene.text, source, scene.database) {
        return Answer::Silent;
    }
    match dialect::translation(
        scene.text,
        named,
        scene.database,
        scene.server_major,
        scene.settings,
    ) {
        None => Answer::Silent,
        Some(Ok(translation)) if translation.text == scene.text => Answer::Silent,
        Some(Ok(Translation { text, confidence })) => Answer::Repaired(Repair {
            confidence,
            rewritten: Rewritten::Text(text),
            change: format!("it is translated from {}", source.title()),
        }),
        Some(Err(untranslatable)) if untranslatable.mixed => Answer::Silent,
        Some(Err(untranslatable)) => Answer::hint(advice(source, &untranslatable)),
    }
}

/// What a dialect is decided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// The client or the policy names it.
    Name,
    /// The text has what only one dialect has.
    Evidence,
}

/// The dialect of a text, if it is decided.
fn decide(scene: &Scene<'_>) -> Option<(Dialect, By)> {
    match (scene.target_dialect, scene.settings.dialect) {
        (_, DialectChoice::Off) => None,
        (Some(named), _) => Some((named, By::Name)),
        (None, DialectChoice::Always(always)) => Some((always, By::Name)),
        (None, DialectChoice::Auto) => by_evidence(scene.text)
            .filter(|dialect| *dialect != Dialect::Mysql || !joins_texts(scene))
            .map(|one| (one, By::Evidence)),
    }
}

/// Whether `||` stands beside a text: it joins texts everywhere but in MySQL, so the text is
/// written for Postgres but for some calls, and these alone are mended.
fn joins_texts(scene: &Scene<'_>) -> bool {
    let beside_text = |place: usize| {
        let (before, after) = scene.tokens.split_at(place);
        let before = before.iter().rev().find(|token| !token.kind.is_blank());
        let after = after.iter().skip(1).find(|token| !token.kind.is_blank());
        let mut beside = before.into_iter().chain(after);
        beside.any(|token| scene.word(token).starts_with('\''))
    };
    let mut tokens = scene.tokens.iter().enumerate();
    tokens.any(|(place, token)| scene.word(token) == "||" && beside_text(place))
}

fn advice(source: &dyn Source, untranslatable: &Untranslatable) -> String {
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
    use crate::repair::laws::{Case, Names, Wanted, check};

    #[test]
    fn the_recoverer_keeps_the_laws() {
        let case = |before, wanted| Case { before, wanted };
        check(
            Recoverer::Dialect,
            "42883",
            Names::Survive,
            &[
                case(
                    "SELECT id FROM orders WHERE placed_on > DATE_SUB(CURDATE(), INTERVAL 7 DAY)",
                    Wanted::Exact(
                        "SELECT id FROM orders WHERE placed_on > CAST(CURRENT_DATE - INTERVAL '7 days' AS date)",
                    ),
                ),
                case(
                    "SELECT DATE_FORMAT(placed_on, '%Y-%m'), COUNT(*) FROM orders GROUP BY 1",
                    Wanted::Exact(
                        "SELECT to_char(CAST(placed_on AS timestamp), 'YYYY-MM') AS date_format, count(*) \
                         FROM orders GROUP BY 1",
                    ),
                ),
                case(
                    "SELECT id, DATE_FORMAT(placed_on, '%X') FROM orders",
                    Wanted::Hint("DATE_FORMAT()"),
                ),
                case("SELECT nothing(id) FROM orders", Wanted::Silence),
                case(
                    "SELECT \"School_Name\", CURDATE() FROM \"Schools\"",
                    Wanted::Silence,
                ),
                case(
                    "SELECT count(*) FROM \"Schools\" WHERE \"School_Name\" < curdate()",
                    Wanted::Silence,
                ),
                case(
                    "SELECT COUNTIF(\"School_Name\" = 'a') FROM \"Schools\" WHERE SAFE_DIVIDE(1, 2) > 0",
                    Wanted::Silence,
                ),
                case("SELECT CURDATE(), id::text FROM orders", Wanted::Silence),
                case(
                    "SELECT nothing(id), SAFE_DIVIDE(id, 2) FROM orders WHERE status ILIKE 'a%'",
                    Wanted::Silence,
                ),
                case(
                    "SELECT CURDATE(), nothing(id) FROM orders WHERE status ~ 'a'",
                    Wanted::Silence,
                ),
                case(
                    "SELECT CURDATE(), nothing(id), $$a$$ FROM orders",
                    Wanted::Silence,
                ),
            ],
        );
    }
}
