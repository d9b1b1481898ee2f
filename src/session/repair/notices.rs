//! What a client hears of repairs: a notice before the answer ends, and advice in an error.

use std::fmt;

use bytes::{Bytes, BytesMut};

use crate::gate::{Refusal, Rule};
use crate::policy::{Policy, Recoverer, RepairMode};
use crate::repair::failure::FailureClass;
use crate::repair::{RepairAdvice, RepairedStatement, hints};
use crate::session::context::client_settings::ClientSettings;
use crate::session::reply;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::wire::backend::{ResponseFields, error_fields};
use crate::wire::encode;

/// A notice that waits for its statement's answer.
pub enum PendingNotice {
    /// A setting was lowered.
    Clamped(String),
    /// A changed text runs in the statement's place.
    Repaired {
        /// Who changed it.
        message: String,
        /// What was changed.
        detail: String,
        /// The statement that ran, as it was before models were put in.
        statement: String,
    },
    /// A result ended where the policy's LIMIT did.
    Cut {
        /// After so many rows.
        rows_max: u64,
    },
}

/// What a client gets where a statement fails.
pub enum OnError {
    /// The upstream's error.
    Passes,
    /// The same with advice.
    Advised(Box<RepairAdvice>),
    /// The upstream's error with advice where it is about the text, which is a changed one.
    Repaired(Box<RepairAdvice>),
    /// The error of its own text where the upstream's is about the text, because a changed one ran.
    Replaced(Box<OriginalError>),
}

/// The error of the client's own text.
pub struct OriginalError {
    /// The body of the message.
    pub error: Bytes,
    /// What is added to it.
    pub advice: RepairAdvice,
}

/// What became of an error on its way to the client.
pub(in crate::session) enum ErrorDelivery {
    /// It is to be passed on as it is.
    AsItIs,
    /// The reply holds what the client gets, under this code.
    Instead(SqlstateCode),
}

impl PendingNotice {
    /// Announces a repair.
    pub(in crate::session) fn of(repaired: &RepairedStatement) -> Box<Self> {
        Box::new(Self::Repaired {
            message: repaired.message(),
            detail: repaired.detail.clone(),
            statement: repaired.permit.original().to_owned(),
        })
    }

    /// Says it, unless the client does not want to hear of such things.
    pub(in crate::session) fn write(&self, out: &mut BytesMut, client_settings: &ClientSettings) {
        match self {
            Self::Clamped(message) => reply::notice(out, message, None),
            Self::Repaired { .. } | Self::Cut { .. } if client_settings.is_quiet() => {}
            Self::Repaired {
                message,
                detail,
                statement,
            } if client_settings.shows_repaired() => {
                let detail = format!("{detail}\nThe statement that ran: {statement}");
                reply::notice(out, message, Some(&detail));
            }
            Self::Repaired {
                message, detail, ..
            } => reply::notice(out, message, Some(detail)),
            Self::Cut { rows_max } => {
                let message = format!("the result was cut at {rows_max} rows by the policy");
                let detail = format!("LIMIT {rows_max} was added to a SELECT that has none.");
                reply::notice(out, &message, Some(&detail));
            }
        }
    }
}

impl OnError {
    /// For a text that is sent although it was found to fail.
    pub(in crate::session) fn advised(advice: RepairAdvice) -> Self {
        if advice == RepairAdvice::default() {
            Self::Passes
        } else {
            Self::Advised(Box::new(advice))
        }
    }

    /// For a changed text whose own one was never sent.
    pub(in crate::session) fn repaired(recoverers: &[Recoverer]) -> Self {
        Self::Repaired(Box::new(exhausted(recoverers)))
    }

    /// For a changed text: should its text fail as well, the client gets the error of its own.
    pub(in crate::session) fn replaced(error: Bytes, recoverers: &[Recoverer]) -> Self {
        let advice = exhausted(recoverers);
        Self::Replaced(Box::new(OriginalError { error, advice }))
    }

