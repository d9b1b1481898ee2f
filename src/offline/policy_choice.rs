//! Which of several policies a session gets, and why, where not everything is known of it.

use std::cmp::Reverse;

use crate::policy::Policy;
use crate::policy::set::matching::{Fit, SessionMatch, SessionTraits, UserClaim};

/// Why a session gets a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceReason {
    /// It is the first whose `match` fits.
    Fits,
    /// No `match` fits, and it has none.
    Fallback,
}

/// Why it gets none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyNone {
    /// None is for it.
    NoPolicy,
    /// One would be that asks what the session's role is a member of, and nobody knows that without
    /// the database: a server turns the session away, whatever comes behind.
    RolesUntold,
}

/// What becomes of lists about what cannot be said of a session here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownTraits {
    /// They fit.
    Fits,
    /// They do not.
    FitsNothing,
}

/// The place of the policy that a session gets, as a server finds it: by their priorities, then as
/// they come, the first whose `match` fits, else the one without, of those that are not over. What
/// cannot be said of a session
/// (its address; its certificate, where none is given) fits as `unsaid` says of each policy.
///
/// # Errors
/// None is for it, or that depends on roles that are not known.
pub fn choose<'p>(
    policies: impl Iterator<Item = &'p Policy>,
    traits: &SessionTraits,
    unsaid: impl Fn(usize) -> UnknownTraits,
    is_over: impl Fn(&Policy) -> bool,
) -> Result<(usize, ChoiceReason), WhyNone> {
    let holding = policies.enumerate().filter(|(_, policy)| !is_over(policy));
    let mut ordered: Vec<(usize, &Policy)> = holding.collect();
    ordered.sort_by_key(|(_, policy)| Reverse(policy.priority()));
    for (place, wanted) in ordered
        .iter()
        .filter_map(|(place, policy)| Some((*place, policy.matches()?)))
    {
        match fit(wanted, traits, unsaid(place)) {
            Fit::Fits => return Ok((place, ChoiceReason::Fits)),
            Fit::Untold => return Err(WhyNone::RolesUntold),
            Fit::FitsNot => {}
        }
    }
    let rest = ordered
        .iter()
        .find(|(_, policy)| policy.matches().is_none());
    rest.map(|(place, _)| (*place, ChoiceReason::Fallback))
        .ok_or(WhyNone::NoPolicy)
}

/// Whether a `match` fits a session. A database that is not known fits.
fn fit(wanted: &SessionMatch, traits: &SessionTraits, unsaid: UnknownTraits) -> Fit {
    let mut known = wanted.clone();
    let mut says_more = known.client_address.take().is_some();
    // Of a certificate that is said every kind is, be it without a value.
    let is_shown = traits.claims.contains_key(&UserClaim::AlternativeName);
    if traits.certificate_name.is_none() && !is_shown {
        says_more |= known.certificate_name.take().is_some();
    }
    let before = known.claims.len();
    // What a policy says of roles is for whoever knows them; a test of its own cannot.
    let stays =
        |claim: &UserClaim| *claim == UserClaim::Role && unsaid == UnknownTraits::FitsNothing;
    known
        .claims
        .retain(|claim, _| stays(claim) || traits.claims.contains_key(claim));
    says_more |= known.claims.len() < before;
    if traits.database.is_empty() {
        known.database = None;
    }
    match unsaid == UnknownTraits::Fits || !says_more {
        true => known.fit(traits),
        false => Fit::FitsNot,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(name: &str, more: &str) -> Policy {
        let agent = include_str!("../../policies/agent.yaml");
        let named = agent.replacen("name: agent", &format!("name: {name}"), 1);
        Policy::from_yaml(&format!("{named}\n{more}")).unwrap()
    }

    #[test]
    fn policies_are_chosen_as_a_server_does() {
        let all = [
            policy("rest", ""),
            policy("ann", "match: {user: ann}\n"),
            policy("high", "match: {user: \"a*\"}\npriority: 5\n"),
            policy("near", "match: {client_address: local}\npriority: 9\n"),
            policy("shown", "match: {certificate_name: c}\npriority: 7\n"),
        ];
        let chosen = |user: &str, certificate: Option<&str>, own: Option<usize>| {
            let traits = SessionTraits {
                user: user.into(),
                database: "shop".into(),
                certificate_name: certificate.map(Box::from),
                ..SessionTraits::default()
            };
            let unsaid = |place| match own == Some(place) {
                true => UnknownTraits::Fits,
                false => UnknownTraits::FitsNothing,
            };
            let (place, why) = choose(all.iter(), &traits, unsaid, |_| false).unwrap();
            (all[place].name().to_owned(), why)
        };
        let told = |name: &str, why| (name.to_owned(), why);
        assert_eq!(
            chosen("ben", None, None),
            told("rest", ChoiceReason::Fallback)
        );
        // The later one comes first by its priority.
        assert_eq!(chosen("ann", None, None), told("high", ChoiceReason::Fits));
        assert_eq!(
            chosen("ann", Some("c"), None),
            told("shown", ChoiceReason::Fits)
        );
        assert_eq!(
            chosen("ben", Some("d"), None),
            told("rest", ChoiceReason::Fallback)
        );
        // What a test of a policy cannot say counts as fitting for that policy alone.
        assert_eq!(
            chosen("ben", None, Some(3)),
            told("near", ChoiceReason::Fits)
        );
        assert_eq!(
            chosen("ben", None, Some(4)),
            told("shown", ChoiceReason::Fits)
        );
        // A certificate that is said is held against it.
        assert_eq!(
            chosen("ben", Some("d"), Some(4)),
            told("rest", ChoiceReason::Fallback)
        );
        let nothing = |_| UnknownTraits::FitsNothing;
        let nobody = choose(
            all.iter().skip(1),
            &SessionTraits::default(),
            nothing,
            |_| false,
        );
        let ended = |policy: &Policy| policy.name() == "rest";
        let none = Err(WhyNone::NoPolicy);
        assert_eq!(
            choose(all.iter(), &SessionTraits::default(), nothing, ended),
            none
        );
        assert_eq!(nobody, none);
    }

    #[test]
    fn without_the_roles_of_a_session_nothing_stands_in_for_a_policy_that_asks() {
        let all = [
            policy("rest", ""),
            policy("team", "match: {user: 'a*', role_member: team}\n"),
            policy("ann", "match: {user: ann}\n"),
        ];
        let chosen = |user: &str, roles: Option<&str>, own: Option<usize>| {
            let traits = SessionTraits {
                user: user.into(),
                ..SessionTraits::default()
            };
            let traits = traits.with_roles(roles.map(|role| vec![role.into()]));
            let unsaid = |place| match own == Some(place) {
                true => UnknownTraits::Fits,
                false => UnknownTraits::FitsNothing,
            };
            let chosen = choose(all.iter(), &traits, unsaid, |_| false);
            chosen.map(|(place, _)| place)
        };
        assert_eq!(chosen("ann", None, None), Err(WhyNone::RolesUntold));
        assert_eq!(chosen("ann", Some("team"), None), Ok(1));
        assert_eq!(chosen("ann", Some("ann"), None), Ok(2));
        assert_eq!(chosen("bob", None, None), Ok(0));
        // A test of its own stands for whom it is for; roles that are known count there too.
        assert_eq!(chosen("ann", None, Some(1)), Ok(1));
        assert_eq!(chosen("ann", Some("x"), Some(1)), Ok(2));
    }
}
