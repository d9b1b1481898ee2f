//! What is served for each token. A session is known to the service of its token alone: its name in
//! other hands names nothing.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use blake3::Hash;
use hyper::body::Incoming;
use hyper::{Method, Request, StatusCode};
use jiff::Timestamp;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::admission::{BearerRefusal, HttpAnswer, plain};
use super::bearers::AdmittedBearers;
use super::oauth::OAuthBearers;
use crate::limits::mcp::{
    HTTP_BODY_BYTES_MAX, SESSION_IDLE_MAX, TOKEN_CONNECTIONS_MAX, TOKEN_LANES, TOKEN_SESSIONS_MAX,
    TOKENS_SERVED_MAX,
};
use crate::mcp::bearer_grant::BearerGrant;
use crate::mcp::server::McpServer;
use crate::mcp::services::{McpCaller, McpServices};
use crate::mcp::session::McpSession;
use crate::mcp::tokens::hash_of;
use crate::telemetry::events::{IssuerKeysFailed, McpTokenRefused, TokenFileFailed};
use crate::telemetry::labels::LoginMethod;

/// Callers over HTTP.
pub struct HttpCallers {
    services: McpServices,
    bearers: AdmittedBearers,
    names: AllowedNames,
    served: Mutex<HashMap<Hash, Arc<TokenService>>>,
}

/// The names that the server may be asked for by, and the pages that may ask.
#[derive(Clone, Debug, Default)]
pub struct AllowedNames {
    /// Names of hosts, with or without a port.
    pub hosts: Vec<String>,
    /// Origins of web pages, with their scheme.
    pub origins: Vec<String>,
}

/// The place of a connection among those of its token.
#[derive(Debug, Default)]
pub struct ConnectionPlace {
    taken: Mutex<Option<OwnedSemaphorePermit>>,
}

impl ConnectionPlace {
    /// Whether it has one, or gets one.
    fn take(&self, places: &Arc<Semaphore>) -> bool {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.is_none() {
            *taken = Arc::clone(places).try_acquire_owned().ok();
        }
        taken.is_some()
    }
}

/// What is served for a token.
struct TokenService {
    connections: Arc<Semaphore>,
    manager: Arc<LocalSessionManager>,
    greeted: StreamableHttpService<McpServer, LocalSessionManager>,
    single: StreamableHttpService<McpServer, NeverSessionManager>,
    /// The session of requests that greet nobody.
    shared: Arc<McpSession>,
    stop: CancellationToken,
    /// When it ends, in seconds since 1970, where an issuer's tokens let its callers in; each that
    /// they come with may put it off. None for a token of the file, which says so itself.
    until: Option<AtomicI64>,
}

impl HttpCallers {
    /// Nobody is served yet.
    pub fn new(services: McpServices, bearers: AdmittedBearers, names: AllowedNames) -> Self {
        Self {
            services,
            bearers,
            names,
            served: Mutex::default(),
        }
    }

    /// Answers a request with the token that it says, on a connection that takes its place among
    /// those of the first token that it says.
    ///
    /// May be cancelled.
    pub async fn answer(
        &self,
        said: Option<&str>,
        place: &ConnectionPlace,
        request: Request<Incoming>,
    ) -> HttpAnswer {
        let granted = match said {
            Some(said) => self.bearers.grant(said).await,
            None => Err(BearerRefusal::Missing),
        };
        let grant = match granted {
            Ok(grant) => grant,
            Err(refusal) => {
                if let Some(said) = said {
                    self.forget(&hash_of(said));
                    self.tell_refused(&refusal);
                }
                return refusal.answer(self.bearers.oauth.as_ref());
            }
        };
        let Some(service) = self.service(&grant) else {
            return plain(StatusCode::SERVICE_UNAVAILABLE, TOO_MANY_CALLERS);
        };
        if !place.take(&service.connections) {
            return plain(StatusCode::TOO_MANY_REQUESTS, TOO_MANY_CONNECTIONS);
        }
        service.answer(request).await
    }

    /// What clients of OAuth are told, where a path is one of those where they ask.
    pub fn metadata(&self, path: &str) -> Option<String> {
        let oauth = self.bearers.oauth.as_ref()?;
        oauth
            .resource()
            .has_metadata_at(path)
            .then(|| oauth.metadata())
    }

    /// The origins of pages that may ask.
    pub fn origins(&self) -> &[String] {
        &self.names.origins
    }

    /// Ends what is served for tokens that are in the file no longer, or that have all ended; and
    /// sessions at the database that no request has used for a while.
    pub fn forget_ended(&self) {
        if let Some(fault) = self.bearers.new_fault() {
            let telemetry = &self.services.login_context.telemetry;
            telemetry.emit(&TokenFileFailed { failure: &fault });
        }
        let oauth = self.bearers.oauth.as_ref();
        if let Some(fault) = oauth.and_then(OAuthBearers::look_at_keys) {
            let telemetry = &self.services.login_context.telemetry;
            telemetry.emit(&IssuerKeysFailed { failure: &fault });
        }
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        served.retain(|key, service| {
            let is_of_issuer = service.until.is_some();
            let is_known = !service.has_ended() && (is_of_issuer || self.bearers.has_in_file(key));
            match is_known {
                true => service.shared.close_idle(),
                false => service.stop.cancel(),
            }
            is_known
        });
    }

