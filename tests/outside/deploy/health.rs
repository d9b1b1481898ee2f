//! `pgsieve health` as an orchestrator runs it: exit statuses, what is printed, and that it ends.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::{ChildSignal, SupervisedChild};

use crate::support::own_cluster;
use crate::support::ports::free_port;

/// Runs it with these variables and no others.
fn health(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    command.arg("health").args(arguments);
    command.env_clear().envs(environment.iter().copied());
    command.output().unwrap()
}

/// Status, and both outputs.
fn told(output: &Output) -> (i32, &str, &str) {
    let text = |bytes| std::str::from_utf8(bytes).unwrap();
    let status = output.status.code().unwrap();
    (status, text(&output.stdout), text(&output.stderr))
}

/// A pgsieve; gone with the value.
struct Sieve {
    supervised: SupervisedChild,
    folder: PathBuf,
    admin: u16,
}

impl Sieve {
    /// With an admin address of this IP.
    fn start(upstream: &str, ip: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("pgsieve-health-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        let admin = free_port();
        let (listen, bound) = (
            format!("127.0.0.1:{}", free_port()),
            format!("{ip}:{admin}"),
        );
        let arguments = [
            "serve",
            "--upstream",
            upstream,
            "--listen",
            &listen,
            "--admin",
            &bound,
        ];
        let program = Path::new(env!("CARGO_BIN_EXE_pgsieve"));
        let supervised = SupervisedChild::start(&folder, program, &arguments, &[]).unwrap();
        Self {
            supervised,
            folder,
            admin,
        }
    }

    /// Asks until it answers with this status.
    fn until(&self, status: i32) -> Output {
        let end = Instant::now() + Duration::from_secs(30);
        let address = format!("127.0.0.1:{}", self.admin);
        loop {
            let output = health(&["--admin", &address], &[]);
            if told(&output).0 == status && !output.stdout.is_empty() {
                return output;
            }
            assert!(
                Instant::now() < end,
                "{output:?} {}",
                self.supervised.stderr()
            );
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Sieve {
    fn drop(&mut self) {
        let _ = self.supervised.signal(ChildSignal::Kill);
        self.supervised.wait(Duration::from_secs(10));
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_pgsieve_with_its_database_is_ready_and_everybody_finds_it_by_the_same_settings() {
    let cluster = own_cluster().start().unwrap();
    let upstream = cluster.admin_url("postgres");
    let sieve = Sieve::start(&upstream, "0.0.0.0");
    let ready = sieve.until(0);
    let (_, said, complained) = told(&ready);
    assert!(said.starts_with("ready\ncatalog: on\n"), "{said}");
    assert_eq!(complained, "");

    // As serve finds its settings: the environment, a file, a file that the environment names.
    let bound = format!("0.0.0.0:{}", sieve.admin);
    let variable = ("PGSIEVE_ADMIN_LISTEN", bound.as_str());
    assert_eq!(told(&health(&[], &[variable])).0, 0);
    let file = sieve.folder.join("pgsieve.yaml");
    fs::write(&file, format!("admin:\n  listen: {bound}\n")).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(told(&health(&["--config", file], &[])).0, 0);
    assert_eq!(told(&health(&[], &[("PGSIEVE_CONFIG", file)])).0, 0);
    let live = health(&["--live"], &[("PGSIEVE_CONFIG", file)]);
    assert_eq!(told(&live), (0, "alive\n", ""));
    // A flag wins over the environment, and the environment over the file.
    let nobody = format!("127.0.0.1:{}", free_port());
    let elsewhere = [
        ("PGSIEVE_CONFIG", file),
        ("PGSIEVE_ADMIN_LISTEN", nobody.as_str()),
    ];
    assert_eq!(told(&health(&[], &elsewhere)).0, 1);
    assert_eq!(told(&health(&["--admin", &bound], &elsewhere)).0, 0);
}

#[test]
fn a_wildcard_of_version_6_is_asked_on_this_host() {
    let nobody = format!("postgres://a@127.0.0.1:{}/b", free_port());
    if TcpListener::bind("[::]:0").is_err() {
        eprintln!("SKIPPED: this host has no IPv6");
        return;
    }
    let sieve = Sieve::start(&nobody, "[::]");
    sieve.until(1);
    let bound = format!("[::]:{}", sieve.admin);
    let live = health(&["--live", "--admin", &bound], &[]);
    assert_eq!(told(&live), (0, "alive\n", ""));
}

#[test]
fn without_its_database_it_is_alive_and_not_ready() {
    let nobody = format!("postgres://a@127.0.0.1:{}/b", free_port());
    let sieve = Sieve::start(&nobody, "127.0.0.1");
    let unready = sieve.until(1);
    let (_, said, complained) = told(&unready);
    assert!(said.starts_with("upstream not reached\n"), "{said}");
    assert_eq!(complained, "");
    let address = format!("127.0.0.1:{}", sieve.admin);
    let live = health(&["--live", "--admin", &address], &[]);
    assert_eq!(told(&live), (0, "alive\n", ""));
}

#[test]
fn where_nobody_listens_it_says_so() {
    let address = format!("127.0.0.1:{}", free_port());
    let output = health(&["--admin", &address], &[]);
    let (status, said, complained) = told(&output);
    assert_eq!((status, said), (1, ""));
    assert_eq!(
        complained,
        format!("pgsieve: no answer from {address}: connection refused\n")
    );
}

/// Arguments, environment, and what is said of them.
type Case = (
    &'static [&'static str],
    &'static [(&'static str, &'static str)],
    &'static str,
);

#[test]
fn wrong_questions_are_told_apart_from_bad_answers() {
    let cases: &[Case] = &[
        (&["--admin", "off"], &[], "there is nobody to ask"),
        (&["--admin", "127.0.0.1:0"], &[], "names no port"),
        (
            &["--admin", "nonsense"],
            &[],
            "--admin: ip:port or off is wanted",
        ),
        (
            &[],
            &[("PGSIEVE_ADMIN_LISTN", "x")],
            "PGSIEVE_ADMIN_LISTN: unknown variable",
        ),
        (
            &[],
            &[("PGSIEVE_CONFIG", "")],
            "PGSIEVE_CONFIG: has no value",
        ),
        (
            &[],
            &[("PGSIEVE_CONFIG", "/nowhere/at/all")],
            "PGSIEVE_CONFIG: the file cannot be read: no such file: /nowhere/at/all",
        ),
        (&["--timeout", "1ms"], &[], "a duration from"),
        (&["--timeout", "2h"], &[], "a duration from"),
        (&["--timeout", "5"], &[], "write 5s for five seconds"),
        (&["--nonsense"], &[], "--nonsense"),
    ];
    for (arguments, environment, wanted) in cases {
        let output = health(arguments, environment);
        let (status, said, complained) = told(&output);
        assert_eq!((status, said), (2, ""), "{arguments:?} {environment:?}");
        assert!(complained.contains(wanted), "{complained}");
    }
}

/// What somebody at an address does with a client, before it hangs up.
fn stranger(does: impl Fn(&mut dyn Write) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        does(&mut stream);
    });
    address
}

#[test]
fn whoever_answers_it_ends_in_time_and_prints_a_few_lines() {
    let ask = |address: SocketAddr| {
        let begun = Instant::now();
        let output = health(&["--admin", &address.to_string(), "--timeout", "1s"], &[]);
        (output, begun.elapsed())
    };
    let silent = stranger(|_| thread::sleep(Duration::from_secs(60)));
    let trickling = stranger(|out| {
        while out.write_all(b"HTTP/1.1 200 OK\r\nX: y").is_ok() {
            thread::sleep(Duration::from_millis(300));
        }
    });
    let endless = stranger(|out| {
        let _ = out.write_all(b"HTTP/1.1 503 No\r\n\r\n");
        while out.write_all(&b"line\x1b[31m\n".repeat(1000)).is_ok() {}
    });
    let other = stranger(|out| {
        let _ = out.write_all(b"HTTP/1.1 200 OK\r\n\r\n<html>ready</html>\n");
    });
    for address in [silent, trickling, other] {
        let (output, took) = ask(address);
        let (status, said, _) = told(&output);
        assert_eq!((status, said), (1, ""));
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
    let (output, _) = ask(endless);
    let (status, said, _) = told(&output);
    assert_eq!((status, said), (1, "line[31m\n".repeat(20).as_str()));
}

#[test]
fn an_answer_is_enough_where_the_connection_stays_open() {
    let open = stranger(|out| {
        let _ = out.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nready\n");
        thread::sleep(Duration::from_secs(60));
    });
    let output = health(&["--admin", &open.to_string()], &[]);
    assert_eq!(told(&output), (0, "ready\n", ""));
}
