//! What libpq's programs take from elsewhere where a connection string does not say it: the
//! service file (PGSERVICE), the environment (PGHOST, PGPASSWORD …) and the password file. It
//! counts for a database that `--upstream` names, and for nothing that a settings file does.
//!
//! The order is libpq's: the address itself, the service, the environment, the password file.
//!
//! <https://www.postgresql.org/docs/current/libpq-envars.html>

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::config::value_reader::KeyReader;
use crate::limits::CONFIG_FILE_BYTES_MAX;
use crate::policy::similar_names::nearest;
use crate::secret::Secret;
use crate::text_file;
use crate::upstream::address::{Endpoint, UpstreamSettings};

/// What an address is completed with.
#[derive(Default)]
pub struct LibpqDefaults {
    /// Parameters of libpq; of several of one name the first counts.
    pub words: Vec<(&'static str, String)>,
    /// The variables that they come from.
    pub variables: Vec<&'static str>,
    password: Option<Secret>,
}

impl LibpqDefaults {
    /// Those of the environment. None where something there cannot be meant; that is noted.
    pub fn of(reader: &mut KeyReader) -> Option<Self> {
        let mut defaults = Self::default();
        let mut sound = true;
        for (name, why) in UNKNOWN {
            let value = reader.variable(name);
            if value.is_some_and(|value| value.reveal() != "prefer" && value.reveal() != "disable")
            {
                reader.note(name, format!("pgsieve cannot {why}: unset it"));
                sound = false;
            }
        }
        if let Some(name) = reader.variable("PGSERVICE") {
            let name = name.reveal().to_owned();
            match service(reader, &name) {
                Ok(entries) => sound &= defaults.take(reader, &name, entries),
                Err(what) => {
                    reader.note("PGSERVICE", what);
                    sound = false;
                }
            }
        }
        for (variable, parameter) in VARIABLES {
            if let Some(value) = reader.variable(variable) {
                defaults.variables.push(variable);
                defaults.words.push((parameter, value.reveal().to_owned()));
            }
        }
        let password = reader.variable("PGPASSWORD");
        defaults.password = defaults.password.or(password);
        sound.then_some(defaults)
    }

    /// The entries of a service.
    fn take(
        &mut self,
        reader: &mut KeyReader,
        service: &str,
        entries: Vec<(String, String)>,
    ) -> bool {
        let mut sound = true;
        self.variables.push("PGSERVICE");
        for (name, value) in entries {
            let known = VARIABLES.iter().find(|(_, known)| *known == name);
            match (known, name.as_str()) {
                (Some((_, known)), _) => self.words.push((known, value)),
                (None, "password") => self.password = Some(Secret::new(&value)),
                (None, name) if HARMLESS.contains(&name) => {}
                (None, _) => {
                    let known = VARIABLES.iter().map(|(_, known)| *known);
                    let near = nearest(&name, known);
                    let near = near.map_or_else(String::new, |near| format!(" (is it {near}?)"));
                    let what = format!("service {service}: {name} has no meaning here{near}");
                    reader.note("PGSERVICE", what);
                    sound = false;
                }
            }
        }
        sound
    }

    /// The password for an address that has none.
    pub fn password(
        &mut self,
        reader: &mut KeyReader,
        settings: &UpstreamSettings,
    ) -> Option<Secret> {
        if let Some(password) = self.password.take() {
            return Some(password);
        }
        let user = settings.user.as_deref()?;
        let database = settings.database.as_deref().unwrap_or(user);
        let (host, port) = match &settings.endpoint {
            Endpoint::Tcp { host, port } => (host.clone(), *port),
            Endpoint::Unix { folder, port } if SOCKET_FOLDERS.iter().any(|own| folder == *own) => {
                ("localhost".to_owned(), *port)
            }
            Endpoint::Unix { folder, port } => (folder.display().to_string(), *port),
        };
        let path = path(reader, "PGPASSFILE", ".pgpass")?;
        reader.note_file(&path, "--upstream");
        // As libpq does it: one that others can read, or that is no file, does not count.
        let found = fs::metadata(&path).ok()?;
        if !found.is_file() || found.mode() & 0o077 != 0 {
            return None;
        }
        let text = text_file::read(&path, CONFIG_FILE_BYTES_MAX).ok()?;
        let port = port.to_string();
        let wanted = [host.as_str(), &port, database, user];
        text.lines().find_map(|line| password_in(line, &wanted))
    }
}

/// The password of a line, where the line is for all of these.
fn password_in(line: &str, wanted: &[&str]) -> Option<Secret> {
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line;
    for wanted in wanted {
        let (field, behind) = field(rest)?;
        if rest.split(':').next() != Some("*") && field != *wanted {
            return None;
        }
        rest = behind;
    }
    let password = unescaped(rest);
    (!password.is_empty()).then(|| Secret::new(&password))
}

/// The next field, and what is behind its colon.
fn field(text: &str) -> Option<(String, &str)> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ':' => return Some((unescaped(text.get(..at)?), text.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

/// Without the backslashes that stand before what is meant as it stands.
fn unescaped(text: &str) -> String {
    let (mut plain, mut letters) = (String::new(), text.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.extend(letters.next()),
            letter => plain.push(letter),
        }
    }
    plain
}

/// The entries of a service, from the user's own file, else from the system's.
fn service(reader: &KeyReader, name: &str) -> Result<Vec<(String, String)>, String> {
    let own = path(reader, "PGSERVICEFILE", ".pg_service.conf");
    let of_system = reader.variable("PGSYSCONFDIR");
    let of_system = of_system.map(|folder| Path::new(folder.reveal()).join("pg_service.conf"));
    let is_named = reader.variable("PGSERVICEFILE").is_some();
    let mut looked = Vec::new();
    for path in own.into_iter().chain(of_system) {
        match text_file::read(&path, CONFIG_FILE_BYTES_MAX) {
            Ok(text) => {
                if let Some(entries) = entries_of(&text, name) {
                    return Ok(entries);
                }
                looked.push(path.display().to_string());
            }
            Err(fault) if is_named && looked.is_empty() => {
                let told = fault.describe(&path);
                return Err(format!("the service file cannot be read: {told}"));
            }
            Err(_) => {}
        }
    }
    Err(match looked.is_empty() {
        true => "there is no service file: PGSERVICEFILE or ~/.pg_service.conf".to_owned(),
        false => format!("no service of this name is in {}", looked.join(" and ")),
    })
}

fn entries_of(text: &str, service: &str) -> Option<Vec<(String, String)>> {
    let mut found: Option<Vec<(String, String)>> = None;
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            if found.is_some() {
                break;
            }
            if rest.split(']').next() == Some(service) {
                found = Some(Vec::new());
            }
            continue;
        }
        if let (Some(entries), Some((name, value))) = (&mut found, line.split_once('=')) {
            entries.push((name.trim_end().to_owned(), value.trim_start().to_owned()));
        }
    }
    found
}

