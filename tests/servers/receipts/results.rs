//! What a receipt says of a result: the rows that were sent, in each way in which they come.

use pgsieve::receipts::claims::{ColumnFormat, ReceiptClaims, ReceiptOutcome};
use pgsieve::receipts::signing_keys::SigningKeys;

use super::{UNQUOTED, key_text, verified, with_key};
use super::{claims, digest_of, digest_of_rows, key_file, login, receipt, session, stack};
use crate::support::raw::{kinds, rows, values};
use crate::support::sql::cancel_running;
use crate::support::{ADMIN, RawClient, frames, until};

const NAMES: &str = "SELECT \"Name\", amount FROM \"Numbers\" ORDER BY 2 DESC NULLS LAST";

#[test]
fn a_query_has_a_receipt_of_its_rows() {
    let mut client = session();
    let answer = client.query(NAMES);
    let claims = claims(&mut client);
    assert_eq!(claims.outcome, ReceiptOutcome::Complete);
    assert_eq!((claims.rows, claims.part), (3, 1));
    assert_eq!(claims.stmt, digest_of(NAMES));
    assert_eq!(claims.ran, Some(digest_of(NAMES)));
    assert_eq!(claims.result, Some(digest_of_rows(&answer)));
    let columns = claims.columns.unwrap();
    let described: Vec<_> = columns
        .iter()
        .map(|column| (column.name.as_str(), column.type_oid, column.format))
        .collect();
    assert_eq!(
        described,
        [
            ("Name", 25, ColumnFormat::Text),
            ("amount", 23, ColumnFormat::Text)
        ]
    );
    assert!(!claims.repaired && claims.params.is_none() && claims.sqlstate.is_none());
    assert_eq!(claims.user, "app");
    assert_eq!(claims.database, stack().database());
    assert_eq!(claims.policy, "agent");
    assert!(claims.catalog_version.is_some() && claims.fingerprint.is_some());
    // The audit has the same name in the statement's line.
    let line = stack().audited(|event| event["receipt"] == claims.jti.as_str());
    assert_eq!(line["fingerprint"], claims.fingerprint.unwrap().as_str());
    assert_eq!(line["session"], claims.session);
}

#[test]
fn a_result_without_rows_has_one_too() {
    let mut client = session();
    client.query("SELECT 1 WHERE false");
    let none = claims(&mut client);
    assert_eq!((none.rows, none.outcome), (0, ReceiptOutcome::Complete));
    assert_eq!(none.result, Some(digest_of("")));
}

#[test]
fn the_extended_protocol_has_parameters_and_formats() {
    let mut client = session();
    let text = "SELECT amount, \"Name\" FROM \"Numbers\" WHERE amount >= $1::integer ORDER BY 1";
    for binary in [false, true] {
        client.send(&frames::extended(text, &[Some("1")], binary));
        let answer = client.until_ready();
        let one = claims(&mut client);
        assert_eq!((one.rows, one.outcome), (2, ReceiptOutcome::Complete));
        assert_eq!(one.stmt, digest_of(text));
        assert_eq!(one.result, Some(digest_of_rows(&answer)), "{binary}");
        let format = match binary {
            true => ColumnFormat::Binary,
            false => ColumnFormat::Text,
        };
        let columns = one.columns.unwrap();
        assert!(columns.iter().all(|column| column.format == format));
        let given = [0, 0, 0, 1, 0, 0, 0, 1, b'1'];
        let digest = pgsieve::receipts::digest::of_bytes(&given);
        assert_eq!(one.params, Some(pgsieve::hex::digits(&digest)));
    }
}

#[test]
fn a_statement_that_is_described_once_has_its_columns_each_time() {
    let mut client = session();
    let prepare = [
        frames::parse("own", "SELECT $1::integer AS number"),
        frames::describe(b'S', "own"),
        frames::sync(),
    ];
    client.send(&prepare.concat());
    client.until_ready();
    for value in ["1", "22"] {
        let run = [
            frames::bind("", "own", &[Some(value)], true),
            frames::execute("", 0),
            frames::sync(),
        ];
        client.send(&run.concat());
        let answer = client.until_ready();
        let one = claims(&mut client);
        let columns = one.columns.unwrap();
        assert_eq!(columns[0].name, "number");
        assert_eq!(columns[0].format, ColumnFormat::Binary);
        assert_eq!(one.result, Some(digest_of_rows(&answer)));
    }
    // Whoever never asks for a description gets a receipt without one.
    let blind = [
        frames::parse("", "SELECT 5"),
        frames::bind("", "", &[], false),
        frames::execute("", 0),
        frames::sync(),
    ];
    client.send(&blind.concat());
    client.until_ready();
    let one = claims(&mut client);
    assert_eq!((one.rows, one.columns), (1, None));
}

