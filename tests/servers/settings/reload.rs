//! Settings that change while sessions are open: users, passwords, certificates and keys, tokens.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pgsieve::auth::verifier::ScramVerifier;
use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster, TlsFiles, random_name};
use pgsieve::demo::supervisor::ChildSignal;
use pgsieve::net::dev_certificates;
use pgsieve::net::dev_certificates::{CertificateRequest, DevCertificates};
use pgsieve::secret::Secret;

use crate::support::raw::{Login, kinds};
use crate::support::shared::prepare;
use crate::support::{Options, RawClient, Stack, frames, own_cluster, until};

/// A pgsieve, and the folder of what its settings name.
pub struct Rig {
    pub stack: Stack,
    pub folder: PathBuf,
}

impl Rig {
    /// `{own}` stands for the folder.
    pub fn start(folder: PathBuf, text: &str) -> Self {
        Self::start_before(folder, text, None)
    }

    fn start_before(folder: PathBuf, text: &str, cluster: Option<&'static PrivateCluster>) -> Self {
        let text = text.replace("{own}", &folder.display().to_string());
        let head = "listen: '{listen}'\nadmin: {listen: '{admin}', token_file: {own}/token}\n";
        let head = head.replace("{own}", &folder.display().to_string());
        let stack = Stack::start(Options {
            config: Some(format!("{head}audit: {{to: '{{audit}}'}}\n{text}")),
            cluster,
            ..Options::default()
        });
        Self { stack, folder }
    }

    /// The settings file.
    pub fn config(&self) -> PathBuf {
        self.stack.folder().join("pgsieve.yaml")
    }

    /// Writes another text in the place of one in the settings file.
    pub fn edit(&self, old: &str, new: &str) {
        let text = fs::read_to_string(self.config()).unwrap();
        assert!(text.contains(old), "{old} in {text}");
        fs::write(self.config(), text.replace(old, new)).unwrap();
    }

    /// Says that everything is to be read, and waits until it was.
    pub fn reload(&mut self, outcome: &str) {
        let metric = format!("pgsieve_settings_reloads_total{{outcome=\"{outcome}\"}}");
        let before = self.stack.metric(&metric);
        self.stack.signal(ChildSignal::Reload);
        let read = until(|| (self.stack.metric(&metric) > before).then_some(()));
        assert!(read.is_some(), "{outcome}: {}", self.stack.stderr());
    }

    pub fn write(&self, name: &str, text: &str) {
        write(&self.folder, name, text);
    }

    pub fn login(&self, user: &str, password: &str) -> Result<RawClient, String> {
        let login = Login {
            user,
            password,
            database: self.stack.database(),
            parameters: &[],
        };
        RawClient::try_login(self.stack.proxied_address(), &login).map_err(|error| error.sqlstate())
    }

    /// How a login ends: an empty text is well.
    pub fn try_login(&self, user: &str, password: &str) -> String {
        self.login(user, password).err().unwrap_or_default()
    }
}

pub fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
}

/// A folder with a token in it.
pub fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(random_name().unwrap());
    fs::create_dir_all(&folder).unwrap();
    write(&folder, "token", TOKEN);
    folder
}

pub fn verifier(password: &str) -> String {
    ScramVerifier::make(&Secret::new(password)).unwrap()
}

/// A role of its own at the server of all tests, with a password.
pub fn role(stack: &Stack, password: &str) -> String {
    let name = format!("r_{}", random_name().unwrap().replace('-', "_"));
    stack.prepare(&[&format!("CREATE ROLE {name} LOGIN PASSWORD '{password}'")]);
    name
}

pub const TOKEN: &str = "a-token-of-sixteen-or-more";

/// Settings with these users, who are `app` at the server.
pub fn with_users(users: &str) -> String {
    format!(
        "upstream: {{url: '{{upstream}}'}}\nclient:\n  auth:\n    method: scram\n    users:\n{users}"
    )
}

fn user(name: &str) -> String {
    format!(
        "      - {{name: {name}, verifier_file: '{{own}}/{name}', upstream_user: app, \
         upstream_password_file: '{{own}}/app'}}\n"
    )
}

