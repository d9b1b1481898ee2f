//! The statements that harden what was found. Printed, never run.
//!
//! A role that owns things, or that no right holds back, cannot be hardened: a new role takes its
//! place. Any other role is changed, and keeps reading what it read.

use std::collections::BTreeSet;

use super::check::{self, DoctorCheck, FindingSeverity};
use super::context::{DoctorContext, ExamineFailure, field};
use super::finding::{Finding, FixScope};
use super::sql_names::sql_name;
use super::{current_reads, role_settings};
use crate::limits;

/// What would harden the database, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HardeningScript {
    /// The name of the role that takes the place of the examined one, where one has to.
    pub new_role: Option<String>,
    /// For the role: what it reads, in rights of its own; or all of a new role.
    pub before: Vec<String>,
    /// What every role of the database feels.
    pub everybody: Vec<String>,
    /// What the examined role gives up.
    pub role: Vec<String>,
    /// What somebody has to choose; not all of it is SQL.
    pub choices: Vec<String>,
    /// Statements that are missing because there are too many.
    pub missing: usize,
}

/// Puts them together. Fixes that a new role makes needless are taken out of the findings.
///
/// # Errors
/// The server failed to answer, or answered in another form than it was asked for.
pub async fn write(
    context: &DoctorContext<'_>,
    findings: &mut [Finding],
    owns: bool,
) -> Result<HardeningScript, ExamineFailure> {
    let mut script = HardeningScript {
        new_role: None,
        before: Vec::new(),
        everybody: Vec::new(),
        role: Vec::new(),
        choices: Vec::new(),
        missing: 0,
    };
    if context.own.superuser || owns {
        let own = |scope: FixScope| scope == FixScope::Role;
        for finding in findings.iter_mut() {
            finding.fixes.retain(|fix| !own(fix.scope));
        }
        let name = free_name(context).await?;
        script.before = recipe(context, &name).await?;
        script.new_role = Some(name);
    }
    let mut seen = BTreeSet::new();
    for fix in findings.iter().flat_map(|finding| &finding.fixes) {
        if seen.insert((fix.scope, &fix.statements)) {
            let part = match fix.scope {
                FixScope::Role => &mut script.role,
                FixScope::Everybody => &mut script.everybody,
                FixScope::Choice => &mut script.choices,
            };
            part.extend(fix.statements.iter().cloned());
        }
    }
    if script.new_role.is_none() {
        script.before = kept_reading(context, &script.role).await?;
    }
    script.shorten();
    Ok(script)
}

impl HardeningScript {
    /// Whether the statements fix what a check has found.
    pub fn fixes_anything(&self, finding: &Finding) -> bool {
        finding.severity > FindingSeverity::Unseen
            && (MENDED.contains(&finding.check)
                || self.new_role.is_some() && MENDED_BY_ANOTHER.contains(&finding.check))
    }

    /// All statements to run, in their order.
    pub fn statements(&self) -> impl Iterator<Item = &str> {
        let parts = [&self.before, &self.everybody, &self.role];
        parts.into_iter().flatten().map(String::as_str)
    }

    fn shorten(&mut self) {
        let mut room = limits::EXAMINATION_STATEMENTS_MAX;
        for part in [
            &mut self.before,
            &mut self.everybody,
            &mut self.role,
            &mut self.choices,
        ] {
            self.missing = self.missing.saturating_add(part.len().saturating_sub(room));
            part.truncate(room);
            room = room.saturating_sub(part.len());
        }
    }
}

/// What the role reads by way of memberships that it gives up.
async fn kept_reading(
    context: &DoctorContext<'_>,
    given_up: &[String],
) -> Result<Vec<String>, ExamineFailure> {
    let stays = |edge: &&super::context::RoleMembership| {
        edge.inherits && !given_up.contains(&context.revoke_membership(edge))
    };
    let own = context
        .edges
        .iter()
        .filter(|edge| edge.member == context.own.id);
    if own.clone().all(|edge| stays(&edge)) {
        return Ok(Vec::new());
    }
    let mut kept = BTreeSet::from([0, context.own.id]);
    for edge in own.filter(stays) {
        kept.extend(inherited(context, edge.role));
    }
    if let Some(all) = role_named(context, READ_ALL)
        && kept.contains(&all)
    {
        return Ok(Vec::new());
    }
    let grants = current_reads::grants(context, &context.own_name(), &kept).await?;
    Ok(grants.unwrap_or_default())
}

