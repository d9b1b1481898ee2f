//! Who is served beside the clients of the listeners: agents that speak the Model Context Protocol.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::error::AppError;
use crate::choose::score::ChoiceWeights;
use crate::config::mcp::McpSettings;
use crate::limits::mcp::CHOICES_MAX;
use crate::mcp;
use crate::mcp::http::bearers::AdmittedBearers;
use crate::mcp::http::callers::{AllowedNames, HttpCallers};
use crate::mcp::http::oauth::OAuthBearers;
use crate::mcp::services::{McpCaller, McpServices};
use crate::server::grounding::service::GroundingService;
use crate::server::local_clients::LocalClients;
use crate::session::login::LoginContext;
use crate::telemetry::Telemetry;
use crate::telemetry::events::ListenerOpened;

/// Who is served.
pub struct ProgramFront {
    /// The one that has started the program, over standard input and output.
    pub starter: Option<McpCaller>,
    /// What points are given for where candidates are put in order.
    pub weights: ChoiceWeights,
}

/// Agents over HTTP: where they arrive.
pub(super) struct McpListener {
    listener: TcpListener,
    bearers: AdmittedBearers,
    names: AllowedNames,
}

impl McpListener {
    /// Opens it, where the settings have one.
    ///
    /// # Errors
    /// Its address cannot be bound, or the authorities for the issuer's host cannot be read.
    pub(super) async fn open(
        settings: Option<McpSettings>,
        telemetry: &Telemetry,
    ) -> Result<Option<Self>, AppError> {
        let Some(settings) = settings else {
            return Ok(None);
        };
        let McpSettings {
            listen: address,
            tokens,
            oauth,
            names,
        } = settings;
        let oauth = oauth.map(OAuthBearers::new).transpose();
        let bearers = AdmittedBearers {
            file: tokens.map(|(file, _)| file),
            oauth: oauth.map_err(AppError::OAuthAuthority)?,
        };
        let unbound = |source: io::Error| AppError::Mcp { address, source };
        let listener = TcpListener::bind(address).await.map_err(unbound)?;
        let bound: SocketAddr = listener.local_addr().map_err(unbound)?;
        telemetry.emit(&ListenerOpened {
            what: "mcp",
            address: &bound.to_string(),
        });
        Ok(Some(Self {
            listener,
            bearers,
            names,
        }))
    }

    async fn serve(self, services: McpServices) {
        let Self {
            listener,
            bearers,
            names,
        } = self;
        let login_context = Arc::clone(&services.login_context);
        let callers = Arc::new(HttpCallers::new(services, bearers, names));
        mcp::http::listener::serve(listener, callers, login_context).await;
    }
}

impl ProgramFront {
    /// For the clients of listeners.
    pub fn of_listeners(weights: ChoiceWeights) -> Self {
        Self {
            starter: None,
            weights,
        }
    }

    /// Serves agents until a stop, or until the one that has started the program has gone.
    ///
    /// May be cancelled: their sessions end.
    pub(super) async fn serve_until(
        self,
        stop: impl Future<Output = ()>,
        (login_context, groundings, local_clients): (
            Arc<LoginContext>,
            GroundingService,
            LocalClients,
        ),
        listener: Option<McpListener>,
    ) {
        let Self { starter, weights } = self;
        let services = McpServices {
            login_context,
            groundings,
            local_clients,
            weights,
            choices: Arc::new(Semaphore::new(CHOICES_MAX)),
        };
        let own = services.clone();
        let starter = async move {
            match starter {
                Some(caller) => mcp::stdio::serve(own, caller).await,
                None => std::future::pending().await,
            }
        };
        let others = async move {
            match listener {
                Some(listener) => listener.serve(services).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stop => {}
            () = starter => {}
            () = others => {}
        }
    }
}
