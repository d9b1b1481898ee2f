//! Rights on large objects: those of each, and whether the server minds them.

use super::check::{self, Severity};
use super::context::{Ground, Trouble, field};
use super::finding::{Ledger, Scope};
use super::grants::{LARGE_OBJECT, Rights};
use super::sql_names::written;

/// Looks.
pub async fn examine(ground: &Ground<'_>, ledger: &mut Ledger) -> Result<(), Trouble> {
    writable()
        .note(ground, ledger, check::LARGE_OBJECT_RIGHTS, Severity::Danger)
        .await?;
    let Some(row) = ground.row(COMPAT).await? else {
        ledger.unseen(check::LARGE_OBJECT_COMPAT);
        return Ok(());
    };
    let is_on: bool = field(&row, 0)?;
    ledger.holds(check::LARGE_OBJECT_COMPAT, Severity::Danger, is_on);
    let database = written(&ground.database);
    let statement = format!("ALTER DATABASE {database} SET lo_compat_privileges = off");
    ledger.cure(Scope::Everybody, statement);
    Ok(())
}

fn writable() -> Rights {
    Rights {
        kind: LARGE_OBJECT,
        from: "SELECT NULL::text AS schema, l.oid::text AS name, NULL::text AS arguments, \
                 NULL::text AS \"column\", l.lomacl AS acl, l.lomowner AS owner, \
                 NULL::aclitem[] AS initial FROM pg_largeobject_metadata l"
            .into(),
        rights: &["UPDATE"],
    }
}

const COMPAT: &str = "SELECT current_setting('lo_compat_privileges') = 'on'";
