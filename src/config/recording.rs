//! The settings of what is recorded: metrics, audit, capture, traces, the live page.

use std::path::Path;

use crate::config::FingerprintKey;
use crate::config::capture::capture;
use crate::config::quantities::size;
use crate::config::value_reader::{KeyReader, PlacedWord, ReadValue};
use crate::hex;
use crate::limits::{
    AUDIT_FILES_KEPT, AUDIT_ROTATE_BYTES_BOUND, AUDIT_TARGETS_MAX, AUDIT_TEXT_RECIPIENTS_MAX,
    TOKEN_BYTES_MAX, TOKEN_BYTES_MIN,
};
use crate::policy::units::BareBytes;
use crate::secret::Secret;
use crate::telemetry::TelemetrySettings;
use crate::telemetry::audit::collector::target::CollectorTarget;
use crate::telemetry::audit::copy_name::CopyName;
use crate::telemetry::audit::text::TextRecipient;
use crate::telemetry::audit::{AuditSettings, AuditTarget, ChainKey, OnFull, SyslogAddress};
use crate::telemetry::collector::settings::{
    CollectorProtocol, CollectorReach, CollectorSettings, CollectorSignal, headers,
};
use crate::telemetry::log::{LogFormat, LogLevel, LogSettings, LogTarget};
use crate::telemetry::traces::TraceSettings;
use crate::telemetry::traces::settings::DatabaseAddress;
use crate::upstream::address::{Endpoint, UpstreamSettings};

/// The settings of telemetry; `page` says whether there is an admin address for the live page,
/// `upstream` what spans are about.
pub fn telemetry(
    reader: &mut KeyReader,
    page: bool,
    upstream: Option<&UpstreamSettings>,
) -> Option<TelemetrySettings> {
    let metrics = reader
        .choice("metrics", &[("on", true), ("off", false)])
        .or(true);
    let audit = audit(reader);
    let capture = capture(reader);
    let traces = traces(reader, upstream);
    Some(TelemetrySettings {
        metrics: metrics?,
        audit: audit?,
        capture: capture?,
        traces: traces?,
        recent: page,
    })
}

/// `log.…`.
pub fn log(reader: &mut KeyReader) -> Option<LogSettings> {
    let formats = [("text", LogFormat::Text), ("json", LogFormat::Json)];
    let format = reader.choice("log.format", &formats).or(LogFormat::Text);
    let levels = [("info", LogLevel::Info), ("warn", LogLevel::Warn)];
    let level = reader.choice("log.level", &levels).or(LogLevel::Info);
    let to = reader.parsed("log.to", LogTarget::Stderr, |text| {
        let wanted = "stderr, a file, syslog, syslog:///path or syslog+udp://host:port is wanted";
        match text {
            "stderr" => Ok(LogTarget::Stderr),
            "-" | "off" | "stdout" => Err(wanted.into()),
            // What the audit could do with it is of no use here.
            text if text.contains("://") && !text.starts_with("syslog") => Err(wanted.into()),
            text => match AuditTarget::parse(text)? {
                AuditTarget::File(path) => Ok(LogTarget::File(path)),
                // Sessions would wait for a receiver that takes its time.
                AuditTarget::Stdout
                | AuditTarget::Syslog(SyslogAddress::Tcp(_))
                | AuditTarget::Collector(_) => Err(wanted.into()),
                AuditTarget::Syslog(place) => Ok(LogTarget::Syslog(place)),
            },
        }
    });
    Some(LogSettings {
        format: format?,
        level: level?,
        to: to?,
    })
}

/// `admin.token_file`.
pub fn admin_token(reader: &mut KeyReader) -> Option<Option<Secret>> {
    let word = match reader.word("admin.token_file") {
        ReadValue::Absent => return Some(None),
        ReadValue::Wrong => return None,
        ReadValue::Given(word) => word,
    };
    let secret = reader.secret_in(&word)?;
    let token = secret.reveal();
    let is_visible = token.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_visible || !(TOKEN_BYTES_MIN..=TOKEN_BYTES_MAX).contains(&token.len()) {
        let wanted = format!(
            "the file must hold {TOKEN_BYTES_MIN} to {TOKEN_BYTES_MAX} visible letters, as \
             `openssl rand -hex 32` makes them"
        );
        reader.note(&word.place, &wanted);
        return None;
    }
    Some(Some(secret))
}

