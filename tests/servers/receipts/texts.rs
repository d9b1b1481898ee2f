//! What clients can ask for, and what is nobody's to ask.

use super::{claims, login, receipt, session, stack};
use crate::support::raw::{kinds, values};
use crate::support::{Options, Stack, frames};

#[test]
fn a_nonce_is_in_each_receipt_until_it_is_set_again() {
    let mut client = login(stack(), &[("options", "-c pgsieve.receipt_nonce=Talk-17")]);
    client.query("SELECT 1");
    assert_eq!(claims(&mut client).nonce.as_deref(), Some("Talk-17"));
    client.query("SET pgsieve.receipt_nonce = 'Other_18'");
    client.query("SELECT 1");
    assert_eq!(claims(&mut client).nonce.as_deref(), Some("Other_18"));
    client.query("SET pgsieve.receipt_nonce = ''");
    client.query("SELECT 1");
    assert_eq!(claims(&mut client).nonce, None);
    client.query("BEGIN");
    client.query("SET pgsieve.receipt_nonce = 'undone'");
    client.query("ROLLBACK");
    client.query("SELECT 1");
    assert_eq!(claims(&mut client).nonce, None);
    for wrong in ["'a b'", "'ü'", "'it''s'"] {
        let answer = client.query(&format!("SET pgsieve.receipt_nonce = {wrong}"));
        assert_eq!(answer[0].sqlstate(), "22023", "{wrong}");
    }
    let answer = client.query("SET pgsieve.receipts = 'perhaps'");
    assert_eq!(answer[0].sqlstate(), "22023");
}

#[test]
fn nobody_sets_a_receipt_or_asks_for_it_beside_others() {
    let mut client = session();
    for (text, code) in [
        ("SET pgsieve.receipt = 'forged'", "42501"),
        ("RESET pgsieve.receipt", "42501"),
        ("SELECT current_setting('pgsieve.receipt')", "42501"),
        (
            "SELECT set_config('pgsieve.receipt', 'forged', false)",
            "42501",
        ),
        ("SET TimeZone = 'UTC'; SHOW pgsieve.receipt", "0A000"),
    ] {
        let answer = client.query(text);
        assert_eq!(kinds(&answer), "EZ", "{text}");
        assert_eq!(answer[0].sqlstate(), code, "{text}");
    }
}

#[test]
fn before_the_first_statement_there_is_none() {
    assert_eq!(receipt(&mut session()), "");
}

#[test]
fn it_is_answered_in_a_pipeline_and_in_a_transaction() {
    let mut client = session();
    let text = "SELECT 41 + 1";
    client.send(&[frames::query(text), frames::query("SHOW pgsieve.receipt")].concat());
    client.until_ready();
    let answer = client.until_ready();
    let piped = super::verified(stack(), &values(&answer)[0][0]);
    assert_eq!(piped.stmt, super::digest_of(text));
    client.query("BEGIN");
    client.query("SELECT 2");
    assert_eq!(claims(&mut client).stmt, super::digest_of("SELECT 2"));
    client.query("SELECT 1 / 0");
    let answer = client.query("SHOW pgsieve.receipt");
    assert_eq!(answer[0].sqlstate(), "25P02");
    client.query("ROLLBACK");
    let failed = claims(&mut client);
    assert_eq!(failed.sqlstate.as_deref(), Some("22012"));
}

#[test]
fn without_a_key_there_are_none() {
    let stack = Stack::start(Options::default());
    let mut client = login(&stack, &[("options", "-c pgsieve.receipts=on")]);
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    assert_eq!(receipt(&mut client), "");
    let (status, told) = stack.get("/.well-known/jwks.json");
    assert_eq!(
        (status, told.as_str()),
        (404, "receipts.key_file is not set\n")
    );
    let line = stack.audited(|event| event["event"] == "statement");
    assert!(line.get("receipt").is_none());
}
