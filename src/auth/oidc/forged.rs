//! More tokens that prove nothing: odd encodings, odd JSON, and signatures of other kinds. Test
//! code only.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512,
    RSA_PSS_SHA256, RsaEncoding,
};
use serde_json::{Value, json};

use super::algorithm::Algorithm;
use super::signing::{Issuer, encoded, header, unsigned};
use super::tests::{claims, edited, expected, prove, with};

/// None of these is taken.
#[track_caller]
fn none_is_taken(issuer: &Issuer, tokens: &[String]) {
    for token in tokens {
        assert!(prove(issuer, token, &expected()).is_err(), "{token}");
    }
}

/// A token of texts that are no JSON of ours, signed as it should be.
fn of_texts(issuer: &Issuer, way: Algorithm, head: &str, body: &str) -> String {
    let text = format!("{}.{}", encoded(head.as_bytes()), encoded(body.as_bytes()));
    let signature = issuer.signature(way, &text);
    format!("{text}.{}", encoded(&signature))
}

#[test]
fn odd_headers_are_refused() {
    let issuer = Issuer::new();
    let way = Algorithm::EdDsa;
    let body = claims().to_string();
    let heads = [
        r#"{"alg":"EdDSA","alg":"none","kid":"ed"}"#,
        r#"{"alg":"none","alg":"EdDSA","kid":"ed"}"#,
        r#"{"alg":"EdDSA","kid":"ed","kid":"ec"}"#,
        r#"{"alg":["EdDSA"],"kid":"ed"}"#,
        r#"{"alg":{"EdDSA":1},"kid":"ed"}"#,
        r#"{"alg":null,"kid":"ed"}"#,
        r#"{"kid":"ed"}"#,
        r#"{"ALG":"EdDSA","kid":"ed"}"#,
        r#"{"alg":"EdDSA","KID":"ed"}"#,
        r#"{"alg":"EdDSA","kid":"ed","crit":["b64"],"b64":true}"#,
        r#"{"alg":"EdDSA","kid":"ed","b64":true}"#,
        r#"{"alg":"EdDSA","kid":"ed","typ":["JWT"]}"#,
        r#"{"alg":"EdDSA","kid":"ed"} {"#,
        r#"{"alg":"EdDSA","kid":"ed"},"#,
        "{\u{feff}\"alg\":\"EdDSA\",\"kid\":\"ed\"}",
        "\u{feff}{\"alg\":\"EdDSA\",\"kid\":\"ed\"}",
        "",
        "\0",
    ];
    let tokens = heads.map(|head| of_texts(&issuer, way, head, &body));
    none_is_taken(&issuer, &tokens);
}

#[test]
fn odd_claims_are_refused() {
    let issuer = Issuer::new();
    let way = Algorithm::EdDsa;
    let head = header(way).to_string();
    for body in ["", "null", "[]", "\"ann\"", "1", "{", "{}", "{}{}", "\0"] {
        none_is_taken(&issuer, &[of_texts(&issuer, way, &head, body)]);
    }
    for (name, value) in [
        ("exp", json!(u64::MAX)),
        ("exp", json!(-1e18)),
        ("exp", json!("")),
        ("nbf", json!(u64::MAX)),
        ("nbf", json!(true)),
        ("iat", json!([1])),
        ("iat", json!("now")),
        ("aud", json!("pgsieve\u{0}")),
        ("aud", json!(" pgsieve")),
        ("aud", json!([null])),
        ("iss", json!("https://id.example.org/\u{0}")),
        ("iss", json!({"https://id.example.org/": 1})),
        ("sub", json!(true)),
        ("sub", json!([])),
        ("groups", json!([["sales"]])),
        ("groups", json!([1.25])),
        ("groups", json!({"0": "sales"})),
    ] {
        let token = issuer.token(way, &header(way), &with(name, value.clone()));
        assert!(
            prove(&issuer, &token, &expected()).is_err(),
            "{name} {value}"
        );
    }
}

