//! What the sources say, by key: unknown keys and variables are found here, values are not read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::config::SettingsProblem;
use crate::config::keys::{FILE_VARIABLE, KEYS};
use crate::config::misplaced_keys;
use crate::config::settings_key::{KeyForm, SettingsKey, VARIABLE_PREFIX};
use crate::limits::CONFIG_FILE_BYTES_MAX;
use crate::policy::mask_key::MaskPad;
use crate::policy::similar_names::nearest;
use crate::policy::yaml::tree;
use crate::policy::yaml::tree::{YamlTree, YamlValue};
use crate::telemetry::log::key_places::KeyPlaces;
use crate::text_file;

/// Where settings come from.
#[derive(Clone, Default)]
pub struct SettingsSources {
    /// Where the file is, to be read again.
    pub path: Option<PathBuf>,
    /// The file, if there is one.
    pub file: Option<SettingsFile>,
    /// The environment; variables that are not of pgsieve are passed over.
    pub variables: Vec<(String, String)>,
    /// Flags that stand for a key.
    pub flags: Vec<FlagValue>,
    /// What this process combines the key of masks with, if it could draw one.
    pub mask_pad: Option<MaskPad>,
}

/// A settings file as read from the disk.
#[derive(Clone)]
pub struct SettingsFile {
    /// What to call it in problems.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// A flag that stands for a key.
#[derive(Clone)]
pub struct FlagValue {
    /// The key's path.
    pub path: &'static str,
    /// The flag as it is typed.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// The values of the keys that were given, and what is wrong so far.
#[derive(Default)]
pub struct GivenSettings {
    /// By path; the source that wins.
    pub given: BTreeMap<&'static str, GivenValue>,
    /// What is wrong.
    pub problems: Vec<SettingsProblem>,
    /// Whether the file, if there is one, says anything.
    pub file: FileRead,
}

/// Whether a settings file could be read at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileRead {
    /// As settings, whatever is wrong with them; or there is no file.
    #[default]
    Whole,
    /// Nothing in it is known.
    Not,
}

/// A value as given.
pub struct GivenValue {
    /// The source, to put before a place inside the value.
    pub source: ValueSource,
    /// Where the value stands.
    pub place: String,
    /// The value.
    pub value: YamlValue,
}

/// A kind of source.
#[derive(Clone, Debug)]
pub enum ValueSource {
    /// A file of this name.
    File(String),
    /// A variable or flag: the place says it all.
    Named(String),
}

impl SettingsSources {
    /// The same, with what the file says now. What has come through a pipe has come once.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn reread(&self) -> Result<Self, Vec<SettingsProblem>> {
        let Some(path) = &self.path else {
            return Ok(self.clone());
        };
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Ok(self.clone());
        }
        let name = path.display().to_string();
        let text = text_file::read(path, CONFIG_FILE_BYTES_MAX).map_err(|fault| {
            vec![SettingsProblem {
                place: name.clone(),
                what: format!("the file cannot be read: {}", fault.describe(path)),
            }]
        })?;
        Ok(Self {
            file: Some(SettingsFile { name, text }),
            ..self.clone()
        })
    }
}

/// Collects what all sources say.
pub fn gather(sources: &SettingsSources) -> GivenSettings {
    let mut written = GivenSettings::default();
    if let Some(file) = &sources.file {
        match tree::read(&file.text) {
            Ok(tree) if misplaced_keys::is_policy(&tree) => {
                written.file = FileRead::Not;
                written.add(&file.name, POLICY_GIVEN);
            }
            Ok(tree) => flatten(&mut written, &file.name, tree, ""),
            Err(problem) => {
                written.file = FileRead::Not;
                let place = format!("{}:{}", file.name, problem.place);
                written.problems.push(SettingsProblem {
                    place,
                    what: problem.what,
                });
            }
        }
    }
    for (name, value) in &sources.variables {
        if name == FILE_VARIABLE {
            continue;
        }
        if let Some(rest) = name.strip_prefix(VARIABLE_PREFIX) {
            variable(&mut written, name, rest, value);
        }
    }
    for flag in &sources.flags {
        match SettingsKey::at(flag.path) {
            Some(key) => put(&mut written, key, flag.name, &flag.value),
            None => written.add(flag.name, "stands for a key that does not exist"),
        }
    }
    written
}

