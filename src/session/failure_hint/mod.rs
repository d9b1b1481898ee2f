//! What the HINT of a failure says besides its own words, be it the upstream's or pgsieve's own:
//! before them that the client's schema is stale, behind them a record of the policy's knowledge.
//!
//! Clients alone hear it. What is on record of a failure has the words of its rule.
//!
//! * `stale_grounding`: whether the client's schema is stale, and what is said of that
//! * [`cited_knowledge`]: the record that is cited

pub mod cited_knowledge;
mod stale_grounding;

use std::num::NonZeroU64;

use bytes::BytesMut;

use self::cited_knowledge::{CitableText, citation};
use super::protocol::SessionProtocol;
use super::server::forwarding::Forwarding;
use crate::wire::backend;
use crate::wire::encode;
use crate::wire::frame::header_backend;

/// What a HINT stands on, as it was when the statement failed: the error itself takes back what its
/// transaction has set, and takes the statement out of the queue.
pub(super) struct HintBasis {
    /// The version of a grounding that the session stands on.
    version: Option<NonZeroU64>,
    /// Whether the policy has records that may be cited.
    cites: bool,
    text: Option<CitableText>,
}

impl HintBasis {
    /// Of the statement that is answered now.
    pub(super) fn of_answered(protocol: &SessionProtocol) -> Self {
        Self::of(protocol, protocol.pending.citable_text())
    }

    /// Of a statement.
    pub(super) fn of(protocol: &SessionProtocol, text: Option<CitableText>) -> Self {
        Self {
            version: protocol.context.client_settings.grounding(),
            cites: protocol.judge.gate.policy().knowledge().is_cited(),
            text,
        }
    }

    /// Whether there is nothing that could be said.
    fn is_void(&self) -> bool {
        self.version.is_none() && !self.cites
    }
}

/// Adds to the HINT of an error that is passed on, or that was put into the reply behind `from`.
pub(super) fn hint_error(
    protocol: &mut SessionProtocol,
    basis: &HintBasis,
    (from, body): (usize, &[u8]),
    forwarding: Forwarding,
) -> Forwarding {
    if matches!(forwarding, Forwarding::Forward) {
        let Some(told) = hinted(protocol, basis, body) else {
            return forwarding;
        };
        protocol.client.reply.extend_from_slice(&told);
        return Forwarding::Drop;
    }
    hint_reply(protocol, basis, from);
    forwarding
}

/// Adds to that of the error that was put into the reply behind `from`, if one was.
pub(super) fn hint_reply(protocol: &mut SessionProtocol, basis: &HintBasis, from: usize) {
    if basis.is_void() {
        return;
    }
    let written = protocol.client.reply.get(from..).unwrap_or_default();
    // As many turns as messages were put there: a few.
    let mut start = 0;
    while let Some(Ok(Some(header))) = written.get(start..).map(header_backend) {
        let end = start + header.total;
        if header.kind != b'E' {
            start = end;
            continue;
        }
        let body = written.get(start + HEADER_BYTES..end).unwrap_or_default();
        let (body, rest) = (
            body.to_vec(),
            written.get(end..).unwrap_or_default().to_vec(),
        );
        if let Some(told) = hinted(protocol, basis, &body) {
            protocol.client.reply.truncate(from + start);
            protocol.client.reply.extend_from_slice(&told);
            protocol.client.reply.extend_from_slice(&rest);
        }
        return;
    }
}

/// The error of that body with a longer HINT.
fn hinted(protocol: &mut SessionProtocol, basis: &HintBasis, body: &[u8]) -> Option<BytesMut> {
    if basis.is_void() {
        return None;
    }
    let fields = backend::error_fields(body).ok()?;
    if fields.severity() != Some("ERROR") {
        return None;
    }
    let failure = (fields.get(b'C')?, fields.get(b'M').unwrap_or_default());
    let own = fields.get(b'H').unwrap_or_default();
    let hint = longer(protocol, basis, failure, own)?;
    let mut out = BytesMut::new();
    encode::error_with(&mut out, fields, None, Some(&hint));
    Some(out)
}

/// The HINT for a refusal with that code and message, where there is more to say than its own.
pub(super) fn hint_of_refusal(
    protocol: &mut SessionProtocol,
    failure: (&str, &str),
    own: &str,
    text: Option<&str>,
) -> Option<String> {
    let text = text.and_then(|text| {
        let policy = protocol.judge.gate.policy();
        CitableText::of(policy, text.len(), || text.into())
    });
    let basis = HintBasis::of(protocol, text);
    longer(protocol, &basis, failure, own)
}

fn longer(
    protocol: &mut SessionProtocol,
    basis: &HintBasis,
    failure: (&str, &str),
    own: &str,
) -> Option<String> {
    let version = basis.version;
    let stale = version.and_then(|version| stale_grounding::words(protocol, version, failure));
    let before = joined(stale.as_deref().unwrap_or_default(), own);
    let cited = match basis.cites {
        true => citation(protocol, basis.text.as_ref(), failure, &before),
        false => None,
    };
    match (stale, cited) {
        (None, None) => None,
        (Some(_), None) => Some(before),
        (_, Some(cited)) => Some(joined(&before, &cited)),
    }
}

fn joined(one: &str, other: &str) -> String {
    match one.is_empty() || other.is_empty() {
        true => format!("{one}{other}"),
        false => format!("{one} {other}"),
    }
}

/// A type byte and a length.
const HEADER_BYTES: usize = 5;