#[test]
fn a_portal_that_pauses_has_a_receipt_of_each_part() {
    let mut client = session();
    let text = "SELECT g FROM generate_series(1, 5) AS g";
    let open = [
        frames::query("BEGIN"),
        frames::parse("", text),
        frames::bind("p", "", &[], false),
        frames::flush(),
    ];
    client.send(&open.concat());
    client.until_ready();
    let mut seen = Vec::new();
    for _ in 0..3 {
        client.send(&[frames::execute("p", 2), frames::sync()].concat());
        let answer = client.until_ready();
        let one = claims(&mut client);
        assert_eq!(one.result, Some(digest_of_rows(&answer)));
        assert_eq!(one.stmt, digest_of(text));
        seen.push((one.rows, one.outcome));
    }
    let part = ReceiptOutcome::Part;
    assert_eq!(seen, [(2, part), (2, part), (1, ReceiptOutcome::Complete)]);
}

#[test]
fn execute_fetch_and_copy_say_what_they_run() {
    let mut client = session();
    let prepare = "PREPARE own AS SELECT total FROM sums";
    client.query(prepare);
    let answer = client.query("EXECUTE own");
    let executed = claims(&mut client);
    assert_eq!(executed.stmt, digest_of("EXECUTE own"));
    assert_eq!(executed.source, Some(digest_of(prepare)));
    assert_eq!(executed.result, Some(digest_of_rows(&answer)));
    assert_eq!(executed.rows, 1);

    let declare = "DECLARE c CURSOR FOR SELECT g FROM generate_series(1, 4) AS g";
    client.query("BEGIN");
    client.query(declare);
    let answer = client.query("FETCH 3 FROM c");
    let fetched = claims(&mut client);
    assert_eq!(fetched.source, Some(digest_of(declare)));
    assert_eq!(fetched.rows, 3);
    assert_eq!(fetched.result, Some(digest_of_rows(&answer)));
    client.query("COMMIT");
    // What ends the transaction comes between, and is nobody's to prove.
    assert_eq!(claims(&mut client).jti, fetched.jti);

    let answer = client.query("COPY (SELECT total FROM sums) TO STDOUT");
    let copied = claims(&mut client);
    assert_eq!((copied.rows, copied.columns.clone()), (1, None));
    assert_eq!(copied.result, Some(digest_of_rows(&answer)));
    assert_ne!(copied.stmt, copied.ran.unwrap());
}

#[test]
fn each_result_of_a_text_is_a_part_of_its_own() {
    let stack = with_key(&key_file(&[1]), &[]);
    let mut client = login(&stack, &[("options", "-c pgsieve.receipts=on")]);
    let text = "SET statement_timeout = '5s'; SET TimeZone = 'UTC'";
    let answer = client.query(text);
    assert!(!kinds(&answer).contains('N'), "{answer:?}");
    let answer = client.query(NAMES);
    assert_eq!(kinds(&answer), "TDDDNCZ");
    let told = answer.iter().find(|frame| frame.kind == b'N').unwrap();
    let told = told.field(b'M').unwrap();
    let token = told.strip_prefix("receipt: ").unwrap();
    let claims = verified(&stack, token);
    assert_eq!((claims.rows, claims.part), (3, 1));
    // Asked for, it is the same one, which may know the line of the audit by now.
    let asked = verified(&stack, &receipt(&mut client));
    let audit_seq = asked.audit_seq;
    assert_eq!(
        asked,
        ReceiptClaims {
            audit_seq,
            ..claims
        }
    );
    // Quiet clients have asked for it all the same.
    client.query("SET client_min_messages = error");
    assert_eq!(kinds(&client.query("SELECT 1")), "TDNCZ");
    client.query("SET pgsieve.receipts = off");
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
}

#[test]
fn the_row_of_a_receipt_is_that_of_a_setting() {
    let mut client = session();
    client.query("SELECT 1");
    let other = client.query("SHOW server_version");
    // The number of its line in the audit is there a moment later.
    until(|| claims(&mut client).audit_seq).expect("it is on record");
    let own = client.query("SHOW pgsieve.receipt");
    assert_eq!(kinds(&own), kinds(&other));
    let tags = [&own, &other].map(|answer| {
        let tag = answer.iter().find(|frame| frame.kind == b'C').unwrap();
        tag.body.clone()
    });
    assert_eq!(tags[0], tags[1]);
    for binary in [false, true] {
        client.send(&frames::extended("SHOW pgsieve.receipt", &[], binary));
        let answer = client.until_ready();
        assert_eq!(kinds(&answer), "12TDCZ");
        assert_eq!(rows(&answer), rows(&own));
    }
}