/// `audit.names`.
pub fn audit_names(reader: &mut KeyReader) -> Option<bool> {
    reader
        .choice("audit.names", &[("on", true), ("off", false)])
        .or(true)
}

/// `audit.columns`, which are names as well.
pub fn audit_columns(reader: &mut KeyReader, names: Option<bool>) -> Option<bool> {
    let place = reader.place_of("audit.columns");
    let columns = reader
        .choice("audit.columns", &[("on", true), ("off", false)])
        .or(false);
    if columns == Some(true) && names == Some(false) {
        reader.note(&place, "audit.names: on is wanted with audit.columns: on");
        return None;
    }
    columns
}

/// `audit.queryid`.
pub fn audit_queryid(reader: &mut KeyReader) -> Option<bool> {
    reader
        .choice("audit.queryid", &[("on", true), ("off", false)])
        .or(false)
}

fn audit(reader: &mut KeyReader) -> Option<AuditSettings> {
    let targets = audit_targets(reader);
    let copy = reader.parsed("audit.copy", None, |text| CopyName::parse(text).map(Some));
    let bounds = (0, AUDIT_ROTATE_BYTES_BOUND);
    let rotate_bytes = size(reader, "audit.rotate_bytes", bounds, BareBytes::Allowed, 0);
    let kept = u64::try_from(AUDIT_FILES_KEPT).ok()?;
    let rotate_keep = reader.number("audit.rotate_keep", 1..=1000, kept);
    let on_full = reader
        .choice(
            "audit.on_full",
            &[("drop", OnFull::Drop), ("block", OnFull::Block)],
        )
        .or(OnFull::Drop);
    let chain_key = key_in(reader, "audit.chain_key_file");
    let is_off = targets.as_ref().is_some_and(Vec::is_empty);
    let text_recipients = text_recipients(reader, is_off);
    Some(AuditSettings {
        targets: targets?,
        copy: copy?,
        rotate_bytes: rotate_bytes.map(|bytes| (bytes > 0).then_some(bytes))?,
        rotate_keep: usize::try_from(rotate_keep?).ok()?,
        on_full: on_full?,
        chain_key: chain_key?.map(ChainKey),
        text_recipients: text_recipients?,
    })
}

/// `audit.text` and `audit.text_recipients`, each of which wants the other; `is_off`: there is no
/// audit.
fn text_recipients(reader: &mut KeyReader, is_off: bool) -> Option<Vec<TextRecipient>> {
    let place = reader.place_of("audit.text");
    let choices = [("off", false), ("encrypted", true)];
    let encrypted = reader.choice("audit.text", &choices).or(false);
    let list_place = reader.place_of("audit.text_recipients");
    let words = match reader.words("audit.text_recipients") {
        ReadValue::Absent => Vec::new(),
        ReadValue::Wrong => return None,
        ReadValue::Given(words) => words,
    };
    let mut recipients: Vec<TextRecipient> = Vec::new();
    let mut sound = true;
    for word in &words {
        let problem = match TextRecipient::parse(&word.text) {
            Ok(one) if recipients.contains(&one) => "it is there before",
            Ok(one) => {
                recipients.push(one);
                continue;
            }
            Err(problem) => problem,
        };
        reader.note(&word.place, problem);
        sound = false;
    }
    let problem = match (encrypted?, words.len()) {
        (false, 0) => None,
        (false, _) => Some((&list_place, "audit.text: encrypted is wanted with it")),
        (true, 0) => Some((
            &place,
            "audit.text_recipients is wanted with encrypted: whom texts are encrypted to, age1…",
        )),
        (true, AUDIT_TEXT_RECIPIENTS_PAST..) => Some((&list_place, "at most 4 recipients")),
        (true, _) if is_off => Some((&place, "audit.to is wanted with encrypted")),
        (true, _) => None,
    };
    if let Some((place, problem)) = problem {
        reader.note(place, problem);
        sound = false;
    }
    sound.then_some(recipients)
}

