//! A running pgsieve with a database behind it.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::{PrivateCluster, random_name};
use pgsieve::demo::sample;
use pgsieve::demo::supervisor::{ChildSignal, SupervisedChild};
use tokio_postgres::Client;

use super::ports::free_port;
use super::raw::{Login, RawClient, kinds};
use super::shared::{ADMIN, APP, READER, new_database, shared_cluster, shared_cluster_of};
use super::sql;

/// How a stack differs from the default.
#[derive(Default)]
pub struct Options {
    /// Name of a built-in policy, or path of a policy file; the default of pgsieve if none.
    pub policy: Option<&'static str>,
    /// Judges by the tree of a text alone: without a catalog, under the same policy but for that.
    pub tree_only: bool,
    /// Lines of the built-in policy, each with what stands in its place.
    pub policy_edits: &'static [(&'static str, &'static str)],
    /// Loads the sample shop.
    pub shop: bool,
    /// More arguments for `pgsieve serve`.
    pub arguments: Vec<String>,
    /// Environment of `pgsieve serve`.
    pub environment: Vec<(&'static str, &'static str)>,
    /// The whole text of a configuration file instead of arguments. `{upstream}`,
    /// `{database}`, `{listen}`, `{admin}`, `{audit}` and `{folder}` are filled in.
    pub config: Option<String>,
    /// Appended to the URL of the upstream, `?` included.
    pub upstream_query: &'static str,
    /// So many connections, as [`APP`], that all clients share; each has its own if none.
    pub pooled: Option<usize>,
    /// A cluster that outlives the stack, prepared with `shared::prepare`; the shared one if none.
    pub cluster: Option<&'static PrivateCluster>,
}

/// A pgsieve and the database behind it. Ends with the value.
pub struct Stack {
    sieve: SupervisedChild,
    folder: PathBuf,
    cluster: &'static PrivateCluster,
    database: String,
    listen: SocketAddr,
    admin: SocketAddr,
}

