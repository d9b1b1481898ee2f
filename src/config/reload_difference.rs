//! What of new settings can hold at once, and what only after a restart.
//!
//! A few keys say where clients come from and where their statements go to, and others mean
//! something only beside them: TLS may go because nobody else can reach the new address, a password
//! may be for another server. Where one of those has changed nothing of the new settings holds. The
//! rest of what needs a restart waits for one, each by name, and keeps nothing else from holding.

mod databases;
mod limits_store;

use std::path::PathBuf;
use std::time::Duration;

use crate::auth::settings::KeysFrom;
use crate::config::digests::SettingsDigests;
use crate::config::mcp::McpSettings;
use crate::config::{ProgramSettings, SettingsProblem};
use crate::limits;
use crate::limits::capture::CAPTURE_BYTES;
use crate::mcp::http::oauth::OAuthSettings;
use crate::telemetry::audit::{AuditSettings, OnFull};
use crate::telemetry::events::WaitingKey;
use crate::telemetry::log::LogFormat;
use crate::upstream::catalog_cache::settings::CatalogMode;
use crate::upstream::pool::PoolSettings;

/// What the process began with and keeps until it ends.
pub struct StartupSettings {
    barring: Vec<FixedSetting>,
    waiting: Vec<FixedSetting>,
    digests: SettingsDigests,
}

/// The value of one key.
struct FixedSetting {
    key: &'static str,
    value: ComparedValue,
}

/// A value that can be compared.
#[derive(PartialEq, Eq)]
enum ComparedValue {
    /// It can be shown.
    Open(String),
    /// It cannot.
    Secret(Option<blake3::Hash>),
}

