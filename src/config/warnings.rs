//! What is wrong with settings that are right: what whoever runs this should know before somebody
//! else does.

use std::collections::BTreeSet;
use std::iter;
use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

use crate::auth::settings::{AuthSettings, KeysFrom, OidcPeople, QueriedIdentity};
use crate::config::{ListenAddress, ProgramSettings};
use crate::doctor::login_roles::{LoginRole, ServerNames};
use crate::limits::{CERTIFICATE_EXPIRY_NOTICE, WARNED_NAMES_MAX};
use crate::net::certificate_expiry::{CertificateExpiry, CertificateFiles};
use crate::net::client_tls::ClientTlsSettings;
use crate::policy::access::Glob;
use crate::policy::similar_names::nearest;
use crate::policy::units::written_bytes;
use crate::policy::{Policy, PolicySet};
use crate::session::policy_limits::limits_store::{LimitsStoreSettings, StoreTransport};
use crate::telemetry::audit::text::TextRecipient;
use crate::telemetry::capture::CaptureSettings;
use crate::telemetry::labels::{HeldCertificate, SettingsWarning};

/// One thing that should be mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigWarning {
    /// What kind of thing.
    pub warning: SettingsWarning,
    /// The key that it is about.
    pub key: String,
    /// What is so, and what to do.
    pub what: String,
}

impl ConfigWarning {
    fn new(warning: SettingsWarning, key: &str, what: impl Into<String>) -> Self {
        Self {
            warning,
            key: key.into(),
            what: what.into(),
        }
    }
}

/// Everything that shows without a database. Certificates are held against `now`, in seconds since
/// 1970.
pub fn of(settings: &ProgramSettings, now: i64) -> Vec<ConfigWarning> {
    let mut all = Vec::new();
    // Where nobody can log in, whoever has started the process is the only client.
    let has_clients = !settings.listen.is_empty();
    if has_clients && matches!(settings.auth, AuthSettings::Trust { .. }) {
        all.push(ConfigWarning::new(
            SettingsWarning::TrustInUse,
            "client.auth.method",
            "auth method trust: local clients are not asked who they are",
        ));
    }
    let exposed = settings.exposed_files.iter().map(|key| {
        let what = "others can read the file: make it 0600, or 0640 and root's; strict_files: on \
                    refuses to start";
        ConfigWarning::new(SettingsWarning::FileExposed, key, what)
    });
    all.extend(exposed);
    all.extend(certificates(&ends(settings), now));
    all.extend(listening(&settings.listen, &settings.client_tls));
    all.extend(forgotten_budgets(settings));
    all.extend(store_in_clear(settings.limits_store.as_ref()));
    all.extend(recorded_texts(&settings.telemetry.audit.text_recipients));
    all.extend(captured_texts(settings.telemetry.capture.as_ref()));
    let users = users(&settings.auth);
    all.extend(unfit_users(&settings.policies, &users));
    all
}

/// When the certificates end that the settings name.
pub fn ends(settings: &ProgramSettings) -> Vec<CertificateExpiry> {
    let issuer_authority = match &settings.auth {
        AuthSettings::Oidc(oidc) => match &oidc.keys {
            KeysFrom::Url { authority, .. } => authority.as_deref(),
            KeysFrom::File(_) => None,
        },
        AuthSettings::Passthrough { .. }
        | AuthSettings::Scram { .. }
        | AuthSettings::AuthQuery(_)
        | AuthSettings::Certificate { .. }
        | AuthSettings::Trust { .. } => None,
    };
    let mut files = CertificateFiles::default();
    files.add_client(&settings.client_tls);
    files.add(HeldCertificate::IssuerAuthority, issuer_authority);
    let store = settings.limits_store.as_ref();
    let store_authority = store.and_then(|store| store.authority.as_deref());
    files.add(HeldCertificate::StoreAuthority, store_authority);
    let databases = settings.databases.iter();
    let databases =
        databases.map(|route| (DATABASES, &route.upstream, Some(route.names.pattern())));
    let peers = settings.peers.iter().flat_map(|peers| &peers.places);
    let servers = iter::once((UPSTREAM, &settings.upstream, None))
        .chain(databases)
        .chain(peers.map(|place| (PEERS, place, None)));
    for ((client, authority), place, whose) in servers {
        files.add_of(client, place.tls.certificate(), whose);
        files.add_of(authority, place.tls.authority(), whose);
    }
    files.expiries()
}

