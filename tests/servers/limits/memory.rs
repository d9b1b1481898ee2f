//! The memory that all clients together may take: who asks beyond it is refused, others go on, and
//! everything is given back.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use crate::support::raw::kinds;
use crate::support::{Options, READER, RawClient, Stack, frames};

/// A stack with the least memory that can be asked for.
fn small() -> Stack {
    Stack::start(Options {
        environment: vec![("PGSIEVE_LIMITS_MEMORY", "128MiB")],
        ..Options::default()
    })
}

/// Bytes that are resident.
fn resident(stack: &Stack) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", stack.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<usize>().unwrap() * 1024
}

/// Waits until something holds, for as long as any machine needs.
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A client in the middle of a message that it never ends by itself.
struct Flooder {
    client: RawClient,
    message: Vec<u8>,
    sent: usize,
    heard: Vec<u8>,
}

impl Flooder {
    fn start(stack: &Stack) -> Self {
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        client.stream().set_nonblocking(true).unwrap();
        let value = vec![b'x'; 15_000_000];
        let length = u32::try_from(value.len()).unwrap().to_be_bytes();
        let body = [&b"\0\0\0\0\0\x01"[..], &length, &value, b"\0\0"].concat();
        Self {
            client,
            message: frames::message(b'B', &body),
            sent: 0,
            heard: Vec::new(),
        }
    }

    /// Sends and hears what can be just now, up to so many bytes before the end of its message.
    fn step(&mut self, before_end: usize) {
        let end = self.message.len() - before_end;
        let upto = end.min(self.sent + 512 * 1024);
        match self.client.stream().write(&self.message[self.sent..upto]) {
            Ok(count) => self.sent += count,
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        let mut heard = [0; 4096];
        match self.client.stream().read(&mut heard) {
            Ok(count) => self.heard.extend(&heard[..count]),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    }

    fn is_refused(&self) -> bool {
        let refused = b"C53200\0";
        self.heard
            .windows(refused.len())
            .any(|part| part == refused)
    }
}

#[test]
fn forty_unfinished_messages_take_no_more_than_the_budget_and_give_it_back() {
    let stack = small();
    let mut ordinary = RawClient::login(stack.proxied_address(), &stack.login(READER));
    assert_eq!(kinds(&ordinary.query("SELECT 1")), "TDCZ");
    let before = resident(&stack);
    let mut flooders: Vec<Flooder> = (0..40).map(|_| Flooder::start(&stack)).collect();
    let mut most = 0;
    wait("those who ask for too much are refused", || {
        for _ in 0..16 {
            flooders.iter_mut().for_each(|flooder| flooder.step(1_000));
        }
        assert_eq!(kinds(&ordinary.query("SELECT 1")), "TDCZ");
        most = most.max(resident(&stack));
        flooders.iter().filter(|one| one.is_refused()).count() >= 37
    });
    assert!(stack.metric("pgsieve_memory_refused_total") >= 37.0);
    assert!(
        most < before + BUDGET + OVERHEAD,
        "{most} bytes at most, {before} before"
    );
    // What is refused is dropped as it comes, up to Sync, and the session goes on.
    let at = flooders.iter().position(Flooder::is_refused).unwrap();
    let mut one = flooders.swap_remove(at);
    wait("the rest of the message is taken", || {
        one.step(0);
        one.sent == one.message.len()
    });
    one.client.stream().set_nonblocking(false).unwrap();
    one.client.send(&frames::sync());
    assert_eq!(kinds(&one.client.until_ready()), "Z");
    assert_eq!(kinds(&one.client.query("SELECT 1")), "TDCZ");
    drop(flooders);
    wait("everything is given back", || {
        stack.metric("pgsieve_memory_taken_bytes") == 0.0
            && stack.metric("pgsieve_memory_waiting") == 0.0
    });
    wait("the system has it again", || {
        resident(&stack) < before + OVERHEAD
    });
}

#[test]
fn what_can_never_fit_fails_as_one_statement() {
    let stack = small();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    // It is admitted by the policy, and judging it would take more than there is.
    let long = format!("SELECT '{}'", "x".repeat(1_000_000));
    let answer = client.query(&long);
    assert_eq!(kinds(&answer), "EZ");
    assert_eq!(answer[0].sqlstate(), "53200");
    let message = answer[0].field(b'M').unwrap();
    assert!(message.starts_with("out of memory: "), "{message}");
    assert!(answer[0].field(b'H').unwrap().contains("limits.memory"));
    assert_eq!(kinds(&client.query("BEGIN")), "CZ");
    let parse = [b"\0", long.as_bytes(), b"\0\0\0"].concat();
    client.send(&[frames::message(b'P', &parse), frames::sync()].concat());
    let answer = client.until_ready();
    assert_eq!(kinds(&answer), "EZ");
    assert_eq!(answer[0].sqlstate(), "53200");
    assert_eq!(answer[1].body, b"E", "the transaction has failed");
    assert_eq!(client.query("SELECT 1")[0].sqlstate(), "25P02");
    assert_eq!(kinds(&client.query("ROLLBACK")), "CZ");
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    let refused = [("rule", "memory")];
    wait("both are counted by the rule", || {
        stack.metric_sum("pgsieve_refusals_total", &refused) == 2.0
    });
}

#[test]
fn what_a_session_has_prepared_is_counted_until_it_is_closed() {
    let stack = small();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let text = format!("SELECT '{}'", "x".repeat(50_000));
    for number in 0..20 {
        let parse = format!("p{number}\0{text}\0\0\0");
        client.send(&[frames::message(b'P', parse.as_bytes()), frames::sync()].concat());
        assert_eq!(kinds(&client.until_ready()), "1Z");
    }
    let held = || stack.metric("pgsieve_memory_taken_bytes");
    wait("a megabyte of texts is taken", || held() >= 900_000.0);
    assert_eq!(kinds(&client.query("DEALLOCATE ALL")), "CZ");
    wait("it is given back", || held() == 0.0);
}

/// What the stacks of these tests may give to clients.
const BUDGET: usize = 128 << 20;

/// What a process takes beside: what each session has free, buffers of workers, and what the
/// allocator keeps.
const OVERHEAD: usize = 48 << 20;
