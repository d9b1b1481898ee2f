//! The functions that list one of the server's own directories, as monitoring tools call them:
//! whatever stands between a statement and one of them, the policy's word is the same.

use crate::support::raw::{Frame, Login};
use crate::support::{ADMIN, Options, RawClient, Stack, VERSIONS, frames, until};

/// Whoever may read what others do, and nothing else.
const MONITOR: &str = "watch";

const SETUP: [&str; 16] = [
    "DO $$ BEGIN CREATE ROLE watch LOGIN PASSWORD 'watch' IN ROLE pg_monitor; \
     EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
    "CREATE VIEW wal AS SELECT name, size FROM pg_ls_waldir()",
    "CREATE VIEW wal_over AS SELECT count(*) FROM wal",
    "CREATE VIEW tmp AS SELECT l.* FROM pg_tablespace t, LATERAL pg_ls_tmpdir(t.oid) l",
    "CREATE FUNCTION wal_count() RETURNS bigint STABLE SET search_path = pg_catalog \
     LANGUAGE sql AS 'SELECT count(*) FROM pg_ls_waldir()'",
    "CREATE FUNCTION wal_count_of(integer) RETURNS bigint STABLE SET search_path = pg_catalog \
     LANGUAGE sql AS 'SELECT $1 * count(*) FROM pg_ls_waldir()'",
    "CREATE FUNCTION wal_count_here(integer) RETURNS bigint STABLE LANGUAGE sql \
     BEGIN ATOMIC SELECT $1 * count(*) FROM pg_ls_waldir(); END",
    "CREATE TYPE box_of AS (a integer)",
    "CREATE FUNCTION opened(box_of) RETURNS bigint STABLE SET search_path = pg_catalog \
     LANGUAGE sql AS 'SELECT count(*) FROM pg_ls_waldir()'",
    "CREATE CAST (box_of AS bigint) WITH FUNCTION opened(box_of)",
    "CREATE OPERATOR ## (FUNCTION = wal_count_of, RIGHTARG = integer)",
    "CREATE FUNCTION dir() RETURNS bigint STABLE SET search_path = pg_catalog LANGUAGE sql \
     AS 'SELECT count(*) FROM pg_ls_dir($$.$$)'",
    "CREATE VIEW dirs AS SELECT pg_ls_dir('.')",
    "CREATE FUNCTION pg_ls_waldir(text) RETURNS bigint VOLATILE LANGUAGE plpgsql \
     AS 'BEGIN RETURN pg_backend_pid(); END'",
    "CREATE VIEW known AS SELECT 1 AS a",
    "GRANT SELECT ON wal, wal_over, tmp, dirs, known TO watch",
];

/// By name, and behind other names.
const LISTS: [&str; 20] = [
    "SELECT count(*) > 0 FROM pg_ls_waldir()",
    "SELECT count(*) > 0 FROM pg_catalog.\"pg_ls_waldir\"()",
    "SELECT count((f).name) > 0 FROM (SELECT pg_ls_waldir() AS f) s",
    "SELECT count(*) > 0 FROM generate_series(1, 2) n, LATERAL pg_ls_waldir() w",
    "SELECT count(*) > 0 FROM ROWS FROM (pg_ls_waldir(), generate_series(1, 2)) AS r",
    "SELECT count(*) >= 0 FROM pg_tablespace t, LATERAL pg_catalog.pg_ls_tmpdir(t.oid) l",
    "SELECT count(*) >= 0 FROM (SELECT (t.oid).pg_ls_tmpdir FROM pg_tablespace t) s",
    "SELECT count(*) >= 0 FROM pg_ls_tmpdir()",
    "SELECT count(*) >= 0 FROM pg_ls_archive_statusdir()",
    "SELECT count(*) >= 0 FROM pg_ls_logicalsnapdir()",
    "SELECT count(*) >= 0 FROM pg_ls_logicalmapdir()",
    "SELECT count(f.name) >= 0 FROM pg_replication_slots s, pg_ls_replslotdir(s.slot_name) f",
    "WITH w AS MATERIALIZED (SELECT * FROM pg_ls_waldir()) SELECT count(*) > 0 FROM w",
    "SELECT count(*) > 0 FROM wal",
    "SELECT count > 0 FROM wal_over",
    "SELECT count(*) >= 0 FROM tmp",
    "SELECT wal_count() > 0",
    "SELECT wal_count_here(1) > 0",
    "SELECT ROW(1)::box_of::bigint > 0",
    "SELECT ## 1 > 0",
];

/// What no policy lets run.
const NEVER: [&str; 11] = [
    "SELECT pg_ls_dir('pg_wal')",
    "SELECT * FROM pg_ls_waldir() w, LATERAL pg_stat_file('pg_wal/' || w.name)",
    "SELECT pg_read_file('PG_VERSION')",
    "SELECT pg_read_binary_file('PG_VERSION')",
    "SELECT pg_current_logfile()",
    "SELECT dir()",
    "SELECT * FROM dirs",
    "SELECT query_to_xml('SELECT * FROM pg_ls_waldir()', true, false, '')",
    "SELECT pg_ls_waldir('x')",
    "SELECT public.pg_ls_waldir('x')",
    "SELECT ('x'::text).pg_ls_waldir",
];

