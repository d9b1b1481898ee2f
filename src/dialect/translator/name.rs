//! Names: spelled as the catalog spells them where it knows them, otherwise folded as Postgres
//! folds them.

use std::borrow::Cow;

use sqlparser::ast::{Ident, ObjectName, ObjectNamePart};

use super::Translator;
use super::scope::{KnownColumns, OutputColumn, TranslatedItem, find};
use super::translated::TranslatedForm;
use super::untranslatable::{TranslateResult, Untranslatable};
use crate::sql_type::SqlType;
use catalog::{RelationId, RelationKind, SchemaId};

/// A name as it can be written.
pub fn quoted(name: &str) -> Cow<'_, str> {
    catalog::quoted(name)
}

/// How a name that the text makes up (an alias, a common table) is spelled in Postgres: a quoted
/// one as it stands, another one as Postgres folds it.
pub fn spelled(ident: &Ident) -> TranslateResult<String> {
    let name = content(ident);
    if name.is_empty() || name.contains('\0') {
        return Err(Untranslatable::construct("an empty name"));
    }
    Ok(match ident.quote_style {
        Some(_) => name,
        None if name.starts_with('@') => return Err(Untranslatable::variable(&name)),
        None => name.to_ascii_lowercase(),
    })
}

/// What a name holds: doubled quotes are one.
pub fn content(ident: &Ident) -> String {
    let quote = match ident.quote_style {
        Some('[') => ']',
        Some(quote) => quote,
        None => return ident.value.clone(),
    };
    ident
        .value
        .replace(&format!("{quote}{quote}"), &quote.to_string())
}

/// The parts of a name.
pub fn parts(name: &ObjectName) -> TranslateResult<Vec<Ident>> {
    let part = |part: &ObjectNamePart| match part {
        ObjectNamePart::Identifier(ident) => Ok(ident.clone()),
        ObjectNamePart::Function(_) => Err(Untranslatable::construct("a computed name")),
    };
    name.0.iter().map(part).collect()
}

impl Translator<'_> {
    /// A relation of FROM that is no common table: its text and what it brings.
    pub fn relation(&self, name: &ObjectName) -> TranslateResult<(String, TranslatedItem)> {
        let given: Vec<String> = match self.source.relation(self, name)? {
            Some(parts) => parts,
            None => parts(name)?.iter().map(content).collect(),
        };
        let plain = parts(name)?.iter().all(|ident| ident.quote_style.is_none());
        if let Some(id) = self.find_relation(&given) {
            let catalog = self.database.map(|database| database.catalog);
            if let Some(catalog) = catalog {
                let relation = catalog.relation(id);
                let own = catalog.names().text(relation.name);
                let mut text = String::new();
                if given.len() > 1 {
                    let schema = catalog.schema(relation.schema).name;
                    text.push_str(&quoted(catalog.names().text(schema)));
                    text.push('.');
                }
                text.push_str(&quoted(own));
                let columns = KnownColumns::Known(self.columns_of(id));
                let name = own.to_owned();
                return Ok((text, TranslatedItem { name, columns }));
            }
        }
        let spelled = |part: &String| {
            let folded = if plain {
                part.to_ascii_lowercase()
            } else {
                part.clone()
            };
            quoted(&folded).into_owned()
        };
        let last = given.last().cloned().unwrap_or_default();
        let item = TranslatedItem {
            name: if plain {
                last.to_ascii_lowercase()
            } else {
                last
            },
            columns: KnownColumns::Unknown,
        };
        Ok((
            given.iter().map(spelled).collect::<Vec<_>>().join("."),
            item,
        ))
    }

    /// The relation of the catalog that these parts name: `table`, or `schema.table`.
    fn find_relation(&self, given: &[String]) -> Option<RelationId> {
        let database = self.database?;
        let catalog = database.catalog;
        let (schemas, table): (Vec<SchemaId>, &String) = match given {
            [table] => (database.path.schemas().to_vec(), table),
            [schema, table] => {
                let all: Vec<(SchemaId, &str)> = catalog
                    .schemas()
                    .map(|(id, schema)| (id, catalog.names().text(schema.name)))
                    .collect();
                let (id, _) = find(&all, |(_, name)| name, schema)?;
                (vec![*id], table)
            }
            _ => return None,
        };
        let rights = database.rights();
        for schema in schemas {
            let here: Vec<(RelationId, &str)> = catalog
                .relations()
                .filter(|(id, relation)| {
                    relation.schema == schema
                        && relation.kind != RelationKind::CompositeType
                        && rights.sees_relation(*id)
                })
                .map(|(id, relation)| (id, catalog.names().text(relation.name)))
                .collect();
            if let Some((id, _)) = find(&here, |(_, name)| name, table) {
                return Some(*id);
            }
        }
        None
    }

    fn columns_of(&self, relation: RelationId) -> Vec<OutputColumn> {
        let Some(database) = self.database else {
            return Vec::new();
        };
        let catalog = database.catalog;
        let rights = database.rights();
        let columns = catalog.columns_of(relation).iter();
        columns
            .filter(|column| rights.may_read_column(relation, column))
            .map(|column| OutputColumn {
                name: catalog.names().text(column.name).to_owned(),
                kind: SqlType::of(catalog, column.type_id),
                not_null: column.not_null,
                extra_digits: false,
                form: TranslatedForm::Column,
                case_sensitive: false,
            })
            .collect()
    }
}
