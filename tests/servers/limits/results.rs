//! The limits of a policy that act on results, byte for byte, at the boundary and behind it.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::support::raw::Frame;
use crate::support::sql::assert_running;
use crate::support::{APP, Options, RawClient, Stack, frames};

/// Ten rows of one result, then an error.
pub(crate) fn ten() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        Stack::start(Options {
            policy: Some("bi"),
            policy_edits: &[("\nlimits:\n", "\nlimits:\n  result_rows: 10\n")],
            ..Options::default()
        })
    });
    &STACK
}

/// Ten rows of one result, and no more.
pub(crate) fn ten_and_no_more() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        Stack::start(Options {
            policy: Some("bi"),
            policy_edits: &[(
                "\nlimits:\n",
                "\nlimits:\n  result_rows: 10\n  on_limit: truncate\n",
            )],
            ..Options::default()
        })
    });
    &STACK
}

pub(crate) fn login(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

/// An answer at a glance: rows and COPY data are counted, errors show their code, ends their tag.
pub(crate) fn told(answer: &[Frame]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rows = 0;
    for (at, frame) in answer.iter().enumerate() {
        let next = answer.get(at + 1).map(|next| next.kind);
        let kind = char::from(frame.kind);
        match frame.kind {
            b'D' | b'd' => {
                rows += 1;
                if next != Some(frame.kind) {
                    words.push(format!("{kind}{}", std::mem::take(&mut rows)));
                }
            }
            b'E' => words.push(format!("E{}", frame.sqlstate())),
            b'C' => {
                let tag = String::from_utf8_lossy(&frame.body);
                words.push(format!("C[{}]", tag.trim_end_matches('\0')));
            }
            b'Z' => words.push(format!("Z{}", char::from(frame.body[0]))),
            _ => words.push(kind.to_string()),
        }
    }
    words.join(" ")
}

pub(crate) fn series(rows: u64) -> String {
    format!("SELECT generate_series(1, {rows})")
}

/// Asks in the simple protocol.
#[track_caller]
pub(crate) fn check(client: &mut RawClient, sql: &str, expected: &str) {
    assert_eq!(told(&client.query(sql)), expected, "{sql}");
}

/// Asks with bytes that end in a Sync.
#[track_caller]
pub(crate) fn check_bytes(client: &mut RawClient, bytes: &[Vec<u8>], expected: &str) {
    client.send(&bytes.concat());
    assert_eq!(told(&client.until_ready()), expected);
}

fn extended(sql: &str) -> Vec<Vec<u8>> {
    vec![frames::extended(sql, &[], false)]
}

#[test]
fn the_last_row_that_is_given_is_given_and_no_other() {
    let mut client = login(ten());
    for rows in [0, 1, 9, 10] {
        let rows_told = if rows == 0 {
            String::new()
        } else {
            format!(" D{rows}")
        };
        let all = format!("T{rows_told} C[SELECT {rows}] ZI");
        check(&mut client, &series(rows), &all);
        check_bytes(&mut client, &extended(&series(rows)), &format!("1 2 {all}"));
    }
    for rows in [11, 12, 1000, 100_000] {
        check(&mut client, &series(rows), "T D10 E54000 ZI");
        check_bytes(&mut client, &extended(&series(rows)), "1 2 T D10 E54000 ZI");
    }
    check(&mut client, "SELECT 1", "T D1 C[SELECT 1] ZI");
}

#[test]
fn the_error_says_which_rule_and_what_to_do() {
    let mut client = login(ten());
    let answer = client.query(&series(50));
    let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
    assert_eq!(error.field(b'S').unwrap(), "ERROR");
    assert_eq!(
        error.field(b'M').unwrap(),
        "the result has more than 10 rows"
    );
    assert!(error.field(b'D').unwrap().contains("rule: result_rows"));
    assert!(error.field(b'H').unwrap().contains("LIMIT"));
}

#[test]
fn a_truncated_result_ends_with_what_was_given() {
    let mut client = login(ten_and_no_more());
    for rows in [1, 10] {
        let all = format!("T D{rows} C[SELECT {rows}] ZI");
        check(&mut client, &series(rows), &all);
        check_bytes(&mut client, &extended(&series(rows)), &format!("1 2 {all}"));
    }
    for rows in [11, 1000, 100_000] {
        check(&mut client, &series(rows), "T D10 N C[SELECT 10] ZI");
        let all = "1 2 T D10 N C[SELECT 10] ZI";
        check_bytes(&mut client, &extended(&series(rows)), all);
    }
    let answer = client.query(&series(11));
    let notice = answer.iter().find(|frame| frame.kind == b'N').unwrap();
    assert_eq!(notice.field(b'S').unwrap(), "NOTICE");
    assert!(notice.field(b'M').unwrap().contains("more than 10 rows"));
}

#[test]
fn every_kind_of_result_is_bounded() {
    let mut error = login(ten());
    let mut truncate = login(ten_and_no_more());
    for (sql, head, tag) in [
        ("TABLE pg_catalog.pg_type", "T", "SELECT 10"),
        ("SHOW ALL", "T", "SHOW"),
        (
            "COPY (SELECT generate_series(1, 99)) TO STDOUT",
            "H",
            "COPY 10",
        ),
        ("COPY pg_catalog.pg_type TO STDOUT", "H", "COPY 10"),
    ] {
        let row = if head == "H" { "d" } else { "D" };
        check(&mut error, sql, &format!("{head} {row}10 E54000 ZI"));
        let end = if head == "H" { "c " } else { "" };
        let all = format!("{head} {row}10 {end}N C[{tag}] ZI");
        check(&mut truncate, sql, &all);
    }
    let unions = ["SELECT relname FROM pg_catalog.pg_class"; 12].join(" UNION ALL ");
    let explain = format!("EXPLAIN {unions}");
    check(&mut error, &explain, "T D10 E54000 ZI");
    check(&mut truncate, &explain, "T D10 N C[EXPLAIN] ZI");
}

#[test]
fn copy_data_ends_as_its_format_has_it() {
    for rows in [10, 11, 5000, 1_000_000] {
        let sql = format!("COPY (SELECT generate_series(1, {rows})) TO STDOUT (FORMAT binary)");
        let mut client = login(ten_and_no_more());
        let answer = client.query(&sql);
        let copied: Vec<&Frame> = answer.iter().filter(|frame| frame.kind == b'd').collect();
        assert_eq!(copied.len(), 11, "{rows}");
        assert_eq!(copied[10].body, [0xff, 0xff], "{rows}");
        let end = if rows == 10 {
            "c C[COPY 10] ZI"
        } else {
            "c N C[COPY 10] ZI"
        };
        assert!(told(&answer).ends_with(end), "{}", told(&answer));
        let mut client = login(ten());
        let all = if rows == 10 {
            "H d11 c C[COPY 10] ZI"
        } else {
            "H d10 E54000 ZI"
        };
        check(&mut client, &sql, all);
    }
}

#[test]
fn a_block_fails_with_the_error_and_goes_on_with_a_truncated_result() {
    for rows in [11, 500, 2_000_000] {
        let mut client = login(ten());
        check(&mut client, "BEGIN", "C[BEGIN] ZT");
        check(&mut client, &series(rows), "T D10 E54000 ZE");
        check(&mut client, "SELECT 1", "E25P02 ZE");
        check(&mut client, "ROLLBACK", "C[ROLLBACK] ZI");
        check(&mut client, "BEGIN", "C[BEGIN] ZT");
        check(&mut client, "SAVEPOINT s", "C[SAVEPOINT] ZT");
        check_bytes(&mut client, &extended(&series(rows)), "1 2 T D10 E54000 ZE");
        check(&mut client, "ROLLBACK TO s", "C[ROLLBACK] ZT");
        check(&mut client, "SELECT 1", "T D1 C[SELECT 1] ZT");
        check(&mut client, "COMMIT", "C[COMMIT] ZI");

        let mut client = login(ten_and_no_more());
        check(&mut client, "BEGIN", "C[BEGIN] ZT");
        check(&mut client, &series(rows), "T D10 N C[SELECT 10] ZT");
        let all = "1 2 T D10 N C[SELECT 10] ZT";
        check_bytes(&mut client, &extended(&series(rows)), all);
        check(&mut client, "SELECT 1", "T D1 C[SELECT 1] ZT");
        check(&mut client, "COMMIT", "C[COMMIT] ZI");
    }
}

#[test]
fn each_result_of_several_counts_by_itself() {
    let several = "SELECT generate_series(1, 10); SELECT generate_series(1, 11); SELECT 1";
    check(
        &mut login(ten()),
        several,
        "T D10 C[SELECT 10] T D10 E54000 ZI",
    );
    check(
        &mut login(ten_and_no_more()),
        several,
        "T D10 C[SELECT 10] T D10 N C[SELECT 10] T D1 C[SELECT 1] ZI",
    );
    let block = "BEGIN; SELECT generate_series(1, 11); SELECT 2";
    let mut client = login(ten());
    check(&mut client, block, "C[BEGIN] T D10 E54000 ZE");
    check(&mut client, "ROLLBACK", "C[ROLLBACK] ZI");
}

#[test]
fn a_series_without_end_is_cut_at_once() {
    // In FROM the server would gather the whole series before it sends a row.
    let endless = "SELECT generate_series(1, 100000000000), repeat('x', 100)";
    for stack in [ten(), ten_and_no_more()] {
        let truncates = std::ptr::eq(stack, ten_and_no_more());
        let end = if truncates {
            "D10 N C[SELECT 10] ZI"
        } else {
            "D10 E54000 ZI"
        };
        let mut client = login(stack);
        let since = Instant::now();
        check(&mut client, endless, &format!("T {end}"));
        check_bytes(&mut client, &extended(endless), &format!("1 2 T {end}"));
        check(&mut client, "SELECT 1", "T D1 C[SELECT 1] ZI");
        if !truncates {
            check(&mut client, "BEGIN", "C[BEGIN] ZT");
            check(&mut client, endless, "T D10 E54000 ZE");
            check(&mut client, "ROLLBACK", "C[ROLLBACK] ZI");
        }
        assert!(
            since.elapsed() < Duration::from_secs(8),
            "{:?}",
            since.elapsed()
        );
        let copy = format!("COPY ({endless}) TO STDOUT");
        let end = if truncates {
            "H d10 c N C[COPY 10] ZI"
        } else {
            "H d10 E54000 ZI"
        };
        check(&mut client, &copy, end);
        assert_running(stack, 0);
    }
}

#[test]
fn what_is_behind_a_cut_result_in_its_batch_is_skipped() {
    let run = |sql: &str| {
        [
            frames::parse("", sql),
            frames::bind("", "", &[], false),
            frames::execute("", 0),
        ]
        .concat()
    };
    for rows in [11, 1_000_000] {
        let mut client = login(ten());
        let batch = [
            run("SELECT 1"),
            run(&series(rows)),
            run("SELECT 2"),
            frames::sync(),
        ];
        check_bytes(&mut client, &batch, "1 2 D1 C[SELECT 1] 1 2 D10 E54000 ZI");
        // The Sync comes later.
        client.send(&[run(&series(rows)), frames::flush()].concat());
        let mut answer = Vec::new();
        while answer.last().is_none_or(|frame: &Frame| frame.kind != b'E') {
            answer.push(client.read().unwrap());
        }
        assert_eq!(told(&answer), "1 2 D10 E54000");
        client.send(&[run("SELECT 3"), frames::query("SELECT 4"), frames::sync()].concat());
        assert_eq!(told(&client.until_ready()), "ZI");
        check(&mut client, "SELECT 5", "T D1 C[SELECT 1] ZI");

        let mut client = login(ten_and_no_more());
        let all = "1 2 D1 C[SELECT 1] 1 2 D10 N C[SELECT 10] 1 2 D1 C[SELECT 1] ZI";
        check_bytes(&mut client, &batch, all);
    }
}

#[test]
fn what_is_sent_behind_a_cut_batch_runs() {
    for stack in [ten(), ten_and_no_more()] {
        let mut client = login(stack);
        for rows in [11, 300, 1_000_000] {
            let sent: Vec<Vec<u8>> = (0..5)
                .flat_map(|_| {
                    [
                        frames::query(&series(rows)),
                        frames::query("SELECT 1"),
                        frames::extended(&series(rows), &[], false),
                        frames::extended("SELECT 1", &[], false),
                    ]
                })
                .collect();
            client.send(&sent.concat());
            for _ in 0..5 {
                for wanted in ["", "1 2 "] {
                    let cut = told(&client.until_ready());
                    assert!(cut.starts_with(&format!("{wanted}T D10 ")), "{cut}");
                    assert!(cut.ends_with(" ZI"), "{cut}");
                    let good = told(&client.until_ready());
                    assert_eq!(good, format!("{wanted}T D1 C[SELECT 1] ZI"));
                }
            }
        }
    }
}

#[test]
fn a_portal_in_slices_is_one_result() {
    let begin = |sql: &str| {
        [
            frames::parse("", sql),
            frames::bind("p", "", &[], false),
            frames::sync(),
        ]
    };
    let slice = |rows| [frames::execute("p", rows), frames::sync()];
    let mut client = login(ten());
    check(&mut client, "BEGIN", "C[BEGIN] ZT");
    check_bytes(&mut client, &begin(&series(100)), "1 2 ZT");
    check_bytes(&mut client, &slice(4), "D4 s ZT");
    check_bytes(&mut client, &slice(4), "D4 s ZT");
    check_bytes(&mut client, &slice(4), "D2 E54000 ZE");
    check(&mut client, "ROLLBACK", "C[ROLLBACK] ZI");
    check(&mut client, "BEGIN", "C[BEGIN] ZT");
    // The same name again is another portal; both slices at once.
    check_bytes(&mut client, &begin(&series(10)), "1 2 ZT");
    let slices = [
        frames::execute("p", 5),
        frames::execute("p", 5),
        frames::execute("p", 5),
    ];
    let slices = [slices.concat(), frames::sync()];
    check_bytes(&mut client, &slices, "D5 s D5 s C[SELECT 0] ZT");
    check_bytes(
        &mut client,
        &[frames::close(b'P', "p"), frames::sync()],
        "3 ZT",
    );
    check_bytes(&mut client, &begin(&series(11)), "1 2 ZT");
    check_bytes(&mut client, &slices, "D5 s D5 s E54000 ZE");
    check(&mut client, "ROLLBACK", "C[ROLLBACK] ZI");

    let mut client = login(ten_and_no_more());
    check(&mut client, "BEGIN", "C[BEGIN] ZT");
    check_bytes(&mut client, &begin(&series(100)), "1 2 ZT");
    check_bytes(&mut client, &slice(8), "D8 s ZT");
    check_bytes(&mut client, &slice(8), "D2 N C[SELECT 2] ZT");
    check_bytes(&mut client, &slice(8), "N C[SELECT 0] ZT");
    check(&mut client, "ROLLBACK", "C[ROLLBACK] ZI");
}

#[test]
fn a_fetch_is_bounded_as_a_query_is() {
    let mut client = login(ten());
    check(&mut client, "BEGIN", "C[BEGIN] ZT");
    let declare = format!("DECLARE c CURSOR FOR {}", series(1000));
    check(&mut client, &declare, "C[DECLARE CURSOR] ZT");
    check(&mut client, "FETCH 11 FROM c", "T D10 E54000 ZE");
    check(&mut client, "ROLLBACK", "C[ROLLBACK] ZI");
    let mut client = login(ten_and_no_more());
    check(&mut client, "BEGIN", "C[BEGIN] ZT");
    check(&mut client, &declare, "C[DECLARE CURSOR] ZT");
    check(&mut client, "FETCH 20 FROM c", "T D10 N C[FETCH 10] ZT");
    check(&mut client, "COMMIT", "C[COMMIT] ZI");
}

#[test]
fn an_error_behind_the_boundary_is_the_clients_only_where_it_counts() {
    let failing = "SELECT 1 / (i - 5000) FROM generate_series(1, 10000) i";
    let mut client = login(ten());
    check(&mut client, failing, "T D10 E54000 ZI");
    let mut client = login(ten_and_no_more());
    check(&mut client, "BEGIN", "C[BEGIN] ZT");
    // It fails the transaction: nothing else could be said.
    check(&mut client, failing, "T D10 E22012 ZE");
    check(&mut client, "ROLLBACK", "C[ROLLBACK] ZI");
    let early = "SELECT 1 / (i - 5) FROM generate_series(1, 10000) i";
    check(&mut client, early, "T D4 E22012 ZI");
}

#[test]
fn bytes_are_counted_as_they_are_sent() {
    // A row of one column of n bytes takes 1 + 4 + 2 + 4 + n.
    let error = Stack::start(Options {
        policy_edits: &[("result_bytes: 10MiB", "result_bytes: 10000")],
        ..Options::default()
    });
    let mut client = login(&error);
    let text = |bytes: usize| format!("SELECT repeat('x', {bytes}) FROM generate_series(1, 10)");
    check(&mut client, &text(989), "T D10 C[SELECT 10] ZI");
    check(&mut client, &text(990), "T D9 E54000 ZI");
    check(&mut client, &text(50_000_000), "T E54000 ZI");
    check_bytes(&mut client, &extended(&text(990)), "1 2 T D9 E54000 ZI");
    let answer = client.query(&text(990));
    let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
    assert!(error.field(b'D').unwrap().contains("rule: result_bytes"));
    check(&mut client, "SELECT 1", "T D1 C[SELECT 1] ZI");
}
