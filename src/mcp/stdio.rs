//! The protocol over standard input and output: one client, who has started this process.

use rmcp::ServiceExt;
use rmcp::transport::stdio_pipes;

use super::server::McpServer;
use super::services::{McpCaller, McpServices};

/// Serves the client until it closes standard input.
///
/// May be cancelled: its sessions end.
pub async fn serve(services: McpServices, caller: McpCaller) {
    let server = McpServer::new(services, caller);
    // A client that says nothing of the protocol has gone, or is none.
    if let Ok(running) = server.serve(stdio_pipes()).await {
        let _ = running.waiting().await;
    }
}
