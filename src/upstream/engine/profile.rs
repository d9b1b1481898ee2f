//! What holds at each engine: one row each.
//!
//! What is said here of an engine that is not at hand is what its documentation, its source and the
//! fixtures of its drivers say; `docker/README.md` says of each how it was tried. Where these leave
//! a doubt, the row has the stricter word.

use crate::engine::{Engine, EngineLexer};

/// What holds at an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineProfile {
    /// The engine.
    pub engine: Engine,
    /// By what it is told from the others.
    pub sign: &'static str,
    /// Whether it is served at all.
    pub service: EngineService,
    /// Whether its catalogs answer the questions of a snapshot.
    pub catalog: CatalogAnswers,
    /// Which server of it a session is at, and what is asked for that.
    pub identity: IdentityAnswers,
    /// What tells whether a server is a standby.
    pub role: RoleAnswers,
    /// Whether a connection tells what was set in it, so that sessions can share it.
    pub set_values: SetValueAnswers,
}

/// Whether an engine is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineService {
    /// Its sessions are read-only by the settings that they begin with.
    Served,
    /// No session of it can be: why, as the end of a sentence.
    Refused(&'static str),
}

/// Whether catalogs answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogAnswers {
    /// As Postgres's do.
    Answered,
    /// They are not asked: why, as the end of a sentence.
    Unasked(&'static str),
}

/// Whether a server tells which one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityAnswers {
    /// As Postgres does.
    Answered,
    /// It is not asked.
    Unasked,
}

/// How it is found out whether a server is a standby, and how far behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleAnswers {
    /// By Postgres's functions of recovery, positions in the log among them.
    Recovery,
    /// By Aurora's status of its readers. There are no positions.
    AuroraStatus,
    /// There are no standbys: every server takes all there is.
    AllAlike,
}

/// Whether a connection tells what was set in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetValueAnswers {
    /// By the source of each row of `pg_settings`.
    Told,
    /// It does not.
    Untold,
}

impl EngineProfile {
    /// The row of an engine.
    pub const fn of(engine: Engine) -> &'static Self {
        match engine {
            Engine::Postgres => &POSTGRES,
            Engine::Citus => &CITUS,
            Engine::CockroachDb => &COCKROACHDB,
            Engine::YugabyteDb => &YUGABYTEDB,
            Engine::Aurora => &AURORA,
            Engine::Redshift => &REDSHIFT,
        }
    }

    /// Whether it is served.
    pub fn is_served(&self) -> bool {
        self.service == EngineService::Served
    }

    /// Why its catalog is not read; none where it is.
    pub fn unread_catalog(&self) -> Option<String> {
        match self.catalog {
            CatalogAnswers::Answered => None,
            CatalogAnswers::Unasked(why) => Some(format!(
                "that of {} is not read, {why}",
                self.engine.title()
            )),
        }
    }

    /// What of it does not hold as at a Postgres; none where all does.
    pub fn difference(&self) -> Option<String> {
        let usual = POSTGRES.guarantees();
        let own = self.guarantees().into_iter();
        let others: Vec<String> = own.filter(|line| !usual.contains(line)).collect();
        (!others.is_empty()).then(|| others.join("; "))
    }

    /// What the guarantees rest on there, a sentence each.
    pub fn guarantees(&self) -> Vec<String> {
        if let EngineService::Refused(why) = self.service {
            return vec![format!("not served: {why}")];
        }
        let read_only = "read-only: default_transaction_read_only from the startup packet on, \
                         shown by the server before a client hears anything";
        let texts = match self.engine.lexer() {
            EngineLexer::Postgres => "texts: read by Postgres's own lexer and grammar",
            EngineLexer::Own => {
                "texts: read by the engine's own lexer; what it could read otherwise than \
                 Postgres is refused (rule engine_syntax)"
            }
        };
        let names = match self.catalog {
            CatalogAnswers::Answered => "names: seen through the catalog".to_owned(),
            CatalogAnswers::Unasked(why) => format!(
                "names: not seen, {why}; views, casts and overloads are judged by their names alone"
            ),
        };
        let role = match self.role {
            RoleAnswers::Recovery => "standbys: told by pg_is_in_recovery() and its positions",
            RoleAnswers::AuroraStatus => {
                "standbys: told by aurora_replica_status(); no positions for pgsieve.min_lsn"
            }
            RoleAnswers::AllAlike => "standbys: none, every server counts as a primary",
        };
        let pool = match self.set_values {
            SetValueAnswers::Told => "pool.mode: session or transaction",
            SetValueAnswers::Untold => {
                "pool.mode: session alone, since a connection does not tell what was set in it"
            }
        };
        vec![
            read_only.to_owned(),
            texts.to_owned(),
            names,
            role.to_owned(),
            pool.to_owned(),
        ]
    }
}

