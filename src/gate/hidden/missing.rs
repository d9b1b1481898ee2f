//! Refusals of statements that name what is not there. Of a column or relation that is missing
//! nothing can be told, so whatever a name beside it may stand for counts; but what is to be mended
//! is the missing name, and the refusal says so, as the server would.

use super::refusal;
use crate::gate::case::Case;
use crate::gate::{Refusal, Rule};
use crate::resolve::{Name, Resolution, Use, What};
use crate::sqlstate::{self, SqlState};

/// The refusal of a use, told as one of the missing name that stands behind it, if there is one.
pub(super) fn explained(
    refused: Box<Refusal>,
    used: &Use<'_>,
    resolution: &Resolution<'_>,
    case: &Case<'_>,
) -> Box<Refusal> {
    let may_be_guessed = matches!(
        used.what,
        What::Functions { .. } | What::Operators { .. } | What::Unclear
    );
    match first(resolution, refused.rule, case) {
        Some(told) if may_be_guessed => told,
        _ => refused,
    }
}

/// A refusal that tells of the first name that stands for nothing, if there is one.
pub(in crate::gate) fn first(
    resolution: &Resolution<'_>,
    rule: Rule,
    case: &Case<'_>,
) -> Option<Box<Refusal>> {
    let mut missing = resolution.uses.iter().filter_map(Missing::of);
    missing.next().map(|missing| missing.told(rule, case))
}

/// A name that stands for nothing.
struct Missing<'r> {
    at: Option<usize>,
    sort: &'static str,
    qualifier: Option<&'r str>,
    name: &'r str,
    sqlstate: SqlState,
    hint: &'static str,
}

impl<'r> Missing<'r> {
    fn of(used: &'r Use<'_>) -> Option<Self> {
        let (qualifier, name) = match &used.what {
            What::MissingRelation { schema, name } => (schema, name),
            What::MissingColumn { qualifier, name } => (qualifier, name),
            _ => return None,
        };
        let (sort, sqlstate, hint) = match &used.what {
            What::MissingRelation { .. } => ("relation", sqlstate::UNDEFINED_TABLE, RELATIONS),
            _ => ("column", sqlstate::UNDEFINED_COLUMN, COLUMNS),
        };
        Some(Self {
            at: used.at,
            sort,
            qualifier: qualifier.as_ref().map(Name::as_str),
            name: name.as_str(),
            sqlstate,
            hint,
        })
    }

    fn told(&self, rule: Rule, case: &Case<'_>) -> Box<Refusal> {
        let Self { sort, name, .. } = self;
        let (before, dot) = self.qualifier.map_or(("", ""), |before| (before, "."));
        let mut told = Refusal::new(
            rule,
            self.sqlstate,
            &format!("the database has no {sort} of this name"),
            self.hint,
        )
        .about(format_args!("{sort} {before}{dot}{name}"));
        told.position = refusal::position(self.at, case);
        told
    }
}

const RELATIONS: &str =
    "Check the spelling and the schema; information_schema.tables lists what there is.";
const COLUMNS: &str = "Check the spelling; information_schema.columns lists what there is.";
