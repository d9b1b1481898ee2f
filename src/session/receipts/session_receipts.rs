//! What a session keeps for its receipts: who signs, the last one, and what is known of what it has
//! prepared.

use std::sync::Arc;

use bytes::BytesMut;

use super::draft::{ReceiptDraft, SentTexts};
use super::ended::failed;
use super::finished::{FinishedReceipt, ReceiptMoment};
use crate::gate::{
    Cursor, Facts, KeptDescriptions, PortalDigests, ReadPermit, SessionNames, StatementDigests,
};
use crate::limits::receipts::RECEIPT_COLUMNS_BYTES_MAX;
use crate::receipts::claims::ReceiptClaims;
use crate::receipts::digest::{Digest, of_bytes};
use crate::receipts::issuer::{ReceiptId, ReceiptIssuer};
use crate::session::context::client_settings::ClientSettings;
use crate::session::pending::in_flight::InFlight;
use crate::session::reply;
use crate::telemetry::session_info::SessionInfo;
use crate::wire::frontend::Bind;

/// The receipts of a session.
#[derive(Debug, Default)]
pub struct SessionReceipts {
    /// None where there is no key.
    maker: Option<Box<ReceiptMaker>>,
}

#[derive(Debug)]
struct ReceiptMaker {
    issuer: Arc<ReceiptIssuer>,
    /// Receipts made so far.
    made: u64,
    last: Option<Box<FinishedReceipt>>,
    /// Whether the frame that passes now is a row, of which more comes.
    amid_row: bool,
    descriptions: KeptDescriptions,
}

impl SessionReceipts {
    /// Of a session of a process that has this issuer, if it has one.
    pub(in crate::session) fn new(issuer: Option<&Arc<ReceiptIssuer>>) -> Self {
        let maker = issuer.map(|issuer| {
            Box::new(ReceiptMaker {
                issuer: Arc::clone(issuer),
                made: 0,
                last: None,
                amid_row: false,
                descriptions: KeptDescriptions::default(),
            })
        });
        Self { maker }
    }

    /// Whether there are any.
    pub(in crate::session) fn are_made(&self) -> bool {
        self.maker.is_some()
    }

    /// What is gathered of a Query: the client's text and the one that runs.
    pub(in crate::session) fn draft_of_query(
        &self,
        permit: &ReadPermit<'_>,
        sent: &str,
        names: &SessionNames,
    ) -> Option<Box<ReceiptDraft>> {
        let texts = self.texts(permit, sent)?;
        Some(Box::new(ReceiptDraft::new(texts, permit.facts(), names)))
    }

    /// What is kept of a Parse, and what is gathered of it should it fail.
    pub(in crate::session) fn draft_of_parse(
        &self,
        permit: &ReadPermit<'_>,
        sent: &str,
        names: &SessionNames,
    ) -> Option<(Arc<StatementDigests>, Box<ReceiptDraft>)> {
        let (sent, ran) = self.digests(permit, sent)?;
        let texts = SentTexts::Own { sent, ran };
        let draft = ReceiptDraft::new(texts, permit.facts(), names);
        Some((Arc::new(StatementDigests::new(sent, ran)), Box::new(draft)))
    }

    fn texts(&self, permit: &ReadPermit<'_>, sent: &str) -> Option<SentTexts> {
        let (sent, ran) = self.digests(permit, sent)?;
        Some(SentTexts::Own { sent, ran })
    }

    /// The digests of the client's text and of the one that runs. What the policy put into that is
    /// hidden from clients, who could guess at a digest without a key.
    fn digests(&self, permit: &ReadPermit<'_>, sent: &str) -> Option<(Digest, Digest)> {
        let maker = self.maker.as_ref()?;
        let facts = permit.facts();
        if facts.asks_receipt {
            return None;
        }
        let ran = match &facts.rewritten {
            None => of_bytes(permit.text().as_bytes()),
            Some(rewritten) => maker
                .issuer
                .signer()
                .keys()
                .digest(rewritten.text.as_bytes()),
        };
        Some((of_bytes(sent.as_bytes()), ran))
    }

    /// What is kept of the portal of a Bind.
    pub(in crate::session) fn of_bind(
        &self,
        statement: Option<&Arc<StatementDigests>>,
        bind: &Bind<'_>,
    ) -> Option<Arc<PortalDigests>> {
        self.maker.as_ref()?;
        Some(Arc::new(PortalDigests {
            statement: Arc::clone(statement?),
            parameters: of_bytes(bind.given),
            formats: bind.result_formats().collect(),
        }))
    }

