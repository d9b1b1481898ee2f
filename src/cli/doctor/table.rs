//! What `doctor` found, for people: a table of at most a hundred columns, and the SQL that would
//! harden the database.

use std::io::{self, Write};

use crate::config::warnings::ConfigWarning;
use crate::doctor::check::FindingSeverity;
use crate::doctor::finding::Finding;
use crate::doctor::session::proof_text;
use crate::doctor::{DoctorReport, LookupScript, sql_name};
use crate::engine::Engine;
use crate::upstream::engine::profile::EngineProfile;

/// Writes everything.
///
/// # Errors
/// `out` cannot be written to.
pub fn write(
    found: &DoctorReport,
    warnings: Option<&[ConfigWarning]>,
    colours: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let server = &found.server;
    let kind = match (server.is_standby, server.lag_seconds) {
        (false, _) => "primary".to_owned(),
        (true, None) => "standby".to_owned(),
        (true, Some(lag)) => format!("standby, {lag:.1} s behind"),
    };
    let reports = match found.greeting.reports_read_only {
        true => "reports read-only",
        false => "does not report read-only",
    };
    let version: String = server
        .version
        .chars()
        .take(VERSION_CHARACTERS_MAX)
        .collect();
    writeln!(out, "server      PostgreSQL {version}, {kind}, {reports}")?;
    write_engine(found.greeting.engine, out)?;
    let privacy = found.greeting.privacy.text();
    let tls = server.encryption.as_deref();
    let tls = tls.map_or(String::new(), |words| format!(" ({words})"));
    let login = proof_text(found.greeting.proof);
    writeln!(out, "connection  {privacy}{tls}; proof asked for: {login}")?;
    let (role, database) = (sql_name(&found.role), sql_name(&found.database));
    writeln!(out, "role        {role} in database {database}\n")?;
    for warning in warnings.unwrap_or_default() {
        write_warning(warning, colours, out)?;
    }
    for finding in &found.findings {
        if finding.severity > FindingSeverity::Unseen {
            write_finding(found, finding, colours, out)?;
        }
    }
    write_unseen(found, out)?;
    write_summary(found, warnings, out)?;
    writeln!(out)?;
    write_script(found, out)
}

/// What it is where it is not Postgres alone, and what the guarantees rest on there.
fn write_engine(engine: Engine, out: &mut impl Write) -> io::Result<()> {
    if engine == Engine::Postgres {
        return Ok(());
    }
    let profile = EngineProfile::of(engine);
    writeln!(out, "engine      {}: {}", engine.title(), profile.sign)?;
    for guarantee in profile.guarantees() {
        writeln!(out, "            {guarantee}")?;
    }
    Ok(())
}

/// Writes the SQL alone, for a file.
///
/// # Errors
/// `out` cannot be written to.
pub fn write_script(found: &DoctorReport, out: &mut impl Write) -> io::Result<()> {
    let script = &found.script;
    let (role, database) = (sql_name(&found.role), sql_name(&found.database));
    writeln!(
        out,
        "-- What would harden this. Nothing of it was run: read it first."
    )?;
    writeln!(out, "-- To be run by a superuser, in database {database}.")?;
    if script.statements().next().is_none() {
        writeln!(out, "-- There is nothing to run.")?;
    } else {
        // Whoever reads it splits and understands it as it was written.
        writeln!(out, "SET client_encoding TO 'UTF8';")?;
        writeln!(out, "BEGIN;")?;
        writeln!(out, "SET LOCAL search_path TO pg_catalog, pg_temp;")?;
        let before = match &script.new_role {
            Some(_) => "A role for pgsieve alone, in place of",
            None => "So that no reading is lost: rights of its own for",
        };
        write_part(&format!("{before} {role}."), &script.before, out)?;
        let everybody = "Every role of this database feels these. Grant back to those who need it.";
        write_part(everybody, &script.everybody, out)?;
        let own = format!("Whatever else logs in as {role} feels these.");
        write_part(&own, &script.role, out)?;
        writeln!(out, "COMMIT;")?;
    }
    if script.missing > 0 {
        writeln!(
            out,
            "-- {} statements more do not fit here.",
            script.missing
        )?;
    }
    if let Some(name) = &script.new_role {
        writeln!(out, "\n-- Then, in psql: \\password {}", sql_name(name))?;
        writeln!(
            out,
            "-- and in the settings of pgsieve the new role in place of {role}."
        )?;
    }
    if !script.choices.is_empty() {
        writeln!(
            out,
            "\n-- Yours to choose; each takes away what may be wanted."
        )?;
        for choice in &script.choices {
            writeln!(out, "--   {choice}{}", end(choice))?;
        }
    }
    match &found.lookup {
        Some(lookup) => write_lookup(lookup, out),
        None => Ok(()),
    }
}

