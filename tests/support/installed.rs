//! Programs that `make setup` has installed, run within a bound.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Runs a program to its end, within a bound.
pub fn run(command: &mut Command) -> Output {
    let name = format!("{command:?}");
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{name}: {error}; run `make setup`"));
    let pid = child.id().to_string();
    let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let readers = [collect(out), collect(err)];
    let end = Instant::now() + BOUND;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > end {
            drop(Command::new("kill").args(["-KILL", &pid]).status());
            child.wait().unwrap();
            let [out, err] = readers.map(|reader| text(&reader.join().unwrap()));
            panic!(
                "{name} has not ended:\n{}\n{}",
                last_lines(&out),
                last_lines(&err)
            );
        }
        thread::sleep(Duration::from_millis(20));
    };
    let [stdout, stderr] = readers.map(|reader| reader.join().unwrap());
    Output {
        status,
        stdout,
        stderr,
    }
}

fn collect(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

/// What a program has printed.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The end of what it has printed.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(15)..].join("\n")
}

/// What `make setup` has put into the folder of all builds.
pub fn installed(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("target")
        .join(name);
    assert!(
        path.exists(),
        "{} is missing: run `make setup`",
        path.display()
    );
    path.to_string_lossy().into_owned()
}

/// Longer than the slowest client takes on a busy machine.
const BOUND: Duration = Duration::from_secs(240);
