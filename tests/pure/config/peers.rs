//! Other copies of pgsieve: where they are, and what they share.

use pgsieve::net::upstream_tls::UpstreamTlsSettings;

use super::{bad, file, good, written};

/// Settings with these addresses, and a key that is sound.
fn with(addresses: &str, check: impl Fn(&pgsieve::config::sources::SettingsSources)) {
    let key = written(&"0f".repeat(32));
    check(&file(&format!(
        "upstream: {{ url: 'postgres://h/' }}\npeers: {{ addresses: {addresses}, key_file: '{}' }}",
        key.display()
    )));
}

#[test]
fn copies_are_named_by_address_or_url() {
    assert!(
        good(&file("upstream: { url: 'postgres://h/' }"))
            .peers
            .is_none()
    );
    for (addresses, wanted) in [
        ("'pgsieve-2:6432'", &["pgsieve-2:6432 true"][..]),
        ("'127.0.0.1:7'", &["127.0.0.1:7 false"]),
        ("'[fd00::1]:6432'", &["[fd00::1]:6432 true"]),
        (
            "['postgres://one:1?sslmode=disable', 'postgresql://two:2/?sslmode=require']",
            &["one:1 false", "two:2 true"],
        ),
    ] {
        with(addresses, |sources| {
            let peers = good(sources).peers.unwrap();
            let places = peers.places.iter();
            let shown = places.map(|place| {
                let is_encrypted = place.tls != UpstreamTlsSettings::Disable;
                format!("{} {is_encrypted}", place.endpoint)
            });
            assert_eq!(shown.collect::<Vec<_>>(), wanted, "{addresses}");
            assert_eq!(peers.key.0, [0x0f; 32]);
        });
    }
}

#[test]
fn what_is_no_copy_is_refused_with_its_place() {
    for (addresses, wanted) in [
        ("/run/postgresql", "names no host"),
        (
            "'postgres://h:1/sales?sslmode=require'",
            "nobody logs in there",
        ),
        ("'postgres://ann@h:1'", "nobody logs in there"),
        (
            "'postgres://h:1?sslmode=prefer'",
            "prefer and allow may go on in clear",
        ),
        ("'h:70000'", "port"),
        ("pgsieve-2", "a port is wanted"),
        ("'postgres://h?sslmode=require'", "a port is wanted"),
        ("[]", "a value is wanted"),
    ] {
        with(addresses, |sources| {
            let problems = bad(sources);
            assert!(problems.contains(wanted), "{addresses}: {problems}");
            assert!(
                problems.contains("pgsieve.yaml:2:"),
                "{addresses}: {problems}"
            );
        });
    }
    let many = format!("[{}]", ["'h:1'"; 17].join(", "));
    with(&many, |sources| {
        assert!(bad(sources).contains("at most 16 addresses"))
    });
}

#[test]
fn the_key_is_64_hexadecimal_digits_that_no_message_shows() {
    for key in ["", "secret", &"0".repeat(63), &"0g".repeat(32)] {
        let path = written(key);
        let problems = bad(&file(&format!(
            "upstream: {{ url: 'postgres://h/' }}\npeers: {{ addresses: 'h:1', key_file: '{}' }}",
            path.display()
        )));
        assert!(problems.contains("peers.key_file"), "{problems}");
        assert!(key.is_empty() || !problems.contains(key), "{problems}");
    }
    let problems = bad(&file(
        "upstream: { url: 'postgres://h/' }\npeers: { addresses: 'h:1' }",
    ));
    assert!(problems.contains("peers.key_file is missing"), "{problems}");
}
