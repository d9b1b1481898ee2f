//! The page "Tonight" of `docker/README.md`, run as it is printed.
//!
//! Everything runs in one shell, block after block, and what the page shows behind a block must
//! stand in what that block printed: line for line, where `…` stands for anything. The first block
//! runs in a folder that looks like the repository, in which `make build` puts the program that was
//! built already where it belongs; in the second one the address is that of a database of sales and
//! staff, asked for over TLS. Ports are replaced by free ones.
//!
//! Then Prometheus has all alerts, one of them fires, and it reaches who receives alerts.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster, TlsFiles, random_name};
use pgsieve::demo::supervisor::SupervisedChild;
use pgsieve::net::dev_certificates;
use pgsieve::net::dev_certificates::CertificateRequest;

use crate::support::own_cluster;
use crate::support::ports::free_port;

#[test]
fn the_page_works_as_it_is_printed() {
    let section = section();
    let page = blocks(&section);
    let evening = Evening::begin();
    let printed = evening.play(&page, receiver(&section));
    let [printed @ .., rules, fired] = printed.as_slice() else {
        panic!("{printed:?}")
    };
    assert_eq!(printed.len(), page.len());
    for (block, said) in page.iter().zip(printed) {
        let missing: Vec<&str> = block
            .shown
            .lines()
            .filter(|line| !said.lines().any(|there| is_like(there, line)))
            .collect();
        assert!(
            missing.is_empty(),
            "{}\nprinted:\n{said}\nnot: {missing:#?}",
            block.command
        );
    }
    let alerts = ALERTS.lines().map(str::trim_start);
    let alerts: Vec<&str> = alerts
        .filter_map(|line| line.strip_prefix("- alert: "))
        .collect();
    assert!(alerts.len() > 20, "{alerts:?}");
    for alert in alerts {
        let known = format!("\"name\":\"{alert}\"");
        assert!(rules.contains(&known), "no {alert} in {rules}");
    }
    assert!(fired.contains("PgsieveCatalogDrift"), "{fired}");
}

/// What is typed, and what the page shows of the answer.
struct Block {
    command: String,
    shown: String,
}

/// The page, from its heading to the next.
fn section() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docker/README.md");
    let page = fs::read_to_string(file).unwrap();
    let (_, rest) = page.split_once("\n## Tonight\n").unwrap();
    rest.split("\n## ").next().unwrap().to_owned()
}

/// All blocks of commands.
fn blocks(section: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    for fenced in section.split("\n```").skip(1) {
        if let Some(command) = fenced.strip_prefix("sh\n") {
            found.push(Block {
                command: command.to_owned(),
                shown: String::new(),
            });
        } else if let (Some(shown), Some(last)) = (fenced.strip_prefix("text\n"), found.last_mut())
        {
            last.shown += shown;
        }
    }
    assert!(found.len() > 8, "{} blocks", found.len());
    found
}

/// What the page says of who receives alerts.
fn receiver(section: &str) -> &str {
    let mut fenced = section.split("\n```");
    fenced
        .find_map(|block| block.strip_prefix("yaml\n"))
        .unwrap()
}

/// Whether a printed line is a shown one, in which `…` stands for anything.
fn is_like(there: &str, shown: &str) -> bool {
    let mut rest = there.trim_end();
    for (number, part) in shown.trim_end().split('…').enumerate() {
        match rest.find(part) {
            Some(0) => rest = &rest[part.len()..],
            Some(at) if number > 0 => rest = &rest[at + part.len()..],
            _ => return false,
        }
    }
    rest.is_empty() || shown.trim_end().ends_with('…')
}

/// The database of the evening, and a folder to work in.
struct Evening {
    cluster: PrivateCluster,
    folder: PathBuf,
    /// What vouches for the database.
    authority: PathBuf,
}

