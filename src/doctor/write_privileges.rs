//! What the role could write were the gate absent: tables, columns, sequences, schemas, the
//! database, and what will be made tomorrow.

use std::collections::BTreeMap;

use super::check::{self, FindingSeverity};
use super::context::{DoctorContext, ExamineFailure, field};
use super::finding::{DoctorFindings, Finding, FixScope, FixSql};
use super::grants::{self, ObjectPrivileges, PARAMETER, PrivilegeGrant, initial};
use super::sql_names::sql_name;

/// Looks.
///
/// # Errors
/// The server failed to answer, or answered in another form than it was asked for.
pub async fn examine(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let (danger, warning) = (FindingSeverity::Danger, FindingSeverity::Warning);
    relations(WRITES)
        .note(context, findings, check::TABLE_WRITES, danger)
        .await?;
    columns(&["INSERT", "UPDATE"])
        .note(context, findings, check::COLUMN_WRITES, danger)
        .await?;
    side_rights(context, findings).await?;
    sequences()
        .note(context, findings, check::SEQUENCE_RIGHTS, warning)
        .await?;
    schemas(context, findings).await?;
    database("CREATE")
        .note(context, findings, check::DATABASE_CREATE, danger)
        .await?;
    database("TEMPORARY")
        .note(context, findings, check::DATABASE_TEMP, warning)
        .await?;
    defaults(context, findings).await?;
    parameters(context, findings).await?;
    let others = context.texts(OTHER_DATABASES).await?;
    match others {
        None => findings.unseen(check::OTHER_DATABASES),
        Some(names) => {
            let names: Vec<String> = names.iter().map(|name| sql_name(name)).collect();
            findings.names(check::OTHER_DATABASES, FindingSeverity::Note, names.clone());
            for name in names {
                let statement = format!("REVOKE CONNECT ON DATABASE {name} FROM PUBLIC");
                findings.add_fix(FixScope::Choice, statement);
            }
        }
    }
    Ok(())
}

/// TRIGGER, REFERENCES and MAINTAIN, on tables and columns.
async fn side_rights(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let of_tables = relations(&["TRIGGER", "REFERENCES", "MAINTAIN"]);
    let of_columns = columns(&["REFERENCES"]);
    let (tables, columns) = (
        of_tables.read(context).await?,
        of_columns.read(context).await?,
    );
    let check = check::TABLE_SIDE_RIGHTS;
    let (Some(mut found), Some(columns)) = (tables, columns) else {
        findings.unseen(check);
        return Ok(());
    };
    found.extend(columns);
    grants::note(context, findings, check, FindingSeverity::Warning, &found);
    Ok(())
}

/// The right of everybody in `public` is a finding of its own: it is what servers before 15 have.
async fn schemas(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let Some(found) = in_schemas().read(context).await? else {
        findings.unseen(check::SCHEMA_CREATE);
        findings.unseen(check::PUBLIC_SCHEMA_CREATE);
        return Ok(());
    };
    let everybodys = |grant: &PrivilegeGrant| grant.grantee == 0 && grant.object.name == "public";
    let (public, other): (Vec<PrivilegeGrant>, Vec<PrivilegeGrant>) =
        found.into_iter().partition(everybodys);
    let danger = FindingSeverity::Danger;
    grants::note(context, findings, check::SCHEMA_CREATE, danger, &other);
    grants::note(
        context,
        findings,
        check::PUBLIC_SCHEMA_CREATE,
        danger,
        &public,
    );
    Ok(())
}

/// There are such rights since 15.
async fn parameters(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let (check, warning) = (check::PARAMETER_RIGHTS, FindingSeverity::Warning);
    if context.major < 15 {
        findings.ok(check);
        return Ok(());
    }
    let rights = ObjectPrivileges {
        kind: PARAMETER,
        from: "SELECT NULL::text AS schema, p.parname AS name, NULL::text AS arguments, \
                 NULL::text AS \"column\", p.paracl AS acl, 10::oid AS owner, \
                 NULL::aclitem[] AS initial FROM pg_parameter_acl p"
            .into(),
        rights: &["SET", "ALTER SYSTEM"],
    };
    rights.note(context, findings, check, warning).await
}

/// Rights that roles will give on what they are going to make.
async fn defaults(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let check = check::DEFAULT_PRIVILEGES;
    let Some(rows) = context.rows_of_reach(DEFAULTS).await? else {
        findings.unseen(check);
        return Ok(());
    };
    let mut groups: BTreeMap<(String, Option<String>, &str, u32), Vec<String>> = BTreeMap::new();
    for row in &rows {
        let objects = match field::<i8>(row, 2)?.cast_unsigned() {
            b'r' => "TABLES",
            b'S' => "SEQUENCES",
            b'n' => "SCHEMAS",
            _ => "LARGE OBJECTS",
        };
        let key = (field(row, 0)?, field(row, 1)?, objects, field(row, 4)?);
        let right = grants::known(DEFAULT_RIGHTS, field(row, 3)?)?;
        groups.entry(key).or_default().push(right);
    }
    let (mut names, mut fixes) = (Vec::new(), Vec::new());
    for ((maker, schema, objects, grantee), rights) in groups {
        let maker = sql_name(&maker);
        let schema = schema.map(|schema| sql_name(&schema));
        let inside = |word: &str| match &schema {
            Some(schema) => format!(" {word} {schema}"),
            None => String::new(),
        };
        let (rights, to) = (rights.join(", "), context.grantee(grantee));
        names.push(format!(
            "{} of {maker}{}: {rights} to {to}",
            objects.to_lowercase(),
            inside("in")
        ));
        let place = inside("IN SCHEMA");
        let statement = format!(
            "ALTER DEFAULT PRIVILEGES FOR ROLE {maker}{place} REVOKE {rights} ON {objects} FROM {to}"
        );
        match grantee {
            0 => fixes.push(FixSql::new(FixScope::Everybody, statement)),
            id if id == context.own.id => fixes.push(FixSql::new(FixScope::Role, statement)),
            id => {
                findings.through.insert(id);
            }
        }
    }
    if names.is_empty() {
        findings.ok(check);
    } else {
        let mut finding = Finding::new(check, FindingSeverity::Warning, names);
        finding.fixes = fixes;
        findings.note(finding);
    }
    Ok(())
}

