//! The files of `tests/data/corpus`, read into statements and what their notes say.

/// One statement of a corpus and what its notes say.
pub struct Entry {
    /// File and line.
    pub place: String,
    /// What the client sends.
    pub text: String,
    /// The rules of which one refuses it; any, when there is none.
    pub rules: Vec<String>,
    /// The only policy that this is about.
    pub policy: Option<String>,
    /// A value is lowered.
    pub clamped: bool,
    /// It is no SQL.
    pub unparsable: bool,
    /// The first version that knows it.
    pub since: u16,
    /// The only version that it was sent to.
    pub server: Option<u16>,
    /// Notes that say nothing to a test.
    pub not_understood: Vec<String>,
}

impl Entry {
    /// The same with another text.
    pub fn saying(&self, text: String) -> Entry {
        Entry {
            place: self.place.clone(),
            text,
            rules: self.rules.clone(),
            policy: self.policy.clone(),
            clamped: self.clamped,
            unparsable: false,
            since: self.since,
            server: self.server,
            not_understood: self.not_understood.clone(),
        }
    }
}

/// The statements of a file.
pub fn entries(file: &str, corpus: &str) -> Vec<Entry> {
    let mut line = 1;
    let mut chunks = Vec::new();
    for chunk in corpus.split_inclusive("----\n") {
        chunks.push((line, chunk.strip_suffix("----\n").unwrap_or(chunk)));
        line += chunk.matches('\n').count();
    }
    chunks
        .into_iter()
        .skip(1)
        .map(|(line, chunk)| entry(&format!("{file}.sql:{line}"), chunk))
        .collect()
}

fn entry(place: &str, chunk: &str) -> Entry {
    let mut entry = Entry {
        place: place.to_owned(),
        text: String::new(),
        rules: Vec::new(),
        policy: None,
        clamped: false,
        unparsable: false,
        since: 13,
        server: None,
        not_understood: Vec::new(),
    };
    let mut text = chunk;
    while let Some((note, rest)) = text
        .strip_prefix("--!")
        .and_then(|rest| rest.split_once('\n'))
    {
        for word in note.split_whitespace() {
            match word.split_once('=') {
                Some(("rule", names)) => {
                    entry.rules = names.split(',').map(str::to_owned).collect()
                }
                Some(("policy", name)) => entry.policy = Some(name.to_owned()),
                Some(("since", version)) => entry.since = version.parse().unwrap_or(u16::MAX),
                Some(("server", version)) => entry.server = version.parse().ok(),
                Some(("needs", _)) => {}
                Some(_) => entry.not_understood.push(word.to_owned()),
                None if word == "clamped" => entry.clamped = true,
                None if word == "unparsable" => entry.unparsable = true,
                None => {}
            }
        }
        text = rest;
    }
    entry.text = text.strip_suffix('\n').unwrap_or(text).to_owned();
    entry
}

pub const READS: &str = include_str!("../../../data/corpus/reads.sql");
pub const PSQL: &str = include_str!("../../../data/corpus/psql.sql");
pub const CATALOGS: &str = include_str!("../../../data/corpus/catalogs.sql");
pub const CLIENTS: &str = include_str!("../../../data/corpus/clients.sql");
pub const WRITES: &str = include_str!("../../../data/corpus/writes.sql");
pub const TRICKS: &str = include_str!("../../../data/corpus/tricks.sql");
