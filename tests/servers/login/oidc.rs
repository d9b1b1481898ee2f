//! Tokens as passwords: who gets in, as whom and under which policy, with which keys, for how long.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pgsieve::auth::oidc::algorithm;
use pgsieve::auth::oidc::algorithm::Algorithm;
use pgsieve::net::dev_certificates;
use pgsieve::net::dev_certificates::CertificateRequest;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::limits::results::told;
use crate::settings::reload::{Rig, folder, write};
use crate::support::raw::Login;
use crate::support::shared::shared_cluster;
use crate::support::{RawClient, until};

#[path = "../../../src/auth/oidc/signing.rs"]
pub(crate) mod signing;

use signing::{Issuer, header};

/// Seconds since 1970.
pub fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap()
}

/// What a token of that user says.
fn claims(user: &str) -> Value {
    json!({"iss": "https://id.example.org", "aud": ["x", "sieve"], "sub": user, "iat": now(),
           "exp": now() + 3600, "groups": ["sales", "eu"], "tid": 3})
}

fn with(mut claims: Value, name: &str, value: Value) -> Value {
    claims[name] = value;
    claims
}

fn token(issuer: &Issuer, claims: &Value) -> String {
    let way = Algorithm::Es256;
    issuer.token(way, &header(way), claims)
}

/// Settings with these keys; ann and ben are `app` at the server, and eve is disabled.
fn settings(folder: &Path, keys: &str, more: &str) -> String {
    for (name, keys) in [
        (
            "sales",
            "match: {attributes: {team: sales}}\nrelations: {deny: [public.secret]}",
        ),
        ("rest", "mode: enforce"),
    ] {
        let bi = include_str!("../../../policies/bi.yaml");
        let text = bi.replace("\nname: bi\n", &format!("\nname: {name}\n"));
        let model = "models: {public.orders: {sql: \"SELECT id FROM orders WHERE tenant = \
                     :user.tenant\"}}";
        fs::create_dir_all(folder.join("policies")).unwrap();
        let file = folder.join("policies").join(format!("{name}.yaml"));
        fs::write(file, format!("{text}\n{keys}\n{model}\n")).unwrap();
    }
    write(folder, "app", "app");
    let user = |name: &str, more: &str| {
        format!(
            "      - {{name: {name}, upstream_user: app, \
             upstream_password_file: '{{own}}/app'{more}}}\n"
        )
    };
    let users = [
        user("ann", ""),
        user("ben", ""),
        user("eve", ", disabled: true"),
    ]
    .concat();
    format!(
        "upstream: {{url: '{{upstream}}'}}\npolicy: {{file: '{{own}}/policies'}}\n\
         client:\n  auth:\n    method: oidc\n    oidc:\n      issuer: https://id.example.org\n      \
         audience: sieve\n      keys: '{keys}'\n      attributes: {{team: groups, tenant: tid}}\n\
         {more}    users:\n{users}"
    )
}

fn rig_with_file(issuer: &Issuer, more: &str) -> Rig {
    let folder = folder();
    write(&folder, "keys.json", &issuer.jwks().to_string());
    let text = settings(&folder, "{own}/keys.json", more);
    let rig = Rig::start(folder, &text);
    rig.stack.prepare(&[
        "CREATE TABLE public.orders (id int, tenant int)",
        "INSERT INTO public.orders VALUES (1, 3), (2, 3), (3, 4)",
        "CREATE TABLE public.secret AS SELECT 7 AS id",
        "GRANT SELECT ON public.orders, public.secret TO PUBLIC",
    ]);
    rig
}

/// What a statement says once its table is known.
fn said(client: &mut RawClient, sql: &str) -> String {
    let waits = |said: &String| said.contains("E55000") || said.contains("E42P01");
    until(|| Some(told(&client.query(sql))).filter(|said| !waits(said))).expect("an answer")
}

const SHOWN: &str = "T D1 C[SELECT 1] ZI";
const DENIED: &str = "E42501 ZI";

