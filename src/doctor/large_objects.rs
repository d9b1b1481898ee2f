//! Rights on large objects: those of each, and whether the server minds them.

use super::check::{self, FindingSeverity};
use super::context::{DoctorContext, ExamineFailure, field};
use super::finding::{DoctorFindings, FixScope};
use super::grants::{LARGE_OBJECT, ObjectPrivileges};
use super::sql_names::sql_name;

/// Looks.
///
/// # Errors
/// The server failed to answer, or answered in another form than it was asked for.
pub async fn examine(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    writable()
        .note(
            context,
            findings,
            check::LARGE_OBJECT_RIGHTS,
            FindingSeverity::Danger,
        )
        .await?;
    let Some(row) = context.row(COMPAT).await? else {
        findings.unseen(check::LARGE_OBJECT_COMPAT);
        return Ok(());
    };
    let is_on: bool = field(&row, 0)?;
    findings.holds(check::LARGE_OBJECT_COMPAT, FindingSeverity::Danger, is_on);
    let database = sql_name(&context.database);
    let statement = format!("ALTER DATABASE {database} SET lo_compat_privileges = off");
    findings.add_fix(FixScope::Everybody, statement);
    Ok(())
}

fn writable() -> ObjectPrivileges {
    ObjectPrivileges {
        kind: LARGE_OBJECT,
        from: "SELECT NULL::text AS schema, l.oid::text AS name, NULL::text AS arguments, \
                 NULL::text AS \"column\", l.lomacl AS acl, l.lomowner AS owner, \
                 NULL::aclitem[] AS initial FROM pg_largeobject_metadata l"
            .into(),
        rights: &["UPDATE"],
    }
}

const COMPAT: &str = "SELECT current_setting('lo_compat_privileges') = 'on'";
