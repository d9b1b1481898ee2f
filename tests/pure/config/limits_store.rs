//! The store in which copies of pgsieve count together.

use std::time::Duration;

use pgsieve::config::warnings;
use pgsieve::session::policy_limits::limits_store::StoreLoss;

use super::{bad, file, good, written};

/// Settings with this in `limits`.
fn with(limits: &str) -> pgsieve::config::sources::SettingsSources {
    file(&format!(
        "upstream: {{ url: 'postgres://h/' }}\nlimits: {{ {limits} }}"
    ))
}

#[test]
fn an_address_is_enough() {
    assert!(good(&with("")).limits_store.is_none());
    let store = good(&with("store: 'redis://h'")).limits_store.unwrap();
    assert_eq!(store.address.to_string(), "redis://h:6379/0");
    assert_eq!(store.prefix, "pgsieve:");
    assert_eq!(store.window, Duration::from_secs(1));
    assert_eq!(store.on_loss, StoreLoss::Local);
    assert!(store.password.is_none() && store.authority.is_none());
}

#[test]
fn everything_of_it_can_be_given() {
    let (password, authority) = (written("cAnArY\n"), written("a"));
    let sources = with(&format!(
        "store: 'rediss://sieve@h:7/3', store_password_file: '{}', store_ca: '{}', \
         store_prefix: 'a:', store_window: 200ms, on_store_loss: refuse",
        password.display(),
        authority.display()
    ));
    let store = good(&sources).limits_store.unwrap();
    assert_eq!(store.address.to_string(), "rediss://h:7/3");
    assert_eq!(store.address.user.as_deref(), Some("sieve"));
    assert_eq!(store.password.as_ref().unwrap().reveal(), "cAnArY");
    assert_eq!(store.authority.as_deref(), Some(&**authority));
    assert_eq!(
        (&*store.prefix, store.window),
        ("a:", Duration::from_millis(200))
    );
    assert_eq!(store.on_loss, StoreLoss::Refuse);
    assert!(!format!("{store:?}").contains("cAnArY"));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let password = written("cAnArY\n");
    let (password, authority) = (password.display(), written("a"));
    let authority = authority.display();
    for (limits, wanted) in [
        (
            "store: 'h:6379'".to_owned(),
            "redis://HOST:PORT/DATABASE is wanted",
        ),
        (
            "store: 'redis://u:cAnArY@h'".to_owned(),
            "limits.store: holds a password; limits.store_password_file is for that",
        ),
        (
            "store: 'redis://u@h'".to_owned(),
            "names a user; limits.store_password_file is missing",
        ),
        (
            format!("store: 'redis://h', store_ca: '{authority}'"),
            "limits.store_ca: is only for a store at a rediss:// address",
        ),
        (
            "store: 'redis://h', budget_file: /tmp/b".to_owned(),
            "limits.budget_file: keeps what one copy has counted",
        ),
        (
            "store: 'redis://h', store_window: 100ms".to_owned(),
            "limits.store_window: a duration from 200ms to",
        ),
        (
            "store: 'redis://h', store_window: 5".to_owned(),
            "limits.store_window: the unit is missing",
        ),
        (
            "store: 'redis://h', store_prefix: 'a b'".to_owned(),
            "limits.store_prefix: at most 64 visible characters",
        ),
        (
            "store: 'redis://h', on_store_loss: panic".to_owned(),
            "limits.on_store_loss: ",
        ),
        (
            format!("store_password_file: '{password}'"),
            "limits.store_password_file: means nothing without limits.store",
        ),
        (
            "on_store_loss: refuse".to_owned(),
            "limits.on_store_loss: means nothing without limits.store",
        ),
    ] {
        let problems = bad(&with(&limits));
        assert!(problems.contains(wanted), "{limits}: {problems}");
        assert!(problems.contains("pgsieve.yaml:2:"), "{limits}: {problems}");
        assert!(!problems.contains("cAnArY"), "{problems}");
    }
}

#[test]
fn a_store_at_another_host_in_clear_is_warned_of() {
    for (address, is_warned) in [
        ("redis://127.0.0.1", false),
        ("redis://[::1]", false),
        ("redis://localhost", false),
        ("rediss://h", false),
        ("redis://h", true),
        ("redis://10.0.0.1", true),
    ] {
        let settings = good(&with(&format!("store: '{address}'")));
        let found = warnings::of(&settings, 0);
        let mut names = found.iter().map(|found| found.warning.name());
        assert_eq!(
            names.any(|name| name == "store_in_clear"),
            is_warned,
            "{address}"
        );
    }
}
