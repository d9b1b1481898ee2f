//! Cancels that reach another copy of pgsieve than their session: they are sent on, once, and only
//! those whose key a copy has given.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use pgsieve::demo::cluster::random_name;
use pgsieve::net::dev_certificates::{self, CertificateRequest};

use super::by_pid::ENDLESS;
use crate::support::raw::Login;
use crate::support::sql::assert_running;
use crate::support::switch::Switch;
use crate::support::{APP, Options, RawClient, Stack, frames, until};

/// What copies share, as a file.
struct SharedKey(PathBuf);

impl SharedKey {
    fn new(digit: char) -> Self {
        let path = std::env::temp_dir().join(format!("pgsieve-peers-{}", random_name().unwrap()));
        fs::write(&path, format!("{}\n", String::from(digit).repeat(64))).unwrap();
        Self(path)
    }

    /// A copy whose peers are there.
    fn copy(&self, addresses: &str) -> Stack {
        self.copy_with(addresses, Options::default())
    }

    fn copy_with(&self, addresses: &str, options: Options) -> Stack {
        let mut environment = options.environment.clone();
        let file = self.0.to_string_lossy().into_owned();
        environment.extend([
            ("PGSIEVE_PEERS_ADDRESSES", &*addresses.to_owned().leak()),
            ("PGSIEVE_PEERS_KEY_FILE", &*file.leak()),
        ]);
        Stack::start(Options {
            environment,
            ..options
        })
    }
}