#[test]
fn a_token_lets_its_user_in_with_what_it_says() {
    let issuer = Issuer::new();
    let rig = rig_with_file(&issuer, "");
    for way in [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa] {
        let token = issuer.token(way, &header(way), &claims("ann"));
        let mut ann = rig.login("ann", &token).unwrap();
        assert_eq!(
            said(&mut ann, "SELECT id FROM public.orders"),
            "T D2 C[SELECT 2] ZI"
        );
        assert_eq!(said(&mut ann, "SELECT id FROM public.secret"), DENIED);
    }
    // Of no team, and of another tenant.
    let other = with(
        with(claims("ben"), "groups", json!(["hr"])),
        "tid",
        json!("4"),
    );
    let mut ben = rig.login("ben", &token(&issuer, &other)).unwrap();
    assert_eq!(said(&mut ben, "SELECT id FROM public.orders"), SHOWN);
    assert_eq!(said(&mut ben, "SELECT id FROM public.secret"), SHOWN);
    // Two tenants are none, and so is no claim at all.
    for tenant in [json!([3, 4]), Value::Null] {
        let claims = with(claims("ben"), "tid", tenant);
        let mut ben = rig.login("ben", &token(&issuer, &claims)).unwrap();
        assert_eq!(said(&mut ben, "SELECT id FROM public.orders"), DENIED);
    }
    let logins = "pgsieve_logins_total";
    let accepted = [("method", "oidc"), ("outcome", "accepted")];
    assert_eq!(rig.stack.metric_sum(logins, &accepted), 6.0);
}

#[test]
fn a_disabled_user_is_refused_with_a_good_token() {
    let issuer = Issuer::new();
    let listed = rig_with_file(&issuer, "    disabled: [ann]\n");
    let good = |user: &str| token(&issuer, &claims(user));
    assert_eq!(listed.try_login("ann", &good("ann")), "28P01");
    assert_eq!(listed.try_login("ben", &good("ben")), "");
    // Where whoever has a token comes in, nobody else could be kept out.
    let folder = folder();
    write(&folder, "keys.json", &issuer.jwks().to_string());
    let text = settings(&folder, "{own}/keys.json", "    disabled: ['temp_*']\n");
    let (everybody, _) = text.split_once("    users:\n").unwrap();
    let url = format!(
        "postgres://app:app@127.0.0.1:{}/{{database}}",
        shared_cluster().port()
    );
    let mut rig = Rig::start(folder, &everybody.replace("{upstream}", &url));
    assert_eq!(rig.try_login("temp_1", &good("temp_1")), "28P01");
    let mut ann = rig.login("ann", &good("ann")).unwrap();
    let mut ben = rig.login("ben", &good("ben")).unwrap();
    rig.edit("['temp_*']", "[ann]");
    rig.reload("loaded");
    assert_eq!(ann.until_closed().last().unwrap().sqlstate(), "57P01");
    assert_eq!(told(&ben.query("SELECT 1")), "T D1 C[SELECT 1] ZI");
    assert_eq!(rig.try_login("temp_1", &good("temp_1")), "");
}

#[test]
fn another_issuer_and_another_audience_hold_for_the_next_login() {
    let issuer = Issuer::new();
    let mut rig = rig_with_file(&issuer, "");
    let before = token(&issuer, &claims("ann"));
    let mut ann = rig.login("ann", &before).unwrap();
    rig.edit(
        "issuer: https://id.example.org",
        "issuer: https://id2.example.org",
    );
    rig.reload("loaded");
    assert_eq!(rig.try_login("ann", &before), "28P01");
    let moved = with(claims("ann"), "iss", json!("https://id2.example.org"));
    assert_eq!(rig.try_login("ann", &token(&issuer, &moved)), "");
    rig.edit("audience: sieve", "audience: funnel");
    rig.reload("loaded");
    assert_eq!(rig.try_login("ann", &token(&issuer, &moved)), "28P01");
    let both = with(moved, "aud", json!("funnel"));
    assert_eq!(rig.try_login("ann", &token(&issuer, &both)), "");
    // Who is in stays in.
    assert_eq!(told(&ann.query("SELECT 1")), "T D1 C[SELECT 1] ZI");
}

