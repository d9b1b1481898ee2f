//! A command of the user's: given a text, read for another, and ended with everything that it
//! started where it takes too long.

use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::limits::evaluation::COMMAND_POLL;

/// Why there is no text of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandFault {
    /// It does not start.
    Start(io::ErrorKind),
    /// It ended with this status; none where a signal ended it.
    Status(Option<i32>),
    /// It took longer than it may.
    TimedOut,
    /// It printed more than is read.
    TooLong,
    /// It printed what is not UTF-8.
    NotUtf8,
}

/// What a command is given, and how far it may go.
#[derive(Debug)]
pub struct CommandBounds {
    /// How long it may take.
    pub time_max: Duration,
    /// Bytes that it may print.
    pub bytes_max: u64,
}

/// Runs a command to its end. What it says on standard error is shown as it comes. To be called on
/// a thread that may wait.
///
/// # Errors
/// It does not start, fails, takes too long, or prints what cannot be taken.
pub fn run(
    command: &mut Command,
    input: &str,
    bounds: &CommandBounds,
) -> Result<String, CommandFault> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0);
    let started = command.spawn();
    let mut child = started.map_err(|error| CommandFault::Start(error.kind()))?;
    feed(&mut child, input);
    let printed = reader(&mut child, bounds.bytes_max);
    let deadline = Instant::now() + bounds.time_max;
    let read = printed.recv_timeout(bounds.time_max);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline && read.is_ok() => thread::sleep(COMMAND_POLL),
            Ok(None) | Err(_) => {
                end(&mut child);
                return Err(CommandFault::TimedOut);
            }
        }
    };
    let Ok(bytes) = read else {
        // What it started still holds its output.
        end(&mut child);
        return Err(CommandFault::TimedOut);
    };
    if !status.success() {
        return Err(CommandFault::Status(status.code()));
    }
    if u64::try_from(bytes.len()).is_ok_and(|length| length > bounds.bytes_max) {
        return Err(CommandFault::TooLong);
    }
    String::from_utf8(bytes).map_err(|_| CommandFault::NotUtf8)
}

/// Hands it the text on a thread: it may print before it has read everything, or never read.
fn feed(child: &mut Child, input: &str) {
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_owned();
        thread::spawn(move || {
            // One that does not want it has its reasons; its answer is what counts.
            let _ = stdin.write_all(input.as_bytes());
        });
    }
}

/// All that it prints, and one byte more than it may; the rest stays where it is.
fn reader(child: &mut Child, bytes_max: u64) -> mpsc::Receiver<Vec<u8>> {
    let (tell, heard) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stdout
                .take(bytes_max.saturating_add(1))
                .read_to_end(&mut bytes);
            let _ = tell.send(bytes);
        });
    }
    heard
}

/// Ends it and all that it started.
fn end(child: &mut Child) {
    let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = number {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

impl fmt::Display for CommandFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(kind) => write!(formatter, "it cannot be started: {kind}"),
            Self::Status(Some(code)) => write!(formatter, "it ended with status {code}"),
            Self::Status(None) => formatter.write_str("a signal ended it"),
            Self::TimedOut => formatter.write_str("it took longer than it may"),
            Self::TooLong => formatter.write_str("it printed more than is read"),
            Self::NotUtf8 => formatter.write_str("it printed what is not UTF-8"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &str) -> Result<String, CommandFault> {
        let bounds = CommandBounds {
            time_max: Duration::from_secs(20),
            bytes_max: 1_000,
        };
        run(Command::new("/bin/sh").args(["-c", script]), input, &bounds)
    }

    #[test]
    fn a_command_is_told_and_read() {
        assert_eq!(shell("cat", "told"), Ok("told".to_owned()));
        assert_eq!(shell("echo early; cat", "x"), Ok("early\nx".to_owned()));
        let long = "x".repeat(1 << 20);
        assert_eq!(shell("echo deaf", &long), Ok("deaf\n".to_owned()));
        assert_eq!(shell("exit 7", ""), Err(CommandFault::Status(Some(7))));
        assert_eq!(shell("kill -KILL $$", ""), Err(CommandFault::Status(None)));
        assert_eq!(shell("printf '\\377'", ""), Err(CommandFault::NotUtf8));
        assert_eq!(shell("cat", &long), Err(CommandFault::TooLong));
        let missing = run(
            &mut Command::new("/nowhere/at/all"),
            "",
            &CommandBounds {
                time_max: Duration::from_secs(1),
                bytes_max: 1,
            },
        );
        assert_eq!(missing, Err(CommandFault::Start(io::ErrorKind::NotFound)));
    }

    #[test]
    fn what_takes_too_long_is_ended_with_all_that_it_started() {
        let begin = Instant::now();
        let bounds = CommandBounds {
            time_max: Duration::from_millis(200),
            bytes_max: 1_000,
        };
        for script in ["sleep 60", "sleep 60 | cat", "sleep 60 & echo done"] {
            let mut command = Command::new("/bin/sh");
            let ended = run(command.args(["-c", script]), "", &bounds);
            assert_eq!(ended, Err(CommandFault::TimedOut), "{script}");
        }
        assert!(begin.elapsed() < Duration::from_secs(30));
    }
}
