//! Who gets in, and as whom.

use pgsieve::auth::verifier::ScramVerifier;
use pgsieve::secret::Secret;

use super::{Queried, SESSION, Wish, role, row, run};
use crate::login::support::{new_folder, psql, text};
use crate::support::raw::kinds;
use crate::support::{ADMIN, frames, sql, until};

const WHO: &str = "SELECT current_user, session_user, \
    current_setting('default_transaction_read_only')";

#[test]
fn a_user_of_the_database_logs_in_with_its_password_and_is_itself() {
    for others in ["", SESSION] {
        let queried = Queried::start(&Wish {
            others,
            ..Wish::default()
        });
        let (ann, bob) = (role(""), role(""));
        for user in [&ann, &bob, &ann] {
            let told = row(&queried.login(user).query(WHO));
            assert_eq!(told, [user.as_str(), user.as_str(), "on"]);
        }
        queried.refuses(&ann, &bob);
        queried.refuses(&bob, &ann);
        // Drivers that people have.
        let client = sql::block_on(async {
            let client = queried.stack.proxied(&ann).await;
            sql::rows(&client, "SELECT current_user").await
        });
        assert_eq!(client, [[ann.as_str()]]);
        let output = psql(&queried.stack.proxied_url(&bob), "", "SELECT current_user");
        assert_eq!(text(&output.stdout), bob, "{}", text(&output.stderr));
        let said = queried.stack.everything_said();
        assert!(!said.contains("SCRAM-SHA-256$"), "{said}");
    }
}

#[test]
fn its_rights_are_those_that_the_database_gives_it() {
    let queried = Queried::start(&Wish::default());
    let (ann, bob) = (role(""), role(""));
    queried.stack.prepare(&[
        "CREATE TABLE t (a int)",
        "INSERT INTO t VALUES (7)",
        &format!("GRANT SELECT ON t TO {ann}"),
        "REVOKE ALL ON t FROM PUBLIC",
    ]);
    let mut allowed = queried.login(&ann);
    let read = until(|| (kinds(&allowed.query("SELECT a FROM t")) == "TDCZ").then_some(()));
    assert!(read.is_some(), "{:?}", allowed.query("SELECT a FROM t"));
    let mut other = queried.login(&bob);
    let refused = until(|| {
        let answer = other.query("SELECT a FROM t");
        let denied = answer.iter().any(|frame| frame.sqlstate() == "42501");
        denied.then_some(())
    });
    assert!(refused.is_some(), "{:?}", other.query("SELECT a FROM t"));
    // Nor may it ask for verifiers.
    let asks = "SELECT * FROM pgsieve.user_lookup('app')";
    let answer = allowed.query(asks);
    assert!(kinds(&answer).contains('E'), "{answer:?}");
}

#[test]
fn whoever_cannot_log_in_hears_what_a_wrong_password_hears() {
    let queried = Queried::start(&Wish::default());
    let (expired, group) = (role("VALID UNTIL '2001-01-01'"), role(""));
    run(&[&format!("ALTER ROLE {group} NOLOGIN")]);
    let superior = role("SUPERUSER");
    let silent = role("");
    run(&[&format!("ALTER ROLE {silent} PASSWORD NULL")]);
    for user in [&expired, &group, &superior, &silent] {
        queried.refuses(user, user);
    }
    for user in ["nobody_of_this_name", "\u{e4}", "a\"b'; SELECT 1 --", ADMIN] {
        queried.refuses(user, user);
    }
    assert_eq!(queried.stack.metric(BAD), 8.0);
}

const BAD: &str = "pgsieve_logins_total{method=\"scram\",outcome=\"bad_credentials\"}";

/// The same challenge each time, with a salt that is as long as a real one.
#[test]
fn a_user_that_does_not_exist_is_challenged_as_one_that_does() {
    let queried = Queried::start(&Wish::default());
    let (ann, mut salts) = (role(""), Vec::new());
    queried.login(&ann);
    for user in [ann.as_str(), "nobody_of_this_name", "nobody_of_this_name"] {
        let mut client = crate::support::RawClient::connect(queried.stack.proxied_address());
        let database = queried.stack.database();
        client.send(&frames::startup(
            0,
            &[("user", user), ("database", database)],
        ));
        let offer = client.read().unwrap();
        assert_eq!(offer.body, b"\0\0\0\x0aSCRAM-SHA-256\0\0");
        let first = b"n,,n=,r=abcdefghijklmnopqrstuvwx";
        let length = u32::try_from(first.len()).unwrap().to_be_bytes();
        let body = [&frames::zero_ended("SCRAM-SHA-256")[..], &length, first].concat();
        client.send(&frames::message(b'p', &body));
        let challenge = client.read().unwrap();
        let challenge = String::from_utf8(challenge.body[4..].to_vec()).unwrap();
        let (_, salt) = challenge.split_once(",s=").unwrap();
        assert!(salt.ends_with(",i=4096"), "{salt}");
        salts.push(salt.to_owned());
    }
    assert_eq!(salts[0].len(), salts[1].len());
    assert_eq!(salts[1], salts[2]);
}

