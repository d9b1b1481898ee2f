//! `pgsieve policy explain`: the verdict on a statement and the path to it. It shows what it is
//! asked about, the statement's names among it, and sends nothing anywhere.

pub(in crate::cli) mod limits_text;
pub(in crate::cli) mod list_entries;
pub(in crate::cli) mod names;
pub(in crate::cli) mod steps;

use std::io::{self, BufWriter, Write};

use serde_json::{Value, json};

use crate::cli::check::unreadable;
use crate::cli::policy::files;

use crate::cli::policy::explain::names::NameFound;

use crate::cli::policy::explain::list_entries::PolicyLists;
use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::test::misused;
use crate::cli::policy::trial;
use crate::cli::policy::trial::{ChosenPolicy, judge, world};
use crate::cli::statement_input::{open, read_text, split};
use crate::cli::verdict_output::write_line;
use crate::cli::{CommandOutcome, print_outcome};
use crate::gate::SearchPaths;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::offline::judge::{GateAnswer, OfflineJudge, TextRuling};
use crate::offline::script_session::ScriptSession;
use crate::policy::{Policy, PolicyRule, RuleMode};
use crate::target_servers::TargetServers;

/// The flags of `policy explain`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct PolicyExplainFlags {
    /// Policy files, folders of them, or agent, bi, strict and observe. If there are several, the
    /// output says which of them the session gets, and why.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// The text to explain, as one message of a client.
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "file",
        required_unless_present = "file"
    )]
    sql: Option<String>,
    /// A file of the statements of one session, each ending in a semicolon; - for standard input.
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
    /// Judges with the catalog of this database: postgres://[user[:password]@]host[:port]/[name].
    /// The statements stay here.
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    #[command(flatten)]
    person: PersonFlags,
    /// Prints one JSON line for each statement.
    #[arg(long, alias = "jsonl")]
    json: bool,
}

/// A message and what became of it.
struct ExplainedMessage {
    number: usize,
    line: usize,
    paths: Vec<String>,
    names: Vec<NameFound>,
    ruling: TextRuling,
}

/// Explains everything that is asked about.
pub fn run(flags: &PolicyExplainFlags, out: &mut impl Write) -> CommandOutcome {
    let prepared = files::read(&flags.files).and_then(|files| {
        let world = world(flags.upstream.as_deref())?;
        let who = flags.person.person(&world)?;
        let chosen = trial::choose(files, &who, &world)?;
        let judge = judge(&chosen.file.policy, &world)?;
        Ok((who, world, chosen, judge))
    });
    let (who, world, chosen, judge) = match prepared {
        Ok(prepared) => prepared,
        Err(problems) => return misused(&problems),
    };
    let text = match (&flags.sql, &flags.file) {
        (Some(sql), _) => Ok(sql.clone()),
        (None, file) => open(file.as_deref().unwrap_or("-")).and_then(read_text),
    };
    let text = match text {
        Ok(text) => text,
        Err(error) => return unreadable(flags.file.as_deref().unwrap_or("-"), &error),
    };
    let messages = match flags.sql {
        Some(_) => vec![(1, text.as_str())],
        None => split(&text)
            .iter()
            .map(|one| (one.line, one.text))
            .collect(),
    };
    let lists = PolicyLists::of(&chosen.file.layers);
    let mut script = judge.session(&world, &who);
    let (mut out, mut refused) = (BufWriter::new(out), false);
    let told = (|| {
        if !flags.json {
            write_head(&chosen, &world, &who, &judge, &mut out)?;
        }
        for (place, (line, text)) in messages.into_iter().enumerate() {
            let one = explain(text, (place + 1, line), &world, &judge, &lists, &mut script);
            refused |= matches!(one.ruling.answer, GateAnswer::Refuse(_));
            match flags.json {
                true => write_line(&one.fields(&chosen, &world, &who, &judge), &mut out)?,
                false => one.write(&judge, &mut out)?,
            }
        }
        out.flush()
    })();
    match told {
        Err(error) => print_outcome(Err(error)),
        Ok(()) if refused => CommandOutcome::Failed,
        Ok(()) => CommandOutcome::Done,
    }
}

fn explain(
    text: &str,
    (number, line): (usize, usize),
    world: &AssumedDatabase,
    judge: &OfflineJudge,
    lists: &PolicyLists,
    script: &mut ScriptSession,
) -> ExplainedMessage {
    let paths = match script.names().paths() {
        SearchPaths::Known(paths) => paths.iter().map(|path| path.join(", ")).collect(),
        SearchPaths::Unsure(_) | SearchPaths::Unknown => Vec::new(),
    };
    let names = match &world.catalog {
        Some(catalog) => names::of(text, catalog, script, lists),
        None => Vec::new(),
    };
    ExplainedMessage {
        number,
        line,
        paths,
        names,
        ruling: judge.judge(text, script),
    }
}

