//! What can keep the demo from its end.

use std::fmt;
use std::io;

use super::cluster::ClusterError;
use crate::config::SettingsProblem;

/// Why the demo ended early.
#[derive(Debug)]
pub enum DemoError {
    /// There is no private Postgres.
    Cluster(ClusterError),
    /// The sample could not be loaded into our own Postgres.
    Sample {
        /// What went wrong.
        source: tokio_postgres::Error,
    },
    /// The upstream is named wrongly: everything that is wrong, without what stands there, which
    /// may be a password.
    Upstream(Vec<SettingsProblem>),
    /// It is named without a user.
    NoUser,
    /// Something of this machine was in the way.
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// pgsieve did not start, or nobody could log in through it.
    Proxy {
        /// What it said.
        said: String,
    },
    /// A step of the tour did not come out as it must.
    Tour {
        /// The title of the step.
        step: &'static str,
        /// What happened instead.
        what: String,
    },
}

impl fmt::Display for DemoError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cluster(error) => error.fmt(out),
            Self::Sample { source } => write!(out, "cannot load the sample: {source}"),
            Self::Upstream(problems) => {
                let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
                out.write_str(&told.join("\n"))
            }
            Self::NoUser => out.write_str(
                "--upstream: names no user: postgres://user:password@host:port/database, or PGUSER",
            ),
            Self::System { doing, source } => write!(out, "cannot {doing}: {source}"),
            Self::Proxy { said } => write!(out, "pgsieve did not answer:\n{said}"),
            Self::Tour { step, what } => write!(out, "the tour went wrong at \"{step}\": {what}"),
        }
    }
}

impl std::error::Error for DemoError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Cluster(error) => Some(error),
            Self::Sample { source } => Some(source),
            Self::System { source, .. } => Some(source),
            Self::Upstream(_) | Self::NoUser | Self::Proxy { .. } | Self::Tour { .. } => None,
        }
    }
}
