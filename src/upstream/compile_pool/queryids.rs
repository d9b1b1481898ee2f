//! What the server calls the statements of clients: its queryid, which `pg_stat_statements` knows
//! them by. For the audit alone; no statement ever waits for it.
//!
//! A text that runs is compiled once more on a side connection, and a second one asks what the
//! server has put down of the first: compiling is when a queryid is computed. So what the client's
//! own session does meanwhile is of no consequence. The answer is taken only where the length and
//! the digest of what the server has seen are those of the text; the text itself never comes back.
//!
//! Each shape is asked for once, in turn, a bounded number of them at a time.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use foldhash::fast::RandomState;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, sleep};

use super::connection::{BrokenConnection, LastStatement, StoredSearchPath};
use super::pool::AccountPool;
use crate::gate::{ReadPermit, StatementShape};
use crate::limits;
use crate::upstream::outbox::Outbox;
use crate::wire::frontend::ParameterOids;

/// What all servers have told.
#[derive(Default)]
pub(super) struct QueryIds {
    known: RwLock<Generations>,
}

/// Two generations: when the young one is full it becomes the old one, and the old one is dropped.
#[derive(Default)]
struct Generations {
    young: HashMap<Key, Known, RandomState>,
    old: HashMap<Key, Known, RandomState>,
}

/// What is known of a shape.
#[derive(Clone, Copy)]
struct Known {
    /// None where the server does not compile such a text.
    queryid: Option<i64>,
    since: Instant,
}

/// A shape, in a database and of a role.
type Key = [u8; 16];

/// What asks for the queryids of one account in one database.
pub(super) struct Asker {
    told: Arc<QueryIds>,
    /// The database and the role.
    scope: blake3::Hasher,
    asked: Mutex<Asked>,
}

/// What is to be asked.
#[derive(Default)]
struct Asked {
    questions: VecDeque<Question>,
    worker: Worker,
    /// Until then nothing is asked.
    silent_until: Option<Instant>,
}

/// Whether somebody asks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Worker {
    #[default]
    Gone,
    Asking,
}

/// One text. Never shown.
struct Question {
    key: Key,
    /// The Parse message.
    parse: Outbox,
    text: Box<str>,
    path: StoredSearchPath,
}

/// What came of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// The queryid.
    QueryId(i64),
    /// The server does not compile the text.
    Uncompiled,
    /// Nothing: the server computes none, or cannot be asked.
    Nothing,
}

/// Puts a question in line, where it is to be asked.
pub(super) fn ask(
    pool: &Arc<AccountPool>,
    permit: &ReadPermit<'_>,
    types: ParameterOids<'_>,
    path: &[Box<str>],
) {
    let text = permit.text();
    let Some(shape) = permit.facts().shape else {
        return;
    };
    let key = pool.asker.key(shape);
    if text.len() > limits::QUERYID_TEXT_BYTES_MAX || !pool.asker.wants(&key) {
        return;
    }
    let mut parse = Outbox::default();
    if parse.parse(UNNAMED, permit, types).is_err() {
        return;
    }
    let question = Question {
        key,
        parse,
        text: text.into(),
        path: path.into(),
    };
    if pool.asker.line_up(question) == Worker::Gone {
        pool.runtime.spawn(ask_all(Arc::clone(pool)));
    }
}

impl Asker {
    pub(super) fn new(told: Arc<QueryIds>, database: &str, user: &str) -> Self {
        let mut scope = blake3::Hasher::new();
        // No name has a zero in it.
        for name in [database, user] {
            scope.update(name.as_bytes()).update(b"\0");
        }
        Self {
            told,
            scope,
            asked: Mutex::default(),
        }
    }

    /// The queryid of a shape, where it is known.
    pub(super) fn queryid(&self, shape: StatementShape) -> Option<i64> {
        self.told.find(&self.key(shape))?.queryid
    }

    fn key(&self, shape: StatementShape) -> Key {
        let mut hasher = self.scope.clone();
        hasher.update(shape.as_bytes());
        let mut key = Key::default();
        hasher.finalize_xof().fill(&mut key);
        key
    }

    /// Whether it is worth asking now.
    fn wants(&self, key: &Key) -> bool {
        let known = self.told.find(key);
        if known.is_some_and(|known| known.since.elapsed() < limits::QUERYID_AGE_MAX) {
            return false;
        }
        let asked = self.asked();
        let is_silent = asked
            .silent_until
            .is_some_and(|until| until > Instant::now());
        let has_room = asked.questions.len() < limits::QUERYIDS_ASKED_MAX;
        !is_silent && has_room && !asked.questions.iter().any(|one| one.key == *key)
    }

