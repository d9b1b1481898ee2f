//! What is served for each token. A session is known to the service of its token alone: its name in
//! other hands names nothing.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use blake3::Hash;
use hyper::body::Incoming;
use hyper::{Method, Request, StatusCode};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::admission::{HttpAnswer, plain, unauthorized};
use crate::limits::mcp::{
    HTTP_BODY_BYTES_MAX, SESSION_IDLE_MAX, TOKEN_CONNECTIONS_MAX, TOKEN_LANES, TOKEN_SESSIONS_MAX,
    TOKENS_SERVED_MAX,
};
use crate::mcp::server::McpServer;
use crate::mcp::services::{McpCaller, McpServices};
use crate::mcp::session::McpSession;
use crate::mcp::tokens::{McpToken, TokenFile, hash_of};

/// Callers over HTTP.
pub struct HttpCallers {
    services: McpServices,
    tokens: TokenFile,
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
    stop: CancellationToken,
}

impl HttpCallers {
    /// Nobody is served yet.
    pub fn new(services: McpServices, tokens: TokenFile, names: AllowedNames) -> Self {
        Self {
            services,
            tokens,
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
        let token = said.and_then(|said| Some((hash_of(said), self.tokens.find(said)?)));
        let Some((hash, token)) = token else {
            if let Some(said) = said {
                self.forget(&hash_of(said));
            }
            return unauthorized();
        };
        let Some(service) = self.service(hash, &token) else {
            return plain(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many tokens are served",
            );
        };
        if !place.take(&service.connections) {
            return plain(StatusCode::TOO_MANY_REQUESTS, TOO_MANY_CONNECTIONS);
        }
        service.answer(request).await
    }

    /// Ends what is served for tokens that are in the file no longer.
    pub fn forget_ended(&self) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        served.retain(|hash, service| {
            let is_known = self.tokens.has(hash).is_some();
            if !is_known {
                service.stop.cancel();
            }
            is_known
        });
    }

    fn forget(&self, hash: &Hash) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(service) = served.remove(hash) {
            service.stop.cancel();
        }
    }

    fn service(&self, hash: Hash, token: &McpToken) -> Option<Arc<TokenService>> {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(service) = served.get(&hash) {
            return Some(Arc::clone(service));
        }
        if served.len() >= TOKENS_SERVED_MAX {
            return None;
        }
        let caller = McpCaller::of_token(&self.services, token);
        let service = TokenService::new(&self.services, caller, &self.names);
        let service = Arc::new(service);
        served.insert(hash, Arc::clone(&service));
        Some(service)
    }
}

impl TokenService {
    fn new(services: &McpServices, caller: McpCaller, names: &AllowedNames) -> Self {
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
        let single = move || Ok(McpServer::of(Arc::clone(&shared)));
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
            stop,
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

const TOO_MANY_CONNECTIONS: &str = "this token has as many connections as it may have";

const TOO_MANY_SESSIONS: &str = "this token has as many sessions as it may have: end one with \
    DELETE, or wait until one was silent for 5 minutes";
