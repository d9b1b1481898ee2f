//! Whether what a policy says of servers leaves any beside what the settings say of all sessions.

use crate::config::value_reader::KeyReader;
use crate::policy::access::Glob;
use crate::policy::sources::PolicySource;
use crate::policy::{Policy, PolicySet};
use crate::target_servers::TargetServers;
use crate::upstream::servers::ServersSettings;
use crate::upstream::servers::directory::DatabaseRoute;

/// Notes each policy whose sessions could log in nowhere, where all of it could be read.
pub fn check(
    reader: &mut KeyReader,
    policies: Option<&(PolicySet, Vec<PolicySource>)>,
    servers: (&Option<ServersSettings>, &Option<Vec<DatabaseRoute>>),
) {
    let (Some((policies, _)), (Some(own), Some(databases))) = (policies, servers) else {
        return;
    };
    for policy in policies.all() {
        let policy: &Policy = policy;
        if own.targets.meet(policy.targets()).is_none() && may_be_at_own(policy, databases) {
            let key = match reader.has("upstream.targets") {
                true => "upstream.targets",
                false => "upstream.url",
            };
            let place = reader.place_of(key);
            reader.note(&place, told(policy, own.targets, ""));
        }
        for (at, route) in databases.iter().enumerate() {
            let targets = route.servers.targets;
            if targets.meet(policy.targets()).is_none() && may_be_at(policy, databases, at) {
                let name = format!(" of database {}", route.names.pattern());
                reader.note("databases", told(policy, targets, &name));
            }
        }
    }
}

fn told(policy: &Policy, targets: TargetServers, of: &str) -> String {
    format!(
        "targets{of} are {}, and those of policy {} are {}: no server is both, and no session of \
         that policy could log in",
        targets.name(),
        policy.name(),
        policy.targets().name()
    )
}

/// The names of databases that a policy is for; none: all.
fn names_of(policy: &Policy) -> Option<&[Glob]> {
    policy.matches().and_then(|own| own.database.as_deref())
}

/// Whether a session of the policy may be in a database that is at the upstream's own servers.
pub(super) fn may_be_at_own(policy: &Policy, databases: &[DatabaseRoute]) -> bool {
    let is_elsewhere = |name: &Glob| databases.iter().any(|route| route.names.covers(name));
    names_of(policy).is_none_or(|names| names.iter().any(|name| !is_elsewhere(name)))
}

/// Whether one is certain to be in a database of that place in the list, of which the first counts
/// that fits.
pub(super) fn may_be_at(policy: &Policy, databases: &[DatabaseRoute], at: usize) -> bool {
    let Some(route) = databases.get(at) else {
        return false;
    };
    let is_there = |name: &Glob| {
        let first = databases.iter().position(|one| one.names.covers(name));
        name.covers(&route.names) || first == Some(at)
    };
    names_of(policy).is_none_or(|names| names.iter().any(is_there))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::address::UpstreamSettings;
    use crate::upstream::pool::PoolSizes;

    fn route(names: &str) -> DatabaseRoute {
        DatabaseRoute {
            names: Glob::new(names),
            upstream: UpstreamSettings::parse("postgres://one/d").unwrap(),
            servers: ServersSettings::alone(),
            pool: PoolSizes::default(),
        }
    }

    #[test]
    fn a_policy_is_held_against_the_servers_that_its_sessions_can_be_at() {
        let routes = [route("sales"), route("tenant_7"), route("tenant_*")];
        for (matching, own, others) in [
            ("", true, [true, true, true]),
            ("match: {user: ann}", true, [true, true, true]),
            ("match: {database: '*'}", true, [true, true, true]),
            ("match: {database: sales}", false, [true, false, false]),
            ("match: {database: tenant_7}", false, [false, true, false]),
            ("match: {database: tenant_8}", false, [false, false, true]),
            ("match: {database: 'tenant_*'}", false, [false, true, true]),
            ("match: {database: shop}", true, [false, false, false]),
            (
                "match: {database: [sales, shop]}",
                true,
                [true, false, false],
            ),
        ] {
            let text = format!("name: some\nextends: bi\n{matching}\n");
            let policy = Policy::from_yaml(&text).unwrap();
            assert_eq!(may_be_at_own(&policy, &routes), own, "{matching}");
            let found = [0, 1, 2].map(|at| may_be_at(&policy, &routes, at));
            assert_eq!(found, others, "{matching}");
        }
    }
}
