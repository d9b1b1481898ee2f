//! The three ways to the same private Postgres that are compared.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::PrivateCluster;

/// A way to the database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    Direct,
    PgBouncer,
    Pgsieve,
}

/// The running programs.
pub struct Peers {
    cluster: PrivateCluster,
    bouncer: Child,
    bouncer_port: u16,
    sieve: Child,
    sieve_port: u16,
    folder: PathBuf,
}

/// What one pgbench run came to.
pub struct Run {
    pub per_second: f64,
    pub statements: f64,
}

impl Peers {
    /// Starts Postgres with pgbench's tables, PgBouncer and pgsieve.
    pub fn start(audit: bool) -> Self {
        let cluster = pgbench_cluster();
        let folder = std::env::temp_dir().join(format!("pgsieve-bench-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let (bouncer, bouncer_port) = bouncer(&cluster, &folder);
        let (sieve, sieve_port) = sieve(&cluster, &folder, audit);
        Self {
            cluster,
            bouncer,
            bouncer_port,
            sieve,
            sieve_port,
            folder,
        }
    }

    /// The process that stands between, if any.
    pub fn pid(&self, target: Target) -> Option<u32> {
        match target {
            Target::Direct => None,
            Target::PgBouncer => Some(self.bouncer.id()),
            Target::Pgsieve => Some(self.sieve.id()),
        }
    }

    /// The port to connect to.
    pub fn port(&self, target: Target) -> u16 {
        match target {
            Target::Direct => self.cluster.port(),
            Target::PgBouncer => self.bouncer_port,
            Target::Pgsieve => self.sieve_port,
        }
    }

    /// The superuser, whose password is not asked for on loopback.
    pub fn user(&self) -> &'static str {
        self.cluster.admin()
    }

    /// Runs `pgbench -S` for the given time.
    pub fn pgbench(&self, target: Target, mode: &str, clients: usize, time: Duration) -> Run {
        let url = format!(
            "postgres://{}:{}@127.0.0.1:{}/postgres",
            self.user(),
            self.cluster.admin_password(),
            self.port(target)
        );
        let output = Command::new("pgbench")
            .args(["-S", "-n", "-M", mode, "-c", &clients.to_string()])
            .args(["-j", if clients > 1 { "2" } else { "1" }])
            .args(["-T", &time.as_secs().to_string(), &url])
            .output()
            .expect("pgbench is installed");
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
        for child in [&mut self.bouncer, &mut self.sieve] {
            child.kill().ok();
            child.wait().ok();
        }
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// What is measured: another build where `BENCH_PROGRAM` names one.
pub fn program() -> PathBuf {
    let own = || env!("CARGO_BIN_EXE_pgsieve").into();
    std::env::var_os("BENCH_PROGRAM").map_or_else(own, PathBuf::from)
}

/// A Postgres with pgbench's tables.
pub fn pgbench_cluster() -> PrivateCluster {
    let cluster = PrivateCluster::builder()
        .conf("max_connections = 1100")
        .conf("shared_buffers = '256MB'")
        .start()
        .expect("a private Postgres");
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

fn bouncer(cluster: &PrivateCluster, folder: &std::path::Path) -> (Child, u16) {
    let port = free_port();
    let users = folder.join("users.txt");
    let line = format!("\"{}\" \"{}\"\n", cluster.admin(), cluster.admin_password());
    fs::write(&users, line).unwrap();
    let settings = folder.join("pgbouncer.ini");
    let text = format!(
        "[databases]\npostgres = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
         listen_port = {port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {}\n\
         pool_mode = session\nmax_client_conn = 2000\ndefault_pool_size = 1050\n\
         ignore_startup_parameters = extra_float_digits\nlog_connections = 0\n\
         log_disconnections = 0\nlog_stats = 0\n",
        cluster.port(),
        users.display(),
    );
    fs::write(&settings, text).unwrap();
    let mut command = Command::new("pgbouncer");
    command
        .arg("-q")
        .arg(&settings)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
        for path in [&users, &settings] {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    let child = command.spawn().expect("pgbouncer is installed");
    wait_for(port);
    (child, port)
}

fn sieve(cluster: &PrivateCluster, folder: &std::path::Path, audit: bool) -> (Child, u16) {
    let (port, admin) = (free_port(), free_port());
    let policy = folder.join("agent.yaml");
    fs::write(&policy, unbounded_results()).unwrap();
    let mut command = Command::new(program());
    command
        .arg("serve")
        .arg("--policy")
        .arg(policy)
        .args([
            "--upstream",
            &format!("postgres://127.0.0.1:{}/", cluster.port()),
        ])
        .args(["--listen", &format!("127.0.0.1:{port}")])
        .args(["--admin", &format!("127.0.0.1:{admin}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if audit {
        command.arg("--audit").arg(folder.join("audit.jsonl"));
    }
    let child = command.spawn().expect("pgsieve was built");
    wait_for(port);
    (child, port)
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
