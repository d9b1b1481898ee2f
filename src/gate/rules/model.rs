//! `model`: a model of the policy in a place where it cannot replace its relation.
//!
//! # Sees
//! The name of a model where no SELECT can be put in its place: EXPLAIN ANALYZE, ONLY,
//! TABLESAMPLE, LOCK TABLE, FETCH from a portal of an EXPLAIN; partitions and parents of what it
//! covers; a model that does not fit the database, or reads a value of the session that is not
//! known for certain; and what was prepared when it stood for another SELECT. A metric that is read
//! where it cannot be told by which dimensions it is to be grouped.
//!
//! # Why
//! What a model covers is never read without it. Nothing is named here that the client did not
//! name itself.
//!
//! # Before
//! - `SELECT * FROM ONLY shop.orders` (models)
//! - `SELECT * FROM shop.orders TABLESAMPLE bernoulli (1)` (models)
//!
//! # After
//! - `SELECT * FROM shop.orders` (models)
//! - `EXPLAIN SELECT * FROM shop.orders` (models)
//!
//! # When not
//! Everywhere else the model's SELECT runs in the place of its name. Where it cannot be told what a
//! name means it is `not_resolved`.

use crate::verdict::METRIC_SUBJECT;
use crate::{Refusal, Rule};
use ground::limits::HINT_CHARACTERS_MAX;
use ground::sqlstate;
use policy::SessionValue;
use policy::metric::MetricRelation;

/// A form that a model cannot stand in.
pub(crate) fn form(what: &str, hint: &'static str) -> Box<Refusal> {
    Refusal::new(Rule::Model, what, hint)
}

/// A part of what a model covers.
pub(crate) fn descendant() -> Box<Refusal> {
    form(
        "this table is a part of one that is read through a model",
        "Read the table that it is a part of.",
    )
}

/// What is read together with what a model covers.
pub(crate) fn ancestor() -> Box<Refusal> {
    form(
        "this table is read together with one that is read through a model",
        "Read the table with the model.",
    )
}

/// A view of what something is laid over.
pub(crate) fn overlaid_view() -> Box<Refusal> {
    form(
        "this view reads what the policy masks or filters",
        "Read the tables themselves, or have the view named in rows or columns.mask of the policy.",
    )
}

/// A catalog that is not served.
pub(crate) fn catalog_unserved() -> Box<Refusal> {
    form(
        "this catalog is not served: the catalogs show what the policy shows",
        "pg_class, pg_attribute, pg_type, pg_constraint, pg_index, pg_proc and the usual views of \
         information_schema are.",
    )
}

/// A view of a user's that reads a catalog.
pub(crate) fn catalog_reader() -> Box<Refusal> {
    form(
        "this view reads a catalog, and the catalogs show what the policy shows",
        "Read the catalog itself.",
    )
}

/// A value that would show an object by its name.
pub(crate) fn catalog_value(type_name: Option<&str>) -> Box<Refusal> {
    let what = match type_name {
        Some(name) => format!("a value of the type {name} cannot be made here"),
        None => "a value that shows an object by its name cannot be made here".to_owned(),
    };
    form(
        &format!("{what}: the catalogs show what the policy shows"),
        "Write x::regclass or CAST(x AS regclass), or join pg_class.",
    )
}

/// A function that may name what is hidden.
pub(crate) fn catalog_function(name: &str) -> Box<Refusal> {
    form(
        &format!("function {name} is not served here: the catalogs show what the policy shows"),
        "Read the catalogs themselves, or call the function with plain arguments outside of FROM.",
    )
}

/// What a statement names of the catalogs cannot be told.
pub(crate) fn catalog_unclear() -> Box<Refusal> {
    form(
        "what this statement names cannot be told, and the catalogs show what the policy shows",
        "Write names with their schema, and give values their types.",
    )
}

/// There is no snapshot.
pub(crate) fn catalog_missing() -> Box<Refusal> {
    form(
        "the catalog of the database is not loaded, and the catalogs show what the policy shows",
        "Try again in a moment.",
    )
}

/// EXPLAIN ANALYZE, and EXPLAIN of an EXECUTE.
pub(crate) fn explained() -> Box<Refusal> {
    form(
        "EXPLAIN ANALYZE or EXPLAIN EXECUTE of a model is not allowed: it tells of rows that the \
         model leaves out",
        "EXPLAIN the SELECT without ANALYZE: that shows the nodes of its plan.",
    )
}

/// FETCH or MOVE of a portal that shows the plan of a model: what is told of a plan is told of one
/// that is read from its beginning.
pub(crate) fn fetched() -> Box<Refusal> {
    form(
        "FETCH of the plan of a model is not allowed: it would be shown with what the model hides",
        "Execute the portal, or send the EXPLAIN as a statement of its own.",
    )
}

/// A model that does not fit the database.
pub(crate) fn unusable(schema: &str, name: &str) -> Box<Refusal> {
    form(
        &format!("{schema}.{name} is read through a model that does not fit this database"),
        "`pgsieve policy check` with the database says why.",
    )
}

