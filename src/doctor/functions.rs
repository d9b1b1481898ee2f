//! The functions that the role may call and that do more than compute.
//!
//! What a built-in does is in the table of the gate, and nowhere else.

use std::collections::BTreeMap;

use tokio_postgres::Row;

use super::check::{self, FindingSeverity};
use super::context::{DoctorContext, ExamineFailure, field};
use super::finding::DoctorFindings;
use super::grants::{self, GrantedObject, Grantor, ObjectPrivileges, PrivilegeGrant, initial};
use super::sql_names::sql_name;
use crate::gate::functions::{BuiltinEffect, FunctionVerdict, verdict};

/// Looks.
///
/// # Errors
/// The server failed to answer, or answered in another form than it was asked for.
pub async fn examine(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let (danger, warning) = (FindingSeverity::Danger, FindingSeverity::Warning);
    let definer = "p.prosecdef AND p.oid >= 16384 AND p.proowner <> ALL($1)";
    routines(&format!("{definer} AND NOT {HAS_PATH}"))
        .note(context, findings, check::DEFINER_OPEN_PATH, danger)
        .await?;
    // It is asked by pgsieve itself, and has a check of its own.
    let lookup = context.lookup.as_ref().map_or_else(String::new, |lookup| {
        let (schema, name) = (literal(lookup.schema()), literal(lookup.name()));
        format!(" AND (n.nspname::text, p.proname::text) <> ({schema}, {name})")
    });
    routines(&format!("{definer} AND {HAS_PATH}{lookup}"))
        .note(context, findings, check::DEFINER_FUNCTIONS, warning)
        .await?;
    routines(UNTRUSTED)
        .note(context, findings, check::UNTRUSTED_FUNCTIONS, warning)
        .await?;
    volatile(context, findings).await?;
    built_ins(context, findings).await
}

/// A text as SQL reads it in the examining session, whose strings conform to the standard.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Routines on a condition, and who may run them. A trigger cannot be called.
pub fn routines(condition: &str) -> ObjectPrivileges {
    ObjectPrivileges {
        kind: "ROUTINE",
        from: format!(
            "SELECT n.nspname::text AS schema, p.proname::text AS name, \
               oidvectortypes(p.proargtypes) AS arguments, NULL::text AS \"column\", \
               coalesce(p.proacl, acldefault('f', p.proowner)) AS acl, p.proowner AS owner, \
               NULL::aclitem[] AS initial \
             FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace \
               JOIN pg_language l ON l.oid = p.prolang \
             WHERE p.prorettype NOT IN ({NOT_CALLED}) AND {condition}"
        ),
        rights: &["EXECUTE"],
    }
}

/// By where they are: there are too many to name.
async fn volatile(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let check = check::VOLATILE_FUNCTIONS;
    let text =
        format!("{VOLATILE} AND p.prorettype NOT IN ({NOT_CALLED}) GROUP BY 1, 2 ORDER BY 1, 2");
    let Some(rows) = context.rows_of_reach(&text).await? else {
        findings.unseen(check);
        return Ok(());
    };
    let line = |row: &Row| {
        let (extension, schema): (Option<&str>, &str) = (field(row, 0)?, field(row, 1)?);
        let count: i64 = field(row, 2)?;
        let place = match extension {
            Some(extension) => format!("extension {}", sql_name(extension)),
            None => format!("schema {}", sql_name(schema)),
        };
        Ok(format!("{place}: {count}"))
    };
    let lines = rows
        .iter()
        .map(line)
        .collect::<Result<Vec<_>, ExamineFailure>>()?;
    findings.names(check, FindingSeverity::Note, lines);
    Ok(())
}

/// One grant on a built-in.
struct BuiltinGrant {
    grant: PrivilegeGrant,
    name: String,
    verdict: FunctionVerdict,
    /// The server gave it to nobody at first, and this grant is later.
    added: bool,
}

async fn built_ins(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let of_them = [
        check::BUILTINS_GRANTED,
        check::WAL_MESSAGES,
        check::PUBLIC_EFFECTS,
        check::LARGE_OBJECT_FUNCTIONS,
    ];
    let text = format!("{BUILT_INS} ORDER BY 1, 2, 4, 6");
    let text = text.replace("{initial}", &initial("pg_proc", "p.oid"));
    let Some(rows) = context.rows_of_reach(&text).await? else {
        of_them.into_iter().for_each(|check| findings.unseen(check));
        return Ok(());
    };
    let (mut granted, mut wal, mut large) = (Vec::new(), Vec::new(), Vec::new());
    let mut effects: BTreeMap<String, usize> = BTreeMap::new();
    for row in &rows {
        let BuiltinGrant {
            grant,
            name,
            verdict,
            added,
        } = built_in(row)?;
        match verdict {
            FunctionVerdict::Effects { why } if added && is_dangerous(why) => granted.push(grant),
            FunctionVerdict::Effects {
                why: BuiltinEffect::LargeObject,
            } if !READS_LARGE_OBJECTS.contains(&name.as_str()) => large.push(grant),
            FunctionVerdict::Effects {
                why: BuiltinEffect::WalOrBackup,
            } if grant.grantee == 0 => wal.push(grant),
            FunctionVerdict::Effects {
                why: BuiltinEffect::Internal | BuiltinEffect::BinaryUpgrade,
            }
            | FunctionVerdict::Allowed
            | FunctionVerdict::Housekeeping
            | FunctionVerdict::Unknown => {}
            FunctionVerdict::Effects { why } => count(&mut effects, why.text()),
            FunctionVerdict::RunsSql => count(&mut effects, "runs a text as SQL"),
            FunctionVerdict::SetConfig => count(&mut effects, "sets a setting"),
        }
    }
    let (danger, warning) = (FindingSeverity::Danger, FindingSeverity::Warning);
    grants::note(context, findings, check::BUILTINS_GRANTED, danger, &granted);
    grants::note(context, findings, check::WAL_MESSAGES, warning, &wal);
    let lines = effects.iter().map(|(why, count)| format!("{why}: {count}"));
    findings.names(
        check::PUBLIC_EFFECTS,
        FindingSeverity::Note,
        lines.collect(),
    );
    grants::note(
        context,
        findings,
        check::LARGE_OBJECT_FUNCTIONS,
        warning,
        &large,
    );
    Ok(())
}

