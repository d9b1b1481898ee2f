//! `databases`: those that are at servers of their own, each with its address.

use std::collections::BTreeMap;
use std::time::Duration;

use super::engine::{served_engine, unshared};
use super::{LAG_BOUNDS, MIN_LSN_BOUNDS, like};
use crate::config::pool::{self, PoolBase};
use crate::config::quantities::duration_within;
use crate::config::settings_key::{KeyForm, SettingsKey};
use crate::config::sources::ValueSource;
use crate::config::value_reader::{KeyReader, PlacedWord};
use crate::limits;
use crate::policy::access::Glob;
use crate::policy::yaml::tree::{YamlTree, YamlValue};
use crate::upstream::address::host_list::UpstreamAddress;
use crate::upstream::engine::EngineSetting;
use crate::upstream::pool::{PoolMode, PoolSizes};
use crate::upstream::servers::ServersSettings;
use crate::upstream::servers::directory::DatabaseRoute;

/// The databases that are elsewhere.
pub const DATABASES: SettingsKey = SettingsKey {
    path: "databases",
    form: KeyForm::Users,
    default: "none",
    doc: "Databases at servers of their own: a list of maps, of which the first whose name fits \
          counts. All others are at upstream.url, which also names who logs in.",
};

/// The keys of one database.
#[rustfmt::skip]
pub const DATABASE_KEYS: &[(&str, &str)] = &[
    ("name", "The name that clients have for it, or a pattern with *: tenant_*. Required."),
    ("url", "As upstream.url, without user and password. With a database: its name there, by default the client's. Required."),
    ("targets", "As upstream.targets."),
    ("lag_max", "As upstream.lag_max."),
    ("min_lsn_wait", "As upstream.min_lsn_wait."),
    ("engine", "As upstream.engine."),
    ("pool_mode", "As pool.mode, which holds where this is left out. PgBouncer's pool_mode."),
    ("pool_size", "As pool.size, which holds where this is left out. PgBouncer's pool_size."),
    ("pool_min", "As pool.min, and at most pool_size. PgBouncer's min_pool_size."),
    ("pool_reserve", "As pool.reserve. PgBouncer's reserve_pool_size."),
    ("max_db_connections", "As pool.max_db_connections; 0 for no bound. PgBouncer's max_db_connections."),
];

/// One database's words by key, and where it stands.
struct DatabaseEntry {
    place: String,
    words: BTreeMap<&'static str, PlacedWord>,
}

/// Every database; problems are noted.
pub fn databases(reader: &mut KeyReader, shared: PoolBase) -> Option<Vec<DatabaseRoute>> {
    let Some(given) = reader.take(DATABASES.path) else {
        return Some(Vec::new());
    };
    let list = match given.value {
        YamlValue::List(list) if list.len() <= limits::upstreams::DATABASES_MAX => list,
        YamlValue::List(_) => {
            let most = limits::upstreams::DATABASES_MAX;
            reader.note(&given.place, format!("at most {most} databases"));
            return None;
        }
        YamlValue::Nothing | YamlValue::Word(_) | YamlValue::Map(_) => {
            let what = "a list of databases is wanted, each as {name: sales, url: postgres://…}";
            reader.note(&given.place, what);
            return None;
        }
    };
    let count = list.len();
    let mut routes: Vec<DatabaseRoute> = Vec::new();
    for tree in list {
        let Some(entry) = entry(reader, &given.source, tree) else {
            continue;
        };
        let place = entry.place.clone();
        let Some(route) = entry.route(reader, shared) else {
            continue;
        };
        if let Some(earlier) = routes.iter().find(|one| one.names.covers(&route.names)) {
            let what = match earlier.names == route.names {
                true => "another database has this name",
                false => "a name before it fits all of these: it would never count",
            };
            reader.note(&place, what);
        }
        routes.push(route);
    }
    (routes.len() == count).then_some(routes)
}

fn entry(reader: &mut KeyReader, source: &ValueSource, tree: YamlTree) -> Option<DatabaseEntry> {
    let place = source.place(tree.place, DATABASES.path);
    let YamlValue::Map(entries) = tree.value else {
        let what = "a database is a map, as {name: sales, url: postgres://sales-db}";
        reader.note(&place, what);
        return None;
    };
    let words = reader.entry_words(source, (DATABASES.path, DATABASE_KEYS), entries);
    Some(DatabaseEntry { place, words })
}

impl DatabaseEntry {
    /// Where a key stands.
    fn place_of(&self, key: &str) -> String {
        let word = self.words.get(key);
        word.map_or_else(|| self.place.clone(), |word| word.place.clone())
    }

    fn take(&mut self, key: &str) -> Option<PlacedWord> {
        self.words.remove(key)
    }

