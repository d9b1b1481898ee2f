//! The system calls of a statement, counted by strace: they are the same on a busy machine, so
//! tests fail where a turn takes more of them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use pgsieve::demo::cluster::random_name;

use crate::support::raw::kinds;
use crate::support::{APP, Options, RawClient, Stack, frames};

/// One receive and one send for each of the two hops, and one wait before each receive; one more
/// where a turn has ended meanwhile, on a machine that does other things as well.
const RECEIVES: f64 = 2.0;
const SENDS: f64 = 2.0;
const WAITS: f64 = 2.0 + 1.0;

const STATEMENTS: u32 = 1_000;

/// What a program does beside statements, as when it loads a catalog, it does not do each time.
const TRIES: usize = 5;

/// What else may come into a count, as looks at policies.
const BESIDE: f64 = 0.25;

impl Exchange {
    /// More sends than two, each with a wait: between two messages a session's turn may end, where
    /// the machine is slow.
    fn turns(self) -> f64 {
        match self {
            Self::Simple => 0.0,
            Self::Extended | Self::Prepared => 1.0,
            // One by one they would be 18.
            Self::TenAtOnce => 8.0,
        }
    }
}

/// How a client sends its statements.
#[derive(Clone, Copy, Debug)]
enum Exchange {
    Simple,
    Extended,
    Prepared,
    /// Ten statements in one write, each with a Sync of its own.
    TenAtOnce,
}

#[test]
fn a_statement_takes_one_receive_and_one_send_a_hop() {
    for pooled in [None, Some(4)] {
        let stack = Stack::start(Options {
            pooled,
            // A catalog is read now and then, in many receives.
            tree_only: true,
            environment: vec![("PGSIEVE_WORKERS", "1")],
            ..Options::default()
        });
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        client.send(&[frames::parse("mine", TEXT), frames::sync()].concat());
        assert_eq!(kinds(&client.until_ready()), "1Z");
        for exchange in [
            Exchange::Simple,
            Exchange::Extended,
            Exchange::Prepared,
            Exchange::TenAtOnce,
        ] {
            one(&mut client, exchange);
            let mut excess = None;
            for _ in 0..TRIES {
                let Some(calls) = Calls::counted(&stack, || {
                    for _ in 0..STATEMENTS {
                        one(&mut client, exchange);
                    }
                }) else {
                    return;
                };
                println!("{exchange:?}, connections shared by clients: {pooled:?}: {calls:?}");
                excess = calls.excess(exchange);
                if excess.is_none() {
                    break;
                }
            }
            assert_eq!(excess, None, "{exchange:?}, {pooled:?}");
        }
    }
}

const TEXT: &str = "SELECT 1";

fn one(client: &mut RawClient, exchange: Exchange) {
    let behind = |name: &str| {
        [
            frames::bind("", name, &[], false),
            frames::execute("", 0),
            frames::sync(),
        ]
        .concat()
    };
    let (sent, answers) = match exchange {
        Exchange::Simple => (frames::query(TEXT), 1),
        Exchange::Extended => ([frames::parse("", TEXT), behind("")].concat(), 1),
        Exchange::Prepared => (behind("mine"), 1),
        Exchange::TenAtOnce => (behind("mine").repeat(10), 10),
    };
    client.send(&sent);
    for _ in 0..answers {
        assert!(kinds(&client.until_ready()).ends_with("DCZ"));
    }
}

/// How often each system call was made, by name.
#[derive(Debug)]
struct Calls(BTreeMap<String, u32>);

impl Calls {
    /// Those of pgsieve meanwhile. None where this machine lets nobody look.
    fn counted(stack: &Stack, meanwhile: impl FnOnce()) -> Option<Self> {
        let path = std::env::temp_dir().join(format!("pgsieve-calls-{}", random_name().unwrap()));
        let mut strace = attached(stack.pid(), &path)?;
        meanwhile();
        let interrupted = Command::new("kill")
            .args(["-INT", &strace.id().to_string()])
            .status();
        assert!(interrupted.unwrap().success());
        strace.wait().unwrap();
        let summary = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        // Share of time, seconds, microseconds a call, calls, perhaps errors, name.
        let lines = summary.lines().filter_map(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            let calls = words.get(3)?.parse().ok()?;
            Some(((*words.last()?).to_owned(), calls))
        });
        let calls: BTreeMap<_, _> = lines.filter(|(name, _)| name != "total").collect();
        assert!(!calls.is_empty(), "{summary}");
        Some(Self(calls))
    }

    /// What there is too much of, or too little to have counted statements at all.
    fn excess(&self, exchange: Exchange) -> Option<String> {
        let turns = exchange.turns();
        // What goes out in parts is answered in parts.
        let parts = match exchange {
            Exchange::TenAtOnce => turns,
            _ => 0.0,
        };
        let receives = self.each(&["recvfrom", "recvmsg"]);
        let waits = ["epoll_wait", "epoll_pwait", "epoll_pwait2", "ppoll"];
        // No other thread is woken, no memory is asked for. How loaded its processor is, a worker
        // reads by the clock.
        let all = self.each(&[]) - self.each(&["pread64"]);
        let bounds = [
            ("receives", receives, RECEIVES + parts + BESIDE),
            (
                "sends",
                self.each(&["sendto", "sendmsg", "writev"]),
                SENDS + turns + BESIDE,
            ),
            ("waits", self.each(&waits), WAITS + turns + BESIDE),
            (
                "calls",
                all,
                RECEIVES + SENDS + WAITS + parts + 2.0 * turns + 4.0 * BESIDE,
            ),
        ];
        let over = bounds.iter().find(|(_, each, bound)| each > bound);
        let told = over.map(|(kind, each, bound)| format!("{each} {kind}, not {bound}: {self:?}"));
        let too_few = || format!("{receives} receives: {self:?}");
        told.or_else(|| (receives < RECEIVES).then(too_few))
    }

    /// Calls of these names for each statement; of all if none is named.
    fn each(&self, names: &[&str]) -> f64 {
        let counted = self.0.iter();
        let counted =
            counted.filter(|(name, _)| names.is_empty() || names.contains(&name.as_str()));
        let sum: u32 = counted.map(|(_, calls)| calls).sum();
        f64::from(sum) / f64::from(STATEMENTS)
    }
}

/// strace, which watches all threads of that process by now.
fn attached(pid: u32, summary: &std::path::Path) -> Option<Child> {
    let mut strace = Command::new("strace")
        .args(["-f", "-c", "-o"])
        .arg(summary)
        .args(["-p", &pid.to_string()])
        .stderr(Stdio::piped())
        .spawn()
        .expect("make setup installs strace");
    let mut told = BufReader::new(strace.stderr.take().unwrap()).lines();
    let first = told.next().and_then(Result::ok).unwrap_or_default();
    if first.contains("attached") {
        std::thread::spawn(move || told.for_each(drop));
        return Some(strace);
    }
    strace.wait().unwrap();
    assert!(first.contains("ptrace"), "{first}");
    eprintln!("SKIPPED: {first}");
    None
}
