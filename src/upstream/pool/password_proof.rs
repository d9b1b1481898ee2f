//! Passwords that a server has accepted: who comes with the same one a short while later shares
//! connections, and the server is not asked again.
//!
//! A password belongs to its pool, and is known for as long as that has connections or sessions.
//! One that no server has accepted is in no pool that anybody is given: whoever tries passwords
//! takes no room beyond a bound, and those who try one at the same time have it asked once.

use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Mutex as AsyncMutex;
use tokio::time::{Instant, timeout_at};

use super::database_bound::PoolTurn;
use super::places::PoolPlace;
use super::source::{ConnectionClass, OpenError, OpenedConnection};
use super::{ConnectionPool, ConnectionPools, ConnectionWish, PoolError, PoolKey};
use crate::limits;
use crate::upstream::connect::Upstream;
use crate::upstream::fair_slots::FairSlot;
use crate::upstream::login::{UpstreamAuthMethod, UpstreamLoginError, sqlstate_of};
use crate::upstream::servers::UpstreamServers;

/// What a server has said of the password of a pool.
#[derive(Default)]
pub(super) struct PasswordProof {
    /// When it was asked that has accepted it; none where it has not, or does not any more.
    accepted: Mutex<Option<Instant>>,
    /// Held by whoever asks. What the last one heard who was not accepted.
    asking: AsyncMutex<Option<LastAnswer>>,
}

/// Holds for those who waited for it, and for nobody who comes later.
struct LastAnswer {
    told: Instant,
    answer: Result<PasswordCheck, PoolError>,
}

/// What came of a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordCheck {
    /// The server accepts it: its connections may be shared.
    Accepted,
    /// It has done so a short while ago, and was not asked.
    Known,
    /// The server lets the user in without asking for it: nothing is proved.
    NotAsked,
    /// So many passwords are there that this one shares nothing, or the database is not for that.
    NoRoom,
}

impl ConnectionPools {
    /// Whether a server of these lets the account of a wish in by its password: as it has said
    /// within `cache_age`, or says now. A connection that is opened to hear that is for whoever
    /// comes next.
    ///
    /// May be cancelled: others who wait for the same answer ask for it themselves.
    ///
    /// # Errors
    /// The server does not accept it, or is not there; or no connection may be opened in time.
    pub async fn check_password(
        &self,
        (upstream, servers): (&Arc<Upstream>, &UpstreamServers),
        database: &str,
        wish: &ConnectionWish,
        cache_age: Duration,
    ) -> Result<PasswordCheck, PoolError> {
        let account = wish.source.account();
        let key = PoolKey::of(upstream, database, account);
        let Some(pool) = self.pool_to_ask(&key) else {
            return Ok(PasswordCheck::NoRoom);
        };
        let came = Instant::now();
        if pool.password.holds(cache_age) {
            return Ok(PasswordCheck::Known);
        }
        let mut last = pool.password.asking.lock().await;
        if pool.password.holds(cache_age) {
            return Ok(PasswordCheck::Known);
        }
        if let Some(last) = last.as_ref().filter(|last| last.told >= came) {
            return last.answer.clone();
        }
        let answer = match pool.ask_server(wish).await {
            Ok(Some(asked)) => {
                let check = self.accept(&key, &pool, asked);
                if let (PasswordCheck::Accepted, Some(current)) = (check, key.secret) {
                    self.supersede(servers, &account.user, current);
                }
                return Ok(check);
            }
            Ok(None) => Ok(PasswordCheck::NotAsked),
            Err(error) => Err(error),
        };
        self.forget_asked(&key, &pool);
        if answer.as_ref().err().is_none_or(holds_for_others) {
            *last = Some(LastAnswer {
                told: Instant::now(),
                answer: answer.clone(),
            });
        }
        answer
    }

    /// The pool of a password, which nobody else is given before the server has accepted it.
    fn pool_to_ask(&self, key: &PoolKey) -> Option<Arc<ConnectionPool>> {
        let mut held = self.shared.pools();
        if let Some(known) = held.pools.get(key).or_else(|| held.asked.get(key)) {
            return Some(Arc::clone(known));
        }
        if held.asked.len() >= limits::pools::PASSWORDS_ASKED_MAX || !self.are_for(&key.database) {
            return None;
        }
        let pool = self.shared.new_pool(&mut held, key);
        held.asked.insert(key.clone(), Arc::clone(&pool));
        Some(pool)
    }

    /// The server has accepted the password of a pool.
    fn accept(&self, key: &PoolKey, pool: &Arc<ConnectionPool>, asked: Instant) -> PasswordCheck {
        let mut held = self.shared.pools();
        held.forget_asked(key, pool);
        let evicted = match held.pools.contains_key(key) {
            true => None,
            false => held.make_room(),
        };
        if let Some(evicted) = evicted {
            evicted.renew_connections();
        }
        let has_room = held.pools.len() < limits::pools::POOLS_MAX;
        let check = match held.pools.entry(key.clone()) {
            Entry::Occupied(known) => {
                known.get().password.accept(asked);
                if Arc::ptr_eq(known.get(), pool) {
                    return PasswordCheck::Accepted;
                }
                PasswordCheck::Accepted
            }
            Entry::Vacant(place) if has_room => {
                pool.password.accept(asked);
                place.insert(Arc::clone(pool));
                return PasswordCheck::Accepted;
            }
            Entry::Vacant(_) => PasswordCheck::NoRoom,
        };
        drop(held);
        // Nobody is given this one.
        pool.renew_connections();
        check
    }

