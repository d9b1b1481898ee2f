//! One body of SQL, where its names are looked up in one place.
//!
//! Under a path that is the client's it has to mean what it means where sessions begin, or to pass
//! as if the client had sent it. Under any other it is what its owner says, but for what is surely
//! not clean.

use super::call_walk::refused;
use super::memo::BodyVerdict;
use super::path_context::{PathContext, PathOrigin};
use super::uses;
use crate::context::JudgeContext;
use crate::effects::graph::{
    CatalogObject, EffectCause, EffectGraph, EffectReason, EffectSite, GraphNode, PathDependents,
};
use crate::effects::lookup;
use crate::effects::resolve_effects::CheckSubject;
use crate::models::substitution;
use crate::{Rule, SearchPaths, judge};
use catalog::{Catalog, FunctionId, RoleId, SearchPath, TypeId, TypeKind};
use resolve::{BodyArguments, InferredType, KnownParameters, Resolution, UsedObject};
use sql::tree::{Node, SyntaxTree};

/// What is needed to read a body.
pub(super) struct BodyReader<'r, 'j> {
    pub(super) effect_graph: &'r EffectGraph,
    pub(super) path_dependents: &'r PathDependents,
    pub(super) judge_context: &'r JudgeContext<'j>,
    pub(super) context: &'r PathContext,
    pub(super) session: RoleId,
    pub(super) id: FunctionId,
}

/// What is thought of a statement of a body before its uses are followed.
enum BodyStatementCheck {
    /// It means here what it means where sessions begin, or here is there.
    SameAsHome,
    /// It means something else, and passes as a client's own text, with these rules of the policy
    /// only observed.
    Judged(Vec<Rule>),
}

impl BodyReader<'_, '_> {
    /// What a body runs, or why it may not run; and what was only observed.
    pub(super) fn read(&self, text: &str) -> (BodyVerdict, Vec<Rule>) {
        let mut observed = Vec::new();
        let verdict = self.places(text, &mut observed);
        (verdict.map(Into::into), observed)
    }

