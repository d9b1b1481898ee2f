//! Reads certificates and keys from PEM files, and says which file is at fault and what helps.

use std::fmt;
use std::path::{Path, PathBuf};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::system_error;

/// Why TLS cannot be set up. Always our own settings' fault; holds paths, never key material.
#[derive(Debug)]
pub enum TlsSetupError {
    /// A file does not hold what it should.
    File {
        /// What it is for.
        part: TlsPart,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: PemFault,
    },
    /// The key is not that of the certificate.
    KeyMismatch {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's file.
        key: PathBuf,
    },
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

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsPart {
    /// A certificate that is shown.
    Certificate,
    /// Its private key.
    Key,
    /// The authorities that the other side's certificates are checked against.
    Authority,
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PemFault {
    /// It cannot be read.
    Unreadable(std::io::ErrorKind),
    /// It holds something else.
    Holds(PemContent),
    /// What it holds is damaged, or of a kind that is not known.
    Damaged,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PemContent {
    /// Nothing.
    Nothing,
    /// A certificate or key in DER.
    Der,
    /// A private key behind a passphrase.
    EncryptedKey,
    /// A private key.
    Key,
    /// A certificate.
    Certificate,
    /// Something else.
    Other,
}

impl TlsSetupError {
    /// The setting at fault, without what it belongs to; none where it is no single one.
    pub fn part(&self) -> Option<TlsPart> {
        match self {
            Self::File { part, .. } => Some(*part),
            Self::KeyMismatch { .. } => Some(TlsPart::Key),
            Self::NoClientAuthority | Self::NoUpstreamAuthority | Self::NoSystemAuthorities => {
                Some(TlsPart::Authority)
            }
            Self::BadServerName | Self::Refused(_) => None,
        }
    }

    /// What the library says of a certificate and a key together.
    pub fn of_pair(certificate: &Path, key: &Path, error: &rustls::Error) -> Self {
        let file = |part, path: &Path| Self::File {
            part,
            path: path.to_owned(),
            fault: PemFault::Damaged,
        };
        match error {
            rustls::Error::InconsistentKeys(_) => Self::KeyMismatch {
                certificate: certificate.to_owned(),
                key: key.to_owned(),
            },
            rustls::Error::InvalidCertificate(_) => file(TlsPart::Certificate, certificate),
            _ => file(TlsPart::Key, key),
        }
    }

    /// A file of authorities that are none.
    pub fn bad_authority(path: &Path) -> Self {
        Self::File {
            part: TlsPart::Authority,
            path: path.to_owned(),
            fault: PemFault::Damaged,
        }
    }
}

impl fmt::Display for TlsSetupError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { part, path, fault } => formatter.write_str(&describe(*part, path, *fault)),
            Self::KeyMismatch { certificate, key } => write!(
                formatter,
                "{} is the key of another certificate than {}: the two have to be made together",
                key.display(),
                certificate.display()
            ),
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
///
/// # Errors
/// The file cannot be read, holds no certificate, or one that is damaged.
pub fn certificates(
    path: &Path,
    part: TlsPart,
) -> Result<Vec<CertificateDer<'static>>, TlsSetupError> {
    let text = read(path, part)?;
    let fault = |fault| TlsSetupError::File {
        part,
        path: path.to_owned(),
        fault,
    };
    let mut found = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        found.push(certificate.map_err(|_| fault(PemFault::Damaged))?);
    }
    match found.is_empty() {
        true => Err(fault(PemFault::Holds(content_of(&text)))),
        false => Ok(found),
    }
}

/// The private key of a file.
///
/// # Errors
/// The file cannot be read, holds no private key, or one that is damaged.
pub fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsSetupError> {
    let text = read(path, TlsPart::Key)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|_| TlsSetupError::File {
        part: TlsPart::Key,
        path: path.to_owned(),
        fault: match content_of(&text) {
            PemContent::Key => PemFault::Damaged,
            held => PemFault::Holds(held),
        },
    })
}

