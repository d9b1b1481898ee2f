//! Tokens that prove something, and tokens that prove nothing. Test code only.

use std::collections::BTreeMap;

use ring::hmac;
use ring::signature::KeyPair;
use serde_json::{Value, json};

use super::algorithm::Algorithm;
use super::key_set::{KeySet, KeySetError};
use super::signing::{Issuer, encoded, header, unsigned};
use super::token::{Expected, Proved, TokenError, Unproved};

const NOW: i64 = 1_900_000_000;
const WAYS: [Algorithm; 3] = [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa];

pub(super) fn expected() -> Expected {
    Expected {
        issuer: "https://id.example.org/".into(),
        audience: "pgsieve".into(),
        user_claim: "sub".into(),
        attributes: BTreeMap::from([
            ("tenant".to_owned(), "tenant_id".to_owned()),
            ("team".to_owned(), "groups".to_owned()),
        ]),
        clock_skew: 30,
    }
}

pub(super) fn claims() -> Value {
    json!({"iss": "https://id.example.org/", "aud": "pgsieve", "sub": "ann", "exp": NOW + 600,
           "iat": NOW - 5, "tenant_id": 3, "groups": ["sales", "eu"], "name": "Ann B"})
}

/// The claims with one of them otherwise; without it where that is null.
pub(super) fn with(name: &str, value: Value) -> Value {
    edited(claims(), name, value)
}

pub(super) fn edited(mut object: Value, name: &str, value: Value) -> Value {
    let members = object.as_object_mut().unwrap();
    match value {
        Value::Null => drop(members.remove(name)),
        other => drop(members.insert(name.to_owned(), other)),
    }
    object
}

pub(super) fn prove(
    issuer: &Issuer,
    token: &str,
    expected: &Expected,
) -> Result<Proved, TokenError> {
    let keys = KeySet::parse(&issuer.jwks().to_string()).unwrap();
    let unproved = Unproved::read(token)?;
    let key = keys.key(&unproved.key_name, unproved.algorithm);
    let key = key.ok_or(TokenError::UnknownKey)?;
    unproved.prove(key, expected, NOW)?.of_user(expected)
}

/// Every one of these is refused, and for this reason.
#[track_caller]
fn refused(issuer: &Issuer, why: &TokenError, tokens: Vec<String>) -> usize {
    for token in &tokens {
        assert_eq!(
            &prove(issuer, token, &expected()).unwrap_err(),
            why,
            "{token}"
        );
    }
    tokens.len()
}

#[test]
fn what_the_issuer_has_signed_proves_the_user_and_its_attributes() {
    let issuer = Issuer::new();
    for way in WAYS {
        let token = issuer.token(way, &header(way), &claims());
        let wanted = Proved {
            user: "ann".into(),
            attributes: BTreeMap::from([
                ("tenant".to_owned(), vec!["3".into()]),
                ("team".to_owned(), vec!["sales".into(), "eu".into()]),
            ]),
            expires: NOW + 600,
        };
        assert_eq!(prove(&issuer, &token, &expected()), Ok(wanted), "{way:?}");
    }
}

#[test]
fn what_issuers_write_in_other_ways_is_taken() {
    let issuer = Issuer::new();
    let way = Algorithm::Es256;
    let good = [
        with("aud", json!(["other", "pgsieve"])),
        with("exp", json!(1_900_000_000.5)),
        with("exp", json!(NOW - 29)),
        with("nbf", json!(NOW + 29)),
        with("iat", Value::Null),
        with("groups", json!([])),
        with("groups", Value::Null),
        with("tenant_id", json!("acme")),
        with("tenant_id", json!(true)),
        with("tenant_id", json!(-1)),
        with("email_verified", json!(false)),
    ];
    for claims in good {
        let token = issuer.token(way, &header(way), &claims);
        assert!(prove(&issuer, &token, &expected()).is_ok(), "{claims}");
    }
    for typ in [
        "JWT",
        "jwt",
        "at+jwt",
        "application/at+jwt",
        "application/JWT",
    ] {
        let header = edited(header(way), "typ", json!(typ));
        let token = issuer.token(way, &header, &claims());
        assert!(prove(&issuer, &token, &expected()).is_ok(), "{typ}");
    }
    let token = issuer.token(way, &edited(header(way), "typ", Value::Null), &claims());
    assert!(prove(&issuer, &token, &expected()).is_ok());
    // What a header says of keys elsewhere is not looked at.
    let header = edited(header(way), "jku", json!("https://evil.example.org/keys"));
    assert!(prove(&issuer, &issuer.token(way, &header, &claims()), &expected()).is_ok());
}

