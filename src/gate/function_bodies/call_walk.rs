//! The way through the graph of all that runs something, from what a statement uses to the bodies
//! that it ends up running, each where its names are looked up.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::memo::{BodyVerdict, PathContextKey};
use super::path_context::{PathContext, PathOrigin};
use super::{path_context, sql_body};
use crate::Rule;
use crate::context::JudgeContext;
use crate::effects::graph::{
    CatalogObject, EffectCause, EffectGraph, EffectReason, FunctionBody, GraphNode, PathDependents,
};
use catalog::FunctionId;
use ground::limits::BODIES_READ_MAX;

/// A way under way.
pub(super) struct CallWalk<'w, 'j> {
    effect_graph: &'w EffectGraph,
    path_dependents: &'w PathDependents,
    judge_context: &'w JudgeContext<'j>,
    /// Where names are looked up: first all that the session may have, then what functions set.
    contexts: Vec<PathContext>,
    beginnings: usize,
    seen: HashSet<(usize, usize), RandomState>,
    read: usize,
    /// Rules of the policy that are only observed, as bodies have met them.
    pub(super) observed: Vec<Rule>,
}

impl<'w, 'j> CallWalk<'w, 'j> {
    /// One that begins in these places.
    pub(super) fn new(
        effect_graph: &'w EffectGraph,
        path_dependents: &'w PathDependents,
        judge_context: &'w JudgeContext<'j>,
        contexts: Vec<PathContext>,
    ) -> Self {
        Self {
            effect_graph,
            path_dependents,
            judge_context,
            beginnings: contexts.len(),
            contexts,
            seen: HashSet::default(),
            read: 0,
            observed: Vec::new(),
        }
    }

    /// The contexts that the session may have, by their places.
    pub(super) fn beginnings(&self) -> std::ops::Range<usize> {
        0..self.beginnings
    }

    /// A context.
    pub(super) fn context(&self, at: usize) -> Option<&PathContext> {
        self.contexts.get(at)
    }

    /// What runs such functions.
    pub(super) fn path_dependents(&self) -> &'w PathDependents {
        self.path_dependents
    }

    /// Whether nothing is refused that may happen unasked, wherever the session stands.
    pub(super) fn allows_implicit_uses(&mut self) -> bool {
        let casts = self
            .path_dependents
            .casts()
            .iter()
            .map(|id| GraphNode::Cast(*id));
        let types = self
            .path_dependents
            .types()
            .iter()
            .map(|id| GraphNode::Using(*id));
        let nodes: Vec<GraphNode> = casts.chain(types).collect();
        let is_clean = self.beginnings().all(|at| self.all(&nodes, at).is_ok());
        // What was not gone through to its end has to be met again.
        self.seen.clear();
        is_clean
    }

    /// Goes from some things, run in a context, to all that they run.
    ///
    /// # Errors
    /// The first function on the way that may not be run there.
    pub(super) fn all(&mut self, nodes: &[GraphNode], at: usize) -> Result<(), EffectCause> {
        let places = nodes
            .iter()
            .filter_map(|node| self.path_dependents.place(*node));
        let mut waiting: Vec<(usize, usize)> = places.map(|place| (place, at)).collect();
        // Each pair is looked at once: there are as many as things, for each path that a function
        // sets.
        while let Some((place, at)) = waiting.pop() {
            if self.seen.insert((place, at)) {
                self.visit(place, at, &mut waiting)?;
            }
        }
        Ok(())
    }

    fn visit(
        &mut self,
        place: usize,
        at: usize,
        waiting: &mut Vec<(usize, usize)>,
    ) -> Result<(), EffectCause> {
        let path_dependents = self.path_dependents;
        let below = |at: usize| path_dependents.below(place).map(move |place| (place, at));
        let Some(id) = path_dependents.function(place) else {
            waiting.extend(below(at));
            return Ok(());
        };
        let function = self.effect_graph.catalog().function(id);
        // Defaults of arguments are worked out by whoever calls.
        if function.defaults > 0 {
            waiting.extend(below(at));
        }
        let Some(inside) = self.inner_context(id, at)? else {
            return Ok(());
        };
        let kind = self
            .contexts
            .get(inside)
            .map_or(PathOrigin::Foreign, |own| own.kind);
        if kind != PathOrigin::Foreign && path_dependents.is_known(id) {
            return Ok(());
        }
        waiting.extend(below(inside));
        match path_dependents.body(id, self.effect_graph.catalog()) {
            FunctionBody::Bound => {}
            FunctionBody::Opaque if kind == PathOrigin::Foreign => {
                return Err(refused(id, EffectReason::Opaque));
            }
            FunctionBody::Opaque => {}
            FunctionBody::Text(text) => {
                let found = self.read(id, text, inside)?;
                waiting.extend(found.iter().map(|place| (*place, inside)));
            }
        }
        Ok(())
    }

    /// The context in which a function runs that is called in another; none where it sets a path
    /// that cannot be read: its owner's.
    fn inner_context(&mut self, id: FunctionId, at: usize) -> Result<Option<usize>, EffectCause> {
        let catalog = self.effect_graph.catalog();
        let function = catalog.function(id);
        let session = path_context::role(self.effect_graph, self.judge_context);
        let (Some(outside), Some(session)) = (self.contexts.get(at), session) else {
            return Err(refused(id, EffectReason::PathDependent));
        };
        let mut inside = match (function.security_definer, function.owner) {
            (false, _) => outside.clone(),
            (true, Some(owner)) => outside.of_definer(catalog, session, owner),
            (true, None) => return Err(refused(id, EffectReason::PathDependent)),
        };
        if function.search_path.is_some() {
            match inside.of_function(catalog, id) {
                Some(own) => inside = own,
                None => return Ok(None),
            }
        }
        let known = self.contexts.iter().position(|own| *own == inside);
        Ok(Some(known.unwrap_or_else(|| {
            self.contexts.push(inside);
            self.contexts.len() - 1
        })))
    }

    /// What the body of a function runs in a context.
    fn read(&mut self, id: FunctionId, body: &str, at: usize) -> BodyVerdict {
        let session = path_context::role(self.effect_graph, self.judge_context);
        let (Some(context), Some(session)) = (self.contexts.get(at), session) else {
            return Err(refused(id, EffectReason::PathDependent));
        };
        let place = PathContextKey::of(
            context,
            session,
            self.effect_graph.is_shadowed(self.path_dependents),
        );
        if let Some(known) = self.effect_graph.body_memo().find(&place, id) {
            return known;
        }
        self.read += 1;
        if self.read > BODIES_READ_MAX {
            return match context.kind {
                PathOrigin::Foreign => Err(refused(id, EffectReason::Opaque)),
                PathOrigin::Home | PathOrigin::Owner => Ok([].into()),
            };
        }
        let reader = sql_body::BodyReader {
            effect_graph: self.effect_graph,
            path_dependents: self.path_dependents,
            judge_context: self.judge_context,
            context,
            session,
            id,
        };
        let (verdict, observed) = reader.read(body);
        match observed.is_empty() {
            true => self
                .effect_graph
                .body_memo()
                .keep(&place, id, verdict.clone()),
            // What is only observed has to be noted each time.
            false => self.observed.extend(observed),
        }
        verdict
    }
}

/// Why a function may not be run.
pub(super) fn refused(id: FunctionId, why: EffectReason) -> EffectCause {
    EffectCause::own(CatalogObject::Function(id), why)
}
