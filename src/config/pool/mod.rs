//! `pool`: connections to the upstream that sessions share. Its keys, and what they say; and who
//! may look at them and hold them (`console`).

pub mod console;

use std::time::Duration;

use super::quantities::duration;
use super::settings_key::{KeyForm, SettingsKey};
use crate::auth::settings::AuthSettings;
use crate::config::value_reader::KeyReader;
use crate::limits;
use crate::upstream::pool::{ConnectionsMax, PoolMode, PoolSettings};
use crate::upstream::servers::directory::DatabaseRoute;

/// Who has a connection for how long.
pub const MODE: SettingsKey = SettingsKey {
    path: "pool.mode",
    form: KeyForm::Word,
    default: "transaction; session with passthrough, unless client.auth.passthrough.cache_age is set",
    doc: "How long a client keeps a connection to the upstream: session, until it leaves, or \
          transaction, until its transaction is over, so that many clients share few connections; \
          with client.auth.method passthrough that takes client.auth.passthrough.cache_age. \
          pool_mode of an entry of databases counts in its place there.",
};

/// How many connections there are.
pub const SIZE: SettingsKey = SettingsKey {
    path: "pool.size",
    form: KeyForm::Word,
    default: "20",
    doc: "In mode transaction: the connections of one upstream account in one database, from 1 to \
          10000. PgBouncer's default_pool_size.",
};

/// How many connections are kept ready.
pub const MIN: SettingsKey = SettingsKey {
    path: "pool.min",
    form: KeyForm::Word,
    default: "0",
    doc: "In mode transaction: the connections of one upstream account in one database that are \
          kept ready while clients use them, from 0 to pool.size: opened in the background, and \
          not closed by pool.server_idle_timeout. PgBouncer's min_pool_size.",
};

/// How many there are in need.
pub const RESERVE: SettingsKey = SettingsKey {
    path: "pool.reserve",
    form: KeyForm::Word,
    default: "0",
    doc: "In mode transaction: how many more connections than pool.size are opened for clients that \
          have waited for pool.reserve_wait, from 0 to 10000; they are closed first when they are \
          not used. PgBouncer's reserve_pool_size.",
};

/// When those are opened.
pub const RESERVE_WAIT: SettingsKey = SettingsKey {
    path: "pool.reserve_wait",
    form: KeyForm::Word,
    default: "5s",
    doc: "In mode transaction: how long a client waits for a connection before those of pool.reserve \
          are opened, from 1ms to 1h. PgBouncer's reserve_pool_timeout.",
};

/// How many connections of one database there are.
pub const MAX_DB_CONNECTIONS: SettingsKey = SettingsKey {
    path: "pool.max_db_connections",
    form: KeyForm::Word,
    default: "0",
    doc: "In mode transaction: the connections of one database at one server, over all accounts, \
          from 1 to 10000, or 0 for no bound but pool.size of each account. Where all are there, \
          the one that nobody has used for longest is closed for an account that needs another. \
          PgBouncer's max_db_connections.",
};

/// How long a client waits.
pub const QUERY_WAIT: SettingsKey = SettingsKey {
    path: "pool.query_wait",
    form: KeyForm::Word,
    default: "2min",
    doc: "In mode transaction: how long a client waits for a connection before it is told 53300 and \
          its session ends, from 100ms to 1h. PgBouncer's query_wait_timeout.",
};

/// How long a connection is used.
pub const SERVER_LIFETIME: SettingsKey = SettingsKey {
    path: "pool.server_lifetime",
    form: KeyForm::Word,
    default: "1h",
    doc: "In mode transaction: how long a connection is used before it is closed at its next rest, \
          from 1s to 24d; each has between half of it and all of it. It bounds how long a changed \
          password or setting of a role goes unnoticed. PgBouncer's server_lifetime.",
};

/// How long a connection is kept.
pub const SERVER_IDLE_TIMEOUT: SettingsKey = SettingsKey {
    path: "pool.server_idle_timeout",
    form: KeyForm::Word,
    default: "10min",
    doc: "In mode transaction: how long a connection is kept that no client uses, from 1s to 24d. \
          PgBouncer's server_idle_timeout.",
};

/// How many statements are kept.
pub const MAX_PREPARED_STATEMENTS: SettingsKey = SettingsKey {
    path: "pool.max_prepared_statements",
    form: KeyForm::Word,
    default: "200",
    doc: "In mode transaction: the prepared statements with names that are kept on one connection, \
          from 1 to 10000; the one that was used longest ago makes room, and is prepared again \
          when its client runs it. PgBouncer's max_prepared_statements.",
};

/// What holds for a database that says nothing else, and what it may say.
#[derive(Clone, Copy)]
pub struct PoolBase {
    /// None where that is not known, as it cannot be read.
    pub mode: Option<PoolMode>,
    /// Whether the connections of a database are bounded.
    is_bounded: bool,
    may_share: bool,
}

