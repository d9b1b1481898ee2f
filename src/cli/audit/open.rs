//! `pgsieve audit open`: the texts of statements, for whoever has an identity that opens them.

use std::fs;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::audit::files;
use crate::cli::audit::files::{UnreadableFile, shown};
use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::limits::AUDIT_LINE_BYTES_MAX;
use crate::system_error;
use crate::telemetry::audit::text::{TextIdentities, Unopened};
use crate::telemetry::audit::verify::skip_line;

/// The flags of `audit open`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct Flags {
    /// The audit: one or several files, in any order, each together with its rotated files FILE.1,
    /// FILE.2 ….
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// The identity file, as age-keygen writes it: one of the keys whose recipients are in
    /// audit.text_recipients.
    #[arg(long, value_name = "KEYFILE")]
    identity: PathBuf,
    /// Only statements with this fingerprint.
    #[arg(long, value_name = "HEX")]
    fingerprint: Option<String>,
    /// Reads only the files that are named and not their rotated files.
    #[arg(long)]
    alone: bool,
}

/// What became of the lines.
#[derive(Default)]
struct Count {
    opened: u64,
    for_others: u64,
    damaged: u64,
}

/// Why the reading ended before its end.
enum Stopped {
    Input(UnreadableFile),
    Output(io::Error),
}

/// Prints each line that has a text, with that in clear.
pub fn run(flags: &Flags, out: &mut impl Write) -> CommandOutcome {
    let identities = match identities(&flags.identity) {
        Ok(identities) => identities,
        Err(outcome) => return outcome,
    };
    let mut count = Count::default();
    match open_all(flags, &identities, &mut count, out) {
        Ok(()) => {}
        Err(Stopped::Input(unreadable)) => return not_read(&unreadable),
        Err(Stopped::Output(error)) => return print_outcome(Err(error)),
    }
    let Count {
        opened,
        for_others,
        damaged,
    } = count;
    if for_others > 0 {
        complain(format_args!(
            "texts that are encrypted to others: {for_others}"
        ));
    }
    if damaged > 0 {
        complain(format_args!("texts that are cut or altered: {damaged}"));
    }
    if opened == 0 && for_others + damaged == 0 {
        complain(format_args!(
            "no such line has a text: audit.text: encrypted records them"
        ));
    }
    match opened > 0 && for_others + damaged == 0 {
        true => CommandOutcome::Done,
        false => CommandOutcome::Failed,
    }
}

fn open_all(
    flags: &Flags,
    identities: &TextIdentities,
    count: &mut Count,
    out: &mut impl Write,
) -> Result<(), Stopped> {
    let files = files::found(&flags.files, flags.alone).map_err(Stopped::Input)?;
    for file in files {
        let of_file = |error: io::Error| Stopped::Input(files::unreadable(&file, &error));
        let mut input = files::open(&file).map_err(of_file)?;
        let mut line = Vec::new();
        while next_line(&mut input, &mut line).map_err(of_file)? {
            if let Some(opened) = opened(&line, flags, identities, count) {
                writeln!(out, "{opened}").map_err(Stopped::Output)?;
            }
        }
    }
    out.flush().map_err(Stopped::Output)
}

/// The line with its text in clear; none where it is not asked for or does not open.
fn opened(
    line: &[u8],
    flags: &Flags,
    identities: &TextIdentities,
    count: &mut Count,
) -> Option<Value> {
    let mut value: Value = serde_json::from_slice(line).ok()?;
    let fields = value.as_object_mut()?;
    if let Some(wanted) = &flags.fingerprint {
        let own = fields.get("fingerprint")?.as_str()?;
        if !own.eq_ignore_ascii_case(wanted.trim()) {
            return None;
        }
    }
    match identities.open(fields.get("text")?.as_str()?) {
        Ok(text) => {
            count.opened += 1;
            fields.insert("text".into(), text.into());
            Some(value)
        }
        Err(Unopened::ForOthers) => {
            count.for_others += 1;
            None
        }
        Err(Unopened::Damaged) => {
            count.damaged += 1;
            None
        }
    }
}

/// Reads the next line that is one of an audit by its length; says whether there was any.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut bounded = input.by_ref().take(AUDIT_LINE_BYTES_MAX);
    if bounded.read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if bounded.limit() == 0 && line.last() != Some(&b'\n') {
        line.clear();
        skip_line(input)?;
    }
    Ok(true)
}

fn identities(path: &Path) -> Result<TextIdentities, CommandOutcome> {
    let text =
        fs::read_to_string(path).map_err(|error| not_read(&files::unreadable(path, &error)))?;
    TextIdentities::parse(&text).map_err(|wanted| {
        complain(format_args!("{}: {wanted}", shown(path)));
        CommandOutcome::Misused
    })
}

fn not_read(unreadable: &UnreadableFile) -> CommandOutcome {
    let UnreadableFile { name, kind } = unreadable;
    let told = system_error::of_file(Path::new(name.as_str()), *kind);
    complain(format_args!("cannot be read: {told}"));
    CommandOutcome::Misused
}

const EXIT_STATUS: &str = "Exit status: 0 every text that was asked for is printed, 1 one of them \
                           does not open or there is none, 2 it cannot be told. What is printed is \
                           the client's own text, literals among it, and may be cut: text_left_out.";
