//! The files of `tests/data/corpus` that speak about names, read into statements and their notes.
//! The heads of `reads.sql` and `hidden.sql` tell the form.

/// One statement of a corpus and what its notes say.
#[derive(Clone)]
pub struct Case {
    /// File and line.
    pub place: String,
    /// What the client sends.
    pub text: String,
    /// What hides the effect.
    pub kind: String,
    /// The trace that a direct run leaves.
    pub trace: String,
    /// Whether the direct run is the superuser's.
    pub as_owner: bool,
    /// The versions that run it.
    pub versions: std::ops::RangeInclusive<u16>,
    /// The extension that it needs, or something else that is not SQL.
    pub needs: Option<String>,
    /// The only policy that this is about.
    pub policy: Option<String>,
    /// Whether a value is lowered.
    pub clamped: bool,
    /// Whether the gate may be stricter than it would have to be.
    pub strict: bool,
}

impl Case {
    /// The same with another text.
    pub fn saying(&self, text: String) -> Self {
        Self {
            text,
            ..self.clone()
        }
    }
}

/// The statements of a file that a version runs.
pub fn cases(file: &str, corpus: &str, version: u16) -> Vec<Case> {
    let mut line = 1;
    let mut cases = Vec::new();
    for chunk in corpus.split_inclusive("----\n") {
        let text = chunk.strip_suffix("----\n").unwrap_or(chunk);
        cases.push(case(&format!("{file}.sql:{line}"), text));
        line += chunk.matches('\n').count();
    }
    let mut cases = cases.split_off(1);
    cases.retain(|case| case.versions.contains(&version));
    cases
}

fn case(place: &str, chunk: &str) -> Case {
    let mut case = Case {
        place: place.to_owned(),
        text: String::new(),
        kind: String::new(),
        trace: "lock".to_owned(),
        as_owner: false,
        versions: 13..=18,
        needs: None,
        policy: None,
        clamped: false,
        strict: false,
    };
    let mut text = chunk;
    while let Some((note, rest)) = text
        .strip_prefix("--!")
        .and_then(|rest| rest.split_once('\n'))
    {
        for word in note.split_whitespace() {
            take_note(word, &mut case);
        }
        text = rest;
    }
    case.text = text.strip_suffix('\n').unwrap_or(text).to_owned();
    case
}

fn take_note(word: &str, case: &mut Case) {
    let (from, to) = case.versions.clone().into_inner();
    match word.split_once('=') {
        Some(("kind", kind)) => case.kind = kind.to_owned(),
        Some(("trace", trace)) => case.trace = trace.to_owned(),
        Some(("as", who)) => case.as_owner = who == "owner",
        Some(("since", first)) => case.versions = first.parse().unwrap()..=to,
        Some(("until", last)) => case.versions = from..=last.parse().unwrap(),
        Some(("server", only)) => case.versions = only.parse().unwrap()..=only.parse().unwrap(),
        Some(("needs", what)) => case.needs = Some(what.to_owned()),
        Some(("policy", name)) => case.policy = Some(name.to_owned()),
        Some((other, _)) => panic!("{}: what is {other}=?", case.place),
        None => {
            case.clamped |= word == "clamped";
            case.strict |= word == "strict";
        }
    }
}

pub const HIDDEN: &str = include_str!("../../../data/corpus/hidden.sql");
pub const HARMLESS: &str = include_str!("../../../data/corpus/hidden_harmless.sql");
pub const ANALYTICS: &str = include_str!("../../../data/corpus/analytics.sql");
pub const EXTENSIONS: &str = include_str!("../../../data/corpus/extensions.sql");
pub const EXTENSIONS_REFUSED: &str = include_str!("../../../data/corpus/extensions_refused.sql");
pub const READS: &str = include_str!("../../../data/corpus/reads.sql");
pub const CLIENTS: &str = include_str!("../../../data/corpus/clients.sql");
pub const PSQL: &str = include_str!("../../../data/corpus/psql.sql");
pub const CATALOGS: &str = include_str!("../../../data/corpus/catalogs.sql");
