//! How often a plan is asked for: counted on the way to the server.

use std::time::{Duration, Instant};

use super::plans::{CHEAP, COSTLY, SHORTLY, TABLES, login};
use crate::support::raw::{Login, kinds};
use crate::support::recorder::Recorder;
use crate::support::shared::shared_cluster;
use crate::support::{APP, Options, RawClient, Stack, frames, until};

/// The texts that reached the server on the connections of one client.
fn counted(
    edits: &'static [(&'static str, &'static str)],
    talk: impl FnOnce(&Stack, &mut RawClient, &dyn Fn() -> usize),
) {
    let recorder = Recorder::start(shared_cluster().port());
    let config = format!(
        "upstream:\n  url: postgres://{}/{{database}}\nlisten: {{listen}}\nadmin:\n  listen: \
         {{admin}}\naudit:\n  to: \"off\"\npolicy:\n  file: {{folder}}/policy.yaml\n",
        recorder.address()
    );
    let stack = Stack::start(Options {
        policy_edits: edits,
        config: Some(config),
        ..Options::default()
    });
    stack.prepare(TABLES);
    until(|| (login(&stack).query(CHEAP)[0].kind == b'T').then_some(())).expect("the table");
    let login = Login {
        parameters: &[("application_name", "counted")],
        ..stack.login(APP)
    };
    let mut client = RawClient::login(stack.proxied_address(), &login);
    let asked = || {
        let sent = recorder.of("counted").remove(0).sent;
        let question = b"EXPLAIN (FORMAT JSON) ";
        sent.windows(question.len())
            .filter(|at| at == question)
            .count()
    };
    talk(&stack, &mut client, &asked);
}

/// How long a plan counts, by [`SHORTLY`].
const AGE: Duration = Duration::from_secs(4);

#[test]
fn a_plan_is_asked_for_once_in_a_while() {
    counted(SHORTLY, |stack, client, asked| {
        // On a busy machine some take longer than a plan's age: other texts are tried then.
        let within_age = (1..10).any(|number| {
            let text = format!("SELECT id AS id{number} FROM few LIMIT 1");
            let (before, start) = (asked(), Instant::now());
            for _ in 0..5 {
                assert_eq!(kinds(&client.query(&text)), "TDCZ");
            }
            client.send(&frames::extended(&text, &[], false));
            client.until_ready();
            client.query(&format!("SELECT id FROM few WHERE id < -{number}"));
            let asked_twice = asked() == before + 2;
            let is_within = start.elapsed() < AGE;
            assert!(asked_twice || !is_within, "{before}, {}", asked());
            is_within
        });
        assert!(within_age);
        std::thread::sleep(AGE + Duration::from_millis(100));
        let (before, start) = (asked(), Instant::now());
        client.query("SELECT id FROM few LIMIT 1");
        client.query("SELECT id FROM few LIMIT 1");
        let again = asked() - before;
        assert!(again == 1 || start.elapsed() >= AGE, "{again}");
        // The database is another one now, once that is known.
        stack.prepare(&["CREATE TABLE another (id int)"]);
        let again = until(|| {
            let before = asked();
            client.query("SELECT id FROM few LIMIT 1");
            // Too old is another reason to ask: both times within the age.
            (asked() > before).then_some(())
        });
        again.expect("it is asked for again");
        for _ in 0..2 {
            client.query("BEGIN");
            client.query("SHOW port");
            client.query("COMMIT");
        }
    });
}

#[test]
fn without_bounds_nothing_is_asked() {
    counted(
        &[(
            "\n  statement_bytes: 1MiB\n",
            "\n  statement_bytes: 1048577\n",
        )],
        |_, client, asked| {
            client.query(COSTLY);
            client.send(&frames::extended(COSTLY, &[], false));
            client.until_ready();
            assert_eq!(asked(), 0);
        },
    );
}
