//! Every use of a name in a statement, on every search_path that the session may have.
//!
//! A column counts where it is read in its own relation ([`ColumnSource::Relation`]); what a query
//! within the statement passes on was read there. What cannot be told counts as the worst that it
//! may be.

use super::server_objects::HiddenExtent;
use super::{AccessFindings, AccessTable, refusal, server_objects};
use crate::Rule;
use crate::context::JudgeContext;
use crate::effects::graph::{EffectGraph, UnknownReads};
use crate::effects::resolve_effects::CheckSubject;
use crate::effects::{coercion, lookup, missing_objects};
use catalog::{CastMethod, FunctionId, RelationId, SearchPath};
use policy::PolicyRule;
use policy::access::{ColumnPattern, RelationPattern};
use resolve::{ColumnSource, InferredType, ObjectUse, Resolution, SqlName, UsedObject};

/// Looks at all uses of a statement.
pub(super) fn check_statement(
    subject: CheckSubject<'_>,
    effect_graph: &EffectGraph,
    context: &mut JudgeContext<'_>,
) -> AccessFindings {
    let mut look = AccessCheck {
        effect_graph,
        shown: effect_graph.access().zip(effect_graph.reads()),
        found: AccessFindings::default(),
        touched: Vec::new(),
        missing: false,
        unclear: None,
    };
    let wanted = context.policy.hides() || context.policy.denies_functions();
    let elsewhere = lookup::may_be_read_otherwise(effect_graph, context);
    let paths = lookup::paths(effect_graph, context).filter(|_| !elsewhere);
    let Some(paths) = paths else {
        context.name_collector = None;
        if wanted {
            return super::unresolved::without_paths(subject, effect_graph, context);
        }
        return look.found;
    };
    let given = lookup::parameters(effect_graph, context);
    let parameters = lookup::types(given.as_deref(), context);
    for path in &paths {
        match lookup::resolve(subject, effect_graph, path, parameters) {
            Ok(resolution) => {
                look.check_resolution(&resolution, path, context);
                if let Some(met) = &mut context.name_collector {
                    met.add(&resolution, effect_graph);
                }
            }
            Err(_) => {
                context.name_collector = None;
                if wanted {
                    look.note_unclear(None, context);
                }
            }
        }
    }
    look.found
}

/// One look at one statement.
struct AccessCheck<'l> {
    effect_graph: &'l EffectGraph,
    shown: Option<(&'l AccessTable, &'l UnknownReads)>,
    found: AccessFindings,
    /// The relations that it reads on the path at hand.
    touched: Vec<RelationId>,
    /// Whether it names a relation that the snapshot does not have.
    missing: bool,
    /// The first thing that could not be told.
    unclear: Option<Option<usize>>,
}

