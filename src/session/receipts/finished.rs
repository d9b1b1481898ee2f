//! What is known of a statement when its result has ended: enough to sign it, and nothing that has
//! to be computed before somebody asks.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::catalog::CatalogVersion;
use crate::gate::{Facts, PortalDigests};
use crate::hex;
use crate::policy::settings::receipt_nonce::ReceiptNonce;
use crate::receipts::claims::{ColumnFormat, ReceiptClaims, ReceiptColumn, ReceiptOutcome};
use crate::receipts::digest::{Digest, of_bytes};
use crate::receipts::issuer::{ReceiptId, ReceiptIssuer};
use crate::session::context::client_settings::ClientSettings;
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::wire::backend::row_description;

/// A receipt that is not signed yet.
#[derive(Debug)]
pub(in crate::session) struct FinishedReceipt {
    /// Its name, once it is kept.
    pub(super) id: Option<ReceiptId>,
    pub(super) catalog: Option<CatalogVersion>,
    pub(super) info: Arc<SessionInfo>,
    /// What the gate found; none of a message that it never saw.
    pub(super) facts: Option<Arc<Facts>>,
    /// Seconds since 1970.
    pub(super) at: i64,
    pub(super) nonce: ReceiptNonce,
    pub(super) outcome: ReceiptOutcome,
    pub(super) sent: Digest,
    pub(super) ran: Option<Digest>,
    pub(super) source: Option<Digest>,
    pub(super) part: u32,
    pub(super) portal: Option<Arc<PortalDigests>>,
    pub(super) rows: u64,
    /// The description that came with the result.
    pub(super) columns: Option<Box<[u8]>>,
    pub(super) result: Option<Digest>,
    pub(super) sqlstate: Option<SqlstateCode>,
    pub(super) is_repaired: bool,
    pub(super) time: Duration,
}

/// When a receipt is made, and with which word of the client's.
#[derive(Clone, Copy)]
pub(super) struct ReceiptMoment {
    pub(super) now: Instant,
    /// Since 1970.
    pub(super) seconds: i64,
    pub(super) nonce: ReceiptNonce,
}

/// What ended without the upstream: a refusal.
pub(in crate::session) struct RefusedStatement<'r> {
    pub(in crate::session) text: Option<&'r str>,
    pub(in crate::session) facts: Option<&'r Arc<Facts>>,
    pub(in crate::session) catalog: Option<CatalogVersion>,
    pub(in crate::session) sqlstate: SqlstateCode,
    pub(in crate::session) begun: Instant,
}

impl ReceiptMoment {
    /// This one, for a client with these settings.
    pub(super) fn now(client_settings: &ClientSettings) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = since.map_or(0, |since| since.as_secs());
        Self {
            now: Instant::now(),
            seconds: i64::try_from(seconds).unwrap_or(i64::MAX),
            nonce: client_settings.receipt_nonce(),
        }
    }
}

impl FinishedReceipt {
    /// Of what was refused.
    pub(super) fn refused(
        refused: &RefusedStatement<'_>,
        info: &Arc<SessionInfo>,
        moment: ReceiptMoment,
    ) -> Self {
        Self {
            id: None,
            catalog: refused.catalog,
            info: Arc::clone(info),
            facts: refused.facts.map(Arc::clone),
            at: moment.seconds,
            nonce: moment.nonce,
            outcome: ReceiptOutcome::Refused,
            sent: of_bytes(refused.text.unwrap_or_default().as_bytes()),
            ran: None,
            source: None,
            part: 1,
            portal: None,
            rows: 0,
            columns: None,
            result: None,
            sqlstate: Some(refused.sqlstate),
            is_repaired: false,
            time: moment.now.saturating_duration_since(refused.begun),
        }
    }

    /// The number of its session.
    pub(super) fn session(&self) -> u64 {
        self.info.id()
    }

    /// What it says, signed by this issuer.
    pub(super) fn claims(&self, issuer: &ReceiptIssuer) -> ReceiptClaims {
        let (policy, policy_version) = self.info.policy().unwrap_or_default();
        let valid = i64::try_from(issuer.valid_seconds()).unwrap_or(i64::MAX);
        let facts = self.facts.as_deref();
        let digits = |digest: Digest| hex::digits(&digest);
        ReceiptClaims {
            iss: issuer.name().to_owned(),
            iat: self.at,
            exp: self.at.saturating_add(valid),
            jti: self.id.map(|id| id.to_string()).unwrap_or_default(),
            nonce: self.nonce.word().map(str::to_owned),
            session: self.session(),
            database: self.info.database().to_owned(),
            user: self.info.user().to_owned(),
            policy: policy.to_owned(),
            policy_version: policy_version.to_owned(),
            catalog_version: self.catalog.map(|version| version.to_string()),
            outcome: self.outcome,
            stmt: digits(self.sent),
            ran: self.ran.map(digits),
            source: self.source.map(digits),
            part: self.part,
            fingerprint: facts
                .and_then(|facts| facts.fingerprint.as_ref())
                .map(|fingerprint| hex::digits(fingerprint.as_bytes())),
            params: self.portal.as_ref().map(|portal| digits(portal.parameters)),
            rows: self.rows,
            columns: self.result.and_then(|_| self.described()),
            result: self.result.map(digits),
            sqlstate: self.sqlstate.map(|code| code.as_str().to_owned()),
            audit_seq: None,
            repaired: self.is_repaired,
            time_us: u64::try_from(self.time.as_micros()).unwrap_or(u64::MAX),
        }
    }

    /// Its columns, where the client asked for their description.
    fn described(&self) -> Option<Vec<ReceiptColumn>> {
        let portal = self.portal.as_deref();
        let body = match portal {
            Some(portal) => portal.statement.columns(),
            None => self.columns.as_deref(),
        };
        let fields = row_description(body?).ok()?;
        let format = |place: usize| {
            let formats = portal.map(|portal| &*portal.formats).unwrap_or_default();
            let is_binary = match formats {
                [all] => *all,
                each => each.get(place).copied().unwrap_or_default(),
            };
            match is_binary {
                true => ColumnFormat::Binary,
                false => ColumnFormat::Text,
            }
        };
        let columns = fields
            .iter()
            .enumerate()
            .map(|(place, field)| ReceiptColumn {
                name: field.name.to_owned(),
                type_oid: field.type_oid,
                format: format(place),
            });
        Some(columns.collect())
    }
}