    fn tell_refused(&self, refusal: &BearerRefusal) {
        let refused = McpTokenRefused {
            method: refusal.method(),
            failure: refusal,
        };
        self.services.login_context.telemetry.emit(&refused);
    }

    fn forget(&self, hash: &Hash) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(service) = served.remove(hash) {
            service.stop.cancel();
        }
    }

    fn service(&self, grant: &BearerGrant) -> Option<Arc<TokenService>> {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(service) = served.get(&grant.key) {
            if !service.has_ended() {
                service.put_off(grant);
                return Some(Arc::clone(service));
            }
            service.stop.cancel();
            served.remove(&grant.key);
        }
        if served.len() >= TOKENS_SERVED_MAX {
            // Tokens of an issuer are many, and most of them are not used just now.
            served.retain(|_, service| Arc::strong_count(service) > 1 || !service.is_unused());
        }
        if served.len() >= TOKENS_SERVED_MAX {
            return None;
        }
        let service = TokenService::new(&self.services, grant, &self.names);
        let service = Arc::new(service);
        served.insert(grant.key, Arc::clone(&service));
        Some(service)
    }
}

impl TokenService {
    fn new(services: &McpServices, grant: &BearerGrant, names: &AllowedNames) -> Self {
        let caller = McpCaller::of_bearer(services, grant);
        let stop = CancellationToken::new();
        let config = || {
            let mut hosts: Vec<String> = LOOPBACK_NAMES.map(str::to_owned).to_vec();
            hosts.extend(names.hosts.iter().cloned());
            StreamableHttpServerConfig::default()
                .with_allowed_hosts(hosts)
                .with_allowed_origins(names.origins.iter().cloned())
                .enforce_origin_validation()
                .with_cancellation_token(stop.clone())
                .with_max_request_body_bytes(HTTP_BODY_BYTES_MAX)
        };
        let mut manager = LocalSessionManager::default();
        let mut kept = SessionConfig::default();
        kept.keep_alive = Some(SESSION_IDLE_MAX);
        manager.session_config = kept;
        let manager = Arc::new(manager);
        let (own, known) = (services.clone(), caller.clone());
        let greeted = move || Ok(McpServer::new(own.clone(), known.clone()));
        // Requests that greet nobody share what is kept, and run beside each other.
        let shared = Arc::new(McpSession::new(services.clone(), caller, TOKEN_LANES));
        let own = Arc::clone(&shared);
        let single = move || Ok(McpServer::of(Arc::clone(&own)));
        Self {
            connections: Arc::new(Semaphore::new(TOKEN_CONNECTIONS_MAX)),
            greeted: StreamableHttpService::new(greeted, Arc::clone(&manager), config()),
            single: StreamableHttpService::new(
                single,
                Arc::default(),
                config()
                    .with_legacy_session_mode(false)
                    .with_json_response(true),
            ),
            manager,
            shared,
            stop,
            until: match grant.method {
                LoginMethod::McpOauth => grant.expires.map(AtomicI64::new),
                _ => None,
            },
        }
    }

    /// Whether nobody is connected and no session is kept.
    fn is_unused(&self) -> bool {
        let is_alone = self.connections.available_permits() == TOKEN_CONNECTIONS_MAX;
        let sessions = self.manager.sessions.try_read();
        is_alone && sessions.is_ok_and(|sessions| sessions.is_empty())
    }

    /// Whether the last token of an issuer that let its callers in has ended.
    fn has_ended(&self) -> bool {
        let until = self.until.as_ref();
        until.is_some_and(|until| until.load(Ordering::Relaxed) <= Timestamp::now().as_second())
    }

    /// Who comes with a token that ends later is served longer.
    fn put_off(&self, grant: &BearerGrant) {
        if let (Some(until), Some(expires)) = (&self.until, grant.expires) {
            until.fetch_max(expires, Ordering::Relaxed);
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> HttpAnswer {
        let headers = request.headers();
        let has_session = headers.contains_key(SESSION_HEADER);
        let revision = headers.get(REVISION_HEADER);
        let greets = revision.is_none_or(|revision| revision.as_bytes() < GREETS_NOBODY);
        if !greets && !has_session {
            return self.single.handle(request).await;
        }
        if !has_session && request.method() == Method::POST {
            let open = self.manager.sessions.read().await.len();
            if open >= TOKEN_SESSIONS_MAX {
                return plain(StatusCode::TOO_MANY_REQUESTS, TOO_MANY_SESSIONS);
            }
        }
        self.greeted.handle(request).await
    }
}

impl fmt::Debug for HttpCallers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HttpCallers")
    }
}

/// A session's name.
const SESSION_HEADER: &str = "mcp-session-id";

/// The revision of the protocol that a request is in.
const REVISION_HEADER: &str = "mcp-protocol-version";

/// The first revision in which nobody greets; later ones are greater as text.
const GREETS_NOBODY: &[u8] = b"2026-07-28";

/// What this host calls itself.
const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

const TOO_MANY_CALLERS: &str = "too many callers are served";

const TOO_MANY_CONNECTIONS: &str = "this token has as many connections as it may have";

const TOO_MANY_SESSIONS: &str = "this token has as many sessions as it may have: end one with \
    DELETE, or wait until one was silent for 5 minutes";
