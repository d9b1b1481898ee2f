//! Results that are taken in pieces: whatever is fetched of a cursor or portal, by FETCH and by
//! Execute and in whatever order, is not more in all than the policy allows of one result.

use crate::limits::results::{check_bytes, login, ten, ten_and_no_more, told};
use crate::support::raw::Frame;
use crate::support::{APP, Options, RawClient, Stack, frames};

/// Messages, each a batch of its own, with what they are answered.
type Walk<'w> = &'w [(&'w str, &'w str)];

/// A walk inside a transaction with a cursor `c` of 100 rows. A word with a colon is a message of
/// the extended protocol: `parse:NAME TEXT`, `bind:PORTAL STATEMENT`, `execute:PORTAL ROWS`,
/// `close:PORTAL`; parts of one batch are divided by ` + `.
#[track_caller]
fn walk(stack: &Stack, steps: Walk<'_>) {
    let mut client = login(stack);
    for sql in ["BEGIN", DECLARE] {
        let answer = client.query(sql);
        assert!(told(&answer).ends_with("ZT"), "{sql}");
    }
    for (at, (step, expected)) in steps.iter().enumerate() {
        let bytes = bytes_of(step);
        client.send(&bytes);
        let answer = told(&client.until_ready());
        assert_eq!(answer, *expected, "step {at} of {steps:?}: {step}");
    }
}

fn bytes_of(step: &str) -> Vec<u8> {
    if !step.contains(':') {
        return frames::query(step);
    }
    let mut bytes: Vec<u8> = step.split(" + ").flat_map(one).collect();
    bytes.extend(frames::sync());
    bytes
}

fn one(part: &str) -> Vec<u8> {
    let (kind, rest) = part.split_once(':').unwrap();
    let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let name = if name == "_" { "" } else { name };
    match kind {
        "parse" => frames::parse(name, rest),
        "bind" => frames::bind(name, rest, &[], false),
        "execute" => frames::execute(name, rest.parse().unwrap()),
        "close" => frames::close(b'P', name),
        _ => panic!("{part}"),
    }
}

const DECLARE: &str = "DECLARE c SCROLL CURSOR FOR SELECT generate_series(1, 100)";

const SIX: &str = "FETCH 6 FROM c";
const HAS_SIX: &str = "T D6 C[FETCH 6] ZT";
const CUT_AT_FOUR: &str = "T D4 E54000 ZE";
const MADE: &str = "C[DECLARE CURSOR] ZT";

#[test]
fn what_is_fetched_of_a_cursor_counts_on() {
    let stack = ten();
    walk(stack, &[(SIX, HAS_SIX), (SIX, CUT_AT_FOUR)]);
    walk(
        stack,
        &[
            ("FETCH 10 c", "T D10 C[FETCH 10] ZT"),
            ("FETCH c", "T E54000 ZE"),
        ],
    );
    walk(
        stack,
        &[("FETCH 6 c; FETCH 6 c", "T D6 C[FETCH 6] T D4 E54000 ZE")],
    );
    walk(
        stack,
        &[
            (SIX, HAS_SIX),
            ("FETCH BACKWARD 4 c", "T D4 C[FETCH 4] ZT"),
            ("FETCH FIRST c", "T E54000 ZE"),
        ],
    );
    // What is passed over is not given.
    walk(
        stack,
        &[
            ("MOVE 50 c", "C[MOVE 50] ZT"),
            (SIX, HAS_SIX),
            ("MOVE BACKWARD ALL c", "C[MOVE 55] ZT"),
            ("FETCH 4 c", "T D4 C[FETCH 4] ZT"),
            ("MOVE c", "C[MOVE 1] ZT"),
            ("FETCH c", "T E54000 ZE"),
        ],
    );
    // Two cursors are two results.
    walk(
        stack,
        &[
            ("DECLARE d CURSOR FOR SELECT generate_series(1, 9)", MADE),
            (SIX, HAS_SIX),
            ("FETCH ALL d", "T D9 C[FETCH 9] ZT"),
            (SIX, CUT_AT_FOUR),
        ],
    );
}

#[test]
fn so_does_what_is_executed_of_it() {
    let stack = ten();
    walk(stack, &[(SIX, HAS_SIX), ("execute:c 6", "D4 E54000 ZE")]);
    walk(stack, &[(SIX, HAS_SIX), ("execute:c 0", "D4 E54000 ZE")]);
    walk(stack, &[("execute:c 6", "D6 s ZT"), (SIX, CUT_AT_FOUR)]);
    walk(stack, &[("execute:c 6 + execute:c 6", "D6 s D4 E54000 ZE")]);
    let fetched = "parse:f FETCH 6 FROM c + bind:_ f + execute:_ 0";
    walk(
        stack,
        &[
            (fetched, "1 2 D6 C[FETCH 6] ZT"),
            ("bind:_ f + execute:_ 0", "2 D4 E54000 ZE"),
        ],
    );
    let again = "parse:f FETCH 6 FROM c + bind:_ f + execute:_ 0 + bind:_ f + execute:_ 0";
    walk(stack, &[(again, "1 2 D6 C[FETCH 6] 2 D4 E54000 ZE")]);
    // A portal of the protocol is a cursor as well.
    walk(
        stack,
        &[
            (
                "parse:_ SELECT generate_series(1, 100) + bind:p  + execute:p 6",
                "1 2 D6 s ZT",
            ),
            ("FETCH 6 FROM p", CUT_AT_FOUR),
        ],
    );
    walk(
        stack,
        &[
            ("parse:_ SELECT generate_series(1, 100) + bind:p ", "1 2 ZT"),
            ("FETCH 6 FROM p", HAS_SIX),
            ("execute:p 0", "D4 E54000 ZE"),
        ],
    );
}

