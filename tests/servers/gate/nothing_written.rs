//! Nothing is written: after every statement of the corpora has been sent through pgsieve, by each
//! way that a text can travel, as the owner of the tables and as superuser, the server is what it
//! was before. The corpora hold what a gate must refuse and what it must let pass; here it does not
//! matter which is which.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster};

use crate::support::raw::{Login, kinds};
use crate::support::{ADMIN, APP, Options, RawClient, Stack, frames, own_cluster, shared};

const CORPORA: [(&str, &str); 4] = [
    ("writes", include_str!("../../data/corpus/writes.sql")),
    ("tricks", include_str!("../../data/corpus/tricks.sql")),
    ("clients", include_str!("../../data/corpus/clients.sql")),
    ("reads", include_str!("../../data/corpus/reads.sql")),
];

/// The tables that the corpora speak about.
const SCHEMA: &str = include_str!("../../data/corpus/schema.sql");

/// Every choice gives most, everything is named, all is observed.
const LAXEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/corpus/laxest.yaml");

/// What a write would leave, as queries. Nothing in here changes by itself in a quiet server.
const STATE: [&str; 16] = [
    // Only what writes needs a transaction id.
    "SELECT pg_snapshot_xmax(pg_current_snapshot())",
    "SELECT oid, lomowner, lomacl FROM pg_largeobject_metadata ORDER BY 1",
    "SELECT loid, pageno, md5(data) FROM pg_largeobject ORDER BY 1, 2",
    "SELECT name, setting, source FROM pg_settings WHERE name NOT IN ('application_name', 'statement_timeout') ORDER BY 1",
    "SELECT setdatabase, setrole, setconfig FROM pg_db_role_setting ORDER BY 1, 2",
    "SELECT sourceline, name, setting, error FROM pg_file_settings ORDER BY 1, 2",
    "SELECT slot_name, plugin, active FROM pg_replication_slots ORDER BY 1",
    "SELECT gid FROM pg_prepared_xacts ORDER BY 1",
    "SELECT datname, stats_reset FROM pg_stat_database ORDER BY 1",
    "SELECT a.stats_reset, b.stats_reset, w.stats_reset FROM pg_stat_archiver a, pg_stat_bgwriter b, pg_stat_wal w",
    "SELECT name, stats_reset FROM pg_stat_slru ORDER BY 1",
    "SELECT pg_postmaster_start_time(), pg_conf_load_time(), pg_is_in_recovery()",
    "SELECT roname, remote_lsn FROM pg_replication_origin o LEFT JOIN pg_replication_origin_status s ON s.local_id = o.roident ORDER BY 1",
    "SELECT subname, subenabled FROM pg_subscription ORDER BY 1",
    "SELECT spcname FROM pg_tablespace ORDER BY 1",
    "SELECT relname, last_vacuum, last_analyze, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables ORDER BY 1",
];

/// How a text travels.
#[derive(Debug, Clone, Copy)]
enum Way {
    Simple,
    Extended,
    Prepared,
    InBlock,
}

/// By which ways each statement travels.
#[derive(Debug, Clone, Copy)]
enum Ways {
    /// By each. It takes five minutes of a processor.
    All,
    /// By one of them, the next one by the next; another one for each role.
    Turns,
}

/// Whether everything is tried that could be: `PGSIEVE_EVERY=1`.
fn every() -> Ways {
    match std::env::var("PGSIEVE_EVERY").as_deref() {
        Ok("1") => Ways::All,
        Ok(_) | Err(_) => Ways::Turns,
    }
}

#[test]
fn nothing() {
    nothing_by(["agent", "bi"], false, every());
}

/// Also where the gate sees nothing but the tree of a text.
#[test]
fn nothing_without_a_catalog() {
    nothing_by(["agent", "bi"], true, Ways::Turns);
}

/// Under a policy that allows, names and only observes whatever a policy can.
#[test]
fn nothing_under_the_laxest_policy() {
    nothing_by([LAXEST, LAXEST], false, Ways::Turns);
}

