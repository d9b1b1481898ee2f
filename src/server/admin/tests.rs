//! Requests as peers send them, to an address of its own.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::*;
use crate::auth::ClientAuth;
use crate::auth::settings::UserAttributes;
use crate::limits::{ADMIN_REQUEST_BYTES_MAX, ADMIN_TIME_MS_MAX};
use crate::net::client_tls::ClientTls;
use crate::policy::{LivePolicies, Policy, PolicySet};
use crate::secret::Secret;
use crate::session::context::reported_role::ReportAs;
use crate::session::login::LoginContext;
use crate::session::login::disabled_users::DisabledUsers;
use crate::session::login::login_settings::{CurrentLoginSettings, LoginSettings};
use crate::session::login::superusers::SuperuserNotices;
use crate::session::memory::budget::MemoryBudget;
use crate::session::policy_limits::per_user::UserAccounts;
use crate::session::policy_store::PolicyStore;
use crate::telemetry::TelemetrySettings;
use crate::telemetry::log::EventLog;
use crate::upstream::address::UpstreamSettings;
use crate::upstream::cancel::CancelRegistry;
use crate::upstream::catalog_cache::CatalogCaches;
use crate::upstream::compile_pool::CompilePools;
use crate::upstream::servers::ServersSettings;
use crate::upstream::servers::directory::UpstreamDirectory;
use crate::upstream::verifier_lookup::VerifierLookups;

const TOKEN: &str = "a-token-of-sixteen-or-more";

fn readiness() -> Arc<Readiness> {
    let set = PolicySet::only(Arc::new(Policy::agent()));
    let live = Arc::new(LivePolicies::new(set));
    let telemetry = Telemetry::quiet().unwrap();
    let readiness = Readiness::new(CatalogCaches::off(), live, telemetry);
    readiness.note_open();
    Arc::new(readiness)
}

fn admin(readiness: &Arc<Readiness>, token: Option<&str>) -> AdminServices {
    let settings = TelemetrySettings {
        recent: true,
        ..TelemetrySettings::default()
    };
    AdminServices {
        telemetry: Telemetry::start(&settings, EventLog::off()).unwrap(),
        readiness: Arc::clone(readiness),
        keys: Arc::new(AdminCredentials::new(
            token.map(Secret::new),
            vec!["pgsieve".into()],
        )),
        asker: crate::server::reload::ReloadHandle::new().0,
        session_registry: crate::session::registry::SessionRegistry::default(),
        groundings: groundings(),
        receipt_issuer: None,
        pools: None,
    }
}

/// Of a pgsieve that looks into no database.
fn groundings() -> GroundingService {
    let settings = UpstreamSettings::parse("postgres://127.0.0.1:1/shop").unwrap();
    let own = (settings, ServersSettings::alone());
    let telemetry = Telemetry::quiet().unwrap();
    let login_context = LoginContext {
        login_settings: CurrentLoginSettings::new(LoginSettings {
            tls: ClientTls::Off,
            auth: ClientAuth::Trust(None),
            attributes: UserAttributes::default(),
            disabled: DisabledUsers::default(),
            report_as: ReportAs::default(),
            console: Default::default(),
        }),
        session_registry: SessionRegistry::default(),
        directory: Arc::new(UpstreamDirectory::load(own, Vec::new()).unwrap()),
        catalogs: CatalogCaches::off(),
        compile_pools: CompilePools::new(Handle::current()),
        verifier_lookups: VerifierLookups::new(Handle::current()),
        policy_store: Arc::new(PolicyStore::only(Arc::new(Policy::agent()))),
        cancels: CancelRegistry::new(),
        accounts: UserAccounts::new(),
        superusers: SuperuserNotices::default(),
        memory: MemoryBudget::boundless(),
        pools: None,
        console: Default::default(),
        receipt_issuer: None,
        telemetry,
    };
    GroundingService::new(Arc::new(login_context), Arc::default())
}

async fn start(token: Option<&str>) -> (SocketAddr, Arc<Readiness>, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let readiness = readiness();
    let server = tokio::spawn(serve(listener, admin(&readiness, token)));
    (address, readiness, server)
}

