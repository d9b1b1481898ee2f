//! Policies that no session would ever get, because others come first and fit all of theirs.
//!
//! What a policy is for is taken apart into corners: one pattern of each list. A corner is covered
//! where an earlier policy has, for each of its own lists, an entry that holds all that the
//! corner's does; a policy is shadowed where all of its corners are. Several that cover a corner
//! only together are not found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::matching::{ClientNetwork, SessionMatch, UserClaim};
use crate::Policy;
use crate::access::Glob;
use ground::limits::POLICY_CORNERS_MAX;

/// Some of the sessions that a policy is for.
#[derive(Clone)]
struct MatchCorner<'m> {
    user: &'m Glob,
    database: &'m Glob,
    application_name: &'m Glob,
    network: ClientNetwork,
    /// None: those without a certificate.
    certificate: Option<&'m Glob>,
    /// What else is known of them; none: nothing is.
    claims: BTreeMap<&'m UserClaim, Option<&'m Glob>>,
}

/// Those of the earlier policies that between them fit every session that a policy is for, in
/// their order; none where a session could get it, or where it is for more than is looked through.
pub(crate) fn shadows_of<'p>(
    policy: &Policy,
    earlier: impl Iterator<Item = &'p Arc<Policy>> + Clone,
) -> Option<Vec<&'p str>> {
    let everybody = SessionMatch::default();
    let own = policy.matches().unwrap_or(&everybody);
    let any = Glob::new("*");
    let earlier_claims = earlier.clone().filter_map(|other| other.matches());
    let claims: BTreeSet<&UserClaim> = earlier_claims
        .chain([own])
        .flat_map(|one| one.claims.keys())
        .collect();
    let corners = corners(own, &claims, &any)?;
    let cover = |corner: &MatchCorner<'_>| {
        let mut earlier = earlier.clone().enumerate();
        earlier
            .find(|(_, other)| other.matches().is_some_and(|other| covers(other, corner)))
            .map(|(place, other)| (place, other.name()))
    };
    let mut by: Vec<(usize, &str)> = corners.iter().map(cover).collect::<Option<_>>()?;
    by.sort_unstable();
    by.dedup();
    Some(by.into_iter().map(|(_, name)| name).collect())
}

/// All corners; none where they are too many. A list that is not there stands for everything that
/// could be in it.
fn corners<'m>(
    own: &'m SessionMatch,
    claims: &BTreeSet<&'m UserClaim>,
    any: &'m Glob,
) -> Option<Vec<MatchCorner<'m>>> {
    let names = |list: &'m Option<Vec<Glob>>| match list {
        Some(list) => list.iter().collect(),
        None => vec![any],
    };
    let certificates: Vec<Option<&Glob>> = match &own.certificate_name {
        Some(list) => list.iter().map(Some).collect(),
        None => vec![None, Some(any)],
    };
    let networks = match &own.client_address {
        Some(list) => list.clone(),
        None => ClientNetwork::ALL.to_vec(),
    };
    let (users, databases) = (names(&own.user), names(&own.database));
    let applications = names(&own.application_name);
    let lengths = [
        users.len(),
        databases.len(),
        applications.len(),
        networks.len(),
        certificates.len(),
    ];
    let claims: Vec<ClaimValues<'m>> = claims
        .iter()
        .map(|claim| match own.claims.get(*claim) {
            Some(list) => (*claim, list.iter().map(Some).collect()),
            // Every session has a role, and is placed when it is known.
            None if **claim == UserClaim::Role => (*claim, vec![Some(any)]),
            None => (*claim, vec![None, Some(any)]),
        })
        .collect();
    let of_claims = claims.iter().map(|(_, values)| values.len());
    let mut lengths = lengths.into_iter().chain(of_claims);
    let count = lengths.try_fold(1_usize, usize::checked_mul);
    if count.is_none_or(|count| count > POLICY_CORNERS_MAX) {
        return None;
    }
    let mut corners = Vec::new();
    for user in &users {
        for database in &databases {
            for application_name in &applications {
                for network in &networks {
                    corners.extend(certificates.iter().map(|certificate| MatchCorner {
                        user,
                        database,
                        application_name,
                        network: *network,
                        certificate: *certificate,
                        claims: BTreeMap::new(),
                    }));
                }
            }
        }
    }
    Some(claims.iter().fold(corners, with_claim))
}