const POSTGRES: EngineProfile = EngineProfile {
    engine: Engine::Postgres,
    sign: "no sign of another engine",
    service: EngineService::Served,
    catalog: CatalogAnswers::Answered,
    identity: IdentityAnswers::Answered,
    role: RoleAnswers::Recovery,
    set_values: SetValueAnswers::Told,
};

const CITUS: EngineProfile = EngineProfile {
    engine: Engine::Citus,
    sign: "its extension, or its settings",
    ..POSTGRES
};

/// A connection's `pg_settings` has no source of a value, and nothing tells one run of a server
/// from the next. Its catalogs have `pg_catalog`'s names and not its contents: what `pg_proc` has
/// of a function does not say what it runs.
const COCKROACHDB: EngineProfile = EngineProfile {
    engine: Engine::CockroachDb,
    sign: "crdb_version among its parameters",
    service: EngineService::Served,
    catalog: CatalogAnswers::Unasked("since its pg_catalog does not tell what functions run"),
    identity: IdentityAnswers::Unasked,
    role: RoleAnswers::AllAlike,
    set_values: SetValueAnswers::Untold,
};

/// Rows of its catalogs do not name the transaction that wrote them: nobody could tell when a
/// snapshot has grown old.
const YUGABYTEDB: EngineProfile = EngineProfile {
    engine: Engine::YugabyteDb,
    sign: "-YB- in its server_version",
    service: EngineService::Served,
    catalog: CatalogAnswers::Unasked("since its catalogs do not tell when they have changed"),
    identity: IdentityAnswers::Answered,
    role: RoleAnswers::AllAlike,
    set_values: SetValueAnswers::Told,
};

const AURORA: EngineProfile = EngineProfile {
    engine: Engine::Aurora,
    sign: "aurora_stat_utils among rds.extensions",
    role: RoleAnswers::AuroraStatus,
    ..POSTGRES
};

const REDSHIFT: EngineProfile = EngineProfile {
    engine: Engine::Redshift,
    sign: "padb_version among its parameters, or server_version 8.0.2",
    service: EngineService::Refused(
        "no setting that is documented makes its sessions read-only, and a backslash escapes in \
         its literals",
    ),
    catalog: CatalogAnswers::Unasked("since it is not served"),
    identity: IdentityAnswers::Unasked,
    role: RoleAnswers::AllAlike,
    set_values: SetValueAnswers::Untold,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_has_its_own_row_and_its_own_sign() {
        for engine in Engine::ALL {
            let profile = EngineProfile::of(*engine);
            assert_eq!(profile.engine, *engine);
            let alike = Engine::ALL
                .iter()
                .filter(|other| EngineProfile::of(**other).sign == profile.sign);
            assert_eq!(alike.count(), 1, "{engine:?}");
        }
    }

    #[test]
    fn what_differs_from_a_postgres_is_told() {
        for engine in Engine::ALL {
            let told = EngineProfile::of(*engine).difference();
            let is_alike = matches!(engine, Engine::Postgres | Engine::Citus);
            assert_eq!(told.is_none(), is_alike, "{engine:?}: {told:?}");
        }
        let told = EngineProfile::of(Engine::Redshift).difference().unwrap();
        assert!(told.starts_with("not served: "), "{told}");
    }

    #[test]
    fn what_reads_texts_by_itself_is_seen_by_no_catalog_and_shares_no_connections() {
        for engine in Engine::ALL {
            let profile = EngineProfile::of(*engine);
            if engine.lexer() == EngineLexer::Own {
                assert!(
                    matches!(profile.catalog, CatalogAnswers::Unasked(_)),
                    "{engine:?}"
                );
                assert_eq!(profile.set_values, SetValueAnswers::Untold, "{engine:?}");
            }
            assert!(profile.guarantees().iter().all(|line| line.len() < 200));
        }
    }
}
