//! A session before peers that say nothing, say too little or never stop: each wait ends when the
//! [table](crate::waits) says, by a clock that tests turn. Test code only.

use std::ops::{Deref, DerefMut};
use std::os::fd::AsFd;
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::exchange::{
    TestExchange, bind, complete, empty, error, execute, message, parse, query, ready, row, sync,
};
use crate::limits;
use crate::net::stream::PeerStream;
use crate::policy::Policy;
use crate::session::context::model_values::LoginFacts;
use crate::session::io::worker_move::RelayEnd;
use crate::session::io::{Relay, scratch};
use crate::session::reply::CloseReason;
use crate::session::scheduling::turn::TurnQueue;
use crate::session::session_end::SessionEnd;
use crate::session::upstream_side::SelfReport;
use crate::telemetry::labels::Tripwire;
use crate::upstream::writer::UpstreamStream;

/// A relay between two sockets whose other ends the test holds.
pub(in crate::session) struct TestSession {
    pub(in crate::session) client: TestPeer,
    pub(in crate::session) upstream: TestPeer,
    pub(in crate::session) relay: JoinHandle<(SessionEnd, ClientSpeech)>,
    since: Instant,
}

/// What may still be said to the client.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum ClientSpeech {
    /// Nothing: it has half a message.
    HalfAMessage,
    /// A word of pgsieve's own, behind so many bytes.
    Whole(usize),
}

/// One end of a pair of sockets. When it is dropped, the other hears it at once: a process that
/// another test is just starting may hold copies of both ends for a moment, in which a clock that
/// tests turn passes every bound.
pub(in crate::session) struct TestPeer {
    stream: UnixStream,
    _hangs_up: HangUp,
}

/// Shuts a socket down when it is dropped, whoever else holds it.
struct HangUp(std::os::unix::net::UnixStream);

/// A socket for the relay, its peer, and what shuts the former down.
fn sockets() -> (UnixStream, TestPeer, HangUp) {
    let (near, far) = UnixStream::pair().unwrap();
    let [near_end, far_end] = [&near, &far].map(HangUp::of);
    let peer = TestPeer {
        stream: far,
        _hangs_up: far_end,
    };
    (near, peer, near_end)
}

impl HangUp {
    fn of(stream: &UnixStream) -> Self {
        Self(stream.as_fd().try_clone_to_owned().unwrap().into())
    }
}

impl Drop for HangUp {
    fn drop(&mut self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}

impl Deref for TestPeer {
    type Target = UnixStream;

    fn deref(&self) -> &UnixStream {
        &self.stream
    }
}

impl DerefMut for TestPeer {
    fn deref_mut(&mut self) -> &mut UnixStream {
        &mut self.stream
    }
}

impl TestSession {
    fn begin() -> Self {
        Self::of(TestExchange::new())
    }

    pub(in crate::session) fn of(exchange: TestExchange) -> Self {
        let (near, client, left) = sockets();
        let (far, upstream, hung_up) = sockets();
        let turns = TurnQueue::default();
        let mut relay = Relay::new(
            exchange.protocol,
            (PeerStream::Unix(near), BytesMut::new()),
            (UpstreamStream::new(PeerStream::Unix(far)), BytesMut::new()),
            (scratch(), turns.clone()),
        );
        Self {
            client,
            upstream,
            relay: tokio::spawn(async move {
                let ending = tokio::select! {
                    ending = relay.run() => match ending {
                        RelayEnd::Ended(ending) => ending,
                        RelayEnd::MovesTo(worker) => panic!("there is no worker {worker}"),
                    },
                    _ = turns.run() => panic!("the queue has ended"),
                };
                let spoken = match relay.protocol.upstream.is_mid_frame() {
                    true => ClientSpeech::HalfAMessage,
                    false => ClientSpeech::Whole(relay.protocol.client.reply.len()),
                };
                drop((relay, left, hung_up));
                (ending, spoken)
            }),
            since: Instant::now(),
        }
    }

    /// The client sends, and the upstream has it.
    async fn asks(&mut self, messages: &[Vec<u8>]) {
        self.client.write_all(&messages.concat()).await.unwrap();
        self.heard().await;
    }

