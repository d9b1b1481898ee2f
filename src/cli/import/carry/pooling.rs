//! `pool`, and how many clients there may be.

use std::time::Duration;

use super::ImportWork;
use super::login::SharedFor;
use super::target::ChosenTarget;
use crate::cli::import::configuration::ConnectionEntry;
use crate::cli::import::value_form;
use crate::limits::CONNECTIONS_MAX_BOUND;
use crate::policy::units::written_duration;

/// Writes them.
pub fn carry(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>, mode: SharedFor) {
    clients(work);
    let own = |name: &str| target.only.and_then(|entry| entry.text(name));
    let is_statement = |mode: &str| mode.eq_ignore_ascii_case("statement");
    if is_statement(own("pool_mode").unwrap_or(work.configuration.text("pool_mode"))) {
        let words = "pgsieve shares connections by transactions: those of several statements are \
                     not refused";
        let place = work.place("pool_mode");
        work.draft.left_out("pool_mode", &place, words);
    }
    match mode {
        SharedFor::Session => {
            work.draft.word("pool.mode", "session", "");
            let words = "in mode session a client has a connection of its own from login on, as \
                         many as limits.connections_max; only pool.mode: transaction bounds the \
                         connections to the server";
            let place = work.place("default_pool_size");
            work.draft.left_out("default_pool_size", &place, words);
        }
        SharedFor::Transaction => {
            work.draft.word("pool.mode", "transaction", "");
            shared(work, target);
        }
    }
    for entry in &target.entries {
        others(work, target, entry);
    }
}

/// The keys of mode transaction.
fn shared(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>) {
    let size = size(work, target);
    let bounded = size.clamp(1, SIZE_MAX);
    if size != bounded {
        let words = format!("a number from 1 to {SIZE_MAX} is wanted: it is {bounded}");
        let place = work.place("default_pool_size");
        work.draft.left_out("default_pool_size", &place, words);
    }
    let comment = "Connections of one account in one database.";
    work.draft.word("pool.size", bounded.to_string(), comment);
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

/// How many connections there are.
fn size(work: &ImportWork<'_>, target: &ChosenTarget<'_>) -> i64 {
    let own = target.only.and_then(|entry| entry.count("pool_size"));
    let all = work.configuration.count("default_pool_size");
    own.filter(|own| *own >= 0).unwrap_or(all)
}

/// What an entry says otherwise than what holds for all.
fn others(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>, entry: &ConnectionEntry) {
    if target.only.is_some_and(|only| only.name == entry.name) {
        return;
    }
    let place = entry.place.to_string();
    let size = size(work, target);
    let mode = work.configuration.text("pool_mode");
    let mode = target
        .only
        .and_then(|only| only.text("pool_mode"))
        .unwrap_or(mode);
    let is_other = [
        (
            "pool_mode",
            entry
                .text("pool_mode")
                .is_some_and(|own| !own.eq_ignore_ascii_case(mode)),
        ),
        (
            "pool_size",
            entry
                .count("pool_size")
                .is_some_and(|own| own >= 0 && own != size),
        ),
        (
            "query_wait_timeout",
            entry.text("query_wait_timeout").is_some(),
        ),
        ("server_lifetime", entry.text("server_lifetime").is_some()),
    ];
    for (name, _) in is_other.into_iter().filter(|(_, is_other)| *is_other) {
        let words = "there is one for all databases; a pgsieve for each could have its own";
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

/// The most connections of a pool.
const SIZE_MAX: i64 = 10_000;
