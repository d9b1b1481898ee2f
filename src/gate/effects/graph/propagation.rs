//! Marks carried from what has an effect to everything that runs it.
//!
//! Each edge is walked once, so that a snapshot of any shape, with views that read each other or
//! types that contain each other, ends in time; each thing is reached on a shortest way.

use super::cause::{CatalogObject, EffectCause, EffectReason, EffectSite};
use super::nodes::{GraphNode, GraphNodes};

/// Things, what they run, and which have an effect by themselves.
pub(super) struct CallGraph {
    nodes: GraphNodes,
    things: Vec<Option<CatalogObject>>,
    /// From, to, and how.
    edges: Vec<(usize, usize, EffectSite)>,
    marks: Vec<(usize, EffectReason)>,
}

impl CallGraph {
    pub(super) fn new(nodes: GraphNodes) -> Self {
        Self {
            things: vec![None; nodes.len()],
            nodes,
            edges: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Says that one thing runs another.
    pub(super) fn add(&mut self, from: GraphNode, to: GraphNode, through: EffectSite) {
        let (from_place, to_place) = (self.place(from), self.place(to));
        self.edges.push((from_place, to_place, through));
    }

    /// Says that a thing has an effect by itself.
    pub(super) fn mark(&mut self, node: GraphNode, why: EffectReason) {
        let place = self.place(node);
        self.marks.push((place, why));
    }

    /// Takes all marks away; the edges stay.
    pub(super) fn forget_marks(&mut self) {
        self.marks.clear();
    }

    /// Which things reach what is marked, and the edges between those, by where they begin.
    pub(super) fn reaching(self) -> (GraphNodes, Vec<bool>, Vec<(usize, usize)>) {
        let mut edges: Vec<(usize, usize)> = self
            .edges
            .iter()
            .map(|(from, to, _)| (*from, *to))
            .collect();
        let (nodes, marked) = self.propagate();
        let marked: Vec<bool> = marked.iter().map(Option::is_some).collect();
        let reaches = |place: usize| marked.get(place).copied().unwrap_or(true);
        edges.retain(|(from, to)| reaches(*from) && reaches(*to));
        edges.sort_unstable();
        edges.dedup();
        (nodes, marked, edges)
    }

    /// Why each thing is not clean.
    pub(super) fn propagate(mut self) -> (GraphNodes, Vec<Option<EffectCause>>) {
        let mut hidden: Vec<Option<EffectCause>> = vec![None; self.nodes.len()];
        let mut reached = Vec::new();
        for (place, why) in &self.marks {
            if let (Some(slot @ None), Some(Some(of))) =
                (hidden.get_mut(*place), self.things.get(*place))
            {
                *slot = Some(EffectCause::own(*of, *why));
                reached.push(*place);
            }
        }
        self.edges
            .sort_unstable_by_key(|(from, to, _)| (*to, *from));
        // Each node is pushed once, when it is marked.
        let mut next = 0;
        while let Some(place) = reached.get(next).copied() {
            next += 1;
            let Some(Some(cause)) = hidden.get(place).copied() else {
                continue;
            };
            let start = self.edges.partition_point(|(_, to, _)| *to < place);
            let users = self.edges.iter().skip(start);
            for (from, _, through) in users.take_while(|(_, to, _)| *to == place) {
                if let (Some(slot @ None), Some(Some(of))) =
                    (hidden.get_mut(*from), self.things.get(*from))
                {
                    *slot = Some(cause.reached_from(*of, *through));
                    reached.push(*from);
                }
            }
        }
        (self.nodes, hidden)
    }

    fn place(&mut self, node: GraphNode) -> usize {
        let place = self.nodes.place(node);
        if let Some(slot) = self.things.get_mut(place) {
            *slot = Some(CatalogObject::of(node));
        }
        place
    }
}