/// The file that a variable names, else the one of that name at home.
fn path(reader: &KeyReader, variable: &str, at_home: &str) -> Option<PathBuf> {
    match reader.variable(variable) {
        Some(path) => Some(PathBuf::from(path.reveal())),
        None => {
            let home = reader.variable("HOME")?;
            Some(Path::new(home.reveal()).join(at_home))
        }
    }
}

/// The variables that complete an address, and the parameters that they stand for.
const VARIABLES: &[(&str, &str)] = &[
    ("PGHOST", "host"),
    ("PGPORT", "port"),
    ("PGDATABASE", "dbname"),
    ("PGUSER", "user"),
    ("PGSSLMODE", "sslmode"),
    ("PGSSLROOTCERT", "sslrootcert"),
    ("PGSSLCERT", "sslcert"),
    ("PGSSLKEY", "sslkey"),
];

/// Variables that ask for more care than pgsieve takes; without them it would go on with less than
/// was asked for.
const UNKNOWN: &[(&str, &str)] = &[
    ("PGCHANNELBINDING", "insist on channel binding"),
    ("PGREQUIREAUTH", "insist on a method of logging in"),
    ("PGSSLCRL", "read lists of revoked certificates"),
    ("PGSSLCRLDIR", "read lists of revoked certificates"),
    ("PGHOSTADDR", "take an address beside the host's name"),
    ("PGGSSENCMODE", "encrypt by GSSAPI"),
];

/// Parameters of a service that change nothing of where a connection goes and how it is kept safe.
const HARMLESS: &[&str] = &[
    "application_name",
    "client_encoding",
    "connect_timeout",
    "fallback_application_name",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "tcp_user_timeout",
];

/// Where servers put their sockets: the password file calls these localhost.
const SOCKET_FOLDERS: &[&str] = &["/var/run/postgresql", "/run/postgresql", "/tmp"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_password_file_are_read_as_libpq_does() {
        let of = |line: &str| {
            let found = password_in(line, &["db.example.org", "5432", "sales", "a:b"]);
            found.map(|password| password.reveal().to_owned())
        };
        let wanted = Some("x".to_owned());
        for line in [
            "db.example.org:5432:sales:a\\:b:x",
            "*:*:*:*:x",
            "*:5432:*:a\\:b:\\x",
        ] {
            assert_eq!(of(line), wanted, "{line}");
        }
        assert_eq!(of("*:*:*:*:x:y\\:z\\\\"), Some("x:y:z\\".to_owned()));
        for other in [
            "#*:*:*:*:x",
            "*:5433:*:*:x",
            "*:*:*:*",
            "*:*:*:*:",
            "\\*:*:*:*:x",
            "*:*:sale*:*:x",
            "",
            "db:5432:sales:a\\:b:x",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn services_are_read_as_libpq_does() {
        let text =
            "# a = b\n\n[one]\nhost=h\n port = 1\n#user=x\n[two]\nhost=other\n[one]\nuser=u\n";
        let pairs = |all: &[(&str, &str)]| {
            let owned = all.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
            Some(owned.collect::<Vec<_>>())
        };
        assert_eq!(
            entries_of(text, "one"),
            pairs(&[("host", "h"), ("port", "1")])
        );
        assert_eq!(entries_of(text, "two"), pairs(&[("host", "other")]));
        assert_eq!(entries_of(text, "three"), None);
        assert_eq!(entries_of("host=h\n", ""), None);
    }
}
