//! Which questions are asked: of datasets, or of what was kept of the wire, with statements of
//! earlier, and only those that an earlier report has as not answered.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::Path;

use super::report;
use super::run_flags::EvalRunFlags;
use crate::evaluation::dataset::{self, DatasetEntry};
use crate::evaluation::report::{EvaluatedDataset, StatementSource};
use crate::evaluation::{captured, predictions};
use crate::limits::evaluation::DATASET_BYTES_MAX;
use crate::text_file;

/// The questions.
pub struct GivenQuestions {
    /// In the order of their files.
    pub entries: Vec<DatasetEntry>,
    /// The files.
    pub dataset: EvaluatedDataset,
    /// Where statements come from.
    pub source: StatementSource,
    /// What became of questions earlier.
    pub previous: BTreeMap<String, String>,
    /// Questions without a prediction.
    pub unpredicted: usize,
}

/// Reads all that the flags name.
///
/// # Errors
/// What is wrong first, with its file and its place; nothing of it is quoted.
pub fn read(flags: &EvalRunFlags) -> Result<GivenQuestions, String> {
    let GivenFiles {
        mut entries,
        dataset,
        mut previous,
    } = files(flags)?;
    are_single(&entries)?;
    let mut unpredicted = 0;
    if let Some(path) = &flags.predictions {
        let placed = predictions::put_into(&mut entries, &text_of(path)?);
        unpredicted = placed.map_err(|fault| format!("{}:{fault}", path.display()))?;
    }
    if let Some(path) = &flags.failed_only {
        let earlier = report::read(path)?;
        let failed = earlier.entries.iter().filter(|entry| !entry.is_answered());
        previous = failed
            .map(|entry| (entry.id.clone(), entry.ending()))
            .collect();
        entries.retain(|entry| previous.contains_key(&entry.id));
        if entries.is_empty() {
            let what = "none of these questions failed in that report";
            return Err(format!("{}: {what}", path.display()));
        }
    }
    entries.truncate(flags.limit.unwrap_or(usize::MAX));
    let source = source(flags);
    if source == StatementSource::Dataset
        && let Some(entry) = entries.iter().find(|entry| entry.sql.is_none())
    {
        let id = &entry.id;
        return Err(format!(
            "question {id} has no sql: give --generate or --predictions"
        ));
    }
    Ok(GivenQuestions {
        entries,
        dataset,
        source,
        previous,
        unpredicted,
    })
}

/// What stands in the files.
struct GivenFiles {
    entries: Vec<DatasetEntry>,
    dataset: EvaluatedDataset,
    previous: BTreeMap<String, String>,
}

fn files(flags: &EvalRunFlags) -> Result<GivenFiles, String> {
    let mut hasher = blake3::Hasher::new();
    let (mut entries, mut files) = (Vec::new(), Vec::new());
    let mut previous = BTreeMap::new();
    let is_alone = flags.datasets.len() == 1;
    for path in &flags.datasets {
        let text = text_of(path)?;
        hasher.update(text.as_bytes());
        let name = path.file_name().unwrap_or(path.as_os_str());
        files.push(name.to_string_lossy().into_owned());
        let wrong = |fault: dataset::DatasetFault| format!("{}:{fault}", path.display());
        let mut own = match flags.from_capture {
            false => dataset::read(&text).map_err(wrong)?,
            true => {
                let captured = captured::read(&text).map_err(wrong)?;
                let both = captured.into_iter().map(|one| {
                    previous.insert(one.entry.id.clone(), one.ending);
                    one.entry
                });
                both.collect()
            }
        };
        if !is_alone {
            let stem = path
                .file_stem()
                .unwrap_or(path.as_os_str())
                .to_string_lossy();
            for entry in &mut own {
                let named = format!("{stem}:{}", entry.id);
                if let Some(ending) = previous.remove(&entry.id) {
                    previous.insert(named.clone(), ending);
                }
                entry.id = named;
            }
        }
        entries.append(&mut own);
    }
    let dataset = EvaluatedDataset {
        files,
        digest: hasher.finalize().to_hex().to_string(),
        entries: u64::try_from(entries.len()).unwrap_or(u64::MAX),
    };
    Ok(GivenFiles {
        entries,
        dataset,
        previous,
    })
}

fn source(flags: &EvalRunFlags) -> StatementSource {
    match (&flags.generate, &flags.predictions, flags.from_capture) {
        (Some(_), _, _) => StatementSource::Command,
        (None, Some(_), _) => StatementSource::Predictions,
        (None, None, true) => StatementSource::Capture,
        (None, None, false) => StatementSource::Dataset,
    }
}

fn are_single(entries: &[DatasetEntry]) -> Result<(), String> {
    let mut names = BTreeSet::new();
    match entries.iter().find(|entry| !names.insert(&entry.id)) {
        Some(entry) => Err(format!("question {} stands there twice", entry.id)),
        None => Ok(()),
    }
}

fn text_of(path: &Path) -> Result<String, String> {
    if path == Path::new("-") {
        let mut text = String::new();
        let read = io::stdin()
            .take(DATASET_BYTES_MAX + 1)
            .read_to_string(&mut text)
            .map_err(|error| format!("standard input cannot be read: {}", error.kind()))?;
        return match u64::try_from(read).is_ok_and(|read| read <= DATASET_BYTES_MAX) {
            true => Ok(text),
            false => Err(format!(
                "standard input has more than {DATASET_BYTES_MAX} bytes"
            )),
        };
    }
    text_file::read(path, DATASET_BYTES_MAX)
        .map_err(|fault| format!("the file cannot be read: {}", fault.describe(path)))
}
