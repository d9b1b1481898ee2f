//! `pgsieve.show_repaired`: the notice of a repair has the statement that ran, where the client
//! wants to see it, and never what a model is made of.

use std::sync::LazyLock;

use crate::support::raw::{Frame, Login, kinds, rows};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

const TABLES: &[&str] = &[
    "CREATE TABLE \"Numbers\" (\"Name\" text)",
    "INSERT INTO \"Numbers\" VALUES ('a')",
    "CREATE TABLE sums (\"Total\" integer, concealed integer)",
    "INSERT INTO sums VALUES (7, 1)",
    "GRANT SELECT ON \"Numbers\", sums TO app",
];

const MODEL: &[(&str, &str)] = &[(
    "#models: {}",
    "models: {public.sums: {sql: 'SELECT \"Total\" FROM public.sums WHERE concealed = 1'}}",
)];

const UNQUOTED: &str = "SELECT Name FROM Numbers";

const QUOTED: &str = "SELECT \"Name\" FROM \"Numbers\"";

fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        let stack = Stack::start(Options {
            policy_edits: MODEL,
            ..Options::default()
        });
        stack.prepare(TABLES);
        let is_known = || {
            let answer = login(&stack, &[]).query(UNQUOTED);
            kinds(&answer).contains('D').then_some(())
        };
        until(is_known).expect("the catalog is known");
        stack
    });
    &STACK
}

fn login(stack: &Stack, parameters: &'static [(&'static str, &'static str)]) -> RawClient {
    let login = Login {
        parameters,
        ..stack.login(APP)
    };
    RawClient::login(stack.proxied_address(), &login)
}

fn session() -> RawClient {
    login(stack(), &[])
}

/// The DETAIL of the notice of a repair.
fn detail_of(answer: &[Frame]) -> String {
    let notice = answer.iter().find(|frame| frame.kind == b'N');
    notice.expect("a notice").field(b'D').unwrap_or_default()
}

/// Whether the statement that ran is shown, in both protocols.
fn is_shown(client: &mut RawClient) -> bool {
    let simple = detail_of(&client.query(UNQUOTED)).contains(QUOTED);
    client.send(&frames::extended(UNQUOTED, &[], false));
    let extended = detail_of(&client.until_ready()).contains(QUOTED);
    assert_eq!(simple, extended);
    simple
}

fn done(client: &mut RawClient, text: &str) {
    let answer = client.query(text);
    assert!(kinds(&answer).ends_with("CZ"), "{text}: {answer:?}");
}

#[test]
fn a_repaired_statement_is_shown_to_who_wants_to_see_it() {
    let mut client = session();
    assert!(!is_shown(&mut client));
    done(&mut client, "SET pgsieve.show_repaired = on");
    assert!(is_shown(&mut client));
    let answer = client.query("SHOW pgsieve.show_repaired");
    assert!(answer[1].body.ends_with(b"on"), "{answer:?}");
    for (reset, set) in [
        (
            "RESET pgsieve.show_repaired",
            "SET pgsieve.show_repaired TO true",
        ),
        (
            "SET pgsieve.show_repaired = off",
            "SET SESSION pgsieve.show_repaired = 1",
        ),
        (
            "RESET ALL",
            "SELECT set_config('pgsieve.show_repaired', 'on', false)",
        ),
        ("DISCARD ALL", "SET PGSIEVE.Show_Repaired = 'yes'"),
    ] {
        done(&mut client, reset);
        assert!(!is_shown(&mut client), "{reset}");
        done(&mut client, set);
        assert!(is_shown(&mut client), "{set}");
    }
    let answer = client.query("SET pgsieve.show_repaired = perhaps");
    assert_eq!(answer[0].sqlstate(), "22023");
    assert!(is_shown(&mut client));
}

/// The value of the only row of an answer.
fn value_of(answer: &[Frame]) -> String {
    let rows = rows(answer);
    assert_eq!(rows.len(), 1, "{answer:?}");
    rows.concat()
}

const SHOW: &str = "SHOW pgsieve.show_repaired";

#[test]
fn it_is_off_before_anybody_sets_it() {
    let mut client = session();
    assert_eq!(value_of(&client.query(SHOW)), "off");
    client.send(&frames::extended(SHOW, &[], false));
    assert_eq!(value_of(&client.until_ready()), "off");
    // In a pipeline each answer comes in its place.
    let ask = |text: &str| frames::extended(text, &[], false);
    let asked = [
        ask("SELECT 1"),
        ask(SHOW),
        ask("SET pgsieve.show_repaired = on"),
        ask(SHOW),
        frames::query("RESET pgsieve.show_repaired"),
        frames::query(SHOW),
        ask("SELECT 2"),
    ];
    client.send(&asked.concat());
    let answers = asked.map(|_| client.until_ready());
    let values = [0, 1, 3, 5, 6].map(|place| value_of(&answers[place]));
    assert_eq!(values, ["1", "off", "on", "off", "2"]);
    done(&mut client, "BEGIN");
    assert_eq!(value_of(&client.query(SHOW)), "off");
    done(&mut client, "COMMIT");
    done(&mut client, "DISCARD ALL");
    assert_eq!(value_of(&client.query(SHOW)), "off");
    let current = "SELECT current_setting('pgsieve.show_repaired')";
    assert_eq!(value_of(&client.query(current)), "off");
}

#[test]
fn it_follows_transactions() {
    let mut client = session();
    for (texts, shown) in [
        (&["BEGIN", "SET LOCAL pgsieve.show_repaired = on"][..], true),
        (&["COMMIT"], false),
        (&["BEGIN", "SET pgsieve.show_repaired = on"], true),
        (&["ROLLBACK"], false),
        (&["BEGIN", "SET pgsieve.show_repaired = on", "COMMIT"], true),
        (&["BEGIN", "SET LOCAL pgsieve.show_repaired = off"], false),
        (&["ROLLBACK"], true),
    ] {
        texts.iter().for_each(|text| done(&mut client, text));
        assert_eq!(is_shown(&mut client), shown, "{texts:?}");
    }
}

#[test]
fn a_session_may_begin_with_it() {
    let mut client = login(stack(), &[("options", "-c pgsieve.show_repaired=on")]);
    assert!(is_shown(&mut client));
    done(&mut client, "SET pgsieve.show_repaired = off");
    assert!(!is_shown(&mut client));
    done(&mut client, "RESET pgsieve.show_repaired");
    assert!(is_shown(&mut client));
    assert!(is_shown(&mut login(
        stack(),
        &[("pgsieve.show_repaired", "on")]
    )));
}

#[test]
fn what_a_model_is_made_of_is_not_shown() {
    let mut client = login(stack(), &[("options", "-c pgsieve.show_repaired=on")]);
    let answer = client.query("SELECT Total FROM sums");
    assert!(kinds(&answer).contains('D'), "{answer:?}");
    let detail = detail_of(&answer);
    assert!(detail.ends_with("SELECT \"Total\" FROM sums"), "{detail}");
    assert!(!detail.contains("concealed"), "{detail}");
}

#[test]
fn no_other_setting_of_pgsieves_own_is_for_clients() {
    let mut client = session();
    for text in [
        "SET pgsieve.mask_pad = '{1,2,3,4}'",
        "SHOW pgsieve.mask_pad",
        "SET pgsieve.show = on",
    ] {
        assert!(kinds(&client.query(text)).starts_with('E'), "{text}");
    }
}
