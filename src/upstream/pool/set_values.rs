//! What has been set in a session with SET and the like, and what brings a connection from one
//! such state into another.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Settings that are not what the session began with, by name in lower case. Cheap to clone, and
/// two that come of one another are cheap to compare.
#[derive(Clone, Default)]
pub struct SetValues {
    values: Arc<BTreeMap<Box<str>, Box<str>>>,
}

/// What a connection needs to be as a session has left its last one.
#[derive(Debug, PartialEq, Eq)]
pub struct Replay<'v> {
    /// Settings that go back to what the connection began with.
    pub reset: Vec<&'v str>,
    /// Settings with the values that they get.
    pub set: Vec<(&'v str, &'v str)>,
}

impl SetValues {
    /// Puts a value down.
    pub fn insert(&mut self, name: &str, value: &str) {
        Arc::make_mut(&mut self.values).insert(name.to_ascii_lowercase().into(), value.into());
    }

    /// The value of a setting, by its name in lower case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(AsRef::as_ref)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The names of settings that belong to no module of the server: once set, a session never
    /// loses them again.
    pub fn custom_names(&self) -> impl Iterator<Item = &str> {
        self.iter()
            .map(|(name, _)| name)
            .filter(|name| is_custom(name))
    }

    /// Whether a connection in this state can be brought to that one.
    pub fn may_become(&self, wanted: &Self) -> bool {
        Arc::ptr_eq(&self.values, &wanted.values)
            || self.custom_names().all(|name| wanted.get(name).is_some())
    }

    /// What brings a connection from this state to that one; none where both are the same.
    pub fn replay<'v>(&'v self, wanted: &'v Self) -> Option<Replay<'v>> {
        if self == wanted {
            return None;
        }
        let gone = self.iter().filter(|(name, _)| wanted.get(name).is_none());
        let other = wanted
            .iter()
            .filter(|(name, value)| self.get(name) != Some(value));
        Some(Replay {
            reset: gone.map(|(name, _)| name).collect(),
            set: other.collect(),
        })
    }

    /// A digest of those on which it depends what a text means when it is prepared, wherever its
    /// names are looked up: that a server does anew.
    pub fn meaning(&self) -> u64 {
        self.digest(|name| !keeps_meaning(name))
    }

    /// The same with where names are looked up.
    pub fn meaning_with_names(&self) -> u64 {
        self.digest(|name| name == SEARCH_PATH || !keeps_meaning(name))
    }

    fn digest(&self, matters: impl Fn(&str) -> bool) -> u64 {
        let mut hasher = blake3::Hasher::new();
        for (name, value) in self.iter().filter(|(name, _)| matters(name)) {
            // No name or value has a zero in it.
            for part in [name, value] {
                hasher.update(part.as_bytes()).update(&[0]);
            }
        }
        let [a, b, c, d, e, f, g, h, ..] = *hasher.finalize().as_bytes();
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}

impl PartialEq for SetValues {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values) || self.values == other.values
    }
}

impl Eq for SetValues {}

/// Whether a setting is of no module of the server that describes it.
pub fn is_custom(name: &str) -> bool {
    name.contains('.')
}

/// Whether a statement that is prepared means the same whatever the setting is: it acts when the
/// statement runs, or has the server look names up anew.
fn keeps_meaning(name: &str) -> bool {
    is_custom(name)
        || name.ends_with("_timeout")
        || name.starts_with("enable_")
        || name.starts_with("jit")
        || name.starts_with("default_transaction_")
        || KEEPS_MEANING.contains(&name)
}

const SEARCH_PATH: &str = "search_path";

const KEEPS_MEANING: [&str; 9] = [
    "application_name",
    "bytea_output",
    "client_encoding",
    "client_min_messages",
    "extra_float_digits",
    "plan_cache_mode",
    SEARCH_PATH,
    "standard_conforming_strings",
    "work_mem",
];

impl fmt::Debug for SetValues {
    /// Without the values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.iter().map(|(name, _)| name);
        formatter.debug_set().entries(names).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> SetValues {
        let mut values = SetValues::default();
        for (name, value) in pairs {
            values.insert(name, value);
        }
        values
    }

    #[test]
    fn only_the_difference_is_replayed() {
        let before = of(&[("TimeZone", "UTC"), ("work_mem", "4096"), ("jit", "off")]);
        let wanted = of(&[("timezone", "UTC"), ("work_mem", "64"), ("a.b", "x")]);
        let replay = before.replay(&wanted).unwrap();
        assert_eq!(replay.reset, ["jit"]);
        assert_eq!(replay.set, [("a.b", "x"), ("work_mem", "64")]);
        assert_eq!(wanted.replay(&wanted.clone()), None);
        assert_eq!(SetValues::default().replay(&SetValues::default()), None);
    }

    #[test]
    fn a_custom_setting_never_leaves_a_connection() {
        let tenant = of(&[("app.tenant", "7")]);
        assert!(!tenant.may_become(&SetValues::default()));
        assert!(tenant.may_become(&of(&[("app.tenant", "8")])));
        assert!(SetValues::default().may_become(&tenant));
        assert!(of(&[("jit", "off")]).may_become(&SetValues::default()));
    }

    #[test]
    fn what_literals_mean_depends_on_some() {
        let none = SetValues::default().meaning();
        for same in ["search_path", "statement_timeout", "app.tenant", "jit"] {
            assert_eq!(of(&[(same, "1")]).meaning(), none, "{same}");
        }
        for other in ["timezone", "datestyle", "intervalstyle", "xmloption"] {
            assert_ne!(of(&[(other, "1")]).meaning(), none, "{other}");
        }
        let [utc, berlin] = ["UTC", "Europe/Berlin"].map(|zone| of(&[("timezone", zone)]));
        assert_ne!(utc.meaning(), berlin.meaning());
    }
}
