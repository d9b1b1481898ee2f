//! Two copies of pgsieve behind a balancer of TCP connections, HAProxy, with limits that hold over
//! both: cancels find their statements, and copies are exchanged one after the other while clients
//! work and while others rest.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use pgsieve::demo::cluster::{PrivateCluster, random_name};
use pgsieve::demo::supervisor::{ChildSignal, SupervisedChild};

use super::text::Folder;
use crate::support::ports::free_port;
use crate::support::raw::{Login, kinds, rows};
use crate::support::redis_server::RedisServer;
use crate::support::shared::{new_database, shared_cluster};
use crate::support::{APP, RawClient, frames, until};

/// The copies, and the balancer before them. A server that is drained gets nobody new.
struct Balanced {
    store: RedisServer,
    cluster: &'static PrivateCluster,
    database: String,
    port: u16,
    copies: Vec<Copy>,
    _balancer: SupervisedChild,
    /// It has the notes of the processes: it goes when they have ended.
    folder: Folder,
}

/// A copy, by the name that the balancer has for it.
struct Copy {
    name: &'static str,
    listen: u16,
    admin: u16,
    process: Option<SupervisedChild>,
}

impl Balanced {
    /// Two copies with these variables, and places for two that come later.
    fn start(more: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        let store = RedisServer::start();
        let cluster = shared_cluster();
        let database = new_database(cluster);
        folder.put("policy.yaml", POLICY);
        folder.put("peers.key", &"5e".repeat(32));
        let copies = ["one", "two", "three", "four"].map(|name| Copy {
            name,
            listen: free_port(),
            admin: free_port(),
            process: None,
        });
        let port = free_port();
        let servers = copies.iter().map(|copy: &Copy| {
            format!(
                "  server {} 127.0.0.1:{} check port {} inter 200ms fall 3 rise 1\n",
                copy.name, copy.listen, copy.admin
            )
        });
        let socket = folder.0.join("socket");
        let settings = format!(
            "global\n  stats socket {} level admin\ndefaults\n  mode tcp\n  timeout connect 10s\n  \
             timeout client 1h\n  timeout server 1h\n  timeout check 30s\nfrontend clients\n  \
             bind 127.0.0.1:{port}\n  default_backend pgsieve\nbackend pgsieve\n  \
             balance roundrobin\n  option redispatch 1\n  option httpchk GET /readyz\n{}",
            socket.display(),
            servers.collect::<String>()
        );
        let settings = folder.put("haproxy.cfg", &settings);
        let own = folder.0.join("haproxy");
        std::fs::create_dir(&own).unwrap();
        let program = program_in(&["/usr/sbin", "/usr/bin", "/usr/local/sbin"]);
        let balancer = SupervisedChild::start(&own, &program, &["-db", "-f", &settings], &[]);
        let mut balanced = Self {
            folder,
            store,
            cluster,
            database,
            port,
            copies: copies.into(),
            _balancer: balancer.unwrap(),
        };
        balanced.start_copy(0, more);
        balanced.start_copy(1, more);
        balanced
    }

    /// Starts a copy and waits until the balancer sends clients there.
    fn start_copy(&mut self, at: usize, more: &[(&str, &str)]) {
        let peers: Vec<String> = (self.copies.iter())
            .map(|copy| format!("127.0.0.1:{}", copy.listen))
            .collect();
        let peers = peers.join(",");
        let copy = &self.copies[at];
        // Each run has a folder of its own: that of the one before goes away with it.
        let own = self.folder.0.join(random_name().unwrap());
        std::fs::create_dir(&own).unwrap();
        let upstream = self.cluster.url(APP, APP, &self.database);
        let arguments = [
            "serve".to_owned(),
            format!("--upstream={upstream}"),
            format!("--listen=127.0.0.1:{}", copy.listen),
            format!("--admin=127.0.0.1:{}", copy.admin),
            format!("--policy={}", self.folder.0.join("policy.yaml").display()),
        ];
        let key = self.folder.0.join("peers.key");
        let (store, password) = (self.store.url(), self.store.password_file());
        let mut environment = vec![
            ("PGSIEVE_CLIENT_AUTH_METHOD", "trust"),
            ("PGSIEVE_CATALOG_AGE_MAX", "60s"),
            ("PGSIEVE_PEERS_ADDRESSES", &peers),
            ("PGSIEVE_PEERS_KEY_FILE", key.to_str().unwrap()),
            ("PGSIEVE_LIMITS_STORE", &store),
            ("PGSIEVE_LIMITS_STORE_PASSWORD_FILE", &password),
            ("PGSIEVE_LIMITS_STORE_WINDOW", "200ms"),
        ];
        environment.extend(more);
        let program = Path::new(env!("CARGO_BIN_EXE_pgsieve"));
        let process = SupervisedChild::start(&own, program, &arguments, &environment).unwrap();
        let name = copy.name;
        let is_up = until(|| self.status(name).starts_with("UP").then_some(()));
        assert!(
            is_up.is_some(),
            "{}: {}",
            self.status(name),
            process.stderr()
        );
        self.copies[at].process = Some(process);
    }