#[test]
fn no_other_token_does_and_none_is_shown_anywhere() {
    let (issuer, stranger) = (Issuer::new(), Issuer::new());
    let rig = rig_with_file(&issuer, "");
    let good = token(&issuer, &claims("ann"));
    assert_eq!(rig.try_login("ann", &good), "");
    let mut bad = vec![
        ("ben", good.clone()),
        ("postgres", good.clone()),
        ("app", token(&issuer, &claims("app"))),
        ("eve", token(&issuer, &claims("eve"))),
        ("ann", "app".to_owned()),
        ("ann", token(&stranger, &claims("ann"))),
        ("ann", format!("{good}x")),
        ("ann", good[..good.len() - 1].to_owned()),
        ("ann", good.rsplit_once('.').unwrap().0.to_owned()),
        ("ann", format!("{}.", good.rsplit_once('.').unwrap().0)),
    ];
    for (name, value) in [
        ("iss", json!("https://id.example.org/")),
        ("aud", json!("other")),
        ("exp", json!(now() - 3600)),
        ("nbf", json!(now() + 3600)),
        ("sub", json!("ANN")),
        ("sub", Value::Null),
        ("tid", json!({"id": 3})),
    ] {
        bad.push(("ann", token(&issuer, &with(claims("ann"), name, value))));
    }
    for alg in ["none", "HS256", "ES384", "RS256"] {
        let header = with(header(Algorithm::Es256), "alg", json!(alg));
        bad.push((
            "ann",
            issuer.token(Algorithm::Es256, &header, &claims("ann")),
        ));
    }
    for (user, token) in &bad {
        assert_eq!(rig.try_login(user, token), "28P01", "{user} {token}");
    }
    let count = f64::from(u32::try_from(bad.len()).unwrap());
    let refused = [("method", "oidc"), ("outcome", "bad_credentials")];
    assert_eq!(
        rig.stack.metric_sum("pgsieve_logins_total", &refused),
        count
    );
    let everything = rig.stack.everything_said();
    for token in bad.iter().map(|(_, token)| token).chain([&good]) {
        let signature = token.rsplit('.').next().unwrap();
        assert!(signature.len() < 20 || !everything.contains(signature));
    }
    let of = |name: &str, value: Value| token(&issuer, &with(claims("ann"), name, value));
    // Of many lines in a second some are left out.
    for (why, user, token) in [
        ("it is of another user", "ben", good.clone()),
        ("it is no signed token", "ann", "app".to_owned()),
        (
            "its signature is wrong",
            "ann",
            token(&stranger, &claims("ann")),
        ),
        ("it has expired", "ann", of("exp", json!(now() - 3600))),
        (
            "its iss is not the issuer of the settings",
            "ann",
            of("iss", json!("x")),
        ),
        (
            "it has no claim \"tid\"",
            "ann",
            of("tid", json!({"id": 3})),
        ),
        (
            "not in client.auth.users, or disabled",
            "eve",
            token(&issuer, &claims("eve")),
        ),
    ] {
        let is_told = || {
            rig.try_login(user, &token);
            rig.stack.stderr().contains(why).then_some(())
        };
        assert!(until(is_told).is_some(), "{why}: {}", rig.stack.stderr());
    }
    // The owner of a token hears that it is too old; nobody hears more.
    let hears = |claims: &Value| {
        let token = token(&issuer, claims);
        let login = Login {
            user: "ann",
            password: &token,
            database: rig.stack.database(),
            parameters: &[],
        };
        let error = RawClient::try_login(rig.stack.proxied_address(), &login)
            .err()
            .unwrap();
        error.field(b'M').unwrap().to_string()
    };
    let own = "token authentication failed for user \"ann\"";
    let old = hears(&with(claims("ann"), "exp", json!(now() - 3600)));
    assert_eq!(old, format!("{own}: the token has expired"));
    assert_eq!(hears(&with(claims("ann"), "aud", json!("other"))), own);
    assert_eq!(hears(&claims("ben")), own);
}

