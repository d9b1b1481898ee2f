//! Where several copies of pgsieve count together: the address of a Valkey or Redis, and what holds
//! while it is away. Everything wrong is found when the settings are read.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;

use crate::limits::shared_counts::{DATABASE_MAX, silence_max};
use crate::secret::Secret;

/// The store of the settings.
#[derive(Clone, Debug)]
pub struct LimitsStoreSettings {
    /// Where it is.
    pub address: StoreAddress,
    /// What logs in there, if anybody has to.
    pub password: Option<Secret>,
    /// The authorities that vouch for it; those of the system if none.
    pub authority: Option<PathBuf>,
    /// What each of its keys begins with: copies with the same prefix count together.
    pub prefix: String,
    /// How often counts are exchanged.
    pub window: Duration,
    /// What holds while it is away.
    pub on_loss: StoreLoss,
}

/// Where a store is.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreAddress {
    /// The name or the IP address of its host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The number of its database.
    pub database: u32,
    /// Who logs in; the store's default user if nobody.
    pub user: Option<String>,
    /// Whether it is spoken to by TLS.
    pub transport: StoreTransport,
}

/// How a store is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreTransport {
    /// In clear.
    Clear,
    /// By TLS, and it proves who it is.
    Tls,
}

/// What holds while the store is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreLoss {
    /// Each copy counts on by itself.
    Local,
    /// What cannot be counted is refused.
    Refuse,
}

/// What is wrong with the address of a store. Holds nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreUrlProblem {
    /// It does not begin with `redis://` or `rediss://`.
    Scheme,
    /// It holds a password.
    Password,
    /// The user is no text, or empty.
    User,
    /// It names no host.
    Host,
    /// The port is no number from 1 to 65535.
    Port,
    /// What stands behind the host is no number of a database.
    Database,
}

impl LimitsStoreSettings {
    /// How long the store may say nothing before it is taken to be away.
    pub fn silence_max(&self) -> Duration {
        silence_max(self.window)
    }
}

impl StoreAddress {
    /// Reads an address: `redis://[USER@]HOST[:PORT][/DATABASE]`, and `rediss://` with TLS.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, StoreUrlProblem> {
        let (scheme, rest) = text.split_once("://").ok_or(StoreUrlProblem::Scheme)?;
        let transport = match scheme {
            "redis" | "valkey" => StoreTransport::Clear,
            "rediss" | "valkeys" => StoreTransport::Tls,
            _ => return Err(StoreUrlProblem::Scheme),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (user, place) = match authority.rsplit_once('@') {
            None => (None, authority),
            Some((login, _)) if login.contains(':') => return Err(StoreUrlProblem::Password),
            Some((user, place)) => (Some(user_of(user)?), place),
        };
        let (host, port) = host_and_port(place)?;
        let database = match path.trim_start_matches('/') {
            "" => 0,
            digits => number(digits).ok_or(StoreUrlProblem::Database)?,
        };
        let is_known = database <= DATABASE_MAX && !path.starts_with("//");
        is_known
            .then_some(Self {
                host: host.to_owned(),
                port,
                database,
                user,
                transport,
            })
            .ok_or(StoreUrlProblem::Database)
    }
}

fn user_of(text: &str) -> Result<String, StoreUrlProblem> {
    let user = percent_decode_str(text).decode_utf8();
    let user = user.map_err(|_| StoreUrlProblem::User)?;
    let is_sound = !user.is_empty() && !user.contains(char::is_control);
    is_sound
        .then(|| user.into_owned())
        .ok_or(StoreUrlProblem::User)
}

/// The two of `host`, `host:port`, `[v6]` or `[v6]:port`.
fn host_and_port(place: &str) -> Result<(&str, u16), StoreUrlProblem> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or(StoreUrlProblem::Host)?;
            let address: Result<std::net::Ipv6Addr, _> = host.parse();
            address.map_err(|_| StoreUrlProblem::Host)?;
            (host, after)
        }
        None => place.split_at(place.find(':').unwrap_or(place.len())),
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
    if host.is_empty() || !host.bytes().all(is_name) {
        return Err(StoreUrlProblem::Host);
    }
    let port = match port.strip_prefix(':') {
        None if port.is_empty() => DEFAULT_PORT,
        None => return Err(StoreUrlProblem::Port),
        Some(digits) => {
            let port = number(digits).and_then(|port| u16::try_from(port).ok());
            port.filter(|port| *port > 0).ok_or(StoreUrlProblem::Port)?
        }
    };
    Ok((host, port))
}