/// The authorities of a file as a store to check chains against.
///
/// # Errors
/// The file cannot be read, holds no certificate, or one that is damaged or is none of an
/// authority.
pub fn authorities(path: &Path) -> Result<rustls::RootCertStore, TlsSetupError> {
    let mut store = rustls::RootCertStore::empty();
    for certificate in certificates(path, TlsPart::Authority)? {
        store
            .add(certificate)
            .map_err(|_| TlsSetupError::bad_authority(path))?;
    }
    Ok(store)
}

fn read(path: &Path, part: TlsPart) -> Result<Vec<u8>, TlsSetupError> {
    std::fs::read(path).map_err(|error| TlsSetupError::File {
        part,
        path: path.to_owned(),
        fault: PemFault::Unreadable(error.kind()),
    })
}

/// What the bytes of a file are, by how they begin and by the names of their sections.
fn content_of(bytes: &[u8]) -> PemContent {
    let has = |wanted: &[u8]| bytes.windows(wanted.len()).any(|window| window == wanted);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        PemContent::Nothing
    } else if has(b"ENCRYPTED") {
        PemContent::EncryptedKey
    } else if has(b"PRIVATE KEY-----") {
        PemContent::Key
    } else if has(b"-----BEGIN CERTIFICATE-----") {
        PemContent::Certificate
    } else if bytes.starts_with(DER_SEQUENCE) {
        PemContent::Der
    } else {
        PemContent::Other
    }
}

fn describe(part: TlsPart, path: &Path, fault: PemFault) -> String {
    let shown = path.display();
    let (wanted, section) = match part {
        TlsPart::Certificate => ("a certificate", "CERTIFICATE"),
        TlsPart::Key => ("a private key", "PRIVATE KEY"),
        TlsPart::Authority => ("the certificate of an authority", "CERTIFICATE"),
    };
    let tool = match part {
        TlsPart::Key => "pkey",
        TlsPart::Certificate | TlsPart::Authority => "x509",
    };
    match fault {
        PemFault::Unreadable(kind) => system_error::of_file(path, kind),
        PemFault::Damaged => {
            format!("{shown}: {wanted} is wanted, and this one is damaged or of an unknown kind")
        }
        PemFault::Holds(PemContent::Nothing) => format!("{shown} is empty; {wanted} is wanted"),
        PemFault::Holds(PemContent::Der) => format!(
            "{shown} is DER; {wanted} in PEM is wanted, as openssl {tool} -inform der -in {shown} \
             prints it"
        ),
        PemFault::Holds(PemContent::EncryptedKey) => format!(
            "{shown} is encrypted; {wanted} without a passphrase is wanted, as openssl pkey -in \
             {shown} prints it"
        ),
        PemFault::Holds(PemContent::Key) => format!(
            "{shown} holds a private key, and {wanted} is wanted: were the two files mixed up?"
        ),
        PemFault::Holds(PemContent::Certificate) => format!(
            "{shown} holds a certificate, and {wanted} is wanted: were the two files mixed up?"
        ),
        PemFault::Holds(PemContent::Other) => {
            format!("{shown} holds no PEM; {wanted} is wanted, as -----BEGIN {section}-----")
        }
    }
}

/// How a certificate or key begins in DER.
const DER_SEQUENCE: &[u8] = &[0x30];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_holds_is_told() {
        for (bytes, wanted) in [
            (&b" \n"[..], PemContent::Nothing),
            (b"\x30\x82\x01", PemContent::Der),
            (
                b"-----BEGIN ENCRYPTED PRIVATE KEY-----",
                PemContent::EncryptedKey,
            ),
            (
                b"Proc-Type: 4,ENCRYPTED\n-----BEGIN RSA PRIVATE KEY-----",
                PemContent::EncryptedKey,
            ),
            (b"-----BEGIN RSA PRIVATE KEY-----", PemContent::Key),
            (b"-----BEGIN CERTIFICATE-----", PemContent::Certificate),
            (b"0 is a digit", PemContent::Der),
            (b"to do", PemContent::Other),
        ] {
            assert_eq!(content_of(bytes), wanted, "{}", bytes.escape_ascii());
        }
    }
}
