//! A pgsieve of its own before the database that is asked, in a process of its own: statements go
//! the way that those of any client go. It listens on a Unix socket in a folder that nobody else
//! can open, and ends with this process.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::proxy_session::ProxySession;
use crate::config::SettingsProblem;
use crate::demo::cluster::random_name;
use crate::demo::named_upstream::NamedUpstream;
use crate::demo::supervisor::SupervisedChild;
use crate::limits::evaluation::{LOGIN_TIME_MAX, TRY_PAUSE, UNREACHABLE_TIME_MAX};
use crate::secret::Secret;
use crate::wire_client::session::{SessionFault, SessionLogin};
use tokio::time::{Instant, sleep};

/// Which database, and under which policy. Its address may have a password in it.
pub struct EvaluatedDatabase {
    /// Its address, as it is given to `serve`.
    pub upstream: String,
    /// The policies, as they are given to `serve`.
    pub policy: String,
    /// Who logs in there in the place of the address's user, and the password.
    pub role: Option<(String, Option<Secret>)>,
    /// The user that sessions name, in the place of whoever logs in.
    pub user: Option<String>,
    /// What they call themselves.
    pub application_name: String,
    /// Their database, in the place of the address's.
    pub database: Option<String>,
}

/// A running pgsieve.
#[derive(Debug)]
pub struct EvaluationProxy {
    supervised: SupervisedChild,
    socket: PathBuf,
    named: NamedUpstream,
}

/// Why there is none.
#[derive(Debug)]
pub enum ProxyStartError {
    /// The address is wrong, or names no user.
    Upstream(Vec<SettingsProblem>),
    /// Something of this machine is in the way.
    System(io::ErrorKind),
    /// It ends, or nobody can log in: what it says.
    Unserved(String),
}

impl EvaluationProxy {
    /// Starts one, and waits until a session can be had.
    ///
    /// May be cancelled: the process is ended.
    ///
    /// # Errors
    /// The address is wrong, or pgsieve does not start with the policy, or does not reach the
    /// database in time.
    pub async fn start(database: EvaluatedDatabase) -> Result<Self, ProxyStartError> {
        let EvaluatedDatabase {
            upstream,
            policy,
            role,
            user,
            application_name,
            database,
        } = database;
        let mut named =
            NamedUpstream::of(&upstream, env::vars_os()).map_err(ProxyStartError::of_address)?;
        if let Some((role, password)) = role {
            let other = named.as_user(role, password);
            named = other.ok_or_else(|| ProxyStartError::Unserved(ROLE_NEEDS_HOST.into()))?;
        }
        let proxy = Self::spawn(named, &policy)?;
        let login = SessionLogin {
            user: user.as_deref().unwrap_or(proxy.user()),
            database: database.as_deref().unwrap_or(proxy.database()),
            application_name: &application_name,
            repairs: true,
        };
        proxy.wait(&login).await?;
        Ok(proxy)
    }

    fn spawn(named: NamedUpstream, policy: &str) -> Result<Self, ProxyStartError> {
        let failed = |error: io::Error| ProxyStartError::System(error.kind());
        let name = random_name().map_err(|error| ProxyStartError::Unserved(error.to_string()))?;
        let folder = env::temp_dir().join(format!("pgsieve-eval-{name}"));
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(failed)?;
        let socket = folder.join("socket");
        let mut given = without_settings(env::vars_os());
        given.extend(FIXED_SETTINGS.iter().map(OsString::from));
        given.push(env::current_exe().map_err(failed)?.into_os_string());
        let flags: [(&str, OsString); 5] = [
            ("--listen", socket.clone().into_os_string()),
            ("--admin", "off".into()),
            ("--audit", "off".into()),
            ("--policy", policy.into()),
            ("--upstream", named.address.clone().into()),
        ];
        given.push("serve".into());
        given.extend(
            flags
                .into_iter()
                .flat_map(|(flag, value)| [flag.into(), value]),
        );
        // Passwords are no arguments: those are shown to everybody on the machine.
        let password = named.password.as_ref();
        let environment: Vec<(&str, &str)> = password
            .map(|password| ("PGPASSWORD", password.reveal()))
            .into_iter()
            .collect();
        let supervised =
            SupervisedChild::start(&folder, Path::new(ENV_PROGRAM), &given, &environment);
        Ok(Self {
            supervised: supervised.map_err(failed)?,
            socket,
            named,
        })
    }