/// A model whose operators or functions are others where this session looks names up.
pub(crate) fn other_search_path(schema: &str, name: &str) -> Box<Refusal> {
    form(
        &format!("the model {schema}.{name} would mean something else under this search_path"),
        "SET search_path to the schemas of the tables alone, or RESET it.",
    )
}

/// A value that is not known for certain.
pub(crate) fn value(value: &SessionValue) -> Box<Refusal> {
    if let SessionValue::Attribute(name) = value {
        return Refusal::new(
            Rule::Model,
            &format!("a model reads the attribute {name} of the user, who has none"),
            "Whoever runs the proxy gives users attributes: client.auth.attributes.",
        );
    }
    let what = match value {
        SessionValue::User => "the user".to_owned(),
        SessionValue::Database => "the database".to_owned(),
        SessionValue::ApplicationName => "application_name".to_owned(),
        SessionValue::Certificate(_) => "the certificate".to_owned(),
        SessionValue::Attribute(name) => format!("the attribute {name}"),
        SessionValue::Setting(name) => format!("the setting {name}"),
    };
    Refusal::new(
        Rule::Model,
        &format!("a model reads {what}, which is not known for certain at this point"),
        "SET it in a statement of its own, outside of a pipeline, before the query.",
    )
    .with_sqlstate(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE)
}

/// What a name stands for cannot be told.
pub(crate) fn not_resolved(name: Option<&str>) -> Box<Refusal> {
    let refusal = Refusal::new(
        Rule::NotResolved,
        "what this statement reads cannot be told, and the policy has models",
        "Write tables with their schema, and change search_path in a statement of its own.",
    );
    match name {
        Some(name) => refusal.about(format_args!("{name}")),
        None => refusal,
    }
}

/// More than is put into one text.
pub(crate) fn too_much() -> Box<Refusal> {
    Refusal::new(
        Rule::Model,
        "the statement names models or metrics more often than one statement may",
        "Name each once, in a WITH, and read that.",
    )
    .with_sqlstate(sqlstate::PROGRAM_LIMIT_EXCEEDED)
}

/// A name that may be that of a dimension or of something else.
pub(crate) fn metric_ambiguous(metric: &str, name: &str) -> Box<Refusal> {
    Refusal::new(
        Rule::Model,
        &format!("column reference \"{name}\" is ambiguous: {metric} has a dimension of that name"),
        format!("Write the table before it: {metric}.{name} is the dimension."),
    )
    .with_sqlstate(sqlstate::AMBIGUOUS_COLUMN)
}

/// A column that a metric does not have.
pub(crate) fn no_metric_column(
    (metric, own): (&str, Option<&MetricRelation>),
    name: &str,
    known: &[&str],
) -> Box<Refusal> {
    let begins = format!("The metric {metric} has ");
    let mut room = HINT_CHARACTERS_MAX.saturating_sub(begins.chars().count() + MORE.len());
    let mut fits = |name: &str| {
        let taken = name.chars().count() + ", ".len();
        let has_room = taken <= room;
        room = room.saturating_sub(taken);
        has_room
    };
    let told: Vec<&str> = known
        .iter()
        .copied()
        .take_while(|name| fits(name))
        .collect();
    let more = match told.len() == known.len() {
        true => ".",
        false => MORE,
    };
    let hint = format!("{begins}{}{more}", told.join(", "));
    Refusal::new(
        Rule::Model,
        &format!("column \"{name}\" does not exist"),
        hint,
    )
    .with_sqlstate(sqlstate::UNDEFINED_COLUMN)
    .of(own.map(|own| format!("{METRIC_SUBJECT}{own}")))
}

/// Where there is no room for all columns.
const MORE: &str = " and others.";

/// A metric that is computed of what may not be read here, or is not there.
pub(crate) fn metric_unusable(schema: &str, name: &str) -> Box<Refusal> {
    form(
        &format!("the metric {schema}.{name} cannot be computed here"),
        "`pgsieve policy check` with the database says why.",
    )
}

/// Where its name stands cannot be told.
pub(crate) fn metric_not_placed(metric: &str) -> Box<Refusal> {
    form(
        &format!("the metric {metric} is read where it cannot be computed"),
        "Name it in FROM of a SELECT.",
    )
}

/// A statement or cursor that was prepared for another text than the one that would run now.
pub(crate) fn text_changed() -> Box<Refusal> {
    Refusal::new(
        Rule::Model,
        "cached plan must not change result type: what its models stand for is not what it was",
        "Prepare the statement, or declare the cursor, again.",
    )
    .with_sqlstate(sqlstate::FEATURE_NOT_SUPPORTED)
}

/// What is only noted.
pub(crate) fn observed() -> Box<Refusal> {
    form("a model stands for what is read", "Nothing is put in.")
}

/// A text that the grammar does not accept with the session's values in it.
pub(crate) fn unparsed() -> Box<Refusal> {
    form(
        "a model does not work with the values of this session",
        "The policy's author has to look at its sql.",
    )
}