#[test]
fn a_token_that_names_no_way_of_ours_is_refused() {
    let issuer = Issuer::new();
    let mut tokens = Vec::new();
    let names = [
        "none", "None", "NONE", "nOnE", "", "HS256", "HS384", "HS512", "RS384", "RS512", "PS256",
        "ES384", "ES512", "ES256K", "rs256", "es256", "EDDSA", "RS256 ", "Ed448", "dir",
    ];
    for name in names {
        for way in WAYS {
            let header = edited(header(way), "alg", json!(name));
            tokens.push(issuer.token(way, &header, &claims()));
            tokens.push(format!("{}.", unsigned(&header, &claims())));
        }
    }
    assert_eq!(refused(&issuer, &TokenError::Algorithm, tokens), 120);
}

#[test]
fn a_public_key_is_no_shared_secret() {
    let issuer = Issuer::new();
    let jwks = issuer.jwks().to_string();
    let secrets: [&[u8]; 5] = [
        issuer.rsa.public_key().as_ref(),
        issuer.ec.public_key().as_ref(),
        issuer.ed.public_key().as_ref(),
        jwks.as_bytes(),
        b"",
    ];
    let mut tokens = Vec::new();
    for (secret, way) in secrets.iter().flat_map(|one| WAYS.map(|way| (one, way))) {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let header = edited(header(way), "alg", json!("HS256"));
        let text = unsigned(&header, &claims());
        let tag = hmac::sign(&key, text.as_bytes());
        tokens.push(format!("{text}.{}", encoded(tag.as_ref())));
    }
    assert_eq!(refused(&issuer, &TokenError::Algorithm, tokens), 15);
    // The tag under the name of a way that is taken.
    let mut tokens = Vec::new();
    for (secret, way) in secrets.iter().flat_map(|one| WAYS.map(|way| (one, way))) {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let text = unsigned(&header(way), &claims());
        let tag = hmac::sign(&key, text.as_bytes());
        tokens.push(format!("{text}.{}", encoded(tag.as_ref())));
    }
    assert_eq!(refused(&issuer, &TokenError::Signature, tokens), 15);
    // A set of keys gives no secret away for that either.
    let oct = json!({"keys": [{"kty": "oct", "kid": "h", "alg": "HS256", "k": "c2VjcmV0"}]});
    let read = KeySet::parse(&oct.to_string());
    assert_eq!(read.unwrap_err(), KeySetError::NoneUsable);
}

#[test]
fn a_key_is_for_its_own_way_alone() {
    let issuer = Issuer::new();
    let mut tokens = Vec::new();
    for (own, other) in WAYS.iter().flat_map(|own| WAYS.map(|other| (*own, other))) {
        if own != other {
            let kid = header(own)["kid"].clone();
            let header = edited(header(other), "kid", kid);
            tokens.push(issuer.token(own, &header, &claims()));
            tokens.push(issuer.token(other, &header, &claims()));
        }
    }
    assert_eq!(refused(&issuer, &TokenError::UnknownKey, tokens), 12);
    let mut tokens = Vec::new();
    for (own, other) in WAYS.iter().flat_map(|own| WAYS.map(|other| (*own, other))) {
        if own != other {
            tokens.push(issuer.token(own, &header(other), &claims()));
        }
    }
    assert_eq!(refused(&issuer, &TokenError::Signature, tokens), 6);
}

#[test]
fn a_key_has_to_be_named_and_to_be_the_issuers() {
    let (issuer, other) = (Issuer::new(), Issuer::new());
    let way = Algorithm::EdDsa;
    let token = |name, value| {
        let header = edited(header(way), name, value);
        issuer.token(way, &header, &claims())
    };
    let unnamed = vec![token("kid", Value::Null), token("kid", json!(""))];
    refused(&issuer, &TokenError::NoKeyName, unnamed);
    let strange = [json!(1), json!(["ed"]), json!({"kid": "ed"})];
    let strange = strange.map(|kid| token("kid", kid)).to_vec();
    refused(&issuer, &TokenError::NotToken, strange);
    let unknown = [
        "other",
        "ED",
        "ed ",
        "../ed",
        "ed\u{0}",
        "ec",
        "' OR 1=1 --",
    ];
    let unknown = unknown.map(|kid| token("kid", json!(kid))).to_vec();
    refused(&issuer, &TokenError::UnknownKey, unknown);
    // Signed by somebody else, with everything that could point to that key.
    let own = other.jwks()["keys"][2].clone();
    let foreign = [
        header(way),
        edited(header(way), "jwk", own),
        edited(header(way), "jku", json!("https://evil.example.org/keys")),
        edited(header(way), "x5u", json!("https://evil.example.org/cert")),
        edited(header(way), "x5c", json!(["MIIB"])),
        edited(header(way), "x5t", json!("AAAA")),
    ];
    let foreign = foreign.map(|header| other.token(way, &header, &claims()));
    refused(&issuer, &TokenError::Signature, foreign.to_vec());
    let way = Algorithm::Es256;
    let foreign = other.token(way, &header(way), &claims());
    refused(&issuer, &TokenError::Signature, vec![foreign]);
}

