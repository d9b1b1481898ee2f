//! A Postgres that asks each user in another way, and the login of pgsieve before it, with a plain
//! relay of bytes in place of the session that would follow.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use pgsieve::auth::ClientAuth;
use pgsieve::auth::settings::AuthSettings;
use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster, TlsFiles, random_name};

use pgsieve::gate::{SessionNames, Verdict};
use pgsieve::net::client_tls::{ClientTls, ClientTlsFiles, ClientTlsSettings};
use pgsieve::net::dev_certificates;
use pgsieve::net::dev_certificates::{CertificateRequest, DevCertificates};
use pgsieve::net::stream::{PeerAddress, PeerStream};
use pgsieve::policy::{LivePolicies, Policy, PolicySet};
use pgsieve::session::drain::{DrainReceiver, DrainSender};
use pgsieve::session::login::disabled_users::DisabledUsers;
use pgsieve::session::login::login_settings::{CurrentLoginSettings, LoginSettings};
use pgsieve::session::login::pending_logins::{LoginCapacity, PendingLogins};
use pgsieve::session::login::superusers::SuperuserNotices;
use pgsieve::session::login::{AcceptedClient, LoginContext, LoginEnd, OpenedSession, open};
use pgsieve::session::memory::budget::MemoryBudget;
use pgsieve::session::policy_limits::per_user::UserAccounts;
use pgsieve::session::policy_store::PolicyStore;

use pgsieve::session::registry::SessionRegistry;
use pgsieve::session::scheduling::turn::TurnQueue;
use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::labels::ClosedBecause;
use pgsieve::upstream::address::UpstreamSettings;
use pgsieve::upstream::cancel::CancelRegistry;
use pgsieve::upstream::catalog_cache::CatalogCaches;
use pgsieve::upstream::compile_pool::CompilePools;
use pgsieve::upstream::outbox::Outbox;
use pgsieve::upstream::servers::ServersSettings;
use pgsieve::upstream::servers::directory::UpstreamDirectory;
use pgsieve::upstream::verifier_lookup::VerifierLookups;
use pgsieve::wire::frame::{FrameCut, ProtocolPhase, cut_frontend};
use pgsieve::wire::frontend::{FrontendMessage, decode};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, UnixListener};
use tokio::time::Instant;

use crate::support::own_cluster;

/// Everybody's password. It takes SASLprep to agree on the numeral.
pub const PASSWORD: &str = "pass phrase \u{2168}";

/// Postgres roles; the name says how each is asked.
const ROLES: &[(&str, &str)] = &[
    ("trusty", "scram-sha-256"),
    ("md5y", "md5"),
    ("cleary", "scram-sha-256"),
    ("scramy", "scram-sha-256"),
    ("onlytls", "scram-sha-256"),
    ("certy", "scram-sha-256"),
];

/// Keys and certificates, one set for the whole run.
pub fn certificates() -> &'static DevCertificates {
    static FILES: LazyLock<DevCertificates> = LazyLock::new(|| make_certificates("certy"));
    &FILES
}

/// Another authority with its own set.
pub fn make_certificates(client_name: &str) -> DevCertificates {
    // Beside the build, not among the temporary files: it outlives the run.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(random_name().unwrap());
    let wish = CertificateRequest {
        hosts: &[],
        client_name,
    };
    dev_certificates::write(&folder, &wish).unwrap()
}

/// A folder of one's own.
pub fn new_folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pgsieve-login-{}", random_name().unwrap()));
    std::fs::create_dir(&folder).unwrap();
    folder
}

/// The Postgres of all tests.
pub fn cluster() -> &'static PrivateCluster {
    static CLUSTER: LazyLock<PrivateCluster> = LazyLock::new(start_cluster);
    &CLUSTER
}

fn start_cluster() -> PrivateCluster {
    let files = certificates();
    let cluster = own_cluster()
        .auth(PasswordMethod::Scram)
        .tls(TlsFiles {
            certificate: files.server.clone(),
            key: files.server_key.clone(),
            client_authority: Some(files.authority.clone()),
        })
        .hba("host all trusty all trust")
        .hba("local all trusty trust")
        .hba("host all md5y all md5")
        .hba("host all cleary all password")
        .hba("hostssl all certy all cert")
        .hba("hostnossl all certy all reject")
        .hba("hostnossl all onlytls all reject")
        .start()
        .unwrap();
    let mut script = String::new();
    for (role, encryption) in ROLES {
        script += &format!("SET password_encryption = '{encryption}';\n");
        script += &format!("CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}';\n");
    }
    script += "CREATE ROLE shy LOGIN PASSWORD 'x' CONNECTION LIMIT 0;\n";
    let made = psql(&cluster.admin_url("postgres"), "", &script);
    assert!(made.status.success(), "{}", text(&made.stderr));
    cluster
}

/// Runs psql with a connection string or URL.
pub fn psql(target: &str, password: &str, sql: &str) -> Output {
    psql_with(target, password, sql, &[])
}