fn three() -> Rig {
    let folder = folder();
    write(&folder, "app", "app");
    for name in ["ann", "ben", "cid"] {
        write(&folder, name, &verifier(name));
    }
    let users = ["ann", "ben", "cid"].map(user).concat();
    Rig::start(folder, &with_users(&users))
}

#[test]
fn users_come_change_and_go_and_the_sessions_of_others_stay() {
    let mut rig = three();
    let [mut ann, mut ben, mut cid] =
        ["ann", "ben", "cid"].map(|name| rig.login(name, name).unwrap());
    // Another password: who is in stays in.
    rig.write("ann", &verifier("other"));
    rig.reload("loaded");
    assert_eq!(rig.try_login("ann", "ann"), "28P01");
    assert_eq!(rig.try_login("ann", "other"), "");
    assert_eq!(kinds(&ann.query("SELECT 1")), "TDCZ");
    // One is disabled, and one gone: their sessions end, however they are at it.
    ben.send(&frames::query("BEGIN"));
    ben.until_ready();
    rig.edit("- {name: ben,", "- {name: ben, disabled: true,");
    rig.reload("loaded");
    let last = ben.until_closed();
    assert_eq!(
        (kinds(&last).as_str(), last[0].sqlstate().as_str()),
        ("E", "57P01")
    );
    cid.send(&frames::query(
        "SELECT count(*) FROM generate_series(1, 2000000000)",
    ));
    let text = fs::read_to_string(rig.config()).unwrap();
    let without: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("name: cid"))
        .collect();
    fs::write(rig.config(), without.join("\n")).unwrap();
    rig.reload("loaded");
    let last = cid.until_closed();
    assert_eq!(last.last().unwrap().sqlstate(), "57P01");
    // To whoever asks both look like those who never were.
    for name in ["ben", "cid", "nobody"] {
        assert_eq!(rig.try_login(name, name), "28P01", "{name}");
    }
    assert_eq!(kinds(&ann.query("SELECT 2")), "TDCZ");
    let event = |ended: i64| {
        rig.stack
            .audited(|event| event["event"] == "settings_read" && event["sessions_ended"] == ended)
    };
    assert_eq!(event(1)["changed"], "client.auth.users");
    assert!(rig.stack.stderr().contains("1 sessions ended: "));
    // And back, with another one.
    rig.edit("disabled: true", "disabled: false");
    rig.reload("loaded");
    assert_eq!(rig.try_login("ben", "ben"), "");
    assert_eq!(kinds(&ann.query("SELECT 3")), "TDCZ");
}

/// Both ways round: the server first, and the file first.
#[test]
fn a_rotated_password_of_the_server_loses_no_session() {
    let folder = folder();
    write(&folder, "ann", &verifier("ann"));
    write(&folder, "secret", "first");
    let mut rig = Rig::start(
        folder,
        &with_users(
            "      - {name: ann, verifier_file: '{own}/ann', upstream_user: ROLE, \
             upstream_password_file: '{own}/secret'}\npool: {mode: session}\n",
        ),
    );
    let role = role(&rig.stack, "first");
    rig.edit("ROLE", &role);
    rig.reload("loaded");
    let mut old = rig.login("ann", "ann").unwrap();
    let rotate = |rig: &Rig, to: &str| {
        rig.stack
            .prepare(&[&format!("ALTER ROLE {role} PASSWORD '{to}'")]);
    };
    rotate(&rig, "zwei-geheim");
    assert_ne!(rig.try_login("ann", "ann"), "");
    assert_eq!(kinds(&old.query("SELECT 1")), "TDCZ");
    rig.write("secret", "zwei-geheim");
    rig.reload("loaded");
    let mut next = rig.login("ann", "ann").unwrap();
    rig.write("secret", "drei-geheim");
    rig.reload("loaded");
    assert_ne!(rig.try_login("ann", "ann"), "");
    rotate(&rig, "drei-geheim");
    assert_eq!(rig.try_login("ann", "ann"), "");
    for session in [&mut old, &mut next] {
        assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
        // What is mended is tried at the server by a connection of its own, with the new password.
        assert_eq!(
            kinds(&session.query("SELECT 'x'::text LIMIT 0, 1")),
            "TDNCZ"
        );
    }
    let said = rig.stack.everything_said();
    for secret in ["zwei-geheim", "drei-geheim"] {
        assert!(!said.contains(secret), "{secret}");
    }
}