#[test]
fn a_token_that_was_altered_anywhere_is_refused() {
    let issuer = Issuer::new();
    let mut count = 0;
    for way in WAYS {
        let token = issuer.token(way, &header(way), &claims());
        let step = if way == Algorithm::Rs256 { 7 } else { 3 };
        for place in (0..token.len()).step_by(step) {
            let own = token.as_bytes()[place];
            for other in [b'A', b'_', b'.', b'=', own ^ 1, b' '] {
                if other != own {
                    let mut altered = token.clone().into_bytes();
                    altered[place] = other;
                    let altered = String::from_utf8(altered).unwrap();
                    let read = prove(&issuer, &altered, &expected());
                    assert!(read.is_err(), "{way:?} {place}: {altered}");
                    count += 1;
                }
            }
        }
        for cut in 0..token.len() {
            assert!(prove(&issuer, &token[..cut], &expected()).is_err());
            count += 1;
        }
        for more in ["A", "=", ".", ".A", "\n", " "] {
            let longer = format!("{token}{more}");
            assert!(prove(&issuer, &longer, &expected()).is_err(), "{longer}");
            count += 1;
        }
    }
    assert!(count > 2_000, "{count}");
}

#[test]
fn a_signature_of_nothing_is_none() {
    let issuer = Issuer::new();
    let mut tokens = Vec::new();
    for (way, bytes) in WAYS
        .iter()
        .flat_map(|way| [0, 1, 32, 63, 64, 65, 256].map(|n| (*way, n)))
    {
        for byte in [0_u8, 1, 0xff] {
            let text = unsigned(&header(way), &claims());
            tokens.push(format!("{text}.{}", encoded(&vec![byte; bytes])));
        }
    }
    assert_eq!(refused(&issuer, &TokenError::Signature, tokens), 63);
}

#[test]
fn what_the_token_says_has_to_fit() {
    let issuer = Issuer::new();
    let way = Algorithm::Es256;
    let sign = |claims: Value| issuer.token(way, &header(way), &claims);
    let all = |name: &str, values: Vec<Value>| -> Vec<String> {
        values
            .into_iter()
            .map(|value| sign(with(name, value)))
            .collect()
    };
    let issuers = vec![
        Value::Null,
        json!("https://id.example.org"),
        json!("https://ID.example.org/"),
        json!("https://id.example.org//"),
        json!("https://evil.example.org/"),
        json!(["https://id.example.org/"]),
        json!(""),
    ];
    refused(&issuer, &TokenError::Issuer, all("iss", issuers));
    let audiences = vec![
        Value::Null,
        json!("pgsieve2"),
        json!("PGSIEVE"),
        json!("other pgsieve"),
        json!([]),
        json!(["other"]),
        json!(["pgsieve", 1]),
        json!([["pgsieve"]]),
        json!({"pgsieve": true}),
        json!(1),
    ];
    refused(&issuer, &TokenError::Audience, all("aud", audiences));
    let ends = vec![
        Value::Null,
        json!("1900000600"),
        json!(-1),
        json!(true),
        json!([NOW + 600]),
        json!(1e300),
        json!({}),
    ];
    refused(&issuer, &TokenError::NoExpiry, all("exp", ends));
    let over = vec![
        json!(0),
        json!(NOW - 30),
        json!(NOW - 31),
        json!(NOW - 86_400),
    ];
    refused(&issuer, &TokenError::Expired, all("exp", over));
    for name in ["nbf", "iat"] {
        let ahead = vec![json!(NOW + 31), json!(NOW + 86_400), json!("0"), json!(-5)];
        refused(&issuer, &TokenError::NotYet, all(name, ahead));
    }
}

#[test]
fn a_user_and_attributes_are_plain_values() {
    let issuer = Issuer::new();
    let way = Algorithm::Es256;
    let sign = |name: &str, value: Value| issuer.token(way, &header(way), &with(name, value));
    let users = [
        Value::Null,
        json!(""),
        json!(7),
        json!(["ann"]),
        json!("ann\u{0}"),
        json!("a".repeat(2000)),
        json!({"name": "ann"}),
    ];
    let tokens = users.map(|user| sign("sub", user)).to_vec();
    refused(&issuer, &TokenError::Claim("sub".into()), tokens);
    let values = [
        json!({"id": 3}),
        json!(1.5),
        json!([["a"]]),
        json!(["a", {}]),
        json!(["a", null]),
        json!([""]),
        json!("x\u{0}"),
        json!("x".repeat(2000)),
        json!(vec!["a"; 257]),
    ];
    let tokens = values.map(|value| sign("tenant_id", value)).to_vec();
    refused(&issuer, &TokenError::Claim("tenant_id".into()), tokens);
    let by_mail = Expected {
        user_claim: "email".into(),
        ..expected()
    };
    for (verified, lets_in) in [
        (json!(true), true),
        (Value::Null, true),
        (json!(false), false),
        (json!("true"), false),
        (json!(1), false),
    ] {
        let claims = edited(
            with("email", json!("ann@example.org")),
            "email_verified",
            verified,
        );
        let token = issuer.token(way, &header(way), &claims);
        assert_eq!(
            prove(&issuer, &token, &by_mail).is_ok(),
            lets_in,
            "{claims}"
        );
    }
}

