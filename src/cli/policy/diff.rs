//! `pgsieve policy diff`: which statements change their verdict between two policies. It shows
//! places, verdicts and fingerprints, and never the SQL.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, BufWriter, Write};

use serde_json::{Value, json};

use crate::cli::check::{CheckIoError, unreadable};
use crate::cli::policy::files;
use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::test::misused;
use crate::cli::policy::trial;
use crate::cli::policy::trial::{judge, world};
use crate::cli::statement_input::{next_question, open, read_text, split};
use crate::cli::verdict_output::write_line;
use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::config::SettingsProblem;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::offline::judge::{GateAnswer, OfflineJudge, TextRuling};
use crate::offline::script_session::ScriptSession;

/// The flags of `policy diff`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct PolicyDiffFlags {
    /// The old policy: a file, the name of a built-in one, or a folder of policies, of which the
    /// one that such a session gets is used; several with commas.
    #[arg(value_name = "OLD")]
    old: String,
    /// The new policy, likewise.
    #[arg(value_name = "NEW")]
    new: String,
    /// The statements to judge: {"id":…,"sql":…} per line, or the statements of one session, each
    /// ending in a semicolon; - for standard input.
    #[arg(long, value_name = "FILE")]
    statements: String,
    /// Judges with the catalog of this database: postgres://[user[:password]@]host[:port]/[name].
    /// The statements stay here.
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    #[command(flatten)]
    person: PersonFlags,
    /// Prints one JSON line for each statement whose verdict differs, and one for all.
    #[arg(long, alias = "json")]
    jsonl: bool,
}

/// The two policies, and the session that both judge in.
struct PolicyPair {
    world: AssumedDatabase,
    who: AssumedSession,
    old: OfflineJudge,
    new: OfflineJudge,
}

/// What was found.
#[derive(Default)]
struct DiffTally {
    statements: u64,
    unreadable: bool,
    changes: BTreeMap<VerdictChange, u64>,
}

/// How a statement changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VerdictChange {
    /// It ran, and is refused.
    Refused,
    /// It was refused, and runs.
    Permitted,
    /// Another rule refuses it.
    OtherRule,
    /// It runs, and other rules are observed.
    Observed,
    /// It runs as another text.
    OtherText,
}

/// Judges everything in the input twice.
pub fn run(flags: &PolicyDiffFlags, out: &mut impl Write) -> CommandOutcome {
    let pair = match prepare(flags) {
        Ok(pair) => pair,
        Err(problems) => return misused(&problems),
    };
    let input = match open(&flags.statements) {
        Ok(input) => input,
        Err(error) => return unreadable(&flags.statements, &error),
    };
    let (mut out, mut tally) = (BufWriter::new(out), DiffTally::default());
    let judged =
        judge_all(flags, &pair, BufReader::new(input), &mut tally, &mut out).and_then(|()| {
            tally
                .write(flags.jsonl, &mut out)
                .map_err(CheckIoError::Output)
        });
    match (judged, out.flush()) {
        (Err(CheckIoError::Input(error)), _) => unreadable(&flags.statements, &error),
        (Err(CheckIoError::Output(error)), _) | (Ok(()), Err(error)) => print_outcome(Err(error)),
        (Ok(()), Ok(())) if tally.unreadable => CommandOutcome::Misused,
        (Ok(()), Ok(())) if tally.changes.is_empty() => CommandOutcome::Done,
        (Ok(()), Ok(())) => CommandOutcome::Failed,
    }
}

fn prepare(flags: &PolicyDiffFlags) -> Result<PolicyPair, Vec<SettingsProblem>> {
    let old = files::read(&files::words(&flags.old))?;
    let new = files::read(&files::words(&flags.new))?;
    let world = world(flags.upstream.as_deref())?;
    let who = flags.person.person(&world)?;
    let old = trial::choose(old, &who, &world)?;
    let new = trial::choose(new, &who, &world)?;
    Ok(PolicyPair {
        old: judge(&old.file.policy, &world)?,
        new: judge(&new.file.policy, &world)?,
        world,
        who,
    })
}

fn judge_all(
    flags: &PolicyDiffFlags,
    pair: &PolicyPair,
    mut input: impl BufRead,
    tally: &mut DiffTally,
    out: &mut impl Write,
) -> Result<(), CheckIoError> {
    if !holds_questions(&mut input).map_err(CheckIoError::Input)? {
        let text = read_text(input).map_err(CheckIoError::Input)?;
        let mut courses = pair.courses();
        for (number, statement) in (1_u64..).zip(split(&text)) {
            let id = json!({"number": number, "line": statement.line});
            let place = format!("{number} (line {})", statement.line);
            pair.judge(statement.text, &mut courses, |change| {
                tally.take(change, &id, &place, flags.jsonl, out)
            })?;
        }
        return Ok(());
    }
    let mut number = 0;
    while let Some(question) =
        next_question(&mut input, &mut number).map_err(CheckIoError::Input)?
    {
        match question {
            Ok(question) => {
                let place = format!("line {number}");
                // They have nothing to do with each other.
                pair.judge(&question.sql, &mut pair.courses(), |change| {
                    tally.take(change, &question.id, &place, flags.jsonl, out)
                })?;
            }
            Err(why) => {
                tally.unreadable = true;
                complain(format_args!("line {number}: {}", why.why()));
            }
        }
    }
    Ok(())
}

