//! Which server the settings are for, and which databases are led elsewhere or have another name
//! there. Who logs in is the same at all of them: one user, or each client's own.

use super::ImportWork;
use super::entry_split::{EntryFate, EntrySplit, FALLBACK, Lead};
use super::server_address::ServerAddress;
use crate::cli::import::configuration::{BouncerConfiguration, ConnectionEntry};
use crate::cli::import::known::Counterpart;
use crate::cli::import::known::connection_parameters::DATABASE;
use crate::cli::policy::rewrite::flow;
use crate::config::SettingsProblem;
use crate::policy::similar_names::nearest;
use crate::policy::yaml::tree::{YamlTree, YamlValue};
use crate::secret::Secret;

/// The server, and the databases that lead somewhere.
pub struct ChosenTarget<'c> {
    /// Where the names are that are not led elsewhere.
    pub address: ServerAddress,
    /// The user that everybody is, if one is given.
    pub user: Option<(&'c str, Option<&'c Secret>)>,
    /// The entry that says so.
    pub main: &'c ConnectionEntry,
    /// The entries that are carried over.
    pub entries: Vec<&'c ConnectionEntry>,
    /// Those among them that become entries of `databases`, in the order in which they count.
    pub routed: Vec<RoutedEntry<'c>>,
    /// The one entry that decides where entries differ: the one that was named, or the only one.
    pub only: Option<&'c ConnectionEntry>,
    /// The database that the address names, if it names one.
    pub database: Option<String>,
}

/// An entry whose name leads to another server, or to another name there, or that has a mode
/// or sizes of its own.
pub struct RoutedEntry<'c> {
    /// The entry.
    pub entry: &'c ConnectionEntry,
    /// Where it is.
    pub address: ServerAddress,
    /// The same as a URL with its database.
    pub url: String,
}

/// Chooses it, and notes what the other entries lose.
///
/// # Errors
/// There is no database, none of the name, or it is not clear which server is meant.
pub fn choose<'w>(work: &mut ImportWork<'w>) -> Result<ChosenTarget<'w>, Vec<SettingsProblem>> {
    let configuration = work.configuration;
    let all = &configuration.databases;
    let Some(first) = all.first() else {
        let place = "[databases]".to_owned();
        let what = "there is no database, so nowhere to lead to".to_owned();
        return Err(vec![SettingsProblem { place, what }]);
    };
    let fallback = all.iter().find(|entry| entry.name == FALLBACK);
    let named = match work.request.database {
        None => None,
        Some(name) => Some(named(name, all)?),
    };
    // What has no entry of its own is at the fallback's.
    let main = named.or(fallback).unwrap_or(first);
    let lead = Lead::of(main, configuration);
    let of_user = |entry: &ConnectionEntry| Lead::of(entry, configuration).user == lead.user;
    if named.is_none() && fallback.is_none() && !all.iter().all(of_user) {
        return Err(wrong(format!(
            "its entries lead to their servers as several users, and who logs in is the same for \
             all databases: name one for each pgsieve. {}",
            told(all, configuration)
        )));
    }
    let renames_all = fallback.is_some_and(|entry| {
        Lead::of(entry, configuration) == lead && entry.text("dbname").is_some()
    });
    let only = named.or_else(|| (all.len() == 1).then_some(first));
    let split = EntrySplit {
        configuration,
        lead: &lead,
        is_named: named.is_some(),
        renames_all,
        only,
    };
    let (entries, routed) = carried(work, &split);
    let target = ChosenTarget {
        database: database(main, work.request.database),
        only,
        address: lead.address,
        user: lead.user,
        main,
        entries,
        routed,
    };
    names(work, &target)?;
    for entry in &target.entries {
        parameters(work, entry);
    }
    Ok(target)
}

