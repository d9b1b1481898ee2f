//! Peers that say nothing: a stopped server, a client that is gone behind what it asked, logins
//! that do not go on. The clocks themselves are tried in `src/session/tests/silence.rs`; here is
//! what real sockets and a real server make of them.

use std::io::Read;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::supervisor::ChildSignal;
use socket2::SockRef;

use crate::support::raw::kinds;
use crate::support::sql::assert_running;
use crate::support::{ADMIN, APP, Options, RawClient, Stack, frames};

use crate::login::sessions::{ENDLESS, assert_fatal, value};

/// A server process that does nothing while this lives.
struct Stopped(String);

impl Stopped {
    fn backend_of(client: &mut RawClient) -> Self {
        let pid = value(client, "SELECT pg_backend_pid()");
        signal("-STOP", &pid);
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // What it was asked for would keep it busy for long.
        signal("-TERM", &self.0);
        signal("-CONT", &self.0);
    }
}

fn signal(which: &str, pid: &str) {
    let status = Command::new("kill").args([which, pid]).status().unwrap();
    assert!(status.success());
}

/// Whether it comes true before any statement's time is over.
fn soon(mut is_true: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(30);
    while Instant::now() < end {
        if is_true() {
            return true;
        }
        thread::sleep(Duration::from_millis(50));
    }
    false
}

#[test]
fn a_server_that_stops_ends_its_clients_when_their_time_is_over() {
    let stack = Stack::start(Options {
        policy_edits: &[("  statement_timeout: 30s", "  statement_timeout: 1s")],
        ..Options::default()
    });
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let stopped = Stopped::backend_of(&mut client);
    client
        .stream()
        .set_read_timeout(Some(Duration::from_secs(120)))
        .unwrap();
    client.send(&frames::query("SELECT 1"));
    let answer = client.until_closed();
    assert_eq!(kinds(&answer), "E");
    assert_fatal(answer.first());
    assert_eq!(answer[0].sqlstate(), "57014");
    let closed = [("reason", "upstream_silent")];
    assert!(soon(|| stack
        .metric_sum("pgsieve_connections_closed_total", &closed)
        == 1.0));
    drop(stopped);
    // It was told to stop what nobody waits for.
    assert_running(&stack, 0);
    let cancelled = [("cause", "abandoned"), ("outcome", "forwarded")];
    assert!(soon(|| stack
        .metric_sum("pgsieve_own_cancels_total", &cancelled)
        == 1.0));
}

#[test]
fn a_client_that_leaves_is_let_go_whatever_stands_before_its_end() {
    let stack = Stack::start(Options::default());
    for (queued, leave) in [
        (0, "goodbye"),
        (30_000, "goodbye"),
        (0, "close"),
        (30_000, "close"),
        (0, "reset"),
        (30_000, "reset"),
    ] {
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        let _stopped = Stopped::backend_of(&mut client);
        client.send(&frames::query(ENDLESS));
        let rest = frames::query("SELECT 1").repeat(queued);
        let stream = client.stream();
        stream
            .set_write_timeout(Some(Duration::from_secs(2)))
            .unwrap();
        // What nobody reads may not fit.
        drop(std::io::Write::write_all(stream, &rest));
        match leave {
            "goodbye" => drop(std::io::Write::write_all(stream, &frames::terminate())),
            "close" => stream.shutdown(Shutdown::Write).unwrap(),
            _ => SockRef::from(&*stream)
                .set_linger(Some(Duration::ZERO))
                .unwrap(),
        }
        // One that has said goodbye closes as well; that is not what is waited for here.
        let kept = (leave == "goodbye" && queued == 0).then_some(client);
        assert!(
            soon(|| stack.metric("pgsieve_connections_open") == 0.0),
            "{leave} behind {queued}"
        );
        drop(kept);
    }
}

#[test]
fn all_that_leave_at_once_are_cancelled() {
    const SESSIONS: usize = 60;
    let stack = Stack::start(Options {
        policy_edits: &[
            ("  statement_timeout: 30s", "  statement_timeout: 600s"),
            ("  lock_timeout: 5s", "  lock_timeout: 600s"),
        ],
        ..Options::default()
    });
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    admin.query("CREATE TABLE locked (n int); GRANT SELECT ON locked TO PUBLIC");
    let mut first = RawClient::login(stack.proxied_address(), &stack.login(APP));
    assert!(soon(|| kinds(&first.query("SELECT * FROM locked")) == "TCZ"));
    drop(first);
    admin.query("BEGIN; LOCK TABLE locked");
    let clients: Vec<RawClient> = (0..SESSIONS)
        .map(|_| {
            let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
            client.send(&frames::query("SELECT * FROM locked"));
            client
        })
        .collect();
    assert_running(&stack, i64::try_from(SESSIONS).unwrap());
    for mut client in clients {
        SockRef::from(&*client.stream())
            .set_linger(Some(Duration::ZERO))
            .unwrap();
    }
    // In a transaction it would see the same picture all the time.
    let mut other = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                 AND wait_event_type = 'Lock'";
    assert!(soon(|| value(&mut other, count) == "0"));
    let cancelled = [("cause", "abandoned"), ("outcome", "forwarded")];
    let all = f64::from(u32::try_from(SESSIONS).unwrap());
    assert!(soon(|| stack
        .metric_sum("pgsieve_own_cancels_total", &cancelled)
        == all));
}

#[test]
fn a_drain_does_not_wait_for_logins() {
    // A server that takes connections and says nothing.
    let mute = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let config = format!(
        "listen: '{{listen}}'\nadmin:\n  listen: '{{admin}}'\nupstream:\n  \
         url: 'postgres://127.0.0.1:{}/x'\naudit:\n  to: '{{audit}}'\n",
        mute.local_addr().unwrap().port()
    );
    let mut stack = Stack::start_unready(Options {
        config: Some(config),
        environment: vec![("PGSIEVE_LIMITS_DRAIN_TIMEOUT", "10min")],
        ..Options::default()
    });
    let address = stack.proxied_address();
    assert!(soon(|| TcpStream::connect(address).is_ok()));
    let mut silent = TcpStream::connect(address).unwrap();
    let mut hung = RawClient::connect(address);
    let login = stack.login(APP);
    let parameters = [("user", login.user), ("database", login.database)];
    hung.send(&frames::startup(0, &parameters));
    assert!(soon(|| stack.metric("pgsieve_connections_open") >= 2.0));
    stack.signal(ChildSignal::Terminate);
    // Well before the time of a login would be over, and for that reason.
    let answer = hung.until_closed();
    assert_eq!(kinds(&answer), "E", "{answer:?}");
    assert_fatal(answer.first());
    assert_eq!(answer[0].sqlstate(), "57P03");
    let mut said = Vec::new();
    silent.read_to_end(&mut said).unwrap();
    assert!(said.is_empty(), "{}", said.escape_ascii());
    assert_eq!(stack.wait_exit(Duration::from_secs(60)), Some(0));
}
