//! Which of several policies a session gets, and why, where not everything is known of it.

use std::cmp::Reverse;

use crate::policy::Policy;
use crate::policy::matching::{Match, Traits};

/// Why a session gets a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It is the first whose `match` fits.
    Fits,
    /// No `match` fits, and it has none.
    Rest,
}

/// What becomes of lists about what cannot be said of a session here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsaid {
    /// They fit.
    Fits,
    /// They do not.
    FitsNothing,
}

/// The place of the policy that a session gets, as a server finds it: by their priorities, then as
/// they come, the first whose `match` fits, else the one without, of those that are not over. What
/// cannot be said of a session
/// (its address; its certificate, where none is given) fits as `unsaid` says of each policy.
pub fn choose<'p>(
    policies: impl Iterator<Item = &'p Policy>,
    traits: &Traits,
    unsaid: impl Fn(usize) -> Unsaid,
    is_over: impl Fn(&Policy) -> bool,
) -> Option<(usize, Why)> {
    let holding = policies.enumerate().filter(|(_, policy)| !is_over(policy));
    let mut ordered: Vec<(usize, &Policy)> = holding.collect();
    ordered.sort_by_key(|(_, policy)| Reverse(policy.priority()));
    let fitting = ordered.iter().find(|(place, policy)| {
        let wanted = policy.matches();
        wanted.is_some_and(|wanted| fits(wanted, traits, unsaid(*place)))
    });
    let rest = || {
        ordered
            .iter()
            .find(|(_, policy)| policy.matches().is_none())
    };
    match fitting {
        Some((place, _)) => Some((*place, Why::Fits)),
        None => rest().map(|(place, _)| (*place, Why::Rest)),
    }
}

/// Whether a `match` fits a session. A database that is not known fits.
fn fits(wanted: &Match, traits: &Traits, unsaid: Unsaid) -> bool {
    let mut known = wanted.clone();
    let mut says_more = known.client_address.take().is_some();
    if traits.certificate_name.is_none() {
        says_more |= known.certificate_name.take().is_some();
    }
    let before = known.claims.len();
    known
        .claims
        .retain(|claim, _| traits.claims.contains_key(claim));
    says_more |= known.claims.len() < before;
    if traits.database.is_empty() {
        known.database = None;
    }
    (unsaid == Unsaid::Fits || !says_more) && known.fits(traits)
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
            let traits = Traits {
                user: user.into(),
                database: "shop".into(),
                certificate_name: certificate.map(Box::from),
                ..Traits::default()
            };
            let unsaid = |place| match own == Some(place) {
                true => Unsaid::Fits,
                false => Unsaid::FitsNothing,
            };
            let (place, why) = choose(all.iter(), &traits, unsaid, |_| false).unwrap();
            (all[place].name().to_owned(), why)
        };
        let told = |name: &str, why| (name.to_owned(), why);
        assert_eq!(chosen("ben", None, None), told("rest", Why::Rest));
        // The later one comes first by its priority.
        assert_eq!(chosen("ann", None, None), told("high", Why::Fits));
        assert_eq!(chosen("ann", Some("c"), None), told("shown", Why::Fits));
        assert_eq!(chosen("ben", Some("d"), None), told("rest", Why::Rest));
        // What a test of a policy cannot say counts as fitting for that policy alone.
        assert_eq!(chosen("ben", None, Some(3)), told("near", Why::Fits));
        assert_eq!(chosen("ben", None, Some(4)), told("shown", Why::Fits));
        // A certificate that is said is held against it.
        assert_eq!(chosen("ben", Some("d"), Some(4)), told("rest", Why::Rest));
        let nothing = |_| Unsaid::FitsNothing;
        let nobody = choose(all.iter().skip(1), &Traits::default(), nothing, |_| false);
        let ended = |policy: &Policy| policy.name() == "rest";
        assert_eq!(choose(all.iter(), &Traits::default(), nothing, ended), None);
        assert_eq!(nobody, None);
    }
}
