//! Starts the server's processes and ends them.
//!
//! Between us and the server stands a supervisor, a small shell script in a process group of its
//! own. It reads from a pipe that only we write to: when the pipe ends, because we asked for it or
//! because this process was killed, it stops the server and removes the folder, also in the middle
//! of making the data directory. (A death signal would not do: Linux sends it when the *thread*
//! that forked ends.)

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::limits;

use super::binaries::PostgresBinaries;
use super::directory::ClusterDirectory;
use super::error::ClusterError;

/// A server that answers.
#[derive(Debug)]
pub struct ServerProcess {
    supervisor: Child,
    // While this is open, the supervisor lets the server live.
    lifeline: ChildStdin,
}

/// How a start ended, when it did not fail.
#[derive(Debug)]
pub enum StartOutcome {
    /// The server takes connections.
    Ready(ServerProcess),
    /// Somebody else has the port; another one may do.
    PortTaken,
}

/// What becomes of a server and its folder.
#[derive(Debug, Clone, Copy)]
pub enum ClusterEnding {
    /// Clients are sent away, the folder is removed.
    Removed,
    /// Clients are sent away, the data stays for another start.
    Kept,
}

/// How a server stops that is to start again.
#[derive(Debug, Clone, Copy)]
pub enum ServerStop {
    /// Clients are sent away.
    Halt,
    /// Connections break off.
    Crash,
}

impl ServerProcess {
    /// Starts the server and waits until it takes connections.
    ///
    /// # Errors
    /// It ends or does not take connections in time; its output tells why.
    pub fn start(
        directory: &ClusterDirectory,
        binaries: &PostgresBinaries,
        port: u16,
    ) -> Result<StartOutcome, ClusterError> {
        remove_notes(directory);
        let server = Self::spawn(directory, binaries, port)?;
        if ready_in_time(directory) {
            return Ok(StartOutcome::Ready(server));
        }
        let log = directory.log();
        server.end(ClusterEnding::Kept);
        if log.contains(PORT_TAKEN) {
            return Ok(StartOutcome::PortTaken);
        }
        Err(ClusterError::Start {
            log: last_lines(&log),
        })
    }

    /// Stops the server and waits until it is gone. Its supervisor stays, and would remove the
    /// folder.
    pub fn stop(&mut self, directory: &ClusterDirectory, stop: ServerStop) {
        let word = match stop {
            ServerStop::Halt => "halt\n",
            ServerStop::Crash => "crash\n",
        };
        let stopped = directory.path().join("stopped");
        // A supervisor that cannot be told is gone, and the server with it.
        if stopped.exists() || self.lifeline.write_all(word.as_bytes()).is_err() {
            return;
        }
        let end = Instant::now() + Duration::from_secs(limits::CLUSTER_STOP_SECONDS_MAX);
        while !stopped.exists() && Instant::now() < end {
            thread::sleep(Duration::from_millis(limits::CLUSTER_POLL_MS));
        }
    }

    /// Starts the server again, which was stopped, on its port, and waits until it takes
    /// connections.
    ///
    /// # Errors
    /// It ends or does not take connections in time.
    pub fn start_again(&mut self, directory: &ClusterDirectory) -> Result<(), ClusterError> {
        remove_notes(directory);
        let told = self.lifeline.write_all(b"start\n");
        if told.is_ok() && ready_in_time(directory) {
            return Ok(());
        }
        let log = directory.log();
        if log.contains(PORT_TAKEN) {
            return Err(ClusterError::NoFreePort);
        }
        Err(ClusterError::Start {
            log: last_lines(&log),
        })
    }

    /// Ends the server and waits until it is gone. The supervisor bounds the wait.
    pub fn end(mut self, ending: ClusterEnding) {
        let word = match ending {
            ClusterEnding::Removed => "remove\n",
            ClusterEnding::Kept => "keep\n",
        };
        // A supervisor that cannot be told is gone, and has removed everything.
        drop(self.lifeline.write_all(word.as_bytes()));
        drop(self.lifeline);
        drop(self.supervisor.wait());
    }

    /// Closes the pipe as the death of this process would.
    #[cfg(test)]
    pub fn abandon(mut self) {
        drop(self.lifeline);
        drop(self.supervisor.wait());
    }

