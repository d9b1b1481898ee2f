//! The events. Each says in one place what it counts, what line it leaves and what a person reads.
//!
//! * `connection`: accepted, refused, closed; `login`: who came in and who did not
//! * `statement`: one per statement; `repair`: one per repair of a statement; `plan`: one per
//!   plan that was asked for
//! * `limit`: where a policy's limit was reached; `limits_store`: the store that limits are counted
//!   in together
//! * `alarm`: what must never happen
//! * `catalog`: what is known of the database; `upstream`: what is known of the server; `pool`:
//!   its connections;
//!   `policy`: which policies hold; `settings`: which settings do; `process`: start, drain, stop;
//!   `warnings`: what should be fixed about the settings
//! * `admin`: requests to the admin address; `console`: what the console is asked to do;
//!   `stale_groundings`: what sessions stand on

pub mod admin;
pub mod alarm;
pub mod catalog;
pub mod connection;
pub mod console;
pub mod limit;
pub mod limits_store;
pub mod login;
pub mod plan;
pub mod policy;
pub mod pool;
pub mod process;
pub mod repair;
pub mod settings;
pub mod stale_groundings;
pub mod statement;
pub mod upstream;
pub mod warnings;
pub mod worker;

pub use admin::{AdminAnswered, AdminPage, StatusClass};
pub use alarm::{ProtocolViolation, SessionPanicked, TripwireFired};
pub use catalog::{
    CatalogChecked, CatalogDrifted, CatalogFailed, CatalogForgotten, CatalogLoaded, CatalogWanted,
    CatalogWithdrawn, StatementJudgedWithoutCatalog,
};
pub use connection::{
    BackendSignalled, CancelHandled, ConnectionClosed, ConnectionOpened, ConnectionRefused,
    OwnCancelEnded, UpstreamTlsFailed,
};
pub use console::ConsoleCommandRun;
pub use limit::LimitReached;
pub use limits_store::{LimitsStoreAsked, LimitsStoreLost, LimitsStoreReached};
pub use login::{LoginFinished, LoginSettingChanged};
pub use plan::{CandidatesRanked, PlanAsked};
pub use policy::{
    PoliciesCompared, PoliciesHold, PoliciesRead, PolicyEnded, PolicyTestsPassed, PolicyTestsWait,
};
pub use pool::{
    PoolCheckout, PoolMoved, PoolQueued, SessionMoved, SessionPinned, StatementEvicted,
};
pub use process::{
    AuthQueryFailed, AuthQueryRefused, BudgetFileFailed, DrainStarted, IoBackendChosen,
    IssuerKeysFailed, ListenerOpened, McpTokenRefused, ServerStopped, SessionEndAsked,
    TokenFileFailed, TokenRefused, UpstreamIdentityRefused, UpstreamUnreachable, WorkerWithoutRing,
};
pub use repair::StatementRepaired;
pub use settings::{SettingsRead, WaitingKey};
pub use stale_groundings::GroundingsCounted;
pub use statement::{SettingsClamped, StatementFinished, StatementRetried};
pub use upstream::{UpstreamEngine, UpstreamTold, UpstreamTried};
pub use warnings::{CertificatesHeld, SettingsWarned};
pub use worker::{SessionChangedWorker, WorkerTurnEnded};

use crate::telemetry::EventSinks;

/// Something that happened and is counted, recorded and logged in one go.
pub trait Event {
    /// Writes to the sinks.
    fn emit(&self, sinks: &EventSinks);
}
