//! Who a client certificate stands for.
//!
//! That an authority of ours vouches for the certificate was proved in the TLS handshake; here its
//! names are compared with the list, whole and letter by letter.

use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::x509::AttributeTypeAndValue;

use super::settings::CertificateUser;
use crate::limits;

/// The entry behind a certificate, if the list has the user with one of its names.
pub fn identify<'s>(
    entries: &'s [CertificateUser],
    user: &str,
    certificate: &[u8],
) -> Option<&'s CertificateUser> {
    let (_, parsed) = X509Certificate::from_der(certificate).ok()?;
    let mut wanted = entries.iter().filter(|entry| entry.name == user);
    wanted.find(|entry| bears(&parsed, &entry.certificate_name))
}

/// What the subject of a certificate says; none where it says nothing of the kind, or several
/// things, of which nobody says which one is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateSubject {
    /// Its common name.
    pub common_name: Option<String>,
    /// The organization.
    pub organization: Option<String>,
    /// The part of the organization.
    pub organizational_unit: Option<String>,
    /// The address for mail.
    pub email: Option<String>,
}

/// Everything that a certificate says of these kinds, where it may say several things; what is
/// longer than a value may be, or no plain text, is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateNames {
    /// Organizations of its subject.
    pub organizations: Vec<Box<str>>,
    /// Parts of organizations there.
    pub organizational_units: Vec<Box<str>>,
    /// Addresses for mail there.
    pub emails: Vec<Box<str>>,
    /// DNS names, mail addresses and URIs among its alternative names.
    pub alternative_names: Vec<Box<str>>,
}

/// The names in a certificate that the handshake has accepted.
pub fn names(certificate: &[u8]) -> CertificateNames {
    let Ok((_, parsed)) = X509Certificate::from_der(certificate) else {
        return CertificateNames::default();
    };
    let subject = parsed.subject();
    let alternative = parsed.subject_alternative_name().ok().flatten();
    let alternative = alternative.iter().flat_map(|one| &one.value.general_names);
    let alternative = alternative.filter_map(|known| match known {
        GeneralName::DNSName(text) | GeneralName::RFC822Name(text) | GeneralName::URI(text) => {
            Some(*text)
        }
        _ => None,
    });
    CertificateNames {
        organizations: plain(texts(subject.iter_organization())),
        organizational_units: plain(texts(subject.iter_organizational_unit())),
        emails: plain(texts(subject.iter_email())),
        alternative_names: plain(alternative),
    }
}

fn texts<'c>(
    attributes: impl Iterator<Item = &'c AttributeTypeAndValue<'c>>,
) -> impl Iterator<Item = &'c str> {
    attributes.filter_map(|attribute| attribute.as_str().ok())
}

fn plain<'c>(texts: impl Iterator<Item = &'c str>) -> Vec<Box<str>> {
    let is_plain = |text: &&str| {
        let is_short = text.len() <= limits::SESSION_VALUE_BYTES_MAX;
        is_short && !text.is_empty() && !text.contains('\0')
    };
    let kept = texts.filter(is_plain).take(limits::CERTIFICATE_NAMES_MAX);
    kept.map(Box::from).collect()
}

/// The subject of a certificate that the handshake has accepted.
pub fn subject(certificate: &[u8]) -> CertificateSubject {
    let Ok((_, parsed)) = X509Certificate::from_der(certificate) else {
        return CertificateSubject::default();
    };
    let subject = parsed.subject();
    CertificateSubject {
        common_name: only(subject.iter_common_name()),
        organization: only(subject.iter_organization()),
        organizational_unit: only(subject.iter_organizational_unit()),
        email: only(subject.iter_email()),
    }
}

/// The text of the one attribute of its kind.
fn only<'c>(mut attributes: impl Iterator<Item = &'c AttributeTypeAndValue<'c>>) -> Option<String> {
    let only = attributes.next()?.as_str().ok()?;
    let is_plain = attributes.next().is_none() && !only.is_empty() && !only.contains('\0');
    let is_short = only.len() <= limits::SESSION_VALUE_BYTES_MAX;
    (is_plain && is_short).then(|| only.to_owned())
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
    use crate::auth::settings::UpstreamIdentity;

    fn entry(certificate_name: &str, name: &str) -> CertificateUser {
        CertificateUser {
            certificate_name: certificate_name.into(),
            name: name.into(),
            upstream: UpstreamIdentity {
                user: format!("up_{name}"),
                secret: None,
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
    fn a_certificate_says_one_common_name() {
        let common_name = |shown: &[u8]| subject(shown).common_name;
        let named = |name: &str| common_name(&certificate(name, &["other.example.org"]));
        assert_eq!(named("it's \\me").as_deref(), Some("it's \\me"));
        assert_eq!(named(""), None);
        assert_eq!(named("a\0b"), None);
        assert_eq!(common_name(b"no certificate"), None);
    }

    #[test]
    fn what_a_subject_says_once_is_known() {
        let mut parameters = rcgen::CertificateParams::new(Vec::new()).unwrap();
        let email = rcgen::DnType::CustomDnType(vec![1, 2, 840, 113_549, 1, 9, 1]);
        let says = &mut parameters.distinguished_name;
        *says = rcgen::DistinguishedName::new();
        says.push(rcgen::DnType::CommonName, "alice");
        says.push(rcgen::DnType::OrganizationName, "Shop");
        says.push(rcgen::DnType::OrganizationalUnitName, "reports");
        says.push(email, "alice@example.org");
        let key = rcgen::KeyPair::generate().unwrap();
        let shown = parameters.self_signed(&key).unwrap();
        let of = |text: &str| Some(text.to_owned());
        let wanted = CertificateSubject {
            common_name: of("alice"),
            organization: of("Shop"),
            organizational_unit: of("reports"),
            email: of("alice@example.org"),
        };
        assert_eq!(subject(shown.der()), wanted);
        assert_eq!(subject(b"no certificate"), CertificateSubject::default());
    }

    #[test]
    fn all_names_of_a_certificate_are_known() {
        let alternative = vec!["db.example.org".to_owned(), "*.shop.example".to_owned()];
        let mut parameters = rcgen::CertificateParams::new(alternative).unwrap();
        let says = &mut parameters.distinguished_name;
        *says = rcgen::DistinguishedName::new();
        says.push(rcgen::DnType::OrganizationName, "Shop");
        says.push(rcgen::DnType::OrganizationalUnitName, "reports");
        let key = rcgen::KeyPair::generate().unwrap();
        let shown = parameters.self_signed(&key).unwrap();
        let wanted = CertificateNames {
            organizations: vec!["Shop".into()],
            organizational_units: vec!["reports".into()],
            emails: Vec::new(),
            alternative_names: vec!["db.example.org".into(), "*.shop.example".into()],
        };
        assert_eq!(names(shown.der()), wanted);
        assert_eq!(names(b"no certificate"), CertificateNames::default());
        let many = (0..100).map(|number| format!("n{number}.example.org"));
        let odd = ["".to_owned(), "a\0b".to_owned(), "x".repeat(100_000)];
        let all: Vec<String> = odd.into_iter().chain(many).collect();
        let kept = plain(all.iter().map(String::as_str));
        assert_eq!(kept.len(), limits::CERTIFICATE_NAMES_MAX);
        assert_eq!(&*kept[0], "n0.example.org");
    }

    #[test]
    fn names_and_users_have_to_fit() {
        let entries = [entry("alice", "alice"), entry("reports.example.org", "bi")];
        let check = |user, certificate: &[u8]| {
            identify(&entries, user, certificate).map(|entry| entry.upstream.user.as_str())
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