impl Stack {
    /// The stack that tests share which change nothing about pgsieve and look at no totals.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Stack> = LazyLock::new(|| Stack::start(Options::default()));
        &SHARED
    }

    /// A stack on another version of Postgres, where its programs can be had.
    pub fn on_version(version: u32) -> Option<Self> {
        Self::on_version_with(version, Options::default())
    }

    /// The same, with options.
    pub fn on_version_with(version: u32, options: Options) -> Option<Self> {
        let cluster = Some(shared_cluster_of(version)?);
        Some(Self::start(Options { cluster, ..options }))
    }

    /// Starts pgsieve before a database of its own and waits until it is ready.
    pub fn start(options: Options) -> Self {
        let stack = Self::start_unready(options);
        stack.wait_until_ready();
        stack
    }

    /// Before a server of this version, under the policy of this text, with a schema that the
    /// catalog knows as soon as this statement of [`READER`] gives a row.
    pub fn under_policy(version: u32, policy: &str, schema: &str, known: &str) -> Option<Self> {
        let name = random_name().unwrap();
        let path = std::env::temp_dir().join(format!("pgsieve-it-{name}.yaml"));
        fs::write(&path, policy).unwrap();
        let stack = Self::on_version_with(
            version,
            Options {
                arguments: vec!["--policy".into(), path.to_string_lossy().into_owned()],
                ..Options::default()
            },
        )?;
        stack.prepare(&[schema]);
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        until(|| kinds(&client.query(known)).contains('D').then_some(())).unwrap();
        Some(stack)
    }

    /// Starts pgsieve and does not wait for it.
    pub fn start_unready(options: Options) -> Self {
        let cluster = options.cluster.unwrap_or_else(shared_cluster);
        let database = new_database(cluster);
        if options.shop {
            load_shop(cluster, &database);
        }
        let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        let (listen, admin) = (local(free_port()), local(free_port()));
        let account = match options.pooled {
            Some(_) => format!("{APP}:{APP}@"),
            None => String::new(),
        };
        let upstream = format!(
            "postgres://{account}127.0.0.1:{}/{database}{}",
            cluster.port(),
            options.upstream_query
        );
        let size = options.pooled.map(|size| size.to_string());
        let mut environment = options.environment.clone();
        if let Some(size) = &size {
            environment.extend([
                ("PGSIEVE_CLIENT_AUTH_METHOD", "trust"),
                ("PGSIEVE_POOL_MODE", "transaction"),
                ("PGSIEVE_POOL_SIZE", size),
            ]);
        }
        // A busy machine may look at a catalog late, which is not what a test is about that says
        // nothing of it.
        if options.config.is_none() && !environment.iter().any(|(name, _)| *name == AGE_MAX) {
            environment.push((AGE_MAX, "60s"));
        }
        let arguments = arguments(&options, &folder, (&upstream, &database), listen, admin);
        let program = Path::new(env!("CARGO_BIN_EXE_pgsieve"));
        let sieve = SupervisedChild::start(&folder, program, &arguments, &environment).unwrap();
        Self {
            sieve,
            folder,
            cluster,
            database,
            listen,
            admin,
        }
    }

    /// Where clients connect to.
    pub fn proxied_address(&self) -> SocketAddr {
        self.listen
    }

    /// The Postgres behind it.
    pub fn direct_address(&self) -> SocketAddr {
        local(self.cluster.port())
    }

    /// Where `/metrics`, `/healthz` and `/readyz` are.
    pub fn admin_address(&self) -> SocketAddr {
        self.admin
    }

    /// The Postgres behind it.
    pub fn cluster(&self) -> &'static PrivateCluster {
        self.cluster
    }

    /// The database of this stack.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// What a role logs in with.
    pub fn login<'a>(&'a self, role: &'a str) -> Login<'a> {
        Login {
            user: role,
            password: role,
            database: &self.database,
            parameters: &[],
        }
    }

    /// A connection string past pgsieve.
    pub fn direct_url(&self, role: &str) -> String {
        self.cluster.url(role, role, &self.database)
    }

    /// A connection string through pgsieve.
    pub fn proxied_url(&self, role: &str) -> String {
        format!("postgres://{role}:{role}@{}/{}", self.listen, self.database)
    }

    /// A connection past pgsieve.
    pub async fn direct(&self, role: &str) -> Client {
        sql::connect(&self.direct_url(role))
            .await
            .expect("a direct connection")
    }

    /// A connection through pgsieve.
    pub async fn proxied(&self, role: &str) -> Client {
        sql::connect(&self.proxied_url(role))
            .await
            .expect("a connection through pgsieve")
    }

    /// Runs statements as superuser in the database of this stack, past pgsieve.
    pub fn prepare(&self, statements: &[&str]) {
        sql::run_blocking(&self.direct_url(ADMIN), statements);
    }

    /// The events of the audit so far, one for each whole line.
    pub fn audit(&self) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(self.audit_path()).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole
            .lines()
            .map(|line| serde_json::from_str(line).expect(line))
            .collect()
    }

    /// Waits until the audit holds an event that is looked for, and gives it back.
    pub fn audited(&self, wanted: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
        let found = until(|| self.audit().into_iter().find(&wanted));
        found.expect("the event is in the audit within the bound")
    }

    /// The file of the audit.
    pub fn audit_path(&self) -> PathBuf {
        self.folder.join("audit.jsonl")
    }

    /// The folder with everything that this pgsieve writes: audit, `stdout`, `stderr`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Everything that this pgsieve has written or shown so far, for greps.
    pub fn everything_said(&self) -> String {
        let mut said = fs::read_to_string(self.audit_path()).unwrap_or_default();
        said.push_str(&self.sieve.stdout());
        said.push_str(&self.sieve.stderr());
        said.push_str(&self.get("/metrics").1);
        said
    }

    /// The value of one line of `/metrics`, named as it stands there, labels included; 0 if absent.
    pub fn metric(&self, name: &str) -> f64 {
        let (_, text) = self.get("/metrics");
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.map_or(0.0, |value| value.parse().unwrap())
    }

    /// The sum of the lines of `/metrics` with this name and, among others, these labels.
    pub fn metric_sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let (_, text) = self.get("/metrics");
        let lines = text.lines().filter_map(|line| {
            let (given, value) = line.strip_prefix(name)?.rsplit_once(' ')?;
            let has =
                |(label, value): &(&str, &str)| given.contains(&format!("{label}=\"{value}\""));
            let is_whole = given.is_empty() || given.starts_with('{');
            (is_whole && labels.iter().all(has)).then(|| value.parse::<f64>().unwrap())
        });
        lines.sum()
    }

    /// Status and body of a GET on the admin address; status 0 where nobody answers.
    pub fn get(&self, path: &str) -> (u16, String) {
        self.get_by_name("localhost", path)
    }

    /// The same, of a client that knows the address by that name.
    pub fn get_by_name(&self, host: &str, path: &str) -> (u16, String) {
        let answer = TcpStream::connect(self.admin).and_then(|mut stream| {
            stream.set_read_timeout(Some(Duration::from_secs(30)))?;
            write!(
                stream,
                "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            )?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        });
        let answer = answer.unwrap_or_default();
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|word| word.parse().ok())
            .unwrap_or(0);
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, body.to_owned())
    }

    /// Sends a signal to pgsieve.
    pub fn signal(&mut self, signal: ChildSignal) {
        self.sieve.signal(signal).unwrap();
    }

    /// Waits for pgsieve to end; its exit status.
    pub fn wait_exit(&self, bound: Duration) -> Option<i32> {
        self.sieve.wait(bound)
    }

    /// The process id of pgsieve.
    pub fn pid(&self) -> u32 {
        until(|| self.sieve.pid()).expect("a process id")
    }

    /// What pgsieve has said on its standard error.
    pub fn stderr(&self) -> String {
        self.sieve.stderr()
    }

    fn wait_until_ready(&self) {
        let ready = until(|| {
            let ended = self.sieve.exited();
            assert!(
                ended.is_none(),
                "pgsieve ended with {ended:?}:\n{}",
                self.sieve.stderr()
            );
            (self.get("/readyz").0 == 200).then_some(())
        });
        assert!(
            ready.is_some(),
            "pgsieve is not ready:\n{}",
            self.sieve.stderr()
        );
    }
}