    /// What is gathered of an Execute; `text` made its portal, where that was not a Bind.
    pub(in crate::session) fn draft_of_execute(
        &self,
        (facts, names): (&Facts, &SessionNames),
        portal: &str,
        text: &str,
    ) -> Option<Box<ReceiptDraft>> {
        self.maker.as_ref()?;
        if facts.asks_receipt {
            return None;
        }
        let cursor: Option<&Cursor> = names.cursor(portal);
        let texts = match cursor.and_then(|cursor| cursor.digests.as_ref()) {
            Some(digests) => SentTexts::OfPortal(Arc::clone(digests)),
            None => {
                let digest = of_bytes(text.as_bytes());
                SentTexts::Own {
                    sent: digest,
                    ran: digest,
                }
            }
        };
        Some(Box::new(ReceiptDraft::new(texts, facts, names)))
    }

    /// Keeps a description for the statement that it is of.
    pub(in crate::session) fn described(&self, statement: Option<&StatementDigests>, body: &[u8]) {
        if let (Some(maker), Some(statement)) = (&self.maker, statement) {
            statement.described(body, &maker.descriptions, RECEIPT_COLUMNS_BYTES_MAX);
        }
    }

    /// Where the rows begin that are to be digested, among bytes that come now.
    pub(in crate::session) fn first_row(&self) -> Option<usize> {
        let is_amid = self.maker.as_ref().is_some_and(|maker| maker.amid_row);
        is_amid.then_some(0)
    }

    /// A frame of this kind, which begins at `at`, passes to the client.
    pub(in crate::session) fn passes(&mut self, kind: u8, at: usize, rows: &mut Option<usize>) {
        if let Some(maker) = &mut self.maker {
            maker.amid_row = is_row(kind);
            if maker.amid_row && rows.is_none() {
                *rows = Some(at);
            }
        }
    }

    /// The last statement has failed before it could be told which one it is.
    pub(in crate::session) fn forget_last(&mut self) {
        if let Some(maker) = &mut self.maker {
            maker.last = None;
        }
    }

    /// Keeps the receipt of the last statement, and gives it its name.
    pub(super) fn keep(&mut self, finished: FinishedReceipt) -> Option<ReceiptId> {
        let maker = self.maker.as_mut()?;
        maker.made += 1;
        let id = maker.issuer.id(finished.session(), maker.made);
        let finished = FinishedReceipt {
            id: Some(id),
            ..finished
        };
        match &mut maker.last {
            Some(last) => **last = finished,
            last => *last = Some(Box::new(finished)),
        }
        Some(id)
    }

    /// The name of the receipt of the last statement.
    pub(super) fn last_id(&self) -> Option<ReceiptId> {
        self.maker.as_ref()?.last.as_ref()?.id
    }

    /// The receipt of the last statement, signed; with the number of the audit's line, where that
    /// is known.
    pub(super) fn signed(&self, audit_seq: Option<u64>) -> Option<String> {
        let maker = self.maker.as_ref()?;
        let claims = ReceiptClaims {
            audit_seq,
            ..maker.last.as_ref()?.claims(&maker.issuer)
        };
        Some(maker.issuer.signer().sign(&claims))
    }

    /// A statement is over: where it has failed, that is what its receipt says. The name of its
    /// receipt, for the audit.
    pub(in crate::session) fn statement_over(
        &mut self,
        running: &InFlight,
        info: &Arc<SessionInfo>,
        client_settings: &ClientSettings,
    ) -> Option<ReceiptId> {
        let draft = running.receipt.as_deref()?;
        let Some(sqlstate) = running.sqlstate else {
            return draft.id;
        };
        let moment = ReceiptMoment::now(client_settings);
        self.keep(failed(draft, (running, info), sqlstate, moment)?)
    }

    /// Tells the client the last receipt, where it wants to hear of each.
    pub(in crate::session) fn tell(
        &self,
        (reply, client_settings): (&mut BytesMut, &ClientSettings),
    ) {
        if client_settings.wants_receipts()
            && let Some(receipt) = self.signed(None)
        {
            reply::notice(reply, &format!("receipt: {receipt}"), None);
        }
    }
}

/// Whether frames of this kind are what a result is digested of.
pub(in crate::session) fn is_row(kind: u8) -> bool {
    matches!(kind, b'D' | b'd')
}
