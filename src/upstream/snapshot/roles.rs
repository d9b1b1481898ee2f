//! Schemas, roles, memberships, and where sessions look for names.

use std::collections::HashMap;

use super::catalog_query::{CatalogQuery, CatalogReader, acl};
use super::error::{CatalogPart, LoadError};
use crate::catalog::catalog_rows::{RoleRow, SchemaRow};

/// All of it.
pub struct RoleRows {
    /// By oid.
    pub schemas: Vec<SchemaRow>,
    /// By oid.
    pub roles: Vec<RoleRow>,
    /// (member, role, inherits).
    pub members: Vec<(u32, u32, bool)>,
    /// Where sessions of this database begin; empty where it cannot be told.
    pub search_path: String,
}

/// Reads them.
///
/// May be cancelled: the connection reads the answers away.
///
/// # Errors
/// The same as of [`CatalogQuery::run`].
pub async fn read(reader: CatalogReader<'_>, major: u16) -> Result<RoleRows, LoadError> {
    let (mut schemas, mut roles, mut members, paths) = tokio::try_join!(
        schemas().run(reader),
        roles().run(reader),
        members(major).run(reader),
        paths().run(reader),
    )?;
    schemas.sort_unstable_by_key(|schema| schema.oid);
    roles.sort_unstable_by_key(|role| role.oid);
    members.sort_unstable();
    members.dedup();
    // A role's path in this database comes after its path in all databases and counts. Of one that
    // is not readable nothing can be told, whatever is kept for it.
    let paths = paths.into_iter().map(|(who, setting)| {
        let path = setting.strip_prefix(PATH_IS).map(str::to_owned);
        (who, path.unwrap_or(setting))
    });
    let mut paths: HashMap<u32, String> = paths.collect();
    let search_path = paths.remove(&0).unwrap_or_default();
    for role in &mut roles {
        role.search_path = paths.remove(&role.oid);
    }
    Ok(RoleRows {
        schemas,
        roles,
        members,
        search_path,
    })
}

fn schemas() -> CatalogQuery<SchemaRow> {
    let acl = acl("n.nspacl");
    CatalogQuery {
        part: CatalogPart::Schemas,
        text: format!("SELECT n.oid, n.nspname, n.nspowner, {acl} FROM pg_namespace n"),
        decode: |fields| {
            Ok(SchemaRow {
                oid: fields.next()?,
                name: fields.text()?,
                owner: fields.next()?,
                acl: fields.acl()?,
            })
        },
    }
}

fn roles() -> CatalogQuery<RoleRow> {
    CatalogQuery {
        part: CatalogPart::Roles,
        text: "SELECT oid, rolname, rolsuper FROM pg_roles".into(),
        decode: |fields| {
            Ok(RoleRow {
                oid: fields.next()?,
                name: fields.text()?,
                superuser: fields.next()?,
                search_path: None,
            })
        },
    }
}

/// Since 14 the owner of a database is a member of `pg_database_owner` without being listed. Since
/// 16 each membership says whether it inherits, and may be granted several times.
fn members(major: u16) -> CatalogQuery<(u32, u32, bool)> {
    let inherits = if major >= 16 {
        "bool_or(m.inherit_option)"
    } else {
        "bool_or(r.rolinherit)"
    };
    CatalogQuery {
        part: CatalogPart::Roles,
        text: format!(
            "SELECT m.member, m.roleid, {inherits} \
             FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member GROUP BY 1, 2 \
             UNION ALL SELECT d.datdba, r.oid, true FROM pg_database d, pg_roles r \
             WHERE d.datname = current_database() AND r.rolname = 'pg_database_owner'"
        ),
        decode: |fields| Ok((fields.next()?, fields.next()?, fields.next()?)),
    }
}

/// The search_path of roles, and of everybody (zero), in this database; where several are set for
/// the same, the one that counts comes last.
///
/// The server's own is what this session began with, unless that was the path of its role.
fn paths() -> CatalogQuery<(u32, String)> {
    CatalogQuery {
        part: CatalogPart::Roles,
        text: "WITH paths (who, path, rank) AS ( \
                 SELECT s.setrole, c.setting, \
                   CASE s.setdatabase WHEN 0 THEN 1 ELSE 2 END \
                 FROM pg_db_role_setting s, unnest(s.setconfig) AS c(setting) \
                 WHERE starts_with(c.setting, 'search_path=') AND s.setdatabase IN (0, \
                   (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))) \
               SELECT who, path FROM ( \
                 SELECT who, path, rank FROM paths \
                 UNION ALL SELECT 0, 'search_path=' || s.reset_val, 0 FROM pg_settings s \
                 WHERE s.name = 'search_path' AND s.reset_val IS NOT NULL AND NOT EXISTS \
                   (SELECT FROM paths JOIN pg_roles r ON r.oid = who \
                    WHERE r.rolname = session_user) \
               ) AS ranked ORDER BY rank"
            .into(),
        decode: |fields| Ok((fields.next()?, fields.text()?)),
    }
}

/// How the setting of a search_path begins.
const PATH_IS: &str = "search_path=";
