//! The text that runs makes no name of a number but where it is guarded.
//!
//! A value that shows an object by its name comes from a cast, written or not, from a text or a
//! parameter that is taken for one, from a function, from a type that a column of a function in
//! FROM is given, or from a catalog. Each of these is seen here; what the gate put in itself has
//! its conditions.

use super::ShownCatalog;
use super::functions::{self, CallVerdict};
use crate::context::JudgeContext;
use crate::effects::resolve_effects::CheckSubject;
use crate::effects::{lookup, missing_objects};
use crate::rules::{RuleResult, model};
use crate::{Refusal, Rule};
use catalog::{Catalog, FunctionId, SchemaKind};
use policy::{CatalogView, PolicyRule};
use resolve::{InferredType, Resolution, UsedObject};
use sql::node_access::place;
use sql::tree::{self, Node, nodes};

/// Looks at one statement, or at the arguments of an EXECUTE.
pub(crate) fn check_resolved(
    subject: CheckSubject<'_>,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    if context.policy.catalog_view() == CatalogView::Open {
        return Ok(());
    }
    match refusal(subject, context) {
        Some(refused) => context.enforce_or_observe(PolicyRule::Model, refused),
        None => Ok(()),
    }
}

/// Looks at the types that a PREPARE gives its parameters.
pub(crate) fn check_types<'t>(
    types: impl Iterator<Item = &'t nodes::TypeName>,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    if context.policy.catalog_view() == CatalogView::Open {
        return Ok(());
    }
    let graph = context.effect_graph();
    let shown = graph.and_then(|graph| Some((graph, graph.shown_catalog()?)));
    let mut types = types.map(Node::from);
    let refused = match shown {
        Some((effect_graph, shown)) => {
            let look = CatalogCheck {
                shown,
                catalog: effect_graph.catalog(),
                context,
            };
            types.find_map(|node| look.types_written(node))
        }
        None => (!types.all(is_known_without_catalog)).then(model::catalog_missing),
    };
    match refused {
        Some(refused) => context.enforce_or_observe(PolicyRule::Model, refused),
        None => Ok(()),
    }
}

fn refusal(subject: CheckSubject<'_>, context: &JudgeContext<'_>) -> Option<Box<Refusal>> {
    let nodes: Vec<Node<'_>> = match subject {
        CheckSubject::Statement(node) => vec![node],
        CheckSubject::Arguments(list) => list.iter().collect(),
        CheckSubject::Types => return Some(model::catalog_unclear()),
    };
    let Some(effect_graph) = context.effect_graph() else {
        let known = nodes.iter().all(|node| is_known_without_catalog(*node));
        return (!known).then(model::catalog_missing);
    };
    let (Some(shown), Some(paths)) = (
        effect_graph.shown_catalog(),
        lookup::paths(effect_graph, context),
    ) else {
        return Some(model::catalog_unclear());
    };
    let look = CatalogCheck {
        shown,
        catalog: effect_graph.catalog(),
        context,
    };
    for node in nodes {
        if let Some(refused) = look.types_written(node) {
            return Some(refused);
        }
    }
    let given = lookup::parameters(effect_graph, context);
    if given
        .as_deref()
        .is_some_and(|types| look.any_shows_names(types))
    {
        return Some(model::catalog_value(None));
    }
    let parameters = lookup::types(given.as_deref(), context);
    let mut missing = Vec::new();
    for path in &paths {
        let Ok(resolution) = lookup::resolve(subject, effect_graph, path, parameters) else {
            return Some(model::catalog_unclear());
        };
        let Some(refused) = look.uses(&resolution) else {
            continue;
        };
        let ground = (path, effect_graph);
        match refused {
            RefusedUse::Unclear => {
                missing.push(missing_objects::first(
                    &resolution,
                    Rule::Model,
                    ground,
                    context,
                ));
            }
            RefusedUse::Named(refused) => return Some(refused),
        }
    }
    // What is not there wherever it is looked for is told as the server tells it: what the policy
    // hides was refused before.
    let is_missing = missing.len() == paths.len();
    let told = missing
        .into_iter()
        .reduce(|told, other| told.filter(|_| other.is_some()))?;
    Some(
        told.filter(|_| is_missing)
            .unwrap_or_else(model::catalog_unclear),
    )
}

/// What is refused of what a statement uses.
enum RefusedUse {
    /// It may name what is hidden.
    Named(Box<Refusal>),
    /// It cannot be told.
    Unclear,
}

/// One look at one statement.
struct CatalogCheck<'l, 'j> {
    shown: &'l ShownCatalog,
    catalog: &'l Catalog,
    context: &'l JudgeContext<'j>,
}

