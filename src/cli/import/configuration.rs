//! A configuration of PgBouncer as its lines mean it: the settings that hold, and the databases,
//! users and peers. Reports every fault at once, each with its line and never with the value.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::connection_string;
use super::ini::{self, IniLine, IniPlace};
use super::known::{KnownSetting, connection_parameters, settings};
use super::value_form;
use crate::config::SettingsProblem;
use crate::policy::similar_names::nearest;
use crate::secret::Secret;

/// What a file and those that it includes say.
#[derive(Default)]
pub struct BouncerConfiguration {
    given: BTreeMap<&'static str, (String, IniPlace)>,
    /// The databases in their order, the fallback `*` among them.
    pub databases: Vec<ConnectionEntry>,
    /// The users that have settings of their own.
    pub users: Vec<ConnectionEntry>,
    /// The other processes that cancels are passed on to.
    pub peers: Vec<ConnectionEntry>,
    /// Names that PgBouncer is not known to have.
    pub unknown: Vec<UnknownName>,
}

/// An entry of `[databases]`, `[users]` or `[peers]`.
pub struct ConnectionEntry {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: IniPlace,
    given: BTreeMap<&'static str, String>,
    /// `password`.
    pub password: Option<Secret>,
}

/// A name that is in no table.
pub struct UnknownName {
    /// What it names, as it may be shown.
    pub subject: String,
    /// What it may have been meant for.
    pub near: Option<&'static str>,
    /// Where it stands.
    pub place: IniPlace,
}

/// Reads one.
///
/// # Errors
/// Every fault for which PgBouncer would not start.
pub fn read(path: &Path) -> Result<BouncerConfiguration, Vec<SettingsProblem>> {
    let lines = ini::read(path).map_err(|problem| vec![problem])?;
    let mut configuration = BouncerConfiguration::default();
    let mut faults = Vec::new();
    let mut section = None;
    let mut has_own = false;
    for line in lines {
        match line {
            IniLine::Section(name, place) => {
                let known = SECTIONS.iter().find(|known| **known == name);
                if known.is_none() {
                    let near = nearest(&name, SECTIONS.iter().copied());
                    let near = near.map(|near| format!("; did you mean [{near}]?"));
                    let what = format!("PgBouncer has no such section{}", near.unwrap_or_default());
                    faults.push(place.problem(&what));
                }
                section = Some(known.copied().unwrap_or_default());
                if section == Some(OWN) {
                    // Where it begins a second time, PgBouncer goes back to what holds by default.
                    configuration.given.clear();
                    has_own = true;
                }
            }
            IniLine::Value(name, value, place) => match section {
                None => faults.push(place.problem("stands before the first section")),
                Some("") => {}
                Some(section) => configuration.take(section, (name, value, place), &mut faults),
            },
        }
    }
    if !has_own && faults.is_empty() {
        faults.push(SettingsProblem {
            place: path.display().to_string(),
            what: "has no section [pgbouncer]".to_owned(),
        });
    }
    match faults.is_empty() {
        true => Ok(configuration),
        false => Err(faults),
    }
}

impl BouncerConfiguration {
    fn take(
        &mut self,
        section: &str,
        (name, value, place): (String, String, IniPlace),
        faults: &mut Vec<SettingsProblem>,
    ) {
        let table = match section {
            "databases" => connection_parameters::DATABASE,
            "users" => connection_parameters::USER,
            "peers" => connection_parameters::PEER,
            _ => {
                let Some(known) = KnownSetting::named(settings::SETTINGS, &name) else {
                    let names = settings::SETTINGS.iter().map(|known| known.name);
                    let near = nearest(&name, names);
                    let subject = name;
                    return self.unknown.push(UnknownName {
                        subject,
                        near,
                        place,
                    });
                };
                if let Some(fault) = known.form.fault(&value) {
                    faults.push(place.problem(&format!("{name}: {fault}")));
                }
                self.given.insert(known.name, (value, place));
                return;
            }
        };
        if section == "databases" && name == OWN {
            faults.push(place.problem("pgbouncer is the name of the console, and of no database"));
        }
        let (entry, unknown) = match entry(section, table, (name, &value, place)) {
            Ok(read) => read,
            Err(fault) => return faults.push(fault),
        };
        self.unknown.extend(unknown);
        let list = match section {
            "databases" => &mut self.databases,
            "users" => &mut self.users,
            _ => &mut self.peers,
        };
        match list.iter_mut().find(|other| other.name == entry.name) {
            Some(other) => *other = entry,
            None => list.push(entry),
        }
    }

