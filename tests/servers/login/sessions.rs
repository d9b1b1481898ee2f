//! How sessions begin, are cancelled, and end: by the client, by an operator, by the database.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::supervisor::ChildSignal;

use crate::support::raw::{Frame, Login, kinds};
use crate::support::{ADMIN, APP, Options, RawClient, Stack, frames, until};

/// Runs until it is cancelled.
pub const ENDLESS: &str = "SELECT count(*) FROM generate_series(1, 1000000000000)";

#[test]
fn a_cancel_with_the_session_s_own_key_stops_its_statement() {
    let stack = stack();
    let mut client = client();
    let (pid, secret) = client.key.clone().expect("a key");
    for _ in 0..3 {
        client.send(&frames::query(ENDLESS));
        thread::sleep(Duration::from_millis(150));
        cancel(stack.proxied_address(), pid, &secret);
        let answer = client.until_ready();
        let error = answer
            .iter()
            .find(|frame| frame.kind == b'E')
            .expect("an error");
        assert_eq!(error.sqlstate(), "57014");
        assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    }
    // The secret is pgsieve's; the process id is the one that the server knows.
    let backend = value(&mut client, "SELECT pg_backend_pid()");
    assert_eq!(backend, pid.to_string());
    assert_eq!(secret.len(), 4);
}

#[test]
fn a_cancel_with_another_key_stops_nothing() {
    let stack = stack();
    let mut client = client();
    let (pid, secret) = client.key.clone().expect("a key");
    let wrong: Vec<u8> = secret.iter().map(|byte| byte ^ 1).collect();
    client.send(&frames::query(ENDLESS));
    thread::sleep(Duration::from_millis(100));
    for (pid, secret) in [
        (pid, &wrong[..]),
        (pid ^ 1, &secret[..]),
        (0, &secret[..]),
        (pid, &[][..]),
        (pid, &[secret.as_slice(), &[0]].concat()[..]),
        (pid, &secret[..3]),
    ] {
        cancel(stack.proxied_address(), pid, secret);
    }
    assert!(silent(&mut client, Duration::from_millis(300)));
    cancel(stack.proxied_address(), pid, &secret);
    assert_eq!(client.until_ready().last().unwrap().kind, b'Z');
    // A key dies with its session.
    drop(client);
    let mut other = self::client();
    other.send(&frames::query(ENDLESS));
    cancel(stack.proxied_address(), pid, &secret);
    assert!(silent(&mut other, Duration::from_millis(200)));
    let (pid, secret) = other.key.clone().unwrap();
    cancel(stack.proxied_address(), pid, &secret);
    other.until_ready();
}

#[test]
fn a_late_cancel_hits_nothing() {
    let stack = stack();
    let mut client = client();
    let (pid, secret) = client.key.clone().expect("a key");
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    cancel(stack.proxied_address(), pid, &secret);
    thread::sleep(Duration::from_millis(100));
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
}

#[test]
fn protocol_3_2_has_long_keys() {
    let stack = stack();
    let login = stack.login(APP);
    let parameters = [("user", login.user), ("database", login.database)];
    let mut client = RawClient::connect(stack.proxied_address());
    client.send(&frames::startup(2, &parameters));
    client.finish_login(&login).unwrap();
    let (pid, secret) = client.key.clone().expect("a key");
    assert_eq!(secret.len(), 32);
    client.send(&frames::query(ENDLESS));
    thread::sleep(Duration::from_millis(100));
    cancel(stack.proxied_address(), pid, &secret[..4]);
    assert!(silent(&mut client, Duration::from_millis(150)));
    cancel(stack.proxied_address(), pid, &secret);
    let answer = client.until_ready();
    assert!(
        answer
            .iter()
            .any(|frame| frame.kind == b'E' && frame.sqlstate() == "57014")
    );
}

