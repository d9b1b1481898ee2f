//! Databases at servers of their own: to which a session goes by the name that its client says, and
//! what of it is there.

use std::path::PathBuf;
use std::time::Duration;

use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster, random_name};

use super::choice::LONG;
use super::port_of;
use crate::support::command::pgsieve;
use crate::support::ports::free_port;
use crate::support::raw::{Login, kinds, rows};
use crate::support::{APP, Options, RawClient, Stack, frames, own_cluster, shared, sql, until};

/// A server of the upstream's own, another one, and a pgsieve before both.
struct TwoServers {
    other: &'static PrivateCluster,
    stack: Stack,
}

/// How sessions come by their connections.
#[derive(Clone, Copy, Debug)]
enum Sharing {
    /// Each has one of its own, with its client's name and password.
    None,
    /// They share them.
    All,
}

const SHARINGS: [Sharing; 2] = [Sharing::None, Sharing::All];

impl TwoServers {
    fn start(sharing: Sharing, policy: &str) -> Self {
        let own = cluster();
        let other = cluster();
        let admin = |database: &str| other.url("postgres", "postgres", database);
        let make = ["CREATE DATABASE sales_prod", "CREATE DATABASE tenant_7"];
        sql::run_blocking(&admin("postgres"), &make);
        let things = [
            "CREATE TABLE things (other_column text)",
            "INSERT INTO things VALUES ('of the other')",
            "GRANT SELECT ON things TO PUBLIC",
        ];
        sql::run_blocking(&admin("sales_prod"), &things);
        sql::run_blocking(&admin("tenant_7"), &things);
        let away = free_port();
        let port = other.port();
        let sharing = match sharing {
            Sharing::None => "",
            Sharing::All => {
                "client:\n  auth:\n    method: trust\npool:\n  mode: transaction\n  size: 2\n"
            }
        };
        let config = format!(
            "upstream:\n  url: postgres://app:app@127.0.0.1:{}/{{database}}?sslmode=disable\n\
             databases:\n\
             - name: sales\n  url: postgres://127.0.0.1:{port}/sales_prod?sslmode=disable\n\
             - {{name: '{{database}}_too', url: 'postgres://127.0.0.1:{port}/{{database}}?sslmode=disable'}}\n\
             - name: tenant_*\n  url: postgres://127.0.0.1:{away},127.0.0.1:{port}/?sslmode=disable\n  targets: any\n\
             - name: gone\n  url: postgres://127.0.0.1:{away}/sales_prod?sslmode=disable\n\
             listen: {{listen}}\nadmin:\n  listen: {{admin}}\naudit:\n  to: {{audit}}\n{sharing}{policy}",
            own.port()
        );
        let stack = Stack::start(Options {
            cluster: Some(own),
            config: Some(config),
            ..Options::default()
        });
        stack.prepare(&[
            "CREATE TABLE things (own_column text)",
            "INSERT INTO things VALUES ('of the own')",
            "GRANT SELECT ON things TO PUBLIC",
        ]);
        let namesake = format!("CREATE DATABASE {}", stack.database());
        sql::run_blocking(&admin("postgres"), &[&namesake]);
        sql::run_blocking(&admin(stack.database()), &things);
        Self { other, stack }
    }

    fn login(&self, database: &str) -> RawClient {
        let login = named(database);
        let client = until(|| RawClient::try_login(self.stack.proxied_address(), &login).ok());
        client.unwrap_or_else(|| panic!("{database}: {}", self.stack.stderr()))
    }
}

pub(super) fn cluster() -> &'static PrivateCluster {
    let cluster = own_cluster()
        .auth(PasswordMethod::Scram)
        .start()
        .expect("a server");
    shared::prepare(&cluster);
    Box::leak(Box::new(cluster))
}

pub(super) fn new_folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
    std::fs::create_dir(&folder).unwrap();
    folder
}

pub(super) fn named(database: &str) -> Login<'_> {
    Login {
        user: APP,
        password: APP,
        database,
        parameters: &[],
    }
}

/// The names of a client lead to servers; also to a database of the same name at another server,
/// and past a server that is not there.
#[test]
fn the_name_says_which_server() {
    for sharing in SHARINGS {
        let servers = TwoServers::start(sharing, "");
        let stack = &servers.stack;
        let (own, other) = (stack.cluster().port(), servers.other.port());
        let database = stack.database().to_owned();
        let too = format!("{database}_too");
        let wanted = [
            (&*database, own, &*database, "of the own"),
            (&*too, other, &*database, "of the other"),
            ("sales", other, "sales_prod", "of the other"),
            ("tenant_7", other, "tenant_7", "of the other"),
        ];
        let mut clients: Vec<RawClient> = Vec::new();
        for (named, port, real, content) in wanted {
            let mut client = servers.login(named);
            assert_eq!(port_of(&mut client), port, "{sharing:?} {named}");
            let database = client.query("SELECT current_database()");
            assert_eq!(rows(&database), [real], "{sharing:?} {named}");
            let things = client.query("SELECT * FROM things");
            assert_eq!(rows(&things), [content], "{sharing:?} {named}");
            clients.push(client);
        }
        // On shared connections each goes on where it began.
        for _ in 0..3 {
            for (client, (named, port, ..)) in clients.iter_mut().zip(wanted) {
                assert_eq!(port_of(client), port, "{sharing:?} {named}");
            }
        }
        assert_eq!(
            stack.get("/readyz").0,
            200,
            "what is elsewhere is no matter"
        );
        let refused = RawClient::try_login(stack.proxied_address(), &named("gone"));
        let refused = refused.err().expect("nobody is there");
        assert_eq!(refused.sqlstate(), "08001", "{sharing:?} {refused:?}");
        let unlisted = RawClient::try_login(stack.proxied_address(), &named("sales_prod"));
        let unlisted = unlisted.err().expect("it is at the other server");
        assert_eq!(unlisted.sqlstate(), "3D000", "{sharing:?} {unlisted:?}");
    }
}

