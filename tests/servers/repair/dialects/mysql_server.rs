//! A private MariaDB on a socket in a folder of its own, gone with its owner.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How many were started by this process.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// How often it is tried to start one.
const ATTEMPTS: usize = 3;

/// How long one may take until it answers.
const START_MAX: Duration = Duration::from_secs(120);

/// The server.
pub struct Server {
    folder: PathBuf,
    process: Child,
}

impl Server {
    /// With these tables; a loud note and nothing where it cannot be had.
    pub fn start(tables: &str) -> Option<Self> {
        let programs = ["mariadb-install-db", "mariadbd", "mariadb"];
        let Some([install, serve, _]) = programs
            .map(program)
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .and_then(|all| <[PathBuf; 3]>::try_from(all).ok())
        else {
            eprintln!("SKIPPED: there is no MariaDB to be had on this machine");
            return None;
        };
        let mut faults = String::new();
        for _ in 0..ATTEMPTS {
            match Self::begun(&install, &serve) {
                Ok(server) => {
                    let database = "CREATE DATABASE cases CHARACTER SET utf8mb4";
                    server.execute("", database).unwrap();
                    server.execute("cases", tables).unwrap();
                    return Some(server);
                }
                Err(fault) => faults.push_str(&fault),
            }
        }
        panic!("MariaDB does not start: {faults}")
    }

    /// One that answers, or what it said instead. Native asynchronous input and output is a
    /// resource of the whole machine, and none of it may be left.
    fn begun(install: &Path, serve: &Path) -> Result<Self, String> {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("pgsieve-mariadb-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let user = user(&folder);
        let data = folder.join("data");
        let log = folder.join("log");
        let installed = Command::new(install)
            .arg("--no-defaults")
            .arg("--skip-test-db")
            .arg("--auth-root-authentication-method=normal")
            .arg("--innodb-use-native-aio=0")
            .arg(format!("--datadir={}", data.display()))
            .args(&user)
            .output()
            .unwrap();
        if !installed.status.success() {
            let _ = std::fs::remove_dir_all(&folder);
            return Err(format!("{installed:?}"));
        }
        let process = Command::new(serve)
            .arg("--no-defaults")
            .arg("--skip-networking")
            .arg("--default-time-zone=+00:00")
            .arg("--character-set-server=utf8mb4")
            .arg("--innodb-buffer-pool-size=16M")
            .arg("--innodb-use-native-aio=0")
            .arg(format!("--datadir={}", data.display()))
            .arg(format!("--socket={}", folder.join("socket").display()))
            .arg(format!("--pid-file={}", folder.join("pid").display()))
            .args(&user)
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let mut server = Self { folder, process };
        let begun = Instant::now();
        while let Err(error) = server.execute("", "SELECT 1") {
            let ended = server.process.try_wait().unwrap();
            if ended.is_some() || begun.elapsed() > START_MAX {
                let log = std::fs::read_to_string(&log).unwrap_or_default();
                return Err(format!("{error} {ended:?} {log}"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    /// The rows of a statement, as the cases write them.
    pub fn rows(&self, text: &str) -> Vec<String> {
        let answer = self.execute("cases", text);
        let answer = answer.unwrap_or_else(|error| format!("fails: {error}"));
        answer.lines().map(str::to_owned).collect()
    }

    fn execute(&self, database: &str, text: &str) -> Result<String, String> {
        let mut client = Command::new("mariadb")
            .arg("--no-defaults")
            .arg("--default-character-set=utf8mb4")
            .arg("--batch")
            .arg("--skip-column-names")
            .arg("--user=root")
            .arg(format!("--socket={}", self.folder.join("socket").display()))
            .arg(database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A client that cannot connect may be gone before it has read anything.
        let _ = client.stdin.take().unwrap().write_all(text.as_bytes());
        let done = client.wait_with_output().unwrap();
        if done.status.success() {
            Ok(String::from_utf8(done.stdout).unwrap())
        } else {
            Err(String::from_utf8_lossy(&done.stderr).into_owned())
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Where a program is.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin")])
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}

/// MariaDB runs as root only where it is told to. The user that its whole package makes is taken
/// where there is one; its programs alone bring none.
fn user(folder: &Path) -> Vec<String> {
    let id = Command::new("id").arg("-u").output().unwrap();
    if id.stdout.trim_ascii() != b"0" {
        return Vec::new();
    }
    let given = Command::new("chown")
        .arg("mysql")
        .arg(folder)
        .stderr(Stdio::null())
        .status();
    let name = match given {
        Ok(status) if status.success() => "mysql",
        Ok(_) | Err(_) => "root",
    };
    vec![format!("--user={name}")]
}
