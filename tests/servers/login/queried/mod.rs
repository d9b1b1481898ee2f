//! Users whose verifiers the database has: they log in with their own passwords, which pgsieve
//! never learns, and are themselves at the database.

mod faults;
mod logins;
mod shared;
mod tls;

use std::sync::LazyLock;

use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster, TlsFiles, random_name};

use crate::login::support::certificates;
use crate::support::command::pgsieve;
use crate::support::raw::{Frame, Login, values};
use crate::support::{
    ADMIN, Options, RawClient, Stack, own_cluster, shared as clusters, sql, until,
};

/// A pgsieve that asks its database for verifiers.
struct Queried {
    stack: Stack,
    /// Who asks.
    asker: String,
}

/// How one differs from the default.
#[derive(Default)]
struct Wish<'w> {
    /// Lines of `client.auth.query`, with eight spaces before each.
    query: &'w str,
    /// Other settings.
    others: &'w str,
    /// Lines of `client.tls`, with four spaces before each.
    tls: &'w str,
    /// What else stands in the URL.
    parameters: &'w str,
    /// In the place of the server's own address.
    address: Option<String>,
}

/// The Postgres of all these tests.
fn cluster() -> &'static PrivateCluster {
    static CLUSTER: LazyLock<PrivateCluster> = LazyLock::new(|| {
        let files = certificates();
        let cluster = own_cluster()
            .auth(PasswordMethod::Scram)
            .tls(TlsFiles {
                certificate: files.server.clone(),
                key: files.server_key.clone(),
                client_authority: Some(files.authority.clone()),
            })
            .hba("host all asked_in_clear all password")
            .hba("host all asked_for_md5 all md5")
            .hba("host all kept_out all reject")
            .start()
            .unwrap();
        clusters::prepare(&cluster);
        cluster
    });
    &CLUSTER
}

/// Runs statements as superuser.
fn run(statements: &[&str]) {
    sql::run_blocking(&cluster().url(ADMIN, ADMIN, "postgres"), statements);
}

/// A role with its name for a password, and a name that no other test has.
fn role(more: &str) -> String {
    let name = format!("u{}", random_name().unwrap());
    run(&[&format!(
        "CREATE ROLE {name} LOGIN PASSWORD '{name}' {more}"
    )]);
    name
}

impl Queried {
    /// With the function that `pgsieve doctor --sql` prints.
    fn start(wish: &Wish<'_>) -> Self {
        let queried = Self::bare(wish);
        let config = queried.stack.folder().join("pgsieve.yaml");
        let config = config.to_str().unwrap();
        let printed = pgsieve(&["doctor", "--config", config, "--sql"], "");
        let printed = String::from_utf8(printed.stdout).unwrap();
        assert!(printed.contains("CREATE OR REPLACE FUNCTION"), "{printed}");
        // As it is printed.
        queried.stack.prepare(&[&printed]);
        queried
    }

    /// Without any.
    fn bare(wish: &Wish<'_>) -> Self {
        let asker = role("");
        let here = format!("127.0.0.1:{}", cluster().port());
        let address = wish.address.as_ref().unwrap_or(&here);
        let tls = match wish.tls.is_empty() {
            true => String::new(),
            false => format!("  tls:\n{}", wish.tls),
        };
        let query = match wish.query.is_empty() {
            true => String::new(),
            false => format!("    query:\n{}", wish.query),
        };
        let config = format!(
            "upstream:\n  url: postgres://{asker}:{asker}@{address}/{{database}}?{}\n\
             listen: {{listen}}\nadmin:\n  listen: {{admin}}\naudit:\n  to: {{audit}}\n\
             catalog:\n  age_max: 60s\nclient:\n{tls}  auth:\n    method: auth_query\n{query}{}",
            wish.parameters, wish.others
        );
        let stack = Stack::start(Options {
            cluster: Some(cluster()),
            config: Some(config),
            ..Options::default()
        });
        Self { stack, asker }
    }

    fn try_login(&self, user: &str, password: &str) -> Result<RawClient, Frame> {
        let login = Login {
            user,
            password,
            database: self.stack.database(),
            parameters: &[],
        };
        RawClient::try_login(self.stack.proxied_address(), &login)
    }

    fn login(&self, user: &str) -> RawClient {
        let tried = self.try_login(user, user);
        tried.unwrap_or_else(|error| panic!("{error:?}\n{}", self.stack.stderr()))
    }

    /// The SQLSTATE and the words of a login that fails.
    fn refusal(&self, user: &str, password: &str) -> (String, String) {
        match self.try_login(user, password) {
            Ok(_) => panic!("{user} got in"),
            Err(error) => (error.sqlstate(), error.field(b'M').unwrap()),
        }
    }

    /// Fails to log in as it would with a wrong password.
    fn refuses(&self, user: &str, password: &str) {
        let words = format!("password authentication failed for user \"{user}\"");
        assert_eq!(self.refusal(user, password), ("28P01".into(), words));
    }

    /// Waits until the log has a line of that event with these words.
    fn logged(&self, event: &str, words: &str) {
        let has = |line: &str| line.contains(event) && line.contains(words);
        let found = until(|| self.stack.stderr().lines().any(has).then_some(()));
        assert!(found.is_some(), "{event} {words}: {}", self.stack.stderr());
    }
}

/// The only row of an answer.
fn row(answer: &[Frame]) -> Vec<String> {
    let mut rows = values(answer);
    assert_eq!(rows.len(), 1, "{answer:?}");
    rows.remove(0)
}

/// One session of a client has a connection of its own.
const SESSION: &str = "pool:\n  mode: session\n";
