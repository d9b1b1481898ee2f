//! `pgsieve audit verify`: whether an audit is whole.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::audit::files;
use crate::cli::audit::files::{Unreadable, shown};
use crate::cli::{Outcome, complain, said};
use crate::system_error;
use crate::telemetry::audit::ChainKey;
use crate::telemetry::audit::chain::{Head, unhex};
use crate::telemetry::audit::verify::{Fault, Findings, Verifier, What};

/// The flags of `audit verify`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct Flags {
    /// The audit: one file, to which FILE.1, FILE.2 and so on belong, or several in any order.
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// Reads the one file that is named and nothing that was put aside of it.
    #[arg(long)]
    alone: bool,
    /// The key of the chain: a file of 64 hexadecimal digits, as in audit.chain_key_file.
    #[arg(long, value_name = "FILE")]
    chain_key_file: Option<PathBuf>,
    /// A line that must be there, as number and digest: what the log says as head when a file was
    /// put aside and when pgsieve stopped. Without it a tail that was cut off is not noticed.
    #[arg(long, value_name = "SEQ:DIGEST")]
    expect: Option<String>,
}

/// Reads the files and says what is wrong with them.
pub fn run(flags: &Flags, out: &mut impl Write) -> Outcome {
    let prepared = key(flags).and_then(|key| Ok((key, expected(flags)?)));
    let (key, expected) = match prepared {
        Ok(prepared) => prepared,
        Err(outcome) => return outcome,
    };
    let files = match files::found(&flags.files, flags.alone) {
        Ok(files) => files,
        Err(unreadable) => return not_read(&unreadable),
    };
    let mut verifier = Verifier::new(key, expected);
    for file in &files {
        let mut patience = PATIENCE_TURNS;
        // The last line may be on its way while this is read.
        let more = || {
            patience = patience.saturating_sub(1);
            let waits = patience > 0 && is_written_to(file);
            if waits {
                std::thread::sleep(PATIENCE);
            }
            waits
        };
        let read = files::open(file).and_then(|input| verifier.read(input, more));
        if let Err(error) = read {
            return not_read(&files::unreadable(file, &error));
        }
    }
    let (findings, first, head) = verifier.finish();
    if let Some(outcome) = wrong_key(key.as_ref(), &findings) {
        return outcome;
    }
    let whole = findings.faults_total == 0 && findings.lines > 0;
    match report(&files, &findings, first.zip(head), out) {
        Err(error) => said(Err(error)),
        Ok(()) if whole => Outcome::Done,
        Ok(()) => Outcome::Failed,
    }
}

fn report(
    files: &[PathBuf],
    findings: &Findings,
    ends: Option<(u64, Head)>,
    out: &mut impl Write,
) -> std::io::Result<()> {
    for Fault { file, line, what } in &findings.faults {
        // What is known to be missing at the end has no place.
        match files.get(*file).filter(|_| *line > 0) {
            Some(file) => writeln!(out, "{}:{line}: {}", shown(file), told(*what))?,
            None => writeln!(out, "{}", told(*what))?,
        }
    }
    let listed = u64::try_from(findings.faults.len()).unwrap_or(u64::MAX);
    if findings.faults_total > listed {
        writeln!(out, "and {} more faults", findings.faults_total - listed)?;
    }
    if findings.lines == 0 && findings.faults_total == 0 {
        writeln!(out, "not whole: there is no line in it")?;
        return out.flush();
    }
    if let Some((first @ 2.., _)) = ends {
        let before = first - 1;
        writeln!(out, "the oldest {before} lines are not in these files")?;
    }
    if findings.crashes > 0 {
        let crashes = findings.crashes;
        writeln!(
            out,
            "half lines left by a crash, as the chain says: {crashes}"
        )?;
    }
    if findings.dropped > 0 {
        let dropped = findings.dropped;
        writeln!(
            out,
            "lines that were dropped for want of room, as the chain says: {dropped}"
        )?;
    }
    let word = match findings.faults_total {
        0 => "whole",
        _ => "not whole",
    };
    let (lines, count, faults) = (findings.lines, files.len(), findings.faults_total);
    write!(
        out,
        "{word}: lines of the chain: {lines}; files: {count}; faults: {faults}"
    )?;
    match ends {
        Some((_, head)) => writeln!(out, "; head {head}")?,
        None => writeln!(out)?,
    }
    out.flush()
}

