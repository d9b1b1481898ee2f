//! Certificates for trying TLS out: an authority of one's own, a server and a client certificate.
//!
//! For development. The keys are written readable by their owner only, and never over old files.

use std::fmt;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};

/// The files that were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DevCertificates {
    /// The authority's certificate.
    pub authority: PathBuf,
    /// The server's certificate, for localhost, 127.0.0.1 and ::1 and the hosts asked for.
    pub server: PathBuf,
    /// The server's private key.
    pub server_key: PathBuf,
    /// The client's certificate; its common name is the user asked for.
    pub client: PathBuf,
    /// The client's private key.
    pub client_key: PathBuf,
}

/// What is wanted.
#[derive(Debug, Clone)]
pub struct CertificateRequest<'a> {
    /// Names and addresses of the server besides localhost.
    pub hosts: &'a [&'a str],
    /// The common name of the client certificate.
    pub client_name: &'a str,
}

/// Why no certificates were made.
#[derive(Debug)]
pub enum DevCertificateError {
    /// The folder or a file cannot be written, or a file is there already.
    Unwritable {
        /// Which.
        path: PathBuf,
        /// The kind of fault.
        kind: std::io::ErrorKind,
    },
    /// A name cannot stand in a certificate, or the system gave no randomness.
    NotMade(rcgen::Error),
    /// Today's date is beyond what a certificate can name.
    NoDate,
}

impl fmt::Display for DevCertificateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwritable { path, kind } => write!(formatter, "{}: {kind}", path.display()),
            Self::NotMade(error) => write!(formatter, "certificate not made: {error}"),
            Self::NoDate => formatter.write_str("the clock of this host cannot be right"),
        }
    }
}

impl std::error::Error for DevCertificateError {}

/// Makes `ca.crt`, `server.crt`, `server.key`, `client.crt` and `client.key` in `folder`. The
/// authority's key is thrown away: nobody can make more certificates that these hosts believe.
///
/// # Errors
/// The folder or a file cannot be written, a file is there already, a host cannot stand in a
/// certificate, or the system gives no randomness or a date that none can name.
pub fn write(
    folder: &Path,
    wish: &CertificateRequest<'_>,
) -> Result<DevCertificates, DevCertificateError> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let (authority, issuer) = new_authority()?;
    let mut names: Vec<String> = LOCAL_NAMES.iter().map(|name| (*name).to_owned()).collect();
    names.extend(wish.hosts.iter().map(|name| (*name).to_owned()));
    let usage = ExtendedKeyUsagePurpose::ServerAuth;
    let server = new_leaf(names, "pgsieve server", usage, &issuer)?;
    let usage = ExtendedKeyUsagePurpose::ClientAuth;
    let client = new_leaf(Vec::new(), wish.client_name, usage, &issuer)?;
    let files = DevCertificates {
        authority: folder.join("ca.crt"),
        server: folder.join("server.crt"),
        server_key: folder.join("server.key"),
        client: folder.join("client.crt"),
        client_key: folder.join("client.key"),
    };
    write_file(&files.authority, &authority)?;
    write_file(&files.server, &server.certificate)?;
    write_file(&files.server_key, &server.key)?;
    write_file(&files.client, &client.certificate)?;
    write_file(&files.client_key, &client.key)?;
    Ok(files)
}

struct IssuedCertificate {
    certificate: String,
    key: String,
}

fn new_authority() -> Result<(String, Issuer<'static, KeyPair>), DevCertificateError> {
    let mut parameters = parameters(Vec::new(), "pgsieve development CA")?;
    parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let key = KeyPair::generate().map_err(DevCertificateError::NotMade)?;
    let certificate = parameters
        .self_signed(&key)
        .map_err(DevCertificateError::NotMade)?;
    Ok((certificate.pem(), Issuer::new(parameters, key)))
}

