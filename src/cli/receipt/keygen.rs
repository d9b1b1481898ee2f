//! `pgsieve receipt keygen`: a key that receipts are signed by.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::cli::{CommandOutcome, fail, print_outcome};
use crate::receipts::signing_keys::new_key_file;

/// The flags of `receipt keygen`.
#[derive(clap::Args)]
pub struct KeygenFlags {
    /// Where the key is written, readable by its owner alone; a file that exists is not
    /// overwritten. Without it the key is printed.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Makes the key.
pub fn run(flags: &KeygenFlags, out: &mut impl Write) -> CommandOutcome {
    let mut seed = [0; 32];
    if let Err(error) = getrandom::fill(&mut seed) {
        return fail(format_args!("the system gives no random bytes: {error}"));
    }
    let (text, public) = new_key_file(&seed);
    let Some(file) = &flags.out else {
        return print_outcome(out.write_all(text.as_bytes()));
    };
    match write_new(file, &text) {
        Ok(()) => print_outcome(writeln!(out, "{}: key {}", file.display(), public.kid())),
        Err(error) => fail(format_args!(
            "{} cannot be written: {}",
            file.display(),
            error.kind()
        )),
    }
}

fn write_new(file: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut made = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)?;
    made.write_all(text.as_bytes())?;
    made.sync_all()
}
