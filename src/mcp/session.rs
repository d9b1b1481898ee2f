//! One session of the protocol: who calls, what is kept of what was answered, and the statements,
//! one after the other.

use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{Extensions, Implementation};
use rmcp::service::RequestContext;

use super::answers;
use super::held_results::HeldResults;
use super::outcome::StatementOutcome;
use super::services::{McpCaller, McpServices, RequestOrigin};
use super::statements::{CallerAttention, StatementAction, StatementLanes};
use crate::catalog::{Catalog, Oid};
use crate::grounding::WholeGrounding;
use crate::grounding::type_spelling;
use crate::limits::mcp::{CALLS_WAITING_MAX, RESOURCE_URI_BYTES_MAX, SUBSCRIPTIONS_MAX};
use crate::server::grounding::failure::GroundingFailure;
use crate::telemetry::session_info::cleaned;
use crate::wire_client::server_error::ServerError;
use crate::wire_client::session::SessionFault;

/// One session of the protocol.
pub struct McpSession {
    services: McpServices,
    /// Who calls, but for where a request comes from and what its program calls itself.
    known: McpCaller,
    statements: StatementLanes,
    waiting: AtomicUsize,
    held: Mutex<HeldResults>,
    last_refusal: Mutex<Option<(RequestOrigin, ServerError)>>,
    subscribed: Mutex<BTreeSet<String>>,
}

impl McpSession {
    /// A session of somebody, in which so many statements run beside each other.
    pub fn new(services: McpServices, known: McpCaller, lanes: usize) -> Self {
        Self {
            statements: StatementLanes::new(&services, lanes),
            services,
            known,
            waiting: AtomicUsize::new(0),
            held: Mutex::default(),
            last_refusal: Mutex::default(),
            subscribed: Mutex::default(),
        }
    }

    /// What calls are answered with.
    pub fn services(&self) -> &McpServices {
        &self.services
    }

    /// Who makes a request.
    pub fn caller(&self, context: &RequestContext<RoleServer>) -> McpCaller {
        self.caller_at(context.client_info().as_ref(), &context.extensions)
    }

    /// Who says something, with what came along with it.
    pub fn caller_at(&self, program: Option<&Implementation>, along: &Extensions) -> McpCaller {
        let application_name = match program {
            Some(program) => cleaned(&program.name),
            None => self.known.application_name.clone(),
        };
        McpCaller {
            application_name,
            from: address_of(along),
            ..self.known.clone()
        }
    }

