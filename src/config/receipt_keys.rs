//! The keys of receipts.

use super::settings_key::{KeyForm, SettingsKey};

/// What signs them.
pub const KEY_FILE: SettingsKey = SettingsKey {
    path: "receipts.key_file",
    form: KeyForm::Word,
    default: "none",
    doc: "A file of keys of Ed25519 in PEM, as `pgsieve receipt keygen` makes one: the first \
          private key signs receipts of statements, and all keys are published. Without it \
          there are no receipts.",
};

/// In whose name.
pub const ISSUER: SettingsKey = SettingsKey {
    path: "receipts.issuer",
    form: KeyForm::Word,
    default: "pgsieve",
    doc: "In whose name receipts are signed: their `iss`.",
};

/// How long they count.
pub const VALID_FOR: SettingsKey = SettingsKey {
    path: "receipts.valid_for",
    form: KeyForm::Word,
    default: "7d",
    doc: "How long a receipt counts, 1s to 3660d: its `exp`.",
};
