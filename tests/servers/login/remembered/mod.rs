//! Clients that log in with their own passwords at the database and share its connections: those of
//! one user with one password, for as long as its last proof holds, and nobody else.

mod changes;
mod crowds;
mod drivers;
mod held_out;
mod methods;
mod model;
mod sharing;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use pgsieve::demo::cluster::{ClusterError, PasswordMethod, PrivateCluster, random_name};

use crate::support::raw::{Frame, Login, values};
use crate::support::{ADMIN, Options, RawClient, Stack, own_cluster, shared as clusters, sql};

/// A pgsieve before a database that says who clients are.
struct Sieve {
    stack: Stack,
    cluster: &'static PrivateCluster,
}

/// How one differs from the default.
struct Wish<'w> {
    /// How long a password holds.
    cache_age: &'w str,
    /// How long a client has a connection.
    mode: &'w str,
    /// Connections of each password.
    size: usize,
    /// Other settings.
    others: &'w str,
    /// In the place of the server's own address.
    address: Option<String>,
    /// The server; the newest that is installed if none.
    cluster: Option<&'static PrivateCluster>,
}

impl Default for Wish<'_> {
    fn default() -> Self {
        Self {
            cache_age: "5min",
            mode: "transaction",
            size: 2,
            others: "",
            address: None,
            cluster: None,
        }
    }
}

/// The Postgres of all these tests. It logs each login that it lets in.
fn cluster() -> &'static PrivateCluster {
    static CLUSTER: LazyLock<PrivateCluster> = LazyLock::new(|| start(None).unwrap());
    &CLUSTER
}

/// One of another version, where its programs can be had.
fn other_cluster() -> Option<&'static PrivateCluster> {
    static CLUSTER: LazyLock<Option<PrivateCluster>> = LazyLock::new(|| match start(Some(18)) {
        Ok(cluster) => Some(cluster),
        Err(ClusterError::Unavailable { .. }) => {
            eprintln!("SKIPPED: there is no Postgres 18 to be had on this machine");
            None
        }
        Err(other) => panic!("{other}"),
    });
    CLUSTER.as_ref()
}

fn start(version: Option<u32>) -> Result<PrivateCluster, ClusterError> {
    let builder = own_cluster()
        .auth(PasswordMethod::Scram)
        .conf("log_connections = on")
        .hba("host all asked_in_clear all password")
        .hba("host all asked_for_md5 all md5")
        .hba("host all let_in,let_in_alone all trust")
        .hba("host all kept_out all reject");
    let builder = match version {
        Some(version) => builder.version(version),
        None => builder,
    };
    let cluster = builder.start()?;
    clusters::prepare(&cluster);
    Ok(cluster)
}

/// Runs statements as superuser.
fn run(cluster: &PrivateCluster, statements: &[&str]) {
    sql::run_blocking(&cluster.url(ADMIN, ADMIN, "postgres"), statements);
}

/// A role with its name for a password, and a name that no other test has.
fn role(more: &str) -> String {
    role_at(cluster(), more)
}

/// The same at another server.
fn role_at(cluster: &PrivateCluster, more: &str) -> String {
    let name = format!("u{}", random_name().unwrap());
    let made = format!("CREATE ROLE {name} LOGIN PASSWORD '{name}'");
    let changed = format!("ALTER ROLE {name} {more}");
    match more {
        "" => run(cluster, &[&made]),
        _ => run(cluster, &[&made, &changed]),
    }
    name
}

impl Sieve {
    fn start(wish: &Wish<'_>) -> Self {
        let cluster = wish.cluster.unwrap_or_else(cluster);
        let here = format!("127.0.0.1:{}", cluster.port());
        let address = wish.address.as_ref().unwrap_or(&here);
        let config = format!(
            "upstream:\n  url: postgres://{ADMIN}:{ADMIN}@{address}/{{database}}\n\
             listen: {{listen}}\nadmin:\n  listen: {{admin}}\naudit:\n  to: {{audit}}\n\
             catalog:\n  age_max: 60s\npool:\n  mode: {}\n  size: {}\n\
             client:\n  auth:\n    passthrough:\n      cache_age: {}\n{}",
            wish.mode, wish.size, wish.cache_age, wish.others
        );
        let stack = Stack::start(Options {
            cluster: Some(cluster),
            config: Some(config),
            ..Options::default()
        });
        Self { stack, cluster }
    }

    fn try_as(
        &self,
        (user, password): (&str, &str),
        parameters: &[(&str, &str)],
    ) -> Result<RawClient, Frame> {
        let login = Login {
            user,
            password,
            database: self.stack.database(),
            parameters,
        };
        RawClient::try_login(self.stack.proxied_address(), &login)
    }

    fn try_login(&self, user: &str, password: &str) -> Result<RawClient, Frame> {
        self.try_as((user, password), &[])
    }

    fn login(&self, user: &str, password: &str) -> RawClient {
        let tried = self.try_login(user, password);
        tried.unwrap_or_else(|error| panic!("{error:?}\n{}", self.stack.stderr()))
    }

    /// The SQLSTATE and the words of a login that fails.
    fn refusal(&self, user: &str, password: &str) -> (String, String) {
        match self.try_login(user, password) {
            Ok(_) => panic!("{user} got in"),
            Err(error) => (error.sqlstate(), error.field(b'M').unwrap()),
        }
    }

    /// Fails to log in as it would at the database with a wrong password.
    fn refuses(&self, user: &str, password: &str) {
        let words = format!("password authentication failed for user \"{user}\"");
        assert_eq!(self.refusal(user, password), ("28P01".into(), words));
    }

    /// Logins of a user that the server has let in so far.
    fn logins(&self, user: &str) -> usize {
        let line = format!(
            "connection authorized: user={user} database={}",
            self.stack.database()
        );
        let of_client = |said: &&str| {
            // Sessions that read the catalog are others.
            let rest = said.split_once(&line).map(|(_, rest)| rest);
            rest.is_some_and(|rest| {
                (rest.is_empty() || rest.starts_with(' ')) && !rest.contains("pgsieve")
            })
        };
        self.cluster.log().lines().filter(of_client).count()
    }

    /// Whether the server has that connection.
    fn has(&self, pid: &str) -> bool {
        let text = format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}");
        let told = sql::block_on(async { sql::rows(&self.stack.direct(ADMIN).await, &text).await });
        told[0][0] != "0"
    }

    /// Connections of a user that the server has now, but for those that read the catalog.
    fn connections(&self, user: &str) -> usize {
        let text = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = '{user}' \
             AND application_name NOT LIKE 'pgsieve %'"
        );
        let told = sql::block_on(async { sql::rows(&self.stack.direct(ADMIN).await, &text).await });
        told[0][0].parse().unwrap()
    }
}

/// Who a client is at the server, and on which connection.
fn who(client: &mut RawClient) -> (String, String) {
    let answer = client.query("SELECT current_user, pg_backend_pid()");
    let mut rows = values(&answer);
    assert_eq!(rows.len(), 1, "{answer:?}");
    let mut told = rows.remove(0);
    let pid = told.pop().unwrap();
    (told.pop().unwrap(), pid)
}

/// The connections that a client was served by in some turns.
fn pids(clients: &mut [(String, RawClient)]) -> BTreeSet<(String, String)> {
    let mut seen = BTreeSet::new();
    for _ in 0..3 {
        for (user, client) in clients.iter_mut() {
            let (told, pid) = who(client);
            assert_eq!(&told, user);
            seen.insert((told, pid));
        }
    }
    seen
}