impl Evening {
    fn begin() -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        let wish = CertificateRequest {
            hosts: &["127.0.0.1"],
            client_name: "pgsieve",
        };
        let made = dev_certificates::write(&folder.join("db"), &wish).unwrap();
        let cluster = own_cluster()
            .auth(PasswordMethod::Scram)
            .tls(TlsFiles {
                certificate: made.server,
                key: made.server_key,
                client_authority: None,
            })
            .hba("hostnossl all all 127.0.0.1/32 scram-sha-256")
            .start()
            .unwrap();
        let authority = made.authority;
        let evening = Self {
            cluster,
            folder,
            authority,
        };
        evening.fill();
        evening
    }

    fn fill(&self) {
        let script = self.folder.join("sales.sql");
        fs::write(&script, SALES).unwrap();
        let made = Command::new(self.cluster.programs().join("psql"))
            .args(["-v", "ON_ERROR_STOP=1", "-q", "-f"])
            .arg(&script)
            .arg(self.cluster.admin_url("postgres"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{said}");
    }

    /// The home of the reader with the passwords, and the repository in it.
    fn prepare(&self) {
        let passwords = self.folder.join(".pgpass");
        let lines: String = ROLES
            .iter()
            .map(|role| format!("*:*:*:{role}:{role}\n"))
            .collect();
        fs::write(&passwords, lines).unwrap();
        fs::set_permissions(&passwords, fs::Permissions::from_mode(0o600)).unwrap();
        let alerts = self.folder.join("repository/grafana/alerts");
        fs::create_dir_all(&alerts).unwrap();
        fs::write(alerts.join("pgsieve.yaml"), ALERTS).unwrap();
        let make = format!(
            "build:\n\tmkdir -p target/release\n\tln -s '{}' target/release/pgsieve\n",
            env!("CARGO_BIN_EXE_pgsieve")
        );
        fs::write(self.folder.join("repository/Makefile"), make).unwrap();
    }

    /// A block with the address of this database in the place of the printed one.
    fn own(&self, command: &str) -> String {
        let own = [
            (
                "db.example.com:5432",
                format!("127.0.0.1:{}", self.cluster.port()),
            ),
            ("/etc/ssl/db-ca.pem", self.authority.display().to_string()),
        ];
        let is_address = command.contains("export DB=");
        own.iter().fold(command.to_owned(), |text, (printed, own)| {
            assert_eq!(
                text.matches(printed).count(),
                usize::from(is_address),
                "{text}"
            );
            text.replace(printed, own)
        })
    }

    /// Runs the blocks in one shell; what each printed, then what Prometheus says of its rules and
    /// of the alert. The shell ends what it has begun, however it ends itself.
    fn play(&self, page: &[Block], receiver: &str) -> Vec<String> {
        self.prepare();
        let home = self.folder.display();
        let mut script = format!(
            "trap 'kill $(jobs -p) 2> /dev/null; wait' EXIT\nset -e\nexec 2>&1\n\
             export HOME='{home}'\nunset PGPASSFILE\ncd ~/repository\n"
        );
        for block in page {
            script += &format!("echo '{MARK}'\n{}\n", self.own(&block.command));
        }
        script += &format!("PROMETHEUS=$!\necho '{MARK}'\n{RULES}echo '{MARK}'\n");
        script += &format!("cat >> prometheus.yml <<END\n{receiver}\nEND\n");
        script += &FIRE.replace("ADMIN", &self.cluster.admin_url("sales"));
        script += &format!("echo '{MARK}'\n");
        for printed in ["6432", "9432", "9090"] {
            script = script.replace(printed, &free_port().to_string());
        }
        assert!(script.contains("127.0.0.1:9093"), "{receiver}");
        let port = receive_alerts(self.folder.join("paged"));
        script = script.replace("9093", &port.to_string());
        let notes = self.folder.join("shell");
        fs::create_dir(&notes).unwrap();
        let shell =
            SupervisedChild::start(&notes, Path::new("/bin/bash"), &["-c", &script], &[]).unwrap();
        let status = shell.wait(PATIENCE);
        let printed = shell.stdout();
        assert_eq!(status, Some(0), "the page ended with:\n{printed}");
        let parts = printed.split(MARK).skip(1).map(str::to_owned);
        parts.take(page.len() + 2).collect()
    }
}

/// Stands where an Alertmanager would, and writes down what it is told.
fn receive_alerts(into: PathBuf) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut length = 0;
            let mut line = String::new();
            while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
                let lower = line.to_ascii_lowercase();
                if let Some(own) = lower.strip_prefix("content-length:") {
                    length = own.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            if stream.read_exact(&mut body).is_err() {
                continue;
            }
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.get_mut().write_all(answer.as_bytes());
            let next = into.with_extension("next");
            fs::write(&next, body).unwrap();
            fs::rename(&next, &into).unwrap();
        }
    });
    port
}

impl Drop for Evening {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Printed before each block.
const MARK: &str = "-- the next block --";

/// How long the whole page may take.
const PATIENCE: Duration = Duration::from_mins(6);

/// Asks Prometheus which rules it has.
const RULES: &str = "exec 3<> /dev/tcp/127.0.0.1/9090
printf 'GET /api/v1/rules HTTP/1.0\\r\\n\\r\\n' >&3
cat <&3
";

/// Gives Prometheus who receives alerts, changes the database, and waits until that is told.
const FIRE: &str = "promtool check config prometheus.yml
kill -HUP $PROMETHEUS
env -u PGSSLMODE -u PGSSLROOTCERT psql 'ADMIN' --command 'CREATE TABLE sales.made_at_night ()'
until grep -s PgsieveCatalogDrift ~/paged; do sleep 1; done
";

/// The alerts of the repository.
const ALERTS: &str = include_str!("../../../grafana/alerts/pgsieve.yaml");

/// Who is there: who looks at the catalog, and one of each kind that the policies are for. The
/// password of each is its name.
const ROLES: [&str; 4] = ["ann", "agent_7", "bi_board", "dba_kim"];

/// Sales and staff, as a company has them.
const SALES: &str = include_str!("../../data/schemas/tonight.sql");
