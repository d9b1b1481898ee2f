//! The way to the store of limits, and one exchange over it: one round trip for all users that are
//! told of, however many.
//!
//! Commands go over sockets and TLS of pgsieve's own. What goes wrong is told without the address,
//! keys or what the store says beyond the name of its error.

use std::fmt;
use std::io;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ErrorKind, Pipeline, RedisConnectionInfo, RedisError};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::limits;
use crate::limits::shared_counts::{ENTRIES_PER_CALL, KEPT};
use crate::net::pem::TlsSetupError;
use crate::net::tls_failure;
use crate::net::upstream_tls::{ClientCertificate, TlsAuthority, UpstreamTls, UpstreamTlsSettings};
use crate::session::policy_limits::limits_store::{LimitsStoreSettings, StoreTransport};
use crate::session::policy_limits::per_user::exchange::{CountReport, SharedCounts};
use crate::telemetry::labels::TlsFailure;

/// Where the store is, and what logs in there.
pub struct StoreLink {
    settings: LimitsStoreSettings,
    tls: UpstreamTls,
}

/// A connection to the store. What drives it ends with the value.
pub struct StoreConnection {
    commands: MultiplexedConnection,
    driver: JoinHandle<()>,
}

/// Why the store has not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreFault {
    /// Its host was not found.
    UnknownHost(io::ErrorKind),
    /// Nobody takes a connection there.
    Unreachable(io::ErrorKind),
    /// It took longer than it may.
    TimedOut,
    /// It did not prove who it is, or TLS failed otherwise.
    Handshake(TlsFailure),
    /// It does not let pgsieve in.
    Login,
    /// It refuses, with an error of that name.
    Refused(String),
    /// The connection broke off.
    BrokenOff,
    /// Its answer is none.
    Answer,
}

impl StoreLink {
    /// Reads the authorities.
    ///
    /// # Errors
    /// They cannot be read, or the host cannot stand in a certificate.
    pub fn load(settings: LimitsStoreSettings) -> Result<Self, TlsSetupError> {
        let authority = settings.authority.clone();
        let authority = authority.map_or(TlsAuthority::System, TlsAuthority::File);
        let wanted = match settings.address.transport {
            StoreTransport::Clear => UpstreamTlsSettings::Disable,
            StoreTransport::Tls => {
                UpstreamTlsSettings::VerifyFull(authority, ClientCertificate::Absent)
            }
        };
        let tls = UpstreamTls::load(&wanted, &settings.address.host)?;
        Ok(Self { settings, tls })
    }

    /// What was set.
    pub(super) fn settings(&self) -> &LimitsStoreSettings {
        &self.settings
    }

    /// Connects and logs in. May be cancelled.
    ///
    /// # Errors
    /// Why that did not succeed.
    pub async fn connect(&self) -> Result<StoreConnection, StoreFault> {
        let address = &self.settings.address;
        let socket = connect(&address.host, address.port).await?;
        // One small packet in a while: nothing is gained by waiting for another.
        let set = socket.set_nodelay(true);
        set.map_err(|error| StoreFault::Unreachable(error.kind()))?;
        let mut login = RedisConnectionInfo::default()
            .set_db(i64::from(address.database))
            .set_skip_set_lib_name();
        if let Some(user) = &address.user {
            login = login.set_username(user);
        }
        if let Some(password) = &self.settings.password {
            login = login.set_password(password.reveal());
        }
        match &self.tls {
            UpstreamTls::Disable => StoreConnection::over(socket, &login).await,
            UpstreamTls::Required { connector, name } => {
                let stream = connector.connect(name.clone(), socket).await;
                let failed = |error| StoreFault::Handshake(tls_failure::cause(&error));
                StoreConnection::over(stream.map_err(failed)?, &login).await
            }
        }
    }

    /// Connects, logs in and says one word.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn look(&self) -> Result<(), StoreFault> {
        let looked = async {
            let mut connection = self.connect().await?;
            connection.exchange((&self.settings.prefix, ""), &[]).await
        };
        let time = limits::shared_counts::EXCHANGE_TIME_MAX;
        match tokio::time::timeout(time, looked).await {
            Ok(looked) => looked.map(drop),
            Err(_elapsed) => Err(StoreFault::TimedOut),
        }
    }
}

impl StoreConnection {
    async fn over<S>(stream: S, login: &RedisConnectionInfo) -> Result<Self, StoreFault>
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        // Whoever asks has a clock.
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let made = MultiplexedConnection::new_with_config(login, stream, config).await;
        let (commands, driver) = made.map_err(|error| StoreFault::of(&error))?;
        Ok(Self {
            commands,
            driver: tokio::spawn(driver),
        })
    }

    /// Tells what this copy has counted, and hears what all have. May be cancelled: the connection
    /// is of no use then, and what the store has taken counts once all the same.
    ///
    /// # Errors
    /// It was not told, or nothing was heard.
    pub async fn exchange(
        &mut self,
        (prefix, copy): (&str, &str),
        reports: &[CountReport],
    ) -> Result<Vec<SharedCounts>, StoreFault> {
        let mut commands = Pipeline::new();
        for reports in reports.chunks(ENTRIES_PER_CALL) {
            call(&mut commands, (prefix, copy), reports);
        }
        if reports.is_empty() {
            commands.cmd("PING").ignore();
        }
        let answers: Vec<Vec<u64>> = commands
            .query_async(&mut self.commands)
            .await
            .map_err(|error| StoreFault::of(&error))?;
        let numbers: Vec<u64> = answers.into_iter().flatten().collect();
        let (answers, rest) = numbers.as_chunks::<6>();
        let shared =
            answers
                .iter()
                .map(
                    |[rows, bytes, seconds_us, days_us, connections, running]| SharedCounts {
                        rows: *rows,
                        bytes: *bytes,
                        seconds_us: *seconds_us,
                        days_us: *days_us,
                        connections_elsewhere: u32::try_from(*connections).unwrap_or(u32::MAX),
                        running_elsewhere: u32::try_from(*running).unwrap_or(u32::MAX),
                    },
                );
        let shared: Vec<SharedCounts> = shared.collect();
        let is_whole = rest.is_empty() && shared.len() == reports.len();
        is_whole.then_some(shared).ok_or(StoreFault::Answer)
    }
}

