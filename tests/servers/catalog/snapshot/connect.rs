//! The connection for the catalogs: read-only, of an ordinary role, and silent about secrets.

use std::sync::Arc;

use pgsieve::secret::Secret;
use pgsieve::upstream::address::UpstreamSettings;
use pgsieve::upstream::connect::Upstream;
use pgsieve::upstream::identity::IdentityQuery;
use pgsieve::upstream::snapshot::{self, LoadError, OwnSessionError, UpstreamAccount};
use tokio_postgres::error::SqlState;

use crate::catalog::snapshot::support::{Database, READER, VERSIONS};
use crate::support::sql::rows;

#[tokio::test]
async fn the_session_is_what_it_should_be() {
    for version in [15, 18] {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let client = database.catalog().await;
        for (setting, value) in [
            ("default_transaction_read_only", "on"),
            ("transaction_read_only", "on"),
            ("search_path", "pg_catalog"),
            ("application_name", "pgsieve catalog"),
            ("client_encoding", "UTF8"),
            ("statement_timeout", "30s"),
            ("lock_timeout", "5s"),
        ] {
            let shown = rows(&client, &format!("SHOW {setting}")).await;
            assert_eq!(shown, [[value]], "{setting}");
        }
        let written = client.batch_execute("CREATE TABLE never (id int)").await;
        let code = written.unwrap_err().code().cloned();
        assert_eq!(code, Some(SqlState::READ_ONLY_SQL_TRANSACTION));
    }
}

#[tokio::test]
async fn whoever_may_not_in_is_told_so_without_a_secret() {
    let Some(database) = Database::new(15).await else {
        return;
    };
    let (port, name) = (database.cluster.port(), database.name.as_str());
    let wrong = fault(port, Some("hunter2"), name).await;
    assert!(matches!(&wrong, OwnSessionError::Refused(Some(code)) if &**code == "28P01"));
    let none = fault(port, None, name).await;
    assert!(matches!(none, OwnSessionError::NoPassword));
    let elsewhere = fault(port, Some(READER), "nowhere").await;
    assert!(matches!(&elsewhere, OwnSessionError::Refused(Some(code)) if &**code == "3D000"));
    let nobody = fault(1, Some("hunter2"), name).await;
    assert!(matches!(nobody, OwnSessionError::Unreachable(_)));
    for error in [wrong, none, elsewhere, nobody] {
        let said = format!("{error} {error:?}");
        for secret in ["hunter2", READER, "127.0.0.1", "nowhere", name] {
            assert!(!said.contains(secret), "{said}");
        }
    }
}

#[tokio::test]
async fn a_lost_connection_is_an_error_and_no_wait() {
    let Some(database) = Database::new(15).await else {
        return;
    };
    let (admin, client) = (database.admin().await, database.catalog().await);
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND usename = 'reader'";
    rows(&admin, end).await;
    let error = snapshot::load(&client).await.unwrap_err();
    let lost = matches!(error, LoadError::Lost(_) | LoadError::Refused(..));
    assert!(lost, "{error}");
    let marker = snapshot::marker(&client).await.unwrap_err();
    assert!(matches!(marker, LoadError::Lost(_)), "{marker}");
}

/// The paths of the server, of everybody, of a database and of roles, as they take precedence.
#[tokio::test]
async fn where_sessions_look_for_names_is_read() {
    let Some(database) = Database::alone(15).await else {
        return;
    };
    let admin = database.admin().await;
    let mut expected = vec![("", "\"$user\", public", None)];
    expected.extend([
        (
            "ALTER ROLE ALL SET search_path TO everybody",
            "everybody",
            None,
        ),
        (
            "ALTER DATABASE postgres SET search_path TO ours, \"A b\"",
            "ours, \"A b\"",
            None,
        ),
        (
            "ALTER ROLE deep SET search_path TO of_role",
            "ours, \"A b\"",
            Some("of_role"),
        ),
        (
            "ALTER ROLE deep IN DATABASE postgres SET search_path TO of_both",
            "ours, \"A b\"",
            Some("of_both"),
        ),
        (
            "ALTER DATABASE postgres RESET search_path",
            "everybody",
            Some("of_both"),
        ),
        (
            "ALTER ROLE ALL RESET search_path",
            "\"$user\", public",
            Some("of_both"),
        ),
        // Then the session of the catalogs does not know what it would be without.
        (
            "ALTER ROLE reader SET search_path TO mine",
            "",
            Some("of_both"),
        ),
    ]);
    admin.batch_execute("CREATE ROLE deep").await.unwrap();
    for (change, usual, of_role) in expected {
        admin.batch_execute(change).await.unwrap();
        let read = snapshot::load(&database.catalog().await).await.unwrap();
        assert_eq!(read.search_path, usual, "after {change}");
        let role = read.roles.iter().find(|role| role.name == "deep").unwrap();
        assert_eq!(role.search_path.as_deref(), of_role, "after {change}");
    }
}

async fn fault(port: u16, password: Option<&str>, database: &str) -> OwnSessionError {
    let address = format!("postgres://127.0.0.1:{port}/?sslmode=disable");
    let upstream = Upstream::load(UpstreamSettings::parse(&address).unwrap()).unwrap();
    let account = UpstreamAccount {
        user: READER.to_owned(),
        secret: password.map(|word| Secret::new(word).into()),
    };
    let connected = snapshot::connect(&upstream, &account, database).await;
    connected.map(drop).unwrap_err()
}

/// An ordinary role is told all of it by every version: the server, its system and the database.
#[tokio::test]
async fn every_version_says_which_server_it_is() {
    for version in VERSIONS {
        let (Some(database), Some(other)) =
            (Database::new(version).await, Database::new(version).await)
        else {
            continue;
        };
        let of = async |database: &Database| {
            let port = database.cluster.port();
            let address = format!("postgres://127.0.0.1:{port}/?sslmode=disable");
            let upstream = Upstream::load(UpstreamSettings::parse(&address).unwrap()).unwrap();
            let account = UpstreamAccount {
                user: READER.to_owned(),
                secret: Some(Secret::new(READER).into()),
            };
            let heard = Arc::default();
            let connecting = snapshot::connect_hearing(&upstream, &account, &database.name, heard);
            let (_client, _task, server) = connecting.await.unwrap();
            assert_eq!(
                upstream.learned().reticence.question(),
                IdentityQuery::Whole,
                "{version}"
            );
            server.unwrap()
        };
        let (one, again, beside) = (of(&database).await, of(&database).await, of(&other).await);
        assert!(one.is_same(&again) && !one.is_same(&beside), "{version}");
    }
}
