//! All questions, over several connections at once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::plan::EvaluationPlan;
use super::proxy::EvaluationProxy;
use super::proxy_session::ProxySession;
use super::question_trial;
use super::report::EntryReport;
use crate::limits::evaluation::LOGIN_TIME_MAX;
use crate::wire_client::session::{SessionFault, SessionLogin};

/// Questions that nobody has taken so far, and what is known of databases.
struct SharedWork {
    plan: Arc<EvaluationPlan>,
    proxy: Arc<EvaluationProxy>,
    left: Mutex<VecDeque<usize>>,
    /// By the names that questions give, those that sessions are begun in.
    databases: Mutex<BTreeMap<String, String>>,
}

/// Asks all questions of a plan over so many connections, and tells of each as it is done. The
/// reports are in the order of the plan.
///
/// May be cancelled: what is under way ends by its own clocks.
pub async fn evaluate(
    plan: &Arc<EvaluationPlan>,
    proxy: &Arc<EvaluationProxy>,
    connections: usize,
    mut tell: impl FnMut(&EntryReport),
) -> Vec<EntryReport> {
    let work = Arc::new(SharedWork {
        plan: Arc::clone(plan),
        proxy: Arc::clone(proxy),
        left: Mutex::new((0..plan.entries.len()).collect()),
        databases: Mutex::default(),
    });
    let (done, mut heard) = mpsc::channel(connections.max(1));
    for _ in 0..connections.max(1) {
        let (work, done) = (Arc::clone(&work), done.clone());
        tokio::spawn(async move {
            while let Some((number, report)) = work.next().await {
                if done.send((number, report)).await.is_err() {
                    return;
                }
            }
        });
    }
    drop(done);
    let mut reports = BTreeMap::new();
    while let Some((number, report)) = heard.recv().await {
        tell(&report);
        reports.insert(number, report);
    }
    reports.into_values().collect()
}

impl SharedWork {
    async fn next(&self) -> Option<(usize, EntryReport)> {
        let number = {
            let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            left.pop_front()?
        };
        let entry = self.plan.entries.get(number)?;
        let database = self.database(entry.database.as_deref()).await;
        let report = question_trial::entry(&self.plan, &self.proxy, entry, &database).await;
        Some((number, report))
    }

    /// The database that a question is asked of: the one that it names, where the server has that.
    async fn database(&self, named: Option<&str>) -> String {
        let own = self.plan.person.database.as_deref();
        let usual = own.unwrap_or_else(|| self.proxy.database());
        let Some(named) = named.filter(|named| own.is_none() && *named != usual) else {
            return usual.to_owned();
        };
        if let Some(known) = self.known(named) {
            return known;
        }
        let login = SessionLogin {
            user: &self.plan.person.user,
            database: named,
            application_name: &self.plan.person.application_name,
            repairs: true,
        };
        let deadline = Instant::now() + LOGIN_TIME_MAX;
        let opened = ProxySession::open(self.proxy.socket(), &login, deadline).await;
        let found = match opened {
            Err(SessionFault::Refused(error)) if error.sqlstate == NO_SUCH_DATABASE => usual,
            Ok(_) | Err(_) => named,
        };
        self.know(named, found);
        found.to_owned()
    }

    fn known(&self, named: &str) -> Option<String> {
        let known = self
            .databases
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        known.get(named).cloned()
    }

    fn know(&self, named: &str, found: &str) {
        let mut known = self
            .databases
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        known.insert(named.to_owned(), found.to_owned());
    }
}

/// `invalid_catalog_name`.
const NO_SUCH_DATABASE: &str = "3D000";
