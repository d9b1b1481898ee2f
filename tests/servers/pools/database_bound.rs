//! `max_db_connections`: how many connections of a database there are over all accounts, whose is
//! closed for whom, and who is next.

mod held_out;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::random_name;

use crate::settings::reload::{Rig, folder, verifier, with_users, write};
use crate::support::raw::{Frame, Login, kinds, rows, values};
use crate::support::{ADMIN, RawClient, frames, shared_cluster, sql, until};

const PID: &str = "SELECT pg_catalog.pg_backend_pid()";

/// A pgsieve with accounts of its own, whose names begin alike.
struct Accounts {
    rig: Rig,
    names: Vec<String>,
}

impl Accounts {
    /// So many, with these settings of `pool` and others. The first may use the console.
    fn start(count: usize, pool: &str, others: &str) -> Self {
        let prefix = format!("u{}_", random_name().unwrap());
        let names: Vec<String> = (0..count).map(|at| format!("{prefix}{at}")).collect();
        let made: Vec<String> = names
            .iter()
            .map(|name| format!("CREATE ROLE {name} LOGIN PASSWORD '{name}'"))
            .collect();
        let made: Vec<&str> = made.iter().map(String::as_str).collect();
        sql::run_blocking(&shared_cluster().url(ADMIN, ADMIN, "postgres"), &made);
        let folder = folder();
        let user = |name: &String| {
            write(&folder, name, &verifier(name));
            write(&folder, &format!("{name}.password"), name);
            format!(
                "      - {{name: {name}, verifier_file: '{{own}}/{name}', upstream_user: {name}, \
                 upstream_password_file: '{{own}}/{name}.password'}}\n"
            )
        };
        let users: String = names.iter().map(user).collect();
        let text = format!(
            "{}policy: {{file: bi}}\npool: {{{pool}}}\nconsole: {{users: [{}]}}\n{others}",
            with_users(&users),
            names[0]
        );
        Self {
            rig: Rig::start(folder, &text),
            names,
        }
    }

    fn try_in(&self, at: usize, database: &str) -> Result<RawClient, Frame> {
        let name = &self.names[at];
        let login = Login {
            user: name,
            password: name,
            database,
            parameters: &[],
        };
        RawClient::try_login(self.rig.stack.proxied_address(), &login)
    }

    fn client_in(&self, at: usize, database: &str) -> RawClient {
        let tried = self.try_in(at, database);
        tried.unwrap_or_else(|error| panic!("{error:?}\n{}", self.rig.stack.stderr()))
    }

    fn client(&self, at: usize) -> RawClient {
        self.client_in(at, self.rig.stack.database())
    }

    /// The connections of all accounts at the database, as it sees them.
    fn watch(&self, database: &str) -> Watch {
        let stack = &self.rig.stack;
        let direct = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
        let prefix = self.names[0].trim_end_matches('0');
        let asked = format!(
            "SELECT pid FROM pg_stat_activity WHERE datname = '{database}' \
             AND starts_with(usename, '{prefix}') AND application_name NOT LIKE 'pgsieve%'"
        );
        Watch { direct, asked }
    }

    fn watch_own(&self) -> Watch {
        self.watch(self.rig.stack.database())
    }

    /// A row of a table of the console, by the names of its columns.
    fn shown(&self, table: &str, wanted: &str, named: &str) -> Vec<String> {
        let mut console = self.client_in(0, "pgsieve");
        let answer = console.query(&format!("SHOW {table}"));
        let described = answer.iter().find(|frame| frame.kind == b'T').unwrap();
        let columns = pgsieve::wire::backend::row_description(&described.body).unwrap();
        let at = columns
            .iter()
            .position(|column| column.name == wanted)
            .unwrap();
        let rows = values(&answer).into_iter().filter(|row| row[0] == named);
        rows.map(|row| row[at].clone()).collect()
    }
}

/// Counts connections at the database.
struct Watch {
    direct: RawClient,
    asked: String,
}

impl Watch {
    fn pids(&mut self) -> BTreeSet<String> {
        rows(&self.direct.query(&self.asked)).into_iter().collect()
    }

