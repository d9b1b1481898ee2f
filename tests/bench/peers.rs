//! The ways to the same private Postgres that are compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::{PrivateCluster, TlsFiles};
use pgsieve::net::dev_certificates::{self, CertificateRequest, DevCertificates};
use pgsieve::net::uring::IoBackend;

/// A way to the database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    Direct,
    /// Blind: it passes bytes on.
    HaProxy,
    /// In session mode.
    PgBouncer,
    /// In transaction mode, with [`POOL_SIZE`] connections.
    PgBouncerShared,
    /// In session mode.
    Pgsieve,
    /// In transaction mode, with [`POOL_SIZE`] connections.
    PgsieveShared,
    /// In session mode, over io_uring.
    PgsieveRing,
    /// In transaction mode, over io_uring.
    PgsieveRingShared,
}

impl Target {
    /// As tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::HaProxy => "HAProxy",
            Self::PgBouncer => "PgBouncer, session",
            Self::PgBouncerShared => "PgBouncer, transaction",
            Self::Pgsieve => "pgsieve, session",
            Self::PgsieveShared => "pgsieve, transaction",
            Self::PgsieveRing => "pgsieve, session, io_uring",
            Self::PgsieveRingShared => "pgsieve, transaction, io_uring",
        }
    }

    fn backend(self) -> IoBackend {
        match self {
            Self::PgsieveRing | Self::PgsieveRingShared => IoBackend::Uring,
            _ => IoBackend::Epoll,
        }
    }
}

/// How long a way is used, and how.
#[derive(Clone, Copy)]
pub struct Load {
    /// The protocol: a word of `pgbench -M`.
    pub mode: &'static str,
    pub clients: usize,
    /// Whether each transaction has a connection of its own.
    pub churns: bool,
    /// Other statements than those of `pgbench -S`.
    pub script: Option<&'static str>,
    pub time: Duration,
}

/// The running programs.
pub struct Peers {
    cluster: PrivateCluster,
    proxies: BTreeMap<Target, Proxy>,
    folder: PathBuf,
    certificates: Option<DevCertificates>,
}

struct Proxy {
    child: Child,
    port: u16,
}

/// What one pgbench run came to.
pub struct Run {
    pub per_second: f64,
    pub statements: f64,
}

impl Peers {
    /// Starts Postgres with pgbench's tables, PgBouncer and pgsieve in both modes, and HAProxy
    /// where it is installed.
    pub fn start(audit: bool) -> Self {
        Self::with(bench_folder("plain"), audit, None)
    }

    /// The same with TLS between all of them.
    pub fn start_encrypted() -> Self {
        let folder = bench_folder("tls");
        let certificates = folder.join("certificates");
        let request = CertificateRequest {
            hosts: &[],
            client_name: "pgsieve",
        };
        let made = dev_certificates::write(&certificates, &request).expect("certificates");
        Self::with(folder, false, Some(made))
    }

    fn with(folder: PathBuf, audit: bool, certificates: Option<DevCertificates>) -> Self {
        let tls = certificates.as_ref();
        let cluster = pgbench_cluster_with(tls);
        let mut proxies = BTreeMap::new();
        for target in [Target::PgBouncer, Target::PgBouncerShared] {
            proxies.insert(target, bouncer(&cluster, &folder, (target, tls)));
        }
        let sieves = [
            Target::Pgsieve,
            Target::PgsieveShared,
            Target::PgsieveRing,
            Target::PgsieveRingShared,
        ];
        let may_run = |target: &Target| target.backend().wants_rings().is_ok();
        for target in sieves.into_iter().filter(may_run) {
            proxies.insert(target, sieve(&cluster, &folder, (target, audit, tls)));
        }
        if let Some(haproxy) = haproxy(&cluster, &folder) {
            proxies.insert(Target::HaProxy, haproxy);
        }
        Self {
            cluster,
            proxies,
            folder,
            certificates,
        }
    }

    /// The ways that can carry statements in that mode.
    pub fn targets(&self, mode: &str) -> Vec<Target> {
        let has_named = bouncer_version() >= (1, 21);
        let shared = Target::PgBouncerShared;
        let proxies = self.proxies.keys().copied();
        let able = proxies.filter(|&target| target != shared || mode != "prepared" || has_named);
        [Target::Direct].into_iter().chain(able).collect()
    }

    /// The process that stands between, if any.
    pub fn pid(&self, target: Target) -> Option<u32> {
        self.proxies.get(&target).map(|proxy| proxy.child.id())
    }

    /// The port to connect to.
    pub fn port(&self, target: Target) -> u16 {
        let proxy = self.proxies.get(&target);
        proxy.map_or_else(|| self.cluster.port(), |proxy| proxy.port)
    }