/// The key of how old a catalog may be, as a variable.
const AGE_MAX: &str = "PGSIEVE_CATALOG_AGE_MAX";

impl Drop for Stack {
    fn drop(&mut self) {
        // The supervisor asks gently and waits; tests that want a gentle end ask for it themselves.
        // It removes the folder as well.
        drop(self.sieve.signal(ChildSignal::Kill));
    }
}

/// Asks again and again until there is an answer, or for so long that no machine is too busy.
pub fn until<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + Duration::from_secs(240);
    loop {
        let answer = ask();
        if answer.is_some() || Instant::now() > end {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn arguments(
    options: &Options,
    folder: &Path,
    (upstream, database): (&str, &str),
    listen: SocketAddr,
    admin: SocketAddr,
) -> Vec<String> {
    let audit = folder.join("audit.jsonl").to_string_lossy().into_owned();
    let (listen, admin) = (listen.to_string(), admin.to_string());
    let mut arguments = vec!["serve".to_owned()];
    if let Some(config) = &options.config {
        let path = folder.join("pgsieve.yaml");
        let text = config
            .replace("{upstream}", upstream)
            .replace("{database}", database)
            .replace("{listen}", &listen)
            .replace("{admin}", &admin)
            .replace("{audit}", &audit)
            .replace("{folder}", &folder.to_string_lossy());
        fs::write(&path, text).unwrap();
        arguments.extend(["--config".to_owned(), path.to_string_lossy().into_owned()]);
    } else {
        let given = [
            ("--upstream", upstream),
            ("--listen", &listen),
            ("--admin", &admin),
            ("--audit", &audit),
        ];
        arguments.extend(
            given
                .iter()
                .flat_map(|(name, value)| [(*name).to_owned(), (*value).to_owned()]),
        );
    }
    let mut edits = options.policy_edits.to_vec();
    if options.tree_only {
        edits.push(("\ncatalog: required\n", "\ncatalog: preferred\n"));
    }
    if !edits.is_empty() {
        let path = folder.join("policy.yaml");
        fs::write(&path, edited(options.policy, &edits)).unwrap();
        // A configuration names its policy itself.
        if options.config.is_none() {
            arguments.extend(["--policy".to_owned(), path.to_string_lossy().into_owned()]);
        }
    } else if let Some(policy) = options.policy {
        arguments.extend(["--policy".to_owned(), policy.to_owned()]);
    }
    arguments.extend(options.arguments.iter().cloned());
    arguments
}

/// A built-in policy with other words in places.
fn edited(policy: Option<&str>, edits: &[(&str, &str)]) -> String {
    let mut text = match policy {
        None | Some("agent") => include_str!("../../policies/agent.yaml"),
        Some("bi") => include_str!("../../policies/bi.yaml"),
        Some(other) => panic!("no policy {other}"),
    }
    .to_owned();
    for (before, after) in edits {
        text = text.replace(before, after);
        assert!(text.contains(after), "{after}");
    }
    text
}

/// Nothing is repaired: errors are the server's own to the last byte.
pub const UNREPAIRED: &[(&str, &str)] = &[("\n  mode: apply\n", "\n  mode: \"off\"\n")];

fn load_shop(cluster: &PrivateCluster, database: &str) {
    let grants = format!(
        "GRANT USAGE ON SCHEMA shop TO {READER}; GRANT SELECT ON ALL TABLES IN SCHEMA shop TO {READER}"
    );
    sql::block_on(async {
        let admin = sql::connect(&cluster.url(ADMIN, ADMIN, database))
            .await
            .expect("a direct connection");
        sample::load(&admin, sample::ROLE)
            .await
            .expect("the sample loads");
        admin
            .batch_execute(&grants)
            .await
            .expect("the grants of the tests");
    });
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}