/// What the certificates of a kind of server are, shown and checked by.
type ServerCertificates = (HeldCertificate, HeldCertificate);

const UPSTREAM: ServerCertificates = (
    HeldCertificate::UpstreamClient,
    HeldCertificate::UpstreamAuthority,
);

const DATABASES: ServerCertificates = (
    HeldCertificate::DatabaseClient,
    HeldCertificate::DatabaseAuthority,
);

const PEERS: ServerCertificates = (HeldCertificate::PeerClient, HeldCertificate::PeerAuthority);

/// The certificates that have ended, or will soon.
pub fn certificates(ends: &[CertificateExpiry], now: i64) -> Vec<ConfigWarning> {
    let notice = i64::try_from(CERTIFICATE_EXPIRY_NOTICE.as_secs()).unwrap_or(i64::MAX);
    let warned = ends.iter().filter_map(|one| {
        let left = one.ends.saturating_sub(now);
        let date = Timestamp::from_second(one.ends).map_or_else(
            |_| String::from("a date beyond reckoning"),
            |ends| ends.to_string(),
        );
        let whose = one.whose.as_deref();
        let whose = whose.map_or_else(String::new, |whose| format!(" of {whose}"));
        let (warning, what) = if left <= 0 {
            let what = format!("a certificate{whose} has expired at {date}: peers refuse it");
            (SettingsWarning::CertificateExpired, what)
        } else if left < notice {
            let days = left / SECONDS_OF_DAY;
            let what = format!("a certificate{whose} expires at {date}, in {days} days: renew it");
            (SettingsWarning::CertificateExpiresSoon, what)
        } else {
            return None;
        };
        Some(ConfigWarning::new(warning, key_of(one.certificate), what))
    });
    warned.collect()
}

/// The addresses that others can reach in clear.
fn listening(listen: &[ListenAddress], tls: &ClientTlsSettings) -> Vec<ConfigWarning> {
    if *tls != ClientTlsSettings::Off {
        return Vec::new();
    }
    let open = listen.iter().filter_map(|address| match address {
        ListenAddress::Tcp(address) if !is_of_this_host(address.ip()) => Some(address),
        ListenAddress::Tcp(_) | ListenAddress::Unix(_) => None,
    });
    let warned = open.map(|address| {
        let what = format!(
            "{address} can be reached from other hosts, and client.tls is off: statements, rows \
             and logins can be read on their way"
        );
        ConfigWarning::new(SettingsWarning::ListeningWithoutTls, "listen", what)
    });
    warned.collect()
}

