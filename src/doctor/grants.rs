//! Rights that were granted to the role, to everybody, or to a role that it is a member of; and the
//! statements that take them away again.
//!
//! Rights of owners are not among them: an owner can always give them back.

use std::collections::BTreeMap;

use tokio_postgres::Row;

use super::check::{DoctorCheck, FindingSeverity};
use super::context::{DoctorContext, ExamineFailure, field};
use super::finding::{DoctorFindings, Finding, FixScope, FixSql};
use super::sql_names::{qualified, sql_name, types};

/// A right on an object.
#[derive(Debug, Clone)]
pub struct PrivilegeGrant {
    /// On what.
    pub object: GrantedObject,
    /// On which column of it.
    pub column: Option<String>,
    /// Which right.
    pub right: String,
    /// Who has it; 0 is everybody.
    pub grantee: u32,
    /// Who gave it.
    pub grantor: Grantor,
    /// Whether it can be given away.
    pub grantable: bool,
}

/// Who gave a right.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grantor {
    /// The owner, in whose name a superuser takes it back.
    Owner,
    /// Somebody else, by name.
    Other(String),
}

/// Something that rights are granted on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GrantedObject {
    /// What it is, as GRANT says it.
    pub kind: &'static str,
    /// Its name, as SQL writes it.
    pub name: String,
}

/// Where a kind of object is found, and which of its rights count.
pub struct ObjectPrivileges {
    /// What it is, as GRANT says it.
    pub kind: &'static str,
    /// The rows: `schema`, `name`, `arguments`, `acl`, `owner` and `initial`, the rights that the
    /// server began with.
    pub from: String,
    /// The rights, as the server names them.
    pub rights: &'static [&'static str],
}

impl ObjectPrivileges {
    /// The grants of these rights that the role has; none where they cannot be seen.
    ///
    /// # Errors
    /// The server failed to answer, or answered in another form than it was asked for.
    pub async fn read(
        &self,
        context: &DoctorContext<'_>,
    ) -> Result<Option<Vec<PrivilegeGrant>>, ExamineFailure> {
        let rights: Vec<String> = self.rights.iter().map(|r| format!("'{r}'")).collect();
        let text = format!(
            "SELECT o.schema, o.name, o.arguments, o.\"column\", g.privilege_type, g.grantee, \
               r.rolname::text, g.grantor = o.owner, g.is_grantable \
             FROM ({}) o CROSS JOIN LATERAL aclexplode(o.acl) g \
               LEFT JOIN pg_roles r ON r.oid = g.grantor \
             WHERE (g.grantee = 0 OR g.grantee = ANY($1)) AND g.grantee <> o.owner \
               AND g.privilege_type IN ({}) \
               AND NOT EXISTS (SELECT FROM aclexplode(o.initial) i \
                 WHERE i.grantee = g.grantee AND i.privilege_type = g.privilege_type) \
             ORDER BY 1, 2, 3, 4, 6, 5, 7",
            self.from,
            rights.join(", ")
        );
        let Some(rows) = context.rows_of_reach(&text).await? else {
            return Ok(None);
        };
        let grants = rows.iter().map(|row| grant(self, row));
        grants.collect::<Result<_, _>>().map(Some)
    }

    /// Reads them and notes what was found.
    ///
    /// # Errors
    /// The server failed to answer, or answered in another form than it was asked for.
    pub async fn note(
        &self,
        context: &DoctorContext<'_>,
        findings: &mut DoctorFindings,
        check: &'static DoctorCheck,
        severity: FindingSeverity,
    ) -> Result<(), ExamineFailure> {
        match self.read(context).await? {
            Some(grants) => note(context, findings, check, severity, &grants),
            None => findings.unseen(check),
        }
        Ok(())
    }
}

/// Notes grants, and what takes them away.
pub fn note(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
    check: &'static DoctorCheck,
    severity: FindingSeverity,
    grants: &[PrivilegeGrant],
) {
    if grants.is_empty() {
        return findings.ok(check);
    }
    let mut finding = Finding::new(check, severity, named(context, grants));
    finding.fixes = fixes(context, grants);
    for grant in grants {
        if grant.grantee != 0 && grant.grantee != context.own.id && severity > FindingSeverity::Note
        {
            findings.through.insert(grant.grantee);
        }
    }
    findings.note(finding);
}

/// One line for each object and grantee: what is allowed, and by way of whom. The role's own rights
/// first, everybody's last.
pub fn named(context: &DoctorContext<'_>, grants: &[PrivilegeGrant]) -> Vec<String> {
    let mut lines: BTreeMap<(PrivilegeSource, String), Vec<String>> = BTreeMap::new();
    for grant in grants {
        let name = match &grant.column {
            Some(column) => format!("{}.{}", grant.object.name, sql_name(column)),
            None => grant.object.name.clone(),
        };
        let way = match grant.grantee {
            0 => PrivilegeSource::Everybody,
            id if id == context.own.id => PrivilegeSource::Own,
            id => PrivilegeSource::Through(context.grantee(id)),
        };
        let rights = lines.entry((way, name)).or_default();
        if !rights.contains(&grant.right) {
            rights.push(grant.right.clone());
        }
    }
    let line = |((way, name), rights): ((PrivilegeSource, String), Vec<String>)| {
        let way = match way {
            PrivilegeSource::Own => String::new(),
            PrivilegeSource::Through(role) => format!(" (through {role})"),
            PrivilegeSource::Everybody => " (PUBLIC)".into(),
        };
        match rights.as_slice() {
            // There is no other right on a function.
            [only] if only == "EXECUTE" => format!("{name}{way}"),
            rights => format!("{name}: {}{way}", rights.join(", ")),
        }
    };
    lines.into_iter().map(line).collect()
}

