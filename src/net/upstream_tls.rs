//! TLS towards the upstream: how much of its certificate is believed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use tokio_rustls::TlsConnector;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::pem::{self, TlsPart, TlsSetupError};

/// What the settings ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpstreamTlsSettings {
    /// No TLS.
    Disable,
    /// TLS, and any certificate is believed: safe from listeners, not from impostors.
    Require(ClientCertificate),
    /// TLS with a certificate of a known authority, whatever host it names.
    VerifyCa(TlsAuthority, ClientCertificate),
    /// TLS with a certificate of a known authority for the very host.
    VerifyFull(TlsAuthority, ClientCertificate),
}

/// Who vouches for the upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsAuthority {
    /// The certificates in a PEM file.
    File(PathBuf),
    /// The authorities that this host believes.
    System,
}

/// What pgsieve shows the upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientCertificate {
    /// Nothing.
    Absent,
    /// A certificate chain and its key, as PEM.
    Files {
        /// The chain, leaf first.
        certificate: PathBuf,
        /// The private key.
        key: PathBuf,
    },
}

impl UpstreamTlsSettings {
    /// The file of the private key, where a certificate is shown.
    pub fn key(&self) -> Option<&Path> {
        match self.shown()? {
            ClientCertificate::Absent => None,
            ClientCertificate::Files { key, .. } => Some(key),
        }
    }

    /// The file of the certificate that is shown, if one is.
    pub fn certificate(&self) -> Option<&Path> {
        match self.shown()? {
            ClientCertificate::Absent => None,
            ClientCertificate::Files { certificate, .. } => Some(certificate),
        }
    }

    /// The file of the authorities that the upstream is checked against, if there is one.
    pub fn authority(&self) -> Option<&Path> {
        match self {
            Self::Disable | Self::Require(_) => None,
            Self::VerifyCa(authority, _) | Self::VerifyFull(authority, _) => match authority {
                TlsAuthority::File(file) => Some(file),
                TlsAuthority::System => None,
            },
        }
    }

    fn shown(&self) -> Option<&ClientCertificate> {
        match self {
            Self::Disable => None,
            Self::Require(shown) | Self::VerifyCa(_, shown) | Self::VerifyFull(_, shown) => {
                Some(shown)
            }
        }
    }
}

/// Upstream TLS, loaded.
#[derive(Clone)]
pub enum UpstreamTls {
    /// Not used.
    Disable,
    /// Insisted on.
    Required {
        /// Makes the connection.
        connector: TlsConnector,
        /// The host as certificates and SNI name it.
        name: ServerName<'static>,
    },
}

impl UpstreamTls {
    /// Reads the files and proves that they fit together. `host` is the name that is connected to.
    ///
    /// # Errors
    /// A file cannot be read or holds something else, the key is not that of the certificate, or
    /// `host` cannot stand in a certificate.
    pub fn load(settings: &UpstreamTlsSettings, host: &str) -> Result<Self, TlsSetupError> {
        let provider = Arc::new(ring::default_provider());
        let (trust, shown) = match settings {
            UpstreamTlsSettings::Disable => return Ok(Self::Disable),
            UpstreamTlsSettings::Require(shown) => (CertificateTrust::Anyone, shown),
            UpstreamTlsSettings::VerifyCa(authority, shown) => (
                CertificateTrust::Chain(TrustedChain::load(authority, &provider)?),
                shown,
            ),
            UpstreamTlsSettings::VerifyFull(authority, shown) => (
                CertificateTrust::ChainAndName(TrustedChain::load(authority, &provider)?),
                shown,
            ),
        };
        let name =
            ServerName::try_from(host.to_owned()).map_err(|_| TlsSetupError::BadServerName)?;
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsSetupError::Refused(error.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(UpstreamVerifier { trust, provider }));
        let mut config = match shown {
            ClientCertificate::Absent => builder.with_no_client_auth(),
            ClientCertificate::Files { certificate, key } => {
                let chain = pem::certificates(certificate, TlsPart::Certificate)?;
                builder
                    .with_client_auth_cert(chain, pem::private_key(key)?)
                    .map_err(|error| TlsSetupError::of_pair(certificate, key, &error))?
            }
        };
        config.resumption = Resumption::disabled();
        Ok(Self::Required {
            connector: TlsConnector::from(Arc::new(config)),
            name,
        })
    }
}

