//! Clients of the Model Context Protocol that others have made, before a `pgsieve mcp` that they
//! start themselves.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use pgsieve::net::dev_certificates;
use pgsieve::net::dev_certificates::CertificateRequest;
use serde_json::Value;

use super::support::command::pgsieve;
use super::support::installed::{installed, run, text};
use super::support::{ADMIN, Options, READER, Stack, shared, shared_cluster, sql};
use crate::support::ports::free_port;

const SCHEMA: &[&str] = &[
    "CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, \"joinedOn\" date)",
    "CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers)",
    "INSERT INTO customers SELECT n, 'name ' || n, '2024-01-01' FROM generate_series(1, 40) n",
    "INSERT INTO orders SELECT n, n % 40 + 1 FROM generate_series(1, 400) n",
    "GRANT SELECT ON customers, orders TO reader",
];

/// The address of a database with that schema.
fn upstream() -> &'static str {
    static UPSTREAM: LazyLock<String> = LazyLock::new(|| {
        let cluster = shared_cluster();
        let database = shared::new_database(cluster);
        let schema: Vec<String> = SCHEMA
            .iter()
            .map(|statement| statement.replace("TO reader", &format!("TO {READER}")))
            .collect();
        let schema: Vec<&str> = schema.iter().map(String::as_str).collect();
        sql::run_blocking(&cluster.url(ADMIN, ADMIN, &database), &schema);
        cluster.url(READER, READER, &database)
    });
    &UPSTREAM
}

/// A pgsieve that serves agents over HTTP: the address, and a token.
struct McpOverHttp {
    _stack: Stack,
    url: String,
    token: String,
}

fn over_http() -> &'static McpOverHttp {
    static SERVED: LazyLock<McpOverHttp> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let tokens = folder.join(format!("mcp-outside-{}.tokens", std::process::id()));
        let _ = std::fs::remove_file(&tokens);
        let file = tokens.display().to_string();
        let made = [
            "mcp-token",
            "--file",
            &file,
            "--name",
            "trial",
            "--user",
            "ann",
        ];
        let token = text(&pgsieve(&made, "").stdout).trim().to_owned();
        let port = free_port();
        let config = format!(
            "upstream:\n  url: '{}'\nlisten: '{{listen}}'\nadmin:\n  listen: '{{admin}}'\n\
             mcp:\n  listen: 127.0.0.1:{port}\n  token_file: '{file}'\n",
            upstream(),
        );
        McpOverHttp {
            _stack: Stack::start(Options {
                config: Some(config),
                ..Options::default()
            }),
            url: format!("http://127.0.0.1:{port}/mcp"),
            token,
        }
    });
    &SERVED
}

/// What a script of `tests/data/mcp` prints, over either transport.
fn said_by(program: &str, script: &str) -> String {
    let served = over_http();
    let http = [("MCP_URL", &*served.url), ("MCP_TOKEN", &*served.token)];
    let said = said_with(program, script, &[]);
    assert_eq!(
        said_with(program, script, &http),
        said,
        "{script} over HTTP"
    );
    said
}

