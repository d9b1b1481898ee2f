//! What the sources say, by key: unknown keys and variables are found here, values are not read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::config::Problem;
use crate::config::keys::{FILE_VARIABLE, Form, KEYS, Key, VARIABLE_PREFIX};
use crate::config::misplaced_keys;
use crate::limits::CONFIG_FILE_BYTES_MAX;
use crate::policy::mask_key::MaskPad;
use crate::policy::similar_names::nearest;
use crate::policy::yaml::tree;
use crate::policy::yaml::tree::{Tree, Value};
use crate::text_file;

/// Where settings come from.
#[derive(Clone, Default)]
pub struct Sources {
    /// Where the file is, to be read again.
    pub path: Option<PathBuf>,
    /// The file, if there is one.
    pub file: Option<FileText>,
    /// The environment; variables that are not of pgsieve are passed over.
    pub variables: Vec<(String, String)>,
    /// Flags that stand for a key.
    pub flags: Vec<Flag>,
    /// What this process combines the key of masks with, if it could draw one.
    pub mask_pad: Option<MaskPad>,
}

/// A settings file as read from the disk.
#[derive(Clone)]
pub struct FileText {
    /// What to call it in problems.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// A flag that stands for a key.
#[derive(Clone)]
pub struct Flag {
    /// The key's path.
    pub path: &'static str,
    /// The flag as it is typed.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// The values of the keys that were given, and what is wrong so far.
#[derive(Default)]
pub struct Written {
    /// By path; the source that wins.
    pub given: BTreeMap<&'static str, Given>,
    /// What is wrong.
    pub problems: Vec<Problem>,
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
pub struct Given {
    /// The source, to put before a place inside the value.
    pub source: Source,
    /// Where the value stands.
    pub place: String,
    /// The value.
    pub value: Value,
}

/// A kind of source.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file of this name.
    File(String),
    /// A variable or flag: the place says it all.
    Named(String),
}

impl Sources {
    /// The same, with what the file says now. What has come through a pipe has come once.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn again(&self) -> Result<Self, Vec<Problem>> {
        let Some(path) = &self.path else {
            return Ok(self.clone());
        };
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Ok(self.clone());
        }
        let name = path.display().to_string();
        let text = text_file::read(path, CONFIG_FILE_BYTES_MAX).map_err(|fault| {
            vec![Problem {
                place: name.clone(),
                what: format!("the file cannot be read: {}", fault.told(path)),
            }]
        })?;
        Ok(Self {
            file: Some(FileText { name, text }),
            ..self.clone()
        })
    }
}

/// Collects what all sources say.
pub fn gather(sources: &Sources) -> Written {
    let mut written = Written::default();
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
                written.problems.push(Problem {
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
        match Key::at(flag.path) {
            Some(key) => put(&mut written, key, flag.name, &flag.value),
            None => written.add(flag.name, "stands for a key that does not exist"),
        }
    }
    written
}

impl Written {
    fn add(&mut self, place: &str, what: impl Into<String>) {
        self.problems.push(Problem {
            place: place.into(),
            what: what.into(),
        });
    }
}

impl Source {
    /// A place inside a value of this source.
    pub fn place(&self, inner: tree::Place, path: &str) -> String {
        match self {
            Self::File(name) => format!("{name}:{}", inner.of(path)),
            Self::Named(name) if Key::at(path).is_some() => name.clone(),
            Self::Named(name) => format!("{name} {path}"),
        }
    }
}

/// Walks down a file's maps as far as keys go.
fn flatten(written: &mut Written, file: &str, tree: Tree, above: &str) {
    let Tree { value, place } = tree;
    let entries = match value {
        Value::Map(entries) => entries,
        Value::Nothing => return,
        Value::Word(_) | Value::List(_) => {
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
        if let Some(key) = Key::at(&path) {
            let given = Given {
                source: Source::File(file.into()),
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

fn variable(written: &mut Written, name: &str, rest: &str, value: &str) {
    match KEYS.iter().find(|key| key.variable() == name) {
        Some(key) => put(written, key, name, value),
        None => {
            let known: Vec<String> = KEYS.iter().map(Key::variable).collect();
            let bare = known
                .iter()
                .filter_map(|known| known.strip_prefix(VARIABLE_PREFIX));
            let near = nearest(rest, bare).map(|near| format!("{VARIABLE_PREFIX}{near}"));
            written.add(name, unknown("variable", near.as_deref()));
        }
    }
}

/// A value out of a variable or flag.
fn put(written: &mut Written, key: &'static Key, place: &str, text: &str) {
    let value = match key.form {
        Form::Word => Value::Word(text.into()),
        Form::Words => {
            let words = text.split(',').map(|word| Tree::word(word.trim()));
            Value::List(words.collect())
        }
        Form::Users => match tree::read(text) {
            Ok(tree) => tree.value,
            Err(_) => return written.add(place, "is not readable as YAML: a list is wanted"),
        },
    };
    let source = Source::Named(place.into());
    written.given.insert(
        key.path,
        Given {
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

/// What is said to whoever gives a policy for settings.
const POLICY_GIVEN: &str = "this is a policy file, not settings: name it in policy.file or with \
                            --policy, and give --config a file with upstream.url";
