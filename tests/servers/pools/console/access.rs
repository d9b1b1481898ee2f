//! Whom the console is for, and what it answers to those who ask for something else.

use pgsieve::demo::supervisor::ChildSignal;

use super::{
    CONSOLE, client, columns, console, console_login, heard, is_paused, outcome, rig, rig_with,
};
use crate::support::raw::{Login, kinds, rows};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

#[test]
fn only_those_whom_the_settings_name_are_let_in_once_they_have_proved_it() {
    let rig = rig(2);
    let refusal = |user: &str, password: &str| {
        let refused = console_login(&rig, user, password).err().unwrap();
        (refused.sqlstate(), refused.field(b'M').unwrap())
    };
    let (code, message) = refusal("ben", "ben");
    assert_eq!(code, "28000");
    assert_eq!(message, "the console is not for user \"ben\"");
    // Who has not proved it hears what it would hear elsewhere.
    for (user, password) in [("ben", "x"), ("ann", "x"), ("nobody", "nobody")] {
        let (code, message) = refusal(user, password);
        assert_eq!(code, "28P01", "{user}");
        assert!(
            message.contains("password authentication failed"),
            "{message}"
        );
    }
    let mut ann = console(&rig, "ann");
    assert_eq!(
        rows(&ann.query("SHOW VERSION"))[0].split(' ').next(),
        Some("pgsieve")
    );
    let mut eve = console(&rig, "eve");
    assert_eq!(heard(&mut eve, "SHOW POOLS;"), "SHOW");
    // Neither of them has a session at the database.
    assert_eq!(super::backends(&rig), Vec::<String>::new());
    let login = |user: &str, outcome: &str| {
        let (user, outcome) = (user.to_owned(), outcome.to_owned());
        rig.stack.audited(move |event| {
            event["event"] == "login"
                && event["user"] == *user
                && event["database"] == "pgsieve"
                && event["outcome"] == *outcome
        })
    };
    assert_eq!(login("ann", "accepted")["method"], "scram");
    login("ben", "refused_policy");
    login("nobody", "bad_credentials");
}

#[test]
fn who_may_look_may_do_nothing() {
    let rig = rig(2);
    let mut eve = console(&rig, "eve");
    let own = rig.stack.database();
    let named = format!("PAUSE {own}");
    for command in ["PAUSE", "RESUME", "RECONNECT", "RELOAD", &named] {
        let answer = eve.query(command);
        assert_eq!(outcome(&answer), "42501", "{command}");
        assert_eq!(kinds(&answer), "EZ");
    }
    let database = columns(&eve.query("SHOW DATABASES"));
    assert_eq!(database[0].0, "name");
    let event = rig
        .stack
        .audited(|event| event["event"] == "console_command" && event["target"] == own);
    assert_eq!(event["command"], "pause");
    assert_eq!(event["outcome"], "refused");
    assert_eq!(event["user"], "eve");
}

#[test]
fn what_is_no_command_is_refused_and_the_session_goes_on() {
    let rig = rig(2);
    let mut ann = console(&rig, "ann");
    for text in [
        "SELECT 1",
        "SHOW FDS",
        "BEGIN",
        "SHOW POOLS; SHOW STATS",
        "DELETE FROM pools",
        "SHUTDOWN",
    ] {
        let answer = ann.query(text);
        assert_eq!(outcome(&answer), "42601", "{text}");
        let refused = answer.iter().find(|frame| frame.kind == b'E').unwrap();
        let hint = refused.field(b'H').unwrap();
        assert!(hint.contains("SHOW HELP"), "{hint}");
    }
    assert_eq!(kinds(&ann.query(" ; ")), "IZ");
    let help = ann.query("show help;");
    assert_eq!(kinds(&help), "NCZ");
    let told = help[0].field(b'D').unwrap();
    assert!(told.contains("PAUSE [<database>]"), "{told}");
    // A driver that prepares hears why it cannot, and nothing before its Sync counts.
    let batch = [
        frames::parse("", "SHOW POOLS"),
        frames::bind("", "", &[], false),
        frames::query("SHOW POOLS"),
        frames::sync(),
    ];
    ann.send(&batch.concat());
    let answer = ann.until_ready();
    assert_eq!(kinds(&answer), "EZ");
    assert_eq!(answer[0].sqlstate(), "0A000");
    assert_eq!(heard(&mut ann, "SHOW POOLS"), "SHOW");
    ann.send(&[frames::message(b'F', &[0; 10]), frames::query("SHOW LISTS")].concat());
    assert_eq!(kinds(&ann.until_ready()), "EZ");
    assert_eq!(outcome(&ann.until_ready()), "SHOW");
    // A text that is longer than any command is not waited for.
    ann.send(&frames::query(&"x".repeat(100_000))[..5]);
    let last = ann.until_closed();
    assert_eq!(last.last().unwrap().sqlstate(), "08P01");
    assert_eq!(super::backends(&rig), Vec::<String>::new());
}

