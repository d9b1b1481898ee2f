//! The settings of the server itself: where to listen, which policies hold, how much of everything.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::config::quantities::{duration, size};
use crate::config::recording;
use crate::config::settings_key::{KeyForm, SettingsKey};
use crate::config::value_reader::{KeyReader, ReadValue};
use crate::config::{ListenAddress, PolicyTests};
use crate::gate::Judging;
use crate::limits::ending::{DRAIN_TIMEOUT, DRAIN_TIMEOUT_BOUND, WAIT_FOR_CLIENTS_BOUND};
use crate::limits::{
    ADMIN_HOSTS_MAX, CONNECTIONS_MAX, CONNECTIONS_MAX_BOUND, MEMORY_BYTES, MEMORY_BYTES_BOUND,
    MEMORY_BYTES_MIN, WORKERS_MAX,
};
use crate::net::uring::IoBackend;
use crate::policy::mask_key::{MaskKey, MaskPad};
use crate::policy::sources::{PolicyLoadError, PolicySource};
use crate::policy::units::BareBytes;
use crate::policy::{Policy, PolicySet};
use crate::upstream::address::UpstreamSettings;
use crate::upstream::catalog_cache::CatalogCacheSettings;
use crate::upstream::catalog_cache::catalog_account::AccountSetting;
use crate::upstream::catalog_cache::settings::CatalogMode;

/// Under which names the admin address answers.
pub const ADMIN_HOSTS_KEY: SettingsKey = SettingsKey {
    path: "admin.hosts",
    form: KeyForm::Words,
    default: "none",
    doc: "Host names, without ports, under which /metrics, /healthz and /readyz answer, \
          besides IP addresses and localhost; one, or a list of up to 32. A request under any \
          other name is refused, which protects against DNS rebinding by web pages.",
};

/// `listen`.
pub fn listen(reader: &mut KeyReader) -> Option<Vec<ListenAddress>> {
    let words = match reader.words("listen") {
        ReadValue::Given(words) => words,
        ReadValue::Absent => return Some(vec![ListenAddress::Tcp(local(LISTEN_PORT))]),
        ReadValue::Wrong => return None,
    };
    let mut addresses = Vec::new();
    for word in &words {
        match listen_address(&word.text) {
            Some(found) => addresses.extend(found),
            None => reader.note(
                &word.place,
                "host:port or the path of a Unix socket is wanted, as 127.0.0.1:6432",
            ),
        }
    }
    Some(addresses)
}

/// `admin.listen`.
pub fn admin(reader: &mut KeyReader) -> Option<Option<SocketAddr>> {
    reader.parsed("admin.listen", Some(local(ADMIN_PORT)), |text| {
        if text == "off" {
            return Ok(None);
        }
        let resolved = text
            .to_socket_addrs()
            .ok()
            .and_then(|mut found| found.next());
        resolved
            .map(Some)
            .ok_or_else(|| "ip:port or off is wanted, as 127.0.0.1:9432".into())
    })
}

/// `listen` and `admin.listen` are not the same address.
pub fn check_distinct(
    reader: &mut KeyReader,
    listen: Option<&[ListenAddress]>,
    admin: Option<Option<SocketAddr>>,
) {
    let Some(admin) = admin.flatten().filter(|admin| admin.port() != 0) else {
        return;
    };
    if listen.is_some_and(|all| all.contains(&ListenAddress::Tcp(admin))) {
        let place = reader.place_of("admin.listen");
        let what = "is the same address as listen: clients and probes need one each, or off here";
        reader.note(&place, what);
    }
}