/// A role of its own for pgsieve: it may connect and read, and nothing else.
async fn recipe(context: &DoctorContext<'_>, name: &str) -> Result<Vec<String>, ExamineFailure> {
    let (role, database) = (sql_name(name), sql_name(&context.database));
    let mut statements = vec![
        format!(
            "CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION \
             NOBYPASSRLS CONNECTION LIMIT 100"
        ),
        format!("GRANT CONNECT ON DATABASE {database} TO {role}"),
    ];
    statements.extend(role_settings::for_role(&role));
    let inherited = inherited(context, context.own.id);
    let all = role_named(context, READ_ALL).is_some_and(|all| inherited.contains(&all));
    if all || context.own.superuser && context.major >= READ_ALL_SINCE {
        statements.push(format!("GRANT {READ_ALL} TO {role}"));
    } else {
        let grants = current_reads::grants(context, &role, &BTreeSet::from([0])).await?;
        statements.extend(grants.unwrap_or_default());
    }
    Ok(statements)
}

/// The roles whose rights count for this one without a SET ROLE, itself among them.
fn inherited(context: &DoctorContext<'_>, from: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::from([from]);
    // Each round adds a role at least.
    for _ in 0..=context.edges.len() {
        let before = found.len();
        let edges = context.edges.iter().filter(|edge| edge.inherits);
        for edge in edges {
            if found.contains(&edge.member) {
                found.insert(edge.role);
            }
        }
        if found.len() == before {
            break;
        }
    }
    found
}

fn role_named(context: &DoctorContext<'_>, name: &str) -> Option<u32> {
    let mut roles = context.reach.values();
    roles.find(|role| role.name == name).map(|role| role.id)
}

/// A name that no role has.
async fn free_name(context: &DoctorContext<'_>) -> Result<String, ExamineFailure> {
    let taken = context.rows(TAKEN, &[]).await?.unwrap_or_default();
    let taken: Result<BTreeSet<String>, ExamineFailure> =
        taken.iter().map(|row| field(row, 0)).collect();
    let taken = taken?;
    let mut name = NEW_ROLE.to_owned();
    // One more than there are is free.
    for number in 2..taken.len().saturating_add(3) {
        if !taken.contains(&name) {
            break;
        }
        name = format!("{NEW_ROLE}_{number}");
    }
    Ok(name)
}

const TAKEN: &str = "SELECT rolname::text FROM pg_roles WHERE rolname LIKE 'pgsieve%'";

/// What the new role is called.
const NEW_ROLE: &str = "pgsieve_reader";

/// May read everything.
const READ_ALL: &str = "pg_read_all_data";

/// The first version that has it.
const READ_ALL_SINCE: u16 = 14;

/// What the statements always fix.
const MENDED: &[&DoctorCheck] = &[
    check::CREATEROLE,
    check::CREATEDB,
    check::REPLICATION,
    check::DANGEROUS_MEMBERSHIP,
    check::OPERATING_MEMBERSHIP,
    check::ADMIN_OPTION,
    check::WRITING_MEMBERSHIP,
    check::OWNERSHIP,
    check::TABLE_WRITES,
    check::COLUMN_WRITES,
    check::TABLE_SIDE_RIGHTS,
    check::SEQUENCE_RIGHTS,
    check::SCHEMA_CREATE,
    check::PUBLIC_SCHEMA_CREATE,
    check::DATABASE_CREATE,
    check::DATABASE_TEMP,
    check::DEFAULT_PRIVILEGES,
    check::PARAMETER_RIGHTS,
    check::DEFINER_OPEN_PATH,
    check::DEFINER_FUNCTIONS,
    check::UNTRUSTED_FUNCTIONS,
    check::BUILTINS_GRANTED,
    check::WAL_MESSAGES,
    check::OUTREACH_FUNCTIONS,
    check::FOREIGN_RIGHTS,
    check::LARGE_OBJECT_FUNCTIONS,
    check::LARGE_OBJECT_RIGHTS,
    check::LARGE_OBJECT_COMPAT,
    check::READ_ONLY_DEFAULT,
    check::STATEMENT_TIMEOUT,
    check::IDLE_IN_TRANSACTION_TIMEOUT,
    check::LOCK_TIMEOUT,
    check::TEMP_FILE_LIMIT,
];

/// What a new role has not.
const MENDED_BY_ANOTHER: &[&DoctorCheck] = &[
    check::SUPERUSER,
    check::BYPASSRLS,
    check::MONITORING_MEMBERSHIP,
    check::CONNECTION_LIMIT,
    check::PASSWORD_EXPIRES,
    check::ROW_SECURITY_BYPASSED,
];