impl CatalogCheck<'_, '_> {
    fn any_shows_names(&self, types: &[Option<catalog::TypeId>]) -> bool {
        let mut known = types.iter().flatten();
        known.any(|id| self.shown.shows_names(*id))
    }

    /// The types that are written, but where they were put: by name, in whatever schema.
    fn types_written(&self, node: Node<'_>) -> Option<Box<Refusal>> {
        let mut waiting = vec![node];
        while let Some(next) = waiting.pop() {
            if let Node::TypeName(name) = next
                && !self.context.trusts(place(name.location))
                && self.may_show_names(name)
            {
                let last = name.names().iter().next_back();
                return Some(model::catalog_value(last.and_then(|last| last.sval())));
            }
            if tree::children(next, &mut waiting).is_err() {
                return Some(model::catalog_unclear());
            }
        }
        None
    }

    fn may_show_names(&self, name: &nodes::TypeName) -> bool {
        let last = name.names().iter().next_back();
        let Some(last) = last.and_then(|last| last.sval()) else {
            return true;
        };
        let known = self.catalog.names().find(last);
        let mut types = known
            .map_or(&[][..], |name| self.catalog.index().types(name))
            .iter();
        types.any(|id| self.shown.shows_names(*id))
    }

    fn uses(&self, resolution: &Resolution<'_>) -> Option<RefusedUse> {
        let mut made = resolution.literal_types.iter();
        if made.any(|id| self.shown.shows_names(*id)) {
            return Some(RefusedUse::Named(model::catalog_value(None)));
        }
        let mut is_unclear = false;
        for used in &resolution.uses {
            let trusted = self.context.trusts(used.at);
            let refused = match &used.what {
                // A parameter would be of this type wherever it stands.
                UsedObject::Cast { target, source, .. }
                    if !trusted || matches!(source, InferredType::Parameter(_)) =>
                {
                    self.shows_value(*target)
                }
                // Only the first of a kind is told, wherever that stands: what the gate put in has
                // none.
                UsedObject::Coercion { source, target } => {
                    let is_same = *source == InferredType::Known(*target);
                    self.shows_value(*target).filter(|_| !is_same)
                }
                UsedObject::Functions { candidates, .. } if !trusted => {
                    let found = candidates.iter().find(|id| self.is_refused(**id));
                    found.map(|id| {
                        let name = self.catalog.function(*id).name;
                        model::catalog_function(self.catalog.names().text(name))
                    })
                }
                UsedObject::Unclear if !trusted => {
                    is_unclear = true;
                    None
                }
                _ => None,
            };
            if let Some(refused) = refused {
                return Some(RefusedUse::Named(refused));
            }
        }
        is_unclear.then_some(RefusedUse::Unclear)
    }

    fn shows_value(&self, target: catalog::TypeId) -> Option<Box<Refusal>> {
        let shows = self.shown.shows_names(target);
        shows.then(|| model::catalog_value(Some(self.name_of_type(target))))
    }

    fn name_of_type(&self, id: catalog::TypeId) -> &str {
        self.catalog.names().text(self.catalog.data_type(id).name)
    }

    /// Whether a function may name what is hidden.
    fn is_refused(&self, id: FunctionId) -> bool {
        let function = self.catalog.function(id);
        let kind = self.catalog.schema(function.schema).kind;
        let name = self.catalog.names().text(function.name);
        match kind {
            SchemaKind::Catalog | SchemaKind::InformationSchema => {
                match functions::verdict(self.catalog, function) {
                    CallVerdict::Free => false,
                    // What was put in for it is trusted.
                    CallVerdict::Served | CallVerdict::Refused => true,
                }
            }
            // hstore makes rows of the type of another one by texts.
            _ => name == "populate_record",
        }
    }
}

/// Whether a statement surely reads no catalog and names no object by a number: where there is no
/// snapshot.
fn is_known_without_catalog(node: Node<'_>) -> bool {
    let mut waiting = vec![node];
    while let Some(next) = waiting.pop() {
        let is_known = match next {
            Node::RangeVar(_) => false,
            Node::FuncCall(call) => call.args().is_empty(),
            Node::TypeName(name) => {
                let last = name.names().iter().next_back();
                let last = last.and_then(|last| last.sval()).unwrap_or_default();
                PLAIN_TYPES.contains(&last)
            }
            _ => true,
        };
        if !is_known || tree::children(next, &mut waiting).is_err() {
            return false;
        }
    }
    true
}

/// Types that show no object.
#[rustfmt::skip]
const PLAIN_TYPES: &[&str] = &[
    "bool", "bpchar", "bytea", "date", "float4", "float8", "int2", "int4", "int8", "interval",
    "json", "jsonb", "name", "numeric", "oid", "text", "time", "timestamp", "timestamptz",
    "timetz", "uuid", "varchar",
];
