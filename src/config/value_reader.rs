//! One value at a time: takes a key's value out of what is written and checks its form.
//!
//! A value that is absent or wrong is `None`; a wrong one leaves a problem. No problem shows the
//! value itself.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::config::SettingsProblem;
use crate::config::settings_key::SettingsKey;
use crate::config::sources::{GivenSettings, GivenValue, ValueSource};
use crate::limits::CONFIG_FILE_BYTES_MAX;
use crate::policy::similar_names;
use crate::policy::yaml::tree::{YamlEntry, YamlValue};
use crate::secret::Secret;
use crate::text_file::{self, TextFault};

/// What is left to read, and what is wrong so far.
pub struct KeyReader {
    given: BTreeMap<&'static str, GivenValue>,
    problems: Vec<SettingsProblem>,
    environment: BTreeMap<String, Secret>,
    /// The places whose files hold secrets that others can read.
    exposed: Vec<String>,
    /// The files that were named, each with the place.
    files: Vec<(PathBuf, String)>,
    reading: ReadingPass,
}

/// The how manieth time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingPass {
    /// What is named may be a pipe.
    First,
    /// A pipe has said all that it had to say, and could keep the reader for ever.
    Reread,
}

/// A text and where it stands.
pub struct PlacedWord {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub place: String,
}

/// Whether a key was given, and given rightly.
pub enum ReadValue<T> {
    /// It was not given.
    Absent,
    /// It was given wrongly; the problem is noted.
    Wrong,
    /// It was given.
    Given(T),
}

impl KeyReader {
    /// Takes over what is written, for the first time.
    pub fn new(written: GivenSettings, environment: &[(String, String)]) -> Self {
        Self::at(ReadingPass::First, written, environment)
    }

    /// Takes over what is written.
    pub fn at(
        reading: ReadingPass,
        written: GivenSettings,
        environment: &[(String, String)],
    ) -> Self {
        let secret = |(name, value): &(String, String)| (name.clone(), Secret::new(value));
        let environment = environment.iter().map(secret).collect();
        let GivenSettings {
            given, problems, ..
        } = written;
        Self {
            given,
            problems,
            environment,
            exposed: Vec::new(),
            files: Vec::new(),
            reading,
        }
    }

    /// The files that were named so far, each with the place where it is.
    pub fn files(&self) -> Vec<(PathBuf, String)> {
        self.files.clone()
    }

    /// Whether the settings were read before.
    pub fn is_again(&self) -> bool {
        self.reading == ReadingPass::Reread
    }

    /// Notes a file that another part reads.
    pub fn note_file(&mut self, path: &Path, place: &str) {
        self.files.push((path.to_owned(), place.to_owned()));
    }

    /// Notes a file that is about to be read; says whether it may be.
    fn may_open(&mut self, word: &PlacedWord) -> bool {
        self.note_file(Path::new(&word.text), &word.place);
        let again = self.reading == ReadingPass::Reread;
        // One that is missing is told as such where it is read.
        let is_stream = fs::metadata(&word.text).is_ok_and(|found| !found.is_file());
        let refused = again && is_stream && !Path::new(&word.text).is_dir();
        if refused {
            self.note(&word.place, "is no plain file, and is not read again");
        }
        !refused
    }

    /// What is wrong, in the order in which a person reads it.
    pub fn into_problems(mut self) -> Vec<SettingsProblem> {
        self.problems.dedup();
        self.problems
    }

    /// Notes a problem.
    pub fn note(&mut self, place: &str, what: impl Into<String>) {
        self.problems.push(SettingsProblem {
            place: place.into(),
            what: what.into(),
        });
    }

    /// Whether a key was given at all.
    pub fn has(&self, path: &str) -> bool {
        self.given.contains_key(path)
    }

    /// Where a key stands; its name when it was not given.
    pub fn place_of(&self, path: &str) -> String {
        self.given
            .get(path)
            .map_or_else(|| path.into(), |given| given.place.clone())
    }

    /// The value as it is, for lists of maps.
    pub fn take(&mut self, path: &str) -> Option<GivenValue> {
        self.given.remove(path)
    }

    /// The words of one map of a list, by key; each is to be one of these keys.
    pub fn entry_words(
        &mut self,
        source: &ValueSource,
        (path, keys): (&str, &'static [(&'static str, &'static str)]),
        entries: Vec<YamlEntry>,
    ) -> BTreeMap<&'static str, PlacedWord> {
        let mut words = BTreeMap::new();
        for entry in entries {
            let place = source.place(entry.place, &format!("{path}.{}", entry.key));
            let names = || keys.iter().map(|(name, _)| *name);
            let Some(key) = names().find(|name| *name == entry.key) else {
                let near = similar_names::nearest(&entry.key, names());
                let hint = near.map(|near| format!("; did you mean {near}?"));
                let hint = hint.unwrap_or_default();
                self.note(&place, format!("unknown key{hint}"));
                continue;
            };
            match entry.tree.value {
                YamlValue::Word(text) if !text.is_empty() => {
                    words.insert(key, PlacedWord { text, place });
                }
                _ => self.note(&place, "one value is wanted"),
            }
        }
        words
    }

