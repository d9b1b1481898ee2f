//! A Redis that keeps nothing on disk, for the limits that copies of pgsieve count together. Ends
//! with the value.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::{ChildSignal, SupervisedChild};
use pgsieve::net::dev_certificates::{self, CertificateRequest, DevCertificates};

use super::installed;
use super::ports::free_port;
use super::until;

/// The process, where it listens, and the password that it asks for.
pub struct RedisServer {
    /// None while it is stopped. What it wrote goes away with it.
    child: Option<SupervisedChild>,
    port: u16,
    folder: PathBuf,
    arguments: Vec<String>,
    /// What it shows, where it speaks TLS alone.
    certificates: Option<DevCertificates>,
}

impl RedisServer {
    /// One that asks for [`PASSWORD`].
    pub fn start() -> Self {
        let port = free_port();
        Self::start_with(port, vec!["--port".into(), port.to_string()], None)
    }

    /// The same, by TLS alone.
    pub fn start_tls() -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-store-{}", random_name().unwrap()));
        let wish = CertificateRequest {
            hosts: &[],
            client_name: "nobody",
        };
        let files = dev_certificates::write(&folder, &wish).unwrap();
        let port = free_port();
        let shown = |path: &PathBuf| path.to_string_lossy().into_owned();
        let arguments = [
            "--port",
            "0",
            "--tls-port",
            &port.to_string(),
            "--tls-cert-file",
            &shown(&files.server),
            "--tls-key-file",
            &shown(&files.server_key),
            "--tls-ca-cert-file",
            &shown(&files.authority),
            "--tls-auth-clients",
            "no",
        ]
        .map(str::to_owned);
        Self::start_with(port, arguments.to_vec(), Some(files))
    }

    fn start_with(
        port: u16,
        arguments: Vec<String>,
        certificates: Option<DevCertificates>,
    ) -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-store-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("password"), format!("{PASSWORD}\n")).unwrap();
        let own = Self {
            child: Some(spawn(&arguments)),
            port,
            folder,
            arguments,
            certificates,
        };
        own.wait_until_it_listens();
        own
    }

    /// Ends it. What it knew is gone.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.signal(ChildSignal::Kill).unwrap();
            until(|| child.exited()).expect("it ends");
        }
    }

    /// It stands still: it takes connections, and answers nothing.
    pub fn stand_still(&mut self, is_still: bool) {
        let signal = match is_still {
            true => ChildSignal::Stop,
            false => ChildSignal::Continue,
        };
        let child = self.child.as_mut().expect("it runs");
        child.signal(signal).unwrap();
    }

    /// Starts it again where it was.
    pub fn start_again(&mut self) {
        self.child = Some(spawn(&self.arguments));
        self.wait_until_it_listens();
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    /// The same as pgsieve has it.
    pub fn url(&self) -> String {
        let scheme = match self.certificates {
            None => "redis",
            Some(_) => "rediss",
        };
        format!("{scheme}://127.0.0.1:{}/0", self.port)
    }

    /// A file with its password.
    pub fn password_file(&self) -> String {
        self.folder.join("password").to_string_lossy().into_owned()
    }

    /// What it shows, where it speaks TLS.
    pub fn certificates(&self) -> &DevCertificates {
        self.certificates.as_ref().expect("it speaks TLS")
    }

    /// What a command answers, as `redis-cli` prints it.
    pub fn ask(&self, words: &[&str]) -> String {
        let mut command = Command::new("redis-cli");
        command.env("REDISCLI_AUTH", PASSWORD);
        command.args(["-p", &self.port.to_string()]).args(words);
        let output = installed::run(&mut command);
        String::from_utf8(output.stdout).unwrap()
    }

    fn wait_until_it_listens(&self) {
        let address = self.address();
        until(|| TcpStream::connect_timeout(&address, BOUND).ok()).expect("it listens");
    }
}

/// The password of its default user.
pub const PASSWORD: &str = "cAnArY-of-the-store";

fn spawn(arguments: &[String]) -> SupervisedChild {
    let folder = std::env::temp_dir().join(format!("pgsieve-redis-{}", random_name().unwrap()));
    fs::create_dir(&folder).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let mut places = std::env::split_paths(&path).map(|place| place.join("redis-server"));
    let program = places.find(|place| place.exists());
    let program = program.expect("redis-server is installed: run `make setup`");
    let own = [
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--appendonly",
        "no",
        "--requirepass",
        PASSWORD,
        "--dir",
        &folder.to_string_lossy(),
    ];
    let mut all: Vec<String> = own.map(str::to_owned).to_vec();
    all.extend(arguments.iter().cloned());
    SupervisedChild::start(&folder, &program, &all, &[]).unwrap()
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.folder);
        if let Some(files) = &self.certificates
            && let Some(folder) = files.server.parent()
        {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

const BOUND: Duration = Duration::from_secs(1);