fn nothing_by([policy, other]: [&'static str; 2], tree_only: bool, by: Ways) {
    // Never dropped, but its supervisor sees the program end.
    let cluster: &'static PrivateCluster = Box::leak(Box::new(start()));
    shared::prepare(cluster);
    let stack = Stack::start(Options {
        cluster: Some(cluster),
        policy: Some(policy),
        tree_only,
        ..Options::default()
    });
    let bi = Stack::start(Options {
        cluster: Some(cluster),
        policy: Some(other),
        tree_only,
        ..Options::default()
    });
    for stack in [&stack, &bi] {
        stack.prepare(&["SET ROLE app", SCHEMA]);
        load_large_object(stack);
    }
    let mut witness = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    listen(&mut witness);
    let sent: usize = CORPORA
        .iter()
        .map(|(_, text)| statements(text).count())
        .sum();
    assert!(
        sent > 1000,
        "only {sent} statements: the corpora are not read as they are written"
    );
    let before = state(&stack, &bi, cluster);
    for (stack, ways) in [
        (&stack, &[Way::Simple, Way::Extended, Way::Prepared][..]),
        (&bi, &[Way::Simple, Way::InBlock]),
    ] {
        for (first, role) in [APP, ADMIN].into_iter().enumerate() {
            let mut turns = ways.to_vec();
            turns.rotate_left(first);
            let groups = match by {
                Ways::All => turns.chunks(1),
                Ways::Turns => turns.chunks(turns.len()),
            };
            for group in groups {
                run_all(stack, role, group);
            }
        }
    }
    let after = state(&stack, &bi, cluster);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after);
    }
    // A notification would have come by now, and would stand before the answer.
    assert_eq!(kinds(&witness.query("SELECT 1")), "TDCZ");
    let alarms = [&stack, &bi].map(|stack| stack.get("/metrics").1).concat();
    let raised = alarms
        .lines()
        .filter(|line| line.starts_with("pgsieve_tripwires_total") && !line.ends_with(" 0"));
    assert_eq!(raised.collect::<Vec<_>>(), [""; 0]);
}

fn start() -> PrivateCluster {
    let builder = own_cluster().auth(PasswordMethod::Scram);
    let quiet = [
        "autovacuum = off",
        "max_prepared_transactions = 5",
        "wal_level = logical",
        "checkpoint_timeout = 1d",
    ];
    quiet
        .into_iter()
        .fold(builder, |builder, line| builder.conf(line))
        .start()
        .unwrap()
}

/// Sends every statement of the corpora, each by the next of these ways.
fn run_all(stack: &Stack, role: &str, ways: &[Way]) {
    // The bound of a statement is not what is tested here.
    let parameters = [("statement_timeout", "700ms")];
    let login = Login {
        parameters: &parameters,
        ..stack.login(role)
    };
    let open = || RawClient::login(stack.proxied_address(), &login);
    let mut client = open();
    let mut turns = ways.iter().cycle();
    for (corpus, text) in CORPORA {
        for statement in statements(text) {
            let way = turns.next().expect("a way");
            let asked = match way {
                Way::Simple => frames::query(statement),
                Way::Extended => frames::extended(statement, &[], false),
                Way::Prepared => {
                    let prepare = frames::query(&format!("PREPARE p AS {statement}"));
                    [
                        prepare,
                        frames::query("EXECUTE p"),
                        frames::bind("", "p", &[], false),
                        frames::execute("", 0),
                        frames::sync(),
                    ]
                    .concat()
                }
                Way::InBlock => [
                    frames::query("BEGIN"),
                    frames::query(statement),
                    frames::query("COMMIT"),
                ]
                .concat(),
            };
            // Two empty queries mark the end; ROLLBACK and DEALLOCATE clean up for the next.
            let end = ["ROLLBACK", "DEALLOCATE ALL", "", ""]
                .map(frames::query)
                .concat();
            client.send(&[asked, frames::sync(), end].concat());
            let mut answer = Vec::new();
            while !kinds(&answer).ends_with("IZIZ") {
                match client.read() {
                    Ok(frame) => answer.push(frame),
                    Err(error) => {
                        let last: Vec<_> = answer.iter().rev().take(2).collect();
                        panic!(
                            "{corpus}, as {role}, {way:?}: {error} after {last:?}\n{statement:.400}"
                        );
                    }
                }
            }
        }
    }
    // What a session holds while it lives: no locks, no notifications, no temporary tables.
    let mut witness = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let held = "SELECT locktype, mode, relation::regclass FROM pg_locks WHERE pid <> pg_backend_pid() AND locktype <> 'virtualxid'";
    assert_eq!(
        kinds(&witness.query(held)),
        "TCZ",
        "{role}, {ways:?}: locks are left"
    );
    let own = client.query("SELECT pg_my_temp_schema()");
    assert!(
        own.iter()
            .any(|frame| frame.kind == b'D' && frame.body.ends_with(b"0")),
        "{own:?}"
    );
    let read_only = client.query("SHOW default_transaction_read_only");
    assert!(
        read_only
            .iter()
            .any(|frame| frame.kind == b'D' && frame.body.ends_with(b"on")),
        "{read_only:?}"
    );
}

