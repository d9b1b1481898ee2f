//! Words about a relation that does not exist.

use super::missing_relation::{MissingRelation, visible_ctes};
use crate::NameGate;
use crate::names::context::NameRepairContext;
use crate::names::name_repair::{NameAdvice, NameFix};
use crate::names::suggestions::{LISTED_MAX, NEAREST_MAX, best, nearest, nearness};
use catalog::quote::quoted;
use ground::limits::NAMES_RELATIONS_MAX;

/// What is there instead, as far as the client may see it.
pub(crate) fn hint(
    name_context: &NameRepairContext<'_>,
    absent: &MissingRelation<'_>,
    failed: Vec<NameGate>,
) -> NameFix {
    let told = |advice: String| {
        NameFix::Advised(NameAdvice {
            advice,
            failed: failed.clone(),
            absent: false,
        })
    };
    let whole = match absent.table.schemaname() {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(absent.name)),
        None => quoted(absent.name).into_owned(),
    };
    if name_context.is_cte_name(absent.name) && absent.table.schemaname().is_none() {
        return told(format!(
            "The query {whole} of WITH is not known here: write its WITH at the beginning of the \
             statement, before whatever reads it, and WITH RECURSIVE if it reads itself."
        ));
    }
    let all = name_context.readable_relations();
    let same: Vec<String> = all
        .iter()
        .filter(|id| name_context.name_of(**id) == absent.name)
        .take(NEAREST_MAX)
        .map(|id| name_context.catalog().relation_name(*id))
        .collect();
    if !same.is_empty() {
        return told(format!(
            "There is no relation {whole}; it may be {}.",
            same.join(" or ")
        ));
    }
    let mut found: Vec<(f64, String)> = all
        .iter()
        .take(NAMES_RELATIONS_MAX)
        .map(|id| {
            let near = nearness(absent.name, name_context.name_of(*id), &[]);
            (near, name_context.called(*id))
        })
        .collect();
    found.extend(visible_ctes(name_context, absent).into_iter().map(|name| {
        let near = nearness(absent.name, name, &[]);
        (near, quoted(name).into_owned())
    }));
    let names = best(found);
    if !names.is_empty() {
        return told(format!(
            "There is no relation {whole}; {}.",
            nearest(&names)
        ));
    }
    let mut foreign = FOREIGN_CATALOGS.iter();
    let name = absent.name.to_lowercase();
    if let Some((_, lists)) = foreign.find(|(word, _)| name == *word) {
        return told(format!("There is no relation {whole}: {lists}."));
    }
    if !all.is_empty() && all.len() <= LISTED_MAX {
        let names: Vec<String> = all.iter().map(|id| name_context.called(*id)).collect();
        return told(format!(
            "There is no relation {whole}; there are {}.",
            names.join(", ")
        ));
    }
    told(format!(
        "There is no relation {whole}, nor one called nearly so; information_schema.tables lists \
         those that you may read."
    ))
}

/// Relations in which other databases list what there is, and where Postgres does.
const FOREIGN_CATALOGS: &[(&str, &str)] = &[
    ("sqlite_master", TABLES),
    ("sqlite_schema", TABLES),
    ("sysobjects", TABLES),
    ("user_tables", TABLES),
    ("all_tables", TABLES),
    ("dba_tables", TABLES),
    ("tables", TABLES),
    ("table", TABLES),
    ("svv_tables", TABLES),
    ("user_tab_columns", COLUMNS),
    ("all_tab_columns", COLUMNS),
    ("syscolumns", COLUMNS),
    ("columns", COLUMNS),
    ("statistics", INDEXES),
    ("dual", NONE),
];

const TABLES: &str = "Postgres lists tables in information_schema.tables";

const COLUMNS: &str = "Postgres lists columns in information_schema.columns";

const INDEXES: &str = "Postgres lists indexes in pg_catalog.pg_indexes";

const NONE: &str = "Postgres needs no FROM for values, as in SELECT 1";
