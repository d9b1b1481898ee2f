//! Addresses with several hosts, as libpq reads them: `postgres://user@one:5432,two/database`. Each
//! host is an address of its own, with all else that the text says.
//!
//! <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS>

use super::{AddressProblem, SCHEMES, UpstreamSettings};
use crate::limits;
use crate::policy::similar_names;
use crate::target_servers::TargetServers;

/// An address of one server or of several that have the same contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamAddress {
    /// The servers in their order, at least one.
    pub servers: Vec<UpstreamSettings>,
    /// Which of them are wanted, where the address says so.
    pub targets: Option<TargetServers>,
}

impl UpstreamAddress {
    /// Reads an address that may name several hosts, and takes what it does not say from these
    /// parameters of libpq, as [`UpstreamSettings::parse_with`] does.
    ///
    /// # Errors
    /// All that is wrong with it, each thing once.
    pub fn parse_with(
        text: &str,
        more: &[(&'static str, String)],
    ) -> Result<Self, Vec<AddressProblem>> {
        let mut problems = Vec::new();
        let (text, targets) = without_targets(text, &mut problems);
        let mut servers: Vec<UpstreamSettings> = Vec::new();
        let addresses = one_by_one(&text);
        if addresses.len() > limits::upstreams::SERVERS_MAX {
            problems.push(AddressProblem::TooManyHosts);
        }
        for address in addresses.iter().take(limits::upstreams::SERVERS_MAX) {
            match UpstreamSettings::parse_with(address, more) {
                Ok(server) => {
                    let is_new = servers
                        .iter()
                        .all(|known| known.endpoint != server.endpoint);
                    match is_new {
                        true => servers.push(server),
                        false => add(&mut problems, AddressProblem::Repeated("host")),
                    }
                }
                Err(found) => found
                    .into_iter()
                    .for_each(|problem| add(&mut problems, problem)),
            }
        }
        match problems.is_empty() {
            true => Ok(Self { servers, targets }),
            false => Err(problems),
        }
    }
}

fn add(problems: &mut Vec<AddressProblem>, problem: AddressProblem) {
    if !problems.contains(&problem) {
        problems.push(problem);
    }
}

/// The address without `target_session_attrs`, and what that says.
fn without_targets(
    text: &str,
    problems: &mut Vec<AddressProblem>,
) -> (String, Option<TargetServers>) {
    let Some((place, parameters)) = text.split_once('?') else {
        return (text.to_owned(), None);
    };
    let mut targets = None;
    let mut others = Vec::new();
    for parameter in parameters.split('&') {
        let Some(value) = parameter.strip_prefix(TARGETS) else {
            others.push(parameter);
            continue;
        };
        match targets_named(value) {
            Ok(_) if targets.is_some() => add(problems, AddressProblem::Repeated(TARGETS_NAME)),
            Ok(said) => targets = Some(said),
            Err(meant) => add(problems, AddressProblem::Targets(meant)),
        }
    }
    (format!("{place}?{}", others.join("&")), targets)
}

/// An address for each host. Whatever has no list of hosts stays as it is, also where it is wrong.
fn one_by_one(text: &str) -> Vec<String> {
    let whole = || vec![text.to_owned()];
    let scheme = SCHEMES.iter().find(|scheme| text.starts_with(**scheme));
    let Some(scheme) = scheme else {
        return whole();
    };
    let rest = text.get(scheme.len()..).unwrap_or_default();
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, behind) = rest.split_at(end);
    let (who, hosts) = match authority.rsplit_once('@') {
        Some((who, hosts)) => (format!("{who}@"), hosts),
        None => (String::new(), authority),
    };
    if !hosts.contains(',') {
        return whole();
    }
    let hosts = hosts.split(',');
    hosts
        .map(|host| format!("{scheme}{who}{host}{behind}"))
        .collect()
}

/// Which servers are meant by a name.
///
/// # Errors
/// The name that was probably meant, where one is like it.
fn targets_named(name: &str) -> Result<TargetServers, Option<&'static str>> {
    match TargetServers::named(name) {
        Some(targets) => Ok(targets),
        None if name == "read-write" => Err(Some("primary")),
        None if name == "read-only" => Err(Some("any")),
        None => {
            let names = TargetServers::ALL.iter().map(|targets| targets.name());
            let names: Vec<&'static str> = names.collect();
            Err(similar_names::probably_meant(name, &names))
        }
    }
}

