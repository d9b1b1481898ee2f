//! Where the settings come from for those commands that read all of them: a file, the environment
//! and flags.
//!
//! The file is the one of `--config`, else the one that `PGSIEVE_CONFIG` names: in a container or
//! a unit several programs are started that must all read the same one.

use std::env;
use std::path::{Path, PathBuf};

use crate::config::SettingsProblem;
use crate::config::keys::FILE_VARIABLE;
use crate::config::sources::{FlagValue, SettingsFile, SettingsSources};
use crate::limits::CONFIG_FILE_BYTES_MAX;
use crate::policy::mask_key::MaskPad;
use crate::text_file;

/// Reads the file and the environment; `flags` are what the command was given.
///
/// # Errors
/// The file cannot be read, or is no YAML.
pub fn sources(
    config: Option<&Path>,
    flags: Vec<FlagValue>,
) -> Result<SettingsSources, Vec<SettingsProblem>> {
    let named = match (config, env::var_os(FILE_VARIABLE)) {
        (Some(path), _) => Some(("--config", path.to_owned())),
        (None, Some(path)) if path.is_empty() => {
            return Err(problem(FILE_VARIABLE.into(), "has no value".into()));
        }
        (None, Some(path)) => Some((FILE_VARIABLE, PathBuf::from(path))),
        (None, None) => None,
    };
    let (file, path) = match named {
        Some((named_by, path)) => (Some(read(named_by, &path)?), Some(path)),
        None => (None, None),
    };
    // What is not Unicode cannot be one of ours; its name would have to be.
    let variables = env::vars_os();
    let variables = variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Ok(SettingsSources {
        path,
        file,
        variables: variables.collect(),
        flags,
        mask_pad: mask_pad(),
    })
}

/// Drawn once by a process; none where the system has no random bytes.
fn mask_pad() -> Option<MaskPad> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).ok()?;
    Some(MaskPad::new(random))
}

fn read(named_by: &str, path: &Path) -> Result<SettingsFile, Vec<SettingsProblem>> {
    let name = path.display().to_string();
    match text_file::read(path, CONFIG_FILE_BYTES_MAX) {
        Ok(text) => Ok(SettingsFile { name, text }),
        Err(fault) => Err(problem(
            named_by.into(),
            format!("the file cannot be read: {}", fault.describe(path)),
        )),
    }
}

fn problem(place: String, what: String) -> Vec<SettingsProblem> {
    vec![SettingsProblem { place, what }]
}
