//! Postgres 18, which speaks protocol 3.2 itself: long cancel keys on both legs.

use pgsieve::demo::cluster::{ClusterError, PasswordMethod};

use crate::login::support::{PASSWORD, Setup, Sieve, psql, text};
use crate::support::own_cluster;

#[test]
fn long_keys_on_both_legs() {
    let started = own_cluster()
        .version(18)
        .auth(PasswordMethod::Scram)
        .start();
    let cluster = match started {
        Ok(cluster) => cluster,
        Err(ClusterError::Unavailable { .. }) => return,
        Err(other) => panic!("{other}"),
    };
    let script = format!("CREATE ROLE scramy LOGIN PASSWORD '{PASSWORD}'");
    let made = psql(&cluster.admin_url("postgres"), "", &script);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let upstream = format!("postgres://127.0.0.1:{}/?sslmode=disable", cluster.port());
    let sieve = Sieve::start(Setup {
        upstream,
        ..Setup::plain()
    });
    sieve.check_in(&sieve.target("scramy", ""), PASSWORD, "scramy");
    crate::login::cancels::check_interrupted(&sieve, &sieve.target("scramy", ""));
}
