//! `pgsieve serve`: settings from a file, the environment and flags, then the server.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::app;
use crate::cli::{Outcome, complain, fail};
use crate::config::written::{FileText, Flag, Sources};
use crate::config::{self, Problem, Settings};
use crate::limits::CONFIG_FILE_BYTES_MAX;

/// The flags of `serve`; each stands for a key of the settings and wins over it.
#[derive(clap::Args)]
pub struct Flags {
    /// The settings file; every key can also come as PGSIEVE_… (see `pgsieve keys`).
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The Postgres behind: postgres://[user[:password]@]host[:port]/[database].
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// Where clients arrive: host:port or the path of a Unix socket, several with commas
    /// [default: 127.0.0.1:6432].
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Where metrics and probes are served, or off [default: 127.0.0.1:9432].
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<String>,
    /// Policy files, folders of them, or agent, bi, strict or observe, several with commas
    /// [default: agent].
    #[arg(long, value_name = "FILE")]
    policy: Option<String>,
    /// Where the audit goes: a file, - for standard output, or off [default: off].
    #[arg(long, value_name = "FILE")]
    audit: Option<String>,
}

/// Serves until the process is told to stop.
pub fn run(flags: Flags) -> Outcome {
    match settings(flags) {
        Ok(settings) => match app::run(settings) {
            Ok(()) => Outcome::Done,
            Err(error) => fail(format_args!("{error}")),
        },
        Err(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            Outcome::Misused
        }
    }
}

fn settings(flags: Flags) -> Result<Settings, Vec<Problem>> {
    let file = match &flags.config {
        Some(path) => Some(read(path)?),
        None => None,
    };
    // What is not Unicode cannot be one of ours; its name would have to be.
    let variables = env::vars_os();
    let variables = variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let given = [
        ("upstream.url", "--upstream", flags.upstream),
        ("listen", "--listen", flags.listen),
        ("admin.listen", "--admin", flags.admin),
        ("policy.file", "--policy", flags.policy),
        ("audit.to", "--audit", flags.audit),
    ];
    let flags = given.into_iter().filter_map(|(path, name, value)| {
        let value = value?;
        Some(Flag { path, name, value })
    });
    config::load(&Sources {
        file,
        variables: variables.collect(),
        flags: flags.collect(),
    })
}

fn read(path: &Path) -> Result<FileText, Vec<Problem>> {
    let name = path.display().to_string();
    let read = fs::metadata(path).and_then(|found| {
        if found.len() > CONFIG_FILE_BYTES_MAX {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        fs::read_to_string(path)
    });
    match read {
        Ok(text) => Ok(FileText { name, text }),
        Err(error) => {
            let what = format!("the file cannot be read: {}", error.kind());
            Err(vec![Problem { place: name, what }])
        }
    }
}
