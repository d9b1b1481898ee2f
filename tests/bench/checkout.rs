//! What it takes to give a session a shared connection and to take it back, without the statement.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pgsieve::auth::login_secret::LoginSecret;
use pgsieve::telemetry::Telemetry;
use pgsieve::upstream::account::UpstreamAccount;
use pgsieve::upstream::address::UpstreamSettings;
use pgsieve::upstream::connect::Upstream;
use pgsieve::upstream::pool::set_values::SetValues;
use pgsieve::upstream::pool::source::{FOLLOWED, SessionBeginning};
use pgsieve::upstream::pool::{
    ConnectionPool, ConnectionPools, ConnectionWish, ConnectionsMax, PoolMode, PoolSettings,
};
use tokio::runtime::{Builder, Handle};

use crate::peers::{POOL_SIZE, Peers, Target};

/// Prints a table.
pub fn report(peers: &Peers) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        println!(
            "A shared connection given to a session and taken back, {CHECKOUTS} times in a row, \
             beside {IDLE} others that are idle; best and median of {ROUNDS} rounds, in ns\n"
        );
        println!("| whose connection it finds | best | median |");
        println!("|---|---|---|");
        for (what, sessions) in [
            ("its own of before", 1),
            ("those of 100 sessions by turns", 100),
        ] {
            let mut rounds = Vec::new();
            for _ in 0..ROUNDS {
                rounds.push(one_round(peers, sessions).await);
            }
            rounds.sort();
            let nanoseconds = |time: Duration| time.as_nanos() / u128::from(CHECKOUTS);
            println!(
                "| {what} | {} | {} |",
                nanoseconds(rounds[0]),
                nanoseconds(rounds[ROUNDS / 2])
            );
        }
    });
    println!();
}

async fn one_round(peers: &Peers, sessions: u64) -> Duration {
    let place = format!("postgres://127.0.0.1:{}", peers.port(Target::Direct));
    let upstream = UpstreamSettings::parse(&place).unwrap();
    let upstream = Arc::new(Upstream::load(upstream).unwrap());
    let telemetry = Telemetry::quiet().unwrap().for_worker();
    let pools = ConnectionPools::new((settings(), Vec::new()), telemetry, &Handle::current());
    let account = UpstreamAccount {
        user: peers.user().to_owned(),
        secret: Some(LoginSecret::from(pgsieve::secret::Secret::new("x"))),
    };
    let pool = pools.of(&upstream, DATABASE, &account).unwrap();
    let wishes: Vec<ConnectionWish> = (0..sessions)
        .map(|session| wish(&pool, (&upstream, &account), session))
        .collect();
    let mut held = Vec::new();
    for _ in 0..=IDLE {
        let wish = wish(&pool, (&upstream, &account), 0);
        held.push(Arc::clone(&pool).take(wish).await.unwrap());
    }
    for (connection, lease) in held {
        lease.give_back(connection);
    }
    let began = Instant::now();
    let mut turn = wishes.iter().cycle();
    for _ in 0..CHECKOUTS {
        let wish = turn.next().unwrap();
        let (connection, lease) = pool.take_ready(wish).unwrap();
        lease.give_back(connection);
    }
    began.elapsed()
}

fn wish(
    pool: &ConnectionPool,
    (upstream, account): (&Arc<Upstream>, &UpstreamAccount),
    session: u64,
) -> ConnectionWish {
    let parameters = [
        ("default_transaction_read_only", "on"),
        ("client_encoding", "UTF8"),
    ];
    let parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let begins = SessionBeginning {
        upstream,
        database: DATABASE,
        parameters: &parameters,
        asked: &[],
        is_hasty: false,
    };
    let mut values = SetValues::default();
    values.insert(FOLLOWED, "bench");
    ConnectionWish {
        source: pool.sources.of(begins, account.clone()),
        base: None,
        values,
        user: "bench".into(),
        session,
        until: None,
    }
}

fn settings() -> PoolSettings {
    let long = Duration::from_secs(600);
    PoolSettings {
        mode: PoolMode::Transaction,
        database_max: ConnectionsMax::Unbounded,
        size: POOL_SIZE,
        min: 0,
        reserve: 0,
        reserve_wait: Duration::ZERO,
        query_wait: long,
        server_lifetime: long,
        server_idle_timeout: long,
        max_prepared_statements: 200,
    }
}

/// Connections that are idle beside the one that is taken.
const IDLE: usize = 7;

const CHECKOUTS: u32 = 100_000;

const ROUNDS: usize = 7;

const DATABASE: &str = "postgres";
