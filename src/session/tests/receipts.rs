//! Receipts among the messages of a session. Test code only.

use std::sync::Arc;

use super::exchange::{TestExchange, complete, error, letters, message, query, ready, row, shared};
use crate::policy::Policy;
use crate::policy::set::matching::SessionTraits;
use crate::receipts::issuer::ReceiptIssuer;
use crate::receipts::signing_keys::{SigningKeys, new_key_file};
use crate::session::context::client_settings::ClientSettings;
use crate::session::protocol::WorkerShared;
use crate::sqlstate;

/// A session that is told each receipt.
fn told() -> TestExchange {
    let (text, _) = new_key_file(&[1; 32]);
    let issuer = ReceiptIssuer::new("pgsieve", 60, SigningKeys::read(&text).unwrap(), 7);
    let shared = WorkerShared {
        receipt_issuer: Some(Arc::new(issuer)),
        ..shared(Policy::agent())
    };
    let mut exchange = TestExchange::of(&shared, SessionTraits::default());
    let asked = ("pgsieve.receipts".to_owned(), "on".to_owned());
    exchange.protocol.context.client_settings = ClientSettings::at_startup(&[asked]);
    exchange
}

#[test]
fn a_receipt_is_told_before_the_end_of_its_result_and_behind_its_error() {
    let mut exchange = told();
    assert_eq!(exchange.client(&[query("SELECT 1")]), "Q");
    let description = message(b'T', b"\0\0");
    let answer = [description, row(), complete("SELECT 1"), ready(b'I')];
    assert_eq!(exchange.upstream(&answer), "TDNCZ");
    assert_eq!(exchange.client(&[query("SELECT 1")]), "Q");
    assert_eq!(exchange.upstream(&[error("57014"), ready(b'I')]), "ENZ");
}

/// The client would read it as the rest of the row.
#[test]
fn nothing_is_told_behind_a_part_of_a_row() {
    for whole in [false, true] {
        let mut exchange = told();
        assert_eq!(exchange.client(&[query("SELECT 1")]), "Q");
        let row = row();
        let sent = match whole {
            true => &row[..],
            false => &row[..row.len() - 1],
        };
        assert_eq!(exchange.upstream_bytes(sent), sent);
        assert_eq!(exchange.protocol.upstream.is_mid_frame(), !whole);
        exchange
            .protocol
            .record_unanswered(sqlstate::CONNECTION_FAILURE);
        assert_eq!(letters(&exchange.protocol.client.reply.split()), "");
    }
}
