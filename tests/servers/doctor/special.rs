//! Checks whose cases take more than SQL: another version, another way in, another server.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use pgsieve::demo::cluster::{PrivateCluster, TlsFiles, random_name};
use pgsieve::doctor::DoctorReport;
use pgsieve::doctor::check::FindingSeverity;
use pgsieve::gate::functions::{FunctionVerdict, verdict};
use pgsieve::net::dev_certificates;
use pgsieve::net::dev_certificates::{CertificateRequest, DevCertificates};

use crate::doctor::support::{Place, VERSIONS, cluster_of, finding, fires, prepare, run, start};
use crate::support::own_cluster;

/// The checks that are covered here.
pub const COVERED: &[&str] = &[
    "unsupported_version",
    "read_only_unreported",
    "primary_server",
    "read_only_switchable",
    "prepared_transactions",
    "password_unasked",
    "password_method",
    "tls_absent",
    "tls_unverified",
    "public_effects",
    "outreach_available",
];

/// Of these checks, exactly those that fire. None but those that are covered here are asked for.
#[track_caller]
fn check(found: &DoctorReport, silent: &[&str], firing: &[(&str, FindingSeverity)]) {
    let id_is_covered = |id: &str| assert!(COVERED.contains(&id), "{id}");
    for id in silent {
        id_is_covered(id);
        assert!(!fires(found, id), "{id} fires for nothing");
    }
    for (id, severity) in firing {
        id_is_covered(id);
        assert_eq!(finding(found, id).severity, *severity, "{id}");
    }
}

#[test]
fn old_servers_are_told_from_new_ones() {
    let (note, warning) = (FindingSeverity::Note, FindingSeverity::Warning);
    for version in VERSIONS {
        let Some(cluster) = cluster_of(version) else {
            continue;
        };
        let found = run(async { Place::new(cluster).await.examine().await });
        let old = ["unsupported_version", "read_only_unreported"];
        match version {
            13 => check(&found, &[], &old.map(|id| (id, warning))),
            _ => check(&found, &old, &[]),
        }
        check(
            &found,
            &[
                "prepared_transactions",
                "password_unasked",
                "password_method",
                "tls_unverified",
            ],
            &[
                ("primary_server", note),
                ("read_only_switchable", note),
                ("public_effects", note),
                ("tls_absent", note),
            ],
        );
    }
}

#[test]
fn what_everybody_may_call_is_counted_until_it_is_taken_back() {
    let Some(cluster) = cluster_of(15) else {
        return;
    };
    run(async {
        let place = Place::new(cluster).await;
        let names = "SELECT oid::regprocedure, proname, pronargs FROM pg_proc \
            WHERE pronamespace = 'pg_catalog'::regnamespace";
        let harmless = |verdict| {
            use FunctionVerdict::{Allowed, Housekeeping, Unknown};
            matches!(verdict, Allowed | Housekeeping | Unknown)
        };
        let mut text = String::new();
        for row in place.rows(names).await {
            let verdict = verdict(Some("pg_catalog"), &row[1], row[2].parse().unwrap());
            if !harmless(verdict) {
                text += &format!("REVOKE EXECUTE ON FUNCTION {} FROM PUBLIC;", row[0]);
            }
        }
        place.make(&text).await;
        check(&place.examine().await, &["public_effects"], &[]);
    });
}

#[test]
fn extensions_that_could_be_installed_are_told_until_they_are() {
    let Some(cluster) = cluster_of(15) else {
        return;
    };
    run(async {
        let place = Place::new(cluster).await;
        let found = place.examine().await;
        let available = finding(&found, "outreach_available");
        assert!(available.names.contains(&"dblink".to_owned()));
        for name in available.names.clone() {
            place.make(&format!("CREATE EXTENSION {name}")).await;
        }
        check(&place.examine().await, &["outreach_available"], &[]);
    });
}

