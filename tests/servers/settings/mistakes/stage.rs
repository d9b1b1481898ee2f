//! Where the mistakes are made: a folder for each, ports that are taken, a Postgres.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster};

use super::row::{File, MARK, Row};
use crate::support::command::spawn_written;
use crate::support::own_cluster;

/// What is there before a mistake is made.
pub struct Stage {
    taken: TcpListener,
    http: u16,
    cluster: Option<PrivateCluster>,
    root: PathBuf,
}

/// What a program has printed so far.
type Printed = Arc<Mutex<String>>;

impl Stage {
    /// One for these rows; a Postgres only where one of them asks for it.
    pub fn new(rows: &[Row]) -> Self {
        let wanted = ["{PG}", "{URL}", "{HOST}"];
        let asks = |text: &String| wanted.iter().any(|name| text.contains(name));
        let any = rows
            .iter()
            .any(|row| row.run.iter().any(asks) || row.files.iter().any(|file| asks(&file.text)));
        let id = format!("pgsieve-mistakes-{}-{}", std::process::id(), rows.len());
        let root = std::env::temp_dir().join(id);
        fs::create_dir_all(&root).unwrap();
        Self {
            taken: TcpListener::bind("127.0.0.1:0").unwrap(),
            http: answering(),
            cluster: any.then(cluster),
            root,
        }
    }

    /// Makes a mistake; what is missing in what is said of it.
    pub fn play(&self, row: &Row) -> Result<(), String> {
        let name: String = row.name.split_whitespace().collect::<Vec<_>>().join("-");
        let folder = self.root.join(name.replace(['/', '\''], "-"));
        fs::create_dir_all(&folder).unwrap();
        let mut line = 0;
        for file in &row.files {
            let text = self.filled(&file.text, &folder, 0);
            let at = text
                .find(MARK)
                .map(|at| text[..at].matches('\n').count() + 1);
            line = at.unwrap_or(line);
            write(&folder, file, &text.replace(MARK, ""));
        }
        for setup in &row.setup {
            let made = program(&folder).args(setup).output().unwrap();
            assert!(made.status.success(), "{made:?}");
        }
        let (status, said) = self.run(row, &folder, line);
        let mut missing = Vec::new();
        if status != row.status {
            missing.push(format!("status {status:?}, not {:?}", row.status));
        }
        let filled = |text: &String| self.filled(text, &folder, line);
        missing.extend(
            row.says
                .iter()
                .map(filled)
                .filter(|text| !said.contains(text.as_str())),
        );
        let banned = LIBRARIES.iter().map(|text| (*text).to_owned());
        let found = row
            .never
            .iter()
            .cloned()
            .chain(banned)
            .filter(|text| said.contains(text));
        missing.extend(found.map(|text| format!("not to be said: {text}")));
        let lines = said.lines().count();
        if row.lines.is_some_and(|most| lines > most) {
            missing.push(format!("{lines} lines"));
        }
        let missing = missing.join("\n  missing: ");
        match missing.is_empty() {
            true => Ok(()),
            false => Err(format!("  missing: {missing}\n  said:\n{said}")),
        }
    }

    /// Runs it until it ends; one that is to stay, until it has said what it should.
    fn run(&self, row: &Row, folder: &Path, line: usize) -> (Option<i32>, String) {
        let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
        let mut command = match row.as_nobody && is_root {
            true => as_nobody(folder),
            false => program(folder),
        };
        let arguments = row.run.iter().map(|text| self.filled(text, folder, line));
        command.args(arguments).envs(row.variables.clone());
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn_written(&mut command);
        let printed = Printed::default();
        let readers = [
            drained(child.stdout.take().unwrap(), &printed),
            drained(child.stderr.take().unwrap(), &printed),
        ];
        let until = Instant::now() + PATIENCE;
        let wanted: Vec<String> = row
            .says
            .iter()
            .map(|text| self.filled(text, folder, line))
            .collect();
        let mut login = row.login.clone();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status.code();
            }
            let said = printed.lock().unwrap().clone();
            let port = said.split("clients on 127.0.0.1:").nth(1);
            if let Some(port) = port.and_then(|rest| rest.lines().next())
                && let Some((user, password)) = login.take()
            {
                log_in(port, &user, &password);
            }
            let told = row.status.is_none() && wanted.iter().all(|text| said.contains(text));
            if told || Instant::now() > until {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            thread::sleep(Duration::from_millis(20));
        };
        for reader in readers {
            reader.join().unwrap();
        }
        let said = printed.lock().unwrap().clone();
        (status, said)
    }

    fn filled(&self, text: &str, folder: &Path, line: usize) -> String {
        let port = |cluster: &PrivateCluster| cluster.port().to_string();
        let pg = self.cluster.as_ref().map(port).unwrap_or_default();
        text.replace(
            "{TAKEN}",
            &self.taken.local_addr().unwrap().port().to_string(),
        )
        .replace("{HTTP}", &self.http.to_string())
        .replace("{URL}", "postgres://app:app@127.0.0.1:{PG}/postgres")
        .replace("{HOST}", "postgres://127.0.0.1:{PG}")
        .replace("{PG}", &pg)
        .replace("{DIR}", &folder.display().to_string())
        .replace("{LINE}", &line.to_string())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// The program in a folder, without any of our variables in its environment.
fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    command.current_dir(folder).env_clear();
    command
}