    /// Puts what the client gets for an error of the upstream into the reply.
    pub(in crate::session) fn write(
        &self,
        out: &mut BytesMut,
        fields: ResponseFields<'_>,
        rows: u64,
    ) -> ErrorDelivery {
        let code = fields.get(b'C').unwrap_or_default();
        match self {
            Self::Advised(advice) => {
                let message = fields.get(b'M').unwrap_or_default();
                if FailureClass::of(code, message).is_none() {
                    return ErrorDelivery::AsItIs;
                }
                advise(out, fields, advice);
                ErrorDelivery::Instead(SqlstateCode::from_bytes(code.as_bytes()))
            }
            Self::Repaired(advice) if is_about_text(code) => {
                advise(out, fields, advice);
                ErrorDelivery::Instead(SqlstateCode::from_bytes(code.as_bytes()))
            }
            Self::Replaced(original) if rows == 0 && is_about_text(code) => {
                let Ok(fields) = error_fields(&original.error) else {
                    return ErrorDelivery::AsItIs;
                };
                advise(out, fields, &original.advice);
                let code = fields.bytes(b'C').unwrap_or_default();
                ErrorDelivery::Instead(SqlstateCode::from_bytes(code))
            }
            Self::Passes | Self::Repaired(_) | Self::Replaced(_) => ErrorDelivery::AsItIs,
        }
    }
}

/// An error with advice in it.
pub fn advise(out: &mut BytesMut, fields: ResponseFields<'_>, advice: &RepairAdvice) {
    encode::error_with(
        out,
        fields,
        advice.detail.as_deref(),
        advice.hint.as_deref(),
    );
}

/// A refusal with advice in it.
pub fn advised(mut refusal: Box<Refusal>, advice: &RepairAdvice) -> Box<Refusal> {
    if let Some(words) = &advice.detail {
        if !refusal.detail.is_empty() {
            refusal.detail.push('\n');
        }
        refusal.detail.push_str(words);
    }
    // What is known of this text takes the place of what holds for all that the rule refuses.
    if let Some(words) = &advice.hint {
        refusal.hint = words.clone();
    }
    refusal
}

/// The body of the error that a refusal is answered with.
pub fn error_of(refusal: &Refusal) -> Bytes {
    let mut out = BytesMut::new();
    reply::refusal(&mut out, refusal);
    out.freeze().slice(HEADER_BYTES..)
}

/// The body of the error that a cancelled statement is answered with.
pub fn cancelled() -> Bytes {
    let mut out = BytesMut::new();
    reply::cancelled(&mut out);
    out.freeze().slice(HEADER_BYTES..)
}

/// What is said of a changed text that compiled, and failed when it ran.
pub fn exhausted(recoverers: &[Recoverer]) -> RepairAdvice {
    let names: Vec<&str> = recoverers.iter().map(|one| one.name()).collect();
    RepairAdvice {
        detail: Some(format!("RepairExhausted: {}", names.join(", "))),
        hint: None,
    }
}

/// Whether an error says nothing of the text: cancelled, timed out, no resources, a transaction
/// that has failed before.
pub(in crate::session) fn is_of_the_moment(code: &str) -> bool {
    let class = code.get(..2).unwrap_or_default();
    ["08", "25", "40", "53", "55", "57", "58", "XX"].contains(&class)
}

/// Whether an error says that a text cannot run. All others come while it runs: a division by zero,
/// a value that does not fit, a timeout; or they say nothing of it.
fn is_about_text(code: &str) -> bool {
    code.starts_with("42")
}

/// A refusal of the grammar with a HINT for its words, where something is known of them.
pub(in crate::session) fn hinted_refusal(
    mut refusal: Box<Refusal>,
    policy: &Policy,
) -> Box<Refusal> {
    if policy.repair().mode == RepairMode::Apply
        && refusal.rule == Rule::SyntaxError
        && let Some(hint) = hints::of_error(refusal.sqlstate.as_str(), &refusal.message)
    {
        refusal.hint = hint;
    }
    refusal
}

/// The body of an error with a HINT, where it comes without one and something is known of it.
pub(in crate::session) fn hinted(fields: ResponseFields<'_>, policy: &Policy) -> Option<Bytes> {
    let is_due = policy.repair().mode == RepairMode::Apply && fields.get(b'H').is_none();
    let (true, Some(code)) = (is_due, fields.get(b'C')) else {
        return None;
    };
    let message = fields.get(b'M').unwrap_or_default();
    if hints::is_of_run_time(code, message) {
        return None;
    }
    let hint = hints::of_error(code, message)?;
    let mut out = BytesMut::new();
    encode::error_with(&mut out, fields, None, Some(&hint));
    Some(out.freeze().slice(HEADER_BYTES..))
}

impl fmt::Debug for PendingNotice {
    /// Without the words.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Clamped(_) => "Clamped",
            Self::Repaired { .. } => "Repaired",
            Self::Cut { .. } => "Cut",
        })
    }
}

impl fmt::Debug for OnError {
    /// Without the words.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Passes => "Passes",
            Self::Advised(_) => "Advised",
            Self::Repaired(_) => "Repaired",
            Self::Replaced(_) => "Replaced",
        })
    }
}

/// A type byte and a length.
const HEADER_BYTES: usize = 5;
