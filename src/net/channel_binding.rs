//! What SCRAM binds a login to under TLS: `tls-server-end-point`, a digest of the server's
//! certificate.
//!
//! <https://www.rfc-editor.org/rfc/rfc5929#section-4>

use sha2::{Digest, Sha256, Sha384, Sha512};
use x509_parser::prelude::{FromDer, X509Certificate};

/// The digest of a certificate with the hash of its own signature (SHA-256 in place of MD5 and
/// SHA-1), or nothing where the RFC names no hash (Ed25519, RSA-PSS): then there is no binding.
pub fn end_point_digest(certificate: &[u8]) -> Option<Vec<u8>> {
    let (_, parsed) = X509Certificate::from_der(certificate).ok()?;
    let signature = parsed.signature_algorithm.algorithm.to_id_string();
    match HASHES.iter().find(|(oid, _)| *oid == signature)?.1 {
        BindingHash::Sha256 => Some(Sha256::digest(certificate).to_vec()),
        BindingHash::Sha384 => Some(Sha384::digest(certificate).to_vec()),
        BindingHash::Sha512 => Some(Sha512::digest(certificate).to_vec()),
    }
}

#[derive(Clone, Copy)]
enum BindingHash {
    Sha256,
    Sha384,
    Sha512,
}

/// Signature algorithms that name one hash.
const HASHES: &[(&str, BindingHash)] = &[
    ("1.2.840.113549.1.1.4", BindingHash::Sha256), // md5WithRSAEncryption
    ("1.2.840.113549.1.1.5", BindingHash::Sha256), // sha1WithRSAEncryption
    ("1.2.840.113549.1.1.11", BindingHash::Sha256), // sha256WithRSAEncryption
    ("1.2.840.113549.1.1.12", BindingHash::Sha384), // sha384WithRSAEncryption
    ("1.2.840.113549.1.1.13", BindingHash::Sha512), // sha512WithRSAEncryption
    ("1.2.840.10045.4.1", BindingHash::Sha256),    // ecdsa-with-SHA1
    ("1.2.840.10045.4.3.2", BindingHash::Sha256),  // ecdsa-with-SHA256
    ("1.2.840.10045.4.3.3", BindingHash::Sha384),  // ecdsa-with-SHA384
    ("1.2.840.10045.4.3.4", BindingHash::Sha512),  // ecdsa-with-SHA512
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_has_no_digest() {
        assert_eq!(end_point_digest(b""), None);
        assert_eq!(end_point_digest(b"\x30\x03\x02\x01\x01"), None);
    }
}