#[test]
fn a_fetch_that_is_taken_in_slices_counts_for_its_portal_and_its_cursor() {
    let stack = ten();
    let first = "parse:f FETCH 60 FROM c + bind:p f + execute:p 4";
    walk(
        stack,
        &[
            (first, "1 2 D4 s ZT"),
            ("execute:p 4", "D4 s ZT"),
            ("FETCH 2 FROM c", "T D2 C[FETCH 2] ZT"),
            ("execute:p 4", "E54000 ZE"),
        ],
    );
    // The cursor is another by then; the portal has still given what it has.
    walk(
        stack,
        &[
            (first, "1 2 D4 s ZT"),
            ("execute:p 4", "D4 s ZT"),
            ("CLOSE c", "C[CLOSE CURSOR] ZT"),
            (DECLARE, MADE),
            ("execute:p 4", "D2 E54000 ZE"),
        ],
    );
}

#[test]
fn what_is_another_result_counts_anew() {
    let stack = ten();
    walk(
        stack,
        &[
            (SIX, HAS_SIX),
            ("CLOSE c", "C[CLOSE CURSOR] ZT"),
            (DECLARE, MADE),
            (SIX, HAS_SIX),
            ("ROLLBACK", "C[ROLLBACK] ZI"),
            ("BEGIN", "C[BEGIN] ZT"),
            (DECLARE, MADE),
            (SIX, HAS_SIX),
            ("CLOSE ALL", "C[CLOSE CURSOR ALL] ZT"),
            (DECLARE, MADE),
            (SIX, HAS_SIX),
            ("close:c", "3 ZT"),
            (DECLARE, MADE),
            (SIX, HAS_SIX),
            (SIX, CUT_AT_FOUR),
        ],
    );
    // In one batch, before any of its answers has come.
    let slice = "bind:p s + execute:p 6";
    let all = format!("parse:s SELECT generate_series(1, 100) + {slice} + {slice} + {slice}");
    walk(
        stack,
        &[
            (
                &all.replace("bind:p s + execute:p 6", "bind:_ s + execute:_ 6"),
                "1 2 D6 s 2 D6 s 2 D6 s ZT",
            ),
            ("execute:_ 6", "D4 E54000 ZE"),
        ],
    );
    walk(
        stack,
        &[(
            "close:c + parse:_ DECLARE c CURSOR FOR SELECT generate_series(1, 100) + bind:_  + execute:_ 0 \
             + execute:c 6 + execute:c 6",
            "3 1 2 C[DECLARE CURSOR] D6 s D4 E54000 ZE",
        )],
    );
}

#[test]
fn what_the_server_skipped_or_took_back_changes_nothing() {
    let stack = ten();
    let savepoint = ("SAVEPOINT s", "C[SAVEPOINT] ZT");
    let back = ("ROLLBACK TO s", "C[ROLLBACK] ZT");
    let opened = (
        "parse:s SELECT generate_series(1, 100) + bind:p s + execute:p 6",
        "1 2 D6 s ZT",
    );
    // A portal whose Close was skipped is not known any more here.
    for (skipped, next, rest) in [
        ("bind:p s", "execute:p 6", "D4 E54000 ZE"),
        ("close:p", "FETCH 6 FROM p", "E26000 ZE"),
    ] {
        let batch = format!("parse:_ SELECT nothing_here + {skipped}");
        walk(
            stack,
            &[opened, savepoint, (&batch, "E42703 ZE"), back, (next, rest)],
        );
    }
    walk(
        stack,
        &[savepoint, (SIX, HAS_SIX), back, (SIX, CUT_AT_FOUR)],
    );
    walk(
        stack,
        &[
            (SIX, HAS_SIX),
            savepoint,
            ("DECLARE c CURSOR FOR SELECT 1", "E42P03 ZE"),
            back,
            (SIX, CUT_AT_FOUR),
        ],
    );
    walk(
        stack,
        &[
            (SIX, HAS_SIX),
            savepoint,
            (SIX, CUT_AT_FOUR),
            ("ROLLBACK", "C[ROLLBACK] ZI"),
        ],
    );
}

