//! `audit.text` and `audit.text_recipients`, `audit.queryid`, and `audit.copy`.

use super::{URL, bad, file, good, variables};

/// The example of age's specification, and another recipient.
const AGE: [&str; 2] = [
    "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa",
    "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
];

#[test]
fn texts_are_recorded_for_those_who_are_named_and_else_not_at_all() {
    let read = |audit: &str| {
        let text = format!("upstream: {{ url: '{URL}' }}\naudit: {{ {audit} }}");
        good(&file(&text)).telemetry.audit.text_recipients
    };
    let [one, two] = AGE;
    assert!(read("to: a").is_empty());
    assert!(read("to: a, text: off").is_empty());
    let shown = |audit: &str| {
        read(audit)
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let single = shown(&format!("to: a, text: encrypted, text_recipients: {one}"));
    assert_eq!(single, [one]);
    let list = format!("to: a, text: encrypted, text_recipients: [{one}, {two}]");
    assert_eq!(shown(&list), AGE);
    let by_variables = good(&variables(&[
        ("PGSIEVE_UPSTREAM_URL", URL),
        ("PGSIEVE_AUDIT_TO", "a"),
        ("PGSIEVE_AUDIT_TEXT", "encrypted"),
        ("PGSIEVE_AUDIT_TEXT_RECIPIENTS", &format!("{one},{two}")),
    ]));
    assert_eq!(by_variables.telemetry.audit.text_recipients.len(), 2);
}

#[test]
fn settings_of_texts_that_do_not_go_together_are_refused() {
    let [one, two] = AGE;
    let told = |audit: &str| {
        bad(&file(&format!(
            "upstream: {{ url: '{URL}' }}\naudit: {{ {audit} }}"
        )))
    };
    for (audit, wanted) in [
        (
            "to: a, text: encrypted".into(),
            "audit.text_recipients is wanted",
        ),
        (
            "to: a, text: encrypted, text_recipients: []".into(),
            "audit.text_recipients",
        ),
        (
            format!("to: a, text_recipients: {one}"),
            "audit.text: encrypted is wanted",
        ),
        (
            format!("to: a, text: off, text_recipients: {one}"),
            "audit.text: encrypted is wanted",
        ),
        (
            format!("text: encrypted, text_recipients: {one}"),
            "audit.to is wanted",
        ),
        (
            format!("to: off, text: encrypted, text_recipients: {one}"),
            "audit.to is wanted",
        ),
        ("to: a, text: on".into(), "one of off, encrypted is wanted"),
        (
            "to: a, text: plain".into(),
            "one of off, encrypted is wanted",
        ),
        (
            format!("to: a, text: encrypted, text_recipients: [{one}, {one}]"),
            "it is there before",
        ),
        (
            format!("to: a, text: encrypted, text_recipients: [{one}, ann]"),
            "a recipient is wanted",
        ),
        (
            "to: a, text: encrypted, text_recipients: ssh-ed25519".into(),
            "an X25519 recipient is wanted",
        ),
        (
            format!("to: a, text: encrypted, text_recipients: [{one}, {two}, x, y, z]"),
            "at most 4 recipients",
        ),
    ] {
        let problems = told(&audit);
        assert!(problems.contains(wanted), "{audit}: {problems}");
    }
    let secret = "AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33";
    let problems = told(&format!(
        "to: a, text: encrypted, text_recipients: {secret}"
    ));
    assert!(problems.contains("this is an identity"), "{problems}");
    assert!(!problems.contains("GQ9778"), "{problems}");
}

#[test]
fn queryids_are_asked_for_where_it_is_said() {
    let read = |value: &str| {
        good(&variables(&[
            ("PGSIEVE_UPSTREAM_URL", URL),
            ("PGSIEVE_AUDIT_QUERYID", value),
        ]))
        .audit_queryid
    };
    assert!(read("on") && !read("off"));
    assert!(!good(&variables(&[("PGSIEVE_UPSTREAM_URL", URL)])).audit_queryid);
    let problems = bad(&file(&format!(
        "upstream: {{ url: '{URL}' }}\naudit: {{ queryid: always }}"
    )));
    assert!(problems.contains("one of on, off is wanted"), "{problems}");
}

#[test]
fn a_copy_has_the_name_that_is_said_and_none_of_its_own_otherwise() {
    let copy = |name: &str| {
        let pairs = [("PGSIEVE_UPSTREAM_URL", URL), ("PGSIEVE_AUDIT_COPY", name)];
        good(&variables(&pairs)).telemetry.audit.copy
    };
    for name in ["pgsieve-0", "a \"b\"", &"ü".repeat(64)] {
        assert_eq!(copy(name).unwrap().to_string(), name);
    }
    let unnamed = good(&variables(&[("PGSIEVE_UPSTREAM_URL", URL)]));
    assert_eq!(unnamed.telemetry.audit.copy, None);
    for wrong in ["\" \"", "\"a\\nb\"", "\"\\e[2J\"", &"a".repeat(65)] {
        let problems = bad(&file(&format!(
            "upstream: {{ url: '{URL}' }}\naudit: {{ copy: {wrong} }}"
        )));
        let wanted = "audit.copy: a name of 1 to 64 visible characters is wanted";
        assert!(problems.contains(wanted), "{wrong}: {problems}");
    }
}
