//! What the role is: its attributes, and what it is a member of.

use std::collections::BTreeSet;

use super::check::{self, DoctorCheck, FindingSeverity};
use super::context::{DoctorContext, RoleMembership};
use super::finding::{DoctorFindings, Finding, FixScope};

/// Looks at its attributes and at memberships in roles that are known to be dangerous.
pub fn examine(context: &DoctorContext<'_>, findings: &mut DoctorFindings) {
    let (own, name) = (&context.own, context.own_name());
    let (danger, warning) = (FindingSeverity::Danger, FindingSeverity::Warning);
    findings.holds(check::SUPERUSER, danger, own.superuser);
    for (check, severity, holds, word) in [
        (check::CREATEROLE, danger, own.createrole, "NOCREATEROLE"),
        (check::CREATEDB, warning, own.createdb, "NOCREATEDB"),
        (check::REPLICATION, danger, own.replication, "NOREPLICATION"),
    ] {
        findings.holds(check, severity, holds);
        findings.add_fix(FixScope::Role, format!("ALTER ROLE {name} {word}"));
    }
    findings.holds(check::BYPASSRLS, warning, own.bypassrls);
    findings.add_fix(FixScope::Choice, format!("ALTER ROLE {name} NOBYPASSRLS"));
    memberships(context, findings);
    let unlimited = own.connections < 0;
    findings.holds(check::CONNECTION_LIMIT, FindingSeverity::Note, unlimited);
    let statement = format!("ALTER ROLE {name} CONNECTION LIMIT 100");
    findings.add_fix(FixScope::Choice, statement);
}

/// Notes the memberships by way of which the role can write, when all such ways are known.
pub fn examine_ways(context: &DoctorContext<'_>, findings: &mut DoctorFindings) {
    let through: BTreeSet<u32> = findings.through.clone();
    leading(
        context,
        findings,
        check::WRITING_MEMBERSHIP,
        FindingSeverity::Warning,
        &through,
    );
}

fn memberships(context: &DoctorContext<'_>, findings: &mut DoctorFindings) {
    let (danger, warning) = (FindingSeverity::Danger, FindingSeverity::Warning);
    let superusers = context.reach.values().filter(|role| role.superuser);
    let mut dangerous: BTreeSet<u32> = superusers.map(|role| role.id).collect();
    dangerous.extend(named(context, DANGEROUS));
    dangerous.remove(&context.own.id);
    leading(
        context,
        findings,
        check::DANGEROUS_MEMBERSHIP,
        danger,
        &dangerous,
    );
    let operating = named(context, OPERATING);
    leading(
        context,
        findings,
        check::OPERATING_MEMBERSHIP,
        warning,
        &operating,
    );
    let monitoring = named(context, MONITORING);
    // Since pg_monitor is a member of others, each of them leads to the same membership.
    leading(
        context,
        findings,
        check::MONITORING_MEMBERSHIP,
        FindingSeverity::Note,
        &monitoring,
    );
    admin(context, findings);
}

/// The option alone is taken away; what was given to others in its name goes with it.
fn admin(context: &DoctorContext<'_>, findings: &mut DoctorFindings) {
    let can_give = |edge: &&RoleMembership| edge.admin && context.reach.contains_key(&edge.member);
    let edges: Vec<&RoleMembership> = context.edges.iter().filter(can_give).collect();
    let names = edges.iter().map(|edge| match edge.member {
        member if member == context.own.id => context.grantee(edge.role),
        member => format!(
            "{} (through {})",
            context.grantee(edge.role),
            context.grantee(member)
        ),
    });
    findings.names(
        check::ADMIN_OPTION,
        FindingSeverity::Danger,
        names.collect(),
    );
    for edge in edges {
        if edge.member != context.own.id {
            findings.through.insert(edge.member);
            continue;
        }
        let (role, own) = (context.grantee(edge.role), context.own_name());
        let by = match context.major {
            ..16 => String::new(),
            16.. => format!(" GRANTED BY {}", super::sql_names::sql_name(&edge.grantor)),
        };
        let statement = format!("REVOKE ADMIN OPTION FOR {role} FROM {own}{by} CASCADE");
        findings.add_fix(FixScope::Role, statement);
    }
}

/// Notes the memberships that lead to these roles, and what ends them.
fn leading(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
    check: &'static DoctorCheck,
    severity: FindingSeverity,
    targets: &BTreeSet<u32>,
) {
    let edges = context.memberships_towards(targets);
    let names: BTreeSet<String> = edges
        .iter()
        .map(|edge| {
            let beyond: Vec<String> = context
                .closure(edge.role)
                .intersection(targets)
                .filter(|id| **id != edge.role)
                .map(|id| context.grantee(*id))
                .collect();
            match beyond.is_empty() {
                true => context.grantee(edge.role),
                false => format!("{}: {}", context.grantee(edge.role), beyond.join(", ")),
            }
        })
        .collect();
    if names.is_empty() {
        return findings.ok(check);
    }
    let scope = match severity {
        FindingSeverity::Note => FixScope::Choice,
        FindingSeverity::Ok
        | FindingSeverity::Unseen
        | FindingSeverity::Warning
        | FindingSeverity::Danger => FixScope::Role,
    };
    let mut finding = Finding::new(check, severity, names.into_iter().collect());
    for edge in edges {
        finding = finding.with_fix(scope, context.revoke_membership(edge));
    }
    findings.note(finding);
}

fn named(context: &DoctorContext<'_>, names: &[&str]) -> BTreeSet<u32> {
    let known = context.reach.values();
    let known =
        known.filter(|role| names.contains(&role.name.as_str()) && role.id != context.own.id);
    known.map(|role| role.id).collect()
}

/// They write, read or run what they like, whatever else was granted; the last ones are what
/// hosts of databases give in place of a superuser.
const DANGEROUS: &[&str] = &[
    "pg_write_all_data",
    "pg_write_server_files",
    "pg_read_server_files",
    "pg_execute_server_program",
    "alloydbsuperuser",
    "azure_pg_admin",
    "azuresu",
    "cloudsqlsuperuser",
    "neon_superuser",
    "rds_replication",
    "rds_superuser",
    "rdsadmin",
    "supabase_admin",
];

/// They act on the server and on other sessions.
const OPERATING: &[&str] = &[
    "pg_checkpoint",
    "pg_create_subscription",
    "pg_maintain",
    "pg_signal_autovacuum_worker",
    "pg_signal_backend",
    "pg_use_reserved_connections",
];

/// They see what other sessions do.
const MONITORING: &[&str] = &[
    "pg_monitor",
    "pg_read_all_settings",
    "pg_read_all_stats",
    "pg_stat_scan_tables",
];