/// `admin.hosts`: names, without ports, in lower case.
pub fn admin_hosts(reader: &mut KeyReader) -> Option<Vec<String>> {
    let words = match reader.words("admin.hosts") {
        ReadValue::Absent => return Some(Vec::new()),
        ReadValue::Wrong => return None,
        ReadValue::Given(words) => words,
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut sound = true;
    for word in words.iter().filter(|word| !word.text.chars().all(is_part)) {
        reader.note(&word.place, "a host's name is wanted, without a port");
        sound = false;
    }
    if words.len() > ADMIN_HOSTS_MAX {
        let place = reader.place_of("admin.hosts");
        reader.note(&place, format!("at most {ADMIN_HOSTS_MAX} names"));
        sound = false;
    }
    let lower = words.iter().map(|word| word.text.to_ascii_lowercase());
    sound.then(|| lower.collect())
}

/// `strict_files`: whether secrets in files that others can read are problems. Last of all, when
/// every file that is named has been looked at.
pub fn strict_files(reader: &mut KeyReader) {
    let strict = reader.choice("strict_files", &[("on", true), ("off", false)]);
    if strict.or(false) == Some(true) {
        reader.refuse_exposed();
    }
}

/// `policy.file`: where the policies come from. What is wrong with it is told where they are read.
pub fn sources(reader: &KeyReader) -> Vec<PolicySource> {
    match reader.peek_words("policy.file") {
        None => vec![PolicySource::of("agent")],
        Some(words) => words.iter().map(|word| PolicySource::of(word)).collect(),
    }
}

/// `policy.file` and `policy.mask_key_file`: the policies, with the key of their masks, and where
/// they come from. Their problems become problems of the settings.
pub fn policies(
    reader: &mut KeyReader,
    pad: Option<MaskPad>,
) -> Option<(PolicySet, Vec<PolicySource>)> {
    let place = reader.place_of("policy.file");
    let key = mask_key(reader, pad);
    let loaded = loaded(reader)?;
    let key = key?;
    let (sources, policies): (Vec<_>, Vec<_>) = loaded.into_iter().unzip();
    let policies: Vec<Policy> = policies.into_iter().flatten().collect();
    let mut wanting = policies.iter().filter(|policy| policy.access().wants_key());
    if let (None, Some(policy)) = (key, wanting.next()) {
        let what = format!("policy {} has the mask hash, {NO_MASK_KEY}", policy.name());
        let place = reader.place_of("policy.mask_key_file");
        reader.note(&place, what);
        return None;
    }
    // All of them: a session that had one with the mask may come to another.
    let keyed = policies.into_iter().map(|policy| match key {
        Some(key) => policy.keyed(key),
        None => policy,
    });
    match PolicySet::new(keyed.map(Arc::new).collect()) {
        Ok(set) => Some((set, sources)),
        Err(wrong) => {
            for wrong in wrong {
                reader.note(&place, wrong.to_string());
            }
            None
        }
    }
}

/// `policy.mask_key_file`.
fn mask_key(reader: &mut KeyReader, pad: Option<MaskPad>) -> Option<Option<MaskKey>> {
    let Some(key) = recording::key_in(reader, "policy.mask_key_file")? else {
        return Some(None);
    };
    match pad {
        Some(pad) => Some(Some(MaskKey::new(key, pad))),
        None => {
            let place = reader.place_of("policy.mask_key_file");
            reader.note(
                &place,
                "the system gives no random bytes to keep the key with",
            );
            None
        }
    }
}

/// `policy.tests`. They are run against a catalog: without one to come they could not pass, and no
/// client would ever be let in.
pub fn policy_tests(
    reader: &mut KeyReader,
    upstream: Option<&UpstreamSettings>,
    catalog: Option<&CatalogCacheSettings>,
) -> Option<PolicyTests> {
    let choices = [("off", false), ("required", true)];
    if !reader.choice("policy.tests", &choices).or(false)? {
        return Some(PolicyTests::Off);
    }
    let (upstream, catalog) = (upstream?, catalog?);
    let place = reader.place_of("policy.tests");
    let account = match &catalog.account {
        AccountSetting::Configured(account) | AccountSetting::OfUrl(account) => {
            Some(account.clone())
        }
        AccountSetting::Nobody => None,
    };
    if catalog.mode == CatalogMode::Off {
        reader.note(&place, "required needs catalog.mode: on");
        return None;
    }
    if upstream.database.is_none() {
        reader.note(&place, "required needs a database in upstream.url");
        return None;
    }
    if account.is_none() {
        let what = "required needs a user who reads the catalog before any client comes: \
                    catalog.user, or one in upstream.url";
        reader.note(&place, what);
    }
    account.map(PolicyTests::Required)
}

/// The only policy of `policy.file`.
pub fn policy(reader: &mut KeyReader) -> Option<Policy> {
    let place = reader.place_of("policy.file");
    let loaded = loaded(reader)?;
    let mut policies = loaded.into_iter().flat_map(|(_, policies)| policies);
    match (policies.next(), policies.next()) {
        // Nothing of it is run.
        (Some(only), None) => Some(only.for_judging()),
        _ => {
            reader.note(&place, "one policy is wanted here");
            None
        }
    }
}

/// What every source of `policy.file` gives.
fn loaded(reader: &mut KeyReader) -> Option<Vec<(PolicySource, Vec<Policy>)>> {
    let words = match reader.words("policy.file") {
        ReadValue::Absent => return Some(vec![(PolicySource::of("agent"), vec![Policy::agent()])]),
        ReadValue::Wrong => return None,
        ReadValue::Given(words) => words,
    };
    let mut all = Some(Vec::new());
    for word in words {
        let source = PolicySource::of(&word.text);
        if reader.is_again() && !source.can_be_read_again() {
            reader.note(&word.place, format!("{source}: {NOT_AGAIN}"));
            all = None;
            continue;
        }
        match (source.load(), &mut all) {
            (Ok(loaded), Some(all)) => {
                let policies = loaded.into_iter().map(|one| one.policy);
                all.push((source, policies.collect()));
            }
            (Ok(_), None) => {}
            (Err(PolicyLoadError::Wrong(problems)), _) => {
                for problem in problems {
                    reader.note(&problem.place, problem.what);
                }
                all = None;
            }
            (Err(unloaded), _) => {
                reader.note(&word.place, format!("{source}: {unloaded}"));
                all = None;
            }
        }
    }
    all
}

/// What serves clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerSettings {
    /// So many threads.
    pub threads: usize,
    /// What reads and writes the sockets of their sessions.
    pub io: IoBackend,
    /// Which texts they judge.
    pub judging: Judging,
}

