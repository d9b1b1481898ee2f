//! Bounds of the console, the virtual database for whoever runs pgsieve.

use std::time::Duration;

/// Names of users in one list of the settings.
pub const USERS_MAX: usize = 100;

/// Sessions of the console at a time, of those who may do everything and of those who may look
/// each: an answer of some megabytes may wait in each of them. Who looks keeps nobody out who acts.
pub const SESSIONS_MAX: usize = 20;

/// How long a session of the console may say nothing: an exporter asks every few seconds, a person
/// who has forgotten it never again.
pub const IDLE_TIME_MAX: Duration = Duration::from_secs(3600);

/// The time in which an answer has to be taken.
pub const ANSWER_TIME_MAX: Duration = Duration::from_secs(30);

/// How long RELOAD waits for everything to be read again. It goes on behind that.
pub const RELOAD_WAIT: Duration = Duration::from_secs(60);

/// Rows of one answer: some megabytes.
pub const ROWS_MAX: usize = 10_000;

/// Databases whose traffic is summed up: names are chosen by clients, and each that has logged in
/// to one has found it there.
pub const DATABASES_MAX: usize = 1_000;

/// The time that averages are of, as PgBouncer's `stats_period`.
pub const STATS_PERIOD: Duration = Duration::from_secs(60);

/// Letters of what a client has asked for that are said back to it.
pub const SHOWN_COMMAND_CHARS_MAX: usize = 40;
