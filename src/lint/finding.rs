//! What a lint says of a statement.

use super::LintRule;

ground::words! {
    /// How sure it is that a statement does not mean what it says.
    LintLevel {
        /// The result is nearly surely not what was meant.
        Error => "error",
        /// It may be meant, and is often a mistake.
        Warning => "warning",
    }
}

/// What a lint says.
#[derive(Clone, PartialEq, Eq)]
pub struct LintFinding {
    /// Which lint.
    pub rule: LintRule,
    /// How sure it is.
    pub level: LintLevel,
    /// Where, in bytes from the beginning of the text, if the tree says.
    pub at: Option<usize>,
    /// Why, in one sentence that names the thing and quotes no literal.
    pub message: String,
}

impl LintFinding {
    /// Where it is in its text: the line and the character in it, both counted from one.
    pub fn place_in(&self, text: &str) -> Option<(usize, usize)> {
        let before = text.get(..self.at?)?;
        let line = before.matches('\n').count().saturating_add(1);
        let last = before.rsplit('\n').next().unwrap_or_default();
        Some((line, last.chars().count().saturating_add(1)))
    }
}

impl std::fmt::Debug for LintFinding {
    /// Without the sentence: the author of a text may have chosen its names.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (level, rule) = (self.level.name(), self.rule.name());
        write!(formatter, "{level} {rule} at {:?}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_characters() {
        let check = |at: usize, place: (usize, usize)| {
            let finding = LintFinding {
                rule: LintRule::EqualsNull,
                level: LintLevel::Error,
                at: Some(at),
                message: String::new(),
            };
            assert_eq!(finding.place_in("å b\nc d"), Some(place));
        };
        check(0, (1, 1));
        check(3, (1, 3));
        check(5, (2, 1));
        check(7, (2, 3));
    }
}
