//! Message tables of the values that models read: what is known of them, after whatever the client
//! does and in whatever order it is sent. Test code only.

use std::sync::Arc;

use super::exchange::{
    TestExchange, bind, complete, empty, error, execute, parse, query, ready, row, sync,
};
use crate::policy::set::matching::SessionTraits;
use crate::policy::{Policy, SessionValue};
use crate::session::context::model_values::LoginFacts;
use crate::session::upstream_side::SelfReport;

fn policy(models: &str) -> Policy {
    let yaml = include_str!("../../../policies/agent.yaml").replace(
        "    application_name: any\n",
        "    application_name: any\n    app.tenant: any\n    app.other: any\n",
    );
    Policy::from_yaml(&format!("{yaml}\nmodels:\n{models}")).unwrap()
}

fn session(first: Option<Option<&str>>) -> TestExchange {
    let model = "  shop.t: {sql: 'SELECT id FROM t WHERE a = :app.tenant AND b = :user'}\n";
    let mut known = LoginFacts {
        traits: Arc::new(SessionTraits {
            user: "it's \\me".into(),
            ..SessionTraits::default()
        }),
        ..LoginFacts::default()
    };
    if let Some(first) = first {
        let first = first.map(str::to_owned);
        known.settings.insert("app.tenant".to_owned(), first);
    }
    TestExchange::under(policy(model), known, SelfReport::Reported)
}

impl TestExchange {
    /// What is known of `:app.tenant` for a statement that is sent now: `?` where nothing is.
    fn tenant(&mut self) -> String {
        let protocol = &mut self.protocol;
        let gate = &protocol.judge.gate;
        (protocol.context).refresh_names(gate, &protocol.pending);
        let values = self.protocol.context.names.values();
        match values.get(&SessionValue::Setting("app.tenant".to_owned())) {
            None => "?".to_owned(),
            Some(None) => "NULL".to_owned(),
            Some(Some(value)) => format!("'{value}'"),
        }
    }

    /// A Query that runs.
    fn runs(&mut self, text: &str, status: u8) {
        assert_eq!(self.client(&[query(text)]), "Q", "{text}");
        let tag = match text.split([' ', ';']).next().unwrap() {
            "SELECT" => "SELECT 1",
            "DISCARD" => "DISCARD ALL",
            tag => tag,
        };
        self.upstream(&[complete(tag), ready(status)]);
    }

    /// The same, and it fails.
    fn fails(&mut self, text: &str, status: u8) {
        assert_eq!(self.client(&[query(text)]), "Q", "{text}");
        self.upstream(&[error("22012"), ready(status)]);
    }
}

/// Statements, each with the status behind it (`!` before it: it fails), and what is known then.
fn check(script: &[(&str, u8)], expected: &str) {
    let mut exchange = session(Some(Some("first")));
    for (text, status) in script {
        match text.strip_prefix('!') {
            Some(text) => exchange.fails(text, *status),
            None => exchange.runs(text, *status),
        }
    }
    assert_eq!(exchange.tenant(), expected, "{script:?}");
}

#[test]
fn a_value_is_what_the_session_began_with_until_it_is_set() {
    assert_eq!(session(None).tenant(), "?");
    assert_eq!(session(Some(None)).tenant(), "NULL");
    assert_eq!(session(Some(Some("a'b"))).tenant(), "'a'b'");
    let mut exchange = session(None);
    exchange.tenant();
    let user = exchange.protocol.context.names.values();
    assert_eq!(user.get(&SessionValue::User), Some(Some("it's \\me")));
    assert_eq!(user.get(&SessionValue::Database), None);
}

#[test]
fn a_value_is_what_was_set_last() {
    check(&[("SET app.tenant = 'b'", b'I')], "'b'");
    check(&[("SET APP.Tenant = 'B'", b'I')], "'B'");
    check(&[("SET app.other = 'b'", b'I')], "'first'");
    check(&[("!SET app.tenant = 'b'", b'I')], "'first'");
    check(&[("SET LOCAL app.tenant = 'b'", b'I')], "'first'");
    let set = ("SET app.tenant = 'b'", b'I');
    for reset in ["RESET app.tenant", "RESET ALL", "DISCARD ALL"] {
        check(&[set, (reset, b'I')], "'first'");
    }
    check(
        &[("SELECT set_config('app.tenant', 'c', false)", b'I')],
        "'c'",
    );
    check(
        &[("SELECT set_config('app.tenant', $1, false)", b'I'), set],
        "'b'",
    );
    check(&[("SET app.tenant = 'x'; SET app.other = 'y'", b'I')], "?");
}

