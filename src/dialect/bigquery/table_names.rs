//! Names of BigQuery's tables: `project.dataset.table`, in which the policy says what schema a data
//! set is, or the table alone tells.

use sqlparser::ast::ObjectName;

use crate::translator::Translator;
use crate::translator::name;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};
use catalog::RelationKind;

/// The parts of a table's name as Postgres is to find it.
pub fn relation(translator: &Translator<'_>, name: &ObjectName) -> TranslateResult<Vec<String>> {
    let mut parts: Vec<String> = Vec::new();
    for ident in name::parts(name)? {
        // Parts in one pair of backticks.
        parts.extend(name::content(&ident).split('.').map(str::to_owned));
    }
    let Some((table, before)) = parts.split_last() else {
        return translator.refuse("a name without parts");
    };
    let Some(dataset) = before.last() else {
        return Ok(parts);
    };
    let mapped = (translator.datasets.get(&before.join("."))).or(translator.datasets.get(dataset));
    if let Some(schema) = mapped {
        return Ok(vec![schema.clone(), table.clone()]);
    }
    if before.len() == 1 && schemas_with(translator, table).contains(dataset) {
        return Ok(parts);
    }
    match schemas_with(translator, table).as_slice() {
        [only] => Ok(vec![only.clone(), table.clone()]),
        found => Err(
            Untranslatable::construct(&format!("the data set {dataset}")).hint(
                match found.is_empty() {
                    true => "no table that can be seen has this name: write schema.table",
                    false => "several schemas have a table of this name: write schema.table",
                },
            ),
        ),
    }
}

/// The schemas that have a relation of this name which the role may see.
fn schemas_with(translator: &Translator<'_>, table: &str) -> Vec<String> {
    let Some(database) = translator.database else {
        return Vec::new();
    };
    let catalog = database.catalog;
    let (names, rights) = (catalog.names(), database.rights());
    let found = catalog.relations().filter(|(id, relation)| {
        relation.kind != RelationKind::CompositeType
            && names.text(relation.name).eq_ignore_ascii_case(table)
            && rights.sees_relation(*id)
    });
    let schemas = found.map(|(_, relation)| catalog.schema(relation.schema).name);
    let mut schemas: Vec<String> = schemas.map(|name| names.text(name).to_owned()).collect();
    schemas.sort();
    schemas.dedup();
    schemas
}
