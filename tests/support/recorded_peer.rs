//! The server's side of a conversation, by a file of `tests/data/engines`: what an engine that is
//! not at hand reports, takes and answers, as its documentation and its source have it. A question
//! that the file has no answer to is kept, for the test to fail by.
//!
//! Lines of a file, with a tab between words:
//!
//! * `versions 3.0`: any other version of the protocol is refused
//! * `report NAME VALUE`: a ParameterStatus of each login
//! * `setting NAME VALUE`: a setting and its value where nobody sets it; `reported NAME …`: those
//!   that are reported; `unknown ignored`, or `unknown refused`: what becomes of others at a login
//! * `ask PATTERN row VALUE…`, with `\N` for NULL; `ask PATTERN none`; `ask PATTERN tag TAG`;
//!   `ask PATTERN error CODE MESSAGE`: the first pattern counts, with `*` for anything
//!
//! SHOW, SET and the ends of transactions are answered by the settings.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use super::frames;

/// The server. Its threads end with the program.
pub struct RecordedPeer {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    recording: Mutex<Arc<Recording>>,
    heard: Mutex<Heard>,
}

/// What was heard of all connections.
#[derive(Default)]
struct Heard {
    logins: usize,
    asked: Vec<String>,
    unanswered: Vec<String>,
}

#[derive(Default)]
struct Recording {
    versions: Vec<String>,
    reports: Vec<(String, String)>,
    settings: BTreeMap<String, String>,
    reported: Vec<String>,
    ignores_unknown: bool,
    answers: Vec<(String, Answer)>,
}

#[derive(Clone)]
enum Answer {
    Row(Vec<Option<String>>),
    Nothing,
    Tag(String),
    Error(String, String),
}

struct Connection {
    stream: TcpStream,
    recording: Arc<Recording>,
    shared: Arc<Shared>,
    settings: BTreeMap<String, String>,
    status: u8,
    /// The text of each prepared statement, and of the portal.
    prepared: BTreeMap<String, String>,
    portal: String,
}

impl RecordedPeer {
    /// Speaks as that file of `tests/data/engines` has it.
    pub fn start(file: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            recording: Mutex::new(Arc::new(Recording::read(file, &[]))),
            heard: Mutex::default(),
        });
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&own);
                thread::spawn(move || Connection::serve(stream, shared));
            }
        });
        Self { port, shared }
    }

    /// Speaks as another file has it from now on, with these lines before its own.
    pub fn becomes(&self, file: &str, first: &[&str]) {
        *self.shared.recording.lock().unwrap() = Arc::new(Recording::read(file, first));
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How many sessions have logged in.
    pub fn logins(&self) -> usize {
        self.shared.heard.lock().unwrap().logins
    }

    /// What it was asked so far, white space made one blank.
    pub fn asked(&self) -> Vec<String> {
        self.shared.heard.lock().unwrap().asked.clone()
    }

    /// Fails where it was asked what its file has no answer to.
    #[track_caller]
    pub fn check_answered(&self) {
        let unanswered = &self.shared.heard.lock().unwrap().unanswered;
        assert!(unanswered.is_empty(), "{unanswered:#?}");
    }
}

impl Recording {
    fn read(file: &str, first: &[&str]) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/engines");
        let text = std::fs::read_to_string(path.join(file)).expect(file);
        let mut own = Self::default();
        for line in first.iter().copied().chain(text.lines()) {
            if !line.is_empty() && !line.starts_with('#') {
                own.take(&line.split('\t').collect::<Vec<&str>>());
            }
        }
        own
    }

    fn take(&mut self, words: &[&str]) {
        let owned = |word: &&str| (*word).to_owned();
        match words {
            ["versions", versions @ ..] => self.versions = versions.iter().map(owned).collect(),
            ["report", name, value] => self.reports.push((owned(name), owned(value))),
            ["setting", name, value] => {
                self.settings.entry(owned(name)).or_insert(owned(value));
            }
            ["reported", names @ ..] => self.reported = names.iter().map(owned).collect(),
            ["unknown", what] => self.ignores_unknown = *what == "ignored",
            ["ask", pattern, "row", values @ ..] => {
                let value = |value: &&str| (*value != "\\N").then(|| owned(value));
                let row = values.iter().map(value).collect();
                self.answers.push((owned(pattern), Answer::Row(row)));
            }
            ["ask", pattern, "none"] => self.answers.push((owned(pattern), Answer::Nothing)),
            ["ask", pattern, "tag", tag] => {
                self.answers.push((owned(pattern), Answer::Tag(owned(tag))));
            }
            ["ask", pattern, "error", code, message] => {
                let error = Answer::Error(owned(code), owned(message));
                self.answers.push((owned(pattern), error));
            }
            other => panic!("{other:?}"),
        }
    }
}

