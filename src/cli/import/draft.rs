//! The settings that are written, with what there is to be said about them.

use std::collections::BTreeSet;

use crate::cli::policy::rewrite::{ListedEntry, YamlWriter};
use crate::config::keys::KEYS;
use crate::policy::yaml::tree::{YamlEntry, YamlTree, YamlValue};

/// Settings under construction.
#[derive(Default)]
pub struct SettingsDraft {
    values: Vec<DraftValue>,
    notes: Vec<ImportNote>,
}

/// The value of a key.
struct DraftValue {
    path: &'static str,
    form: DraftForm,
    comment: String,
}

/// What is written.
enum DraftForm {
    Word(String),
    Words(Vec<String>),
    /// Maps, and what is said of them.
    Maps(Vec<Vec<(&'static str, String)>>, &'static str),
    /// A value that the reader has to put there.
    Wanted(&'static str),
}

/// Something that there is to be said.
pub struct ImportNote {
    /// What it means for the reader.
    pub kind: NoteKind,
    /// What it is about.
    pub subject: String,
    /// Where that stands; empty where nowhere.
    pub place: String,
    /// What there is to know.
    pub words: String,
}

/// What a note means for the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// It is not there, and that changes what happens.
    LeftOut,
    /// The reader has to choose.
    Decide,
    /// It is there in another way.
    Differs,
}

impl SettingsDraft {
    /// A key with a word; what is said about it stands above it.
    pub fn word(&mut self, path: &'static str, word: impl Into<String>, comment: &str) {
        self.put(path, DraftForm::Word(word.into()), comment);
    }

    /// A key with a list, or with the only word of one.
    pub fn words(&mut self, path: &'static str, mut words: Vec<String>) {
        let form = match words.len() {
            1 => DraftForm::Word(words.swap_remove(0)),
            _ => DraftForm::Words(words),
        };
        self.put(path, form, "");
    }

