//! Connections that say nothing keep nobody out: more of them than there are places, and whoever
//! comes next logs in.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::SupervisedChild;
use pgsieve::net::file_limit;

use crate::support::sql::run_blocking;
use crate::support::{Options, READER, Stack, until};

/// Places of the server under test; a quarter of them is for those that are waited for.
const PLACES: usize = 320;
const SHARE: usize = PLACES / 4;
/// Beyond its share by more than one, a flood has no grace.
const LEFT_MAX: usize = SHARE + 1;

fn stack() -> Stack {
    // The flood's own ends are this process's.
    file_limit::raise_limit();
    Stack::start(Options {
        config: Some(format!(
            "listen: '{{listen}}'\nadmin:\n  listen: '{{admin}}'\nupstream:\n  url: \
             '{{upstream}}'\nlimits:\n  connections_max: {PLACES}\n"
        )),
        ..Options::default()
    })
}

/// Opens so many connections, sends this on each, and leaves it at that.
fn silent(stack: &Stack, count: usize, said: &[u8]) -> Vec<TcpStream> {
    let open = |_| {
        let mut stream = TcpStream::connect(stack.proxied_address()).unwrap();
        // One that has to give way at once may be closed already.
        let _ = stream.write_all(said);
        stream
    };
    (0..count).map(open).collect()
}

/// A StartupMessage of the reader; a password is asked for then.
fn startup(stack: &Stack) -> Vec<u8> {
    let mut body = 196_608_i32.to_be_bytes().to_vec();
    let words = ["user", READER, "database", stack.database(), ""];
    for word in words {
        body.extend_from_slice(word.as_bytes());
        body.push(0);
    }
    let length = i32::try_from(body.len() + 4).unwrap();
    [&length.to_be_bytes()[..], &body].concat()
}

/// How many of them were closed by the other side.
fn closed(connections: &[TcpStream]) -> usize {
    let is_closed = |mut stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        loop {
            match stream.read(&mut [0; 64]) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
            }
        }
    };
    connections
        .iter()
        .filter(|stream| is_closed(stream))
        .count()
}

#[test]
fn more_silent_connections_than_places_keep_nobody_out() {
    let stack = stack();
    let startup = startup(&stack);
    let kinds: [(usize, &[u8]); 4] = [
        (PLACES, b""),
        (PLACES / 2, &startup[..9]),
        (PLACES / 2, b"\0\0\0\x08\x04\xd2\x16\x2f"),
        (SHARE / 2, &startup),
    ];
    let mut flood = Vec::new();
    for (count, said) in kinds {
        flood.extend(silent(&stack, count, said));
        // Nobody has to come again.
        run_blocking(&stack.proxied_url(READER), &["SELECT 1"]);
    }
    assert!(stack.metric("pgsieve_connections_refused_total{reason=\"gave_way\"}") > 0.0);
    let none_refused = "pgsieve_connections_refused_total{reason=\"connections_max\"}";
    assert_eq!(stack.metric(none_refused), 0.0);
    let left = until(|| (flood.len() - closed(&flood) <= LEFT_MAX).then_some(()));
    assert!(left.is_some(), "more than {LEFT_MAX} are still waited for");
    drop(flood);
    let none = until(|| (stack.metric("pgsieve_connections_open") == 0.0).then_some(()));
    assert!(none.is_some(), "places were not given back");
}

#[test]
fn sessions_that_are_in_keep_their_places_through_a_flood() {
    let stack = stack();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let inside = runtime.block_on(stack.proxied(READER));
    let flood = silent(&stack, PLACES, b"");
    std::thread::sleep(Duration::from_millis(50));
    let more = silent(&stack, PLACES, b"\0");
    runtime.block_on(async {
        let row = inside.query_one("SELECT 7", &[]).await.unwrap();
        assert_eq!(row.get::<_, i32>(0), 7);
    });
    let rest = until(|| (closed(&flood) + closed(&more) >= 2 * PLACES - LEFT_MAX).then_some(()));
    assert!(rest.is_some());
}

/// A service has a soft limit of 1,024 on most systems, whatever its hard one is.
#[test]
fn a_soft_limit_of_descriptors_keeps_nobody_out() {
    let folder = env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
    fs::create_dir(&folder).unwrap();
    let program = env!("CARGO_BIN_EXE_pgsieve");
    let upstream = format!("postgres://{}/postgres", Stack::shared().direct_address());
    let script = "ulimit -Sn 64; exec \"$0\" \"$@\"";
    let here = "127.0.0.1:0";
    let served = ["-c", script, program, "serve", "--upstream", &upstream];
    let arguments = [&served[..], &["--listen", here, "--admin", here]].concat();
    let sieve = SupervisedChild::start(&folder, Path::new("/bin/sh"), &arguments, &[]).unwrap();
    let raised = || {
        let of_process = |name| fs::read_to_string(format!("/proc/{}/{name}", sieve.pid()?)).ok();
        let (command, limits) = (of_process("cmdline")?, of_process("limits")?);
        let open_files = limits.lines().find(|line| line.contains("open files"))?;
        let numbers: Vec<_> = open_files.split_whitespace().skip(3).collect();
        (command.starts_with(program) && numbers[0] == numbers[1]).then_some(())
    };
    let raised = until(raised);
    assert!(raised.is_some(), "{}", sieve.stderr());
}