    /// A text that is not empty.
    pub fn word(&mut self, path: &str) -> ReadValue<PlacedWord> {
        let Some(given) = self.given.get(path) else {
            return ReadValue::Absent;
        };
        let place = given.place.clone();
        match &given.value {
            YamlValue::Word(text) if !text.is_empty() => ReadValue::Given(PlacedWord {
                text: text.clone(),
                place,
            }),
            YamlValue::Word(_) | YamlValue::Nothing => {
                self.note(&place, form_problem("has no value", path));
                ReadValue::Wrong
            }
            YamlValue::List(_) | YamlValue::Map(_) => {
                self.note(&place, form_problem("one value is wanted", path));
                ReadValue::Wrong
            }
        }
    }

    /// The texts that a key is given as, right or wrong; none where it is not given.
    pub fn peek_words(&self, path: &str) -> Option<Vec<String>> {
        let word = |value: &YamlValue| match value {
            YamlValue::Word(text) => Some(text.clone()),
            YamlValue::Nothing | YamlValue::List(_) | YamlValue::Map(_) => None,
        };
        Some(match &self.given.get(path)?.value {
            YamlValue::List(list) => list.iter().filter_map(|tree| word(&tree.value)).collect(),
            other => word(other).into_iter().collect(),
        })
    }

    /// One text or a list of them.
    pub fn words(&mut self, path: &str) -> ReadValue<Vec<PlacedWord>> {
        let Some(given) = self.given.get(path) else {
            return ReadValue::Absent;
        };
        let YamlValue::List(list) = &given.value else {
            return match self.word(path) {
                ReadValue::Given(word) => ReadValue::Given(vec![word]),
                ReadValue::Absent => ReadValue::Absent,
                ReadValue::Wrong => ReadValue::Wrong,
            };
        };
        let mut words = Vec::new();
        let mut wrong = Vec::new();
        for tree in list {
            let place = given.source.place(tree.place, path);
            match &tree.value {
                YamlValue::Word(text) if !text.is_empty() => {
                    words.push(PlacedWord {
                        text: text.clone(),
                        place,
                    });
                }
                _ => wrong.push(place),
            }
        }
        if words.is_empty() && wrong.is_empty() {
            wrong.push(given.place.clone());
        }
        for place in &wrong {
            self.note(place, form_problem("a value is wanted", path));
        }
        if wrong.is_empty() {
            ReadValue::Given(words)
        } else {
            ReadValue::Wrong
        }
    }

    /// A whole number within bounds.
    pub fn number(&mut self, path: &str, bounds: RangeInclusive<u64>, absent: u64) -> Option<u64> {
        self.parsed(path, absent, |text| {
            let number = u64::from_str(text)
                .ok()
                .filter(|number| bounds.contains(number));
            number.ok_or_else(|| {
                format!(
                    "a whole number from {} to {} is wanted",
                    bounds.start(),
                    bounds.end()
                )
            })
        })
    }

    /// One of some words.
    pub fn choice<T: Copy>(&mut self, path: &str, choices: &[(&str, T)]) -> ReadValue<T> {
        let word = match self.word(path) {
            ReadValue::Given(word) => word,
            ReadValue::Absent => return ReadValue::Absent,
            ReadValue::Wrong => return ReadValue::Wrong,
        };
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == word.text) {
            return ReadValue::Given(*choice);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        self.note(&word.place, similar_names::wanted_words(&word.text, &names));
        ReadValue::Wrong
    }

    /// A value that some function reads; the function's error says what is wanted.
    pub fn parsed<T>(
        &mut self,
        path: &str,
        absent: T,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        match self.word(path) {
            ReadValue::Absent => Some(absent),
            ReadValue::Wrong => None,
            ReadValue::Given(word) => match read(&word.text) {
                Ok(value) => Some(value),
                Err(what) => {
                    self.note(&word.place, what);
                    None
                }
            },
        }
    }

