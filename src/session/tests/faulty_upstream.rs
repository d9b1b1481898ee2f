//! Sessions with an upstream whose messages are wrong: dropped, doubled, cut, out of order, of
//! false lengths and kinds, without end. Whatever it does, the client gets every ReadyForQuery that
//! it waits for, or the end of its session; by a clock that the tests turn. Test code only.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep, timeout};

use super::exchange::{
    TestExchange, bind, close, complete, empty, error, execute, message, parse, query, ready, row,
    shared, sync,
};
use super::silence::{LONG, TestPeer, TestSession};
use crate::policy::Policy;
use crate::policy::set::matching::SessionTraits;
use crate::session::context::model_values::LoginFacts;
use crate::session::protocol::WorkerShared;
use crate::session::upstream_side::SelfReport;

/// Sessions in one run; each takes a millisecond or two.
const CONVERSATIONS: u64 = 2_000;

/// The longest that a session can take: six answers, each with the time of its statement and
/// the grace twice, and what a peer makes it wait.
const LONGEST: Duration = Duration::from_secs(600);

#[tokio::test(start_paused = true)]
async fn every_conversation_with_a_wrong_upstream_ends() {
    let shared = shared(Policy::agent());
    for seed in 0..CONVERSATIONS {
        let since = Instant::now();
        let hung = timeout(LONG, conversation(&shared, seed)).await.is_err();
        let took = since.elapsed();
        assert!(!hung && took < LONGEST, "conversation {seed}: {took:?}");
    }
}

