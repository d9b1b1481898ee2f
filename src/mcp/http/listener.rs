//! Connections over HTTP/1.1, each with its bounds.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::admission::{HttpAnswer, bearer, plain, written};
use super::callers::{ConnectionPlace, HttpCallers};
use super::web_pages::{allowed_page, preflight, show_to};
use crate::limits;
use crate::limits::mcp::{
    HTTP_CONNECTIONS_MAX, HTTP_HEAD_BYTES_MAX, HTTP_HEAD_TIME_MAX, HTTP_STALL_MAX, TOKEN_LOOK_PAUSE,
};
use crate::net::client_tls::ClientTls;
use crate::net::stalling_stream::StallingStream;
use crate::net::stream::PeerStream;
use crate::session::login::LoginContext;

/// The path of the protocol.
pub const PATH: &str = "/mcp";

/// Serves callers until it is dropped, which ends their connections.
///
/// May be cancelled.
pub async fn serve(
    listener: TcpListener,
    callers: Arc<HttpCallers>,
    login_context: Arc<LoginContext>,
) {
    let room = Arc::new(Semaphore::new(HTTP_CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    let mut looks = interval(TOKEN_LOOK_PAUSE);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        // It is never closed.
        let Ok(place) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) => {
                    let callers = Arc::clone(&callers);
                    let tls = login_context.login_settings.now().tls.clone();
                    connections.spawn(async move {
                        let _place = place;
                        converse(stream, from, tls, callers).await;
                    });
                }
                Err(_) => sleep(limits::ACCEPT_PAUSE).await,
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            _ = looks.tick() => callers.forget_ended(),
        }
    }
}

/// One connection. What goes wrong on it is its peer's.
async fn converse(stream: TcpStream, from: SocketAddr, tls: ClientTls, callers: Arc<HttpCallers>) {
    let opened = timeout(HTTP_HEAD_TIME_MAX, opened(stream, &tls)).await;
    let Ok(Ok(stream)) = opened else {
        return;
    };
    let place = Arc::new(ConnectionPlace::default());
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (callers, place) = (Arc::clone(&callers), Arc::clone(&place));
        async move {
            request.extensions_mut().insert(from);
            Ok::<_, Infallible>(answer(&callers, &place, request).await)
        }
    });
    let stream = TokioIo::new(StallingStream::new(stream, HTTP_STALL_MAX));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HTTP_HEAD_TIME_MAX)
        .max_header_size(HTTP_HEAD_BYTES_MAX)
        .serve_connection(stream, service);
    let _ = connection.await;
}

/// With TLS wherever the settings have a certificate.
async fn opened(stream: TcpStream, tls: &ClientTls) -> io::Result<PeerStream> {
    let stream = PeerStream::tcp(stream)?;
    match (stream, tls.identity()) {
        (PeerStream::Tcp(socket), Some(identity)) => {
            let accepted = identity.acceptor().accept(socket).await?;
            Ok(PeerStream::ServerTls(Box::new(accepted)))
        }
        (stream, _) => Ok(stream),
    }
}

async fn answer(
    callers: &HttpCallers,
    place: &ConnectionPlace,
    request: Request<Incoming>,
) -> HttpAnswer {
    let Some(page) = allowed_page(request.headers(), callers.origins()) else {
        return answer_anybody(callers, place, request).await;
    };
    let mut answer = match preflight(&request) {
        Some(told) => told,
        None => answer_anybody(callers, place, request).await,
    };
    show_to(page, &mut answer);
    answer
}

async fn answer_anybody(
    callers: &HttpCallers,
    place: &ConnectionPlace,
    request: Request<Incoming>,
) -> HttpAnswer {
    let path = request.uri().path();
    if path != PATH {
        return match callers
            .metadata(path)
            .filter(|_| request.method() == Method::GET)
        {
            Some(metadata) => written(StatusCode::OK, "application/json", metadata.into()),
            None => plain(StatusCode::NOT_FOUND, "the protocol is at /mcp"),
        };
    }
    let said = bearer(request.headers()).map(str::to_owned);
    callers.answer(said.as_deref(), place, request).await
}
