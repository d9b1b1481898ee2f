//! Private servers, well set-up databases in them, and the doctor.

use std::process::{Command, Output};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use pgsieve::demo::cluster::{ClusterBuilder, ClusterError, PasswordMethod, PrivateCluster};
use pgsieve::doctor::check::FindingSeverity;
use pgsieve::doctor::finding::Finding;
use pgsieve::doctor::{DoctorReport, examine};
use pgsieve::upstream::account::UpstreamAccount;
use pgsieve::upstream::address::UpstreamSettings;
use pgsieve::upstream::connect::Upstream;
use tokio_postgres::{Client, Config, NoTls};

use crate::support::own_cluster;
use crate::support::sql;

/// The versions that are examined: the oldest, an old one, the newest.
pub const VERSIONS: [u32; 3] = [13, 15, 18];

/// A well set-up database, and a role that may read some of it.
pub struct Place {
    /// The server.
    pub cluster: &'static PrivateCluster,
    /// The database.
    pub database: String,
    /// The role; its password is its name.
    pub role: String,
}

/// The server of a version, or a loud note that it cannot be had. Never dropped: its supervisor
/// sees this process end.
pub fn cluster_of(version: u32) -> Option<&'static PrivateCluster> {
    static CLUSTERS: [LazyLock<Option<PrivateCluster>>; 3] = [
        LazyLock::new(|| start(13, own_cluster())),
        LazyLock::new(|| start(15, own_cluster())),
        LazyLock::new(|| start(18, own_cluster())),
    ];
    let place = VERSIONS.iter().position(|known| *known == version);
    CLUSTERS[place.expect("a version of the list")].as_ref()
}

/// A server of one's own, prepared as the others are.
pub fn start(version: u32, builder: ClusterBuilder) -> Option<PrivateCluster> {
    // The superuser's many logins cost more than everything else otherwise.
    let builder = builder.version(version).auth(PasswordMethod::Scram);
    let started = builder.hba("host all postgres 127.0.0.1/32 trust").start();
    let cluster = match started {
        Ok(cluster) => cluster,
        Err(ClusterError::Unavailable { .. }) => {
            eprintln!("SKIPPED: there is no Postgres {version} to be had on this machine");
            return None;
        }
        Err(other) => panic!("{other}"),
    };
    let admin = cluster.admin_url("postgres");
    let database = cluster.admin_url(GOOD);
    run(async {
        let admin = connect(&admin).await;
        execute(&admin, "REVOKE CONNECT ON DATABASE postgres FROM PUBLIC").await;
        execute(&admin, &format!("CREATE DATABASE {GOOD}")).await;
        let client = connect(&database).await;
        execute(&client, include_str!("../../data/schemas/doctor/good.sql")).await;
        execute(
            &admin,
            &format!("REVOKE ALL ON DATABASE {GOOD} FROM PUBLIC"),
        )
        .await;
    });
    Some(cluster)
}

impl Place {
    /// A new one.
    pub async fn new(cluster: &'static PrivateCluster) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self::named(cluster, &format!("d{number}"), &format!("r{number}")).await
    }

    /// One with these names.
    pub async fn named(cluster: &'static PrivateCluster, database: &str, role: &str) -> Self {
        prepare(cluster, database, role).await;
        Self {
            cluster,
            database: database.to_owned(),
            role: role.to_owned(),
        }
    }

    /// Runs statements as superuser; `{r}` is the role and `{d}` the database.
    pub async fn make(&self, statements: &str) {
        execute(&self.admin().await, &self.filled(statements)).await;
    }

    /// Runs them one after the other in one session.
    pub async fn run_all(&self, statements: impl IntoIterator<Item = &str>) {
        let admin = self.admin().await;
        for statement in statements {
            execute(&admin, statement).await;
        }
    }

    /// A session of the superuser.
    pub async fn admin(&self) -> Client {
        admin_of(self.cluster, &self.database).await
    }

    /// The rows of a text as text, seen by the superuser.
    pub async fn rows(&self, text: &str) -> Vec<Vec<String>> {
        let admin = self.admin().await;
        sql::rows(&admin, &self.filled(text)).await
    }

    /// What the doctor finds.
    pub async fn examine(&self) -> DoctorReport {
        self.examine_as(&self.role, &self.role).await
    }

    /// What the doctor finds as another role.
    pub async fn examine_as(&self, role: &str, password: &str) -> DoctorReport {
        let address = format!("postgres://127.0.0.1:{}/", self.cluster.port());
        self.examine_at(&address, role, password).await.unwrap()
    }

