//! The same program with different sinks.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use pgsieve::demo::cluster::PrivateCluster;
use pgsieve::receipts::signing_keys::new_key_file;

use super::collector::Collector;
use crate::peers::{free_port, program, unbounded_results, wait_for};

/// Which sinks are on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    Off,
    OffAgain,
    MetricsAndAudit,
    AndTraces,
    Page,
    Metrics,
    Audit,
    Texts,
    Traces,
    Receipts,
    ReceiptNotices,
}

impl Variant {
    /// Those that are compared, the measure first.
    pub fn all(apart: bool) -> Vec<Self> {
        let mut all = vec![
            Self::Off,
            Self::OffAgain,
            Self::MetricsAndAudit,
            Self::AndTraces,
            Self::Page,
        ];
        if apart {
            all.extend([Self::Metrics, Self::Audit, Self::Texts, Self::Traces]);
        }
        all
    }

    /// Those that tell what receipts cost.
    pub fn receipts() -> Vec<Self> {
        vec![
            Self::Off,
            Self::OffAgain,
            Self::Receipts,
            Self::ReceiptNotices,
        ]
    }

    /// What its clients ask for when they log in.
    pub fn asks(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::ReceiptNotices => &[("options", "-c pgsieve.receipts=on")],
            _ => &[],
        }
    }

    fn has_key(self) -> bool {
        matches!(self, Self::Receipts | Self::ReceiptNotices)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::OffAgain => "off, once more",
            Self::MetricsAndAudit => "metrics, audit",
            Self::AndTraces => "… and 1 % traced",
            Self::Page => "live page alone",
            Self::Metrics => "metrics alone",
            Self::Audit => "audit alone",
            Self::Texts => "audit alone, texts encrypted",
            Self::Traces => "1 % traced alone",
            Self::Receipts => "receipts",
            Self::ReceiptNotices => "receipts, one behind each result",
        }
    }

    fn counts(self) -> bool {
        matches!(
            self,
            Self::MetricsAndAudit | Self::AndTraces | Self::Metrics
        )
    }

    fn audits(self) -> bool {
        matches!(
            self,
            Self::MetricsAndAudit | Self::AndTraces | Self::Audit | Self::Texts
        )
    }

    fn traces(self) -> bool {
        matches!(self, Self::AndTraces | Self::Traces)
    }

    fn shows(self) -> bool {
        self == Self::Page
    }
}

/// One of them, running.
pub struct Sieve {
    variant: Variant,
    child: Child,
    port: u16,
    folder: PathBuf,
}

impl Sieve {
    /// Starts it.
    pub fn start(variant: Variant, cluster: &PrivateCluster, collector: &Collector) -> Self {
        let command = Command::new(program());
        Self::start_as(command, variant, cluster, collector)
    }

    /// Starts it by a command that takes the program's arguments.
    pub fn start_as(
        mut command: Command,
        variant: Variant,
        cluster: &PrivateCluster,
        collector: &Collector,
    ) -> Self {
        let port = free_port();
        let folder =
            std::env::temp_dir().join(format!("pgsieve-bench-{}-{port}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let on_off = |on: bool| if on { "on" } else { "off" };
        let audit = folder.join("audit.jsonl").display().to_string();
        let admin = format!("127.0.0.1:{}", free_port());
        let collector = collector.url();
        let settings = [
            ("PGSIEVE_METRICS", on_off(variant.counts())),
            (
                "PGSIEVE_AUDIT_TO",
                if variant.audits() { &audit } else { "off" },
            ),
            (
                "PGSIEVE_ADMIN_LISTEN",
                if variant.shows() { &admin } else { "off" },
            ),
            (
                "PGSIEVE_TRACES_ENDPOINT",
                if variant.traces() { &collector } else { "off" },
            ),
            (
                "PGSIEVE_AUDIT_TEXT",
                if variant == Variant::Texts {
                    "encrypted"
                } else {
                    "off"
                },
            ),
            ("PGSIEVE_TRACES_PROTOCOL", "http"),
            ("PGSIEVE_TRACES_SAMPLE_RATIO", "0.01"),
        ];
        if variant == Variant::Texts {
            command.env("PGSIEVE_AUDIT_TEXT_RECIPIENTS", RECIPIENT);
        }
        if variant.has_key() {
            let key = folder.join("receipts.pem");
            fs::write(&key, new_key_file(&[7; 32]).0).unwrap();
            command.env("PGSIEVE_RECEIPTS_KEY_FILE", key);
        }
        let policy = folder.join("agent.yaml");
        fs::write(&policy, unbounded_results()).unwrap();
        let child = command
            .arg("serve")
            .arg("--policy")
            .arg(policy)
            .arg("--upstream")
            .arg(format!("postgres://127.0.0.1:{}/", cluster.port()))
            .args(["--listen", &format!("127.0.0.1:{port}")])
            .envs(settings)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("pgsieve was built");
        wait_for(port);
        Self {
            variant,
            child,
            port,
            folder,
        }
    }

    pub fn variant(&self) -> Variant {
        self.variant
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A sink that cost nothing because it did nothing would be no finding.
    pub fn must_have_worked(&self, collector: &Collector) {
        let audited = fs::metadata(self.folder.join("audit.jsonl")).map_or(0, |file| file.len());
        assert_eq!(
            audited > 0,
            self.variant.audits(),
            "{}",
            self.variant.name()
        );
        if self.variant.traces() {
            assert!(collector.bytes() > 0, "no span has arrived");
        }
    }
}

impl Drop for Sieve {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// Whom texts are encrypted to: the example of age's own documentation.
const RECIPIENT: &str = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