    /// Says something to the balancer.
    fn tell(&self, words: &str) -> String {
        let path = self.folder.0.join("socket");
        let mut said = String::new();
        let told = UnixStream::connect(path).and_then(|mut socket| {
            socket.write_all(format!("{words}\n").as_bytes())?;
            socket.read_to_string(&mut said)
        });
        told.map(|_| said).unwrap_or_default()
    }

    /// Waits until these copies have heard of what users have read.
    fn exchanged(&self, copies: &[usize]) {
        for admin in copies.iter().map(|at| self.copies[*at].admin) {
            // One may be on its way that asks for nobody who has just come.
            let wanted = counted(admin, EXCHANGES) + 2.0;
            let met = until(|| (counted(admin, EXCHANGES) >= wanted).then_some(()));
            assert!(met.is_some(), "the store is not asked");
        }
    }

    /// Nobody new goes to a copy. As a pod does, it waits until who is on the way there has come.
    fn drain(&self, name: &str) {
        self.tell(&format!("set server pgsieve/{name} state drain"));
        thread::sleep(Duration::from_millis(500));
    }

    /// What the balancer thinks of a copy.
    fn status(&self, name: &str) -> String {
        let table = self.tell("show stat");
        let row = table
            .lines()
            .find(|line| line.starts_with(&format!("pgsieve,{name},")));
        let word = row.and_then(|row| row.split(',').nth(STATUS_COLUMN));
        word.unwrap_or_default().to_owned()
    }

    fn login(&self) -> RawClient {
        RawClient::login(self.address(), &self.user())
    }

    fn user(&self) -> Login<'_> {
        self.as_user(APP)
    }

    fn as_user<'a>(&'a self, user: &'a str) -> Login<'a> {
        user_of(user, &self.database)
    }

    fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    /// How many sessions run a statement.
    fn running(&self) -> String {
        let mut client =
            RawClient::login(([127, 0, 0, 1], self.cluster.port()).into(), &self.user());
        rows(&client.query(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = \
             'active' AND query LIKE '%1000000000000%' AND pid <> pg_backend_pid()",
        ))
        .remove(0)
    }
}

fn program_in(folders: &[&str]) -> PathBuf {
    let places = folders
        .iter()
        .map(|folder| Path::new(folder).join("haproxy"));
    let mut found = places.filter(|place| place.is_file());
    found.next().expect("haproxy: run `make setup`")
}

/// The sessions of a client are at either copy, and its cancels arrive at either.
#[test]
fn a_cancel_finds_its_statement_at_whichever_copy_it_arrives() {
    let balanced = Balanced::start(&[]);
    for round in 0..6 {
        let mut client = balanced.login();
        let (pid, secret) = client.key.clone().unwrap();
        client.send(&frames::query(ENDLESS));
        assert!(until(|| (balanced.running() == "1").then_some(())).is_some());
        // Every other time one connection more: the next arrives at the same copy.
        let _more = (round % 2 == 0).then(|| balanced.login());
        let mut cancel = RawClient::connect(balanced.address());
        cancel.send(&frames::cancel_request(pid, &secret));
        assert_eq!(cancel.until_closed(), []);
        let answer = client.until_ready();
        assert_eq!(answer[answer.len() - 2].sqlstate(), "57014", "{answer:?}");
    }
    // Of the copies that it was sent on to, two are not there.
    let relayed = balanced.copies[..2].iter();
    let relayed: f64 = relayed.map(|copy| counted(copy.admin, RELAYED)).sum();
    assert!(relayed >= 2.0, "some arrived at the other copy: {relayed}");
}

