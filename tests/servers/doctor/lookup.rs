//! The function that tells pgsieve verifiers: whether it can be asked, and whether others can.

use std::fs;
use std::path::PathBuf;

use pgsieve::demo::cluster::random_name;
use serde_json::Value;

use crate::doctor::support::{Place, cluster_of, doctor, run};

/// What a doctor says with settings that ask for verifiers.
fn report(place: &Place, query: &str) -> (Value, String) {
    let file = format!("pgsieve-lookup-{}.yaml", random_name().unwrap());
    let file: PathBuf = std::env::temp_dir().join(file);
    let text = format!(
        "upstream: {{ url: \"{}\" }}\nclient: {{ auth: {{ method: auth_query{query} }} }}\n",
        place.url()
    );
    fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    let found = doctor(&["--config", path, "--json"]);
    let script = doctor(&["--config", path, "--sql"]);
    fs::remove_file(&file).unwrap();
    let report = serde_json::from_slice(&found.stdout).unwrap();
    (report, String::from_utf8(script.stdout).unwrap())
}

fn severity(report: &Value, id: &str) -> String {
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["id"] == id);
    let found = found.map_or(&Value::Null, |finding| &finding["severity"]);
    found.as_str().unwrap_or("absent").to_owned()
}

#[test]
fn a_missing_function_and_one_for_everybody_are_told_and_the_printed_one_is_sound() {
    for version in [13, 15, 18] {
        let Some(cluster) = cluster_of(version) else {
            continue;
        };
        let place = run(Place::new(cluster));
        let (found, script) = report(&place, "");
        assert_eq!(severity(&found, "lookup_function"), "warning");
        assert_eq!(severity(&found, "lookup_public"), "absent");
        // As it is printed.
        run(place.make(&script.replace('{', "{{")));
        let (found, again) = report(&place, "");
        assert_eq!(severity(&found, "lookup_function"), "ok", "{found}");
        assert_eq!(severity(&found, "lookup_public"), "ok");
        assert!(
            again.contains("CREATE OR REPLACE FUNCTION pgsieve.user_lookup"),
            "{again}"
        );
        // A function with rights of its owner, a search_path and few callers is no finding.
        assert_eq!(severity(&found, "definer_open_path"), "ok", "{found}");
        assert_eq!(severity(&found, "definer_functions"), "ok", "{found}");
        run(place.make("GRANT EXECUTE ON FUNCTION pgsieve.user_lookup(text) TO PUBLIC"));
        let (found, _) = report(&place, "");
        assert_eq!(severity(&found, "lookup_public"), "danger");
        run(place.make("REVOKE ALL ON FUNCTION pgsieve.user_lookup(text) FROM PUBLIC, {r}"));
        let (found, _) = report(&place, "");
        assert_eq!(severity(&found, "lookup_function"), "warning");
        let told = found["findings"].to_string();
        assert!(
            told.contains("the account may not call the function (42501)"),
            "{told}"
        );
    }
}

#[test]
fn names_are_written_as_sql_reads_them() {
    let Some(cluster) = cluster_of(15) else {
        return;
    };
    let place = run(Place::new(cluster));
    let query = ", query: { function: 'My Schema.look; up' }";
    let (_, script) = report(&place, query);
    run(place.make(&script.replace('{', "{{")));
    let (found, _) = report(&place, query);
    assert_eq!(severity(&found, "lookup_function"), "ok", "{found}");
    assert_eq!(
        severity(&report(&place, "").0, "lookup_function"),
        "warning"
    );
}