impl AccessCheck<'_> {
    fn check_resolution(
        &mut self,
        resolution: &Resolution<'_>,
        path: &SearchPath,
        context: &JudgeContext<'_>,
    ) {
        self.touched.clear();
        self.missing = false;
        self.unclear = None;
        for used in &resolution.uses {
            match used.what {
                UsedObject::Relation { id, .. } => self.touched.push(id),
                UsedObject::MissingRelation { .. } => self.missing = true,
                _ => {}
            }
        }
        for used in &resolution.uses {
            self.called(used, context);
            if let Some((table, reads)) = self.shown {
                self.may_read_anything(used, reads, context);
                if !context.trusts(used.at) {
                    self.read(used, table, path, context);
                }
            }
        }
        if let Some(at) = self.unclear {
            self.note_unclear_use(at, resolution, path, context);
        }
    }

    /// Relations and columns.
    fn read(
        &mut self,
        used: &ObjectUse<'_>,
        table: &AccessTable,
        path: &SearchPath,
        context: &JudgeContext<'_>,
    ) {
        let (at, effect_graph) = (used.at, self.effect_graph);
        match &used.what {
            UsedObject::Relation { id, only } => {
                if let Some(why) = table.denies(*id, *only) {
                    self.found
                        .add(self.rule(super::rule_of(why), *id, context), || {
                            refusal::relation(*id, why, at, effect_graph, context)
                        });
                }
            }
            UsedObject::Column {
                origin: Some((id, number)),
                via: ColumnSource::Relation,
                ..
            } if table.hides(*id, *number) => {
                self.found
                    .add(self.rule(PolicyRule::ColumnDenied, *id, context), || {
                        refusal::column(*id, *number, at, effect_graph, context)
                    });
            }
            UsedObject::WholeRow {
                relation: Some(id), ..
            } if table.hides_any(*id) => {
                self.found
                    .add(self.rule(PolicyRule::ColumnDenied, *id, context), || {
                        refusal::whole_row(*id, at, effect_graph, context)
                    });
            }
            UsedObject::MissingRelation { schema, name } => {
                let schema = schema.as_ref().map(SqlName::as_str);
                if let Some(rule) = self.hidden_by((schema, name.as_str()), table, path, context) {
                    self.found
                        .add(rule, || refusal::unknown_name(name.as_str(), at, context));
                }
            }
            UsedObject::MissingColumn { name, .. } | UsedObject::AmbiguousColumn { name, .. } => {
                if let Some((id, number)) = self.left_away(name.as_str(), table) {
                    self.found.add(PolicyRule::ColumnDenied, || {
                        refusal::column(id, number, at, effect_graph, context)
                    });
                } else if self.may_be_hidden(name.as_str(), table, context) {
                    self.found.add(PolicyRule::NotResolved, || {
                        refusal::unknown_name(name.as_str(), at, context)
                    });
                }
            }
            UsedObject::Unclear => {
                self.unclear.get_or_insert(at);
            }
            UsedObject::Column { .. }
            | UsedObject::WholeRow { .. }
            | UsedObject::CommonTable { .. }
            | UsedObject::Functions { .. }
            | UsedObject::MissingFunction
            | UsedObject::Operators { .. }
            | UsedObject::Cast { .. }
            | UsedObject::Coercion { .. }
            | UsedObject::Type { .. }
            | UsedObject::Compared { .. } => {}
        }
    }

    /// The rule that speaks. What the server keeps of other relations' rows leads around models,
    /// which hold where other rules are only observed.
    fn rule(&self, rule: PolicyRule, id: RelationId, context: &JudgeContext<'_>) -> PolicyRule {
        let is_of_server =
            server_objects::relation(self.effect_graph.catalog(), id) != HiddenExtent::Nothing;
        match is_of_server && context.policy.has_models() {
            true => PolicyRule::Model,
            false => rule,
        }
    }

    /// Whether the policy hides a relation that the snapshot does not have: by its name, in any
    /// schema in which it may be.
    fn hides_unknown(
        &self,
        schema: Option<&str>,
        name: &str,
        path: &SearchPath,
        context: &JudgeContext<'_>,
    ) -> bool {
        let catalog = self.effect_graph.catalog();
        let hides = |schema: &str| {
            let access = context.policy.access();
            let own = |list: &[RelationPattern]| list.iter().any(|one| one.names(schema, name));
            let mut columns = access.columns_allowed.iter().chain(&access.columns_denied);
            !access.allows(schema, name)
                || own(&access.relations_denied)
                || columns.any(|one| one.relation.names(schema, name))
        };
        let mut along = path.schemas().iter().map(|id| catalog.schema(*id));
        server_objects::hides_unknown(schema, name)
            || match schema {
                Some(schema) => hides(schema),
                None => along.any(|schema| {
                    !server_objects::is_of_server(schema.kind)
                        && hides(catalog.names().text(schema.name))
                }),
            }
    }

    /// The rule that hides a relation that the snapshot does not have.
    fn hidden_by(
        &self,
        (schema, name): (Option<&str>, &str),
        table: &AccessTable,
        path: &SearchPath,
        context: &JudgeContext<'_>,
    ) -> Option<PolicyRule> {
        if self.is_unguarded((schema, name), table, path, context) {
            return Some(PolicyRule::Model);
        }
        let is_hidden = self.hides_unknown(schema, name, path, context);
        is_hidden.then_some(PolicyRule::NotResolved)
    }

    /// Whether a relation that the snapshot does not have may be one that an entry of the policy
    /// was meant for, which names none. The name of a model is that model.
    fn is_unguarded(
        &self,
        (schema, name): (Option<&str>, &str),
        table: &AccessTable,
        path: &SearchPath,
        context: &JudgeContext<'_>,
    ) -> bool {
        let catalog = self.effect_graph.catalog();
        let along = path.schemas().iter().map(|id| catalog.schema(*id));
        let along = along.filter(|schema| !server_objects::is_of_server(schema.kind));
        let along = along.map(|schema| catalog.names().text(schema.name));
        let all: Vec<&str> = schema.map_or_else(|| along.collect(), |schema| vec![schema]);
        let is_model = |schema: &&str| {
            let mut models = context.policy.models().iter();
            models.any(|model| model.schema == **schema && model.name == name)
        };
        !all.iter().any(is_model) && all.iter().any(|schema| table.is_unguarded_schema(schema))
    }

    /// Whether a reference that means no one column here may mean one that the policy hides: in a
    /// relation that the statement reads, or in what that is a part of.
    fn may_be_hidden(&self, name: &str, table: &AccessTable, context: &JudgeContext<'_>) -> bool {
        let catalog = self.effect_graph.catalog();
        let access = context.policy.access();
        self.touched.iter().any(|id| {
            let (schema, relation) = super::patterns::names_of(catalog, *id);
            let kin = table.has_column_rules_in_family(*id);
            let about = |one: &ColumnPattern| kin || one.relation.names(schema, relation);
            let mut denied = access.columns_denied.iter();
            let mut columns = catalog.columns_of(*id).iter();
            denied.any(|one| one.column.matches(name) && about(one))
                || access.columns_allowed.iter().any(about)
                || name == "*" && table.hides_any(*id)
                || columns.any(|column| {
                    table.hides(*id, column.number) && catalog.names().text(column.name) == name
                })
        })
    }

    /// The hidden column of this name that what is laid over its relation leaves out, so that the
    /// name stands for nothing.
    fn left_away(&self, name: &str, table: &AccessTable) -> Option<(RelationId, i16)> {
        let catalog = self.effect_graph.catalog();
        let mut overlay = self
            .touched
            .iter()
            .filter(|id| table.overlay(**id).is_some());
        overlay.find_map(|id| {
            let mut columns = catalog.columns_of(*id).iter();
            let hidden = columns.find(|column| {
                table.hides(*id, column.number) && catalog.names().text(column.name) == name
            });
            Some((*id, hidden?.number))
        })
    }

    /// What the policy does not let be called, whatever calls it.
    fn called(&mut self, used: &ObjectUse<'_>, context: &JudgeContext<'_>) {
        let (at, effect_graph) = (used.at, self.effect_graph);
        let catalog = effect_graph.catalog();
        let denied = |id: &FunctionId| effect_graph.denies_function(*id);
        let found = match &used.what {
            UsedObject::Functions { candidates, .. } => candidates.iter().copied().find(denied),
            UsedObject::Operators { candidates, .. } => {
                let functions = candidates.iter();
                let mut functions = functions.filter_map(|id| catalog.operator(*id).function);
                functions.find(denied)
            }
            UsedObject::Cast { candidates, .. } => {
                let mut functions =
                    candidates
                        .iter()
                        .filter_map(|id| match catalog.cast(*id).method {
                            CastMethod::Function(function) => Some(function),
                            CastMethod::Binary | CastMethod::InOut => None,
                        });
                functions.find(denied)
            }
            UsedObject::Unclear if context.policy.denies_functions() => {
                self.unclear.get_or_insert(at);
                None
            }
            _ => None,
        };
        if let Some(function) = found {
            self.found.add(PolicyRule::FunctionDenied, || {
                refusal::function(function, at, effect_graph, context)
            });
        }
    }

    /// What may read whatever it likes.
    fn may_read_anything(
        &mut self,
        used: &ObjectUse<'_>,
        reads: &UnknownReads,
        context: &JudgeContext<'_>,
    ) {
        let catalog = self.effect_graph.catalog();
        let unknown = |inferred: &InferredType| match inferred {
            InferredType::Row(_) | InferredType::Unclear => true,
            InferredType::Known(_) | InferredType::Literal | InferredType::Parameter(_) => false,
        };
        let happens = |source: &InferredType, target| {
            coercion::find_implicit_cast(reads.implicit_casts(), source, target, catalog).is_some()
        };
        let may = match &used.what {
            UsedObject::Functions { candidates, .. } => {
                self.note_unknown_call(candidates.is_empty(), used.at);
                candidates.iter().any(|id| reads.function(*id))
            }
            UsedObject::Operators { candidates, .. } => {
                self.note_unknown_call(candidates.is_empty(), used.at);
                candidates.iter().any(|id| reads.operator(*id))
            }
            UsedObject::Cast {
                source,
                target,
                candidates,
            } => {
                candidates.iter().any(|id| reads.cast(*id))
                    || reads.data_type(*target)
                    || (unknown(source) && reads.casting_to(*target))
            }
            UsedObject::Coercion { source, target } => {
                reads.data_type(*target) || happens(source, *target)
            }
            UsedObject::Type { id } => reads.data_type(*id),
            UsedObject::Compared {
                inferred: InferredType::Known(id),
            } => reads.data_type(*id),
            _ => false,
        };
        if may {
            let function = match &used.what {
                UsedObject::Functions { candidates, .. } => {
                    candidates.iter().copied().find(|id| reads.function(*id))
                }
                _ => None,
            };
            let effect_graph = self.effect_graph;
            self.found
                .add(super::rule_of_unknown_reads(context.policy), || {
                    refusal::reads_anything(function, used.at, effect_graph, context)
                });
        }
    }

    /// A call or an operator that may be any.
    fn note_unknown_call(&mut self, none: bool, at: Option<usize>) {
        if none {
            self.unclear.get_or_insert(at);
        }
    }

    /// Something that cannot be told. Where a relation is missing the server refuses the statement
    /// as a whole; should it be there by now, nothing else that is read has anything to hide.
    fn note_unclear_use(
        &mut self,
        at: Option<usize>,
        resolution: &Resolution<'_>,
        path: &SearchPath,
        context: &JudgeContext<'_>,
    ) {
        let effect_graph = self.effect_graph;
        let guarded = self.shown.is_some_and(|(table, _)| {
            let mut touched = self.touched.iter();
            touched.any(|id| table.hides_any(*id))
        });
        if !self.missing || guarded {
            // A name that stands for nothing, and for nothing hidden, is what is to be mended.
            self.found
                .add(super::rule_of_unknown_reads(context.policy), || {
                    missing_objects::first(
                        resolution,
                        Rule::NotResolved,
                        (path, effect_graph),
                        context,
                    )
                    .unwrap_or_else(|| refusal::unclear(at, context))
                });
        }
    }

    fn note_unclear(&mut self, at: Option<usize>, context: &JudgeContext<'_>) {
        self.found
            .add(super::rule_of_unknown_reads(context.policy), || {
                refusal::unclear(at, context)
            });
    }
}
