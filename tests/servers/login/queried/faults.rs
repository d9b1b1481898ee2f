//! What becomes of logins when the database cannot be asked, answers otherwise than it must, or
//! does not take what was proved.

use pgsieve::auth::verifier::ScramVerifier;
use pgsieve::secret::Secret;

use super::{Queried, SESSION, Wish, cluster, role, row, run};
use crate::support::switch::Switch;
use crate::support::until;

const UNTOLD: &str = "the database does not tell the proxy who may log in";

#[test]
fn a_function_that_is_missing_or_not_permitted_is_for_the_operator() {
    let queried = Queried::bare(&Wish::default());
    let ann = role("");
    let untold = ("08004".to_owned(), UNTOLD.to_owned());
    assert_eq!(queried.refusal(&ann, &ann), untold);
    queried.logged("auth_query_failed", "there is no such function");
    queried.logged("auth_query_failed", "client.auth.query.function");
    queried.stack.prepare(&[
        "CREATE SCHEMA pgsieve",
        "CREATE FUNCTION pgsieve.user_lookup(text) RETURNS TABLE (u text, v text) \
         LANGUAGE sql AS 'SELECT NULL::text, NULL::text'",
        "REVOKE ALL ON FUNCTION pgsieve.user_lookup FROM PUBLIC",
        &format!("GRANT USAGE ON SCHEMA pgsieve TO {}", queried.asker),
    ]);
    let denied = until(|| {
        assert_eq!(queried.refusal(&ann, &ann), untold);
        queried
            .stack
            .stderr()
            .contains("may not call")
            .then_some(())
    });
    assert!(denied.is_some(), "{}", queried.stack.stderr());
    // As soon as it may be called, nobody has to do anything here; a row of nulls is nobody.
    queried.stack.prepare(&[&format!(
        "GRANT EXECUTE ON FUNCTION pgsieve.user_lookup TO {}",
        queried.asker
    )]);
    let unknown = until(|| (queried.refusal(&ann, &ann).0 == "28P01").then_some(()));
    assert!(unknown.is_some());
}

#[test]
fn an_answer_that_is_no_verifier_of_the_user_lets_nobody_in() {
    let verifier = ScramVerifier::make(&Secret::new("x")).unwrap();
    for (columns, answer, code, words) in [
        (
            "u text, v text",
            "SELECT 'other', 'x'",
            "08004",
            "for another user",
        ),
        (
            "u text, v text",
            "SELECT $1, 'a' FROM generate_series(1, 2)",
            "08004",
            "several rows",
        ),
        (
            "u text, v int",
            "SELECT $1, 1",
            "08004",
            "something else than two texts",
        ),
        (
            "u text",
            "SELECT $1",
            "08004",
            "something else than two texts",
        ),
        (
            "u text, v text",
            "SELECT $1, (1/0)::text",
            "08004",
            "the statement fails (22012)",
        ),
        (
            "u text, v text",
            "SELECT $1, 'secret'",
            "28P01",
            "its verifier is not of the form",
        ),
    ] {
        let queried = Queried::bare(&Wish {
            query: "      function: public.told\n",
            ..Wish::default()
        });
        queried.stack.prepare(&[&format!(
            "CREATE FUNCTION public.told(text) RETURNS TABLE ({columns}) \
             LANGUAGE sql AS $$ {answer} $$"
        )]);
        assert_eq!(queried.refusal("ann", "x").0, code, "{answer}");
        let event = match code {
            "28P01" => "auth_query_refused",
            _ => "auth_query_failed",
        };
        queried.logged(event, words);
        let said = queried.stack.everything_said();
        assert!(
            !said.contains(&verifier) && !said.contains("secret"),
            "{said}"
        );
    }
}

/// A server that has another verifier of the same password takes no proof that was made for this
/// one.
#[test]
fn another_verifier_than_the_servers_is_named() {
    for others in ["", SESSION] {
        let queried = Queried::bare(&Wish {
            query: "      function: public.stale\n",
            others,
            ..Wish::default()
        });
        let ann = role("");
        let verifier = ScramVerifier::make(&Secret::new(ann.as_str())).unwrap();
        queried.stack.prepare(&[&format!(
            "CREATE FUNCTION public.stale(text) RETURNS TABLE (u text, v text) \
             LANGUAGE sql AS $$SELECT $1, '{verifier}'$$"
        )]);
        let (code, words) = queried.refusal(&ann, &ann);
        assert_eq!(code, "08004", "{words}");
        queried.logged("auth_query_refused", "salt or iterations differ");
        queried.logged("auth_query_refused", &ann);
    }
}

#[test]
fn a_server_that_asks_otherwise_than_by_scram_is_named() {
    let queried = Queried::start(&Wish::default());
    run(&[
        "CREATE ROLE asked_in_clear LOGIN PASSWORD 'x'",
        "CREATE ROLE kept_out LOGIN PASSWORD 'x'",
        "CREATE ROLE asked_for_md5 LOGIN PASSWORD 'x'",
    ]);
    assert_eq!(queried.refusal("asked_in_clear", "x").0, "08004");
    queried.logged("auth_query_refused", "pg_hba.conf");
    assert_eq!(queried.refusal("kept_out", "x").0, "08004");
    queried.logged("auth_query_refused", "28000");
    // A line for md5 asks for SCRAM where the verifier is of that.
    let mut client = queried.try_login("asked_for_md5", "x").unwrap();
    assert_eq!(row(&client.query("SELECT current_user")), ["asked_for_md5"]);
}

#[test]
fn while_the_database_is_away_logins_are_told_so_and_then_go_on() {
    let switch = Switch::to(&[cluster().port()]);
    let queried = Queried::start(&Wish {
        query: "      cache_age: 1s\n",
        address: Some(switch.address().to_string()),
        ..Wish::default()
    });
    let ann = role("");
    drop(queried.login(&ann));
    switch.lead(&[]);
    switch.cut();
    // The log has so many lines of a second and no more.
    let away = until(|| match queried.try_login(&ann, &ann) {
        Err(error) if error.sqlstate() == "08001" => {
            let said = queried.stack.stderr();
            said.contains("auth_query_failed").then_some(())
        }
        _ => None,
    });
    assert!(away.is_some(), "{}", queried.stack.stderr());
    switch.lead(&[cluster().port()]);
    assert!(until(|| queried.try_login(&ann, &ann).ok()).is_some());
    // A connection that was lost meanwhile is made anew, for the first who asks.
    switch.cut();
    assert!(until(|| queried.try_login(&ann, &ann).ok()).is_some());
}
