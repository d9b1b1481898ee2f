//! What the lints say of a statement of somebody's session. A statement that is refused is not
//! linted. Where the policy puts a model, a mask or a condition into a text, or where the role has
//! no right to all that it names, the lints see the text alone: what the tables behind it are like
//! is not the author's to know.

use serde_json::{Value, json};

use super::assumptions::AssumedDatabase;
use super::judge::TextRuling;
use crate::gate::{SearchPaths, SessionNames};
use crate::lint::rules::docs;
use crate::lint::{self, DatabaseFacts, LintDatabase, LintFinding};
use crate::resolve::{KnownParameters, LookupContext};

/// What a statement of a session is linted with.
pub struct SessionLints<'w> {
    /// The database.
    pub world: &'w AssumedDatabase,
    /// What lints know of it beside its catalog.
    pub facts: &'w DatabaseFacts,
}

impl SessionLints<'_> {
    /// What the lints say of a text that was judged.
    pub fn of(&self, text: &str, ruling: &TextRuling, names: &SessionNames) -> Vec<LintFinding> {
        if ruling.answer.refusal().is_some() {
            return Vec::new();
        }
        let (Some(catalog), SearchPaths::Known(paths), None) =
            (&self.world.catalog, names.paths(), &ruling.runs)
        else {
            return lint::lint(text, None);
        };
        let [path] = &**paths else {
            return lint::lint(text, None);
        };
        let role = catalog.role_named(names.role());
        let path = catalog.search_path(path, role);
        let database = LintDatabase {
            lookup: LookupContext {
                catalog,
                path: &path,
                parameters: KnownParameters::Given(&[]),
            },
            rights: catalog.rights_of(role),
            facts: self.facts,
        };
        lint::lint(text, Some(&database))
    }
}

/// Findings as a list for programs, with their places in the text that they are about.
pub fn findings_as_json(findings: &[LintFinding], text: &str) -> Value {
    let each = findings.iter().map(|finding| {
        let place = finding.place_in(text);
        json!({
            "lint": finding.rule.name(),
            "level": finding.level.name(),
            "line": place.map(|(line, _)| line),
            "character": place.map(|(_, character)| character),
            "message": finding.message,
            "before": docs::before(finding.rule),
            "after": docs::after(finding.rule),
        })
    });
    each.collect()
}
