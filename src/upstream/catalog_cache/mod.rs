//! Keeps what a database contains known: one cache per database and server loads a snapshot of it,
//! looks again and again whether it still holds, and loads anew when it does not.
//!
//! A snapshot belongs to the server that it was read from. Behind one address there may be several,
//! after a failover or before a balancer: a session is judged by the snapshot of its own server or
//! by none.
//!
//! How long a change in the database stays unseen, at most: `catalog.poll_interval` until it is
//! noticed, and then the time of a load, which is under a second for thousands of tables; and never
//! longer than `catalog.age_max`. Until then statements are judged by the snapshot before. A change
//! that is announced on the channel `pgsieve_catalog` is noticed at once. When nobody can say
//! whether the snapshot still holds, or what holds now cannot be loaded, it is withdrawn after
//! `catalog.age_max`, counted from the last check that found it to hold, and the policy decides
//! what runs without one.
//!
//! * `settings`: what can be set; `catalog_account`: who the cache logs in as; `account_change`: that
//!   changes while it runs
//! * `registry`: the caches of all databases; `server_choice`: at which server one is
//! * `published`: what is known now, for sessions to read; `policy_effects`: the same under each policy
//! * `refresh_task`: a cache's task; `connection`: one connection of it; `load_failure`: how one ends;
//!   `replication_lag`: how far a standby is behind
//!
//! Never blocks a session: what sessions call takes a lock for as long as a pointer is copied.

mod account_change;
pub mod catalog_account;
pub mod connection;
pub mod load_failure;
pub mod policy_effects;
pub mod published;
pub mod refresh_task;
pub mod registry;
mod replication_lag;
pub mod server_choice;
pub mod settings;

use std::fmt;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

pub use self::published::{State, Status};
pub use self::registry::{CatalogStatus, Catalogs};
pub use self::settings::KeeperSettings;

use self::catalog_account::{Accounts, Known};
use self::published::Board;
use self::server_choice::{Berth, Called};
use crate::gate::effects::graph::Sight;
use crate::limits;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::snapshot::Account;

/// What is known of one database at one server, and the wish to know it better: what a session
/// holds. While any session does, the keeper stays.
pub struct Keeper {
    charge: Arc<Charge>,
}

/// One database at one server, as its keeper's task and the registry have it.
struct Charge {
    database: Box<str>,
    board: Board,
    accounts: Accounts,
    berth: Berth,
    suspicion: Notify,
}

impl Keeper {
    /// The database.
    pub fn database(&self) -> &str {
        &self.charge.database
    }

    /// A number that is another one whenever [`Self::sight`] may be; zero while there is none.
    /// Cheap: two atomics and the clock.
    pub fn generation(&self) -> u64 {
        self.charge.board.generation()
    }

    /// The eyes of the gate for this database, under the policy of that version; none while no
    /// snapshot is loaded, or when it is not known for too long whether the one that was still
    /// holds.
    pub fn sight(&self, policy_version: u64) -> Option<Arc<Sight>> {
        self.charge.board.sight(policy_version)
    }

    /// What a role is a member of, by the snapshot that is shown, itself among it; none while no
    /// snapshot holds, or where the snapshot does not know the role.
    pub fn roles(&self, role: &str) -> Option<Vec<Box<str>>> {
        self.charge.roles(role)
    }

    /// Waits for the end of the first load, or of the first after an outage, good or bad, and not
    /// longer than a login may wait for it. May be cancelled.
    pub async fn first_load(&self, deadline: Instant) {
        let deadline = deadline.min(Instant::now() + limits::CATALOG_FIRST_LOAD_WAIT_MAX);
        // In vain: the login goes on without, and the policy decides.
        let _ = timeout_at(deadline, self.charge.board.settled()).await;
    }

    /// A statement failed in a way that the snapshot does not explain: it is checked now instead
    /// of at the next interval. How often that happens is bounded by the keeper.
    pub fn suspect(&self) {
        self.charge.suspicion.notify_one();
    }

    /// A statement is judged, and nothing is known: whoever pauses should not pause for long.
    pub fn miss(&self) {
        self.charge.berth.miss();
    }

    /// How it stands.
    pub fn status(&self) -> Status {
        self.charge.board.status()
    }
}

impl Catalogs {
    /// What a role is a member of by a snapshot of that database, of whichever server: what is made
    /// of it has to be looked at again with the session's own.
    pub fn roles_at_any(&self, database: &str, role: &str) -> Option<Vec<Box<str>>> {
        let charges = self.registry.as_ref()?.charges();
        let mut own = charges
            .iter()
            .filter(|charge| *charge.database == *database);
        own.find_map(|charge| charge.roles(role))
    }
}

impl Charge {
    fn new(database: &str, settings: &KeeperSettings, account: Known) -> Self {
        let accounts = Accounts::new(account);
        Self {
            database: database.into(),
            board: Board::new(first_state(&accounts), settings.age_max),
            accounts,
            berth: Berth::default(),
            suspicion: Notify::new(),
        }
    }

    fn roles(&self, role: &str) -> Option<Vec<Box<str>>> {
        let shown = self.board.sights().filter(|_| self.board.is_fresh())?;
        let catalog = shown.catalog();
        let above = catalog.roles_above(catalog.role_named(role)?);
        Some(above.into_iter().map(Box::from).collect())
    }

    /// It is that server's catalog that is wanted from now on, and no more what is shown.
    fn move_to(&self, server: ServerIdentity) {
        self.berth.address(server);
        self.board.take_down(first_state(&self.accounts));
    }

    /// A client has just logged in at the server: it is there, and what is known of it is needed
    /// now.
    fn call(&self) {
        if self.accounts.current().is_none() {
            return;
        }
        match self.berth.call() {
            Called::Comes => self.board.expect_load(),
            Called::There if !self.board.is_fresh() => {
                self.board.expect_load();
                self.suspicion.notify_one();
            }
            Called::There | Called::Waits => {}
        }
    }

    /// The account that a client has just logged in with, in case none is known that works.
    fn offer(&self, account: Account) {
        if self.accounts.offer(account) {
            self.board.expect_load();
        }
    }
}

/// How a keeper begins.
fn first_state(accounts: &Accounts) -> State {
    match accounts.current() {
        Some(_) => State::Loading,
        None => State::ExpectAccount,
    }
}

impl fmt::Debug for Keeper {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Keeper({:?})", self.status())
    }
}