    /// The path of a file that must be there.
    pub fn file(&mut self, path: &str) -> ReadValue<PathBuf> {
        match self.word(path) {
            ReadValue::Absent => ReadValue::Absent,
            ReadValue::Wrong => ReadValue::Wrong,
            ReadValue::Given(word) if !self.may_open(&word) => ReadValue::Wrong,
            ReadValue::Given(word) => match File::open(&word.text).and_then(|file| file.metadata())
            {
                Ok(found) if found.is_dir() => {
                    self.unreadable(&word, TextFault::System(ErrorKind::IsADirectory));
                    ReadValue::Wrong
                }
                Ok(_) => ReadValue::Given(word.text.into()),
                Err(error) => {
                    self.unreadable(&word, TextFault::of(error));
                    ReadValue::Wrong
                }
            },
        }
    }

    /// The text of a file, within the bound for files of settings.
    pub fn text_of(&mut self, word: &PlacedWord) -> Option<String> {
        if !self.may_open(word) {
            return None;
        }
        match text_file::read(Path::new(&word.text), CONFIG_FILE_BYTES_MAX) {
            Ok(text) => Some(text),
            Err(fault) => {
                self.unreadable(word, fault);
                None
            }
        }
    }

    fn unreadable(&mut self, word: &PlacedWord, fault: TextFault) {
        let told = match (looks_like_path(&word.text), fault) {
            (false, TextFault::System(ErrorKind::NotFound)) => NO_PATH.to_owned(),
            _ => fault.describe(Path::new(&word.text)),
        };
        self.note(&word.place, format!("the file cannot be read: {told}"));
    }

    /// Looks at who can read a file that holds a secret.
    pub fn note_secret_file(&mut self, file: &Path, place: &str) {
        if fs::metadata(file).is_ok_and(|found| is_exposed(found.mode(), found.uid())) {
            self.exposed.push(place.into());
        }
    }

    /// The keys whose files hold secrets that others can read.
    pub fn exposed_files(&self) -> Vec<String> {
        let key = |place: &String| place.rsplit(' ').next().unwrap_or(place).to_owned();
        self.exposed.iter().map(key).collect()
    }

    /// Makes problems of them.
    pub fn refuse_exposed(&mut self) {
        for place in std::mem::take(&mut self.exposed) {
            self.note(
                &place,
                "others can read the file: make it 0600, or 0640 and root's",
            );
        }
    }

    /// A variable of the environment that is not empty.
    pub fn variable(&self, name: &str) -> Option<Secret> {
        self.environment
            .get(name)
            .filter(|value| !value.reveal().is_empty())
            .cloned()
    }

    /// The first line of a file, as a secret.
    pub fn secret_in(&mut self, word: &PlacedWord) -> Option<Secret> {
        let text = self.text_of(word)?;
        self.note_secret_file(Path::new(&word.text), &word.place);
        let line = text.lines().next().unwrap_or_default();
        if line.is_empty() {
            let what = format!("the file's first line is empty: {}", word.text);
            self.note(&word.place, what);
            return None;
        }
        Some(Secret::new(line))
    }
}

/// Whether more than its owner can read a file, as Postgres asks it of its own key: what root owns
/// may be read by a group, for that is how systems hand keys to services.
fn is_exposed(mode: u32, owner: u32) -> bool {
    let allowed = if owner == 0 { 0o740 } else { 0o700 };
    mode & 0o777 & !allowed != 0
}

/// Whether a word was written as a path, and is no secret in the wrong place.
fn looks_like_path(word: &str) -> bool {
    let is_ending = |end: &str| {
        (1..=ENDING_LETTERS_MAX).contains(&end.len())
            && end.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let ending = word.rsplit_once('.').is_some_and(|(_, end)| is_ending(end));
    word.contains('/') && !word.contains("://") || ending
}

/// What is said of a file whose name may be the secret itself.
const NO_PATH: &str = "there is none of this name, which is not shown, for it is written like no \
                       path: the secret itself stands in the file, not here";

/// The longest ending of a file's name, such as `yaml`.
const ENDING_LETTERS_MAX: usize = 5;

/// What is wrong with the form of a value, and what the key is for. A variable is also not set by
/// being empty.
fn form_problem(what: &str, path: &str) -> String {
    match SettingsKey::at(path) {
        Some(key) => format!(
            "{what}; {path}: {} Left out or unset: {}",
            key.doc, key.default
        ),
        None => what.to_owned(),
    }
}

impl<T> ReadValue<T> {
    /// The value, or another one when it was not given; `None` when it was given wrongly.
    pub fn or(self, absent: T) -> Option<T> {
        match self {
            Self::Absent => Some(absent),
            Self::Wrong => None,
            Self::Given(value) => Some(value),
        }
    }

    /// Whether it was given: `Some(None)` when not, `None` when wrongly.
    pub fn optional(self) -> Option<Option<T>> {
        match self {
            Self::Absent => Some(None),
            Self::Wrong => None,
            Self::Given(value) => Some(Some(value)),
        }
    }
}
