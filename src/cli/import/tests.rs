//! Configurations and what becomes of them, from `tests/data/pgbouncer`: every settings file that
//! is written is read back by pgsieve's own reader.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;

use super::configuration::{self, BouncerConfiguration, ConnectionEntry};
use super::draft::NoteKind;
use super::known::settings::SETTINGS;
use super::value_form::{self, ValueForm};
use super::{ImportFlags, import, read_back, run};
use crate::cli::CommandOutcome;
use crate::config::sources::{SettingsFile, SettingsSources};
use crate::config::{self, ProgramSettings};
use crate::demo::cluster::random_name;
use crate::limits::upstreams::DATABASES_MAX;
use crate::policy::yaml::tree::{self, YamlTree, YamlValue};

/// A configuration and what is wanted of it.
struct ImportCase {
    name: String,
    parts: BTreeMap<String, String>,
}

/// A folder that goes away with the case.
struct CaseFolder(PathBuf);

#[derive(Parser)]
struct CaseCommand {
    #[command(flatten)]
    flags: ImportFlags,
}

#[test]
fn what_is_written_from_the_documentation_is_carried_over() {
    assert_eq!(
        failed(include_str!("../../../tests/data/pgbouncer/cases.txt")),
        ""
    );
}

#[test]
fn what_others_have_published_is_carried_over() {
    assert_eq!(
        failed(include_str!("../../../tests/data/pgbouncer/held_out.txt")),
        ""
    );
}

/// What a PgBouncer has said of the same files, when it was asked.
#[test]
fn pgbouncer_reads_the_same() {
    let all = cases(include_str!("../../../tests/data/pgbouncer/agreement.txt"));
    assert_eq!(all.len(), 90);
    let mut told = String::new();
    for case in &all {
        let folder = CaseFolder::new();
        case.write(&folder);
        let said = match configuration::read(&folder.0.join("pgbouncer.ini")) {
            Ok(read) if read.unknown.is_empty() => said(&read),
            Ok(_) | Err(_) => "fault".to_owned(),
        };
        let wanted = match case.parts.contains_key("here") {
            true => case.part("here", &folder),
            false => case.part("said", &folder),
        };
        let difference = lines("said", &wanted, &said);
        if !difference.is_empty() {
            told.push_str(&format!("=== {}\n{difference}", case.name));
        }
    }
    assert_eq!(told, "");
}

/// A configuration as PgBouncer's console shows it.
fn said(read: &BouncerConfiguration) -> String {
    let mut said = String::new();
    for known in SETTINGS
        .iter()
        .filter(|known| !NOT_COMPARED.contains(&known.name))
    {
        let Some((value, _)) = read.changed(known) else {
            continue;
        };
        let value = match known.form {
            ValueForm::Text => value.to_owned(),
            ValueForm::Count => value_form::count(value).unwrap().to_string(),
            ValueForm::Seconds => {
                let span = value_form::seconds(value).unwrap();
                span.as_secs_f64().to_string()
            }
            ValueForm::Choice(words) => value_form::choice(value, words).unwrap().to_owned(),
        };
        said.push_str(&format!("C {} {value}\n", known.name));
    }
    for entry in read.databases.iter().filter(|entry| entry.name != "*") {
        said.push_str(&row(read, entry));
    }
    said
}

/// The row of a database.
fn row(read: &BouncerConfiguration, entry: &ConnectionEntry) -> String {
    let own = |name: &str| entry.text(name).unwrap_or_default().to_owned();
    let number = |names: &[&str], global: &str| {
        let own = names.iter().find_map(|name| entry.count(name));
        let own = own.filter(|own| *own >= 0);
        own.unwrap_or_else(|| read.count(global))
    };
    let words = [
        entry.name.clone(),
        own("host"),
        entry.count("port").unwrap_or(5432).to_string(),
        entry.text("dbname").unwrap_or(&entry.name).to_owned(),
        own("user"),
        number(&["pool_size"], "default_pool_size").to_string(),
        number(&["min_pool_size"], "min_pool_size").to_string(),
        number(&["reserve_pool"], "reserve_pool_size").to_string(),
        own("pool_mode").to_lowercase(),
        number(&["max_db_connections"], "max_db_connections").to_string(),
    ];
    format!("D {}\n", words.join("|"))
}

