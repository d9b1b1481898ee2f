//! The run that all tests look at: a real Postgres with the sample shop, a pgsieve with several
//! policies, a Prometheus, and clients of many kinds for a while.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use pgsieve::demo::cluster::random_name;
use pgsieve::net::dev_certificates;
use pgsieve::net::dev_certificates::CertificateRequest;

use super::load;
use super::prometheus::{Prometheus, now};
use crate::support::{Options, Stack};

/// The run, when it is over. Prometheus and pgsieve still answer.
pub struct Run {
    pub prometheus: Prometheus,
    /// From before the first client to after the last, in seconds since 1970.
    pub window: (f64, f64),
    _stack: Stack,
    _policies: Policies,
}

impl Run {
    /// The one run of this program. `GRAFANA_SECONDS` has it take longer.
    pub fn shared() -> &'static Self {
        static RUN: LazyLock<Run> = LazyLock::new(Run::start);
        &RUN
    }

    /// How long the window is.
    pub fn seconds(&self) -> u64 {
        Duration::from_secs_f64(self.window.1 - self.window.0).as_secs()
    }

    fn start() -> Self {
        let policies = Policies::new();
        let stack = Stack::start(Options {
            shop: true,
            environment: policies.environment(),
            arguments: vec![
                "--policy".into(),
                policies.folder.to_string_lossy().into_owned(),
            ],
            ..Options::default()
        });
        let roles: Vec<String> = load::USERS
            .iter()
            .map(|user| format!("CREATE ROLE {user} LOGIN PASSWORD '{user}' IN ROLE demo"))
            .collect();
        stack.prepare(&roles.iter().map(String::as_str).collect::<Vec<_>>());
        let prometheus = Prometheus::start(stack.admin_address());
        let asked = std::env::var("GRAFANA_SECONDS").ok();
        let seconds: u32 = asked.map_or(30, |text| text.parse().unwrap());
        let begin = now();
        load::run(&stack, &policies, Duration::from_secs(seconds.into()));
        // Some clients go on for a moment; what is looked at ends where all of them are at work.
        let end = begin + f64::from(seconds);
        // The last numbers are scraped.
        thread::sleep(Duration::from_secs(1));
        Self {
            prometheus,
            window: (begin, end),
            _stack: stack,
            _policies: policies,
        }
    }
}

/// Settings of TLS with clients, so that there are certificates that can expire.
fn certificates(folder: &Path) -> Vec<(&'static str, &'static str)> {
    let wish = CertificateRequest {
        hosts: &[],
        client_name: "nobody",
    };
    let made = dev_certificates::write(folder, &wish).unwrap();
    let text = |path: &Path| -> &'static str { path.to_string_lossy().into_owned().leak() };
    vec![
        ("PGSIEVE_CLIENT_TLS_CERTIFICATE", text(&made.server)),
        ("PGSIEVE_CLIENT_TLS_KEY", text(&made.server_key)),
    ]
}

/// The files of the policies.
pub struct Policies {
    folder: PathBuf,
}

impl Policies {
    fn new() -> Self {
        let name = format!("pgsieve-policies-{}", random_name().unwrap());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        let policies = Self { folder };
        policies.agents(40);
        let boards = [
            ("\n#mode: enforce\n", "\nmode: observe\n"),
            (
                "\n#relations: {allow: any, deny: []",
                "\nrelations: {allow: any, deny: [shop.payments]",
            ),
            ("\n  mode: apply\n", "\n  mode: observe\n"),
        ];
        policies.write("boards", "match: {user: board}\n", &boards);
        let analysts = [("\n  #max_plan_cost: \"off\"\n", "\n  max_plan_cost: 5000\n")];
        policies.write("analysts", "", &analysts);
        policies
    }

    /// The policy of the agents: so many rows, and nothing of the employees.
    pub fn agents(&self, rows: u32) {
        let edits = [
            (
                "\n#relations: {allow: any, deny: []",
                "\nrelations: {allow: any, deny: [shop.employees]",
            ),
            (
                "\n  #result_rows: \"off\"\n",
                &format!("\n  result_rows: {rows}\n"),
            ),
        ];
        self.write("agents", "match: {user: \"agent_*\"}\n", &edits);
    }

    /// Where settings of pgsieve are, beside those of its command line.
    fn environment(&self) -> Vec<(&'static str, &'static str)> {
        let mut environment = certificates(&self.certificates());
        self.drain_within(9);
        let settings: &'static str = self.settings().to_string_lossy().into_owned().leak();
        environment.push(("PGSIEVE_CONFIG", settings));
        environment
    }

    /// A setting that waits for a restart once it is written otherwise.
    pub fn drain_within(&self, seconds: u32) {
        let text = format!("limits: {{drain_timeout: {seconds}s}}\n");
        fs::write(self.settings(), text).unwrap();
    }

    fn settings(&self) -> PathBuf {
        self.certificates().join("pgsieve.yaml")
    }

    /// No folder of policies.
    fn certificates(&self) -> PathBuf {
        self.folder.join("certificates")
    }

    /// A mistake in the policy of the agents.
    pub fn spoil(&self) {
        let file = self.folder.join("agents.yaml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("\nlimits:\n", "\nlimts:\n")).unwrap();
    }

    fn write(&self, name: &str, matches: &str, edits: &[(&str, &str)]) {
        let text = include_str!("../../../policies/agent.yaml");
        let mut text = text.replace("\nname: agent\n", &format!("\nname: {name}\n{matches}"));
        for (before, after) in edits {
            assert!(text.contains(before), "{before}");
            text = text.replace(before, after);
        }
        fs::write(self.folder.join(format!("{name}.yaml")), text).unwrap();
    }
}

impl Drop for Policies {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}