#[test]
fn a_changed_password_lets_in_soon_and_the_old_one_no_more() {
    for others in ["", SESSION] {
        let queried = Queried::start(&Wish {
            query: "      cache_age: 5min\n",
            others,
            ..Wish::default()
        });
        let ann = role("");
        let mut before = queried.login(&ann);
        run(&[&format!("ALTER ROLE {ann} PASSWORD 'fresh'")]);
        let login = until(|| queried.try_login(&ann, "fresh").ok());
        let mut fresh = login.expect("the fresh password lets in");
        assert_eq!(row(&fresh.query("SELECT current_user")), [ann.as_str()]);
        queried.refuses(&ann, &ann);
        // Whoever is in stays in.
        assert_eq!(row(&before.query("SELECT current_user")), [ann.as_str()]);
    }
}

#[test]
fn a_dropped_role_is_unknown_when_the_cache_has_aged() {
    let queried = Queried::start(&Wish {
        query: "      cache_age: 1s\n",
        others: SESSION,
        ..Wish::default()
    });
    let ann = role("");
    drop(queried.login(&ann));
    let gone = until(|| {
        let sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = ";
        let left = sql::block_on(async {
            let admin = queried.stack.direct(ADMIN).await;
            sql::rows(&admin, &format!("{sessions}'{ann}'")).await
        });
        (left == [["0"]]).then_some(())
    });
    gone.expect("the session has ended");
    run(&[&format!("DROP ROLE {ann}")]);
    let refused = until(|| match queried.try_login(&ann, &ann) {
        Err(error) if error.sqlstate() == "28P01" => Some(()),
        // Until then the database itself says no.
        Err(_) => None,
        Ok(_) => panic!("a role that is gone"),
    });
    assert!(refused.is_some());
    run(&[&format!("CREATE ROLE {ann} LOGIN PASSWORD '{ann}'")]);
    assert!(until(|| queried.try_login(&ann, &ann).ok()).is_some());
}

#[test]
fn md5_lets_nobody_in_and_the_log_says_so() {
    let queried = Queried::start(&Wish::default());
    let ann = role("");
    run(&[&format!(
        "SET password_encryption = 'md5'; ALTER ROLE {ann} PASSWORD '{ann}'"
    )]);
    queried.refuses(&ann, &ann);
    queried.logged("auth_query_refused", "password_encryption");
}

/// Another function, with a verifier of its own making.
#[test]
fn a_function_of_the_dba_decides_who_gets_in() {
    let file = new_folder().join("password");
    std::fs::write(&file, "app\n").unwrap();
    let query = format!(
        "      function: public.who\n      upstream_user: url\n      user: app\n      \
         password_file: {}\n      database: postgres\n",
        file.display()
    );
    let queried = Queried::bare(&Wish {
        query: &query,
        ..Wish::default()
    });
    let verifier = ScramVerifier::make(&Secret::new("sésame")).unwrap();
    run(&[
        &format!(
            "CREATE OR REPLACE FUNCTION public.who(n name) RETURNS TABLE (u name, v text) \
             LANGUAGE sql AS $$SELECT n, '{verifier}' WHERE n = 'made up'$$"
        ),
        "GRANT EXECUTE ON FUNCTION public.who(name) TO app",
    ]);
    queried.refuses("made up", "sesame");
    let mut client = queried.try_login("made up", "sésame").unwrap();
    let asker = queried.asker.as_str();
    assert_eq!(row(&client.query("SELECT current_user")), [asker]);
}

#[test]
fn a_reload_leaves_sessions_and_logins_as_they_are() {
    let mut queried = Queried::start(&Wish::default());
    let ann = role("");
    let mut before = queried.login(&ann);
    let path = queried.stack.folder().join("pgsieve.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace(
        "    method: auth_query\n",
        "    method: auth_query\n    query:\n      cache_age: 2s\n",
    );
    std::fs::write(&path, text).unwrap();
    queried
        .stack
        .signal(pgsieve::demo::supervisor::ChildSignal::Reload);
    queried.logged("settings", "client.auth.query.cache_age");
    assert_eq!(row(&before.query("SELECT current_user")), [ann.as_str()]);
    assert_eq!(
        row(&queried.login(&ann).query("SELECT current_user")),
        [ann.as_str()]
    );
    queried.refuses(&ann, "wrong");
}
