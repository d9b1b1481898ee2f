//! What was learnt of users, each for a while.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::FoundUser;
use super::question::{LookupAnswer, LookupFailure};
use crate::limits::verifiers::{ENTRIES_MAX, FAILED_AGE};
use crate::upstream::servers::UpstreamServers;

/// All users that somebody has named.
#[derive(Default)]
pub(super) struct KnownUsers {
    users: HashMap<UserKey, Arc<UserEntry>>,
}

/// A user at some servers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct UserKey {
    servers: ServersKey,
    user: Box<str>,
}

/// Servers by their place in memory, which is theirs for as long as this lives.
#[derive(Clone)]
struct ServersKey(Arc<UpstreamServers>);

/// What is known of one. Whoever asks for it has others wait for the answer.
#[derive(Default)]
pub(super) struct UserEntry {
    state: Mutex<EntryState>,
}

#[derive(Default)]
pub(super) struct EntryState(Option<(Instant, Result<Arc<LookupAnswer>, LookupFailure>)>);

impl KnownUsers {
    /// That of a user. Where there are too many, some other makes room.
    pub(super) fn entry(&mut self, key: UserKey) -> Arc<UserEntry> {
        if let Some(known) = self.users.get(&key) {
            return Arc::clone(known);
        }
        if self.users.len() >= ENTRIES_MAX {
            let other = self.users.keys().next().cloned();
            other.map(|other| self.users.remove(&other));
        }
        let entry = Arc::new(UserEntry::default());
        self.users.insert(key, Arc::clone(&entry));
        entry
    }

    pub(super) fn forget(&mut self, key: &UserKey) {
        self.users.remove(key);
    }
}

impl UserKey {
    pub(super) fn new(servers: &Arc<UpstreamServers>, user: &str) -> Self {
        Self {
            servers: ServersKey(Arc::clone(servers)),
            user: user.into(),
        }
    }
}

impl UserEntry {
    /// Waits for whoever asks. May be cancelled.
    pub(super) async fn state(&self) -> MutexGuard<'_, EntryState> {
        self.state.lock().await
    }
}

impl EntryState {
    /// What is known, where that is not too old. That there is no such user lasts as long as what
    /// there is, so that how long a login takes tells nothing.
    pub(super) fn known(&self, cache_age: Duration) -> Option<Result<FoundUser, LookupFailure>> {
        let (asked, told) = self.0.as_ref()?;
        let lasts = match told {
            Ok(_) => cache_age,
            Err(_) => FAILED_AGE,
        };
        let found = |answer: &Arc<LookupAnswer>| FoundUser {
            answer: Arc::clone(answer),
            asked: *asked,
            is_news: false,
        };
        let is_fresh = asked.elapsed() < lasts;
        is_fresh.then(|| told.as_ref().map(found).map_err(Clone::clone))
    }

    pub(super) fn told(&mut self, asked: Instant, told: Result<Arc<LookupAnswer>, LookupFailure>) {
        // A failure may have taken its time: it is known from now on.
        let since = match told {
            Ok(_) => asked,
            Err(_) => Instant::now(),
        };
        self.0 = Some((since, told));
    }
}

impl PartialEq for ServersKey {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ServersKey {}

impl Hash for ServersKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::address::UpstreamSettings;
    use crate::upstream::servers::ServersSettings;

    fn servers() -> Arc<UpstreamServers> {
        let settings = UpstreamSettings::parse("postgres://one").unwrap();
        Arc::new(UpstreamServers::load(settings, ServersSettings::alone()).unwrap())
    }

    #[test]
    fn names_that_are_made_up_take_bounded_room() {
        let (servers, mut known) = (servers(), KnownUsers::default());
        for number in 0..ENTRIES_MAX + 10 {
            known.entry(UserKey::new(&servers, &number.to_string()));
        }
        assert_eq!(known.users.len(), ENTRIES_MAX);
    }

    #[test]
    fn the_same_name_at_other_servers_is_another_user() {
        let (one, other, mut known) = (servers(), servers(), KnownUsers::default());
        let ann = known.entry(UserKey::new(&one, "ann"));
        assert!(Arc::ptr_eq(&ann, &known.entry(UserKey::new(&one, "ann"))));
        assert!(!Arc::ptr_eq(
            &ann,
            &known.entry(UserKey::new(&other, "ann"))
        ));
        assert!(!Arc::ptr_eq(&ann, &known.entry(UserKey::new(&one, "Ann"))));
        known.forget(&UserKey::new(&one, "ann"));
        assert!(!Arc::ptr_eq(&ann, &known.entry(UserKey::new(&one, "ann"))));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_known_lasts_as_long_as_it_may() {
        let age = Duration::from_secs(10);
        let verifier = || {
            let text = crate::auth::verifier::ScramVerifier::make(&crate::secret::Secret::new("x"));
            let verifier = crate::auth::verifier::ScramVerifier::parse(&text.unwrap());
            Ok(Arc::new(LookupAnswer::Verifier(verifier.unwrap())))
        };
        for (told, lasts) in [
            (verifier(), age),
            (Ok(Arc::new(LookupAnswer::Nobody)), age),
            (Err(LookupFailure::TimedOut), FAILED_AGE),
        ] {
            let mut state = EntryState::default();
            assert!(state.known(age).is_none());
            state.told(Instant::now(), told);
            tokio::time::advance(lasts - Duration::from_millis(1)).await;
            assert!(state.known(age).is_some());
            tokio::time::advance(Duration::from_millis(1)).await;
            assert!(state.known(age).is_none());
        }
    }
}
