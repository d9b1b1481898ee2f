//! Users who may not log in, whatever they prove.

use crate::policy::access::Glob;

/// Their names and patterns of names, as clients name themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisabledUsers {
    names: Vec<Glob>,
}

impl DisabledUsers {
    /// Those of these names.
    pub fn new(names: Vec<Glob>) -> Self {
        Self { names }
    }

    /// Whether a user is one of them. Names are held against each other letter by letter, as the
    /// server does.
    pub fn has(&self, user: &str) -> bool {
        self.names.iter().any(|name| name.matches(user))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_patterns_are_held_against_users_letter_by_letter() {
        let names = ["ann", "agent_*"].map(Glob::new);
        let disabled = DisabledUsers::new(names.into());
        for (user, is_disabled) in [
            ("ann", true),
            ("Ann", false),
            ("anna", false),
            ("an", false),
            ("agent_7", true),
            ("agent", false),
            ("Agent_7", false),
            ("", false),
        ] {
            assert_eq!(disabled.has(user), is_disabled, "{user}");
        }
        assert!(!DisabledUsers::default().has("ann"));
    }
}
