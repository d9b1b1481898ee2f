//! `pgsieve policy import`: what a project of dbt says of its relations as a fragment of a policy,
//! and what of it is left out, and why. Nothing of a manifest is run.
//!
//! * [`manifest`]: the file; [`dbt_tests`]: what tests say; [`semantics`]: semantic models and
//!   metrics; [`sql_piece`]: the SQL in it
//! * [`database_fit`]: what a database has of it, and a policy lets through
//! * [`fragment`]: what is printed; [`left_out`]: what is not

mod database_fit;
mod dbt_tests;
mod fragment;
mod left_out;
mod manifest;
mod semantics;
mod sql_piece;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use self::database_fit::FittedDatabase;
use self::fragment::ImportedProject;
use self::left_out::LeftOut;
use self::manifest::DbtManifest;
use crate::catalog::Catalog;
use crate::cli::policy::files;
use crate::cli::policy::test::misused;
use crate::cli::policy::trial::{judge, world};
use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::config::SettingsProblem;
use crate::gate::effects::graph::EffectGraph;
use crate::limits::CHECK_TEXT_BYTES_MAX;
use crate::offline::assumptions::AssumedDatabase;
use crate::offline::judge::OfflineJudge;
use crate::policy::{Policy, PolicyProblem};
use crate::text_file;

/// The flags of `policy import`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct PolicyImportFlags {
    /// The manifest.json that dbt has written into target/, of dbt 1.5 or later.
    #[arg(long, value_name = "FILE")]
    dbt: PathBuf,
    /// Leaves out what this database does not have:
    /// postgres://[user[:password]@]host[:port]/[name]. Only its catalog is read.
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// Leaves out what this policy would refuse: a file, or the name of a built-in one.
    #[arg(long, value_name = "FILE", requires = "upstream")]
    policy: Option<String>,
    /// Makes models of the relations that have dimensions which are expressions: statements then
    /// read the model in place of the relation.
    #[arg(long, requires = "upstream")]
    models: bool,
    /// Where the fragment is written [default: standard output].
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Prints it.
pub fn run(flags: &PolicyImportFlags, out: &mut impl Write) -> CommandOutcome {
    let prepared = manifest(flags).and_then(|manifest| {
        let world = world(flags.upstream.as_deref())?;
        let judge = match &flags.policy {
            Some(word) => Some(judge(&files::read_one(word)?.policy, &world)?),
            None => None,
        };
        Ok((manifest, world, judge))
    });
    let (manifest, world, judge) = match prepared {
        Ok(prepared) => prepared,
        Err(problems) => return misused(&problems),
    };
    let mut left_out = LeftOut::default();
    let mut project = ImportedProject::of(&manifest, &mut left_out);
    if let Some(adapter) = manifest.other_adapter() {
        let what = format!("the project is one for {}", adapter.escape_default());
        complain(format_args!(
            "{what}: its expressions are taken for those of Postgres"
        ));
    }
    let text = fitted(
        flags.models,
        &mut project,
        (&world, judge.as_ref()),
        &mut left_out,
    );
    left_out.print();
    match (text, &flags.output) {
        (Err(problems), _) => {
            for problem in problems {
                complain(format_args!("what was written is no policy: {problem}"));
            }
            fail(format_args!("nothing is printed"))
        }
        (Ok(text), Some(path)) => match fs::write(path, text) {
            Ok(()) => CommandOutcome::Done,
            Err(error) => fail(format_args!("{}: {}", path.display(), error.kind())),
        },
        (Ok(text), None) => print_outcome(out.write_all(text.as_bytes())),
    }
}

fn manifest(flags: &PolicyImportFlags) -> Result<DbtManifest, Vec<SettingsProblem>> {
    let wrong = |what: String| {
        let place = "--dbt".to_owned();
        vec![SettingsProblem { place, what }]
    };
    let path = &flags.dbt;
    let text = text_file::read(path, CHECK_TEXT_BYTES_MAX);
    let text = text.map_err(|fault| wrong(fault.describe(path)))?;
    DbtManifest::read(&text).map_err(|what| wrong(format!("{}: {what}", path.display())))
}

/// The fragment of what a database has of a project; of all of it where there is none.
fn fitted(
    with_models: bool,
    project: &mut ImportedProject,
    (world, judge): (&AssumedDatabase, Option<&OfflineJudge>),
    left_out: &mut LeftOut,
) -> Result<String, Vec<PolicyProblem>> {
    if !with_models {
        for dimension in std::mem::take(&mut project.semantics.dimensions) {
            let relation = project.relations.all.get(dimension.relation);
            let id = relation.map_or("", |relation| relation.id.as_str());
            left_out.add(
                &format!("dimension {} of {id}", dimension.name),
                "it is an expression: --models makes a calculated column of it",
            );
        }
    }
    let Some(catalog) = &world.catalog else {
        return headed(project.fragment(|_| None, left_out));
    };
    let judge = judge.map(|judge| (judge, world));
    let database = FittedDatabase::of(catalog, judge);
    database.fit(project, left_out);
    let columns = |project: &ImportedProject, place: usize| {
        let relation = project.relations.all.get(place)?;
        database.columns(&relation.schema, &relation.name)
    };
    let (mut first, before) = (LeftOut::default(), &*project);
    let text = before.fragment(|place| columns(before, place), &mut first)?;
    let unusable = unusable_models(&text, catalog)?;
    if unusable.is_empty() {
        left_out.lines.extend(first.lines);
        return headed(Ok(text));
    }
    for (key, why) in &unusable {
        left_out.add(key, why);
    }
    let relations = &project.relations.all;
    project.semantics.dimensions.retain(|dimension| {
        let relation = relations.get(dimension.relation);
        relation.is_some_and(|relation| {
            let key = format!("models.{}.{}", relation.schema, relation.name);
            unusable.iter().all(|(other, _)| *other != key)
        })
    });
    let rest = &*project;
    headed(rest.fragment(|place| columns(rest, place), left_out))
}

/// The models of a fragment that this database could not use, with the reason.
fn unusable_models(
    text: &str,
    catalog: &Arc<Catalog>,
) -> Result<Vec<(String, String)>, Vec<PolicyProblem>> {
    let policy = Policy::from_yaml(&format!("name: import\nextends: bi\n{text}"))?;
    if policy.models().is_empty() {
        return Ok(Vec::new());
    }
    let effect_graph = EffectGraph::new(Arc::clone(catalog), &policy.for_judging());
    let problems = effect_graph.model_problems();
    Ok(problems.map(|(key, why)| (key, why.into_owned())).collect())
}

fn headed(text: Result<String, Vec<PolicyProblem>>) -> Result<String, Vec<PolicyProblem>> {
    text.map(|text| format!("{HEAD}{text}"))
}

const HEAD: &str = "# From a project of dbt, by pgsieve policy import: a part of a policy.\n";

const EXIT_STATUS: &str = "What is left out, and why, is told on standard error. Exit status: 0 \
    where a fragment was printed; 1 where none could be made; 2 where the question was wrong.";

#[cfg(test)]
mod tests;