    /// The client sends a batch, and the upstream has all of it, in however many pieces.
    async fn asks_batch(&mut self, messages: &[Vec<u8>]) {
        let batch = messages.concat();
        self.client.write_all(&batch).await.unwrap();
        let mut heard = Vec::new();
        while heard.len() < batch.len() {
            heard.extend(self.heard().await);
        }
        assert_eq!(heard, batch);
    }

    /// What the upstream is sent next.
    async fn heard(&mut self) -> Vec<u8> {
        let mut heard = vec![0; 4096];
        let count = timeout(LONG, self.upstream.read(&mut heard)).await;
        heard.truncate(count.expect("nothing was sent upstream").unwrap());
        heard
    }

    async fn answers(&mut self, messages: &[Vec<u8>]) {
        self.upstream.write_all(&messages.concat()).await.unwrap();
    }

    /// The client reads so many bytes.
    async fn gets(&mut self, count: usize) -> Vec<u8> {
        let mut got = vec![0; count];
        let read = timeout(LONG, self.client.read_exact(&mut got)).await;
        read.expect("no answer").unwrap();
        got
    }

    /// A statement that is answered.
    async fn is_alive(&mut self) {
        self.asks(&[query("SELECT 1")]).await;
        let answer = [complete("SELECT 0"), ready(b'I')].concat();
        self.upstream.write_all(&answer).await.unwrap();
        assert_eq!(self.gets(answer.len()).await, answer);
    }

