//! The policies that are part of the program.

use crate::Policy;

impl Policy {
    /// The built-in policies: the name that settings give them, and what they say.
    pub const BUILT_IN: &[(&str, &str)] = &[
        ("agent", AGENT),
        ("bi", BI),
        ("strict", STRICT),
        ("observe", OBSERVE),
    ];

    /// The built-in policy of this name.
    pub fn built_in(name: &str) -> Option<Self> {
        Self::text_of(name).map(Self::shipped)
    }

    /// What the built-in policy of this name says.
    pub fn text_of(name: &str) -> Option<&'static str> {
        let mut all = Self::BUILT_IN.iter();
        all.find_map(|(own, text)| (*own == name).then_some(*text))
    }

    /// The default: one statement per message, nothing runs but what is asked for.
    pub fn agent() -> Self {
        Self::shipped(AGENT)
    }

    /// For dashboards, drivers and dump tools: several statements where each passes, EXPLAIN
    /// ANALYZE of reads.
    pub fn bi() -> Self {
        Self::shipped(BI)
    }

    /// Nothing is read but what is named: an allowlist of relations, small limits, and functions of
    /// users only where they are named too.
    pub fn strict() -> Self {
        Self::shipped(STRICT)
    }

    /// As `agent`, with rules of its own that are counted and refuse nothing: to see for a day what
    /// a policy would do.
    pub fn observe() -> Self {
        Self::shipped(OBSERVE)
    }

    #[expect(
        clippy::panic,
        reason = "the shipped files are part of the program; a test reads all of them"
    )]
    fn shipped(text: &str) -> Self {
        Self::from_yaml(text).unwrap_or_else(|problems| panic!("shipped policy: {problems:?}"))
    }
}

const AGENT: &str = include_str!("../../../policies/agent.yaml");
const BI: &str = include_str!("../../../policies/bi.yaml");
const STRICT: &str = include_str!("../../../policies/strict.yaml");
const OBSERVE: &str = include_str!("../../../policies/observe.yaml");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_policies_are_named_as_they_are_called() {
        for (name, _) in Policy::BUILT_IN {
            assert_eq!(Policy::built_in(name).unwrap().name(), *name);
        }
        assert!(Policy::built_in("other").is_none());
        let named = [
            Policy::agent(),
            Policy::bi(),
            Policy::strict(),
            Policy::observe(),
        ];
        let names = Policy::BUILT_IN.iter().map(|(name, _)| *name);
        assert!(named.iter().map(Policy::name).eq(names));
    }

    #[test]
    fn what_stands_behind_a_hash_is_what_holds() {
        for (name, text) in Policy::BUILT_IN {
            let lines = text.lines().map(|line| {
                let inner = line.trim_start();
                let indent = line.len() - inner.len();
                match inner.strip_prefix('#') {
                    Some(key) if key.starts_with(|first: char| first.is_ascii_lowercase()) => {
                        format!("{}{key}", &line[..indent])
                    }
                    _ => line.to_owned(),
                }
            });
            let shown: Vec<String> = lines.collect();
            let shown = shown.join("\n");
            assert_ne!(shown.trim_end(), text.trim_end(), "{name}");
            let shown = Policy::from_yaml(&shown).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
            assert_eq!(shown.version(), Policy::built_in(name).unwrap().version());
        }
    }

    #[test]
    fn only_strict_hides_and_only_observe_observes() {
        let hides = |policy: Policy| policy.hides();
        assert!(hides(Policy::strict()));
        assert!(!hides(Policy::agent()) && !hides(Policy::bi()) && !hides(Policy::observe()));
        for rule in crate::PolicyRule::ALL {
            use crate::RuleMode::{Enforce, Observe};
            assert_eq!(Policy::agent().mode_of(*rule), Enforce);
            let is_model = *rule == crate::PolicyRule::Model;
            let observed = if is_model { Enforce } else { Observe };
            assert_eq!(Policy::observe().mode_of(*rule), observed);
        }
        for (_, text) in Policy::BUILT_IN {
            assert!(Policy::from_yaml(text).unwrap().matches().is_none());
        }
    }
}
