//! `pgsieve serve --check`: what a start would meet, without a start.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;

use pgsieve::auth::verifier::ScramVerifier;
use pgsieve::demo::cluster::random_name;
use pgsieve::secret::Secret;

use crate::support::ports::free_port;
use crate::support::shared::new_database;
use crate::support::{ADMIN, APP, shared_cluster, sql};

/// A database of its own, and a folder for files.
struct Place {
    folder: PathBuf,
    database: String,
}

/// How a check ended.
struct Ended {
    status: Option<i32>,
    out: String,
    said: String,
}

impl Place {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        let database = new_database(shared_cluster());
        let create = [
            "CREATE TABLE public.orders (id int)",
            "GRANT SELECT ON public.orders TO PUBLIC",
        ];
        sql::run_blocking(&shared_cluster().url(ADMIN, ADMIN, &database), &create);
        Self { folder, database }
    }

    /// A URL without a user.
    fn url(&self, user: &str) -> String {
        let port = shared_cluster().port();
        format!("postgres://{user}127.0.0.1:{port}/{}", self.database)
    }

    /// A file of this place, and its path.
    fn file(&self, name: &str, text: &str) -> String {
        let file = self.folder.join(name);
        fs::write(&file, text).unwrap();
        file.display().to_string()
    }

    /// The default policy, with these sections in place of its tests.
    fn policy(&self, sections: &str) -> String {
        let agent = include_str!("../../../policies/agent.yaml");
        let (before, _) = agent.split_once("\ntests:\n").unwrap();
        self.file("policy.yaml", &format!("{before}\n{sections}\n"))
    }

    fn check(&self, settings: &str) -> Ended {
        let file = self.file("pgsieve.yaml", settings);
        let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
        command.args(["serve", "--check", "--config", &file]);
        let ended = command.env_clear().output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let (out, said) = (text(ended.stdout), text(ended.stderr));
        assert!(!format!("{out}{said}").contains("cAnArY"), "{out}{said}");
        Ended {
            status: ended.status.code(),
            out,
            said,
        }
    }

    /// Settings of this place, with these lines.
    fn with(&self, user: &str, more: &str) -> String {
        format!("upstream: {{url: \"{}\"}}\n{more}\n", self.url(user))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

impl Ended {
    fn fine(&self, wanted: &[&str]) {
        assert_eq!(self.status, Some(0), "{}{}", self.out, self.said);
        for wanted in wanted {
            assert!(
                self.out.contains(wanted),
                "{wanted}: {}{}",
                self.out,
                self.said
            );
        }
    }

    fn wrong(&self, wanted: &[&str]) {
        assert_eq!(self.status, Some(1), "{}{}", self.out, self.said);
        for wanted in wanted {
            assert!(self.said.contains(wanted), "{wanted}: {}", self.said);
        }
    }
}

const READS: &str = "reader:reader@";

#[test]
fn settings_that_would_work_are_told_as_such_and_nothing_listens_or_is_written() {
    let place = Place::new();
    // Where a pgsieve serves already.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    let policy = place.policy(
        "tests:\n  - {statement: \"SELECT id AS cAnArY FROM orders\", expect: permit}\n  \
         - {statement: \"DELETE FROM orders\", expect: refuse}",
    );
    let audit = place.folder.join("audit.jsonl");
    let settings = place.with(
        READS,
        &format!(
            "listen: \"{taken}\"\naudit: {{to: {}}}\npolicy: {{file: {policy}}}",
            audit.display()
        ),
    );
    let ended = place.check(&settings);
    ended.fine(&[
        "a login at the upstream works",
        "2 tests of the policies passed",
    ]);
    assert_eq!(ended.said, "");
    assert!(!audit.exists());
}

