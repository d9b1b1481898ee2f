//! `pool`, and how many clients there may be.

use std::time::Duration;

use super::ImportWork;
use super::pool_mode::{
    SharedFor, is_alone, is_statement, mode_of, own_mode, shares_any, usual_mode,
};
use super::target::ChosenTarget;
use crate::cli::import::configuration::{BouncerConfiguration, ConnectionEntry};
use crate::cli::import::value_form;
use crate::limits::{self, CONNECTIONS_MAX_BOUND};
use crate::policy::units::written_duration;

/// Writes them.
pub fn carry(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>, mode: SharedFor) {
    clients(work);
    if is_statement(usual_mode(work.configuration, target.only)) {
        let place = work.place("pool_mode");
        work.draft.left_out("pool_mode", &place, STATEMENT);
    }
    match mode {
        SharedFor::Transaction => work.draft.word("pool.mode", "transaction", ""),
        SharedFor::Session => {
            work.draft.word("pool.mode", "session", "");
            let words = "in mode session a client has a connection of its own from login on, as \
                         many as limits.connections_max; only pool.mode: transaction bounds the \
                         connections to the server";
            let place = work.place("default_pool_size");
            work.draft.left_out("default_pool_size", &place, words);
            if DATABASE_MAX.of(work.configuration, target.only) > 0 {
                let words = "it bounds connections that sessions share: in mode session a client \
                             has its own, as many as limits.connections_max";
                let place = work.place(DATABASE_MAX.name);
                work.draft.left_out(DATABASE_MAX.name, &place, words);
            }
            if MIN.of(work.configuration, target.only) > 0 {
                let words = "in mode session a client's connection is made when it logs in";
                let place = work.place(MIN.name);
                work.draft.differs(MIN.name, &place, words);
            }
        }
    }
    if shares_any(work.configuration, target) {
        shared(work, target);
    }
    for entry in &target.entries {
        others(work, target, entry);
    }
}

/// Whether an entry has a mode or numbers of connections for itself.
pub fn has_own(
    configuration: &BouncerConfiguration,
    only: Option<&ConnectionEntry>,
    entry: &ConnectionEntry,
) -> bool {
    own_mode(configuration, only, entry).is_some()
        || !carried_sizes(configuration, only, entry).is_empty()
}

/// The keys of mode transaction.
fn shared(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>) {
    let size = SIZE.of(work.configuration, target.only);
    let bounded = SIZE.bounded(work, size, SIZE.least);
    let comment = "Connections of one account in one database.";
    work.draft.word("pool.size", bounded.to_string(), comment);
    // PgBouncer keeps no more ready than there may be, either.
    let min = MIN.of(work.configuration, target.only).clamp(0, bounded);
    if min > 0 {
        work.draft.word("pool.min", min.to_string(), "");
    }
    reserve(work, target);
    let most = DATABASE_MAX.of(work.configuration, target.only);
    if most > 0 {
        let bounded = DATABASE_MAX.bounded(work, most, DATABASE_MAX.least);
        work.draft
            .word("pool.max_db_connections", bounded.to_string(), "");
    }
    statements(work);
    let hour = Duration::from_secs(3600);
    // The most whole days that a duration of the settings can be written as.
    let longest = 24 * 24 * hour;
    let second = Duration::from_secs(1);
    let wait = PooledTime {
        name: "query_wait_timeout",
        path: "pool.query_wait",
        bounds: (Duration::from_millis(100), hour),
        zero: Zero::Loss(hour, "without a bound there: pgsieve waits an hour at most"),
    };
    let lifetime = PooledTime {
        name: "server_lifetime",
        path: "pool.server_lifetime",
        bounds: (second, longest),
        zero: Zero::Loss(
            second,
            "one use there: pgsieve closes connections after a second at least",
        ),
    };
    let idle = PooledTime {
        name: "server_idle_timeout",
        path: "pool.server_idle_timeout",
        bounds: (second, longest),
        zero: Zero::Near(
            longest,
            "without a bound there: pgsieve keeps them for 24 days at most",
        ),
    };
    for time in [wait, lifetime, idle] {
        time.write(work, target.only);
    }
}

/// `pool.reserve` and `pool.reserve_wait`.
fn reserve(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>) {
    let wanted = RESERVE.of(work.configuration, target.only);
    let configuration = work.configuration;
    let has_own = target.routed.iter().any(|one| {
        let own = carried_sizes(configuration, target.only, one.entry);
        own.iter().any(|own| own.count.name == RESERVE.name)
    });
    if !is_reserve_touched(configuration) || wanted <= 0 && !has_own {
        return;
    }
    if wanted > 0 {
        let bounded = RESERVE.bounded(work, wanted, RESERVE.least);
        work.draft.word("pool.reserve", bounded.to_string(), "");
    }
    let hour = Duration::from_secs(3600);
    let wait = PooledTime {
        name: "reserve_pool_timeout",
        path: "pool.reserve_wait",
        bounds: (Duration::from_millis(1), hour),
        zero: Zero::Near(hour, ""),
    };
    wait.write(work, None);
}