/// What stands in no file, a log or a note.
#[test]
fn secrets_are_kept_to_themselves() {
    let folder = CaseFolder::new();
    let ini = |line: &str| {
        let text = format!(
            "[databases]\na = host=localhost user=u password='cAnArY one' connect_query='cAnArY'\n\
             b = host=localhost user=u password='cAnArY one' datestyle=cAnArY\n{line}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nauth_file = {0}/users.txt\n\
             auth_query = cAnArY\npool_mode = transaction\nresolv_conf = cAnArY\n",
            folder.0.display()
        );
        let path = folder.0.join("pgbouncer.ini");
        fs::write(&path, text).unwrap();
        path
    };
    let users = "\"ann\" \"cAnArY\"\n\"bob\" \"md5cAnArY\"\n\"c\" \"cAnArY";
    fs::write(folder.0.join("users.txt"), users).unwrap();
    let flags = CaseCommand::parse_from(["import", "x"]).flags;
    let imported = import(&ini(""), &flags).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert!(!imported.text.contains("cAnArY"), "{}", imported.text);
    for note in imported.settings.draft.notes() {
        assert!(!format!("{}{}", note.subject, note.words).contains("cAnArY"));
    }
    for wrong in [
        "c = password=cAnArY cAnArY",
        "c = host='cAnArY",
        "c = port=cAnArY",
        "c = pool_mode=cAnArY",
        "cAnArY",
        "c = host=x password=my cAnArY=1",
        "[cAnArY]",
    ] {
        let told = match import(&ini(wrong), &flags) {
            Err(problems) => problems.iter().map(ToString::to_string).collect(),
            Ok(imported) => imported.text,
        };
        assert!(!told.contains("cAnArY"), "{told}");
    }
}

/// As many as there may be are carried over, the fallback behind all others, and the rest is told.
#[test]
fn more_databases_than_there_may_be_are_told() {
    let most = DATABASES_MAX;
    for (fallback, routed, left) in [
        ("", most, 6),
        ("* = host=h0\n", most, 6),
        ("* = host=h0 dbname=all\n", most - 1, 8),
    ] {
        let folder = CaseFolder::new();
        let path = folder.0.join("pgbouncer.ini");
        let databases: String = (0..most + 7)
            .map(|number| format!("d{number} = host=h{number}\n"))
            .collect();
        let text = format!(
            "[databases]\n{fallback}{databases}[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             unix_socket_dir =\nauth_type = any\n"
        );
        fs::write(&path, text).unwrap();
        let flags = CaseCommand::parse_from(["import", "x"]).flags;
        let imported = import(&path, &flags).unwrap_or_else(|problems| panic!("{problems:?}"));
        let notes = imported.of_kind(NoteKind::LeftOut);
        let subjects: Vec<&str> = notes.map(|note| note.subject.as_str()).collect();
        let names = subjects
            .iter()
            .filter(|one| one.starts_with("[databases] d"));
        assert_eq!(names.count(), left, "{fallback}{subjects:?}");
        let settings = loaded(&imported.text);
        let exact = settings.databases.iter().filter(|one| !one.names.is_wild());
        assert_eq!(exact.count(), routed, "{fallback}");
        assert_eq!(astray(&path, &imported.text, &subjects), "", "{fallback}");
    }
}

/// The page has the table that is printed.
#[test]
fn the_table_is_the_one_that_is_printed() {
    let page = include_str!("../../../docker/README.md");
    assert!(
        page.contains(&super::known::markdown()),
        "print it anew: pgsieve import --table"
    );
    for line in super::known::markdown().lines() {
        assert!(line.chars().count() <= 125, "{line}");
    }
    let names: Vec<&str> = SETTINGS.iter().map(|known| known.name).collect();
    assert!(names.is_sorted(), "{names:?}");
}