/// `audit.to`.
fn audit_targets(reader: &mut KeyReader) -> Option<Vec<AuditTarget>> {
    let words = match reader.words("audit.to") {
        ReadValue::Absent => Vec::new(),
        ReadValue::Wrong => return None,
        ReadValue::Given(words) if matches!(&*words, [word] if word.text == "off") => Vec::new(),
        ReadValue::Given(words) => words,
    };
    let (addresses, others): (Vec<_>, Vec<_>) = words
        .iter()
        .partition(|word| AuditTarget::is_collector(&word.text));
    let collectors = audit_collectors(reader, &addresses);
    let has_others = !others.is_empty();
    let mut targets = Vec::new();
    let mut sound = true;
    for word in others {
        let target = match word.text.as_str() {
            "off" => Err("off stands alone".into()),
            text => AuditTarget::parse(text),
        };
        match target {
            Ok(target) => targets.push(target),
            Err(what) => {
                reader.note(&word.place, what);
                sound = false;
            }
        }
    }
    let collectors = collectors?;
    targets.extend(collectors.targets);
    if let Some(place) = collectors.idle_headers.filter(|_| has_others && sound) {
        let what = "audit.to names no collector that they could go to: http://host:port or \
                    https://host:port is wanted there";
        reader.note(&place, what);
        sound = false;
    }
    let problem = match targets.len() {
        0..=AUDIT_TARGETS_MAX => AuditSettings::problem(&targets).map(String::from),
        _ => Some(format!("at most {AUDIT_TARGETS_MAX} places")),
    };
    if let Some(problem) = problem {
        let place = reader.place_of("audit.to");
        reader.note(&place, problem);
        sound = false;
    }
    sound.then_some(targets)
}

/// The collectors in `audit.to`.
struct AuditCollectors {
    targets: Vec<AuditTarget>,
    /// Where headers are given that go to none.
    idle_headers: Option<String>,
}

/// Those with these addresses, as `audit.protocol` and the like have them.
fn audit_collectors(reader: &mut KeyReader, addresses: &[&PlacedWord]) -> Option<AuditCollectors> {
    let protocol = protocol(reader, "audit.protocol");
    let service_name = service_name(reader, "audit.service_name");
    let spoken = protocol.unwrap_or(CollectorProtocol::Grpc);
    let mut collectors = Vec::new();
    for address in addresses {
        match CollectorSettings::parse(&address.text, spoken, CollectorSignal::Logs) {
            Ok(collector) => collectors.push(collector),
            Err(problem) => reader.note(&address.place, problem.told("audit")),
        }
    }
    let headers = collector_headers(reader, "audit", &collectors)?;
    let service_name = service_name?;
    protocol?;
    if collectors.len() < addresses.len() {
        return None;
    }
    let is_idle = collectors.is_empty() && !headers.is_empty();
    let idle_headers = is_idle.then(|| reader.place_of("audit.headers_file"));
    let target = |collector| {
        AuditTarget::Collector(Box::new(CollectorTarget {
            collector,
            headers: headers.clone(),
            service_name: service_name.clone(),
        }))
    };
    Some(AuditCollectors {
        targets: collectors.into_iter().map(target).collect(),
        idle_headers,
    })
}

/// `audit.fingerprint_key_file`.
pub fn fingerprint_key(reader: &mut KeyReader) -> Option<Option<FingerprintKey>> {
    let key = key_in(reader, "audit.fingerprint_key_file")?;
    Some(key.map(FingerprintKey))
}

