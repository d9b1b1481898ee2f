//! A session without sockets, for what measures it.

use std::sync::{Arc, Mutex};

use pgsieve::engine::Engine;
use pgsieve::gate::cache::JudgementCache;
use pgsieve::policy::Policy;
use pgsieve::session::context::client_settings::ClientSettings;
use pgsieve::session::context::reported_role::ReportAs;
use pgsieve::session::policy_limits::SessionLimits;
use pgsieve::session::policy_store::PolicyStore;
use pgsieve::session::protocol::{SessionProtocol, UpstreamFacts, WorkerShared};
use pgsieve::session::repair::executor::RepairExecutor;
use pgsieve::session::upstream_side::SelfReport;
use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::session_info::SessionInfo;
use pgsieve::upstream::catalog_cache::CatalogCache;

/// A session that has just begun.
pub fn conversation(
    policy: Policy,
    catalog_cache: Option<Arc<CatalogCache>>,
    telemetry: Telemetry,
) -> SessionProtocol {
    let shared = WorkerShared {
        policy_store: Arc::new(PolicyStore::only(Arc::new(policy))),
        cache: Arc::new(Mutex::new(JudgementCache::default())),
        plans: Arc::default(),
        telemetry,
        repair_executor: Arc::new(RepairExecutor::new()),
        receipt_issuer: None,
    };
    let info = Arc::new(SessionInfo::accepted(1, "127.0.0.1:1"));
    let upstream = UpstreamFacts {
        statement_timeout: None,
        user: "reader".to_owned(),
        server_major: 15,
        engine: Engine::Postgres,
        server: None,
        self_report: SelfReport::Reported,
        report_as: ReportAs::Upstream,
        known: Default::default(),
        search_path: "public".to_owned(),
        catalog_cache,
        compile_pool: None,
        signals: None,
        client_settings: ClientSettings::default(),
        session_limits: SessionLimits::default(),
    };
    let assigned_policy = shared.policy_store.assign(&Arc::default()).unwrap();
    SessionProtocol::new(&shared, assigned_policy, info, upstream)
}

/// A message of the protocol, as either side sends it.
pub fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[kind][..], &length.to_be_bytes(), body].concat()
}
