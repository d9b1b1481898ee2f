//! What an audit has seen being read: names and how often, line by line, in bounded memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};

use serde::Deserialize;

use crate::limits::{SUGGEST_LINE_BYTES_MAX, SUGGEST_NAMES_MAX};
use crate::policy::access::Glob;
use crate::telemetry::audit::verify::skip_line;

/// What an audit has seen.
#[derive(Debug, Default)]
pub struct AuditReads {
    /// Relations that were read.
    pub relations: BTreeMap<String, SeenCount>,
    /// Functions that were called and are no built-ins.
    pub functions: BTreeMap<String, SeenCount>,
    /// Settings that were set.
    pub settings: BTreeMap<String, SeenCount>,
    /// Statements that ran, prepared ones at each run.
    pub statements: SeenCount,
    /// Statements that were refused; what they name is not taken over.
    pub refused: u64,
    /// The same by the rule, and what the statement was about where the audit knows it.
    pub refused_by: BTreeMap<String, u64>,
    /// Statements in other databases, by their names.
    pub elsewhere: BTreeMap<String, u64>,
    /// Statements of whom nobody has asked for.
    pub of_others: u64,
    /// Statements that read, and whose names were not recorded.
    pub unrecorded: u64,
    /// Statements with more names than a line holds.
    pub cut: u64,
    /// Lines that are none of an audit.
    pub unreadable: u64,
}

/// How often something was seen, and when.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SeenCount {
    /// How often.
    pub times: u64,
    /// The first time, as the audit writes it.
    pub first: Option<Box<str>>,
    /// The last time.
    pub last: Option<Box<str>>,
}

/// Whose statements count; everybody's where nothing is given.
#[derive(Debug, Default)]
pub struct UserFilter {
    /// The users.
    pub user: Option<Glob>,
    /// What the clients call themselves.
    pub application_name: Option<Glob>,
    /// The database.
    pub database: Option<String>,
}

/// Why an audit cannot be taken over.
#[derive(Debug)]
pub enum AuditReadError {
    /// It cannot be read.
    Input(io::Error),
    /// It names more than a policy should.
    TooMany,
}

/// What a line tells of: other events have other fields under the same names.
#[derive(Deserialize)]
struct EventLine<'l> {
    #[serde(borrow)]
    event: Cow<'l, str>,
}

/// The fields of a statement's line that matter here.
#[derive(Deserialize)]
struct StatementLine<'l> {
    #[serde(borrow, default)]
    time: Cow<'l, str>,
    #[serde(borrow, default)]
    user: Cow<'l, str>,
    #[serde(borrow, default)]
    database: Cow<'l, str>,
    #[serde(borrow, default)]
    application_name: Cow<'l, str>,
    #[serde(borrow, default)]
    path: Cow<'l, str>,
    #[serde(borrow, default)]
    kind: Cow<'l, str>,
    #[serde(borrow, default)]
    verdict: Cow<'l, str>,
    #[serde(borrow, default)]
    rule: Cow<'l, str>,
    #[serde(borrow, default)]
    subject: Cow<'l, str>,
    relations: Option<Vec<String>>,
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    settings: Vec<String>,
    #[serde(default)]
    names_left_out: u64,
}

impl AuditReads {
    /// Takes an audit over.
    ///
    /// # Errors
    /// It cannot be read, or names more than a policy should.
    pub fn take(
        &mut self,
        mut input: impl BufRead,
        whose: &UserFilter,
    ) -> Result<(), AuditReadError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut bounded = input.by_ref().take(SUGGEST_LINE_BYTES_MAX);
            let read = bounded.read_until(b'\n', &mut line);
            if read.map_err(AuditReadError::Input)? == 0 {
                return Ok(());
            }
            if bounded.limit() == 0 && line.last() != Some(&b'\n') {
                self.unreadable += 1;
                skip_line(&mut input).map_err(AuditReadError::Input)?;
                continue;
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match statement(&line) {
                Ok(Some(line)) if !whose.is_there(&line) => {
                    add(&mut self.elsewhere, &line.database);
                }
                Ok(Some(line)) if !whose.fits(&line) => self.of_others += 1,
                Ok(Some(line)) => self.count(&line)?,
                Ok(None) => {}
                Err(_) => self.unreadable += 1,
            }
        }
    }

    fn count(&mut self, line: &StatementLine<'_>) -> Result<(), AuditReadError> {
        if matches!(&*line.verdict, "refused" | "skipped") {
            self.refused += 1;
            let by = match (&*line.rule, &*line.subject) {
                ("", _) => return Ok(()),
                (rule, "") => rule.to_owned(),
                (rule, subject) => format!("{rule}, {subject}"),
            };
            add(&mut self.refused_by, &by);
            return Ok(());
        }
        // What a Parse prepares is counted when it runs.
        let times = u64::from(line.path != "parse");
        self.statements.add(times, &line.time);
        let Some(relations) = &line.relations else {
            if READS.contains(&&*line.kind) {
                self.unrecorded += 1;
            }
            return Ok(());
        };
        self.cut += u64::from(line.names_left_out > 0);
        for (all, names) in [
            (&mut self.relations, relations),
            (&mut self.functions, &line.functions),
            (&mut self.settings, &line.settings),
        ] {
            for name in names {
                if all.len() >= SUGGEST_NAMES_MAX && !all.contains_key(name) {
                    return Err(AuditReadError::TooMany);
                }
                // Most names were seen before.
                if let Some(often) = all.get_mut(name) {
                    often.add(times, &line.time);
                } else {
                    all.entry(name.clone()).or_default().add(times, &line.time);
                }
            }
        }
        Ok(())
    }
}

