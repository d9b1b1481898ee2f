//! The rows of the tables, as they are written.

/// A mistake, and what is said to it.
#[derive(Default)]
pub struct Row {
    /// What it is called.
    pub name: String,
    /// What is typed.
    pub run: Vec<String>,
    /// What is typed before.
    pub setup: Vec<Vec<String>>,
    /// The exit status; none for a program that stays.
    pub status: Option<i32>,
    /// Variables of its environment.
    pub variables: Vec<(String, String)>,
    /// What is printed.
    pub says: Vec<String>,
    /// What is not.
    pub never: Vec<String>,
    /// The most lines.
    pub lines: Option<usize>,
    /// Whether nobody in particular runs it.
    pub as_nobody: bool,
    /// Who logs in, and with what.
    pub login: Option<(String, String)>,
    /// The files.
    pub files: Vec<File>,
}

/// A file of a row.
pub struct File {
    /// Its name.
    pub name: String,
    /// How it is written.
    pub kind: String,
    /// What it says.
    pub text: String,
}

/// Reads a table.
pub fn read(text: &str) -> Vec<Row> {
    let rows = text.split("\n== ").skip(1);
    rows.map(row).collect()
}

fn row(text: &str) -> Row {
    let mut parts = text.split("\n-- ");
    let mut head = parts.next().unwrap().lines();
    let mut row = Row {
        name: head.next().unwrap().to_owned(),
        status: Some(-1),
        ..Row::default()
    };
    for line in head.filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(": ").unwrap_or((line, ""));
        let value = value.to_owned();
        match key {
            "run" => row.run = words(&value),
            "setup" => row.setup.push(words(&value)),
            "status" if value == "serves" => row.status = None,
            "status" => row.status = Some(value.parse().unwrap()),
            "env" => {
                let (name, value) = value.split_once('=').unwrap();
                row.variables.push((name.into(), value.into()));
            }
            "says" => row.says.push(value),
            "never" => row.never.push(value),
            "lines" => row.lines = Some(value.parse().unwrap()),
            "user" => row.as_nobody = true,
            "login" => {
                let (user, password) = value.split_once(' ').unwrap();
                row.login = Some((user.into(), password.into()));
            }
            other => panic!("{}: what is {other}?", row.name),
        }
    }
    row.files = parts.map(file).collect();
    assert!(!row.run.is_empty() && !row.says.is_empty(), "{}", row.name);
    row
}

fn file(text: &str) -> File {
    let (head, body) = text.split_once('\n').unwrap_or((text, ""));
    let (name, kind) = head.split_once(' ').unwrap_or((head, ""));
    let body = body.trim_end();
    let (text, kind) = match kind {
        "agent" => (edited(body), ""),
        kind => (format!("{body}\n"), kind),
    };
    File {
        name: name.into(),
        kind: kind.into(),
        text: text.replace("{TAB}", "\t"),
    }
}

/// The agent's policy with other lines; the first of them is marked.
fn edited(edit: &str) -> String {
    let agent = include_str!("../../../../policies/agent.yaml");
    let lines = |sign: char| edit.lines().filter_map(move |line| line.strip_prefix(sign));
    let mut added: Vec<String> = lines('+').map(str::to_owned).collect();
    if let Some(first) = added.first_mut() {
        *first = format!("{MARK}{first}");
    }
    let added = added.join("\n");
    match lines('-').next() {
        None => format!("{agent}{added}\n"),
        Some(old) => {
            let line = format!("\n{old}\n");
            let at = agent.find(&line).unwrap_or_else(|| panic!("no line {old}"));
            let (before, after) = (&agent[..at], &agent[at + line.len()..]);
            format!("{before}\n{added}\n{after}")
        }
    }
}

/// Words as a shell would split them, with single quotes alone.
fn words(text: &str) -> Vec<String> {
    let parts = text.split('\'').enumerate();
    let mut words = Vec::new();
    for (place, part) in parts {
        if place % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// What stands before the first line that an edit adds, until the file is written.
pub const MARK: char = '\u{1}';
