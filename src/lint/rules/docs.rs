//! What each lint says of itself: the head of its file.

use super::{LintRule, source};

/// What a lint sees, why, an example before and after it, and when it does not apply; a heading and
/// a paragraph in turn.
pub fn lines(rule: LintRule) -> Vec<&'static str> {
    let plain = |line: &'static str| {
        let line = line.strip_prefix(' ').unwrap_or(line);
        line.strip_prefix("# ").unwrap_or(line)
    };
    head(rule).map(plain).collect()
}

/// An example that the lint finds something in.
pub fn before(rule: LintRule) -> &'static str {
    examples(rule, "Before").next().unwrap_or_default()
}

/// The same as it may have been meant.
pub fn after(rule: LintRule) -> &'static str {
    examples(rule, "After").next().unwrap_or_default()
}

/// The examples of a section.
pub(crate) fn examples(rule: LintRule, section: &str) -> impl Iterator<Item = &'static str> {
    let heading = format!(" # {section}");
    let own = head(rule).skip_while(move |line| *line != heading).skip(1);
    let own = own.take_while(|line| !line.starts_with(" # "));
    own.filter_map(|line| line.strip_prefix(" - `")?.strip_suffix('`'))
}

fn head(rule: LintRule) -> impl Iterator<Item = &'static str> {
    source(rule)
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::found;

    #[test]
    fn every_lint_explains_itself_and_its_examples_hold() {
        for rule in LintRule::ALL.iter().copied() {
            let (name, first) = (rule.name(), lines(rule)[0]);
            assert!(first.starts_with(&format!("`{name}`: ")), "{first}");
            let headings = head(rule).filter_map(|line| line.strip_prefix(" # "));
            let headings: Vec<&str> = headings.collect();
            assert_eq!(
                headings,
                ["Sees", "Why", "Before", "After", "When not"],
                "{name}"
            );
            assert!(
                !before(rule).is_empty() && !after(rule).is_empty(),
                "{name}"
            );
            for example in examples(rule, "Before") {
                assert!(found(rule, example).is_some(), "{name}: {example}");
            }
            for example in examples(rule, "After") {
                assert!(found(rule, example).is_none(), "{name}: {example}");
            }
        }
    }
}
