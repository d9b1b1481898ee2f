//! What the role is: its attributes, and what it is a member of.

use std::collections::BTreeSet;

use super::check::{self, Check, Severity};
use super::context::{Edge, Ground};
use super::finding::{Finding, Ledger, Scope};

/// Looks at its attributes and at memberships in roles that are known to be dangerous.
pub fn examine(ground: &Ground<'_>, ledger: &mut Ledger) {
    let (own, name) = (&ground.own, ground.own_name());
    let (danger, warning) = (Severity::Danger, Severity::Warning);
    ledger.holds(check::SUPERUSER, danger, own.superuser);
    for (check, severity, holds, word) in [
        (check::CREATEROLE, danger, own.createrole, "NOCREATEROLE"),
        (check::CREATEDB, warning, own.createdb, "NOCREATEDB"),
        (check::REPLICATION, danger, own.replication, "NOREPLICATION"),
    ] {
        ledger.holds(check, severity, holds);
        ledger.cure(Scope::Role, format!("ALTER ROLE {name} {word}"));
    }
    ledger.holds(check::BYPASSRLS, warning, own.bypassrls);
    ledger.cure(Scope::Choice, format!("ALTER ROLE {name} NOBYPASSRLS"));
    memberships(ground, ledger);
    let unlimited = own.connections < 0;
    ledger.holds(check::CONNECTION_LIMIT, Severity::Note, unlimited);
    let statement = format!("ALTER ROLE {name} CONNECTION LIMIT 100");
    ledger.cure(Scope::Choice, statement);
}

/// Notes the memberships by way of which the role can write, when all such ways are known.
pub fn examine_ways(ground: &Ground<'_>, ledger: &mut Ledger) {
    let through: BTreeSet<u32> = ledger.through.clone();
    leading(
        ground,
        ledger,
        check::WRITING_MEMBERSHIP,
        Severity::Warning,
        &through,
    );
}

fn memberships(ground: &Ground<'_>, ledger: &mut Ledger) {
    let (danger, warning) = (Severity::Danger, Severity::Warning);
    let superusers = ground.reach.values().filter(|role| role.superuser);
    let mut dangerous: BTreeSet<u32> = superusers.map(|role| role.id).collect();
    dangerous.extend(named(ground, DANGEROUS));
    dangerous.remove(&ground.own.id);
    leading(
        ground,
        ledger,
        check::DANGEROUS_MEMBERSHIP,
        danger,
        &dangerous,
    );
    let operating = named(ground, OPERATING);
    leading(
        ground,
        ledger,
        check::OPERATING_MEMBERSHIP,
        warning,
        &operating,
    );
    let monitoring = named(ground, MONITORING);
    // Since pg_monitor is a member of others, each of them leads to the same membership.
    leading(
        ground,
        ledger,
        check::MONITORING_MEMBERSHIP,
        Severity::Note,
        &monitoring,
    );
    admin(ground, ledger);
}

/// The option alone is taken away; what was given to others in its name goes with it.
fn admin(ground: &Ground<'_>, ledger: &mut Ledger) {
    let can_give = |edge: &&Edge| edge.admin && ground.reach.contains_key(&edge.member);
    let edges: Vec<&Edge> = ground.edges.iter().filter(can_give).collect();
    let names = edges.iter().map(|edge| match edge.member {
        member if member == ground.own.id => ground.grantee(edge.role),
        member => format!(
            "{} (through {})",
            ground.grantee(edge.role),
            ground.grantee(member)
        ),
    });
    ledger.names(check::ADMIN_OPTION, Severity::Danger, names.collect());
    for edge in edges {
        if edge.member != ground.own.id {
            ledger.through.insert(edge.member);
            continue;
        }
        let (role, own) = (ground.grantee(edge.role), ground.own_name());
        let by = match ground.major {
            ..16 => String::new(),
            16.. => format!(" GRANTED BY {}", super::sql_names::written(&edge.grantor)),
        };
        let statement = format!("REVOKE ADMIN OPTION FOR {role} FROM {own}{by} CASCADE");
        ledger.cure(Scope::Role, statement);
    }
}

/// Notes the memberships that lead to these roles, and what ends them.
fn leading(
    ground: &Ground<'_>,
    ledger: &mut Ledger,
    check: &'static Check,
    severity: Severity,
    targets: &BTreeSet<u32>,
) {
    let edges = ground.memberships_towards(targets);
    let names: BTreeSet<String> = edges
        .iter()
        .map(|edge| {
            let beyond: Vec<String> = ground
                .closure(edge.role)
                .intersection(targets)
                .filter(|id| **id != edge.role)
                .map(|id| ground.grantee(*id))
                .collect();
            match beyond.is_empty() {
                true => ground.grantee(edge.role),
                false => format!("{}: {}", ground.grantee(edge.role), beyond.join(", ")),
            }
        })
        .collect();
    if names.is_empty() {
        return ledger.ok(check);
    }
    let scope = match severity {
        Severity::Note => Scope::Choice,
        Severity::Ok | Severity::Unseen | Severity::Warning | Severity::Danger => Scope::Role,
    };
    let mut finding = Finding::new(check, severity, names.into_iter().collect());
    for edge in edges {
        finding = finding.cured(scope, ground.revoke_membership(edge));
    }
    ledger.note(finding);
}

fn named(ground: &Ground<'_>, names: &[&str]) -> BTreeSet<u32> {
    let known = ground.reach.values();
    let known =
        known.filter(|role| names.contains(&role.name.as_str()) && role.id != ground.own.id);
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
