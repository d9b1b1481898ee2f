//! What keeps the doctor from looking: said clearly, with the status for it, and without a word of
//! the address.

use crate::doctor::support::{Place, cluster_of, doctor, run};
use crate::support::ports::free_port;

/// The status is 2, nothing is printed, and what is said holds these words and no secret.
#[track_caller]
fn check(url: &str, words: &str) {
    let output = doctor(&["--upstream", url]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty());
    assert!(said.contains(words), "{said}");
    let shown = said.replace("postgres://user@host/name", "");
    let shown = shown.replace("postgres://user:password@host/name", "");
    let shown = shown.replace("postgres://user@host:port/database", "");
    let shown = shown.replace("must start with postgres://", "");
    for secret in ["hunter2", "postgres://", "127.0.0.1", "r_secret"] {
        assert!(!shown.contains(secret), "{said}");
    }
}

#[test]
fn what_keeps_it_from_looking_is_said_without_the_address() {
    let Some(cluster) = cluster_of(15) else {
        return;
    };
    let place = run(Place::named(cluster, "failing", "r_secret"));
    let at = format!("127.0.0.1:{}", cluster.port());
    let url = |role: &str, password: &str, rest: &str| {
        format!("postgres://{role}:{password}@{at}/{rest}")
    };
    let (role, database) = (place.role.as_str(), place.database.as_str());
    check(
        &url(role, "hunter2", database),
        "28P01: the password does not fit",
    );
    check(&url("nobody", "hunter2", database), "28P01");
    check(&url(role, role, "hunter2"), "3D000: no such database");
    let tls = format!("{database}?sslmode=require");
    check(&url(role, role, &tls), "it does not offer TLS");
    check(&format!("postgres://{at}/{database}"), "names no user");
    check(
        &format!("postgres://{role}@{at}/{database}"),
        "a password and none is given",
    );
    check(
        &format!("{role}:hunter2@{at}"),
        "must start with postgres://",
    );
    let nowhere = free_port();
    let nowhere = format!("postgres://{role}:hunter2@127.0.0.1:{nowhere}/x");
    check(&nowhere, "nobody answers");
    run(place.make("REVOKE CONNECT ON DATABASE {d} FROM {r}"));
    check(
        &url(role, role, database),
        "42501: the role may not connect",
    );
}

#[test]
fn a_question_that_is_wrong_has_the_status_for_it() {
    for arguments in [
        &[][..],
        &["--upstream", "postgres://a@b/c", "--fail-on", "note"],
        &["--upstream", "postgres://a@b/c", "--json", "--sql"],
    ] {
        assert_eq!(doctor(arguments).status.code(), Some(2), "{arguments:?}");
    }
}
