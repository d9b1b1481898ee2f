//! `pgsieve audit top`: what is refused, repaired and slow, summed up from an audit.

use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::cli::audit::files;
use crate::cli::audit::files::UnreadableFile;
use crate::cli::audit::summary::{AuditSummary, CountedKey, LineFilter, TopTable};
use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::limits::AUDIT_LINE_BYTES_MAX;
use crate::system_error;
use crate::telemetry::audit::verify::skip_line;

/// The flags of `audit top`.
#[derive(clap::Args)]
pub struct AuditTopFlags {
    /// The audit: one or several files, also of several copies of pgsieve, to each of which FILE.1,
    /// FILE.2 and so on belong; - alone for standard input.
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// Only lines from this time on: 2026-01-31T12:00:00Z.
    #[arg(long, value_name = "TIME", conflicts_with = "last")]
    since: Option<String>,
    /// Only lines before this time.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only lines of the last while: 15m, 1h, 24h.
    #[arg(long, value_name = "SPAN")]
    last: Option<String>,
    /// Only lines of this copy of pgsieve, as they name it in copy.
    #[arg(long, value_name = "NAME")]
    copy: Option<String>,
    /// How much of each list is shown.
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: u16,
    /// Prints JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Reads only the files that are named and not their rotated files.
    #[arg(long)]
    alone: bool,
}

/// Reads the files and prints the lists.
pub fn run(flags: &AuditTopFlags, out: &mut impl Write) -> CommandOutcome {
    let window = match window(flags) {
        Ok(window) => window,
        Err(why) => {
            complain(format_args!("{why}"));
            return CommandOutcome::Misused;
        }
    };
    let sum = match sum(flags, &window) {
        Ok(sum) => sum,
        Err(UnreadableFile { name, kind }) => {
            let told = system_error::of_file(Path::new(&name), kind);
            complain(format_args!("cannot be read: {told}"));
            return CommandOutcome::Misused;
        }
    };
    if sum.unreadable > 0 {
        let unreadable = sum.unreadable;
        complain(format_args!(
            "lines that are none of an audit: {unreadable}"
        ));
    }
    let limit = usize::from(flags.limit);
    print_outcome(match flags.json {
        true => serde_json::to_string_pretty(&as_json(&sum, limit))
            .map_err(io::Error::from)
            .and_then(|text| writeln!(out, "{text}")),
        false => as_tables(&sum, limit, out),
    })
}

fn sum(flags: &AuditTopFlags, window: &LineFilter) -> Result<AuditSummary, UnreadableFile> {
    let mut sum = AuditSummary::default();
    if let [file] = flags.files.as_slice()
        && file.as_os_str() == "-"
    {
        read(io::stdin().lock(), window, &mut sum)
            .map_err(|error| files::unreadable(file, &error))?;
        return Ok(sum);
    }
    for file in files::found(&flags.files, flags.alone)? {
        files::open(&file)
            .and_then(|input| read(input, window, &mut sum))
            .map_err(|error| files::unreadable(&file, &error))?;
    }
    Ok(sum)
}

fn read(mut input: impl BufRead, window: &LineFilter, sum: &mut AuditSummary) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut bounded = input.by_ref().take(AUDIT_LINE_BYTES_MAX);
        if bounded.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if bounded.limit() == 0 && line.last() != Some(&b'\n') {
            sum.take_unreadable();
            skip_line(&mut input)?;
        } else {
            sum.take(&line, window);
        }
    }
}

fn window(flags: &AuditTopFlags) -> Result<LineFilter, String> {
    let time = |flag: &str, text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => match text.parse::<Timestamp>() {
            Ok(time) => Ok(Some(written(time))),
            Err(_) => Err(format!(
                "{flag}: a time like 2026-01-31T12:00:00Z is wanted"
            )),
        },
    };
    let mut window = LineFilter {
        since: time("--since", &flags.since)?,
        until: time("--until", &flags.until)?,
        copy: flags.copy.clone(),
    };
    if let Some(text) = &flags.last {
        let span = text.parse::<SignedDuration>().ok();
        let since = span
            .filter(|span| span.is_positive())
            .and_then(|span| Timestamp::now().checked_sub(span).ok());
        let since = since.ok_or("--last: a span like 15m, 1h or 24h is wanted")?;
        window.since = Some(written(since));
    }
    Ok(window)
}

/// As the audit writes it.
fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}

