//! What `doctor` found, for programs: one JSON object, whose shape is told by `v`.
//!
//! `v` grows when something is taken away or changes its meaning; more may be added at any time.
//! Names are as SQL writes them.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::config::warnings::ConfigWarning;
use crate::doctor::check::FindingSeverity;
use crate::doctor::finding::{Finding, FixScope};
use crate::doctor::session::proof_text;
use crate::doctor::{DoctorReport, sql_name};
use crate::upstream::engine::profile::EngineProfile;

/// Writes it, and a line end. `settings` is null where none were looked at.
///
/// # Errors
/// `out` cannot be written to.
pub fn write(
    found: &DoctorReport,
    warnings: Option<&[ConfigWarning]>,
    out: &mut impl Write,
) -> io::Result<()> {
    let server = &found.server;
    let counts = |severity| found.count(severity);
    let (script, engine) = (&found.script, found.greeting.engine);
    let report = json!({
        "v": 1,
        "role": sql_name(&found.role),
        "database": sql_name(&found.database),
        "server": {
            "version": server.version,
            "major": server.major,
            "engine": engine.name(),
            "guarantees": EngineProfile::of(engine).guarantees(),
            "reports_read_only": found.greeting.reports_read_only,
            "standby": server.is_standby,
            "lag_seconds": server.lag_seconds,
        },
        "connection": {
            "privacy": found.greeting.privacy.text(),
            "tls": server.encryption,
            "login": proof_text(found.greeting.proof),
        },
        "worst": found.worst().name(),
        "counts": {
            "danger": counts(FindingSeverity::Danger),
            "warning": counts(FindingSeverity::Warning),
            "note": counts(FindingSeverity::Note),
            "unseen": counts(FindingSeverity::Unseen),
            "ok": counts(FindingSeverity::Ok),
        },
        "settings": warnings.map(|all| all.iter().map(warning).collect::<Vec<Value>>()),
        "findings": found.findings.iter().map(|f| finding(found, f)).collect::<Vec<Value>>(),
        "script": {
            "new_role": script.new_role.as_deref().map(sql_name),
            "run_by": "superuser",
            "statements": script.statements().collect::<Vec<&str>>(),
            "choices": script.choices,
            "missing": script.missing,
        },
        "lookup": found.lookup.as_ref().map(|lookup| json!({
            "database": sql_name(&lookup.database),
            "statements": lookup.statements,
        })),
    });
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

fn warning(warning: &ConfigWarning) -> Value {
    json!({
        "id": warning.warning.name(),
        "severity": FindingSeverity::Warning.name(),
        "key": warning.key,
        "what": warning.what,
    })
}

fn finding(found: &DoctorReport, finding: &Finding) -> Value {
    let statements = |wanted: fn(FixScope) -> bool| -> Vec<&str> {
        let fixes = finding.fixes.iter().filter(|fix| wanted(fix.scope));
        fixes
            .flat_map(|fix| fix.statements.iter().map(String::as_str))
            .collect()
    };
    json!({
        "id": finding.check.id,
        "severity": finding.severity.name(),
        "title": finding.check.title,
        "why": finding.check.why,
        "found": finding.names,
        "count": finding.count,
        "mended_by_script": found.script.fixes_anything(finding),
        "sql": statements(|scope| scope != FixScope::Choice),
        "choices": statements(|scope| scope == FixScope::Choice),
    })
}
