//! Who is served beside the clients of the listeners.

use std::sync::Arc;

use crate::choose::score::ChoiceWeights;
use crate::mcp;
use crate::mcp::services::{McpCaller, McpServices};
use crate::server::grounding::service::GroundingService;
use crate::server::local_clients::LocalClients;
use crate::session::login::LoginContext;

/// Who is served.
pub enum ProgramFront {
    /// The clients of the listeners.
    Listeners,
    /// The client of the Model Context Protocol that has started the program, over standard input
    /// and output, beside those of the listeners.
    McpOverStdio {
        /// Who calls.
        caller: McpCaller,
        /// What points are given for where candidates are put in order.
        weights: ChoiceWeights,
    },
}

impl ProgramFront {
    /// Serves the client that is no listener's until it has gone, or until a stop.
    ///
    /// May be cancelled: its sessions end.
    pub(super) async fn serve_until(
        self,
        stop: impl Future<Output = ()>,
        (login_context, groundings, local_clients): (
            Arc<LoginContext>,
            GroundingService,
            LocalClients,
        ),
    ) {
        match self {
            Self::Listeners => stop.await,
            Self::McpOverStdio { caller, weights } => {
                let services = McpServices {
                    login_context,
                    groundings,
                    local_clients,
                    weights,
                };
                tokio::select! {
                    () = stop => {}
                    () = mcp::stdio::serve(services, caller) => {}
                }
            }
        }
    }
}