fn relations(rights: &'static [&'static str]) -> ObjectPrivileges {
    ObjectPrivileges {
        kind: "TABLE",
        from: of_class(
            "c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't'",
            "c.relacl",
        ),
        rights,
    }
}

fn sequences() -> ObjectPrivileges {
    ObjectPrivileges {
        kind: "SEQUENCE",
        from: of_class("c.relkind = 'S' AND c.relpersistence <> 't'", "c.relacl"),
        rights: &["USAGE", "UPDATE"],
    }
}

fn columns(rights: &'static [&'static str]) -> ObjectPrivileges {
    ObjectPrivileges {
        kind: "TABLE",
        from: "SELECT n.nspname::text AS schema, c.relname::text AS name, \
                 NULL::text AS arguments, a.attname::text AS \"column\", a.attacl AS acl, \
                 c.relowner AS owner, NULL::aclitem[] AS initial \
               FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
                 JOIN pg_namespace n ON n.oid = c.relnamespace \
               WHERE a.attacl IS NOT NULL AND a.attnum > 0 AND NOT a.attisdropped \
                 AND c.relpersistence <> 't' AND c.oid >= 16384"
            .into(),
        rights,
    }
}

fn of_class(condition: &str, acl: &str) -> String {
    format!(
        "SELECT n.nspname::text AS schema, c.relname::text AS name, NULL::text AS arguments, \
           NULL::text AS \"column\", {acl} AS acl, c.relowner AS owner, {} \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {condition}",
        initial("pg_class", "c.oid")
    )
}

fn in_schemas() -> ObjectPrivileges {
    ObjectPrivileges {
        kind: "SCHEMA",
        from: format!(
            "SELECT NULL::text AS schema, n.nspname::text AS name, NULL::text AS arguments, \
               NULL::text AS \"column\", n.nspacl AS acl, n.nspowner AS owner, \
               CASE n.nspname WHEN 'public' THEN NULL ELSE {} END AS initial \
             FROM pg_namespace n WHERE n.nspname NOT LIKE 'pg\\_temp\\_%'",
            initial("pg_namespace", "n.oid").replace(" AS initial", "")
        ),
        rights: &["CREATE"],
    }
}

fn database(right: &'static str) -> ObjectPrivileges {
    ObjectPrivileges {
        kind: "DATABASE",
        from: "SELECT NULL::text AS schema, d.datname::text AS name, NULL::text AS arguments, \
                 NULL::text AS \"column\", coalesce(d.datacl, acldefault('d', d.datdba)) AS acl, \
                 d.datdba AS owner, NULL::aclitem[] AS initial \
               FROM pg_database d WHERE d.datname = current_database()"
            .into(),
        rights: match right {
            "CREATE" => &["CREATE"],
            _ => &["TEMPORARY"],
        },
    }
}

/// What changes rows. A right that the server does not have yet is found on no table.
const WRITES: &[&str] = &["INSERT", "UPDATE", "DELETE", "TRUNCATE"];

/// What can be given away in advance and is no reading.
const DEFAULT_RIGHTS: &[&str] = &[
    "INSERT",
    "UPDATE",
    "DELETE",
    "TRUNCATE",
    "REFERENCES",
    "TRIGGER",
    "MAINTAIN",
    "USAGE",
    "CREATE",
];

const DEFAULTS: &str = "SELECT r.rolname::text, n.nspname::text, d.defaclobjtype, \
      g.privilege_type, g.grantee \
    FROM pg_default_acl d JOIN pg_roles r ON r.oid = d.defaclrole \
      LEFT JOIN pg_namespace n ON n.oid = d.defaclnamespace \
      CROSS JOIN LATERAL aclexplode(d.defaclacl) g \
    WHERE (g.grantee = 0 OR g.grantee = ANY($1)) AND g.grantee <> d.defaclrole \
      AND ((d.defaclobjtype = 'r' AND g.privilege_type <> 'SELECT') \
        OR (d.defaclobjtype = 'S' AND g.privilege_type <> 'SELECT') \
        OR (d.defaclobjtype = 'n' AND g.privilege_type = 'CREATE') \
        OR (d.defaclobjtype = 'L' AND g.privilege_type = 'UPDATE')) \
    ORDER BY 1, 2 NULLS FIRST, 3, 5, 4";

const OTHER_DATABASES: &str = "SELECT d.datname::text FROM pg_database d \
    WHERE d.datallowconn AND NOT d.datistemplate AND d.datname <> current_database() \
      AND has_database_privilege(d.oid, 'CONNECT') AND $1::oid[] IS NOT NULL ORDER BY 1";