#[test]
fn a_cursor_that_outlives_its_transaction_counts_on() {
    let stack = ten();
    let held = DECLARE
        .replace("CURSOR", "CURSOR WITH HOLD")
        .replace(" c ", " h ");
    walk(
        stack,
        &[
            (&held, MADE),
            ("FETCH 6 FROM h", HAS_SIX),
            ("COMMIT", "C[COMMIT] ZI"),
            ("FETCH 2 FROM h", "T D2 C[FETCH 2] ZI"),
            ("SELECT 1", "T D1 C[SELECT 1] ZI"),
            ("FETCH 6 FROM h", "T D2 E54000 ZI"),
            ("FETCH 6 FROM h", "T E54000 ZI"),
            ("MOVE ABSOLUTE 0 h", "C[MOVE 0] ZI"),
            ("FETCH 6 FROM h", "T E54000 ZI"),
            ("CLOSE h", "C[CLOSE CURSOR] ZI"),
            ("BEGIN", "C[BEGIN] ZT"),
            (&held, MADE),
            ("FETCH 6 FROM h", HAS_SIX),
            ("COMMIT", "C[COMMIT] ZI"),
            ("DISCARD ALL", "C[DISCARD ALL] ZI"),
            ("BEGIN", "C[BEGIN] ZT"),
            (&held, MADE),
            ("FETCH 6 FROM h", HAS_SIX),
        ],
    );
}

#[test]
fn names_that_the_server_cuts_are_one() {
    let name = "n".repeat(63);
    walk(
        ten(),
        &[
            (
                &format!("DECLARE {name}x CURSOR FOR SELECT generate_series(1, 100)"),
                "N C[DECLARE CURSOR] ZT",
            ),
            (&format!("FETCH 6 FROM {name}"), HAS_SIX),
            (&format!("FETCH 6 FROM {name}"), CUT_AT_FOUR),
        ],
    );
    walk(
        ten(),
        &[
            (
                &format!(
                    "parse:_ SELECT generate_series(1, 100) + bind:{name}x  + execute:{name}x 6"
                ),
                "1 2 D6 s ZT",
            ),
            (&format!("execute:{name}y 6"), "D4 E54000 ZE"),
        ],
    );
}

#[test]
fn a_truncated_cursor_stays_at_its_end() {
    walk(
        ten_and_no_more(),
        &[
            (SIX, HAS_SIX),
            (SIX, "T D4 N C[FETCH 4] ZT"),
            (SIX, "T N C[FETCH 0] ZT"),
            ("execute:c 3", "N C[SELECT 0] ZT"),
            ("SELECT 1", "T D1 C[SELECT 1] ZT"),
        ],
    );
}

#[test]
fn bytes_count_on_as_rows_do_and_the_error_says_how() {
    let stack = Stack::start(Options {
        policy: Some("bi"),
        policy_edits: &[("\nlimits:\n", "\nlimits:\n  result_bytes: 1000\n")],
        ..Options::default()
    });
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    client.query("BEGIN");
    client.query("DECLARE c CURSOR FOR SELECT repeat('x', 300) FROM generate_series(1, 10)");
    assert_eq!(told(&client.query("FETCH 2 c")), "T D2 C[FETCH 2] ZT");
    let answer = client.query("FETCH 2 c");
    assert_eq!(told(&answer), "T D1 E54000 ZE");
    let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
    let field = |code| Frame::field(error, code).unwrap();
    assert_eq!(
        field(b'M'),
        "a cursor or portal may give 1000 bytes in all here"
    );
    assert!(
        field(b'D').contains("rule: result_bytes"),
        "{}",
        field(b'D')
    );
    check_bytes(&mut client, &[frames::query("ROLLBACK")], "C[ROLLBACK] ZI");
}

#[test]
fn where_it_is_only_observed_every_piece_passes_and_is_counted() {
    let stack = Stack::start(Options {
        policy: Some("bi"),
        policy_edits: &[(
            "\nlimits:\n",
            "\nrules: {result_rows: observe}\nlimits:\n  result_rows: 10\n",
        )],
        ..Options::default()
    });
    walk(
        &stack,
        &[
            (SIX, HAS_SIX),
            (SIX, HAS_SIX),
            ("execute:c 6", "D6 s ZT"),
            ("SELECT 1", "T D1 C[SELECT 1] ZT"),
        ],
    );
    let line = "pgsieve_limits_total{mode=\"observe\",rule=\"result_rows\"}";
    assert!(stack.metric(line) >= 2.0);
}

#[test]
fn no_smaller_row_is_given_behind_the_one_that_did_not_fit() {
    let stack = Stack::start(Options {
        policy: Some("bi"),
        policy_edits: &[(
            "\nlimits:\n",
            "\nlimits:\n  result_bytes: 1000\n  on_limit: truncate\n",
        )],
        ..Options::default()
    });
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let sql =
        "SELECT repeat('x', CASE WHEN i = 3 THEN 2000 ELSE 10 END) FROM generate_series(1, 6) i";
    for bytes in [frames::query("BEGIN"), frames::query(sql)] {
        client.send(&bytes);
        let answer = told(&client.until_ready());
        assert!(
            answer == "C[BEGIN] ZT" || answer == "T D2 N C[SELECT 2] ZT",
            "{answer}"
        );
    }
}
