//! What was thought of bodies before. A client that has names looked up in many places makes it
//! forget, and pays for that itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::RandomState;

use super::path_context::{PathContext, PathOrigin};
use crate::effects::graph::EffectCause;
use catalog::{FunctionId, RoleId, SearchPath};
use ground::limits::{BODIES_KEPT_MAX, BODY_PATHS_KEPT_MAX};

/// What a body runs, by the places of all things, or why it is not run.
pub(super) type BodyVerdict = Result<Arc<[usize]>, EffectCause>;

/// What is known of the bodies of one snapshot, under one policy.
#[derive(Default)]
pub(crate) struct BodyMemo(Mutex<MemoEntries>);

#[derive(Default)]
struct MemoEntries {
    places: HashMap<PathContextKey, u32, RandomState>,
    bodies: HashMap<(u32, FunctionId), BodyVerdict, RandomState>,
}

/// All that a verdict stands on beside the body.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct PathContextKey {
    schemas: Box<[catalog::SchemaId]>,
    kind: PathOrigin,
    role: RoleId,
    session: RoleId,
    /// Whether the server's own functions are looked into, too.
    is_shadowed: bool,
}

impl PathContextKey {
    pub(super) fn of(context: &PathContext, session: RoleId, is_shadowed: bool) -> Self {
        Self {
            schemas: schemas(&context.path),
            kind: context.kind,
            role: context.role,
            session,
            is_shadowed,
        }
    }
}

impl BodyMemo {
    /// What is known of a body.
    pub(super) fn find(&self, place: &PathContextKey, id: FunctionId) -> Option<BodyVerdict> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.places.get(place)?;
        kept.bodies.get(&(*place, id)).cloned()
    }

    /// Takes over what was found.
    pub(super) fn keep(&self, place: &PathContextKey, id: FunctionId, verdict: BodyVerdict) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bodies.len() >= BODIES_KEPT_MAX || kept.places.len() >= BODY_PATHS_KEPT_MAX {
            *kept = MemoEntries::default();
        }
        let next = u32::try_from(kept.places.len()).unwrap_or(u32::MAX);
        let place = *kept.places.entry(place.clone()).or_insert(next);
        kept.bodies.insert((place, id), verdict);
    }
}

fn schemas(path: &SearchPath) -> Box<[catalog::SchemaId]> {
    path.schemas().into()
}
