//! What `demo --eval` shows: three generators answer the questions of the shop through pgsieve,
//! three times each, and their reports stand side by side.
//!
//! It runs `pgsieve eval` as its users do.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::cluster::random_name;
use super::generators::GeneratorKind;
use super::{DemoError, questions, write_text};

/// Asks all of them, and tells where their reports are. The folder stays.
///
/// # Errors
/// A run does not come to its end, or its files cannot be written.
pub fn show(upstream: &str, out: &mut dyn Write) -> Result<(), DemoError> {
    let failed = |source| DemoError::System {
        doing: "write the questions",
        source,
    };
    let folder = folder()?;
    let dataset = folder.join("shop.jsonl");
    fs::write(&dataset, questions::SHOP).map_err(failed)?;
    let program = env::current_exe().map_err(failed)?;
    let mut reports = Vec::new();
    for kind in [
        GeneratorKind::Good,
        GeneratorKind::Sloppy,
        GeneratorKind::Hostile,
    ] {
        let name = kind.name();
        write_text(out, &format!("{TITLE}: {name} …\n"))?;
        let report = folder.join(format!("{name}.json"));
        let quoted = program.display().to_string().replace('\'', "'\\''");
        let generate = format!("'{quoted}' demo-generator {name}");
        let arguments: [OsString; 13] = [
            dataset.clone().into(),
            "--upstream".into(),
            upstream.into(),
            "--generate".into(),
            generate.into(),
            "--runs=3".into(),
            "--rounds=1".into(),
            "--grounding=off".into(),
            "--timeout=5s".into(),
            "--out".into(),
            report.clone().into(),
            "--label".into(),
            name.into(),
        ];
        run(&program, &arguments)?;
        reports.push(report);
    }
    let page = folder.join("report.html");
    let mut arguments: Vec<OsString> = vec!["report".into()];
    arguments.extend(reports.iter().map(|report| report.clone().into_os_string()));
    arguments.extend(["--html".into(), page.clone().into_os_string()]);
    let told = run(&program, &arguments)?;
    let table = String::from_utf8_lossy(&told.stdout);
    write_text(
        out,
        &format!(
            "\n{table}\nCharts   {}\nReports  {}\n",
            page.display(),
            folder.display()
        ),
    )
}

/// A folder of its own that only this user can open.
fn folder() -> Result<PathBuf, DemoError> {
    let name = random_name().map_err(DemoError::Cluster)?;
    let folder = env::temp_dir().join(format!("pgsieve-demo-eval-{name}"));
    let made = DirBuilder::new().mode(0o700).create(&folder);
    made.map_err(|source| DemoError::System {
        doing: "make a folder for reports",
        source,
    })?;
    Ok(folder)
}

fn run(program: &Path, arguments: &[OsString]) -> Result<Output, DemoError> {
    let mut command = Command::new(program);
    command.arg("eval").args(arguments);
    let output = command.stdin(Stdio::null()).stderr(Stdio::piped()).output();
    let output = output.map_err(|source: io::Error| DemoError::System {
        doing: "run pgsieve eval",
        source,
    })?;
    match output.status.success() {
        true => Ok(output),
        false => Err(DemoError::Tour {
            step: TITLE,
            what: String::from_utf8_lossy(&output.stderr).into_owned(),
        }),
    }
}

const TITLE: &str = "Sixty questions, three times each";
