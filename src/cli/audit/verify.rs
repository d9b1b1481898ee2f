//! `pgsieve audit verify`: whether an audit is whole.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::audit::chains::{ChainFiles, ChainStanding, chains};
use crate::cli::audit::files;
use crate::cli::audit::files::{UnreadableFile, shown};
use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::hex;
use crate::system_error;
use crate::telemetry::audit::ChainKey;
use crate::telemetry::audit::chain::ChainHead;
use crate::telemetry::audit::verify::{ChainFault, ChainFindings, ChainVerifier, FaultKind};

/// The flags of `audit verify`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct AuditVerifyFlags {
    /// The audit: one or several files, in any order, of one or several copies of pgsieve; each
    /// together with its rotated files FILE.1, FILE.2 ….
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// Reads only the files that are named and not their rotated files.
    #[arg(long)]
    alone: bool,
    /// The key of the chain: a file of 64 hexadecimal digits, as in audit.chain_key_file.
    #[arg(long, value_name = "FILE")]
    chain_key_file: Option<PathBuf>,
    /// A line that must exist, as number and digest: the log prints it as head when a file is
    /// rotated and when pgsieve stops. Without it, a removed end of the audit is not noticed. Where
    /// there are several copies, one for each, with the name of the copy in front.
    #[arg(long, value_name = "[COPY:]SEQ:DIGEST")]
    expect: Vec<String>,
}

/// A line that must be there.
#[derive(Clone)]
struct ExpectedLine {
    /// The copy that wrote it; none where there is one chain only.
    copy: Option<String>,
    head: ChainHead,
}

/// Reads the files and says of each chain, copy by copy, what is wrong with it.
pub fn run(flags: &AuditVerifyFlags, out: &mut impl Write) -> CommandOutcome {
    let prepared = key(flags).and_then(|key| Ok((key, expected(flags)?)));
    let (key, expected) = match prepared {
        Ok(prepared) => prepared,
        Err(outcome) => return outcome,
    };
    let files = files::gathered(&flags.files, flags.alone);
    let (chains, unread) = chains(files, key.as_ref());
    let mut worst = CommandOutcome::Done;
    for unreadable in &unread {
        worst = worst.max(not_read(unreadable));
    }
    let expected = match by_chain(&expected, &chains) {
        Ok(expected) => expected,
        Err(outcome) => return outcome,
    };
    for line in expected.elsewhere {
        let copy = line.copy.unwrap_or_default();
        complain(format_args!(
            "not whole: a line of copy {copy} is expected, and none of its files is here"
        ));
        worst = worst.max(CommandOutcome::Failed);
    }
    let several = chains.len() > 1;
    let mut outcomes = Vec::new();
    for (chain, head) in chains.iter().zip(expected.heads) {
        let name = several.then(|| copies_of(chain));
        match verified(chain, name.as_deref(), key, head, out) {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => return print_outcome(Err(error)),
        }
    }
    worst = outcomes.iter().copied().fold(worst, CommandOutcome::max);
    if several || (!unread.is_empty() && !chains.is_empty()) {
        let whole = outcomes
            .iter()
            .filter(|outcome| **outcome == CommandOutcome::Done)
            .count();
        let (count, unread) = (chains.len(), unread.len());
        let printed = writeln!(
            out,
            "chains: {count}; whole: {whole}; files that cannot be read: {unread}"
        );
        if printed.is_err() {
            return print_outcome(printed);
        }
    }
    worst
}

/// Reads the files of one chain and says what is wrong with it; `name`: whose it is, where there
/// are several.
fn verified(
    chain: &ChainFiles,
    name: Option<&str>,
    key: Option<ChainKey>,
    expected: Option<ChainHead>,
    out: &mut impl Write,
) -> io::Result<CommandOutcome> {
    let mut verifier = ChainVerifier::new(key, expected);
    let mut outcome = CommandOutcome::Done;
    for file in &chain.files {
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
            outcome = not_read(&files::unreadable(file, &error));
        }
    }
    let (findings, first, head) = verifier.finish();
    if let Some(name) = name {
        writeln!(out, "{name}")?;
    }
    if chain.standing == ChainStanding::Another {
        writeln!(out, "{ANOTHER_CHAIN}")?;
        outcome = outcome.max(CommandOutcome::Failed);
    }
    if let Some(other) = wrong_key(key.as_ref(), &findings, name) {
        return Ok(outcome.max(other));
    }
    if name.is_some() {
        report_files(&chain.files, &findings, out)?;
    }
    report(&chain.files, &findings, first.zip(head), out)?;
    Ok(match findings.faults_total == 0 && findings.lines > 0 {
        true => outcome,
        false => outcome.max(CommandOutcome::Failed),
    })
}

