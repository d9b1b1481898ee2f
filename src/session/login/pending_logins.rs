//! Connections that pgsieve waits for before they have logged in: few places, and the oldest gives
//! way to who comes next.
//!
//! A connection stands here while it is its turn to speak: from the accept to its StartupMessage,
//! and while a password or proof is awaited. While pgsieve or the upstream works for it, and once
//! it is in, it does not. So connections that say nothing keep nobody out:
//!
//! * they get a share of all places ([`PendingLogins::new`]); beyond it the oldest gives way
//! * where no place at all is left, the oldest gives way as well, and no client is turned away
//! * the one to go is of the address that has most of them: a flood from one address meets itself
//! * one that came a moment ago is left alone (`limits::PENDING_LOGIN_GRACE`), unless its address
//!   holds more than the share: the clients of a pool that come all at once are no flood
//!
//! Age is counted from the accept: sending a byte now and then makes nobody younger.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::limits;
use crate::net::stream::PeerAddress;
use crate::session::scheduling::worker_load::LoginInProgress;

/// The connections that are waited for. Cloning gives another handle to the same ones.
#[derive(Clone)]
pub struct PendingLogins {
    awaited: Arc<Mutex<AwaitedClients>>,
    share: usize,
}

/// One connection before its login. Dropping it ends its standing here: it is in, or gone.
pub struct PendingLogin {
    logins: PendingLogins,
    number: u64,
    origin: ClientOrigin,
    since: Instant,
    give_way: Arc<Notify>,
    /// Counts it at its worker.
    _worker: Option<LoginInProgress>,
}

/// Whether a place is left for one more client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginCapacity {
    /// There is.
    Left,
    /// All are taken.
    Full,
}

/// Where a connection comes from, as far as floods are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ClientOrigin {
    Address(IpAddr),
    Unix,
}

#[derive(Default)]
struct AwaitedClients {
    /// How many were ever accepted.
    accepted: u64,
    /// By the order in which they were accepted.
    clients: BTreeMap<u64, AwaitedClient>,
    by_origin: HashMap<ClientOrigin, usize>,
}

struct AwaitedClient {
    origin: ClientOrigin,
    since: Instant,
    give_way: Arc<Notify>,
}

impl PendingLogins {
    /// Nobody yet; of that many places for clients in all, a part is for those that are waited for.
    pub fn new(connections_max: usize) -> Self {
        let part = connections_max / limits::PENDING_LOGINS_PART;
        let least = connections_max.min(limits::PENDING_LOGINS_MIN);
        Self {
            awaited: Arc::default(),
            share: part.clamp(least, limits::PENDING_LOGINS_MAX.max(least)),
        }
    }

    /// A connection was accepted. Where there are too many like it, another one is told to give
    /// way. None where all places are taken and nobody gives way.
    pub fn accept(&self, peer: PeerAddress, places: LoginCapacity) -> Option<PendingLogin> {
        let (origin, since) = (ClientOrigin::of(peer), Instant::now());
        let mut awaited = self.awaited();
        let crowded = places == LoginCapacity::Full || awaited.clients.len() >= self.share;
        if crowded && !awaited.dismiss_one(self.share) && places == LoginCapacity::Full {
            return None;
        }
        awaited.accepted += 1;
        let login = PendingLogin {
            logins: self.clone(),
            number: awaited.accepted,
            origin,
            since,
            give_way: Arc::default(),
            _worker: None,
        };
        awaited.add(&login);
        drop(awaited);
        Some(login)
    }

