//! A receipt as it is written: the three parts of a compact JWS, and how it is read again.
//!
//! Whoever reads one takes one algorithm and nothing else, and no part of the text that another
//! writer would have spelled otherwise: a receipt has one spelling.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::claims::ReceiptClaims;
use super::signing_keys::{PublicKey, SigningKeys};
use crate::limits::receipts::{RECEIPT_BYTES_MAX, RECEIPT_CLOCK_SKEW};

/// Signs receipts.
#[derive(Debug)]
pub struct ReceiptSigner {
    keys: SigningKeys,
    /// The first part of every receipt.
    head: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenHeader {
    alg: String,
    kid: String,
    typ: String,
}

/// Why a receipt does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptFault {
    /// It is no JWS in three parts.
    Malformed,
    /// It is signed by something else than Ed25519, or is no receipt.
    Foreign,
    /// None of the known keys is the one that it names.
    UnknownKey,
    /// Its signature is not that of the key that it names.
    Forged,
    /// It is signed, and says something that does not fit together.
    Unsound,
    /// Its time is over.
    Expired,
    /// It is signed at a time that has not come.
    FromFuture,
}

impl ReceiptSigner {
    /// A signer with these keys.
    pub fn new(keys: SigningKeys) -> Self {
        let header = TokenHeader {
            alg: ALGORITHM.to_owned(),
            kid: keys.kid().to_owned(),
            typ: TYPE.to_owned(),
        };
        Self {
            head: URL_SAFE_NO_PAD.encode(serde_json::to_vec(&header).unwrap_or_default()),
            keys,
        }
    }

    /// Its keys.
    pub fn keys(&self) -> &SigningKeys {
        &self.keys
    }

    /// The receipt of these claims.
    pub fn sign(&self, claims: &ReceiptClaims) -> String {
        // Claims are strings and numbers: nothing of them cannot be written.
        let body = serde_json::to_vec(claims).unwrap_or_default();
        let mut token = String::with_capacity(self.head.len() + body.len() * 4 / 3 + 96);
        token.push_str(&self.head);
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(body, &mut token);
        let signature = self.keys.sign(token.as_bytes());
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        token
    }
}

/// What a receipt says, where it is one of these keys and its time is not over at `now`, in seconds
/// since 1970.
///
/// # Errors
/// Why it does not count.
pub fn verify(token: &str, keys: &[PublicKey], now: i64) -> Result<ReceiptClaims, ReceiptFault> {
    if token.len() > RECEIPT_BYTES_MAX {
        return Err(ReceiptFault::Malformed);
    }
    let mut parts = token.split('.');
    let (Some(head), Some(body), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(ReceiptFault::Malformed);
    };
    let bytes = |part: &str| (URL_SAFE_NO_PAD.decode(part)).map_err(|_| ReceiptFault::Malformed);
    let header: TokenHeader =
        serde_json::from_slice(&bytes(head)?).map_err(|_| ReceiptFault::Foreign)?;
    if header.alg != ALGORITHM || header.typ != TYPE {
        return Err(ReceiptFault::Foreign);
    }
    let key = keys.iter().find(|key| key.kid() == header.kid);
    let key = key.ok_or(ReceiptFault::UnknownKey)?;
    let signed = token.get(..head.len() + 1 + body.len());
    let signed = signed.ok_or(ReceiptFault::Malformed)?.as_bytes();
    if !key.verifies(signed, &bytes(signature)?) {
        return Err(ReceiptFault::Forged);
    }
    let claims: ReceiptClaims =
        serde_json::from_slice(&bytes(body)?).map_err(|_| ReceiptFault::Unsound)?;
    if !claims.is_sound() {
        return Err(ReceiptFault::Unsound);
    }
    if now >= claims.exp {
        return Err(ReceiptFault::Expired);
    }
    if claims.iat > now.saturating_add(RECEIPT_CLOCK_SKEW) {
        return Err(ReceiptFault::FromFuture);
    }
    Ok(claims)
}

impl fmt::Display for ReceiptFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Malformed => "it is no receipt: a JWS has three parts in base64url",
            Self::Foreign => "it is signed in another way than receipts are",
            Self::UnknownKey => "it names a key that is not among the known ones",
            Self::Forged => "its signature is wrong: it was altered, or never signed by that key",
            Self::Unsound => "what it says does not fit together",
            Self::Expired => "its time is over",
            Self::FromFuture => "it was signed at a time that has not come",
        })
    }
}

/// The algorithm of a signature by Ed25519.
const ALGORITHM: &str = "EdDSA";