fn is_of_this_host(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

/// Budgets of a day that a restart gives once more.
fn forgotten_budgets(settings: &ProgramSettings) -> Option<ConfigWarning> {
    let has_budget = settings.policies.all().iter().any(|policy| {
        let limits = policy.limits();
        limits.rows_per_day.is_some() || limits.bytes_per_day.is_some()
    });
    let what = "a policy has rows_per_day or bytes_per_day, and a restart forgets what users have \
                received: name a file that keeps it, or a store in limits.store";
    let warning = SettingsWarning::BudgetsForgotten;
    let is_kept = settings.budget_file.is_some() || settings.limits_store.is_some();
    (has_budget && !is_kept).then(|| ConfigWarning::new(warning, "limits.budget_file", what))
}

/// A store of limits that others on the way could speak to in pgsieve's name.
fn store_in_clear(store: Option<&LimitsStoreSettings>) -> Option<ConfigWarning> {
    let address = &store?.address;
    let ip = address.host.parse();
    let is_here = address.host == "localhost" || ip.is_ok_and(is_of_this_host);
    let what = "the way to the store and its password go over the network in clear, and who can \
                write there can give users their budgets once more: rediss:// is TLS";
    let warning = SettingsWarning::StoreInClear;
    (address.transport == StoreTransport::Clear && !is_here)
        .then(|| ConfigWarning::new(warning, "limits.store", what))
}

/// An audit with the texts of statements in it, encrypted.
fn recorded_texts(recipients: &[TextRecipient]) -> Option<ConfigWarning> {
    let what = format!(
        "the audit keeps the texts of statements, with the values and passwords in them, for \
         whoever has the key of {}: they are as safe as that is kept",
        match recipients.len() {
            0 => return None,
            1 => String::from("one recipient"),
            many => format!("{many} recipients"),
        }
    );
    Some(ConfigWarning::new(
        SettingsWarning::TextsRecorded,
        "audit.text",
        what,
    ))
}

/// A file with the texts of statements that failed, in clear.
fn captured_texts(capture: Option<&CaptureSettings>) -> Option<ConfigWarning> {
    let what = format!(
        "the texts of reads that fail are kept in clear, with the values in them, in {}, up to {}: \
         leave the key out when you have what you need, and delete the file",
        capture?.file.display(),
        written_bytes(capture?.bytes_max),
    );
    let warning = SettingsWarning::CaptureInUse;
    Some(ConfigWarning::new(warning, "capture.file", what))
}

/// The users that the settings name.
pub fn users(auth: &AuthSettings) -> Vec<String> {
    let mut names: Vec<String> = match auth {
        AuthSettings::Scram { users } => users.iter().map(|user| user.name.clone()).collect(),
        AuthSettings::Certificate { entries } => {
            entries.iter().map(|entry| entry.name.clone()).collect()
        }
        AuthSettings::Oidc(settings) => match &settings.people {
            OidcPeople::Listed(users) => users.iter().map(|user| user.name.clone()).collect(),
            OidcPeople::Everybody(_) => Vec::new(),
        },
        AuthSettings::Passthrough { .. }
        | AuthSettings::AuthQuery(_)
        | AuthSettings::Trust { .. } => Vec::new(),
    };
    names.sort();
    names.dedup();
    names
}

/// The users of the settings whom no policy is for, whatever their session is like.
pub fn unfit_users(policies: &PolicySet, users: &[String]) -> Option<ConfigWarning> {
    let what = |names: String| {
        format!("no policy matches {names}: their logins are refused; see match in the policies")
    };
    let names = named(users.iter().filter(|user| !policies.may_be_for(user)))?;
    let warning = SettingsWarning::UserWithoutPolicy;
    Some(ConfigWarning::new(
        warning,
        "client.auth.users",
        what(names),
    ))
}

/// What the roles of the database say of the settings: logins that pgsieve itself uses and that
/// hold more than reading needs, and where clients log in as themselves, roles without a policy.
pub fn of_roles(
    known: &UpstreamIdentities,
    policies: &PolicySet,
    roles: &[LoginRole],
) -> Vec<ConfigWarning> {
    let used = |role: &&LoginRole| known.upstream.contains(&role.name);
    let superusers = roles.iter().filter(|role| role.is_superuser).filter(used);
    let superusers = named(superusers.map(|role| &role.name)).map(|names| {
        let what = format!(
            "{names} may do everything at the database, where nothing but pgsieve holds it back: \
             log in as a role that only reads; see pgsieve doctor"
        );
        ConfigWarning::new(SettingsWarning::UpstreamSuperuser, "upstream.url", what)
    });
    let owners = roles.iter().filter(|role| role.owned > 0).filter(used);
    let owners = named(owners.map(|role| &role.name)).map(|names| {
        let what = format!(
            "{names} owns relations of the database and may change and drop them: log in as a \
             role that only reads; see pgsieve doctor"
        );
        ConfigWarning::new(SettingsWarning::UpstreamOwner, "upstream.url", what)
    });
    let unfit = roles.iter().filter(|_| known.clients_are_themselves);
    let unfit = unfit.filter(|role| !policies.may_be_for(&role.name));
    let unfit = named(unfit.map(|role| &role.name)).map(|names| {
        let what = format!(
            "no policy matches {names}, who may log in at the database: here their logins are \
             refused; see match in the policies"
        );
        ConfigWarning::new(SettingsWarning::UserWithoutPolicy, "policy.file", what)
    });
    [superusers, owners, unfit].into_iter().flatten().collect()
}

/// What the names of a server say of the settings: [`of_roles`], [`of_databases`] and [`of_match`].
pub fn of_server(
    known: &UpstreamIdentities,
    policies: &PolicySet,
    named: &ServerNames,
) -> Vec<ConfigWarning> {
    let mut all = of_roles(known, policies, &named.roles);
    all.extend(of_databases(policies, &named.databases, &known.databases));
    if let Some(roles) = &named.all_roles {
        all.extend(of_match(known, policies, roles));
    }
    all
}

/// The users in `match` that are neither roles of the server nor users of the settings, and the
/// roles there that the server does not have.
pub fn of_match(
    known: &UpstreamIdentities,
    policies: &PolicySet,
    roles: &[String],
) -> Vec<ConfigWarning> {
    let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
    let own = known.clients.iter().flatten().map(String::as_str);
    let users: Vec<&str> = roles.iter().copied().chain(own).collect();
    let mut all = Vec::new();
    for policy in policies.all() {
        let Some(own) = policy.matches() else {
            continue;
        };
        let name = policy.name();
        let of_users = match &known.clients {
            Some(_) => own.unknown_users(&users),
            None => Vec::new(),
        };
        for (pattern, near) in of_users {
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            let what = format!(
                "policy {name}: match.user: {pattern} is no role of the server and no user of the \
                 settings{near}"
            );
            let warning = SettingsWarning::UserUnknown;
            all.push(ConfigWarning::new(warning, "policy.file", what));
        }
        for (pattern, near) in own.unknown_roles(&roles) {
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            let what = format!(
                "policy {name}: match.role_member: no role of the server is called {pattern}: \
                 nobody is a member of it{near}"
            );
            let warning = SettingsWarning::RoleUnknown;
            all.push(ConfigWarning::new(warning, "policy.file", what));
        }
    }
    all
}

/// The databases in `match` that the server does not have, and that are not elsewhere.
pub fn of_databases(
    policies: &PolicySet,
    databases: &[String],
    elsewhere: &[Glob],
) -> Vec<ConfigWarning> {
    let of_one = |policy: &Arc<Policy>| {
        let name = policy.name().to_owned();
        let unknown = unknown_databases(policy, databases, elsewhere).into_iter();
        let told: Vec<ConfigWarning> = unknown
            .map(|what| {
                let what = format!("policy {name}: match.database: {what}");
                ConfigWarning::new(SettingsWarning::DatabaseUnknown, "policy.file", what)
            })
            .collect();
        told
    };
    policies.all().iter().flat_map(of_one).collect()
}

/// What is to be said of the databases in `match` of a policy that the server does not have, and
/// that are not elsewhere.
pub fn unknown_databases(policy: &Policy, databases: &[String], elsewhere: &[Glob]) -> Vec<String> {
    let wanted = policy.matches().and_then(|own| own.database.as_deref());
    let wanted = wanted.unwrap_or_default().iter();
    let is_elsewhere = |pattern: &Glob| {
        let mut names = elsewhere.iter();
        names.any(|names| names.covers(pattern) || pattern.covers(names))
    };
    let unknown = wanted.filter(|pattern| {
        !databases.iter().any(|name| pattern.matches(name)) && !is_elsewhere(pattern)
    });
    let told = unknown.map(|pattern| {
        let near = nearest(&pattern.to_string(), databases.iter().map(String::as_str));
        let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
        format!("no database of the server is called {pattern}{near}")
    });
    told.collect()
}

/// Whom the settings have log in at the upstream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamIdentities {
    /// The names that pgsieve logs in with for clients, and that of the URL.
    pub upstream: BTreeSet<String>,
    /// Whether clients log in with their own names.
    pub clients_are_themselves: bool,
    /// The users that the settings list; none where anybody whom an issuer names is one.
    pub clients: Option<Vec<String>>,
    /// The names of databases that are at servers of their own.
    pub databases: Vec<Glob>,
}

