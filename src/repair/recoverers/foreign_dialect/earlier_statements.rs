//! Texts that may mean several things, of a session whose earlier statements were of one dialect:
//! they are read as that dialect's, and are no more than likely.

use super::{differs, has_marks, is_unlike, of_one};
use crate::{Confidence, FailureClass, RecovererAnswer, Repair, RepairContext};
use dialect::detect::mixture;
use dialect::registry;
use dialect::source::{DoubleQuoted, SourceDialect};

/// What the dialect of earlier statements makes of a text. What all dialects agree on stays as it
/// is.
pub(super) fn recover(context: &RepairContext<'_>, shared: RecovererAnswer) -> RecovererAnswer {
    let is_certain = matches!(&shared, RecovererAnswer::Repaired(repair)
        if repair.confidence == Confidence::Exact);
    let earlier = context.earlier_dialect.and_then(registry::of);
    let may_be_of = |source: &&'static dyn SourceDialect| {
        !is_certain
            && !is_unlike(context, *source)
            && !mixture::is_mixed(context.text, *source, context.database)
    };
    let Some(source) = earlier.filter(may_be_of) else {
        return shared;
    };
    let has_marks = has_marks(context, source);
    if !has_marks && !names_quoted_text(context, source) {
        return shared;
    }
    match of_one(context, source) {
        RecovererAnswer::Repaired(repair) if has_marks || differs(context, source, &repair) => {
            RecovererAnswer::Repaired(Repair {
                confidence: Confidence::Likely,
                change: format!("{} as earlier statements were", repair.change),
                ..repair
            })
        }
        RecovererAnswer::Hinted(hint) if has_marks => RecovererAnswer::Hinted(hint),
        RecovererAnswer::Repaired(_)
        | RecovererAnswer::Hinted(_)
        | RecovererAnswer::Silent
        | RecovererAnswer::Doubted => shared,
    }
}

/// Whether what fails is a word in double quotes, which are those of a text in the dialect.
fn names_quoted_text(context: &RepairContext<'_>, source: &dyn SourceDialect) -> bool {
    let failing = context.failure.position.and_then(|at| context.token_at(at));
    let word = failing.and_then(|place| context.tokens.get(place));
    context.failure.class == FailureClass::UndefinedColumn
        && source.semantics().double_quoted != DoubleQuoted::Name
        && word.is_some_and(|word| context.word(word).starts_with('"'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{ToldDialects, ask_told, world};
    use dialect::session_database::fixture::session;
    use gate::{Gate, ParameterTypes};
    use policy::{Dialect, Policy, Recoverer};
    use std::sync::Arc;

    fn check(file: &str) {
        let policy = Policy::agent();
        let names = session(world(), &policy);
        let gate = Gate::without_fingerprints(Arc::new(policy));
        let open = ParameterTypes::none_given();
        let database = crate::SessionDatabase::of(&names, &open).unwrap();
        for line in file.lines().filter(|line| !line.is_empty()) {
            let parts: Vec<&str> = line.splitn(3, ' ').collect();
            let (Some(earlier), [_, mark, marked]) = (Dialect::named(parts[0]), &parts[..]) else {
                assert!(line.starts_with('#'), "{line}");
                continue;
            };
            let (position, text) = (marked.find('⟪'), marked.replace('⟪', ""));
            let sqlstate = position.map_or("42601", |_| "42703");
            let answer = |earlier| {
                let recoverer = Recoverer::Dialect;
                let told = ToldDialects {
                    earlier,
                    ..ToldDialects::default()
                };
                let answer = ask_told(told, recoverer, &text, sqlstate, position, (&names, &gate));
                match answer {
                    RecovererAnswer::Repaired(repair) => {
                        Some((repair.confidence, repair.rewritten.text(&text).unwrap()))
                    }
                    RecovererAnswer::Hinted(_)
                    | RecovererAnswer::Silent
                    | RecovererAnswer::Doubted => None,
                }
            };
            let wanted = match *mark {
                "S" => answer(None),
                _ => {
                    let made = dialect::translate(&text, earlier, Some(&database), 15);
                    Some((
                        Confidence::Likely,
                        made.unwrap().unwrap_or_else(|_| panic!("{line}")),
                    ))
                }
            };
            assert_eq!(answer(Some(earlier)), wanted, "{line}");
            let alone = answer(None);
            let is_exact = alone.is_some_and(|(confidence, _)| confidence == Confidence::Exact);
            assert!(*mark == "S" || !is_exact, "{line}: it has one reading");
        }
    }

    #[test]
    fn cases_come_to_what_they_should() {
        check(include_str!(
            "../../../../tests/data/corpus/recoverers/earlier_statements.txt"
        ));
        check(include_str!(
            "../../../../tests/data/corpus/recoverers/held_out_earlier_statements.txt"
        ));
    }
}
