//! What hurts the evidence hurts nobody who asks the database: a crowd at the admin address, names
//! that are not names, a disk that is full, a collector that hangs.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::raw::{Login, kinds};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

/// Longer than this nobody waits for `/healthz` or a statement.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often that is tried at most: a machine that does other things as well may be late several
/// times, and whoever is kept out is kept out each time.
const TRIES: usize = 12;

#[test]
fn a_crowd_that_says_nothing_keeps_no_scraper_out() {
    let stack = Stack::start(Options::default());
    let mut crowd = Vec::new();
    for number in 0..many() {
        let mut stream = connected(stack.admin_address());
        match number % 3 {
            0 => {}
            1 => drop(stream.write_all(b"GET /metrics HTTP/1.1\r\nX: y")),
            _ => drop(stream.write_all(b"\r\n\r\n\xff")),
        }
        crowd.push(stream);
        if number % 100 == 0 {
            still_answers(&stack);
        }
    }
    still_answers(&stack);
    still_serves(&stack);
    drop(crowd);
    still_answers(&stack);
}

#[test]
fn headers_without_an_end_keep_no_scraper_out() {
    let stack = Stack::start(Options::default());
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let _stops = StoppedAtEnd(&stop);
        for _ in 0..12 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let mut stream = connected(stack.admin_address());
                    let _ = stream.write_all(b"GET / HTTP/1.1\r\n");
                    // Until it is closed for that.
                    while !stop.load(Ordering::Relaxed)
                        && stream
                            .write_all(b"X-Endless: header after header\r\n")
                            .is_ok()
                    {
                        thread::sleep(Duration::from_micros(200));
                    }
                }
            });
        }
        for _ in 0..10 {
            still_answers(&stack);
            still_serves(&stack);
        }
    });
}

/// Has others stop when it goes, by a panic as well: nobody would wait for them to no end.
struct StoppedAtEnd<'a>(&'a AtomicBool);

impl Drop for StoppedAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Followers that read nothing, many more than there is room for.
#[test]
fn a_crowd_that_follows_the_page_keeps_no_scraper_out() {
    let stack = Stack::start(Options::default());
    let mut crowd = Vec::new();
    for _ in 0..100 {
        let mut stream = connected(stack.admin_address());
        stream
            .write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .unwrap();
        crowd.push(stream);
    }
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    for _ in 0..200 {
        assert_eq!(kinds(&client.query("DROP TABLE t")), "EZ");
    }
    for _ in 0..5 {
        still_answers(&stack);
        still_serves(&stack);
        thread::sleep(Duration::from_millis(200));
    }
    let mut following = 0;
    for stream in &mut crowd {
        let mut line = [0; 12];
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        following += usize::from(stream.read_exact(&mut line).is_ok() && &line == b"HTTP/1.1 200");
    }
    assert!((1..=8).contains(&following), "{following} of 100 follow");
}

#[test]
fn names_that_are_none_stay_within_their_lines() {
    const NAMES: [&str; 6] = [
        "eve\n{\"v\":1,\"event\":\"statement\"}",
        "\"},{\"event\":\"x",
        "</script><script>alert(1)</script>",
        "\u{1b}[31mred\u{202e}",
        "x\",rule=\"y\"} 1\npgsieve_tripwires_total{wire=\"z\"} 9",
        "event: whole\ndata: {}\n\n",
    ];
    let stack = Stack::start(Options::default());
    for name in NAMES {
        for login in [
            Login {
                user: name,
                ..stack.login(APP)
            },
            Login {
                database: name,
                ..stack.login(APP)
            },
        ] {
            drop(RawClient::try_login(stack.proxied_address(), &login));
        }
        let parameters = [("application_name", name)];
        let login = Login {
            parameters: &parameters,
            ..stack.login(APP)
        };
        let mut client = RawClient::login(stack.proxied_address(), &login);
        assert_eq!(kinds(&client.query("DROP TABLE t")), "EZ");
    }
    let last = NAMES[5].replace('\n', "");
    stack.audited(|event| event["application_name"] == last && event["event"] == "statement");
    // Each line is one object (`Stack::audit` reads them so), and no line is anybody's invention.
    for event in stack.audit() {
        assert!(
            event["seq"].is_u64() && event["time"].is_string(),
            "{event}"
        );
    }
    let metrics = stack.get("/metrics").1;
    assert!(!metrics.contains("wire=\"z\""), "{metrics}");
    for line in metrics.lines() {
        let sample =
            line.starts_with("# ") || line.rsplit(' ').next().unwrap().parse::<f64>().is_ok();
        assert!(sample, "{line}");
    }
    let said = stack.stderr();
    assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said}");
    assert!(said.lines().all(|line| line.starts_with("20")), "{said}");
    let (status, state) = stack.get_by_name("x", "/api/state");
    assert_eq!(status, 403, "a host that is not this one: {state}");
}

