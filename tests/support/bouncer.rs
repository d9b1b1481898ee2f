//! A PgBouncer that lets everybody in, for what is held against it. Ends with the value.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use pgsieve::demo::cluster::random_name;

use super::ports::free_port;
use super::raw::Login;
use super::{RawClient, until};

/// The process, and where it listens.
pub struct PgBouncer {
    child: Child,
    port: u16,
    settings: String,
}

impl PgBouncer {
    /// With these lines of `[databases]` and these settings.
    pub fn start(databases: &str, settings: &str) -> Self {
        let (folder, port) = (std::env::temp_dir(), free_port());
        let file = folder.join(format!("pgsieve-it-{}.ini", random_name().unwrap()));
        let settings = format!(
            "[databases]\n{databases}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\n{settings}\n"
        );
        fs::write(&file, &settings).unwrap();
        let mut command = Command::new("pgbouncer");
        command.arg("-q").arg(&file);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        if fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
            chown(&file, Some(NOBODY), Some(NOBODY)).unwrap();
            command.uid(NOBODY).gid(NOBODY);
        }
        let child = command.spawn().expect("pgbouncer is installed");
        let own = Self {
            child,
            port,
            settings,
        };
        let address = ([127, 0, 0, 1], port).into();
        until(|| TcpStream::connect_timeout(&address, BOUND).ok()).expect("it listens");
        fs::remove_file(file).unwrap();
        own
    }

    /// The text of its configuration.
    pub fn settings(&self) -> &str {
        &self.settings
    }

    /// A session there.
    pub fn login(&self, user: &str, database: &str) -> RawClient {
        let login = Login {
            user,
            password: user,
            database,
            parameters: &[],
        };
        RawClient::login(([127, 0, 0, 1], self.port).into(), &login)
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const NOBODY: u32 = 65534;

const BOUND: Duration = Duration::from_secs(1);
