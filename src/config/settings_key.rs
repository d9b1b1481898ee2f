//! One key of the settings, as the table of all keys has it.

/// One key.
#[derive(Debug)]
pub struct SettingsKey {
    /// Its path in the file.
    pub path: &'static str,
    /// How it is written.
    pub form: KeyForm,
    /// What holds when it is absent.
    pub default: &'static str,
    /// Meaning, unit and bound.
    pub doc: &'static str,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyForm {
    /// One word or text.
    Word,
    /// A list in the file, words with commas between them elsewhere.
    Words,
    /// A list of maps, or a map of them, in the file; the same in YAML's flow style elsewhere.
    Users,
}

impl SettingsKey {
    /// The name of its environment variable.
    pub fn variable(&self) -> String {
        format!(
            "{VARIABLE_PREFIX}{}",
            self.path.replace('.', "_").to_uppercase()
        )
    }
}

/// What every environment variable begins with.
pub const VARIABLE_PREFIX: &str = "PGSIEVE_";