impl Drop for SharedKey {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A session by the protocol of that minor version.
fn login(stack: &Stack, minor: u16) -> RawClient {
    let mut client = RawClient::connect(stack.proxied_address());
    let login: Login<'_> = stack.login(APP);
    let parameters = [("user", login.user), ("database", login.database)];
    client.send(&frames::startup(minor, &parameters));
    client.finish_login(&login).unwrap();
    client
}

/// Sends a cancel, and returns when the copy has closed the connection without a word.
fn cancel_at(stack: &Stack, pid: i32, secret: &[u8]) {
    let mut client = RawClient::connect(stack.proxied_address());
    client.send(&frames::cancel_request(pid, secret));
    assert_eq!(client.until_closed(), []);
}

/// How many cancels have come to that with a copy.
fn counted(stack: &Stack, outcome: &str) -> f64 {
    stack.metric(&format!("pgsieve_cancels_total{{outcome=\"{outcome}\"}}"))
}

/// Waits for a number of those. A cancel is counted behind its answer.
fn assert_counted(stack: &Stack, outcome: &str, wanted: f64) {
    let met = until(|| (counted(stack, outcome) == wanted).then_some(()));
    assert!(
        met.is_some(),
        "{outcome}: {} and not {wanted}",
        counted(stack, outcome)
    );
}

fn code(client: &mut RawClient) -> String {
    let answer = client.until_ready();
    let error = answer.iter().find(|frame| frame.kind == b'E');
    error.map_or_else(|| format!("{answer:?}"), |frame| frame.sqlstate())
}

#[test]
fn a_cancel_that_reaches_another_copy_stops_its_statement() {
    let shared = SharedKey::new('a');
    let nobody = Switch::to(&[]);
    let one = shared.copy(&nobody.address().to_string());
    let pooled = shared.copy_with(
        &nobody.address().to_string(),
        Options {
            pooled: Some(1),
            ..Options::default()
        },
    );
    let peers = format!("{},{}", one.proxied_address(), pooled.proxied_address());
    let other = shared.copy(&peers);
    let mut sent = 0.0;
    for stack in [&one, &pooled] {
        for (minor, bytes) in [(0, 4), (2, 32)] {
            let mut client = login(stack, minor);
            let (pid, secret) = client.key.clone().unwrap();
            assert_eq!(secret.len(), bytes);
            client.send(&frames::query(ENDLESS));
            assert_running(stack, 1);
            cancel_at(&other, pid, &secret);
            assert_eq!(code(&mut client), "57014", "3.{minor}");
            sent += 1.0;
            assert_counted(&other, "sent_to_peers", sent);
        }
        assert_counted(stack, "forwarded", 2.0);
    }
    // The other one was asked as well, each time.
    assert_counted(&one, "not_here", 2.0);
    assert_counted(&pooled, "not_here", 2.0);
    // What is at home stays there.
    let mut own = login(&other, 0);
    let (pid, secret) = own.key.clone().unwrap();
    own.send(&frames::query(ENDLESS));
    assert_running(&other, 1);
    cancel_at(&other, pid, &secret);
    assert_eq!(code(&mut own), "57014");
    assert_eq!(counted(&other, "sent_to_peers"), sent);
}

/// Neither what was made up nor what copies with another secret have given makes it open
/// connections.
#[test]
fn only_keys_that_a_copy_has_given_go_on() {
    let (shared, strange) = (SharedKey::new('a'), SharedKey::new('b'));
    let nobody = Switch::to(&[]);
    let one = shared.copy(&nobody.address().to_string());
    let other = shared.copy(&one.proxied_address().to_string());
    let stranger = strange.copy(&one.proxied_address().to_string());
    let alone = Stack::start(Options::default());
    let mut asked = 0.0;
    for stack in [&stranger, &alone] {
        let client = login(stack, 2);
        let (pid, secret) = client.key.clone().unwrap();
        cancel_at(&other, pid, &secret);
        asked += 1.0;
        assert_counted(&other, "unknown_key", asked);
    }
    let made_up = [
        (1, vec![7; 32]),
        (1, vec![0; 256]),
        (1, b"pgsieve relayed cance".to_vec()),
        (i32::MIN, vec![255; 33]),
    ];
    for (pid, secret) in made_up {
        cancel_at(&other, pid, &secret);
        asked += 1.0;
        assert_counted(&other, "unknown_key", asked);
    }
    // Another one's process id, and the key but for its last bit.
    let mut client = login(&one, 2);
    let (pid, secret) = client.key.clone().unwrap();
    let mut wrong = secret.clone();
    wrong[31] ^= 1;
    for (pid, secret) in [(pid ^ 1, &secret), (pid, &wrong)] {
        cancel_at(&other, pid, secret);
        asked += 1.0;
        assert_counted(&other, "unknown_key", asked);
    }
    for outcome in ["forwarded", "not_here", "unknown_key"] {
        assert_eq!(counted(&one, outcome), 0.0, "{outcome}");
    }
    assert_eq!(code_of_read(&mut client), "");
}

fn code_of_read(client: &mut RawClient) -> String {
    let answer = client.query("SELECT 1");
    let error = answer.iter().find(|frame| frame.kind == b'E');
    error.map_or_else(String::new, |frame| frame.sqlstate())
}

/// Two copies that name each other, and themselves.
#[test]
fn a_cancel_goes_on_once() {
    let shared = SharedKey::new('c');
    let (first, second) = (Switch::to(&[]), Switch::to(&[]));
    let addresses = format!("{},{}", first.address(), second.address());
    let [one, other] = [(); 2].map(|()| shared.copy(&addresses));
    first.lead(&[one.proxied_address().port()]);
    second.lead(&[other.proxied_address().port()]);
    let client = login(&one, 2);
    let (pid, secret) = client.key.clone().unwrap();
    drop(client);
    let gone = "pgsieve_connections_open";
    assert!(until(|| (one.metric(gone) == 0.0).then_some(())).is_some());
    cancel_at(&one, pid, &secret);
    assert_counted(&one, "sent_to_peers", 1.0);
    for stack in [&one, &other] {
        assert_counted(stack, "not_here", 1.0);
    }
    // By its beginning a request is told to be of a copy: such a one goes nowhere.
    let relayed = [&b"pgsieve relayed cancel\0"[..], &secret].concat();
    cancel_at(&other, pid, &relayed);
    assert_counted(&other, "not_here", 2.0);
    assert_eq!(counted(&other, "sent_to_peers"), 0.0);
    assert_eq!(counted(&one, "not_here"), 1.0);
}

/// Copies that are away, and one that takes the connection and says nothing: the others are asked
/// all the same, and the client is let go within the bound.
#[test]
fn copies_that_do_not_answer_keep_no_other_from_it() {
    let shared = SharedKey::new('d');
    let nobody = Switch::to(&[]);
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let silent_address = silent.local_addr().unwrap();
    let held = thread::spawn(move || silent.accept().map(|(stream, _)| stream));
    let one = shared.copy(&nobody.address().to_string());
    let peers = format!(
        "postgres://no-such-host.invalid:1?sslmode=disable,{},{silent_address},{}",
        nobody.address(),
        one.proxied_address()
    );
    let other = shared.copy(&peers);
    let mut client = login(&one, 2);
    let (pid, secret) = client.key.clone().unwrap();
    client.send(&frames::query(ENDLESS));
    assert_running(&one, 1);
    let began = Instant::now();
    let asking = thread::spawn({
        let address = other.proxied_address();
        move || {
            let mut client = RawClient::connect(address);
            client.send(&frames::cancel_request(pid, &secret));
            client.until_closed()
        }
    });
    assert_eq!(code(&mut client), "57014");
    assert_eq!(asking.join().unwrap(), []);
    assert!(began.elapsed().as_secs() < 50, "{:?}", began.elapsed());
    assert_counted(&other, "failed", 1.0);
    drop(held);
}

/// Over TLS, to copies that insist on it, whose certificate is verified.
#[test]
fn what_goes_on_goes_over_tls() {
    let shared = SharedKey::new('e');
    let folder = std::env::temp_dir().join(format!("pgsieve-peers-{}", random_name().unwrap()));
    let wish = CertificateRequest {
        hosts: &[],
        client_name: "nobody",
    };
    let files = dev_certificates::write(&folder, &wish).unwrap();
    let nobody = Switch::to(&[]);
    let shown = |path: &PathBuf| -> &'static str { path.to_string_lossy().into_owned().leak() };
    let one = shared.copy_with(
        &nobody.address().to_string(),
        Options {
            environment: vec![
                ("PGSIEVE_CLIENT_TLS_MODE", "allow"),
                ("PGSIEVE_CLIENT_TLS_CERTIFICATE", shown(&files.server)),
                ("PGSIEVE_CLIENT_TLS_KEY", shown(&files.server_key)),
            ],
            ..Options::default()
        },
    );
    let port = one.proxied_address().port();
    let encrypted = format!("postgres://127.0.0.1:{port}?sslmode=verify-full&sslrootcert=");
    let trusting = shared.copy(&format!("{encrypted}{}", files.authority.display()));
    // Of another authority than the copy's certificate.
    let strange = std::env::temp_dir().join(format!("pgsieve-peers-{}", random_name().unwrap()));
    let stranger = dev_certificates::write(&strange, &wish).unwrap();
    let doubting = shared.copy(&format!("{encrypted}{}", stranger.authority.display()));
    let mut client = login(&one, 2);
    let (pid, secret) = client.key.clone().unwrap();
    client.send(&frames::query(ENDLESS));
    assert_running(&one, 1);
    cancel_at(&doubting, pid, &secret);
    assert_counted(&doubting, "failed", 1.0);
    assert_running(&one, 1);
    cancel_at(&trusting, pid, &secret);
    assert_eq!(code(&mut client), "57014");
    assert_counted(&trusting, "sent_to_peers", 1.0);
    for folder in [folder, strange] {
        fs::remove_dir_all(folder).unwrap();
    }
}
