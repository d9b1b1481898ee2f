//! What of new settings can hold at once, and what only after a restart.
//!
//! A few keys say where clients come from and where their statements go to, and others mean
//! something only beside them: TLS may go because nobody else can reach the new address, a password
//! may be for another server. Where one of those has changed nothing of the new settings holds. The
//! rest of what needs a restart waits for one, each by name, and keeps nothing else from holding.

use std::path::PathBuf;

use crate::config::digests::Marks;
use crate::config::{Problem, Settings};
use crate::limits;
use crate::telemetry::audit::OnFull;
use crate::telemetry::events::WaitingKey;
use crate::telemetry::log::LogFormat;
use crate::upstream::catalog_cache::settings::Mode;

/// What the process began with and keeps until it ends.
pub struct Began {
    barring: Vec<Fixed>,
    waiting: Vec<Fixed>,
    marks: Marks,
}

/// The value of one key.
struct Fixed {
    key: &'static str,
    value: Value,
}

/// A value that can be compared.
#[derive(PartialEq, Eq)]
enum Value {
    /// It can be shown.
    Open(String),
    /// It cannot.
    Secret(Option<blake3::Hash>),
}

impl Began {
    /// The keys that wait for a restart when they change.
    pub const WAITING: &'static [&'static str] = &[
        "metrics",
        "workers",
        "limits.connections_max",
        "limits.memory",
        "limits.drain_timeout",
        "limits.budget_file",
        "catalog.poll_interval",
        "catalog.refresh_interval",
        "catalog.age_max",
        "audit.names",
        "audit.columns",
        "audit.queryid",
        "audit.text",
        "audit.text_recipients",
        "audit.on_full",
        "audit.fingerprint_key_file",
        "audit.chain_key_file",
        "log.to",
        "log.format",
        "log.level",
    ];

    /// With these settings.
    pub fn with(settings: &Settings) -> Self {
        Self {
            barring: barring(settings),
            waiting: waiting(settings),
            marks: settings.marks.clone(),
        }
    }

    /// The keys of new settings that wait for a restart.
    ///
    /// # Errors
    /// The keys that keep all of them from holding before that.
    pub fn compare(&self, coming: &Settings) -> Result<Vec<WaitingKey>, Vec<Problem>> {
        let problems: Vec<Problem> = self
            .others(&self.barring, barring(coming), coming)
            .map(|(old, new)| Problem {
                place: old.key.into(),
                what: format!(
                    "{} needs a restart: the new settings may be sound only with it, so none of \
                     them is taken before",
                    change(&old.value, &new.value)
                ),
            })
            .collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        let waiting = self.others(&self.waiting, waiting(coming), coming);
        let waiting = waiting.map(|(old, new)| WaitingKey {
            key: old.key,
            change: change(&old.value, &new.value),
        });
        Ok(waiting.collect())
    }

    /// What is written otherwise, and means something else. A name of a host that is written as
    /// before may stand for other addresses by now: that is no change of the settings.
    fn others<'s>(
        &'s self,
        own: &'s [Fixed],
        coming: Vec<Fixed>,
        settings: &'s Settings,
    ) -> impl Iterator<Item = (&'s Fixed, Fixed)> {
        own.iter().zip(coming).filter(move |(old, new)| {
            let is_name = matches!(old.key, "listen" | "admin.listen");
            let same_words = self.marks.says_the_same(&settings.marks, old.key);
            old.value != new.value && !(is_name && same_words)
        })
    }
}

/// What others lean on, in a fixed order.
fn barring(settings: &Settings) -> Vec<Fixed> {
    let listen: Vec<String> = settings.listen.iter().map(ToString::to_string).collect();
    let admin = settings
        .admin
        .map_or("off".into(), |admin| admin.to_string());
    let upstream = &settings.upstream;
    let database = upstream.database.as_deref().unwrap_or_default();
    let catalog = match settings.catalog.mode {
        Mode::On => "on",
        Mode::Off => "off",
    };
    let audit = if settings.telemetry.audit.is_off() {
        "off"
    } else {
        "on"
    };
    vec![
        Fixed::open("listen", listen.join(", ")),
        Fixed::open("admin.listen", admin),
        Fixed::open("upstream.url", format!("{}/{database}", upstream.endpoint)),
        Fixed::open("catalog.mode", catalog),
        Fixed::open("audit.to", audit),
    ]
}

