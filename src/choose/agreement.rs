//! Which candidates have equal results. Each is executed as a sub-select whose rows come back as
//! digests alone, with a limit, over a read-only session; what has more rows than that says
//! nothing.

use std::borrow::Cow;

use tokio::time::Instant;

use super::RankedCandidate;
use super::session::ChoiceSession;
use crate::gate::Verdict;
use crate::limits::choice::{CANDIDATE_TIME_MAX, COMPARED_ROWS_MAX};
use crate::offline::script_session::certain_path;
use crate::sql::tree;

/// For each candidate, how many others have an equal result; none where that is not known.
///
/// May be cancelled: the connection is dropped.
pub(super) async fn votes(
    session: &ChoiceSession,
    candidates: &[RankedCandidate],
    until: Instant,
) -> Vec<Option<usize>> {
    let mut results = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let text = candidate.assessment.runs.as_deref();
        let deadline = until.min(Instant::now() + CANDIDATE_TIME_MAX);
        results.push(match text {
            Some(text) => digests(session, text, deadline).await,
            None => None,
        });
    }
    let voted = results.iter().map(|own| {
        let own = own.as_ref()?;
        let equal = results
            .iter()
            .filter(|other| other.as_ref() == Some(own))
            .count();
        Some(equal.saturating_sub(1))
    });
    voted.collect()
}

/// The digests of the rows of a text, in no order.
async fn digests(
    session: &ChoiceSession,
    text: &str,
    deadline: Instant,
) -> Option<Vec<Option<String>>> {
    let wrapped = wrapped(text)?;
    let script = session.script();
    let path = certain_path(script.names())?;
    let judgement = session
        .gate()
        .judge(Cow::Borrowed(&wrapped), script.names());
    let Verdict::Permitted(permit) = judgement.verdict else {
        return None;
    };
    let mut reading = session.open(deadline).await.ok()?;
    let read = reading.rows(&permit, &path, deadline).await.ok()?;
    if read.rows.len() > COMPARED_ROWS_MAX {
        return None;
    }
    let mut digests: Vec<Option<String>> = read.rows.into_iter().flatten().collect();
    digests.sort();
    Some(digests)
}

/// A query around a text, which the gate judges anew.
fn wrapped(text: &str) -> Option<String> {
    let parsed = tree::parse(text).ok()?;
    let mut statements = parsed.statements();
    let statement = statements.next()?;
    let own = text
        .get(statement.span())
        .filter(|_| statements.next().is_none())?;
    let limit = COMPARED_ROWS_MAX.saturating_add(1);
    Some(format!(
        "SELECT pg_catalog.md5(candidate::pg_catalog.text) FROM (\n{own}\n) AS candidate LIMIT {limit}"
    ))
}
