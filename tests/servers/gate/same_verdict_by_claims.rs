//! The same of sessions whose policies are chosen by what was proved of them: their certificate,
//! their role, their attributes; and of those whose policies mask, filter, observe or hide names.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use pgsieve::demo::cluster::random_name;
use rcgen::ExtendedKeyUsagePurpose::{ClientAuth, ServerAuth};
use serde_json::json;

use super::same_verdict::{Answer, lines, of_line, said};
use crate::login::certificate_claims::{Authority, Name};
use crate::settings::reload::{Rig, folder, verifier, write};
use crate::support::{APP, until};

/// Somebody, as a client and as flags say it.
struct Person {
    user: &'static str,
    /// The file of the certificate that the client shows.
    shown: Option<&'static str>,
    /// What the client does first.
    before: &'static str,
    /// The same for commands, without the role.
    flags: &'static [&'static str],
    policy: &'static str,
}

impl Person {
    const fn new(user: &'static str, policy: &'static str) -> Self {
        Self {
            user,
            shown: None,
            before: "",
            flags: &[],
            policy,
        }
    }
}

const PEOPLE: &[Person] = &[
    Person::new("plain", "rest"),
    Person {
        shown: Some("acme"),
        flags: &["--certificate", "CN=app,O=Acme"],
        ..Person::new("plain", "shown")
    },
    Person {
        shown: Some("unit"),
        flags: &["--certificate", "CN=app, OU=legal, OU=bi-eu"],
        ..Person::new("plain", "units")
    },
    Person {
        shown: Some("mail"),
        flags: &["--certificate", "cn=app,email=a@acme.example"],
        ..Person::new("plain", "mails")
    },
    Person {
        shown: Some("dns"),
        flags: &["--certificate", "CN=app,SAN=app.acme.example"],
        ..Person::new("plain", "names")
    },
    Person {
        shown: Some("other"),
        flags: &["--certificate", "CN=app,O=acme,OU=Bi,SAN=a@acme.example"],
        ..Person::new("plain", "rest")
    },
    Person::new("member", "members"),
    Person {
        flags: &["--settings", "user.team=sales"],
        ..Person::new("seller", "sales")
    },
    Person::new("watched", "watched"),
    Person::new("viewer", "viewed"),
    Person {
        before: "SET app.tenant = 'a'; SET search_path = other, public",
        flags: &[
            "--settings",
            "app.tenant=a",
            "--search-path",
            "other, public",
            "--database",
            "{database}",
        ],
        ..Person::new("tenant", "tenants")
    },
    Person {
        flags: &["--database", "{database}"],
        ..Person::new("tenant", "tenants")
    },
];

const STATEMENTS: &[&str] = &[
    "SELECT 1",
    "SELECT id FROM orders",
    "SELECT owner FROM public.orders",
    "SELECT note FROM public.secret",
    "SELECT count(*) FROM public.secret",
    "SELECT note, count(*) FROM public.secret GROUP BY note",
    "SELECT * FROM public.through",
    "SELECT id FROM other.orders",
    "SELECT relname FROM pg_catalog.pg_class WHERE relname = 'secret'",
    "SELECT table_name FROM information_schema.tables WHERE table_name = 'secret'",
    "SELECT pg_catalog.pg_get_viewdef('public.through'::regclass)",
    "DELETE FROM public.orders",
    "SELECT public.f()",
    "SELECT id FROM public.orders FOR UPDATE",
];

/// Policies by falling priority.
const POLICIES: &[(&str, &str)] = &[
    (
        "shown",
        "match: {certificate: {organization: Acme}}\nrelations: {deny: [public.secret]}",
    ),
    (
        "units",
        "match: {certificate: {organizational_unit: 'bi*'}}\ncolumns: {deny: [public.secret.note]}",
    ),
    (
        "mails",
        "match: {certificate: {email: '*@acme.example'}}\nrelations: {deny: [public.orders]}",
    ),
    (
        "names",
        "match: {certificate: {alternative_name: app.acme.example}}\nrelations: {deny: [other.*]}",
    ),
    (
        "members",
        "match: {role_member: '{team}'}\nrelations: {deny: [public.through, other.orders]}",
    ),
    (
        "sales",
        "match: {attributes: {team: sales}}\nrows: {public.orders: 'owner = :user.team'}\n\
         columns: {mask: {public.secret.note: null}}\nrelations: {through_views: check}",
    ),
    (
        "watched",
        "match: {user: watched}\nmode: observe\nrelations: {deny: [public.secret]}",
    ),
    (
        "viewed",
        "match: {user: viewer}\ncatalog_view: policy\nrelations: {allow: [public.orders, \
         'pg_catalog.*', 'information_schema.*']}",
    ),
    (
        "tenants",
        "match: {user: tenant, database: '{database}'}\nrelations: {deny: [other.orders]}\n\
         models: {public.orders: {sql: \"SELECT id, owner FROM orders WHERE owner = \
         :app.tenant\"}}",
    ),
    ("rest", ""),
];

