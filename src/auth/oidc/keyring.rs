//! The issuer's keys as they are known now: of a file, or fetched and fetched again.
//!
//! Keys of an address are fetched when the first client comes, when they are old, and when a token
//! names one that is not there, but not more often than once in a while, whoever comes with
//! whatever name. While the address does not answer, the old ones hold for a day.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::algorithm::{Algorithm, PublicKey};
use super::key_set::{KeySet, KeySetError};
use super::token::TokenError;
use crate::limits;
use crate::net::https::{Document, FetchError, HttpsUrl};

/// Where keys are. Cheap to clone.
#[derive(Clone)]
pub enum Keyring {
    /// In a file that was read with the settings.
    Fixed(Arc<KeySet>),
    /// At an address.
    Fetched(Arc<Fetched>),
}

/// Keys of an address.
pub struct Fetched {
    url: HttpsUrl,
    document: Document,
    known: Mutex<Known>,
    /// Changes at the end of each try.
    tries: watch::Sender<u64>,
}

#[derive(Default)]
struct Known {
    keys: Option<Arc<KeySet>>,
    /// When they were fetched.
    since: Option<Instant>,
    /// When it was tried last.
    tried: Option<Instant>,
    /// Whether that goes on.
    trying: bool,
    /// Whether they are to be fetched however young they are: the settings were read again.
    is_due: bool,
    /// Why that was in vain.
    fault: Option<KeysFault>,
}

/// Why there are no keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeysFault {
    /// They were not got.
    Fetch(FetchError),
    /// What was got is no set of keys.
    Keys(KeySetError),
}

impl Keyring {
    /// The key of a name. Fetches where that could help.
    ///
    /// May be cancelled: what is being fetched is fetched on for others.
    ///
    /// # Errors
    /// There is no such key, or there are none.
    pub async fn key(
        &self,
        (name, algorithm): (&str, Algorithm),
        deadline: Instant,
    ) -> Result<PublicKey, TokenError> {
        let of = |keys: &KeySet| {
            let found = keys.key(name, algorithm).cloned();
            found.ok_or(TokenError::UnknownKey)
        };
        let fetched = match self {
            Self::Fixed(keys) => return of(keys),
            Self::Fetched(fetched) => fetched,
        };
        if let Some(Ok(key)) = fetched.fresh().map(|keys| of(&keys)) {
            return Ok(key);
        }
        fetched.try_again(deadline).await;
        let known = fetched.known();
        let keys = known.usable().ok_or(TokenError::NoKeys(known.fault))?;
        of(&keys)
    }

    /// How many keys there are, fetched now where they are at an address.
    ///
    /// # Errors
    /// There are none.
    pub async fn look(&self) -> Result<usize, KeysFault> {
        match self {
            Self::Fixed(keys) => Ok(keys.count()),
            Self::Fetched(fetched) => fetched.fetch().await.map(|keys| keys.count()),
        }
    }

    /// Goes on with what was known before, where it is of the same address; the next login fetches.
    pub fn after(self, before: &Self) -> Self {
        if let (Self::Fetched(own), Self::Fetched(old)) = (&self, before)
            && own.url == old.url
        {
            let old = old.known();
            *own.known() = Known {
                keys: old.keys.clone(),
                since: old.since,
                is_due: true,
                ..Known::default()
            };
        }
        self
    }
}

impl Fetched {
    /// None are known yet.
    pub fn new(url: HttpsUrl, document: Document) -> Self {
        Self {
            url,
            document,
            known: Mutex::default(),
            tries: watch::Sender::new(0),
        }
    }

    /// Those that are young enough not to be fetched again.
    fn fresh(&self) -> Option<Arc<KeySet>> {
        let known = self.known();
        let is_young = known.age().is_some_and(|age| age < limits::JWKS_AGE_MAX);
        known.keys.clone().filter(|_| is_young && !known.is_due)
    }

    /// Fetches unless that was tried a moment ago; whoever comes while it is tried waits for it.
    async fn try_again(self: &Arc<Self>, deadline: Instant) {
        let mut tries = self.tries.subscribe();
        let now = Instant::now();
        match self.known().begin(now) {
            Turn::Begins => {
                // By itself: a client that goes away keeps nobody else from the keys.
                tokio::spawn(Arc::clone(self).try_once());
            }
            Turn::Waits => {}
            Turn::TooSoon => return,
        }
        let end = deadline.min(now + limits::DOCUMENT_FETCH_TIME_MAX);
        // In vain: what is known is looked at all the same.
        let _ = timeout_at(end, tries.changed()).await;
    }

    async fn try_once(self: Arc<Self>) {
        // What came of it is in what is known.
        let _ = self.fetch().await;
        self.tries
            .send_modify(|tries| *tries = tries.wrapping_add(1));
    }

    async fn fetch(&self) -> Result<Arc<KeySet>, KeysFault> {
        let fetched = match self.document.fetch().await {
            Ok(text) => KeySet::parse(&text).map_err(KeysFault::Keys),
            Err(error) => Err(KeysFault::Fetch(error)),
        };
        let fetched = fetched.map(Arc::new);
        let mut known = self.known();
        known.trying = false;
        known.fault = fetched.as_ref().err().copied();
        if let Ok(keys) = &fetched {
            known.keys = Some(Arc::clone(keys));
            known.since = Some(Instant::now());
            known.is_due = false;
        }
        fetched
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whose turn it is to fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Whoever asks.
    Begins,
    /// Somebody else does.
    Waits,
    /// Nobody: it was tried a moment ago.
    TooSoon,
}

impl Known {
    fn begin(&mut self, now: Instant) -> Turn {
        let since = self.tried.map(|tried| now.duration_since(tried));
        // A try that has died is none any more after the pause.
        if since.is_none_or(|time| time >= limits::JWKS_FETCH_PAUSE) {
            self.tried = Some(now);
            self.trying = true;
            return Turn::Begins;
        }
        match self.trying {
            true => Turn::Waits,
            false => Turn::TooSoon,
        }
    }

    /// Those that hold, however old, within a bound.
    fn usable(&self) -> Option<Arc<KeySet>> {
        let holds = self.age().is_some_and(|age| age < limits::JWKS_OUTAGE_MAX);
        self.keys.clone().filter(|_| holds)
    }

    fn age(&self) -> Option<Duration> {
        self.since.map(|since| since.elapsed())
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(keys) => write!(formatter, "Keyring({} keys)", keys.count()),
            Self::Fetched(_) => formatter.write_str("Keyring(fetched)"),
        }
    }
}

impl fmt::Display for KeysFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fetch(error) => error.fmt(formatter),
            Self::Keys(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for KeysFault {}
