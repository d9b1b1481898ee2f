//! TLS towards clients: what is offered, what is required, and the certificate that is shown.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use tokio_rustls::TlsAcceptor;

use super::pem::{self, TlsPart, TlsSetupError};

/// What the settings ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientTlsSettings {
    /// SSLRequest is answered N.
    Off,
    /// The client decides.
    Allow(ClientTlsFiles),
    /// A TCP client without TLS is refused.
    Require(ClientTlsFiles),
    /// A TCP client without TLS and a certificate of the client authority is refused.
    RequireCertificate(ClientTlsFiles),
}

/// The files behind client-side TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientTlsFiles {
    /// Our certificate chain, leaf first, as PEM.
    pub certificate: PathBuf,
    /// Its private key, as PEM.
    pub key: PathBuf,
    /// The authority that client certificates are checked against. With it, certificates are
    /// asked for; only `RequireCertificate` insists on one.
    pub client_ca: Option<PathBuf>,
}

/// Client-side TLS, loaded.
#[derive(Clone)]
pub enum ClientTls {
    /// Not offered.
    Off,
    /// Offered.
    Allow(ClientTlsIdentity),
    /// Offered and insisted on.
    Require(ClientTlsIdentity),
}

/// What is needed to accept TLS.
#[derive(Clone)]
pub struct ClientTlsIdentity {
    acceptor: TlsAcceptor,
    certificate_pem: Arc<str>,
    asks_for_certificates: bool,
}

impl ClientTls {
    /// Reads the files and proves that they fit together.
    ///
    /// # Errors
    /// A file cannot be read or holds something else, the key is not that of the certificate, or
    /// client certificates are demanded and no authority is named to check them.
    pub fn load(settings: &ClientTlsSettings) -> Result<Self, TlsSetupError> {
        match settings {
            ClientTlsSettings::Off => Ok(Self::Off),
            ClientTlsSettings::Allow(files) => Ok(Self::Allow(ClientTlsIdentity::load(
                files,
                CertificateDemand::Optional,
            )?)),
            ClientTlsSettings::Require(files) => Ok(Self::Require(ClientTlsIdentity::load(
                files,
                CertificateDemand::Optional,
            )?)),
            ClientTlsSettings::RequireCertificate(files) => Ok(Self::Require(
                ClientTlsIdentity::load(files, CertificateDemand::Required)?,
            )),
        }
    }

    /// What accepts TLS, unless it is off.
    pub fn identity(&self) -> Option<&ClientTlsIdentity> {
        match self {
            Self::Off => None,
            Self::Allow(identity) | Self::Require(identity) => Some(identity),
        }
    }

    /// Is a TCP client without TLS refused?
    pub fn is_required(&self) -> bool {
        matches!(self, Self::Require(_))
    }
}

impl ClientTlsIdentity {
    /// The acceptor for SSLRequest and direct TLS alike. It speaks ALPN `postgresql`; that direct
    /// TLS *must* have agreed on it is checked after the handshake, because a client that offers
    /// no ALPN at all passes the handshake.
    pub fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// Our leaf certificate as PEM, for channel binding.
    pub fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// Are clients asked for certificates?
    pub fn asks_for_certificates(&self) -> bool {
        self.asks_for_certificates
    }

    fn load(files: &ClientTlsFiles, wanted: CertificateDemand) -> Result<Self, TlsSetupError> {
        let chain = pem::certificates(&files.certificate, TlsPart::Certificate)?;
        let key = pem::private_key(&files.key)?;
        let certificate_pem = chain.first().map(|leaf| as_pem(leaf)).unwrap_or_default();
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsSetupError::Refused(error.to_string()))?;
        let verifier = match (&files.client_ca, wanted) {
            (None, CertificateDemand::Required) => return Err(TlsSetupError::NoClientAuthority),
            (None, CertificateDemand::Optional) => WebPkiClientVerifier::no_client_auth(),
            (Some(path), wanted) => {
                let store = Arc::new(pem::authorities(path)?);
                let verifier = WebPkiClientVerifier::builder_with_provider(store, provider);
                let verifier = match wanted {
                    CertificateDemand::Required => verifier,
                    CertificateDemand::Optional => verifier.allow_unauthenticated(),
                };
                verifier
                    .build()
                    .map_err(|_| TlsSetupError::bad_authority(path))?
            }
        };
        let mut config = builder
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .map_err(|error| TlsSetupError::of_pair(&files.certificate, &files.key, &error))?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        // No resumption, as in Postgres: a ticket would outlive a client certificate, and each
        // costs memory and bytes for connections that live long.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            certificate_pem: certificate_pem.into(),
            asks_for_certificates: files.client_ca.is_some(),
        })
    }
}