#[test]
fn what_did_not_run_to_its_end_never_looks_like_it() {
    let mut client = session();
    client.query("SELECT 1");
    let good = claims(&mut client);
    let is_no_success = |client: &mut RawClient, text: &str, code: &str| {
        let one = claims(client);
        assert_eq!(one.stmt, digest_of(text), "{text}");
        assert_eq!(one.sqlstate.as_deref(), Some(code), "{text}");
        assert!(one.result.is_none() && one.columns.is_none());
        assert_ne!(one.jti, good.jti);
        one.outcome
    };
    let refused = "DELETE FROM sums";
    client.query(refused);
    let outcome = is_no_success(&mut client, refused, "25006");
    assert_eq!(outcome, ReceiptOutcome::Refused);
    client.send(&frames::extended(refused, &[], false));
    client.until_ready();
    let outcome = is_no_success(&mut client, refused, "25006");
    assert_eq!(outcome, ReceiptOutcome::Refused);
    // It fails in the middle of its rows.
    let failing = "SELECT 10 / (3 - g) FROM generate_series(1, 3) AS g";
    client.query(failing);
    let outcome = is_no_success(&mut client, failing, "22012");
    assert_eq!(outcome, ReceiptOutcome::Failed);
    client.send(&frames::extended(failing, &[], false));
    client.until_ready();
    is_no_success(&mut client, failing, "22012");
    let unknown = "SELECT nothing_like_it FROM sums";
    client.query(unknown);
    is_no_success(&mut client, unknown, "42703");
    let slow = "SELECT pg_sleep_for('1 minute')";
    client.query(slow);
    let slept = claims(&mut client);
    assert!(!slept.has_result(), "{slept:?}");
}

#[test]
fn a_cancelled_statement_has_no_receipt_of_success() {
    let stack = with_key(&key_file(&[1]), &[]);
    let mut client = login(&stack, &[]);
    let long = "SELECT count(*) FROM generate_series(1, 1000000000) AS g";
    client.send(&frames::query(long));
    cancel_running(&stack);
    client.until_ready();
    let one = verified(&stack, &receipt(&mut client));
    assert_eq!(one.outcome, ReceiptOutcome::Failed);
    assert_eq!(one.sqlstate.as_deref(), Some("57014"));
    assert!(one.result.is_none());
}

const LIMITED: &[(&str, &str)] = &[("  default_limit: \"off\"", "  default_limit: 2")];

#[test]
fn a_result_that_a_limit_ends_says_so() {
    let stack = with_key(&key_file(&[1]), LIMITED);
    let mut client = login(&stack, &[]);
    let text = "SELECT g FROM generate_series(1, 9) AS g";
    let answer = client.query(text);
    let one = verified(&stack, &receipt(&mut client));
    assert_eq!((one.rows, one.outcome), (2, ReceiptOutcome::Cut));
    assert_eq!(one.result, Some(digest_of_rows(&answer)));
    assert_eq!(one.stmt, digest_of(text));
    assert_ne!(one.ran, Some(digest_of(text)));
}

#[test]
fn a_repaired_statement_says_both_texts() {
    let mut client = session();
    for extended in [false, true] {
        match extended {
            false => drop(client.query(UNQUOTED)),
            true => {
                client.send(&frames::extended(UNQUOTED, &[], false));
                client.until_ready();
            }
        }
        let one = claims(&mut client);
        assert!(one.repaired, "{extended}");
        assert_eq!(one.stmt, digest_of(UNQUOTED));
        let ran = "SELECT \"Name\" FROM \"Numbers\" ORDER BY 1";
        assert_eq!(one.ran, Some(digest_of(ran)));
        assert_eq!((one.rows, one.outcome), (3, ReceiptOutcome::Complete));
    }
}

#[test]
fn what_the_policy_puts_in_is_not_to_be_guessed() {
    let mut client = login(stack(), &[("application_name", "guesses")]);
    let mut direct = RawClient::login(stack().direct_address(), &stack().login(ADMIN));
    let own = "SELECT total FROM sums";
    for extended in [false, true] {
        match extended {
            false => drop(client.query(own)),
            true => {
                client.send(&frames::extended(own, &[], false));
                client.until_ready();
            }
        }
        let activity = "SELECT query FROM pg_stat_activity WHERE application_name = 'guesses'";
        let ran = values(&direct.query(activity)).remove(0).remove(0);
        assert!(ran.contains("concealed = 1"), "{ran}");
        let one = claims(&mut client);
        assert_eq!((one.rows, one.stmt), (1, digest_of(own)));
        assert_ne!(one.ran, Some(digest_of(&ran)));
        // Whoever has the key can tell.
        let keys = SigningKeys::read(&key_text(&[1])).unwrap();
        let keyed = pgsieve::hex::digits(&keys.digest(ran.as_bytes()));
        assert_eq!(one.ran, Some(keyed), "{extended}");
    }
}

#[test]
fn large_results_are_digested_whole() {
    let stack = with_key(&key_file(&[1]), &[]);
    let mut client = login(&stack, &[]);
    let text = "SELECT g, repeat('x', g % 700), md5(g::text) FROM generate_series(1, 20000) AS g \
                LIMIT 20000";
    for binary in [None, Some(false), Some(true)] {
        let answer = match binary {
            None => client.query(text),
            Some(binary) => {
                client.send(&frames::extended(text, &[], binary));
                client.until_ready()
            }
        };
        let one = verified(&stack, &receipt(&mut client));
        assert_eq!(one.rows, 20_000, "{:?}", answer.last());
        assert_eq!(one.result, Some(digest_of_rows(&answer)), "{binary:?}");
    }
}
