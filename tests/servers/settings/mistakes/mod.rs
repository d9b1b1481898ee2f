//! The mistakes that people make, and what the program says to each: the file, the place, what is
//! wrong and what to write. A row is a mistake; none may be silent, and none may be told in the
//! words of a library.
//!
//! A row begins with `== its name`. `run:` is what is typed in a folder of its own, `setup:` what
//! is typed before; `status:` the exit status, or `serves` for a program that stays and logs;
//! `says:` what stands in what it prints, once for each, `never:` what does not; `lines:` how many
//! lines there are at most; `env:` a variable; `user:` who runs it where the test is root; `login:`
//! a user and password that log in while it serves. A file begins with `-- its name` and how it is
//! written, if not as it stands. One of kind `agent` is the agent's policy, in which a line of `-`
//! gives way to those of `+`, which else stand at the end; `{LINE}` is the first of them.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

mod row;
mod stage;

use stage::Stage;

#[test]
fn mistakes_that_people_made_have_their_messages() {
    check(include_str!("../../../data/mistakes/people.txt"), 70);
}

#[test]
fn mistakes_of_our_own_have_their_messages() {
    check(include_str!("../../../data/mistakes/own.txt"), 42);
}

#[test]
fn mistakes_that_were_kept_aside_have_their_messages() {
    check(include_str!("../../../data/mistakes/aside.txt"), 40);
}

/// Runs every row and reports all that fail at once.
fn check(text: &str, least: usize) {
    let rows = row::read(text);
    assert!(rows.len() >= least, "only {} rows", rows.len());
    let stage = Stage::new(&rows);
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..ACTORS {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = stage.play(row) {
                        failed
                            .lock()
                            .unwrap()
                            .push(format!("== {}\n{why}", row.name));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    let mut report = String::new();
    for one in &failed {
        writeln!(report, "\n{one}").unwrap();
    }
    let count = failed.len();
    assert!(
        failed.is_empty(),
        "{count} of {} fail:\n{report}",
        rows.len()
    );
}

/// Rows that are tried at a time.
const ACTORS: usize = 4;