/// What may be known of one kind.
type ClaimValues<'m> = (&'m UserClaim, Vec<Option<&'m Glob>>);

/// The corners, each once for every value.
fn with_claim<'m>(
    corners: Vec<MatchCorner<'m>>,
    (claim, values): &ClaimValues<'m>,
) -> Vec<MatchCorner<'m>> {
    let with = |corner: MatchCorner<'m>| {
        values.iter().map(move |value| {
            let mut corner = corner.clone();
            corner.claims.insert(*claim, *value);
            corner
        })
    };
    corners.into_iter().flat_map(with).collect()
}

fn covers(other: &SessionMatch, corner: &MatchCorner<'_>) -> bool {
    let names = |list: &Option<Vec<Glob>>, name: &Glob| {
        let any = |list: &Vec<Glob>| list.iter().any(|own| own.covers(name));
        list.as_ref().is_none_or(any)
    };
    names(&other.user, corner.user)
        && names(&other.database, corner.database)
        && names(&other.application_name, corner.application_name)
        && match corner.certificate {
            Some(name) => names(&other.certificate_name, name),
            None => other.certificate_name.is_none(),
        }
        && other.claims.iter().all(|(claim, wanted)| {
            let value = corner.claims.get(claim).copied().flatten();
            value.is_some_and(|value| wanted.iter().any(|own| own.covers(value)))
        })
        && other.client_address.as_ref().is_none_or(|networks| {
            let mut networks = networks.iter();
            networks.any(|network| network.covers(&corner.network))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PolicySet;
    use crate::tests::policy_with;

    /// Names of those that shadow the last of these matches, if any do.
    fn shadows(matches: &[&str]) -> Option<Vec<String>> {
        let policy = |(place, own): (usize, &&str)| {
            let text = match *own {
                "" => "mode: enforce".to_owned(),
                own => format!("match: {{{own}}}"),
            };
            let agent = include_str!("../../../policies/agent.yaml");
            let named = agent.replace("\nname: agent\n", &format!("\nname: p{place}\n"));
            Arc::new(Policy::from_yaml(&format!("{named}\n{text}\n")).unwrap())
        };
        let all: Vec<Arc<Policy>> = matches.iter().enumerate().map(policy).collect();
        let (last, earlier) = all.split_last().unwrap();
        let found = shadows_of(last, earlier.iter());
        found.map(|names| names.into_iter().map(str::to_owned).collect())
    }

    #[track_caller]
    fn check(matches: &[&str], by: Option<&[&str]>) {
        let by = by.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(shadows(matches), by, "{matches:?}");
    }

    #[test]
    fn what_comes_first_and_fits_all_shadows() {
        for (one, other, shadowed) in [
            ("user: '*'", "user: agent_7", true),
            ("user: 'agent_*'", "user: agent_7", true),
            ("user: 'agent_*'", "user: 'agent_x*'", true),
            ("user: 'agent_*'", "user: ['agent_1', 'agent_2']", true),
            ("user: 'a*z'", "user: 'a*b*z'", true),
            ("user: 'agent_*'", "user: '*'", false),
            ("user: 'agent_*'", "user: ['agent_1', ann]", false),
            ("user: agent_7", "user: 'agent_*'", false),
            ("user: 'a*b'", "user: 'a*'", false),
            ("user: '*'", "database: shop", true),
            ("user: '*'", "", true),
            ("database: shop", "user: ann, database: shop", true),
            ("user: ann, database: shop", "user: ann", false),
            ("user: ann, database: shop", "database: shop", false),
            ("application_name: ''", "user: ann", false),
            ("application_name: ['*']", "user: ann", true),
            (
                "client_address: 10.0.0.0/8",
                "client_address: 10.1.0.0/16",
                true,
            ),
            (
                "client_address: 10.1.0.0/16",
                "client_address: 10.0.0.0/8",
                false,
            ),
            ("client_address: 10.0.0.0/8", "client_address: local", false),
            (
                "client_address: 0.0.0.0/0",
                "client_address: 10.0.0.1",
                true,
            ),
            ("client_address: 0.0.0.0/0", "client_address: '::1'", false),
            (
                "client_address: ['0.0.0.0/0', '::/0', local]",
                "user: ann",
                true,
            ),
            ("client_address: ['0.0.0.0/0', '::/0']", "user: ann", false),
            ("certificate_name: '*'", "certificate_name: ann", true),
            ("certificate_name: '*'", "user: ann", false),
            ("user: ann", "certificate_name: ann", false),
            ("user: ann", "user: ann, attributes: {team: hr}", true),
            (
                "attributes: {team: hr}",
                "user: ann, attributes: {team: hr}",
                true,
            ),
            (
                "attributes: {team: 'h*'}",
                "attributes: {team: [hr, hq]}",
                true,
            ),
            ("attributes: {team: hr}", "attributes: {team: 'h*'}", false),
            ("attributes: {team: hr}", "user: ann", false),
            ("attributes: {team: '*'}", "user: ann", false),
            ("attributes: {team: '*'}", "attributes: {tenant: 3}", false),
            (
                "attributes: {team: a}",
                "attributes: {team: a, tenant: 3}",
                true,
            ),
            (
                "attributes: {team: a, tenant: 3}",
                "attributes: {team: a}",
                false,
            ),
            (
                "certificate: {organization: '*'}",
                "certificate: {organization: Shop}",
                true,
            ),
            (
                "certificate: {organization: Shop}",
                "certificate: {email: '*'}",
                false,
            ),
            (
                "certificate: {email: 'a*'}",
                "certificate_name: ann, certificate: {email: ab}",
                true,
            ),
            ("certificate_name: ann", "certificate: {email: ab}", false),
            ("role_member: '*'", "user: ann", true),
            ("role_member: 'team_*'", "role_member: team_x", true),
            ("role_member: team_x", "role_member: 'team_*'", false),
            ("role_member: team_x", "user: ann", false),
            ("user: ann", "user: ann, role_member: team_x", true),
            ("role_member: a", "role_member: [a, b]", false),
            ("role_member: [b, a]", "role_member: a, database: d", true),
            ("role_member: a", "attributes: {role: a}", false),
        ] {
            let by: Option<&[&str]> = shadowed.then_some(&["p0"]);
            check(&[one, other], by);
        }
    }

    #[test]
    fn several_shadow_what_each_of_them_has_a_part_of() {
        check(&["user: a", "user: b", "user: [b, a]"], Some(&["p0", "p1"]));
        check(&["user: a", "user: b", "user: [b, a, c]"], None);
        check(
            &[
                "user: a, database: x",
                "database: y",
                "user: a, database: [x, y]",
            ],
            Some(&["p0", "p1"]),
        );
        check(
            &["certificate_name: '*'", "user: '*'", "user: ann"],
            Some(&["p0", "p1"]),
        );
    }

    #[test]
    fn what_is_shadowed_is_never_chosen() {
        // Against what a session really gets: no shadowed policy is ever its choice.
        let pool = [
            "user: a",
            "user: 'a*'",
            "database: d",
            "user: 'a*', database: d",
            "user: '*'",
        ];
        for one in pool {
            for other in pool.into_iter().filter(|other| *other != one) {
                let is_shadowed = shadows(&[one, other]).is_some();
                let chosen = ["a", "ab", "b"].iter().any(|user| {
                    ["d", "e"].iter().any(|database| {
                        let session = super::super::matching::SessionTraits {
                            user: (*user).into(),
                            database: (*database).into(),
                            ..Default::default()
                        };
                        let fits = |text: &str| {
                            policy_with("match", text).matches().unwrap().fits(&session)
                        };
                        !fits(one) && fits(other)
                    })
                });
                assert_eq!(is_shadowed, !chosen, "{one} before {other}");
            }
        }
        assert!(PolicySet::new(vec![Arc::new(Policy::agent())]).is_ok());
    }
}
