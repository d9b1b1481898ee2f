//! Who shares connections, and what of a client is carried from one to the next.

use super::{Sieve, Wish, cluster, pids, role, run, who};
use crate::support::raw::{Login, kinds, rows, values};
use crate::support::{RawClient, until};

#[test]
fn sessions_of_one_password_share_its_connections_and_two_users_none() {
    let sieve = Sieve::start(&Wish::default());
    let users = [role(""), role("")];
    let mut clients: Vec<_> = (0..16)
        .map(|number| {
            let user = &users[number % 2];
            (user.clone(), sieve.login(user, user))
        })
        .collect();
    let seen = pids(&mut clients);
    let mut all: Vec<&String> = seen.iter().map(|(_, pid)| pid).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), seen.len(), "{seen:?}");
    for user in &users {
        let own = seen.iter().filter(|(of, _)| of == user).count();
        assert!((1..=2).contains(&own), "{seen:?}");
        assert!(sieve.connections(user) <= 2);
    }
    // One login of each has said who it is, and others found a connection.
    assert!(users.iter().all(|user| sieve.logins(user) <= 3));
    let accepted = |method| {
        let labels = [("method", method), ("outcome", "accepted")];
        sieve.stack.metric_sum("pgsieve_logins_total", &labels)
    };
    assert_eq!(
        (accepted("passthrough"), accepted("passthrough_cached")),
        (2.0, 14.0)
    );
    let line = |event: &serde_json::Value| event["method"] == "passthrough_cached";
    assert_eq!(sieve.stack.audited(line)["event"], "login");
}

/// Whether connections are shared is asked for the database of each login.
#[test]
fn one_database_shares_where_others_do_not_and_the_other_way() {
    let port = cluster().port();
    for (all, own) in [("session", "transaction"), ("transaction", "session")] {
        let others = format!(
            "databases:\n- {{name: apart, url: 'postgres://127.0.0.1:{port}/postgres', \
             pool_mode: {own}}}\n"
        );
        let sieve = Sieve::start(&Wish {
            mode: all,
            size: 1,
            others: &others,
            ..Wish::default()
        });
        let ann = role("");
        let login_with = |database: &str, password: &str| {
            let login = Login {
                user: &ann,
                password,
                database,
                parameters: &[],
            };
            RawClient::try_login(sieve.stack.proxied_address(), &login)
        };
        for (database, mode) in [("apart", own), (sieve.stack.database(), all)] {
            let refused = login_with(database, "wrong").err().expect("refused");
            assert_eq!(refused.sqlstate(), "28P01", "{database} {mode}");
            let mut clients: Vec<_> = (0..3)
                .map(|_| (ann.clone(), login_with(database, &ann).unwrap()))
                .collect();
            let most = match mode {
                "session" => 3,
                _ => 1,
            };
            assert_eq!(pids(&mut clients).len(), most, "{database} {mode}");
            let refused = login_with(database, "wrong").err().expect("refused");
            assert_eq!(refused.sqlstate(), "28P01", "{database} {mode}");
        }
        let accepted = |method| {
            let labels = [("method", method), ("outcome", "accepted")];
            sieve.stack.metric_sum("pgsieve_logins_total", &labels)
        };
        // Three at the database that shares nothing, and the first at the other.
        assert_eq!(accepted("passthrough"), 4.0, "{all}");
        assert_eq!(accepted("passthrough_cached"), 2.0, "{all}");
    }
}

/// A password is asked about past the bound of the database: whoever tries some, with names of all
/// kinds, is not before those who have proved theirs, and closes nobody's connection.
#[test]
fn whoever_tries_passwords_takes_no_place_of_a_bounded_database() {
    let sieve = Sieve::start(&Wish {
        size: 2,
        mode: "transaction\n  max_db_connections: 1\n  query_wait: 1s",
        ..Wish::default()
    });
    let [ann, ben] = [role(""), role("")];
    let mut client = sieve.login(&ann, &ann);
    let own = who(&mut client);
    for name in [&ann, &ben, "nobody_such", "nor_this"] {
        sieve.refuses(name, "wrong");
        assert_eq!(who(&mut client), own);
    }
    client.query("BEGIN");
    assert_eq!(who(&mut client), own);
    // The right password is right while all are busy, and its session waits in vain.
    for _ in 0..2 {
        let (code, message) = sieve.refusal(&ben, &ben);
        assert_eq!(code, "53300", "{message}");
        assert!(
            message.contains("all 1 that all accounts may have"),
            "{message}"
        );
    }
    sieve.refuses(&ben, "wrong");
    client.query("COMMIT");
    let other = who(&mut sieve.login(&ben, &ben));
    assert_eq!(other.0, ben);
    let count = || sieve.connections(&ann) + sieve.connections(&ben);
    assert!(until(|| (count() == 1).then_some(())).is_some());
    assert_eq!(who(&mut client).0, ann);
}

