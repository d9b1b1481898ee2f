//! What others can reach: the admin address by its names, and files that hold secrets.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use pgsieve::config::keys::KEYS;
use pgsieve::config::load;
use pgsieve::config::written::Sources;

use super::{VERIFIER, Written, bad, file, good, written};

#[test]
fn names_of_the_admin_address_are_names() {
    let with = |hosts: &str| {
        file(&format!(
            "upstream: {{ url: 'postgres://h/' }}\nadmin: {{ hosts: {hosts} }}"
        ))
    };
    let none = good(&file("upstream: { url: 'postgres://h/' }"));
    assert!(none.admin_hosts.is_empty());
    let some = good(&with("[PgSieve, db.example.org]"));
    assert_eq!(some.admin_hosts, ["pgsieve", "db.example.org"]);
    assert_eq!(good(&with("pgsieve")).admin_hosts, ["pgsieve"]);
    for wrong in ["pgsieve:9432", "http://pgsieve/", "'*'", "a@b"] {
        let problems = bad(&with(wrong));
        assert!(problems.contains("a host's name is wanted"), "{problems}");
    }
    let many = format!("[{}]", ["a"; 33].join(", "));
    assert!(bad(&with(&many)).contains("at most 32"));
}

/// Every key whose file holds a secret, each with such a file; they are written for others to read
/// or not.
fn with_secrets(mode: u32, strict: &str) -> (Sources, Vec<Written>) {
    let made = pgsieve_certificates();
    let hexadecimal = "0f".repeat(32);
    let secrets: Vec<Written> = [
        "0123456789abcdef",
        "a password",
        "another",
        &hexadecimal,
        &hexadecimal,
        "authorization: Bearer x",
        VERIFIER,
        "of-the-upstream",
        "a key",
        "a key",
    ]
    .into_iter()
    .map(written)
    .collect();
    for secret in &secrets {
        fs::set_permissions(&**secret, fs::Permissions::from_mode(mode)).unwrap();
    }
    let at = |number: usize| secrets[number].display();
    let text = format!(
        "strict_files: {strict}\n\
         admin: {{ token_file: {} }}\n\
         upstream: {{ url: 'postgres://u@h/', password_file: {}, \
           tls: {{ mode: require, certificate: {made}, key: {} }} }}\n\
         catalog: {{ user: c, password_file: {} }}\n\
         audit: {{ chain_key_file: {}, fingerprint_key_file: {} }}\n\
         traces: {{ endpoint: 'https://h:1', headers_file: {} }}\n\
         client:\n  tls: {{ certificate: {made}, key: {} }}\n  auth:\n    method: scram\n\
         \x20   users: [{{ name: a, verifier_file: {}, upstream_user: b, \
           upstream_password_file: {} }}]\n",
        at(0),
        at(1),
        at(8),
        at(2),
        at(3),
        at(4),
        at(5),
        at(9),
        at(6),
        at(7)
    );
    (file(&text), secrets)
}

/// A file that is there; what it holds is read by others.
fn pgsieve_certificates() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")
}

#[test]
fn secrets_that_others_can_read_are_told_and_refused_where_that_is_wanted() {
    let (sources, _secrets) = with_secrets(0o600, "on");
    assert_eq!(good(&sources).exposed_files, [""; 0]);
    let (sources, _secrets) = with_secrets(0o604, "off");
    let exposed = good(&sources).exposed_files;
    for key in [
        "admin.token_file",
        "upstream.password_file",
        "upstream.tls.key",
        "catalog.password_file",
        "audit.chain_key_file",
        "audit.fingerprint_key_file",
        "traces.headers_file",
        "client.tls.key",
    ] {
        assert!(
            exposed.iter().any(|exposed| exposed == key),
            "{key} in {exposed:?}"
        );
    }
    // The two of a user stand where the user does.
    assert_eq!(exposed.len(), 10, "{exposed:?}");
    let (sources, _secrets) = with_secrets(0o604, "on");
    let problems = bad(&sources);
    assert_eq!(
        problems.matches("others can read the file").count(),
        10,
        "{problems}"
    );
    // Every key that names such a file is in the list above.
    let named: Vec<&str> = KEYS
        .iter()
        .map(|key| key.path)
        .filter(|path| {
            let tls = path.ends_with("tls.key");
            tls || path.ends_with("_file")
        })
        .collect();
    assert_eq!(named.len(), 8, "{named:?}");
}

#[test]
fn a_group_may_read_what_is_roots_own() {
    let secret = written("a password");
    let text = format!(
        "strict_files: on\nupstream: {{ url: 'postgres://u@h/', password_file: {} }}",
        secret.display()
    );
    let is_roots = fs::metadata(&*secret).unwrap().uid() == 0;
    for (mode, fits) in [
        (0o400, true),
        (0o640, is_roots),
        (0o440, is_roots),
        (0o660, false),
        (0o644, false),
        (0o602, false),
    ] {
        fs::set_permissions(&*secret, fs::Permissions::from_mode(mode)).unwrap();
        let read = load(&file(&text));
        assert_eq!(read.is_ok(), fits, "{mode:o}");
    }
}
