//! The policies of one server, and the one that a session gets.

pub mod live;
pub mod matching;
pub mod named_certificate;
pub(super) mod shadow;

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use super::Policy;
use super::set::matching::{Fit, SessionMatch, SessionTraits};

use ground::limits::POLICIES_MAX;

/// Policies in order. A session gets the first whose `match` fits.
#[derive(Clone, Debug)]
pub struct PolicySet {
    policies: Vec<Arc<Policy>>,
}

/// The policy that a session gets.
#[derive(Clone, Copy, Debug)]
pub enum Placement<'s> {
    /// This one.
    Policy(&'s Arc<Policy>),
    /// None is for it.
    Nothing,
    /// It gets one that its role would have to be a member of others for, or not, and nobody knows
    /// whether it is: it gets none, and not the one that comes next either.
    Untold,
}

/// Why policies cannot be those of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicySetError {
    /// There is none.
    Empty,
    /// There are more than a server can have.
    TooMany,
    /// Two have this name.
    NameTwice(String),
    /// Two have no `match`, by their names: which of them would others get?
    NoMatchTwice(String, String),
    /// Two have the same `match`, by their names: nobody would ever get the second.
    SameMatch(String, String),
    /// Nobody would ever get this one: the others come first, and fit whoever it is for.
    Shadowed(String, Vec<String>),
}

impl PolicySet {
    /// One policy alone; who does not fit its `match`, if it has one, gets none.
    pub fn only(policy: Arc<Policy>) -> Self {
        Self {
            policies: vec![policy],
        }
    }

    /// Policies in the order in which they are tried: by their priorities, the highest first, and
    /// as they come where those are the same.
    ///
    /// # Errors
    /// Everything that is wrong with them together.
    pub fn new(mut policies: Vec<Arc<Policy>>) -> Result<Self, Vec<PolicySetError>> {
        policies.sort_by_key(|policy| Reverse(policy.priority()));
        let mut wrong = Vec::new();
        if policies.is_empty() {
            wrong.push(PolicySetError::Empty);
        }
        if policies.len() > POLICIES_MAX {
            return Err(vec![PolicySetError::TooMany]);
        }
        for (place, policy) in policies.iter().enumerate() {
            let name = policy.name();
            for earlier in policies.iter().take(place) {
                if earlier.name() == name {
                    wrong.push(PolicySetError::NameTwice(name.to_owned()));
                }
                // What ends by itself is followed by the other.
                if earlier.matches() == policy.matches() && earlier.until().is_none() {
                    let both = (earlier.name().to_owned(), name.to_owned());
                    wrong.push(match policy.matches() {
                        None => PolicySetError::NoMatchTwice(both.0, both.1),
                        Some(_) => PolicySetError::SameMatch(both.0, both.1),
                    });
                }
            }
        }
        wrong.extend(shadowed(&policies, &wrong));
        match wrong.is_empty() {
            true => Ok(Self { policies }),
            false => Err(wrong),
        }
    }

    /// The policy that the session's admission names; else the first whose `match` fits; else the
    /// one without a `match`; none where there is no such one: the session is turned away. What has
    /// ended by `now`, in seconds since 1970, is for nobody.
    pub fn choose(&self, session: &SessionTraits, now: i64) -> Placement<'_> {
        let holds = |policy: &&Arc<Policy>| !policy.is_over(now);
        let policies = || self.policies.iter().filter(holds);
        if let Some(name) = &session.named_policy {
            let named = policies().find(|policy| policy.name() == &**name);
            return named.map_or(Placement::Nothing, Placement::Policy);
        }
        for policy in policies() {
            match policy.matches().map(|own| own.fit(session)) {
                Some(Fit::Fits) => return Placement::Policy(policy),
                Some(Fit::Untold) => return Placement::Untold,
                Some(Fit::FitsNot) | None => {}
            }
        }
        let rest = policies().find(|policy| policy.matches().is_none());
        rest.map_or(Placement::Nothing, Placement::Policy)
    }

    /// Whether it matters to any of them what a session's role is a member of.
    pub fn asks_roles(&self) -> bool {
        let mut matches = self.policies.iter().filter_map(|policy| policy.matches());
        matches.any(SessionMatch::asks_roles)
    }

    /// Whether any policy can be for a session of this user, whatever else the session is like.
    pub fn may_be_for(&self, user: &str) -> bool {
        self.policies.iter().any(|policy| {
            let users = policy.matches().and_then(|own| own.user.as_deref());
            users.is_none_or(|users| users.iter().any(|pattern| pattern.matches(user)))
        })
    }

    /// All of them, in order.
    pub fn all(&self) -> &[Arc<Policy>] {
        &self.policies
    }
}

