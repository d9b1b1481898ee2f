//! Where a key that settings do not have was meant to stand: in another group, at a user, in a
//! policy file. And whole files that were given in the place of another.

use crate::config::keys::KEYS;
use crate::config::user_keys::USER_KEYS;
use crate::policy::schema;
use crate::policy::yaml::tree::{YamlTree, YamlValue};

/// What to write in the place of a key, where that is known.
pub fn remedy(path: &str) -> Option<String> {
    let own = path.rsplit('.').next().unwrap_or(path);
    if let Some((_, meant)) = SYNONYMS.iter().find(|(word, _)| *word == own) {
        return Some(format!("write {meant} instead"));
    }
    let is_same = |key: &&str| key.rsplit('.').next() == Some(own);
    let same: Vec<&str> = KEYS.iter().map(|key| key.path).filter(is_same).collect();
    if !same.is_empty() {
        return Some(format!("write {} instead", same.join(" or ")));
    }
    if USER_KEYS.iter().any(|(name, _)| *name == own) {
        return Some("it belongs to each of client.auth.users".into());
    }
    let home = schema::home_of(own)?;
    Some(format!(
        "it is {home} of a policy file, and policy.file names that file"
    ))
}

/// Whether a text is a policy and no settings.
pub fn is_policy(tree: &YamlTree) -> bool {
    let YamlValue::Map(entries) = &tree.value else {
        return false;
    };
    let has = |key: &str| entries.iter().any(|entry| entry.key == key);
    let is_ours = KEYS.iter().any(|key| {
        let (group, _) = key.path.split_once('.').unwrap_or((key.path, ""));
        has(group) && !schema::is_section(group)
    });
    !is_ours && POLICY_SECTIONS.iter().filter(|key| has(key)).count() > 1
}

/// The keys that stand under a group.
pub fn within(group: &str) -> String {
    let below = KEYS.iter().filter_map(|key| {
        let rest = key.path.strip_prefix(group)?;
        rest.starts_with('.').then_some(key.path)
    });
    below.collect::<Vec<_>>().join(", ")
}

/// Words of other programs, and what they are called here.
const SYNONYMS: &[(&str, &str)] = &[
    ("users", "client.auth.users"),
    ("user_list", "client.auth.users"),
    ("auth", "client.auth"),
    ("auth_type", "client.auth.method"),
    ("tls", "client.tls or upstream.tls"),
    ("ssl", "client.tls or upstream.tls"),
    ("sslmode", "upstream.tls.mode"),
    ("sslrootcert", "upstream.tls.root_certificate"),
    ("cert", "client.tls.certificate"),
    ("listen_addr", "listen"),
    ("listen_port", "listen, as 127.0.0.1:6432,"),
    ("bind", "listen"),
    ("host", "listen, as 127.0.0.1:6432, or upstream.url"),
    ("port", "listen, as 127.0.0.1:6432, or upstream.url"),
    ("database", "upstream.url"),
    ("database_url", "upstream.url"),
    ("dsn", "upstream.url"),
    ("password", "upstream.password_file"),
    ("policies", "policy.file"),
    ("max_connections", "limits.connections_max"),
    ("max_client_conn", "limits.connections_max"),
    ("log", "audit.to"),
];

/// Sections that policies have and settings do not.
const POLICY_SECTIONS: &[&str] = &[
    "name",
    "timeouts",
    "statements",
    "settings",
    "functions",
    "models",
    "relations",
    "columns",
    "match",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings_key::SettingsKey;
    use crate::policy::yaml::tree;

    #[test]
    fn what_is_advised_exists() {
        for (word, meant) in SYNONYMS {
            let first = meant.split([' ', ',']).next().unwrap();
            assert!(SettingsKey::at(word).is_none(), "{word}");
            assert!(
                SettingsKey::at(first).is_some() || !within(first).is_empty(),
                "{meant}"
            );
        }
        for section in POLICY_SECTIONS {
            assert!(schema::is_section(section), "{section}");
            assert!(SettingsKey::at(section).is_none(), "{section}");
        }
    }

    #[test]
    fn keys_are_sent_to_where_they_belong() {
        for (path, wanted) in [
            (
                "limits.statement_timeout",
                "timeouts.statement_timeout of a policy file",
            ),
            ("timeouts", "timeouts of a policy file"),
            ("url", "write upstream.url instead"),
            ("verifier_file", "client.auth.users"),
            ("tls", "client.tls or upstream.tls"),
        ] {
            let said = remedy(path).unwrap();
            assert!(said.contains(wanted), "{path}: {said}");
        }
        assert_eq!(remedy("colour"), None);
    }

    #[test]
    fn policies_know_which_keys_are_those_of_settings() {
        let tops = KEYS.iter().map(|key| key.path.split('.').next().unwrap());
        let mut own: Vec<&str> = tops.filter(|top| !schema::is_section(top)).collect();
        own.dedup();
        let mut known = schema::SETTINGS_KEYS.to_vec();
        own.sort_unstable();
        own.dedup();
        known.sort_unstable();
        assert_eq!(own, known);
    }

    #[test]
    fn policies_are_told_from_settings() {
        let is = |text| tree::read(text).is_ok_and(|tree| is_policy(&tree));
        assert!(is("name: a\ntimeouts: {}\nlimits: {}"));
        assert!(!is("upstream: {}\ntimeouts: {}\nstatements: {}"));
        assert!(!is("limits: {}\ncatalog: {}"));
        assert!(!is("timeouts: {}"));
        assert!(!is("x"));
    }
}