/// The cases that do not come out as wanted, each with the difference.
fn failed(text: &str) -> String {
    let cases = cases(text);
    let differences = cases.iter().map(|case| (case, case.difference()));
    let mut wrong = 0;
    let mut told = String::new();
    for (case, difference) in differences.filter(|(_, difference)| !difference.is_empty()) {
        wrong += 1;
        told.push_str(&format!("=== {}\n{difference}", case.name));
    }
    match wrong {
        0 => told,
        wrong => format!("{told}{wrong} of {} cases\n", cases.len()),
    }
}

impl ImportCase {
    /// A part, with the folder's own path.
    fn part(&self, name: &str, folder: &CaseFolder) -> String {
        let text = self.parts.get(name).cloned().unwrap_or_default();
        let path = format!("{}/", folder.0.display());
        let encoded = path.replace('/', "%2F");
        text.replace("@/", &path).replace("@%2F", &encoded)
    }

    /// Writes the parts that are files.
    fn write(&self, folder: &CaseFolder) {
        for name in self.parts.keys() {
            if !WANTED.contains(&name.as_str()) {
                fs::write(folder.0.join(name), self.part(name, folder)).unwrap();
            }
        }
    }

    fn difference(&self) -> String {
        let folder = CaseFolder::new();
        self.write(&folder);
        let part = |name: &str| self.part(name, &folder);
        let file = folder.0.join("pgbouncer.ini").display().to_string();
        let words = part("flags");
        let words = words.split_whitespace();
        let arguments = ["import", file.as_str()].into_iter().chain(words);
        let flags = CaseCommand::parse_from(arguments).flags;
        let mut out = Vec::new();
        let status = match run(&flags, &mut out) {
            CommandOutcome::Done => "0",
            CommandOutcome::Failed => "1",
            CommandOutcome::Misused => "2",
        };
        let mut told = lines("status", &part("status"), status);
        let out = String::from_utf8(out).unwrap();
        if status == "2" {
            return told + &lines("output", "", &out);
        }
        told += &lines("settings", &part("settings"), &flattened(&out));
        let imported = import(Path::new(&file), &flags);
        let imported = imported.unwrap_or_else(|problems| panic!("{problems:?}"));
        let subjects: Vec<&str> = imported
            .of_kind(NoteKind::LeftOut)
            .map(|note| note.subject.as_str())
            .collect();
        told += &lines("left out", &part("left out"), &subjects.join("\n"));
        let problems = read_back(&flags, &out);
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        told += &lines("problems", "", &problems.join("\n"));
        told + &lines("astray", "", &astray(Path::new(&file), &out, &subjects))
    }
}

/// The names that lead elsewhere by the settings than by PgBouncer, though nothing is said of them.
fn astray(file: &Path, settings: &str, left_out: &[&str]) -> String {
    let configuration = configuration::read(file).unwrap();
    let settings = loaded(settings);
    let wild = settings.databases.iter().filter(|one| one.names.is_wild());
    let wild = wild.map(|one| format!("pattern {}\n", one.names.pattern()));
    let mut told: String = wild.filter(|told| told != "pattern *\n").collect();
    for entry in &configuration.databases {
        let subject = format!("[databases] {}", entry.name);
        let is_told = |one: &&str| *one == subject || **one == format!("{subject}: host");
        if left_out.iter().any(is_told) {
            continue;
        }
        let name = match entry.name.as_str() {
            "*" => "one without an entry",
            name => name,
        };
        let folder = match configuration.text("unix_socket_dir") {
            "" => "/tmp",
            folder => folder,
        };
        let port = entry.count("port").unwrap_or(5432);
        let hosts = entry.text("host").unwrap_or(folder).split(',');
        let hosts = hosts.map(|host| match (host.starts_with('/'), host.contains(':')) {
            (true, _) => format!("{host}/.s.PGSQL.{port}"),
            (_, true) => format!("[{host}]:{port}"),
            _ => format!("{host}:{port}"),
        });
        let hosts: Vec<String> = hosts.collect();
        let wanted = (hosts, entry.text("dbname").unwrap_or(name).to_owned());
        let found = home(&settings, name);
        if wanted != found {
            told.push_str(&format!("{name}: {found:?} for {wanted:?}\n"));
        }
    }
    told
}