/// Those that nobody would ever get, but for the reasons that were found already.
fn shadowed(policies: &[Arc<Policy>], known: &[PolicySetError]) -> Vec<PolicySetError> {
    let is_known = |name: &str| {
        known.iter().any(|wrong| match wrong {
            PolicySetError::SameMatch(_, other) | PolicySetError::NoMatchTwice(_, other) => {
                other == name
            }
            _ => false,
        })
    };
    let of_one = |(place, policy): (usize, &Arc<Policy>)| {
        let name = policy.name();
        // The one without a match comes last, wherever it stands.
        let before = match policy.matches() {
            Some(_) => place,
            None => policies.len(),
        };
        let lasting = policies
            .iter()
            .take(before)
            .filter(|other| other.until().is_none() || other.name() == name);
        let by = shadow::shadows_of(policy, lasting)?;
        let by = by.into_iter().map(str::to_owned).collect();
        (!is_known(name)).then(|| PolicySetError::Shadowed(name.to_owned(), by))
    };
    policies.iter().enumerate().filter_map(of_one).collect()
}

impl<'s> Placement<'s> {
    /// The policy, if there is one.
    pub fn policy(self) -> Option<&'s Arc<Policy>> {
        match self {
            Self::Policy(policy) => Some(policy),
            Self::Nothing | Self::Untold => None,
        }
    }
}

impl fmt::Display for PolicySetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("at least one policy is wanted"),
            Self::TooMany => write!(formatter, "at most {POLICIES_MAX} policies are held"),
            Self::NameTwice(name) => write!(
                formatter,
                "two policies are named {name}; metrics and the audit tell them by their names"
            ),
            Self::NoMatchTwice(one, other) => write!(
                formatter,
                "neither {one} nor {other} has a match; at most one policy is for the sessions \
                 that no other one fits"
            ),
            Self::Shadowed(name, by) => {
                let by = by.join(" and ");
                write!(
                    formatter,
                    "no session would get {name}: {by} fits all that it is for, and comes first; \
                     give {name} a higher priority, or {by} a narrower match"
                )
            }
            Self::SameMatch(one, other) => write!(
                formatter,
                "{other} has the match of {one}, which comes first: no session would get {other}"
            ),
        }
    }
}

impl std::error::Error for PolicySetError {}

#[cfg(test)]
mod tests {
    use super::super::tests::policy_of;
    use super::*;

    fn named(name: &str, matching: &str) -> Arc<Policy> {
        Arc::new(policy_of(name, "match", matching))
    }

    fn of(user: &str) -> SessionTraits {
        SessionTraits {
            user: user.into(),
            ..SessionTraits::default()
        }
    }

    #[test]
    fn the_first_that_fits_is_taken_and_else_the_one_without_match() {
        let policies = vec![
            named("rest", ""),
            named("first", "user: [agent_1, ann]"),
            named("agents", "user: agent_*"),
            named("ann", "user: a*n"),
        ];
        let set = PolicySet::new(policies.clone()).unwrap();
        let chosen = |user| {
            set.choose(&of(user), 0)
                .policy()
                .map(|policy| policy.name().to_owned())
        };
        assert_eq!(chosen("agent_1").as_deref(), Some("first"));
        assert_eq!(chosen("agent_2").as_deref(), Some("agents"));
        assert_eq!(chosen("ann").as_deref(), Some("first"));
        assert_eq!(chosen("bob").as_deref(), Some("rest"));
        let set = PolicySet::new(policies[1..].to_vec()).unwrap();
        assert!(set.choose(&of("bob"), 0).policy().is_none());
    }

    #[test]
    fn nothing_stands_in_for_a_policy_whose_roles_nobody_knows() {
        let all = vec![
            named("first", "user: ann"),
            named("members", "user: [ann, bob], role_member: \"team_*\""),
            named("all", "user: '*'"),
        ];
        let set = PolicySet::new(all).unwrap();
        assert!(set.asks_roles());
        let chosen = |user: &str, roles: Option<&[&str]>| {
            let roles = roles.map(|roles| roles.iter().map(|role| Box::from(*role)).collect());
            match set.choose(&of(user).with_roles(roles), 0) {
                Placement::Policy(policy) => policy.name().to_owned(),
                Placement::Nothing => "nothing".into(),
                Placement::Untold => "untold".into(),
            }
        };
        // What comes before is not asked for roles, nor is who it would not be for anyway.
        assert_eq!(chosen("ann", None), "first");
        assert_eq!(chosen("cy", None), "all");
        assert_eq!(chosen("bob", None), "untold");
        assert_eq!(chosen("bob", Some(&[])), "untold");
        assert_eq!(chosen("bob", Some(&["bob"])), "all");
        assert_eq!(chosen("bob", Some(&["bob", "team_x"])), "members");
        assert_eq!(chosen("bob", Some(&["Team_x", "team"])), "all");
        assert!(!PolicySet::new(vec![named("all", "")]).unwrap().asks_roles());
    }

