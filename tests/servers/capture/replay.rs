//! What was captured is tried again by `pgsieve eval --from-capture`.

use serde_json::{Value, json};

use super::{captured, capturing, login, path};
use crate::support::command::pgsieve;
use crate::support::{APP, shared_cluster};

#[test]
fn what_was_captured_is_tried_again() {
    let stack = capturing("");
    let mut client = login(&stack);
    for text in ["SELECT total FROM sums_of_later", "SELECT nextval('ticks')"] {
        client.query(text);
    }
    assert_eq!(captured(&stack).len(), 2);
    stack.prepare(&[
        "CREATE TABLE sums_of_later (total integer)",
        "GRANT SELECT ON sums_of_later TO app",
    ]);
    let url = shared_cluster().url(APP, APP, stack.database());
    let file = path(&stack).display().to_string();
    let arguments = [
        "eval",
        &file,
        "--from-capture",
        "--upstream",
        &url,
        "--out",
        "-",
    ];
    let output = pgsieve(&arguments, "");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |text: &str| {
        let entries = report["entries"].as_array().unwrap().iter();
        let mut own = entries.filter(|one| one["runs"][0]["attempts"][0]["sql"] == text);
        let entry = own.next().unwrap();
        let outcome = &entry["runs"][0]["attempts"][0]["outcome"];
        (entry["previous"].clone(), outcome.clone())
    };
    let mended = of("SELECT total FROM sums_of_later");
    assert_eq!(mended, (json!("failed 42P01"), json!("runs")));
    let (before, now) = of("SELECT nextval('ticks')");
    assert!(before.as_str().unwrap().starts_with("failed "), "{before}");
    assert_eq!(now, json!("failed"));
}
