//! `pgsieve receipt`: the keys of receipts, and what a receipt proves.

use std::io::Write;

use clap::Subcommand;

use crate::cli::CommandOutcome;

mod keygen;
mod verify;

/// The flags of `receipt`.
#[derive(clap::Args)]
pub struct ReceiptFlags {
    #[command(subcommand)]
    question: ReceiptQuestion,
}

#[derive(Subcommand)]
enum ReceiptQuestion {
    /// Makes a key for receipts.key_file.
    Keygen(keygen::KeygenFlags),
    /// Says whether a receipt counts, and what it proves of a statement and of rows.
    Verify(Box<verify::ReceiptVerifyFlags>),
}

/// Does what the flags ask for.
pub fn run(flags: &ReceiptFlags, out: &mut impl Write) -> CommandOutcome {
    match &flags.question {
        ReceiptQuestion::Keygen(flags) => keygen::run(flags, out),
        ReceiptQuestion::Verify(flags) => verify::run(flags, out),
    }
}
