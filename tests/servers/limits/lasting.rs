//! The limits on results over the life of a session: cancels, drivers, a policy that changes,
//! clients that leave.

use std::time::Duration;

use crate::limits::results::{check, check_bytes, login, series, ten, ten_and_no_more, told};
use crate::support::sql::assert_running;
use crate::support::{APP, Options, RawClient, Stack, frames, until};

#[test]
fn a_cancel_never_meets_the_next_statement() {
    for stack in [ten(), ten_and_no_more()] {
        let mut client = login(stack);
        for round in 0..300 {
            let rows = [11, 60, 400, 3000, 50_000][round % 5];
            let cut = if round % 2 == 0 {
                client.query(&series(rows))
            } else {
                client.send(&frames::extended(&series(rows), &[], false));
                client.until_ready()
            };
            assert!(told(&cut).contains("D10 "), "{}", told(&cut));
            let good = "SELECT count(*) FROM generate_series(1, 3000)";
            check(&mut client, good, "T D1 C[SELECT 1] ZI");
        }
    }
}

#[test]
fn what_a_policy_observes_is_counted_and_passes() {
    let stack = Stack::start(Options {
        policy_edits: &[
            (
                "\nlimits:\n",
                "\nrules: {result_rows: observe}\nlimits:\n  result_rows: 10\n",
            ),
            ("\n  result_bytes: 10MiB\n", "\n  result_bytes: 100000\n"),
        ],
        ..Options::default()
    });
    let mut client = login(&stack);
    check(&mut client, &series(10), "T D10 C[SELECT 10] ZI");
    assert_eq!(stack.metric(OBSERVED), 0.0);
    check(&mut client, &series(200), "T D200 C[SELECT 200] ZI");
    assert_eq!(stack.metric(OBSERVED), 1.0);
    let long = "SELECT repeat('x', 900) FROM generate_series(1, 1000)";
    assert!(told(&client.query(long)).ends_with("E54000 ZI"));
    assert_eq!(stack.metric(OBSERVED), 2.0);
    assert_eq!(stack.metric(ENFORCED_BYTES), 1.0);
    let line = stack.audited(|line| line["event"] == "limit_reached");
    assert_eq!(
        (&line["rule"], &line["mode"]),
        (&"result_rows".into(), &"observe".into())
    );
    let cut = stack.audited(|line| line["verdict"] == "cut");
    assert_eq!(
        (&cut["rule"], &cut["sqlstate"]),
        (&"result_bytes".into(), &"54000".into())
    );
    assert_eq!(cut["rows"], 109);
}

const OBSERVED: &str = "pgsieve_limits_total{mode=\"observe\",rule=\"result_rows\"}";
const ENFORCED_BYTES: &str = "pgsieve_limits_total{mode=\"enforce\",rule=\"result_bytes\"}";

#[test]
fn a_policy_that_is_changed_holds_from_the_next_statement_on() {
    let mut stack = Stack::start(Options {
        policy_edits: &[("\nlimits:\n", "\nlimits:\n  result_rows: 1000\n")],
        ..Options::default()
    });
    let mut client = login(&stack);
    check(&mut client, "BEGIN", "C[BEGIN] ZT");
    let declared = [
        frames::parse("s", &series(30)),
        frames::bind("p", "s", &[], false),
        frames::execute("p", 5),
        frames::sync(),
    ];
    check_bytes(&mut client, &declared, "1 2 D5 s ZT");
    let file = stack.folder().join("policy.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("result_rows: 1000", "result_rows: 10")).unwrap();
    stack.signal(pgsieve::demo::supervisor::ChildSignal::Reload);
    let changed = until(|| {
        let answer = login(&stack).query(&series(11));
        told(&answer).contains("E54000").then_some(())
    });
    assert!(changed.is_some());
    // A portal is one result under the newer policy as well.
    let slice = [frames::execute("p", 9), frames::sync()];
    check_bytes(&mut client, &slice, "D5 E54000 ZE");
    check(&mut client, "ROLLBACK", "C[ROLLBACK] ZI");
    let bound = [
        frames::bind("", "s", &[], false),
        frames::execute("", 0),
        frames::sync(),
    ];
    check_bytes(&mut client, &bound, "2 D10 E54000 ZI");
}

#[tokio::test]
async fn a_driver_goes_on_behind_a_cut_result() {
    let mut client = ten().proxied(APP).await;
    let wide = "SELECT i, $1::text FROM generate_series(1, $2::int) i";
    let statement = client.prepare(wide).await.unwrap();
    for _ in 0..20 {
        let rows = client.query(&statement, &[&"x", &10]).await.unwrap();
        assert_eq!(rows.len(), 10);
        let error = client
            .query(&statement, &[&"x", &20_000])
            .await
            .unwrap_err();
        assert_eq!(error.code().unwrap().code(), "54000");
    }
    // Pipelined: the driver sends the second before the first is answered.
    let (cut, good) = tokio::join!(
        client.query(&statement, &[&"x", &1_000_000]),
        client.query(&statement, &[&"x", &3]),
    );
    assert_eq!(cut.unwrap_err().code().unwrap().code(), "54000");
    assert_eq!(good.unwrap().len(), 3);
    let transaction = client.transaction().await.unwrap();
    let portal = transaction.bind(&statement, &[&"x", &100]).await.unwrap();
    assert_eq!(transaction.query_portal(&portal, 7).await.unwrap().len(), 7);
    let error = transaction.query_portal(&portal, 7).await.unwrap_err();
    assert_eq!(error.code().unwrap().code(), "54000");
    transaction.rollback().await.unwrap();
    assert_eq!(
        client.query(&statement, &[&"x", &1]).await.unwrap().len(),
        1
    );
}

#[test]
fn many_cut_at_once_are_all_cancelled() {
    let clients: Vec<RawClient> = (0..48).map(|_| login(ten())).collect();
    let endless = "SELECT generate_series(1, 100000000000)";
    std::thread::scope(|scope| {
        for mut client in clients {
            scope.spawn(move || {
                check(&mut client, endless, "T D10 E54000 ZI");
                check(&mut client, "SELECT 1", "T D1 C[SELECT 1] ZI");
            });
        }
    });
    assert_running(ten(), 0);
}

#[test]
fn a_client_that_leaves_behind_the_boundary_leaves_nothing_running() {
    let run = [
        frames::parse("", "SELECT generate_series(1, 100000000000)"),
        frames::bind("", "", &[], false),
        frames::execute("", 0),
        frames::flush(),
    ];
    for stack in [ten(), ten_and_no_more()] {
        let mut client = login(stack);
        client.send(&run.concat());
        std::thread::sleep(Duration::from_millis(100));
        drop(client);
        assert_running(stack, 0);
    }
}
