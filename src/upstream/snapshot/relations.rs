//! Relations, their columns, keys and policies, and what a read of them runs.

use std::collections::HashMap;

use super::catalog_query::{CatalogQuery, CatalogReader, acl};
use super::error::{CatalogPart, LoadError};
use crate::catalog::catalog_rows::{ColumnRow, KeyRow, PolicyRow, RelationRow};

/// All of it.
pub struct RelationRows {
    /// By oid.
    pub relations: Vec<RelationRow>,
    /// By relation and number.
    pub columns: Vec<ColumnRow>,
    /// By relation.
    pub keys: Vec<KeyRow>,
    /// (child, parent).
    pub inheritance: Vec<(u32, u32)>,
    /// By relation and name.
    pub policies: Vec<PolicyRow>,
}

/// Reads them.
///
/// May be cancelled: the connection reads the answers away.
///
/// # Errors
/// The same as of [`CatalogQuery::run`].
pub async fn read(reader: CatalogReader<'_>, major: u16) -> Result<RelationRows, LoadError> {
    let (
        mut relations,
        mut columns,
        views,
        computed,
        planned,
        servers,
        mut keys,
        inheritance,
        mut policies,
    ) = tokio::try_join!(
        relations().run(reader),
        columns().run(reader),
        views().run(reader),
        computed(major).run(reader),
        planned(major).run(reader),
        servers().run(reader),
        keys().run(reader),
        inheritance().run(reader),
        policies().run(reader),
    )?;
    relations.sort_unstable_by_key(|relation| relation.oid);
    columns.sort_unstable_by_key(|column| (column.relation, column.number));
    keys.sort_by(|one, two| {
        (one.relation, one.kind, &one.columns).cmp(&(two.relation, two.kind, &two.columns))
    });
    policies.sort_by(|one, two| (one.relation, &one.name).cmp(&(two.relation, &two.name)));
    let mut views: HashMap<u32, String> = views.into_iter().collect();
    let mut servers: HashMap<u32, String> = servers.into_iter().collect();
    let (mut computed, mut planned) = (lists(computed), lists(planned));
    for relation in &mut relations {
        relation.view = views.remove(&relation.oid);
        relation.server = servers.remove(&relation.oid);
        relation.computed = computed.remove(&relation.oid).unwrap_or_default();
        relation.planned = planned.remove(&relation.oid).unwrap_or_default();
    }
    Ok(RelationRows {
        relations,
        columns,
        keys,
        inheritance,
        policies,
    })
}

/// All expressions of each relation.
fn lists(expressions: Vec<(u32, String)>) -> HashMap<u32, Vec<String>> {
    let mut lists: HashMap<u32, Vec<String>> = HashMap::new();
    for (relation, expression) in expressions {
        lists.entry(relation).or_default().push(expression);
    }
    lists
}

/// What can stand in FROM, and composite types; nothing of a session's own, which no other session
/// can reach.
const READABLE: &str =
    "c.relkind IN ('r', 'v', 'm', 'p', 'f', 'S', 'c') AND c.relpersistence <> 't'";

fn relations() -> CatalogQuery<RelationRow> {
    let acl = acl("c.relacl");
    CatalogQuery {
        part: CatalogPart::Relations,
        text: format!(
            "SELECT c.oid, c.relnamespace, c.relname, c.relkind, c.reltype, c.relowner, {acl} \
             FROM pg_class c WHERE {READABLE}"
        ),
        decode: |fields| {
            Ok(RelationRow {
                oid: fields.next()?,
                schema: fields.next()?,
                name: fields.text()?,
                kind: fields.letter()?,
                row_type: fields.next()?,
                owner: fields.next()?,
                acl: fields.acl()?,
                view: None,
                computed: Vec::new(),
                planned: Vec::new(),
                server: None,
            })
        },
    }
}

fn columns() -> CatalogQuery<ColumnRow> {
    let acl = acl("a.attacl");
    CatalogQuery {
        part: CatalogPart::Columns,
        text: format!(
            "SELECT a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod, a.attnotnull, \
               a.attgenerated, {acl} \
             FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
             WHERE a.attnum > 0 AND NOT a.attisdropped AND {READABLE}"
        ),
        decode: |fields| {
            Ok(ColumnRow {
                relation: fields.next()?,
                number: fields.next()?,
                name: fields.text()?,
                type_oid: fields.next()?,
                type_modifier: fields.next()?,
                not_null: fields.next()?,
                generated: fields.letter()?,
                acl: fields.acl()?,
            })
        },
    }
}