    fn forget_asked(&self, key: &PoolKey, pool: &Arc<ConnectionPool>) {
        self.shared.pools().forget_asked(key, pool);
    }
}

impl ConnectionPool {
    /// Opens a connection, whatever others there are, when it is the user's turn. When the server
    /// was asked, where it has asked for the password.
    ///
    /// It waits for no turn of the database and takes no place of it: with passwords that nobody
    /// has accepted, and names that are none, whoever tries them would be before all others.
    async fn ask_server(
        self: &Arc<Self>,
        wish: &ConnectionWish,
    ) -> Result<Option<Instant>, PoolError> {
        let since = Instant::now();
        let until = self.waits_until(wish, since);
        let waits = self.waits(wish);
        let slot = self.user_slot(wish, until).await?;
        drop(waits);
        // Each round waits for the end of a pause.
        let place = loop {
            if let Some(place) = self.place(None) {
                break place;
            }
            let resumed = timeout_at(until, self.until_resumed()).await;
            resumed.map_err(|_elapsed| self.in_vain(since))?;
        };
        let asked = Instant::now();
        let opened = wish.source.open_telling().await;
        let (opened, method) = opened.map_err(|error| self.not_opened(error))?;
        let class = wish.source.class();
        match method {
            UpstreamAuthMethod::Nothing => {
                let (session, base) = opened;
                let unused = self.opened((session, Arc::new(base)), class, place);
                unused.close_used();
                Ok(None)
            }
            UpstreamAuthMethod::Cleartext | UpstreamAuthMethod::Md5 | UpstreamAuthMethod::Scram => {
                self.refill().note_opened(&wish.source);
                self.keep_asked(opened, class, (place, slot));
                Ok(Some(asked))
            }
        }
    }

    /// The connection is there for whoever comes next, where its database has room for it.
    fn keep_asked(
        self: &Arc<Self>,
        opened: OpenedConnection,
        class: ConnectionClass,
        (mut place, slot): (PoolPlace, FairSlot),
    ) {
        let mut database = None;
        if let Some(bound) = &self.bound {
            let (Some(turn), Some(room)) = (bound.free_turn(), bound.free_place()) else {
                let (session, base) = opened;
                let opened = self.opened((session, Arc::new(base)), class, place);
                return opened.close_used();
            };
            place.counts_in(room);
            database = Some(turn);
        }
        self.keep_ready(opened, class, (place, PoolTurn { slot, database }));
    }

    /// No connection was to be had: where the account is not let in, its password is asked about
    /// by whoever comes next.
    pub(super) fn not_opened(&self, error: OpenError) -> PoolError {
        self.note_refusal(&error);
        PoolError::Open(error)
    }

    /// The same where nobody waits for the connection.
    pub(super) fn note_refusal(&self, error: &OpenError) {
        if error.is_refusal_of_account() {
            self.password.forget();
        }
    }
}

impl PasswordProof {
    /// Whether a server has accepted it within that time.
    fn holds(&self, cache_age: Duration) -> bool {
        self.accepted()
            .is_some_and(|asked| asked.elapsed() < cache_age)
    }

    /// When a server was asked last that has accepted it.
    pub(super) fn last_accepted(&self) -> Option<Instant> {
        *self.accepted()
    }

    /// A server that was asked then accepts it.
    fn accept(&self, asked: Instant) {
        let mut accepted = self.accepted();
        *accepted = (*accepted).max(Some(asked));
    }

    /// Whoever comes next has it asked about.
    pub(super) fn forget(&self) {
        *self.accepted() = None;
    }

    fn accepted(&self) -> MutexGuard<'_, Option<Instant>> {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether others who have come with the same password at the same time would be told the same,
/// whatever else each of them asks for.
fn holds_for_others(error: &PoolError) -> bool {
    match error {
        PoolError::Open(OpenError::Login(UpstreamLoginError::Refused(message))) => {
            let code = sqlstate_of(message).unwrap_or_default();
            CODES_FOR_ALL.iter().any(|class| code.starts_with(class))
        }
        PoolError::Open(OpenError::Login(UpstreamLoginError::Unsaid(_))) => false,
        PoolError::Open(OpenError::Login(_)) => true,
        PoolError::Open(OpenError::NotReadOnly(_))
        | PoolError::AllBusy { .. }
        | PoolError::Paused { .. }
        | PoolError::OtherBase
        | PoolError::NoServer
        | PoolError::Settle(_)
        | PoolError::Closed => false,
    }
}

/// Classes of codes of a server that looks at the account, or is not ready: the account is not let
/// in, the database is not there, there is no room, it starts or stops.
const CODES_FOR_ALL: [&str; 4] = ["28", "3D", "53", "57"];

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use tokio::runtime::Handle;

