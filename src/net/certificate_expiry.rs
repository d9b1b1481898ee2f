//! When the certificates end that pgsieve shows, and those that it checks others by.
//!
//! Of a file with several the one that ends first counts: a chain holds as long as its weakest
//! link, and an authority that has ended is to be taken out. The bundle of the system is not looked
//! at: it has authorities that have ended, and whoever keeps the system keeps it.
//! <https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5>

use std::path::Path;

use x509_parser::prelude::{FromDer, X509Certificate};

use super::client_tls::ClientTlsSettings;
use super::pem::{self, TlsPart, TlsSetupError};
use super::upstream_tls::UpstreamTlsSettings;
use crate::telemetry::labels::HeldCertificate;

/// A file of certificates, and when the first of them ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CertificateExpiry {
    /// What the file is for.
    pub certificate: HeldCertificate,
    /// In seconds since 1970.
    pub ends: i64,
}

/// All that these settings name. What cannot be read is left out: TLS does not load with it.
pub fn certificate_expiries(
    client: &ClientTlsSettings,
    upstream: &UpstreamTlsSettings,
    issuer_authority: Option<&Path>,
) -> Vec<CertificateExpiry> {
    let files = match client {
        ClientTlsSettings::Off => None,
        ClientTlsSettings::Allow(files)
        | ClientTlsSettings::Require(files)
        | ClientTlsSettings::RequireCertificate(files) => Some(files),
    };
    let authority = files.and_then(|files| files.client_ca.as_deref());
    let all = [
        (
            HeldCertificate::ClientListener,
            files.map(|files| files.certificate.as_path()),
        ),
        (HeldCertificate::ClientAuthority, authority),
        (HeldCertificate::UpstreamClient, upstream.certificate()),
        (HeldCertificate::UpstreamAuthority, upstream.authority()),
        (HeldCertificate::IssuerAuthority, issuer_authority),
    ];
    let ends = all.into_iter().filter_map(|(certificate, file)| {
        let part = match certificate {
            HeldCertificate::ClientListener | HeldCertificate::UpstreamClient => {
                TlsPart::Certificate
            }
            HeldCertificate::ClientAuthority
            | HeldCertificate::UpstreamAuthority
            | HeldCertificate::IssuerAuthority => TlsPart::Authority,
        };
        let ends = first_end(file?, part).ok()??;
        Some(CertificateExpiry { certificate, ends })
    });
    ends.collect()
}

/// When the first certificate of a file ends, in seconds since 1970; none where none can be read.
fn first_end(file: &Path, part: TlsPart) -> Result<Option<i64>, TlsSetupError> {
    let all = pem::certificates(file, part)?;
    let ends = all.iter().filter_map(|der| {
        let (_, certificate) = X509Certificate::from_der(der).ok()?;
        Some(certificate.validity().not_after.timestamp())
    });
    Ok(ends.min())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;
    use crate::net::client_tls::ClientTlsFiles;
    use crate::net::dev_certificates::tests::made;
    use crate::net::upstream_tls::{ClientCertificate, TlsAuthority};

    /// A certificate that ends in this year.
    fn ending(year: i32) -> String {
        let mut parameters = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        parameters.not_before = date_time_ymd(1990, 1, 1);
        parameters.not_after = date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().unwrap();
        parameters.self_signed(&key).unwrap().pem()
    }

    const IN_2001: i64 = 978_307_200;
    const IN_2040: i64 = 2_208_988_800;

    #[test]
    fn every_file_of_the_settings_is_looked_at() {
        let made = made();
        let folder = made.authority.parent().unwrap();
        let file = |name: &str, text: String| {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let files = ClientTlsFiles {
            certificate: file("chain.pem", ending(2040) + &ending(2001) + &ending(2045)),
            key: made.server_key.clone(),
            client_ca: Some(file("ca.pem", ending(2040))),
        };
        let shown = ClientCertificate::Files {
            certificate: file("shown.pem", ending(2040)),
            key: made.client_key.clone(),
        };
        let authority = TlsAuthority::File(file("roots.pem", ending(2040) + &ending(2001)));
        let of = |certificate, ends| CertificateExpiry { certificate, ends };
        let client = [
            of(HeldCertificate::ClientListener, IN_2001),
            of(HeldCertificate::ClientAuthority, IN_2040),
        ];
        let upstream = [
            of(HeldCertificate::UpstreamClient, IN_2040),
            of(HeldCertificate::UpstreamAuthority, IN_2001),
        ];
        for settings in [
            ClientTlsSettings::Allow(files.clone()),
            ClientTlsSettings::Require(files.clone()),
            ClientTlsSettings::RequireCertificate(files),
        ] {
            let found = certificate_expiries(&settings, &UpstreamTlsSettings::Disable, None);
            assert_eq!(found, client);
        }
        for settings in [
            UpstreamTlsSettings::VerifyCa(authority.clone(), shown.clone()),
            UpstreamTlsSettings::VerifyFull(authority, shown.clone()),
        ] {
            assert_eq!(
                certificate_expiries(&ClientTlsSettings::Off, &settings, None),
                upstream
            );
        }
        let believing = UpstreamTlsSettings::Require(shown.clone());
        assert_eq!(
            certificate_expiries(&ClientTlsSettings::Off, &believing, None),
            upstream[..1]
        );
        let system = UpstreamTlsSettings::VerifyFull(TlsAuthority::System, shown);
        assert_eq!(
            certificate_expiries(&ClientTlsSettings::Off, &system, None),
            upstream[..1]
        );
        let none =
            certificate_expiries(&ClientTlsSettings::Off, &UpstreamTlsSettings::Disable, None);
        assert_eq!(none, []);
        let issuers = file("issuers.pem", ending(2040) + &ending(2001));
        let off = UpstreamTlsSettings::Disable;
        assert_eq!(
            certificate_expiries(&ClientTlsSettings::Off, &off, Some(&issuers)),
            [of(HeldCertificate::IssuerAuthority, IN_2001)]
        );
    }

    #[test]
    fn what_is_no_certificate_has_no_end() {
        let made = made();
        for file in [made.server_key.as_path(), Path::new("/nowhere/x.pem")] {
            let files = ClientTlsFiles {
                certificate: file.to_owned(),
                key: made.server_key.clone(),
                client_ca: None,
            };
            let settings = ClientTlsSettings::Allow(files);
            assert_eq!(
                certificate_expiries(&settings, &UpstreamTlsSettings::Disable, None),
                []
            );
        }
    }
}