#[test]
fn a_value_follows_its_transaction() {
    let begin = ("BEGIN", b'T');
    let local = ("SET LOCAL app.tenant = 'b'", b'T');
    let set = ("SET app.tenant = 'b'", b'T');
    let read = ("SELECT 1", b'T');
    check(&[begin, local, read], "'b'");
    check(&[begin, local, read, ("COMMIT", b'I')], "'first'");
    check(&[begin, local, ("ROLLBACK", b'I')], "'first'");
    check(&[begin, set, read, ("COMMIT", b'I')], "'b'");
    check(&[begin, set, ("ROLLBACK", b'I')], "'first'");
    check(
        &[begin, set, ("!SELECT 1/0", b'E'), ("ROLLBACK", b'I')],
        "'first'",
    );
    // A COMMIT of what has failed is a ROLLBACK; nobody looks at its tag.
    check(&[begin, set, ("!SELECT 1/0", b'E'), ("COMMIT", b'I')], "?");
    let save = ("SAVEPOINT s", b'T');
    let back = ("ROLLBACK TO s", b'T');
    check(&[begin, save, set, back], "?");
    check(&[begin, save, set, back, local], "'b'");
    check(&[begin, set, save, read, back], "?");
    check(&[begin, save, set, ("RELEASE s", b'T')], "'b'");
    check(&[begin, save, set, back, ("COMMIT", b'I')], "?");
}

#[test]
fn what_is_under_way_is_in_doubt() {
    let mut exchange = session(Some(Some("a")));
    exchange.client(&[query("SET app.tenant = 'b'")]);
    assert_eq!(exchange.tenant(), "?");
    exchange.upstream(&[complete("SET"), ready(b'I')]);
    assert_eq!(exchange.tenant(), "'b'");
}

#[test]
fn a_whole_batch_reads_what_was_set_before_it() {
    let mut exchange = session(Some(Some("a")));
    exchange.runs("BEGIN", b'T');
    exchange.runs("SET LOCAL app.tenant = 'b'", b'T');
    exchange.client(&[parse("", "SELECT 1")]);
    assert_eq!(exchange.tenant(), "'b'");
    exchange.client(&[bind("", ""), execute("")]);
    assert_eq!(exchange.tenant(), "'b'");
    exchange.client(&[sync(), query("SELECT 2")]);
    assert_eq!(exchange.tenant(), "'b'");
    exchange.client(&[parse("", "COMMIT"), bind("", ""), execute("")]);
    assert_eq!(exchange.tenant(), "?");
    exchange.client(&[sync()]);
    let read = [
        empty(b'1'),
        empty(b'2'),
        row(),
        complete("SELECT 1"),
        ready(b'T'),
    ];
    exchange.upstream(&read);
    exchange.upstream(&[row(), complete("SELECT 1"), ready(b'T')]);
    exchange.upstream(&[empty(b'1'), empty(b'2'), complete("COMMIT"), ready(b'I')]);
    assert_eq!(exchange.tenant(), "'a'");
}

#[test]
fn an_implicit_transaction_ends_with_its_batch() {
    let mut exchange = session(Some(Some("a")));
    let set = "SET LOCAL app.tenant = 'b'";
    exchange.client(&[parse("", set), bind("", ""), execute("")]);
    exchange.upstream(&[empty(b'1'), empty(b'2'), complete("SET")]);
    exchange.client(&[parse("", "SELECT 1")]);
    assert_eq!(exchange.tenant(), "'b'");
    exchange.client(&[sync()]);
    assert_eq!(exchange.tenant(), "?");
    exchange.upstream(&[empty(b'1'), ready(b'I')]);
    assert_eq!(exchange.tenant(), "'a'");
}