#[test]
fn a_wrong_password_never_shares_and_disturbs_nobody() {
    let sieve = Sieve::start(&Wish {
        size: 1,
        ..Wish::default()
    });
    let ann = role("");
    let mut client = sieve.login(&ann, &ann);
    let own = who(&mut client);
    let before = sieve.logins(&ann);
    for wrong in [
        "wrong",
        &format!("{ann} "),
        &ann.to_uppercase(),
        "'",
        "\u{2168}",
    ] {
        sieve.refuses(&ann, wrong);
        assert_eq!(who(&mut client), own);
        // The right one is still known.
        assert_eq!(who(&mut sieve.login(&ann, &ann)).0, ann);
    }
    sieve.refuses("nobody_of_that_name", &ann);
    assert_eq!(sieve.refusal(&ann, "").0, "28P01");
    assert_eq!(sieve.logins(&ann), before);
    let failed = [("method", "passthrough"), ("outcome", "bad_credentials")];
    assert_eq!(sieve.stack.metric_sum("pgsieve_logins_total", &failed), 7.0);
}

#[test]
fn the_settings_of_a_connection_string_are_those_of_its_own_session() {
    let sieve = Sieve::start(&Wish {
        size: 1,
        ..Wish::default()
    });
    let ann = role("");
    let wishes = [
        [
            ("application_name", "one"),
            ("DateStyle", "German"),
            ("TimeZone", "Asia/Tokyo"),
        ],
        [
            ("application_name", "two"),
            ("DateStyle", "ISO"),
            ("TimeZone", "UTC"),
        ],
        [
            ("application_name", "one"),
            ("DateStyle", "SQL"),
            ("TimeZone", "Asia/Tokyo"),
        ],
    ];
    let mut clients: Vec<_> = wishes
        .iter()
        .map(|wish| sieve.try_as((&ann, &ann), wish).unwrap())
        .collect();
    for _ in 0..3 {
        for (client, wish) in clients.iter_mut().zip(&wishes) {
            for (name, value) in wish {
                let shown = rows(&client.query(&format!("SHOW {name}")));
                assert!(shown[0].starts_with(value), "{name}: {shown:?}");
            }
        }
    }
    // What one sets, the next does not have.
    assert_eq!(
        kinds(&clients[0].query("SET timezone = 'Europe/Rome'")),
        "CSZ"
    );
    assert_eq!(rows(&clients[1].query("SHOW timezone")), ["UTC"]);
    assert_eq!(rows(&clients[0].query("SHOW timezone")), ["Europe/Rome"]);
    assert_eq!(sieve.connections(&ann), 1);
}

#[test]
fn rights_are_those_of_each_user_at_the_database() {
    let sieve = Sieve::start(&Wish::default());
    let (ann, bob) = (role(""), role(""));
    sieve.stack.prepare(&[
        "CREATE TABLE public.own AS SELECT 1 AS id",
        &format!("GRANT SELECT ON public.own TO {ann}"),
    ]);
    for _ in 0..2 {
        let mut may = sieve.login(&ann, &ann);
        let known = crate::support::until(|| {
            let answer = may.query("SELECT id FROM public.own");
            (values(&answer).len() == 1).then_some(())
        });
        assert!(known.is_some());
        let mut may_not = sieve.login(&bob, &bob);
        let answer = may_not.query("SELECT id FROM public.own");
        let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
        assert_eq!(error.sqlstate(), "42501", "{error:?}");
    }
}

#[test]
fn a_user_of_the_list_of_disabled_ones_is_refused_when_it_has_proved_itself() {
    let (ann, bob) = (role(""), role(""));
    let sieve = Sieve::start(&Wish {
        others: &format!("    disabled: [{ann}]\n"),
        ..Wish::default()
    });
    let words = format!("user \"{ann}\" is disabled");
    for _ in 0..2 {
        assert_eq!(sieve.refusal(&ann, &ann), ("28000".into(), words.clone()));
        sieve.refuses(&ann, "wrong");
    }
    assert_eq!(who(&mut sieve.login(&bob, &bob)).0, bob);
    run(sieve.cluster, &[&format!("ALTER ROLE {bob} SUPERUSER")]);
}

#[test]
fn no_password_is_shown_anywhere() {
    let sieve = Sieve::start(&Wish {
        others: "log:\n  level: info\n",
        ..Wish::default()
    });
    let ann = role("PASSWORD 'Zitronenfalter'");
    let mut client = sieve.login(&ann, "Zitronenfalter");
    sieve.refuses(&ann, "Admiralfalter");
    assert_eq!(who(&mut client).0, ann);
    let page = sieve.stack.get("/").1 + &sieve.stack.get("/live").1;
    for said in [sieve.stack.everything_said(), page] {
        assert!(!said.contains("falter"), "{said}");
    }
}