/// Digits and nothing else.
fn number(text: &str) -> Option<u32> {
    let are_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then(|| text.parse().ok()).flatten()
}

impl fmt::Display for StoreAddress {
    /// Without the user.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.transport {
            StoreTransport::Clear => "redis",
            StoreTransport::Tls => "rediss",
        };
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        write!(
            formatter,
            "{scheme}://{host}:{}/{}",
            self.port, self.database
        )
    }
}

impl fmt::Debug for StoreAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StoreAddress")
    }
}

impl fmt::Display for StoreUrlProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Scheme => {
                "redis://HOST:PORT/DATABASE is wanted, or rediss:// for TLS; Valkey has the same \
                 addresses"
            }
            Self::Password => "holds a password; limits.store_password_file is for that",
            Self::User => "the user before @ is no name",
            Self::Host => "names no host",
            Self::Port => "the port must be a number from 1 to 65535",
            Self::Database => "the number of a database is wanted behind the host, as in /0",
        })
    }
}

/// The port of an address that names none.
const DEFAULT_PORT: u16 = 6379;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_host_port_database_and_user() {
        for (text, shown, user) in [
            ("redis://h", "redis://h:6379/0", None),
            ("redis://h/", "redis://h:6379/0", None),
            ("valkey://h:1/15", "redis://h:1/15", None),
            ("valkeys://h", "rediss://h:6379/0", None),
            ("rediss://[fd00::1]:7", "rediss://[fd00::1]:7/0", None),
            (
                "redis://sieve@10.0.0.1:7/2",
                "redis://10.0.0.1:7/2",
                Some("sieve"),
            ),
            ("redis://a%40b@h", "redis://h:6379/0", Some("a@b")),
        ] {
            let read = StoreAddress::parse(text).unwrap();
            assert_eq!(read.to_string(), shown, "{text}");
            assert_eq!(read.user.as_deref(), user, "{text}");
            assert_eq!(format!("{read:?}"), "StoreAddress");
        }
    }

    #[test]
    fn what_is_no_address_says_why() {
        for (text, why) in [
            ("", StoreUrlProblem::Scheme),
            ("h:6379", StoreUrlProblem::Scheme),
            ("http://h", StoreUrlProblem::Scheme),
            ("redis://:secret@h", StoreUrlProblem::Password),
            ("redis://u:secret@h:1/0", StoreUrlProblem::Password),
            ("redis://@h", StoreUrlProblem::User),
            ("redis://%ff@h", StoreUrlProblem::User),
            ("redis://", StoreUrlProblem::Host),
            ("redis:///0", StoreUrlProblem::Host),
            ("redis://[h]:1", StoreUrlProblem::Host),
            ("redis://a b", StoreUrlProblem::Host),
            ("redis://h?x=1", StoreUrlProblem::Host),
            ("redis://h:0", StoreUrlProblem::Port),
            ("redis://h:+1", StoreUrlProblem::Port),
            ("redis://h:", StoreUrlProblem::Port),
            ("redis://h:70000", StoreUrlProblem::Port),
            ("redis://h/x", StoreUrlProblem::Database),
            ("redis://h/-1", StoreUrlProblem::Database),
            ("redis://h//1", StoreUrlProblem::Database),
            ("redis://h/65536", StoreUrlProblem::Database),
            ("redis://h/0?x=1", StoreUrlProblem::Database),
        ] {
            assert_eq!(StoreAddress::parse(text), Err(why), "{text}");
            assert!(!why.to_string().contains("secret"));
        }
    }

    #[test]
    fn a_store_is_away_after_some_windows_and_not_before_two_seconds() {
        let silence = |window| {
            LimitsStoreSettings {
                address: StoreAddress::parse("redis://h").unwrap(),
                password: Some(Secret::new("hunter2")),
                authority: None,
                prefix: String::new(),
                window: Duration::from_millis(window),
                on_loss: StoreLoss::Local,
            }
            .silence_max()
        };
        assert_eq!(silence(200), Duration::from_secs(2));
        assert_eq!(silence(1000), Duration::from_secs(5));
    }
}
