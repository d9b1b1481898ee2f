//! The keys of the capture, and of what audit lines have of statements and of their copy.

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

/// Which copy writes the lines.
pub const AUDIT_COPY: SettingsKey = SettingsKey {
    path: "audit.copy",
    form: KeyForm::Word,
    default: "the host's name",
    doc: "The name of this copy of pgsieve in its audit lines: 1 to 64 characters, another one for \
          each copy. In Kubernetes the host's name is the pod's.",
};

/// Whether audit lines name what statements read.
pub const AUDIT_NAMES: SettingsKey = SettingsKey {
    path: "audit.names",
    form: KeyForm::Word,
    default: "on",
    doc: "Whether audit lines contain the names of relations, functions and settings of \
          statements: on or off. policy suggest needs them.",
};

/// Whether they name its columns.
pub const AUDIT_COLUMNS: SettingsKey = SettingsKey {
    path: "audit.columns",
    form: KeyForm::Word,
    default: "off",
    doc: "Whether audit lines contain the names of the columns that statements read, including \
          those that models read: on or off. It needs audit.names.",
};

/// Whether they have what the server calls statements.
pub const AUDIT_QUERYID: SettingsKey = SettingsKey {
    path: "audit.queryid",
    form: KeyForm::Word,
    default: "off",
    doc: "Whether audit lines contain the queryid of pg_stat_statements, for which pgsieve \
          asks the server: on or off.",
};
