//! The program as a shell sees it: a bad database and a good one, the table, the JSON, the script
//! and the exit status.

use std::collections::BTreeSet;
use std::process::Output;

use pgsieve::doctor::check;
use serde_json::Value;

use crate::doctor::support::{Place, cluster_of, doctor, fires, run};

/// Much of what can be wrong, for a role that owns nothing.
const BAD: &str = "ALTER ROLE {r} CREATEROLE CREATEDB CONNECTION LIMIT -1; \
    ALTER ROLE {r} RESET ALL; \
    CREATE ROLE writers; GRANT INSERT, SELECT ON app.other TO writers; GRANT writers TO {r}; \
    GRANT pg_signal_backend TO {r}; \
    GRANT INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER ON app.t TO {r}; \
    GRANT UPDATE (a) ON app.other TO PUBLIC; GRANT USAGE ON SEQUENCE app.s TO {r}; \
    GRANT CREATE ON SCHEMA public TO PUBLIC; GRANT TEMPORARY ON DATABASE {d} TO PUBLIC; \
    CREATE FUNCTION app.f() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'; \
    CREATE EXTENSION dblink; GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {r}; \
    GRANT EXECUTE ON FUNCTION lo_creat(int) TO PUBLIC; \
    DO $$ BEGIN FOR i IN 1 .. 30 LOOP \
      EXECUTE format('CREATE TABLE app.many_%s (a int)', i); \
      EXECUTE format('GRANT UPDATE ON app.many_%s TO PUBLIC', i); \
    END LOOP; END $$";

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_bad_database_is_told_and_mended_and_a_good_one_is_left_in_peace() {
    for version in [15, 18] {
        let Some(cluster) = cluster_of(version) else {
            continue;
        };
        let place = run(Place::named(cluster, "bad", "baddie"));
        let url = place.url();
        let good = doctor(&["--upstream", &url]);
        assert_eq!(good.status.code(), Some(0), "{}", text(&good));
        assert!(
            text(&good).contains("\n0 danger, 0 warning, "),
            "{}",
            text(&good)
        );
        assert!(text(&good).contains("-- There is nothing to run."));
        run(place.make(BAD));
        let bad = doctor(&["--upstream", &url]);
        assert_eq!(bad.status.code(), Some(1));
        check_table(&text(&bad));
        let script = text(&doctor(&["--upstream", &url, "--sql"]));
        assert!(text(&bad).ends_with(&script));
        assert_eq!(
            text(&doctor(&["--upstream", &url])),
            text(&bad),
            "not the same twice"
        );
        // As printed, in one piece.
        run(place.make(&script.replace('{', "{{")));
        let mended = doctor(&["--upstream", &url]);
        assert_eq!(mended.status.code(), Some(0), "{}", text(&mended));
        let other = "SELECT has_table_privilege('{r_text}', 'app.other', 'SELECT')";
        assert_eq!(run(place.rows(other)), [["t"]]);
    }
}

fn check_table(table: &str) {
    let report = table.split("-- What would harden").next().unwrap();
    for line in report.lines() {
        assert!(line.chars().count() <= 100, "{line}");
        assert!(
            !line.contains('\u{1b}'),
            "colours without a terminal: {line}"
        );
    }
    for words in [
        "\ndanger    table_writes ",
        "          app.t: DELETE, INSERT, TRUNCATE, UPDATE\n",
        "          app.other: INSERT (through writers)\n",
        "          and 24 more\n",
        "\nwarning   writing_membership ",
        "\nwarning   statement_timeout ",
        "\nREVOKE UPDATE (a) ON TABLE app.other FROM PUBLIC;\n",
        "\nGRANT SELECT ON TABLE app.other TO baddie;\n",
        "\n* mended by the SQL below\n",
    ] {
        assert!(table.contains(words), "{words} is not in {table}");
    }
    let severities: Vec<&str> = report
        .lines()
        .filter_map(|line| {
            ["danger ", "warning ", "note "]
                .into_iter()
                .find(|s| line.starts_with(s))
        })
        .collect();
    assert!(severities.is_sorted_by_key(|word| {
        ["danger ", "warning ", "note "]
            .iter()
            .position(|s| s == word)
    }));
}