fn write_head(
    chosen: &ChosenPolicy,
    world: &AssumedDatabase,
    who: &AssumedSession,
    judge: &OfflineJudge,
    out: &mut impl Write,
) -> io::Result<()> {
    let policy = judge.policy();
    let (name, version) = (policy.name(), policy.version());
    writeln!(
        out,
        "policy   {name} ({}), version {version}",
        chosen.file.name
    )?;
    writeln!(out, "  why    {}", chosen.why)?;
    let (enforced, observed) = modes(judge);
    match (enforced.is_empty(), observed.is_empty()) {
        (_, true) => writeln!(out, "  mode   every rule is enforced")?,
        (true, false) => writeln!(out, "  mode   the policy's own rules are only observed")?,
        (false, false) => writeln!(out, "  mode   only observed: {}", observed.join(", "))?,
    }
    write!(out, "session  user {}", who.user)?;
    if !who.application_name.is_empty() {
        write!(out, ", application_name {}", who.application_name)?;
    }
    match &world.catalog {
        Some(_) => {
            let (database, role) = (world.database_of(who), world.role_of(who));
            writeln!(out, ", database {database}, role {role}")?;
        }
        None => writeln!(
            out,
            "; without a database (--upstream URL) what names stand for is not known"
        )?,
    }
    writeln!(
        out,
        "limits   {}",
        limits_text::limit_lines(policy).join(", ")
    )?;
    if policy.targets() != TargetServers::Any {
        writeln!(out, "targets  {}", policy.targets().name())?;
    }
    let told = told_records(policy, who);
    match told.is_empty() {
        true => Ok(()),
        false => writeln!(out, "knows    {}", told.join(", ")),
    }
}

/// The records of knowledge that the session's user is told, by kind and name.
fn told_records(policy: &Policy, who: &AssumedSession) -> Vec<String> {
    let records = policy.knowledge().records.iter();
    let told = records.filter(|record| record.is_for(&who.user));
    told.map(|record| format!("{} {}", record.kind().name(), record.name))
        .collect()
}

/// The rules of the policy that are enforced, and those that are only observed.
fn modes(judge: &OfflineJudge) -> (Vec<&'static str>, Vec<&'static str>) {
    let (mut enforced, mut observed) = (Vec::new(), Vec::new());
    for rule in PolicyRule::ALL {
        match judge.policy().mode_of(*rule) {
            RuleMode::Enforce => enforced.push(rule.name()),
            RuleMode::Observe => observed.push(rule.name()),
        }
    }
    (enforced, observed)
}

impl ExplainedMessage {
    fn write(&self, judge: &OfflineJudge, out: &mut impl Write) -> io::Result<()> {
        let (number, line) = (self.number, self.line);
        let answer = &self.ruling.answer;
        writeln!(out, "\n{number} (line {line}): {}", answer.describe())?;
        for path in &self.paths {
            writeln!(out, "  names are looked up in {path}")?;
        }
        for name in &self.names {
            write!(out, "  {}", name.what)?;
            for (before, part) in [(" ", &name.name), (": ", &name.note)] {
                if !part.is_empty() {
                    write!(out, "{before}{part}")?;
                }
            }
            writeln!(out)?;
            for said in &name.said {
                let (list, entry) = (said.list, &said.entry);
                write!(out, "    {list} {} at {}", entry.text, entry.place)?;
                match &said.of {
                    Some(of) => writeln!(out, ", which names {of}")?,
                    None => writeln!(out)?,
                }
            }
        }
        for taken in steps::taken(answer) {
            let told = taken.in_words(self.ruling.facts.kind);
            writeln!(out, "  {:<8} {told}", taken.step.name())?;
        }
        if let Some(refusal) = answer.refusal() {
            writeln!(out, "  error    {} {}", refusal.sqlstate, refusal.message)?;
            writeln!(out, "  detail   {}", refusal.detail)?;
            if !refusal.hint.is_empty() {
                writeln!(out, "  hint     {}", refusal.hint)?;
            }
        }
        if let GateAnswer::Observe(_) = answer {
            let name = judge.policy().name();
            writeln!(out, "  it runs because {name} only observes these rules")?;
        }
        match &self.ruling.runs {
            Some(text) => writeln!(out, "  runs     {}", text.replace('\n', "\n           ")),
            None => Ok(()),
        }
    }

    fn fields(
        &self,
        chosen: &ChosenPolicy,
        world: &AssumedDatabase,
        who: &AssumedSession,
        judge: &OfflineJudge,
    ) -> Vec<(&'static str, Value)> {
        let (policy, answer) = (judge.policy(), &self.ruling.answer);
        let refusal = answer.refusal();
        let (_, observed) = modes(judge);
        let path = steps::taken(answer);
        let path = path.iter().map(steps::TakenStep::fields);
        let names = self.names.iter().map(NameFound::fields);
        vec![
            ("number", json!(self.number)),
            ("line", json!(self.line)),
            ("verdict", json!(answer.name())),
            ("rules", json!(answer.rules())),
            ("sqlstate", json!(refusal.map(|one| one.sqlstate.as_str()))),
            ("message", json!(refusal.map(|one| &one.message))),
            ("detail", json!(refusal.map(|one| &one.detail))),
            ("hint", json!(refusal.map(|one| &one.hint))),
            ("kind", json!(self.ruling.facts.kind.name())),
            ("statements", json!(self.ruling.facts.statements)),
            ("path", path.collect()),
            ("names", names.collect()),
            ("runs", json!(self.ruling.runs)),
            ("policy", json!(policy.name())),
            ("policy_file", json!(chosen.file.name)),
            ("policy_version", json!(policy.version())),
            ("policy_why", json!(chosen.why)),
            ("observed_rules", json!(observed)),
            ("limits", json!(limits_text::limit_lines(policy))),
            ("targets", json!(policy.targets().name())),
            ("user", json!(who.user)),
            ("database", json!(world.database_of(who))),
            ("role", json!(world.role_of(who))),
            ("search_paths", json!(self.paths)),
        ]
    }
}

const EXIT_STATUS: &str = "Exit status: 0 where every statement would run, 1 where one would not, \
    2 where the question was wrong.";