    /// The results that have further pages.
    pub fn held(&self) -> MutexGuard<'_, HeldResults> {
        let held = self.held.lock();
        held.unwrap_or_else(PoisonError::into_inner)
    }

    /// What was refused last, where that was one of this origin.
    pub fn last_refusal(&self, origin: &RequestOrigin) -> Option<ServerError> {
        let last = self.last_refusal.lock();
        let last = last.unwrap_or_else(PoisonError::into_inner).clone();
        let (refused, error) = last?;
        (refused == *origin).then_some(error)
    }

    /// What whoever makes a request may read, whole.
    ///
    /// # Errors
    /// The database cannot be told of now.
    pub async fn grounding(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<WholeGrounding>, GroundingFailure> {
        self.services().grounding(&self.caller(context)).await
    }

    /// A place among the calls that wait.
    ///
    /// # Errors
    /// There is none.
    pub fn place(&self) -> Result<CallPlace<'_>, SessionFault> {
        let place = CallPlace {
            waiting: &self.waiting,
        };
        match self.waiting.fetch_add(1, Ordering::Relaxed) < CALLS_WAITING_MAX {
            true => Ok(place),
            false => Err(SessionFault::Refused(ServerError {
                sqlstate: "53300".to_owned(),
                message: "too many calls of this session wait for their turn".to_owned(),
                ..ServerError::default()
            })),
        }
    }

    /// Sends a statement, after those of the session that came before.
    ///
    /// # Errors
    /// Why there is no answer; an error of the server is one.
    pub async fn send(
        &self,
        (action, text): (StatementAction, &str),
        context: &RequestContext<RoleServer>,
    ) -> Result<StatementOutcome, SessionFault> {
        let _place = self.place()?;
        let caller = self.caller(context);
        let statements = tokio::select! {
            statements = self.statements.take(&caller) => statements,
            () = context.ct.cancelled() => None,
        };
        let Some(mut statements) = statements.filter(|_| !context.ct.is_cancelled()) else {
            return Err(SessionFault::TimedOut);
        };
        let attention = CallerAttention::of(context);
        let placed = in_trace(text, context);
        let sent = (action, placed.as_deref().unwrap_or(text));
        let outcome = statements.send(&caller, sent, &attention).await?;
        if let Some(error) = outcome
            .error
            .as_ref()
            .filter(|error| answers::rule_of(error).is_some())
        {
            let mut last = self
                .last_refusal
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *last = Some((caller.origin(), error.clone()));
        }
        Ok(outcome)
    }

    /// Notes that its client wants to hear when a resource changes, where there is room.
    pub fn subscribe(&self, uri: &str) -> bool {
        let mut subscribed = self.subscribed();
        let has_room = subscribed.len() < SUBSCRIPTIONS_MAX || subscribed.contains(uri);
        let is_noted = has_room && uri.len() <= RESOURCE_URI_BYTES_MAX;
        if is_noted {
            subscribed.insert(uri.to_owned());
        }
        is_noted
    }

    /// Its client does not want to hear of it any more.
    pub fn unsubscribe(&self, uri: &str) {
        self.subscribed().remove(uri);
    }

    /// The resources of whose changes its client wants to hear.
    pub fn subscribed(&self) -> MutexGuard<'_, BTreeSet<String>> {
        let subscribed = self.subscribed.lock();
        subscribed.unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes its sessions at the database that no statement has used for a while.
    pub fn close_idle(&self) {
        self.statements.close_idle();
    }

    /// The names of types, as SQL spells them.
    pub fn type_names(&self, oids: impl Iterator<Item = u32>) -> Vec<String> {
        let context = &self.services().login_context;
        let (catalogs, database) = (&context.catalogs, Some(&*self.known.database));
        let known = catalogs.groundable(database, &context.directory).ok();
        let catalog = known
            .as_ref()
            .map(|known| &**known.policy_effects.catalog());
        oids.map(|oid| type_name(catalog, oid)).collect()
    }
}

/// The text with the place in a trace that the request names, as a comment that the wire takes it
/// from; none where it names none. The contract is JSON, which has no comments.
fn in_trace(text: &str, context: &RequestContext<RoleServer>) -> Option<String> {
    let parent = context.meta.get("traceparent")?.as_str()?;
    let is_sound = parent.len() == TRACEPARENT_BYTES
        && parent
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    let is_text = !text.trim_start().starts_with('{');
    (is_sound && is_text).then(|| format!("{text}\n/*traceparent='{parent}'*/"))
}

/// Bytes of a `traceparent`.
const TRACEPARENT_BYTES: usize = 55;

/// Where a request comes from, over HTTP.
fn address_of(along: &Extensions) -> Option<SocketAddr> {
    let parts = along.get::<hyper::http::request::Parts>()?;
    parts.extensions.get().copied()
}

/// A place among the calls that wait.
pub struct CallPlace<'w> {
    waiting: &'w AtomicUsize,
}

impl Drop for CallPlace<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

fn type_name(catalog: Option<&Catalog>, oid: u32) -> String {
    let known = catalog.and_then(|catalog| {
        let type_id = catalog.index().type_of_oid(Oid(oid))?;
        Some(type_spelling::spelled(catalog, type_id, NO_MODIFIER))
    });
    known.unwrap_or_else(|| oid.to_string())
}

/// What the server says of a type that has none.
const NO_MODIFIER: i32 = -1;

impl fmt::Debug for McpSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("McpSession")
    }
}