    #[test]
    fn a_higher_priority_comes_first() {
        let of_priority = |name: &str, matching: &str, priority: i64| {
            let more = format!("}}\npriority: {priority}\nrules: {{");
            named(name, &format!("{matching}{more}"))
        };
        let wide = of_priority("wide", "user: '*'", 0);
        let narrow = of_priority("narrow", "user: ann", 7);
        let low = of_priority("low", "user: bob", -7);
        let set = PolicySet::new(vec![wide.clone(), narrow.clone()]).unwrap();
        let chosen = |user| {
            set.choose(&of(user), 0)
                .policy()
                .map(|policy| policy.name().to_owned())
        };
        assert_eq!(chosen("ann").as_deref(), Some("narrow"));
        assert_eq!(chosen("bob").as_deref(), Some("wide"));
        assert_eq!(
            PolicySet::new(vec![low, wide]).unwrap_err(),
            [PolicySetError::Shadowed("low".into(), vec!["wide".into()])]
        );
    }

    #[test]
    fn one_alone_with_a_match_turns_others_away() {
        let set = PolicySet::new(vec![named("ann", "user: ann")]).unwrap();
        assert!(
            set.choose(&of("ann"), 0).policy().is_some()
                && set.choose(&of("bob"), 0).policy().is_none()
        );
    }

    #[test]
    fn a_policy_may_be_for_a_user_whatever_else_it_asks_for() {
        let some = named("some", "user: [ann, \"b*\"], database: shop");
        let others = named("others", "user: cy, client_address: local");
        let set = PolicySet::new(vec![Arc::clone(&some), Arc::clone(&others)]).unwrap();
        for user in ["ann", "b", "bob", "cy"] {
            assert!(set.may_be_for(user), "{user}");
        }
        for user in ["", "Ann", "cyd", "dan"] {
            assert!(!set.may_be_for(user), "{user}");
        }
        for everybody in [named("rest", ""), named("shops", "database: shop")] {
            let set = PolicySet::new(vec![Arc::clone(&some), everybody]).unwrap();
            assert!(set.may_be_for("dan"));
        }
    }

    #[test]
    fn what_cannot_be_together_is_said() {
        let wrong = |policies| PolicySet::new(policies).unwrap_err();
        assert_eq!(wrong(Vec::new()), [PolicySetError::Empty]);
        assert_eq!(
            wrong(vec![named("a", ""), named("b", "")]),
            [PolicySetError::NoMatchTwice("a".into(), "b".into())]
        );
        assert_eq!(
            wrong(vec![named("a", "user: x"), named("a", "user: y")]),
            [PolicySetError::NameTwice("a".into())]
        );
        assert_eq!(
            wrong(vec![named("a", "user: x"), named("b", "user: [x]")]),
            [PolicySetError::SameMatch("a".into(), "b".into())]
        );
        let catch_all = vec![
            named("all", "user: '*'"),
            named("ann", "user: ann"),
            named("rest", ""),
        ];
        let by_all = |name: &str| PolicySetError::Shadowed(name.into(), vec!["all".into()]);
        assert_eq!(wrong(catch_all), [by_all("ann"), by_all("rest")]);
        let many = (0..=POLICIES_MAX).map(|at| named(&format!("p{at}"), &format!("user: u{at}")));
        assert_eq!(wrong(many.collect()), [PolicySetError::TooMany]);
    }

    #[test]
    fn a_policy_that_ends_is_followed_by_the_next_and_shadows_nobody() {
        let ending = |name: &str, matching: &str| {
            named(name, &format!("{matching}}}\nuntil: 1970-01-02\nrules: {{"))
        };
        let all = vec![
            ending("guest", "user: ann"),
            named("ann", "user: ann"),
            named("rest", ""),
        ];
        let set = PolicySet::new(all.clone()).unwrap();
        let chosen = |set: &PolicySet, user: &str, now| {
            set.choose(&of(user), now)
                .policy()
                .map(|policy| policy.name().to_owned())
        };
        for (user, now, name) in [
            ("ann", 172_799, "guest"),
            ("ann", 172_800, "ann"),
            ("ann", i64::MAX, "ann"),
            ("bob", 0, "rest"),
        ] {
            assert_eq!(
                chosen(&set, user, now).as_deref(),
                Some(name),
                "{user} {now}"
            );
        }
        // The other way round nobody would ever get the one that ends.
        let turned = vec![all[1].clone(), all[0].clone()];
        let wrong = PolicySet::new(turned).unwrap_err();
        assert_eq!(
            wrong,
            [PolicySetError::SameMatch("ann".into(), "guest".into())]
        );
        let wide = vec![ending("guests", "user: '*'"), named("ann", "user: ann")];
        assert!(PolicySet::new(wide).is_ok());
        let alone = PolicySet::only(ending("guest", "user: '*'"));
        assert_eq!(chosen(&alone, "ann", 0).as_deref(), Some("guest"));
        assert_eq!(chosen(&alone, "ann", 172_800), None);
    }
}
