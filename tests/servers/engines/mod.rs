//! Engines that speak the protocol and are no Postgres: peers that answer as their documentation
//! has it stand in for them, and a Postgres with functions of Citus's names.

mod citus;
mod named;
mod sessions;
mod several;

use crate::support::raw::{Frame, Login, RawClient};
use crate::support::recorded_peer::RecordedPeer;
use crate::support::{APP, Options, Stack};

/// A pgsieve before peers with the same contents, with these lines of `upstream` and of settings.
fn before(peers: &[&RecordedPeer], upstream: &str, others: &str) -> Stack {
    let hosts: Vec<String> = peers
        .iter()
        .map(|it| format!("127.0.0.1:{}", it.port()))
        .collect();
    before_url(
        &format!("postgres://{}/bank", hosts.join(",")),
        upstream,
        others,
    )
}

fn before_url(url: &str, upstream: &str, others: &str) -> Stack {
    let policy = match others.contains("policy:") {
        true => "",
        false => "policy:\n  file: bi\n",
    };
    let config = format!(
        "upstream:\n  url: {url}?sslmode=disable\n{upstream}\
         listen: {{listen}}\nadmin:\n  listen: {{admin}}\naudit:\n  to: \"off\"\n{policy}{others}"
    );
    Stack::start(Options {
        config: Some(config),
        ..Options::default()
    })
}

/// A login in the database `bank`, or why there is none.
fn log_in(stack: &Stack) -> Result<RawClient, Frame> {
    let login = Login {
        user: APP,
        password: APP,
        database: "bank",
        parameters: &[],
    };
    RawClient::try_login(stack.proxied_address(), &login)
}

/// The SQLSTATE and the message of an error.
fn told(frame: &Frame) -> (String, String) {
    (frame.sqlstate(), frame.field(b'M').unwrap_or_default())
}

/// A read that every recording answers.
const READ: &str = "SELECT id FROM accounts WHERE balance > 10";