    /// `client.auth.users`.
    pub fn users(&mut self, users: Vec<Vec<(&'static str, String)>>) {
        let form = DraftForm::Maps(users, "who may log in");
        self.put(USERS, form, "");
    }

    /// `databases`.
    pub fn databases(&mut self, databases: Vec<Vec<(&'static str, String)>>) {
        let form = DraftForm::Maps(databases, "at other servers, or by another name there");
        self.put("databases", form, "");
    }

    /// The word that a key was given.
    pub fn given(&self, path: &str) -> Option<&str> {
        let value = self.values.iter().find(|value| value.path == path)?;
        match &value.form {
            DraftForm::Word(word) => Some(word),
            DraftForm::Words(_) | DraftForm::Maps(..) | DraftForm::Wanted(_) => None,
        }
    }

    /// Whether one of these keys is written.
    pub fn has(&self, paths: &[&str]) -> bool {
        self.values.iter().any(|value| paths.contains(&value.path))
    }

    /// The names of `client.auth.users`.
    pub fn user_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for value in &self.values {
            if let (DraftForm::Maps(users, _), USERS) = (&value.form, value.path) {
                let words = users.iter().flatten();
                let named = words.filter(|(key, _)| *key == "name");
                names.extend(named.map(|(_, name)| name.as_str()));
            }
        }
        names
    }

    /// A key whose value is not known here; the line is a comment until the reader changes it.
    pub fn wanted(&mut self, path: &'static str, example: &'static str, comment: &str) {
        self.put(path, DraftForm::Wanted(example), comment);
    }

    /// What changes what happens.
    pub fn left_out(&mut self, subject: impl Into<String>, place: &str, words: impl Into<String>) {
        self.note(NoteKind::LeftOut, subject, (place, words));
    }

    /// What the reader has to choose.
    pub fn decide(&mut self, subject: impl Into<String>, place: &str, words: impl Into<String>) {
        self.note(NoteKind::Decide, subject, (place, words));
    }

    /// What is there in another way.
    pub fn differs(&mut self, subject: impl Into<String>, place: &str, words: impl Into<String>) {
        self.note(NoteKind::Differs, subject, (place, words));
    }

    fn note(
        &mut self,
        kind: NoteKind,
        subject: impl Into<String>,
        (place, words): (&str, impl Into<String>),
    ) {
        self.notes.push(ImportNote {
            kind,
            subject: subject.into(),
            place: place.to_owned(),
            words: words.into(),
        });
    }

    fn put(&mut self, path: &'static str, form: DraftForm, comment: &str) {
        self.values.push(DraftValue {
            path,
            form,
            comment: comment.to_owned(),
        });
    }

    /// What was said, in order.
    pub fn notes(&self) -> &[ImportNote] {
        &self.notes
    }

    /// The file, with a head.
    pub fn text(&self, head: &str) -> String {
        let order = |path: &str| KEYS.iter().position(|key| key.path == path);
        // The keys of a group stand together, also where the table has others between them.
        let group = |path: &str| {
            let own = group_of(path);
            KEYS.iter().position(|key| group_of(key.path) == own)
        };
        let mut values: Vec<&DraftValue> = self.values.iter().collect();
        values.sort_by_key(|value| (group(value.path), order(value.path)));
        let mut out = YamlWriter::default();
        out.comment(0, head);
        for (kind, title) in TITLES {
            let mut notes = self.notes.iter().filter(|note| note.kind == *kind);
            let Some(first) = notes.next() else {
                continue;
            };
            out.comment(0, &format!("\n{title}"));
            for note in std::iter::once(first).chain(notes) {
                out.comment(0, &note.wrapped());
            }
        }
        let mut open: BTreeSet<String> = BTreeSet::new();
        let mut group = "";
        for value in values {
            let parts: Vec<&str> = value.path.split('.').collect();
            let own = group_of(value.path);
            if own != group {
                group = own;
                out.gap();
            }
            let (key, above) = parts.split_last().unwrap_or((&"", &[]));
            for depth in 1..=above.len() {
                let path = above.get(..depth).unwrap_or_default().join(".");
                let name = above.get(depth - 1).copied().unwrap_or_default();
                if open.insert(path) {
                    out.open(depth - 1, name);
                }
            }
            value.write(above.len(), key, &mut out);
        }
        out.finish()
    }
}

impl DraftValue {
    fn write(&self, indent: usize, key: &str, out: &mut YamlWriter) {
        for line in wrapped(&self.comment, "", LINE_WIDTH - 2 * indent) {
            out.comment(indent, &line);
        }
        match &self.form {
            DraftForm::Word(word) => out.word(indent, key, word),
            DraftForm::Words(words) => {
                let listed = words.iter().map(|word| ListedEntry {
                    word: word.clone(),
                    comment: String::new(),
                });
                out.list(indent, key, &listed.collect::<Vec<_>>());
            }
            DraftForm::Maps(maps, comment) => {
                let maps: Vec<YamlTree> = maps.iter().map(|map| flow_map(map)).collect();
                out.flows(indent, key, &maps, comment);
            }
            DraftForm::Wanted(example) => out.comment(indent, &format!("{key}: {example}")),
        }
    }
}

impl ImportNote {
    /// The note on lines that are not too long, as an entry of a list.
    fn wrapped(&self) -> String {
        let Self {
            subject,
            place,
            words,
            ..
        } = self;
        let at = match place.as_str() {
            "" => String::new(),
            place => format!(" ({place})"),
        };
        wrapped(&format!("{subject}{at}: {words}"), "  ", LINE_WIDTH).join("\n")
    }
}

/// Words on lines of such a width. Lines but the first begin with the indent; the first with a dash
/// where there is one.
fn wrapped(words: &str, indent: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = match indent {
        "" => String::new(),
        _ => "-".to_owned(),
    };
    for word in words.split_whitespace() {
        let is_full = line.chars().count() + word.chars().count() >= width;
        if is_full && line.len() > 1 {
            lines.push(std::mem::replace(&mut line, format!("{indent}{word}")));
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The first word of a path.
fn group_of(path: &str) -> &str {
    path.split_once('.').map_or(path, |(group, _)| group)
}

fn flow_map(map: &[(&'static str, String)]) -> YamlTree {
    let place = YamlTree::word("").place;
    let entries = map.iter().map(|(key, word)| YamlEntry {
        key: (*key).to_owned(),
        place,
        tree: YamlTree::word(word),
    });
    YamlTree {
        value: YamlValue::Map(entries.collect()),
        place,
    }
}

/// The key of those who may log in.
const USERS: &str = "client.auth.users";

/// Letters of a line of comment.
const LINE_WIDTH: usize = 98;

/// What stands above notes of each kind.
#[rustfmt::skip]
const TITLES: &[(NoteKind, &str)] = &[
    (NoteKind::LeftOut, "LEFT OUT, which changes what happens:"),
    (NoteKind::Decide, "TO DECIDE:"),
    (NoteKind::Differs, "DIFFERENT, or to be had in another way:"),
];
