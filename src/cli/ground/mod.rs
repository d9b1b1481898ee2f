//! `pgsieve ground`: what a session may read, told for a prompt.
//!
//! * `reading`: what the database has to be asked in that session: the columns of models, and
//!   samples

mod reading;

use std::io::Write;
use std::sync::Arc;

use tokio::runtime;

use self::reading::SessionReading;
use crate::catalog::{Mask, RolePrivileges, quoted};
use crate::cli::database_catalog::{DatabaseLogin, SeenDatabase};
use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::{files, trial};
use crate::cli::{CommandOutcome, complain, database_catalog, print_outcome};
use crate::config::SettingsProblem;
use crate::grounding::format::render;
use crate::grounding::{
    CatalogDetails, ColumnSamples, Grounding, GroundingFacet, GroundingFacets, GroundingFormat,
    GroundingSource, GroundingVersion, budget, ground, retrieval,
};
use crate::offline::assumptions::AssumedDatabase;
use crate::offline::readable_objects::ReadableObjects;
use crate::policy::{Policy, PolicyModel};

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
    /// functions, models; default for all of these but statistics, samples, indexes and functions;
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
    /// columns that are in no key, comments, relations; with --question what it needs least.
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// How it is written: markdown, m-schema, ddl or json.
    #[arg(long, value_name = "FORMAT", default_value = "markdown", value_parser = format_named)]
    format: GroundingFormat,
}

/// Prints the grounding.
pub fn run(flags: &GroundFlags, out: &mut impl Write) -> CommandOutcome {
    match grounded(flags) {
        Ok(text) => print_outcome(out.write_all(text.as_bytes())),
        Err(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            CommandOutcome::Misused
        }
    }
}

fn grounded(flags: &GroundFlags) -> Result<String, Vec<SettingsProblem>> {
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
    let script = judge.session(&world, &who);
    let gate = judge.into_gate();
    let Some(effect_graph) = script.names().effect_graph() else {
        return Err(problem("--upstream", "has no catalog"));
    };
    let session = GroundedSession {
        readable: ReadableObjects {
            gate: &gate,
            names: script.names(),
            catalog: effect_graph.catalog(),
        },
        mask: effect_graph.mask(),
        facets: &facets,
    };
    let wanted = session.wanted(&flags.relations, policy.models())?;
    let is_own_role = script.names().role() == login.account.user;
    if facets.has(GroundingFacet::Samples) && !is_own_role {
        return Err(problem("--facets", OTHER_ROLE));
    }
    let reading = SessionReading::new(&runtime, login, &gate)?;
    let whole = session.ground(reading, &details, &policy, &wanted);
    let version = GroundingVersion::of(&whole, &facets, policy.version());
    let write = |grounding: &Grounding| render(grounding, version, flags.format);
    Ok(match (&flags.question, flags.budget) {
        (Some(asked), budget) => write(&retrieval::relevant(&whole, asked, budget, write)),
        (None, Some(budget)) => write(&budget::fit(&whole, budget, write)),
        (None, None) => write(&whole),
    })
}

/// A session that is told what it may read.
struct GroundedSession<'s> {
    readable: ReadableObjects<'s>,
    mask: Option<&'s Mask>,
    facets: &'s GroundingFacets,
}

impl<'s> GroundedSession<'s> {
    /// What its role may read under the policy.
    fn privileges(&self) -> RolePrivileges<'s> {
        let ReadableObjects { names, catalog, .. } = self.readable;
        let rights = catalog.rights_of(catalog.role_named(names.role()));
        rights.masked_by(self.mask)
    }

    /// The relations and models of these names, as schema and name.
    fn wanted(
        &self,
        names: &[String],
        models: &[PolicyModel],
    ) -> Result<Vec<(String, String)>, Vec<SettingsProblem>> {
        let (catalog, rights) = (self.readable.catalog, self.privileges());
        let relations = catalog
            .relations()
            .filter(|(id, _)| rights.sees_relation(*id));
        let relations = relations.map(|(_, relation)| {
            let schema = catalog.names().text(catalog.schema(relation.schema).name);
            (schema, catalog.names().text(relation.name))
        });
        let models = models
            .iter()
            .map(|model| (model.schema.as_str(), model.name.as_str()));
        let all: Vec<(&str, &str)> = relations.chain(models).collect();
        let found = names.iter().map(|name| {
            let is_named = |(schema, own): &&(&str, &str)| {
                *name == format!("{schema}.{own}")
                    || *name == format!("{}.{}", quoted(schema), quoted(own))
            };
            let (schema, own) = all.iter().find(is_named).ok_or_else(|| {
                let what = format!("such a session may read no relation {name}: SCHEMA.NAME");
                problem("--relation", &what)
            })?;
            Ok(((*schema).to_owned(), (*own).to_owned()))
        });
        found.collect()
    }

    fn ground(
        &self,
        mut reading: SessionReading<'_>,
        details: &CatalogDetails,
        policy: &Policy,
        wanted: &[(String, String)],
    ) -> Grounding {
        let readable = &self.readable;
        let has = |facet| self.facets.has(facet);
        let covered = reading.covered(readable, self.mask, &self.privileges());
        let models = match has(GroundingFacet::Models) {
            true => reading.models(readable, policy.models()),
            false => Vec::new(),
        };
        let samples = match has(GroundingFacet::Samples) {
            true => reading.samples(readable, &self.privileges()),
            false => ColumnSamples::new(),
        };
        let functions = match has(GroundingFacet::Functions) {
            true => readable.callable(),
            false => Vec::new(),
        };
        ground(&GroundingSource {
            database: reading.database(),
            catalog: readable.catalog,
            privileges: self.privileges(),
            mask: self.mask,
            is_read: &|id, columns| readable.reads(id, columns),
            details,
            covered: &covered,
            models: &models,
            samples: &samples,
            functions: &functions,
            facets: self.facets,
            wanted,
        })
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

const OTHER_ROLE: &str = "samples are read by the session's own role: log in as it with --upstream";

const AFTER_HELP: &str = "It tells what such a session may read, and nothing else: what the \
    policy or the role's rights hide occurs nowhere in it. Exit status: 0 told, 2 the flags are \
    wrong, or the database cannot be read.";
