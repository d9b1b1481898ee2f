//! Settings beside the database: what should be mended about them, each thing with its key.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::doctor::support::{Place, cluster_of, doctor, run};

/// A file of settings, gone with it.
struct Settings(PathBuf);

impl Settings {
    fn new(name: &str, text: &str) -> Self {
        let file = format!("pgsieve-doctor-{}-{name}.yaml", std::process::id());
        let file = std::env::temp_dir().join(file);
        fs::write(&file, text).unwrap();
        Self(file)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.0));
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The names and keys of the warnings in a JSON report.
fn warned(output: &Output) -> Option<Vec<String>> {
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["v"], 1);
    let all = report["settings"].as_array()?;
    let told = all.iter().map(|one| {
        assert_eq!(one["severity"], "warning");
        assert!(!one["what"].as_str().unwrap().is_empty());
        let word = |key: &str| one[key].as_str().unwrap().to_owned();
        format!("{} {}", word("id"), word("key"))
    });
    Some(told.collect())
}

#[test]
fn what_should_be_mended_about_settings_is_told_with_its_key() {
    let Some(cluster) = cluster_of(15) else {
        return;
    };
    let place = run(Place::named(cluster, "settings", "settler"));
    let url = place.url();
    let policy = Settings::new(
        "policy",
        &include_str!("../../../policies/agent.yaml").replace(
            "\ntests:",
            "\nmatch: {database: [gone, \"*\"], user: [gone, \"*\"]}\ntests:",
        ),
    );
    let bad = format!(
        "listen: 0.0.0.0:6432\nupstream: {{url: \"{url}\"}}\nclient: {{auth: {{method: trust}}}}\n\
         policy: {{file: {}}}\n",
        policy.path()
    );
    let bad = Settings::new("bad", &bad);
    let told = doctor(&["--config", bad.path()]);
    let table = text(&told.stdout);
    assert_eq!(told.status.code(), Some(1), "{table}{}", text(&told.stderr));
    for line in [
        "warning   trust_in_use                  client.auth.method\n",
        "warning   listening_without_tls         listen\n",
        "warning   database_unknown              policy.file\n",
        "warning   user_unknown                  policy.file\n",
        "\n4 warning about the settings\n",
    ] {
        assert!(table.contains(line), "{line}: {table}");
    }
    let json = doctor(&["--config", bad.path(), "--json"]);
    let wanted = [
        "trust_in_use client.auth.method",
        "listening_without_tls listen",
        "database_unknown policy.file",
        "user_unknown policy.file",
    ];
    assert_eq!(warned(&json).unwrap(), wanted);
    let danger = doctor(&["--config", bad.path(), "--fail-on", "danger"]);
    assert_eq!(danger.status.code(), Some(0));
    // Nothing of it where nothing is wrong, or where nobody has asked.
    let good = Settings::new("good", &format!("upstream: {{url: \"{url}\"}}\n"));
    let told = doctor(&["--config", good.path()]);
    assert_eq!(told.status.code(), Some(0), "{}", text(&told.stdout));
    assert!(text(&told.stdout).contains("\n0 warning about the settings\n"));
    assert_eq!(
        warned(&doctor(&["--config", good.path(), "--json"])).unwrap(),
        [""; 0]
    );
    assert_eq!(warned(&doctor(&["--upstream", &url, "--json"])), None);
    assert!(!text(&doctor(&["--upstream", &url]).stdout).contains("about the settings"));
}

#[test]
fn settings_are_told_where_the_database_is_not_reached() {
    let Some(cluster) = cluster_of(15) else {
        return;
    };
    let place = run(Place::named(cluster, "settings2", "settler2"));
    let url = place.url();
    let nobody = url.replacen(&url[11..=url.find('@').unwrap()], "", 1);
    let text_of = format!("listen: 0.0.0.0:6432\nupstream: {{url: \"{nobody}\"}}\n");
    let settings = Settings::new("nobody", &text_of);
    let told = doctor(&["--config", settings.path()]);
    assert_eq!(told.status.code(), Some(2));
    let said = text(&told.stderr);
    assert!(
        said.contains("warning listening_without_tls: listen: "),
        "{said}"
    );
    assert!(
        said.contains("--config: the settings name nobody"),
        "{said}"
    );
    // The flag wins.
    let told = doctor(&["--config", settings.path(), "--upstream", &url, "--json"]);
    assert_eq!(warned(&told).unwrap(), ["listening_without_tls listen"]);
    let away = Settings::new(
        "away",
        "upstream: {url: \"postgres://a:b@127.0.0.1:1/x\"}\n",
    );
    let told = doctor(&["--config", away.path()]);
    assert_eq!(told.status.code(), Some(2));
    assert!(text(&told.stderr).contains("upstream.url: the database cannot be examined"));
    let wrong = Settings::new("wrong", "upstrem: {}\n");
    let told = doctor(&["--config", wrong.path()]);
    assert_eq!(told.status.code(), Some(2));
    assert!(
        text(&told.stderr).contains("upstrem: unknown key"),
        "{}",
        text(&told.stderr)
    );
}
