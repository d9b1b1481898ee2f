//! Texts that share a verdict: each runs as it is, and is answered by itself; one that may not run
//! is refused behind those that may.

use crate::support::raw::{Login, kinds, rows};
use crate::support::{APP, Options, RawClient, Stack, until};

#[test]
fn texts_that_differ_in_constants_are_answered_each_by_itself() {
    let stack = Stack::start(Options::default());
    let login: Login<'_> = stack.login(APP);
    let mut app = RawClient::login(stack.proxied_address(), &login);
    let mut ask = |name: &str, price: &str, day: &str| {
        let text = format!(
            "SELECT v FROM (VALUES ('ann'), ('it''s'), ('Ünal'), ('a\\')) AS t(v) \
             WHERE v = '{name}' AND {price} > 12.50 AND date '{day}' >= '2024-01-01' ORDER BY 1"
        );
        rows(&app.query(&text))
    };
    for _ in 0..3 {
        assert_eq!(ask("ann", "13.0", "2024-02-01"), ["ann"]);
        assert_eq!(ask("it''s", "99.9", "2024-01-01"), ["it's"]);
        assert_eq!(ask("a\\", "1e3", "infinity"), ["a\\"]);
        assert_eq!(ask("Ünal", "1e3", "2025-12-31"), ["Ünal"]);
        assert!(ask("ann", "12.5", "2024-02-01").is_empty());
        assert!(ask("bob", "13.0", "2024-02-01").is_empty());
        assert!(ask("ann", "13.0", "2023-02-01").is_empty());
        assert!(ask("SELECT pg_sleep(9)", "13.0", "2024-02-01").is_empty());
    }
    let hits = || stack.metric_sum("pgsieve_judgement_cache_total", &[("answer", "hit")]);
    assert!(
        until(|| (hits() >= 18.0).then_some(())).is_some(),
        "{}",
        hits()
    );
}

#[test]
fn a_string_does_not_bring_along_what_may_not_run() {
    let stack = Stack::start(Options::default());
    let mut app = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let mut answer = |text: &str| kinds(&app.query(text));
    for _ in 0..3 {
        assert_eq!(answer("SELECT 1 WHERE 'a' = 'b'"), "TCZ");
        assert_eq!(answer("SELECT 1 WHERE 'a' = 'b'; DROP TABLE t; --'"), "EZ");
        assert_eq!(answer("SELECT 1 WHERE 'a' = '; DROP TABLE t; --'"), "TCZ");
        assert_eq!(answer("SELECT 1 WHERE 'a' = '\\'; DROP TABLE t; --'"), "EZ");
        assert_eq!(answer("SELECT 1 WHERE 'a' = 'b' || pg_sleep(9)"), "EZ");
        assert_eq!(
            answer("SELECT 1 WHERE 'a' = 'b'\n'c' AND pg_sleep(9) IS NULL"),
            "EZ"
        );
        assert_eq!(answer("SELECT set_config('jit', 'off', false)"), "TDCZ");
        assert_eq!(answer("SELECT set_config('role', 'postgres', false)"), "EZ");
    }
}