/// `traces.…`; none where there is no endpoint.
fn traces(reader: &mut KeyReader, upstream: Option<&UpstreamSettings>) -> Option<OptionalTraces> {
    let protocol = protocol(reader, "traces.protocol");
    let spoken = protocol.unwrap_or(CollectorProtocol::Grpc);
    let collector = reader.parsed("traces.endpoint", None, |text| match text {
        "off" => Ok(None),
        address => CollectorSettings::parse(address, spoken, CollectorSignal::Traces)
            .map(Some)
            .map_err(|problem| problem.told("traces")),
    });
    let sample_ratio = reader.parsed("traces.sample_ratio", 0.01, |text| {
        let ratio = text
            .parse()
            .ok()
            .filter(|ratio| (0.0..=1.0).contains(ratio));
        ratio.ok_or_else(|| "a number from 0 to 1 is wanted, as 0.1 for a tenth".into())
    });
    let service_name = service_name(reader, "traces.service_name");
    let collectors: Vec<CollectorSettings> = collector.iter().flatten().cloned().collect();
    let headers = collector_headers(reader, "traces", &collectors);
    let (sample_ratio, service_name, headers) = (sample_ratio?, service_name?, headers?);
    protocol?;
    Some(collector?.map(|collector| TraceSettings {
        collector,
        sample_ratio,
        service_name,
        headers,
        database: upstream.map(place_of),
    }))
}

/// How collectors are spoken to.
fn protocol(reader: &mut KeyReader, key: &'static str) -> Option<CollectorProtocol> {
    let choices = [
        ("grpc", CollectorProtocol::Grpc),
        ("http", CollectorProtocol::Http),
    ];
    reader.choice(key, &choices).or(CollectorProtocol::Grpc)
}

/// What this service is called there.
fn service_name(reader: &mut KeyReader, key: &'static str) -> Option<String> {
    reader.parsed(key, "pgsieve".to_owned(), |text| Ok(text.to_owned()))
}

/// `traces.headers_file` or `audit.headers_file`, for these collectors.
fn collector_headers(
    reader: &mut KeyReader,
    section: &str,
    collectors: &[CollectorSettings],
) -> Option<Vec<(String, Secret)>> {
    let (key, address) = match section {
        "audit" => ("audit.headers_file", "audit.to"),
        _ => ("traces.headers_file", "traces.endpoint"),
    };
    let word = match reader.word(key) {
        ReadValue::Absent => return Some(Vec::new()),
        ReadValue::Wrong => return None,
        ReadValue::Given(word) => word,
    };
    let is_in_clear = |collector: &CollectorSettings| collector.reach() == CollectorReach::Anybody;
    if collectors.iter().any(is_in_clear) {
        let what = format!(
            "the headers would go over the network in clear; {address} must be https:// or on \
             this host"
        );
        reader.note(&word.place, what);
        return None;
    }
    let text = reader.text_of(&word)?;
    reader.note_secret_file(Path::new(&word.text), &word.place);
    match headers(&text) {
        Ok(headers) => Some(headers),
        Err(problem) => {
            reader.note(&word.place, problem.to_string());
            None
        }
    }
}

fn place_of(upstream: &UpstreamSettings) -> DatabaseAddress {
    let (address, port) = match &upstream.endpoint {
        Endpoint::Tcp { host, port } => (host.clone(), *port),
        Endpoint::Unix { folder, port } => (folder.display().to_string(), *port),
    };
    DatabaseAddress { address, port }
}

/// One recipient more than there may be.
const AUDIT_TEXT_RECIPIENTS_PAST: usize = AUDIT_TEXT_RECIPIENTS_MAX + 1;

/// The settings of traces, where there are any.
type OptionalTraces = Option<TraceSettings>;

/// The 64 hexadecimal digits in the file of a key.
pub fn key_in(reader: &mut KeyReader, path: &'static str) -> Option<Option<[u8; 32]>> {
    let word = match reader.word(path) {
        ReadValue::Absent => return Some(None),
        ReadValue::Wrong => return None,
        ReadValue::Given(word) => word,
    };
    let secret = reader.secret_in(&word)?;
    let key = hex::read(secret.reveal().trim().to_ascii_lowercase().as_bytes());
    if key.is_none() {
        reader.note(
            &word.place,
            "the file must hold 64 hexadecimal digits, as `openssl rand -hex 32` makes them",
        );
    }
    key.map(Some)
}