/// Whose chain it is.
fn copies_of(chain: &ChainFiles) -> String {
    let names: Vec<&str> = chain.copies.iter().map(String::as_str).collect();
    match names.as_slice() {
        [] => "no copy named".into(),
        names => format!("copy {}", names.join(", ")),
    }
}

/// One line for each file.
fn report_files(
    files: &[PathBuf],
    findings: &ChainFindings,
    out: &mut impl Write,
) -> io::Result<()> {
    for (file, found) in files.iter().zip(&findings.files) {
        let name = shown(file);
        match (found.faults, found.numbers) {
            (0, Some((low, high))) => writeln!(out, "{name}: whole: seq {low} to {high}")?,
            (0, None) => writeln!(out, "{name}: there is no line in it")?,
            (faults, _) => writeln!(out, "{name}: not whole: faults: {faults}")?,
        }
    }
    Ok(())
}

fn report(
    files: &[PathBuf],
    findings: &ChainFindings,
    ends: Option<(u64, ChainHead)>,
    out: &mut impl Write,
) -> io::Result<()> {
    for ChainFault {
        file,
        line,
        kind: what,
    } in &findings.faults
    {
        // What is known to be missing at the end has no place.
        match files.get(*file).filter(|_| *line > 0) {
            Some(file) => writeln!(out, "{}:{line}: {}", shown(file), fault_in_words(*what))?,
            None => writeln!(out, "{}", fault_in_words(*what))?,
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

fn fault_in_words(what: FaultKind) -> String {
    match what {
        FaultKind::Altered => {
            "altered: it is not as it was written, or no line of this audit".into()
        }
        FaultKind::Missing { from, to } if from == to => {
            format!("missing before it: the line with seq {from}")
        }
        FaultKind::Missing { from, to } => {
            format!("missing before it: the lines with seq {from} to {to}")
        }
        FaultKind::Reordered { seq } => {
            format!("reordered: the line with seq {seq} was written to another place")
        }
        FaultKind::Duplicated { seq } => {
            format!("duplicated: the line with seq {seq} is there before")
        }
        FaultKind::Foreign { seq } => format!(
            "seq {seq} does not follow the one before it: one of the two is of another chain"
        ),
        FaultKind::AnotherChain => "another chain begins here".into(),
        FaultKind::Headless => "missing before it: what the file began with".into(),
        FaultKind::Emptied => "missing: nothing is in the file, and none is put aside empty".into(),
        FaultKind::HalfMissing => {
            "missing before it: the half line that it says a crash had left".into()
        }
        FaultKind::Torn => "torn: the last line has no end".into(),
        FaultKind::NotAsExpected => "altered: its digest is not the expected one".into(),
        FaultKind::CutOff { seq } => format!("cut off: seq {seq} is expected and not there"),
    }
}

/// Where no line holds under the key that is given, or without one, that is told as such.
fn wrong_key(
    key: Option<&ChainKey>,
    findings: &ChainFindings,
    name: Option<&str>,
) -> Option<CommandOutcome> {
    if findings.lines > 0 {
        return None;
    }
    let whose = name.map_or_else(String::new, |name| format!("{name}: "));
    match (key, findings.keyed > 0, findings.unkeyed > 0) {
        (None, true, _) => {
            complain(format_args!(
                "{whose}the chain has a key: without --chain-key-file nobody can tell whether it is whole"
            ));
            Some(CommandOutcome::Misused)
        }
        (Some(_), false, true) => {
            complain(format_args!(
                "{whose}not whole: the chain has no key, so anybody can have written it; it was to have \
                 the key of --chain-key-file"
            ));
            Some(CommandOutcome::Failed)
        }
        (Some(_), true, _) => {
            complain(format_args!(
                "{whose}not whole: no line holds under this key; it is another one, or every line was \
                 altered"
            ));
            Some(CommandOutcome::Failed)
        }
        (None, false, _) | (Some(_), false, false) => None,
    }
}

fn key(flags: &AuditVerifyFlags) -> Result<Option<ChainKey>, CommandOutcome> {
    let Some(path) = &flags.chain_key_file else {
        return Ok(None);
    };
    let text =
        fs::read_to_string(path).map_err(|error| not_read(&files::unreadable(path, &error)))?;
    let digits = text.lines().next().unwrap_or_default().trim();
    let mut key = [0; 32];
    match hex::read_into(digits.to_ascii_lowercase().as_bytes(), &mut key) {
        Some(()) => Ok(Some(ChainKey(key))),
        None => {
            complain(format_args!(
                "{}: 64 hexadecimal digits are wanted",
                shown(path)
            ));
            Err(CommandOutcome::Misused)
        }
    }
}

fn expected(flags: &AuditVerifyFlags) -> Result<Vec<ExpectedLine>, CommandOutcome> {
    let mut lines = Vec::new();
    for text in &flags.expect {
        let Some(line) = ExpectedLine::parse(text) else {
            complain(format_args!(
                "--expect: a number, a colon and 64 hexadecimal digits are wanted, where there are \
                 several copies with the copy's name and a colon in front"
            ));
            return Err(CommandOutcome::Misused);
        };
        lines.push(line);
    }
    Ok(lines)
}

impl ExpectedLine {
    /// The name may have colons in it; what is behind it has one.
    fn parse(text: &str) -> Option<Self> {
        let (rest, digits) = text.rsplit_once(':')?;
        let (copy, seq) = match rest.rsplit_once(':') {
            Some((copy, seq)) => (Some(copy.to_owned()), seq),
            None => (None, rest),
        };
        let head = ChainHead::parse(&format!("{seq}:{digits}"))?;
        Some(Self { copy, head })
    }
}

/// The lines that are expected, by the chains that they are to be in.
struct ExpectedLines {
    /// One for each chain.
    heads: Vec<Option<ChainHead>>,
    /// Those of copies that no file is of.
    elsewhere: Vec<ExpectedLine>,
}

fn by_chain(
    lines: &[ExpectedLine],
    chains: &[ChainFiles],
) -> Result<ExpectedLines, CommandOutcome> {
    let mut expected = ExpectedLines {
        heads: vec![None; chains.len()],
        elsewhere: Vec::new(),
    };
    for line in lines {
        let place = match &line.copy {
            None if chains.len() > 1 => {
                complain(format_args!(
                    "--expect: there are several chains: the name of the copy and a colon are \
                     wanted in front of the number"
                ));
                return Err(CommandOutcome::Misused);
            }
            None => 0,
            Some(copy) => {
                let found = chains.iter().position(|chain| chain.copies.contains(copy));
                let Some(found) = found else {
                    expected.elsewhere.push(line.clone());
                    continue;
                };
                found
            }
        };
        // Without any chain nothing could be read, which is told.
        if let Some(head) = expected.heads.get_mut(place)
            && head.replace(line.head).is_some()
        {
            complain(format_args!("--expect: one line of each copy is wanted"));
            return Err(CommandOutcome::Misused);
        }
    }
    Ok(expected)
}

fn not_read(unreadable: &UnreadableFile) -> CommandOutcome {
    let UnreadableFile { name, kind } = unreadable;
    let told = system_error::of_file(Path::new(name.as_str()), *kind);
    complain(format_args!("cannot be read: {told}"));
    CommandOutcome::Misused
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

const ANOTHER_CHAIN: &str = "another chain of a copy that has one: a copy goes on with its chain, and \
                             copies of one name need names of their own: audit.copy";

const EXIT_STATUS: &str = "Exit status: 0 whole, 1 not whole, 2 the question was wrong or a file \
                           cannot be read; of several files and copies, the greatest.";