/// Without a time the reserve is never touched there.
fn is_reserve_touched(configuration: &BouncerConfiguration) -> bool {
    !configuration.seconds("reserve_pool_timeout").is_zero()
}

/// `pool.max_prepared_statements`.
fn statements(work: &mut ImportWork<'_>) {
    let name = "max_prepared_statements";
    let wanted = work.configuration.count(name);
    let most = i64::try_from(limits::pools::STATEMENTS_MAX).unwrap_or(i64::MAX);
    // None there is that they are not followed; here they always are.
    if wanted <= 0 || work.configuration.place(name).is_none() {
        return;
    }
    let bounded = wanted.min(most);
    if bounded != wanted {
        let words = format!("a number from 1 to {most} is wanted: it is {bounded}");
        let place = work.place(name);
        work.draft.differs(name, &place, words);
    }
    let path = "pool.max_prepared_statements";
    work.draft.word(path, bounded.to_string(), "");
}

/// A number of connections that entries may have for themselves.
struct PooledCount {
    name: &'static str,
    /// What it is called in an entry.
    own: &'static [&'static str],
    /// What it is in an entry of `databases`.
    key: &'static str,
    least: i64,
    /// Whether there are no more of these than connections.
    is_kept_ready: bool,
}

impl PooledCount {
    /// What holds for this entry, or for all.
    fn of(&self, configuration: &BouncerConfiguration, only: Option<&ConnectionEntry>) -> i64 {
        let own = only.and_then(|entry| self.own_of(entry));
        own.map_or_else(|| configuration.count(self.name), |(_, own)| own)
    }

    /// The number as it may be set here, with a note where that is another one.
    fn bounded(&self, work: &mut ImportWork<'_>, wanted: i64, least: i64) -> i64 {
        let bounded = wanted.clamp(least, SIZE_MAX);
        if bounded != wanted {
            let words = format!("a number from {least} to {SIZE_MAX} is wanted: it is {bounded}");
            let place = work.place(self.name);
            work.draft.left_out(self.name, &place, words);
        }
        bounded
    }

    /// What an entry has for itself, and by which name.
    fn own_of(&self, entry: &ConnectionEntry) -> Option<(&'static str, i64)> {
        let mut names = self.own.iter();
        let own = names.find_map(|name| Some((*name, entry.count(name)?)));
        own.filter(|(_, own)| *own >= 0)
    }
}

const SIZE: PooledCount = PooledCount {
    name: "default_pool_size",
    own: &["pool_size"],
    key: "pool_size",
    least: 1,
    is_kept_ready: false,
};

const MIN: PooledCount = PooledCount {
    name: "min_pool_size",
    own: &["min_pool_size"],
    key: "pool_min",
    least: 0,
    is_kept_ready: true,
};

const RESERVE: PooledCount = PooledCount {
    name: "reserve_pool_size",
    own: &["reserve_pool", "reserve_pool_size"],
    key: "pool_reserve",
    least: 0,
    is_kept_ready: false,
};

const DATABASE_MAX: PooledCount = PooledCount {
    name: "max_db_connections",
    own: &["max_db_connections"],
    key: "max_db_connections",
    least: 0,
    is_kept_ready: false,
};

/// A number that an entry has otherwise than what holds for all.
struct OwnSize {
    count: PooledCount,
    /// What the entry calls it.
    name: &'static str,
    wanted: i64,
}

/// The numbers of connections that an entry of `databases` has for this one, where connections are
/// shared.
fn carried_sizes(
    configuration: &BouncerConfiguration,
    only: Option<&ConnectionEntry>,
    entry: &ConnectionEntry,
) -> Vec<OwnSize> {
    match mode_of(configuration, only, entry) {
        SharedFor::Transaction if !is_alone(only, entry) => own_sizes(configuration, only, entry),
        SharedFor::Transaction | SharedFor::Session => Vec::new(),
    }
}

fn own_sizes(
    configuration: &BouncerConfiguration,
    only: Option<&ConnectionEntry>,
    entry: &ConnectionEntry,
) -> Vec<OwnSize> {
    let own = [SIZE, MIN, RESERVE, DATABASE_MAX]
        .into_iter()
        .filter_map(|count| {
            let (name, wanted) = count.own_of(entry)?;
            let is_other = wanted != count.of(configuration, only);
            let is_touched = count.name != RESERVE.name || is_reserve_touched(configuration);
            (is_other && is_touched).then_some(OwnSize {
                count,
                name,
                wanted,
            })
        });
    own.collect()
}