impl UpstreamIdentities {
    /// Those of these settings.
    pub fn of(settings: &ProgramSettings) -> Self {
        let mut upstream: BTreeSet<String> = settings.upstream.user.iter().cloned().collect();
        match &settings.auth {
            AuthSettings::Passthrough { .. } | AuthSettings::Trust { .. } => {}
            AuthSettings::Scram { users } => {
                upstream.extend(users.iter().map(|user| user.upstream.user.clone()));
            }
            AuthSettings::AuthQuery(query) => {
                upstream.insert(query.account.user.clone());
            }
            AuthSettings::Certificate { entries } => {
                upstream.extend(entries.iter().map(|entry| entry.upstream.user.clone()));
            }
            AuthSettings::Oidc(settings) => {
                let identities = settings.people.identities().into_iter();
                upstream.extend(identities.map(|identity| identity.user.clone()));
            }
        }
        Self {
            upstream,
            clients_are_themselves: match &settings.auth {
                AuthSettings::Passthrough { .. } => true,
                AuthSettings::AuthQuery(query) => query.upstream == QueriedIdentity::Itself,
                _ => false,
            },
            clients: match &settings.auth {
                AuthSettings::AuthQuery(query) if query.upstream != QueriedIdentity::Itself => None,
                AuthSettings::Oidc(own) if matches!(own.people, OidcPeople::Everybody(_)) => None,
                auth => Some(users(auth)),
            },
            databases: settings
                .databases
                .iter()
                .map(|route| route.names.clone())
                .collect(),
        }
    }
}

