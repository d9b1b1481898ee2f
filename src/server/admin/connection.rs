//! One connection: one request, bounded in size and time. One that follows the live page leaves its
//! room to others, may stay longer, and is cut when its reader does not keep up.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::Extension;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio::time::{Instant, timeout};

use super::{AdminState, routes};
use crate::limits::{
    ADMIN_FOLLOWED_TIME_MAX, ADMIN_REQUEST_BYTES_MAX, ADMIN_SEND_BYTES, ADMIN_STALL_MAX,
    ADMIN_TIME_MS_MAX,
};
use crate::net::stalling_stream::StallingStream;
use crate::telemetry::events::{AdminAnswered, AdminPage, StatusClass};

/// The room that a connection takes, and where it comes from.
pub struct AdminConnection {
    /// Whose connection it is.
    pub peer: SocketAddr,
    held: Mutex<HeldRoom>,
    asked: AtomicBool,
    cut: Notify,
}

enum HeldRoom {
    ForRequest { _room: OwnedSemaphorePermit },
    ForFollowing { _room: OwnedSemaphorePermit },
}

impl AdminConnection {
    /// A connection that was just accepted.
    pub fn new(room: OwnedSemaphorePermit, peer: SocketAddr) -> Self {
        Self {
            peer,
            held: Mutex::new(HeldRoom::ForRequest { _room: room }),
            asked: AtomicBool::new(false),
            cut: Notify::new(),
        }
    }

    /// From now on it follows the page: the room that it had is given to others.
    pub fn follow(&self, room: OwnedSemaphorePermit) {
        *self.held() = HeldRoom::ForFollowing { _room: room };
    }

    /// It gives way to another one, whether its peer reads or not.
    pub fn cut(&self) {
        self.cut.notify_one();
    }

    /// Its request is there in full.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether its request was there in full.
    pub fn has_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Whether it follows the page.
    pub fn is_followed(&self) -> bool {
        matches!(*self.held(), HeldRoom::ForFollowing { .. })
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HeldRoom> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers the one request of a connection.
pub async fn converse(stream: TcpStream, slot: Arc<AdminConnection>, shown: Arc<AdminState>) {
    // What a slow reader has not read is kept by the system: that has a bound as well.
    let _ = SockRef::from(&stream).set_send_buffer_size(ADMIN_SEND_BYTES);
    let router = routes::router(Arc::clone(&shown)).layer(Extension(Arc::clone(&slot)));
    let time = Duration::from_millis(ADMIN_TIME_MS_MAX);
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(false)
        .half_close(true)
        .header_read_timeout(time)
        .max_header_size(ADMIN_REQUEST_BYTES_MAX)
        .max_buf_size(ADMIN_REQUEST_BYTES_MAX)
        .serve_connection(
            TokioIo::new(StallingStream::new(stream, ADMIN_STALL_MAX)),
            TowerToHyperService::new(router),
        );
    let mut answering = poll_fn(|context| connection.poll_without_shutdown(context));
    let begun = Instant::now();
    let answered = match timeout(time, &mut answering).await {
        Err(_) if slot.is_followed() => tokio::select! {
            answered = timeout(ADMIN_FOLLOWED_TIME_MAX, answering) => answered,
            () = slot.cut.notified() => return,
        },
        answered => answered,
    };
    match answered {
        // What is no request was answered without us.
        Ok(Err(error)) if error.is_parse() => shown.telemetry.emit(&AdminAnswered {
            page: AdminPage::Other,
            status: StatusClass::Client,
        }),
        Ok(Ok(())) => {}
        // A peer that breaks off or dawdles is its own problem.
        Ok(Err(_)) | Err(_) => return,
    }
    let rest = time.saturating_sub(begun.elapsed());
    let stream = connection.into_parts().io.into_inner().into_inner();
    let _ = timeout(rest, close(stream)).await;
}

/// Says that nothing more comes. What the peer may still be sending is read, or its own answer
/// would be reset away.
async fn close(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    while stream.read(&mut [0; 1024]).await? > 0 {}
    Ok(())
}