#[test]
fn a_standby_cannot_be_made_writable() {
    let Some(cluster) = start(15, own_cluster()) else {
        return;
    };
    let mut cluster = cluster;
    run(prepare(&cluster, "stand", "stander"));
    fs::write(cluster.data().join("standby.signal"), "").unwrap();
    cluster.restart().unwrap();
    // Never dropped: its supervisor sees this process end.
    let place = Place {
        cluster: Box::leak(Box::new(cluster)),
        database: "stand".into(),
        role: "stander".into(),
    };
    let found = run(place.examine());
    assert!(found.server.is_standby);
    check(&found, &["primary_server", "read_only_switchable"], &[]);
}

#[test]
fn how_the_login_went_and_what_protects_it() {
    let files = certificates();
    let builder = own_cluster()
        .tls(TlsFiles {
            certificate: files.server.clone(),
            key: files.server_key.clone(),
            client_authority: None,
        })
        .conf("max_prepared_transactions = 5")
        .hba("host all trusty all trust")
        .hba("local all trusty trust")
        .hba("host all md5y all md5")
        .hba("host all cleary all password");
    let Some(cluster) = start(15, builder) else {
        return;
    };
    let cluster: &'static PrivateCluster = Box::leak(Box::new(cluster));
    run(async {
        let place = Place::named(cluster, "login", "trusty").await;
        place
            .make(
                "SET password_encryption = 'md5'; CREATE ROLE md5y LOGIN PASSWORD 'md5y'; \
                 RESET password_encryption; CREATE ROLE cleary LOGIN PASSWORD 'cleary'; \
                 GRANT CONNECT ON DATABASE {d} TO md5y, cleary",
            )
            .await;
        let (note, warning, danger) = (
            FindingSeverity::Note,
            FindingSeverity::Warning,
            FindingSeverity::Danger,
        );
        let port = cluster.port();
        let at = |query: &str| format!("postgres://localhost:{port}/?{query}");
        let authority = files.authority.display();
        let verified = at(&format!("sslmode=verify-full&sslrootcert={authority}"));
        let over =
            async |address: &str, role: &str| place.examine_at(address, role, role).await.unwrap();
        let found = over(&verified, "trusty").await;
        let tls = ["tls_absent", "tls_unverified"];
        check(&found, &tls, &[("password_unasked", danger)]);
        check(&found, &[], &[("prepared_transactions", note)]);
        assert!(found.server.encryption.unwrap().starts_with("TLSv1"));
        let folder = cluster.socket_folder().display();
        let socket = format!("postgres:///?host={folder}&port={port}");
        let found = over(&socket, "trusty").await;
        check(&found, &tls, &[("password_unasked", note)]);
        let found = over(&at("sslmode=require"), "md5y").await;
        check(
            &found,
            &tls[..1],
            &[("password_method", warning), (tls[1], note)],
        );
        let found = over(&at("sslmode=disable"), "md5y").await;
        check(
            &found,
            &tls[1..],
            &[("password_method", warning), (tls[0], note)],
        );
        let found = over(&verified, "cleary").await;
        check(
            &found,
            &["password_unasked"],
            &[("password_method", warning)],
        );
        // The superuser sees how passwords are kept, and which libraries are loaded.
        place.make("ALTER ROLE md5y SUPERUSER").await;
        let found = over(&verified, "md5y").await;
        assert_eq!(finding(&found, "password_hashing").severity, warning);
        assert_eq!(
            finding(&found, "preloaded_libraries").severity,
            FindingSeverity::Ok
        );
    });
}

/// Keys and certificates for the servers of this run.
fn certificates() -> &'static DevCertificates {
    static FILES: LazyLock<DevCertificates> = LazyLock::new(|| {
        // Beside the build, not among the temporary files: it outlives the run.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(random_name().unwrap());
        let wish = CertificateRequest {
            hosts: &[],
            client_name: "nobody",
        };
        dev_certificates::write(&folder, &wish).unwrap()
    });
    &FILES
}