/// Runs psql with more environment.
pub fn psql_with(target: &str, password: &str, sql: &str, more: &[(&str, &str)]) -> Output {
    let mut command = Command::new("psql");
    command.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", target, "-c", sql]);
    command
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap());
    command
        .env("PGCONNECT_TIMEOUT", "20")
        .env("HOME", "/nonexistent");
    if !password.is_empty() {
        command.env("PGPASSWORD", password);
    }
    command
        .envs(more.iter().copied())
        .output()
        .expect("psql is installed")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// How the login under test is set up.
pub struct Setup {
    pub tls: ClientTlsSettings,
    pub auth: AuthSettings,
    pub upstream: String,
    /// Clients are taken for this peer, wherever they come from.
    pub peer: Option<PeerAddress>,
    pub policies: PolicySet,
}

impl Setup {
    /// Passthrough, no TLS on either side.
    pub fn plain() -> Self {
        Self {
            tls: ClientTlsSettings::Off,
            auth: AuthSettings::Passthrough {
                allow_plaintext_passwords: false,
                cache_age: None,
            },
            upstream: upstream(""),
            peer: None,
            policies: PolicySet::only(Arc::new(Policy::agent())),
        }
    }
}

/// The address of the cluster, with parameters.
pub fn upstream(parameters: &str) -> String {
    format!("postgres://127.0.0.1:{}/?{parameters}", cluster().port())
}

/// The files of client-side TLS.
pub fn tls_files() -> ClientTlsFiles {
    let files = certificates();
    ClientTlsFiles {
        certificate: files.server.clone(),
        key: files.server_key.clone(),
        client_ca: Some(files.authority.clone()),
    }
}

/// Someone far away.
pub fn far() -> Option<PeerAddress> {
    Some(PeerAddress::Tcp("203.0.113.9:40000".parse().unwrap()))
}

/// A login context that takes clients.
pub struct Sieve {
    pub port: u16,
    pub folder: PathBuf,
    pub telemetry: Telemetry,
    pub cancels: CancelRegistry,
    pub ends: Arc<Mutex<Vec<ClosedBecause>>>,
    /// Kept: without it everybody would hear that the server stops.
    _drain: DrainSender,
    _runtime: tokio::runtime::Runtime,
}

