//! Which server the settings are for: pgsieve fronts one, with all its databases, as one user or as
//! each client's own.

use super::ImportWork;
use crate::cli::import::configuration::{BouncerConfiguration, ConnectionEntry};
use crate::cli::import::known::connection_parameters::DATABASE;
use crate::cli::import::known::settings::SETTINGS;
use crate::cli::import::known::{Counterpart, KnownSetting};
use crate::cli::import::value_form;
use crate::config::SettingsProblem;
use crate::policy::similar_names::nearest;
use crate::secret::Secret;

/// The server, and the databases that lead to it.
pub struct ChosenTarget<'c> {
    /// What `host` says: a name, an address, the folder of a socket, or a list.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The user that everybody is there, if one is given.
    pub user: Option<(&'c str, Option<&'c Secret>)>,
    /// The entries that lead there.
    pub entries: Vec<&'c ConnectionEntry>,
    /// The one entry that decides where entries differ: the one that was named, or the only one.
    pub only: Option<&'c ConnectionEntry>,
    /// The database that the address names, if it names one.
    pub database: Option<String>,
}

/// Chooses it, and notes what the other entries lose.
///
/// # Errors
/// There is no database, none of the name, or it is not clear which server is meant.
pub fn choose<'w>(work: &mut ImportWork<'w>) -> Result<ChosenTarget<'w>, Vec<SettingsProblem>> {
    let configuration = work.configuration;
    let all: Vec<&ConnectionEntry> = configuration.databases.iter().collect();
    let wrong = |what: String| {
        let place = "--database".to_owned();
        Err(vec![SettingsProblem { place, what }])
    };
    let Some(first) = all.first() else {
        let place = "[databases]".to_owned();
        let what = "there is no database, so nowhere to lead to".to_owned();
        return Err(vec![SettingsProblem { place, what }]);
    };
    let fallback = all.iter().find(|entry| entry.name == FALLBACK);
    let named = match work.request.database {
        None => None,
        Some(name) => match all.iter().find(|entry| entry.name == name).or(fallback) {
            Some(entry) => Some(*entry),
            None => {
                let near = nearest(name, all.iter().map(|entry| entry.name.as_str()));
                let near = near.map(|near| format!("; did you mean {near}?"));
                let near = near.unwrap_or_default();
                return wrong(format!("[databases] has no such entry and no *{near}"));
            }
        },
    };
    let leads = |entry: &'w ConnectionEntry| Lead::of(entry, configuration);
    let lead = leads(named.unwrap_or(first));
    let (own, others): (Vec<&ConnectionEntry>, Vec<&ConnectionEntry>) =
        all.iter().partition(|entry| leads(entry) == lead);
    if named.is_none() && !others.is_empty() {
        return wrong(format!(
            "its entries lead to several servers, or as several users: name one for each pgsieve. \
             {}",
            told(&all, configuration)
        ));
    }
    for entry in others {
        let subject = format!("[databases] {}", entry.name);
        let words = format!(
            "leads elsewhere ({}): it needs a pgsieve of its own, from --database {}",
            leads(entry).told(),
            entry.name
        );
        let place = entry.place.to_string();
        work.draft.left_out(subject, &place, words);
    }
    let only = named.or_else(|| (all.len() == 1).then_some(*first));
    let Lead {
        host, port, user, ..
    } = leads(named.unwrap_or(first));
    let database = match (work.request.database, named.unwrap_or(first)) {
        (Some(name), entry) if entry.name == FALLBACK && name != FALLBACK => {
            Some(entry.text("dbname").unwrap_or(name).to_owned())
        }
        (_, entry) if entry.name == FALLBACK => entry.text("dbname").map(str::to_owned),
        (_, entry) => Some(entry.text("dbname").unwrap_or(&entry.name).to_owned()),
    };
    let target = ChosenTarget {
        host,
        port,
        user,
        entries: own,
        only,
        database,
    };
    names(work, &target);
    for entry in &target.entries {
        parameters(work, entry);
    }
    Ok(target)
}

