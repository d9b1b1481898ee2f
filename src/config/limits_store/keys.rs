//! The keys of what keeps counts of users beyond one process, and of how a process ends.

use crate::config::settings_key::{KeyForm, SettingsKey};

/// A file for one copy.
pub const BUDGET_FILE: SettingsKey = SettingsKey {
    path: "limits.budget_file",
    form: KeyForm::Word,
    default: "none: after a restart the counts begin at zero",
    doc: "A file that keeps the counts for rows_per_day and bytes_per_day over restarts, written \
          every 5 seconds; one for each pgsieve.",
};

/// Where the store of all copies is.
pub const STORE: SettingsKey = SettingsKey {
    path: "limits.store",
    form: KeyForm::Word,
    default: "none: each copy of pgsieve counts for itself",
    doc: "A Valkey, or a Redis from 6 on, in which all copies of pgsieve together count what a user \
          does, for the limits of policies: redis://USER@HOST:PORT/DATABASE, or rediss:// for TLS, \
          with which it has to prove who it is. USER and DATABASE may be left out.",
};

/// What logs in there.
pub const PASSWORD_FILE: SettingsKey = SettingsKey {
    path: "limits.store_password_file",
    form: KeyForm::Word,
    default: "none",
    doc: "A file whose first line is the password for limits.store.",
};

/// Who vouches for it.
pub const AUTHORITY: SettingsKey = SettingsKey {
    path: "limits.store_ca",
    form: KeyForm::Word,
    default: "the authorities of the system",
    doc: "A PEM file of authorities that vouch for limits.store where that is rediss://.",
};

/// What its keys begin with.
pub const PREFIX: SettingsKey = SettingsKey {
    path: "limits.store_prefix",
    form: KeyForm::Word,
    default: "pgsieve:",
    doc: "What the keys of pgsieve in limits.store begin with: copies with the same prefix count \
          together, up to 64 visible characters.",
};

/// How often counts are exchanged.
pub const WINDOW: SettingsKey = SettingsKey {
    path: "limits.store_window",
    form: KeyForm::Word,
    default: "1s",
    doc: "How often a copy exchanges counts with limits.store, 200ms to 60s: one round trip each \
          time, however many statements there are. What passes within such a time at one copy is \
          not known to the others yet.",
};

/// What holds while it is away.
pub const ON_LOSS: SettingsKey = SettingsKey {
    path: "limits.on_store_loss",
    form: KeyForm::Word,
    default: "local",
    doc: "What holds while limits.store does not answer for 5 windows, at least 2s: local, each \
          copy counts on by itself and tells the store when it is back, or refuse, statements \
          that such a limit concerns are refused with 58000, also from the start.",
};

/// How long statements may take at the end.
pub const DRAIN_TIMEOUT: SettingsKey = SettingsKey {
    path: "limits.drain_timeout",
    form: KeyForm::Word,
    default: "30s",
    doc: "How long running statements may take to finish when pgsieve stops, 0 to 1h.",
};

/// How long sessions may go on before that.
pub const WAIT_FOR_CLIENTS: SettingsKey = SettingsKey {
    path: "limits.wait_for_clients",
    form: KeyForm::Word,
    default: "0: sessions at rest end at once",
    doc: "How long sessions may go on when pgsieve stops, before a drain begins, 0 to 24h: what \
          PgBouncer has as SHUTDOWN WAIT_FOR_CLIENTS. Nobody new is let in, cancels still work, \
          and a second SIGTERM ends the wait.",
};
