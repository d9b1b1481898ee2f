//! The settings and the sample database of the compose file, with a real Postgres and a real
//! pgsieve in the place of the containers.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::config::sources::{SettingsFile, SettingsSources};
use pgsieve::config::{ListenAddress, load};
use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster};
use pgsieve::demo::supervisor::SupervisedChild;

use super::text::{Folder, has, path, text};
use crate::support::own_cluster;
use crate::support::ports::free_port;

/// What the image says when nobody says anything.
#[test]
fn the_image_opens_clients_to_other_containers_and_the_admin_address_to_nobody() {
    let file = SettingsFile {
        name: "pgsieve.yaml".into(),
        text: text("docker/pgsieve.yaml"),
    };
    let upstream = "postgres://ann@db.example.org/sales?sslmode=disable";
    let variable = ("PGSIEVE_UPSTREAM_URL".into(), upstream.into());
    let settings = load(&SettingsSources {
        file: Some(file),
        variables: vec![variable],
        ..SettingsSources::default()
    });
    let settings = settings.unwrap_or_else(|problems| panic!("{problems:?}"));
    let clients: SocketAddr = "0.0.0.0:6432".parse().unwrap();
    assert_eq!(settings.listen, [ListenAddress::Tcp(clients)]);
    assert_eq!(settings.admin, Some("127.0.0.1:9432".parse().unwrap()));
}

/// Secrets as `docker/prepare` makes them; the settings with them, as they are mounted.
fn settings(folder: &Folder) -> String {
    for (name, secret) in [
        ("reporting_password", "of-reporting"),
        ("agent_password", "of-agent"),
        ("page_token", "the-token-of-the-page"),
    ] {
        folder.put(&format!("secrets/{name}"), secret);
    }
    let mut command = Command::new("sh");
    command.args(["-c", "\"$0\" hash-password <\"$1\""]);
    command.arg(env!("CARGO_BIN_EXE_pgsieve"));
    let output = command
        .arg(folder.0.join("secrets/agent_password"))
        .output()
        .unwrap();
    let verifier = String::from_utf8(output.stdout).unwrap();
    folder.put("secrets/agent_verifier", &verifier);
    let secrets = folder.0.join("secrets");
    let settings = text("docker/stack.yaml").replace("/run/secrets", secrets.to_str().unwrap());
    let audit = folder.0.join("audit.jsonl");
    let settings = settings.replace("/var/log/pgsieve/audit.jsonl", audit.to_str().unwrap());
    folder.put("pgsieve.yaml", &settings)
}

/// What psql says, as a user of a server.
fn psql(url: &str, sql: &str) -> (bool, String) {
    let mut command = Command::new("psql");
    command.args([
        "--no-psqlrc",
        "-qAt",
        "-v",
        "ON_ERROR_STOP=1",
        "-c",
        sql,
        url,
    ]);
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let said = [stdout, stderr].concat();
    (status.success(), String::from_utf8(said).unwrap())
}

/// Runs what the image of Postgres runs once.
fn prepare(cluster: &PrivateCluster, folder: &Folder) {
    let (made, said) = psql(&cluster.admin_url("postgres"), "CREATE DATABASE shop");
    assert!(made, "{said}");
    let output = Command::new("bash")
        .arg(path("docker/postgres.sh"))
        .env("POSTGRES_USER", cluster.admin())
        .env("POSTGRES_DB", "shop")
        .env("SAMPLE", path("src/demo/sample"))
        .env(
            "REPORTING_PASSWORD_FILE",
            folder.0.join("secrets/reporting_password"),
        )
        .env("PGHOST", "127.0.0.1")
        .env("PGPORT", cluster.port().to_string())
        .env("PGPASSWORD", cluster.admin_password())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_role_behind_pgsieve_reads_the_shop_and_nothing_else() {
    if !has("psql", "the sample database") {
        return;
    }
    let cluster = own_cluster().auth(PasswordMethod::Scram).start().unwrap();
    let folder = Folder::new();
    let config = settings(&folder);
    prepare(&cluster, &folder);

    let direct = cluster.url("reporting", "of-reporting", "shop");
    let (read, said) = psql(&direct, "SELECT count(*) > 1000 FROM orders");
    assert_eq!((read, said.as_str()), (true, "t\n"));
    // Directly at the database, with the session made writable: it has no right to.
    for write in [
        "DELETE FROM payments",
        "CREATE TABLE shop.gone ()",
        "CREATE TABLE public.gone ()",
        "CREATE TEMP TABLE gone ()",
        "CREATE SCHEMA gone",
        "SELECT nextval('shop.invoice_number')",
    ] {
        let (done, said) = psql(
            &direct,
            &format!("SET transaction_read_only = off; {write}"),
        );
        assert!(
            !done && said.contains("permission denied"),
            "{write}: {said}"
        );
    }

    let stack = serve(&cluster, &folder, &config);
    let url = format!("postgres://agent:of-agent@127.0.0.1:{}/shop", stack.1);
    let (read, said) = psql(
        &url,
        "SELECT current_user, count(*) > 1000 FROM orders GROUP BY 1",
    );
    assert_eq!((read, said.as_str()), (true, "reporting|t\n"));
    let (done, said) = psql(&url, "DELETE FROM payments");
    assert!(
        !done && said.contains("this connection only reads"),
        "{said}"
    );
    let (inside, said) = psql(&url.replace("of-agent", "of-nobody"), "SELECT 1");
    assert!(!inside && said.contains("authentication failed"), "{said}");
    let end = Instant::now() + Duration::from_secs(20);
    let audited = || fs::read_to_string(folder.0.join("audit.jsonl")).unwrap_or_default();
    while !audited().contains("write_statement") {
        assert!(Instant::now() < end, "{}", audited());
        thread::sleep(Duration::from_millis(50));
    }
}

/// A pgsieve with these settings, and where its clients arrive. Ports and the place of Postgres
/// come from the environment, which wins.
fn serve(cluster: &PrivateCluster, folder: &Folder, config: &str) -> (SupervisedChild, u16) {
    let (listen, admin) = (free_port(), free_port());
    let port = cluster.port();
    let upstream = format!("postgres://reporting@127.0.0.1:{port}/shop?sslmode=disable");
    let (clients, page) = (format!("127.0.0.1:{listen}"), format!("127.0.0.1:{admin}"));
    let variables = [
        ("PGSIEVE_CONFIG", config),
        ("PGSIEVE_UPSTREAM_URL", &upstream),
        ("PGSIEVE_LISTEN", &clients),
        ("PGSIEVE_ADMIN_LISTEN", &page),
        ("PGSIEVE_TRACES_ENDPOINT", "off"),
    ];
    let program = Path::new(env!("CARGO_BIN_EXE_pgsieve"));
    let supervised = SupervisedChild::start(&folder.0, program, &["serve"], &variables).unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let asked = Command::new(program)
            .args(["health", "--admin", &page])
            .output()
            .unwrap();
        if asked.status.success() {
            return (supervised, listen);
        }
        assert!(Instant::now() < end, "{asked:?} {}", supervised.stderr());
        thread::sleep(Duration::from_millis(50));
    }
}
