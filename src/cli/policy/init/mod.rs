//! `pgsieve policy init`: the beginning of a policy, written for a person to go on with; from a
//! database's catalog, where one is named. No row is read.
//!
//! What it guesses says so. What it writes is a sound policy, and its tests pass: those that would
//! not are left out.

pub(in crate::cli) mod column_guess;
mod nameable_objects;

use std::io::Write;
use std::sync::Arc;

use crate::cli::policy::init::nameable_objects::{GuessedColumn, NameableObjects, ReadableObject};
use crate::cli::policy::rewrite::{ListedEntry, YamlWriter};
use crate::cli::policy::test::misused;
use crate::cli::policy::trial::{judge, world};
use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::config::SettingsProblem;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::offline::judge::{GateAnswer, OfflineJudge};
use crate::policy::Policy;

/// The flags of `policy init`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct PolicyInitFlags {
    /// The users of the policy.
    #[arg(long = "for", value_name = "WHOM")]
    audience: PolicyAudience,
    /// The database: postgres://[user[:password]@]host[:port]/[name]. Only its catalog is read.
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// The name of the policy [default: the value of --for].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The users that the policy is for: a pattern such as agent_* [default: all].
    #[arg(long, value_name = "PATTERN")]
    user: Option<String>,
    /// The databases that the policy is for: a pattern [default: all].
    #[arg(long, value_name = "PATTERN")]
    database: Option<String>,
}

/// Whom a policy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum PolicyAudience {
    /// A program that runs statements of a language model.
    Agent,
    /// Dashboards and the people who use them.
    Bi,
    /// Administrators, who may read everything.
    Dba,
}

/// Prints it.
pub fn run(flags: &PolicyInitFlags, out: &mut impl Write) -> CommandOutcome {
    let world = match world(flags.upstream.as_deref()) {
        Ok(world) => world,
        Err(problems) => return misused(&problems),
    };
    let found = world.catalog.as_deref().map(NameableObjects::of);
    if let Some(found) = &found {
        for name in &found.unnamed {
            complain(format_args!(
                "{name} has a * in its name, so that no pattern names it alone: it is left out"
            ));
        }
    }
    match text(flags, &world, found.as_ref()) {
        Ok(text) => print_outcome(out.write_all(text.as_bytes())),
        Err(UnfitPolicy::Name(problems)) => misused(&problems),
        Err(UnfitPolicy::Policy(problems)) => {
            for problem in problems {
                complain(format_args!("what was written is no policy: {problem}"));
            }
            fail(format_args!("nothing is printed"))
        }
    }
}

/// Why there is no text.
enum UnfitPolicy {
    Name(Vec<SettingsProblem>),
    Policy(Vec<crate::policy::PolicyProblem>),
}

fn text(
    flags: &PolicyInitFlags,
    world: &AssumedDatabase,
    found: Option<&NameableObjects>,
) -> Result<String, UnfitPolicy> {
    let name = flags.name.as_deref().unwrap_or(flags.audience.name());
    let is_taken = Policy::text_of(name).is_some();
    let name = match (is_taken, &flags.name) {
        (true, None) => format!("our-{name}"),
        (true, Some(_)) => {
            return Err(UnfitPolicy::Name(vec![SettingsProblem {
                place: "--name".into(),
                what: format!("{name} is the name of a built-in policy"),
            }]));
        }
        (false, _) => name.to_owned(),
    };
    let mut out = YamlWriter::default();
    head(flags, world, found, &name, &mut out);
    match found {
        Some(found) => body(flags.audience, found, &mut out),
        None => general(flags.audience, &mut out),
    }
    limits(flags.audience, &mut out);
    let body = out.finish();
    let policy = Policy::from_yaml(&body).map_err(UnfitPolicy::Policy)?;
    let judge = judge(&Arc::new(policy), world).map_err(UnfitPolicy::Name)?;
    let tests = tests(flags, found, world, &judge);
    let text = format!("{body}\n{tests}");
    Policy::from_yaml(&text).map_err(UnfitPolicy::Policy)?;
    Ok(text)
}