/// What nothing else leans on, in a fixed order.
fn waiting(settings: &Settings) -> Vec<Fixed> {
    let path = |path: &Option<PathBuf>| {
        let path = path.as_ref().map(|path| path.display().to_string());
        path.unwrap_or_else(|| "none".to_owned())
    };
    let on = |is_on: bool| if is_on { "on" } else { "off" };
    let milliseconds = |time: std::time::Duration| format!("{} ms", time.as_millis());
    let (catalog, audit) = (&settings.catalog, &settings.telemetry.audit);
    let on_full = match audit.on_full {
        OnFull::Block => "block",
        OnFull::Drop => "drop",
    };
    let format = match settings.log.format {
        LogFormat::Text => "text",
        LogFormat::Json => "json",
    };
    let recipients = audit.text_recipients.iter().map(ToString::to_string);
    let recipients: Vec<String> = recipients.collect();
    let text = if recipients.is_empty() {
        "off"
    } else {
        "encrypted"
    };
    let fingerprints = settings.fingerprint_key.map(|key| key.0);
    vec![
        Fixed::open("metrics", on(settings.telemetry.metrics)),
        Fixed::open("workers", settings.workers.to_string()),
        Fixed::open(
            "limits.connections_max",
            settings.connections_max.to_string(),
        ),
        Fixed::open("limits.memory", format!("{} B", settings.memory)),
        Fixed::open("limits.drain_timeout", milliseconds(settings.drain_timeout)),
        Fixed::open("limits.budget_file", path(&settings.budget_file)),
        Fixed::open("catalog.poll_interval", milliseconds(catalog.poll_interval)),
        Fixed::open(
            "catalog.refresh_interval",
            milliseconds(catalog.refresh_interval),
        ),
        Fixed::open("catalog.age_max", milliseconds(catalog.age_max)),
        Fixed::open("audit.names", on(settings.audit_names)),
        Fixed::open("audit.columns", on(settings.audit_columns)),
        Fixed::open("audit.queryid", on(settings.audit_queryid)),
        Fixed::open("audit.text", text),
        Fixed::open("audit.text_recipients", recipients.join(", ")),
        Fixed::open("audit.on_full", on_full),
        Fixed::secret("audit.fingerprint_key_file", fingerprints.as_ref()),
        Fixed::secret(
            "audit.chain_key_file",
            audit.chain_key.as_ref().map(|key| &key.0),
        ),
        Fixed::open("log.to", settings.log.to.to_string()),
        Fixed::open("log.format", format),
        Fixed::open("log.level", settings.log.level.name()),
    ]
}

impl Fixed {
    fn open(key: &'static str, value: impl Into<String>) -> Self {
        let value = Value::Open(value.into());
        Self { key, value }
    }

    fn secret(key: &'static str, value: Option<&[u8; 32]>) -> Self {
        let value = Value::Secret(value.map(|bytes| blake3::hash(bytes)));
        Self { key, value }
    }
}

fn change(old: &Value, new: &Value) -> String {
    let shown = |text: &str| -> String { text.chars().take(limits::SHOWN_VALUE_MAX).collect() };
    match (old, new) {
        (Value::Open(old), Value::Open(new)) => {
            format!("the change from {} to {}", shown(old), shown(new))
        }
        (Value::Secret(_), _) | (_, Value::Secret(_)) => "its change".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys::Key;
    use crate::config::load;
    use crate::config::sources::{FileText, Sources};

    fn settings(text: &str) -> Settings {
        let text = format!("upstream: {{url: 'postgres://h/d'}}\n{text}");
        let name = "x.yaml".into();
        let file = Some(FileText { name, text });
        let sources = Sources {
            file,
            ..Sources::default()
        };
        load(&sources).unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    #[test]
    fn every_key_that_waits_is_one_and_is_compared() {
        let held = settings("");
        let compared: Vec<&str> = waiting(&held).iter().map(|one| one.key).collect();
        assert_eq!(compared, Began::WAITING);
        for one in waiting(&held).iter().chain(&barring(&held)) {
            assert!(Key::at(one.key).is_some(), "{}", one.key);
        }
    }

    /// A key that is not among them would be told to hold without doing so.
    #[test]
    fn every_key_holds_at_once_or_bars_or_waits() {
        let live = [
            "admin.token_file",
            "admin.hosts",
            "strict_files",
            "upstream.",
            "client.",
            "policy.",
            "catalog.user",
            "catalog.password_file",
            "audit.rotate_",
            "traces.",
        ];
        let held = settings("");
        let barring: Vec<&str> = barring(&held).iter().map(|one| one.key).collect();
        for key in crate::config::keys::KEYS {
            let is_live = live.iter().any(|one| key.path.starts_with(one));
            let is_known = is_live || barring.contains(&key.path);
            let waits = Began::WAITING.contains(&key.path);
            assert!(is_known != waits, "{}", key.path);
        }
    }

    #[test]
    fn what_is_written_in_other_words_and_means_the_same_is_no_change() {
        let began = Began::with(&settings("listen: ['127.0.0.1:6432']\n"));
        let same = settings("limits: {memory: 512MB}\nmetrics: on\naudit: {to: off}\n");
        assert_eq!(began.compare(&same), Ok(Vec::new()));
        let other = settings("limits: {memory: 1GB}\ncatalog: {age_max: 20s}\n");
        let waiting = began.compare(&other).unwrap();
        let told: Vec<_> = waiting.iter().map(|one| (one.key, &*one.change)).collect();
        let wanted = [
            (
                "limits.memory",
                "the change from 536870912 B to 1073741824 B",
            ),
            ("catalog.age_max", "the change from 10000 ms to 20000 ms"),
        ];
        assert_eq!(told, wanted);
        for (text, key) in [
            ("listen: ['127.0.0.1:6433']\n", "listen"),
            ("admin: {listen: off}\n", "admin.listen"),
            ("catalog: {mode: off}\n", "catalog.mode"),
            ("audit: {to: /x}\n", "audit.to"),
        ] {
            let problems = began.compare(&settings(text)).unwrap_err();
            let places: Vec<&str> = problems.iter().map(|one| &*one.place).collect();
            assert_eq!(places, [key]);
        }
    }
}