/// By way of whom the role has a right.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum PrivilegeSource {
    Own,
    Through(String),
    Everybody,
}

/// What takes them away. Those of other roles go with the membership.
fn fixes(context: &DoctorContext<'_>, grants: &[PrivilegeGrant]) -> Vec<FixSql> {
    let mut groups: BTreeMap<
        (&GrantedObject, Option<&String>, u32, &Grantor),
        Vec<&PrivilegeGrant>,
    > = BTreeMap::new();
    let own = |grant: &&PrivilegeGrant| grant.grantee == 0 || grant.grantee == context.own.id;
    for grant in grants.iter().filter(own) {
        let key = (
            &grant.object,
            grant.column.as_ref(),
            grant.grantee,
            &grant.grantor,
        );
        groups.entry(key).or_default().push(grant);
    }
    let groups = groups.into_values();
    groups.filter_map(|group| revoke(context, &group)).collect()
}

/// What takes away rights that differ in nothing but the right.
fn revoke(context: &DoctorContext<'_>, group: &[&PrivilegeGrant]) -> Option<FixSql> {
    let PrivilegeGrant {
        object,
        column,
        grantee,
        grantor,
        ..
    } = group.first()?;
    let right = |grant: &&PrivilegeGrant| match column {
        Some(column) => format!("{} ({})", grant.right, sql_name(column)),
        None => grant.right.clone(),
    };
    let rights: Vec<String> = group.iter().map(right).collect();
    // Whoever had it to give away may have done so.
    let cascade = match group.iter().any(|grant| grant.grantable) {
        true => " CASCADE",
        false => "",
    };
    let revoke = format!(
        "REVOKE {} ON {} {} FROM {}{cascade}",
        rights.join(", "),
        object.kind,
        object.name,
        context.grantee(*grantee)
    );
    let scope = match grantee {
        0 => FixScope::Everybody,
        _ => FixScope::Role,
    };
    let statements = match grantor {
        Grantor::Owner => vec![revoke],
        Grantor::Other(name) => vec![
            format!("SET ROLE {}", sql_name(name)),
            revoke,
            "RESET ROLE".into(),
        ],
    };
    Some(FixSql { statements, scope })
}

fn grant(asked: &ObjectPrivileges, row: &Row) -> Result<PrivilegeGrant, ExamineFailure> {
    let schema: Option<&str> = field(row, 0)?;
    let arguments: Option<&str> = field(row, 2)?;
    let (by_owner, grantor): (bool, Option<String>) = (field(row, 7)?, field(row, 6)?);
    Ok(PrivilegeGrant {
        object: GrantedObject::new(asked.kind, schema, field(row, 1)?, arguments),
        column: field(row, 3)?,
        right: known(asked.rights, field(row, 4)?)?,
        grantee: field(row, 5)?,
        grantor: match (by_owner, grantor) {
            (false, Some(name)) => Grantor::Other(name),
            (true, _) | (false, None) => Grantor::Owner,
        },
        grantable: field(row, 8)?,
    })
}

impl GrantedObject {
    /// One of that name; `arguments` as the server writes them.
    pub fn new(
        kind: &'static str,
        schema: Option<&str>,
        name: &str,
        arguments: Option<&str>,
    ) -> Self {
        let mut text = match schema {
            Some(schema) => qualified(schema, name),
            // They have numbers for names.
            None if kind == LARGE_OBJECT => name.chars().filter(char::is_ascii_digit).collect(),
            // One of an extension is two names with a dot between them.
            None if kind == PARAMETER => {
                let words: Vec<String> = name.split('.').map(sql_name).collect();
                words.join(".")
            }
            None => sql_name(name),
        };
        if let Some(arguments) = arguments {
            text.push_str(&format!("({})", types(arguments)));
        }
        Self { kind, name: text }
    }
}

/// One of these words: what the server says becomes part of a statement.
///
/// # Errors
/// It is none of them.
pub fn known(words: &[&str], word: &str) -> Result<String, ExamineFailure> {
    let known = words.contains(&word).then(|| word.to_owned());
    known.ok_or(ExamineFailure::Unreadable)
}

/// What GRANT calls a setting.
pub const PARAMETER: &str = "PARAMETER";

/// What GRANT calls a large object.
pub const LARGE_OBJECT: &str = "LARGE OBJECT";

/// The rights that the server gave at its making, of the object `id` in the table `class`.
pub fn initial(class: &str, id: &str) -> String {
    format!(
        "(SELECT i.initprivs FROM pg_init_privs i WHERE i.privtype = 'i' AND i.objsubid = 0 \
           AND i.classoid = '{class}'::regclass AND i.objoid = {id}) AS initial"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_lies_puts_no_statement_into_the_script() {
        let large = |name| GrantedObject::new(LARGE_OBJECT, None, name, None).name;
        assert_eq!(large("16384"), "16384");
        assert_eq!(large("1;\n\\! sh"), "1");
        assert!(known(&["UPDATE"], "UPDATE").is_ok());
        assert!(known(&["UPDATE"], "UPDATE; \\! sh").is_err());
        let routine = GrantedObject::new("ROUTINE", Some("s"), "f", Some("int4); \\! sh --"));
        assert_eq!(routine.name, "s.f(int4  sh )");
    }
}
