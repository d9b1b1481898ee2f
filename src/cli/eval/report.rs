//! `pgsieve eval report`: reports as a table, each beside the first, and as one HTML file.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::evaluation::report::{EvaluationReport, FORMAT};
use crate::evaluation::{report_page, report_table};
use crate::limits::evaluation::REPORT_BYTES_MAX;
use crate::text_file;

/// The flags of `eval report`.
#[derive(clap::Args)]
pub struct ReportFlags {
    /// Reports that --out has written; each further one is held against the first.
    #[arg(value_name = "REPORT", required = true)]
    reports: Vec<PathBuf>,
    /// Writes one HTML file with charts, which nothing else belongs to.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Prints the table, and writes the file.
pub fn run(flags: &ReportFlags, out: &mut impl Write) -> CommandOutcome {
    let reports: Result<Vec<EvaluationReport>, String> =
        flags.reports.iter().map(|path| read(path)).collect();
    let reports = match reports {
        Ok(reports) => reports,
        Err(what) => {
            complain(format_args!("{what}"));
            return CommandOutcome::Misused;
        }
    };
    if let Some(path) = &flags.html
        && let Err(error) = write_private(path, &report_page::page(&reports))
    {
        return unwritten(path, &error);
    }
    let printed = out.write_all(report_table::table(&reports).as_bytes());
    print_outcome(printed)
}

/// Reads a report.
///
/// # Errors
/// The file cannot be read, or is no report of this form.
pub fn read(path: &Path) -> Result<EvaluationReport, String> {
    let text = text_file::read(path, REPORT_BYTES_MAX)
        .map_err(|fault| format!("the file cannot be read: {}", fault.describe(path)))?;
    let read: Result<EvaluationReport, _> = serde_json::from_str(&text);
    match read {
        Ok(report) if report.format == FORMAT => Ok(report),
        Ok(_) => Err(format!("{}: its form is not known here", path.display())),
        Err(error) => {
            let (path, line) = (path.display(), error.line());
            Err(format!("{path}:{line}: this is no report of pgsieve eval"))
        }
    }
}

/// Writes a file that only this user can read: questions and statements may be in it.
///
/// # Errors
/// It cannot be written.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}

/// Says that a file cannot be written.
pub fn unwritten(path: &Path, error: &io::Error) -> CommandOutcome {
    fail(format_args!(
        "{} cannot be written: {}",
        path.display(),
        error.kind()
    ))
}