#[test]
fn a_session_ends_with_its_token_unless_it_may_stay() {
    let issuer = Issuer::new();
    let skew = "      clock_skew: 0s\n";
    let (ends, stays) = (
        rig_with_file(&issuer, skew),
        rig_with_file(&issuer, &format!("{skew}      expired_sessions: stay\n")),
    );
    // On a host that is busy elsewhere a login may take longer than the token holds.
    let (short, mut idle, mut stayed) = until(|| {
        let short = token(&issuer, &with(claims("ann"), "exp", json!(now() + 6)));
        let (idle, stayed) = (
            ends.login("ann", &short).ok()?,
            stays.login("ann", &short).ok()?,
        );
        Some((short, idle, stayed))
    })
    .expect("two sessions");
    idle.stream()
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let last = idle.read().unwrap();
    assert_eq!(last.sqlstate(), "57P01");
    let message = last.field(b'M').unwrap();
    assert!(
        message.contains("the token of this session has expired"),
        "{message}"
    );
    assert_eq!(ends.try_login("ann", &short), "28P01");
    assert_eq!(told(&stayed.query("SELECT 1")), SHOWN);
}

#[test]
fn keys_of_a_file_are_taken_when_it_changes() {
    let (old, new) = (Issuer::new(), Issuer::new());
    let rig = rig_with_file(&old, "");
    let (of_old, of_new) = (token(&old, &claims("ann")), token(&new, &claims("ann")));
    let mut session = rig.login("ann", &of_old).unwrap();
    assert_eq!(rig.try_login("ann", &of_new), "28P01");
    rig.write("keys.json", &new.jwks().to_string());
    let taken = until(|| rig.try_login("ann", &of_new).is_empty().then_some(()));
    assert!(taken.is_some(), "{}", rig.stack.stderr());
    assert_eq!(rig.try_login("ann", &of_old), "28P01");
    // Keys that are none are not taken, and a session goes on.
    rig.write("keys.json", "{}");
    let told_so = || {
        rig.stack
            .stderr()
            .contains("JSON Web Key Set")
            .then_some(())
    };
    assert!(until(told_so).is_some(), "{}", rig.stack.stderr());
    assert_eq!(rig.try_login("ann", &of_new), "");
    assert_eq!(told(&session.query("SELECT 1")), SHOWN);
}

/// An issuer's host: what it answers, and how often it was asked.
pub struct Host {
    port: u16,
    answer: Arc<Mutex<String>>,
    asked: Arc<AtomicUsize>,
}

impl Host {
    /// For localhost, by an authority that is left in the folder as `id/ca.crt`.
    pub fn start(folder: &Path) -> Self {
        let wish = CertificateRequest {
            hosts: &[],
            client_name: "app",
        };
        let made = dev_certificates::write(&folder.join("id"), &wish).unwrap();
        fs::copy(&made.authority, folder.join("id-ca.crt")).unwrap();
        let other = dev_certificates::write(&folder.join("other"), &wish).unwrap();
        fs::copy(&other.authority, folder.join("other-ca.crt")).unwrap();
        let chain = CertificateDer::pem_file_iter(&made.server).unwrap();
        let chain = chain.map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_file(&made.server_key).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth().with_single_cert(chain, key);
        let config = Arc::new(config.unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = Arc::new(Mutex::new(String::new()));
        let asked = Arc::new(AtomicUsize::new(0));
        let (says, counts) = (Arc::clone(&answer), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut stream = StreamOwned::new(connection, stream);
                let mut head = [0; 4096];
                if stream.read(&mut head).is_ok_and(|bytes| bytes > 0) {
                    counts.fetch_add(1, Ordering::SeqCst);
                    let answer = says.lock().unwrap().clone();
                    drop(stream.write_all(answer.as_bytes()));
                    stream.conn.send_close_notify();
                    drop(stream.flush());
                }
            }
        });
        Self {
            port,
            answer,
            asked,
        }
    }

    /// Answers so from now on.
    pub fn says(&self, status: &str, body: &str) {
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n");
        *self.answer.lock().unwrap() = format!("{head}{body}");
    }

    /// Where its keys are.
    pub fn url(&self) -> String {
        format!("https://localhost:{}/keys", self.port)
    }
}

