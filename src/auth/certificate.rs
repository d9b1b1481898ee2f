//! Who a client certificate stands for.
//!
//! That an authority of ours vouches for the certificate was proved in the TLS handshake; here its
//! names are compared with the list, whole and letter by letter.

use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::settings::{CertificateUser, UpstreamIdentity};

/// The identity behind a certificate, if the list has the user with one of its names.
pub fn identify<'s>(
    entries: &'s [CertificateUser],
    user: &str,
    certificate: &[u8],
) -> Option<&'s UpstreamIdentity> {
    let (_, parsed) = X509Certificate::from_der(certificate).ok()?;
    let mut wanted = entries.iter().filter(|entry| entry.name == user);
    wanted
        .find(|entry| bears(&parsed, &entry.certificate_name))
        .map(|entry| &entry.upstream)
}

fn bears(certificate: &X509Certificate<'_>, name: &str) -> bool {
    let mut common = certificate.subject().iter_common_name();
    if common.any(|attribute| attribute.as_str().is_ok_and(|text| text == name)) {
        return true;
    }
    let Ok(Some(alternative)) = certificate.subject_alternative_name() else {
        return false;
    };
    alternative
        .value
        .general_names
        .iter()
        .any(|known| match known {
            GeneralName::DNSName(text) | GeneralName::RFC822Name(text) | GeneralName::URI(text) => {
                *text == name
            }
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(certificate_name: &str, name: &str) -> CertificateUser {
        CertificateUser {
            certificate_name: certificate_name.into(),
            name: name.into(),
            upstream: UpstreamIdentity {
                user: format!("up_{name}"),
                password: None,
            },
        }
    }

    fn certificate(common_name: &str, names: &[&str]) -> Vec<u8> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut parameters = rcgen::CertificateParams::new(names).unwrap();
        parameters.distinguished_name = rcgen::DistinguishedName::new();
        parameters
            .distinguished_name
            .push(rcgen::DnType::CommonName, common_name);
        let key = rcgen::KeyPair::generate().unwrap();
        parameters.self_signed(&key).unwrap().der().to_vec()
    }

    #[test]
    fn names_and_users_have_to_fit() {
        let entries = [entry("alice", "alice"), entry("reports.example.org", "bi")];
        let check = |user, certificate: &[u8]| {
            identify(&entries, user, certificate).map(|upstream| upstream.user.as_str())
        };
        assert_eq!(check("alice", &certificate("alice", &[])), Some("up_alice"));
        assert_eq!(
            check("bi", &certificate("x", &["reports.example.org"])),
            Some("up_bi")
        );
        assert_eq!(check("bi", &certificate("alice", &[])), None);
        assert_eq!(check("alice", &certificate("Alice", &[])), None);
        assert_eq!(check("alice", &certificate("alice ", &[])), None);
        assert_eq!(check("alice", &certificate("alice\0", &[])), None);
        assert_eq!(check("mallory", &certificate("alice", &[])), None);
        assert_eq!(check("bi", &certificate("x", &["*.example.org"])), None);
        assert_eq!(check("alice", b"no certificate"), None);
    }
}