    /// The superuser, whose password is not asked for on loopback.
    pub fn user(&self) -> &'static str {
        self.cluster.admin()
    }

    /// Runs `pgbench -S`; each transaction's time is put into a file in `latencies`, in lines as
    /// `pgbench -l` writes them.
    pub fn pgbench(&self, target: Target, load: &Load, latencies: Option<&Path>) -> Run {
        let url = format!(
            "postgres://{}:{}@127.0.0.1:{}/postgres?sslmode={}",
            self.user(),
            self.cluster.admin_password(),
            self.port(target),
            match self.certificates {
                Some(_) => "require",
                None => "disable",
            }
        );
        let mut command = Command::new("pgbench");
        match load.script {
            Some(text) => {
                let file = self.folder.join("script.sql");
                fs::write(&file, text).unwrap();
                command.arg("-f").arg(file);
            }
            None => {
                command.arg("-S");
            }
        }
        command
            .args(["-n", "-M", load.mode])
            .args(["-c", &load.clients.to_string()])
            .args(["-j", if load.clients > 1 { "2" } else { "1" }])
            .args(["-T", &load.time.as_secs().to_string()]);
        if load.churns {
            command.arg("-C");
        }
        if let Some(folder) = latencies {
            command.arg("-l").current_dir(folder);
        }
        let output = command.arg(&url).output().expect("pgbench is installed");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success(),
            "pgbench through {target:?} failed: {errors}"
        );
        let number = |label: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(label));
            let line = line.unwrap_or_else(|| panic!("pgbench did not say {label}"));
            line.trim()
                .split([' ', '/'])
                .next()
                .unwrap()
                .parse::<f64>()
                .unwrap()
        };
        assert_eq!(
            number("number of failed transactions:"),
            0.0,
            "{target:?}: {errors}"
        );
        Run {
            per_second: number("tps ="),
            statements: number("number of transactions actually processed:"),
        }
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        for proxy in self.proxies.values_mut() {
            proxy.child.kill().ok();
            proxy.child.wait().ok();
        }
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// What is measured: another build where `BENCH_PROGRAM` names one.
pub fn program() -> PathBuf {
    let own = || env!("CARGO_BIN_EXE_pgsieve").into();
    std::env::var_os("BENCH_PROGRAM").map_or_else(own, PathBuf::from)
}

