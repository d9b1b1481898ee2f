//! The text of a statement as its client sent it, held until its end where a capture keeps those of
//! statements that fail. Without a capture there is none.

use std::fmt;
use std::sync::Arc;

use crate::limits::capture::CAPTURE_TEXT_BYTES_MAX;
use crate::session::tracing::SessionWitness;
use crate::sqlstate;
use crate::wire::backend::ResponseFields;

/// The text, or of one that is too long to be kept enough to see that.
#[derive(Clone)]
pub struct SentText(Arc<str>);

impl SentText {
    /// That of a statement which is sent now; `ran` is the text that runs, which is shared where it
    /// is the same.
    pub(in crate::session) fn of(
        witness: &SessionWitness,
        sent: &str,
        ran: Option<&Arc<str>>,
    ) -> Option<Self> {
        if !witness.telemetry.captures() {
            return None;
        }
        Some(match ran {
            Some(ran) if **ran == *sent => Self(Arc::clone(ran)),
            _ => {
                let end = sent.ceil_char_boundary(CAPTURE_TEXT_BYTES_MAX + 1);
                Self(sent.get(..end).unwrap_or(sent).into())
            }
        })
    }

    /// The same of a portal that runs.
    pub(in crate::session) fn of_portal(text: Option<&Arc<str>>) -> Option<Self> {
        text.map(|text| Self(Arc::clone(text)))
    }

    /// Whether a statement that fails so has failed by itself: not where its client has cancelled
    /// it. Servers that speak another language are not understood, and then it counts as cancelled.
    pub(in crate::session) fn outlives(error: ResponseFields<'_>) -> bool {
        let message = error.get(b'M').unwrap_or_default();
        error.get(b'C') != Some(sqlstate::QUERY_CANCELED.as_str()) || message.contains("timeout")
    }

    /// The text.
    pub(in crate::session) fn as_str(&self) -> &str {
        &self.0
    }

    /// The same, to be held with what was prepared.
    pub(in crate::session) fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

impl fmt::Debug for SentText {
    /// Without the text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SentText")
    }
}
