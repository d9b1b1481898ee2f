//! Reads certificates and keys from PEM files, and says which file is at fault and how.

use std::fmt;
use std::path::{Path, PathBuf};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Why TLS cannot be set up. Always our own settings' fault; holds paths, never key material.
#[derive(Debug)]
pub enum TlsSetupError {
    /// A file cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The kind of fault.
        kind: std::io::ErrorKind,
    },
    /// A file holds no certificate.
    NoCertificate(PathBuf),
    /// A file holds no private key.
    NoKey(PathBuf),
    /// A file is not PEM.
    NotPem(PathBuf),
    /// A certificate authority is not usable.
    BadAuthority(PathBuf),
    /// The key does not fit the certificate, or is of a kind that is not known.
    KeyMismatch(rustls::Error),
    /// Client certificates are required and no authority is named to check them.
    NoClientAuthority,
    /// The upstream's certificate is to be checked and no authority is named.
    NoUpstreamAuthority,
    /// The host name of the upstream cannot stand in a certificate.
    BadServerName,
    /// No system-wide bundle of authorities was found.
    NoSystemAuthorities,
    /// The TLS library refused the settings.
    Refused(String),
}

impl fmt::Display for TlsSetupError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, kind } => write!(formatter, "{}: {kind}", path.display()),
            Self::NoCertificate(path) => write!(formatter, "{}: no certificate", path.display()),
            Self::NoKey(path) => write!(formatter, "{}: no private key", path.display()),
            Self::NotPem(path) => write!(formatter, "{}: not a PEM file", path.display()),
            Self::BadAuthority(path) => {
                write!(formatter, "{}: not usable as an authority", path.display())
            }
            Self::KeyMismatch(error) => write!(formatter, "certificate and key: {error}"),
            Self::NoClientAuthority => formatter
                .write_str("client certificates are required, so a client authority must be named"),
            Self::NoUpstreamAuthority => formatter
                .write_str("verify-ca and verify-full need sslrootcert (a file, or `system`)"),
            Self::BadServerName => formatter.write_str("the host is no name or IP address"),
            Self::NoSystemAuthorities => {
                formatter.write_str("sslrootcert=system: this host has no bundle of authorities")
            }
            Self::Refused(what) => write!(formatter, "TLS settings: {what}"),
        }
    }
}

impl std::error::Error for TlsSetupError {}

/// All certificates of a file, in its order; at least one.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsSetupError> {
    let text = read(path)?;
    let mut found = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        found.push(certificate.map_err(|_| TlsSetupError::NotPem(path.to_owned()))?);
    }
    if found.is_empty() {
        return Err(TlsSetupError::NoCertificate(path.to_owned()));
    }
    Ok(found)
}

/// The private key of a file.
pub fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsSetupError> {
    let text = read(path)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|_| TlsSetupError::NoKey(path.to_owned()))
}

/// The authorities of a file as a store to check chains against.
pub fn authorities(path: &Path) -> Result<rustls::RootCertStore, TlsSetupError> {
    let mut store = rustls::RootCertStore::empty();
    for certificate in certificates(path)? {
        store
            .add(certificate)
            .map_err(|_| TlsSetupError::BadAuthority(path.to_owned()))?;
    }
    Ok(store)
}

fn read(path: &Path) -> Result<Vec<u8>, TlsSetupError> {
    std::fs::read(path).map_err(|error| TlsSetupError::Unreadable {
        path: path.to_owned(),
        kind: error.kind(),
    })
}