/// Has the script run for these users.
fn call(commands: &mut Pipeline, (prefix, copy): (&str, &str), reports: &[CountReport]) {
    let keys = reports.len().saturating_mul(3);
    let command = commands.cmd("EVAL").arg(SCRIPT).arg(keys);
    for report in reports {
        let digest = digest(report);
        for day in [report.used.day, report.used.day.saturating_sub(1)] {
            command.arg(format!("{prefix}{day}:{digest}"));
        }
        command.arg(format!("{prefix}now:{digest}"));
    }
    let holds = reports.first().map_or(0, |report| report.holds.as_millis());
    let holds = u64::try_from(holds).unwrap_or(u64::MAX);
    command.arg(copy).arg(KEPT.as_secs()).arg(holds);
    for report in reports {
        command.arg(report.number);
        command.arg(report.used.rows).arg(report.used.bytes);
        for bucket in [&report.seconds, &report.days] {
            command.arg(bucket.taken_us).arg(bucket.confirmed_us);
            command.arg(bucket.new_us_max).arg(bucket.full_in_us);
        }
        command.arg(report.connections).arg(report.running);
    }
}

/// The name of a policy and a user in the store, which nobody reads a user out of.
fn digest(report: &CountReport) -> String {
    let (policy, user) = report.of();
    let mut hasher = blake3::Hasher::new_derive_key(NAMED);
    let length = u64::try_from(policy.len()).unwrap_or(u64::MAX);
    hasher.update(&length.to_be_bytes());
    hasher.update(policy.as_bytes()).update(user.as_bytes());
    let digest = hasher.finalize();
    let half: Vec<u8> = digest.as_bytes().iter().copied().take(16).collect();
    crate::hex::digits(&half)
}

/// Tries the addresses of the host in their order; the last fault is told.
async fn connect(host: &str, port: u16) -> Result<TcpStream, StoreFault> {
    let found = tokio::net::lookup_host((host, port)).await;
    let found = found.map_err(|error| StoreFault::UnknownHost(error.kind()))?;
    let mut fault = StoreFault::UnknownHost(io::ErrorKind::NotFound);
    for address in found.take(limits::UPSTREAM_ADDRESSES_MAX) {
        match TcpStream::connect(address).await {
            Ok(socket) => return Ok(socket),
            Err(error) => fault = StoreFault::Unreachable(error.kind()),
        }
    }
    Err(fault)
}

impl Drop for StoreConnection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl StoreFault {
    fn of(error: &RedisError) -> Self {
        match error.kind() {
            ErrorKind::Io => Self::BrokenOff,
            ErrorKind::AuthenticationFailed => Self::Login,
            _ => match error.code() {
                Some(LOGIN_REFUSED | LOGIN_MISSING) => Self::Login,
                Some(code) => Self::Refused(shown(code)),
                None => Self::Answer,
            },
        }
    }
}

/// The name of an error of the store: capitals, and nothing that could be of a user.
fn shown(code: &str) -> String {
    let capitals = code.chars().filter(char::is_ascii_uppercase);
    capitals.take(ERROR_NAME_CHARS_MAX).collect()
}

impl fmt::Display for StoreFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownHost(_) => formatter.write_str("the name of the host is not known"),
            Self::Unreachable(kind) => write!(formatter, "nobody answers: {kind}"),
            Self::TimedOut => formatter.write_str("no answer in time"),
            Self::Handshake(failure) => {
                write!(formatter, "TLS handshake: {}", tls_failure::words(*failure))
            }
            Self::Login => formatter.write_str(
                "it does not let pgsieve in: the user of limits.store and \
                 limits.store_password_file have to fit",
            ),
            Self::Refused(name) => write!(formatter, "it refuses with {name}"),
            Self::BrokenOff => formatter.write_str("the connection broke off"),
            Self::Answer => formatter.write_str("its answer is none of a Valkey or Redis"),
        }
    }
}

impl std::error::Error for StoreFault {}

impl fmt::Debug for StoreLink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "StoreLink({:?})", self.settings)
    }
}

/// Brings together what copies have counted, in one step that nobody sees half.
const SCRIPT: &str = include_str!("exchange.lua");

/// What the digests of names are of.
const NAMED: &str = "pgsieve 2026 limits store: policy and user";

/// Errors of the store about a login.
const LOGIN_REFUSED: &str = "WRONGPASS";
const LOGIN_MISSING: &str = "NOAUTH";

/// The longest name of an error that is shown.
const ERROR_NAME_CHARS_MAX: usize = 20;
