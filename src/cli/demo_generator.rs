//! `pgsieve demo-generator`: a command for `--generate` that needs no model. It answers the
//! questions of the sample shop by a script.

use std::io::{self, Read, Write};

use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::demo::generators::{self, GeneratorKind, GeneratorRequest};
use crate::limits::choice::CANDIDATES_BYTES_MAX;

/// The flags of `demo-generator`.
#[derive(clap::Args)]
pub struct DemoGeneratorFlags {
    /// The one that answers.
    #[arg(value_name = "GENERATOR", value_enum)]
    generator: NamedGenerator,
}

/// The generators by name.
#[derive(Clone, Copy, clap::ValueEnum)]
enum NamedGenerator {
    /// Nearly always right.
    Good,
    /// Writes what a middling model writes.
    Sloppy,
    /// Attacks.
    Hostile,
}

/// Reads one request from standard input and prints the answer of a generator.
pub fn run(flags: &DemoGeneratorFlags, out: &mut impl Write) -> CommandOutcome {
    let kind = match flags.generator {
        NamedGenerator::Good => GeneratorKind::Good,
        NamedGenerator::Sloppy => GeneratorKind::Sloppy,
        NamedGenerator::Hostile => GeneratorKind::Hostile,
    };
    // A request is smaller than a whole choice: a question, a grounding and one statement.
    let input = io::stdin().lock().take(CANDIDATES_BYTES_MAX);
    let Ok(request) = serde_json::from_reader::<_, GeneratorRequest>(input) else {
        complain(format_args!(
            "standard input is no JSON object with a question"
        ));
        return CommandOutcome::Misused;
    };
    match generators::answer(kind, &request) {
        Ok(output) => {
            let printed = print_outcome(writeln!(out, "{}", output.text));
            match output.status {
                0 => printed,
                _ => CommandOutcome::Failed,
            }
        }
        Err(error) => {
            complain(format_args!("{error}"));
            CommandOutcome::Misused
        }
    }
}