fn bench_folder(what: &str) -> PathBuf {
    let name = format!("pgsieve-bench-{what}-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// A Postgres with pgbench's tables.
pub fn pgbench_cluster() -> PrivateCluster {
    pgbench_cluster_with(None)
}

fn pgbench_cluster_with(certificates: Option<&DevCertificates>) -> PrivateCluster {
    let mut builder = PrivateCluster::builder()
        .conf("max_connections = 1400")
        .conf("shared_buffers = '256MB'");
    if let Some(made) = certificates {
        builder = builder.tls(TlsFiles {
            certificate: made.server.clone(),
            key: made.server_key.clone(),
            client_authority: None,
        });
    }
    let cluster = builder.start().expect("a private Postgres");
    let url = cluster.admin_url("postgres");
    let made = Command::new("pgbench")
        .args(["-i", "-q", "-s", "10", &url])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .status();
    assert!(
        made.expect("pgbench is installed").success(),
        "pgbench -i failed"
    );
    cluster
}

fn bouncer(
    cluster: &PrivateCluster,
    folder: &Path,
    (target, certificates): (Target, Option<&DevCertificates>),
) -> Proxy {
    let port = free_port();
    let (mode, size) = match target {
        Target::PgBouncerShared => ("transaction", POOL_SIZE),
        _ => ("session", 1_050),
    };
    let users = folder.join(format!("users-{mode}.txt"));
    let line = format!("\"{}\" \"{}\"\n", cluster.admin(), cluster.admin_password());
    fs::write(&users, line).unwrap();
    let settings = folder.join(format!("pgbouncer-{mode}.ini"));
    let mut text = format!(
        "[databases]\npostgres = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
         listen_port = {port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {}\n\
         pool_mode = {mode}\nmax_client_conn = {CLIENTS_MAX}\ndefault_pool_size = {size}\n\
         ignore_startup_parameters = extra_float_digits\nlog_connections = 0\n\
         log_disconnections = 0\nlog_stats = 0\n",
        cluster.port(),
        users.display(),
    );
    if bouncer_version() >= (1, 21) {
        text += "max_prepared_statements = 200\n";
    }
    let mut own = vec![users.clone(), settings.clone()];
    if let Some(made) = certificates {
        let [certificate, key] =
            ["pem", "key"].map(|ending| folder.join(format!("bouncer-{mode}.{ending}")));
        fs::copy(&made.server, &certificate).unwrap();
        fs::copy(&made.server_key, &key).unwrap();
        let _ = write!(
            text,
            "client_tls_sslmode = require\nclient_tls_cert_file = {}\nclient_tls_key_file = {}\n\
             server_tls_sslmode = require\n",
            certificate.display(),
            key.display()
        );
        own.extend([certificate, key]);
    }
    fs::write(&settings, text).unwrap();
    let mut command = Command::new("pgbouncer");
    command.arg("-q").arg(&settings);
    if fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
        for path in &own {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    started(command, port).expect("pgbouncer is installed")
}

/// Its version; 1.21 was the first that keeps named statements of clients that share connections.
fn bouncer_version() -> (u32, u32) {
    let output = Command::new("pgbouncer").arg("--version").output();
    let text = String::from_utf8(output.expect("pgbouncer is installed").stdout).unwrap();
    let words = text.split_whitespace();
    let version = words.skip_while(|word| *word != "PgBouncer").nth(1);
    let mut numbers = version.expect("a version").split('.');
    let mut number = || numbers.next().and_then(|text| text.parse().ok()).unwrap();
    (number(), number())
}

fn haproxy(cluster: &PrivateCluster, folder: &Path) -> Option<Proxy> {
    let port = free_port();
    let settings = folder.join("haproxy.cfg");
    let text = format!(
        "global\n  maxconn {CLIENTS_MAX}\ndefaults\n  mode tcp\n  timeout connect 5s\n  \
         timeout client 1h\n  timeout server 1h\nfrontend clients\n  bind 127.0.0.1:{port}\n  \
         default_backend database\nbackend database\n  server postgres 127.0.0.1:{}\n",
        cluster.port()
    );
    fs::write(&settings, text).unwrap();
    let mut command = Command::new("haproxy");
    command.arg("-db").arg("-f").arg(&settings);
    started(command, port)
}

fn sieve(
    cluster: &PrivateCluster,
    folder: &Path,
    (target, audit, certificates): (Target, bool, Option<&DevCertificates>),
) -> Proxy {
    let (port, admin) = (free_port(), free_port());
    let policy = folder.join("agent.yaml");
    fs::write(&policy, unbounded_results()).unwrap();
    let mode = match target {
        Target::PgsieveShared | Target::PgsieveRingShared => "transaction",
        _ => "session",
    };
    let upstream = format!(
        "postgres://{}:{}@127.0.0.1:{}/?sslmode={}",
        cluster.admin(),
        cluster.admin_password(),
        cluster.port(),
        match certificates {
            Some(_) => "require",
            None => "disable",
        }
    );
    let mut command = Command::new(program());
    if let Some(made) = certificates {
        command
            .env("PGSIEVE_CLIENT_TLS_MODE", "require")
            .env("PGSIEVE_CLIENT_TLS_CERTIFICATE", &made.server)
            .env("PGSIEVE_CLIENT_TLS_KEY", &made.server_key);
    }
    command
        .arg("serve")
        .arg("--policy")
        .arg(policy)
        .args(["--listen", &format!("127.0.0.1:{port}")])
        .args(["--admin", &format!("127.0.0.1:{admin}")])
        .env("PGSIEVE_UPSTREAM_URL", upstream)
        .env("PGSIEVE_CLIENT_AUTH_METHOD", "trust")
        .env("PGSIEVE_POOL_MODE", mode)
        .env("PGSIEVE_IO_BACKEND", target.backend().name())
        .env("PGSIEVE_POOL_SIZE", POOL_SIZE.to_string())
        .env("PGSIEVE_LIMITS_CONNECTIONS_MAX", CLIENTS_MAX.to_string());
    if audit {
        let backend = target.backend().name();
        let audit = folder.join(format!("audit-{mode}-{backend}.jsonl"));
        command.arg("--audit").arg(audit);
    }
    started(command, port).expect("pgsieve was built")
}

/// Waits until it listens; none where it is not installed.
fn started(mut command: Command, port: u16) -> Option<Proxy> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().ok()?;
    wait_for(port);
    Some(Proxy { child, port })
}

/// The shipped `agent`, but for the bytes of a result: large ones are measured too.
pub fn unbounded_results() -> String {
    let agent = include_str!("../../policies/agent.yaml");
    let bound = "\n  result_bytes: 10MiB\n";
    assert!(agent.contains(bound), "agent bounds results otherwise");
    agent.replace(bound, "\n")
}

/// A port that nothing listens on.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// Waits until something listens.
pub fn wait_for(port: u16) {
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "nothing listens on port {port}"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The account that may do nothing, as on every Linux.
const NOBODY: u32 = 65_534;

/// Connections that clients share in transaction mode.
pub const POOL_SIZE: usize = 20;

/// Clients that each proxy takes at a time.
const CLIENTS_MAX: usize = 6_000;