impl fmt::Debug for ClientTls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Off => "ClientTls::Off",
            Self::Allow(_) => "ClientTls::Allow",
            Self::Require(_) => "ClientTls::Require",
        })
    }
}

#[derive(Clone, Copy)]
enum CertificateDemand {
    Optional,
    Required,
}

fn as_pem(der: &[u8]) -> String {
    let body = STANDARD.encode(der);
    let mut text = String::from("-----BEGIN CERTIFICATE-----\n");
    let mut rest = body.as_str();
    while let Some((line, after)) = rest.split_at_checked(PEM_LINE) {
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    text.push_str(rest);
    text.push_str("\n-----END CERTIFICATE-----\n");
    text
}

/// The protocol name of ALPN for Postgres.
pub const ALPN: &[u8] = b"postgresql";
/// Characters in a line of PEM.
const PEM_LINE: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::dev_certificates::DevCertificates;
    use crate::net::dev_certificates::tests::made;

    fn files(of: &DevCertificates) -> ClientTlsFiles {
        ClientTlsFiles {
            certificate: of.server.clone(),
            key: of.server_key.clone(),
            client_ca: Some(of.authority.clone()),
        }
    }

    /// The fault of settings that cannot work.
    fn fault(settings: &ClientTlsSettings) -> TlsSetupError {
        ClientTls::load(settings).expect_err("cannot work")
    }

    #[test]
    fn files_that_fit_are_loaded() {
        let made = made();
        let allow = ClientTls::load(&ClientTlsSettings::Allow(files(&made))).unwrap();
        assert!(!allow.is_required());
        let identity = allow.identity().unwrap();
        assert!(identity.asks_for_certificates());
        let own = std::fs::read_to_string(&made.server).unwrap();
        assert_eq!(identity.certificate_pem(), own.replace("\r", ""));
        let strict = ClientTlsSettings::RequireCertificate(files(&made));
        assert!(ClientTls::load(&strict).unwrap().is_required());
        assert!(
            ClientTls::load(&ClientTlsSettings::Off)
                .unwrap()
                .identity()
                .is_none()
        );
    }

    #[test]
    fn faults_name_the_file() {
        let (made, other) = (made(), made());
        let good = files(&made);
        let with = |change: fn(&mut ClientTlsFiles, &DevCertificates)| {
            let mut files = good.clone();
            change(&mut files, &other);
            fault(&ClientTlsSettings::Require(files))
        };
        let missing = with(|files, _| files.certificate = "/nowhere/x.crt".into());
        assert_eq!(missing.to_string(), "no such file: /nowhere/x.crt");
        let swapped = with(|files, _| files.certificate = files.key.clone());
        assert!(
            swapped
                .to_string()
                .contains("holds a private key, and a certificate is wanted"),
            "{swapped}"
        );
        let keyless = with(|files, _| files.key = files.certificate.clone());
        assert_eq!(keyless.part(), Some(TlsPart::Key), "{keyless}");
        let foreign = with(|files, other| files.key = other.server_key.clone());
        assert!(
            matches!(foreign, TlsSetupError::KeyMismatch { .. }),
            "{foreign}"
        );
        let no_authority = ClientTlsFiles {
            client_ca: None,
            ..good.clone()
        };
        let strict = fault(&ClientTlsSettings::RequireCertificate(no_authority));
        assert!(
            matches!(strict, TlsSetupError::NoClientAuthority),
            "{strict}"
        );
    }
}
