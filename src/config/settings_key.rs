//! What is known of one key.

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
