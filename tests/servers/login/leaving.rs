//! A pgsieve that is asked to stop and waits for its clients to leave by themselves.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use pgsieve::demo::supervisor::ChildSignal;

use super::sessions::ENDLESS;
use crate::support::raw::{kinds, rows};
use crate::support::{ADMIN, APP, Options, RawClient, Stack, frames, until};

const LONG: &str = "1h";

fn waiting(wait: &'static str, pooled: Option<usize>) -> Stack {
    Stack::start(Options {
        environment: vec![("PGSIEVE_LIMITS_WAIT_FOR_CLIENTS", wait)],
        pooled,
        ..Options::default()
    })
}

fn login(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

/// Waits until the server runs [`ENDLESS`].
fn assert_running(stack: &Stack) {
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state \
                 = 'active' AND query LIKE '%1000000000000%' AND pid <> pg_backend_pid()";
    let runs = until(|| (rows(&admin.query(asked)) == ["1"]).then_some(()));
    assert!(runs.is_some(), "{}", stack.stderr());
}

/// Asks it to stop, and waits until it has heard.
fn stop(stack: &mut Stack) {
    stack.signal(ChildSignal::Terminate);
    let heard = until(|| (stack.get("/readyz").0 == 503).then_some(()));
    assert!(heard.is_some(), "{}", stack.stderr());
}

#[track_caller]
fn assert_refused(stack: &Stack) {
    let refused = RawClient::try_login(stack.proxied_address(), &stack.login(APP));
    let refused = refused.err().expect("nobody new is let in");
    assert_eq!(refused.sqlstate(), "57P03");
}

#[track_caller]
fn assert_serves(client: &mut RawClient) {
    assert_eq!(rows(&client.query("SELECT 41 + 1")), ["42"]);
}

#[test]
fn who_is_there_goes_on_and_nobody_new_gets_in() {
    for pooled in [None, Some(3)] {
        let mut stack = waiting(LONG, pooled);
        let (mut resting, mut in_block, mut running) =
            (login(&stack), login(&stack), login(&stack));
        in_block.query("BEGIN");
        running.send(&frames::query(ENDLESS));
        assert_running(&stack);
        stop(&mut stack);
        assert!(stack.get("/readyz").1.starts_with("draining\n"));
        for _ in 0..3 {
            assert_serves(&mut resting);
            assert_serves(&mut in_block);
        }
        let extended = frames::extended("SELECT 7", &[], false);
        resting.send(&extended);
        assert_eq!(kinds(&resting.until_ready()), "12TDCZ");
        assert_refused(&stack);
        // What runs can be cancelled still, and its session goes on as well.
        let (pid, secret) = running.key.clone().unwrap();
        let mut cancel = RawClient::connect(stack.proxied_address());
        cancel.send(&frames::cancel_request(pid, &secret));
        assert_eq!(cancel.until_closed(), []);
        let answer = running.until_ready();
        assert!(answer.iter().any(|frame| frame.kind == b'E'), "{answer:?}");
        assert_serves(&mut running);
        in_block.query("COMMIT");
        drop((in_block, running));
        assert_serves(&mut resting);
        assert_eq!(stack.wait_exit(Duration::from_millis(500)), None);
        drop(resting);
        assert_eq!(stack.wait_exit(Duration::from_secs(60)), Some(0));
        let said = stack.stderr();
        assert!(said.contains("waiting for 3 sessions to leave"), "{said}");
        assert!(said.contains("stopped; 0 sessions were cut off"), "{said}");
        assert!(TcpStream::connect(stack.proxied_address()).is_err());
    }
}

#[test]
fn a_login_that_has_begun_comes_to_its_end() {
    let mut stack = waiting(LONG, None);
    let _stays = login(&stack);
    let mut begun = RawClient::connect(stack.proxied_address());
    let parameters = [("user", APP), ("database", stack.database())];
    begun.send(&frames::startup(0, &parameters));
    let mut asked = [0];
    begun.stream().peek(&mut asked).unwrap();
    assert_eq!(asked, *b"R");
    let mut silent = RawClient::connect(stack.proxied_address());
    stop(&mut stack);
    begun.finish_login(&stack.login(APP)).unwrap();
    assert_serves(&mut begun);
    // Who has not said yet what it wants comes too late.
    let parameters = [("user", APP), ("database", stack.database())];
    silent.send(&frames::startup(0, &parameters));
    assert_eq!(silent.read().unwrap().sqlstate(), "57P03");
}

#[test]
fn nobody_there_means_nobody_to_wait_for() {
    let mut stack = waiting(LONG, None);
    drop(login(&stack));
    stack.signal(ChildSignal::Terminate);
    assert_eq!(stack.wait_exit(Duration::from_secs(60)), Some(0));
}

#[test]
fn what_rests_when_the_time_is_over_is_ended() {
    let mut stack = waiting("2s", None);
    let mut resting = login(&stack);
    let mut running = login(&stack);
    let began = Instant::now();
    stop(&mut stack);
    running.send(&frames::query(
        "SELECT pg_sleep(0), count(*) FROM generate_series(1, 9000000)",
    ));
    let farewell = resting.until_closed();
    assert!(began.elapsed() >= Duration::from_secs(2));
    assert_eq!(farewell[0].sqlstate(), "57P01", "{farewell:?}");
    let last = running.until_closed();
    assert_eq!(last.last().unwrap().sqlstate(), "57P01", "{last:?}");
    assert_eq!(stack.wait_exit(Duration::from_secs(60)), Some(0));
}

#[test]
fn whoever_asks_again_does_not_want_to_wait() {
    for again in [ChildSignal::Terminate, ChildSignal::Interrupt] {
        let mut stack = waiting(LONG, Some(2));
        let mut resting = login(&stack);
        stop(&mut stack);
        assert_serves(&mut resting);
        stack.signal(again);
        let farewell = resting.until_closed();
        assert_eq!(farewell[0].sqlstate(), "57P01", "{farewell:?}");
        assert_eq!(stack.wait_exit(Duration::from_secs(60)), Some(0));
    }
}