fn write_lookup(lookup: &LookupScript, out: &mut impl Write) -> io::Result<()> {
    let database = sql_name(&lookup.database);
    writeln!(
        out,
        "\n-- What client.auth.method auth_query asks for verifiers."
    )?;
    writeln!(out, "-- To be run by a superuser, in database {database}.")?;
    writeln!(out, "BEGIN;")?;
    for statement in &lookup.statements {
        writeln!(out, "{statement};")?;
    }
    writeln!(out, "COMMIT;")
}

fn write_part(head: &str, statements: &[String], out: &mut impl Write) -> io::Result<()> {
    if statements.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n-- {head}")?;
    for statement in statements {
        writeln!(out, "{statement};")?;
    }
    Ok(())
}

fn write_finding(
    found: &DoctorReport,
    finding: &Finding,
    colours: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let (on, off) = match (colours, finding.severity) {
        (true, FindingSeverity::Danger) => ("\u{1b}[1;31m", "\u{1b}[0m"),
        (true, FindingSeverity::Warning) => ("\u{1b}[33m", "\u{1b}[0m"),
        (true, FindingSeverity::Note) => ("\u{1b}[2m", "\u{1b}[0m"),
        _ => ("", ""),
    };
    let (severity, check) = (finding.severity.name(), finding.check);
    let mends = match found.script.fixes_anything(finding) {
        true => " *",
        false => "",
    };
    let id = check.id;
    writeln!(
        out,
        "{on}{severity:<8}{off}  {id:<28}  {}{mends}",
        check.title
    )?;
    for name in finding.names.iter().take(NAMES_MAX) {
        writeln!(out, "{INDENT}{}", cut(name))?;
    }
    let shown = finding.names.len().min(NAMES_MAX);
    if !finding.names.is_empty() && finding.count > shown {
        writeln!(out, "{INDENT}and {} more", finding.count - shown)?;
    }
    writeln!(out, "{INDENT}-> {}", check.why)
}

fn write_warning(warning: &ConfigWarning, colours: bool, out: &mut impl Write) -> io::Result<()> {
    let (on, off) = match colours {
        true => ("\u{1b}[33m", "\u{1b}[0m"),
        false => ("", ""),
    };
    let (severity, name) = (FindingSeverity::Warning.name(), warning.warning.name());
    writeln!(
        out,
        "{on}{severity:<8}{off}  {name:<28}  {}",
        cut(&warning.key)
    )?;
    writeln!(out, "{INDENT}-> {}", warning.what)
}

fn write_unseen(found: &DoctorReport, out: &mut impl Write) -> io::Result<()> {
    let unseen = found.findings.iter();
    let unseen = unseen.filter(|finding| finding.severity == FindingSeverity::Unseen);
    for finding in unseen {
        let severity = finding.severity.name();
        writeln!(
            out,
            "{severity:<8}  {:<28}  not visible to this role",
            finding.check.id
        )?;
    }
    Ok(())
}

fn write_summary(
    found: &DoctorReport,
    warnings: Option<&[ConfigWarning]>,
    out: &mut impl Write,
) -> io::Result<()> {
    let count = |severity| found.count(severity);
    writeln!(
        out,
        "\n{} danger, {} warning, {} note, {} not visible, {} ok",
        count(FindingSeverity::Danger),
        count(FindingSeverity::Warning),
        count(FindingSeverity::Note),
        count(FindingSeverity::Unseen),
        count(FindingSeverity::Ok)
    )?;
    if let Some(warnings) = warnings {
        writeln!(out, "{} warning about the settings", warnings.len())?;
    }
    if found
        .findings
        .iter()
        .any(|finding| found.script.fixes_anything(finding))
    {
        writeln!(out, "* mended by the SQL below")?;
    }
    Ok(())
}

/// Words are no statement.
fn end(choice: &str) -> &'static str {
    match choice.starts_with("in ") {
        true => "",
        false => ";",
    }
}

/// One line of the table.
fn cut(name: &str) -> String {
    if name.chars().count() <= LINE_CHARACTERS_MAX {
        return name.to_owned();
    }
    let mut text: String = name.chars().take(LINE_CHARACTERS_MAX - 1).collect();
    text.push('…');
    text
}

/// Below the titles.
const INDENT: &str = "          ";

/// So that a line has at most a hundred columns.
const LINE_CHARACTERS_MAX: usize = 90;

/// Names under one finding; `--json` has more.
const NAMES_MAX: usize = 8;

/// The version as distributions write it is longer than anybody reads.
const VERSION_CHARACTERS_MAX: usize = 30;