#[test]
fn what_fails_can_be_chosen() {
    let Some(cluster) = cluster_of(15) else {
        return;
    };
    let place = run(Place::new(cluster));
    run(place.make("ALTER ROLE {r} RESET statement_timeout"));
    let url = place.url();
    let status = |more: &[&str]| {
        let output = doctor(&[&["--upstream", url.as_str()], more].concat());
        output.status.code()
    };
    assert_eq!(status(&[]), Some(1));
    assert_eq!(status(&["--fail-on", "warning", "--json"]), Some(1));
    assert_eq!(status(&["--fail-on", "danger"]), Some(0));
    run(place.make("GRANT DELETE ON app.t TO PUBLIC"));
    assert_eq!(status(&["--fail-on", "danger", "--sql"]), Some(1));
}

#[test]
fn the_json_has_its_documented_shape() {
    let Some(cluster) = cluster_of(15) else {
        return;
    };
    let place = run(Place::new(cluster));
    run(place.make("GRANT UPDATE ON app.t TO {r}; ALTER ROLE {r} BYPASSRLS"));
    let output = doctor(&["--upstream", &place.url(), "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["v"], 1);
    assert_eq!(report["role"], place.role.as_str());
    assert_eq!(report["server"]["major"], 15);
    assert_eq!(report["server"]["standby"], false);
    assert_eq!(report["server"]["reports_read_only"], true);
    assert_eq!(report["connection"]["login"], "scram-sha-256");
    assert_eq!(report["worst"], "danger");
    let findings = report["findings"].as_array().unwrap();
    let ids: BTreeSet<&str> = findings.iter().map(|f| f["id"].as_str().unwrap()).collect();
    let all: BTreeSet<&str> = check::ALL.iter().map(|check| check.id).collect();
    assert_eq!(ids, all);
    assert_eq!(findings.len(), all.len());
    let by = |id: &str| findings.iter().find(|f| f["id"] == id).unwrap();
    let writes = by("table_writes");
    assert_eq!(writes["severity"], "danger");
    assert_eq!(writes["found"], serde_json::json!(["app.t: UPDATE"]));
    assert_eq!(writes["count"], 1);
    assert_eq!(writes["mended_by_script"], true);
    let revoke = format!("REVOKE UPDATE ON TABLE app.t FROM {}", place.role);
    assert_eq!(writes["sql"], serde_json::json!([revoke]));
    assert_eq!(by("bypassrls")["mended_by_script"], false);
    assert_eq!(by("bypassrls")["choices"].as_array().unwrap().len(), 1);
    let statements = report["script"]["statements"].as_array().unwrap();
    assert!(statements.contains(&Value::from(revoke)));
    assert_eq!(report["script"]["new_role"], Value::Null);
}

#[test]
fn an_owner_gets_a_role_in_its_place_and_writes_nothing_meanwhile() {
    let Some(cluster) = cluster_of(15) else {
        return;
    };
    run(async {
        let place = Place::new(cluster).await;
        place
            .make("ALTER SCHEMA app OWNER TO {r}; CREATE ROLE pgsieve_reader_taken")
            .await;
        let counted = "SELECT pg_current_wal_insert_lsn(), \
            (SELECT count(*) FROM pg_class), (SELECT sum(xmin::text::bigint) FROM pg_proc)";
        let before = place.rows(counted).await;
        let found = place.examine().await;
        assert!(fires(&found, "ownership"));
        let name = found.script.new_role.clone().unwrap();
        assert!(name.starts_with("pgsieve_reader"));
        let role_gives_up: Vec<&String> = found.script.role.iter().collect();
        assert!(role_gives_up.is_empty(), "{role_gives_up:?}");
        // Other tests write to the WAL of this server; nobody else to this database.
        assert_eq!(place.rows(counted).await[0][1..], before[0][1..]);
    });
}
