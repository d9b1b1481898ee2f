//! The way through the graph of all that runs something, from what a statement uses to the bodies
//! that it ends up running, each where its names are looked up.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::memo::{Place, Verdict};
use super::path_context::{Context, Kind};
use super::{path_context, sql_body};
use crate::catalog::FunctionId;
use crate::gate::Rule;
use crate::gate::context::Case;
use crate::gate::effects::graph::{Body, Hidden, Moving, Node, Reason, Sight, Thing};
use crate::limits::BODIES_READ_MAX;

/// A way under way.
pub(super) struct Walk<'w, 'j> {
    sight: &'w Sight,
    moving: &'w Moving,
    case: &'w Case<'j>,
    /// Where names are looked up: first all that the session may have, then what functions set.
    contexts: Vec<Context>,
    beginnings: usize,
    seen: HashSet<(usize, usize), RandomState>,
    read: usize,
    /// Rules of the policy that are only observed, as bodies have met them.
    pub(super) observed: Vec<Rule>,
}

impl<'w, 'j> Walk<'w, 'j> {
    /// One that begins in these places.
    pub(super) fn new(
        sight: &'w Sight,
        moving: &'w Moving,
        case: &'w Case<'j>,
        contexts: Vec<Context>,
    ) -> Self {
        Self {
            sight,
            moving,
            case,
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
    pub(super) fn context(&self, at: usize) -> Option<&Context> {
        self.contexts.get(at)
    }

    /// What runs such functions.
    pub(super) fn moving(&self) -> &'w Moving {
        self.moving
    }

    /// Whether nothing is refused that may happen unasked, wherever the session stands.
    pub(super) fn unasked(&mut self) -> bool {
        let casts = self.moving.casts().iter().map(|id| Node::Cast(*id));
        let types = self.moving.types().iter().map(|id| Node::Using(*id));
        let nodes: Vec<Node> = casts.chain(types).collect();
        let is_clean = self.beginnings().all(|at| self.all(&nodes, at).is_ok());
        // What was not gone through to its end has to be met again.
        self.seen.clear();
        is_clean
    }

    /// Goes from some things, run in a context, to all that they run.
    ///
    /// # Errors
    /// The first function on the way that may not be run there.
    pub(super) fn all(&mut self, nodes: &[Node], at: usize) -> Result<(), Hidden> {
        let places = nodes.iter().filter_map(|node| self.moving.place(*node));
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
    ) -> Result<(), Hidden> {
        let moving = self.moving;
        let below = |at: usize| moving.below(place).map(move |place| (place, at));
        let Some(id) = moving.function(place) else {
            waiting.extend(below(at));
            return Ok(());
        };
        let function = self.sight.catalog().function(id);
        // Defaults of arguments are worked out by whoever calls.
        if function.defaults > 0 {
            waiting.extend(below(at));
        }
        let Some(inside) = self.inside(id, at)? else {
            return Ok(());
        };
        let kind = self
            .contexts
            .get(inside)
            .map_or(Kind::Foreign, |own| own.kind);
        if kind != Kind::Foreign && moving.is_known(id) {
            return Ok(());
        }
        waiting.extend(below(inside));
        match moving.body(id, self.sight.catalog()) {
            Body::Bound => {}
            Body::Opaque if kind == Kind::Foreign => return Err(refused(id, Reason::Opaque)),
            Body::Opaque => {}
            Body::Text(text) => {
                let found = self.read(id, text, inside)?;
                waiting.extend(found.iter().map(|place| (*place, inside)));
            }
        }
        Ok(())
    }

    /// The context in which a function runs that is called in another; none where it sets a path
    /// that cannot be read: its owner's.
    fn inside(&mut self, id: FunctionId, at: usize) -> Result<Option<usize>, Hidden> {
        let catalog = self.sight.catalog();
        let function = catalog.function(id);
        let session = path_context::role(self.sight, self.case);
        let (Some(outside), Some(session)) = (self.contexts.get(at), session) else {
            return Err(refused(id, Reason::Moves));
        };
        let mut inside = match (function.security_definer, function.owner) {
            (false, _) => outside.clone(),
            (true, Some(owner)) => outside.of_definer(catalog, session, owner),
            (true, None) => return Err(refused(id, Reason::Moves)),
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
    fn read(&mut self, id: FunctionId, body: &str, at: usize) -> Verdict {
        let session = path_context::role(self.sight, self.case);
        let (Some(context), Some(session)) = (self.contexts.get(at), session) else {
            return Err(refused(id, Reason::Moves));
        };
        let place = Place::of(context, session, self.sight.is_shadowed(self.moving));
        if let Some(known) = self.sight.bodies().find(&place, id) {
            return known;
        }
        self.read += 1;
        if self.read > BODIES_READ_MAX {
            return match context.kind {
                Kind::Foreign => Err(refused(id, Reason::Opaque)),
                Kind::Home | Kind::Owner => Ok([].into()),
            };
        }
        let reader = sql_body::Reader {
            sight: self.sight,
            moving: self.moving,
            case: self.case,
            context,
            session,
            id,
        };
        let (verdict, observed) = reader.read(body);
        match observed.is_empty() {
            true => self.sight.bodies().keep(&place, id, verdict.clone()),
            // What is only observed has to be noted each time.
            false => self.observed.extend(observed),
        }
        verdict
    }
}

/// Why a function may not be run.
pub(super) fn refused(id: FunctionId, why: Reason) -> Hidden {
    Hidden::own(Thing::Function(id), why)
}
