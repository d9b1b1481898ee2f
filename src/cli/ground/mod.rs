//! `pgsieve ground`: what a session may read, told for a prompt.
//!
//! * `freshness`: whether a prompt that was made earlier is still true

mod freshness;

use std::io::Write;
use std::sync::Arc;

use tokio::runtime;

use self::freshness::FreshnessFlags;
use crate::cli::database_catalog::{DatabaseLogin, SeenDatabase};
use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::{files, trial};
use crate::cli::{CommandOutcome, complain, database_catalog, print_outcome};
use crate::config::SettingsProblem;
use crate::grounding::{
    BudgetTooSmall, GroundingFacet, GroundingFacets, GroundingFormat, GroundingWish, WholeGrounding,
};
use crate::offline::assumptions::AssumedDatabase;
use crate::server::grounding::grounded_session::{GroundedSession, UntoldSession};
use crate::server::grounding::reading::GroundingLogin;

/// The flags of `ground`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct GroundFlags {
    /// The database: postgres://[user[:password]@]host[:port]/[name]. Other connection parameters
    /// can come from the environment, as for serve.
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Policy files, folders of them, or agent, bi, strict and observe; several with commas. If
    /// there are several, the one that such a session gets is used.
    #[arg(long, value_name = "POLICY", default_value = "agent")]
    policy: String,
    #[command(flatten)]
    person: PersonFlags,
    /// What is told: info, tables, columns, keys, foreign_keys, statistics, samples, indexes,
    /// functions, models, knowledge; default for all of these but statistics, samples, indexes and
    /// functions;
    /// all. With --relation, foreign_keys:2 tells relations that are up to two foreign keys away.
    #[arg(long, value_name = "FACETS", default_value = "default")]
    facets: String,
    /// Tells this relation, with its schema, and those that its foreign keys lead to and from; may
    /// be repeated [default: all].
    #[arg(long = "relation", value_name = "SCHEMA.NAME")]
    relations: Vec<String>,
    /// Tells what a question in English needs: relations and columns whose names, comments, labels
    /// or values have its words, what they are joined by, and what lies between; as much of it as
    /// the budget has room for. Up to 15 relations are all named, with a part of their columns
    /// [default budget: half of a grounding of up to 15 relations, 15 % of a larger one].
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
    /// At most so many tokens, counted as one for each 3.5 bytes. What there is no room for is
    /// left out in this order: samples, statistics, indexes, functions, comments on columns,
    /// records of knowledge, columns that are in no key, comments, relations; with --question what
    /// it needs least.
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// How it is written: markdown, m-schema, ddl or json.
    #[arg(long, value_name = "FORMAT", default_value = "markdown", value_parser = format_named)]
    format: GroundingFormat,
    #[command(flatten)]
    freshness: FreshnessFlags,
}

/// Prints the grounding.
pub fn run(flags: &GroundFlags, out: &mut impl Write) -> CommandOutcome {
    match grounded(flags) {
        Ok(GroundAnswer { text, is_stale }) => {
            match print_outcome(out.write_all(text.as_bytes())) {
                CommandOutcome::Done if is_stale => CommandOutcome::Failed,
                outcome => outcome,
            }
        }
        Err(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            CommandOutcome::Misused
        }
    }
}

/// What is printed.
struct GroundAnswer {
    text: String,
    /// Whether it says that a prompt is stale.
    is_stale: bool,
}

fn grounded(flags: &GroundFlags) -> Result<GroundAnswer, Vec<SettingsProblem>> {
    let earlier = flags.freshness.earlier()?;
    let facets = GroundingFacets::read(&flags.facets);
    let facets = facets.map_err(|error| problem("--facets", &error.to_string()))?;
    let files = files::read(&files::words(&flags.policy))?;
    // Connections live on a thread of its own while this one waits for answers.
    let mut builder = runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| problem("this system", &error.kind().to_string()))?;
    let SeenDatabase {
        catalog,
        upstream,
        account,
        database,
    } = runtime.block_on(database_catalog::read_database(&flags.upstream))?;
    let login = DatabaseLogin {
        upstream,
        account,
        database,
    };
    let with_statistics = facets.has(GroundingFacet::Statistics);
    let details = runtime.block_on(database_catalog::read_details(&login, with_statistics))?;
    let world = AssumedDatabase {
        catalog: Some(Arc::new(catalog)),
        account: login.account.user.clone(),
        database: login.database.clone(),
        ..AssumedDatabase::default()
    };
    let who = flags.person.person(&world)?;
    let policy = trial::choose(files, &who, &world)?.file.policy;
    let judge = trial::judge(&policy, &world)?;
    let session = GroundedSession {
        policy: &policy,
        world: &world,
        who: &who,
        details: &details,
        facets: &facets,
        wanted: &flags.relations,
    };
    let login = GroundingLogin {
        runtime: runtime.handle().clone(),
        upstream: Arc::new(login.upstream),
        account: login.account,
        database: login.database,
        server: None,
        ends: None,
    };
    let whole = WholeGrounding::new(session.ground(judge, login).map_err(untold)?);
    if let Some(answer) = flags.freshness.answer(&whole, earlier.as_ref()) {
        return Ok(answer);
    }
    let wish = GroundingWish {
        question: flags.question.clone(),
        budget: flags.budget,
        format: flags.format,
    };
    let text = whole.text(&wish).map_err(|BudgetTooSmall(least)| {
        let what = format!("is too small: what cannot be left out takes {least} tokens");
        problem("--budget", &what)
    })?;
    let is_stale = false;
    Ok(GroundAnswer { text, is_stale })
}

/// Why such a session is told nothing, with the flag that says so.
fn untold(why: UntoldSession) -> Vec<SettingsProblem> {
    match why {
        UntoldSession::NoCatalog => problem("--upstream", "has no catalog"),
        UntoldSession::RefusedLogin(words) => problem("--policy", &words),
        UntoldSession::Unreadable(which) => problem("--relation", &which.to_string()),
        UntoldSession::Unread(_) => problem(
            "--role",
            "the user of --upstream cannot read the database as this role: it has to be a member",
        ),
    }
}

fn format_named(name: &str) -> Result<GroundingFormat, String> {
    GroundingFormat::named(name).ok_or_else(|| {
        let names = GroundingFormat::ALL.iter().map(|format| format.name());
        names.collect::<Vec<_>>().join(", ")
    })
}

fn problem(place: &str, what: &str) -> Vec<SettingsProblem> {
    vec![SettingsProblem {
        place: place.into(),
        what: what.into(),
    }]
}

const AFTER_HELP: &str = "It tells what such a session may read, and nothing else: what the \
    policy or the role's rights hide occurs nowhere in it. Exit status: 0 told, or fresh; 1 stale; \
    2 the flags are wrong, or the database cannot be read.";
