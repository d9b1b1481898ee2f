//! What repairs add to a statement that succeeds and was judged before: one exchange through a
//! session without sockets, under a policy that repairs and under the same one that does not.
//!
//! Alone and in a transaction block, where a failure could not be undone and a forecast is asked
//! for; without a catalog, and with the one of a database that a catalog cache looks after.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::PrivateCluster;
use pgsieve::policy::{Policy, PolicySet};
use pgsieve::secret::Secret;
use pgsieve::session::protocol::SessionProtocol;
use pgsieve::telemetry::Telemetry;
use pgsieve::upstream::account::UpstreamAccount;
use pgsieve::upstream::address::UpstreamSettings;
use pgsieve::upstream::catalog_cache::catalog_account::AccountSetting;
use pgsieve::upstream::catalog_cache::settings::CatalogCacheSettings;
use pgsieve::upstream::catalog_cache::{CatalogCache, CatalogCaches};
use pgsieve::upstream::servers::ServersSettings;
use pgsieve::upstream::servers::directory::UpstreamDirectory;
use tokio::runtime::Runtime;

use crate::conversation::conversation;
pub use crate::conversation::message;

/// Prints a line for each protocol: µs for one statement without and with repairs.
pub fn report() {
    let agent = include_str!("../../policies/agent.yaml");
    let off = agent.replace("  mode: apply", "  mode: \"off\"");
    assert_ne!(agent, off);
    println!(
        "a cached statement through a conversation, in µs: median of {ROUNDS} rounds of {TIMES}, alternating"
    );
    println!(
        "{:<10} {:<9} {:<8} {:>12} {:>12} {:>8}",
        "protocol", "where", "catalog", "repairs off", "repairs on", "added"
    );
    let kept = Kept::start();
    for (catalog, catalog_cache) in [("none", None), ("kept", Some(&kept.catalog_cache))] {
        for standing in [Standing::Alone, Standing::InBlock] {
            for (protocol, question, answer) in exchanges(standing) {
                let begun = |yaml: &str| {
                    let policy = Policy::from_yaml(yaml).unwrap();
                    let telemetry = Telemetry::quiet().unwrap();
                    standing.begin(conversation(policy, catalog_cache.cloned(), telemetry))
                };
                let (mut without, mut with) = (begun(&off), begun(agent));
                let (mut one, mut other) = (Vec::new(), Vec::new());
                for _ in 0..ROUNDS {
                    one.push(cost(&mut without, &question, &answer));
                    other.push(cost(&mut with, &question, &answer));
                }
                let (one, other) = (median(one), median(other));
                println!(
                    "{protocol:<10} {:<9} {catalog:<8} {one:>12.3} {other:>12.3} {:>8.3}",
                    standing.name(),
                    other - one
                );
            }
        }
    }
}

/// Where the statement stands.
#[derive(Clone, Copy)]
enum Standing {
    Alone,
    InBlock,
}

impl Standing {
    fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::InBlock => "in block",
        }
    }

    /// The status behind each answer.
    fn status(self) -> &'static [u8] {
        match self {
            Self::Alone => b"I",
            Self::InBlock => b"T",
        }
    }

    fn begin(self, mut conversation: SessionProtocol) -> SessionProtocol {
        let end = [message(b'C', b"BEGIN\0"), message(b'Z', self.status())].concat();
        match self {
            Self::Alone => {}
            Self::InBlock => exchange(&mut conversation, &message(b'Q', b"BEGIN\0"), &end),
        }
        conversation
    }
}

/// The catalog of a private server.
struct Kept {
    catalog_cache: Arc<CatalogCache>,
    _catalogs: CatalogCaches,
    /// The cache works on it.
    _runtime: Runtime,
    _cluster: PrivateCluster,
}

impl Kept {
    fn start() -> Self {
        let cluster = PrivateCluster::builder()
            .start()
            .expect("a private Postgres");
        let runtime = Runtime::new().unwrap();
        let url = format!(
            "postgres://127.0.0.1:{}/postgres?sslmode=disable",
            cluster.port()
        );
        let account = UpstreamAccount {
            user: cluster.admin().to_owned(),
            secret: Some(Secret::new(cluster.admin_password()).into()),
        };
        let catalogs = CatalogCaches::start(
            CatalogCacheSettings::usual(AccountSetting::Configured(account)),
            &Arc::new(
                UpstreamDirectory::load(
                    (
                        UpstreamSettings::parse(&url).unwrap(),
                        ServersSettings::alone(),
                    ),
                    Vec::new(),
                )
                .unwrap(),
            ),
            &PolicySet::only(Arc::new(Policy::agent())),
            Telemetry::quiet().unwrap(),
            runtime.handle().clone(),
        );
        let catalog_cache = catalogs.named().unwrap();
        let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
        runtime.block_on(catalog_cache.first_load(deadline));
        let agent = Policy::agent().version_number();
        assert!(
            catalog_cache.effects(agent).is_some(),
            "the catalog was not read"
        );
        Self {
            catalog_cache,
            _catalogs: catalogs,
            _runtime: runtime,
            _cluster: cluster,
        }
    }
}

fn cost(conversation: &mut SessionProtocol, question: &[u8], answer: &[u8]) -> f64 {
    let since = Instant::now();
    for _ in 0..TIMES {
        exchange(conversation, question, answer);
    }
    since.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES)
}

pub fn exchange(conversation: &mut SessionProtocol, question: &[u8], answer: &[u8]) {
    let taken = conversation.client_bytes(question).unwrap();
    assert_eq!(taken.consumed, question.len());
    assert!(!conversation.outbox().as_bytes().is_empty());
    *conversation.outbox() = Default::default();
    let passed = conversation.upstream_bytes(answer).unwrap();
    assert_eq!(passed.consumed, answer.len());
    conversation.reply().clear();
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Each protocol with what the client sends and what the upstream answers.
fn exchanges(standing: Standing) -> [(&'static str, Vec<u8>, Vec<u8>); 2] {
    let row = message(b'D', b"\0\x01\0\0\0\x011");
    let end = [
        message(b'C', b"SELECT 1\0"),
        message(b'Z', standing.status()),
    ]
    .concat();
    let shape = message(
        b'T',
        b"\0\x01n\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0",
    );
    let simple = message(b'Q', [TEXT, "\0"].concat().as_bytes());
    let extended = [
        message(b'P', ["\0", TEXT, "\0\0\0"].concat().as_bytes()),
        message(b'B', b"\0\0\0\0\0\0\0\0"),
        message(b'D', b"P\0"),
        message(b'E', b"\0\0\0\0\0"),
        message(b'S', b""),
    ];
    let ready = [message(b'1', b""), message(b'2', b"")].concat();
    [
        (
            "simple",
            simple,
            [shape.clone(), row.clone(), end.clone()].concat(),
        ),
        (
            "extended",
            extended.concat(),
            [ready, shape, row, end].concat(),
        ),
    ]
}

const TEXT: &str =
    "SELECT 1 AS n, length('a text of some length') AS l, now() - interval '1 day' AS t";
const ROUNDS: usize = 21;
const TIMES: u32 = 20_000;
