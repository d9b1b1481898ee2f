//! Databases with numbers of connections of their own.

use std::collections::BTreeSet;

use crate::support::raw::{Login, kinds, rows};
use crate::support::{APP, Options, RawClient, Stack, shared, shared_cluster, sql, until};

#[test]
fn each_database_has_as_many_connections_as_its_entry_says() {
    let cluster = shared_cluster();
    let [few, tenant, other] = [0; 3].map(|_| shared::new_database(cluster));
    let port = cluster.port();
    let config = format!(
        "upstream:\n  url: postgres://{APP}:{APP}@127.0.0.1:{port}/{{database}}\n\
         databases:\n- {{name: {few}, url: 'postgres://127.0.0.1:{port}', pool_size: 1}}\n\
         - {{name: 'other_*', url: 'postgres://127.0.0.1:{port}/{tenant}', pool_size: 2, pool_min: 2}}\n\
         listen: {{listen}}\nadmin:\n  listen: {{admin}}\naudit:\n  to: \"off\"\n\
         catalog:\n  age_max: 60s\nclient:\n  auth:\n    method: trust\npool:\n  size: 3\n"
    );
    let stack = Stack::start(Options {
        config: Some(config),
        ..Options::default()
    });
    let login = |database: &str| {
        let login = Login {
            user: APP,
            password: APP,
            database,
            parameters: &[],
        };
        RawClient::login(stack.proxied_address(), &login)
    };
    // That of the pattern is one pool for each name that clients say.
    for (named, most) in [(&*few, 1), ("other_7", 2), ("other_8", 2), (&*other, 3)] {
        let mut clients: Vec<RawClient> = (0..6).map(|_| login(named)).collect();
        let mut busy = Vec::new();
        let mut pids = BTreeSet::new();
        for client in clients.iter_mut().take(most) {
            assert_eq!(kinds(&client.query("BEGIN")), "CZ");
            pids.extend(rows(&client.query("SELECT pg_backend_pid()")));
            busy.push(client);
        }
        assert_eq!(pids.len(), most, "{named}");
        for client in busy {
            assert_eq!(kinds(&client.query("COMMIT")), "CZ");
        }
        for client in &mut clients {
            let pid = rows(&client.query("SELECT pg_backend_pid()"));
            assert!(
                pids.contains(&pid[0]),
                "{named}: {pid:?} is none of {pids:?}"
            );
        }
    }
    let held = [login("other_9"), login(&other)];
    let count = |name: &str| {
        let text = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' \
             AND usename = '{APP}' AND application_name NOT LIKE 'pgsieve%'"
        );
        let told = sql::block_on(async { sql::rows(&stack.direct("postgres").await, &text).await });
        told[0][0].parse::<usize>().unwrap()
    };
    // Kept ready, for each name.
    assert!(until(|| (count(&tenant) >= 6).then_some(())).is_some());
    assert!(count(&few) <= 1);
    drop(held);
}