/// A client hears, between two statements, that its session is over, and goes on at another copy;
/// nothing that was begun fails.
#[test]
fn copies_are_exchanged_while_clients_work() {
    let mut balanced = Balanced::start(&[]);
    let (address, database) = (balanced.address(), balanced.database.clone());
    let is_over = AtomicBool::new(false);
    let (answered, moved) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        let _end = EndOfWork(&is_over);
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let user = user_of(APP, &database);
                    let mut client = log_in(address, &user);
                    while !is_over.load(Ordering::Relaxed) {
                        match ask(&mut client) {
                            Asked::Answered => answered.fetch_add(1, Ordering::Relaxed),
                            Asked::Moved => {
                                client = log_in(address, &user);
                                moved.fetch_add(1, Ordering::Relaxed)
                            }
                        };
                    }
                })
            })
            .collect();
        let more = || {
            let wanted = answered.load(Ordering::Relaxed) + 40;
            let met = until(|| (answered.load(Ordering::Relaxed) >= wanted).then_some(()));
            assert!(met.is_some(), "nobody is answered any more");
        };
        more();
        for at in 0..2 {
            let name = balanced.copies[at].name;
            balanced.drain(name);
            let mut process = balanced.copies[at].process.take().unwrap();
            process.signal(ChildSignal::Terminate).unwrap();
            let ended = process.wait(Duration::from_secs(60));
            assert_eq!(ended, Some(0), "{}", process.stderr());
            more();
            balanced.tell(&format!("set server pgsieve/{name} state ready"));
            balanced.start_copy(at, &[]);
            more();
        }
        is_over.store(true, Ordering::Relaxed);
        for worker in workers {
            worker.join().unwrap();
        }
    });
    assert!(moved.load(Ordering::Relaxed) >= 4, "each copy had clients");
}

/// Copies that wait for their clients: new ones take their places while sessions rest at the old
/// ones, transactions are open, and others come, ask and go. No statement and no login fails, what
/// a user has read counts on, and the old ones end when their last client has left.
#[test]
fn copies_are_exchanged_while_sessions_rest() {
    let mut balanced = Balanced::start(WAITING);
    let mut resting: Vec<RawClient> = (0..4).map(|_| balanced.login()).collect();
    resting[0].query("BEGIN");
    resting[1].query("BEGIN");
    let mut ann = RawClient::login(balanced.address(), &balanced.as_user("ann"));
    assert_eq!(rows(&ann.query(MANY_ROWS)).len(), 60_000);
    let mut running = balanced.login();
    running.send(&frames::query(ENDLESS));
    let (address, database) = (balanced.address(), balanced.database.clone());
    let is_over = AtomicBool::new(false);
    let (answered, logins) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        let _end = EndOfWork(&is_over);
        let workers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let user = user_of(APP, &database);
                    while !is_over.load(Ordering::Relaxed) {
                        let mut client = RawClient::login(address, &user);
                        logins.fetch_add(1, Ordering::Relaxed);
                        for _ in 0..10 {
                            assert!(matches!(ask(&mut client), Asked::Answered));
                            answered.fetch_add(1, Ordering::Relaxed);
                        }
                        client.send(&frames::message(b'X', b""));
                    }
                })
            })
            .collect();
        let more = || {
            let wanted = logins.load(Ordering::Relaxed) + 12;
            let met = until(|| (logins.load(Ordering::Relaxed) >= wanted).then_some(()));
            assert!(met.is_some(), "nobody is let in any more");
        };
        more();
        for (old, new) in [(0, 2), (1, 3)] {
            balanced.start_copy(new, WAITING);
            let name = balanced.copies[old].name;
            balanced.drain(name);
            let process = balanced.copies[old].process.as_mut().unwrap();
            process.signal(ChildSignal::Terminate).unwrap();
            let heard = until(|| balanced.status(name).contains("DOWN").then_some(()));
            assert!(heard.is_some(), "{}", balanced.status(name));
            more();
            for client in &mut resting {
                assert!(matches!(ask(client), Asked::Answered));
            }
        }
        is_over.store(true, Ordering::Relaxed);
        for worker in workers {
            worker.join().unwrap();
        }
    });
    // A cancel arrives at a new copy, and goes on to the old one that has its session.
    let (pid, secret) = running.key.clone().unwrap();
    let mut cancel = RawClient::connect(balanced.address());
    cancel.send(&frames::cancel_request(pid, &secret));
    assert_eq!(cancel.until_closed(), []);
    let answer = running.until_ready();
    assert_eq!(answer[answer.len() - 2].sqlstate(), "57014", "{answer:?}");
    // What was read at an old copy is known at a new one.
    let mut anew = RawClient::login(balanced.address(), &balanced.as_user("ann"));
    assert_eq!(rows(&anew.query("SELECT 1")), ["1"]);
    balanced.exchanged(&[2, 3]);
    let answer = anew.query(MANY_ROWS);
    assert_eq!(answer[answer.len() - 2].sqlstate(), "53400");
    assert!(rows(&answer).len() <= 40_000);
    for client in &mut resting {
        client.query("COMMIT");
        client.send(&frames::message(b'X', b""));
    }
    drop((resting, ann, running));
    for old in [0, 1] {
        let process = balanced.copies[old].process.take().unwrap();
        let ended = process.wait(Duration::from_secs(60));
        assert_eq!(ended, Some(0), "{}", process.stderr());
        let said = process.stderr();
        assert!(said.contains("stopped; 0 sessions were cut off"), "{said}");
    }
}