    /// How it ends, and after how long.
    async fn ends(self) -> (SessionEnd, Duration) {
        let ending = timeout(LONG, self.relay).await;
        let (ending, _) = ending.expect("it does not end").unwrap();
        (ending, self.since.elapsed())
    }
}

/// Longer than anything may last.
pub(in crate::session) const LONG: Duration = Duration::from_secs(100_000);

/// What the grammar reads and only the server can fail.
const FAILS: &str = "SELECT nope";

const SILENT: SessionEnd = SessionEnd::Ended(CloseReason::UpstreamSilent);
const OVER: SessionEnd = SessionEnd::Ended(CloseReason::StatementTime);

fn statement_time() -> Duration {
    Duration::from_millis(Policy::agent().timeouts().statement_timeout_ms)
}

/// It took this long, and what a timer adds.
fn assert_took(took: Duration, expected: Duration) {
    let most = expected + Duration::from_secs(1);
    assert!(
        took >= expected && took <= most,
        "{took:?}, not {expected:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_statement_that_is_not_answered_ends_when_its_time_is_over() {
    let mut session = TestSession::begin();
    session.asks(&[query("SELECT 1")]).await;
    let (ending, took) = session.ends().await;
    assert_eq!(ending, OVER);
    assert_took(took, statement_time() + limits::UPSTREAM_GRACE);
    // In the middle of its answer as well, and in the extended protocol.
    let mut session = TestSession::begin();
    let run = [parse("", "SELECT 1"), bind("", ""), execute(""), sync()];
    session.asks_batch(&run).await;
    session.answers(&[empty(b'1'), empty(b'2'), row()]).await;
    let (ending, took) = session.ends().await;
    assert_eq!(ending, OVER);
    assert_took(took, statement_time() + limits::UPSTREAM_GRACE);
}

#[tokio::test(start_paused = true)]
async fn each_statement_has_the_whole_time() {
    let mut session = TestSession::begin();
    for _ in 0..3 {
        session.asks(&[query("SELECT 1")]).await;
        sleep(statement_time()).await;
        session.answers(&[complete("SELECT 0"), ready(b'I')]).await;
        session
            .gets(complete("SELECT 0").len() + ready(b'I').len())
            .await;
        sleep(statement_time() * 2).await;
    }
    session.is_alive().await;
    session.since = Instant::now();
    session.asks(&[query("SELECT 1")]).await;
    assert_took(
        session.ends().await.1,
        statement_time() + limits::UPSTREAM_GRACE,
    );
    // Several in one message have it one after the other.
    let text = Policy::from_yaml(include_str!("../../../policies/bi.yaml")).unwrap();
    let each = Duration::from_millis(text.timeouts().statement_timeout_ms);
    let exchange = TestExchange::under(text, LoginFacts::default(), SelfReport::Reported);
    let mut session = TestSession::of(exchange);
    session.asks(&[query("SELECT 1; SELECT 2; SELECT 3")]).await;
    let (ending, took) = session.ends().await;
    assert_eq!(ending, OVER);
    assert_took(took, each * 3 + limits::UPSTREAM_GRACE);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_lowers_the_time_hears_sooner() {
    let mut session = TestSession::begin();
    // A timer for the longer time is set already.
    session.is_alive().await;
    session.asks(&[query("SET statement_timeout = '2s'")]).await;
    let answer = [complete("SET"), ready(b'I')];
    session.answers(&answer).await;
    session.gets(answer.concat().len()).await;
    session.since = Instant::now();
    session.asks(&[query("SELECT 1")]).await;
    let (ending, took) = session.ends().await;
    assert_eq!(ending, OVER);
    assert_took(took, Duration::from_secs(2) + limits::UPSTREAM_GRACE);
}

#[tokio::test(start_paused = true)]
async fn a_statement_without_a_bound_may_take_its_time() {
    let text = include_str!("../../../policies/agent.yaml");
    let line = text
        .lines()
        .find(|line| line.contains("statement_timeout: "))
        .unwrap();
    let unbound = text.replacen(line, "  statement_timeout: 0", 1);
    let policy = Policy::from_yaml(&unbound).unwrap();
    assert_eq!(policy.timeouts().statement_timeout_ms, 0);
    let exchange = TestExchange::under(policy, LoginFacts::default(), SelfReport::Reported);
    let mut session = TestSession::of(exchange);
    session.asks(&[query("SELECT 1")]).await;
    sleep(Duration::from_secs(86_400)).await;
    let answer = [complete("SELECT 0"), ready(b'I')];
    session.answers(&answer).await;
    session.gets(answer.concat().len()).await;
    session.is_alive().await;
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_only_held_back_are_asked_for() {
    let mut session = TestSession::begin();
    session.asks(&[parse("", "SELECT 1")]).await;
    // The server has parsed, and waits for the rest of the batch, as the client does.
    assert_eq!(session.heard().await, empty(b'H'));
    session.answers(&[empty(b'1')]).await;
    session.gets(5).await;
    sleep(Duration::from_secs(86_400)).await;
    session
        .asks_batch(&[bind("", ""), execute(""), sync()])
        .await;
    let answer = [empty(b'2'), complete("SELECT 0"), ready(b'I')];
    session.answers(&answer).await;
    session.gets(answer.concat().len()).await;
    // One that does not say it when asked has the grace once more.
    session.since = Instant::now();
    session.asks(&[parse("", "SELECT 1")]).await;
    assert_eq!(session.heard().await, empty(b'H'));
    let (ending, took) = session.ends().await;
    assert_eq!(ending, SILENT);
    assert_took(took, statement_time() + limits::UPSTREAM_GRACE * 2);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_is_no_silent_upstream() {
    let mut session = TestSession::begin();
    session.asks(&[query("SELECT 1")]).await;
    let rows: Vec<u8> = message(b'D', &[7; 1000]).repeat(3000);
    let answer = [rows, complete("SELECT 3000"), ready(b'I')].concat();
    let count = answer.len();
    let TestSession {
        client,
        mut upstream,
        relay,
        since,
    } = session;
    let writer = tokio::spawn(async move { upstream.write_all(&answer).await.map(|()| upstream) });
    sleep(Duration::from_secs(86_400)).await;
    let mut client = client;
    let mut got = vec![0; count];
    client.read_exact(&mut got).await.unwrap();
    let upstream = writer.await.unwrap().unwrap();
    TestSession {
        client,
        upstream,
        relay,
        since,
    }
    .is_alive()
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_upstream_that_never_stops_talking_has_no_more_time() {
    for talk in [
        message(b'N', b"SNOTICE\0VNOTICE\0C00000\0Mon and on\0\0"),
        message(b'S', b"app.x\0y\0"),
        message(b'A', b"\0\0\0\x01a\0b\0"),
        row(),
        error("22012"),
        complete("SELECT 1"),
        message(b'd', b"1\n"),
    ] {
        let mut session = TestSession::begin();
        session.asks(&[query("SELECT 1")]).await;
        let TestSession {
            mut client,
            mut upstream,
            relay,
            since,
        } = session;
        let talking = tokio::spawn(async move {
            while upstream.write_all(&talk).await.is_ok() {
                sleep(Duration::from_millis(50)).await;
            }
        });
        let reading = tokio::spawn(async move {
            let mut got = vec![0; 4096];
            while let Ok(1..) = client.read(&mut got).await {}
        });
        let ending = timeout(LONG, relay)
            .await
            .expect("it does not end")
            .unwrap()
            .0;
        assert_eq!(ending, OVER);
        assert_took(since.elapsed(), statement_time() + limits::UPSTREAM_GRACE);
        talking.abort();
        reading.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn half_a_message_that_nobody_asked_for_is_not_waited_for() {
    // Passed on as it comes, and held until it is whole.
    for begun in [&b"A\0\0\0\xff\0\0"[..], b"S\0\0\0\xffa", b"N\0\0", b"Z"] {
        let session = TestSession::begin();
        let mut session = session;
        session.answers(&[begun.to_vec()]).await;
        let (ending, took) = session.ends().await;
        assert_eq!(ending, SILENT, "{}", begun.escape_ascii());
        assert_took(took, limits::UPSTREAM_GRACE);
    }
}

#[tokio::test(start_paused = true)]
async fn an_upstream_that_says_goodbye_and_stays_is_left() {
    for asked in [false, true] {
        let mut session = TestSession::begin();
        if asked {
            session.asks(&[query("SELECT 1")]).await;
        }
        let fields = b"SFATAL\0VFATAL\0C57P01\0Mbye\0\0";
        session.answers(&[message(b'E', fields)]).await;
        let (ending, took) = session.ends().await;
        assert_eq!(ending, SessionEnd::UpstreamClosed);
        assert_took(took, limits::UPSTREAM_GRACE);
    }
}

#[tokio::test(start_paused = true)]
async fn an_upstream_that_never_says_whether_it_is_read_only_is_not_asked_for_ever() {
    let exchange = TestExchange::under(
        Policy::agent(),
        LoginFacts::default(),
        SelfReport::AskWhenTouched,
    );
    let mut session = TestSession::of(exchange);
    session.asks(&[query("SET statement_timeout = '2s'")]).await;
    session.answers(&[complete("SET"), ready(b'I')]).await;
    for _ in 0..limits::READ_ONLY_CHECKS_MAX {
        assert_eq!(session.heard().await.first(), Some(&b'Q'));
        session.answers(&[error("57014"), ready(b'I')]).await;
    }
    assert!(matches!(session.ends().await.0, SessionEnd::Tripped(_)));
}

#[tokio::test(start_paused = true)]
async fn an_error_while_a_statement_is_repaired_is_no_end_of_it() {
    let mut session = TestSession::begin();
    session.asks(&[query(FAILS)]).await;
    session
        .answers(&[error("42703"), ready(b'I'), error("42703")])
        .await;
    let (ending, _) = session.ends().await;
    assert_eq!(ending, SessionEnd::Ended(CloseReason::UpstreamUnreadable));
}

#[tokio::test(start_paused = true)]
async fn what_ends_a_session_within_a_row_leaves_no_word_behind_it() {
    let write = complete("INSERT 0 1");
    for (end, ending) in [
        (&write[..], SessionEnd::Tripped(Tripwire::WriteTag)),
        (
            b"?\0\0\0\x04",
            SessionEnd::Ended(CloseReason::UpstreamUnreadable),
        ),
    ] {
        let whole = message(b'D', &[7; 100]);
        let (begun, rest) = whole.split_at(20);
        let mut session = TestSession::begin();
        session.asks(&[query("SELECT 1")]).await;
        session.answers(&[begun.to_vec()]).await;
        assert_eq!(session.gets(20).await, begun);
        session.answers(&[rest.to_vec(), end.to_vec()]).await;
        let ended = timeout(LONG, session.relay).await.unwrap().unwrap();
        assert_eq!(ended, (ending, ClientSpeech::HalfAMessage));
        // At the end of a row there is room for one.
        let mut session = TestSession::begin();
        session.asks(&[query("SELECT 1")]).await;
        session.answers(std::slice::from_ref(&whole)).await;
        assert_eq!(session.gets(whole.len()).await, whole);
        session.answers(&[end.to_vec()]).await;
        let ended = timeout(LONG, session.relay).await.unwrap().unwrap();
        assert_eq!(ended, (ending, ClientSpeech::Whole(0)));
    }
}

/// What pgsieve says by itself waits for the end of a message that the upstream sends unasked.
#[tokio::test(start_paused = true)]
async fn a_refusal_is_not_put_into_a_message_of_the_upstream_s() {
    let told = message(b'A', b"\0\0\0\x01channel\0words\0");
    let (begun, rest) = told.split_at(12);
    let mut session = TestSession::begin();
    session.answers(&[begun.to_vec()]).await;
    assert_eq!(session.gets(12).await, begun);
    let refused = [
        query("DELETE FROM item"),
        parse("", "DELETE FROM item"),
        sync(),
    ];
    session.client.write_all(&refused.concat()).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    session.answers(&[rest.to_vec()]).await;
    assert_eq!(session.gets(rest.len()).await, rest);
    for _ in 0..2 {
        assert_eq!(session.gets(1).await, b"E");
        let length = session.gets(4).await;
        let length = u32::from_be_bytes(length.try_into().unwrap());
        session.gets(usize::try_from(length).unwrap() - 4).await;
        assert_eq!(session.gets(6).await, ready(b'I'));
    }
}

/// What a departure takes: a look, the grace, and what a timer adds.
fn assert_soon(took: Duration) {
    assert!(took <= Duration::from_secs(1), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_goodbye_while_its_statement_runs_is_let_go() {
    let mut session = TestSession::begin();
    session
        .asks(&[query("SELECT 1"), query("SELECT 2"), message(b'X', b"")])
        .await;
    let (ending, took) = session.ends().await;
    assert_eq!(ending, SessionEnd::Terminated);
    assert_soon(took);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_gone_is_missed_whatever_stands_before_its_end() {
    // Read to its end, or behind more than is taken.
    for queued in [1, 30_000] {
        let mut session = TestSession::begin();
        session.asks(&[query("SELECT 1")]).await;
        let TestSession {
            mut client,
            upstream,
            relay,
            ..
        } = session;
        let rest = query("SELECT 2").repeat(queued);
        // What nobody reads does not fit.
        let _ = timeout(Duration::from_secs(5), client.write_all(&rest)).await;
        let since = Instant::now();
        drop(client);
        let ending = timeout(LONG, relay)
            .await
            .expect("it does not end")
            .unwrap()
            .0;
        assert_eq!(ending, SessionEnd::ClientGone, "{queued}");
        assert_soon(since.elapsed());
        drop(upstream);
    }
}

#[tokio::test(start_paused = true)]
async fn a_goodbye_is_heard_behind_a_frame_that_waits() {
    // The question whether the upstream is still read-only is not answered.
    let exchange = TestExchange::under(
        Policy::agent(),
        LoginFacts::default(),
        SelfReport::AskWhenTouched,
    );
    let mut session = TestSession::of(exchange);
    let set = query("SET statement_timeout = '2s'");
    session
        .asks(&[set, query("SELECT 1"), message(b'X', b"")])
        .await;
    let (ending, took) = session.ends().await;
    assert_eq!(ending, SessionEnd::Terminated);
    assert_soon(took);
}

#[tokio::test(start_paused = true)]
async fn who_has_asked_ahead_and_reads_on_gets_the_answers() {
    for goodbye in [None, Some(message(b'X', b""))] {
        let mut session = TestSession::begin();
        let asked = query("SELECT 1").repeat(20);
        session.client.write_all(&asked).await.unwrap();
        match &goodbye {
            None => session.client.shutdown().await.unwrap(),
            Some(goodbye) => session.client.write_all(goodbye).await.unwrap(),
        }
        let answer = [complete("SELECT 0"), ready(b'I')].concat();
        for _ in 0..20 {
            sleep(limits::DEPARTURE_GRACE - Duration::from_millis(100)).await;
            session.upstream.write_all(&answer).await.unwrap();
            assert_eq!(session.gets(answer.len()).await, answer);
        }
        let ending = match goodbye {
            None => SessionEnd::ClientGone,
            Some(_) => SessionEnd::Terminated,
        };
        assert_eq!(session.ends().await.0, ending);
    }
}

#[tokio::test(start_paused = true)]
async fn who_hangs_up_with_nothing_under_way_is_gone_at_once() {
    let mut session = TestSession::begin();
    session.is_alive().await;
    session.since = Instant::now();
    session.client.shutdown().await.unwrap();
    let (ending, took) = session.ends().await;
    assert_eq!((ending, took), (SessionEnd::ClientGone, Duration::ZERO));
}