/// A server with these policies and people, and the roles of them.
struct Scene {
    rig: Rig,
    member: String,
}

impl Scene {
    fn new() -> Self {
        let folder = folder();
        let authority = Authority::new(&folder, "ca");
        authority.issue("server", &[], ServerAuth);
        let issue = |file: &str, names: &[Name]| authority.issue(file, names, ClientAuth);
        issue("acme", &[Name::Organization("Acme")]);
        issue("unit", &[Name::Unit("legal"), Name::Unit("bi-eu")]);
        issue("mail", &[Name::Email("a@acme.example")]);
        issue("dns", &[Name::Dns("app.acme.example")]);
        let other = [
            Name::Organization("acme"),
            Name::Unit("Bi"),
            Name::Mail("a@acme.example"),
        ];
        issue("other", &other);
        let [member, team] = [(); 2].map(|()| {
            let name = random_name().unwrap();
            format!("r_{}", name.replace('-', "_"))
        });
        write(&folder, "verifier", &verifier("x"));
        write(&folder, APP, APP);
        write(&folder, "member", &member);
        fs::create_dir(folder.join("policies")).unwrap();
        policy(&folder.join("policies"), ("rest", ""), 0, &[]);
        let users = ["plain", "seller", "watched", "viewer", "tenant"].map(|name| user(name, APP));
        let users = users.concat() + &user("member", &member).replace("/app'", "/member'");
        let rig = Rig::start(
            folder,
            &format!(
                "upstream: {{url: '{{upstream}}'}}\ncatalog: {{user: app, password_file: \
                 '{{own}}/app'}}\npolicy: {{file: '{{own}}/policies'}}\nclient:\n  tls: {{mode: \
                 allow, certificate: '{{own}}/server.crt', key: '{{own}}/server.key', client_ca: \
                 '{{own}}/ca.crt'}}\n  auth:\n    method: scram\n    attributes: {{seller: {{team: \
                 sales}}}}\n    users:\n{users}"
            ),
        );
        rig.stack.prepare(&[
            &format!("CREATE ROLE {team}"),
            &format!("CREATE ROLE {member} LOGIN PASSWORD '{member}' IN ROLE {team}"),
            "CREATE TABLE public.orders (id int, owner text)",
            "CREATE SCHEMA other",
            "CREATE TABLE other.orders (id int, owner text)",
            "CREATE TABLE public.secret (id int, note text)",
            "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1'",
            "CREATE VIEW public.through AS SELECT id FROM public.secret",
            "GRANT USAGE ON SCHEMA other TO PUBLIC",
            "GRANT SELECT ON ALL TABLES IN SCHEMA public, other TO PUBLIC",
        ]);
        let scene = Self { rig, member };
        let knows = || scene.met(&PEOPLE[0], &["SELECT * FROM public.through"])[0].is_none();
        assert!(
            until(|| knows().then_some(())).is_some(),
            "the view is known"
        );
        let filled = [
            ("{team}", team.as_str()),
            ("{database}", scene.rig.stack.database()),
        ];
        let all = POLICIES.iter().zip((0..POLICIES.len()).rev());
        for (one, priority) in all {
            policy(&scene.policies(), *one, priority, &filled);
        }
        let is_whole = |line: &str| {
            let named = |(name, _): &(&str, &str)| line.contains(&format!(" {name} "));
            line.contains(" policies_read: ") && POLICIES.iter().all(named)
        };
        let read = until(|| scene.rig.stack.stderr().lines().any(is_whole).then_some(()));
        assert!(read.is_some(), "{}", scene.rig.stack.stderr());
        scene
    }