#[test]
fn odd_encodings_are_refused() {
    let issuer = Issuer::new();
    for way in [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa] {
        let token = issuer.token(way, &header(way), &claims());
        let parts: Vec<&str> = token.split('.').collect();
        let [head, body, signature] = parts[..] else {
            panic!("three parts")
        };
        let json_form = json!({"payload": body, "protected": head, "signature": signature});
        // Signed over what stands there, in the alphabet of another encoding.
        let padded = |engine: &dyn Fn(&[u8]) -> String| {
            let head = engine(header(way).to_string().as_bytes());
            let body = engine(with("name", json!("??>>~~")).to_string().as_bytes());
            let text = format!("{head}.{body}");
            let own = issuer.signature(way, &text);
            (text.contains(['=', '+', '/'])).then(|| format!("{text}.{}", encoded(&own)))
        };
        let mut tokens = vec![
            format!("Bearer {token}"),
            format!(" {token}"),
            format!("{token}\r\n"),
            format!("\"{token}\""),
            format!("{head}..{signature}"),
            format!(".{body}.{signature}"),
            format!("{head}.{body}.{signature}.{signature}"),
            format!("{body}.{head}.{signature}"),
            format!("{head}.{body}.{signature}=="),
            token.replace('.', "\u{2024}"),
            token.to_uppercase(),
            json_form.to_string(),
        ];
        tokens.extend(padded(&|bytes| STANDARD.encode(bytes)));
        tokens.extend(padded(&|bytes| URL_SAFE.encode(bytes)));
        none_is_taken(&issuer, &tokens);
    }
}

#[test]
fn signatures_of_other_kinds_are_refused() {
    let issuer = Issuer::new();
    let random = SystemRandom::new();
    let of = |way: Algorithm, signature: &[u8]| {
        let text = unsigned(&header(way), &claims());
        format!("{text}.{}", encoded(signature))
    };
    let text = |way: Algorithm| unsigned(&header(way), &claims());
    let mut tokens = Vec::new();
    let others: [&dyn RsaEncoding; 3] = [&RSA_PKCS1_SHA384, &RSA_PKCS1_SHA512, &RSA_PSS_SHA256];
    for other in others {
        let mut signature = vec![0; issuer.rsa.public().modulus_len()];
        let message = text(Algorithm::Rs256);
        let bytes = message.as_bytes();
        issuer
            .rsa
            .sign(other, &random, bytes, &mut signature)
            .unwrap();
        tokens.push(of(Algorithm::Rs256, &signature));
    }
    let right = issuer.signature(Algorithm::Rs256, &text(Algorithm::Rs256));
    tokens.push(of(Algorithm::Rs256, &[&[0], &right[..]].concat()));
    tokens.push(of(Algorithm::Rs256, &[&right[..], &[0]].concat()));
    // As other libraries write it, and with its halves in the other order.
    let way = &ECDSA_P256_SHA256_ASN1_SIGNING;
    let made = EcdsaKeyPair::generate_pkcs8(way, &random).unwrap();
    let other = EcdsaKeyPair::from_pkcs8(way, made.as_ref(), &random).unwrap();
    let message = text(Algorithm::Es256);
    let foreign = other.sign(&random, message.as_bytes()).unwrap();
    tokens.push(of(Algorithm::Es256, foreign.as_ref()));
    let right = issuer.signature(Algorithm::Es256, &message);
    let (r, s) = right.split_at(32);
    tokens.push(of(Algorithm::Es256, &[s, r].concat()));
    tokens.push(of(Algorithm::Es256, &[r, r].concat()));
    tokens.push(of(Algorithm::Es256, &[r, &[0; 32]].concat()));
    tokens.push(of(Algorithm::Es256, &[&[0; 32], s].concat()));
    // Of other claims of the same issuer.
    for way in [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa] {
        let other = unsigned(&header(way), &with("sub", json!("ben")));
        tokens.push(of(way, &issuer.signature(way, &other)));
        let untyped = edited(header(way), "typ", Value::Null);
        let other = unsigned(&untyped, &claims());
        tokens.push(of(way, &issuer.signature(way, &other)));
    }
    none_is_taken(&issuer, &tokens);
}