/// The account that reads the catalog, by the file of the URL's password, without a signal.
#[test]
fn a_rotated_password_of_the_catalog_is_taken_when_its_file_changes() {
    let folder = folder();
    write(&folder, "secret", "first");
    write(&folder, "app", "app");
    let rig = Rig::start(
        folder,
        "upstream: {url: '{upstream}'}\ncatalog: {user: app, password_file: '{own}/app'}\n",
    );
    // `app` is there from the start; the settings then name a role of this test.
    let role = role(&rig.stack, "first");
    let text = fs::read_to_string(rig.config()).unwrap();
    let text = text
        .replace("user: app", &format!("user: {role}"))
        .replace("/app'", "/secret'");
    fs::write(rig.config(), text).unwrap();
    let loaded = |count: f64| {
        let metric = "pgsieve_settings_reloads_total{outcome=\"loaded\"}";
        until(|| (rig.stack.metric(metric) == count).then_some(())).expect("loaded");
    };
    loaded(1.0);
    rig.stack.prepare(&[
        &format!("ALTER ROLE {role} PASSWORD 'zwei-geheim'"),
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name \
         = 'pgsieve catalog' AND datname = current_database()",
    ]);
    rig.write("secret", "zwei-geheim");
    loaded(2.0);
    let is_loaded = || rig.stack.get("/readyz").1.contains(": loaded,");
    assert!(
        until(|| is_loaded().then_some(())).is_some(),
        "{}",
        rig.stack.stderr()
    );
}

pub fn made(client_name: &str) -> DevCertificates {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(random_name().unwrap());
    let wish = CertificateRequest {
        hosts: &[],
        client_name,
    };
    dev_certificates::write(&folder, &wish).unwrap()
}

/// Writes them where they are looked for.
pub fn place(certificates: &DevCertificates, folder: &Path) {
    for (from, to) in [
        (&certificates.authority, "ca.crt"),
        (&certificates.server, "server.crt"),
        (&certificates.server_key, "server.key"),
        (&certificates.client, "client.crt"),
        (&certificates.client_key, "client.key"),
    ] {
        write(folder, to, &fs::read_to_string(from).unwrap());
    }
}

pub fn psql(url: &str, password: &str) -> Output {
    Command::new("psql")
        .args(["-XAtq", "-d", url, "-c", "SELECT 'in'"])
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("PGCONNECT_TIMEOUT", "20")
        .env("HOME", "/nonexistent")
        .env("PGPASSWORD", password)
        .output()
        .expect("psql is installed")
}

/// Listener certificate, its authority, and the authority of clients' certificates.
#[test]
fn certificates_of_the_clients_side_are_rotated() {
    let folder = folder();
    let (first, second) = (made("ann"), made("ann"));
    place(&first, &folder);
    write(&folder, "app", "app");
    let mut rig = Rig::start(
        folder,
        "upstream: {url: '{upstream}'}\nclient:\n  tls: {mode: require, certificate: \
         '{own}/server.crt', key: '{own}/server.key', client_ca: '{own}/ca.crt'}\n  auth: {method: \
         cert, users: [{name: ann, upstream_user: app, upstream_password_file: '{own}/app'}]}\n",
    );
    let address = rig.stack.proxied_address();
    let database = rig.stack.database().to_owned();
    let comes_in = |shown: &DevCertificates, believes: &DevCertificates| {
        let url = format!(
            "postgresql://ann@localhost:{}/{database}?sslmode=verify-full&sslrootcert={}&sslcert={}\
             &sslkey={}",
            address.port(),
            believes.authority.display(),
            shown.client.display(),
            shown.client_key.display()
        );
        psql(&url, "").status.success()
    };
    assert!(comes_in(&first, &first));
    assert!(!comes_in(&second, &first) && !comes_in(&first, &second));
    let expiry = "pgsieve_certificate_expiry_timestamp_seconds{certificate=\"client_listener\"}";
    let before = rig.stack.metric(expiry);
    assert!(before > 0.0);
    // A key that does not fit yet: nothing is taken, and the first ones go on.
    rig.write("server.crt", &fs::read_to_string(&second.server).unwrap());
    rig.reload("rejected");
    assert!(comes_in(&first, &first));
    let said = rig.stack.stderr();
    assert!(
        said.contains("/pgsieve.yaml:6:") && said.contains(" client.tls.key: "),
        "{said}"
    );
    place(&second, &rig.folder);
    rig.reload("loaded");
    assert!(comes_in(&second, &second));
    assert!(!comes_in(&first, &second) && !comes_in(&second, &first));
    assert!(rig.stack.metric(expiry) >= before);
    let changed = rig
        .stack
        .audited(|event| event["event"] == "settings_read" && event["outcome"] == "loaded");
    let wanted = "client.tls.certificate, client.tls.client_ca, client.tls.key";
    assert_eq!(changed["changed"], wanted);
}