    /// What the doctor finds over another way.
    pub async fn examine_at(
        &self,
        address: &str,
        role: &str,
        password: &str,
    ) -> Result<DoctorReport, String> {
        let upstream = Upstream::load(UpstreamSettings::parse(address).unwrap()).unwrap();
        let account = UpstreamAccount {
            user: role.to_owned(),
            secret: Some(pgsieve::secret::Secret::new(password).into()),
        };
        let examined = examine(&upstream, &account, &self.database).await;
        examined.map_err(|error| error.to_string())
    }

    /// The address with everything in it, for the program.
    pub fn url(&self) -> String {
        let escape = |name: &str| {
            name.bytes()
                .map(|byte| format!("%{byte:02x}"))
                .collect::<String>()
        };
        let (role, database) = (escape(&self.role), escape(&self.database));
        let port = self.cluster.port();
        format!("postgres://{role}:{role}@127.0.0.1:{port}/{database}")
    }

    /// A text with the names in their places.
    pub fn filled(&self, text: &str) -> String {
        filled(text, &self.database, &self.role)
    }
}

/// Makes a well set-up database, and a role that may read some of it. Nobody can connect to the
/// database before everybody's right to do so is taken back: a role that a neighbour examines
/// meanwhile would be told of it.
pub async fn prepare(cluster: &PrivateCluster, database: &str, role: &str) {
    let admin = admin_of(cluster, "postgres").await;
    let text = "CREATE DATABASE {d} TEMPLATE good ALLOW_CONNECTIONS false";
    let text = filled(text, database, role);
    // Somebody who has just left the template may still be seen in it.
    let mut made = admin.batch_execute(&text).await;
    for _ in 0..300 {
        if made.is_ok() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        made = admin.batch_execute(&text).await;
    }
    made.unwrap();
    for text in [
        "REVOKE ALL ON DATABASE {d} FROM PUBLIC",
        "ALTER DATABASE {d} ALLOW_CONNECTIONS true",
    ] {
        execute(&admin, &filled(text, database, role)).await;
    }
    let admin = admin_of(cluster, database).await;
    execute(&admin, &filled(ROLE, database, role)).await;
}

async fn admin_of(cluster: &PrivateCluster, database: &str) -> Client {
    let mut config = Config::new();
    config.host("127.0.0.1").port(cluster.port());
    config.user(cluster.admin());
    config.password(cluster.admin_password());
    connect_with(config.dbname(database)).await
}

fn filled(text: &str, database: &str, role: &str) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    text.replace("{r}", &quoted(role))
        .replace("{d}", &quoted(database))
        .replace("{r_text}", &role.replace('\'', "''"))
}

/// What a check found.
pub fn finding<'e>(examination: &'e DoctorReport, id: &str) -> &'e Finding {
    let mut of_it = examination.findings.iter().filter(|f| f.check.id == id);
    let found = of_it
        .next()
        .unwrap_or_else(|| panic!("{id} was not looked for"));
    assert!(of_it.next().is_none(), "{id} was looked for twice");
    found
}

/// Whether a check found something.
pub fn fires(examination: &DoctorReport, id: &str) -> bool {
    finding(examination, id).severity > FindingSeverity::Unseen
}

/// Runs the program, without any of our variables in its environment.
pub fn doctor(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    command.arg("doctor").args(arguments).env_clear();
    command.output().unwrap()
}

/// Runs something async to its end.
pub fn run<F: Future>(work: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(work)
}

/// Connects; the task ends with the client.
pub async fn connect(url: &str) -> Client {
    connect_with(&url.parse().unwrap()).await
}

async fn connect_with(config: &Config) -> Client {
    let (client, connection) = config.connect(NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Runs statements.
pub async fn execute(client: &Client, text: &str) {
    let done = client.batch_execute(text).await;
    done.unwrap_or_else(|error| panic!("{error:?} at {text}"));
}

/// The database that others are copied from.
const GOOD: &str = "good";

/// A role as it should be.
const ROLE: &str = "CREATE ROLE {r} LOGIN PASSWORD '{r_text}' CONNECTION LIMIT 50; \
    GRANT CONNECT ON DATABASE {d} TO {r}; \
    GRANT USAGE ON SCHEMA app TO {r}; \
    GRANT SELECT ON app.t, app.guarded, app.v TO {r}; \
    ALTER ROLE {r} SET default_transaction_read_only = on; \
    ALTER ROLE {r} SET statement_timeout = '30s'; \
    ALTER ROLE {r} SET idle_in_transaction_session_timeout = '30s'; \
    ALTER ROLE {r} SET lock_timeout = '5s'; \
    ALTER ROLE {r} SET temp_file_limit = '1GB'; \
    DO $versions$ BEGIN \
      IF current_setting('server_version_num')::int >= 140000 THEN \
        ALTER ROLE {r} SET idle_session_timeout = '1h'; END IF; \
      IF current_setting('server_version_num')::int >= 170000 THEN \
        ALTER ROLE {r} SET transaction_timeout = '5min'; END IF; \
    END $versions$";
