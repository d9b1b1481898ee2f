//! What is known of the database, and what is not. Lines hold counts, never the name of an object
//! in it.

use std::fmt;
use std::time::{Duration, Instant};

use crate::catalog::Catalog;
use crate::catalog::drift::Drift;
use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::counters::register::seconds;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{CatalogFailure, CatalogLoad};
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::session_info::cleaned;

/// A catalog was loaded and is in use.
pub struct CatalogLoaded<'a> {
    /// Its cache.
    pub number: u64,
    /// The database.
    pub database: &'a str,
    /// The catalog; its version and counts are shown.
    pub catalog: &'a Catalog,
    /// Whether it differs from the one before.
    pub outcome: CatalogLoad,
    /// From the check that called for it until it was in use.
    pub duration: Duration,
}

/// A database contains something else than before.
pub struct CatalogDrifted<'a> {
    /// The database.
    pub database: &'a str,
    /// How many objects of each kind differ.
    pub drift: &'a Drift,
}

/// A catalog could not be loaded, or not be checked any more.
pub struct CatalogFailed<'a> {
    /// The database.
    pub database: &'a str,
    /// Why.
    pub why: CatalogFailure,
    /// The same in words that hold no address, user or password, and nothing of the database.
    pub told: &'a dyn fmt::Display,
    /// The settings that it may be fixed at, in words with keys in braces; may be empty.
    pub remedy: &'static str,
    /// Whether it is another cause than that of the attempt before: only then it is told.
    pub is_news: bool,
}

/// A catalog is not used any more, because nobody knows whether it still holds.
pub struct CatalogWithdrawn<'a> {
    /// The database.
    pub database: &'a str,
    /// Time since it was last known to.
    pub age: Duration,
}

/// An account is known that a catalog can be loaded with: from now on its age counts.
pub struct CatalogWanted {
    /// Its cache.
    pub number: u64,
}

/// A catalog was found to hold. Counted only.
pub struct CatalogChecked {
    /// Its cache.
    pub number: u64,
    /// When the check began.
    pub began: Instant,
}

/// Nobody watches a catalog any more. Counted only.
pub struct CatalogForgotten {
    /// Its cache.
    pub number: u64,
}

/// A statement was judged by its text alone, because there was no catalog and the policy prefers
/// one without requiring it. Counted only: there may be many.
pub struct StatementJudgedWithoutCatalog;

impl Event for CatalogLoaded<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let numbers = &sinks.metrics.catalog;
        numbers.loads.inc(self.outcome);
        numbers.checks.note_size(self.number, self.catalog.bytes());
        numbers.load_seconds.observe(seconds(self.duration));
        let database = cleaned(self.database);
        let version = self.catalog.version().to_string();
        let (schemas, relations, functions, types) = (
            self.catalog.schemas().len(),
            self.catalog.relations().len(),
            self.catalog.functions().len(),
            self.catalog.data_types().len(),
        );
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "catalog_loaded", None, |line| {
                line.text("database", &database)
                    .text("version", &version)
                    .word("outcome", self.outcome.name())
                    .number("schemas", count(schemas))
                    .number("relations", count(relations))
                    .number("functions", count(functions))
                    .number("types", count(types))
                    .micros("duration_us", self.duration);
            });
        }
        if self.outcome == CatalogLoad::Loaded {
            let took = self.duration.as_millis();
            sinks.log.line(
                LogLevel::Info,
                LogEvent::CatalogLoaded.name(),
                format_args!(
                    "catalog of {database:?} loaded in {took} ms: {relations} relations, \
                     {functions} functions, version {version}"
                ),
            );
        }
    }
}

impl Event for CatalogDrifted<'_> {
    fn emit(&self, sinks: &EventSinks) {
        for (kind, amount) in self.drift.kinds() {
            sinks.metrics.catalog.drift.add(kind, count(amount.total()));
        }
        let database = cleaned(self.database);
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "catalog_drifted", None, |line| {
                line.text("database", &database);
                for (kind, amount) in self.drift.kinds() {
                    line.number(kind.name(), count(amount.total()));
                }
            });
        }
        let total = self.drift.total();
        sinks.log.line(
            LogLevel::Info,
            LogEvent::CatalogDrifted.name(),
            format_args!("{total} objects of {database:?} have changed"),
        );
    }
}

impl Event for CatalogFailed<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.catalog.loads.inc(CatalogLoad::Failed);
        sinks.metrics.catalog.failures.inc(self.why);
        if !self.is_news {
            return;
        }
        let (database, why, told) = (cleaned(self.database), self.why.name(), self.told);
        let remedy = sinks.log.places().fill(self.remedy);
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "catalog_failed", None, |line| {
                line.text("database", &database).word("why", why);
            });
        }
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::CatalogFailed.name(),
            format_args!("catalog of {database:?} cannot be loaded or checked: {told}{remedy}"),
        );
    }
}

impl Event for CatalogWithdrawn<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let database = cleaned(self.database);
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "catalog_withdrawn", None, |line| {
                line.text("database", &database).micros("age_us", self.age);
            });
        }
        let age = self.age.as_secs();
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::CatalogWithdrawn.name(),
            format_args!("catalog of {database:?} is not used: last checked {age} s ago"),
        );
    }
}

impl Event for CatalogWanted {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.catalog.checks.expect(self.number);
    }
}

impl Event for CatalogChecked {
    fn emit(&self, sinks: &EventSinks) {
        let checks = &sinks.metrics.catalog.checks;
        checks.note(self.number, self.began);
    }
}

impl Event for CatalogForgotten {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.catalog.checks.forget(self.number);
    }
}

impl Event for StatementJudgedWithoutCatalog {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.catalog.statements_without.inc();
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
