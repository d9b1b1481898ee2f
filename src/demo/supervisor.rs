//! A child process that does not outlive this one, however this one ends.
//!
//! Between us and the child stands a small shell script that reads from a pipe; when the pipe
//! ends, it ends the child and removes the child's folder. The demo runs pgsieve this way, and so
//! do the tests.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::limits;

/// A running child and the folder that holds its output and its notes.
#[derive(Debug)]
pub struct SupervisedChild {
    supervisor: Child,
    // While this is open, the keeper lets the child live.
    lifeline: Option<ChildStdin>,
    folder: PathBuf,
}

/// What a child can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildSignal {
    /// Please end (SIGTERM).
    Terminate,
    /// Please end, as Ctrl-C says it (SIGINT).
    Interrupt,
    /// Read your settings again (SIGHUP).
    Reload,
    /// End now (SIGKILL).
    Kill,
    /// Stand still (SIGSTOP).
    Stop,
    /// Go on (SIGCONT).
    Continue,
}

impl SupervisedChild {
    /// Starts a program. Its output goes to the files `stdout` and `stderr` in the folder, which
    /// must be there, belongs to this child alone and goes away with it. Environment and working
    /// folder are inherited.
    ///
    /// # Errors
    /// The folder is not there, or the program cannot be started.
    pub fn start<A: AsRef<OsStr>>(
        folder: &Path,
        program: &Path,
        arguments: &[A],
        environment: &[(&str, &str)],
    ) -> io::Result<Self> {
        let mut keeper = Command::new("/bin/sh")
            .args(["-c", SUPERVISOR, "pgsieve-supervisor"])
            .arg(folder)
            .arg(program)
            .args(arguments)
            .envs(environment.iter().copied())
            // Ctrl-C in a terminal goes to a whole group; this child ends when we say so.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let line = keeper.stdin.take();
        Ok(Self {
            supervisor: keeper,
            lifeline: line,
            folder: folder.to_path_buf(),
        })
    }

    /// The child's process id, once it runs.
    pub fn pid(&self) -> Option<u32> {
        fs::read_to_string(self.folder.join("pid"))
            .ok()?
            .trim()
            .parse()
            .ok()
    }

    /// Sends a signal to the child.
    ///
    /// # Errors
    /// The supervisor is gone.
    pub fn signal(&mut self, signal: ChildSignal) -> io::Result<()> {
        match &mut self.lifeline {
            Some(line) => writeln!(line, "{signal}"),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// The exit status of the child, once it has ended; above 128, a signal ended it.
    pub fn exited(&self) -> Option<i32> {
        fs::read_to_string(self.folder.join("exited"))
            .ok()?
            .trim()
            .parse()
            .ok()
    }

    /// Waits for the child to end by itself or after a signal.
    pub fn wait(&self, bound: Duration) -> Option<i32> {
        let end = Instant::now() + bound;
        loop {
            let status = self.exited();
            if status.is_some() || Instant::now() > end {
                return status;
            }
            thread::sleep(Duration::from_millis(limits::CLUSTER_POLL_MS));
        }
    }

    /// What the child has said on its standard error so far.
    pub fn stderr(&self) -> String {
        fs::read_to_string(self.folder.join("stderr")).unwrap_or_default()
    }

    /// What the child has said on its standard output so far.
    pub fn stdout(&self) -> String {
        fs::read_to_string(self.folder.join("stdout")).unwrap_or_default()
    }
}

impl Drop for SupervisedChild {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        drop(self.supervisor.wait());
    }
}

impl fmt::Display for ChildSignal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Terminate => "TERM",
            Self::Interrupt => "INT",
            Self::Reload => "HUP",
            Self::Kill => "KILL",
            Self::Stop => "STOP",
            Self::Continue => "CONT",
        })
    }
}

/// The script between us and the child.
const SUPERVISOR: &str = include_str!("supervisor.sh");

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Duration = Duration::from_secs(20);

    fn supervise(script: &str) -> SupervisedChild {
        let name = crate::demo::cluster::random_name().unwrap();
        let folder = std::env::temp_dir().join(format!("pgsieve-supervisor-{name}"));
        fs::create_dir(&folder).unwrap();
        SupervisedChild::start(
            &folder,
            Path::new("/bin/sh"),
            &["-c", script],
            &[("X", "seen")],
        )
        .unwrap()
    }

    #[test]
    fn status_and_output_are_told() {
        let supervised = supervise("echo $X; echo aside >&2; exit 7");
        assert_eq!(supervised.wait(BOUND), Some(7));
        assert_eq!(supervised.stdout(), "seen\n");
        assert_eq!(supervised.stderr(), "aside\n");
    }

    #[test]
    fn a_signal_reaches_the_child() {
        for (signal, status) in [(ChildSignal::Kill, 137), (ChildSignal::Terminate, 143)] {
            let mut supervised = supervise("exec sleep 60");
            supervised.signal(signal).unwrap();
            assert_eq!(supervised.wait(BOUND), Some(status));
        }
    }

    #[test]
    fn a_child_that_stands_still_is_ended_too() {
        let mut supervised = supervise("exec sleep 60");
        supervised.signal(ChildSignal::Stop).unwrap();
        let begin = Instant::now();
        drop(supervised);
        assert!(begin.elapsed() < BOUND);
    }

    /// Once the notes are gone, the process id may be somebody else's.
    #[test]
    fn a_keeper_without_its_folder_ends_and_kills_nobody() {
        let mut supervised = supervise("exec sleep 60");
        supervised.signal(ChildSignal::Kill).unwrap();
        assert_eq!(supervised.wait(BOUND), Some(137));
        fs::remove_dir_all(&supervised.folder).unwrap();
        let begin = Instant::now();
        drop(supervised);
        assert!(begin.elapsed() < BOUND);
    }

    #[test]
    fn a_dropped_leash_ends_the_child_and_removes_its_folder() {
        let supervised = supervise("exec sleep 60");
        let folder = supervised.folder.clone();
        let begin = Instant::now();
        drop(supervised);
        assert!(begin.elapsed() < BOUND);
        assert!(!folder.exists());
    }
}