impl StartupSettings {
    /// The keys that wait for a restart when they change.
    pub const WAITING: &'static [&'static str] = &[
        "metrics",
        "policy.judging",
        "io.backend",
        "workers",
        "limits.connections_max",
        "limits.memory",
        "limits.budget_file",
        "catalog.poll_interval",
        "catalog.refresh_interval",
        "catalog.age_max",
        "audit.copy",
        "audit.names",
        "audit.columns",
        "audit.queryid",
        "receipts.key_file",
        "receipts.issuer",
        "receipts.valid_for",
        "capture.file",
        "capture.bytes_max",
        "audit.text",
        "audit.text_recipients",
        "audit.on_full",
        "audit.fingerprint_key_file",
        "audit.chain_key_file",
        "log.to",
        "log.format",
        "log.level",
        "upstream.engine",
        "upstream.targets",
        "upstream.lag_max",
        "upstream.min_lsn_wait",
        "pool.mode",
        "pool.size",
        "pool.min",
        "pool.reserve",
        "pool.reserve_wait",
        "pool.max_db_connections",
        "pool.query_wait",
        "pool.server_lifetime",
        "pool.server_idle_timeout",
        "pool.max_prepared_statements",
        "peers.addresses",
        "peers.key_file",
        "limits.drain_timeout",
        "limits.wait_for_clients",
        "limits.store",
        "limits.store_password_file",
        "limits.store_ca",
        "limits.store_prefix",
        "limits.store_window",
        "limits.on_store_loss",
        "mcp.listen",
        "mcp.token_file",
        "mcp.hosts",
        "mcp.origins",
        "mcp.oauth.issuer",
        "mcp.oauth.resource",
        "mcp.oauth.audience",
        "mcp.oauth.keys",
        "mcp.oauth.keys_ca",
        "mcp.oauth.user_claim",
        "mcp.oauth.policy_claim",
        "mcp.oauth.role_claim",
        "mcp.oauth.roles",
        "mcp.oauth.scopes",
        "mcp.oauth.attributes",
        "mcp.oauth.clock_skew",
    ];

    /// With these settings.
    pub fn with(settings: &ProgramSettings) -> Self {
        Self {
            barring: barring(settings),
            waiting: waiting(settings),
            digests: settings.digests.clone(),
        }
    }

    /// The keys of new settings that wait for a restart.
    ///
    /// # Errors
    /// The keys that keep all of them from holding before that.
    pub fn compare(
        &self,
        coming: &ProgramSettings,
    ) -> Result<Vec<WaitingKey>, Vec<SettingsProblem>> {
        let problems: Vec<SettingsProblem> = self
            .others(&self.barring, barring(coming), coming)
            .map(|(old, new)| SettingsProblem {
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
        own: &'s [FixedSetting],
        coming: Vec<FixedSetting>,
        settings: &'s ProgramSettings,
    ) -> impl Iterator<Item = (&'s FixedSetting, FixedSetting)> {
        own.iter().zip(coming).filter(move |(old, new)| {
            let is_name = matches!(old.key, "listen" | "admin.listen");
            let same_words = self.digests.says_the_same(&settings.digests, old.key);
            old.value != new.value && !(is_name && same_words)
        })
    }
}

/// What others lean on, in a fixed order.
fn barring(settings: &ProgramSettings) -> Vec<FixedSetting> {
    let listen: Vec<String> = settings.listen.iter().map(ToString::to_string).collect();
    let admin = settings
        .admin
        .map_or("off".into(), |admin| admin.to_string());
    let upstream = &settings.upstream;
    let database = upstream.database.as_deref().unwrap_or_default();
    let others = settings.servers.others.iter();
    let others: String = others
        .map(|server| format!(",{}", server.endpoint))
        .collect();
    let places = format!("{}{others}/{database}", upstream.endpoint);
    let catalog = match settings.catalog.mode {
        CatalogMode::On => "on",
        CatalogMode::Off => "off",
    };
    let audit = if settings.telemetry.audit.is_off() {
        "off"
    } else {
        "on"
    };
    vec![
        FixedSetting::open("listen", listen.join(", ")),
        FixedSetting::open("admin.listen", admin),
        FixedSetting::open("upstream.url", places),
        FixedSetting::open("databases", databases::elsewhere(settings)),
        FixedSetting::open("catalog.mode", catalog),
        FixedSetting::open("audit.to", audit),
    ]
}

/// What nothing else leans on, in a fixed order.
fn waiting(settings: &ProgramSettings) -> Vec<FixedSetting> {
    let path = |path: &Option<PathBuf>| {
        let path = path.as_ref().map(|path| path.display().to_string());
        path.unwrap_or_else(|| "none".to_owned())
    };
    let on = |is_on: bool| if is_on { "on" } else { "off" };
    let milliseconds = |time: std::time::Duration| format!("{} ms", time.as_millis());
    let (catalog, audit) = (&settings.catalog, &settings.telemetry.audit);
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
    let capture = settings.telemetry.capture.as_ref();
    let bytes_captured = capture.map_or(CAPTURE_BYTES, |own| own.bytes_max);
    let receipts = settings.receipts.as_ref();
    let receipts = receipts.map_or_else(Default::default, |own| {
        (own.issuer.clone(), milliseconds(own.valid_for))
    });
    let mut waiting = vec![
        FixedSetting::open("metrics", on(settings.telemetry.metrics)),
        FixedSetting::open("policy.judging", settings.workers.judging.name().to_owned()),
        FixedSetting::open("io.backend", settings.workers.io.name().to_owned()),
        FixedSetting::open("workers", settings.workers.threads.to_string()),
        FixedSetting::open(
            "limits.connections_max",
            settings.connections_max.to_string(),
        ),
        FixedSetting::open("limits.memory", format!("{} B", settings.memory)),
        FixedSetting::open("limits.budget_file", path(&settings.budget_file)),
        FixedSetting::open("catalog.poll_interval", milliseconds(catalog.poll_interval)),
        FixedSetting::open(
            "catalog.refresh_interval",
            milliseconds(catalog.refresh_interval),
        ),
        FixedSetting::open("catalog.age_max", milliseconds(catalog.age_max)),
        FixedSetting::open("audit.copy", copy_of(audit)),
        FixedSetting::open("audit.names", on(settings.audit_names)),
        FixedSetting::open("audit.columns", on(settings.audit_columns)),
        FixedSetting::open("audit.queryid", on(settings.audit_queryid)),
        FixedSetting::open("receipts.key_file", on(settings.receipts.is_some())),
        FixedSetting::open("receipts.issuer", receipts.0),
        FixedSetting::open("receipts.valid_for", receipts.1),
        FixedSetting::open("capture.file", path(&capture.map(|own| own.file.clone()))),
        FixedSetting::open("capture.bytes_max", format!("{bytes_captured} B")),
        FixedSetting::open("audit.text", text),
        FixedSetting::open("audit.text_recipients", recipients.join(", ")),
        FixedSetting::open("audit.on_full", on_full(audit)),
        FixedSetting::secret("audit.fingerprint_key_file", fingerprints.as_ref()),
        FixedSetting::secret(
            "audit.chain_key_file",
            audit.chain_key.as_ref().map(|key| &key.0),
        ),
        FixedSetting::open("log.to", settings.log.to.to_string()),
        FixedSetting::open("log.format", format),
        FixedSetting::open("log.level", settings.log.level.name()),
    ];
    waiting.extend(of_servers(settings));
    waiting.extend(of_pool(settings));
    waiting.extend(of_peers(settings));
    waiting.extend(limits_store::fixed(settings));
    waiting.extend(of_agents(settings));
    waiting
}

/// The name of the copy in the audit's lines.
fn copy_of(audit: &AuditSettings) -> String {
    let copy = audit.copy.as_ref().map(ToString::to_string);
    copy.unwrap_or_else(|| "the host's name".to_owned())
}

fn on_full(audit: &AuditSettings) -> &'static str {
    match audit.on_full {
        OnFull::Block => "block",
        OnFull::Drop => "drop",
    }
}

