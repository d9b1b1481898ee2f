//! What settings are when a session begins: one question for all, and its answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;

use super::login::UpstreamSession;
use super::verify::VerifyError;
use crate::limits;
use crate::net::framed_stream::OwnedMessage;
use crate::wire::backend::{data_row, error_fields, parameter_status};

/// The answer. Where the upstream refuses to say it, because one of them is not for everybody,
/// nothing is known of any.
///
/// Not to be cancelled and gone on with: part of it may be read.
pub(super) async fn answers(
    session: &mut UpstreamSession,
    names: &[&str],
    deadline: Instant,
) -> Result<BTreeMap<String, Option<String>>, VerifyError> {
    let no_answer = VerifyError::NoSettings;
    let RowAnswer::Row(values) = answer(session, names.len(), no_answer, deadline).await? else {
        return Ok(BTreeMap::new());
    };
    let names = names.iter().map(|name| name.to_ascii_lowercase());
    let mut known: BTreeMap<String, Option<String>> = names.zip(values).collect();
    known.retain(|_, value| {
        let length = value.as_ref().map_or(0, String::len);
        length <= limits::SESSION_VALUE_BYTES_MAX
    });
    Ok(known)
}

/// What a question was answered with that is to bring one row.
pub(super) enum RowAnswer {
    /// The row.
    Row(Vec<Option<String>>),
    /// No, with this SQLSTATE.
    Refused(Box<str>),
    /// Nothing.
    Nothing,
}

/// Reads the answer to a question, up to the moment that the upstream is ready for the next;
/// `no_answer` where that is none.
///
/// Not to be cancelled and gone on with: part of it may be read.
pub(super) async fn answer(
    session: &mut UpstreamSession,
    columns: usize,
    no_answer: VerifyError,
    deadline: Instant,
) -> Result<RowAnswer, VerifyError> {
    let mut answer = RowAnswer::Nothing;
    for _ in 0..limits::UPSTREAM_LOGIN_MESSAGES_MAX {
        let message = session.framed.backend(deadline).await;
        let message = message.map_err(VerifyError::Link)?;
        match message.kind {
            b'D' => answer = RowAnswer::Row(data_row(message.body(), columns).ok_or(no_answer)?),
            b'Z' if message.body() == IDLE => return Ok(answer),
            b'S' => {
                let (name, value) = parameter_status(message.body()).map_err(|_| no_answer)?;
                let parameters = Arc::make_mut(&mut session.parameters);
                parameters.push((name.to_owned(), value.to_owned()));
            }
            b'E' => answer = RowAnswer::Refused(refusal(&message, no_answer)?),
            b'T' | b'C' | b'N' => {}
            _ => return Err(no_answer),
        }
    }
    Err(no_answer)
}

/// The SQLSTATE of an error behind which the session goes on.
fn refusal(message: &OwnedMessage, no_answer: VerifyError) -> Result<Box<str>, VerifyError> {
    let fields = error_fields(message.body()).map_err(|_malformed| no_answer)?;
    match fields.severity() {
        Some("ERROR") => Ok(fields.sqlstate().unwrap_or_default().into()),
        Some("FATAL" | "PANIC") => Err(VerifyError::Ended),
        Some(_) | None => Err(no_answer),
    }
}

/// The body of ReadyForQuery outside of a transaction.
const IDLE: &[u8] = b"I";
