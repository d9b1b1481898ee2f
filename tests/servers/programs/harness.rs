//! The harness itself: what other tests rely on must hold first. Past pgsieve, so that a fault
//! here is a fault of the harness.

use crate::support::raw::{Login, kinds};
use crate::support::{ADMIN, APP, READER, RawClient, frames, shared, shared_cluster, sql};

#[tokio::test]
async fn roles_can_do_what_their_names_say() {
    let cluster = shared_cluster();
    let database = sql::blocking(|| shared::new_database(cluster));
    let app = sql::connect(&cluster.url(APP, APP, &database))
        .await
        .unwrap();
    app.batch_execute("CREATE TABLE t AS SELECT 1 AS n")
        .await
        .unwrap();
    let reader = sql::connect(&cluster.url(READER, READER, &database))
        .await
        .unwrap();
    assert_eq!(sql::rows(&reader, "SELECT n FROM t").await, [["1"]]);
    assert_eq!(
        sql::refusal(&reader, "DELETE FROM t").await.code().code(),
        "42501"
    );
    let admin = sql::connect(&cluster.url(ADMIN, ADMIN, &database))
        .await
        .unwrap();
    assert_eq!(sql::rows(&admin, "SHOW is_superuser").await, [["on"]]);
}

#[test]
fn the_raw_client_reads_whole_answers() {
    let cluster = shared_cluster();
    let login = Login {
        user: APP,
        password: APP,
        database: "postgres",
        parameters: &[],
    };
    let address = ([127, 0, 0, 1], cluster.port()).into();
    let mut client = RawClient::login(address, &login);
    assert!(client.key.is_some());
    assert!(
        client
            .parameters
            .iter()
            .any(|(name, _)| name == "server_version")
    );
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    client.send(&frames::extended("SELECT $1::int", &[Some("7")], true));
    let answer = client.until_ready();
    assert_eq!(kinds(&answer), "12TDCZ");
    assert_eq!(answer[3].body, [0, 1, 0, 0, 0, 4, 0, 0, 0, 7]);
    assert_eq!(client.query("SELECT 1/0")[0].sqlstate(), "22012");
    let prepared = [frames::parse("s", "SELECT 1"), frames::describe(b'S', "s")].concat();
    client.send(&[prepared, frames::close(b'S', "s"), frames::sync()].concat());
    assert_eq!(kinds(&client.until_ready()), "1tT3Z");
    client.send(&frames::terminate());
    assert!(client.until_closed().is_empty());
}

#[test]
fn a_wrong_password_is_told_apart() {
    let login = Login {
        user: APP,
        password: "wrong",
        database: "postgres",
        parameters: &[],
    };
    let address = ([127, 0, 0, 1], shared_cluster().port()).into();
    assert_eq!(
        RawClient::try_login(address, &login)
            .err()
            .unwrap()
            .sqlstate(),
        "28P01"
    );
}
