//! How often a plan is asked for: counted on the way to the server.

use std::time::Duration;

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

#[test]
fn a_plan_is_asked_for_once_in_a_while() {
    counted(SHORTLY, |stack, client, asked| {
        for _ in 0..5 {
            assert_eq!(kinds(&client.query("SELECT id FROM few LIMIT 1")), "TDCZ");
        }
        client.send(&frames::extended("SELECT id FROM few LIMIT 1", &[], false));
        client.until_ready();
        assert_eq!(asked(), 1);
        client.query("SELECT id FROM few WHERE id < 0");
        assert_eq!(asked(), 2);
        std::thread::sleep(Duration::from_millis(4100));
        client.query("SELECT id FROM few LIMIT 1");
        client.query("SELECT id FROM few LIMIT 1");
        assert_eq!(asked(), 3);
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