#[test]
fn keys_of_an_address_are_fetched_when_an_unknown_one_is_named() {
    let (old, new) = (Issuer::new(), Issuer::new());
    let folder = folder();
    let host = Host::start(&folder);
    host.says("200 OK", &old.jwks().to_string());
    let more = "      keys_ca: '{own}/id-ca.crt'\n";
    let text = settings(&folder, &host.url(), more);
    let rig = Rig::start(folder, &text);
    assert_eq!(host.asked.load(Ordering::SeqCst), 0);
    let of_old = token(&old, &claims("ann"));
    assert_eq!(rig.try_login("ann", &of_old), "", "{}", rig.stack.stderr());
    for _ in 0..5 {
        assert_eq!(rig.try_login("ann", &of_old), "");
    }
    assert_eq!(host.asked.load(Ordering::SeqCst), 1);
    // The issuer takes another key, and gives it another name.
    let way = Algorithm::Es256;
    let mut header = header(way);
    header["kid"] = json!("next");
    let of_new = new.token(way, &header, &claims("ann"));
    let mut keys = new.jwks();
    keys["keys"][1]["kid"] = json!("next");
    host.says("200 OK", &keys.to_string());
    // Not at once: anybody can come with any name.
    for _ in 0..20 {
        rig.try_login("ann", &of_new);
    }
    let asked = host.asked.load(Ordering::SeqCst);
    assert!(asked <= 2, "{asked}");
    let taken = until(|| rig.try_login("ann", &of_new).is_empty().then_some(()));
    assert!(taken.is_some(), "{}", rig.stack.stderr());
    assert_eq!(rig.try_login("ann", &of_old), "28P01");
}

#[test]
fn a_host_that_does_not_prove_itself_or_does_not_answer_lets_nobody_in() {
    let issuer = Issuer::new();
    let own = token(&issuer, &claims("ann"));
    for (status, body, ca, why) in [
        (
            "200 OK",
            issuer.jwks().to_string(),
            OTHER_CA,
            "TLS handshake",
        ),
        ("500 No", issuer.jwks().to_string(), CA, "HTTP status 500"),
        (
            "302 Found\r\nLocation: /x",
            String::new(),
            CA,
            "HTTP status 302",
        ),
        ("200 OK", "<html>".to_owned(), CA, "no JSON Web Key Set"),
        (
            "200 OK",
            "x".repeat(2 << 20),
            CA,
            "the answer has more than",
        ),
        (
            "200 OK",
            json!({"keys": []}).to_string(),
            CA,
            "no key with a kid",
        ),
    ] {
        let folder = folder();
        let host = Host::start(&folder);
        host.says(status, &body);
        let text = settings(&folder, &host.url(), ca);
        let rig = Rig::start(folder, &text);
        assert_eq!(rig.try_login("ann", &own), "57P03", "{status} {why}");
        assert!(
            rig.stack.stderr().contains(why),
            "{why}: {}",
            rig.stack.stderr()
        );
        let checked = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
            .args(["serve", "--check", "--config"])
            .arg(rig.config())
            .output()
            .unwrap();
        let told = String::from_utf8([checked.stdout, checked.stderr].concat()).unwrap();
        assert!(!checked.status.success(), "{told}");
        assert!(
            told.contains("client.auth.oidc.keys: ") && told.contains(why),
            "{told}"
        );
    }
}

const OTHER_CA: &str = "      keys_ca: '{own}/other-ca.crt'\n";

const CA: &str = "      keys_ca: '{own}/id-ca.crt'\n";