/// Whether only some names of databases lead somewhere.
fn names(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>) {
    let mut names = Vec::new();
    for entry in &target.entries {
        if entry.name == FALLBACK {
            return;
        }
        names.push(entry.text("dbname").unwrap_or(&entry.name).to_owned());
    }
    let list = names.join(", ");
    match &mut work.policy {
        Some(policy) => policy.databases = names,
        None => work.draft.left_out(
            "[databases]",
            "",
            format!(
                "through pgsieve clients reach every database of the server that lets them in; a \
                 policy with `match: {{database: [{list}]}}` keeps to those that are listed \
                 (--policy FILE writes one)"
            ),
        ),
    }
}

/// What an entry says that is not carried over by other parts.
fn parameters(work: &mut ImportWork<'_>, entry: &ConnectionEntry) {
    let place = entry.place.to_string();
    let subject = |name: &str| format!("[databases] {}: {name}", entry.name);
    if entry.text("dbname").is_some_and(|name| name != entry.name) {
        let words = "pgsieve has no other names for databases: clients have to name the one of the \
                     server";
        work.draft.left_out(subject("dbname"), &place, words);
    }
    let is_socket = |host: &str| host.contains(',') && host.contains('/');
    if entry.text("host").is_some_and(is_socket) {
        let words = "a list with a socket in it: pgsieve takes the first of them";
        work.draft.left_out(subject("host"), &place, words);
    }
    for (known, value) in entry.changed(DATABASE) {
        let is_utf8 = || UTF8_NAMES.contains(&value.to_ascii_lowercase().as_str());
        match known.counterpart {
            _ if known.name == "client_encoding" && is_utf8() => {}
            Counterpart::Nothing => {
                let words = format!("no counterpart: {}", known.doc);
                work.draft.left_out(subject(known.name), &place, words);
            }
            Counterpart::Otherwise => work.draft.differs(subject(known.name), &place, known.doc),
            Counterpart::Key(_) | Counterpart::Policy(_) | Counterpart::Unneeded => {}
        }
    }
}

/// Where an entry leads.
#[derive(PartialEq, Eq)]
struct Lead<'c> {
    host: String,
    port: u16,
    user: Option<(&'c str, Option<&'c Secret>)>,
}

impl<'c> Lead<'c> {
    fn of(entry: &'c ConnectionEntry, configuration: &BouncerConfiguration) -> Self {
        let folder = || match configuration.text("unix_socket_dir") {
            "" => KnownSetting::named(SETTINGS, "unix_socket_dir").map_or("", |own| own.default),
            folder => folder,
        };
        let port = entry.text("port").map(value_form::leading_count);
        let port = port.and_then(|port| u16::try_from(port).ok());
        Self {
            host: entry.text("host").unwrap_or_else(folder).to_owned(),
            port: port.unwrap_or(POSTGRES_PORT),
            user: entry
                .text("user")
                .map(|user| (user, entry.password.as_ref())),
        }
    }

    fn told(&self) -> String {
        let user = self.user.map(|(user, _)| format!(" as {user}"));
        format!("{}:{}{}", self.host, self.port, user.unwrap_or_default())
    }
}

/// Where each entry leads.
fn told(all: &[&ConnectionEntry], configuration: &BouncerConfiguration) -> String {
    let told = all.iter().take(TOLD_MAX).map(|entry| {
        let lead = Lead::of(entry, configuration);
        format!("{}: {}", entry.name, lead.told())
    });
    let more = match all.len() > TOLD_MAX {
        true => "; and more",
        false => "",
    };
    format!("{}{more}", told.collect::<Vec<_>>().join("; "))
}

/// The entry for names that have none.
pub const FALLBACK: &str = "*";

/// Entries that are told.
const TOLD_MAX: usize = 20;

/// The port of an entry that names none.
const POSTGRES_PORT: u16 = 5432;

/// What Postgres takes for UTF8.
const UTF8_NAMES: &[&str] = &["utf8", "utf-8", "unicode"];