    /// The value of a setting: as it is given, else what holds by default.
    pub fn text(&self, name: &str) -> &str {
        let given = self.given.get(name).map(|(value, _)| value.as_str());
        let known = || KnownSetting::named(settings::SETTINGS, name);
        given.unwrap_or_else(|| known().map_or("", |known| known.default))
    }

    /// The same as a number.
    pub fn count(&self, name: &str) -> i64 {
        value_form::count(self.text(name)).unwrap_or_default()
    }

    /// The same as a time.
    pub fn seconds(&self, name: &str) -> Duration {
        value_form::seconds(self.text(name)).unwrap_or_default()
    }

    /// The same as one of some words.
    pub fn choice(&self, name: &str, words: &[&'static str]) -> &'static str {
        value_form::choice(self.text(name), words).unwrap_or_default()
    }

    /// Whether a setting says something else than what holds by default, and where.
    pub fn changed(&self, known: &KnownSetting) -> Option<(&str, &IniPlace)> {
        let (value, place) = self.given.get(known.name)?;
        (!known.is_default(value)).then_some((value.as_str(), place))
    }

    /// Where a setting is given, if it is.
    pub fn place(&self, name: &str) -> Option<&IniPlace> {
        self.given.get(name).map(|(_, place)| place)
    }
}

impl ConnectionEntry {
    /// A parameter as it is given; none for the password.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    /// The same as a number.
    pub fn count(&self, name: &str) -> Option<i64> {
        self.text(name).map(value_form::leading_count)
    }

    /// The parameters that say something else than what holds by default.
    pub fn changed(&self, table: &'static [KnownSetting]) -> Vec<(&'static KnownSetting, &str)> {
        let given = table.iter().filter_map(|known| {
            let value = self.text(known.name)?;
            (!known.is_default(value)).then_some((known, value))
        });
        given.collect()
    }
}

/// An entry, and its parameters that are not known.
fn entry(
    section: &str,
    table: &'static [KnownSetting],
    (name, value, place): (String, &str, IniPlace),
) -> Result<(ConnectionEntry, Vec<UnknownName>), SettingsProblem> {
    let fault = |what: &str| place.problem(&format!("[{section}] {name}: {what}"));
    let pairs = connection_string::pairs(value).map_err(|pair| fault(&pair.to_string()))?;
    let mut given = BTreeMap::new();
    let mut password = None;
    let mut unknown = Vec::new();
    for (number, (key, value)) in pairs.into_iter().enumerate() {
        let Some(known) = KnownSetting::named(table, &key) else {
            // It may be a piece of a password with a blank in it.
            let near = nearest(&key, table.iter().map(|known| known.name));
            let subject = format!("[{section}] {name}: pair {}", number + 1);
            let place = place.clone();
            unknown.push(UnknownName {
                subject,
                near,
                place,
            });
            continue;
        };
        let is_port = known.name == "port";
        if is_port && !(1..=65_535).contains(&value_form::leading_count(&value)) {
            return Err(fault("port: a number from 1 to 65535 is wanted"));
        }
        if let value_form::ValueForm::Choice(_) = known.form
            && let Some(wanted) = known.form.fault(&value)
        {
            return Err(fault(&format!("{}: {wanted}", known.name)));
        }
        match known.name {
            "password" => password = Some(Secret::new(value)),
            name => {
                given.insert(name, value);
            }
        }
    }
    let entry = ConnectionEntry {
        name,
        place,
        given,
        password,
    };
    Ok((entry, unknown))
}

/// The section of PgBouncer's own settings.
const OWN: &str = "pgbouncer";

/// The sections that it has.
const SECTIONS: &[&str] = &[OWN, "databases", "users", "peers"];
