//! Where the policy bounds plans: what a read would cost is asked for before it runs, on its own
//! session, and the client notices nothing but the refusal of what is too much.

use std::sync::LazyLock;
use std::time::Duration;

use crate::protocol::pair::Pair;
use crate::support::raw::{Frame, Login, kinds};
use crate::support::sql::assert_running;
use crate::support::{ADMIN, APP, Options, RawClient, Stack, UNREPAIRED, frames, until};

/// Fifty thousand rows, of which twenty are rare and found by an index.
pub const TABLES: &[&str] = &[
    "CREATE TABLE many AS SELECT g AS id, CASE WHEN g <= 20 THEN 'rare' ELSE 'usual' END AS kind, \
     'row ' || g AS words FROM generate_series(1, 50000) g",
    "CREATE INDEX ON many (kind)",
    "CREATE TABLE few AS SELECT g AS id FROM generate_series(1, 10) g",
    "ANALYZE many",
    "ANALYZE few",
    "GRANT SELECT ON many, few TO app",
];

pub const BOUNDS: (&str, &str) = (
    "\n  statement_bytes: ",
    "\n  max_plan_cost: 500\n  max_plan_rows: 1000\n  statement_bytes: ",
);

const BOUNDED: &[(&str, &str)] = &[BOUNDS];

/// Costs too much, returns one row.
pub const COSTLY: &str = "SELECT count(*) FROM many";

/// Costs little, returns too much.
const LONG: &str = "SELECT g FROM generate_series(1, 5000) g";

pub const CHEAP: &str = "SELECT id FROM few";

pub const SHORTLY: &[(&str, &str)] = &[
    BOUNDS,
    ("\n  max_plan_rows", "\n  plan_age_max: 4s\n  max_plan_rows"),
];

const UNREPAIRED_BOUNDED: &[(&str, &str)] = &[BOUNDS, UNREPAIRED[0]];

fn start(policy: Option<&'static str>, edits: &'static [(&'static str, &'static str)]) -> Stack {
    let stack = Stack::start(Options {
        policy,
        policy_edits: edits,
        ..Options::default()
    });
    stack.prepare(TABLES);
    stack
}

fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| start(None, BOUNDED));
    &STACK
}

