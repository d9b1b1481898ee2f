//! `pgsieve import`: settings out of a configuration of PgBouncer, with a note for each thing that
//! could not be carried over. No secret is printed but verifiers, which are settings.
//!
//! * [`ini`], [`connection_string`], [`auth_file`], [`value_form`]: how PgBouncer's files are
//!   written; [`configuration`]: what they say
//! * [`known`]: what PgBouncer can be told, and what pgsieve has in its place
//! * [`carry`]: what becomes of what; [`draft`], [`policy_draft`]: what is written

mod auth_file;
mod carry;
mod configuration;
mod connection_string;
mod draft;
mod ini;
mod known;
mod policy_draft;
#[cfg(test)]
mod tests;
mod value_form;

use std::io::Write;
use std::path::{Path, PathBuf};

use self::carry::secret_files::write_private;
use self::carry::{ImportRequest, ImportedSettings, carry};
use self::draft::{ImportNote, NoteKind};
use crate::cli::policy::test::misused;
use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::config;
use crate::config::SettingsProblem;
use crate::config::sources::{SettingsFile, SettingsSources};

/// The flags of `import`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct ImportFlags {
    /// PgBouncer's configuration: pgbouncer.ini.
    #[arg(value_name = "FILE", required_unless_present = "table")]
    file: Option<PathBuf>,
    /// The database of [databases] whose server is meant, where they lead to several.
    #[arg(long, value_name = "NAME")]
    database: Option<String>,
    /// Where the settings are written [default: standard output]. An existing file is kept.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Writes passwords and verifiers to files in this folder, which their owner alone can read,
    /// and names them in the settings.
    #[arg(long, value_name = "FOLDER")]
    secrets: Option<PathBuf>,
    /// Writes a policy with PgBouncer's timeouts and databases, and names it in the settings.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Prints what PgBouncer's settings are here, as a table in Markdown.
    #[arg(long, conflicts_with_all = ["file", "database", "output", "secrets", "policy"])]
    table: bool,
}

/// Writes them.
pub fn run(flags: &ImportFlags, out: &mut impl Write) -> CommandOutcome {
    let Some(file) = &flags.file else {
        return print_outcome(out.write_all(known::markdown().as_bytes()));
    };
    let imported = match import(file, flags) {
        Ok(imported) => imported,
        Err(problems) => return misused(&problems),
    };
    if let Err(outcome) = write(flags, &imported, out) {
        return outcome;
    }
    let problems = read_back(flags, &imported.text);
    report(&imported, &problems);
    match imported.of_kind(NoteKind::LeftOut).next() {
        None if problems.is_empty() => CommandOutcome::Done,
        _ => CommandOutcome::Failed,
    }
}

/// What comes of a configuration, before anything is written.
struct FinishedImport {
    settings: ImportedSettings,
    text: String,
    policy: Option<String>,
}

impl FinishedImport {
    fn of_kind(&self, kind: NoteKind) -> impl Iterator<Item = &ImportNote> {
        let notes = self.settings.draft.notes().iter();
        notes.filter(move |note| note.kind == kind)
    }
}

fn import(file: &Path, flags: &ImportFlags) -> Result<FinishedImport, Vec<SettingsProblem>> {
    let configuration = configuration::read(file)?;
    // The settings may be read from another folder.
    let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let policy = flags.policy.as_ref().map(whole);
    let secrets = flags.secrets.as_ref().map(whole);
    let request = ImportRequest {
        database: flags.database.as_deref(),
        policy: policy.as_deref(),
        secrets: secrets.as_deref(),
        folder: file.parent().unwrap_or(Path::new("")),
    };
    let settings = carry(&configuration, &request)?;
    let policy = match &settings.policy {
        None => None,
        Some(policy) => Some(policy.text().ok_or_else(|| {
            let place = "--policy".to_owned();
            let what = "what PgBouncer is told makes no policy".to_owned();
            vec![SettingsProblem { place, what }]
        })?),
    };
    let text = settings.draft.text(HEAD);
    Ok(FinishedImport {
        settings,
        text,
        policy,
    })
}

/// Writes all files, or takes away again those that were written.
fn write(
    flags: &ImportFlags,
    imported: &FinishedImport,
    out: &mut impl Write,
) -> Result<(), CommandOutcome> {
    let mut written: Vec<&Path> = Vec::new();
    let failed = |path: &Path, kind| {
        let why = match kind {
            std::io::ErrorKind::AlreadyExists => "it is there already, and is kept".to_owned(),
            kind => kind.to_string(),
        };
        fail(format_args!("{} is not written: {why}", path.display()))
    };
    let secrets = &imported.settings.secrets;
    if let Err(error) = secrets.write() {
        return Err(failed(&error.path, error.kind));
    }
    let files = [
        (&flags.policy, imported.policy.as_deref()),
        (&flags.output, Some(imported.text.as_str())),
    ];
    for (path, text) in files {
        let (Some(path), Some(text)) = (path, text) else {
            continue;
        };
        if let Err(error) = write_private(path, text) {
            secrets.withdraw_all();
            for path in written {
                // What cannot be taken away is seen by whoever tries again.
                let _ = std::fs::remove_file(path);
            }
            return Err(failed(path, error.kind()));
        }
        written.push(path);
    }
    if flags.output.is_some() {
        return Ok(());
    }
    match print_outcome(out.write_all(imported.text.as_bytes())) {
        CommandOutcome::Done => Ok(()),
        outcome => Err(outcome),
    }
}

/// What pgsieve's own reader says of the settings, with the files that are here.
fn read_back(flags: &ImportFlags, text: &str) -> Vec<SettingsProblem> {
    let name = match &flags.output {
        Some(path) => path.display().to_string(),
        None => "the settings".to_owned(),
    };
    let sources = SettingsSources {
        file: Some(SettingsFile {
            name,
            text: text.to_owned(),
        }),
        ..SettingsSources::default()
    };
    config::load(&sources).err().unwrap_or_default()
}

/// Says on stderr what there is to be known at once; the file has all of it.
fn report(imported: &FinishedImport, problems: &[SettingsProblem]) {
    for note in imported.of_kind(NoteKind::LeftOut) {
        complain(format_args!("left out: {}: {}", note.subject, note.words));
    }
    for problem in problems {
        complain(format_args!("pgsieve would not start: {problem}"));
    }
    let count = |kind| imported.of_kind(kind).count();
    complain(format_args!(
        "{} left out, {} to decide, {} different: the head of the settings has them. pgsieve lets \
         only reads through",
        count(NoteKind::LeftOut),
        count(NoteKind::Decide),
        count(NoteKind::Differs)
    ));
}

/// What stands above the settings.
const HEAD: &str = "Settings of pgsieve, from a configuration of PgBouncer by pgsieve import.\n\
                    `pgsieve serve --check --config FILE` says whether a start with them works.\n\
                    \n\
                    pgsieve lets reads through and nothing else: lead what writes elsewhere.";

const EXIT_STATUS: &str = "Exit status: 0 where everything that changes what happens was carried \
    over; 1 where something was left out, or nothing could be written; 2 where the question was \
    wrong, or PgBouncer itself would not take the file.";