/// Whether the input is JSON lines: no statement begins with a brace.
fn holds_questions(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let ahead = input.fill_buf()?;
        match ahead.iter().position(|byte| !byte.is_ascii_whitespace()) {
            Some(at) => return Ok(ahead.get(at) == Some(&b'{')),
            None if ahead.is_empty() => return Ok(false),
            None => {
                let blank = ahead.len();
                input.consume(blank);
            }
        }
    }
}

impl PolicyPair {
    fn courses(&self) -> [ScriptSession; 2] {
        [&self.old, &self.new].map(|judge| judge.session(&self.world, &self.who))
    }

    fn judge(
        &self,
        text: &str,
        [old, new]: &mut [ScriptSession; 2],
        mut take: impl FnMut(Option<&ChangedStatement>) -> io::Result<()>,
    ) -> Result<(), CheckIoError> {
        let (old, new) = (self.old.judge(text, old), self.new.judge(text, new));
        let changed = change(&old, &new).map(|change| ChangedStatement { change, old, new });
        take(changed.as_ref()).map_err(CheckIoError::Output)
    }
}

/// A statement that changes.
struct ChangedStatement {
    change: VerdictChange,
    old: TextRuling,
    new: TextRuling,
}

fn change(old: &TextRuling, new: &TextRuling) -> Option<VerdictChange> {
    match (&old.answer, &new.answer) {
        (GateAnswer::Refuse(old), GateAnswer::Refuse(new)) => {
            (old.rule != new.rule).then_some(VerdictChange::OtherRule)
        }
        (GateAnswer::Permit | GateAnswer::Observe(_), GateAnswer::Refuse(_)) => {
            Some(VerdictChange::Refused)
        }
        (GateAnswer::Refuse(_), GateAnswer::Permit | GateAnswer::Observe(_)) => {
            Some(VerdictChange::Permitted)
        }
        _ if old.runs != new.runs => Some(VerdictChange::OtherText),
        (old, new) => (old != new).then_some(VerdictChange::Observed),
    }
}

impl VerdictChange {
    fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Permitted => "permitted",
            Self::OtherRule => "other_rule",
            Self::Observed => "observed",
            Self::OtherText => "other_text",
        }
    }

    /// For a person.
    fn words(self) -> &'static str {
        match self {
            Self::Refused => "ran and are refused",
            Self::Permitted => "were refused and run",
            Self::OtherRule => "are refused by another rule",
            Self::Observed => "run, and other rules are observed",
            Self::OtherText => "run as another text",
        }
    }
}

impl ChangedStatement {
    fn write(&self, place: &str, out: &mut impl Write) -> io::Result<()> {
        let (old, new) = (self.old.answer.describe(), self.new.answer.describe());
        let text = match self.change {
            VerdictChange::OtherText => ", as another text",
            VerdictChange::Refused
            | VerdictChange::Permitted
            | VerdictChange::OtherRule
            | VerdictChange::Observed => "",
        };
        let kind = self.new.facts.kind.name();
        write!(out, "{place}: {old} -> {new}{text} ({kind}")?;
        match self.new.facts.fingerprint {
            Some(fingerprint) => writeln!(out, ", {fingerprint})"),
            None => writeln!(out, ")"),
        }
    }

    fn fields(&self, id: &Value) -> Vec<(&'static str, Value)> {
        let fingerprint = self.new.facts.fingerprint.map(|name| name.to_string());
        vec![
            ("id", id.clone()),
            ("change", json!(self.change.name())),
            ("old", json!(self.old.answer.name())),
            ("old_rules", json!(self.old.answer.rules())),
            ("new", json!(self.new.answer.name())),
            ("new_rules", json!(self.new.answer.rules())),
            ("other_text", json!(self.old.runs != self.new.runs)),
            ("kind", json!(self.new.facts.kind.name())),
            ("fingerprint", json!(fingerprint)),
        ]
    }
}

impl DiffTally {
    fn take(
        &mut self,
        changed: Option<&ChangedStatement>,
        id: &Value,
        place: &str,
        jsonl: bool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.statements += 1;
        let Some(changed) = changed else {
            return Ok(());
        };
        *self.changes.entry(changed.change).or_default() += 1;
        match jsonl {
            true => write_line(&changed.fields(id), out),
            false => changed.write(place, out),
        }
    }

    fn write(&self, jsonl: bool, out: &mut impl Write) -> io::Result<()> {
        let changed: u64 = self.changes.values().sum();
        let same = self.statements.saturating_sub(changed);
        if jsonl {
            let counts = self.changes.iter();
            let counts = counts.map(|(change, count)| (change.name().to_owned(), json!(count)));
            let fields = [
                ("statements", json!(self.statements)),
                ("same", json!(same)),
                ("changed", Value::Object(counts.collect())),
            ];
            return write_line(&fields, out);
        }
        write!(out, "{} statements: {same} same", self.statements)?;
        for (change, count) in &self.changes {
            write!(out, ", {count} {}", change.words())?;
        }
        writeln!(out)
    }
}

const EXIT_STATUS: &str = "Exit status: 0 where every statement keeps its verdict, 1 where one \
    changes, 2 where the question was wrong or a line could not be read.";