pub fn login(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

fn status(answer: &[Frame]) -> char {
    char::from(answer.last().expect("an answer").body[0])
}

/// The answer is the refusal of a plan, and the session is in this state behind it.
#[track_caller]
fn refused(answer: &[Frame], rule: &str, status_behind: char) {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    let error = error.unwrap_or_else(|| panic!("no error: {answer:?}"));
    assert_eq!(error.sqlstate(), "54000", "{error:?}");
    let detail = error.field(b'D').unwrap();
    assert!(detail.starts_with(&format!("rule: {rule} (")), "{detail}");
    assert!(error.field(b'H').is_some_and(|hint| hint.contains("LIMIT")));
    assert_eq!(error.field(b'P'), None);
    assert_eq!(status(answer), status_behind);
}

#[test]
fn a_bound_bites_in_both_protocols() {
    let mut client = login(stack());
    for (text, rule) in [(COSTLY, "plan_cost"), (LONG, "plan_rows")] {
        refused(&client.query(text), rule, 'I');
        client.send(&frames::extended(text, &[], false));
        let answer = client.until_ready();
        assert_eq!(kinds(&answer), "12EZ");
        refused(&answer, rule, 'I');
    }
    for text in ["COPY many TO STDOUT", "COPY many (id, words) TO STDOUT CSV"] {
        refused(&client.query(text), "plan_cost", 'I');
    }
    assert!(kinds(&client.query("COPY few TO STDOUT")).starts_with("Hd"));
    assert_eq!(kinds(&client.query("SELECT id FROM few LIMIT 2")), "TDDCZ");
    client.send(&frames::extended("SELECT id FROM few LIMIT 2", &[], true));
    assert_eq!(kinds(&client.until_ready()), "12TDDCZ");
    assert_eq!(
        kinds(&client.query("SELECT id FROM many WHERE kind = 'rare' LIMIT 1")),
        "TDCZ"
    );
}

#[test]
fn a_refusal_says_what_was_expected() {
    let answer = login(stack()).query(COSTLY);
    let detail = answer[0].field(b'D').unwrap();
    assert!(
        detail.ends_with(" expected, max_plan_cost is 500)"),
        "{detail}"
    );
    // What hides rows tells nothing of them.
    let hiding = start(
        None,
        &[
            BOUNDS,
            ("\nlimits:\n", "\ncolumns: {deny: [\"*.*.no\"]}\nlimits:\n"),
        ],
    );
    until(|| {
        let answer = login(&hiding).query(COSTLY);
        let detail = answer[0].field(b'D')?;
        (detail == "rule: plan_cost (max_plan_cost is 500)").then_some(())
    })
    .expect("the limit alone");
}

#[test]
fn the_values_of_a_bind_count() {
    let mut client = login(stack());
    for name in ["", "named"] {
        for (value, is_much) in [("rare", false), ("usual", true), ("nothing", false)] {
            // Each has a fingerprint of its own: what is known of one value stands for others.
            let text = format!("SELECT id AS {value}_{name} FROM many WHERE kind = $1");
            client.send(&[frames::parse(name, &text), frames::sync()].concat());
            assert_eq!(kinds(&client.until_ready()), "1Z");
            for _ in 0..8 {
                let bind = frames::bind("", name, &[Some(value)], false);
                client.send(&[bind, frames::execute("", 1), frames::sync()].concat());
                let answer = client.until_ready();
                if is_much {
                    assert_eq!(kinds(&answer), "2EZ", "{value}");
                    refused(&answer, "plan_cost", 'I');
                } else {
                    let passed = ["2DsZ", "2CZ"].contains(&kinds(&answer).as_str());
                    assert!(passed, "{value}: {answer:?}");
                }
            }
            client.send(&[frames::close(b'S', name), frames::sync()].concat());
            client.until_ready();
        }
    }
}

/// The plan of one value speaks for others, for a while; one that refuses speaks for nobody else.
#[test]
fn a_known_plan_speaks_for_other_values() {
    let stack = start(None, SHORTLY);
    let mut client = login(&stack);
    let ask = |client: &mut RawClient, value: &str| {
        client.query(&format!("SELECT max(id) FROM many WHERE kind = '{value}'"))
    };
    refused(&ask(&mut client, "usual"), "plan_cost", 'I');
    assert_eq!(kinds(&ask(&mut client, "rare")), "TDCZ");
    assert_eq!(kinds(&ask(&mut client, "usual")), "TDCZ");
    std::thread::sleep(Duration::from_millis(4100));
    refused(&ask(&mut client, "usual"), "plan_cost", 'I');
}

#[test]
fn a_refusal_fails_its_transaction_and_a_savepoint_mends_it() {
    let mut client = login(stack());
    client.query("BEGIN");
    assert_eq!(status(&client.query(CHEAP)), 'T');
    client.query("SAVEPOINT s");
    refused(&client.query(COSTLY), "plan_cost", 'E');
    assert_eq!(client.query(CHEAP)[0].sqlstate(), "25P02");
    assert_eq!(client.query(COSTLY)[0].sqlstate(), "25P02");
    client.query("ROLLBACK TO s");
    assert_eq!(status(&client.query(CHEAP)), 'T');
    client.send(&frames::extended(LONG, &[], false));
    refused(&client.until_ready(), "plan_rows", 'E');
    client.send(&frames::extended(CHEAP, &[], false));
    assert_eq!(client.until_ready()[0].sqlstate(), "25P02");
    assert_eq!(status(&client.query("ROLLBACK")), 'I');
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
}

#[test]
fn a_pipeline_keeps_its_order_and_its_transaction() {
    let mut client = login(stack());
    let whole = |text: &str| {
        let bind = frames::bind("", "", &[], false);
        [frames::parse("", text), bind, frames::execute("", 0)].concat()
    };
    let first = "SELECT set_config('application_name', 'inside', true)";
    let second = "SELECT current_setting('application_name'), 'pipelined'";
    client.send(
        &[
            whole(first),
            whole(second),
            whole(LONG),
            whole(CHEAP),
            frames::sync(),
        ]
        .concat(),
    );
    client.send(&frames::query("SELECT 'behind'"));
    let answer = client.until_ready();
    // Without a Sync between them they share a transaction, and what was set is seen.
    assert_eq!(kinds(&answer), "12DC12DC12EZ");
    assert!(answer[6].body.windows(6).any(|at| at == b"inside"));
    refused(&answer, "plan_rows", 'I');
    assert_eq!(kinds(&client.until_ready()), "TDCZ");
}

#[test]
fn statements_and_portals_of_the_client_stay() {
    let mut client = login(stack());
    client.query("BEGIN");
    let portal = frames::bind("", "", &[], false);
    client.send(
        &[
            frames::parse("", CHEAP),
            portal,
            frames::execute("", 2),
            frames::sync(),
        ]
        .concat(),
    );
    assert_eq!(kinds(&client.until_ready()), "12DDsZ");
    // Another statement is planned meanwhile.
    let other = frames::bind("other", "o", &[], false);
    client.send(&[frames::parse("o", "VALUES (1)"), other, frames::sync()].concat());
    assert_eq!(kinds(&client.until_ready()), "12Z");
    client.send(
        &[
            frames::execute("", 3),
            frames::execute("other", 0),
            frames::sync(),
        ]
        .concat(),
    );
    assert_eq!(kinds(&client.until_ready()), "DDDsDCZ");
    // The unnamed statement is still that of the client, for the next portal.
    client.send(
        &[
            frames::bind("", "", &[], false),
            frames::execute("", 1),
            frames::sync(),
        ]
        .concat(),
    );
    assert_eq!(kinds(&client.until_ready()), "2DsZ");
    client.query("COMMIT");
    let names = client.query("SELECT name FROM pg_prepared_statements WHERE name LIKE 'pgsieve%'");
    assert_eq!(kinds(&names), "TCZ");
}

#[test]
fn a_cursor_is_asked_about_when_it_is_declared() {
    let mut client = login(stack());
    client.query("BEGIN");
    assert_eq!(
        kinds(&client.query("DECLARE c CURSOR FOR SELECT id FROM few")),
        "CZ"
    );
    assert_eq!(kinds(&client.query("FETCH 2 FROM c")), "TDDCZ");
    refused(
        &client.query("DECLARE d CURSOR FOR SELECT id FROM many"),
        "plan_cost",
        'E',
    );
    client.query("ROLLBACK");
    client.query("BEGIN");
    client.send(&frames::extended(
        "DECLARE d CURSOR FOR SELECT id FROM many",
        &[],
        false,
    ));
    refused(&client.until_ready(), "plan_cost", 'E');
    client.query("ROLLBACK");
}

#[test]
fn a_copy_is_asked_about_as_its_query() {
    let mut client = login(stack());
    let copy = |query: &str| format!("COPY /* (a */ ({query}) TO STDOUT (FORMAT csv)");
    assert_eq!(
        kinds(&client.query(&copy("SELECT id FROM few WHERE id < 3"))),
        "HddcCZ"
    );
    refused(&client.query(&copy(COSTLY)), "plan_cost", 'I');
    client.send(&frames::extended(
        &copy("SELECT g FROM generate_series(1, 5000) g"),
        &[],
        false,
    ));
    refused(&client.until_ready(), "plan_rows", 'I');
}

#[test]
fn a_statement_prepared_in_sql_is_asked_about_when_it_is_executed() {
    let mut client = login(stack());
    client.query("PREPARE p (text) AS SELECT id FROM many WHERE kind = $1 ORDER BY id LIMIT 10000");
    for _ in 0..7 {
        assert_eq!(
            kinds(&client.query("EXECUTE p('rare')")),
            format!("T{}CZ", "D".repeat(20))
        );
        refused(&client.query("EXECUTE p('usual')"), "plan_cost", 'I');
    }
    client.send(&frames::extended("EXECUTE p('usual')", &[], false));
    refused(&client.until_ready(), "plan_cost", 'I');
    // Its types have names only: what a Bind would bring is not known.
    client.send(
        &[
            frames::bind("", "p", &[Some("usual")], false),
            frames::sync(),
        ]
        .concat(),
    );
    let answer = client.until_ready();
    assert_eq!(
        (kinds(&answer), answer[0].sqlstate()),
        ("EZ".into(), "0A000".into())
    );
    // What a Parse has prepared is executed in SQL as well.
    client.send(
        &[
            frames::parse("q", COSTLY),
            frames::parse("s", "SHOW port"),
            frames::sync(),
        ]
        .concat(),
    );
    client.until_ready();
    refused(&client.query("EXECUTE q"), "plan_cost", 'I');
}

#[test]
fn each_read_of_a_message_is_asked_about() {
    let stack = start(Some("bi"), BOUNDED);
    let mut client = login(&stack);
    assert_eq!(
        kinds(&client.query("BEGIN; SELECT 1; SELECT id FROM few LIMIT 1; COMMIT")),
        "CTDCTDCCZ"
    );
    refused(
        &client.query(&format!("SELECT 1; {COSTLY}; SELECT 2")),
        "plan_cost",
        'I',
    );
    refused(
        &client.query(&format!("EXPLAIN ANALYZE {COSTLY}")),
        "plan_cost",
        'I',
    );
    refused(
        &client.query(&format!("EXPLAIN (ANALYZE, COSTS off) {COSTLY}")),
        "plan_cost",
        'I',
    );
    assert_eq!(
        kinds(&client.query(&format!("EXPLAIN (COSTS off) {COSTLY}"))),
        "TDDCZ"
    );
    client.query("BEGIN");
    let answer = client.query(&format!("COMMIT; {COSTLY}"));
    assert_eq!(
        (answer[0].sqlstate(), status(&answer)),
        ("0A000".into(), 'E')
    );
    // An error in a later statement has its place in the whole text.
    client.query("ROLLBACK");
    let unrepaired = start(Some("bi"), UNREPAIRED_BOUNDED);
    let mut pair = Pair::open(&unrepaired);
    let (direct, proxied) = pair.ask(&frames::query("SELECT 'ä'; SELECT nope FROM few"));
    let place = |answer: &[Frame]| answer.iter().find(|f| f.kind == b'E').unwrap().field(b'P');
    assert_eq!(place(&direct), place(&proxied));
}

#[test]
fn a_repaired_text_is_asked_about_as_well() {
    let stack = start(None, BOUNDED);
    let mut client = login(&stack);
    let fenced = |text: &str| format!("```sql\n{text}\n```");
    assert_eq!(kinds(&client.query(&fenced("SELECT 1"))), "TDNCZ");
    for messages in [
        frames::query(&fenced(COSTLY)),
        frames::extended(&fenced(COSTLY), &[], false),
    ] {
        client.send(&messages);
        let answer = client.until_ready();
        let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
        assert_eq!(error.sqlstate(), "54000", "{answer:?}");
    }
    // What fails for a name is repaired as ever.
    stack.prepare(&[
        "CREATE TABLE \"Schools\" (\"Name\" text)",
        "GRANT SELECT ON \"Schools\" TO app",
    ]);
    let unquoted = "SELECT Name FROM Schools LIMIT 3";
    let mended = until(|| (kinds(&client.query(unquoted)) == "TNCZ").then_some(()));
    mended.expect("a repair");
    client.send(&frames::extended(unquoted, &[], false));
    assert_eq!(kinds(&client.until_ready()), "N12TCZ");
}

/// What is planned is what runs: the rows of the model, under its name.
#[test]
fn a_model_is_planned_as_it_runs() {
    const MODEL: (&str, &str) = (
        "\nlimits:\n",
        "\nmodels:\n  public.many: {sql: \"SELECT id, kind FROM many WHERE kind = 'rare'\"}\nlimits:\n",
    );
    const EDITS: &[(&str, &str)] = &[BOUNDS, MODEL, UNREPAIRED[0]];
    let stack = start(None, EDITS);
    let mut client = login(&stack);
    let counted = until(|| {
        let answer = client.query(COSTLY);
        (kinds(&answer) == "TDCZ").then_some(answer)
    });
    assert!(counted.is_some(), "the rare ones");
    for text in ["TABLE many", "SELECT nope FROM many"] {
        for messages in [frames::query(text), frames::extended(text, &[], false)] {
            client.query("BEGIN");
            client.send(&messages);
            let answer = client.until_ready();
            let error = answer.iter().find(|frame| frame.kind == b'E');
            if text.starts_with("TABLE") {
                assert!(error.is_none(), "{answer:?}");
            } else {
                let error = error.unwrap();
                assert_eq!(error.sqlstate(), "42703", "{answer:?}");
                assert_eq!(error.field(b'P').as_deref(), Some("8"));
            }
            client.query("ROLLBACK");
        }
    }
    let answer = client.query("SELECT id FROM many, generate_series(1, 1000)");
    assert_eq!(
        answer[0].field(b'D').unwrap(),
        "rule: plan_rows (max_plan_rows is 1000)"
    );
}

#[test]
fn a_cancel_meets_the_question() {
    let stack = start(None, BOUNDED);
    for messages in [frames::query(CHEAP), frames::extended(CHEAP, &[], false)] {
        let mut client = login(&stack);
        client.send(&[frames::parse("s", CHEAP), frames::sync()].concat());
        client.until_ready();
        let mut owner = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
        owner.query("BEGIN");
        owner.query("LOCK TABLE few IN ACCESS EXCLUSIVE MODE");
        client.send(&messages);
        assert_running(&stack, 1);
        let (pid, secret) = client.key.clone().unwrap();
        // Who waits until it is closed knows that the cancel meets nothing that comes later.
        let mut canceller = RawClient::connect(stack.proxied_address());
        canceller.send(&frames::cancel_request(pid, &secret));
        canceller.until_closed();
        let answer = client.until_ready();
        let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
        assert_eq!(error.sqlstate(), "57014");
        owner.query("ROLLBACK");
        let answer = client.query("SELECT id FROM few LIMIT 1");
        assert_eq!(kinds(&answer), "TDCZ", "{answer:?}");
    }
}

#[test]
fn a_client_that_leaves_meanwhile_leaves_nothing() {
    let stack = start(None, BOUNDED);
    let mut owner = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    owner.query("BEGIN");
    owner.query("LOCK TABLE few IN ACCESS EXCLUSIVE MODE");
    let login_named = Login {
        parameters: &[("application_name", "leaves")],
        ..stack.login(APP)
    };
    let mut client = RawClient::login(stack.proxied_address(), &login_named);
    client.send(&frames::query(CHEAP));
    assert_running(&stack, 1);
    drop(client);
    owner.query("ROLLBACK");
    let gone = until(|| {
        let left = owner.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'leaves'");
        (kinds(&left) == "TCZ").then_some(())
    });
    gone.expect("its session ends");
    assert_eq!(
        kinds(&login(&stack).query("SELECT id FROM few LIMIT 1")),
        "TDCZ"
    );
}

#[test]
fn what_is_observed_runs_and_is_counted() {
    let stack = start(
        None,
        &[
            BOUNDS,
            ("\nlimits:\n", "\nrules: {plan_cost: observe}\nlimits:\n"),
        ],
    );
    let mut client = login(&stack);
    assert_eq!(kinds(&client.query(COSTLY)), "TDCZ");
    client.send(&frames::extended(COSTLY, &[], false));
    assert_eq!(kinds(&client.until_ready()), "12TDCZ");
    refused(&client.query(LONG), "plan_rows", 'I');
    assert_eq!(
        stack.metric("pgsieve_limits_total{mode=\"observe\",rule=\"plan_cost\"}"),
        2.0
    );
    assert_eq!(
        stack.metric("pgsieve_limits_total{mode=\"enforce\",rule=\"plan_rows\"}"),
        1.0
    );
}

#[test]
fn the_time_is_on_record_and_no_text_is() {
    let stack = start(None, BOUNDED);
    let mut client = login(&stack);
    client.query("SELECT id, 'canary one' FROM few LIMIT 1");
    client.send(&frames::extended(
        "SELECT id, $1 FROM few",
        &[Some("canary two")],
        false,
    ));
    client.until_ready();
    client.query("SELECT count('canary three') FROM many");
    client.query("SELECT 1/0 FROM few WHERE 'canary four' <> ''");
    let waited = |event: &serde_json::Value, path: &str, verdict: &str| {
        event["path"] == path && event["verdict"] == verdict && event["plan_us"].as_u64() > Some(0)
    };
    for (path, verdict) in [
        ("query", "permitted"),
        ("execute", "permitted"),
        ("query", "refused"),
    ] {
        stack.audited(|event| waited(event, path, verdict));
    }
    assert_eq!(stack.metric("pgsieve_plan_seconds_count"), 4.0);
    assert!(!stack.everything_said().contains("canary"));
}

/// What pgsieve has run in a batch is over when a Query comes behind it. From 18 on a server would
/// take the Query into the question's implicit transaction, and a later message would meet XX000.
#[test]
fn a_query_behind_an_unfinished_batch_leaves_nothing_open() {
    let options = || Options {
        policy: Some("bi"),
        policy_edits: BOUNDED,
        ..Options::default()
    };
    let stacks = [
        Some(Stack::start(options())),
        Stack::on_version_with(18, options()),
    ];
    for stack in stacks.into_iter().flatten() {
        stack.prepare(TABLES);
        let before = [
            vec![frames::close(b'P', "a")],
            vec![frames::parse("", CHEAP)],
            vec![frames::parse("", CHEAP), frames::bind("", "", &[], false)],
        ];
        for (batch, behind) in before.iter().flat_map(|batch| {
            [
                "SELECT id FROM few WHERE id < 3",
                "SHOW TimeZone",
                "SELECT 1; SELECT id FROM few",
            ]
            .map(|behind| (batch.concat(), behind))
        }) {
            for flushed in [true, false] {
                let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
                let mut sent = batch.clone();
                if flushed {
                    client.send(&[&sent[..], &frames::flush()].concat());
                    sent.clear();
                }
                client.send(&[sent, frames::query(behind)].concat());
                let answer = client.until_ready();
                let case = format!("{behind} {flushed}: {answer:?}");
                assert!(!kinds(&answer).contains('E'), "{case}");
                assert_eq!(answer.last().unwrap().body, b"I", "{case}");
                client.send(&frames::sync());
                assert_eq!(kinds(&client.until_ready()), "Z", "{case}");
                client.send(&[frames::parse("b", CHEAP), frames::sync()].concat());
                assert_eq!(kinds(&client.until_ready()), "1Z", "{case}");
            }
        }
    }
}