    /// Starts the supervisor, which starts the server.
    ///
    /// # Errors
    /// The supervisor cannot be started.
    pub fn spawn(
        directory: &ClusterDirectory,
        binaries: &PostgresBinaries,
        port: u16,
    ) -> Result<Self, ClusterError> {
        let failed = |source| ClusterError::File {
            doing: "start a shell",
            source,
        };
        let mut command = Command::new("/bin/sh");
        directory.account().apply(&mut command);
        let mut supervisor = command
            .current_dir(directory.path())
            // Ctrl-C in a terminal goes to a whole group; this one ends when we say so.
            .process_group(0)
            .args(["-c", SUPERVISOR, "pgsieve-postgres"])
            .arg(directory.path())
            .arg(binaries.program("initdb"))
            .arg(binaries.program("postgres"))
            .arg("-D")
            .arg(directory.data())
            .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"])
            .arg("-k")
            .arg(directory.path())
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        match supervisor.stdin.take() {
            Some(lifeline) => Ok(Self {
                supervisor,
                lifeline,
            }),
            None => Err(failed(std::io::ErrorKind::BrokenPipe.into())),
        }
    }
}

/// Runs a program to its end, within the bound of a download.
///
/// # Errors
/// It cannot be started, fails, or takes too long.
pub fn run_to_end(name: &'static str, mut command: Command) -> Result<(), ClusterError> {
    let failed = |source| ClusterError::File {
        doing: "start a program",
        source,
    };
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut said = child.stderr.take();
    // Read aside, so that a program that says much cannot get stuck, nor keep us past the bound.
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(said) = said.as_mut() {
            drop(said.read_to_end(&mut text));
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let end = Instant::now() + Duration::from_secs(limits::demo::PACKAGE_DOWNLOAD_SECONDS_MAX);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if Instant::now() > end {
            drop(child.kill());
            drop(child.wait());
            return Err(ClusterError::Program {
                name,
                outcome: "took too long".to_owned(),
            });
        }
        thread::sleep(Duration::from_millis(limits::CLUSTER_POLL_MS));
    };
    if status.success() {
        return Ok(());
    }
    let text = reader.join().unwrap_or_default();
    Err(ClusterError::Program {
        name,
        outcome: format!("ended with {status}\n{}", last_lines(&text)),
    })
}

/// What is noted of a run of the server, before its next one.
fn remove_notes(directory: &ClusterDirectory) {
    for note in ["pid", "exited", "stopped", "log"] {
        drop(fs::remove_file(directory.path().join(note)));
    }
}

/// Waits for the server's own word that it takes connections.
fn ready_in_time(directory: &ClusterDirectory) -> bool {
    let pid_file = directory.data().join("postmaster.pid");
    let exited = directory.path().join("exited");
    let end = Instant::now() + Duration::from_secs(limits::CLUSTER_START_SECONDS_MAX);
    while Instant::now() < end {
        // The eighth line is the server's state.
        let state = fs::read_to_string(&pid_file).unwrap_or_default();
        if state
            .lines()
            .nth(7)
            .is_some_and(|state| state.trim_end() == "ready")
        {
            return true;
        }
        if exited.exists() {
            return false;
        }
        thread::sleep(Duration::from_millis(limits::CLUSTER_POLL_MS));
    }
    false
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let skipped = lines.len().saturating_sub(LOG_LINES_SHOWN);
    lines.get(skipped..).unwrap_or_default().join("\n")
}

/// The server's words where somebody else has its port.
const PORT_TAKEN: &str = "could not bind";

/// As much of a log as fits a terminal beside the rest.
const LOG_LINES_SHOWN: usize = 12;

/// The supervisor: folder, initdb, then the server's command line.
const SUPERVISOR: &str = include_str!("supervisor.sh");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_the_last() {
        let text: String = (0..20).map(|n| format!("{n}\n")).collect();
        assert!(last_lines(&text).starts_with("8\n"));
        assert_eq!(last_lines("a\nb"), "a\nb");
    }

    #[test]
    fn a_program_that_fails_says_why() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "echo broken >&2; exit 3"]);
        let error = run_to_end("sh", command).unwrap_err().to_string();
        assert!(error.contains("broken") && error.contains('3'), "{error}");
    }
}
