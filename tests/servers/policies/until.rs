//! Policies that end by themselves: who is under one is under the next one from then on, or is
//! turned away, whatever was prepared or open before.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pgsieve::demo::cluster::random_name;

use crate::limits::results::told;
use crate::support::raw::Frame;
use crate::support::{APP, Options, READER, RawClient, Stack, frames, until};

/// Policies in a folder of their own, and the moment at which some of them end.
struct Policies {
    folder: PathBuf,
    end: u64,
}

impl Policies {
    /// Each is its name, and its keys beside those of bi; `END` is the timestamp.
    fn of(all: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let end = now.as_secs() + SECONDS;
        let moment = jiff::Timestamp::from_second(i64::try_from(end).unwrap()).unwrap();
        for (name, keys) in all {
            let bi = include_str!("../../../policies/bi.yaml");
            let text = bi.replace("\nname: bi\n", &format!("\nname: {name}\n"));
            let keys = keys.replace("END", &moment.to_string());
            fs::write(
                folder.join(format!("{name}.yaml")),
                format!("{text}\n{keys}\n"),
            )
            .unwrap();
        }
        Self { folder, end }
    }

    fn stack(&self) -> Stack {
        Stack::start(Options {
            arguments: vec![
                "--policy".into(),
                self.folder.to_string_lossy().into_owned(),
            ],
            ..Options::default()
        })
    }

    /// Waits until the moment is over.
    fn end(&self) {
        let end = UNIX_EPOCH + Duration::from_secs(self.end);
        while SystemTime::now() < end {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn the_live_page_has_modes_and_ends() {
    let policies = Policies::of(&[
        ("brief", "match: {user: app}\nuntil: 2099-01-01T00:00:00Z"),
        ("rest", ""),
        ("watched", "match: {user: ghost}\nmode: observe"),
    ]);
    let stack = policies.stack();
    let (status, state) = stack.get("/api/state");
    assert_eq!(status, 200, "{state}");
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    let shown = state["now"]["standing"]["policies"].as_array().unwrap();
    let shown: Vec<(&str, &str)> = shown
        .iter()
        .map(|one| (one[0].as_str().unwrap(), one[2].as_str().unwrap()))
        .collect();
    assert_eq!(
        shown,
        [
            ("brief, until 2099-01-01T00:00:00Z", "enforce"),
            ("rest", "enforce"),
            ("watched", "observe"),
        ]
    );
    // The page draws all three columns of it.
    let (_, page) = stack.get("/");
    assert!(
        page.contains("of standing.policies"),
        "the page draws the policies"
    );
    assert!(
        page.contains("name + \" (\" + mode + \")\""),
        "and their modes"
    );
}

impl Drop for Policies {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// So long a policy of these tests lasts: a stack has to be ready meanwhile.
const SECONDS: u64 = 25;

fn login(stack: &Stack, user: &str) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(user))
}

#[test]
fn temporary_access_ends_in_sessions_that_run() {
    let guest = "match: {user: app}\npriority: 10\nuntil: END";
    let app = "match: {user: app}\nrelations: {deny: [public.secret]}";
    let policies = Policies::of(&[("guest", guest), ("app", app), ("rest", "mode: enforce")]);
    let stack = policies.stack();
    stack.prepare(&[
        "CREATE TABLE public.secret AS SELECT 7 AS id",
        "GRANT SELECT ON public.secret TO PUBLIC",
    ]);
    let (mut client, mut prepared) = (login(&stack, APP), login(&stack, APP));
    let sql = "SELECT id FROM public.secret";
    let read = until(|| (told(&client.query(sql)) == "T D1 C[SELECT 1] ZI").then_some(()));
    assert!(read.is_some(), "{}", told(&client.query(sql)));
    prepared.send(&[frames::parse("s", sql), frames::sync()].concat());
    assert_eq!(told(&prepared.until_ready()), "1 ZI");
    let run = [
        frames::bind("", "s", &[], false),
        frames::execute("", 0),
        frames::sync(),
    ];
    prepared.send(&run.concat());
    assert_eq!(told(&prepared.until_ready()), "2 D1 C[SELECT 1] ZI");
    let (_, ready) = stack.get("/readyz");
    assert!(ready.contains("policy \"guest\": version "), "{ready}");
    assert!(ready.contains(", mode enforce, until 20"), "{ready}");
    assert!(!stack.stderr().contains("has ended"), "{}", stack.stderr());
    let metric = "pgsieve_policy_until_timestamp_seconds{policy=\"guest\"}";
    let shown = format!("{:.0}", stack.metric(metric));
    assert_eq!(shown, policies.end.to_string());
    policies.end();
    assert_eq!(told(&client.query(sql)), "E42501 ZI");
    prepared.send(&run.concat());
    assert_eq!(told(&prepared.until_ready()), "E42501 ZI");
    assert_eq!(told(&login(&stack, APP).query(sql)), "E42501 ZI");
    assert_eq!(told(&client.query("SELECT 1")), "T D1 C[SELECT 1] ZI");
    assert_eq!(
        told(&login(&stack, READER).query(sql)),
        "T D1 C[SELECT 1] ZI"
    );
    let line = stack.audited(|line| line["event"] == "policy_ended");
    assert_eq!(line["policy"], "guest");
    until(|| {
        stack
            .stderr()
            .contains("policy guest has ended")
            .then_some(())
    })
    .expect("a line");
}

#[test]
fn who_has_no_other_policy_is_turned_away() {
    let policies = Policies::of(&[
        ("guest", "match: {user: app}\nuntil: END"),
        ("reader", "match: {user: reader}"),
    ]);
    let stack = policies.stack();
    let (mut idle, mut open) = (login(&stack, APP), login(&stack, APP));
    assert_eq!(told(&open.query("BEGIN")), "C[BEGIN] ZT");
    assert_eq!(told(&open.query("SELECT 1")), "T D1 C[SELECT 1] ZT");
    policies.end();
    for client in [&mut idle, &mut open] {
        client.send(&frames::query("SELECT 1"));
        let said = client.until_closed();
        let last: &Frame = said.last().unwrap();
        assert_eq!(last.field(b'S').unwrap(), "FATAL");
        assert_eq!(last.sqlstate(), "57P01");
    }
    let Err(error) = RawClient::try_login(stack.proxied_address(), &stack.login(APP)) else {
        panic!("a login under a policy that is over");
    };
    assert_eq!(error.field(b'S').unwrap(), "FATAL");
    assert_eq!(
        told(&login(&stack, READER).query("SELECT 1")),
        "T D1 C[SELECT 1] ZI"
    );
}