impl SeenCount {
    fn add(&mut self, times: u64, time: &str) {
        self.times += times;
        // Times of one form are in the order of their letters; files may come in any order.
        if self.first.as_deref().is_none_or(|first| time < first) {
            self.first = Some(time.into());
        }
        if self.last.as_deref().is_none_or(|last| time > last) {
            self.last = Some(time.into());
        }
    }

    /// For a comment.
    pub fn in_words(&self) -> String {
        let times = match self.times {
            0 => "prepared only".to_owned(),
            1 => "once".to_owned(),
            times => format!("{times} times"),
        };
        let day = |time: &Option<Box<str>>| {
            let time = time.as_deref().unwrap_or_default();
            let plain = |c: &char| c.is_ascii_digit() || *c == '-';
            time.chars()
                .take(DAY_LETTERS)
                .filter(plain)
                .collect::<String>()
        };
        match (day(&self.first), day(&self.last)) {
            (first, _) if first.is_empty() => times,
            (first, last) if first == last => format!("{times} on {first}"),
            (first, last) => format!("{times} since {first}, last on {last}"),
        }
    }
}

impl UserFilter {
    fn fits(&self, line: &StatementLine<'_>) -> bool {
        let fits =
            |glob: &Option<Glob>, name: &str| glob.as_ref().is_none_or(|glob| glob.matches(name));
        fits(&self.user, &line.user) && fits(&self.application_name, &line.application_name)
    }

    /// Whether it was in the database that is asked about.
    fn is_there(&self, line: &StatementLine<'_>) -> bool {
        let database = self.database.as_ref();
        database.is_none_or(|name| *name == line.database)
    }
}

/// Counts one more of that name. Those of more names than anybody reads have none.
fn add(all: &mut BTreeMap<String, u64>, name: &str) {
    let name = match all.len() < SUGGEST_NAMES_MAX || all.contains_key(name) {
        true => name,
        false => "others",
    };
    *all.entry(name.to_owned()).or_default() += 1;
}

/// The statement that a line tells of; none where it tells of something else.
fn statement(line: &[u8]) -> serde_json::Result<Option<StatementLine<'_>>> {
    let told: EventLine<'_> = serde_json::from_slice(line)?;
    match &*told.event {
        "statement" => serde_json::from_slice(line).map(Some),
        _ => Ok(None),
    }
}

/// The kinds of statements that read, as the audit prints them.
const READS: [&str; 8] = [
    "select", "values", "table", "explain", "copy", "declare", "prepare", "several",
];

/// The letters of a day in a time: `2026-01-31`.
const DAY_LETTERS: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str, whose: &UserFilter) -> AuditReads {
        let mut seen = AuditReads::default();
        seen.take(text.as_bytes(), whose).unwrap();
        seen
    }

    const AUDIT: &str = r#"{"v":1,"time":"2026-01-02T00:00:00.000000Z","event":"statement","user":"ann","database":"shop","application_name":"","path":"query","kind":"select","verdict":"permitted","relations":["shop.a","shop.b"],"functions":["shop.f(integer)"],"settings":[]}
{"v":1,"time":"2026-01-01T00:00:00.000000Z","event":"statement","user":"bob","database":"shop","application_name":"","path":"parse","kind":"select","verdict":"permitted","relations":["shop.a"],"functions":[],"settings":[]}

not a line
{"v":1,"event":"login","user":"ann"}
{"v":1,"event":"catalog_loaded","relations":211,"functions":3246}
{"v":1,"time":"2026-01-03T00:00:00.000000Z","event":"statement","user":"ann","database":"shop","path":"query","kind":"select","verdict":"refused","relations":["shop.secret"]}
{"v":1,"time":"2026-01-03T00:00:00.000000Z","event":"statement","user":"ann","database":"shop","path":"query","kind":"select","verdict":"permitted"}
{"v":1,"time":"2026-01-03T00:00:00.000000Z","event":"statement","user":"ann","database":"shop","path":"query","kind":"begin","verdict":"permitted"}
{"v":1,"time":"2026-01-03T00:00:00.000000Z","event":"statement","user":"ann","database":"shop","path":"query","kind":"set","verdict":"permitted","relations":[],"settings":["work_mem"],"names_left_out":2}
"#;

    #[test]
    fn what_ran_is_counted_and_what_was_refused_is_not() {
        let seen = seen(AUDIT, &UserFilter::default());
        assert_eq!(seen.relations["shop.a"].times, 1);
        assert_eq!(
            seen.relations["shop.a"].in_words(),
            "once since 2026-01-01, last on 2026-01-02"
        );
        assert_eq!(seen.relations["shop.b"].in_words(), "once on 2026-01-02");
        assert!(!seen.relations.contains_key("shop.secret"));
        assert_eq!(seen.functions.len(), 1);
        assert!(seen.settings.contains_key("work_mem"));
        assert_eq!(
            (seen.refused, seen.unrecorded, seen.cut, seen.unreadable),
            (1, 1, 1, 1)
        );
        assert_eq!(seen.statements.times, 4);
    }

    #[test]
    fn others_do_not_count() {
        let whose = UserFilter {
            user: Some(Glob::new("b*")),
            ..UserFilter::default()
        };
        let seen = seen(AUDIT, &whose);
        assert_eq!(
            seen.relations["shop.a"].in_words(),
            "prepared only on 2026-01-01"
        );
        assert_eq!(seen.relations.len(), 1);
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let length = usize::try_from(SUGGEST_LINE_BYTES_MAX).unwrap() + 10;
        let text = format!("{}\n{AUDIT}", "x".repeat(length));
        assert_eq!(seen(&text, &UserFilter::default()).unreadable, 2);
    }
}