/// Where a database is by the settings: its servers, and its name there.
fn home(settings: &ProgramSettings, name: &str) -> (Vec<String>, String) {
    let route = settings
        .databases
        .iter()
        .find(|one| one.names.matches(name));
    let (first, servers, database) = match route {
        Some(route) => {
            let database = route.upstream.database.as_deref();
            (&route.upstream, &route.servers, database.unwrap_or(name))
        }
        None => (&settings.upstream, &settings.servers, name),
    };
    let all = std::iter::once(first).chain(&servers.others);
    let all = all.map(|server| server.endpoint.to_string());
    (all.collect(), database.to_owned())
}

fn loaded(text: &str) -> ProgramSettings {
    let sources = SettingsSources {
        file: Some(SettingsFile {
            name: "written".to_owned(),
            text: text.to_owned(),
        }),
        ..SettingsSources::default()
    };
    config::load(&sources).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// What is wanted, and what is there in its place.
fn lines(what: &str, wanted: &str, found: &str) -> String {
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
        lines.retain(|line| !line.is_empty());
        if what == "settings" || what == "said" {
            lines.sort();
        }
        lines
    };
    let (wanted, found) = (sorted(wanted), sorted(found));
    let only = |own: &[String], other: &[String], sign: char| {
        let own = own.iter().filter(|line| !other.contains(line));
        own.map(|line| format!("  {sign} {line}\n"))
            .collect::<String>()
    };
    match wanted == found {
        true => String::new(),
        false => format!(
            " {what}\n{}{}{}",
            only(&wanted, &found, '-'),
            only(&found, &wanted, '+'),
            match wanted.len() == found.len() && wanted.iter().all(|line| found.contains(line)) {
                true => format!("  order: {}\n", found.join(", ")),
                false => String::new(),
            }
        ),
    }
}

/// The keys of a text by path, each with its value; verifiers are drawn anew each time.
fn flattened(text: &str) -> String {
    let tree = tree::read(text).unwrap_or_else(|problem| panic!("{problem}"));
    let mut found = String::new();
    flatten("", &tree, &mut found);
    found
}

fn flatten(above: &str, tree: &YamlTree, found: &mut String) {
    match &tree.value {
        YamlValue::Map(entries) => {
            for entry in entries {
                let path = match above {
                    "" => entry.key.clone(),
                    above => format!("{above}.{}", entry.key),
                };
                flatten(&path, &entry.tree, found);
            }
        }
        YamlValue::Nothing => {}
        value => {
            let shown = crate::cli::policy::rewrite::flow(value);
            let shown = match shown.split_once("\"SCRAM-SHA-256$") {
                Some((before, behind)) => {
                    let (_, behind) = behind.split_once('"').unwrap();
                    format!("{before}SCRAM{behind}")
                }
                None => shown,
            };
            found.push_str(&format!("{above} = {shown}\n"));
        }
    }
}

fn cases(text: &str) -> Vec<ImportCase> {
    let (_, cases) = text.split_once("\n=== ").unwrap();
    let cases = cases.split("\n=== ").map(|case| {
        let (name, rest) = case.split_once('\n').unwrap();
        let parts = rest.strip_prefix("--- ").unwrap().split("\n--- ");
        let parts = parts.map(|part| {
            let (name, text) = part.split_once('\n').unwrap_or((part, ""));
            (name.to_owned(), text.to_owned())
        });
        ImportCase {
            name: name.to_owned(),
            parts: parts.collect(),
        }
    });
    cases.collect()
}

impl CaseFolder {
    fn new() -> Self {
        let name = format!("pgsieve-import-{}", random_name().unwrap());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for CaseFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The parts of a case that are no files.
const WANTED: &[&str] = &["settings", "left out", "status", "flags", "said", "here"];

/// What the PgBouncer that was asked had been told for that, or has by default otherwise than those
/// of today.
#[rustfmt::skip]
const NOT_COMPARED: &[&str] = &["unix_socket_dir", "listen_addr", "listen_port", "auth_type", "auth_query"];