/// A server that asks pgsieve for its certificate, and shows one of its own.
#[test]
fn certificates_of_the_servers_side_are_rotated() {
    let (first, second) = (made("certy"), made("certy"));
    let server = folder();
    place(&first, &server);
    let cluster = own_cluster()
        .auth(PasswordMethod::Scram)
        .tls(TlsFiles {
            certificate: server.join("server.crt"),
            key: server.join("server.key"),
            client_authority: Some(server.join("ca.crt")),
        })
        .hba("hostssl all certy all cert")
        .hba("hostnossl all certy all reject")
        .start()
        .unwrap();
    let cluster: &'static PrivateCluster = Box::leak(Box::new(cluster));
    prepare(cluster);
    let own = folder();
    place(&first, &own);
    write(&own, "ann", &verifier("ann"));
    let mut rig = Rig::start_before(
        own,
        "upstream:\n  url: '{upstream}'\n  tls: {mode: verify-full, root_certificate: \
         '{own}/ca.crt', certificate: '{own}/client.crt', key: '{own}/client.key'}\nclient: {auth: \
         {method: scram, users: [{name: ann, verifier_file: '{own}/ann', upstream_user: certy}]}}\n\
         pool: {mode: session}\n",
        Some(cluster),
    );
    rig.stack.prepare(&["CREATE ROLE certy LOGIN"]);
    let mut old = rig.login("ann", "ann").unwrap();
    // The server has copies of its own.
    let copies = cluster.data().parent().unwrap().to_owned();
    for (name, from) in [
        ("ssl_cert_file", &second.server),
        ("ssl_key_file", &second.server_key),
        ("ssl_ca_file", &second.authority),
    ] {
        fs::write(copies.join(name), fs::read(from).unwrap()).unwrap();
    }
    rig.stack.prepare(&["SELECT pg_reload_conf()"]);
    assert!(until(|| (!rig.try_login("ann", "ann").is_empty()).then_some(())).is_some());
    place(&second, &rig.folder);
    rig.reload("loaded");
    let mut new = rig.login("ann", "ann").unwrap();
    for session in [&mut old, &mut new] {
        assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
    }
    // A cancel goes there over TLS as well: with the certificates of now.
    let ends = "pgsieve_certificate_expiry_timestamp_seconds{certificate=\"upstream_client\"}";
    assert!(rig.stack.metric(ends) > 0.0);
}

#[test]
fn the_token_and_the_names_of_the_admin_address_are_exchanged() {
    let folder = folder();
    let mut rig = Rig::start(folder, "upstream: {url: '{upstream}'}\n");
    let asked = |rig: &Rig, token: &str| {
        let answer = Command::new("curl")
            .args(["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H"])
            .arg(format!("Authorization: Bearer {token}"))
            .arg(format!("http://{}/api/state", rig.stack.admin_address()))
            .output()
            .expect("curl is installed");
        String::from_utf8(answer.stdout).unwrap()
    };
    assert_eq!(asked(&rig, TOKEN), "200");
    assert_eq!(rig.stack.get_by_name("sieve.example", "/healthz").0, 421);
    rig.write("token", "another-token-of-sixteen");
    rig.edit("token_file", "hosts: sieve.example, token_file");
    rig.reload("loaded");
    assert_eq!(asked(&rig, TOKEN), "401");
    assert_eq!(asked(&rig, "another-token-of-sixteen"), "200");
    assert_eq!(rig.stack.get_by_name("sieve.example", "/healthz").0, 200);
}