#[test]
fn unknown_minors_and_options_are_negotiated() {
    let stack = stack();
    let login = stack.login(APP);
    for (minor, option, told) in [
        (9, None, Some(2)),
        (2, Some("_pq_.unheard"), Some(2)),
        (0, Some("_pq_.x"), Some(0)),
        (2, None, None),
    ] {
        let mut parameters = vec![("user", login.user), ("database", login.database)];
        parameters.extend(option.map(|name| (name, "1")));
        let mut client = RawClient::connect(stack.proxied_address());
        client.send(&frames::startup(minor, &parameters));
        let first = client.read().unwrap();
        let Some(told) = told else {
            assert_eq!(first.kind, b'R');
            continue;
        };
        assert_eq!(first.kind, b'v', "3.{minor} {option:?}: {first:?}");
        let count = u32::from(option.is_some());
        let names = option.map_or(Vec::new(), frames::zero_ended);
        let version = (3_u32 << 16) + told;
        let (version, short) = (
            [&version.to_be_bytes()[..], &count.to_be_bytes(), &names].concat(),
            [&told.to_be_bytes()[..], &count.to_be_bytes(), &names].concat(),
        );
        assert!(first.body == version || first.body == short, "{first:?}");
        client.finish_login(&login).unwrap();
        assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    }
}

#[test]
fn a_drain_lets_running_statements_finish() {
    let mut stack = Stack::start(Options::default());
    let (address, login) = (
        stack.proxied_address(),
        ("app", stack.database().to_owned()),
    );
    let open = || {
        let login = Login {
            user: login.0,
            password: login.0,
            database: &login.1,
            parameters: &[],
        };
        RawClient::login(address, &login)
    };
    let (mut running, mut idle, mut pipelined) = (open(), open(), open());
    running.send(&frames::query(
        "SELECT count(*) FROM generate_series(1, 6000000)",
    ));
    let slow = frames::extended(
        "SELECT count(*) FROM generate_series(1, 3000000)",
        &[],
        false,
    );
    pipelined.send(&[slow.clone(), slow].concat());
    thread::sleep(Duration::from_millis(100));
    stack.signal(ChildSignal::Terminate);
    let farewell = idle.until_closed();
    assert_eq!(
        (kinds(&farewell).as_str(), farewell[0].sqlstate().as_str()),
        ("E", "57P01")
    );
    let answer = running.until_closed();
    assert_eq!(kinds(&answer), "TDCZE", "{answer:?}");
    assert_eq!(answer[4].sqlstate(), "57P01");
    assert_eq!(kinds(&pipelined.until_closed()), "12TDCZ12TDCZE");
    assert_eq!(stack.wait_exit(Duration::from_secs(10)), Some(0));
    assert!(
        TcpStream::connect(address).is_err(),
        "nobody listens any more"
    );
}

#[test]
fn a_drain_ends_what_will_not_end() {
    let mut stack = Stack::start(Options {
        environment: vec![("PGSIEVE_LIMITS_DRAIN_TIMEOUT", "1s")],
        ..Options::default()
    });
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let mut in_block = RawClient::login(stack.proxied_address(), &stack.login(APP));
    in_block.query("BEGIN");
    client.send(&frames::query(ENDLESS));
    thread::sleep(Duration::from_millis(100));
    stack.signal(ChildSignal::Terminate);
    let began = Instant::now();
    assert_eq!(
        stack.wait_exit(Duration::from_secs(60)),
        Some(0),
        "after {:?}",
        began.elapsed()
    );
    assert_eq!(kinds(&in_block.until_closed()), "E");
    // No session stays behind at the server.
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let count = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{}' AND usename = 'app'",
        stack.database()
    );
    assert_eq!(
        until(|| (value(&mut admin, &count) == "0").then_some(())),
        Some(())
    );
}

#[test]
fn a_server_session_that_dies_between_rows_ends_its_client_with_a_word() {
    // Every row takes its time, so the server is not waiting for anybody to read.
    let rows = "SELECT n, repeat('x', 9000), (SELECT count(*) FROM generate_series(1, 100000 + n * 0)) \
                FROM generate_series(1, 100000) n";
    let last = last_frame_after_a_kill(rows);
    assert_fatal(last.as_ref());
    assert_eq!(last.unwrap().sqlstate(), "57P01");
}

/// A server that waits for its reader breaks off within a row: no word fits there, only the end.
#[test]
fn a_server_session_that_dies_within_a_row_ends_its_client() {
    let rows = "SELECT n, repeat('x', 1000) FROM generate_series(1, 300000) n";
    assert!(last_frame_after_a_kill(rows).is_some());
}