/// The same for a user without rights, who may not reach the folder in which it was built.
fn as_nobody(folder: &Path) -> Command {
    let copy = folder.join("pgsieve-of-nobody");
    fs::copy(env!("CARGO_BIN_EXE_pgsieve"), &copy).unwrap();
    let mut command = Command::new(copy);
    command.current_dir(folder).env_clear();
    command.uid(65534).gid(65534);
    command
}

fn write(folder: &Path, file: &File, text: &str) {
    let path = folder.join(&file.name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let bytes = match file.kind.as_str() {
        "" | "mode000" => text.as_bytes().to_vec(),
        "folder" => return fs::create_dir_all(path).unwrap(),
        "empty" => Vec::new(),
        "bom" => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        "crlf" => text.replace('\n', "\r\n").into_bytes(),
        "utf16" => {
            let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
            units.flat_map(u16::to_le_bytes).collect()
        }
        "latin1" => text
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap())
            .collect(),
        "verifier" => {
            let mut child = program(folder)
                .arg("hash-password")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            child
                .stdin
                .take()
                .unwrap()
                .write_all(text.as_bytes())
                .unwrap();
            child.wait_with_output().unwrap().stdout
        }
        other => panic!("what is {other}?"),
    };
    fs::write(&path, bytes).unwrap();
    if file.kind == "mode000" {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    }
}

/// Collects what is printed, on a thread of its own.
fn drained(mut from: impl Read + Send + 'static, printed: &Printed) -> thread::JoinHandle<()> {
    let printed = Arc::clone(printed);
    thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut piece) {
            printed
                .lock()
                .unwrap()
                .push_str(&String::from_utf8_lossy(&piece[..read]));
        }
    })
}

/// Logs in and does not care what comes of it.
fn log_in(port: &str, user: &str, password: &str) {
    let url = format!("postgres://{user}:{password}@127.0.0.1:{port}/postgres");
    run_sql(&url, "SELECT 1").err();
}

fn run_sql(url: &str, text: &str) -> Result<(), tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
        tokio::spawn(connection);
        client.batch_execute(text).await
    })
}

/// A Postgres that asks for passwords, with an `app`, a `nobody_else` and one that is barred.
fn cluster() -> PrivateCluster {
    let builder = own_cluster().auth(PasswordMethod::Scram);
    let cluster = builder.hba("host all barred all reject").start().unwrap();
    let roles = "CREATE ROLE app LOGIN PASSWORD 'app'; CREATE ROLE nobody_else; \
                 CREATE ROLE barred LOGIN PASSWORD 'x'";
    run_sql(&cluster.admin_url("postgres"), roles).unwrap();
    run_sql(
        &cluster.admin_url("postgres"),
        include_str!("../../../data/mistakes/like_citext.sql"),
    )
    .unwrap();
    cluster
}

/// A port on which something answers that is no Postgres.
fn answering() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut stream = stream;
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    port
}

/// How long a program may take to say it.
const PATIENCE: Duration = Duration::from_secs(20);

/// What libraries say, and no person is to read.
const LIBRARIES: &[&str] = &[
    "alias references",
    "anchor",
    "from_str_multiple",
    "entity not found",
    "did not find expected",
    "simple key",
    "stream did not contain",
    "(os error",
    "invalid digit",
    "invalid type",
    "DuplicateKey",
    "serde",
    "InvalidMessage",
    "KeyMismatch",
    "panicked",
];
