//! What is wrong with an address, and how that is said.

use std::fmt;

use crate::limits;
use crate::upstream::address::scheme::AddressScheme;

/// What is wrong with an address. Holds names of parameters, never their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressProblem {
    /// It does not start with `postgres://` or `postgresql://`.
    NotAnAddress(AddressScheme),
    /// It names no host.
    NoHost,
    /// It names more than one host where one is wanted, or in the parameter `host`.
    SeveralHosts,
    /// It names more hosts than pgsieve keeps in sight.
    TooManyHosts,
    /// `target_session_attrs` has a value that is not known; the one that was probably meant.
    Targets(Option<&'static str>),
    /// The port is not a number from 1 to 65535.
    Port,
    /// An `@` comes after the end of the host: a sign of the password ended it.
    CutShort,
    /// A `%` escape is broken, or not UTF-8, or stands for a NUL.
    Escape(&'static str),
    /// A parameter that is not known here; its name only where it is one of libpq's, because a
    /// password that was not escaped may end up in this place.
    UnknownParameter(Option<&'static str>),
    /// A parameter without a value.
    NoValue,
    /// The same thing said twice.
    Repeated(&'static str),
    /// `sslmode` has a value that is not known; the one that was probably meant.
    SslMode(Option<&'static str>),
    /// `sslmode=prefer` or `allow`: they fall back to a connection in clear without a word.
    SslModeFallsBack,
    /// `verify-ca` or `verify-full` without `sslrootcert`.
    NoAuthority,
    /// `sslcert` without `sslkey`, or the other way round.
    HalfCertificate,
    /// Certificates are named and TLS is off.
    FilesWithoutTls,
}

impl fmt::Display for AddressProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnAddress(scheme) => scheme.fmt(formatter),
            Self::NoHost => {
                formatter.write_str("names no host: postgres://user@host:port/database is wanted")
            }
            Self::SeveralHosts => formatter.write_str(SEVERAL_HOSTS),
            Self::TooManyHosts => write!(
                formatter,
                "names more than {} hosts",
                limits::upstreams::SERVERS_MAX
            ),
            Self::Targets(meant) => {
                formatter.write_str(
                    "target_session_attrs must be any, primary, standby or prefer-standby",
                )?;
                match meant {
                    Some(meant) => write!(formatter, "; did you mean {meant}?"),
                    None => Ok(()),
                }
            }
            Self::Port => formatter.write_str("the port must be a number from 1 to 65535"),
            Self::CutShort => formatter.write_str(CUT_SHORT),
            Self::Escape(place) => write!(
                formatter,
                "broken % escape in the {place}: write a % that stands for itself as %25"
            ),
            Self::UnknownParameter(Some(name)) => {
                write!(
                    formatter,
                    "parameter `{name}` has no meaning for pgsieve: leave it out"
                )?;
                match *name {
                    "ssl" | "requiressl" => formatter.write_str(", and say sslmode=require"),
                    _ => Ok(()),
                }
            }
            Self::UnknownParameter(None) => formatter.write_str(
                "a parameter is not known; a ? in a password is written as %3F, a & as %26",
            ),
            Self::NoValue => formatter.write_str("a parameter has no value"),
            Self::Repeated(name) => write!(formatter, "the {name} is given twice"),
            Self::SslMode(meant) => {
                formatter
                    .write_str("sslmode must be disable, require, verify-ca or verify-full")?;
                match meant {
                    Some(meant) => write!(formatter, "; did you mean {meant}?"),
                    None => Ok(()),
                }
            }
            Self::SslModeFallsBack => formatter.write_str(
                "sslmode=prefer and allow may go on in clear: use disable, require or verify-full",
            ),
            Self::NoAuthority => formatter.write_str(
                "verify-ca and verify-full need sslrootcert=FILE, or =system; in settings, \
                     upstream.tls.root_certificate",
            ),
            Self::HalfCertificate => formatter.write_str("sslcert and sslkey need each other"),
            Self::FilesWithoutTls => {
                formatter.write_str("certificates are named but TLS is off: set sslmode")
            }
        }
    }
}

impl std::error::Error for AddressProblem {}

/// What is said where one host is wanted.
const SEVERAL_HOSTS: &str = "names more than one host, where one is wanted; the settings of a \
                             server take several, as postgres://one:5432,two:5432/database";

/// What is said where a sign of the password has ended the host.
const CUT_SHORT: &str = "an @ comes behind the host: in user and password write / as %2F, ? as %3F \
                         and @ as %40";
