//! `pgsieve serve` in a process of its own, started as its users start it.

use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio_postgres::{Client, NoTls};

use crate::auth::verifier::ScramVerifier;
use crate::limits;
use crate::mcp::tokens::{McpToken, NewToken};
use crate::secret::Secret;

use super::cluster::{free_port, random_name};
use super::named_upstream::NamedUpstream;
use super::server_notices::ServerNotices;
use super::supervisor::SupervisedChild;
use super::{DemoArguments, DemoError, write_text};

/// A running pgsieve.
#[derive(Debug)]
pub struct ProxyProcess {
    supervised: SupervisedChild,
    listen: u16,
    admin: u16,
    audit: PathBuf,
    agents: AgentAccess,
}

/// How an agent reaches it.
#[derive(Debug)]
struct AgentAccess {
    port: u16,
    token: Secret,
    /// The address that a pgsieve is started before which an agent starts; without a password that
    /// is not ours.
    upstream: String,
}

/// What pgsieve is started before.
pub enum ProxyUpstream {
    /// Our own servers, by their URL.
    Private(String),
    /// A database that somebody names.
    Named(NamedUpstream),
}

/// Who logs in through pgsieve.
#[derive(Debug, Clone)]
pub struct ProxyLogin {
    user: String,
    password: Secret,
    database: String,
    // Ours may be shown; somebody's own may not.
    password_shown: bool,
}

impl ProxyProcess {
    /// Starts pgsieve before an upstream, on its usual ports where they are free.
    ///
    /// # Errors
    /// pgsieve does not take the settings, or its addresses are taken.
    pub fn start(
        arguments: &DemoArguments,
        upstream: &ProxyUpstream,
        login: &ProxyLogin,
    ) -> Result<Self, DemoError> {
        let failed = |source| DemoError::System {
            doing: "start pgsieve",
            source,
        };
        // What takes a moment comes before the folder is made: whoever ends us then leaves none.
        let settings = upstream.settings(login).map_err(failed)?;
        let folder = new_folder()?;
        let audit = arguments
            .audit
            .clone()
            .unwrap_or_else(|| folder.join("audit.jsonl"));
        let listen = port(limits::LISTEN_PORT_USUAL)?;
        let admin = port(limits::ADMIN_PORT_USUAL)?;
        let mut given = vec![
            "serve".into(),
            "--audit".into(),
            audit.clone().into_os_string(),
        ];
        for (option, port) in [("--listen", listen), ("--admin", admin)] {
            given.extend([option.into(), format!("127.0.0.1:{port}").into()]);
        }
        if let Some(settings) = settings {
            let file = folder.join("settings.yaml");
            fs::write(&file, settings).map_err(failed)?;
            given.extend(["--config".into(), file.into_os_string()]);
        }
        if let Some(policy) = &arguments.policy {
            given.extend(["--policy".into(), policy.clone().into_os_string()]);
        }
        let program = std::env::current_exe().map_err(failed)?;
        // Passwords are no arguments: those are shown to everybody on the machine.
        let (tokens, listen_agents) = (folder.join("tokens"), port(limits::mcp::PORT_USUAL)?);
        let token = login.token(&tokens).map_err(failed)?;
        let mut environment: Vec<(&str, &str)> = match upstream {
            ProxyUpstream::Private(url) => vec![("PGSIEVE_UPSTREAM_URL", url)],
            ProxyUpstream::Named(named) => {
                given.extend(["--upstream".into(), named.address.clone().into()]);
                let password = named.password.as_ref();
                let password = password.map(|password| ("PGPASSWORD", password.reveal()));
                password.into_iter().collect()
            }
        };
        let tokens = tokens.display().to_string();
        let at = format!("127.0.0.1:{listen_agents}");
        environment.extend([
            ("PGSIEVE_MCP_LISTEN", &*at),
            ("PGSIEVE_MCP_TOKEN_FILE", &tokens),
        ]);
        let agents = AgentAccess {
            port: listen_agents,
            token,
            upstream: upstream.address().to_owned(),
        };
        let supervised =
            SupervisedChild::start(&folder, &program, &given, &environment).map_err(failed)?;
        Ok(Self {
            supervised,
            listen,
            admin,
            audit,
            agents,
        })
    }

    /// Logs in through pgsieve, as soon as it listens. May be cancelled.
    ///
    /// # Errors
    /// It does not listen in time, or turns the login down.
    pub async fn connect(&self, login: &ProxyLogin) -> Result<(Client, ServerNotices), DemoError> {
        let mut config = tokio_postgres::Config::new();
        config
            .host("127.0.0.1")
            .port(self.listen)
            .user(&login.user)
            .dbname(&login.database);
        config
            .password(login.password.reveal())
            .application_name("pgsieve demo");
        let end = Instant::now() + Duration::from_secs(limits::demo::DEMO_PROXY_SECONDS_MAX);
        loop {
            let error = match config.connect(NoTls).await {
                Ok((client, connection)) => return Ok((client, ServerNotices::of(connection))),
                Err(error) => error,
            };
            let refused = error.as_db_error().is_some();
            if refused || self.supervised.exited().is_some() || Instant::now() > end {
                let said = format!("{}{}", self.supervised.stderr(), tour_error(&error));
                return Err(DemoError::Proxy { said });
            }
            tokio::time::sleep(Duration::from_millis(limits::CLUSTER_POLL_MS)).await;
        }
    }