    /// Waits until a session can be had.
    async fn wait(&self, login: &SessionLogin<'_>) -> Result<(), ProxyStartError> {
        let (began, deadline) = (Instant::now(), Instant::now() + LOGIN_TIME_MAX);
        loop {
            let fault = match ProxySession::open(&self.socket, login, deadline).await {
                Ok(_) => return Ok(()),
                Err(fault) => fault,
            };
            let is_final = match &fault {
                SessionFault::Refused(error) if error.sqlstate.starts_with("08") => {
                    !error.is_of_the_moment() || began.elapsed() > UNREACHABLE_TIME_MAX
                }
                SessionFault::Refused(error) => !error.is_of_the_moment(),
                _ => self.supervised.exited().is_some(),
            };
            if is_final || Instant::now() > deadline {
                let said = self.supervised.stderr();
                let said = match &fault {
                    SessionFault::Lost if !said.is_empty() => said,
                    fault => fault.to_string(),
                };
                return Err(ProxyStartError::Unserved(said));
            }
            sleep(TRY_PAUSE / 10).await;
        }
    }

    /// Its socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Who logs in to the database.
    pub fn user(&self) -> &str {
        &self.named.user
    }

    /// The database of the address.
    pub fn database(&self) -> &str {
        &self.named.database
    }

    /// The address without its password, and that.
    pub fn upstream(&self) -> (&str, Option<&Secret>) {
        (&self.named.address, self.named.password.as_ref())
    }
}

/// Arguments for `env` by which no setting of another pgsieve is taken over.
pub(super) fn without_settings(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<OsString> {
    let names = variables.into_iter().map(|(name, _)| name);
    let settings = names.filter(|name| {
        name.to_str()
            .is_some_and(|name| name.starts_with("PGSIEVE_"))
    });
    settings.flat_map(|name| ["-u".into(), name]).collect()
}

impl ProxyStartError {
    fn of_address(error: crate::demo::DemoError) -> Self {
        match error {
            crate::demo::DemoError::Upstream(problems) => Self::Upstream(problems),
            other => Self::Unserved(other.to_string()),
        }
    }
}

impl fmt::Debug for EvaluatedDatabase {
    /// Without the address.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "EvaluatedDatabase({})", self.policy)
    }
}

impl fmt::Display for ProxyStartError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upstream(problems) => {
                let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
                formatter.write_str(&told.join("\n"))
            }
            Self::System(kind) => write!(formatter, "pgsieve cannot be started: {kind}"),
            Self::Unserved(said) => {
                write!(formatter, "pgsieve does not serve:\n{}", said.trim_end())
            }
        }
    }
}

/// The service or the variables that name the host may name a user as well, who would win.
const ROLE_NEEDS_HOST: &str = "--role: --upstream has to name the host, postgres://host/database";

/// What sets the environment of another program.
pub(super) const ENV_PROGRAM: &str = "/usr/bin/env";

/// Whoever reaches the socket is this user.
const FIXED_SETTINGS: [&str; 2] = ["PGSIEVE_CLIENT_AUTH_METHOD=trust", "PGSIEVE_METRICS=off"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_another_pgsieve_are_left_out() {
        let variables = [
            ("PGSIEVE_CONFIG", "a"),
            ("PATH", "b"),
            ("PGSIEVE_LISTEN", "c"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        assert_eq!(
            without_settings(variables),
            ["-u", "PGSIEVE_CONFIG", "-u", "PGSIEVE_LISTEN"]
        );
    }
}
