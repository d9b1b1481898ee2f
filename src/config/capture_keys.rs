//! The keys of the capture, of where the audit goes, and of what its lines have of statements and
//! of their copy.

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

/// Where the audit goes.
pub const AUDIT_TO: SettingsKey = SettingsKey {
    path: "audit.to",
    form: KeyForm::Words,
    default: "off",
    doc: "Where the audit's JSON lines go: a file, - for standard output, syslog, syslog:///path, \
          syslog+udp://host:port, syslog+tcp://host:port, http://host:port or https://host:port of \
          an OpenTelemetry collector, or off; one, or a list of up to 4 with one file at most.",
};

/// How a collector of the audit is spoken to.
pub const AUDIT_PROTOCOL: SettingsKey = SettingsKey {
    path: "audit.protocol",
    form: KeyForm::Word,
    default: "grpc",
    doc: "The protocol of the collectors in audit.to: grpc or http (protobuf).",
};

/// What goes with each request to one.
pub const AUDIT_HEADERS_FILE: SettingsKey = SettingsKey {
    path: "audit.headers_file",
    form: KeyForm::Word,
    default: "none",
    doc: "A file of headers for the collectors in audit.to, such as an authorization: `name: \
          value`, one on each line.",
};

/// What the service is called there.
pub const AUDIT_SERVICE_NAME: SettingsKey = SettingsKey {
    path: "audit.service_name",
    form: KeyForm::Word,
    default: "pgsieve",
    doc: "The name of this service in log records of the audit.",
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
