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
use crate::telemetry::labels::HeldCertificate;

/// A file of certificates, and when the first of them ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateExpiry {
    /// What the file is for.
    pub certificate: HeldCertificate,
    /// Whose it is, where there are several of its kind: names of databases.
    pub whose: Option<String>,
    /// In seconds since 1970.
    pub ends: i64,
}

/// The files of the certificates that settings name, each with what it is for.
#[derive(Debug, Default)]
pub struct CertificateFiles<'s> {
    files: Vec<(HeldCertificate, &'s Path, Option<&'s str>)>,
}

impl<'s> CertificateFiles<'s> {
    /// A file, if there is one. One that is there for the same use already is not told of again.
    pub fn add(&mut self, certificate: HeldCertificate, file: Option<&'s Path>) {
        self.add_of(certificate, file, None);
    }

    /// The same, with whose it is.
    pub fn add_of(
        &mut self,
        certificate: HeldCertificate,
        file: Option<&'s Path>,
        whose: Option<&'s str>,
    ) {
        let mut known = self.files.iter();
        if let Some(file) = file
            && !known.any(|(other, known, _)| *other == certificate && *known == file)
        {
            self.files.push((certificate, file, whose));
        }
    }

    /// Those of the listener for clients.
    pub fn add_client(&mut self, settings: &'s ClientTlsSettings) {
        let files = match settings {
            ClientTlsSettings::Off => return,
            ClientTlsSettings::Allow(files)
            | ClientTlsSettings::Require(files)
            | ClientTlsSettings::RequireCertificate(files) => files,
        };
        self.add(HeldCertificate::ClientListener, Some(&files.certificate));
        let authority = files.client_ca.as_deref();
        self.add(HeldCertificate::ClientAuthority, authority);
    }

    /// When each ends. What cannot be read is left out: TLS does not load with it.
    pub fn expiries(self) -> Vec<CertificateExpiry> {
        let of_one = |(certificate, file, whose): (_, &Path, Option<&str>)| {
            let ends = first_end(file, part_of(certificate)).ok()??;
            Some(CertificateExpiry {
                certificate,
                whose: whose.map(str::to_owned),
                ends,
            })
        };
        self.files.into_iter().filter_map(of_one).collect()
    }
}

fn part_of(certificate: HeldCertificate) -> TlsPart {
    match certificate {
        HeldCertificate::ClientListener
        | HeldCertificate::UpstreamClient
        | HeldCertificate::DatabaseClient
        | HeldCertificate::PeerClient => TlsPart::Certificate,
        HeldCertificate::ClientAuthority
        | HeldCertificate::UpstreamAuthority
        | HeldCertificate::DatabaseAuthority
        | HeldCertificate::PeerAuthority
        | HeldCertificate::IssuerAuthority
        | HeldCertificate::StoreAuthority => TlsPart::Authority,
    }
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
        let shown = file("shown.pem", ending(2040));
        let roots = file("roots.pem", ending(2040) + &ending(2001));
        let ends_of = |files: CertificateFiles<'_>| {
            let found = files.expiries().into_iter();
            let found = found.map(|one| (one.certificate, one.ends));
            found.collect::<Vec<_>>()
        };
        for settings in [
            ClientTlsSettings::Allow(files.clone()),
            ClientTlsSettings::Require(files.clone()),
            ClientTlsSettings::RequireCertificate(files),
        ] {
            let mut found = CertificateFiles::default();
            found.add_client(&settings);
            let expected = [
                (HeldCertificate::ClientListener, IN_2001),
                (HeldCertificate::ClientAuthority, IN_2040),
            ];
            assert_eq!(ends_of(found), expected);
        }
        let mut none = CertificateFiles::default();
        none.add_client(&ClientTlsSettings::Off);
        none.add(HeldCertificate::UpstreamAuthority, None);
        assert_eq!(ends_of(none), []);
        // One file for two servers is told of once, and two files of one kind both.
        let mut several = CertificateFiles::default();
        several.add(HeldCertificate::DatabaseAuthority, Some(&roots));
        several.add(HeldCertificate::DatabaseAuthority, Some(&roots));
        several.add(HeldCertificate::DatabaseAuthority, Some(&shown));
        several.add(HeldCertificate::UpstreamAuthority, Some(&roots));
        let expected = [
            (HeldCertificate::DatabaseAuthority, IN_2001),
            (HeldCertificate::DatabaseAuthority, IN_2040),
            (HeldCertificate::UpstreamAuthority, IN_2001),
        ];
        assert_eq!(ends_of(several), expected);
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
            let mut found = CertificateFiles::default();
            let settings = ClientTlsSettings::Allow(files);
            found.add_client(&settings);
            assert_eq!(found.expiries(), []);
        }
    }
}
