//! The parts of a policy file: maps, lists and words, and the report of what is wrong with them.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::tree::{YamlEntry, YamlPlace, YamlTree, YamlValue};
use crate::settings::setting_value;
use crate::similar_names::{nearest, wanted_words};
use crate::{Policy, PolicyProblem, schema};

/// What is wrong, with places that can be put in order.
pub(crate) type PlacedProblems = Vec<(YamlPlace, PolicyProblem)>;

/// A map whose keys are taken one by one; what is left over at the end is unknown.
pub(crate) struct YamlSection {
    path: String,
    place: YamlPlace,
    entries: Vec<YamlEntry>,
    known: Vec<&'static str>,
}

impl YamlSection {
    /// Whether it has a key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// Where it begins.
    pub(crate) fn place(&self) -> YamlPlace {
        self.place
    }

    pub(crate) fn open(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Self> {
        let place = tree.place;
        let entries = map(tree, path, problems)?;
        Some(Self {
            path: path.to_owned(),
            place,
            entries,
            known: Vec::new(),
        })
    }

    pub(crate) fn required<T>(
        &mut self,
        key: &'static str,
        problems: &mut PlacedProblems,
        read: impl FnOnce(YamlTree, &str, &mut PlacedProblems) -> Option<T>,
    ) -> Option<T> {
        self.known.push(key);
        let path = join(&self.path, key);
        #[cfg(test)]
        asked::note(&path);
        let Some(at) = self.entries.iter().position(|entry| entry.key == key) else {
            report(problems, self.place, &path, "this key is missing");
            return None;
        };
        read(self.entries.remove(at).tree, &path, problems)
    }

    /// A key that may be left out, which means `absent`.
    pub(crate) fn optional<T>(
        &mut self,
        key: &'static str,
        absent: T,
        problems: &mut PlacedProblems,
        read: impl FnOnce(YamlTree, &str, &mut PlacedProblems) -> Option<T>,
    ) -> Option<T> {
        if self.entries.iter().any(|entry| entry.key == key) {
            return self.required(key, problems, read);
        }
        self.known.push(key);
        #[cfg(test)]
        asked::note(&join(&self.path, key));
        Some(absent)
    }

    /// A section that may be left out, which means what it means without a key in it.
    pub(crate) fn section<T>(
        &mut self,
        key: &'static str,
        problems: &mut PlacedProblems,
        read: impl FnOnce(YamlTree, &str, &mut PlacedProblems) -> Option<T>,
    ) -> Option<T> {
        let place = self.place;
        let value = YamlValue::Map(Vec::new());
        self.given(key, || Some(YamlTree { value, place }), problems, read)
    }

    /// A key that may be left out, which means what it means with this value.
    pub(crate) fn given<T>(
        &mut self,
        key: &'static str,
        absent: impl FnOnce() -> Option<YamlTree>,
        problems: &mut PlacedProblems,
        read: impl FnOnce(YamlTree, &str, &mut PlacedProblems) -> Option<T>,
    ) -> Option<T> {
        if !self.has(key) {
            let place = self.place;
            let tree = absent()?;
            let key = key.to_owned();
            self.entries.push(YamlEntry { key, place, tree });
        }
        self.required(key, problems, read)
    }

    /// One of several words, or `absent` where none is said.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        absent: T,
        choices: &[(&str, T)],
        problems: &mut PlacedProblems,
    ) -> Option<T> {
        self.optional(key, absent, problems, |tree, path, problems| {
            chosen(tree, path, choices, problems)
        })
    }

    pub(crate) fn close(self, problems: &mut PlacedProblems) {
        for entry in &self.entries {
            let near = nearest(&entry.key, self.known.iter().copied());
            let near = match near {
                Some(near) => format!("did you mean {near}? "),
                None => remedy(&self.path, &entry.key),
            };
            let what = format!("unknown key; {near}known here: {}", self.known.join(", "));
            report(problems, entry.place, &join(&self.path, &entry.key), &what);
        }
    }
}

/// Where a key that a section does not have belongs, or nothing.
fn remedy(section: &str, key: &str) -> String {
    if let Some(home) = schema::home_of(key) {
        return format!("write {home} instead; ");
    }
    if Policy::agent().setting(key).is_some() && section != "settings.allow" {
        return format!("a setting that clients may make is written settings.allow.{key}; ");
    }
    match section.is_empty() && schema::SETTINGS_KEYS.contains(&key) {
        true => "it is a key of the settings file (--config), not of a policy; ".to_owned(),
        false => String::new(),
    }
}

