//! Databases at servers of their own, and what looks into databases: tests of policies, whether
//! policies fit, and the doctor. Each looks where clients are led by the name.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use pgsieve::demo::cluster::PrivateCluster;
use serde_json::Value;

use super::databases::{cluster, named, new_folder};
use crate::support::command::pgsieve;
use crate::support::raw::{kinds, rows};
use crate::support::shared::new_database;
use crate::support::{APP, Options, READER, RawClient, Stack, shared_cluster, sql, until};

/// A server that has `sales_prod`, which clients name `sales`, and a namesake of what is at the
/// upstream.
fn other() -> &'static PrivateCluster {
    static OTHER: LazyLock<&PrivateCluster> = LazyLock::new(|| {
        let other = cluster();
        let admin = |database: &str| other.url("postgres", "postgres", database);
        sql::run_blocking(&admin("postgres"), &["CREATE DATABASE sales_prod"]);
        let only = [
            "CREATE TABLE only_there (sold int)",
            "INSERT INTO only_there VALUES (7)",
            "CREATE VIEW summary AS SELECT pg_reload_conf() AS sold",
            "GRANT SELECT ON only_there, summary TO PUBLIC",
        ];
        sql::run_blocking(&admin("sales_prod"), &only);
        other
    });
    *OTHER
}

/// Settings with a policy for everybody and one for sales with these sections.
struct Settings {
    folder: PathBuf,
    database: String,
}

impl Settings {
    fn new(sales: &str) -> Self {
        let (folder, database) = (new_folder(), new_database(shared_cluster()));
        let policies = folder.join("policies");
        fs::create_dir(&policies).unwrap();
        fs::write(policies.join("all.yaml"), "name: all\nextends: agent\n").unwrap();
        let own = Self { folder, database };
        own.sales(sales);
        fs::write(own.folder.join("secret"), READER).unwrap();
        own
    }

    fn sales(&self, sections: &str) {
        let text =
            format!("name: sales\nextends: agent\nmatch: {{database: [sales]}}\n{sections}\n");
        fs::write(self.folder.join("policies/sales.yaml"), text).unwrap();
    }

    fn text(&self, tests: &str) -> String {
        format!(
            "upstream: {{url: 'postgres://127.0.0.1:{}/{}?sslmode=disable'}}\n\
             databases:\n\
             - {{name: sales, url: 'postgres://127.0.0.1:{}/sales_prod?sslmode=disable'}}\n\
             catalog: {{user: {READER}, password_file: {folder}/secret, poll_interval: 500ms}}\n\
             policy: {{file: {folder}/policies, tests: {tests}}}\n",
            shared_cluster().port(),
            self.database,
            other().port(),
            folder = self.folder.display(),
        )
    }

    /// For a command, in a file.
    fn file(&self, tests: &str) -> String {
        let path = self.folder.join("pgsieve.yaml");
        let text = format!("{}admin: {{listen: off}}\n", self.text(tests));
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn start(&self, tests: &str) -> Stack {
        let listen = "listen: '{listen}'\nadmin: {listen: '{admin}'}\naudit: {to: '{audit}'}\n";
        Stack::start_unready(Options {
            config: Some(format!("{}{listen}", self.text(tests))),
            ..Options::default()
        })
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn test_of(statement: &str, expect: &str) -> String {
    format!("tests:\n- {{statement: \"{statement}\", expect: {expect}}}\n")
}

#[test]
fn tests_of_a_policy_are_run_where_its_database_is() {
    // That it has an effect is known only where the view is.
    let of_view = |expect| test_of("SELECT sold FROM summary", expect);
    let settings = Settings::new(&of_view("refuse"));
    let stack = settings.start("required");
    let ready = until(|| (stack.get("/readyz").0 == 200).then_some(()));
    assert!(ready.is_some(), "{}", stack.stderr());
    let told = pgsieve(
        &["serve", "--check", "--config", &settings.file("required")],
        "",
    );
    let said = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.status.success(), "{told:?}");
    assert!(said.contains("1 tests of the policies passed"), "{said}");
    assert!(
        !said.contains("no database of the server is called"),
        "{said}"
    );
    settings.sales(&of_view("permit"));
    let stack = settings.start("required");
    let ended = stack.wait_exit(Duration::from_secs(60));
    let said = stack.stderr();
    assert_eq!(ended, Some(1), "{said}");
    assert!(
        said.contains("policy sales, ") && said.contains("in \"sales\""),
        "{said}"
    );
    let told = pgsieve(
        &["serve", "--check", "--config", &settings.file("required")],
        "",
    );
    let said = String::from_utf8_lossy(&told.stderr).into_owned();
    assert_eq!(told.status.code(), Some(1), "{told:?}");
    assert!(said.contains("policy sales, "), "{said}");
}

#[test]
fn a_policy_is_held_against_the_database_that_clients_name_so() {
    let model = |column: &str| {
        format!("models: {{public.only_there: {{sql: 'SELECT {column} FROM only_there'}}}}\n")
    };
    let settings = Settings::new(&model("sold"));
    let stack = settings.start("off");
    let ready = until(|| (stack.get("/readyz").0 == 200).then_some(()));
    assert!(ready.is_some(), "{}", stack.stderr());
    let mut client = RawClient::login(stack.proxied_address(), &named("sales"));
    let read = until(|| {
        let answer = client.query("SELECT * FROM only_there");
        (kinds(&answer) == "TDCZ").then(|| rows(&answer))
    });
    assert_eq!(read.expect("it is read"), ["7"], "{}", stack.stderr());
    let loaded = |wanted: f64| {
        let name = "pgsieve_policy_last_reload_successful";
        let met = until(|| (stack.metric(name) == wanted).then_some(()));
        assert!(met.is_some(), "{}", stack.stderr());
    };
    // The database is known now: what does not fit it is not taken.
    settings.sales(&model("bought"));
    loaded(0.0);
    assert_eq!(rows(&client.query("SELECT * FROM only_there")), ["7"]);
    settings.sales(&model("sold + 1 AS sold"));
    loaded(1.0);
    assert_eq!(rows(&client.query("SELECT * FROM only_there")), ["8"]);
}

#[test]
fn the_doctor_looks_where_the_name_leads() {
    let settings = Settings::new("");
    let file = settings.file("off");
    let report = |more: &[&str]| {
        let arguments = [&["doctor", "--config", &file, "--json"], more].concat();
        let told = pgsieve(&arguments, "");
        let found: Value = serde_json::from_slice(&told.stdout).unwrap_or_else(|_| {
            panic!("{told:?}");
        });
        found["database"].as_str().unwrap().to_owned()
    };
    assert_eq!(report(&[]), settings.database);
    assert_eq!(
        report(&["--database", &settings.database]),
        settings.database
    );
    assert_eq!(report(&["--database", "sales"]), "sales_prod");
    let away = pgsieve(&["doctor", "--config", &file, "--database", "nowhere"], "");
    assert_eq!(away.status.code(), Some(2), "{away:?}");
    let url = shared_cluster().url(APP, APP, &settings.database);
    let both = [
        "doctor",
        "--config",
        &file,
        "--database",
        "sales",
        "--upstream",
        &url,
    ];
    assert_eq!(pgsieve(&both, "").status.code(), Some(2));
}
