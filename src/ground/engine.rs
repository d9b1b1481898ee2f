//! The engines that speak the protocol: Postgres, what is made of it, and what only looks like it.

use crate::words;

words! {
    /// What is behind the address of an upstream.
    #[derive(Default)]
    Engine {
        /// PostgreSQL, and what its own extensions make of it.
        #[default]
        Postgres => "postgres",
        /// PostgreSQL with the extension Citus: tables lie at several servers.
        Citus => "citus",
        /// CockroachDB: another program, with a grammar and a lexer of its own.
        CockroachDb => "cockroachdb",
        /// YugabyteDB: PostgreSQL above a storage of its own.
        YugabyteDb => "yugabytedb",
        /// Amazon Aurora: PostgreSQL whose servers share their storage.
        Aurora => "aurora",
        /// Amazon Redshift: made of PostgreSQL 8.0.
        Redshift => "redshift",
    }
}

/// Who cuts the texts of statements into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineLexer {
    /// Postgres's own code.
    Postgres,
    /// Code of the engine's own: what it takes for a literal or a comment may be something else to
    /// Postgres.
    Own,
}

impl Engine {
    /// What its makers call it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Citus => "Citus",
            Self::CockroachDb => "CockroachDB",
            Self::YugabyteDb => "YugabyteDB",
            Self::Aurora => "Amazon Aurora",
            Self::Redshift => "Amazon Redshift",
        }
    }

    /// Who cuts texts into tokens there.
    pub const fn lexer(self) -> EngineLexer {
        match self {
            Self::Postgres | Self::Citus | Self::YugabyteDb | Self::Aurora => EngineLexer::Postgres,
            Self::CockroachDb | Self::Redshift => EngineLexer::Own,
        }
    }
}