/// One word of several.
pub(crate) fn chosen<T: Copy>(
    tree: YamlTree,
    path: &str,
    choices: &[(&str, T)],
    problems: &mut PlacedProblems,
) -> Option<T> {
    let (place, word) = word(tree, path, problems)?;
    let found = choices.iter().find(|(name, _)| *name == word);
    if found.is_none() {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        report(problems, place, path, &wanted_words(&word, &names));
    }
    found.map(|(_, choice)| *choice)
}

pub(crate) fn map(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Vec<YamlEntry>> {
    match tree.value {
        YamlValue::Map(entries) => Some(entries),
        YamlValue::Nothing | YamlValue::Word(_) | YamlValue::List(_) => {
            report(
                problems,
                tree.place,
                path,
                "a map of keys is wanted here, as key: value",
            );
            None
        }
    }
}

pub(crate) fn words(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Vec<String>> {
    list(tree, path, problems, |word| Ok(word.to_owned()))
}

/// A list of words, each of which `read` makes something of, or says what is wrong with it.
pub(crate) fn list<T>(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
    read: impl Fn(&str) -> Result<T, &'static str>,
) -> Option<Vec<T>> {
    let read = |word: &str| read(word).map_err(str::to_owned);
    let items = placed(tree, path, problems, read)?;
    Some(items.into_iter().map(|(_, item)| item).collect())
}

/// The same, with the place of each.
pub(crate) fn placed<T>(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
    read: impl Fn(&str) -> Result<T, String>,
) -> Option<Vec<(YamlPlace, T)>> {
    let list = match tree.value {
        YamlValue::List(list) => list,
        YamlValue::Word(word) => {
            let what = format!("a list is wanted here, as [{word}]");
            report(problems, tree.place, path, &what);
            return None;
        }
        YamlValue::Nothing | YamlValue::Map(_) => {
            report(problems, tree.place, path, "a list is wanted here");
            return None;
        }
    };
    let mut items = Vec::new();
    let mut sound = true;
    for item in list {
        let made = word(item, path, problems).and_then(|(place, word)| match read(&word) {
            Ok(item) => Some((place, item)),
            Err(what) => {
                report(problems, place, path, &what);
                None
            }
        });
        sound &= made.is_some();
        items.extend(made);
    }
    sound.then_some(items)
}

/// A word alone as the list of it.
pub(crate) fn listed(tree: YamlTree) -> YamlTree {
    match tree.value {
        YamlValue::Word(word) => {
            let place = tree.place;
            let value = YamlValue::Word(word);
            let value = YamlValue::List(vec![YamlTree { value, place }]);
            YamlTree { value, place }
        }
        YamlValue::Nothing | YamlValue::List(_) | YamlValue::Map(_) => tree,
    }
}

pub(crate) fn word(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<(YamlPlace, String)> {
    match tree.value {
        YamlValue::Word(word) => Some((tree.place, word)),
        YamlValue::Nothing | YamlValue::List(_) | YamlValue::Map(_) => {
            report(
                problems,
                tree.place,
                path,
                "a single word or number is wanted here",
            );
            None
        }
    }
}

pub(crate) fn number(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<i64> {
    let (place, word) = word(tree, path, problems)?;
    let read = setting_value::integer(&word);
    if read.is_none() {
        report(problems, place, path, "a whole number is wanted here");
    }
    read
}

/// A number within bounds, whole or not as its type is, or `off`: no bound.
pub(crate) fn within_or_off<T: FromStr + PartialOrd + fmt::Display>(
    tree: YamlTree,
    path: &str,
    bounds: RangeInclusive<T>,
    problems: &mut PlacedProblems,
) -> Option<Option<T>> {
    let (place, word) = word(tree, path, problems)?;
    if word == "off" {
        return Some(None);
    }
    let read = word.parse().ok().filter(|read| bounds.contains(read));
    if read.is_none() {
        let (least, most) = (bounds.start(), bounds.end());
        let what = format!("a number from {least} to {most} is wanted, or off for no bound");
        report(problems, place, path, &what);
    }
    read.map(Some)
}

pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

pub(crate) fn report(problems: &mut PlacedProblems, place: YamlPlace, path: &str, what: &str) {
    problems.push((
        place,
        PolicyProblem {
            place: place.of(path),
            what: what.to_owned(),
        },
    ));
}

/// Which keys the reader has asked for, so that a test can compare them with the table of keys.
#[cfg(test)]
pub(crate) mod asked {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    thread_local! {
        static PATHS: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
    }

    pub(crate) fn note(path: &str) {
        PATHS.with_borrow_mut(|paths| paths.insert(path.to_owned()));
    }

    /// Those of this thread since it was asked last.
    pub(crate) fn take() -> BTreeSet<String> {
        PATHS.take()
    }
}