    /// How many connections are waited for.
    pub fn len(&self) -> usize {
        self.awaited().clients.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lists are whole after every step, so a panic elsewhere does not spoil them.
    fn awaited(&self) -> MutexGuard<'_, AwaitedClients> {
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingLogin {
    /// The same connection, which counts at its worker for as long as it is logging in.
    pub fn with_worker(mut self, login: LoginInProgress) -> Self {
        self._worker = Some(login);
        self
    }

    /// The client has said what it was to say: what follows takes the time of others.
    pub fn stop_waiting(&self) {
        self.logins.awaited().remove(self.number);
    }

    /// It is the client's turn again.
    pub fn await_client(&self) {
        self.logins.awaited().add(self);
    }

    /// Waits until it has to give way to another connection. May be cancelled.
    pub async fn gives_way(&self) {
        self.give_way.notified().await;
    }
}

impl Drop for PendingLogin {
    fn drop(&mut self) {
        self.stop_waiting();
    }
}

impl AwaitedClients {
    fn add(&mut self, login: &PendingLogin) {
        let client = AwaitedClient {
            origin: login.origin,
            since: login.since,
            give_way: Arc::clone(&login.give_way),
        };
        if self.clients.insert(login.number, client).is_none() {
            *self.by_origin.entry(login.origin).or_default() += 1;
        }
    }

    fn remove(&mut self, number: u64) -> Option<AwaitedClient> {
        let client = self.clients.remove(&number)?;
        if let Some(count) = self.by_origin.get_mut(&client.origin) {
            *count -= 1;
            if *count == 0 {
                self.by_origin.remove(&client.origin);
            }
        }
        Some(client)
    }

    /// Tells one to give way, if there is one that has to.
    fn dismiss_one(&mut self, share: usize) -> bool {
        let largest = self.by_origin.iter().max_by_key(|(_, count)| **count);
        let Some((&largest, &count)) = largest else {
            return false;
        };
        let mut oldest_first = self.clients.iter();
        let Some((&number, oldest)) = oldest_first.find(|(_, client)| client.origin == largest)
        else {
            return false;
        };
        if oldest.since.elapsed() < limits::PENDING_LOGIN_GRACE && count <= share {
            return false;
        }
        let dismissed = self.remove(number);
        if let Some(client) = &dismissed {
            client.give_way.notify_one();
        }
        dismissed.is_some()
    }
}

impl ClientOrigin {
    fn of(peer: PeerAddress) -> Self {
        match peer {
            PeerAddress::Tcp(address) => Self::Address(match address.ip() {
                IpAddr::V4(address) => IpAddr::V4(address),
                // One host has the whole of its network's addresses to choose from.
                IpAddr::V6(address) => IpAddr::V6((address.to_bits() & NETWORK).into()),
            }),
            PeerAddress::Unix | PeerAddress::Mcp(_) => Self::Unix,
        }
    }
}

impl fmt::Debug for PendingLogins {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PendingLogins({} of {})", self.len(), self.share)
    }
}

impl fmt::Debug for PendingLogin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PendingLogin({})", self.number)
    }
}