const TARGETS: &str = "target_session_attrs=";
const TARGETS_NAME: &str = "target_session_attrs";

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<String> {
        let address = UpstreamAddress::parse_with(text, &[]).unwrap_or_else(|problems| {
            panic!("{text}: {problems:?}");
        });
        let servers = address.servers.iter();
        servers.map(|server| server.endpoint.to_string()).collect()
    }

    fn problems(text: &str) -> Vec<AddressProblem> {
        UpstreamAddress::parse_with(text, &[]).expect_err(text)
    }

    #[test]
    fn one_host_is_an_address_as_before() {
        for text in [
            "postgres://ann:se%40cret@db.example:5433/sales?sslmode=require",
            "postgres://%2Fvar%2Frun%2Fpostgresql/sales",
            "postgresql://[::1]:5432",
            "postgres://db?host=other",
        ] {
            let alone = UpstreamSettings::parse(text);
            let read = UpstreamAddress::parse_with(text, &[]);
            assert_eq!(read.map(|read| read.servers), alone.map(|one| vec![one]));
        }
        assert_eq!(problems("mysql://a,b").len(), 1);
    }

    #[test]
    fn hosts_are_read_in_their_order_each_with_its_port() {
        let text = "postgres://ann:x@one:5433,two,[::1]:7,10.0.0.1:9/sales?sslmode=require";
        let address = UpstreamAddress::parse_with(text, &[]).unwrap();
        assert_eq!(
            places(text),
            ["one:5433", "two:5432", "[::1]:7", "10.0.0.1:9"]
        );
        for server in &address.servers {
            assert_eq!(server.user.as_deref(), Some("ann"));
            assert_eq!(server.database.as_deref(), Some("sales"));
            assert_eq!(server.tls, address.servers[0].tls);
        }
        assert_eq!(address.targets, None);
        let sockets = "postgres://%2Ftmp%2Fa,%2Ftmp%2Fb:6/sales";
        assert_eq!(
            places(sockets),
            ["/tmp/a/.s.PGSQL.5432", "/tmp/b/.s.PGSQL.6"]
        );
    }

    #[test]
    fn which_servers_are_wanted_is_said_by_libpq_s_word() {
        for targets in TargetServers::ALL {
            let name = targets.name();
            let text = format!("postgres://one,two/d?{TARGETS}{name}&sslmode=disable");
            let address = UpstreamAddress::parse_with(&text, &[]).unwrap();
            assert_eq!(address.targets, Some(*targets));
        }
        let wrong = |value: &str| problems(&format!("postgres://one,two?{TARGETS}{value}"));
        assert_eq!(
            wrong("read-write"),
            [AddressProblem::Targets(Some("primary"))]
        );
        assert_eq!(wrong("read-only"), [AddressProblem::Targets(Some("any"))]);
        assert_eq!(wrong("standbi"), [AddressProblem::Targets(Some("standby"))]);
        assert_eq!(wrong("x"), [AddressProblem::Targets(None)]);
        let twice = format!("postgres://one?{TARGETS}any&{TARGETS}any");
        assert_eq!(problems(&twice), [AddressProblem::Repeated(TARGETS_NAME)]);
    }

    #[test]
    fn what_is_wrong_is_told_once() {
        assert_eq!(problems("postgres://one:x,two:y/d"), [AddressProblem::Port]);
        assert_eq!(problems("postgres://one,,two/d"), [AddressProblem::NoHost]);
        let repeated = [AddressProblem::Repeated("host")];
        assert_eq!(problems("postgres://one,two,one:5432/d"), repeated);
        assert_eq!(
            problems("postgres://one,two/d?host=three"),
            repeated,
            "said in two places"
        );
        let lists = problems("postgres://?host=one,two");
        assert_eq!(lists, [AddressProblem::SeveralHosts]);
        let many: Vec<String> = (0..=limits::upstreams::SERVERS_MAX)
            .map(|number| format!("h{number}"))
            .collect();
        let many = format!("postgres://{}/d", many.join(","));
        assert_eq!(problems(&many), [AddressProblem::TooManyHosts]);
    }
}
