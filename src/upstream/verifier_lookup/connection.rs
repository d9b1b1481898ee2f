//! The sessions that verifiers are asked for over: one for a server, opened when it is wanted, and
//! closed when nobody has asked for a while.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};
use tokio_postgres::Client;

use super::question::{LookupAnswer, LookupFailure, lookup};
use crate::auth::function_name::FunctionName;
use crate::limits::verifiers;
use crate::upstream::account::{self, OwnSessionError, SessionPurpose, UpstreamAccount};
use crate::upstream::connect::Upstream;
use crate::upstream::snapshot::hand_over;

/// All of them. There are as many as the settings name servers.
#[derive(Default)]
pub(super) struct LookupConnections {
    places: HashMap<LookupPlace, Arc<LookupConnection>>,
}

#[derive(Clone)]
struct LookupPlace {
    upstream: Arc<Upstream>,
    database: Box<str>,
}

/// One.
pub(super) struct LookupConnection {
    place: LookupPlace,
    open: Mutex<Option<OpenConnection>>,
}

struct OpenConnection {
    client: Arc<Client>,
    used: Instant,
}

impl LookupConnections {
    /// The one to a database of a server. Opens nothing.
    pub(super) fn to(&mut self, upstream: &Arc<Upstream>, database: &str) -> Arc<LookupConnection> {
        let place = LookupPlace {
            upstream: Arc::clone(upstream),
            database: database.into(),
        };
        let known = self.places.entry(place.clone());
        Arc::clone(known.or_insert_with(|| {
            Arc::new(LookupConnection {
                place,
                open: Mutex::default(),
            })
        }))
    }
}

impl LookupConnection {
    /// Asks; where the connection has been lost meanwhile, once more over a new one.
    ///
    /// May be cancelled: the answer goes to nobody.
    pub(super) async fn ask(
        self: &Arc<Self>,
        runtime: &Handle,
        account: &UpstreamAccount,
        (function, user): (&FunctionName, &str),
    ) -> Result<LookupAnswer, LookupFailure> {
        let (client, is_new) = self.client(runtime, account).await?;
        match lookup(&client, function, user).await {
            Err(failure) if client.is_closed() && !is_new && failure.is_away() => {
                let (client, _) = self.client(runtime, account).await?;
                lookup(&client, function, user).await
            }
            outcome => outcome,
        }
    }

    /// The session, and whether it was opened for this.
    async fn client(
        self: &Arc<Self>,
        runtime: &Handle,
        account: &UpstreamAccount,
    ) -> Result<(Arc<Client>, bool), LookupFailure> {
        let mut open = self.open.lock().await;
        if let Some(known) = open.as_mut().filter(|known| !known.client.is_closed()) {
            known.used = Instant::now();
            return Ok((Arc::clone(&known.client), false));
        }
        *open = None;
        // It lives there, whoever has asked.
        let opening = open_session(self.place.clone(), account.clone());
        let opened = runtime.spawn(opening).await;
        let opened = opened.unwrap_or(Err(OwnSessionError::Lost));
        let client = opened.map_err(|error| LookupFailure::Session(Arc::new(error)))?;
        let client = Arc::new(client);
        *open = Some(OpenConnection {
            client: Arc::clone(&client),
            used: Instant::now(),
        });
        runtime.spawn(close_when_idle(
            Arc::downgrade(self),
            Arc::downgrade(&client),
        ));
        Ok((client, true))
    }
}

async fn open_session(
    place: LookupPlace,
    account: UpstreamAccount,
) -> Result<Client, OwnSessionError> {
    let deadline = Instant::now() + verifiers::QUESTION_TIME_MAX;
    let (upstream, database) = (&place.upstream, &*place.database);
    let session = account::open(upstream, &account, database, ASKING, deadline).await?;
    let (client, _task) = hand_over(session, Arc::default()).await?;
    Ok(client)
}

/// Closes it when nobody has asked for long, unless another one has taken its place.
async fn close_when_idle(connection: Weak<LookupConnection>, client: Weak<Client>) {
    // Each round is one of some length.
    loop {
        sleep(verifiers::CONNECTION_IDLE_MAX / 2).await;
        let Some(connection) = connection.upgrade() else {
            return;
        };
        let mut open = connection.open.lock().await;
        match &*open {
            Some(known) if !std::ptr::eq(Arc::as_ptr(&known.client), client.as_ptr()) => return,
            Some(known) if known.used.elapsed() < verifiers::CONNECTION_IDLE_MAX => {}
            Some(_) | None => {
                *open = None;
                return;
            }
        }
    }
}

impl PartialEq for LookupPlace {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.upstream, &other.upstream) && self.database == other.database
    }
}

impl Eq for LookupPlace {}

impl Hash for LookupPlace {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.upstream).hash(state);
        self.database.hash(state);
    }
}

/// What the session is for.
const ASKING: SessionPurpose = SessionPurpose {
    name: "pgsieve auth_query",
    statement_time_max: verifiers::STATEMENT_TIME_MAX,
    lock_time_max: verifiers::STATEMENT_TIME_MAX,
};
