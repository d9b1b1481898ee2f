//! The settings of the audit: where it goes, how its file is rotated, what happens when it cannot
//! be written, and the key of its chain.

use std::fmt;
use std::path::{Path, PathBuf};

use super::collector::target::CollectorTarget;
use super::copy_name::CopyName;
use super::text::TextRecipient;
use crate::limits::AUDIT_FILES_KEPT;

/// The audit's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditSettings {
    /// Where lines go: every line to each of them. Nowhere means that there is no audit. At most
    /// one is a file, which the chain is taken up from, and at most one standard output.
    pub targets: Vec<AuditTarget>,
    /// The name of this copy, which every line has; none: the name of the host.
    pub copy: Option<CopyName>,
    /// A file of this size is put aside and a new one begun; never if none.
    pub rotate_bytes: Option<u64>,
    /// How many files that were put aside are kept.
    pub rotate_keep: usize,
    /// What becomes of lines of permitted statements that there is no room for.
    pub on_full: OnFull,
    /// The key of the chain that runs through the lines; without it anybody can make a chain.
    pub chain_key: Option<ChainKey>,
    /// Whom the texts of statements are encrypted to; none, and no text is recorded.
    pub text_recipients: Vec<TextRecipient>,
}

/// Where audit lines go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditTarget {
    /// Standard output.
    Stdout,
    /// A file that only its owner may read; lines are appended.
    File(PathBuf),
    /// A syslog receiver, in RFC 5424.
    Syslog(SyslogAddress),
    /// A collector of OpenTelemetry, as log records.
    Collector(Box<CollectorTarget>),
}

/// Where a syslog receiver is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyslogAddress {
    /// A Unix datagram socket on this host.
    Socket(PathBuf),
    /// A UDP port: one datagram a line (RFC 5426).
    Udp(String),
    /// A TCP port: lines with their length in front (RFC 6587, octet counting).
    Tcp(String),
}

/// What becomes of lines of permitted statements that there is no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFull {
    /// Sessions wait.
    Block,
    /// They are dropped and counted.
    Drop,
}

/// The key of the chain; never shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ChainKey(pub [u8; 32]);

impl AuditSettings {
    /// Whether there is no audit.
    pub fn is_off(&self) -> bool {
        self.targets.is_empty()
    }

    /// The file that lines go to, if one is among the targets.
    pub fn file(&self) -> Option<&Path> {
        self.targets.iter().find_map(|target| match target {
            AuditTarget::File(path) => Some(path.as_path()),
            AuditTarget::Stdout | AuditTarget::Syslog(_) | AuditTarget::Collector(_) => None,
        })
    }

    /// What is wrong with the targets as a whole.
    pub fn problem(targets: &[AuditTarget]) -> Option<&'static str> {
        let count =
            |like: fn(&AuditTarget) -> bool| targets.iter().filter(|target| like(target)).count();
        if count(|target| matches!(target, AuditTarget::File(_))) > 1 {
            return Some("one file at most: the chain of lines is taken up from it");
        }
        if count(|target| matches!(target, AuditTarget::Stdout)) > 1 {
            return Some("standard output can be named once");
        }
        let url = |target: &AuditTarget| match target {
            AuditTarget::Collector(target) => Some(target.collector.url().to_owned()),
            AuditTarget::Stdout | AuditTarget::File(_) | AuditTarget::Syslog(_) => None,
        };
        let mut urls: Vec<String> = targets.iter().filter_map(url).collect();
        let count = urls.len();
        urls.sort();
        urls.dedup();
        if urls.len() < count {
            return Some("a collector can be named once: it would have each line twice");
        }
        None
    }
}

impl Default for AuditSettings {
    /// There is no audit.
    fn default() -> Self {
        Self {
            targets: Vec::new(),
            copy: None,
            rotate_bytes: None,
            rotate_keep: AUDIT_FILES_KEPT,
            on_full: OnFull::Drop,
            chain_key: None,
            text_recipients: Vec::new(),
        }
    }
}

impl AuditTarget {
    /// Whether a text is the address of a collector, which [`Self::parse`] does not read: more of
    /// the settings is about it.
    pub fn is_collector(text: &str) -> bool {
        text.starts_with("http://") || text.starts_with("https://")
    }

    /// Reads a target as it is written.
    ///
    /// # Errors
    /// What is wanted instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        let place = |text: &str| {
            let sound = text
                .rsplit_once(':')
                .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
            sound.then(|| text.to_owned()).ok_or_else(|| {
                String::from("host:port is wanted behind syslog+udp:// or syslog+tcp://")
            })
        };
        Ok(match text {
            "-" => Self::Stdout,
            "syslog" => Self::Syslog(SyslogAddress::Socket(SYSLOG_SOCKET.into())),
            text => {
                if let Some(path) = text.strip_prefix("syslog://") {
                    if !path.starts_with('/') {
                        return Err("syslog:///path is wanted, or syslog".into());
                    }
                    Self::Syslog(SyslogAddress::Socket(path.into()))
                } else if let Some(address) = text.strip_prefix("syslog+udp://") {
                    Self::Syslog(SyslogAddress::Udp(place(address)?))
                } else if let Some(address) = text.strip_prefix("syslog+tcp://") {
                    Self::Syslog(SyslogAddress::Tcp(place(address)?))
                } else if text.contains("://") {
                    return Err(
                        "a file, -, syslog, syslog:///path, syslog+udp://host:port, \
                         syslog+tcp://host:port, or http://host:port or https://host:port of an \
                         OpenTelemetry collector is wanted"
                            .into(),
                    );
                } else {
                    Self::File(text.into())
                }
            }
        })
    }
}

impl fmt::Display for AuditTarget {
    /// As it is written.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => formatter.write_str("-"),
            Self::File(path) => path.display().fmt(formatter),
            Self::Syslog(SyslogAddress::Socket(path)) => {
                write!(formatter, "syslog://{}", path.display())
            }
            Self::Syslog(place) => place.fmt(formatter),
            Self::Collector(target) => formatter.write_str(target.collector.url()),
        }
    }
}

impl fmt::Display for SyslogAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => path.display().fmt(formatter),
            Self::Udp(address) => write!(formatter, "syslog+udp://{address}"),
            Self::Tcp(address) => write!(formatter, "syslog+tcp://{address}"),
        }
    }
}

impl fmt::Debug for ChainKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ChainKey(…)")
    }
}

/// Where programs of this host reach the syslog daemon.
const SYSLOG_SOCKET: &str = "/dev/log";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_or_refused_and_never_taken_for_a_file_by_mistake() {
        let target = |text| AuditTarget::parse(text).ok();
        assert_eq!(target("-"), Some(AuditTarget::Stdout));
        assert_eq!(target("a/b"), Some(AuditTarget::File("a/b".into())));
        for (text, place) in [
            ("syslog", SyslogAddress::Socket("/dev/log".into())),
            ("syslog:///run/x", SyslogAddress::Socket("/run/x".into())),
            ("syslog+udp://h:514", SyslogAddress::Udp("h:514".into())),
            (
                "syslog+tcp://[::1]:6514",
                SyslogAddress::Tcp("[::1]:6514".into()),
            ),
        ] {
            assert_eq!(target(text), Some(AuditTarget::Syslog(place)), "{text}");
        }
        for wrong in [
            "syslog://host",
            "syslog+tcp://host",
            "syslog+udp://:514",
            "syslog+tcp://h:99999",
            "syslog+tls://h:1",
            "http://h/",
        ] {
            assert_eq!(target(wrong), None, "{wrong}");
        }
    }
}
