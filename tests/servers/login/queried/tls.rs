//! Proofs that are bound to the connection, on both sides.

use super::{Queried, SESSION, Wish, role};
use crate::login::support::{certificates, psql, text};

#[test]
fn under_tls_both_proofs_are_bound_to_their_connections() {
    let files = certificates();
    let tls = format!(
        "    mode: allow\n    certificate: {}\n    key: {}\n",
        files.server.display(),
        files.server_key.display()
    );
    for others in ["", SESSION] {
        let queried = Queried::start(&Wish {
            tls: &tls,
            others,
            parameters: "sslmode=require",
            ..Wish::default()
        });
        let ann = role("");
        let address = queried.stack.proxied_address();
        let target = |binding: &str| {
            format!(
                "host=127.0.0.1 port={} user={ann} dbname={} sslmode=require \
                 channel_binding={binding}",
                address.port(),
                queried.stack.database()
            )
        };
        let who = "SELECT current_user, ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        for binding in ["require", "disable"] {
            let output = psql(&target(binding), &ann, who);
            let told = text(&output.stdout);
            assert_eq!(told, format!("{ann}|t"), "{}", text(&output.stderr));
        }
        let output = psql(&target("require"), "wrong", who);
        assert!(text(&output.stderr).contains("password authentication failed"));
        let bound = "pgsieve_logins_total{method=\"scram_plus\",outcome=\"accepted\"}";
        assert_eq!(queried.stack.metric(bound), 1.0);
    }
}
