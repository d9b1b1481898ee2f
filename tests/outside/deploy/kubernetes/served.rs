//! pgsieve with what the pods mount, laid out as a kubelet lays it out: the check before a start,
//! the probes, a policy that is exchanged while it serves, and the drain.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster, TlsFiles};
use pgsieve::demo::supervisor::{ChildSignal, SupervisedChild};
use pgsieve::net::dev_certificates::{self, CertificateRequest};
use serde_json::Value;

use super::super::text::{Folder, at, has, text};
use super::agreement::container;
use super::objects::{only, plain, title};
use crate::support::own_cluster;
use crate::support::ports::free_port;
use crate::support::sql;

/// The files of a volume.
type Files = BTreeMap<String, String>;

/// A server, the volumes of a pod before it, and where pgsieve will listen.
struct Pod {
    cluster: PrivateCluster,
    folder: Folder,
    clients: u16,
    admin: u16,
}

impl Pod {
    fn new() -> Self {
        let folder = Folder::new();
        let wish = CertificateRequest {
            hosts: &["127.0.0.1"],
            client_name: "nobody",
        };
        let made = dev_certificates::write(&folder.0.join("made"), &wish).unwrap();
        let cluster = own_cluster()
            .auth(PasswordMethod::Scram)
            .tls(TlsFiles {
                certificate: made.server,
                key: made.server_key,
                client_authority: None,
            })
            .start()
            .unwrap();
        let role = "CREATE ROLE reporting LOGIN PASSWORD 'of-reporting'";
        sql::run_blocking(
            &cluster.admin_url("postgres"),
            &["CREATE DATABASE sales", role],
        );
        sql::run_blocking(
            &cluster.admin_url("sales"),
            &[
                "CREATE TABLE accounts AS SELECT 1 AS id, 'DE02' AS iban, 'new' AS note, \
                 'x' AS password",
                "GRANT SELECT ON accounts TO reporting",
            ],
        );
        let pod = Self {
            cluster,
            folder,
            clients: free_port(),
            admin: free_port(),
        };
        pod.mount();
        pod
    }

    /// The folder that stands for one of the pod.
    fn at(&self, mount: &str) -> PathBuf {
        self.folder.0.join(mount.trim_start_matches('/'))
    }

    /// Lays out every volume of the Deployment at its place.
    fn mount(&self) {
        let objects = plain();
        let volumes = at(only(&objects, "Deployment"), "/spec/template/spec/volumes");
        let volumes = volumes.as_array().unwrap();
        for mount in at(container(&objects), "/volumeMounts").as_array().unwrap() {
            let volume = volumes
                .iter()
                .find(|volume| volume["name"] == mount["name"]);
            let volume = volume.unwrap();
            let files = match volume.pointer("/secret/secretName") {
                Some(secret) => self.secret(secret.as_str().unwrap()),
                None => {
                    let name = at(volume, "/configMap/name").as_str().unwrap();
                    let name = format!("ConfigMap/{name}");
                    let map = objects.iter().find(|object| title(object) == name);
                    self.files(&map.unwrap()["data"])
                }
            };
            let place = self.at(mount["mountPath"].as_str().unwrap());
            fs::create_dir_all(&place).unwrap();
            exchange(&place, &files);
        }
    }

    /// The files of a ConfigMap, with places of this machine instead of a pod's.
    fn files(&self, data: &Value) -> Files {
        let here = self.folder.0.to_str().unwrap();
        let address = |port| format!("127.0.0.1:{port}");
        let own = |text: &str| {
            text.replace("/run/pgsieve", &format!("{here}/run/pgsieve"))
                .replace("postgres.databases.svc:5432", &address(self.cluster.port()))
                .replace("0.0.0.0:6432", &address(self.clients))
                .replace("0.0.0.0:9432", &address(self.admin))
        };
        let data = data.as_object().unwrap().iter();
        data.map(|(name, text)| (name.clone(), own(text.as_str().unwrap())))
            .collect()
    }

