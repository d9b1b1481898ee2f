//! What a database has that a policy may want to name, and what its names and types give away.

use crate::catalog::quote::quoted;
use crate::catalog::{Catalog, RelationId, RelationKind};
use crate::cli::policy::init::column_guess::{ColumnGuess, guess, mask};
use crate::cli::policy::suggest::{names_of, of_the_server, pattern};

/// What a database has that is worth to be named.
#[derive(Default)]
pub(super) struct NameableObjects {
    /// What may be read: the pattern, what it is, and how its name stands in SQL.
    pub(super) relations: Vec<ReadableObject>,
    /// What is left out as a guess.
    pub(super) secret: Vec<(String, String)>,
    /// Columns that probably hold something about a person, or a secret.
    pub(super) columns: Vec<GuessedColumn>,
    /// What no pattern can name.
    pub(super) unnamed: Vec<String>,
}

/// A relation that may be read.
pub(super) struct ReadableObject {
    pub(super) pattern: String,
    pub(super) kind: &'static str,
    pub(super) sql: String,
    /// A column that no guess is about.
    pub(super) plain: Option<String>,
}

/// A column that probably should not be read.
pub(super) struct GuessedColumn {
    pub(super) pattern: String,
    pub(super) guess: ColumnGuess,
    /// What is read in its place, where something is.
    pub(super) mask: Option<&'static str>,
    pub(super) type_name: String,
    pub(super) statement: String,
}

impl NameableObjects {
    /// What a catalog has of it.
    pub(super) fn of(catalog: &Catalog) -> Self {
        let mut found = Self::default();
        let mut all: Vec<RelationId> = catalog.relations().map(|(id, _)| id).collect();
        all.sort_by_key(|id| names_of(catalog, *id));
        let children: Vec<RelationId> = catalog
            .relations()
            .filter(|(_, relation)| relation.kind == RelationKind::PartitionedTable)
            .flat_map(|(_, relation)| relation.children.iter().copied())
            .collect();
        for id in all {
            let (relation, (_, name)) = (catalog.relation(id), names_of(catalog, id));
            let kind = match relation.kind {
                RelationKind::Table => "table",
                RelationKind::PartitionedTable => "partitioned table",
                RelationKind::View => "view",
                RelationKind::MaterializedView => "materialized view",
                _ => continue,
            };
            let is_of_server = of_the_server(catalog.schema(relation.schema).kind)
                || names_of(catalog, id).0.starts_with("pg_")
                || name.starts_with("pg_");
            if is_of_server || children.contains(&id) {
                continue;
            }
            match pattern(names_of(catalog, id)) {
                Some(own) => found.relation(catalog, id, own, kind),
                None => found.unnamed.push(catalog.relation_name(id)),
            }
        }
        found
    }

    fn relation(&mut self, catalog: &Catalog, id: RelationId, own: String, kind: &'static str) {
        let (schema, name) = names_of(catalog, id);
        let sql = format!("{}.{}", quoted(schema), quoted(name));
        if guess(name, "text") == Some(ColumnGuess::Secret) {
            self.secret.push((own, sql));
            return;
        }
        let mut plain = None;
        for column in catalog.columns_of(id) {
            let column_name = catalog.names().text(column.name);
            let type_name = catalog.type_name(column.type_id);
            let Some(guess) = guess(column_name, &type_name) else {
                plain.get_or_insert_with(|| quoted(column_name).into_owned());
                continue;
            };
            if column_name.contains('*') {
                self.unnamed.push(format!("{sql}.{column_name}"));
                continue;
            }
            // Who masks a column of a view has looked at the whole of it.
            let is_view = kind.ends_with("view");
            self.columns.push(GuessedColumn {
                pattern: format!("{own}.{}", part(column_name)),
                guess,
                mask: mask(guess, &type_name).filter(|_| !is_view),
                type_name,
                statement: format!("SELECT {} FROM {sql}", quoted(column_name)),
            });
        }
        self.relations.push(ReadableObject {
            pattern: own,
            kind,
            sql,
            plain,
        });
    }
}

/// A name as a part of a pattern.
fn part(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    match name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}
