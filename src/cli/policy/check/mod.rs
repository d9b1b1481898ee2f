//! `pgsieve policy check`: everything that is wrong with policies, each thing with its place; with
//! a database, also what is wrong with them there.

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;

use crate::catalog::Catalog;
use crate::cli::policy::test::misused;
use crate::cli::policy::trial::world;
use crate::cli::{CommandOutcome, complain, database_catalog, print_outcome};
use crate::config::warnings;
use crate::gate::effects::graph::EffectGraph;
use crate::offline::{catalog_fit, known_examples};
use crate::policy::sources::{LoadedPolicy, PolicyLoadError, PolicySource};
use crate::policy::{Policy, PolicySet, Strictness};

/// The flags of `policy check`.
#[derive(clap::Args)]
#[command(after_help = STATUSES)]
pub struct PolicyCheckFlags {
    /// Also checks with the catalog of this database: patterns that match nothing, models that do
    /// not work, views that show what is hidden: postgres://[user[:password]@]host[:port]/[name].
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// Also checks whether one server can use all of them together, those of a folder with the
    /// others.
    #[arg(long)]
    together: bool,
    /// Checks each policy of a folder by itself alone: they are not meant for one server.
    #[arg(long, conflicts_with = "together")]
    apart: bool,
    /// Policy files, folders of them (each *.yaml), or agent, bi, strict and observe.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
}

/// A server, as far as policies are about it.
#[derive(Clone, Copy)]
struct KnownServer<'k> {
    catalog: &'k Arc<Catalog>,
    databases: &'k [String],
}

/// What was found, for the exit status.
#[derive(Default)]
struct PolicyCheckTally {
    wrong: bool,
    unreadable: bool,
}

/// Checks them all.
pub fn run(flags: &PolicyCheckFlags, out: &mut impl Write) -> CommandOutcome {
    let world = match world(flags.upstream.as_deref()) {
        Ok(world) => world,
        Err(problems) => return misused(&problems),
    };
    let databases = match &flags.upstream {
        Some(url) => database_catalog::databases(url),
        None => Ok(Vec::new()),
    };
    let databases = match databases {
        Ok(databases) => databases,
        Err(problems) => return misused(&problems),
    };
    let known = world.catalog.as_ref().map(|catalog| KnownServer {
        catalog,
        databases: &databases,
    });
    let mut tally = PolicyCheckTally::default();
    let checked = check(flags, known, &mut tally, out);
    match checked.and_then(|()| out.flush()) {
        Err(error) => print_outcome(Err(error)),
        Ok(()) if tally.unreadable => CommandOutcome::Misused,
        Ok(()) if tally.wrong => CommandOutcome::Failed,
        Ok(()) => CommandOutcome::Done,
    }
}

fn check(
    flags: &PolicyCheckFlags,
    known: Option<KnownServer<'_>>,
    tally: &mut PolicyCheckTally,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut policies = Vec::new();
    for file in &flags.files {
        let source = PolicySource::of(file);
        match source.load() {
            Ok(loaded) => {
                let mut own = Vec::new();
                for LoadedPolicy { origin, policy, .. } in loaded {
                    let policy = Arc::new(policy.for_judging());
                    sound(&origin, &policy, known, tally, out)?;
                    own.push(policy);
                }
                if source.is_folder() && !flags.apart && !flags.together {
                    together(own.clone(), &format!("{file}: together"), tally, out)?;
                }
                policies.extend(own);
            }
            Err(PolicyLoadError::Wrong(problems)) => {
                tally.wrong = true;
                for problem in problems {
                    writeln!(out, "{problem}")?;
                }
            }
            Err(unloaded) => {
                tally.unreadable = true;
                complain(format_args!("{file}: {unloaded}"));
            }
        }
    }
    if flags.together && !tally.wrong && !tally.unreadable {
        together(policies, "together", tally, out)?;
    }
    if known.is_none() && !tally.wrong && !tally.unreadable {
        writeln!(out, "{NOT_COMPARED}")?;
    }
    Ok(())
}

/// One that is sound by itself.
fn sound(
    origin: &str,
    policy: &Arc<Policy>,
    known: Option<KnownServer<'_>>,
    tally: &mut PolicyCheckTally,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut warnings = 0;
    if known.is_none() {
        let wrong = known_examples::refused(policy, None);
        for wrong in &wrong {
            writeln!(out, "{origin}: {wrong}")?;
        }
        if !wrong.is_empty() {
            tally.wrong = true;
            return Ok(());
        }
    }
    if let Some(KnownServer { catalog, databases }) = known {
        let effect_graph = Arc::new(EffectGraph::new(Arc::clone(catalog), policy));
        let mut told = catalog_fit::findings(policy, &effect_graph);
        let unknown = warnings::unknown_databases(policy, databases, &[]).into_iter();
        let unknown = unknown.map(|what| format!("match.database: {what}"));
        told.warnings.extend(unknown);
        let examples = known_examples::refused(policy, Some(&effect_graph)).into_iter();
        told.wrong.extend(examples.map(|wrong| wrong.to_string()));
        for wrong in &told.wrong {
            writeln!(out, "{origin}: {wrong}")?;
        }
        for warning in &told.warnings {
            writeln!(out, "{origin}: warning: {warning}")?;
        }
        warnings = told.warnings.len();
        if !told.wrong.is_empty() {
            tally.wrong = true;
            return Ok(());
        }
    }
    let (name, version) = (policy.name(), policy.version());
    let mode = match policy.strictness() {
        Strictness::Enforce => "",
        Strictness::Mixed => ", rules of it only observe",
        Strictness::Observe => ", mode: observe",
    };
    let ending = policy.ending();
    let over = match policy.is_over(Timestamp::now().as_second()) {
        true => ", which is over: it is for nobody",
        false => "",
    };
    let warned = match warnings {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        count => format!(", {count} warnings"),
    };
    writeln!(
        out,
        "{origin}: {name} {version}: sound{mode}{ending}{over}{warned}"
    )
}

/// Whether one server can use policies together: none of them is one that nobody would get.
fn together(
    policies: Vec<Arc<Policy>>,
    place: &str,
    tally: &mut PolicyCheckTally,
    out: &mut impl Write,
) -> io::Result<()> {
    if let Err(wrong) = PolicySet::new(policies) {
        tally.wrong = true;
        for wrong in wrong {
            writeln!(out, "{place}: {wrong}")?;
        }
    }
    Ok(())
}

/// Where there was no database.
const NOT_COMPARED: &str = "names of relations, columns and functions were not compared with a \
    database: --upstream does that";

/// For `--help`.
const STATUSES: &str = "Exit status: 0 when nothing is wrong, warnings aside; 1 when something \
    is; 2 when a file or the database cannot be read.";
