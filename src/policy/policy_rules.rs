//! Whether the rules of a policy ([`ground::rule::PolicyRule`]) are enforced.

use ground::words::words;

/// Whether a rule refuses, or only counts what it would have refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleMode {
    /// It refuses.
    #[default]
    Enforce,
    /// It changes no answer and counts what would have been.
    Observe,
}

words! {
    /// How much of what a policy says is enforced, in a word.
    Strictness {
        /// All of it.
        Enforce => "enforce",
        /// Single rules of it are only observed.
        Mixed => "mixed",
        /// It observes, but for single rules and models.
        Observe => "observe",
    }
}