    fn places(&self, text: &str, observed: &mut Vec<Rule>) -> Result<Vec<usize>, EffectCause> {
        // The server may read its names otherwise.
        if self.effect_graph.catalog().other_encoding() && !text.is_ascii() {
            return self.require_owner_path().map(|()| Vec::new());
        }
        let Ok(tree) = crate::parse(text, self.judge_context.policy) else {
            return self.require_owner_path().map(|()| Vec::new());
        };
        let arguments = BodyArguments::of(self.effect_graph.catalog(), self.id);
        let mut places = Vec::new();
        let count = tree.statements().count();
        for (number, one) in tree.statements().enumerate() {
            if !matches!(one.node, Node::SelectStmt(_)) {
                self.require_owner_path()?;
                continue;
            }
            let Some(here) = self.resolved(one.node, &self.context.path, &arguments) else {
                self.require_owner_path()?;
                continue;
            };
            match self.check_statement(&here, (&tree, one.node, text), &arguments)? {
                BodyStatementCheck::SameAsHome if self.path_dependents.is_known(self.id) => {}
                BodyStatementCheck::SameAsHome => self.is_clean(&here)?,
                BodyStatementCheck::Judged(rules) => observed.extend(rules),
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

    fn check_statement(
        &self,
        here: &Resolution<'_>,
        body: (&SyntaxTree, Node<'_>, &str),
        arguments: &BodyArguments<'_>,
    ) -> Result<BodyStatementCheck, EffectCause> {
        if self.context.kind != PathOrigin::Foreign {
            return Ok(BodyStatementCheck::SameAsHome);
        }
        let home = self.context.home.as_ref();
        let home = home.and_then(|home| self.resolved(body.1, home, arguments));
        if home.is_some_and(|home| is_resolved(here) && here.uses == home.uses) {
            return Ok(BodyStatementCheck::SameAsHome);
        }
        self.judge(body, arguments).map(BodyStatementCheck::Judged)
    }

    /// Judges a statement of the body as if the client had sent it.
    fn judge(
        &self,
        (tree, node, text): (&SyntaxTree, Node<'_>, &str),
        arguments: &BodyArguments<'_>,
    ) -> Result<Vec<Rule>, EffectCause> {
        // Another role may look where the session's may not.
        if self.context.role != self.session {
            return Err(refused(self.id, EffectReason::Opaque));
        }
        let paths = SearchPaths::Known(Box::new([self.context.names.clone()]));
        let mut inner = self.judge_context.body(text, arguments, paths);
        let refuse = |rule| Err(refused(self.id, EffectReason::Refused(rule)));
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
    fn is_clean(&self, here: &Resolution<'_>) -> Result<(), EffectCause> {
        let mut unclean = here
            .uses
            .iter()
            .filter_map(|used| uses::effect_of(used, self.effect_graph));
        match unclean.next() {
            Some(cause) => Err(self.through(cause)),
            None => Ok(()),
        }
    }

    /// Adds what it runs.
    fn add(&self, here: &Resolution<'_>, places: &mut Vec<usize>) -> Result<(), EffectCause> {
        let catalog = self.effect_graph.catalog();
        for used in &here.uses {
            match uses::run(used, self.path_dependents, catalog, self.context.kind) {
                Some(nodes) => {
                    places.extend(
                        nodes
                            .iter()
                            .filter_map(|node| self.path_dependents.place(*node)),
                    );
                }
                None => self.require_owner_path()?,
            }
        }
        Ok(())
    }

    /// What the last query returns becomes what the function does, by the casts for assignment.
    fn add_results(
        &self,
        here: &Resolution<'_>,
        places: &mut Vec<usize>,
    ) -> Result<(), EffectCause> {
        let catalog = self.effect_graph.catalog();
        for (output, target) in here.output.columns.iter().zip(results(catalog, self.id)) {
            let InferredType::Known(source) = &output.inferred else {
                continue;
            };
            let Some(cast) = catalog.index().cast(*source, target) else {
                continue;
            };
            if let Some(cause) = self.effect_graph.cast(cast)
                && !self.path_dependents.is_known(self.id)
            {
                return Err(self.through(*cause));
            }
            places.extend(self.path_dependents.place(GraphNode::Cast(cast)));
        }
        Ok(())
    }

    fn resolved<'a>(
        &'a self,
        node: Node<'a>,
        path: &'a SearchPath,
        arguments: &'a BodyArguments<'a>,
    ) -> Option<Resolution<'a>> {
        let types = KnownParameters::Arguments(arguments);
        lookup::resolve(
            CheckSubject::Statement(node),
            self.effect_graph,
            path,
            types,
        )
        .ok()
    }

    /// What cannot be told is the owner's word where the path is not the client's.
    fn require_owner_path(&self) -> Result<(), EffectCause> {
        match self.context.kind {
            PathOrigin::Foreign => Err(refused(self.id, EffectReason::Opaque)),
            PathOrigin::Home | PathOrigin::Owner => Ok(()),
        }
    }

    fn through(&self, cause: EffectCause) -> EffectCause {
        cause.reached_from(CatalogObject::Function(self.id), EffectSite::Itself)
    }
}

/// Whether everything is found that is named.
fn is_resolved(resolution: &Resolution<'_>) -> bool {
    resolution.uses.iter().all(|used| match &used.what {
        UsedObject::Functions { candidates, .. } => !candidates.is_empty(),
        UsedObject::Operators { candidates, .. } => !candidates.is_empty(),
        UsedObject::MissingRelation { .. }
        | UsedObject::MissingColumn { .. }
        | UsedObject::AmbiguousColumn { .. }
        | UsedObject::MissingFunction
        | UsedObject::Unclear => false,
        UsedObject::Relation { .. }
        | UsedObject::CommonTable { .. }
        | UsedObject::Column { .. }
        | UsedObject::WholeRow { .. }
        | UsedObject::Cast { .. }
        | UsedObject::Coercion { .. }
        | UsedObject::Type { .. }
        | UsedObject::Compared { .. } => true,
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
