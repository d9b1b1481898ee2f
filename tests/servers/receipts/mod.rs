//! Receipts: what they say, over the wire and as other programs verify them.

mod audit_numbers;
mod keys;
mod results;
mod texts;
mod verifiers;

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use pgsieve::demo::cluster::random_name;
use pgsieve::receipts::claims::ReceiptClaims;
use pgsieve::receipts::digest::ResultDigest;
use pgsieve::receipts::signing_keys::{PublicKey, new_key_file, public_keys};
use pgsieve::receipts::token;

use crate::support::raw::{Frame, Login, kinds, values};
use crate::support::{APP, Options, RawClient, Stack, until};

const TABLES: &[&str] = &[
    "CREATE TABLE \"Numbers\" (\"Name\" text, amount integer)",
    "INSERT INTO \"Numbers\" VALUES ('a', 1), ('b', 2), ('', NULL)",
    "CREATE TABLE sums (total integer, concealed integer)",
    "INSERT INTO sums VALUES (7, 1), (8, 0)",
    "GRANT SELECT ON \"Numbers\", sums TO app",
];

const MODEL: &[(&str, &str)] = &[(
    "#models: {}",
    "models: {public.sums: {sql: 'SELECT total FROM public.sums WHERE concealed = 1'}}",
)];

const UNQUOTED: &str = "SELECT Name FROM Numbers ORDER BY 1";

/// A key file with a key of this seed, and one of `earlier`.
fn key_file(seeds: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pgsieve-it-{}.pem", random_name().unwrap()));
    fs::write(&path, key_text(seeds)).unwrap();
    path
}

fn key_text(seeds: &[u8]) -> String {
    let keys = seeds.iter().map(|seed| new_key_file(&[*seed; 32]).0);
    keys.collect()
}

/// A pgsieve with a key of its own, and these lines of its policy.
fn with_key(
    path: &std::path::Path,
    policy_edits: &'static [(&'static str, &'static str)],
) -> Stack {
    let stack = Stack::start(Options {
        policy_edits,
        environment: vec![(
            "PGSIEVE_RECEIPTS_KEY_FILE",
            Box::leak(path.to_string_lossy().into_owned().into_boxed_str()),
        )],
        ..Options::default()
    });
    stack.prepare(TABLES);
    let is_known = || {
        let answer = login(&stack, &[]).query(UNQUOTED);
        kinds(&answer).contains('D').then_some(())
    };
    until(is_known).expect("the catalog is known");
    stack
}

fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| with_key(&key_file(&[1]), MODEL));
    &STACK
}

fn login(stack: &Stack, parameters: &'static [(&'static str, &'static str)]) -> RawClient {
    let login = Login {
        parameters,
        ..stack.login(APP)
    };
    RawClient::login(stack.proxied_address(), &login)
}

fn session() -> RawClient {
    login(stack(), &[])
}

/// The keys that are published.
fn published(stack: &Stack) -> Vec<PublicKey> {
    let (status, keys) = stack.get("/.well-known/jwks.json");
    assert_eq!(status, 200, "{keys}");
    public_keys(&keys).unwrap()
}

/// The receipt of the last statement.
fn receipt(client: &mut RawClient) -> String {
    let answer = client.query("SHOW pgsieve.receipt");
    assert_eq!(kinds(&answer), "TDCZ", "{answer:?}");
    values(&answer)[0][0].clone()
}

/// What it says, once it is verified.
fn claims(client: &mut RawClient) -> ReceiptClaims {
    verified(stack(), &receipt(client))
}

fn verified(stack: &Stack, receipt: &str) -> ReceiptClaims {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = i64::try_from(now.unwrap().as_secs()).unwrap();
    token::verify(receipt, &published(stack), now).unwrap_or_else(|fault| {
        panic!("{fault}: {receipt}");
    })
}

fn digest_of(text: &str) -> String {
    pgsieve::hex::digits(&pgsieve::receipts::digest::of_bytes(text.as_bytes()))
}

/// The digest of the rows of an answer, by the rule.
fn digest_of_rows(answer: &[Frame]) -> String {
    let mut digest = ResultDigest::default();
    for frame in answer.iter().filter(|frame| b"Dd".contains(&frame.kind)) {
        let length = u32::try_from(frame.body.len() + 4).unwrap();
        digest.add(&[frame.kind]);
        digest.add(&length.to_be_bytes());
        digest.add(&frame.body);
    }
    pgsieve::hex::digits(&digest.take())
}