#[test]
fn a_full_disk_costs_clients_nothing_but_the_record() {
    let full = Stack::start(Options {
        config: Some(config("audit:\n  to: /dev/full\n")),
        ..Options::default()
    });
    let well = Stack::start(Options::default());
    are_alike(&full, &well);
    let errors =
        until(|| Some(full.metric("pgsieve_audit_write_errors_total")).filter(|n| *n > 0.0));
    assert!(errors.is_some(), "nothing was tried to be written");
}

#[test]
fn a_collector_that_hangs_costs_clients_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let held = thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming().flatten().take(2) {
            held.push(stream);
        }
        held
    });
    let hung = Stack::start(Options {
        config: Some(config(&format!(
            "audit:\n  to: {{audit}}\ntraces:\n  endpoint: http://{address}\n  protocol: http\n  \
             sample_ratio: 1\n"
        ))),
        ..Options::default()
    });
    let well = Stack::start(Options::default());
    are_alike(&hung, &well);
    drop((hung, held));
}

/// Statements take as long through the one as through the other (in most of alternating rounds),
/// and none is held up: not in most rounds, and never for long.
#[track_caller]
fn are_alike(one: &Stack, other: &Stack) {
    let (mut slower, mut longest) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        let (seconds, most) = time_of(one);
        slower.push(seconds / time_of(other).0);
        longest.push(most);
    }
    slower.sort_by(f64::total_cmp);
    longest.sort();
    assert!(
        slower[4] < 3.0 && longest[4] < PATIENCE && longest[8] < 4 * PATIENCE,
        "{slower:?} times as long, {longest:?} at most"
    );
}

/// The time that 300 statements take, every tenth of them refused; and the longest one's.
fn time_of(stack: &Stack) -> (f64, Duration) {
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let (begin, mut longest) = (Instant::now(), Duration::ZERO);
    for number in 0..300 {
        let since = Instant::now();
        match number % 10 {
            0 => assert_eq!(kinds(&client.query("DROP TABLE t")), "EZ"),
            _ => {
                client.send(&frames::extended("SELECT $1::text", &[Some("x")], false));
                assert!(kinds(&client.until_ready()).ends_with("DCZ"));
            }
        }
        longest = longest.max(since.elapsed());
    }
    (begin.elapsed().as_secs_f64(), longest)
}

fn config(evidence: &str) -> String {
    format!(
        "upstream:\n  url: {{upstream}}\nlisten: {{listen}}\nadmin:\n  listen: {{admin}}\n{evidence}"
    )
}

/// Scrapers and probes get their answers in time.
#[track_caller]
fn still_answers(stack: &Stack) {
    for (page, word) in [
        ("/healthz", "alive"),
        ("/metrics", "pgsieve_connections_open"),
    ] {
        within_patience(page, || {
            let (status, body) = stack.get(page);
            assert!(
                status == 200 && body.contains(word),
                "{page}: {status} {body:.200}"
            );
        });
    }
}

/// Clients of the proxy get theirs.
#[track_caller]
fn still_serves(stack: &Stack) {
    within_patience("SELECT 1", || {
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    });
}

#[track_caller]
fn within_patience(what: &str, ask: impl Fn()) {
    let mut times = Vec::new();
    while times.len() < TRIES {
        let since = Instant::now();
        ask();
        let time = since.elapsed();
        if time < PATIENCE {
            return;
        }
        times.push(time);
    }
    panic!("{what} took {times:?}");
}

fn connected(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect_timeout(&address, PATIENCE).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Thousands, where this process may have so many files open.
fn many() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    let may: usize = line
        .and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(1024);
    may.saturating_sub(600).min(2_500)
}
