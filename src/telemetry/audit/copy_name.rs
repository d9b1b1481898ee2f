//! The name of one copy of pgsieve among those that serve the same database, field `copy` of its
//! audit's lines: `audit.copy`, or the name of the host, which in Kubernetes is that of the pod.
//!
//! A name is one line of visible letters, of bounded length; it is escaped where it is written.

use std::fmt;
use std::fs;

use crate::limits::AUDIT_NAME_CHARS_MAX;
use crate::telemetry::json_text::push_string;
use crate::telemetry::session_info::cleaned;

/// The name of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyName(Box<str>);

impl CopyName {
    /// Reads a name as it is written.
    ///
    /// # Errors
    /// What is wanted instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() || cleaned(text) != text {
            return Err(format!(
                "a name of 1 to {AUDIT_NAME_CHARS_MAX} visible characters is wanted, another one \
                 for each copy"
            ));
        }
        Ok(Self(text.into()))
    }

    /// The name of this host.
    pub fn of_host() -> Self {
        Self(cleaned(&host_name()).into())
    }

    /// The field as it stands in a line, with its comma in front.
    pub(super) fn field(&self) -> Box<str> {
        let mut field = String::from(",\"copy\":");
        push_string(&mut field, &self.0);
        field.into()
    }
}

impl fmt::Display for CopyName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The name of this host, in letters that a syslog header may have.
pub(super) fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| fs::read_to_string("/etc/hostname"))
        .unwrap_or_default();
    let plain: String = name
        .trim()
        .chars()
        .filter(char::is_ascii_graphic)
        .take(HOST_NAME_LETTERS_MAX)
        .collect();
    if plain.is_empty() { "-".into() } else { plain }
}

/// RFC 5424, 6: HOSTNAME.
const HOST_NAME_LETTERS_MAX: usize = 255;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_visible_bounded_and_escaped() {
        let longest = "ü".repeat(AUDIT_NAME_CHARS_MAX);
        for name in ["pgsieve-0", "a", "rack 7/b", "say \"x\\y\"", &longest] {
            let copy = CopyName::parse(name).unwrap();
            assert_eq!(copy.to_string(), name);
            let line = format!("{{\"v\":2{}}}", copy.field());
            let value: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(value["copy"], name);
        }
        let long = "a".repeat(AUDIT_NAME_CHARS_MAX + 1);
        for wrong in ["", " ", "a\nb", "a\u{0}", "a\u{202e}b", "\u{1b}[2J", &long] {
            let problem = CopyName::parse(wrong).unwrap_err();
            assert!(problem.contains("1 to 64 visible characters"), "{problem}");
        }
        assert!(CopyName::parse(&CopyName::of_host().to_string()).is_ok());
    }
}
