//! The section `match` of a policy file: which sessions it is for.

use std::collections::BTreeMap;

use super::super::access::Glob;
use super::super::set::matching::{
    ATTRIBUTE_NAME, ClientNetwork, SessionMatch, UserClaim, is_attribute,
};
use super::super::yaml::section::{PlacedProblems, YamlSection, join, listed, map, placed, report};
use super::super::yaml::tree::{YamlTree, YamlValue};

/// Reads the section.
pub(super) fn read(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Option<SessionMatch>> {
    let place = tree.place;
    let mut section = YamlSection::open(tree, path, problems)?;
    let user = section.optional("user", None, problems, names);
    let database = section.optional("database", None, problems, names);
    let application = section.optional("application_name", None, problems, words);
    let address = section.optional("client_address", None, problems, networks);
    let certificate = section.optional("certificate_name", None, problems, names);
    let claims = section.optional("certificate", BTreeMap::new(), problems, of_certificate);
    let attributes = section.optional("attributes", BTreeMap::new(), problems, attributes);
    let roles = section.optional("role_member", None, problems, names);
    let before = problems.len();
    section.close(problems);
    if problems.len() > before {
        return None;
    }
    let found = SessionMatch {
        user: user?,
        database: database?,
        application_name: application?,
        client_address: address?,
        certificate_name: certificate?,
        claims: {
            let roles = roles?.map(|roles| (UserClaim::Role, roles));
            claims?
                .into_iter()
                .chain(attributes?)
                .chain(roles)
                .collect()
        },
    };
    if found == SessionMatch::default() {
        let what = "an empty match says nothing: leave the key out for a policy that every session \
            gets that no other one fits";
        report(problems, place, path, what);
        return None;
    }
    Some(Some(found))
}

/// What a certificate says beside its common name.
fn of_certificate(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<WantedClaims> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let mut found = WantedClaims::new();
    for (key, claim) in [
        ("organization", UserClaim::Organization),
        ("organizational_unit", UserClaim::OrganizationalUnit),
        ("email", UserClaim::Email),
        ("alternative_name", UserClaim::AlternativeName),
    ] {
        let list = section.optional(key, None, problems, names)?;
        found.extend(list.map(|list| (claim, list)));
    }
    section.close(problems);
    Some(found)
}

/// Attributes that the settings give users, each with the values that fit.
fn attributes(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<WantedClaims> {
    let mut found = WantedClaims::new();
    for entry in map(tree, path, problems)? {
        let path = join(path, &entry.key);
        if !is_attribute(&entry.key) {
            report(problems, entry.place, &path, ATTRIBUTE_NAME);
            continue;
        }
        let list = names(entry.tree, &path, problems)??;
        found.insert(UserClaim::Attribute(entry.key.into()), list);
    }
    Some(found)
}

type WantedClaims = BTreeMap<UserClaim, Vec<Glob>>;

/// Names, none of them empty.
fn names(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Option<Vec<Glob>>> {
    entries(tree, path, problems, |word| match word {
        "" => Err("a name is wanted, such as ann or agent_*".into()),
        word => Ok(Glob::new(word)),
    })
}

/// What clients call themselves; who says nothing is the empty word.
fn words(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Option<Vec<Glob>>> {
    entries(tree, path, problems, |word| Ok(Glob::new(word)))
}

fn networks(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Option<Vec<ClientNetwork>>> {
    entries(tree, path, problems, |word| {
        ClientNetwork::read(word).map_err(|wrong| wrong.to_string())
    })
}

/// One word, or a list with at least one.
fn entries<T>(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
    read: impl Fn(&str) -> Result<T, String>,
) -> Option<Option<Vec<T>>> {
    let place = tree.place;
    if matches!(&tree.value, YamlValue::List(list) if list.is_empty()) {
        let what = "an empty list fits no session; leave the key out for all of them";
        report(problems, place, path, what);
        return None;
    }
    let list = placed(listed(tree), path, problems, read)?;
    Some(Some(list.into_iter().map(|(_, entry)| entry).collect()))
}

#[cfg(test)]
mod tests {
    use super::super::super::set::matching::{SessionTraits, UserClaim};
    use super::super::super::tests::{policy_with, said_of};

    #[test]
    fn words_and_lists_are_read() {
        let policy = policy_with(
            "match",
            "user: agent_*, database: [shop], application_name: [\"metabase*\", \"\"], \
             client_address: [10.0.0.0/8, \"::1\", local], certificate_name: ann",
        );
        let session = SessionTraits {
            user: "agent_1".into(),
            database: "shop".into(),
            application_name: "metabase 1".into(),
            client_address: "10.1.2.3".parse().ok(),
            certificate_name: Some("ann".into()),
            ..SessionTraits::default()
        };
        let found = policy.matches().unwrap();
        assert!(found.fits(&session));
        let other = SessionTraits {
            application_name: "psql".into(),
            ..session
        };
        assert!(!found.fits(&other));
        assert!(policy_with("match", "").matches().is_none());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (keys, wanted) in [
            ("user: []", "an empty list fits no session"),
            ("user: \"\"", "a name is wanted"),
            (
                "users: [a]",
                "unknown key; did you mean user? known here: user,",
            ),
            ("client_address: 10.0.0.1/8", "10.0.0.0/8 would be right"),
            ("client_address: 10.0.0.0/33", "from 0 to 32"),
            ("client_address: \"::1/129\"", "from 0 to 128"),
            (
                "client_address: 10.0.0",
                "an address, a network such as 10.0.0.0/8, or local",
            ),
            (
                "client_address: example.com",
                "an address, a network such as",
            ),
            ("client_address: \"::ffff:10.0.0.1\"", "as 10.0.0.1"),
        ] {
            let found = said_of("match", keys);
            assert!(found.contains(wanted), "{keys}: {found}");
        }
    }

    #[test]
    fn claims_and_attributes_are_read() {
        let policy = policy_with(
            "match",
            "certificate: {organization: Shop, alternative_name: [\"*.example.org\"]}, \
             attributes: {team: [sales, hr], tenant: 3}",
        );
        let found = policy.matches().unwrap();
        let named: Vec<String> = found.claims.keys().map(ToString::to_string).collect();
        let wanted = [
            "certificate.organization",
            "certificate.alternative_name",
            "attributes.team",
            "attributes.tenant",
        ];
        assert_eq!(named, wanted);
        let fits = |tenant: &str| {
            let claims = [
                (UserClaim::Organization, "Shop"),
                (UserClaim::AlternativeName, "db.example.org"),
                (UserClaim::Attribute("team".into()), "hr"),
                (UserClaim::Attribute("tenant".into()), tenant),
            ];
            let claims = claims.map(|(claim, value)| (claim, vec![value.into()]));
            found.fits(&SessionTraits {
                claims: claims.into(),
                ..SessionTraits::default()
            })
        };
        assert!(fits("3") && !fits("33"));
        for (keys, wanted) in [
            ("certificate: {name: x}", "unknown key"),
            ("certificate: {}", "an empty match says nothing"),
            ("certificate: {email: []}", "an empty list fits no session"),
            ("attributes: {}", "an empty match says nothing"),
            ("attributes: {Team: x}", "a name of small letters"),
            ("attributes: {\"a.b\": x}", "a name of small letters"),
            ("attributes: {team: \"\"}", "a name is wanted"),
            ("attributes: {team: {a: b}}", "match.attributes.team"),
            ("attributes: [team]", "match.attributes"),
        ] {
            let found = said_of("match", keys);
            assert!(found.contains(wanted), "{keys}: {found}");
        }
    }
}
