//! What a pgsieve that others can reach gives away, and what it says of carelessness: names in
//! Host, files with secrets, and TLS that could not be agreed on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::support::{Options, Stack, until};

/// The status of a GET by that name.
fn asked_as(stack: &Stack, host: &str) -> String {
    let mut stream = TcpStream::connect(stack.admin_address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn metrics_are_given_by_names_of_ones_own() {
    let stack = Stack::start(Options {
        environment: vec![("PGSIEVE_ADMIN_HOSTS", "sieve,db.example.org")],
        ..Options::default()
    });
    for host in [
        "sieve:9432",
        "DB.example.org",
        "127.0.0.1:1",
        "localhost",
        "[::1]",
    ] {
        assert_eq!(asked_as(&stack, host), "200", "{host}");
    }
    for host in ["evil.example", "sieve.evil.example", "x"] {
        assert_eq!(asked_as(&stack, host), "421", "{host}");
    }
    let labels = [("page", "metrics"), ("status_class", "4xx")];
    assert_eq!(
        stack.metric_sum("pgsieve_admin_requests_total", &labels),
        3.0
    );
}

/// A stack whose file of settings names a token that others can read.
fn careless(strict: &str) -> Stack {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let token = folder.join(format!("token-of-{strict}"));
    std::fs::write(&token, "0123456789abcdef\n").unwrap();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o644)).unwrap();
    let text = "strict_files: STRICT\nlisten: {listen}\n\
                admin:\n  listen: '{admin}'\n  token_file: 'TOKEN'\n\
                upstream:\n  url: '{upstream}'\n";
    let text = text.replace("STRICT", strict);
    Stack::start_unready(Options {
        config: Some(text.replace("TOKEN", &token.display().to_string())),
        ..Options::default()
    })
}

#[test]
fn a_secret_that_others_can_read_is_told_and_refused_where_that_is_wanted() {
    let words = "file_exposed: admin.token_file: others can read the file";
    let stack = careless("off");
    let said = until(|| Some(stack.stderr()).filter(|said| said.contains(words)));
    let said = said.unwrap_or_else(|| panic!("{}", stack.stderr()));
    // The setting, and not where the file is.
    assert!(!said.contains("token-of-"), "{said}");
    assert_eq!(said.matches(words).count(), 1, "{said}");
    let stack = careless("on");
    assert_eq!(stack.wait_exit(Duration::from_secs(60)), Some(2));
    let said = stack.stderr();
    assert!(
        said.contains("admin.token_file: others can read the file"),
        "{said}"
    );
}

#[test]
fn tls_that_the_upstream_does_not_give_is_counted_and_said() {
    let stack = Stack::start_unready(Options {
        upstream_query: "?sslmode=require",
        ..Options::default()
    });
    let labels = [("peer", "upstream"), ("reason", "not_offered")];
    let counted = until(|| {
        let (status, _) = stack.get("/metrics");
        (status == 200 && stack.metric_sum("pgsieve_tls_failures_total", &labels) >= 1.0)
            .then_some(())
    });
    assert!(counted.is_some(), "{}", stack.stderr());
    let words = "upstream unreachable: it does not offer TLS, and sslmode asks for it";
    assert!(until(|| stack.stderr().contains(words).then_some(())).is_some());
    assert_eq!(stack.get("/readyz").0, 503);
}
