//! What an ordinary session meets beside sessions that flood, on one thread with one runtime:
//! counted in messages, not in time. Test code only.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::exchange::{
    TestExchange, bind, complete, empty, error, execute, message, parse, query, ready, shared, sync,
};
use crate::limits;
use crate::net::stream::PeerStream;
use crate::policy::Policy;
use crate::policy::set::matching::SessionTraits;
use crate::session::io::{ReadBuffer, Relay, scratch};
use crate::session::protocol::WorkerShared;
use crate::session::scheduling::turn::TurnQueue;
use crate::upstream::writer::UpstreamStream;
use crate::wire::frame::{FrameCut, ProtocolPhase, cut_frontend};

/// What a worker's sessions share, and how much they did.
struct FloodWorker {
    shared: WorkerShared,
    read_buffer: ReadBuffer,
    turns: TurnQueue,
    done: HandledCount,
    over: Arc<AtomicBool>,
}

/// Messages of the flood that were dealt with.
#[derive(Clone, Default)]
struct HandledCount(Arc<AtomicU64>);

impl HandledCount {
    fn add(&self, count: usize) {
        let count = u64::try_from(count).unwrap();
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    fn so_far(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl FloodWorker {
    fn start() -> Self {
        let turns = TurnQueue::default();
        tokio::spawn(turns.clone().run());
        Self {
            shared: shared(Policy::agent()),
            read_buffer: scratch(),
            turns,
            done: HandledCount::default(),
            over: Arc::default(),
        }
    }

    /// A session; its upstream counts what it takes.
    fn session(&self, done: &HandledCount, answer: &'static [u8]) -> UnixStream {
        let (client, near) = UnixStream::pair().unwrap();
        let (far, upstream) = UnixStream::pair().unwrap();
        tokio::spawn(serve(upstream, done.clone(), answer));
        let exchange = TestExchange::of(&self.shared, SessionTraits::default());
        let mut relay = Relay::new(
            exchange.protocol,
            (PeerStream::Unix(near), BytesMut::new()),
            (UpstreamStream::new(PeerStream::Unix(far)), BytesMut::new()),
            (Arc::clone(&self.read_buffer), self.turns.clone()),
        );
        tokio::spawn(async move {
            relay.run().await;
        });
        client
    }

    /// A session whose client sends these without end, and reads what it gets.
    fn flooder(&self, number: usize, flood: &'static FloodKind) {
        let client = self.session(&self.done, flood.answer);
        let (mut reads, mut writes) = client.into_split();
        let (done, over) = (self.done.clone(), Arc::clone(&self.over));
        tokio::spawn(async move {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(count @ 1..) = reads.read(&mut buffer).await {
                let answers = memchr::memmem::find_iter(&buffer[..count], flood.counts);
                done.add(answers.count());
            }
        });
        tokio::spawn(async move {
            for piece in 0..PIECES {
                let bytes: Vec<u8> = (0..200)
                    .flat_map(|it| (flood.sends)(&format!("{number}{piece:05}{it:03}")))
                    .collect();
                if over.load(Ordering::Relaxed) || writes.write_all(&bytes).await.is_err() {
                    return;
                }
            }
        });
    }
}

/// One kind of flood.
struct FloodKind {
    name: &'static str,
    /// What the client sends over and over; the number is another one each time.
    sends: fn(&str) -> Vec<u8>,
    /// What the upstream says before the end of each statement.
    answer: &'static [u8],
    /// Messages of one statement, answers among them.
    messages: usize,
    /// What shows in the client's answers that one more was dealt with, unless the upstream counts.
    counts: &'static [u8],
}

const FLOODS: [FloodKind; 6] = [
    FloodKind {
        name: "refused",
        messages: 1,
        sends: |_| query("DROP TABLE t"),
        answer: b"",
        counts: READY,
    },
    FloodKind {
        name: "refused, extended",
        messages: 4,
        sends: |_| [parse("", "DROP TABLE t"), bind("", ""), execute(""), sync()].concat(),
        answer: b"",
        counts: READY,
    },
    FloodKind {
        name: "not understood",
        messages: 1,
        sends: |_| message(b'Q', b"\xff\0"),
        answer: b"",
        counts: READY,
    },
    FloodKind {
        name: "distinct",
        messages: 3,
        sends: |number| query(&format!("SELECT {number}")),
        answer: b"",
        counts: b"never",
    },
    FloodKind {
        name: "distinct, extended",
        messages: 8,
        sends: |number| {
            let text = format!("SELECT {number}");
            [parse("", &text), bind("", ""), execute(""), sync()].concat()
        },
        answer: b"",
        counts: b"never",
    },
    FloodKind {
        name: "notices",
        messages: 1,
        sends: |number| query(&format!("SELECT {number}")),
        answer: NOTICES,
        counts: b"N\0\0\0\x0cS",
    },
];

/// Between two answers of an ordinary session come some turns of the others, whatever they do in
/// them and however many they are.
#[tokio::test]
async fn an_ordinary_session_waits_for_some_turns_of_the_others() {
    for flood in &FLOODS {
        let worker = FloodWorker::start();
        for number in 0..FLOODERS {
            worker.flooder(number, flood);
        }
        let mut ordinary = worker.session(&HandledCount::default(), b"");
        let mut most = 0;
        for number in 0..EXCHANGES {
            let before = worker.done.so_far();
            let sent = query(&format!("SELECT {number}"));
            ordinary.write_all(&sent).await.unwrap();
            until_ready(&mut ordinary).await;
            most = most.max(worker.done.so_far() - before);
        }
        worker.over.store(true, Ordering::Relaxed);
        assert!(worker.done.so_far() > 0, "{}: nobody flooded", flood.name);
        let most = usize::try_from(most).unwrap();
        let in_a_turn = usize::try_from(limits::TURN_MESSAGES_MAX).unwrap();
        let bound = TURNS_BETWEEN_MAX * in_a_turn / flood.messages;
        assert!(most <= bound, "{}: {most} of {bound}", flood.name);
    }
}

async fn until_ready(client: &mut UnixStream) {
    let mut got = BytesMut::new();
    while !got.ends_with(READY_IDLE) {
        assert!(client.read_buf(&mut got).await.unwrap() > 0);
    }
}

/// An upstream that answers everything at once.
async fn serve(mut socket: UnixStream, done: HandledCount, answer: &'static [u8]) {
    let mut inbox = BytesMut::new();
    while let Ok(1..) = socket.read_buf(&mut inbox).await {
        let mut out = Vec::new();
        while let Ok(FrameCut::Whole(frame)) = cut_frontend(&inbox, ProtocolPhase::Session) {
            let refused = memchr::memmem::find(frame.bytes, b"pgsieve refused").is_some();
            out.extend_from_slice(&match frame.kind {
                b'Q' | b'P' if refused => error("42601"),
                b'Q' => {
                    done.add(1);
                    [answer, &complete("SELECT 1")].concat()
                }
                b'P' => {
                    done.add(1);
                    empty(b'1')
                }
                b'B' => empty(b'2'),
                b'E' => complete("SELECT 1"),
                _ => Vec::new(),
            });
            if matches!(frame.kind, b'Q' | b'S') {
                out.extend_from_slice(&ready(b'I'));
            }
            let total = frame.bytes.len();
            inbox.advance(total);
        }
        if socket.write_all(&out).await.is_err() {
            return;
        }
    }
}

const READY: &[u8] = b"Z\0\0\0\x05";
const READY_IDLE: &[u8] = b"Z\0\0\0\x05I";
const NOTICES: &[u8] = &{
    const ONE: &[u8; 13] = b"N\0\0\0\x0cSNOTICE\0";
    let mut many = [0; 13 * 400];
    let mut at = 0;
    while at < many.len() {
        many[at] = ONE[at % ONE.len()];
        at += 1;
    }
    many
};
const FLOODERS: usize = 4;
/// What a flood comes to at most, should nobody end it.
const PIECES: usize = 2_000;
const EXCHANGES: usize = 20;
/// An exchange is four steps, and each waits for the turn of one that was in the queue and the rest
/// of a turn of those that were not; the session itself may have to line up once.
const TURNS_BETWEEN_MAX: usize = 12;