/// What kind of token it is: one that was made for something else is none.
const TYPE: &str = "receipt+jwt";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receipts::claims::{ColumnFormat, ReceiptColumn, ReceiptOutcome};
    use crate::receipts::digest;
    use crate::receipts::signing_keys::new_key_file;

    fn signer(seed: u8) -> ReceiptSigner {
        let (text, _) = new_key_file(&[seed; 32]);
        ReceiptSigner::new(SigningKeys::read(&text).unwrap())
    }

    fn claims() -> ReceiptClaims {
        let digest = |text: &str| crate::hex::digits(&digest::of_bytes(text.as_bytes()));
        ReceiptClaims {
            iss: "pgsieve".to_owned(),
            iat: 1_000,
            exp: 2_000,
            jti: "0123-7-1".to_owned(),
            nonce: Some("talk-17".to_owned()),
            session: 7,
            database: "shop".to_owned(),
            user: "ann".to_owned(),
            policy: "agent".to_owned(),
            policy_version: "0123456789abcdef".to_owned(),
            catalog_version: None,
            outcome: ReceiptOutcome::Complete,
            stmt: digest("SELECT 1"),
            ran: Some(digest("SELECT 1")),
            source: None,
            part: 1,
            fingerprint: None,
            params: None,
            rows: 1,
            columns: Some(vec![ReceiptColumn {
                name: "?column?".to_owned(),
                type_oid: 23,
                format: ColumnFormat::Text,
            }]),
            result: Some(digest("")),
            sqlstate: None,
            audit_seq: Some(17),
            repaired: false,
            time_us: 120,
        }
    }

    #[test]
    fn what_is_signed_is_read() {
        let signer = signer(1);
        let token = signer.sign(&claims());
        let keys = signer.keys().published();
        assert_eq!(verify(&token, keys, 1_500), Ok(claims()));
        assert_eq!(verify(&token, keys, 2_000), Err(ReceiptFault::Expired));
        assert_eq!(verify(&token, keys, 900), Err(ReceiptFault::FromFuture));
        assert_eq!(verify(&token, &[], 1_500), Err(ReceiptFault::UnknownKey));
        let others = self::signer(2);
        assert_eq!(
            verify(&token, others.keys().published(), 1_500),
            Err(ReceiptFault::UnknownKey)
        );
    }

    /// Every character exchanged for each of its like, taken out, doubled, and parts swapped.
    #[test]
    fn nothing_else_is() {
        let signer = signer(1);
        let keys = signer.keys().published();
        let token = signer.sign(&claims());
        let mut tried = 0;
        let mut refused = |altered: &str| {
            assert_ne!(altered, token);
            assert!(verify(altered, keys, 1_500).is_err(), "{altered}");
            tried += 1;
        };
        for place in 0..token.len() {
            let (before, rest) = token.split_at(place);
            let (own, behind) = rest.split_at(1);
            for letter in ["A", "B", "-", ".", "=", " ", "\n"] {
                if letter != own {
                    refused(&format!("{before}{letter}{behind}"));
                }
                if !behind.starts_with(letter) || letter != own {
                    refused(&format!("{before}{letter}{own}{behind}"));
                }
            }
            // Without one: unless it is one of two that are alike.
            if !behind.starts_with(own) {
                refused(&format!("{before}{behind}"));
            }
            refused(before);
        }
        assert!(tried > 5_000);
    }

    #[test]
    fn a_header_of_another_kind_is_foreign() {
        let signer = signer(1);
        let keys = signer.keys().published();
        let kid = signer.keys().kid();
        let token = signer.sign(&claims());
        let (_, rest) = token.split_once('.').unwrap();
        let (body, _) = rest.split_once('.').unwrap();
        for header in [
            format!("{{\"alg\":\"none\",\"kid\":\"{kid}\",\"typ\":\"receipt+jwt\"}}"),
            format!("{{\"alg\":\"HS256\",\"kid\":\"{kid}\",\"typ\":\"receipt+jwt\"}}"),
            format!("{{\"alg\":\"EdDSA\",\"kid\":\"{kid}\",\"typ\":\"JWT\"}}"),
            format!("{{\"alg\":\"EdDSA\",\"kid\":\"{kid}\"}}"),
            format!(
                "{{\"alg\":\"EdDSA\",\"kid\":\"{kid}\",\"typ\":\"receipt+jwt\",\"crit\":[\"x\"]}}"
            ),
        ] {
            let signed = format!("{}.{body}", URL_SAFE_NO_PAD.encode(&header));
            let signature = URL_SAFE_NO_PAD.encode(signer.keys().sign(signed.as_bytes()));
            let token = format!("{signed}.{signature}");
            assert_eq!(
                verify(&token, keys, 1_500),
                Err(ReceiptFault::Foreign),
                "{header}"
            );
            assert!(verify(&format!("{signed}."), keys, 1_500).is_err());
        }
    }

    #[test]
    fn a_failure_with_a_result_is_unsound() {
        let signer = signer(1);
        let keys = signer.keys().published();
        let failed = ReceiptClaims {
            outcome: ReceiptOutcome::Failed,
            ..claims()
        };
        let without = ReceiptClaims {
            result: None,
            ..claims()
        };
        let both = ReceiptClaims {
            sqlstate: Some("42601".to_owned()),
            ..claims()
        };
        let short = ReceiptClaims {
            stmt: "abc".to_owned(),
            ..claims()
        };
        for unsound in [failed, without, both, short] {
            let token = signer.sign(&unsound);
            assert_eq!(verify(&token, keys, 1_500), Err(ReceiptFault::Unsound));
        }
    }
}