/// Which of several servers serve.
fn of_servers(settings: &ProgramSettings) -> Vec<FixedSetting> {
    let servers = &settings.servers;
    let in_ms = |time: Duration| format!("{} ms", time.as_millis());
    vec![
        FixedSetting::open("upstream.engine", servers.engine.name()),
        FixedSetting::open("upstream.targets", servers.targets.name()),
        FixedSetting::open("upstream.lag_max", in_ms(servers.lag_max)),
        FixedSetting::open("upstream.min_lsn_wait", in_ms(servers.min_lsn_wait)),
    ]
}

/// The connections that sessions share; without any, the other keys count for nothing.
fn of_pool(settings: &ProgramSettings) -> Vec<FixedSetting> {
    let own = settings.shared_pool();
    let own = own.as_ref().map(|(own, _)| own);
    let text = |of: &dyn Fn(&PoolSettings) -> String| own.map(of).unwrap_or_default();
    let time = |time: std::time::Duration| format!("{} ms", time.as_millis());
    vec![
        FixedSetting::open("pool.mode", settings.pool.mode.name()),
        FixedSetting::open("pool.size", text(&|own| own.size.to_string())),
        FixedSetting::open("pool.min", text(&|own| own.min.to_string())),
        FixedSetting::open("pool.reserve", text(&|own| own.reserve.to_string())),
        FixedSetting::open("pool.reserve_wait", text(&|own| time(own.reserve_wait))),
        FixedSetting::open(
            "pool.max_db_connections",
            text(&|own| own.database_max.as_number().to_string()),
        ),
        FixedSetting::open("pool.query_wait", text(&|own| time(own.query_wait))),
        FixedSetting::open(
            "pool.server_lifetime",
            text(&|own| time(own.server_lifetime)),
        ),
        FixedSetting::open(
            "pool.server_idle_timeout",
            text(&|own| time(own.server_idle_timeout)),
        ),
        FixedSetting::open(
            "pool.max_prepared_statements",
            text(&|own| own.max_prepared_statements.to_string()),
        ),
    ]
}

/// Other copies behind the same address.
fn of_peers(settings: &ProgramSettings) -> [FixedSetting; 2] {
    let own = settings.peers.as_ref();
    let places = own.map(|own| own.places.iter().map(|place| place.endpoint.to_string()));
    let places: Vec<String> = places.into_iter().flatten().collect();
    [
        FixedSetting::open("peers.addresses", places.join(", ")),
        FixedSetting::secret("peers.key_file", own.map(|own| &own.key.0)),
    ]
}

/// How agents are served that have no driver.
fn of_agents(settings: &ProgramSettings) -> Vec<FixedSetting> {
    let own = settings.mcp.as_ref();
    let text = |of: &dyn Fn(&McpSettings) -> String| own.map(of).unwrap_or_default();
    let token_path = |own: &McpSettings| match &own.tokens {
        Some((_, path)) => path.display().to_string(),
        None => String::new(),
    };
    let mut waiting = vec![
        FixedSetting::open("mcp.listen", text(&|own| own.listen.to_string())),
        FixedSetting::open("mcp.token_file", text(&token_path)),
        FixedSetting::open("mcp.hosts", text(&|own| own.names.hosts.join(", "))),
        FixedSetting::open("mcp.origins", text(&|own| own.names.origins.join(", "))),
    ];
    waiting.extend(of_issuer(own.and_then(|own| own.oauth.as_ref())));
    waiting
}