#[test]
fn what_a_start_writes_to_is_looked_at_and_left_as_it_is() {
    let place = Place::new();
    let (log, budgets) = (place.folder.join("log.txt"), place.folder.join("budgets"));
    let settings = |log: &std::path::Path, budgets: &std::path::Path, traces: &str| {
        place.with(
            READS,
            &format!(
                "log: {{to: {}}}\nlimits: {{budget_file: {}}}\ntraces: {{endpoint: '{traces}'}}",
                log.display(),
                budgets.display()
            ),
        )
    };
    let collector = "http://127.0.0.1:4317";
    place.check(&settings(&log, &budgets, collector)).fine(&[]);
    assert!(!log.exists() && !budgets.exists());
    let missing = place.folder.join("no/folder/file");
    place
        .check(&settings(&missing, &missing, collector))
        .wrong(&[
            "pgsieve.yaml:2:7 log.to: ",
            "pgsieve.yaml:3:10 limits.budget_file: ",
        ]);
    // What stands there is read, and refuses a start where it cannot be.
    let spoilt = place.file("spoilt", "cAnArY\n");
    let spoilt = std::path::Path::new(&spoilt);
    place
        .check(&settings(&log, spoilt, collector))
        .wrong(&["limits.budget_file: "]);
    assert_eq!(fs::read_to_string(spoilt).unwrap(), "cAnArY\n");
    let folder = &place.folder;
    place
        .check(&settings(folder, folder, collector))
        .wrong(&["log.to: ", "limits.budget_file: "]);
}

#[test]
fn everything_that_is_wrong_is_told_with_its_place() {
    let place = Place::new();
    let policy = place.policy(
        "models: {public.ordres: {sql: SELECT id FROM orders}}\ntests:\n  \
         - {statement: \"SELECT 1 AS cAnArY\", expect: refuse}",
    );
    let verifier = ScramVerifier::make(&Secret::new("x")).unwrap();
    let user = |name: &str, role: &str, password: &str| {
        let password = place.file(&format!("{name}.password"), password);
        format!(
            "{{name: {name}, verifier: \"{verifier}\", upstream_user: {role}, \
             upstream_password_file: {password}}}"
        )
    };
    let users = [
        user("ann", APP, APP),
        user("ben", APP, "wrong"),
        user("eve", "nobody_here", "x"),
    ];
    let auth = format!(
        "client: {{auth: {{method: scram, users: [{}]}}}}\n",
        users.join(", ")
    );
    let settings = place.with(
        READS,
        &format!("{auth}audit: {{to: /no/such/folder/audit}}\npolicy: {{file: {policy}}}"),
    );
    let ended = place.check(&settings);
    ended.wrong(&[
        "client.auth.users, ben: no login as \"app\"",
        "client.auth.users, eve: no login as \"nobody_here\"",
        "models.public.ordres: there is no relation of this name",
        "tests[0]: expected refuse, got permit under agent",
        "/no/such/folder",
    ]);
    assert!(!ended.said.contains("users, ann"), "{}", ended.said);
}

#[test]
fn what_keeps_a_start_from_the_upstream_is_told_once() {
    let place = Place::new();
    let port = free_port();
    let away = format!("upstream: {{url: \"postgres://reader:reader@127.0.0.1:{port}/shop\"}}\n");
    let ended = place.check(&away);
    ended.wrong(&["upstream.url: "]);
    assert_eq!(ended.said.lines().count(), 1, "{}", ended.said);
    place
        .check(&place.with("reader:wrong@", ""))
        .wrong(&["upstream.url: no login as \"reader\""]);
    let missing = place
        .with(READS, "")
        .replace(&place.database, "no_such_database");
    place.check(&missing).wrong(&["no_such_database", "3D000"]);
}

#[test]
fn mistakes_in_files_are_told_as_at_a_start() {
    let place = Place::new();
    place
        .check("listne: x\n")
        .wrong(&["did you mean listen?", "upstream.url: is required"]);
    let certificate =
        "client: {tls: {mode: require, certificate: /no/such.pem, key: /no/such.key}}";
    place
        .check(&place.with(READS, certificate))
        .wrong(&["client.tls.certificate"]);
    let policy = place.policy("nmae: x");
    let settings = place.with(READS, &format!("policy: {{file: {policy}}}"));
    place.check(&settings).wrong(&["policy.yaml:", "nmae"]);
}