/// The entries that are carried over, and those of `databases`; notes the others.
fn carried<'w>(
    work: &mut ImportWork<'w>,
    split: &EntrySplit<'_>,
) -> (Vec<&'w ConnectionEntry>, Vec<RoutedEntry<'w>>) {
    let mut entries = Vec::new();
    let mut routed: Vec<RoutedEntry<'w>> = Vec::new();
    for entry in &work.configuration.databases {
        let exact = routed.iter().filter(|one| one.entry.name != FALLBACK);
        match split.fate(entry, exact.count()) {
            EntryFate::Main => entries.push(entry),
            EntryFate::Routed(address, url) => {
                entries.push(entry);
                routed.push(RoutedEntry {
                    entry,
                    address,
                    url,
                });
            }
            EntryFate::LeftOut(words) => {
                let words = format!(
                    "{words}. Here it leads to {}, as every name without an entry does, unless a \
                     policy keeps it out",
                    split.lead.told()
                );
                let subject = format!("[databases] {}", entry.name);
                let place = entry.place.to_string();
                work.draft.left_out(subject, &place, words);
            }
        }
    }
    // It fits every name.
    routed.sort_by_key(|one| one.entry.name == FALLBACK);
    (entries, routed)
}

/// The entry that holds for a name.
fn named<'c>(
    name: &str,
    all: &'c [ConnectionEntry],
) -> Result<&'c ConnectionEntry, Vec<SettingsProblem>> {
    let of = |name: &str| all.iter().find(|entry| entry.name == name);
    of(name).or_else(|| of(FALLBACK)).ok_or_else(|| {
        let near = nearest(name, all.iter().map(|entry| entry.name.as_str()));
        let near = near.map(|near| format!("; did you mean {near}?"));
        let near = near.unwrap_or_default();
        wrong(format!("[databases] has no such entry and no *{near}"))
    })
}

fn wrong(what: String) -> Vec<SettingsProblem> {
    let place = "--database".to_owned();
    vec![SettingsProblem { place, what }]
}

/// The database that the address names: the entry's, or a name that it is the fallback for.
fn database(main: &ConnectionEntry, asked: Option<&str>) -> Option<String> {
    let by_default = match main.name == FALLBACK {
        true => asked.filter(|name| *name != FALLBACK),
        false => Some(main.name.as_str()),
    };
    main.text("dbname").or(by_default).map(str::to_owned)
}

/// Whether only some names of databases lead somewhere.
fn names(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>) -> Result<(), Vec<SettingsProblem>> {
    if target.entries.iter().any(|entry| entry.name == FALLBACK) {
        return Ok(());
    }
    let is_pattern = |entry: &&&ConnectionEntry| entry.name.contains(FALLBACK);
    let names = target.entries.iter().filter(|entry| !is_pattern(entry));
    let names: Vec<String> = names.map(|entry| entry.name.clone()).collect();
    let Some(policy) = &mut work.policy else {
        let list = names.iter().map(|name| YamlTree::word(name)).collect();
        let list = flow(&YamlValue::List(list));
        let words = format!(
            "through pgsieve clients reach every database of the server that lets them in; a \
             policy with `match: {{database: {list}}}` keeps to those that are listed (--policy \
             FILE writes one)"
        );
        work.draft.left_out("[databases]", "", words);
        return Ok(());
    };
    if names.is_empty() {
        let place = "--policy".to_owned();
        let what = "no name of [databases] can stand in a policy: each would be a pattern there";
        let what = what.to_owned();
        return Err(vec![SettingsProblem { place, what }]);
    }
    policy.databases = names;
    for entry in target.entries.iter().filter(is_pattern) {
        let words = "its name would be a pattern in `match` of the policy, which fits other names \
                     as well: no session there is let in";
        let subject = format!("[databases] {}", entry.name);
        let place = entry.place.to_string();
        work.draft.left_out(subject, &place, words);
    }
    Ok(())
}

/// What an entry says that is not carried over by other parts.
fn parameters(work: &mut ImportWork<'_>, entry: &ConnectionEntry) {
    let place = entry.place.to_string();
    let subject = |name: &str| format!("[databases] {}: {name}", entry.name);
    if ServerAddress::of(entry, work.configuration).is_cut() {
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

/// Where each entry leads.
fn told(all: &[ConnectionEntry], configuration: &BouncerConfiguration) -> String {
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

/// Entries that are told.
const TOLD_MAX: usize = 20;

/// What Postgres takes for UTF8.
const UTF8_NAMES: &[&str] = &["utf8", "utf-8", "unicode"];