impl fmt::Debug for UpstreamTls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Disable => "UpstreamTls::Disable",
            Self::Required { .. } => "UpstreamTls::Insist",
        })
    }
}

/// How far a certificate is checked. The handshake's own signature is checked in every case.
#[derive(Debug)]
enum CertificateTrust {
    Anyone,
    Chain(TrustedChain),
    ChainAndName(TrustedChain),
}

/// Known authorities, and the same certificates as pins: a self-signed server certificate that is
/// its own `sslrootcert` is a pin, and webpki would refuse it as "an authority used as a server".
#[derive(Debug)]
struct TrustedChain {
    verifier: Arc<WebPkiServerVerifier>,
    pins: Vec<CertificateDer<'static>>,
}

impl TrustedChain {
    fn load(
        authority: &TlsAuthority,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, TlsSetupError> {
        let path = match authority {
            TlsAuthority::File(path) => path.as_path(),
            TlsAuthority::System => system_bundle()?,
        };
        let pins = pem::certificates(path, TlsPart::Authority)?;
        let mut store = rustls::RootCertStore::empty();
        // What is no usable authority may still be a pin; it is only useless when neither holds.
        store.add_parsable_certificates(pins.iter().cloned());
        let builder =
            WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider.clone());
        let verifier = builder
            .build()
            .map_err(|_| TlsSetupError::bad_authority(path))?;
        Ok(Self { verifier, pins })
    }

    /// Proves the chain; says whether the name fits, too.
    fn check(
        &self,
        leaf: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<NameMatch, Error> {
        if self.pins.iter().any(|pin| pin.as_ref() == leaf.as_ref()) {
            in_its_time(leaf, now)?;
            let parsed = ParsedCertificate::try_from(leaf)?;
            return Ok(match verify_server_name(&parsed, name) {
                Ok(()) => NameMatch::Fits,
                Err(error) => NameMatch::Differs(error),
            });
        }
        // The name is the last thing that webpki checks, so its error proves the rest.
        match self
            .verifier
            .verify_server_cert(leaf, between, name, ocsp, now)
        {
            Ok(_) => Ok(NameMatch::Fits),
            Err(
                error @ Error::InvalidCertificate(
                    CertificateError::NotValidForName
                    | CertificateError::NotValidForNameContext { .. },
                ),
            ) => Ok(NameMatch::Differs(error)),
            Err(error) => Err(error),
        }
    }
}

enum NameMatch {
    Fits,
    Differs(Error),
}

#[derive(Debug)]
struct UpstreamVerifier {
    trust: CertificateTrust,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for UpstreamVerifier {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.trust {
            CertificateTrust::Anyone => Ok(ServerCertVerified::assertion()),
            CertificateTrust::Chain(chain) => chain
                .check(leaf, between, name, ocsp, now)
                .map(|_whatever_name| ServerCertVerified::assertion()),
            CertificateTrust::ChainAndName(chain) => {
                match chain.check(leaf, between, name, ocsp, now)? {
                    NameMatch::Fits => Ok(ServerCertVerified::assertion()),
                    NameMatch::Differs(error) => Err(error),
                }
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, leaf, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, leaf, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

fn in_its_time(leaf: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
    let bad = || Error::InvalidCertificate(CertificateError::BadEncoding);
    let (_, parsed) = X509Certificate::from_der(leaf).map_err(|_| bad())?;
    let now = i64::try_from(now.as_secs()).map_err(|_| bad())?;
    let validity = parsed.validity();
    if now < validity.not_before.timestamp() {
        return Err(Error::InvalidCertificate(CertificateError::NotValidYet));
    }
    if now > validity.not_after.timestamp() {
        return Err(Error::InvalidCertificate(CertificateError::Expired));
    }
    Ok(())
}

fn system_bundle() -> Result<&'static Path, TlsSetupError> {
    let known = SYSTEM_BUNDLES.iter().map(Path::new);
    known
        .into_iter()
        .find(|path| path.is_file())
        .ok_or(TlsSetupError::NoSystemAuthorities)
}

/// Where Debian, Fedora, SUSE, Alpine/macOS and FreeBSD keep the authorities they believe.
const SYSTEM_BUNDLES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/etc/ssl/cert.pem",
];