#[test]
fn without_a_user_the_way_and_what_needs_no_catalog_are_looked_at() {
    let place = Place::new();
    let policy = place.policy(
        "tests:\n  - {statement: \"SELECT 1\", expect: permit}\n  \
         - {statement: \"SELECT unheard_of(1)\", expect: permit}",
    );
    let settings = place.with("", &format!("policy: {{file: {policy}}}"));
    place.check(&settings).fine(&[
        "nobody was logged in",
        "the catalog was not loaded",
        "1 tests of the policies passed, 1 need a catalog",
    ]);
    let policy = place.policy("tests:\n  - {statement: \"SELECT 1\", expect: refuse}");
    let settings = place.with("", &format!("policy: {{file: {policy}}}"));
    place
        .check(&settings)
        .wrong(&["tests[0]: expected refuse, got permit"]);
}

#[test]
fn relations_beside_models_are_told_and_entries_of_nothing_are_mistakes() {
    let place = Place::new();
    let url = shared_cluster().url(ADMIN, ADMIN, &place.database);
    let create = ["CREATE TABLE public.beside (id int)"];
    sql::run_blocking(&url, &create);
    let policy = place.policy(
        "relations: {allow: [public.orders, public.beside]}\n\
         models: {public.orders: {sql: SELECT id FROM orders}}",
    );
    let settings = place.with(READS, &format!("policy: {{file: {policy}}}"));
    let ended = place.check(&settings);
    ended.fine(&[]);
    let wanted = "warning: policy agent: models: others in public are read through models, and \
                  public.beside has none: all rows may be read";
    assert!(ended.said.contains(wanted), "{}", ended.said);
    for (sections, wanted) in [
        (
            "rows: {public.ordres: id = 1}",
            "policy agent, rows.public.ordres: there is no relation of this name (did you mean \
             public.orders?)",
        ),
        (
            "columns: {mask: {public.orders.di: null}}",
            "policy agent, columns.mask: public.orders.di is no column here",
        ),
    ] {
        let policy = place.policy(sections);
        let settings = place.with(READS, &format!("policy: {{file: {policy}}}"));
        place.check(&settings).wrong(&[wanted]);
    }
}

#[test]
fn what_should_be_mended_is_told_and_is_no_mistake() {
    let place = Place::new();
    let policy = place.policy(
        "match: {database: [no_such_place, \"*\"], user: [raeder, \"*\"], \
         role_member: [no_such_role, reader]}\n\
         relations: {allow: [\"public.*\", public.ordres]}\n\
         models: {public.orders: {sql: SELECT id FROM orders}}",
    );
    let settings = place.with(
        &format!("{ADMIN}:{ADMIN}@"),
        &format!("client: {{auth: {{method: trust}}}}\npolicy: {{file: {policy}}}"),
    );
    let ended = place.check(&settings);
    ended.fine(&[]);
    for wanted in [
        "warning: trust_in_use: client.auth.method: ",
        "warning: upstream_superuser: upstream.url: ",
        "warning: database_unknown: policy.file: policy agent: match.database: no database of \
         the server is called no_such_place",
        "warning: user_unknown: policy.file: policy agent: match.user: raeder is no role of the \
         server and no user of the settings; did you mean reader?",
        "warning: role_unknown: policy.file: policy agent: match.role_member: no role of the \
         server is called no_such_role",
        "warning: policy agent: relations.allow: public.ordres is no relation here; did you mean \
         public.orders?",
        "warning: policy agent: relations.allow: public.* lets in relations that are made later",
    ] {
        assert!(ended.said.contains(wanted), "{wanted}: {}", ended.said);
    }
}