    fn policies(&self) -> std::path::PathBuf {
        self.rig.folder.join("policies")
    }

    /// The role that somebody's session has.
    fn role(&self, person: &Person) -> &str {
        match person.user {
            "member" => &self.member,
            _ => APP,
        }
    }

    /// What a session of somebody meets, by what psql shows of it.
    fn met(&self, person: &Person, statements: &[&str]) -> Vec<Answer> {
        let folder = self.rig.folder.display();
        let shown = person.shown.map_or_else(String::new, |file| {
            format!("&sslcert={folder}/{file}.crt&sslkey={folder}/{file}.key")
        });
        let url = format!(
            "postgresql://{}:x@localhost:{}/{}?sslmode=verify-full&sslrootcert={folder}/ca.crt{shown}",
            person.user,
            self.rig.stack.proxied_address().port(),
            self.rig.stack.database(),
        );
        let mut typed = format!("{};\n", person.before);
        for statement in statements {
            typed.push_str(&format!("\\warn @@\n{statement};\n"));
        }
        let mut psql = Command::new("psql")
            .args(["-XAtq", "-d", &url, "-f", "-"])
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("PGCONNECT_TIMEOUT", "20")
            .env("HOME", "/nonexistent")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("psql is installed");
        psql.stdin
            .take()
            .unwrap()
            .write_all(typed.as_bytes())
            .unwrap();
        let ended = psql.wait_with_output().unwrap();
        let told = String::from_utf8(ended.stderr).unwrap();
        let (before, answers) = told.split_once("@@\n").unwrap_or_else(|| panic!("{told}"));
        assert!(!before.contains("ERROR"), "{}: {before}", person.user);
        let answers: Vec<Answer> = answers.split("@@\n").map(rule).collect();
        assert_eq!(answers.len(), statements.len(), "{told}");
        answers
    }

    /// The flags that say the same of somebody.
    fn flags(&self, person: &Person) -> Vec<String> {
        let own = person.flags.iter();
        let own = own.map(|flag| flag.replace("{database}", self.rig.stack.database()));
        ["--user", person.user]
            .into_iter()
            .map(str::to_owned)
            .chain(own)
            .collect()
    }
}

fn user(name: &str, upstream: &str) -> String {
    format!(
        "      - {{name: {name}, verifier_file: '{{own}}/verifier', upstream_user: {upstream}, \
         upstream_password_file: '{{own}}/app'}}\n"
    )
}

fn policy(
    folder: &std::path::Path,
    (name, sections): (&str, &str),
    priority: usize,
    filled: &[(&str, &str)],
) {
    let agent = include_str!("../../../policies/agent.yaml");
    let (before, _) = agent.split_once("\ntests:\n").unwrap();
    let mut text = before.replacen("name: agent\n", &format!("name: {name}\n"), 1);
    let any = "    idle_session_timeout: any\n";
    text = text.replacen(any, &format!("{any}    app.tenant: any\n"), 1);
    text.push_str(&format!("\n{sections}\n"));
    if !sections.is_empty() {
        text.push_str(&format!("priority: {priority}\n"));
    }
    let text = filled
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to));
    fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
}

/// The rule in what psql shows of an error; an error without one is the server's.
fn rule(told: &str) -> Answer {
    let (_, rule) = told.split_once("rule: ")?;
    let end = rule.find(|c: char| c != '_' && !c.is_ascii_lowercase());
    Some(rule[..end.unwrap_or(rule.len())].to_owned())
}

