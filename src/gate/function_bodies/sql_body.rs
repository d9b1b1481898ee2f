//! One body of SQL, where its names are looked up in one place.
//!
//! Under a path that is the client's it has to mean what it means where sessions begin, or to pass
//! as if the client had sent it. Under any other it is what its owner says, but for what is surely
//! not clean.

use super::call_walk::refused;
use super::memo::Verdict;
use super::path_context::{Context, Kind};
use super::uses;
use crate::catalog::{Catalog, FunctionId, RoleId, SearchPath, TypeId, TypeKind};
use crate::gate::context::Case;
use crate::gate::effects::graph::{Hidden, Moving, Node as Place, Reason, Sight, Thing, Through};
use crate::gate::effects::lookup;
use crate::gate::effects::resolve_effects::Subject;
use crate::gate::models::substitution;
use crate::gate::{Rule, SearchPaths, judge};
use crate::resolve::{Arguments, Inferred, Resolution, Types, What};
use crate::sql::tree::{Node, Tree};

/// What is needed to read a body.
pub(super) struct Reader<'r, 'j> {
    pub(super) sight: &'r Sight,
    pub(super) moving: &'r Moving,
    pub(super) case: &'r Case<'j>,
    pub(super) context: &'r Context,
    pub(super) session: RoleId,
    pub(super) id: FunctionId,
}

/// What is thought of a statement of a body before its uses are followed.
enum Standing {
    /// It means here what it means where sessions begin, or here is there.
    AsAtHome,
    /// It means something else, and passes as a client's own text, with these rules of the policy
    /// only observed.
    Judged(Vec<Rule>),
}

impl Reader<'_, '_> {
    /// What a body runs, or why it may not run; and what was only observed.
    pub(super) fn read(&self, text: &str) -> (Verdict, Vec<Rule>) {
        let mut observed = Vec::new();
        let verdict = self.places(text, &mut observed);
        (verdict.map(Into::into), observed)
    }

