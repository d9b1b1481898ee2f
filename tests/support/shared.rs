//! The private Postgres that all tests share, one for each version, and its roles.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use pgsieve::demo::cluster::{ClusterBuilder, ClusterError, PasswordMethod, PrivateCluster};

use super::sql;

/// The superuser.
pub const ADMIN: &str = "postgres";
/// Owns each test's database and what is created in it; no superuser.
pub const APP: &str = "app";
/// May read every table and write none.
pub const READER: &str = "reader";

/// All versions that pgsieve knows.
pub const VERSIONS: [u32; 6] = [13, 14, 15, 16, 17, 18];

/// The shared Postgres of the newest installed version.
pub fn shared_cluster() -> &'static PrivateCluster {
    static SHARED: LazyLock<PrivateCluster> =
        LazyLock::new(|| start(None).expect("a private Postgres"));
    &SHARED
}

/// The shared Postgres of a given version, where its programs can be had. Never dropped: its
/// supervisor sees this process end.
pub fn shared_cluster_of(version: u32) -> Option<&'static PrivateCluster> {
    static OTHERS: [OnceLock<Option<PrivateCluster>>; VERSIONS.len()] =
        [const { OnceLock::new() }; VERSIONS.len()];
    if version == shared_cluster().version() {
        return Some(shared_cluster());
    }
    let place = VERSIONS
        .iter()
        .position(|one| *one == version)
        .expect("a version of the list");
    let found = OTHERS[place].get_or_init(|| match start(Some(version)) {
        Ok(cluster) => Some(cluster),
        Err(ClusterError::Unavailable { .. }) => {
            eprintln!("SKIPPED: there is no Postgres {version} to be had on this machine");
            None
        }
        Err(other) => panic!("{other}"),
    });
    found.as_ref()
}

/// A server of a test's own. It begins with a copy of the data of the shared one, so it is the same
/// server by its own number: where servers are told apart, a [`PrivateCluster::builder`] is wanted.
pub fn own_cluster() -> ClusterBuilder {
    PrivateCluster::builder().like(shared_cluster_of)
}

/// A database of one's own, owned by [`APP`], readable for [`READER`].
pub fn new_database(cluster: &PrivateCluster) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    static WITH_ORIGIN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let name = format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let url = cluster.url(ADMIN, ADMIN, "postgres");
    // A copy of files takes a quarter of the time of one that goes through the WAL.
    let copied = if cluster.version() < 15 {
        ""
    } else {
        "STRATEGY FILE_COPY"
    };
    // Another cluster may have the port of one that is gone.
    let mut with_origin = WITH_ORIGIN.lock().unwrap_or_else(PoisonError::into_inner);
    if !with_origin.contains(&cluster.data()) {
        sql::run_blocking(
            &url,
            &[&format!(
                "CREATE DATABASE {ORIGIN} TEMPLATE template0 {copied}"
            )],
        );
        prepare_origin(cluster);
        with_origin.insert(cluster.data());
    }
    drop(with_origin);
    sql::run_blocking(
        &url,
        &[&format!(
            "CREATE DATABASE {name} OWNER {APP} TEMPLATE {ORIGIN} {copied}"
        )],
    );
    name
}

/// What databases of tests are copies of.
const ORIGIN: &str = "origin_of_tests";

fn prepare_origin(cluster: &PrivateCluster) {
    sql::run_blocking(
        &cluster.url(ADMIN, ADMIN, ORIGIN),
        &[
            &format!("ALTER SCHEMA public OWNER TO {APP}"),
            &format!("ALTER DEFAULT PRIVILEGES FOR ROLE {APP} GRANT SELECT ON TABLES TO {READER}"),
            &format!(
                "ALTER DEFAULT PRIVILEGES FOR ROLE {ADMIN} GRANT SELECT ON TABLES TO {READER}, {APP}"
            ),
        ],
    );
}

/// Makes the roles of the tests in a cluster that a test has started by itself.
pub fn prepare(cluster: &PrivateCluster) {
    sql::run_blocking(
        &cluster.admin_url("postgres"),
        &[
            &format!("ALTER ROLE {ADMIN} PASSWORD '{ADMIN}'"),
            &format!("CREATE ROLE {APP} LOGIN PASSWORD '{APP}'"),
            &format!("CREATE ROLE {READER} LOGIN PASSWORD '{READER}'"),
            // The sample's tables belong to it.
            &format!("CREATE ROLE shop_owner ROLE {APP}"),
        ],
    );
}

fn start(version: Option<u32>) -> Result<PrivateCluster, ClusterError> {
    let builder = PrivateCluster::builder()
        .for_others()
        .auth(PasswordMethod::Scram)
        // Hundreds of databases, none of which lives for long, would be vacuumed all the time.
        .conf("autovacuum = off")
        .conf("max_prepared_transactions = 5");
    let cluster = match version {
        Some(major) => builder.version(major),
        None => builder,
    }
    .start()?;
    prepare(&cluster);
    Ok(cluster)
}
