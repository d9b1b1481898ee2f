//! The mask `hash`: what runs, and that no client reads or sets its part of the key.

use crate::Rule;
use crate::models::overlay::tests::{check, refused, runs, session};

#[test]
fn a_hash_is_computed_with_what_the_text_and_the_session_have() {
    let hash = "columns: {mask: {email: hash, phone: hash, tenant: hash}}";
    let text = runs(hash, "SELECT email, count(*) FROM customers GROUP BY 1").unwrap();
    assert!(
        text.contains("pg_catalog.current_setting('pgsieve.mask_pad')"),
        "{text}"
    );
    assert!(text.contains("AS pg_catalog.text) AS \"email\""), "{text}");
    assert!(
        text.contains("AS pg_catalog.\"varchar\") AS \"phone\""),
        "{text}"
    );
    for text in [
        "SELECT c.id FROM customers c JOIN shop.events e USING (email)",
        "SELECT id FROM shop.e1 WHERE email = 'x'",
        "EXPLAIN SELECT * FROM customers",
        "DECLARE c CURSOR FOR SELECT email FROM customers",
        "PREPARE p AS SELECT email FROM customers",
    ] {
        let ran = runs(hash, text);
        assert!(
            ran.as_ref().is_ok_and(|ran| ran.contains("sha256(")),
            "{text}: {ran:?}"
        );
    }
    // No type but that of a text is shown as one.
    refused(
        "columns: {mask: {amount: hash}}",
        "SELECT id FROM hr.pay",
        Rule::Model,
    );
}

#[test]
fn what_the_session_has_of_a_key_is_nobodys() {
    let hash = "columns: {mask: {'shop.*.email': hash}}\n\
                settings: {allow: {'pgsieve.*': any, pgsieve.mask_pad: any}}";
    for (text, rule) in PADS {
        refused(hash, text, *rule);
    }
    for text in ["SHOW TimeZone", "SELECT current_setting('TimeZone')"] {
        check(hash, text, text);
    }
    let none = "columns: {mask: {email: null}}";
    let dynamic = "SELECT current_setting(name) FROM pg_settings";
    check(none, dynamic, dynamic);
    refused(none, "SHOW pgsieve.mask_pad", Rule::Settings);
}

#[test]
fn a_session_is_given_its_part_of_the_key_and_keeps_it() {
    let hash = "columns: {mask: {email: hash}}\nsettings: {on_refused_setting: ignore}";
    let (gate, _) = session(hash);
    let options = "-c pgsieve.mask_pad={1,2,3,4}";
    let asked = [
        ("user", "ann"),
        ("options", options),
        ("PGSIEVE.mask_pad", "{9,9,9,9}"),
    ];
    let plan = gate.judge_startup(&asked).unwrap();
    let named = |name: &&(String, String)| name.0.eq_ignore_ascii_case("pgsieve.mask_pad");
    let given: Vec<_> = plan.parameters.iter().filter(named).collect();
    assert_eq!(
        given,
        [&("pgsieve.mask_pad".to_owned(), "{0,0,0,0}".to_owned())]
    );
    let (gate, _) = session("settings: {on_refused_setting: refuse}");
    assert!(gate.judge_startup(&[("user", "ann")]).is_ok_and(|plan| {
        plan.parameters
            .iter()
            .all(|(name, _)| name != "pgsieve.mask_pad")
    }));
    assert!(
        gate.judge_startup(&[("user", "ann"), ("options", options)])
            .is_err()
    );
}

/// Every way to a setting by its name.
#[rustfmt::skip]
const PADS: &[(&str, Rule)] = &[
    ("SHOW pgsieve.mask_pad", Rule::Settings),
    ("SHOW \"PGSIEVE\".\"Mask_Pad\"", Rule::Settings),
    ("SHOW pgsieve.other", Rule::Settings),
    ("SET pgsieve.mask_pad = '{1,2,3,4}'", Rule::Settings),
    ("SET LOCAL PgSieve.Mask_Pad TO DEFAULT", Rule::Settings),
    ("RESET pgsieve.mask_pad", Rule::Settings),
    ("SELECT set_config('pgsieve.mask_pad', '{1,2,3,4}', false)", Rule::Settings),
    ("SELECT set_config('PGSIEVE.mask_pad', NULL, true)", Rule::Settings),
    ("SELECT current_setting('pgsieve.mask_pad')", Rule::SetConfig),
    ("SELECT pg_catalog.current_setting('pgsieve.MASK_PAD'::text, true)", Rule::SetConfig),
    ("SELECT * FROM current_setting(E'pgsieve\\x2emask_pad')", Rule::SetConfig),
    ("SELECT current_setting(U&'pgsieve\\002emask_pad')", Rule::SetConfig),
    ("SELECT current_setting('pgsieve' || '.mask_pad')", Rule::SetConfig),
    ("SELECT current_setting(name) FROM pg_settings", Rule::SetConfig),
    ("SELECT current_setting($1)", Rule::SetConfig),
    ("SELECT email FROM customers ORDER BY current_setting(tenant)", Rule::SetConfig),
    ("SELECT email FROM customers WHERE current_setting(email) = ''", Rule::SetConfig),
    ("PREPARE p AS SELECT current_setting($1)", Rule::SetConfig),
    ("DECLARE c CURSOR FOR SELECT current_setting('pgsieve.mask_pad')", Rule::SetConfig),
    ("EXPLAIN SELECT current_setting('pgsieve.mask_pad')", Rule::SetConfig),
    ("COPY (SELECT current_setting('pgsieve.mask_pad')) TO STDOUT", Rule::SetConfig),
    ("SELECT pg_catalog.\"current_setting\"('pgsieve.mask_pad')", Rule::SetConfig),
    ("VALUES ((SELECT current_setting('pgsieve.mask_pad')))", Rule::SetConfig),
    ("SELECT 1 FROM ROWS FROM (current_setting('pgsieve.mask_pad')) x", Rule::SetConfig),
    ("SELECT current_setting(VARIADIC ARRAY['pgsieve.mask_pad'])", Rule::SetConfig),
    ("SELECT current_setting(CAST('pgsieve.mask_pad' AS name))", Rule::SetConfig),
    ("SELECT current_setting('pgsieve.mask_pad' COLLATE \"C\")", Rule::SetConfig),
    ("SELECT current_setting(setting_name => 'pgsieve.mask_pad')", Rule::SetConfig),
    ("SELECT x FROM plain p, LATERAL current_setting(p.id::text) x", Rule::SetConfig),
    ("SELECT set_config(name, NULL, false) FROM pg_settings WHERE name = 'pgsieve.mask_pad'", Rule::Settings),
    ("SET SESSION pgsieve.mask_pad FROM CURRENT", Rule::Settings),
    // A field of what has no such column is a call.
    ("SELECT ('pgsieve.mask_pad'::text).current_setting", Rule::SetConfig),
    ("SELECT v.current_setting FROM unnest(ARRAY['pgsieve.mask_pad']) v", Rule::SetConfig),
    ("SELECT 1 ORDER BY ((ARRAY['pgsieve.mask_pad'])[1]).\"current_setting\"", Rule::SetConfig),
];
