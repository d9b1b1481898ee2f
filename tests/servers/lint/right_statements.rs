//! Right statements get few lint errors: what the corpora say of them, counted.
//! `cargo test --test servers -- lint::right_statements --nocapture` prints the figures, and with
//! `SHOW_LINTS=error` (or `warning`) each finding.

use std::collections::BTreeMap;

use pgsieve::catalog::Catalog;
use pgsieve::demo::sample;
use pgsieve::lint::{DatabaseFacts, LintDatabase, LintFinding, LintLevel, lint};
use pgsieve::resolve::{KnownParameters, LookupContext};
use pgsieve::upstream::snapshot;

use crate::repair::corpus::statements;
use crate::support::{ADMIN, shared, shared_cluster, sql};

/// A database with the schemas of the corpora.
struct KnownDatabase {
    catalog: Catalog,
    facts: DatabaseFacts,
}

/// What was found in the statements of a corpus.
#[derive(Default)]
struct CorpusCount {
    statements: usize,
    with_error: usize,
    with_warning: usize,
    by_lint: BTreeMap<(&'static str, &'static str), usize>,
}

impl KnownDatabase {
    /// One with what these texts make, and the sample shop where it is wanted.
    fn with(texts: &[&str], with_sample: bool) -> Self {
        let cluster = shared_cluster();
        let database = shared::new_database(cluster);
        sql::block_on(async {
            let url = cluster.url(ADMIN, ADMIN, &database);
            let admin = sql::connect(&url).await.unwrap();
            if with_sample {
                sample::load(&admin, sample::ROLE).await.unwrap();
            }
            for text in texts {
                admin.batch_execute(text).await.unwrap();
            }
            let rows = snapshot::load(&admin).await.unwrap();
            Self {
                catalog: Catalog::build(rows).unwrap(),
                facts: snapshot::load_lint_facts(&admin).await.unwrap(),
            }
        })
    }

    fn lint(&self, path: &[&str], text: &str) -> Vec<LintFinding> {
        let role = self.catalog.role_named(ADMIN);
        assert!(role.is_some());
        let path = self.catalog.search_path(path, role);
        let database = LintDatabase {
            lookup: LookupContext {
                catalog: &self.catalog,
                path: &path,
                parameters: KnownParameters::Given(&[]),
            },
            rights: self.catalog.rights_of(role),
            facts: &self.facts,
        };
        lint(text, Some(&database))
    }
}

impl CorpusCount {
    fn add(&mut self, place: &str, text: &str, findings: &[LintFinding]) {
        self.statements += 1;
        let has = |level| findings.iter().any(|finding| finding.level == level);
        self.with_error += usize::from(has(LintLevel::Error));
        self.with_warning += usize::from(has(LintLevel::Warning));
        let shown = std::env::var("SHOW_LINTS").unwrap_or_default();
        for finding in findings {
            let key = (finding.level.name(), finding.rule.name());
            *self.by_lint.entry(key).or_default() += 1;
            if shown == finding.level.name() {
                println!(
                    "{place} {}: {}\n    {text}",
                    finding.rule.name(),
                    finding.message
                );
            }
        }
    }

    /// Prints the figures; fails where two of a hundred statements have an error.
    fn check(&self, name: &str, least: usize) {
        let Self {
            statements,
            with_error,
            with_warning,
            by_lint,
        } = self;
        println!(
            "{name}: {statements} statements, {with_error} with an error, {with_warning} with a warning"
        );
        for ((level, lint), count) in by_lint {
            println!("    {level} {lint}: {count}");
        }
        assert!(*statements >= least, "{name}: only {statements}");
        assert!(
            with_error * 50 < *statements,
            "{name}: {with_error} of {statements}"
        );
    }
}

/// The statements of a corpus with lines of four dashes, each with its place.
fn divided(name: &str, corpus: &str) -> Vec<(String, String)> {
    let chunks = corpus.split("----\n").enumerate().skip(1);
    let read = chunks.map(|(number, chunk)| {
        let lines = chunk.lines().filter(|line| !line.starts_with("--!"));
        let text: Vec<&str> = lines.collect();
        (format!("{name} {number}"), text.join("\n"))
    });
    read.collect()
}

#[test]
fn what_was_meant_by_failing_statements_has_few_errors() {
    let database = KnownDatabase::with(
        &[
            include_str!("../../data/schemas/repairs/schools.sql"),
            include_str!("../../data/schemas/repairs/erp.sql"),
            include_str!("../../data/schemas/repairs/questions.sql"),
        ],
        true,
    );
    let mut count = CorpusCount::default();
    for entry in statements::entries() {
        if let Some(meant) = &entry.meant {
            let findings = database.lint(&[entry.schema, "public"], meant);
            count.add(&entry.place, meant, &findings);
        }
    }
    count.check("what was meant by failing statements", 1_200);
}

#[test]
fn what_analysts_ask_has_few_errors() {
    let database = KnownDatabase::with(&[], true);
    let corpus = include_str!("../../data/corpus/analytics.sql");
    let mut count = CorpusCount::default();
    for (place, text) in divided("analytics", corpus) {
        count.add(&place, &text, &database.lint(&["shop", "public"], &text));
    }
    count.check("what analysts ask", 400);
}

#[test]
fn everyday_reads_and_those_of_clients_have_few_errors() {
    let database = KnownDatabase::with(&[include_str!("../../data/corpus/schema.sql")], false);
    for (name, corpus, least) in [
        ("reads", include_str!("../../data/corpus/reads.sql"), 300),
        ("psql", include_str!("../../data/corpus/psql.sql"), 100),
        ("clients", include_str!("../../data/corpus/clients.sql"), 50),
        (
            "catalogs",
            include_str!("../../data/corpus/catalogs.sql"),
            50,
        ),
    ] {
        let mut count = CorpusCount::default();
        for (place, text) in divided(name, corpus) {
            count.add(&place, &text, &database.lint(&["public"], &text));
        }
        count.check(name, least);
    }
}
