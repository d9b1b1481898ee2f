//! The section `match` of a policy file: which sessions it is for.

use super::super::access::Glob;
use super::super::matching::{Match, Network};
use super::super::section::{Problems, Section, listed, placed, report};
use super::super::tree::{Tree, Value};

/// Reads the section.
pub(super) fn read(tree: Tree, path: &str, problems: &mut Problems) -> Option<Option<Match>> {
    let place = tree.place;
    let mut section = Section::open(tree, path, problems)?;
    let user = section.optional("user", None, problems, names);
    let database = section.optional("database", None, problems, names);
    let application = section.optional("application_name", None, problems, words);
    let address = section.optional("client_address", None, problems, networks);
    let certificate = section.optional("certificate_name", None, problems, names);
    let before = problems.len();
    section.close(problems);
    if problems.len() > before {
        return None;
    }
    let found = Match {
        user: user?,
        database: database?,
        application_name: application?,
        client_address: address?,
        certificate_name: certificate?,
    };
    if found == Match::default() {
        let what = "an empty match says nothing: leave the key out for a policy that every session \
            gets that no other one fits";
        report(problems, place, path, what);
        return None;
    }
    Some(Some(found))
}

/// Names, none of them empty.
fn names(tree: Tree, path: &str, problems: &mut Problems) -> Option<Option<Vec<Glob>>> {
    entries(tree, path, problems, |word| match word {
        "" => Err("a name is wanted, such as ann or agent_*".into()),
        word => Ok(Glob::new(word)),
    })
}

/// What clients call themselves; who says nothing is the empty word.
fn words(tree: Tree, path: &str, problems: &mut Problems) -> Option<Option<Vec<Glob>>> {
    entries(tree, path, problems, |word| Ok(Glob::new(word)))
}

fn networks(tree: Tree, path: &str, problems: &mut Problems) -> Option<Option<Vec<Network>>> {
    entries(tree, path, problems, |word| {
        Network::read(word).map_err(|wrong| wrong.to_string())
    })
}

/// One word, or a list with at least one.
fn entries<T>(
    tree: Tree,
    path: &str,
    problems: &mut Problems,
    read: impl Fn(&str) -> Result<T, String>,
) -> Option<Option<Vec<T>>> {
    let place = tree.place;
    if matches!(&tree.value, Value::List(list) if list.is_empty()) {
        let what = "an empty list fits no session; leave the key out for all of them";
        report(problems, place, path, what);
        return None;
    }
    let list = placed(listed(tree), path, problems, read)?;
    Some(Some(list.into_iter().map(|(_, entry)| entry).collect()))
}

#[cfg(test)]
mod tests {
    use super::super::super::matching::Traits;
    use super::super::super::tests::{policy_with, said_of};

    #[test]
    fn words_and_lists_are_read() {
        let policy = policy_with(
            "match",
            "user: agent_*, database: [shop], application_name: [\"metabase*\", \"\"], \
             client_address: [10.0.0.0/8, \"::1\", local], certificate_name: ann",
        );
        let session = Traits {
            user: "agent_1".into(),
            database: "shop".into(),
            application_name: "metabase 1".into(),
            client_address: "10.1.2.3".parse().ok(),
            certificate_name: Some("ann".into()),
        };
        let found = policy.matches().unwrap();
        assert!(found.fits(&session));
        let other = Traits {
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
}