fn head(
    flags: &PolicyInitFlags,
    world: &AssumedDatabase,
    found: Option<&NameableObjects>,
    name: &str,
    out: &mut YamlWriter,
) {
    let audience = flags.audience.name();
    let from = match found {
        Some(_) => format!("from the catalog of {}", world.database.replace('\n', " ")),
        None => "without a database: --upstream URL writes one from its catalog".to_owned(),
    };
    out.comment(
        0,
        &format!(
            "A beginning, by pgsieve policy init --for {audience}, {from}.\nRead all of it; what is \
             marked \"guess\" is guessed from names and types, and what is missing was not \
             guessed.\n\n  pgsieve policy print FILE                  what holds in the end, and \
             from where\n  pgsieve policy check FILE --upstream URL   what is wrong with it\n  \
             pgsieve policy test FILE --upstream URL    the tests at the end\n\nmode: observe \
             refuses nothing of this and counts it: to see for a day what it would do.",
        ),
    );
    out.gap();
    out.word(0, "name", name);
    out.comment(0, "Everything that is not said here is as it is there.");
    out.word(0, "extends", flags.audience.base());
    out.word(0, "mode", "enforce");
    if flags.user.is_none() && flags.database.is_none() {
        out.comment(0, "For all sessions that no other policy fits. For some:");
        out.comment(0, "  match: {user: [\"agent_*\"], database: [shop]}");
        return;
    }
    out.open(0, "match");
    let keys = [("user", &flags.user), ("database", &flags.database)];
    for (key, pattern) in keys {
        if let Some(pattern) = pattern {
            out.word(1, key, pattern);
        }
    }
}

/// The lists, from a catalog.
fn body(audience: PolicyAudience, found: &NameableObjects, out: &mut YamlWriter) {
    out.gap();
    if audience == PolicyAudience::Dba {
        out.comment(
            0,
            "Nothing is hidden: while a policy hides anything it also hides pg_stats and what \
             others run.\nTo hide columns all the same:",
        );
        out.comment(0, "columns:");
        let shown = found.columns.iter().map(GuessedColumn::listed);
        let shown = shown.map(|own| format!("    - {}  # {}", own.word, own.comment));
        let shown: Vec<String> = shown.collect();
        out.comment(0, &format!("  deny:\n{}", shown.join("\n")));
        return;
    }
    out.comment(
        0,
        "What may be read, and nothing else: what is made later is not.",
    );
    out.open(0, "relations");
    let readable = found.relations.iter().map(|own| ListedEntry {
        word: own.pattern.clone(),
        comment: own.kind.to_owned(),
    });
    out.list(1, "allow", &readable.collect::<Vec<_>>());
    for (secret, _) in &found.secret {
        out.comment(
            1,
            &format!("  - {secret}  (guess: holds secrets, by its name; left out)"),
        );
    }
    out.comment(
        1,
        "A view that reads what is hidden below is hidden as well, and so is one of a relation \
         with a mask.",
    );
    out.word(1, "through_views", "check");
    out.gap();
    out.comment(
        0,
        "What nobody reads, and what is read in part: the first letter, or the last ones. A model \
         can\nshow something else instead: see policies/README.md, Models.",
    );
    out.open(0, "columns");
    let hidden = found.columns.iter().filter(|column| column.mask.is_none());
    out.list(
        1,
        "deny",
        &hidden.map(GuessedColumn::listed).collect::<Vec<_>>(),
    );
    let masked = found.columns.iter().filter_map(|column| {
        let mask = column.mask?;
        Some((column.listed(), mask.to_owned()))
    });
    out.words(1, "mask", &masked.collect::<Vec<_>>());
}

impl GuessedColumn {
    fn listed(&self) -> ListedEntry {
        let (told, type_name) = (self.guess.in_words(), &self.type_name);
        ListedEntry {
            word: self.pattern.clone(),
            comment: format!("guess: {told}, by name and type ({type_name})"),
        }
    }
}

/// The same without one.
fn general(audience: PolicyAudience, out: &mut YamlWriter) {
    out.gap();
    if audience == PolicyAudience::Dba {
        out.comment(
            0,
            "Nothing is hidden: while a policy hides anything it also hides pg_stats and what \
             others run.",
        );
        return;
    }
    out.comment(
        0,
        "Which relations may be read; without it, all. Names are schema.relation:\nrelations: \
         {allow: [shop.orders, shop.customers]}\nWhat nobody reads, in whatever relation; a guess \
         at what yours are called.",
    );
    out.open(0, "columns");
    let guesses = GENERAL.iter().map(|word| ListedEntry {
        word: (*word).to_owned(),
        comment: "guess".to_owned(),
    });
    out.list(1, "deny", &guesses.collect::<Vec<_>>());
}