fn said_with(program: &str, script: &str, environment: &[(&str, &str)]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(program);
    command
        .current_dir(root.join("tests/data/mcp"))
        .arg(script)
        .env("PGSIEVE", env!("CARGO_BIN_EXE_pgsieve"))
        .env("UPSTREAM", upstream())
        .env("NODE_PATH", root.join("target/clients-node/node_modules"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .envs(environment.iter().copied());
    let output = run(&mut command);
    let said = text(&output.stdout);
    assert!(
        output.status.success(),
        "{script}: {said}\n{}",
        text(&output.stderr)
    );
    said
}

#[test]
fn the_python_sdk() {
    let said = said_by(&installed("clients-venv/bin/python"), "python_sdk.py");
    assert_eq!(
        said,
        "server: pgsieve\n\
         tools: ['query', 'check', 'explain', 'describe', 'choose', 'why']\n\
         rows: [[1, 'name 1'], [2, 'name 2']]\n\
         refused: True write_statement\n\
         why: write_statement\n\
         checked: repaired\n\
         described: True\n\
         clarified: since March\n\
         resources: ['pgsieve://grounding', 'pgsieve://policy']\n\
         read: True\n\
         prompt: True\n"
    );
}

#[test]
fn the_typescript_sdk() {
    let said = said_by("node", "typescript_sdk.mjs");
    assert_eq!(
        said,
        "server: pgsieve\n\
         tools: query check explain describe choose why\n\
         rows: [[1,\"name 1\"],[2,\"name 2\"]]\n\
         refused: true write_statement\n\
         explained: true\n\
         clarified: since March\n\
         resources: pgsieve://grounding pgsieve://policy\n\
         read: true\n\
         prompt: true\n"
    );
}

/// What an adapter's script prints.
const ADAPTED: &str = "tools: ['check', 'choose', 'describe', 'explain', 'query', 'why']\n\
                       rows: True\nrefused: True\n";

#[test]
fn the_adapter_of_langchain() {
    let python = installed("clients-venv/bin/python");
    assert_eq!(said_by(&python, "langchain_adapter.py"), ADAPTED);
}

#[test]
fn the_adapter_of_llama_index() {
    let python = installed("clients-venv/bin/python");
    assert_eq!(said_by(&python, "llama_index_adapter.py"), ADAPTED);
}

const INSPECTOR: &str =
    "clients-node/node_modules/@modelcontextprotocol/inspector-cli/build/index.js";

#[test]
fn the_command_line_of_the_inspector() {
    let served = over_http();
    let bearer = format!("Authorization: Bearer {}", served.token);
    let started = [
        env!("CARGO_BIN_EXE_pgsieve"),
        "mcp",
        "--upstream",
        upstream(),
    ];
    for (target, header) in [
        (&started[..], &[][..]),
        (&[&*served.url], &["--header", &*bearer]),
    ] {
        let inspect = |arguments: &[&str]| -> Value {
            let mut command = Command::new("node");
            command
                .arg(installed(INSPECTOR))
                .args(target)
                .args(arguments)
                .args(header);
            let output = run(&mut command);
            let said = text(&output.stdout);
            assert!(output.status.success(), "{said}\n{}", text(&output.stderr));
            serde_json::from_str(&said).expect(&said)
        };
        let listed = inspect(&["--method", "tools/list"]);
        assert_eq!(listed["tools"].as_array().unwrap().len(), 6);
        let sql = "sql=SELECT count(*) FROM orders";
        let call = [
            "--method",
            "tools/call",
            "--tool-name",
            "query",
            "--tool-arg",
            sql,
        ];
        assert_eq!(inspect(&call)["structuredContent"]["rows"][0][0], 400);
        let listed = inspect(&["--method", "resources/list"]);
        assert_eq!(listed["resources"][0]["uri"], "pgsieve://grounding");
    }
}

/// An issuer of tokens that others have made.
struct RealIssuer {
    process: Child,
    url: String,
    authority: String,
}

impl RealIssuer {
    /// For a resource; its certificate is in the folder.
    fn start(folder: &Path, resource: &str) -> Self {
        let wish = CertificateRequest {
            hosts: &[],
            client_name: "trial",
        };
        let made = dev_certificates::write(folder, &wish).unwrap();
        let port = free_port();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut process = Command::new("node")
            .arg(root.join("tests/data/mcp/issuer.mjs"))
            .env("NODE_PATH", root.join("target/clients-node/node_modules"))
            .env("PORT", port.to_string())
            .env("RESOURCE", resource)
            .env("SECRET", SECRET)
            .env("CERTIFICATE", &made.server)
            .env("KEY", &made.server_key)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines();
        let ready = said.find(|line| line.as_ref().is_ok_and(|line| line == "ready"));
        assert!(ready.is_some(), "the issuer has ended");
        Self {
            process,
            url: format!("https://localhost:{port}"),
            authority: made.authority.display().to_string(),
        }
    }
}

impl Drop for RealIssuer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What the issuer knows its client by.
const SECRET: &str = "of-the-trial";

#[test]
fn both_sdks_find_the_issuer_that_gives_tokens() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.join(format!("mcp-issuer-{}", std::process::id()));
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let issuer = RealIssuer::start(&folder, &url);
    let config = format!(
        "upstream:\n  url: '{}'\nlisten: '{{listen}}'\nadmin:\n  listen: '{{admin}}'\n\
         audit:\n  to: '{{audit}}'\n\
         mcp:\n  listen: 127.0.0.1:{port}\n  oauth:\n    issuer: '{}'\n    resource: '{url}'\n    \
         keys: '{}/jwks'\n    keys_ca: '{}'\n    scopes: ['db:read']\n",
        upstream(),
        issuer.url,
        issuer.url,
        issuer.authority,
    );
    let stack = Stack::start(Options {
        config: Some(config),
        ..Options::default()
    });
    let http = [
        ("MCP_URL", &*url),
        ("MCP_ISSUER", &*issuer.url),
        ("MCP_SECRET", SECRET),
        ("NODE_EXTRA_CA_CERTS", &*issuer.authority),
        ("SSL_CERT_FILE", &*issuer.authority),
    ];
    let python = installed("clients-venv/bin/python");
    for (program, script) in [("node", "typescript_sdk.mjs"), (&*python, "python_sdk.py")] {
        let said = said_with(program, script, &http);
        assert!(said.starts_with("server: pgsieve\n"), "{said}");
        assert!(
            said.to_lowercase()
                .contains("refused: true write_statement")
        );
    }
    let line = stack.audited(|line| line["event"] == "login");
    assert_eq!(line["method"], "mcp_oauth", "{line}");
    assert_eq!(line["user"], "trial", "{line}");
    std::fs::remove_dir_all(folder).unwrap();
}
