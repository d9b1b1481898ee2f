//! Whether the server is a standby, and how far behind: asked beside the check of the catalog, on
//! the same session.
//!
//! A standby that receives and has replayed all of it is up to date, however long nothing was
//! written. In all other cases the last transaction that it has replayed tells how old its rows
//! are: so does one that is cut off from its primary grow old.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::limits;
use crate::lsn::Lsn;
use crate::telemetry::counters::upstream_metrics::ServerRole;
use crate::upstream::account::{OwnSessionError, UpstreamAccount};
use crate::upstream::connect::Upstream;
use crate::upstream::engine::profile::RoleAnswers;
use crate::upstream::snapshot;

/// A session of pgsieve's own that asks nothing else.
pub struct RoleSession {
    client: Client,
    answers: RoleAnswers,
    _connection: JoinHandle<()>,
}

impl RoleSession {
    /// Logs in.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// The same as of [`snapshot::connect`].
    pub async fn open(
        upstream: &Upstream,
        account: &UpstreamAccount,
        database: &str,
    ) -> Result<Self, OwnSessionError> {
        let (client, connection) = snapshot::connect(upstream, account, database).await?;
        Ok(Self {
            client,
            answers: role_answers(upstream),
            _connection: connection,
        })
    }

    /// Asks what the server is, and what it has replayed where it is a standby. None where that
    /// cannot be said, or the session is lost. May be cancelled.
    pub async fn role(&self) -> Option<(ServerRole, Option<Lsn>)> {
        ask(&self.client, self.answers).await
    }
}

/// Asks. None where it cannot be said: the server may be no Postgres.
///
/// May be cancelled: the connection reads the answer away.
pub(super) async fn server_role(client: &Client, answers: RoleAnswers) -> Option<ServerRole> {
    let (role, _) = ask(client, answers).await?;
    Some(role)
}

/// How the server tells what it is.
pub(super) fn role_answers(upstream: &Upstream) -> RoleAnswers {
    let profile = upstream.profile();
    profile.map_or(RoleAnswers::Recovery, |profile| profile.role)
}

async fn ask(client: &Client, answers: RoleAnswers) -> Option<(ServerRole, Option<Lsn>)> {
    let question = match answers {
        RoleAnswers::Recovery => QUESTION,
        RoleAnswers::AuroraStatus => OF_AURORA,
        RoleAnswers::AllAlike => OF_ALL_ALIKE,
    };
    let asking = client.simple_query(question);
    let said = timeout(limits::CATALOG_CHECK_TIME_MAX, asking).await;
    let messages = said.ok()?.ok()?;
    messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => {
            let role = read(row.get(0), row.get(1))?;
            Some((role, row.get(2).and_then(Lsn::of)))
        }
        _ => None,
    })
}

fn read(is_standby: Option<&str>, lag: Option<&str>) -> Option<ServerRole> {
    match is_standby? {
        "f" => Some(ServerRole::Primary),
        "t" => {
            let seconds = lag.and_then(|lag| lag.parse().ok());
            let lag = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            Some(ServerRole::Standby(lag))
        }
        _ => None,
    }
}

/// Everybody may ask; of the receiver they see no more than whether there is one.
const QUESTION: &str = "\
    SELECT pg_catalog.pg_is_in_recovery(), CASE \
        WHEN NOT pg_catalog.pg_is_in_recovery() THEN 0 \
        WHEN pg_catalog.pg_last_wal_receive_lsn() \
                OPERATOR(pg_catalog.<=) pg_catalog.pg_last_wal_replay_lsn() \
            AND EXISTS (SELECT FROM pg_catalog.pg_stat_wal_receiver WHERE pid IS NOT NULL) THEN 0 \
        ELSE GREATEST(0, EXTRACT(epoch FROM pg_catalog.clock_timestamp() \
            OPERATOR(pg_catalog.-) pg_catalog.pg_last_xact_replay_timestamp())) END, \
        CASE WHEN pg_catalog.pg_is_in_recovery() \
            THEN pg_catalog.pg_last_wal_replay_lsn() END";

/// Aurora's readers share the storage of its writer and replay nothing: Postgres's functions of
/// positions are refused there. The lag is that of the reader's cache. Names are looked up in
/// pg_catalog alone.
///
/// <https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/aurora_replica_status.html>
const OF_AURORA: &str = "\
    SELECT pg_catalog.pg_is_in_recovery(), CASE \
        WHEN NOT pg_catalog.pg_is_in_recovery() THEN 0 \
        ELSE (SELECT GREATEST(0, r.replica_lag_in_msec / 1000.0) FROM aurora_replica_status() r \
            WHERE r.server_id = aurora_db_instance_identifier()) END, NULL";

/// Where every server is a primary there is nothing to ask but whether it answers.
const OF_ALL_ALIKE: &str = "SELECT 'f', '0', NULL";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_understood_is_not_known() {
        let lag = |seconds| Some(ServerRole::Standby(Some(Duration::from_secs_f64(seconds))));
        assert_eq!(read(Some("t"), Some("0")), lag(0.0));
        assert_eq!(read(Some("t"), Some("12.5")), lag(12.5));
        assert_eq!(read(Some("f"), Some("0")), Some(ServerRole::Primary));
        assert_eq!(read(Some("t"), None), Some(ServerRole::Standby(None)));
        assert_eq!(read(Some("t"), Some("-1")), Some(ServerRole::Standby(None)));
        assert_eq!(
            read(Some("t"), Some("inf")),
            Some(ServerRole::Standby(None))
        );
        assert_eq!(read(Some("x"), Some("0")), None);
        assert_eq!(read(None, None), None);
    }
}
