//! The admin address: `/metrics`, `/healthz` and `/readyz` over HTTP/1.1, for scrapers and probes.
//!
//! GET and HEAD only, one request per connection, everything bounded: the size of a request, the
//! time it may take, the number of connections. Nothing can be changed through it, and it shows
//! nothing that names a statement, a user or an object of a database. It listens on loopback unless
//! told otherwise.
//!
//! <https://www.rfc-editor.org/rfc/rfc9112>

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::limits::{
    ADMIN_CONNECTIONS_MAX, ADMIN_PAUSE_MS, ADMIN_REQUEST_BYTES_MAX, ADMIN_TIME_MS_MAX,
};
use crate::server::readiness::Readiness;
use crate::telemetry::Telemetry;

/// Serves until it is dropped, which ends its connections as well.
pub async fn serve(listener: TcpListener, telemetry: Telemetry, readiness: Arc<Readiness>) {
    let mut connections = JoinSet::new();
    loop {
        while connections.len() >= ADMIN_CONNECTIONS_MAX {
            connections.join_next().await;
        }
        match listener.accept().await {
            Ok((stream, _)) => {
                let (telemetry, readiness) = (telemetry.clone(), readiness.clone());
                connections.spawn(async move {
                    let time = Duration::from_millis(ADMIN_TIME_MS_MAX);
                    // A scraper that breaks off or dawdles is its own problem.
                    let _ = timeout(time, converse(stream, &telemetry, &readiness)).await;
                });
            }
            // Out of descriptors or memory: others may give some back.
            Err(_) => sleep(Duration::from_millis(ADMIN_PAUSE_MS)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

/// Reads one request and answers it.
async fn converse(
    mut stream: TcpStream,
    telemetry: &Telemetry,
    readiness: &Readiness,
) -> io::Result<()> {
    let mut head = Vec::new();
    let request = loop {
        if let Some(request) = Request::read(&head) {
            break request;
        }
        if head.len() >= ADMIN_REQUEST_BYTES_MAX {
            break Request::Bad;
        }
        if stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    };
    stream
        .write_all(&answer(request, telemetry, readiness))
        .await?;
    stream.shutdown().await?;
    // What the peer may still be sending is read, or its own answer would be reset away.
    while stream.read(&mut [0; 1024]).await? > 0 {}
    Ok(())
}

/// A request, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    Get(Page),
    Head(Page),
    OtherMethod,
    Bad,
}

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Metrics,
    Health,
    Readiness,
    Unknown,
}

/// The few statuses in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Ok,
    BadRequest,
    NotFound,
    MethodNotAllowed,
    Unavailable,
}

impl Request {
    /// Reads a head once it is there in full; headers do not matter.
    fn read(head: &[u8]) -> Option<Self> {
        let end = head.windows(4).position(|four| four == b"\r\n\r\n")?;
        let line = head.get(..end)?.split(|byte| *byte == b'\r').next()?;
        let mut words = line.split(|byte| *byte == b' ');
        let (method, target, version) = (words.next()?, words.next(), words.next());
        let known_version = matches!(version, Some(b"HTTP/1.1" | b"HTTP/1.0"));
        let Some(target) = target.filter(|_| known_version && words.next().is_none()) else {
            return Some(Self::Bad);
        };
        let page = match target.split(|byte| *byte == b'?').next() {
            Some(b"/metrics") => Page::Metrics,
            Some(b"/healthz") => Page::Health,
            Some(b"/readyz") => Page::Readiness,
            _ => Page::Unknown,
        };
        Some(match method {
            b"GET" => Self::Get(page),
            b"HEAD" => Self::Head(page),
            _ => Self::OtherMethod,
        })
    }
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::BadRequest => "400 Bad Request",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::Unavailable => "503 Service Unavailable",
        }
    }
}

