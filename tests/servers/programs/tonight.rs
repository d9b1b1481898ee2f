//! The page "Tonight" of `docker/README.md`, run as it is printed.
//!
//! Its first two blocks are the reader's own (they build, and say where the database is): here they
//! give way to a database of sales and staff, asked for over TLS. Ports are replaced by free ones.
//! Everything else runs in one shell, block after block, and what the page shows behind a block
//! must stand in what that block printed: line for line, where `…` stands for anything.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster, TlsFiles, free_port, random_name};
use pgsieve::demo::supervisor::SupervisedChild;
use pgsieve::net::dev_certificates;
use pgsieve::net::dev_certificates::CertificateRequest;

#[test]
fn the_page_works_as_it_is_printed() {
    let page = blocks(&section());
    let evening = Evening::begin();
    let printed = evening.play(&page);
    assert_eq!(printed.len(), page.len());
    for (block, said) in page.iter().zip(&printed) {
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

/// The blocks behind the reader's own two.
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
    assert!(
        found[0].command.contains("make build"),
        "{}",
        found[0].command
    );
    assert!(
        found[1].command.contains("export DB="),
        "{}",
        found[1].command
    );
    found.split_off(2)
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
        let cluster = PrivateCluster::builder()
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

    /// What the reader says of the own database, here of this one.
    fn own(&self) -> String {
        let binary = Path::new(env!("CARGO_BIN_EXE_pgsieve")).parent().unwrap();
        let passwords = self.folder.join("passwords");
        let lines: String = ROLES
            .iter()
            .map(|role| format!("*:*:*:{role}:{role}\n"))
            .collect();
        fs::write(&passwords, lines).unwrap();
        fs::set_permissions(&passwords, fs::Permissions::from_mode(0o600)).unwrap();
        format!(
            "export PATH='{}':\"$PATH\" PGPASSFILE='{}' ALERTS='{}/grafana/alerts/pgsieve.yaml'\n\
             export DB='postgres://ann@127.0.0.1:{}/sales?sslmode=verify-full&sslrootcert={}'\n",
            binary.display(),
            passwords.display(),
            env!("CARGO_MANIFEST_DIR"),
            self.cluster.port(),
            self.authority.display(),
        )
    }

    /// Runs the blocks in one shell; what each printed. The shell ends what it has begun, however
    /// it ends itself.
    fn play(&self, page: &[Block]) -> Vec<String> {
        let folder = self.folder.display();
        let mut script = format!(
            "trap 'kill $(jobs -p) 2> /dev/null; wait' EXIT\nset -e\nexec 2>&1\ncd '{folder}'\n{}",
            self.own()
        );
        for block in page {
            script += &format!("echo '{MARK}'\n{}\n", block.command);
        }
        script += &format!("echo '{MARK}'\n");
        for printed in ["6432", "9432", "9090"] {
            script = script.replace(printed, &free_port().unwrap().to_string());
        }
        let notes = self.folder.join("shell");
        fs::create_dir(&notes).unwrap();
        let shell =
            SupervisedChild::start(&notes, Path::new("/bin/bash"), &["-c", &script], &[]).unwrap();
        let status = shell.wait(PATIENCE);
        let printed = shell.stdout();
        assert_eq!(status, Some(0), "the page ended with:\n{printed}");
        let parts = printed.split(MARK).skip(1).map(str::to_owned);
        parts.take(page.len()).collect()
    }
}

impl Drop for Evening {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Printed before each block.
const MARK: &str = "-- the next block --";

/// How long the whole page may take.
const PATIENCE: Duration = Duration::from_mins(4);

/// Who is there: who looks at the catalog, and one of each kind that the policies are for. The
/// password of each is its name.
const ROLES: [&str; 4] = ["ann", "agent_7", "bi_board", "dba_kim"];

/// Sales and staff, as a company has them.
const SALES: &str = include_str!("../../data/schemas/tonight.sql");