#[test]
fn what_is_no_token_is_refused_before_any_key_is_looked_for() {
    let read = |token: &str| Unproved::read(token).err();
    for text in [
        "",
        ".",
        "..",
        "...",
        "secret",
        "a.b",
        "a.b.c",
        "e30.e30.",
        "e30.e30.e30",
        "{}.{}.{}",
        "eyJhbGciOiJFUzI1NiJ9",
        "W10.e30.AA",
        "bnVsbA.e30.AA",
        "MQ.e30.AA",
    ] {
        assert!(read(text).is_some(), "{text}");
    }
    assert_eq!(read(&"a".repeat(40_000)), Some(TokenError::TooLong));
    let issuer = Issuer::new();
    let way = Algorithm::Es256;
    let token = |name, value| issuer.token(way, &edited(header(way), name, value), &claims());
    for (name, value) in [
        ("crit", json!(["exp"])),
        ("crit", json!([])),
        ("b64", json!(false)),
    ] {
        refused(&issuer, &TokenError::Critical, vec![token(name, value)]);
    }
    for typ in [
        "logout+jwt",
        "dpop+jwt",
        "secevent+jwt",
        "JWS",
        "",
        "JWE",
        "at+jwt2",
    ] {
        refused(&issuer, &TokenError::Kind, vec![token("typ", json!(typ))]);
    }
    // Of five parts: an encrypted one.
    let five = format!("{}.AA.AA", token("kid", json!("ec")));
    refused(&issuer, &TokenError::NotToken, vec![five]);
}

#[test]
fn sets_of_keys_are_read_strictly() {
    let issuer = Issuer::new();
    let all = issuer.jwks();
    let key = |place: usize| all["keys"][place].clone();
    let set = |keys: Vec<Value>| KeySet::parse(&json!({ "keys": keys }).to_string());
    assert_eq!(KeySet::parse(&all.to_string()).unwrap().count(), 3);
    for text in [
        "",
        "{}",
        "[]",
        "null",
        "<html>",
        r#"{"keys": 1}"#,
        r#"{"keys": {}}"#,
    ] {
        assert_eq!(
            KeySet::parse(text).unwrap_err(),
            KeySetError::NotJwks,
            "{text}"
        );
    }
    let unusable = [
        edited(key(0), "use", json!("enc")),
        edited(key(0), "alg", json!("PS256")),
        edited(key(0), "alg", json!("RS512")),
        edited(key(0), "kid", Value::Null),
        edited(key(0), "n", json!(encoded(&[0xc1; 128]))),
        edited(key(0), "n", json!("?")),
        edited(key(0), "e", json!("AQ")),
        edited(key(0), "e", json!("")),
        edited(key(0), "e", json!("BA")),
        edited(key(0), "key_ops", json!(["encrypt"])),
        edited(key(1), "crv", json!("P-384")),
        edited(key(1), "crv", json!("secp256k1")),
        edited(key(1), "x", json!("AA")),
        edited(key(1), "y", Value::Null),
        edited(key(1), "kty", json!("RSA")),
        edited(key(2), "crv", json!("X25519")),
        edited(key(2), "x", json!(encoded(&[1; 31]))),
        json!({"kty": "oct", "kid": "h", "k": "AAAA"}),
        json!("key"),
        json!(null),
    ];
    for one in unusable {
        let read = set(vec![one.clone()]);
        assert_eq!(read.unwrap_err(), KeySetError::NoneUsable, "{one}");
        // It does no harm to those beside it.
        assert_eq!(set(vec![one.clone(), key(2)]).unwrap().count(), 1, "{one}");
    }
    let twice = set(vec![key(2), key(2)]);
    assert_eq!(twice.unwrap_err(), KeySetError::Ambiguous);
    assert_eq!(set(vec![key(2); 65]).unwrap_err(), KeySetError::TooMany);
    // One name for keys of two kinds is no matter: the way of signing tells them apart.
    let same = edited(key(1), "kid", json!("ed"));
    assert_eq!(set(vec![same, key(2)]).unwrap().count(), 2);
}