impl PoolBase {
    /// A mode, as it is written.
    ///
    /// # Errors
    /// It is none, or takes something else.
    pub fn checked(self, text: &str) -> Result<PoolMode, String> {
        match mode_of(text)? {
            PoolMode::Transaction if !self.may_share => Err(PASSTHROUGH.into()),
            mode => Ok(mode),
        }
    }
}

/// `pool.…`, and what entries of `databases` are told of it.
pub fn pool(
    reader: &mut KeyReader,
    auth: Option<&AuthSettings>,
) -> (Option<PoolSettings>, PoolBase) {
    let settings = settings(reader, auth);
    let base = PoolBase {
        mode: settings.map(|settings| settings.mode),
        is_bounded: settings
            .is_some_and(|settings| settings.database_max != ConnectionsMax::Unbounded),
        may_share: !auth.is_some_and(asks_each_time),
    };
    (settings, base)
}

fn settings(reader: &mut KeyReader, auth: Option<&AuthSettings>) -> Option<PoolSettings> {
    let usual = match auth.is_some_and(|auth| !asks_each_time(auth)) {
        true => PoolMode::Transaction,
        false => PoolMode::Session,
    };
    let mode = reader.parsed(MODE.path, usual, mode_of);
    let size = number(reader, SIZE.path, (1, SIZE_MAX), 20);
    let min = number(reader, MIN.path, (0, size.unwrap_or(SIZE_MAX)), 0);
    let reserve = number(reader, RESERVE.path, (0, SIZE_MAX), 0);
    let database_max = number(reader, MAX_DB_CONNECTIONS.path, (0, SIZE_MAX), 0);
    let (minute, hour) = (Duration::from_secs(60), Duration::from_secs(3600));
    let waits = (Duration::from_millis(100), hour);
    let lasts = (Duration::from_secs(1), 24 * 24 * hour);
    let soon = (Duration::from_millis(1), hour);
    let reserve_wait = duration(reader, RESERVE_WAIT.path, soon, Duration::from_secs(5));
    let query_wait = duration(reader, "pool.query_wait", waits, 2 * minute);
    let server_lifetime = duration(reader, "pool.server_lifetime", lasts, hour);
    let server_idle_timeout = duration(reader, "pool.server_idle_timeout", lasts, 10 * minute);
    let statements = (1, limits::pools::STATEMENTS_MAX);
    let statements = number(
        reader,
        MAX_PREPARED_STATEMENTS.path,
        statements,
        limits::pools::STATEMENTS_DEFAULT,
    );
    let mode = mode?;
    if mode == PoolMode::Transaction && auth.is_some_and(asks_each_time) {
        let place = reader.place_of("pool.mode");
        reader.note(&place, PASSTHROUGH);
        return None;
    }
    Some(PoolSettings {
        mode,
        size: size?,
        min: min?,
        reserve: reserve?,
        reserve_wait: reserve_wait?,
        database_max: connections_max(database_max?),
        query_wait: query_wait?,
        server_lifetime: server_lifetime?,
        server_idle_timeout: server_idle_timeout?,
        max_prepared_statements: statements?,
    })
}

/// Notes a bound of connections that nobody would be held to.
pub fn check(reader: &mut KeyReader, base: PoolBase, databases: &[DatabaseRoute]) {
    let shares = |mode: Option<PoolMode>| mode == Some(PoolMode::Transaction);
    let mut own = databases.iter().map(|route| route.pool.mode);
    if base.is_bounded && base.mode == Some(PoolMode::Session) && !own.any(shares) {
        let place = reader.place_of(MAX_DB_CONNECTIONS.path);
        reader.note(&place, UNSHARED);
    }
}

fn mode_of(text: &str) -> Result<PoolMode, String> {
    PoolMode::named(text).ok_or_else(|| "session or transaction is wanted".into())
}

/// Whether each login asks the upstream who it is, with a connection of its own.
fn asks_each_time(auth: &AuthSettings) -> bool {
    let AuthSettings::Passthrough { cache_age, .. } = auth else {
        return false;
    };
    cache_age.is_none()
}

fn number(
    reader: &mut KeyReader,
    path: &str,
    (least, most): (usize, usize),
    absent: usize,
) -> Option<usize> {
    reader.parsed(path, absent, |text| number_within(text, (least, most)))
}

/// What the number of connections of a database means.
pub fn connections_max(number: usize) -> ConnectionsMax {
    match number {
        0 => ConnectionsMax::Unbounded,
        most => ConnectionsMax::AtMost(most),
    }
}

/// A number of connections or statements.
///
/// # Errors
/// It is none, or beyond its bounds.
pub fn number_within(text: &str, (least, most): (usize, usize)) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err(format!("a number from {least} to {most} is wanted")),
    }
}

/// The most connections of one account in one database.
pub const SIZE_MAX: usize = 10_000;

/// What is said of a bound where each session has a connection of its own.
pub const UNSHARED: &str = "bounds connections that sessions share, and none are shared: each client \
    has its own in mode session, as many as limits.connections_max";

const PASSTHROUGH: &str = "under client.auth.method passthrough, transaction needs \
    client.auth.passthrough.cache_age: how long a password that the database has accepted holds \
    without asking it again";