#[test]
fn directories_are_listed_where_the_policy_says_so() {
    // Those that have the directories of logical decoding.
    for version in VERSIONS.into_iter().skip(2) {
        let Some(stack) = start(version, "bi") else {
            continue;
        };
        let mut client = watch(&stack);
        let listed: &[&str] = match version {
            18 => &["SELECT count(*) >= 0 FROM pg_ls_summariesdir()"],
            _ => &[],
        };
        for text in LISTS.iter().chain(listed) {
            for said in by_every_way(&mut client, text) {
                assert_eq!(told(&said), "t", "{version}: {text}");
            }
        }
        for text in NEVER {
            for said in by_every_way(&mut client, text) {
                assert!(refused(&said), "{version}: {text}: {said:?}");
            }
        }
        // What a parameter says is looked up, and is no path.
        let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
        admin.query("SELECT pg_create_physical_replication_slot('listed')");
        let slot = "SELECT count(*) > 0 FROM pg_ls_replslotdir($1)";
        for (name, expected) in [
            ("listed", "t"),
            ("", "42704"),
            (".", "42704"),
            ("..", "42704"),
            ("../pg_wal", "42704"),
            ("listed/..", "42704"),
            ("listed/../../pg_wal", "42704"),
            ("/etc", "42704"),
        ] {
            client.send(&frames::extended(slot, &[Some(name)], false));
            assert_eq!(told(&client.until_ready()), expected, "{version}: {name}");
        }
        let space = "SELECT count(*) >= 0 FROM pg_ls_tmpdir($1)";
        for (oid, expected) in [("1663", "t"), ("0", "42704"), ("4000000000", "42704")] {
            client.send(&frames::extended(space, &[Some(oid)], false));
            assert_eq!(told(&client.until_ready()), expected, "{version}: {oid}");
        }
        admin.query("SELECT pg_drop_replication_slot('listed')");
        // Who may not by the database's own rights, may not.
        let reader = stack.login(crate::support::READER);
        let mut reader = RawClient::login(stack.proxied_address(), &reader);
        let said = reader.query("SELECT count(*) FROM pg_ls_waldir()");
        assert_eq!(told(&said), "42501");
        assert!(!refused(&said), "{said:?}");
    }
}

#[test]
fn directories_are_not_listed_where_the_policy_does_not_say_so() {
    for policy in ["agent", "strict"] {
        let stack = start_under(policy);
        let mut client = watch(&stack);
        for text in LISTS.iter().chain(&NEVER) {
            for said in by_every_way(&mut client, text) {
                assert!(refused(&said), "{policy}: {text}: {said:?}");
            }
        }
        let said = client.query("SELECT * FROM pg_ls_waldir()");
        let field = |code| said[0].field(code).unwrap_or_default();
        assert_eq!(
            field(b'M'),
            "function pg_ls_waldir() is not allowed: it lists a directory of the server"
        );
        assert!(field(b'H').contains("functions.server_directories: allow"));
    }
}

fn start(version: u32, policy: &'static str) -> Option<Stack> {
    let options = Options {
        policy: Some(policy),
        ..Options::default()
    };
    let stack = Stack::on_version_with(version, options)?;
    stack.prepare(&SETUP);
    if policy != "strict" {
        let known = || told(&watch(&stack).query("SELECT a FROM known")) == "1";
        until(|| known().then_some(())).expect("all of it is known");
    }
    Some(stack)
}

fn start_under(policy: &'static str) -> Stack {
    // The newest: those before 15 do not have all of them.
    let mut versions = VERSIONS.into_iter().rev();
    let started = versions.find_map(|version| start(version, policy));
    started.expect("a server")
}

fn watch(stack: &Stack) -> RawClient {
    let login = Login {
        user: MONITOR,
        password: MONITOR,
        ..stack.login(MONITOR)
    };
    RawClient::login(stack.proxied_address(), &login)
}

/// The answers to a text by both protocols, and prepared in SQL.
fn by_every_way(client: &mut RawClient, text: &str) -> Vec<Vec<Frame>> {
    let simple = client.query(text);
    client.send(&frames::extended(text, &[], false));
    let extended = client.until_ready();
    let prepared = client.query(&format!("PREPARE listed AS {text}"));
    let prepared = match refused(&prepared) {
        true => prepared,
        false => client.query("EXECUTE listed"),
    };
    client.query("DEALLOCATE ALL");
    vec![simple, extended, prepared]
}

/// The one value, or the code.
fn told(answer: &[Frame]) -> String {
    let mut words = answer.iter().filter_map(|frame| match frame.kind {
        b'D' => Some(String::from_utf8_lossy(&frame.body[6..]).into_owned()),
        b'E' => Some(frame.sqlstate()),
        _ => None,
    });
    words.next().unwrap_or_default()
}

/// Whether pgsieve says no, and not the database.
fn refused(answer: &[Frame]) -> bool {
    let mut errors = answer.iter().filter(|frame| frame.kind == b'E');
    errors.any(|error| {
        let detail = error.field(b'D').unwrap_or_default();
        detail.contains("rule: ")
    })
}