fn answer(request: Request, telemetry: &Telemetry, readiness: &Readiness) -> Vec<u8> {
    let (status, body) = match request {
        Request::Get(page) | Request::Head(page) => match page {
            Page::Metrics => (Status::Ok, telemetry.scrape()),
            Page::Health => (Status::Ok, "alive\n".into()),
            Page::Readiness => {
                let report = readiness.report();
                let status = if report.is_ready {
                    Status::Ok
                } else {
                    Status::Unavailable
                };
                (status, report.text)
            }
            Page::Unknown => (Status::NotFound, "/metrics, /healthz or /readyz\n".into()),
        },
        Request::OtherMethod => (Status::MethodNotAllowed, "GET or HEAD\n".into()),
        Request::Bad => (Status::BadRequest, "not a request\n".into()),
    };
    let kind = match request {
        Request::Get(Page::Metrics) | Request::Head(Page::Metrics) => {
            "text/plain; version=0.0.4; charset=utf-8"
        }
        _ => "text/plain; charset=utf-8",
    };
    let allow = if status == Status::MethodNotAllowed {
        "Allow: GET, HEAD\r\n"
    } else {
        ""
    };
    let (line, length) = (status.line(), body.len());
    let head = format!(
        "HTTP/1.1 {line}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{allow}\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    );
    let mut bytes = head.into_bytes();
    if !matches!(request, Request::Head(_)) {
        bytes.extend_from_slice(body.as_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Live, Policy, PolicySet};
    use crate::upstream::keeper::Catalogs;

    fn check(head: &str, wanted: Option<Request>) {
        assert_eq!(Request::read(head.as_bytes()), wanted, "{head:?}");
    }

    #[test]
    fn requests_are_read_when_complete() {
        check("GET /metrics HTTP/1.1\r\nHost: x\r\n", None);
        check(
            "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
            Some(Request::Get(Page::Metrics)),
        );
        check(
            "HEAD /healthz HTTP/1.0\r\n\r\n",
            Some(Request::Head(Page::Health)),
        );
        check(
            "GET /readyz?verbose HTTP/1.1\r\n\r\n",
            Some(Request::Get(Page::Readiness)),
        );
        check(
            "GET /etc/passwd HTTP/1.1\r\n\r\n",
            Some(Request::Get(Page::Unknown)),
        );
        check("POST /metrics HTTP/1.1\r\n\r\n", Some(Request::OtherMethod));
        for bad in [
            "GET\r\n\r\n",
            "GET /a b HTTP/1.1\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "\r\n\r\n",
        ] {
            check(bad, Some(Request::Bad));
        }
    }

    fn live() -> Arc<Live> {
        let set = PolicySet::only(Arc::new(Policy::agent()));
        Arc::new(Live::new(set))
    }

    async fn ask(address: std::net::SocketAddr, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn pages_are_served_and_readiness_follows_the_facts() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let readiness = Arc::new(Readiness::new(Catalogs::off(), live()));
        let telemetry = Telemetry::quiet().unwrap();
        let server = tokio::spawn(serve(listener, telemetry, readiness.clone()));

        let get = |page: &str| format!("GET {page} HTTP/1.1\r\nHost: x\r\n\r\n").into_bytes();
        let metrics = ask(address, &get("/metrics")).await;
        assert!(metrics.starts_with("HTTP/1.1 200 OK\r\n"));
        assert!(metrics.contains("\npgsieve_tripwires_total{"));
        assert!(
            ask(address, &get("/healthz"))
                .await
                .ends_with("\r\n\r\nalive\n")
        );
        assert!(
            ask(address, &get("/nothing"))
                .await
                .starts_with("HTTP/1.1 404")
        );
        assert!(
            ask(address, b"HEAD /metrics HTTP/1.1\r\n\r\n")
                .await
                .ends_with("\r\n\r\n")
        );
        let endless = vec![b'x'; ADMIN_REQUEST_BYTES_MAX + 1];
        assert!(ask(address, &endless).await.starts_with("HTTP/1.1 400"));

        assert!(
            ask(address, &get("/readyz"))
                .await
                .starts_with("HTTP/1.1 503")
        );
        readiness.note_upstream(true);
        assert!(
            ask(address, &get("/readyz"))
                .await
                .starts_with("HTTP/1.1 200")
        );
        readiness.note_draining();
        assert!(
            ask(address, &get("/readyz"))
                .await
                .starts_with("HTTP/1.1 503")
        );
        server.abort();
    }

    #[tokio::test]
    async fn more_connections_than_allowed_wait_their_turn() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let telemetry = Telemetry::quiet().unwrap();
        let server = tokio::spawn(serve(
            listener,
            telemetry,
            Arc::new(Readiness::new(Catalogs::off(), live())),
        ));
        let mut idle = Vec::new();
        for _ in 0..ADMIN_CONNECTIONS_MAX {
            idle.push(TcpStream::connect(address).await.unwrap());
        }
        let answer = ask(address, b"GET /healthz HTTP/1.1\r\n\r\n");
        tokio::pin!(answer);
        assert!(
            timeout(Duration::from_millis(50), &mut answer)
                .await
                .is_err()
        );
        idle.pop();
        assert!(answer.await.starts_with("HTTP/1.1 200"));
        server.abort();
    }
}
