//! A session that is told what it may read.

use std::sync::Arc;

use super::reading::{GroundingLogin, SessionReading, UnreadSession};
use crate::catalog::{Mask, RolePrivileges};
use crate::grounding::{
    CatalogDetails, ColumnSamples, Grounding, GroundingFacet, GroundingFacets, GroundingSource,
    GroundingVersion, UnreadableRelation, ground,
};
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::offline::judge::OfflineJudge;
use crate::policy::{KnowledgeContent, KnowledgeRecord, Policy};
use crate::session::readable_objects::ReadableObjects;

/// Whose session is told, and of what.
pub struct GroundedSession<'s> {
    /// What judges it.
    pub policy: &'s Arc<Policy>,
    /// Its database.
    pub world: &'s AssumedDatabase,
    /// Whose it is.
    pub who: &'s AssumedSession,
    /// What was read beside the catalog.
    pub details: &'s CatalogDetails,
    /// What is told.
    pub facets: &'s GroundingFacets,
    /// Relations that were asked for, as SCHEMA.NAME; all where none is named.
    pub wanted: &'s [String],
}

/// Why nothing is told.
#[derive(Debug)]
pub enum UntoldSession {
    /// There is no catalog.
    NoCatalog,
    /// The policy refuses such a session at its login, in these words.
    RefusedLogin(String),
    /// The session may read no such relation.
    Unreadable(UnreadableRelation),
    /// What has to be asked in such a session could not be.
    Unread(UnreadSession),
}

impl GroundedSession<'_> {
    /// The whole of what it may read, and its version. Waits for the database: no work for a thread
    /// that serves.
    ///
    /// # Errors
    /// There is no such session, it may not read what was asked for, or the database does not
    /// answer.
    pub fn ground(
        &self,
        judge: OfflineJudge,
        login: GroundingLogin,
    ) -> Result<(Grounding, GroundingVersion), UntoldSession> {
        let script = judge.session(self.world, self.who);
        let gate = judge.into_gate().recording_columns();
        let names = script.names();
        let Some(effect_graph) = names.effect_graph() else {
            return Err(UntoldSession::NoCatalog);
        };
        let readable = ReadableObjects {
            gate: &gate,
            names,
            catalog: effect_graph.catalog(),
        };
        let reading = SessionReading::new(login, &gate, names.role());
        let reading = reading.map_err(UntoldSession::RefusedLogin)?;
        let whole = self.document(&readable, effect_graph.mask(), reading)?;
        let version = GroundingVersion::of(&whole, self.facets, self.policy.version());
        Ok((whole, version))
    }

    fn document(
        &self,
        readable: &ReadableObjects<'_>,
        mask: Option<&Mask>,
        mut reading: SessionReading,
    ) -> Result<Grounding, UntoldSession> {
        let has = |facet| self.facets.has(facet);
        let privileges = || privileges(readable, mask);
        let written = self.policy.models();
        let covered = reading.covered(readable, mask, &privileges(), written);
        let models = match has(GroundingFacet::Models) {
            true => reading.models(readable, written),
            false => Vec::new(),
        };
        let samples = match has(GroundingFacet::Samples) {
            true => reading.samples(readable, &privileges()),
            false => ColumnSamples::new(),
        };
        if let Some(why) = reading.failure() {
            return Err(UntoldSession::Unread(why));
        }
        // Comments that name a function which cannot be called are not told in any facet.
        let functions = readable.callable();
        let knowledge = match has(GroundingFacet::Knowledge) {
            true => self.knowledge(readable),
            false => Vec::new(),
        };
        let told = ground(&GroundingSource {
            database: reading.database(),
            catalog: readable.catalog,
            privileges: privileges(),
            mask,
            is_read: &|id, columns| readable.reads(id, columns),
            details: self.details,
            covered: &covered,
            models: &models,
            samples: &samples,
            functions: &functions,
            knowledge: &knowledge,
            facets: self.facets,
            wanted: self.wanted,
        });
        told.map_err(UntoldSession::Unreadable)
    }

    /// The records that are told to the session's user, examples where such a session may run them.
    fn knowledge(&self, readable: &ReadableObjects<'_>) -> Vec<&KnowledgeRecord> {
        let records = self.policy.knowledge().records.iter();
        let told = records.filter(|record| match &record.content {
            KnowledgeContent::Example { sql, .. } => readable.runs(sql),
            _ => true,
        });
        told.filter(|record| record.is_for(&self.who.user))
            .collect()
    }
}

/// What a session's role may read under the policy.
fn privileges<'r>(readable: &ReadableObjects<'r>, mask: Option<&'r Mask>) -> RolePrivileges<'r> {
    let ReadableObjects { names, catalog, .. } = *readable;
    let rights = catalog.rights_of(catalog.role_named(names.role()));
    rights.masked_by(mask)
}
