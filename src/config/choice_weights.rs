//! `choose`: what each thing counts where `pgsieve choose` puts candidates in order. Read by that
//! command; a running pgsieve gives what they were at its start to agents that choose.

use super::settings_key::{KeyForm, SettingsKey};
use crate::choose::score::ChoiceWeights;
use crate::config::value_reader::KeyReader;
use crate::limits::choice::WEIGHT_MAX;

/// A key of `choose`: all have one form.
const fn weight(path: &'static str, default: &'static str, doc: &'static str) -> SettingsKey {
    SettingsKey {
        path,
        form: KeyForm::Word,
        default,
        doc,
    }
}

/// For each lint error.
pub const LINT_ERROR: SettingsKey = weight(
    "choose.lint_error",
    "25",
    "What pgsieve choose takes from a candidate for each lint error, in points of 100: 0 to 1000.",
);

/// For each lint warning.
pub const LINT_WARNING: SettingsKey = weight(
    "choose.lint_warning",
    "5",
    "What it takes for each lint warning, 0 to 1000.",
);

/// For what does not compile.
pub const NOT_COMPILED: SettingsKey = weight(
    "choose.not_compiled",
    "50",
    "What it takes from a candidate that does not compile, 0 to 1000.",
);

/// For groups.
pub const GROUPING: SettingsKey = weight(
    "choose.grouping",
    "10",
    "What it gives where grouping fits the words of the question, 0 to 1000.",
);

/// For an order and a limit.
pub const ORDER_AND_LIMIT: SettingsKey = weight(
    "choose.order_and_limit",
    "10",
    "What it gives where order and limit fit the words of the question, 0 to 1000.",
);

/// For DISTINCT.
pub const DISTINCT: SettingsKey = weight(
    "choose.distinct",
    "5",
    "What it gives where DISTINCT fits the words of the question, 0 to 1000.",
);

/// For an exact repair.
pub const REPAIRED_EXACT: SettingsKey = weight(
    "choose.repaired_exact",
    "5",
    "What it takes from a candidate that was repaired for certain, 0 to 1000.",
);

/// For a likely one.
pub const REPAIRED_LIKELY: SettingsKey = weight(
    "choose.repaired_likely",
    "15",
    "What it takes from a candidate whose repair is only likely, 0 to 1000.",
);

/// For equal results.
pub const AGREEMENT: SettingsKey = weight(
    "choose.agreement",
    "10",
    "With --agree, what it gives for each other candidate with an equal result, 0 to 1000.",
);

/// The weights.
pub fn weights(reader: &mut KeyReader) -> Option<ChoiceWeights> {
    let usual = ChoiceWeights::default();
    let mut read = |key: &SettingsKey, absent| reader.number(key.path, 0..=WEIGHT_MAX, absent);
    let lint_error = read(&LINT_ERROR, usual.lint_error);
    let lint_warning = read(&LINT_WARNING, usual.lint_warning);
    let not_compiled = read(&NOT_COMPILED, usual.not_compiled);
    let grouping = read(&GROUPING, usual.grouping);
    let order_and_limit = read(&ORDER_AND_LIMIT, usual.order_and_limit);
    let distinct = read(&DISTINCT, usual.distinct);
    let repaired_exact = read(&REPAIRED_EXACT, usual.repaired_exact);
    let repaired_likely = read(&REPAIRED_LIKELY, usual.repaired_likely);
    let agreement = read(&AGREEMENT, usual.agreement);
    Some(ChoiceWeights {
        lint_error: lint_error?,
        lint_warning: lint_warning?,
        not_compiled: not_compiled?,
        grouping: grouping?,
        order_and_limit: order_and_limit?,
        distinct: distinct?,
        repaired_exact: repaired_exact?,
        repaired_likely: repaired_likely?,
        agreement: agreement?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_that_are_told_are_those_that_hold() {
        let usual = ChoiceWeights::default();
        for (key, value) in [
            (LINT_ERROR, usual.lint_error),
            (LINT_WARNING, usual.lint_warning),
            (NOT_COMPILED, usual.not_compiled),
            (GROUPING, usual.grouping),
            (ORDER_AND_LIMIT, usual.order_and_limit),
            (DISTINCT, usual.distinct),
            (REPAIRED_EXACT, usual.repaired_exact),
            (REPAIRED_LIKELY, usual.repaired_likely),
            (AGREEMENT, usual.agreement),
        ] {
            assert_eq!(key.default, value.to_string(), "{}", key.path);
        }
    }
}