/// The first 64 bits of an address of IPv6.
const NETWORK: u128 = !0 << 64;

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use tokio::time::{advance, pause};

    use super::*;

    fn from(host: u8) -> PeerAddress {
        PeerAddress::Tcp((Ipv4Addr::new(127, 0, 0, host), 5).into())
    }

    /// Whether it has been told to go.
    fn is_dismissed(login: &PendingLogin) -> bool {
        let mut gives_way = std::pin::pin!(login.gives_way());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        gives_way.as_mut().poll(&mut context).is_ready()
    }

    /// So many that say nothing, accepted one after the other.
    fn silent(logins: &PendingLogins, host: u8, count: usize) -> Vec<PendingLogin> {
        let accepted = (0..count).map(|_| logins.accept(from(host), LoginCapacity::Left));
        accepted.map(|login| login.unwrap()).collect()
    }

    /// Longer than the grace.
    async fn later() {
        advance(limits::PENDING_LOGIN_GRACE + Duration::from_millis(1)).await;
    }

    fn dismissed(logins: &[PendingLogin]) -> Vec<usize> {
        let places = logins.iter().enumerate();
        let gone = places.filter(|(_, login)| is_dismissed(login));
        gone.map(|(place, _)| place).collect()
    }

    #[tokio::test]
    async fn the_oldest_that_says_nothing_gives_way_beyond_the_share() {
        pause();
        let logins = PendingLogins::new(1_000);
        let share = logins.share;
        assert!((limits::PENDING_LOGINS_MIN..1_000).contains(&share));
        let flood = silent(&logins, 1, share);
        later().await;
        assert_eq!(logins.len(), share);
        let real = logins.accept(from(1), LoginCapacity::Left).unwrap();
        assert_eq!(dismissed(&flood), [0]);
        let next = logins.accept(from(1), LoginCapacity::Left).unwrap();
        assert_eq!(dismissed(&flood), [1]);
        assert!(!is_dismissed(&real) && !is_dismissed(&next));
        assert_eq!(logins.len(), share);
    }

    #[tokio::test]
    async fn a_flood_from_one_address_meets_itself() {
        pause();
        let logins = PendingLogins::new(1_000);
        let slow = silent(&logins, 2, 3);
        let flood = silent(&logins, 1, logins.share);
        later().await;
        let more = silent(&logins, 1, 20);
        assert_eq!(dismissed(&slow), Vec::<usize>::new());
        // There were three too many before any was old enough.
        assert_eq!(dismissed(&flood), (0..20).collect::<Vec<_>>());
        assert_eq!(dismissed(&more), Vec::<usize>::new());
    }

    #[tokio::test]
    async fn a_pool_that_comes_all_at_once_is_no_flood() {
        pause();
        let logins = PendingLogins::new(1_000);
        let half = logins.share / 2;
        let pools: Vec<_> = (1..=4).map(|host| silent(&logins, host, half)).collect();
        for pool in &pools {
            assert_eq!(dismissed(pool), Vec::<usize>::new());
        }
        assert_eq!(logins.len(), 4 * half);
        // Even where no place is left, those before it stay, and it is turned away as ever.
        assert!(logins.accept(from(5), LoginCapacity::Full).is_none());
    }

    #[tokio::test]
    async fn where_all_places_are_taken_one_that_is_waited_for_gives_way() {
        pause();
        let logins = PendingLogins::new(10);
        assert!(logins.accept(from(1), LoginCapacity::Full).is_none());
        let flood = silent(&logins, 1, 3);
        later().await;
        let real = logins.accept(from(2), LoginCapacity::Full).unwrap();
        assert_eq!(dismissed(&flood), [0]);
        assert!(!is_dismissed(&real));
        // A flood that is too quick for the grace has none beyond its share.
        let flood = silent(&logins, 3, 11);
        assert!(logins.accept(from(2), LoginCapacity::Full).is_some());
        assert!(is_dismissed(&flood[0]));
    }

    #[tokio::test]
    async fn who_is_worked_for_does_not_give_way_and_grows_no_younger() {
        pause();
        let logins = PendingLogins::new(10);
        let working = logins.accept(from(1), LoginCapacity::Left).unwrap();
        let silent = logins.accept(from(1), LoginCapacity::Left).unwrap();
        working.stop_waiting();
        working.stop_waiting();
        later().await;
        assert!(logins.accept(from(1), LoginCapacity::Full).is_some());
        assert!(is_dismissed(&silent) && !is_dismissed(&working));
        assert!(logins.is_empty());
        // When its password is awaited it is the oldest again.
        let younger = logins.accept(from(1), LoginCapacity::Left).unwrap();
        later().await;
        working.await_client();
        working.await_client();
        assert_eq!(logins.len(), 2);
        assert!(logins.accept(from(1), LoginCapacity::Full).is_some());
        assert!(is_dismissed(&working) && !is_dismissed(&younger));
    }

    #[test]
    fn small_servers_keep_all_their_places() {
        for (connections_max, share) in [(1, 1), (20, 20), (64, 64), (400, 100), (100_000, 1_000)] {
            assert_eq!(PendingLogins::new(connections_max).share, share);
        }
    }
}
