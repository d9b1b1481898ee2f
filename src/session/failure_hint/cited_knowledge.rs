//! The record of the policy's knowledge that the HINT of a failing statement cites, where the
//! session may be told it: by the snapshot and the policy at hand, and not without a snapshot.

use std::fmt;
use std::sync::Arc;

use crate::catalog::SchemaId;
use crate::gate::{Gate, SearchPaths, SessionNames};
use crate::grounding::citation::{CitationSource, FailedStatement, cite, is_citable};
use crate::limits;
use crate::limits::knowledge::cited_records;
use crate::policy::{KnowledgeRecord, Policy};
use crate::repair::outcome::holds_statement;
use crate::session::protocol::SessionProtocol;
use crate::session::readable_objects::ReadableObjects;

/// The text of a statement, kept until it has succeeded where the policy has records that a failure
/// may cite.
#[derive(Clone)]
pub struct CitableText(Arc<str>);

impl CitableText {
    /// A text of so many bytes; none where no record would be looked for in it.
    pub(in crate::session) fn of(
        policy: &Policy,
        bytes: usize,
        text: impl FnOnce() -> Arc<str>,
    ) -> Option<Self> {
        let is_kept = policy.knowledge().is_cited() && bytes <= cited_records::TEXT_BYTES_MAX;
        is_kept.then(|| Self(text()))
    }
}

impl fmt::Debug for CitableText {
    /// Without the text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CitableText")
    }
}

/// Words that cite a record about a failure with that code and message, behind a HINT that is there
/// already. None where the whole would be too long, and behind a HINT that ends in a statement.
pub(super) fn citation(
    protocol: &mut SessionProtocol,
    text: Option<&CitableText>,
    (sqlstate, message): (&str, &str),
    before: &str,
) -> Option<String> {
    let taken = before.chars().count() + usize::from(!before.is_empty());
    let room = limits::HINT_CHARACTERS_MAX.checked_sub(taken)?;
    if holds_statement(before) || !is_citable(sqlstate, message) {
        return None;
    }
    let failed = FailedStatement {
        sqlstate,
        message,
        text: text.map(|text| &*text.0),
    };
    let gate = Arc::clone(&protocol.judge.gate);
    let is_judging = protocol.context.names.effect_graph().is_some();
    (protocol.context).refresh_names(&gate, &protocol.pending);
    let (policy, user) = (gate.policy(), protocol.witness.info.user());
    let records = policy.knowledge().records.iter();
    let records: Vec<&KnowledgeRecord> = records.filter(|one| one.is_for(user)).collect();
    let cited = cited(&gate, &protocol.context.names, &records, &failed, room);
    if !is_judging {
        protocol.context.release_names();
    }
    cited
}

fn cited(
    gate: &Gate,
    names: &SessionNames,
    knowledge: &[&KnowledgeRecord],
    failed: &FailedStatement<'_>,
    room: usize,
) -> Option<String> {
    let effect_graph = names.effect_graph()?;
    let catalog = effect_graph.catalog();
    let role = catalog.role_named(names.role());
    let path: Vec<SchemaId> = match names.paths() {
        SearchPaths::Known(paths) => match &**paths {
            [path] => catalog.search_path(path, role).schemas().to_vec(),
            _ => Vec::new(),
        },
        SearchPaths::Unsure(_) | SearchPaths::Unknown => Vec::new(),
    };
    let readable = ReadableObjects {
        gate,
        names,
        catalog,
    };
    let source = CitationSource {
        catalog,
        role,
        mask: effect_graph.mask(),
        path: &path,
        is_read: &|id, columns| readable.reads(id, columns),
        is_called: &|id| readable.calls(id),
        knowledge,
    };
    cite(&source, failed, room)
}