    /// Puts it behind the others; says whether there was somebody who asks.
    fn line_up(&self, question: Question) -> Worker {
        let mut asked = self.asked();
        asked.questions.push_back(question);
        std::mem::replace(&mut asked.worker, Worker::Asking)
    }

    /// The next question, and where there is none the end of the asking.
    fn next(&self) -> Option<Question> {
        let mut asked = self.asked();
        let next = asked.questions.pop_front();
        if next.is_none() {
            asked.worker = Worker::Gone;
        }
        next
    }

    fn settle(&self, key: Key, told: Told) {
        let queryid = match told {
            Told::QueryId(queryid) => Some(queryid),
            Told::Uncompiled => None,
            Told::Nothing => {
                let mut asked = self.asked();
                asked.questions.clear();
                asked.silent_until = Some(Instant::now() + limits::QUERYID_SILENCE);
                return;
            }
        };
        self.told.learn(key, queryid);
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueryIds {
    fn find(&self, key: &Key) -> Option<Known> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.young.get(key).or_else(|| known.old.get(key)).copied()
    }

    fn learn(&self, key: Key, queryid: Option<i64>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.young.len() >= limits::QUERYIDS_KNOWN_MAX / 2 {
            known.old = std::mem::take(&mut known.young);
        }
        let since = Instant::now();
        known.young.insert(key, Known { queryid, since });
    }
}

impl Question {
    /// Whether what the server has seen is this text, or as much of it as it keeps.
    fn is_what_was_seen(&self, seen: &LastStatement) -> bool {
        let Some(text) = self.text.as_bytes().get(..seen.bytes) else {
            return false;
        };
        let is_enough = seen.bytes == self.text.len() || seen.bytes >= limits::ACTIVITY_BYTES_MIN;
        is_enough && format!("{:x}", Sha256::digest(text)) == seen.digest
    }
}

impl fmt::Debug for QueryIds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("QueryIds")
    }
}

/// Asks one question after the other, until there is none.
async fn ask_all(pool: Arc<AccountPool>) {
    while let Some(question) = pool.asker.next() {
        let told = told(&pool, &question).await;
        pool.asker.settle(question.key, told);
        sleep(limits::QUERYID_PAUSE).await;
    }
}

/// What the server calls a text.
async fn told(pool: &Arc<AccountPool>, question: &Question) -> Told {
    let deadline = Instant::now() + limits::COMPILE_TIME_MAX;
    for _ in 0..limits::COMPILE_TRIES_MAX {
        match told_once(pool, question, deadline).await {
            Ok(told) => return told,
            // Most likely it rested for too long, or the server has restarted.
            Err(BrokenConnection::Lost) => {}
            Err(BrokenConnection::Spent) => return Told::Nothing,
        }
    }
    Told::Nothing
}

async fn told_once(
    pool: &Arc<AccountPool>,
    question: &Question,
    deadline: Instant,
) -> Result<Told, BrokenConnection> {
    let Some(mut compiling) = pool.take(deadline).await else {
        return Ok(Told::Nothing);
    };
    let connection = &mut compiling.connection;
    let Some(pid) = connection.pid() else {
        pool.give_back(compiling);
        return Ok(Told::Nothing);
    };
    let compiled = connection.compile_written(&question.parse, &question.path, deadline);
    if compiled.await?.is_err() {
        pool.give_back(compiling);
        return Ok(Told::Uncompiled);
    }
    // The first one is held until the answer is there: nothing else is compiled on it.
    let seen = seen_of(pool, pid, deadline).await;
    pool.give_back(compiling);
    let seen = seen?.filter(|seen| question.is_what_was_seen(seen));
    let queryid = seen.and_then(|seen| seen.queryid);
    Ok(queryid.map_or(Told::Nothing, Told::QueryId))
}

/// What the server has put down of a process, asked on another connection.
async fn seen_of(
    pool: &Arc<AccountPool>,
    pid: i32,
    deadline: Instant,
) -> Result<Option<LastStatement>, BrokenConnection> {
    let Some(mut asking) = pool.take(deadline).await else {
        return Ok(None);
    };
    let seen = asking.connection.last_statement_of(pid, deadline).await?;
    pool.give_back(asking);
    Ok(seen)
}

/// The statement that every Parse replaces.
const UNNAMED: &str = "";

#[cfg(test)]
mod tests {
    use super::*;

    fn asker() -> Asker {
        Asker::new(Arc::default(), "shop", "ann")
    }