/// Names, quoted as they are; of many only the first.
fn named<'n>(names: impl Iterator<Item = &'n String>) -> Option<String> {
    let all: Vec<&String> = names.collect();
    let shown = all.iter().take(WARNED_NAMES_MAX);
    let shown: Vec<String> = shown.map(|name| format!("{name:?}")).collect();
    let more = all.len().saturating_sub(shown.len());
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!all.is_empty()).then(|| format!("{}{more}", shown.join(", ")))
}

fn key_of(certificate: HeldCertificate) -> &'static str {
    match certificate {
        HeldCertificate::ClientListener => "client.tls.certificate",
        HeldCertificate::ClientAuthority => "client.tls.client_ca",
        HeldCertificate::UpstreamClient => "upstream.tls.certificate",
        HeldCertificate::UpstreamAuthority => "upstream.tls.root_certificate",
        HeldCertificate::IssuerAuthority => "client.auth.oidc.keys_ca",
        HeldCertificate::DatabaseClient | HeldCertificate::DatabaseAuthority => "databases",
        HeldCertificate::PeerClient | HeldCertificate::PeerAuthority => "peers.addresses",
        HeldCertificate::StoreAuthority => "limits.store_ca",
    }
}

const SECONDS_OF_DAY: i64 = 86_400;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::client_tls::ClientTlsFiles;

    #[test]
    fn certificates_are_warned_of_a_month_before_they_end() {
        const END: i64 = 2_208_988_800;
        const DAY: i64 = 86_400;
        let of = |certificate, left: i64| {
            let ends = [CertificateExpiry {
                certificate,
                whose: None,
                ends: END,
            }];
            let all = certificates(&ends, END - left);
            let mut found = all.into_iter().map(|one| (one.warning, one.key, one.what));
            let first = found.next();
            assert_eq!(found.next(), None);
            first
        };
        let listener = |left| of(HeldCertificate::ClientListener, left);
        for left in [400 * DAY, 31 * DAY, 30 * DAY] {
            assert_eq!(listener(left), None, "{left}");
        }
        for (left, days) in [(30 * DAY - 1, 29), (DAY, 1), (1, 0)] {
            let (warning, key, what) = listener(left).unwrap();
            assert_eq!(warning, SettingsWarning::CertificateExpiresSoon);
            assert_eq!(key, "client.tls.certificate");
            let wanted = format!("expires at 2040-01-01T00:00:00Z, in {days} days: renew it");
            assert!(what.contains(&wanted), "{what}");
        }
        for left in [0, -1, -400 * DAY, i64::MIN / 2] {
            let (warning, _, what) = listener(left).unwrap();
            assert_eq!(warning, SettingsWarning::CertificateExpired, "{left}");
            assert!(
                what.contains("has expired at 2040-01-01T00:00:00Z"),
                "{what}"
            );
        }
        for (certificate, key) in [
            (HeldCertificate::ClientAuthority, "client.tls.client_ca"),
            (HeldCertificate::UpstreamClient, "upstream.tls.certificate"),
            (
                HeldCertificate::UpstreamAuthority,
                "upstream.tls.root_certificate",
            ),
        ] {
            assert_eq!(of(certificate, 0).unwrap().1, key);
        }
    }

    #[test]
    fn roles_are_told_where_the_settings_use_them() {
        let role = |name: &str, is_superuser, owned| LoginRole {
            name: name.into(),
            is_superuser,
            owned,
        };
        let roles = [
            role("ann", false, 0),
            role("boss", true, 3),
            role("maker", false, 1),
            role("root", true, 0),
        ];
        let agent = include_str!("../../policies/agent.yaml");
        let policy = Policy::from_yaml(&format!("{agent}\nmatch: {{user: ann}}\n")).unwrap();
        let set = PolicySet::only(Arc::new(policy));
        let of = |names: &[&str], clients_are_themselves| {
            let upstream = names.iter().map(|name| (*name).to_owned()).collect();
            let known = UpstreamIdentities {
                upstream,
                clients_are_themselves,
                clients: Some(Vec::new()),
                databases: Vec::new(),
            };
            let all = of_roles(&known, &set, &roles).into_iter();
            let all = all.map(|one| {
                let names = one.what.split(' ').filter(|word| word.starts_with('"'));
                format!("{} {}", one.warning.name(), names.collect::<String>())
            });
            all.collect::<Vec<_>>().join("; ")
        };
        assert_eq!(of(&[], false), "");
        assert_eq!(of(&["ann", "nobody"], false), "");
        assert_eq!(of(&["root"], false), "upstream_superuser \"root\"");
        assert_eq!(of(&["maker"], false), "upstream_owner \"maker\"");
        let boss = "upstream_superuser \"boss\"; upstream_owner \"boss\"";
        assert_eq!(of(&["boss", "ann"], false), boss);
        let all = "user_without_policy \"boss\",\"maker\",\"root\",";
        assert_eq!(of(&["ann"], true), all);
    }

    #[test]
    fn databases_that_are_not_there_are_told() {
        let agent = include_str!("../../policies/agent.yaml");
        let elsewhere = [Glob::new("tenant_*")];
        let told = |wanted: &str| {
            let text = format!("{agent}\nmatch: {{database: {wanted}}}\n");
            let set = PolicySet::only(Arc::new(Policy::from_yaml(&text).unwrap()));
            let all = of_databases(&set, &["sales".into(), "stock".into()], &elsewhere).into_iter();
            let all = all.map(|one| {
                assert_eq!(one.warning, SettingsWarning::DatabaseUnknown);
                format!("{}: {}", one.key, one.what)
            });
            all.collect::<Vec<_>>()
        };
        for known in [
            "sales",
            "[sales, stock]",
            "'s*'",
            "'*'",
            "[tenant_7, 'tenant_*']",
            "'t*'",
        ] {
            assert_eq!(told(known), [""; 0], "{known}");
        }
        let first =
            "policy.file: policy agent: match.database: no database of the server is called";
        assert_eq!(
            told("[salse, 'x*', stock]"),
            [
                format!("{first} salse; did you mean sales?"),
                format!("{first} x*")
            ]
        );
    }

    #[test]
    fn users_and_roles_in_match_that_are_not_there_are_told() {
        let agent = include_str!("../../policies/agent.yaml");
        let told = |wanted: &str, clients: Option<&[&str]>| {
            let text = format!("{agent}\nmatch: {{{wanted}}}\n");
            let set = PolicySet::only(Arc::new(Policy::from_yaml(&text).unwrap()));
            let named = |names: &&[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let known = UpstreamIdentities {
                clients: clients.as_ref().map(named),
                ..UpstreamIdentities::default()
            };
            let roles = ["reader".to_owned(), "analysts".to_owned()];
            let all = of_match(&known, &set, &roles).into_iter();
            let all = all.map(|one| format!("{}: {}: {}", one.warning.name(), one.key, one.what));
            all.collect::<Vec<_>>()
        };
        let listed = Some(&["agent_7"][..]);
        for fits in [
            "user: reader",
            "user: [agent_7, 'a*', '*']",
            "role_member: [reader, 'ana*']",
            "database: nowhere",
        ] {
            assert_eq!(told(fits, listed), [""; 0], "{fits}");
        }
        let unknown = "user_unknown: policy.file: policy agent: match.user: raeder is no role of \
                       the server and no user of the settings; did you mean reader?";
        assert_eq!(told("user: [raeder, reader]", listed), [unknown]);
        assert_eq!(told("user: agent_7", Some(&[])).len(), 1);
        // Whom an issuer names is not known.
        assert_eq!(told("user: raeder", None), [""; 0]);
        let unknown = "role_unknown: policy.file: policy agent: match.role_member: no role of the \
                       server is called analyst: nobody is a member of it; did you mean analysts?";
        assert_eq!(told("role_member: analyst", None), [unknown]);
    }

    #[test]
    fn addresses_that_others_reach_in_clear_are_told() {
        let told = |address: &str, tls: &ClientTlsSettings| {
            let listen = [ListenAddress::Tcp(address.parse().unwrap())];
            let mut found = listening(&listen, tls).into_iter();
            let first = found.next()?;
            assert_eq!(first.warning, SettingsWarning::ListeningWithoutTls);
            assert_eq!(first.key, "listen");
            assert!(first.what.starts_with(address), "{}", first.what);
            Some(())
        };
        let files = ClientTlsFiles {
            certificate: "x".into(),
            key: "y".into(),
            client_ca: None,
        };
        let allow = ClientTlsSettings::Allow(files);
        for open in ["0.0.0.0:6432", "[::]:6432", "10.1.2.3:1", "[2001:db8::1]:1"] {
            assert_eq!(told(open, &ClientTlsSettings::Off), Some(()), "{open}");
            assert_eq!(told(open, &allow), None, "{open}");
        }
        for own in [
            "127.0.0.1:6432",
            "127.9.9.9:1",
            "[::1]:6432",
            "[::ffff:127.0.0.1]:1",
        ] {
            assert_eq!(told(own, &ClientTlsSettings::Off), None, "{own}");
        }
        let socket = [ListenAddress::Unix("/run/x".into())];
        assert_eq!(listening(&socket, &ClientTlsSettings::Off), []);
    }

    #[test]
    fn an_audit_with_texts_is_told() {
        let told = |recipients: &[&str]| {
            let recipients = recipients
                .iter()
                .map(|one| TextRecipient::parse(one).unwrap());
            recorded_texts(&recipients.collect::<Vec<_>>())
        };
        assert_eq!(told(&[]), None);
        let [one, two] = [
            "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa",
            "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
        ];
        for (recipients, named) in [(&[one][..], "of one recipient"), (&[one, two], "of 2 ")] {
            let found = told(recipients).unwrap();
            assert_eq!(found.warning, SettingsWarning::TextsRecorded);
            assert_eq!(found.key, "audit.text");
            assert!(found.what.contains(named), "{}", found.what);
        }
    }

    #[test]
    fn a_capture_is_told() {
        assert_eq!(captured_texts(None), None);
        let capture = CaptureSettings {
            file: "/x/c.jsonl".into(),
            bytes_max: 64 << 20,
        };
        let found = captured_texts(Some(&capture)).unwrap();
        assert_eq!(found.warning, SettingsWarning::CaptureInUse);
        assert_eq!(found.key, "capture.file");
        let wanted = "in /x/c.jsonl, up to 64MiB: ";
        assert!(found.what.contains(wanted), "{}", found.what);
    }

    #[test]
    fn users_whom_no_policy_is_for_are_named_up_to_a_bound() {
        let agent = include_str!("../../policies/agent.yaml");
        let policy = Policy::from_yaml(&format!("{agent}\nmatch: {{user: \"a*\"}}\n")).unwrap();
        let set = PolicySet::only(Arc::new(policy));
        let users = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| (*name).to_owned()).collect()
        };
        assert_eq!(unfit_users(&set, &[]), None);
        assert_eq!(unfit_users(&set, &users(&["ann", "a"])), None);
        let found = unfit_users(&set, &users(&["ann", "bob", "c\nd"])).unwrap();
        assert_eq!(found.warning, SettingsWarning::UserWithoutPolicy);
        assert_eq!(found.key, "client.auth.users");
        let wanted = "no policy matches \"bob\", \"c\\nd\": ";
        assert!(found.what.starts_with(wanted), "{}", found.what);
        let many: Vec<String> = (0..13).map(|number| format!("b{number:02}")).collect();
        let found = unfit_users(&set, &many).unwrap();
        assert!(
            found.what.contains("\"b09\" and 3 more: "),
            "{}",
            found.what
        );
        let everybody = PolicySet::only(Arc::new(Policy::agent()));
        assert_eq!(unfit_users(&everybody, &many), None);
    }
}