fn limits(audience: PolicyAudience, out: &mut YamlWriter) {
    out.gap();
    let (comment, keys): (&str, &[(&str, &str)]) = match audience {
        PolicyAudience::Agent => (
            "How much a statement and a user get.",
            &[
                ("result_rows", "1000"),
                ("result_bytes", "4MiB"),
                ("statements_per_day", "10000"),
            ],
        ),
        PolicyAudience::Bi => (
            "How much a statement gets.",
            &[("result_rows", "1000000"), ("result_bytes", "256MiB")],
        ),
        PolicyAudience::Dba => ("How long who does nothing stays.", &[("idle_time", "8h")]),
    };
    out.comment(0, comment);
    out.open(0, "limits");
    for (key, value) in keys {
        out.word(1, key, value);
    }
}

/// Tests of what was written, those that hold.
fn tests(
    flags: &PolicyInitFlags,
    found: Option<&NameableObjects>,
    world: &AssumedDatabase,
    judge: &OfflineJudge,
) -> String {
    let mut wanted: Vec<(String, &str)> = vec![
        ("SELECT 1".into(), ""),
        ("CREATE TABLE t (a integer)".into(), "ddl"),
    ];
    if let Some(found) = found {
        let readable = found.relations.iter().find(|own| own.plain.is_some());
        if let Some(ReadableObject { sql, plain, .. }) = readable {
            let plain = plain.as_deref().unwrap_or_default();
            wanted.push((format!("SELECT {plain} FROM {sql}"), ""));
            wanted.push((format!("DELETE FROM {sql}"), "write_statement"));
        }
        if flags.audience != PolicyAudience::Dba {
            let (masked, hidden): (Vec<&GuessedColumn>, _) =
                found.columns.iter().partition(|own| own.mask.is_some());
            let hidden = hidden.into_iter().take(COLUMNS_TESTED_MAX);
            wanted.extend(hidden.map(|own| (own.statement.clone(), "column_denied")));
            let masked = masked.into_iter().take(COLUMNS_TESTED_MAX);
            wanted.extend(masked.map(|own| (own.statement.clone(), "")));
            let secret = found.secret.iter().take(1);
            wanted.extend(secret.map(|(_, sql)| (format!("TABLE {sql}"), "relation_denied")));
        }
    }
    let who = AssumedSession {
        user: flags.user.as_deref().unwrap_or("app").replace('*', "1"),
        ..AssumedSession::default()
    };
    let holds = |(statement, rule): &(String, &str)| {
        let mut script = judge.session(world, &who);
        let answer = judge.judge(statement, &mut script).answer;
        match (rule, &answer) {
            (&"", GateAnswer::Permit) => true,
            (&"", _) | (_, GateAnswer::Permit) => false,
            (rule, answer) => answer.rules() == [*rule],
        }
    };
    let mut text = String::from("# What must hold. Write down what must for you.\ntests:\n");
    for (statement, rule) in wanted.iter().filter(|one| holds(one)) {
        let statement = serde_json::Value::from(statement.as_str());
        let user = serde_json::Value::from(who.user.as_str());
        let expected = match *rule {
            "" => "permit".to_owned(),
            rule => format!("refuse, rule: {rule}"),
        };
        text.push_str(&format!(
            "  - {{statement: {statement}, user: {user}, expect: {expected}}}\n"
        ));
    }
    text
}

impl PolicyAudience {
    fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Bi => "bi",
            Self::Dba => "dba",
        }
    }

    /// The policy that it extends.
    fn base(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Bi | Self::Dba => "bi",
        }
    }
}

/// Hidden columns that get a test each: enough to see that hiding works.
const COLUMNS_TESTED_MAX: usize = 5;

/// What columns are called that hold secrets, or name a person.
const GENERAL: &[&str] = &[
    "*.*.*password*",
    "*.*.*passwd*",
    "*.*.*secret*",
    "*.*.*token*",
    "*.*.*api_key*",
    "*.*.*private_key*",
    "*.*.*email*",
    "*.*.*phone*",
    "*.*.ssn",
    "*.*.*iban*",
    "*.*.*card_number*",
    "*.*.*birth*",
    "*.*.*salary*",
    "*.*.*passport*",
];

const EXIT_STATUS: &str = "Exit status: 0 where a policy was printed; 1 where none could be made; 2 \
    where the question was wrong.";