/// Catalogs of databases with one name are told apart; texts are compiled, and cancels go, where
/// the session is.
#[test]
fn what_belongs_to_a_session_is_at_the_server_of_its_database() {
    for sharing in SHARINGS {
        let servers = TwoServers::start(sharing, "");
        let stack = &servers.stack;
        let too = format!("{}_too", stack.database());
        for (named, right, wrong) in [
            (stack.database(), "OWN_COLUMN", "OTHER_COLUMN"),
            (&too, "OTHER_COLUMN", "OWN_COLUMN"),
            ("sales", "OTHER_COLUMN", "OWN_COLUMN"),
        ] {
            let mut client = servers.login(named);
            let repaired = until(|| {
                let answer = client.query(&format!("SELECT \"{right}\" FROM things"));
                (kinds(&answer) == "TDNCZ").then_some(())
            });
            assert!(
                repaired.is_some(),
                "{sharing:?} {named}: {}",
                stack.stderr()
            );
            let answer = client.query(&format!("SELECT \"{wrong}\" FROM things"));
            assert_eq!(answer[0].sqlstate(), "42703", "{sharing:?} {named}");
            client.send(&frames::query(LONG));
            std::thread::sleep(Duration::from_millis(500));
            let (pid, secret) = client.key.clone().unwrap();
            RawClient::connect(stack.proxied_address()).send(&frames::cancel_request(pid, &secret));
            let answer = client.until_ready();
            let last = &answer[answer.len() - 2];
            assert_eq!(last.sqlstate(), "57014", "{sharing:?} {named}: {answer:?}");
        }
    }
}

/// Policies and the audit have the name that the client says.
#[test]
fn policies_are_chosen_by_the_name_of_the_client() {
    let folder = new_folder();
    for (name, database) in [("sales", "sales"), ("rest", "*")] {
        let agent = include_str!("../../../policies/agent.yaml");
        let (before, _) = agent.split_once("\ntests:\n").unwrap();
        let text = before.replace("\nname: agent\n", &format!("\nname: {name}\n"));
        let hidden = match name {
            "sales" => "\nrelations: {deny: [public.things]}\n",
            _ => "",
        };
        let text = format!("{text}{hidden}\nmatch: {{database: \"{database}\"}}\n");
        std::fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
    }
    let policy = format!(
        "policy:\n  file: [{0}/sales.yaml, {0}/rest.yaml]\n",
        folder.display()
    );
    let servers = TwoServers::start(Sharing::All, &policy);
    let mut sales = servers.login("sales");
    let answer = sales.query("SELECT * FROM things");
    assert_eq!(answer[0].sqlstate(), "42501", "{answer:?}");
    let mut tenant = servers.login("tenant_7");
    assert_eq!(
        rows(&tenant.query("SELECT * FROM things")),
        ["of the other"]
    );
    servers
        .stack
        .audited(|event| event["database"] == "sales" && event["policy"] == "sales");
    drop(std::fs::remove_dir_all(folder));
}

/// What would never count, or would log in as somebody else, is told before a start.
#[test]
fn a_check_logs_in_at_every_server() {
    let other = cluster();
    let port = other.port();
    let folder = new_folder();
    let file = folder.join("pgsieve.yaml");
    let check = |databases: &str| {
        let text = format!(
            "upstream: {{url: 'postgres://app:app@127.0.0.1:{port}/postgres'}}\n\
             client: {{auth: {{method: trust}}}}\ndatabases:\n{databases}\n"
        );
        std::fs::write(&file, text).unwrap();
        let file = file.display().to_string();
        let ended = pgsieve(&["serve", "--check", "--config", &file], "");
        let said = [ended.stdout, ended.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        (ended.status.code(), said)
    };
    let (status, said) = check(&format!(
        "- {{name: sales, url: 'postgres://127.0.0.1:{port}/template1'}}"
    ));
    assert_eq!(status, Some(0), "{said}");
    let wanted = format!("a login at the upstream 127.0.0.1:{port} works");
    assert!(said.contains(&wanted), "{said}");
    let (status, said) = check(&format!(
        "- {{name: sales, url: 'postgres://127.0.0.1:{port}/nowhere'}}"
    ));
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("\"nowhere\""), "{said}");
    drop(std::fs::remove_dir_all(folder));
}

/// New databases want a restart, and nothing of the settings beside them is taken before.
#[test]
fn new_databases_want_a_restart() {
    let servers = TwoServers::start(Sharing::All, "");
    let mut stack = servers.stack;
    let file = stack.folder().join("pgsieve.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("- name: sales\n", "- name: sale\n")).unwrap();
    stack.signal(pgsieve::demo::supervisor::ChildSignal::Reload);
    let metric = "pgsieve_settings_reloads_total{outcome=\"rejected\"}";
    assert!(until(|| (stack.metric(metric) >= 1.0).then_some(())).is_some());
    let said = stack.stderr();
    assert!(
        said.contains("databases") && said.contains("needs a restart"),
        "{said}"
    );
}