    /// The files of a Secret, as docker/README.md says that they are made.
    fn secret(&self, name: &str) -> Files {
        let made = |file: &str| fs::read_to_string(self.folder.0.join("made").join(file)).unwrap();
        let files = match name {
            "pgsieve-upstream" => vec![
                ("password", "of-reporting".to_owned()),
                ("ca.crt", made("ca.crt")),
            ],
            "pgsieve-clients" => vec![("agent", verifier("of-agent"))],
            "pgsieve-tls" => vec![
                ("tls.crt", made("server.crt")),
                ("tls.key", made("server.key")),
            ],
            "pgsieve-peers" => vec![("key", "0123456789abcdef".repeat(4))],
            other => panic!("{other}"),
        };
        files
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text))
            .collect()
    }

    fn config(&self) -> String {
        let file = self.at("/etc/pgsieve").join("pgsieve.yaml");
        file.to_str().unwrap().to_owned()
    }

    /// `pgsieve serve --check`.
    fn check(&self) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
        command.args(["serve", "--check", "--config", &self.config()]);
        said(command.env_clear().output().unwrap())
    }

    /// The status and the answer to a probe, which knows an address and no name.
    fn probe(&self, page: &str) -> (u16, String) {
        let address = format!("127.0.0.1:{}", self.admin);
        let asked = TcpStream::connect(&address).and_then(|mut stream| {
            write!(
                stream,
                "GET {page} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
            )?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        });
        let answer = asked.unwrap_or_default();
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
        (status.unwrap_or(0), answer)
    }

    /// psql as a client of pgsieve, and as the superuser of the server.
    fn psql(&self, as_client: bool) -> Command {
        let authority = self.at("/run/pgsieve/upstream").join("ca.crt");
        let url = match as_client {
            true => format!("postgres://agent:of-agent@127.0.0.1:{}/sales", self.clients),
            false => self.cluster.admin_url("sales"),
        };
        let mut command = Command::new("psql");
        command.env("PGSSLROOTCERT", authority);
        command.env(
            "PGSSLMODE",
            if as_client { "verify-full" } else { "prefer" },
        );
        command.args(["--no-psqlrc", "-qAt", "-v", "ON_ERROR_STOP=1", &url]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// What a client is told.
    fn client(&self, sql: &str) -> (bool, String) {
        said(self.psql(true).args(["-c", sql]).output().unwrap())
    }
}

/// Whether it went well, and all that was printed.
fn said(output: Output) -> (bool, String) {
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

fn verifier(password: &str) -> String {
    let output = crate::support::command::pgsieve(&["hash-password"], password);
    String::from_utf8(output.stdout).unwrap()
}

/// Writes a volume as a kubelet does: files in a folder of their own, a link to the folder that is
/// exchanged at once, and links through it.
fn exchange(place: &Path, files: &Files) {
    let version = format!("..version-{}", fs::read_dir(place).unwrap().count());
    let folder = place.join(&version);
    fs::create_dir(&folder).unwrap();
    for (name, text) in files {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        // A group may read only what root owns.
        let root = fs::metadata(&file).unwrap().uid() == 0;
        let mode = if root { 0o440 } else { 0o400 };
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    }
    symlink(&version, place.join("..data_tmp")).unwrap();
    fs::rename(place.join("..data_tmp"), place.join("..data")).unwrap();
    for name in files.keys() {
        let link = place.join(name);
        if !link.exists() {
            symlink(Path::new("..data").join(name), link).unwrap();
        }
    }
}

/// Waits for something, a minute at most.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

#[test]
fn pgsieve_itself_accepts_what_is_mounted() {
    let pod = Pod::new();
    let (accepted, said) = pod.check();
    assert!(accepted, "{said}");
    assert!(!said.contains("warn"), "{said}");
    let folder = pod.at("/run/pgsieve/policies");
    let policy = text("docker/k8s/policies/agents.yaml").replace("columns:", "colums:");
    exchange(&folder, &Files::from([("agents.yaml".to_owned(), policy)]));
    let (accepted, said) = pod.check();
    assert!(!accepted && said.contains("colums"), "{said}");
}

#[test]
fn a_pod_serves_takes_what_kubernetes_exchanges_and_is_not_ready_while_it_drains() {
    if !has("psql", "a pod that serves") {
        return;
    }
    let pod = Pod::new();
    let folder = pod.folder.0.join("process");
    fs::create_dir(&folder).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_pgsieve"));
    let config = pod.config();
    let variable = ("PGSIEVE_CONFIG", config.as_str());
    let mut sieve = SupervisedChild::start(&folder, program, &["serve"], &[variable]).unwrap();
    until("ready", || pod.probe("/readyz").0 == 200);
    assert_eq!(pod.probe("/healthz").0, 200);
    assert!(
        pod.probe("/metrics")
            .1
            .contains("\npgsieve_connections_open 0\n")
    );

    let note = "SELECT note FROM accounts";
    assert_eq!(pod.client(note), (true, "new\n".to_owned()));
    assert!(
        pod.client("SELECT iban FROM accounts")
            .1
            .contains("may not be read")
    );
    // The audit is the container's standard output.
    assert!(!pod.client("DELETE FROM accounts").0);
    let printed = || fs::read_to_string(folder.join("stdout")).unwrap_or_default();
    until("audited", || printed().contains("write_statement"));

    // A statement may wait for long, which is needed below; and a column more is hidden.
    let policy = text("docker/k8s/policies/agents.yaml")
        .replace("\"*.*.iban\"", "\"*.*.iban\", \"*.*.note\"")
        + "timeouts: {lock_timeout: 60s, statement_timeout: 60s}\n";
    let files = Files::from([("agents.yaml".to_owned(), policy)]);
    exchange(&pod.at("/run/pgsieve/policies"), &files);
    until("the new policy", || {
        pod.client(note).1.contains("may not be read")
    });

    drained(&pod, &mut sieve);
}

/// Asks a pgsieve to end while a statement waits for a lock.
fn drained(pod: &Pod, sieve: &mut SupervisedChild) {
    let mut owner: Child = pod.psql(false).spawn().unwrap();
    let mut typed = owner.stdin.take().unwrap();
    typed
        .write_all(b"BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE;\n")
        .unwrap();
    let locks = |granted: &str| {
        let sql = format!(
            "SELECT count(*) FROM pg_locks \
             WHERE relation = 'accounts'::regclass AND granted = {granted}"
        );
        said(pod.psql(false).args(["-c", &sql]).output().unwrap()).1 == "1\n"
    };
    until("the lock", || locks("true"));
    let reader = pod
        .psql(true)
        .args(["-c", "SELECT id FROM accounts"])
        .spawn()
        .unwrap();
    until("the reader", || locks("false"));

    sieve.signal(ChildSignal::Terminate).unwrap();
    until("not ready", || pod.probe("/readyz").0 == 503);
    assert!(pod.probe("/readyz").1.contains("draining"));
    assert_eq!(pod.probe("/healthz").0, 200);
    assert!(!pod.client("SELECT 1").0, "a new client is let in");
    assert_eq!(sieve.exited(), None);
    typed.write_all(b"COMMIT;\n").unwrap();
    drop(typed);
    // It may hear the goodbye before it leaves.
    let (is_fine, rows) = said(reader.wait_with_output().unwrap());
    assert!(is_fine && rows.starts_with("1\n"), "{rows}");
    assert!(owner.wait_with_output().unwrap().status.success());
    assert_eq!(
        sieve.wait(Duration::from_secs(20)),
        Some(0),
        "{}",
        sieve.stderr()
    );
}