/// Ends the server session under a statement whose first row has come, and reads on to the end.
fn last_frame_after_a_kill(rows: &str) -> Option<Frame> {
    let stack = stack();
    let mut client = client();
    let pid = value(&mut client, "SELECT pg_backend_pid()");
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    client.send(&frames::query(rows));
    assert_eq!(client.read().unwrap().kind, b'T');
    assert_eq!(client.read().unwrap().kind, b'D');
    assert_eq!(
        value(&mut admin, &format!("SELECT pg_terminate_backend({pid})")),
        "t"
    );
    let mut last = None;
    loop {
        match client.read() {
            Ok(frame) => last = Some(frame),
            Err(error) => {
                assert_ne!(error.kind(), ErrorKind::WouldBlock, "still open");
                return last;
            }
        }
    }
}

#[test]
fn an_idle_session_that_the_server_ends_is_told() {
    let stack = stack();
    let mut client = client();
    let pid = value(&mut client, "SELECT pg_backend_pid()");
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    assert_eq!(
        value(&mut admin, &format!("SELECT pg_terminate_backend({pid})")),
        "t"
    );
    let answer = client.until_closed();
    assert_eq!(kinds(&answer), "E");
    assert_eq!(answer[0].sqlstate(), "57P01");
}

/// The server waits for its reader, and nobody else does; nothing is lost on the way.
#[test]
fn a_slow_reader_holds_up_only_itself() {
    let mut slow = client();
    slow.send(&frames::query(
        "SELECT n, repeat('x', 1000) FROM generate_series(1, 9500) n",
    ));
    thread::sleep(Duration::from_millis(300));
    let mut others: Vec<RawClient> = (0..5).map(|_| client()).collect();
    for other in &mut others {
        assert_eq!(kinds(&other.query("SELECT 1")), "TDCZ");
    }
    let answer = slow.until_ready();
    assert_eq!(
        answer.iter().filter(|frame| frame.kind == b'D').count(),
        9_500
    );
    assert!(
        answer
            .iter()
            .any(|frame| frame.body.ends_with(b"SELECT 9500\0"))
    );
}

#[test]
fn the_client_that_leaves_takes_its_server_session_along() {
    let stack = stack();
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    for goodbye in [
        frames::terminate(),
        frames::query(ENDLESS),
        frames::query("BEGIN"),
    ] {
        let mut client = client();
        let pid = value(&mut client, "SELECT pg_backend_pid()");
        client.send(&goodbye);
        thread::sleep(Duration::from_millis(100));
        drop(client);
        let count = format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}");
        assert_eq!(
            until(|| (value(&mut admin, &count) == "0").then_some(())),
            Some(()),
            "{}",
            goodbye.escape_ascii()
        );
    }
}

/// The last words of whoever ends a session.
pub fn assert_fatal(frame: Option<&Frame>) {
    let frame = frame.expect("a last frame");
    assert_eq!(
        (frame.kind, frame.field(b'V').as_deref()),
        (b'E', Some("FATAL")),
        "{frame:?}"
    );
}

fn cancel(address: SocketAddr, pid: i32, secret: &[u8]) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(&frames::cancel_request(pid, secret))
        .unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    // No word, right or wrong; only the end of the connection.
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer));
    assert!(secret.len() < 4 || answer.is_empty(), "{answer:?}");
}

fn silent(client: &mut RawClient, wait: Duration) -> bool {
    client.stream().set_read_timeout(Some(wait)).unwrap();
    let nothing = client.stream().peek(&mut [0]).is_err();
    client
        .stream()
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    nothing
}

pub fn value(client: &mut RawClient, text: &str) -> String {
    let answer = client.query(text);
    let row = answer.iter().find(|frame| frame.kind == b'D');
    let row = row.unwrap_or_else(|| panic!("no row for {text}: {answer:?}"));
    String::from_utf8(row.body[6..].to_vec()).unwrap()
}

fn client() -> RawClient {
    RawClient::login(stack().proxied_address(), &stack().login(APP))
}

fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| Stack::start(Options::default()));
    &STACK
}