fn user_of<'a>(user: &'a str, database: &'a str) -> Login<'a> {
    Login {
        user,
        password: user,
        database,
        parameters: &[],
    }
}

/// Logs in. Who was on the way to a copy that leaves is turned away, and asks once more.
fn log_in(address: SocketAddr, user: &Login<'_>) -> RawClient {
    let let_in = until(|| {
        let mut client = RawClient::connect(address);
        let parameters = [("user", user.user), ("database", user.database)];
        client.try_send(&frames::startup(0, &parameters)).ok()?;
        // What comes first shows whether anybody is there.
        match client.read().ok()?.kind {
            b'R' => {}
            _ => return None,
        }
        let answer = client.until_ready();
        let is_in = answer.iter().all(|frame| frame.kind != b'E');
        is_in.then_some(client)
    });
    let_in.expect("a copy lets clients in")
}

/// Workers end with it, whatever becomes of the test.
struct EndOfWork<'a>(&'a AtomicBool);

impl Drop for EndOfWork<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What became of a statement.
enum Asked {
    Answered,
    /// Its session had ended before it: nothing of it has run.
    Moved,
}

fn ask(client: &mut RawClient) -> Asked {
    let sent = client.try_send(&frames::query(
        "SELECT count(*) FROM generate_series(1, 20000)",
    ));
    let mut answer = Vec::new();
    while sent.is_ok()
        && let Ok(frame) = client.read()
    {
        answer.push(frame);
        if answer.last().is_some_and(|frame| frame.kind == b'Z') {
            break;
        }
    }
    match kinds(&answer).as_str() {
        "TDCZ" => {
            assert_eq!(rows(&answer), ["20000"]);
            Asked::Answered
        }
        "" => Asked::Moved,
        "E" => {
            assert_eq!(answer[0].sqlstate(), "57P01");
            Asked::Moved
        }
        _ => panic!("{answer:?}"),
    }
}

/// A counter of a copy.
fn counted(admin: u16, name: &str) -> f64 {
    let mut answer = String::new();
    let mut stream = TcpStream::connect(("127.0.0.1", admin)).unwrap();
    let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    stream.read_to_string(&mut answer).unwrap();
    let value = answer.lines().find_map(|line| line.strip_prefix(name));
    value.map_or(0.0, |value| value.trim().parse().unwrap())
}

/// A statement that does not end by itself.
const ENDLESS: &str = "SELECT count(*) FROM (SELECT generate_series(1, 1000000000000)) AS s";

const RELAYED: &str = "pgsieve_cancels_total{outcome=\"failed\"} ";

const EXCHANGES: &str = "pgsieve_limits_store_exchanges_total{result=\"answered\"} ";

/// What a user may read in a day, at all copies together.
const POLICY: &str = "name: shared\nextends: bi\nlimits:\n  rows_per_day: 100000\n";

const MANY_ROWS: &str = "SELECT generate_series(1, 60000)";

/// Longer than any test lasts.
const WAITING: &[(&str, &str)] = &[("PGSIEVE_LIMITS_WAIT_FOR_CLIENTS", "1h")];

/// The place of `status` in the table of HAProxy.
const STATUS_COLUMN: usize = 17;
