//! Which entries of `[databases]` become entries of `databases`, and which need none or cannot be.

use super::pooling;
use super::server_address::{ABSTRACT, ServerAddress};
use crate::cli::import::configuration::{BouncerConfiguration, ConnectionEntry};
use crate::limits::upstreams::DATABASES_MAX;
use crate::secret::Secret;
use crate::upstream::address::host_list::UpstreamAddress;

/// What becomes of an entry.
pub enum EntryFate {
    /// Its name leads to the same name at `upstream.url`, where it needs no entry of its own.
    Main,
    /// An entry of `databases`, with its address and the URL of that.
    Routed(ServerAddress, String),
    /// It is not there; why.
    LeftOut(String),
}

/// What decides that.
pub struct EntrySplit<'s> {
    /// What PgBouncer is told.
    pub configuration: &'s BouncerConfiguration,
    /// Where `upstream.url` leads.
    pub lead: &'s Lead<'s>,
    /// Whether one server was asked for.
    pub is_named: bool,
    /// Whether names without an entry lead to one database.
    pub renames_all: bool,
    /// The one entry that decides where entries differ.
    pub only: Option<&'s ConnectionEntry>,
}

impl EntrySplit<'_> {
    /// What becomes of an entry, where so many beside the fallback are entries of
    /// `databases` already.
    pub fn fate(&self, entry: &ConnectionEntry, routed: usize) -> EntryFate {
        let lead = Lead::of(entry, self.configuration);
        let is_there = lead.address == self.lead.address;
        let is_fallback = entry.name == FALLBACK;
        let database = match is_fallback {
            true => entry.text("dbname"),
            false => entry.text("dbname").filter(|name| *name != entry.name),
        };
        let told = lead.told();
        let own = format!(
            "it needs a pgsieve of its own, from --database {}",
            entry.name
        );
        if lead.user != self.lead.user {
            return EntryFate::LeftOut(format!(
                "leads elsewhere ({told}), and who logs in is the same for all databases: {own}"
            ));
        }
        if self.is_named && !is_there {
            return EntryFate::LeftOut(format!("leads elsewhere ({told}): {own}"));
        }
        let has_own = pooling::has_own(self.configuration, self.only, entry);
        let has_room = routed < DATABASES_MAX - usize::from(self.renames_all);
        let needs_entry = has_own && has_room && !entry.name.contains(FALLBACK);
        if is_there && database.is_none() && !self.renames_all && !needs_entry {
            return EntryFate::Main;
        }
        let database = database.unwrap_or(&entry.name);
        if !is_fallback && entry.name.contains(FALLBACK) {
            return EntryFate::LeftOut(format!(
                "leads to database {database} ({told}), and its name would be a pattern in \
                 `databases`, which fits other names as well"
            ));
        }
        // That of the fallback is the last.
        if !is_fallback && routed >= DATABASES_MAX - usize::from(self.renames_all) {
            return EntryFate::LeftOut(format!(
                "leads to database {database} ({told}), and there may be {DATABASES_MAX} entries \
                 of `databases`: {own}"
            ));
        }
        let address = lead.address;
        let Some(url) = address.url(None, database) else {
            return EntryFate::LeftOut(format!("leads elsewhere ({told}): {ABSTRACT}"));
        };
        match UpstreamAddress::parse_with(&url, &[]) {
            Ok(_) => EntryFate::Routed(address, url),
            Err(problems) => {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                let problems = problems.join(", ");
                EntryFate::LeftOut(format!(
                    "leads elsewhere ({told}), which no URL can say: {problems}"
                ))
            }
        }
    }
}

/// Where an entry leads, and as whom.
#[derive(PartialEq, Eq)]
pub struct Lead<'c> {
    /// Where.
    pub address: ServerAddress,
    /// The user, with the password where that is given.
    pub user: Option<(&'c str, Option<&'c Secret>)>,
}

impl<'c> Lead<'c> {
    /// That of an entry.
    pub fn of(entry: &'c ConnectionEntry, configuration: &BouncerConfiguration) -> Self {
        Self {
            address: ServerAddress::of(entry, configuration),
            user: entry
                .text("user")
                .map(|user| (user, entry.password.as_ref())),
        }
    }

    /// For people.
    pub fn told(&self) -> String {
        let user = self.user.map(|(user, _)| format!(" as {user}"));
        format!("{}{}", self.address.told(), user.unwrap_or_default())
    }
}

/// The entry for names that have none.
pub const FALLBACK: &str = "*";