/// Where keys are given, and the entries of users, which have names.
pub fn places(written: &GivenSettings) -> KeyPlaces {
    let given = written.given.iter();
    let keys = given.map(|(key, given)| ((*key).to_owned(), given.place.clone()));
    let named = |given: &GivenValue, tree: &YamlTree| {
        let YamlValue::Map(entries) = &tree.value else {
            return None;
        };
        let name = entries.iter().find(|entry| entry.key == "name")?;
        match &name.tree.value {
            YamlValue::Word(name) => Some((name.clone(), given.source.place(tree.place, USERS))),
            YamlValue::Nothing | YamlValue::List(_) | YamlValue::Map(_) => None,
        }
    };
    let users = match written.given.get(USERS) {
        Some(given) => match &given.value {
            YamlValue::List(list) => list.iter().filter_map(|tree| named(given, tree)).collect(),
            YamlValue::Nothing | YamlValue::Word(_) | YamlValue::Map(_) => BTreeMap::new(),
        },
        None => BTreeMap::new(),
    };
    KeyPlaces::new(keys.collect(), users)
}

impl GivenSettings {
    fn add(&mut self, place: &str, what: impl Into<String>) {
        self.problems.push(SettingsProblem {
            place: place.into(),
            what: what.into(),
        });
    }
}

impl ValueSource {
    /// A place inside a value of this source.
    pub fn place(&self, inner: tree::YamlPlace, path: &str) -> String {
        match self {
            Self::File(name) => format!("{name}:{}", inner.of(path)),
            Self::Named(name) if SettingsKey::at(path).is_some() => name.clone(),
            Self::Named(name) => format!("{name} {path}"),
        }
    }
}

/// Walks down a file's maps as far as keys go.
fn flatten(written: &mut GivenSettings, file: &str, tree: YamlTree, above: &str) {
    let YamlTree { value, place } = tree;
    let entries = match value {
        YamlValue::Map(entries) => entries,
        YamlValue::Nothing => return,
        YamlValue::Word(_) | YamlValue::List(_) => {
            let place = format!("{file}:{}", place.of(above));
            let within = misplaced_keys::within(above);
            let what = match above {
                "" => "keys are wanted here, as upstream: {url: postgres://host:port/database}"
                    .to_owned(),
                _ => format!("a group of keys is wanted here, not a value: {within}"),
            };
            return written.add(&place, what);
        }
    };
    for entry in entries {
        let path = if above.is_empty() {
            entry.key.clone()
        } else {
            format!("{above}.{}", entry.key)
        };
        let place = format!("{file}:{}", entry.place.of(&path));
        if let Some(key) = SettingsKey::at(&path) {
            let given = GivenValue {
                source: ValueSource::File(file.into()),
                place,
                value: entry.tree.value,
            };
            if written.given.contains_key(key.path) {
                written.add(&given.place, "is given twice");
            }
            written.given.insert(key.path, given);
        } else if KEYS
            .iter()
            .any(|key| key.path.starts_with(&format!("{path}.")))
        {
            flatten(written, file, entry.tree, &path);
        } else {
            let near = nearest(&path, KEYS.iter().map(|key| key.path));
            let what = match (near, misplaced_keys::remedy(&path)) {
                (None, Some(remedy)) => format!("unknown key; {remedy}"),
                (near, _) => unknown("key", near),
            };
            written.add(&place, what);
        }
    }
}

fn variable(written: &mut GivenSettings, name: &str, rest: &str, value: &str) {
    match KEYS.iter().find(|key| key.variable() == name) {
        Some(key) => put(written, key, name, value),
        None => {
            let known: Vec<String> = KEYS.iter().map(SettingsKey::variable).collect();
            let bare = known
                .iter()
                .filter_map(|known| known.strip_prefix(VARIABLE_PREFIX));
            let near = nearest(rest, bare).map(|near| format!("{VARIABLE_PREFIX}{near}"));
            written.add(name, unknown("variable", near.as_deref()));
        }
    }
}

/// A value out of a variable or flag.
fn put(written: &mut GivenSettings, key: &'static SettingsKey, place: &str, text: &str) {
    let value = match key.form {
        KeyForm::Word => YamlValue::Word(text.into()),
        KeyForm::Words => {
            let words = text.split(',').map(|word| YamlTree::word(word.trim()));
            YamlValue::List(words.collect())
        }
        KeyForm::Users => match tree::read(text) {
            Ok(tree) => tree.value,
            Err(_) => return written.add(place, "is not readable as YAML: a list is wanted"),
        },
    };
    let source = ValueSource::Named(place.into());
    written.given.insert(
        key.path,
        GivenValue {
            source,
            place: place.into(),
            value,
        },
    );
}

fn unknown(what: &str, near: Option<&str>) -> String {
    match near {
        Some(near) => format!("unknown {what}; did you mean {near}?"),
        None => format!("unknown {what}"),
    }
}

/// The key whose values have names of their own.
const USERS: &str = "client.auth.users";

/// What is said to whoever gives a policy for settings.
const POLICY_GIVEN: &str = "this is a policy file, not settings: name it in policy.file or with \
                            --policy, and give --config a file with upstream.url";