#[test]
fn every_command_says_what_a_session_meets_whose_policy_its_claims_choose() {
    let scene = Scene::new();
    let url = scene.rig.stack.direct_url(APP);
    let policies = scene.policies().display().to_string();
    let questions: String = STATEMENTS
        .iter()
        .map(|sql| json!({"id": sql, "sql": sql}).to_string() + "\n")
        .collect();
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<&str, Vec<Answer>> = BTreeMap::new();
    let mut tests = Vec::new();
    for (number, person) in PEOPLE.iter().enumerate() {
        let met = scene.met(person, STATEMENTS);
        let flags = scene.flags(person);
        let role = ["--upstream", &url, "--role", scene.role(person)];
        let person_flags: Vec<&str> = flags.iter().map(String::as_str).chain(role).collect();
        let of = |sql: &str| &met[STATEMENTS.iter().position(|one| *one == sql).unwrap()];
        let mut told = |command: &str, sql: &str, got: Answer| {
            if got != *of(sql) {
                let (user, flags, met) = (person.user, person.flags, of(sql));
                wrong.push(format!(
                    "{command}, {user} {flags:?}: {sql}: {got:?}, not {met:?}"
                ));
            }
        };
        for command in [&["check"][..], &["repair", "--no-sql"]] {
            let given = ["--jsonl", "--policy", &policies];
            let arguments = [command, &given, &person_flags].concat();
            for line in lines(&said(&arguments, &questions)) {
                let sql = line["id"].as_str().unwrap();
                told(command[0], sql, of_line(&line, "verdict", "rule"));
            }
        }
        let given = [
            "policy",
            "diff",
            "strict",
            &policies,
            "--jsonl",
            "--statements",
            "-",
        ];
        for line in lines(&said(&[&given[..], &person_flags].concat(), &questions)) {
            if line["change"].is_string() {
                let sql = line["id"].as_str().unwrap();
                told("diff", sql, of_line(&line, "new", "new_rules"));
            }
        }
        let sql = STATEMENTS[2 + number % 2];
        let given = ["policy", "explain", &policies, "--json", "--sql", sql];
        let line = &lines(&said(&[&given[..], &person_flags].concat(), ""))[0];
        told("explain", sql, of_line(line, "verdict", "rules"));
        assert_eq!(line["policy"], person.policy, "{flags:?}");
        checked(&scene, person, &flags);
        tests.extend(tests_of(person, &met));
        seen.insert(person.policy, met);
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(seen.len(), POLICIES.len(), "every policy judges somebody");
    // The policies differ, or nothing is shown.
    let enforced = seen.iter().filter(|(name, _)| **name != "watched");
    let distinct: std::collections::BTreeSet<&Vec<Answer>> = enforced.map(|(_, met)| met).collect();
    assert!(distinct.len() + 2 >= POLICIES.len(), "{seen:?}");
    let file = scene.policies().join("rest.yaml");
    let text = fs::read_to_string(&file).unwrap() + "tests:\n" + &tests.concat();
    fs::write(&file, text).unwrap();
    let told = said(
        &[
            "policy",
            "test",
            &policies,
            "--upstream",
            &url,
            "--role",
            APP,
        ],
        "",
    );
    let wanted = format!("{} passed, 0 failed, 0 undecided", tests.len());
    assert!(told.contains(&wanted), "{told}");
}

/// Which policy `serve --check` says that somebody gets, as which role by the settings alone.
fn checked(scene: &Scene, person: &Person, flags: &[String]) {
    let config = scene.rig.config().display().to_string();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let told = said(
        &[&["serve", "--check", "--config", &config], &flags[..]].concat(),
        "",
    );
    let line = told.lines().find(|line| line.contains(" gets policy "));
    let line = line.unwrap_or_else(|| panic!("{flags:?}: {told}"));
    assert!(
        line.contains(&format!("gets policy {} ", person.policy)),
        "{flags:?}: {line}"
    );
    assert!(
        line.ends_with(&format!("has the role {}", scene.role(person))),
        "{line}"
    );
}

/// The same as tests that a policy carries: of those who are `app`, and under policies that refuse.
fn tests_of(person: &Person, met: &[Answer]) -> Vec<String> {
    if ["member", "watched"].contains(&person.user) {
        return Vec::new();
    }
    let value = |flag: &str| {
        let at = person.flags.iter().position(|one| *one == flag)?;
        Some(person.flags[at + 1])
    };
    let tests = STATEMENTS.iter().zip(met).map(|(statement, answer)| {
        let mut test = json!({"statement": statement, "user": person.user, "expect": "permit"});
        if let Some(rule) = answer {
            test["expect"] = json!("refuse");
            test["rule"] = json!(rule);
        }
        if let Some(certificate) = value("--certificate") {
            test["certificate"] = json!(certificate);
        }
        if let Some((name, value)) = value("--settings").and_then(|set| set.split_once('=')) {
            test["settings"] = json!({name: value});
        }
        if let Some(path) = value("--search-path") {
            test["search_path"] = path.split(", ").collect();
        }
        format!("  - {test}\n")
    });
    tests.collect()
}