/// What an entry of `databases` has for itself, as its keys.
pub fn own_keys(
    work: &mut ImportWork<'_>,
    target: &ChosenTarget<'_>,
    entry: &ConnectionEntry,
) -> Vec<(&'static str, String)> {
    let mode = own_mode(work.configuration, target.only, entry);
    let mode = mode.map(|mode| ("pool_mode", mode.word().to_owned()));
    let own = carried_sizes(work.configuration, target.only, entry);
    let size = SIZE.own_of(entry).map(|(_, own)| own);
    let size = size.unwrap_or_else(|| SIZE.of(work.configuration, target.only));
    let written = own.into_iter().map(|own| {
        let bounded = own.count.bounded(work, own.wanted, own.count.least);
        // PgBouncer keeps no more ready than there may be, either.
        let most = match own.count.is_kept_ready {
            true => size.clamp(SIZE.least, SIZE_MAX),
            false => SIZE_MAX,
        };
        (own.count.key, bounded.min(most).to_string())
    });
    mode.into_iter().chain(written).collect()
}

/// What an entry says otherwise than what holds for all.
fn others(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>, entry: &ConnectionEntry) {
    if is_alone(target.only, entry) {
        return;
    }
    let place = entry.place.to_string();
    let usual = usual_mode(work.configuration, target.only);
    let is_routed = target.routed.iter().any(|one| one.entry.name == entry.name);
    let mut others = Vec::new();
    if own_mode(work.configuration, target.only, entry).is_some() && !is_routed {
        others.push("pool_mode");
    } else if entry.text("pool_mode").is_some_and(is_statement) && !is_statement(usual) {
        let subject = format!("[databases] {}: pool_mode", entry.name);
        work.draft.left_out(subject, &place, STATEMENT);
    }
    let carried = carried_sizes(work.configuration, target.only, entry);
    let mut unused = Vec::new();
    if !is_routed || carried.is_empty() {
        let own = own_sizes(work.configuration, target.only, entry).into_iter();
        match mode_of(work.configuration, target.only, entry) {
            SharedFor::Session => unused.extend(own.map(|own| own.name)),
            SharedFor::Transaction => others.extend(own.map(|own| own.name)),
        }
    }
    let times = ["query_wait_timeout", "server_lifetime"];
    others.extend(times.iter().filter(|name| entry.text(name).is_some()));
    let alone = "in mode session a client has a connection of its own from login on";
    let single = "there is one for all databases; a pgsieve for each could have its own";
    let unused = unused.into_iter().map(|name| (name, alone));
    for (name, words) in unused.chain(others.into_iter().map(|name| (name, single))) {
        let subject = format!("[databases] {}: {name}", entry.name);
        work.draft.left_out(subject, &place, words);
    }
}

/// `limits.connections_max`.
fn clients(work: &mut ImportWork<'_>) {
    let wanted = work.configuration.count("max_client_conn");
    let bounded = wanted.clamp(1, i64::try_from(CONNECTIONS_MAX_BOUND).unwrap_or(i64::MAX));
    if wanted != bounded {
        let words =
            format!("a number from 1 to {CONNECTIONS_MAX_BOUND} is wanted: it is {bounded}");
        let place = work.place("max_client_conn");
        work.draft.left_out("max_client_conn", &place, words);
    }
    work.draft
        .word("limits.connections_max", bounded.to_string(), "");
}

/// A time of the pool.
struct PooledTime {
    name: &'static str,
    path: &'static str,
    bounds: (Duration, Duration),
    zero: Zero,
}

/// What zero becomes.
#[derive(Clone, Copy)]
enum Zero {
    /// Something else.
    Loss(Duration, &'static str),
    /// As good as the same.
    Near(Duration, &'static str),
}

impl PooledTime {
    /// Writes it, where it is given.
    fn write(self, work: &mut ImportWork<'_>, only: Option<&ConnectionEntry>) {
        let Self {
            name,
            path,
            bounds: (least, most),
            zero,
        } = self;
        let own = only.and_then(|entry| entry.text(name));
        let own = own.and_then(value_form::seconds);
        if own.is_none() && work.configuration.place(name).is_none() {
            return;
        }
        let wanted = own.unwrap_or_else(|| work.configuration.seconds(name));
        // To the millisecond, which is the least that can be written.
        let millis = u64::try_from(wanted.as_millis()).unwrap_or(u64::MAX);
        let place = work.place(name);
        let written = match (wanted.is_zero(), zero) {
            (true, Zero::Loss(instead, words)) => {
                work.draft.left_out(name, &place, words);
                instead
            }
            (true, Zero::Near(instead, words)) => {
                work.draft.differs(name, &place, words);
                instead
            }
            (false, _) => Duration::from_millis(millis).clamp(least, most),
        };
        if !wanted.is_zero() && written < wanted && written == most
            || written > wanted && !wanted.is_zero()
        {
            let words = format!(
                "from {} to {} is possible: it is {}",
                written_duration(least),
                written_duration(most),
                written_duration(written)
            );
            work.draft.differs(name, &place, words);
        }
        work.draft.word(path, written_duration(written), "");
    }
}

/// What is said of a mode that there is not.
const STATEMENT: &str = "pgsieve shares connections by transactions: those of several statements \
                         are not refused";

/// The most connections of a pool.
const SIZE_MAX: i64 = 10_000;
