//! What a server says beside its answers.

use std::future::poll_fn;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio_postgres::error::DbError;
use tokio_postgres::{AsyncMessage, Connection};

use crate::limits;

/// The notices of one connection that nobody has looked at yet.
#[derive(Debug)]
pub struct ServerNotices {
    heard: mpsc::Receiver<DbError>,
}

impl ServerNotices {
    /// Drives a connection and keeps what is said on it. It ends with its client; what goes wrong
    /// shows in the client's answers.
    pub fn of<S, T>(mut connection: Connection<S, T>) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (tell, heard) = mpsc::channel(limits::demo::DEMO_NOTICES_MAX);
        tokio::spawn(async move {
            loop {
                let next = poll_fn(|context| connection.poll_message(context)).await;
                let Some(Ok(message)) = next else { return };
                if let AsyncMessage::Notice(notice) = message {
                    // More than anybody asked for are not kept.
                    let _ = tell.try_send(notice);
                }
            }
        });
        Self { heard }
    }

    /// The last one that tells of a repair. All are forgotten.
    pub fn repair(&mut self) -> Option<DbError> {
        let mut found = None;
        while let Ok(notice) = self.heard.try_recv() {
            if notice.message().starts_with(REPAIRED) {
                found = Some(notice);
            }
        }
        found
    }
}

/// How pgsieve begins to tell of a repair.
const REPAIRED: &str = "pgsieve repaired";