/// One session, from a seed. Returns when the session is over.
async fn conversation(shared: &WorkerShared, seed: u64) {
    let mut random = TestRandom(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let reports = match random.below(3) {
        0 => SelfReport::AskWhenTouched,
        _ => SelfReport::Reported,
    };
    let exchange = TestExchange::placed(
        shared,
        SessionTraits::default(),
        LoginFacts::default(),
        reports,
    );
    let session = TestSession::of(exchange);
    let TestSession {
        client,
        upstream,
        relay,
        ..
    } = session;
    let asked = script(&mut random);
    let client = tokio::spawn(speak(client, asked, random.below(4) == 0));
    let upstream = tokio::spawn(answer(upstream, random));
    relay.await.unwrap();
    client.await.unwrap();
    upstream.abort();
}

/// What a client asks, and how many ReadyForQuery it waits for.
fn script(random: &mut TestRandom) -> (Vec<Vec<u8>>, usize) {
    let batches = 1 + random.below(6);
    let mut asked = Vec::new();
    for _ in 0..batches {
        let text = TEXTS[random.below(TEXTS.len())];
        asked.push(match random.below(4) {
            0 | 1 => query(text),
            2 => [parse("", text), bind("", ""), execute(""), sync()].concat(),
            _ => [
                parse("s", text),
                bind("", "s"),
                execute(""),
                close("s"),
                sync(),
            ]
            .concat(),
        });
    }
    (asked, batches)
}

const TEXTS: &[&str] = &[
    "SELECT 1",
    "SELECT 1",
    "SELECT nope",
    "DELETE FROM item",
    "SET statement_timeout = '2s'",
    "BEGIN",
    "COMMIT",
    "COPY (SELECT 1) TO STDOUT",
];

/// A client that sends all at once, or waits for each answer, and leaves when it has them all.
async fn speak(mut client: TestPeer, (asked, count): (Vec<Vec<u8>>, usize), at_once: bool) {
    let mut reader = FrameStream::default();
    let mut readies = 0;
    for (place, batch) in asked.iter().enumerate() {
        if client.write_all(batch).await.is_err() {
            return;
        }
        let wanted = if at_once { 0 } else { place + 1 };
        while readies < wanted {
            match reader.next(&mut client).await {
                Some((b'Z', _)) => readies += 1,
                Some(_) => {}
                None => return,
            }
        }
    }
    while readies < count {
        match reader.next(&mut client).await {
            Some((b'Z', _)) => readies += 1,
            Some(_) => {}
            None => return,
        }
    }
}

/// An upstream that knows what is right, and does something else.
async fn answer(mut upstream: TestPeer, mut random: TestRandom) {
    let mut reader = FrameStream::default();
    let (mut status, mut is_skipping) = (b'I', false);
    // How many answers are right before one is not.
    let mut right = random.below(12);
    while let Some((kind, body)) = reader.next(&mut upstream).await {
        let mut told = respond(kind, &body, &mut status, &mut is_skipping);
        if told.is_empty() {
            continue;
        }
        let is_wrong = right == 0;
        right = match right {
            0 => random.below(12),
            more => more - 1,
        };
        let then = match is_wrong {
            true => mutate(&mut told, &mut random),
            false => PeerReaction::GoesOn,
        };
        if upstream.write_all(&told.concat()).await.is_err() {
            return;
        }
        match then {
            PeerReaction::GoesOn => {}
            PeerReaction::Pauses => sleep(Duration::from_secs(5)).await,
            PeerReaction::IsSilent => {
                // It reads on, and says nothing.
                while reader.next(&mut upstream).await.is_some() {}
                return;
            }
            PeerReaction::Closes => return,
            PeerReaction::Talks(words) => {
                while upstream.write_all(&words).await.is_ok() {
                    sleep(Duration::from_millis(200)).await;
                }
                return;
            }
        }
    }
}

/// What a server answers.
fn respond(kind: u8, body: &[u8], status: &mut u8, is_skipping: &mut bool) -> Vec<Vec<u8>> {
    let text = String::from_utf8_lossy(body).to_lowercase();
    if *is_skipping && kind != b'S' {
        return Vec::new();
    }
    let fails = text.contains("nope") || !TEXTS_KNOWN.iter().any(|known| text.contains(known));
    match kind {
        b'Q' => {
            let mut told = match fails {
                true => vec![error(if text.contains("nope") {
                    "42703"
                } else {
                    "42601"
                })],
                false => run(&text),
            };
            step(&text, fails, status);
            told.push(ready(*status));
            told
        }
        b'P' if fails => {
            *is_skipping = true;
            step(&text, true, status);
            vec![error(if text.contains("nope") {
                "42703"
            } else {
                "42601"
            })]
        }
        b'P' => vec![empty(b'1')],
        b'B' => vec![empty(b'2')],
        b'E' => vec![row(), complete("SELECT 1")],
        b'C' => vec![empty(b'3')],
        b'D' => vec![empty(b'n')],
        b'S' => {
            *is_skipping = false;
            vec![ready(*status)]
        }
        _ => Vec::new(),
    }
}

const TEXTS_KNOWN: &[&str] = &["select 1", "set ", "begin", "commit", "copy", "show"];

fn run(text: &str) -> Vec<Vec<u8>> {
    if text.starts_with("set") {
        vec![complete("SET")]
    } else if text.starts_with("begin") {
        vec![complete("BEGIN")]
    } else if text.starts_with("commit") {
        vec![complete("COMMIT")]
    } else if text.starts_with("copy") {
        let data = message(b'd', b"1\n");
        vec![
            message(b'H', &[0, 0, 1, 0, 0]),
            data,
            empty(b'c'),
            complete("COPY 1"),
        ]
    } else if text.contains("read_only") {
        vec![message(b'D', b"\0\x01\0\0\0\x02on"), complete("SHOW")]
    } else {
        vec![row(), complete("SELECT 1")]
    }
}

fn step(text: &str, fails: bool, status: &mut u8) {
    *status = match (*status, fails) {
        (b'I', true) => b'I',
        (_, true) => b'E',
        (_, false) if text.starts_with("begin") => b'T',
        (_, false) if text.starts_with("commit") => b'I',
        (status, false) => status,
    };
}

/// What the upstream does behind what it says.
enum PeerReaction {
    GoesOn,
    Pauses,
    IsSilent,
    Closes,
    Talks(Vec<u8>),
}

/// Makes something of an answer that it should not be.
fn mutate(told: &mut Vec<Vec<u8>>, random: &mut TestRandom) -> PeerReaction {
    let place = random.below(told.len());
    let stray = STRAYS[random.below(STRAYS.len())];
    match random.below(14) {
        0 => drop(told.remove(place)),
        1 => {
            let double = told[place].clone();
            told.insert(place, double);
        }
        2 => told.reverse(),
        3 => {
            let left = random.below(told[place].len());
            told[place].truncate(left);
        }
        4 => {
            let length = u32::try_from(random.below(12)).unwrap();
            told[place][1..5].copy_from_slice(&length.to_be_bytes());
        }
        5 => told[place][1 + random.below(4)] ^= 1 << random.below(8),
        6 => told[place][0] = b"ZECDTISNA12nstHdcGWKRv?"[random.below(23)],
        7 => {
            let at = random.below(told[place].len());
            told[place][at] ^= 1 << random.below(8);
        }
        8 => told.insert(place, stray.to_vec()),
        9 => told.push(stray.to_vec()),
        10 => return PeerReaction::IsSilent,
        11 => {
            told.truncate(place);
            return PeerReaction::IsSilent;
        }
        12 => {
            told.truncate(place);
            return PeerReaction::Talks(stray.to_vec());
        }
        _ => {
            told.truncate(place);
            return PeerReaction::Closes;
        }
    }
    match random.below(4) {
        0 => PeerReaction::IsSilent,
        1 => PeerReaction::Pauses,
        _ => PeerReaction::GoesOn,
    }
}

/// Messages that nobody waits for.
const STRAYS: &[&[u8]] = &[
    b"Z\0\0\0\x05I",
    b"Z\0\0\0\x05E",
    b"Z\0\0\0\x05T",
    b"I\0\0\0\x04",
    b"1\0\0\0\x04",
    b"s\0\0\0\x04",
    b"c\0\0\0\x04",
    b"G\0\0\0\x07\0\0\0",
    b"W\0\0\0\x07\0\0\0",
    b"H\0\0\0\x07\0\0\0",
    b"d\0\0\0\x061\n",
    b"D\0\0\0\x0b\0\x01\0\0\0\x011",
    b"C\0\0\0\x0dSELECT 1\0",
    b"S\0\0\0\x0ca.b\0xyz\0",
    b"A\0\0\0\x0d\0\0\0\x01chan\0",
    b"N\0\0\0\x1aSNOTICE\0C00000\0Mhum\0\0\0\0",
    b"E\0\0\0\x16SERROR\0C57014\0M\0\0",
    b"E\0\0\0\x16SFATAL\0C57P01\0M\0\0",
    b"A\0\0\xff\xff\0\0\0\x01",
    b"S\0\0\0\xffhalf",
];

/// Whole messages of a stream.
#[derive(Default)]
struct FrameStream {
    unread: Vec<u8>,
}

impl FrameStream {
    /// The next one; none at the end, or where there will be no whole one.
    async fn next(&mut self, stream: &mut UnixStream) -> Option<(u8, Vec<u8>)> {
        loop {
            if let Some((header, rest)) = self.unread.split_first_chunk::<5>() {
                let [kind, length @ ..] = *header;
                let body = usize::try_from(u32::from_be_bytes(length))
                    .unwrap()
                    .checked_sub(4)?;
                if let Some((body, rest)) = rest.split_at_checked(body) {
                    let body = body.to_vec();
                    self.unread = rest.to_vec();
                    return Some((kind, body));
                }
            }
            let mut bytes = [0; 4096];
            match stream.read(&mut bytes).await {
                Ok(count @ 1..) => self.unread.extend_from_slice(&bytes[..count]),
                Ok(_) | Err(_) => return None,
            }
        }
    }
}

/// Numbers that are the same in every run.
struct TestRandom(u64);

impl TestRandom {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let bound = u64::try_from(bound).unwrap();
        usize::try_from((self.0 >> 11) % bound).unwrap()
    }
}