fn told(what: What) -> String {
    match what {
        What::Altered => "altered: it is not as it was written, or no line of this audit".into(),
        What::Missing { from, to } if from == to => {
            format!("missing before it: the line with seq {from}")
        }
        What::Missing { from, to } => {
            format!("missing before it: the lines with seq {from} to {to}")
        }
        What::Reordered { seq } => {
            format!("reordered: the line with seq {seq} was written to another place")
        }
        What::Duplicated { seq } => format!("duplicated: the line with seq {seq} is there before"),
        What::Foreign { seq } => format!(
            "seq {seq} does not follow the one before it: one of the two is of another chain"
        ),
        What::AnotherChain => "another chain begins here".into(),
        What::Headless => "missing before it: what the file began with".into(),
        What::Emptied => "missing: nothing is in the file, and none is put aside empty".into(),
        What::HalfMissing => {
            "missing before it: the half line that it says a crash had left".into()
        }
        What::Torn => "torn: the last line has no end".into(),
        What::NotAsExpected => "altered: its digest is not the expected one".into(),
        What::CutOff { seq } => format!("cut off: seq {seq} is expected and not there"),
    }
}

/// Where no line holds under the key that is given, or without one, that is told as such.
fn wrong_key(key: Option<&ChainKey>, findings: &Findings) -> Option<Outcome> {
    if findings.lines > 0 {
        return None;
    }
    match (key, findings.keyed > 0, findings.unkeyed > 0) {
        (None, true, _) => {
            complain(format_args!(
                "the chain has a key: without --chain-key-file nobody can tell whether it is whole"
            ));
            Some(Outcome::Misused)
        }
        (Some(_), false, true) => {
            complain(format_args!(
                "not whole: the chain has no key, so anybody can have written it; it was to have \
                 the key of --chain-key-file"
            ));
            Some(Outcome::Failed)
        }
        (Some(_), true, _) => {
            complain(format_args!(
                "not whole: no line holds under this key; it is another one, or every line was \
                 altered"
            ));
            Some(Outcome::Failed)
        }
        (None, false, _) | (Some(_), false, false) => None,
    }
}

fn key(flags: &Flags) -> Result<Option<ChainKey>, Outcome> {
    let Some(path) = &flags.chain_key_file else {
        return Ok(None);
    };
    let text =
        fs::read_to_string(path).map_err(|error| not_read(&files::unreadable(path, &error)))?;
    let digits = text.lines().next().unwrap_or_default().trim();
    let mut key = [0; 32];
    match unhex(digits.to_ascii_lowercase().as_bytes(), &mut key) {
        Some(()) => Ok(Some(ChainKey(key))),
        None => {
            complain(format_args!(
                "{}: 64 hexadecimal digits are wanted",
                shown(path)
            ));
            Err(Outcome::Misused)
        }
    }
}

fn expected(flags: &Flags) -> Result<Option<Head>, Outcome> {
    let Some(text) = &flags.expect else {
        return Ok(None);
    };
    match Head::parse(text) {
        Some(head) => Ok(Some(head)),
        None => {
            complain(format_args!(
                "--expect: a number, a colon and 64 hexadecimal digits are wanted"
            ));
            Err(Outcome::Misused)
        }
    }
}

fn not_read(unreadable: &Unreadable) -> Outcome {
    let Unreadable { name, kind } = unreadable;
    let told = system_error::of_file(Path::new(name.as_str()), *kind);
    complain(format_args!("cannot be read: {told}"));
    Outcome::Misused
}

/// Whether a pgsieve holds the file.
fn is_written_to(file: &Path) -> bool {
    let locked = File::open(file).map(|file| file.try_lock_shared());
    matches!(locked, Ok(Err(TryLockError::WouldBlock)))
}

/// The pause before a line that has no end is looked at again.
const PATIENCE: Duration = Duration::from_millis(50);

/// How often it is.
const PATIENCE_TURNS: u32 = 40;

const EXIT_STATUS: &str = "Exit status: 0 whole, 1 not whole, 2 the question was wrong or a file \
                           cannot be read.";