/// What reads and writes sockets.
pub const IO_BACKEND: SettingsKey = SettingsKey {
    path: "io.backend",
    form: KeyForm::Word,
    default: "epoll",
    doc: "What reads and writes the TCP sockets of sessions: epoll; uring (io_uring, which takes \
          less processor time where many clients are busy; pgsieve does not start where the system \
          forbids it, as containers often do); or auto (uring where it may be had, epoll elsewhere).",
};

fn judging(reader: &mut KeyReader) -> Option<Judging> {
    reader
        .choice(JUDGING.path, JUDGING_WORDS)
        .or(Judging::ByShape)
}

const JUDGING_WORDS: &[(&str, Judging)] = &[
    ("by-shape", Judging::ByShape),
    ("each-text", Judging::EachText),
];

/// Which texts are judged.
pub const JUDGING: SettingsKey = SettingsKey {
    path: "policy.judging",
    form: KeyForm::Word,
    default: "by-shape",
    doc: "Which texts are judged anew: by-shape takes the verdict on a read for others that differ \
          from it in constants alone whose values nothing reads (numbers, what something is \
          compared with, times); each-text judges them all.",
};

/// `workers`, `io.backend` and `policy.judging`.
pub fn workers(reader: &mut KeyReader) -> Option<WorkerSettings> {
    let (threads, judging) = (threads(reader), judging(reader));
    let backends = [IoBackend::Auto, IoBackend::Epoll, IoBackend::Uring];
    let words = backends.map(|backend| (backend.name(), backend));
    let io = reader
        .choice(IO_BACKEND.path, &words)
        .or(IoBackend::default());
    Some(WorkerSettings {
        threads: threads?,
        io: io?,
        judging: judging?,
    })
}

fn threads(reader: &mut KeyReader) -> Option<usize> {
    let cores = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(WORKERS_MAX);
    let (cores, most) = (u64::try_from(cores).ok()?, u64::try_from(WORKERS_MAX).ok()?);
    usize::try_from(reader.number("workers", 1..=most, cores)?).ok()
}

/// `limits.connections_max`.
pub fn connections_max(reader: &mut KeyReader) -> Option<usize> {
    let number = reader.number(
        "limits.connections_max",
        1..=CONNECTIONS_MAX_BOUND,
        CONNECTIONS_MAX,
    )?;
    usize::try_from(number).ok()
}

/// `limits.memory`.
pub fn memory(reader: &mut KeyReader) -> Option<usize> {
    let bounds = (MEMORY_BYTES_MIN, MEMORY_BYTES_BOUND);
    let bare = BareBytes::Refused;
    let bytes = size(reader, "limits.memory", bounds, bare, MEMORY_BYTES)?;
    // As much as the machine can address, where it is less.
    Some(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// `limits.budget_file`: whether it can be used shows at the start.
pub fn budget_file(reader: &mut KeyReader) -> Option<Option<PathBuf>> {
    match reader.word("limits.budget_file") {
        ReadValue::Absent => Some(None),
        ReadValue::Wrong => None,
        ReadValue::Given(word) if word.text.is_empty() => {
            reader.note(&word.place, "the path of a file is wanted");
            None
        }
        ReadValue::Given(word) => Some(Some(word.text.into())),
    }
}

/// `limits.drain_timeout`, and `limits.wait_for_clients`.
pub fn drain_times(reader: &mut KeyReader) -> (Option<Duration>, Option<Duration>) {
    let bounds = (Duration::ZERO, DRAIN_TIMEOUT_BOUND);
    let drain = duration(reader, "limits.drain_timeout", bounds, DRAIN_TIMEOUT);
    let bounds = (Duration::ZERO, WAIT_FOR_CLIENTS_BOUND);
    let wait = duration(reader, "limits.wait_for_clients", bounds, Duration::ZERO);
    (drain, wait)
}

/// A path, or a host and port; a name may stand for several addresses.
fn listen_address(text: &str) -> Option<Vec<ListenAddress>> {
    if text.starts_with('/') || text.starts_with("./") {
        return Some(vec![ListenAddress::Unix(text.into())]);
    }
    let (host, port) = text.rsplit_once(':')?;
    let addresses: Vec<SocketAddr> = match (host, port.parse::<u16>()) {
        ("*" | "", Ok(port)) => vec![SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), port)],
        _ => text.to_socket_addrs().ok()?.collect(),
    };
    (!addresses.is_empty()).then(|| addresses.into_iter().map(ListenAddress::Tcp).collect())
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

/// What to do about a mask without a key.
const NO_MASK_KEY: &str = "and there is no key for it: name a file of 64 hexadecimal digits, as \
                           `openssl rand -hex 32` writes them";

/// What is said of policies that come through a pipe.
const NOT_AGAIN: &str = "is no file and no folder, and is not read again";
/// The port next to Postgres's own, as PgBouncer has it.
const LISTEN_PORT: u16 = 6432;
/// The port of metrics and probes.
const ADMIN_PORT: u16 = 9432;
