//! What an address begins with that is none of Postgres: other programs' ways to write one. Shows
//! only schemes that are known, for anything may stand in the place of an address.

use std::fmt;

/// The beginning of an address that is not `postgres://`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressScheme {
    /// None: a host, say.
    Absent,
    /// The words of libpq: `host=… dbname=…`.
    KeyWords,
    /// That of a Postgres, with the name of a driver in it.
    Driver(&'static str),
    /// That of something else.
    Other(&'static str),
    /// One that is not known.
    Unknown,
}

impl AddressScheme {
    /// That of an address.
    pub fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let begins = |scheme: &&&str| lower.starts_with(**scheme);
        if let Some(driver) = DRIVERS.iter().find(begins) {
            return Self::Driver(driver);
        }
        if let Some(other) = OTHERS.iter().find(begins) {
            return Self::Other(other);
        }
        let is_word = |word: &str| KEY_WORDS.iter().any(|key| word.starts_with(key));
        if lower.split_whitespace().any(is_word) {
            return Self::KeyWords;
        }
        match lower.contains("://") {
            true => Self::Unknown,
            false => Self::Absent,
        }
    }
}

impl fmt::Display for AddressScheme {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("must start with postgres://")?;
        match self {
            Self::Absent | Self::Unknown => {
                formatter.write_str(", as postgres://user@host:port/database")
            }
            Self::KeyWords => formatter.write_str(
                ": libpq's key=value words are written as postgres://user@host:port/database",
            ),
            Self::Driver(scheme) => write!(
                formatter,
                " and not with {scheme}, which names a driver: leave the driver out, as \
                 postgres://user@host:port/database"
            ),
            Self::Other(scheme) => write!(
                formatter,
                " and not with {scheme}: pgsieve stands before a PostgreSQL, as \
                 postgres://user@host:port/database"
            ),
        }
    }
}

/// The schemes of drivers, the longer of two with one beginning first.
const DRIVERS: &[&str] = &[
    "jdbc:postgresql:",
    "jdbc:pgsql:",
    "r2dbc:postgresql:",
    "r2dbc:pool:postgresql:",
    "postgresql+asyncpg:",
    "postgresql+psycopg_async:",
    "postgresql+psycopg2cffi:",
    "postgresql+psycopg2:",
    "postgresql+psycopg:",
    "postgresql+pg8000:",
    "postgresql+pygresql:",
    "postgres+asyncpg:",
    "postgres+psycopg2:",
    "postgres+psycopg:",
    "postgis:",
    "prisma+postgres:",
    "ecto:",
    "pgsql:",
    "pg:",
];

/// The schemes of other things.
const OTHERS: &[&str] = &[
    "mysql:",
    "mysql+",
    "mariadb:",
    "mongodb:",
    "mongodb+",
    "redis:",
    "sqlite:",
    "sqlserver:",
    "mssql:",
    "oracle:",
    "cockroachdb:",
    "clickhouse:",
    "https:",
    "http:",
    "tcp:",
    "file:",
];

/// The words of libpq that connection strings begin with.
const KEY_WORDS: &[&str] = &[
    "host=",
    "hostaddr=",
    "port=",
    "user=",
    "dbname=",
    "service=",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_schemes_are_named_and_others_are_not_shown() {
        for (text, wanted) in [
            (
                "postgresql+asyncpg://a",
                AddressScheme::Driver("postgresql+asyncpg:"),
            ),
            (
                "postgresql+psycopg2://a",
                AddressScheme::Driver("postgresql+psycopg2:"),
            ),
            (
                "JDBC:postgresql://a",
                AddressScheme::Driver("jdbc:postgresql:"),
            ),
            ("mysql://a", AddressScheme::Other("mysql:")),
            ("host=a dbname=b", AddressScheme::KeyWords),
            ("127.0.0.1:5432/x", AddressScheme::Absent),
            ("hunter2://x", AddressScheme::Unknown),
        ] {
            assert_eq!(AddressScheme::of(text), wanted, "{text}");
            assert!(AddressScheme::of(text).to_string().contains("postgres://"));
        }
        assert!(
            !AddressScheme::of("hunter2://x")
                .to_string()
                .contains("hunter2")
        );
    }
}
