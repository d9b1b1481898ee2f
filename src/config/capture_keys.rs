//! The keys of the capture.

use super::settings_key::{KeyForm, SettingsKey};

/// Where it goes.
pub const FILE: SettingsKey = SettingsKey {
    path: "capture.file",
    form: KeyForm::Word,
    default: "off",
    doc: "A file in which reads that failed are kept with their text, in clear, one JSON line each, \
          to be run again: made 0600, and refused where others can read it. Without it no text is \
          kept.",
};

/// How much.
pub const BYTES_MAX: SettingsKey = SettingsKey {
    path: "capture.bytes_max",
    form: KeyForm::Word,
    default: "64MiB",
    doc: "The size of capture.file beyond which no more is written, 64KiB to 64GiB, such as 64MiB \
          or a number of bytes.",
};