    fn question(number: u8, text: &str) -> Question {
        Question {
            key: [number; 16],
            parse: Outbox::default(),
            text: text.into(),
            path: StoredSearchPath::default(),
        }
    }

    #[test]
    fn what_the_server_has_seen_is_the_text_or_enough_of_its_beginning() {
        let long = format!("SELECT '{}ä{}'", "x".repeat(87), "y".repeat(2_000));
        for (text, bytes, seen_text, taken) in [
            ("SELECT 1", 8, "SELECT 1", true),
            ("SELECT 1", 8, "SELECT 2", false),
            ("SELECT 1", 7, "SELECT ", false),
            ("SELECT 1", 9, "SELECT 1 ", false),
            ("SELECT 1", 0, "", false),
            (&long, long.len(), &long, true),
            (&long, 1023, &long[..1023], true),
            (&long, 97, &long[..97], true),
            (&long, 95, &long[..95], false),
            (&long, 99, &long.replace('x', "z")[..99], false),
        ] {
            let seen = LastStatement {
                queryid: Some(1),
                bytes,
                digest: format!("{:x}", Sha256::digest(seen_text)),
            };
            let found = question(1, text).is_what_was_seen(&seen);
            assert_eq!(found, taken, "{bytes} of {text:.20}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_shape_is_asked_for_once_until_it_is_old() {
        let asker = asker();
        let one = question(1, "SELECT 1");
        let key = one.key;
        assert!(asker.wants(&key));
        assert_eq!(asker.line_up(one), Worker::Gone);
        assert!(!asker.wants(&key), "it is in line");
        assert_eq!(asker.line_up(question(2, "SELECT 2")), Worker::Asking);
        assert_eq!(asker.next().map(|next| next.key), Some(key));
        asker.settle(key, Told::QueryId(-7));
        assert!(!asker.wants(&key));
        assert_eq!(
            asker.told.find(&key).and_then(|known| known.queryid),
            Some(-7)
        );
        assert!(asker.next().is_some());
        asker.settle([2; 16], Told::Uncompiled);
        assert!(!asker.wants(&[2; 16]), "it would fail once more");
        assert!(asker.next().is_none());
        assert_eq!(asker.line_up(question(3, "SELECT 3")), Worker::Gone);
        tokio::time::advance(limits::QUERYID_AGE_MAX).await;
        assert!(asker.wants(&key));
        assert_eq!(
            asker.told.find(&key).and_then(|known| known.queryid),
            Some(-7)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn where_the_server_tells_nothing_it_is_left_alone_for_a_while() {
        let asker = asker();
        asker.line_up(question(1, "SELECT 1"));
        asker.line_up(question(2, "SELECT 2"));
        let first = asker.next().unwrap();
        asker.settle(first.key, Told::Nothing);
        assert!(
            asker.next().is_none(),
            "the others would learn nothing either"
        );
        assert!(!asker.wants(&[1; 16]) && !asker.wants(&[3; 16]));
        tokio::time::advance(limits::QUERYID_SILENCE).await;
        assert!(asker.wants(&[1; 16]) && asker.wants(&[3; 16]));
    }

    #[test]
    fn what_is_asked_and_what_is_known_is_bounded() {
        let asker = asker();
        for number in 0..u8::try_from(limits::QUERYIDS_ASKED_MAX).unwrap() {
            assert!(asker.wants(&[number; 16]));
            asker.line_up(question(number, "SELECT 1"));
        }
        assert!(!asker.wants(&[200; 16]), "there is no room");
        for number in 0..limits::QUERYIDS_KNOWN_MAX * 2 {
            let mut key = Key::default();
            key[..8].copy_from_slice(&number.to_le_bytes());
            asker.told.learn(key, Some(1));
            let known = asker.told.known.read().unwrap();
            assert!(known.young.len() + known.old.len() <= limits::QUERYIDS_KNOWN_MAX);
        }
    }

    #[test]
    fn databases_and_roles_are_kept_apart() {
        let told: Arc<QueryIds> = Arc::default();
        let of = |database: &str, user: &str| Asker::new(Arc::clone(&told), database, user);
        let shape = crate::gate::shape_of_a_test();
        let key = of("shop", "ann").key(shape);
        told.learn(key, Some(5));
        assert_eq!(of("shop", "ann").queryid(shape), Some(5));
        for (database, user) in [("shop", "bob"), ("shops", "ann"), ("sho", "pann")] {
            assert_eq!(of(database, user).queryid(shape), None, "{database} {user}");
        }
    }
}