async fn ask(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

fn get(page: &str) -> Vec<u8> {
    format!("GET {page} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

fn get_with(page: &str, header: &str) -> Vec<u8> {
    format!("GET {page} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n\r\n").into_bytes()
}

async fn check(address: SocketAddr, request: &[u8], status: u16) -> String {
    let answer = ask(address, request).await;
    let line = answer.lines().next().unwrap_or_default();
    let asked = request.escape_ascii();
    assert!(line.contains(&format!(" {status} ")), "{asked}: {answer}");
    answer
}

/// Follows the page until a word was seen, or for some seconds.
async fn follow(address: SocketAddr, word: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&get("/events")).await.unwrap();
    let mut seen = Vec::new();
    let seen = timeout(Duration::from_secs(5), async {
        while !String::from_utf8_lossy(&seen).contains(word) {
            assert!(stream.read_buf(&mut seen).await.unwrap() > 0, "{word}");
        }
    });
    seen.await.unwrap_or_else(|_| panic!("{word} comes"));
    stream
}

#[tokio::test]
async fn pages_are_served_and_readiness_follows_the_facts() {
    let (address, readiness, server) = start(None).await;
    let metrics = check(address, &get("/metrics"), 200).await;
    assert!(metrics.contains("\npgsieve_tripwires_total{"));
    let alive = check(address, &get("/healthz?verbose"), 200).await;
    assert!(alive.ends_with("\r\n\r\nalive\n"));
    check(address, &get("/nothing"), 404).await;
    check(address, &get("/etc/passwd"), 404).await;
    let head = check(address, b"HEAD /metrics HTTP/1.1\r\n\r\n", 200).await;
    assert!(head.ends_with("\r\n\r\n"));

    check(address, &get("/readyz"), 503).await;
    readiness.note_upstream(true);
    check(address, &get("/readyz"), 200).await;
    readiness.note_draining();
    check(address, &get("/readyz"), 503).await;
    server.abort();
}

#[tokio::test]
async fn only_names_that_are_known_are_answered() {
    let (address, readiness, server) = start(None).await;
    readiness.note_upstream(true);
    for page in ["/metrics", "/healthz", "/readyz", "/metrics?name[]=x"] {
        let named = |host: &str| format!("GET {page} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        for host in ["evil.example:9432", "localhost.evil.example", ""] {
            let answer = check(address, named(host).as_bytes(), 421).await;
            assert!(!answer.contains("evil"), "{answer}");
            assert!(!answer.contains("pgsieve_"), "{answer}");
            assert!(answer.contains("admin.hosts"), "{answer}");
        }
        // Scrapers and probes: by name, by the address of a container, and without any.
        for host in [
            "pgsieve:9432",
            "10.0.4.7:9432",
            "[fd00::7]:9432",
            "127.0.0.1",
        ] {
            check(address, named(host).as_bytes(), 200).await;
        }
        check(
            address,
            format!("GET {page} HTTP/1.0\r\n\r\n").as_bytes(),
            200,
        )
        .await;
    }
    server.abort();
}

#[tokio::test]
async fn what_is_no_request_for_a_page_is_told_so() {
    let (address, _, server) = start(None).await;
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        for page in ["/", "/metrics", "/events", "/nothing"] {
            let request = format!("{method} {page} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            let answer = check(address, request.as_bytes(), 405).await;
            assert!(answer.contains("\r\nallow: GET, HEAD\r\n"), "{answer}");
        }
    }
    // Its answer arrives although its body is never looked at.
    let mut long = b"POST /metrics HTTP/1.1\r\nContent-Length: 100000\r\n\r\n".to_vec();
    long.extend([b'x'; 100_000]);
    check(address, &long, 405).await;
    for bad in [
        "GET\r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n",
        "GET / HTTP/2\r\n\r\n",
    ] {
        check(address, bad.as_bytes(), 400).await;
    }
    let endless = vec![b'x'; ADMIN_REQUEST_BYTES_MAX + 1];
    check(address, &endless, 431).await;
    let metrics = check(address, &get("/metrics"), 200).await;
    let counted = "pgsieve_admin_requests_total{page=\"other\",status_class=\"4xx\"} 8\n";
    assert!(metrics.contains(counted), "{metrics}");
    server.abort();
}

#[tokio::test]
async fn a_connection_carries_one_request() {
    let (address, _, server) = start(None).await;
    let twice = [get("/healthz"), get("/healthz")].concat();
    let answer = ask(address, &twice).await;
    assert_eq!(answer.matches("alive").count(), 1, "{answer}");
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    server.abort();
}

#[tokio::test]
async fn who_says_nothing_gives_way_to_who_comes() {
    let (address, _, server) = start(None).await;
    let mut idle = Vec::new();
    for number in 0..3 * ADMIN_CONNECTIONS_MAX {
        let mut stream = TcpStream::connect(address).await.unwrap();
        if number % 2 == 0 {
            stream
                .write_all(b"GET /healthz HTTP/1.1\r\n")
                .await
                .unwrap();
        }
        idle.push(stream);
        let request = get("/healthz");
        let answer = timeout(Duration::from_secs(2), ask(address, &request));
        assert!(answer.await.unwrap().starts_with("HTTP/1.1 200"));
    }
    // The last that came are still there, and no more than there is room for.
    let mut open = 0;
    for stream in &mut idle {
        let read = timeout(Duration::from_millis(20), stream.read_u8());
        open += usize::from(read.await.is_err());
    }
    assert!(
        (ADMIN_CONNECTIONS_MAX / 2..=ADMIN_CONNECTIONS_MAX).contains(&open),
        "{open}"
    );
    server.abort();
}

#[tokio::test]
async fn pages_that_are_followed_keep_no_scraper_out_and_have_a_bound() {
    let (address, _, server) = start(None).await;
    let mut followed = Vec::new();
    for _ in 0..ADMIN_FOLLOWERS_MAX {
        followed.push(follow(address, "event: whole\n").await);
    }
    let answer = check(address, &get("/events"), 503).await;
    assert!(answer.contains("\r\nretry-after: 5\r\n"), "{answer}");
    let head = check(
        address,
        b"HEAD /events HTTP/1.1\r\nHost: localhost\r\n\r\n",
        200,
    )
    .await;
    assert!(head.ends_with("\r\n\r\n"));
    // All room for requests is left.
    let mut idle = Vec::new();
    for _ in 0..ADMIN_CONNECTIONS_MAX - 1 {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    check(address, &get("/metrics"), 200).await;
    drop(idle);
    // Who goes makes room.
    followed.pop();
    let again = timeout(Duration::from_secs(5), async {
        while ask_head(address).await != 200 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    again.await.unwrap();
    server.abort();
}

#[tokio::test]
async fn who_has_followed_longest_gives_way_after_its_turn_even_if_it_does_not_read() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let followers = StreamLimit::new(2, Duration::from_millis(ADMIN_TIME_MS_MAX + 1000));
    let admin = admin(&readiness(), None);
    let server = tokio::spawn(serve_to(listener, admin, followers));
    let mut first = follow(address, "event: whole\n").await;
    let mut second = follow(address, "event: whole\n").await;
    // It is not its time yet.
    check(address, &get("/events"), 503).await;
    tokio::time::sleep(Duration::from_millis(ADMIN_TIME_MS_MAX + 1500)).await;
    let third = follow(address, "event: whole\n").await;
    let mut words = Vec::new();
    let gone = timeout(Duration::from_secs(5), first.read_to_end(&mut words));
    gone.await.expect("the first one is cut").ok();
    let mut words = Vec::new();
    let stays = timeout(Duration::from_secs(2), second.read_to_end(&mut words));
    assert!(stays.await.is_err(), "the second one is not");
    drop(third);
    server.abort();
}

/// The status of an attempt to follow the page.
async fn ask_head(address: SocketAddr) -> u16 {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&get("/events")).await.unwrap();
    let mut line = [0; 12];
    stream.read_exact(&mut line).await.unwrap();
    let line = String::from_utf8_lossy(&line);
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn the_live_page_is_for_this_host_or_for_the_token() {
    let (address, _, server) = start(None).await;
    for page in ["/", "/api/state"] {
        check(address, &get(page), 200).await;
        check(address, &get_with(page, "X-Forwarded-For: 10.0.0.1"), 403).await;
        let other = format!("GET {page} HTTP/1.1\r\nHost: evil.example\r\n\r\n");
        check(address, other.as_bytes(), 403).await;
        check(
            address,
            format!("GET {page} HTTP/1.0\r\n\r\n").as_bytes(),
            403,
        )
        .await;
    }
    let cross = "Sec-Fetch-Site: cross-site";
    check(address, &get_with("/", cross), 200).await;
    for page in ["/events", "/api/state", "/api/fingerprint/00"] {
        check(address, &get_with(page, cross), 403).await;
    }
    check(address, &get("/api/fingerprint/00"), 404).await;
    server.abort();

    let (address, _, server) = start(Some(TOKEN)).await;
    let through = "X-Forwarded-For: 10.0.0.1\r\n";
    for page in ["/api/state", "/api/fingerprint/00", "/events"] {
        let answer = check(address, &get_with(page, through.trim_end()), 401).await;
        assert!(answer.contains("\r\nwww-authenticate: Bearer"), "{answer}");
        let wrong = format!("{through}Authorization: Bearer {TOKEN}x");
        check(address, &get_with(page, &wrong), 401).await;
    }
    // The place for the token, and nothing else.
    let shell = check(address, &get_with("/", through.trim_end()), 401).await;
    assert!(shell.contains("<!doctype html>"));
    let right = format!("{through}Authorization: Bearer {TOKEN}");
    check(address, &get_with("/api/state", &right), 200).await;
    check(address, &get("/api/state"), 200).await;
    server.abort();
}

#[tokio::test]
async fn every_answer_says_what_may_be_done_with_it() {
    let (address, _, server) = start(None).await;
    for page in ["/", "/metrics", "/nothing", "/api/state"] {
        let answer = ask(address, &get(page)).await;
        for header in [
            "cache-control: no-store",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
            "x-frame-options: DENY",
        ] {
            assert!(
                answer.contains(&format!("\r\n{header}\r\n")),
                "{page}: {header}"
            );
        }
        assert!(!answer.contains("access-control-allow"), "{page}");
        let has_policy = answer.contains("\r\ncontent-security-policy: default-src 'none'");
        assert_eq!(has_policy, page == "/", "{page}");
    }
    server.abort();
}
