//! Keys: how they are made, exchanged and published.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::ChildSignal;
use pgsieve::receipts::signing_keys::{SigningKeys, public_keys};

use super::{key_file, key_text, login, published, receipt, verified, with_key};
use crate::support::command::pgsieve;
use crate::support::until;

#[test]
fn a_key_is_made_for_its_owner_alone() {
    let path = std::env::temp_dir().join(format!("pgsieve-it-{}.pem", random_name().unwrap()));
    let file = path.to_string_lossy().into_owned();
    let made = pgsieve(&["receipt", "keygen", "--out", &file], "");
    assert!(made.status.success(), "{made:?}");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let keys = SigningKeys::read(&fs::read_to_string(&path).unwrap()).unwrap();
    let told = String::from_utf8(made.stdout).unwrap();
    assert!(told.contains(keys.kid()), "{told}");
    let again = pgsieve(&["receipt", "keygen", "--out", &file], "");
    assert_eq!(again.status.code(), Some(1));
    fs::remove_file(&path).unwrap();
    let printed = pgsieve(&["receipt", "keygen"], "");
    let text = String::from_utf8(printed.stdout).unwrap();
    assert!(SigningKeys::read(&text).is_ok() && public_keys(&text).is_ok());
}

#[test]
fn a_new_key_signs_while_it_serves_and_the_old_one_still_counts() {
    let path = key_file(&[1]);
    let mut stack = with_key(&path, &[]);
    let mut client = login(&stack, &[]);
    client.query("SELECT 1");
    let before = receipt(&mut client);
    let first = published(&stack);
    assert_eq!(first.len(), 1);
    fs::write(&path, key_text(&[2, 1])).unwrap();
    stack.signal(ChildSignal::Reload);
    until(|| (published(&stack).len() == 2).then_some(())).expect("both are published");
    client.query("SELECT 1");
    let after = receipt(&mut client);
    let head = |token: &str| token.split('.').next().unwrap().to_owned();
    assert_ne!(head(&before), head(&after));
    assert_eq!(verified(&stack, &before).rows, 1);
    assert_eq!(verified(&stack, &after).rows, 1);
    // Once it is taken out, what it signed counts no more.
    fs::write(&path, key_text(&[2])).unwrap();
    stack.signal(ChildSignal::Reload);
    until(|| (published(&stack).len() == 1).then_some(())).expect("one is published");
    let keys = published(&stack);
    assert_ne!(keys, first);
    let fault = pgsieve::receipts::token::verify(&before, &keys, 0);
    assert!(fault.is_err());
}
