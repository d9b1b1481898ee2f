//! Every key of a policy, over the wire: what it bites, and what it leaves alone.
//!
//! The keys are those of the schema that is checked in, so that a key without an entry here is a
//! test that fails. Each entry is a policy of its own beside all others, and its sessions are those
//! that call themselves as the key.

mod access;
mod amounts;
mod conduct;
mod hostile;
mod knowledge;
mod observed;
mod repairs;
mod scenes;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster, random_name};
use serde_json::{Value, json};

use crate::support::raw::{Frame, Login};
use crate::support::{APP, Options, RawClient, Stack, own_cluster, shared, until};

/// A key, a policy in which it says something, and what shows that.
struct Case {
    key: &'static str,
    /// Places in the policy, with slashes, and what stands there, as JSON.
    edits: &'static [(&'static str, &'static str)],
    shown: Shown,
}

/// What shows that a key does something, and not more.
enum Shown {
    /// Sessions that it bites, and sessions that it does not.
    Asked {
        bites: &'static [Asked],
        spares: &'static [Asked],
    },
    /// What takes more than asking.
    Scene(fn(&Scene<'_>)),
    /// Values of the key that `pgsieve policy check` does not take, and that it does.
    Checked {
        bites: &'static str,
        spares: &'static str,
    },
    /// Tests of a policy that fail, and that pass.
    Tested {
        bites: &'static str,
        spares: &'static str,
    },
}

/// One session: who it is, what it sends, and how the last answer reads ([`told`]).
struct Asked {
    who: Who,
    sent: &'static [&'static str],
    told: &'static str,
}

/// Who a session is beside what it calls itself.
enum Who {
    /// [`APP`].
    App,
    /// Another user.
    User(&'static str),
    /// In another database.
    Database(&'static str),
    /// By another name.
    Named(&'static str),
}

/// Where a case is played.
struct Scene<'a> {
    stack: &'a Stack,
    /// What the policy is called, and what its sessions call themselves.
    name: String,
}

#[test]
fn every_key_has_a_case() {
    let schema = include_str!("../../../../policies/policy.schema.json");
    let mut keys = BTreeSet::new();
    leaves(&serde_json::from_str(schema).unwrap(), "", &mut keys);
    let cases: Vec<&str> = ALL
        .iter()
        .flat_map(|cases| *cases)
        .map(|one| one.key)
        .collect();
    let named: BTreeSet<String> = cases.iter().map(|key| (*key).to_owned()).collect();
    assert_eq!(keys, named);
    assert_eq!(named.len(), cases.len(), "a key has two cases");
    assert!(keys.len() > 60, "{keys:?}");
}

#[test]
fn keys_about_who_reads_what() {
    play(access::CASES);
}

#[test]
fn keys_about_how_a_session_conducts_itself() {
    play(conduct::CASES);
}

#[test]
fn keys_about_what_is_known() {
    play(knowledge::CASES);
}

#[test]
fn keys_about_how_much() {
    play(amounts::CASES);
}

#[test]
fn keys_about_repairs() {
    play(repairs::CASES);
}

const ALL: [&[Case]; 5] = [
    access::CASES,
    conduct::CASES,
    knowledge::CASES,
    amounts::CASES,
    repairs::CASES,
];

/// The paths of the keys that hold values; sections are shown by what they hold.
fn leaves(schema: &Value, path: &str, keys: &mut BTreeSet<String>) {
    let join = |name: &str| match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    };
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (name, below) in properties {
            let own = join(name);
            let before = keys.len();
            leaves(below, &own, keys);
            let is_section = keys.len() > before;
            // A rule that may be a section, and is a value as well.
            if !is_section || ["settings.allow", "statements.with_hold"].contains(&&*own) {
                keys.insert(own);
            }
        }
    }
    for inner in ["additionalProperties", "items"] {
        if let Some(below) = schema.get(inner) {
            leaves(below, &join("*"), keys);
        }
    }
    for form in schema
        .get("anyOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        leaves(form, path, keys);
    }
}

/// A server where no other tests make roles: each new catalog is looked through under dozens of
/// policies.
static QUIET: LazyLock<PrivateCluster> = LazyLock::new(|| {
    let builder = own_cluster().auth(PasswordMethod::Scram);
    let cluster = builder.start().expect("a private Postgres");
    shared::prepare(&cluster);
    cluster
});

/// Serves with the policies of all cases at once and plays each.
fn play(cases: &[Case]) {
    let folder = Folder::new();
    for (number, case) in cases.iter().enumerate() {
        let text = policy(&name_of(case.key), case.edits);
        let file = folder.0.join(format!("{number:02}.yaml"));
        fs::write(file, text).unwrap();
    }
    let other = edited(
        policy_like_bi("other"),
        "relations/deny",
        &json!(["no.where"]),
    );
    fs::write(folder.0.join("other.yaml"), other.to_string()).unwrap();
    // No policy: those end in .yaml.
    let key = folder.0.join("mask.key");
    fs::write(&key, "11".repeat(32)).unwrap();
    let key: &'static str = key.to_string_lossy().into_owned().leak();
    let stack = Stack::start(Options {
        cluster: Some(&QUIET),
        arguments: vec!["--policy".into(), folder.0.to_string_lossy().into_owned()],
        environment: vec![("PGSIEVE_POLICY_MASK_KEY_FILE", key)],
        ..Options::default()
    });
    stack.prepare(TABLES);
    knows_tables(&stack);
    let mut wrong = Vec::new();
    for case in cases {
        wrong.extend(problems(&stack, case));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a case shows otherwise than it should.
fn problems(stack: &Stack, case: &Case) -> Vec<String> {
    let scene = Scene {
        stack,
        name: name_of(case.key),
    };
    let mut wrong = Vec::new();
    match &case.shown {
        Shown::Asked { bites, spares } => {
            for (side, asked) in [("bites", bites), ("spares", spares)] {
                assert!(!asked.is_empty(), "{} has nothing that it {side}", case.key);
                for one in *asked {
                    let given = scene.answer(one);
                    if given != one.told {
                        let (key, sent, wanted) = (case.key, one.sent, one.told);
                        wrong.push(format!("{key} {side} {sent:?}: {given:?}, not {wanted:?}"));
                    }
                }
            }
        }
        Shown::Scene(play) => play(&scene),
        Shown::Checked { bites, spares } => wrong.extend(scenes::checked(case, bites, spares)),
        Shown::Tested { bites, spares } => wrong.extend(scenes::tested(&scene, bites, spares)),
    }
    wrong
}

impl Scene<'_> {
    /// A session of the policy.
    fn session(&self, user: &str) -> RawClient {
        let parameters = [("application_name", self.name.as_str())];
        let login = Login {
            parameters: &parameters,
            ..self.stack.login(user)
        };
        RawClient::login(self.stack.proxied_address(), &login)
    }

    /// The same at a glance, once the catalog is known: a host that is busy elsewhere may lose it
    /// for a while.
    fn answer(&self, asked: &Asked) -> String {
        let is_known = |given: &String| given != "55000 catalog_missing";
        let asks = || self.ask(asked).map(|answer| told(&answer));
        until(|| asks().filter(is_known)).expect("an answer")
    }

    /// The answer to the last of what a session sends; none where the roles that decide which
    /// policy it is under are not known.
    fn ask(&self, asked: &Asked) -> Option<Vec<Frame>> {
        let (mut user, mut database, mut name) = (APP, self.stack.database(), &*self.name);
        match asked.who {
            Who::App => {}
            Who::User(other) => user = other,
            Who::Database(other) => database = other,
            Who::Named(other) => name = other,
        }
        let parameters = [("application_name", name)];
        let login = Login {
            parameters: &parameters,
            database,
            ..self.stack.login(user)
        };
        let mut client = match RawClient::try_login(self.stack.proxied_address(), &login) {
            Ok(client) => client,
            Err(error) if error.sqlstate() == "57P03" => return None,
            Err(error) => panic!("login failed: {error:?}"),
        };
        let answers = asked.sent.iter().map(|text| client.query(text));
        Some(answers.last().expect("something is sent"))
    }
}

/// An answer at a glance: the values of its rows, or the code and the rule of its error; and `!`
/// for each notice.
fn told(answer: &[Frame]) -> String {
    let mut words = Vec::new();
    for frame in answer {
        match frame.kind {
            b'D' => words.push(values(&frame.body).join("|")),
            b'N' => words.push("!".to_owned()),
            b'E' => {
                let detail = frame.field(b'D').unwrap_or_default();
                let rule = detail.strip_prefix("rule: ").unwrap_or_default();
                let rule = rule.split([' ', '\n']).next().unwrap_or_default();
                words.push(format!("{} {rule}", frame.sqlstate()).trim().to_owned());
            }
            _ => {}
        }
    }
    words.join(" ")
}

/// The values of a row, NULL as nothing.
fn values(body: &[u8]) -> Vec<String> {
    let mut rest = &body[2..];
    let mut values = Vec::new();
    while !rest.is_empty() {
        let (length, behind) = rest.split_at(4);
        let length = i32::from_be_bytes(length.try_into().unwrap());
        let (value, behind) = behind.split_at(usize::try_from(length).unwrap_or(0));
        values.push(String::from_utf8_lossy(value).into_owned());
        rest = behind;
    }
    values
}

/// What the policy of a key is called.
fn name_of(key: &str) -> String {
    key.replace(['.', '*'], "-")
}

/// The policy of a case. It is for sessions of its own name, unless the case says more.
fn policy(name: &str, edits: &[(&str, &str)]) -> String {
    let mut policy = policy_like_bi(name);
    policy = edited(policy, "match/application_name", &json!([name]));
    for (path, value) in edits {
        let value: Value = serde_json::from_str(value).expect(value);
        policy = edited(policy, path, &value);
    }
    policy.to_string()
}

/// The shipped policy that gives most, with names looked up in the catalog. JSON is YAML.
fn policy_like_bi(name: &str) -> Value {
    let options = serde_yaml::options! { strict_booleans: true };
    let text = include_str!("../../../../policies/bi.yaml");
    let mut policy: Value = serde_yaml::from_str_with_options(text, options).unwrap();
    let sections = policy.as_object_mut().unwrap();
    sections.remove("tests");
    sections.insert("name".into(), json!(name));
    sections.insert("catalog".into(), json!("required"));
    policy
}

/// A policy with another value at a place; without the key where it is null.
fn edited(mut policy: Value, path: &str, value: &Value) -> Value {
    let mut place = &mut policy;
    let (section, key) = path.rsplit_once('/').unwrap_or(("", path));
    for part in section.split('/').filter(|part| !part.is_empty()) {
        place = &mut place[part];
    }
    match (value, place.as_object_mut()) {
        (Value::Null, Some(keys)) => drop(keys.remove(key)),
        _ => place[key] = value.clone(),
    }
    policy
}

/// Waits until pgsieve has looked at the catalog again.
fn knows_tables(stack: &Stack) {
    let mut last = String::new();
    let known = until(|| {
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        last = told(&client.query("SELECT sum(id) FROM shop.orders"));
        (last == "3").then_some(())
    });
    assert!(known.is_some(), "the tables are not known: {last}");
}

/// A folder that is gone with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("pgsieve-keys-{}", random_name().unwrap());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

const TABLES: &[&str] = &[
    "CREATE SCHEMA shop",
    "CREATE SCHEMA other",
    "CREATE TABLE shop.orders (id int, total int, placed_on date)",
    "INSERT INTO shop.orders VALUES (1, 10, '2024-01-01'), (2, 20, '2024-02-01')",
    "CREATE TABLE shop.secrets (word text)",
    "INSERT INTO shop.secrets VALUES ('hush')",
    "CREATE SCHEMA open",
    "CREATE TABLE open.secrets (word text)",
    "CREATE VIEW shop.told AS SELECT word FROM shop.secrets",
    "CREATE VIEW shop.sums AS SELECT sum(total) AS total FROM shop.orders",
    "CREATE TABLE shop.customers (id int, email text, tenant text)",
    "INSERT INTO shop.customers VALUES (1, 'ann@x', 'app'), (2, 'ben@x', 'reader')",
    "CREATE TABLE shop.grows AS SELECT g AS id FROM generate_series(1, 10) g",
    "ANALYZE shop.grows",
    "CREATE FUNCTION shop.f() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1'",
    "CREATE FUNCTION shop.h() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1'",
    "CREATE FUNCTION shop.g() RETURNS int LANGUAGE sql STABLE AS 'SELECT 1'",
    "CREATE FUNCTION other.g() RETURNS int LANGUAGE sql STABLE AS 'SELECT 1'",
    "CREATE FUNCTION shop.far_and_wide() RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 1; END'",
    "CREATE FUNCTION shop.at_home() RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 1; END'",
    "CREATE EXTENSION pgcrypto",
    "CREATE EXTENSION file_fdw",
    "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
    "CREATE SERVER papers FOREIGN DATA WRAPPER file_fdw",
    "CREATE FOREIGN TABLE shop.far (version text) SERVER files OPTIONS (filename 'PG_VERSION')",
    "CREATE FOREIGN TABLE shop.away (version text) SERVER papers OPTIONS (filename 'PG_VERSION')",
    "CREATE TABLE \"Schools\" (\"Name\" text, \"City\" text)",
    "INSERT INTO \"Schools\" VALUES ('a', 'x')",
    "CREATE TABLE shop.sales (id int, total_amount int, region text)",
    "INSERT INTO shop.sales VALUES (1, 5, 'north')",
    "CREATE TABLE shop.ledger (id int, total_amount int, tax_amount int)",
    "INSERT INTO shop.ledger VALUES (1, 7, 7)",
    "GRANT USAGE ON SCHEMA shop, other, open TO PUBLIC",
    "GRANT SELECT ON ALL TABLES IN SCHEMA shop, open, public TO PUBLIC",
];