    use super::*;
    use crate::net::framed_stream::{OwnedMessage, PeerError};
    use crate::secret::Secret;
    use crate::telemetry::Telemetry;
    use crate::upstream::account::UpstreamAccount;
    use crate::upstream::address::UpstreamSettings;
    use crate::upstream::pool::{ConnectionsMax, PoolMode, PoolSettings};
    use crate::upstream::verify::VerifyError;

    fn refused(code: &str) -> PoolError {
        let mut bytes = vec![b'E', 0, 0, 0, 0];
        bytes.extend_from_slice(format!("SFATAL\0C{code}\0Mno\0\0").as_bytes());
        let bytes = Bytes::from(bytes);
        let message = OwnedMessage { kind: b'E', bytes };
        PoolError::Open(OpenError::Login(UpstreamLoginError::Refused(message)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_password_holds_for_its_time_and_no_longer_than_the_server_lets_it() {
        let (proof, age) = (PasswordProof::default(), Duration::from_secs(10));
        assert!(!proof.holds(age));
        let asked = Instant::now();
        proof.accept(asked);
        tokio::time::advance(age - Duration::from_millis(1)).await;
        assert!(proof.holds(age) && !proof.holds(age / 2));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!proof.holds(age));
        // An answer that comes late makes nothing older.
        proof.accept(Instant::now());
        proof.accept(asked);
        assert!(proof.holds(age));
        proof.forget();
        assert!(!proof.holds(age));
    }

    fn key(upstream: &Arc<Upstream>, user: usize) -> PoolKey {
        let account = UpstreamAccount {
            user: user.to_string(),
            secret: Some(Secret::new("right").into()),
        };
        PoolKey::of(upstream, "sales", &account)
    }

    #[tokio::test]
    async fn passwords_take_bounded_room_and_the_one_of_longest_ago_makes_some() {
        let settings = UpstreamSettings::parse("postgres://one").unwrap();
        let upstream = Arc::new(Upstream::load(settings).unwrap());
        let settings = PoolSettings {
            mode: PoolMode::Transaction,
            database_max: ConnectionsMax::Unbounded,
            size: 1,
            min: 0,
            reserve: 0,
            reserve_wait: Duration::ZERO,
            query_wait: Duration::ZERO,
            server_lifetime: Duration::from_secs(60),
            server_idle_timeout: Duration::from_secs(60),
            max_prepared_statements: 1,
        };
        let telemetry = Telemetry::quiet().unwrap();
        let pools = ConnectionPools::new((settings, Vec::new()), telemetry, &Handle::current());
        let most = limits::pools::PASSWORDS_ASKED_MAX;
        let asked: Vec<_> = (0..most)
            .map(|user| pools.pool_to_ask(&key(&upstream, user)).unwrap())
            .collect();
        assert!(pools.pool_to_ask(&key(&upstream, most)).is_none());
        // Those who come with the same one share the question.
        let again = pools.pool_to_ask(&key(&upstream, 3)).unwrap();
        assert!(Arc::ptr_eq(&again, &asked[3]));
        for (user, pool) in asked.iter().enumerate() {
            pools.forget_asked(&key(&upstream, user), pool);
        }
        assert!(pools.shared.pools().asked.is_empty() && pools.shared.pools().pools.is_empty());

        let most = limits::pools::POOLS_MAX;
        let begins = Instant::now();
        let accept = |user: usize| {
            let key = key(&upstream, user);
            let pool = pools.pool_to_ask(&key).unwrap();
            let asked = begins + Duration::from_millis(u64::try_from(user).unwrap());
            pools.accept(&key, &pool, asked)
        };
        assert_eq!(accept(0), PasswordCheck::Accepted);
        let used = pools.pool_to_ask(&key(&upstream, 0)).unwrap();
        for user in 1..=most {
            assert_eq!(accept(user), PasswordCheck::Accepted);
        }
        let has = |user| {
            pools
                .shared
                .pools()
                .pools
                .contains_key(&key(&upstream, user))
        };
        assert_eq!(pools.shared.pools().pools.len(), most);
        // Whoever uses one keeps it.
        assert!(has(0) && !has(1) && has(2) && has(most));
        drop(used);
        assert_eq!(accept(most + 1), PasswordCheck::Accepted);
        assert!(!has(0) && has(2));
    }

    #[test]
    fn what_depends_on_the_settings_of_one_client_is_told_to_nobody_else() {
        for code in ["28P01", "28000", "53300", "57P03", "3D000"] {
            assert!(holds_for_others(&refused(code)), "{code}");
        }
        let lost = UpstreamLoginError::Link(PeerError::Closed);
        assert!(holds_for_others(&PoolError::Open(OpenError::Login(lost))));
        for code in ["22023", "42704", "08P01", ""] {
            assert!(!holds_for_others(&refused(code)), "{code}");
        }
        let unproved = PoolError::Open(OpenError::NotReadOnly(VerifyError::NoSearchPath));
        assert!(!holds_for_others(&unproved));
        let waited = Duration::ZERO;
        assert!(!holds_for_others(&PoolError::Paused { waited }));
    }
}
