//! Connections that sessions share: those of one user with one password, and of nobody else.

use std::collections::BTreeSet;

use super::{Queried, Wish, role, row, run};
use crate::support::raw::kinds;
use crate::support::{ADMIN, RawClient, frames, sql, until};

const ONE: &str = "pool:\n  size: 1\n";

fn who(client: &mut RawClient) -> (String, String) {
    let mut told = row(&client.query("SELECT current_user, pg_backend_pid()"));
    let pid = told.pop().unwrap();
    (told.pop().unwrap(), pid)
}

/// Connections of a user at the server.
fn connections(queried: &Queried, user: &str) -> usize {
    let text = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = '{user}' \
         AND application_name NOT LIKE 'pgsieve %'"
    );
    let told = sql::block_on(async { sql::rows(&queried.stack.direct(ADMIN).await, &text).await });
    told[0][0].parse().unwrap()
}

#[test]
fn two_users_never_have_one_connection_and_two_sessions_of_one_do() {
    let queried = Queried::start(&Wish {
        others: ONE,
        ..Wish::default()
    });
    let users = [role(""), role("")];
    let mut clients: Vec<(usize, RawClient)> = (0..8)
        .map(|number| (number % 2, queried.login(&users[number % 2])))
        .collect();
    let mut pids = [BTreeSet::new(), BTreeSet::new()];
    for _ in 0..3 {
        for (own, client) in &mut clients {
            let (user, pid) = who(client);
            assert_eq!(user, users[*own]);
            pids[*own].insert(pid);
        }
    }
    assert_eq!(pids[0].intersection(&pids[1]).count(), 0);
    assert_eq!((pids[0].len(), pids[1].len()), (1, 1));
}

#[test]
fn connections_of_an_old_password_end_with_its_sessions() {
    let queried = Queried::start(&Wish {
        query: "      cache_age: 1s\n",
        others: "pool:\n  size: 4\n",
        ..Wish::default()
    });
    let ann = role("");
    let mut old = queried.login(&ann);
    let (_, pid) = who(&mut old);
    run(&[&format!("ALTER ROLE {ann} PASSWORD 'fresh'")]);
    let login = until(|| queried.try_login(&ann, "fresh").ok());
    let mut fresh = login.expect("the fresh password lets in");
    assert_ne!(who(&mut fresh).1, pid);
    // It still serves its own session, and nobody else.
    assert_eq!(who(&mut old), (ann.clone(), pid.clone()));
    assert_ne!(who(&mut fresh).1, pid);
    drop(old);
    let closed = until(|| (connections(&queried, &ann) == 1).then_some(()));
    assert!(closed.is_some(), "{}", connections(&queried, &ann));
    assert_ne!(who(&mut fresh).1, pid);
}

#[test]
fn a_cancel_reaches_a_session_that_is_itself() {
    for others in [ONE, super::SESSION] {
        let queried = Queried::start(&Wish {
            others,
            ..Wish::default()
        });
        let mut client = queried.login(&role(""));
        client.send(&frames::query(
            "SELECT count(*) FROM generate_series(1, 1000000000)",
        ));
        let answer = client.cancelled(queried.stack.proxied_address());
        let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
        assert_eq!(error.sqlstate(), "57014");
        let again = until(|| (kinds(&client.query("SELECT 1")) == "TDCZ").then_some(()));
        assert!(again.is_some());
    }
}