    /// The most that were there at any look while this ran.
    fn most_during(mut self, run: impl FnOnce()) -> usize {
        let over = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&over);
        let looking = thread::spawn(move || {
            let mut most = 0;
            while !ended.load(Ordering::Relaxed) {
                most = most.max(self.pids().len());
            }
            most
        });
        run();
        over.store(true, Ordering::Relaxed);
        looking.join().unwrap()
    }
}

fn pid(client: &mut RawClient) -> String {
    let answer = client.query(PID);
    let told = rows(&answer);
    assert_eq!(told.len(), 1, "{answer:?}");
    told[0].clone()
}

fn busy_message(told: &Frame) -> (String, String) {
    (told.field(b'M').unwrap(), told.field(b'H').unwrap())
}

#[test]
fn however_many_accounts_want_some_there_are_never_more() {
    let accounts = Accounts::start(4, "size: 3, max_db_connections: 3", "");
    let watch = accounts.watch_own();
    let clients: Vec<_> = (0..16).map(|at| accounts.client(at % 4)).collect();
    let most = watch.most_during(|| {
        let threads: Vec<_> = clients
            .into_iter()
            .map(|mut client| {
                thread::spawn(move || {
                    for turn in 0..12 {
                        if turn % 3 == 0 {
                            assert_eq!(kinds(&client.query("BEGIN")), "CZ");
                            assert_eq!(kinds(&client.query(PID)), "TDCZ");
                            assert_eq!(kinds(&client.query("COMMIT")), "CZ");
                        } else {
                            pid(&mut client);
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|one| one.join().unwrap());
    });
    assert!((1..=3).contains(&most), "{most}");
    assert_eq!(accounts.rig.stack.metric("pgsieve_pool_waiting"), 0.0);
}

/// Of those that nobody uses the one that was used longest ago is closed, whosever it is.
#[test]
fn the_idle_connection_of_longest_ago_makes_room_for_another_account() {
    let accounts = Accounts::start(4, "size: 5, max_db_connections: 3", "");
    let mut watch = accounts.watch_own();
    let mut clients: Vec<_> = (0..3).map(|at| accounts.client(at)).collect();
    let mut own: Vec<String> = clients.iter_mut().map(pid).collect();
    // The first is used again: the second is the oldest.
    assert_eq!(pid(&mut clients[0]), own[0]);
    let mut last = accounts.client(3);
    own.remove(1);
    own.push(pid(&mut last));
    let wanted: BTreeSet<String> = own.into_iter().collect();
    assert!(until(|| (watch.pids() == wanted).then_some(())).is_some());
    // It has not gone without notice: its session finds another, and the next oldest goes.
    let again = pid(&mut clients[1]);
    assert!(until(|| watch.pids().contains(&again).then_some(())).is_some());
    assert_eq!(watch.pids().len(), 3);
}

/// A session within its transaction is left alone, and what comes back goes to who waits.
#[test]
fn what_is_in_use_is_waited_for() {
    let accounts = Accounts::start(2, "size: 5, max_db_connections: 2", "");
    let mut busy: Vec<_> = (0..2).map(|_| accounts.client(0)).collect();
    for client in &mut busy {
        assert_eq!(kinds(&client.query("BEGIN")), "CZ");
        pid(client);
    }
    thread::scope(|scope| {
        let other = scope.spawn(|| pid(&mut accounts.client(1)));
        let waits = || accounts.rig.stack.metric("pgsieve_pool_waiting") == 1.0;
        assert!(until(|| waits().then_some(())).is_some());
        assert_eq!(kinds(&busy[1].query(PID)), "TDCZ");
        assert_eq!(kinds(&busy[0].query("COMMIT")), "CZ");
        assert!(!other.join().unwrap().is_empty());
    });
    assert_eq!(kinds(&busy[1].query("COMMIT")), "CZ");
    assert_eq!(accounts.watch_own().pids().len(), 2);
}

/// Each statement of one account waits for a few of another's flood, not for all that came before.
#[test]
fn a_flood_of_one_account_leaves_others_their_turns() {
    let accounts = Accounts::start(3, "size: 20, max_db_connections: 1", "");
    let flooding = Arc::new(AtomicBool::new(true));
    let done = Arc::new(AtomicUsize::new(0));
    let clients: Vec<_> = (0..20).map(|_| accounts.client(0)).collect();
    let threads: Vec<_> = clients
        .into_iter()
        .map(|mut client| {
            let (flooding, done) = (Arc::clone(&flooding), Arc::clone(&done));
            thread::spawn(move || {
                while flooding.load(Ordering::Relaxed) {
                    pid(&mut client);
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let mut others = [accounts.client(1), accounts.client(2)];
    let before = done.load(Ordering::Relaxed);
    for _ in 0..10 {
        others.iter_mut().for_each(|other| drop(pid(other)));
    }
    let during = done.load(Ordering::Relaxed) - before;
    flooding.store(false, Ordering::Relaxed);
    threads.into_iter().for_each(|one| one.join().unwrap());
    // By order of arrival alone it were 19 for each of 20 statements.
    assert!(during < 150, "{during}");
}

#[test]
fn who_waits_too_long_is_told_that_it_was_for_the_database() {
    let accounts = Accounts::start(2, "size: 5, query_wait: 1s, max_db_connections: 1", "");
    let (mut holds, mut waits) = (accounts.client(0), accounts.client(1));
    assert_eq!(kinds(&holds.query("BEGIN")), "CZ");
    pid(&mut holds);
    let since = Instant::now();
    waits.send(&frames::query(PID));
    let told = waits.until_closed();
    assert!(since.elapsed() >= Duration::from_millis(900));
    assert_eq!(told[0].sqlstate(), "53300");
    let (message, hint) = busy_message(&told[0]);
    let wanted = "within 1 s: all 1 that all accounts may have are busy";
    assert!(message.ends_with(wanted), "{message}");
    assert!(hint.contains("pool.max_db_connections"), "{hint}");
    // So is a login, and one of the account that has it.
    for at in [1, 0] {
        let refused = accounts.try_in(at, accounts.rig.stack.database());
        let refused = refused.err().expect("refused");
        assert_eq!(refused.sqlstate(), "53300");
        assert_eq!(busy_message(&refused).0, message);
    }
    let name = "pgsieve_pool_checkouts_total{outcome=\"timed_out\"}";
    assert_eq!(accounts.rig.stack.metric(name), 3.0);
    assert_eq!(kinds(&holds.query("COMMIT")), "CZ");
    assert!(!pid(&mut accounts.client(1)).is_empty());
}

/// By the name that clients have for it, as other numbers of connections.
#[test]
fn a_database_has_a_bound_of_its_own_or_none() {
    let port = shared_cluster().port();
    let entry = |name: &str, more: &str| {
        format!("{{name: {name}, url: 'postgres://127.0.0.1:{port}/postgres', {more}}}")
    };
    let databases = format!(
        "databases: [{}, {}, {}]\n",
        entry("tight", "max_db_connections: 1"),
        entry("free", "max_db_connections: 0"),
        entry("alone", "pool_mode: session")
    );
    let pool = "size: 5, query_wait: 1s, max_db_connections: 2";
    let accounts = Accounts::start(4, pool, &databases);
    let own = accounts.rig.stack.database().to_owned();
    for (database, most) in [("tight", 1), (&*own, 2), ("free", 4), ("alone", 4)] {
        let mut held = Vec::new();
        for at in 0..4 {
            match accounts.try_in(at, database) {
                Ok(mut client) => {
                    assert_eq!(kinds(&client.query("BEGIN")), "CZ");
                    held.push(client);
                }
                Err(error) => assert_eq!(error.sqlstate(), "53300", "{database}"),
            }
        }
        assert_eq!(held.len(), most, "{database}");
        let shown = accounts.shown("DATABASES", "max_connections", database);
        let bound = if matches!(database, "free" | "alone") {
            0
        } else {
            most
        };
        assert_eq!(shown, [bound.to_string()], "{database}");
        let shown = accounts.shown("DATABASES", "current_connections", database);
        assert_eq!(shown, [most.to_string()], "{database}");
    }
    assert_eq!(
        accounts.shown("CONFIG", "value", "max_db_connections"),
        ["2"]
    );
}

#[test]
fn another_bound_waits_for_a_restart() {
    let mut accounts = Accounts::start(2, "size: 5, query_wait: 1s, max_db_connections: 1", "");
    let rig = &mut accounts.rig;
    rig.edit("max_db_connections: 1", "max_db_connections: 2");
    rig.reload("unchanged");
    let told = "pool.max_db_connections: the change from 1 to 2 waits for a restart";
    let log = rig.stack.stderr();
    assert!(log.contains(told), "{log}");
    let mut holds = accounts.client(0);
    assert_eq!(kinds(&holds.query("BEGIN")), "CZ");
    let refused = accounts.try_in(1, accounts.rig.stack.database());
    assert_eq!(refused.err().expect("refused").sqlstate(), "53300");
}

/// A pause closes them all, and whoever waits comes in by the same order behind it.
#[test]
fn a_pause_holds_a_bounded_database_and_nothing_hangs_behind_it() {
    let accounts = Accounts::start(3, "size: 5, max_db_connections: 1", "");
    let mut clients: Vec<_> = (0..3).map(|at| accounts.client(at)).collect();
    clients.iter_mut().for_each(|client| drop(pid(client)));
    let mut console = accounts.client_in(0, "pgsieve");
    assert_eq!(kinds(&console.query("PAUSE")), "CZ");
    assert!(accounts.watch_own().pids().is_empty());
    clients
        .iter_mut()
        .for_each(|client| client.send(&frames::query(PID)));
    let waits = || accounts.rig.stack.metric("pgsieve_pool_waiting") == 3.0;
    assert!(until(|| waits().then_some(())).is_some());
    assert_eq!(kinds(&console.query("RESUME")), "CZ");
    for client in &mut clients {
        assert_eq!(kinds(&client.until_ready()), "TDCZ");
    }
}

/// Clients of many accounts come, ask in all ways and leave at any moment; nobody hangs, and there
/// are never more connections than there may be.
#[test]
fn a_crowd_that_comes_and_goes_neither_hangs_nor_goes_beyond() {
    let accounts = Accounts::start(5, "size: 2, min: 1, reserve: 1, max_db_connections: 2", "");
    let watch = accounts.watch_own();
    let accounts = &accounts;
    let crowd = |seed: usize| {
        for turn in 0..10 {
            let choice = seed * 7 + turn * 5;
            let name = &accounts.names[choice % 5];
            let login = Login {
                user: name,
                password: name,
                database: accounts.rig.stack.database(),
                // What one began with does not suit the other.
                parameters: [&[][..], &[("TimeZone", "Asia/Tokyo")]][choice % 2],
            };
            let mut client = RawClient::login(accounts.rig.stack.proxied_address(), &login);
            pid(&mut client);
            match choice % 4 {
                0 => {
                    client.query("BEGIN");
                    pid(&mut client);
                }
                1 => client.send(&frames::query(PID)),
                2 => drop(client.query("SET jit = off")),
                _ => drop(client.query("PREPARE p AS SELECT 1")),
            }
        }
    };
    let most = watch.most_during(|| {
        thread::scope(|scope| {
            let crowd = &crowd;
            let threads: Vec<_> = (0..8)
                .map(|seed| scope.spawn(move || crowd(seed)))
                .collect();
            threads.into_iter().for_each(|one| one.join().unwrap());
        });
    });
    assert!((1..=2).contains(&most), "{most}");
    let mut last = accounts.client(0);
    assert_eq!(kinds(&last.query(PID)), "TDCZ");
    assert_eq!(accounts.rig.stack.metric("pgsieve_pool_waiting"), 0.0);
}

/// Two accounts that both want more than there are keep what each has: connections are closed for
/// one another now and then, and not with each statement.
#[test]
fn accounts_that_want_all_keep_their_shares() {
    let accounts = Accounts::start(2, "size: 8, max_db_connections: 4", "");
    let clients: Vec<_> = (0..16).map(|at| accounts.client(at % 2)).collect();
    let threads: Vec<_> = clients
        .into_iter()
        .map(|mut client| thread::spawn(move || (0..50).for_each(|_| drop(pid(&mut client)))))
        .collect();
    threads.into_iter().for_each(|one| one.join().unwrap());
    let outcomes = |outcome: &str| {
        let name = format!("pgsieve_pool_checkouts_total{{outcome=\"{outcome}\"}}");
        accounts.rig.stack.metric(&name)
    };
    let (opened, reused) = (outcomes("opened"), outcomes("reused"));
    assert!(reused > 400.0 && opened * 5.0 < reused, "{opened} {reused}");
}