impl Connection {
    fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
        let recording = Arc::clone(&shared.recording.lock().unwrap());
        let Some(startup) = startup(&mut stream) else {
            return;
        };
        let mut connection = Self {
            settings: recording.settings.clone(),
            stream,
            recording,
            shared,
            status: b'I',
            prepared: BTreeMap::new(),
            portal: String::new(),
        };
        if connection.log_in(&startup) {
            while connection.answer().is_some() {}
        }
    }

    /// Whether a session is there.
    fn log_in(&mut self, startup: &[u8]) -> bool {
        let version = format!("{}.{}", startup[1], startup[3]);
        if !self.recording.versions.contains(&version) {
            return self.end_login("08P01", &format!("unknown protocol version {version}"));
        }
        let mut words = startup[4..].split(|byte| *byte == 0);
        let mut word = || {
            words
                .next()
                .map(|word| String::from_utf8(word.to_vec()).unwrap())
        };
        while let (Some(name), Some(value)) = (word(), word()) {
            let is_own = matches!(name.as_str(), "" | "user" | "database");
            if is_own || self.set(&name, &value) || self.recording.ignores_unknown {
                continue;
            }
            let message = format!("unrecognized configuration parameter \"{name}\"");
            return self.end_login("42704", &message);
        }
        self.shared.heard.lock().unwrap().logins += 1;
        let mut out = frames::message(b'R', &[0, 0, 0, 0]);
        for (name, value) in &self.recording.reports {
            out.extend(status(name, value));
        }
        for name in &self.recording.reported {
            out.extend(status(name, &self.settings[name]));
        }
        out.extend(frames::message(b'K', &[0, 0, 0, 7, 0, 0, 0, 9]));
        out.extend(frames::message(b'Z', &[self.status]));
        self.stream.write_all(&out).is_ok()
    }

    fn end_login(&mut self, code: &str, message: &str) -> bool {
        let _may_be_gone = self.stream.write_all(&error("FATAL", code, message));
        false
    }

    /// Whether it has such a setting: its own, or one of an application.
    fn set(&mut self, name: &str, value: &str) -> bool {
        let name = name.to_ascii_lowercase();
        if !self.settings.contains_key(&name) && !name.contains('.') {
            return false;
        }
        self.settings.insert(name, value.to_owned());
        true
    }

    fn answer(&mut self) -> Option<()> {
        let mut head = [0_u8; 5];
        self.stream.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        let mut body = vec![0; usize::try_from(length).unwrap() - 4];
        self.stream.read_exact(&mut body).ok()?;
        let words: Vec<String> = body
            .split(|byte| *byte == 0)
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect();
        let ready = frames::message(b'Z', &[self.status]);
        let out = match head[0] {
            b'Q' => {
                let mut out = self.result(&words[0], true);
                out.extend(frames::message(b'Z', &[self.status]));
                out
            }
            b'P' => {
                self.prepared.insert(words[0].clone(), words[1].clone());
                frames::message(b'1', &[])
            }
            b'B' => {
                self.portal = self.prepared.get(&words[1]).cloned().unwrap_or_default();
                frames::message(b'2', &[])
            }
            b'D' => frames::message(b'n', &[]),
            b'E' => {
                let text = self.portal.clone();
                self.result(&text, false)
            }
            b'C' => frames::message(b'3', &[]),
            b'S' => ready,
            b'H' => Vec::new(),
            _ => return None,
        };
        self.stream.write_all(&out).ok()
    }

    fn result(&mut self, text: &str, describes: bool) -> Vec<u8> {
        let statements = text.split(';').map(str::trim).filter(|one| !one.is_empty());
        let mut out = Vec::new();
        for statement in statements {
            let asked = statement
                .split_whitespace()
                .collect::<Vec<&str>>()
                .join(" ");
            let answer = self.known(&asked);
            let mut heard = self.shared.heard.lock().unwrap();
            heard.asked.push(asked.clone());
            let answer = answer.unwrap_or_else(|| {
                heard.unanswered.push(asked);
                Answer::Error("XX000".to_owned(), "the recording has no answer".to_owned())
            });
            drop(heard);
            match answer {
                Answer::Row(values) => {
                    if describes {
                        out.extend(description(values.len()));
                    }
                    let values: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
                    out.extend(frames::row(&values));
                    out.extend(tag(if statement.starts_with("SHOW") {
                        "SHOW"
                    } else {
                        "SELECT 1"
                    }));
                }
                Answer::Nothing => out.extend(tag("SELECT 0")),
                Answer::Tag(own) => out.extend(tag(&own)),
                Answer::Error(code, message) => {
                    out.extend(error("ERROR", &code, &message));
                    break;
                }
            }
        }
        out
    }

    fn known(&mut self, asked: &str) -> Option<Answer> {
        let mut answers = self.recording.answers.iter();
        if let Some((_, answer)) = answers.find(|(pattern, _)| fits(pattern, asked)) {
            return Some(answer.clone());
        }
        let (word, rest) = asked.split_once(' ').unwrap_or((asked, ""));
        match word {
            "SHOW" => {
                let value = self.settings.get(&rest.to_ascii_lowercase())?;
                Some(Answer::Row(vec![Some(value.clone())]))
            }
            "SET" => {
                let (name, value) = rest.split_once(" TO ").or_else(|| rest.split_once(" = "))?;
                Some(match self.set(name, value.trim_matches('\'')) {
                    true => Answer::Tag("SET".to_owned()),
                    false => {
                        let what = format!("unrecognized configuration parameter \"{name}\"");
                        Answer::Error("42704".to_owned(), what)
                    }
                })
            }
            "BEGIN" => {
                self.status = b'T';
                Some(Answer::Tag("BEGIN".to_owned()))
            }
            "COMMIT" | "ROLLBACK" => {
                self.status = b'I';
                Some(Answer::Tag(word.to_owned()))
            }
            _ => None,
        }
    }
}

