//! What is gathered for the receipt of a statement that is under way.

use std::sync::Arc;

use crate::catalog::CatalogVersion;
use crate::gate::{Facts, PortalDigests, SessionNames};
use crate::receipts::digest::{Digest, ResultDigest, of_bytes};
use crate::receipts::issuer::ReceiptId;

/// What a receipt will say of a statement.
#[derive(Debug)]
pub struct ReceiptDraft {
    pub(super) texts: SentTexts,
    /// The version of the catalog that it was judged by.
    pub(super) catalog: Option<CatalogVersion>,
    /// The digest of the PREPARE or DECLARE whose name it runs.
    pub(super) source: Option<Digest>,
    /// The rows of its result so far.
    pub(super) result: ResultDigest,
    /// The body of the description of that result, where it came with it.
    pub(super) columns: Option<Box<[u8]>>,
    /// Whether a result has begun.
    pub(super) has_begun: bool,
    /// Results that have ended, and the rows that they had.
    pub(super) parts: u32,
    pub(super) rows_before: u64,
    /// The name of the last receipt that was made of it.
    pub(super) id: Option<ReceiptId>,
}

/// The texts that a receipt is about.
#[derive(Debug)]
pub(super) enum SentTexts {
    /// Those of the message itself.
    Own {
        /// The client's.
        sent: Digest,
        /// The one that runs.
        ran: Digest,
    },
    /// Those of the portal's statement, which also has its parameters and formats.
    OfPortal(Arc<PortalDigests>),
}

impl ReceiptDraft {
    pub(super) fn new(texts: SentTexts, facts: &Facts, names: &SessionNames) -> Self {
        let source = facts.source_text.as_ref();
        Self {
            texts,
            catalog: catalog_of(names),
            source: source.map(|text| of_bytes(text.as_bytes())),
            result: ResultDigest::default(),
            columns: None,
            has_begun: false,
            parts: 0,
            rows_before: 0,
            id: None,
        }
    }

    /// A result begins, with this description.
    pub(in crate::session) fn begins(&mut self, columns: Option<&[u8]>) {
        self.has_begun = true;
        self.columns = columns.map(Into::into);
    }
}

/// The version of the catalog that a session's names are looked up in now.
pub(in crate::session) fn catalog_of(names: &SessionNames) -> Option<CatalogVersion> {
    names.effect_graph().map(|graph| graph.catalog().version())
}