/// Everything that a write could have changed, in pieces that are compared one by one.
fn state(stack: &Stack, bi: &Stack, cluster: &PrivateCluster) -> Vec<String> {
    let mut state = Vec::new();
    for stack in [stack, bi] {
        let mut client = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
        for query in STATE {
            let answer = client.query(query);
            assert!(
                !answer.iter().any(|frame| frame.kind == b'E'),
                "{query}: {answer:?}"
            );
            let rows = answer
                .iter()
                .filter(|frame| frame.kind == b'D')
                .map(|frame| format!("{frame:?}"));
            state.push(format!("{query}\n{}", rows.collect::<Vec<_>>().join("\n")));
        }
        state.push(program("pg_dump", &["--blobs", &stack.direct_url(ADMIN)]));
    }
    state.push(program(
        "pg_dumpall",
        &[
            "--globals-only",
            "-d",
            &cluster.url(ADMIN, ADMIN, "postgres"),
        ],
    ));
    state.push(files(&cluster.data()));
    state.push(named_files());
    state
}

fn program(name: &str, arguments: &[&str]) -> String {
    let output = Command::new(name)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    // Newer versions begin with a random key.
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .filter(|line| !line.starts_with("\\restrict") && !line.starts_with("\\unrestrict"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The names of the files in a data directory, but for those that a server makes by itself.
fn files(data: &Path) -> String {
    let mut found = BTreeSet::new();
    let mut folders = vec![data.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = path
                .strip_prefix(data)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                let by_itself =
                    ["pg_stat_tmp", "pg_subtrans", "pg_dynshmem"].contains(&name.as_str());
                if !by_itself {
                    folders.push(path);
                }
            }
            // Caches of the catalog, free space maps and visibility maps come with reading.
            let cache = name.ends_with("pg_internal.init")
                || name.ends_with("_fsm")
                || name.ends_with("_vm");
            if !cache && !name.starts_with("pg_wal/0") {
                found.insert(name);
            }
        }
    }
    found.into_iter().collect::<Vec<_>>().join("\n")
}

/// Which of the files that the corpora try to write exist.
fn named_files() -> String {
    let mut found = BTreeSet::new();
    for (_, text) in CORPORA {
        for quoted in text
            .split('\'')
            .filter(|part| part.starts_with("/tmp/") || part.starts_with("/var/"))
        {
            if Path::new(quoted).exists() {
                found.insert(quoted);
            }
        }
    }
    format!("files named in the corpora: {found:?}")
}

/// Listens on every channel that the corpora name.
fn listen(witness: &mut RawClient) {
    let mut channels = BTreeSet::new();
    for (_, text) in CORPORA {
        let lower = text.to_lowercase();
        for (at, _) in lower.match_indices("notify") {
            let after = lower[at + 6..].trim_start_matches(|c: char| !c.is_ascii_lowercase());
            let name: String = after
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            channels.insert(name);
        }
    }
    for channel in channels.iter().filter(|name| !name.is_empty()) {
        assert_eq!(
            kinds(&witness.query(&format!("LISTEN \"{channel}\""))),
            "CZ"
        );
    }
}

fn load_large_object(stack: &Stack) {
    stack.prepare(&[
        "SELECT lo_from_bytea(4242, '\\x0102')",
        "ALTER LARGE OBJECT 4242 OWNER TO app",
    ]);
}

/// The statements of a corpus, between lines of four dashes.
fn statements(corpus: &str) -> impl Iterator<Item = &str> {
    corpus.split("\n----\n").skip(1).map(|part| {
        let mut rest = part;
        while let Some(line) = rest.strip_prefix("--!") {
            rest = line.split_once('\n').map_or("", |(_, rest)| rest);
        }
        rest
    })
}