    fn route(mut self, reader: &mut KeyReader, shared: PoolBase) -> Option<DatabaseRoute> {
        let (name, url) = (self.take("name"), self.take("url"));
        let (targets, lag_max) = (self.take("targets"), self.take("lag_max"));
        let min_lsn_wait = self.take("min_lsn_wait");
        let pool = self.pool(reader, shared);
        for (word, key) in [(&name, "name"), (&url, "url")] {
            if word.is_none() {
                reader.note(&self.place, format!("the database has no {key}"));
            }
        }
        let engine = engine_of(reader, self.take("engine"))?;
        let lag_max = match lag_max {
            None => limits::upstreams::LAG_MAX,
            Some(word) => bounded(reader, &word, LAG_BOUNDS)?,
        };
        let min_lsn_wait = match min_lsn_wait {
            None => limits::upstreams::MIN_LSN_WAIT,
            Some(word) => bounded(reader, &word, MIN_LSN_BOUNDS)?,
        };
        let (name, url, pool) = (name?, url?, pool?);
        let address = match targets {
            Some(word) => {
                let sign = if url.text.contains('?') { "&" } else { "?" };
                format!("{}{sign}target_session_attrs={}", url.text, word.text)
            }
            None => url.text,
        };
        let UpstreamAddress { servers, targets } = match UpstreamAddress::parse_with(&address, &[])
        {
            Ok(address) => address,
            Err(problems) => {
                for problem in problems {
                    reader.note(&url.place, problem.to_string());
                }
                return None;
            }
        };
        let mut servers = servers.into_iter();
        let first = servers.next()?;
        if first.user.is_some() || first.password.is_some() {
            let what = "names a user: who logs in is the same for all databases, and stands in \
                        upstream.url or client.auth";
            reader.note(&url.place, what);
            return None;
        }
        let tls = [first.tls.certificate(), first.tls.authority()];
        for file in tls.into_iter().flatten() {
            reader.note_file(file, &url.place);
        }
        if let Some(key) = first.tls.key() {
            reader.note_file(key, &url.place);
            reader.note_secret_file(key, &url.place);
        }
        let others = servers.map(|server| like(&first, server)).collect();
        Some(DatabaseRoute {
            names: Glob::new(&name.text),
            upstream: first,
            servers: ServersSettings {
                others,
                targets: targets.unwrap_or_default(),
                lag_max,
                min_lsn_wait,
                engine,
            },
            pool,
        })
    }

    /// The connections that sessions share in it.
    fn pool(&mut self, reader: &mut KeyReader, shared: PoolBase) -> Option<PoolSizes> {
        let mode = self.mode(reader, shared);
        let place = self.place_of("max_db_connections");
        let mut number = |key: &str, least: usize, most: usize| match self.words.remove(key) {
            None => Some(None),
            Some(word) => match pool::number_within(&word.text, (least, most)) {
                Ok(number) => Some(Some(number)),
                Err(what) => {
                    reader.note(&word.place, what);
                    None
                }
            },
        };
        let size = number("pool_size", 1, pool::SIZE_MAX);
        let most = size.flatten().unwrap_or(pool::SIZE_MAX);
        let min = number("pool_min", 0, most);
        let reserve = number("pool_reserve", 0, pool::SIZE_MAX);
        let database_max = number("max_db_connections", 0, pool::SIZE_MAX)?;
        let is_alone = mode?.or(shared.mode) == Some(PoolMode::Session);
        if is_alone && database_max.is_some_and(|most| most > 0) {
            reader.note(&place, pool::UNSHARED);
            return None;
        }
        Some(PoolSizes {
            mode: mode?,
            size: size?,
            min: min?,
            reserve: reserve?,
            database_max: database_max.map(pool::connections_max),
        })
    }

    /// Who has a connection for how long, where that can be so at its engine.
    fn mode(&mut self, reader: &mut KeyReader, shared: PoolBase) -> Option<Option<PoolMode>> {
        let word = self.take("pool_mode");
        let own = match &word {
            None => None,
            Some(word) => {
                let checked = shared.checked(&word.text);
                Some(
                    checked
                        .map_err(|what| reader.note(&word.place, what))
                        .ok()?,
                )
            }
        };
        let engine = self.words.get("engine");
        let setting = engine.and_then(|word| served_engine(&word.text).ok());
        let mode = own.or(shared.mode);
        let what = setting.and_then(|setting| unshared(setting, mode, "pool_mode of the database"));
        let Some(what) = what else {
            return Some(own);
        };
        let place = word.as_ref().or(engine).map(|word| word.place.clone());
        reader.note(&place.unwrap_or_default(), what);
        None
    }
}

fn engine_of(reader: &mut KeyReader, word: Option<PlacedWord>) -> Option<EngineSetting> {
    let Some(word) = word else {
        return Some(EngineSetting::Auto);
    };
    let named = served_engine(&word.text);
    named.map_err(|what| reader.note(&word.place, what)).ok()
}

fn bounded(
    reader: &mut KeyReader,
    word: &PlacedWord,
    bounds: (Duration, Duration),
) -> Option<Duration> {
    match duration_within(&word.text, bounds) {
        Ok(time) => Some(time),
        Err(what) => {
            reader.note(&word.place, what);
            None
        }
    }
}