/// That of a materialized view is run by REFRESH alone; what it reads is known by it.
fn views() -> CatalogQuery<(u32, String)> {
    CatalogQuery {
        part: CatalogPart::Relations,
        text: "SELECT r.ev_class, r.ev_action::text \
               FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class \
               WHERE r.ev_type = '1' AND c.relkind IN ('v', 'm') AND c.relpersistence <> 't'"
            .into(),
        decode: |fields| Ok((fields.next()?, fields.tree()?)),
    }
}

/// Columns are computed when they are read since 18.
fn computed(major: u16) -> CatalogQuery<(u32, String)> {
    let possible = major >= 18;
    CatalogQuery {
        part: CatalogPart::Columns,
        text: format!(
            "SELECT d.adrelid, d.adbin::text \
             FROM pg_attrdef d \
               JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum \
             WHERE {possible} AND a.attgenerated = 'v' ORDER BY d.adrelid, d.adnum"
        ),
        decode: |fields| Ok((fields.next()?, fields.tree()?)),
    }
}

/// A read is planned with the indexes, checks, partition keys and statistics of its relations.
fn planned(major: u16) -> CatalogQuery<(u32, String)> {
    let statistics = match major {
        ..14 => "",
        14.. => " UNION ALL SELECT stxrelid, stxexprs::text FROM pg_statistic_ext",
    };
    CatalogQuery {
        part: CatalogPart::Relations,
        text: format!(
            "SELECT relation, tree FROM ( \
               SELECT indrelid, indexprs::text FROM pg_index \
               UNION ALL SELECT indrelid, indpred::text FROM pg_index \
               UNION ALL SELECT conrelid, conbin::text FROM pg_constraint WHERE contype = 'c' \
               UNION ALL SELECT partrelid, partexprs::text FROM pg_partitioned_table{statistics} \
             ) AS all_of_them(relation, tree) WHERE tree IS NOT NULL AND relation <> 0 ORDER BY 1, 2"
        ),
        decode: |fields| Ok((fields.next()?, fields.tree()?)),
    }
}

fn servers() -> CatalogQuery<(u32, String)> {
    CatalogQuery {
        part: CatalogPart::Relations,
        text: "SELECT t.ftrelid, s.srvname \
               FROM pg_foreign_table t JOIN pg_foreign_server s ON s.oid = t.ftserver"
            .into(),
        decode: |fields| Ok((fields.next()?, fields.text()?)),
    }
}

/// Foreign keys that are NOT VALID are marked: they do not hold for every row.
fn keys() -> CatalogQuery<KeyRow> {
    CatalogQuery {
        part: CatalogPart::Relations,
        text: format!(
            "SELECT k.conrelid, k.contype, k.conkey, k.confrelid, k.confkey, NOT k.convalidated \
             FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid \
             WHERE k.contype IN ('p', 'u', 'f') AND {READABLE}"
        ),
        decode: |fields| {
            Ok(KeyRow {
                relation: fields.next()?,
                kind: fields.letter()?,
                columns: fields.next::<Option<Vec<i16>>>()?.unwrap_or_default(),
                to: fields.next()?,
                to_columns: fields.next::<Option<Vec<i16>>>()?.unwrap_or_default(),
                not_validated: fields.next()?,
            })
        },
    }
}

/// Of relations; indexes of partitioned tables are listed there, too.
fn inheritance() -> CatalogQuery<(u32, u32)> {
    CatalogQuery {
        part: CatalogPart::Relations,
        text: format!(
            "SELECT i.inhrelid, i.inhparent \
             FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
             WHERE {READABLE} ORDER BY i.inhparent, i.inhrelid"
        ),
        decode: |fields| Ok((fields.next()?, fields.next()?)),
    }
}

fn policies() -> CatalogQuery<PolicyRow> {
    CatalogQuery {
        part: CatalogPart::Relations,
        text: format!(
            "SELECT p.polrelid, p.polname, p.polqual::text \
             FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid \
             WHERE c.relrowsecurity AND p.polcmd IN ('r', '*') AND {READABLE}"
        ),
        decode: |fields| {
            Ok(PolicyRow {
                relation: fields.next()?,
                name: fields.text()?,
                using: fields.tree_or_none()?,
            })
        },
    }
}