    /// Where its admin address is.
    pub fn admin_port(&self) -> u16 {
        self.admin
    }

    /// Says where everything is.
    ///
    /// # Errors
    /// The output cannot be written to.
    pub fn announce(&self, login: &ProxyLogin, out: &mut dyn Write) -> Result<(), DemoError> {
        let password = if login.password_shown {
            format!(":{}", login.password.reveal())
        } else {
            String::new()
        };
        let program = std::env::current_exe().unwrap_or_else(|_| "pgsieve".into());
        write_text(
            out,
            &format!(
                "\nTry it yourself, with any Postgres client:\n  \
                 psql postgres://{}{password}@127.0.0.1:{}/{}\n\n\
                 Live     http://127.0.0.1:{}/\n\
                 Metrics  http://127.0.0.1:{}/metrics\n\
                 Audit    {}\n\n\
                 And with any agent that speaks the Model Context Protocol:\n  \
                 command  {} mcp --upstream {}\n  \
                 address  http://127.0.0.1:{}/mcp\n  \
                 header   Authorization: Bearer {}\n\n",
                login.user,
                self.listen,
                login.database,
                self.admin,
                self.admin,
                self.audit.display(),
                program.display(),
                self.agents.upstream,
                self.agents.port,
                self.agents.token.reveal(),
            ),
        )
    }
}

impl ProxyUpstream {
    /// Its address, without a password that is not ours.
    fn address(&self) -> &str {
        match self {
            Self::Private(url) => url,
            Self::Named(named) => &named.address,
        }
    }

    /// The settings file that pgsieve needs before it, where it needs one.
    fn settings(&self, login: &ProxyLogin) -> io::Result<Option<String>> {
        match self {
            Self::Private(_) => login.settings().map(Some),
            Self::Named(_) => Ok(None),
        }
    }
}

impl ProxyLogin {
    /// A login of the sample's, whose password everybody may see.
    pub fn new(user: &str, password: &str, database: &str) -> Self {
        Self {
            user: user.to_owned(),
            password: Secret::new(password),
            database: database.to_owned(),
            password_shown: true,
        }
    }

    /// A token for an agent that reads as it does, whose line is in that file.
    fn token(&self, file: &Path) -> io::Result<Secret> {
        let NewToken { secret, blake3 } = NewToken::draw()?;
        let token = McpToken {
            name: "demo".to_owned(),
            blake3,
            user: self.user.clone(),
            role: Some(self.user.clone()),
            policy: None,
            database: Some(self.database.clone()),
            expires: None,
        };
        token.add_to(file)?;
        Ok(secret)
    }

    /// Its address at our own servers, which have these ports.
    pub fn url(&self, ports: &[u16]) -> String {
        let (user, password) = (&self.user, self.password.reveal());
        let hosts: Vec<String> = ports
            .iter()
            .map(|port| format!("127.0.0.1:{port}"))
            .collect();
        format!(
            "postgres://{user}:{password}@{}/{}",
            hosts.join(","),
            self.database
        )
    }

    /// Settings under which pgsieve itself proves who clients are, with it as their only user: so
    /// sessions share connections, and can move from one server to another.
    fn settings(&self) -> io::Result<String> {
        let verifier = ScramVerifier::make(&self.password);
        let verifier = verifier.map_err(|error| io::Error::other(error.to_string()))?;
        Ok(format!(
            "upstream:\n  targets: prefer-standby\nclient:\n  auth:\n    method: scram\n    users:\n      \
             - name: {}\n        verifier: {verifier}\n",
            self.user
        ))
    }

    /// A login of somebody's own, whose password nobody sees.
    pub fn of(named: &NamedUpstream) -> Self {
        let password = named.password.clone();
        Self {
            user: named.user.clone(),
            password: password.unwrap_or_else(|| Secret::new("")),
            database: named.database.clone(),
            password_shown: false,
        }
    }
}

/// A folder of its own that only this user can open.
fn new_folder() -> Result<PathBuf, DemoError> {
    let name = random_name().map_err(DemoError::Cluster)?;
    let folder = std::env::temp_dir().join(format!("pgsieve-demo-{name}"));
    let made = DirBuilder::new().mode(0o700).create(&folder);
    made.map_err(|source| DemoError::System {
        doing: "make a folder for pgsieve",
        source,
    })?;
    Ok(folder)
}

/// The usual port where it is free, or else any.
fn port(usual: u16) -> Result<u16, DemoError> {
    match TcpListener::bind(("127.0.0.1", usual)) {
        Ok(_) => Ok(usual),
        Err(_) => free_port().map_err(DemoError::Cluster),
    }
}

/// The server's own words where there are some.
fn tour_error(error: &tokio_postgres::Error) -> String {
    error
        .as_db_error()
        .map_or_else(|| error.to_string(), ToString::to_string)
}
