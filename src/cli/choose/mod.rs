//! `pgsieve choose`: several statements for one question, put in order with the reasons. They are
//! judged, repaired, compiled and planned; nothing is executed unless `--agree` asks for it, and
//! then read-only, with a limit.

mod output;

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::runtime::{self, Runtime};

use crate::choose::candidate::SCHEMA;
use crate::choose::score::ChoiceWeights;
use crate::choose::session::{ChoiceLogin, ChoiceSession};
use crate::choose::{self, AgreementMode, input};
use crate::cli::check::unreadable;
use crate::cli::database_catalog::{self, DatabaseLogin, SeenDatabase};
use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::{files, trial};
use crate::cli::settings_sources;
use crate::cli::statement_input::open;
use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::config::{self, SettingsProblem};
use crate::limits::choice::{CHOICE_TIME_MAX, QUESTION_BYTES_MAX};
use crate::offline::assumptions::AssumedDatabase;

/// The flags of `choose`.
#[derive(clap::Args)]
#[command(after_help = STATUSES)]
pub struct ChooseFlags {
    /// The database that compiles and plans the candidates:
    /// postgres://[user[:password]@]host[:port]/[name]. Other connection parameters can come from
    /// the environment, as for serve. Only what the policy permits is sent there.
    #[arg(long, value_name = "URL", required_unless_present = "schema")]
    upstream: Option<String>,
    /// The question that the candidates answer: its words say whether groups, an order with a
    /// limit, or each thing once is asked for.
    #[arg(long, value_name = "TEXT", required_unless_present = "schema")]
    question: Option<String>,
    /// Policy files, folders of them, or agent, bi, strict and observe; several with commas. If
    /// there are several, the one that such a session gets is used.
    #[arg(long, value_name = "POLICY", default_value = "agent")]
    policy: String,
    #[command(flatten)]
    person: PersonFlags,
    /// Executes the candidates that were planned, read-only and with a limit, and has those with
    /// equal results vote for each other.
    #[arg(long)]
    agree: bool,
    /// Prints one JSON object in place of the text.
    #[arg(long)]
    json: bool,
    /// The settings file with the weights, `choose.…`.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Prints the JSON Schema of a candidate, and does nothing else.
    #[arg(long)]
    schema: bool,
    /// The candidates, as JSON Lines or one array; each a text, or an object with sql and, if you
    /// like, target_dialect, assumptions, needs_followup and confidence. - for standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    input: String,
}

/// What a choice needs.
struct PreparedChoice {
    runtime: Runtime,
    session: Arc<ChoiceSession>,
    weights: ChoiceWeights,
    question: String,
}

/// Prints the candidates in order.
pub fn run(flags: &ChooseFlags, out: &mut impl Write) -> CommandOutcome {
    if flags.schema {
        return print_outcome(out.write_all(SCHEMA.as_bytes()));
    }
    let given = match open(&flags.input) {
        Ok(given) => given,
        Err(error) => return unreadable(&flags.input, &error),
    };
    let candidates = match input::read(given) {
        Ok(candidates) => candidates,
        Err(fault) => {
            complain(format_args!("{fault}"));
            return CommandOutcome::Misused;
        }
    };
    let prepared = match prepare(flags) {
        Ok(prepared) => prepared,
        Err(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            return CommandOutcome::Misused;
        }
    };
    let agreement = match flags.agree {
        true => AgreementMode::Votes,
        false => AgreementMode::Off,
    };
    let PreparedChoice {
        runtime,
        session,
        weights,
        question,
    } = prepared;
    let choosing = choose::choose(&session, &question, candidates, &weights, agreement);
    let ranked = runtime.block_on(choosing);
    // What took too long ends by its own clocks: nobody waits for it.
    runtime.shutdown_background();
    let mut out = BufWriter::new(out);
    let printed = match flags.json {
        true => output::write_json(&ranked, &mut out),
        false => output::write(&ranked, &mut out),
    };
    let is_answered = ranked
        .first()
        .is_some_and(|first| first.assessment.compiles());
    match print_outcome(printed.and_then(|()| out.flush())) {
        CommandOutcome::Done if !is_answered => CommandOutcome::Failed,
        outcome => outcome,
    }
}

fn prepare(flags: &ChooseFlags) -> Result<PreparedChoice, Vec<SettingsProblem>> {
    let question = flags.question.clone().unwrap_or_default();
    if question.len() > QUESTION_BYTES_MAX {
        let what = format!("has more than {QUESTION_BYTES_MAX} bytes");
        return Err(problem("--question", &what));
    }
    let sources = settings_sources::sources(flags.config.as_deref(), Vec::new())?;
    let weights = config::choice_weights(&sources)?;
    let files = files::read(&files::words(&flags.policy))?;
    // Connections live on threads of their own while candidates wait for answers.
    let mut builder = runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| problem("this system", &error.kind().to_string()))?;
    let url = flags.upstream.as_deref().unwrap_or_default();
    let SeenDatabase {
        catalog,
        upstream,
        account,
        database,
    } = runtime.block_on(database_catalog::read_database(url))?;
    let login = DatabaseLogin {
        upstream,
        account,
        database,
    };
    let facts = runtime.block_on(database_catalog::read_lint_facts(&login))?;
    let world = AssumedDatabase {
        catalog: Some(Arc::new(catalog)),
        account: login.account.user.clone(),
        database: login.database.clone(),
        ..AssumedDatabase::default()
    };
    let who = flags.person.person(&world)?;
    let policy = trial::choose(files, &who, &world)?.file.policy;
    let judge = trial::judge(&policy, &world)?;
    let login = ChoiceLogin {
        upstream: Arc::new(login.upstream),
        account: login.account,
        database: login.database,
        runtime: runtime.handle().clone(),
    };
    let session = ChoiceSession::new(judge, world, who, facts, login);
    let session = session.map_err(|refusal| problem("--policy", &refusal.message))?;
    Ok(PreparedChoice {
        runtime,
        session: Arc::new(session),
        weights,
        question,
    })
}

fn problem(place: &str, what: &str) -> Vec<SettingsProblem> {
    vec![SettingsProblem {
        place: place.into(),
        what: what.into(),
    }]
}

/// For `--help`.
const STATUSES: &str = "Each candidate begins with 100 points; what is added and taken stands in the \
    settings under choose, and beside each candidate. A candidate has 2 seconds, all of them 10. \
    What the gate or the policy refuses is never sent to the database, and comes last. \
    Exit status: 0 when the first candidate runs, as it is or repaired; 1 when none does; 2 when \
    the command is wrong, or the candidates or the database cannot be read.";

const _: () = assert!(CHOICE_TIME_MAX.as_secs() == 10);