    fn places(&self, text: &str, observed: &mut Vec<Rule>) -> Result<Vec<usize>, Hidden> {
        // The server may read its names otherwise.
        if self.sight.catalog().other_encoding() && !text.is_ascii() {
            return self.untold().map(|()| Vec::new());
        }
        let Ok(tree) = crate::gate::parse(text, self.case.policy) else {
            return self.untold().map(|()| Vec::new());
        };
        let arguments = Arguments::of(self.sight.catalog(), self.id);
        let mut places = Vec::new();
        let count = tree.statements().count();
        for (number, one) in tree.statements().enumerate() {
            if !matches!(one.node, Node::SelectStmt(_)) {
                self.untold()?;
                continue;
            }
            let Some(here) = self.resolved(one.node, &self.context.path, &arguments) else {
                self.untold()?;
                continue;
            };
            match self.standing(&here, (&tree, one.node, text), &arguments)? {
                Standing::AsAtHome if self.moving.is_known(self.id) => {}
                Standing::AsAtHome => self.is_clean(&here)?,
                Standing::Judged(rules) => observed.extend(rules),
            }
            self.add(&here, &mut places)?;
            if number + 1 == count {
                self.add_results(&here, &mut places)?;
            }
        }
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    fn standing(
        &self,
        here: &Resolution<'_>,
        body: (&Tree, Node<'_>, &str),
        arguments: &Arguments<'_>,
    ) -> Result<Standing, Hidden> {
        if self.context.kind != Kind::Foreign {
            return Ok(Standing::AsAtHome);
        }
        let home = self.context.home.as_ref();
        let home = home.and_then(|home| self.resolved(body.1, home, arguments));
        if home.is_some_and(|home| is_told(here) && here.uses == home.uses) {
            return Ok(Standing::AsAtHome);
        }
        self.judge(body, arguments).map(Standing::Judged)
    }

    /// Judges a statement of the body as if the client had sent it.
    fn judge(
        &self,
        (tree, node, text): (&Tree, Node<'_>, &str),
        arguments: &Arguments<'_>,
    ) -> Result<Vec<Rule>, Hidden> {
        // Another role may look where the session's may not.
        if self.context.role != self.session {
            return Err(refused(self.id, Reason::Opaque));
        }
        let paths = SearchPaths::Known(Box::new([self.context.names.clone()]));
        let mut inner = self.case.body(text, arguments, paths);
        let refuse = |rule| Err(refused(self.id, Reason::Refused(rule)));
        match substitution::of(tree, &mut inner) {
            Ok(None) => {}
            Ok(Some(_)) => return refuse(Rule::Model),
            Err(refusal) => return refuse(refusal.rule),
        }
        if let Err(refusal) = judge::judge(node, &mut inner) {
            return refuse(refusal.rule);
        }
        if !inner.effects.is_empty() || !inner.edits.is_empty() {
            return refuse(Rule::SetConfig);
        }
        Ok(inner.observed)
    }

    /// Whether nothing in it is surely not clean.
    fn is_clean(&self, here: &Resolution<'_>) -> Result<(), Hidden> {
        let mut unclean = here
            .uses
            .iter()
            .filter_map(|used| uses::unclean(used, self.sight));
        match unclean.next() {
            Some(hidden) => Err(self.through(hidden)),
            None => Ok(()),
        }
    }

    /// Adds what it runs.
    fn add(&self, here: &Resolution<'_>, places: &mut Vec<usize>) -> Result<(), Hidden> {
        let catalog = self.sight.catalog();
        for used in &here.uses {
            match uses::run(used, self.moving, catalog, self.context.kind) {
                Some(nodes) => {
                    places.extend(nodes.iter().filter_map(|node| self.moving.place(*node)));
                }
                None => self.untold()?,
            }
        }
        Ok(())
    }

    /// What the last query returns becomes what the function does, by the casts for assignment.
    fn add_results(&self, here: &Resolution<'_>, places: &mut Vec<usize>) -> Result<(), Hidden> {
        let catalog = self.sight.catalog();
        for (output, target) in here.output.columns.iter().zip(results(catalog, self.id)) {
            let Inferred::Known(source) = &output.inferred else {
                continue;
            };
            let Some(cast) = catalog.index().cast(*source, target) else {
                continue;
            };
            if let Some(hidden) = self.sight.cast(cast)
                && !self.moving.is_known(self.id)
            {
                return Err(self.through(*hidden));
            }
            places.extend(self.moving.place(Place::Cast(cast)));
        }
        Ok(())
    }

    fn resolved<'a>(
        &'a self,
        node: Node<'a>,
        path: &'a SearchPath,
        arguments: &'a Arguments<'a>,
    ) -> Option<Resolution<'a>> {
        let types = Types::Arguments(arguments);
        lookup::resolve(Subject::Statement(node), self.sight, path, types).ok()
    }

    /// What cannot be told is the owner's word where the path is not the client's.
    fn untold(&self) -> Result<(), Hidden> {
        match self.context.kind {
            Kind::Foreign => Err(refused(self.id, Reason::Opaque)),
            Kind::Home | Kind::Owner => Ok(()),
        }
    }

    fn through(&self, hidden: Hidden) -> Hidden {
        hidden.reached_from(Thing::Function(self.id), Through::Itself)
    }
}

/// Whether everything is found that is named.
fn is_told(resolution: &Resolution<'_>) -> bool {
    resolution.uses.iter().all(|used| match &used.what {
        What::Functions { candidates, .. } => !candidates.is_empty(),
        What::Operators { candidates, .. } => !candidates.is_empty(),
        What::MissingRelation { .. }
        | What::MissingColumn { .. }
        | What::AmbiguousColumn { .. }
        | What::MissingFunction
        | What::Unclear => false,
        What::Relation { .. }
        | What::CommonTable { .. }
        | What::Column { .. }
        | What::WholeRow { .. }
        | What::Cast { .. }
        | What::Coercion { .. }
        | What::Type { .. }
        | What::Compared { .. } => true,
    })
}

/// The types of the columns that a function returns.
fn results(catalog: &Catalog, id: FunctionId) -> Vec<TypeId> {
    let function = catalog.function(id);
    if !function.out_columns.is_empty() {
        return function.out_columns.iter().map(|(_, id)| *id).collect();
    }
    match &catalog.data_type(function.returns).kind {
        TypeKind::Composite(Some(relation)) => {
            let columns = catalog.columns_of(*relation).iter();
            columns.map(|column| column.type_id).collect()
        }
        _ => vec![function.returns],
    }
}