impl Sieve {
    pub fn start(setup: Setup) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let settings = UpstreamSettings::parse(&setup.upstream).unwrap();
        let tls = ClientTls::load(&setup.tls).unwrap();
        let own = (settings, ServersSettings::alone());
        let login_context = Arc::new(LoginContext {
            superusers: SuperuserNotices::default(),
            login_settings: CurrentLoginSettings::new(LoginSettings {
                disabled: DisabledUsers::default(),
                auth: ClientAuth::load(setup.auth, &tls).unwrap(),
                tls,
                attributes: Default::default(),
                report_as: Default::default(),
                console: Default::default(),
            }),
            session_registry: SessionRegistry::default(),
            compile_pools: CompilePools::new(runtime.handle().clone()),
            verifier_lookups: VerifierLookups::new(runtime.handle().clone()),
            directory: Arc::new(UpstreamDirectory::load(own, Vec::new()).unwrap()),
            catalogs: CatalogCaches::off(),
            policy_store: Arc::new(PolicyStore::new(
                Arc::new(LivePolicies::new(setup.policies)),
                None,
            )),
            cancels: CancelRegistry::new(),
            accounts: UserAccounts::new(),
            memory: MemoryBudget::boundless(),
            pools: None,
            console: Default::default(),
            receipt_issuer: None,
            telemetry: Telemetry::quiet().unwrap(),
        });
        let ends = Arc::new(Mutex::new(Vec::new()));
        let folder = new_folder();
        let tcp = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = tcp.local_addr().unwrap().port();
        let guard = runtime.enter();
        let unix = UnixListener::bind(folder.join(format!(".s.PGSQL.{port}"))).unwrap();
        drop(guard);
        let (telemetry, cancels) = (
            login_context.telemetry.clone(),
            login_context.cancels.clone(),
        );
        let (shared, peer) = (login_context.clone(), setup.peer);
        let record = ends.clone();
        let (drain, draining) = DrainSender::new();
        let hears = draining.clone();
        runtime.spawn(async move {
            loop {
                let (socket, address) = tcp.accept().await.unwrap();
                let peer = peer.unwrap_or(PeerAddress::Tcp(address));
                let stream = PeerStream::tcp(socket).unwrap();
                let (shared, record) = (shared.clone(), record.clone());
                tokio::spawn(serve(stream, peer, shared, record, hears.clone()));
            }
        });
        let record = ends.clone();
        runtime.spawn(async move {
            loop {
                let (socket, _) = unix.accept().await.unwrap();
                let stream = PeerStream::Unix(socket);
                let (login_context, record) = (login_context.clone(), record.clone());
                tokio::spawn(serve(
                    stream,
                    PeerAddress::Unix,
                    login_context,
                    record,
                    draining.clone(),
                ));
            }
        });
        Self {
            port,
            folder,
            telemetry,
            cancels,
            ends,
            _drain: drain,
            _runtime: runtime,
        }
    }

    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// A connection string over TCP.
    pub fn target(&self, user: &str, more: &str) -> String {
        let port = self.port;
        format!("host=127.0.0.1 port={port} user={user} dbname=postgres gssencmode=disable {more}")
    }

    /// A connection string over the Unix socket.
    pub fn socket_target(&self, user: &str) -> String {
        let (folder, port) = (self.folder.display(), self.port);
        format!("host={folder} port={port} user={user} dbname=postgres")
    }

    /// Logs in and says who the upstream believes it is.
    pub fn check_in(&self, target: &str, password: &str, who: &str) {
        let output = psql(target, password, WHO);
        let got = (text(&output.stdout), text(&output.stderr));
        assert_eq!(got, (format!("{who}|on|on"), String::new()), "{target}");
    }

    /// Fails to log in, with these words.
    pub fn check_out(&self, target: &str, password: &str, words: &str) {
        let output = psql(target, password, WHO);
        let error = text(&output.stderr);
        assert!(
            !output.status.success(),
            "{target} got in: {}",
            text(&output.stdout)
        );
        assert!(error.contains(words), "{target}: {error}");
    }

    /// The metric whose line contains all of these gets to this value.
    pub fn check_metric(&self, parts: &[&str], expected: f64) {
        let mut last = None;
        for _ in 0..3000 {
            let scraped = self.telemetry.scrape();
            let mut lines = scraped.lines().filter(|line| !line.starts_with('#'));
            let line = lines.find(|line| parts.iter().all(|part| line.contains(part)));
            last = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
            if last == Some(expected) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("{parts:?} is {last:?}, not {expected}");
    }

    /// Waits until this many connections have ended, and says how.
    pub fn wait_for_ends(&self, count: usize) -> Vec<ClosedBecause> {
        for _ in 0..3000 {
            let ends = self.ends.lock().unwrap().clone();
            if ends.len() >= count {
                return ends;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("only {:?} ended", self.ends.lock().unwrap());
    }
}

impl Drop for Sieve {
    fn drop(&mut self) {
        let _may_be_gone = std::fs::remove_dir_all(&self.folder);
    }
}

const WHO: &str = "SELECT current_user, current_setting('transaction_read_only'), \
                   current_setting('default_transaction_read_only')";

async fn serve(
    stream: PeerStream,
    peer: PeerAddress,
    login_context: Arc<LoginContext>,
    ends: Arc<Mutex<Vec<ClosedBecause>>>,
    draining: DrainReceiver,
) {
    let turns = TurnQueue::default();
    let calling = tokio::spawn(turns.clone().run());
    let reason = match open(
        AcceptedClient {
            stream,
            peer,
            id: 1,
            pending: PendingLogins::new(10)
                .accept(peer, LoginCapacity::Left)
                .unwrap(),
            caller: None,
        },
        &login_context,
        &turns,
        draining,
    )
    .await
    {
        LoginEnd::Opened(opened) => relay(*opened).await,
        LoginEnd::Closed { reason, .. } => reason,
        LoginEnd::Console(_) => panic!("nobody asks for the console"),
    };
    calling.abort();
    ends.lock().unwrap().push(reason);
}

/// One Query after the other, each with a permit: nothing else can be sent to an upstream.
async fn relay(opened: OpenedSession) -> ClosedBecause {
    let OpenedSession {
        mut client,
        mut upstream,
        assigned_policy,
        cancel: _guard,
        welcome,
        ..
    } = opened;
    let later = Instant::now() + Duration::from_secs(60);
    let welcome = [&*welcome, b"Z\0\0\0\x05I"].concat();
    client.stream.write_all(&welcome).await.unwrap();
    assert!(upstream.framed.inbox.is_empty());
    loop {
        let whole = match cut_frontend(&client.inbox, ProtocolPhase::Session).unwrap() {
            FrameCut::Whole(frame) => match decode(&frame).unwrap() {
                FrontendMessage::Query(query) => Some((frame.bytes.len(), query.text.to_owned())),
                FrontendMessage::Terminate => return ClosedBecause::Terminate,
                other => panic!("{other:?}"),
            },
            FrameCut::Partial { .. } => None,
        };
        let Some((read, text)) = whole else {
            match client.fill(later).await {
                Ok(()) => continue,
                Err(_) => return ClosedBecause::Terminate,
            }
        };
        drop(client.inbox.split_to(read));
        let judged = assigned_policy
            .gate
            .judge(text.into(), &SessionNames::default());
        let Verdict::Permitted(permit) = judged.verdict else {
            panic!("{:?}", judged.verdict);
        };
        let mut out = Outbox::default();
        out.query(&permit).unwrap();
        upstream.framed.send(&out, later).await.unwrap();
        while let Ok(message) = upstream.framed.backend(later).await {
            client.send(&message.bytes, later).await.unwrap();
            if message.kind == b'Z' {
                break;
            }
        }
    }
}