#[test]
fn who_looks_many_times_at_once_keeps_nobody_out_who_acts() {
    let rig = rig(2);
    let most = pgsieve::limits::console::SESSIONS_MAX;
    let mut eyes: Vec<RawClient> = (0..most).map(|_| console(&rig, "eve")).collect();
    let refused = console_login(&rig, "eve", "eve").err().unwrap();
    assert_eq!(refused.sqlstate(), "53300");
    let mut ann = console(&rig, "ann");
    assert_eq!(heard(&mut ann, "SHOW POOLS"), "SHOW");
    // What is sent at once is answered in its order.
    let many = frames::query("SHOW VERSION").repeat(50);
    eyes[0].send(&many);
    for _ in 0..50 {
        assert_eq!(outcome(&eyes[0].until_ready()), "SHOW");
    }
    drop(eyes);
    until(|| console_login(&rig, "eve", "eve").ok()).unwrap();
}

#[test]
fn settings_that_are_read_again_hold_for_sessions_that_are_open() {
    let rig = rig(2);
    let (mut ann, mut eve) = (console(&rig, "ann"), console(&rig, "eve"));
    rig.edit(CONSOLE, "console: {users: [ann, ben]}\n");
    assert_eq!(heard(&mut ann, "RELOAD"), "RELOAD");
    eve.send(&frames::query("SHOW POOLS"));
    assert_eq!(eve.until_closed().last().unwrap().sqlstate(), "57P01");
    assert_eq!(
        console_login(&rig, "eve", "eve").err().unwrap().sqlstate(),
        "28000"
    );
    let mut ben = console(&rig, "ben");
    assert_eq!(heard(&mut ben, "RECONNECT"), "RECONNECT");
    // Whose user is gone is gone at once.
    rig.edit("- {name: ben,", "- {name: ben, disabled: true,");
    assert_eq!(heard(&mut ann, "RELOAD"), "RELOAD");
    assert_eq!(ben.until_closed().last().unwrap().sqlstate(), "57P01");
    rig.edit(
        "console: {users: [ann, ben]}",
        "console: {users: [ann], stat_users: x}",
    );
    let answer = ann.query("RELOAD");
    assert_eq!(outcome(&answer), "F0000");
    assert_eq!(heard(&mut ann, "SHOW POOLS"), "SHOW");
}

#[test]
fn without_a_console_a_database_of_its_name_is_one_like_others() {
    let rig = rig_with("", "");
    rig.stack.prepare(&["CREATE DATABASE pgsieve"]);
    let mut ben = console_login(&rig, "ben", "ben").unwrap();
    assert_eq!(rows(&ben.query("SELECT current_database()")), ["pgsieve"]);
    assert_ne!(heard(&mut ben, "SHOW POOLS"), "SHOW");
    // With one, that database is behind it and is not reached.
    let with = rig_with("", CONSOLE);
    assert_eq!(
        outcome(&console(&with, "ann").query("SELECT current_database()")),
        "42601"
    );
    drop(ben);
    drop(rig);
}

#[test]
fn no_console_is_served_where_clients_do_not_prove_to_pgsieve_who_they_are() {
    // Environment alone: the settings are refused before anything is served.
    for method in ["passthrough", "trust"] {
        let stack = Stack::start_unready(Options {
            environment: vec![
                ("PGSIEVE_CLIENT_AUTH_METHOD", method),
                ("PGSIEVE_CONSOLE_USERS", APP),
            ],
            ..Options::default()
        });
        let told = until(|| {
            let told = stack.stderr();
            told.contains("the console needs users who prove to pgsieve")
                .then_some(told)
        });
        assert!(told.unwrap().contains("PGSIEVE_CONSOLE_USERS"));
    }
}

#[test]
fn a_session_of_the_console_ends_when_pgsieve_does_or_somebody_wants_it() {
    let mut rig = rig(2);
    let (mut ann, mut eve) = (console(&rig, "ann"), console(&rig, "eve"));
    let mut ben = client(&rig);
    ben.query("BEGIN");
    // A pause that waits for a transaction does not hold the drain up.
    let mut waits = console(&rig, "ann");
    waits.send(&frames::query("PAUSE"));
    until(|| is_paused(&rig, &mut eve).then_some(())).unwrap();
    rig.stack.signal(ChildSignal::Terminate);
    for console in [&mut ann, &mut eve, &mut waits] {
        assert_eq!(console.until_closed().last().unwrap().sqlstate(), "57P01");
    }
    let unfinished = rig.stack.audited(|event| event["outcome"] == "unfinished");
    assert_eq!(unfinished["command"], "pause");
}

#[test]
fn a_login_without_a_database_is_for_that_of_its_user() {
    let rig = rig(2);
    let mut bare = RawClient::connect(rig.stack.proxied_address());
    bare.send(&frames::startup(
        0,
        &[("user", "ann"), ("replication", "database")],
    ));
    let login = Login {
        user: "ann",
        password: "ann",
        database: "ann",
        parameters: &[],
    };
    // There is no database of that name, and replication is refused; the console is not meant.
    assert!(bare.finish_login(&login).is_err());
}
