//! Several servers with the same contents: a real primary and standbys that follow it.

mod choice;
mod database_policies;
mod databases;
mod imported;
mod lost;
mod min_lsn;
mod moves;
mod parted;
mod policy_targets;
mod remembered;

use std::fmt::Write as _;
use std::iter;
use std::process::Command;

use pgsieve::demo::cluster::{ClusterBuilder, PasswordMethod, PrivateCluster};

use crate::catalog::servers::{copy_data, follow};
use crate::support::raw::Frame;
use crate::support::{APP, Options, RawClient, Stack, frames, own_cluster, shared, sql, until};

/// A primary and its standbys.
struct Servers {
    primary: &'static PrivateCluster,
    standbys: Vec<PrivateCluster>,
}

/// What becomes of all processes of a server.
#[derive(Clone, Copy)]
enum ServerSignal {
    /// They are gone.
    Kill,
    /// They do nothing, and nobody is told so.
    Stop,
    /// They go on.
    Continue,
}

impl Servers {
    fn start(standbys: usize) -> Self {
        let mut primary = builder().start().expect("a primary");
        shared::prepare(&primary);
        let standbys = (0..standbys).map(|_| builder().start().expect("a standby to be"));
        let mut standbys: Vec<PrivateCluster> = standbys.collect();
        primary.crash();
        for standby in &mut standbys {
            standby.crash();
            copy_data(&primary.data(), &standby.data());
        }
        primary.restart().expect("the primary again");
        for standby in &mut standbys {
            follow(&standby.data(), primary.port());
            standby.restart().expect("a standby");
        }
        Self {
            primary: Box::leak(Box::new(primary)),
            standbys,
        }
    }

    /// A pgsieve before all of them, the primary first, with an account of its own and these lines
    /// of settings.
    fn stack(&self, upstream: &str, others: &str) -> Stack {
        self.stack_as("postgres:postgres@", upstream, others)
    }

    fn stack_as(&self, account: &str, upstream: &str, others: &str) -> Stack {
        let mut hosts = format!("127.0.0.1:{}", self.primary.port());
        for standby in &self.standbys {
            let _ = write!(hosts, ",127.0.0.1:{}", standby.port());
        }
        self.stack_of(account, &hosts, upstream, others)
    }

    /// The same before these servers of them.
    fn stack_of(&self, account: &str, hosts: &str, upstream: &str, others: &str) -> Stack {
        let audit = match others.contains("audit:") {
            true => "",
            false => "audit:\n  to: \"off\"\n",
        };
        let config = format!(
            "upstream:\n  url: postgres://{account}{hosts}/{{database}}?sslmode=disable\n{upstream}\
             listen: {{listen}}\nadmin:\n  listen: {{admin}}\n{audit}{others}"
        );
        // Its database is made at the primary; the standbys follow.
        let stack = Stack::start(Options {
            cluster: Some(self.primary),
            config: Some(config),
            ..Options::default()
        });
        for standby in &self.standbys {
            until(|| is_there(standby, stack.database()).then_some(())).expect("it follows");
        }
        stack
    }

    fn at(&self, standby: usize, text: &str) {
        let url = self.standbys[standby].url("postgres", "postgres", "postgres");
        sql::run_blocking(&url, &[text]);
    }

    /// The addresses of the standbys.
    fn addresses(&self) -> Vec<String> {
        let standbys = self.standbys.iter();
        standbys
            .map(|standby| format!("127.0.0.1:{}", standby.port()))
            .collect()
    }

    fn port(&self, standby: usize) -> u16 {
        self.standbys[standby].port()
    }
}

/// Waits until these servers have said how far behind they are: a standby may refuse that until it
/// has the database.
fn asked(stack: &Stack, servers: &[String]) {
    for server in servers {
        let lag = format!("pgsieve_upstream_lag_seconds{{upstream=\"{server}\"}}");
        let is_asked = || stack.get("/metrics").1.contains(&lag).then_some(());
        assert!(until(is_asked).is_some(), "{server}: {}", stack.stderr());
    }
}

fn builder() -> ClusterBuilder {
    own_cluster()
        .auth(PasswordMethod::Scram)
        .hba("host replication all 127.0.0.1/32 trust")
        .conf("wal_retrieve_retry_interval = 100ms")
}

fn is_there(cluster: &PrivateCluster, database: &str) -> bool {
    let url = cluster.url("postgres", "postgres", database);
    sql::block_on(async { sql::connect(&url).await.is_ok() })
}

fn login(stack: &Stack) -> Option<RawClient> {
    RawClient::try_login(stack.proxied_address(), &stack.login(APP)).ok()
}

/// Which server a session is at.
fn port_of(client: &mut RawClient) -> u16 {
    let answer = client.query("SHOW port");
    port_in(&answer).unwrap_or_else(|| panic!("{answer:?}"))
}

/// A new session that is at this server, if it is not ended before it says so: what decides where
/// it goes may change behind its login.
fn goes_to(client: Option<RawClient>, port: u16) -> Option<()> {
    let mut client = client?;
    client.try_send(&frames::query("SHOW port")).ok()?;
    let mut said = iter::from_fn(|| client.read().ok());
    let says = said.find(|frame| [b'D', b'E', b'Z'].contains(&frame.kind))?;
    (port_in(&[says]) == Some(port)).then_some(())
}

fn port_in(answer: &[Frame]) -> Option<u16> {
    let row = answer.iter().find(|message| message.kind == b'D')?;
    String::from_utf8_lossy(&row.body[6..]).parse().ok()
}

/// The servers that so many new sessions go to, in order.
fn ports(stack: &Stack, count: usize) -> Vec<u16> {
    let mut held = Vec::new();
    for _ in 0..count {
        held.push(login(stack).expect("a login"));
    }
    let mut ports: Vec<u16> = held.iter_mut().map(port_of).collect();
    ports.sort_unstable();
    ports
}

/// Sends a signal to all processes of a server.
fn signal(cluster: &PrivateCluster, signal: ServerSignal) {
    let file = cluster.data().join("postmaster.pid");
    let text = std::fs::read_to_string(file).unwrap();
    let postmaster = text.lines().next().unwrap().to_owned();
    let name = match signal {
        ServerSignal::Kill => "-KILL",
        ServerSignal::Stop => "-STOP",
        ServerSignal::Continue => "-CONT",
    };
    let children = Command::new("ps")
        .args(["-o", "pid=", "--ppid", &postmaster])
        .output()
        .unwrap();
    let children = String::from_utf8(children.stdout).unwrap();
    let all = children.split_whitespace().chain([postmaster.as_str()]);
    // One of them may have ended meanwhile by itself.
    drop(Command::new("kill").arg(name).args(all).output().unwrap());
}
