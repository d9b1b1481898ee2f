//! Where the settings give their keys, for messages that name a key: a file with its line, a
//! variable or a flag. Never a value.

use std::collections::BTreeMap;

/// The places of the keys that are given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPlaces {
    keys: BTreeMap<String, String>,
    users: BTreeMap<String, String>,
}

impl KeyPlaces {
    /// The places by key, and those of entries of `client.auth.users` by name.
    pub fn new(keys: BTreeMap<String, String>, users: BTreeMap<String, String>) -> Self {
        Self { keys, users }
    }

    /// A key behind the place where it is given, or as it is where it is not. What
    /// `upstream.tls` leaves out may stand in `upstream.url`.
    pub fn name(&self, key: &str) -> String {
        match self.keys.get(key) {
            Some(place) if place.ends_with(key) => place.clone(),
            Some(place) => format!("{place} ({key})"),
            None if key.starts_with(UPSTREAM_TLS) && self.keys.contains_key(UPSTREAM_URL) => {
                format!("{} ({key})", self.name(UPSTREAM_URL))
            }
            None => key.to_owned(),
        }
    }

    /// The place of a user's entry among those of `client.auth.users`.
    pub fn user(&self, name: &str) -> String {
        let entry = self.users.get(name);
        entry.cloned().unwrap_or_else(|| self.name(USERS))
    }

    /// Words with their keys, which stand in braces.
    pub fn fill(&self, words: &str) -> String {
        let mut filled = String::with_capacity(words.len());
        let mut rest = words;
        while let Some((before, (key, behind))) = rest
            .split_once('{')
            .and_then(|(before, behind)| Some((before, behind.split_once('}')?)))
        {
            filled.push_str(before);
            filled.push_str(&self.name(key));
            rest = behind;
        }
        filled.push_str(rest);
        filled
    }
}

const UPSTREAM_TLS: &str = "upstream.tls";
const UPSTREAM_URL: &str = "upstream.url";
const USERS: &str = "client.auth.users";

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> KeyPlaces {
        let keys = [
            ("audit.to", "s.yaml:4:12 audit.to"),
            ("upstream.url", "--upstream"),
            ("listen", "PGSIEVE_LISTEN"),
            ("client.auth.users", "s.yaml:7:5 client.auth.users"),
        ];
        let users = [("bob", "s.yaml:8:9 client.auth.users")];
        KeyPlaces::new(owned(&keys), owned(&users))
    }

    fn owned(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(key, place)| ((*key).to_owned(), (*place).to_owned()));
        pairs.collect()
    }

    #[test]
    fn a_key_stands_behind_its_place() {
        let places = places();
        for (key, wanted) in [
            ("audit.to", "s.yaml:4:12 audit.to"),
            ("upstream.url", "--upstream (upstream.url)"),
            ("listen", "PGSIEVE_LISTEN (listen)"),
            ("admin.listen", "admin.listen"),
            (
                "upstream.tls.key",
                "--upstream (upstream.url) (upstream.tls.key)",
            ),
        ] {
            assert_eq!(places.name(key), wanted);
        }
        assert_eq!(
            KeyPlaces::default().name("upstream.tls.key"),
            "upstream.tls.key"
        );
        assert_eq!(places.user("bob"), "s.yaml:8:9 client.auth.users");
        assert_eq!(places.user("eve"), "s.yaml:7:5 client.auth.users");
        assert_eq!(KeyPlaces::default().user("eve"), "client.auth.users");
    }

    #[test]
    fn words_are_filled_with_the_places_of_their_keys() {
        let filled = |words: &str| places().fill(words);
        assert_eq!(filled(""), "");
        assert_eq!(filled("no key"), "no key");
        assert_eq!(
            filled("see {audit.to} or {log.to}."),
            "see s.yaml:4:12 audit.to or log.to."
        );
        assert_eq!(filled("{audit.to"), "{audit.to");
        assert_eq!(filled("a } {"), "a } {");
    }
}