/// The body of a StartupMessage, behind all that asks for encryption; nothing of a cancel.
fn startup(stream: &mut TcpStream) -> Option<Vec<u8>> {
    loop {
        let mut head = [0_u8; 4];
        stream.read_exact(&mut head).ok()?;
        let mut body = vec![0; usize::try_from(u32::from_be_bytes(head)).ok()? - 4];
        stream.read_exact(&mut body).ok()?;
        match body.get(..4)? {
            [4, 210, 22, 47 | 48] => stream.write_all(b"N").ok()?,
            [0, 3, 0, _] => return Some(body),
            _ => return None,
        }
    }
}

fn fits(pattern: &str, asked: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == asked,
        Some((head, "")) => asked.starts_with(head),
        Some((head, rest)) => asked.strip_prefix(head).is_some_and(|behind| {
            let ends = behind.char_indices().map(|(place, _)| place);
            ends.chain([behind.len()])
                .any(|place| fits(rest, &behind[place..]))
        }),
    }
}

fn status(name: &str, value: &str) -> Vec<u8> {
    let body = [frames::zero_ended(name), frames::zero_ended(value)].concat();
    frames::message(b'S', &body)
}

fn tag(tag: &str) -> Vec<u8> {
    frames::message(b'C', &frames::zero_ended(tag))
}

/// So many columns of text.
fn description(columns: usize) -> Vec<u8> {
    let mut body = u16::try_from(columns).unwrap().to_be_bytes().to_vec();
    for _ in 0..columns {
        body.extend(frames::zero_ended("column"));
        body.extend([0; 6]);
        body.extend(25_u32.to_be_bytes());
        body.extend([255, 255, 255, 255, 255, 255, 0, 0]);
    }
    frames::message(b'T', &body)
}

fn error(severity: &str, code: &str, message: &str) -> Vec<u8> {
    let fields = [
        ("S", severity),
        ("V", severity),
        ("C", code),
        ("M", message),
    ];
    let mut body = Vec::new();
    for (field, value) in fields {
        body.extend(field.bytes());
        body.extend(frames::zero_ended(value));
    }
    body.push(0);
    frames::message(b'E', &body)
}
