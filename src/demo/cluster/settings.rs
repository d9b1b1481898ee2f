//! What a private server reads at its start: settings, access rules and keys.

use std::fs;
use std::path::PathBuf;

use super::directory::ClusterDirectory;
use super::error::ClusterError;

/// What the caller asked for.
#[derive(Debug, Default)]
pub struct ClusterSettings {
    /// How passwords are asked for.
    pub auth: PasswordMethod,
    /// Lines for `postgresql.conf`.
    pub conf: Vec<String>,
    /// Lines in front of `pg_hba.conf`.
    pub hba: Vec<String>,
    /// Keys and certificates, where the server shall speak TLS.
    pub tls: Option<TlsFiles>,
    /// What is kept of its data, as it is before its first start.
    pub kept: KeptCopy,
}

/// What is kept of a private server's data, as it is before its first start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeptCopy {
    /// Nothing.
    #[default]
    None,
    /// What a standby is made of.
    ForStandby,
    /// What other servers begin with.
    ForOthers,
}

/// How a private server asks for passwords, on TCP and on the socket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PasswordMethod {
    /// It asks for none.
    #[default]
    Trust,
    /// SCRAM-SHA-256.
    Scram,
    /// MD5, with passwords stored that way.
    Md5,
    /// In clear text.
    Cleartext,
}

/// PEM files for a server that speaks TLS.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// Certificate chain of the server.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// Authority of client certificates, where they are asked for.
    pub client_authority: Option<PathBuf>,
}

impl PasswordMethod {
    /// The word for it in `pg_hba.conf`.
    fn word(self) -> &'static str {
        match self {
            Self::Trust => "trust",
            Self::Scram => "scram-sha-256",
            Self::Md5 => "md5",
            Self::Cleartext => "password",
        }
    }
}

/// Writes what the supervisor needs to make the data directory.
///
/// # Errors
/// A file cannot be written.
pub fn write(
    directory: &ClusterDirectory,
    settings: &ClusterSettings,
    password: &str,
) -> Result<(), ClusterError> {
    let conf = conf_text(directory, settings)?;
    let hba = format!("{}\n", settings.hba.join("\n"));
    let files = [
        ("password", password),
        ("auth", settings.auth.word()),
        ("conf", &conf),
        ("hba", &hba),
    ];
    let kept = match settings.kept {
        KeptCopy::None => None,
        KeptCopy::ForStandby => Some(("keep-copy", "")),
        KeptCopy::ForOthers => Some(("keep-whole", "")),
    };
    for (name, content) in files.into_iter().chain(kept) {
        directory.write_private(&directory.path().join(name), content.as_bytes())?;
    }
    Ok(())
}

/// Has the supervisor copy what another server began with, in place of making it.
///
/// # Errors
/// A file cannot be written.
pub fn write_like(
    directory: &ClusterDirectory,
    other: &ClusterDirectory,
) -> Result<(), ClusterError> {
    let copy = format!("{}\n", other.whole_copy().display());
    directory.write_private(&directory.path().join("like"), copy.as_bytes())
}

/// Writes what the supervisor needs to make a standby of the kept copy of a server's data.
///
/// # Errors
/// A file cannot be written.
pub fn write_standby(
    directory: &ClusterDirectory,
    primary: &ClusterDirectory,
    (port, password): (u16, &str),
) -> Result<(), ClusterError> {
    let origin = format!("{}\n", primary.copy().display());
    // Random passwords need no quoting.
    let conf = format!(
        "\n# its primary\nprimary_conninfo = \
         'host=127.0.0.1 port={port} user={ADMIN} password={password}'\n\
         wal_retrieve_retry_interval = 100ms\n"
    );
    for (name, content) in [("origin", &origin), ("conf", &conf)] {
        directory.write_private(&directory.path().join(name), content.as_bytes())?;
    }
    Ok(())
}

fn conf_text(
    directory: &ClusterDirectory,
    settings: &ClusterSettings,
) -> Result<String, ClusterError> {
    let mut text = String::from(FAST);
    if settings.kept == KeptCopy::ForStandby {
        text.push_str(KEPT);
    }
    if settings.auth == PasswordMethod::Md5 {
        text.push_str("password_encryption = md5\n");
    }
    if let Some(files) = &settings.tls {
        text.push_str("ssl = on\n");
        let wanted = [
            ("ssl_cert_file", Some(&files.certificate)),
            ("ssl_key_file", Some(&files.key)),
            ("ssl_ca_file", files.client_authority.as_ref()),
        ];
        for (setting, path) in wanted {
            let Some(path) = path else { continue };
            let content = fs::read(path).map_err(|source| ClusterError::File {
                doing: "read a TLS file",
                source,
            })?;
            let copy = directory.path().join(setting);
            directory.write_private(&copy, &content)?;
            text.push_str(&format!("{setting} = '{}'\n", copy.display()));
        }
    }
    for line in &settings.conf {
        text.push_str(line);
        text.push('\n');
    }
    Ok(text)
}

/// The superuser, as the supervisor makes it.
pub const ADMIN: &str = "postgres";

/// The data is thrown away at the end, so nothing waits for a disk; and it is little, so that plans
/// are not worth compiling.
const FAST: &str = "\n# a private cluster of pgsieve\n\
    fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n\
    max_connections = 200\nshared_buffers = 64MB\njit = off\n";

/// A standby that begins late, or comes back, finds all that was written meanwhile.
const KEPT: &str = "wal_keep_size = 512MB\n";