fn as_json(sum: &AuditSummary, limit: usize) -> Value {
    let counted = |table: &TopTable<CountedKey>, name: &str| -> Value {
        let rows = table.top(limit).into_iter().map(|(key, entry)| {
            json!({
                name: key, "count": entry.count, "refused": entry.refused, "last": entry.last,
            })
        });
        rows.collect()
    };
    let fingerprints = sum.fingerprints.top(limit).into_iter().map(|(key, entry)| {
        json!({
            "fingerprint": key, "count": entry.count, "rule": entry.rule,
            "subject": entry.subject, "kind": entry.kind,
            "users": entry.users, "last": entry.last,
        })
    });
    let slowest = sum.slowest.top(limit).into_iter().map(|(key, entry)| {
        json!({
            "fingerprint": key, "count": entry.count, "kind": entry.kind, "max_us": entry.most,
            "p95_us": entry.p95(), "total_us": entry.total,
        })
    });
    let (first, last) = sum.window.clone().unzip();
    json!({
        "first": first,
        "last": last,
        "lines": sum.lines,
        "unreadable": sum.unreadable,
        "statements": sum.statements,
        "refused": sum.refused,
        "fingerprints": fingerprints.collect::<Vec<_>>(),
        "rules": counted(&sum.rules, "rule"),
        "users": counted(&sum.users, "user"),
        "policies": counted(&sum.policies, "policy"),
        "copies": counted(&sum.copies, "copy"),
        "repairs": counted(&sum.repairs, "repair"),
        "slowest": slowest.collect::<Vec<_>>(),
        "errors": counted(&sum.errors, "sqlstate"),
        "counts_short_by_at_most": {
            "fingerprints": sum.fingerprints.forgotten,
            "users": sum.users.forgotten,
            "slowest_us": sum.slowest.forgotten,
        },
    })
}

fn as_tables(sum: &AuditSummary, limit: usize, out: &mut impl Write) -> io::Result<()> {
    let (lines, statements, refused) = (sum.lines, sum.statements, sum.refused);
    write!(
        out,
        "{lines} lines, {statements} statements, {refused} refused"
    )?;
    match &sum.window {
        Some((first, last)) => writeln!(out, ", from {first} to {last}")?,
        None => writeln!(out)?,
    }
    let rows = sum.fingerprints.top(limit).into_iter().map(|(key, entry)| {
        let users: Vec<&str> = entry.users.iter().map(String::as_str).collect();
        let count = entry.count.to_string();
        let (rule, kind, last) = (&entry.rule, &entry.kind, &entry.last);
        let subject = &entry.subject;
        [&count, key, rule, kind, last, &users.join(" "), subject].map(str::to_owned)
    });
    let heads = [
        "refused",
        "fingerprint",
        "rule",
        "kind",
        "last",
        "users",
        "about",
    ];
    table("Most refused", heads, rows.collect(), out)?;
    for (title, name, from) in [
        ("Rules that refused", "rule", &sum.rules),
        ("Users", "user", &sum.users),
        ("Policies", "policy", &sum.policies),
        ("Copies", "copy", &sum.copies),
        ("Error codes", "sqlstate", &sum.errors),
    ] {
        let rows = from.top(limit).into_iter().map(|(key, entry)| {
            let (refused, count) = (entry.refused.to_string(), entry.count.to_string());
            [&refused, &count, key, &entry.last].map(str::to_owned)
        });
        table(
            title,
            ["refused", "statements", name, "last"],
            rows.collect(),
            out,
        )?;
    }
    let rows = sum.repairs.top(limit).into_iter().map(|(key, entry)| {
        let (recoverer, outcome) = key.split_once(' ').unwrap_or((key, ""));
        [&entry.count.to_string(), recoverer, outcome, &entry.last].map(str::to_owned)
    });
    let heads = ["attempts", "recoverer", "outcome", "last"];
    table("Repairs", heads, rows.collect(), out)?;
    let rows = sum.slowest.top(limit).into_iter().map(|(key, entry)| {
        let count = entry.count.to_string();
        let times = [entry.total, entry.most, entry.p95()].map(millis);
        let [total, most, p95] = &times;
        [total, most, p95, &count, key, &entry.kind].map(str::to_owned)
    });
    let heads = [
        "total ms",
        "max ms",
        "p95 ms",
        "runs",
        "fingerprint",
        "kind",
    ];
    table("Slowest", heads, rows.collect(), out)?;
    out.flush()
}

fn millis(micros: u64) -> String {
    format!("{}.{}", micros / 1000, micros % 1000 / 100)
}

/// One list, under its title; nothing where it is empty.
fn table<const N: usize>(
    title: &str,
    heads: [&str; N],
    rows: Vec<[String; N]>,
    out: &mut impl Write,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    let heads = heads.map(str::to_owned);
    let all = || std::iter::once(&heads).chain(&rows);
    let mut widths = [0; N];
    for row in all() {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for row in all() {
        let mut line = String::new();
        for (width, cell) in widths.iter().zip(row) {
            // Numbers read from their end.
            let is_number = cell.starts_with(|first: char| first.is_ascii_digit())
                && cell.chars().all(|c| c.is_ascii_digit() || c == '.');
            line.push_str("  ");
            if is_number {
                line.push_str(&format!("{cell:>width$}"));
            } else {
                line.push_str(&format!("{cell:<width$}"));
            }
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