/// Which tokens of an issuer let agents in.
fn of_issuer(own: Option<&OAuthSettings>) -> [FixedSetting; 12] {
    let text = |of: &dyn Fn(&OAuthSettings) -> String| own.map(of).unwrap_or_default();
    let optional = |of: &Option<String>| of.clone().unwrap_or_default();
    let keys = |own: &OAuthSettings| match (&own.keys, &own.keys_file) {
        (KeysFrom::Url { url, .. }, _) => url.text(),
        (KeysFrom::File(_), Some(path)) => path.display().to_string(),
        (KeysFrom::File(_), None) => String::new(),
    };
    let authority = |own: &OAuthSettings| match &own.keys {
        KeysFrom::Url {
            authority: Some(path),
            ..
        } => path.display().to_string(),
        _ => String::new(),
    };
    [
        FixedSetting::open("mcp.oauth.issuer", text(&|own| own.expected.issuer.clone())),
        FixedSetting::open(
            "mcp.oauth.resource",
            text(&|own| own.resource.text().to_owned()),
        ),
        FixedSetting::open(
            "mcp.oauth.audience",
            text(&|own| own.expected.audience.clone()),
        ),
        FixedSetting::open("mcp.oauth.keys", text(&keys)),
        FixedSetting::open("mcp.oauth.keys_ca", text(&authority)),
        FixedSetting::open(
            "mcp.oauth.user_claim",
            text(&|own| own.expected.user_claim.clone()),
        ),
        FixedSetting::open(
            "mcp.oauth.policy_claim",
            text(&|own| optional(&own.policy_claim)),
        ),
        FixedSetting::open(
            "mcp.oauth.role_claim",
            text(&|own| optional(&own.role_claim)),
        ),
        FixedSetting::open("mcp.oauth.roles", text(&|own| own.roles.join(", "))),
        FixedSetting::open("mcp.oauth.scopes", text(&|own| own.scopes.join(", "))),
        FixedSetting::open(
            "mcp.oauth.attributes",
            text(&|own| format!("{:?}", own.expected.attributes)),
        ),
        FixedSetting::open(
            "mcp.oauth.clock_skew",
            text(&|own| format!("{}s", own.expected.clock_skew)),
        ),
    ]
}

impl FixedSetting {
    fn open(key: &'static str, value: impl Into<String>) -> Self {
        let value = ComparedValue::Open(value.into());
        Self { key, value }
    }

    fn secret(key: &'static str, value: Option<&[u8; 32]>) -> Self {
        let value = ComparedValue::Secret(value.map(|bytes| blake3::hash(bytes)));
        Self { key, value }
    }
}

fn change(old: &ComparedValue, new: &ComparedValue) -> String {
    let shown = |text: &str| -> String { text.chars().take(limits::SHOWN_VALUE_MAX).collect() };
    match (old, new) {
        (ComparedValue::Open(old), ComparedValue::Open(new)) => {
            format!("the change from {} to {}", shown(old), shown(new))
        }
        (ComparedValue::Secret(_), _) | (_, ComparedValue::Secret(_)) => "its change".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load;
    use crate::config::settings_key::SettingsKey;
    use crate::config::sources::{SettingsFile, SettingsSources};

    fn settings(text: &str) -> ProgramSettings {
        let text = format!("upstream: {{url: 'postgres://h/d'}}\n{text}");
        let name = "x.yaml".into();
        let file = Some(SettingsFile { name, text });
        let sources = SettingsSources {
            file,
            ..SettingsSources::default()
        };
        load(&sources).unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    #[test]
    fn every_key_that_waits_is_one_and_is_compared() {
        let held = settings("");
        let compared: Vec<&str> = waiting(&held).iter().map(|one| one.key).collect();
        assert_eq!(compared, StartupSettings::WAITING);
        for one in waiting(&held).iter().chain(&barring(&held)) {
            assert!(SettingsKey::at(one.key).is_some(), "{}", one.key);
        }
    }

    /// A key that is not among them would be told to hold without doing so.
    #[test]
    fn every_key_holds_at_once_or_bars_or_waits() {
        let live = [
            "admin.token_file",
            "admin.hosts",
            "strict_files",
            "upstream.password_file",
            "upstream.tls.",
            "client.",
            "console.",
            "policy.file",
            "policy.tests",
            "policy.mask_key_file",
            "catalog.user",
            "catalog.password_file",
            "audit.rotate_",
            "audit.protocol",
            "audit.headers_file",
            "audit.service_name",
            "traces.",
            // The next `pgsieve choose` reads it; agents have what it was at the start.
            "choose.",
        ];
        let held = settings("");
        let barring: Vec<&str> = barring(&held).iter().map(|one| one.key).collect();
        for key in crate::config::keys::KEYS {
            let is_live = live.iter().any(|one| key.path.starts_with(one));
            let is_known = is_live || barring.contains(&key.path);
            let waits = StartupSettings::WAITING.contains(&key.path);
            assert!(is_known != waits, "{}", key.path);
        }
    }

    #[test]
    fn what_is_written_in_other_words_and_means_the_same_is_no_change() {
        let began = StartupSettings::with(&settings("listen: ['127.0.0.1:6432']\n"));
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