fn new_leaf(
    names: Vec<String>,
    common_name: &str,
    usage: ExtendedKeyUsagePurpose,
    issuer: &Issuer<'static, KeyPair>,
) -> Result<IssuedCertificate, DevCertificateError> {
    let mut parameters = parameters(names, common_name)?;
    parameters.is_ca = IsCa::ExplicitNoCa;
    parameters.use_authority_key_identifier_extension = true;
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    parameters.extended_key_usages = vec![usage];
    let key = KeyPair::generate().map_err(DevCertificateError::NotMade)?;
    let certificate = parameters
        .signed_by(&key, issuer)
        .map_err(DevCertificateError::NotMade)?;
    Ok(IssuedCertificate {
        certificate: certificate.pem(),
        key: key.serialize_pem(),
    })
}

fn parameters(
    names: Vec<String>,
    common_name: &str,
) -> Result<CertificateParams, DevCertificateError> {
    let mut parameters = CertificateParams::new(names).map_err(DevCertificateError::NotMade)?;
    parameters.distinguished_name = rcgen::DistinguishedName::new();
    parameters
        .distinguished_name
        .push(DnType::CommonName, common_name);
    let (year, month, day) = days_from_today(-1)?;
    parameters.not_before = date_time_ymd(year, month, day);
    let (year, month, day) = days_from_today(VALID_DAYS)?;
    parameters.not_after = date_time_ymd(year, month, day);
    Ok(parameters)
}

fn days_from_today(days: i64) -> Result<(i32, u8, u8), DevCertificateError> {
    let today = jiff::Zoned::now().date();
    let span = jiff::Span::new()
        .try_days(days)
        .map_err(|_| DevCertificateError::NoDate)?;
    let day = today
        .checked_add(span)
        .map_err(|_| DevCertificateError::NoDate)?;
    let month = u8::try_from(day.month()).map_err(|_| DevCertificateError::NoDate)?;
    let date = u8::try_from(day.day()).map_err(|_| DevCertificateError::NoDate)?;
    Ok((i32::from(day.year()), month, date))
}

fn write_file(path: &Path, text: &str) -> Result<(), DevCertificateError> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(OWNER_ONLY)
        .open(path)
        .map_err(|error| unwritable(path, &error))?;
    file.write_all(text.as_bytes())
        .map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> DevCertificateError {
    DevCertificateError::Unwritable {
        path: path.to_owned(),
        kind: error.kind(),
    }
}

/// What every server certificate answers to.
const LOCAL_NAMES: &[&str] = &["localhost", "127.0.0.1", "::1"];
/// The longest that every TLS library accepts a server certificate for is 825 days.
const VALID_DAYS: i64 = 800;
/// Keys and, for one rule, certificates too.
const OWNER_ONLY: u32 = 0o600;

#[cfg(test)]
pub(crate) mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A set in a folder of its own, which goes with it.
    pub(crate) struct TemporaryCertificates(DevCertificates);

    impl std::ops::Deref for TemporaryCertificates {
        type Target = DevCertificates;

        fn deref(&self) -> &DevCertificates {
            &self.0
        }
    }

    impl Drop for TemporaryCertificates {
        fn drop(&mut self) {
            std::fs::remove_dir_all(self.authority.parent().unwrap()).unwrap();
        }
    }

    pub(crate) fn made() -> TemporaryCertificates {
        let mut name = [0_u8; 8];
        getrandom::fill(&mut name).unwrap();
        let name = format!("pgsieve-certs-{:x}", u64::from_be_bytes(name));
        let wish = CertificateRequest {
            hosts: &["db.example.org", "10.1.2.3"],
            client_name: "eve",
        };
        TemporaryCertificates(write(&std::env::temp_dir().join(name), &wish).unwrap())
    }

    #[test]
    fn keys_are_their_owners_and_nothing_is_overwritten() {
        let made = made();
        for path in [
            &made.authority,
            &made.server,
            &made.client,
            &made.server_key,
            &made.client_key,
        ] {
            let mode = std::fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        }
        let folder = made.authority.parent().unwrap();
        let wish = CertificateRequest {
            hosts: &[],
            client_name: "eve",
        };
        let again = write(folder, &wish).unwrap_err();
        assert!(
            again.to_string().ends_with("entity already exists"),
            "{again}"
        );
    }
}
