//! Records in HINTs: none without a snapshot, and none behind a statement.

use std::sync::Arc;

use super::exchange::{TestExchange, message, query, ready};
use crate::catalog::fixture::CatalogFixture;
use crate::gate::effects::graph::EffectGraph;
use crate::policy::Policy;
use crate::session::context::model_values::LoginFacts;
use crate::session::upstream_side::SelfReport;

const POLICY: &str = "name: cited
extends: agent
replace: [knowledge]
catalog: preferred
repair: {mode: off}
knowledge: {correction: {one: {wrong: w_open, right: something else}}}
";

/// What the client gets where a statement fails, and its error comes with a HINT.
fn told(has_snapshot: bool, hint: &str) -> String {
    let policy = Policy::from_yaml(POLICY).unwrap();
    let mut exchange = TestExchange::under(policy, LoginFacts::default(), SelfReport::Reported);
    assert_eq!(exchange.client(&[query("SELECT * FROM w_open")]), "Q");
    if has_snapshot {
        let catalog = Arc::new(CatalogFixture::new(15).build());
        let protocol = &mut exchange.protocol;
        let effect_graph = EffectGraph::new(catalog, protocol.judge.gate.policy());
        let names = &mut protocol.context.names;
        names.set_effect_graph(Some(Arc::new(effect_graph)));
    }
    let error = format!("SERROR\0VERROR\0C42P01\0Mrelation \"w_open\" does not exist\0H{hint}\0\0");
    let said = [message(b'E', error.as_bytes()), ready(b'I')].concat();
    String::from_utf8_lossy(&exchange.upstream_bytes(&said)).into_owned()
}

#[test]
fn a_record_is_cited_where_it_is_known_that_it_may_be_and_where_it_fits() {
    let cited = "Known (correction one): Not w_open but something else.";
    assert!(told(true, "Look.").contains(&format!("HLook. {cited}\0")));
    let long = "Look. ".repeat(50);
    for (has_snapshot, hint) in [
        (false, "Look."),
        (true, long.as_str()),
        (true, "Send this if it is what was meant: SELECT 1"),
    ] {
        let told = told(has_snapshot, hint);
        assert!(!told.contains("Known"), "{told}");
        assert!(told.contains(hint), "{told}");
    }
}