fn built_in(row: &Row) -> Result<BuiltinGrant, ExamineFailure> {
    let name: String = field(row, 0)?;
    let arguments: &str = field(row, 1)?;
    let count =
        usize::try_from(field::<i16>(row, 2)?).map_err(|_error| ExamineFailure::Unreadable)?;
    let (by_owner, grantor): (bool, Option<String>) = (field(row, 4)?, field(row, 5)?);
    Ok(BuiltinGrant {
        grant: PrivilegeGrant {
            object: GrantedObject::new("ROUTINE", Some("pg_catalog"), &name, Some(arguments)),
            column: None,
            right: "EXECUTE".into(),
            grantee: field(row, 3)?,
            grantor: match (by_owner, grantor) {
                (false, Some(name)) => Grantor::Other(name),
                (true, _) | (false, None) => Grantor::Owner,
            },
            grantable: field(row, 6)?,
        },
        verdict: verdict(Some("pg_catalog"), &name, count),
        name,
        added: field(row, 7)?,
    })
}

/// Of what the server gives to nobody: what reaches beyond the reader's own session.
fn is_dangerous(why: BuiltinEffect) -> bool {
    match why {
        BuiltinEffect::CatalogWrite
        | BuiltinEffect::LargeObject
        | BuiltinEffect::Replication
        | BuiltinEffect::ServerControl
        | BuiltinEffect::ServerDirectory
        | BuiltinEffect::ServerFile
        | BuiltinEffect::Statistics
        | BuiltinEffect::WalOrBackup => true,
        BuiltinEffect::AdvisoryLock
        | BuiltinEffect::BinaryUpgrade
        | BuiltinEffect::BufferCache
        | BuiltinEffect::ForeignServer
        | BuiltinEffect::IndexFunctions
        | BuiltinEffect::IndexMaintenance
        | BuiltinEffect::Internal
        | BuiltinEffect::Lock
        | BuiltinEffect::Notify
        | BuiltinEffect::Sequence
        | BuiltinEffect::SessionState
        | BuiltinEffect::Snapshot
        | BuiltinEffect::TransactionId
        | BuiltinEffect::Wait => false,
    }
}

fn count(effects: &mut BTreeMap<String, usize>, what: &str) {
    let place = effects.entry(what.to_owned()).or_default();
    *place = place.saturating_add(1);
}

/// Of the functions on large objects, those that only read.
const READS_LARGE_OBJECTS: [&str; 9] = [
    "lo_close",
    "lo_get",
    "lo_lseek",
    "lo_lseek64",
    "lo_open",
    "lo_tell",
    "lo_tell64",
    "loread",
    "lo_export",
];

/// Whether a function settles where its names are looked up.
const HAS_PATH: &str =
    "EXISTS (SELECT FROM unnest(p.proconfig) s(word) WHERE s.word LIKE 'search_path=%')";

/// Results of functions that only the server calls.
const NOT_CALLED: &str = "'trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype, \
    'language_handler'::regtype, 'fdw_handler'::regtype, 'index_am_handler'::regtype, \
    'table_am_handler'::regtype, 'tsm_handler'::regtype";

/// What extensions bring is a finding by itself where it reaches out.
const UNTRUSTED: &str = "p.oid >= 16384 AND NOT l.lanpltrusted AND l.lanname <> 'sql' \
    AND p.proowner <> ALL($1) AND NOT EXISTS (SELECT FROM pg_depend d \
      WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')";

const VOLATILE: &str = "SELECT e.extname::text, \
      CASE WHEN e.extname IS NULL THEN n.nspname::text ELSE '' END, count(*) \
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace \
      LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid \
        AND d.deptype = 'e' \
      LEFT JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid \
    WHERE p.provolatile = 'v' AND p.oid >= 16384 AND NOT p.prosecdef \
      AND EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g \
        WHERE g.grantee = 0 OR g.grantee = ANY($1))";

/// A right that the server gave at its making is none that was added; neither is one on a function
/// that everybody had.
const BUILT_INS: &str = "SELECT b.name, b.arguments, b.pronargs, g.grantee, \
      g.grantor = b.proowner, r.rolname::text, g.is_grantable, \
      b.initial IS NOT NULL AND NOT EXISTS (SELECT FROM aclexplode(b.initial) i \
        WHERE i.grantee = g.grantee AND i.privilege_type = 'EXECUTE') \
    FROM (SELECT p.proname::text AS name, oidvectortypes(p.proargtypes) AS arguments, \
        p.pronargs, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner)) AS acl, {initial} \
      FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384) b \
      CROSS JOIN LATERAL aclexplode(b.acl) g LEFT JOIN pg_roles r ON r.oid = g.grantor \
    WHERE (g.grantee = 0 OR g.grantee = ANY($1)) AND g.grantee <> b.proowner";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_of_large_objects_are_known_to_the_gate() {
        for name in READS_LARGE_OBJECTS {
            let verdicts = [1, 2, 3].map(|count| verdict(Some("pg_catalog"), name, count));
            let large = FunctionVerdict::Effects {
                why: BuiltinEffect::LargeObject,
            };
            assert!(verdicts.contains(&large), "{name}: {verdicts:?}");
        }
    }
}
