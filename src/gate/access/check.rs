//! Every use of a name in a statement, on every search_path that the session may have.
//!
//! A column counts where it is read in its own relation ([`Via::Relation`]); what a query within
//! the statement passes on was read there. What cannot be told counts as the worst that it may be.

use super::server_objects::OfServer;
use super::{AccessTable, Findings, refusal, server_objects};
use crate::catalog::{CastMethod, FunctionId, RelationId, SearchPath};
use crate::gate::Rule;
use crate::gate::context::Case;
use crate::gate::effects::graph::{Reads, Sight};
use crate::gate::effects::resolve_effects::Subject;
use crate::gate::effects::{coercion, lookup, missing_objects};
use crate::policy::PolicyRule;
use crate::policy::access::{ColumnPattern, RelationPattern};
use crate::resolve::{Inferred, Name, Resolution, Use, Via, What};

/// Looks at all uses of a statement.
pub(super) fn everything(subject: Subject<'_>, sight: &Sight, case: &mut Case<'_>) -> Findings {
    let mut look = Look {
        sight,
        shown: sight.access().zip(sight.reads()),
        found: Findings::default(),
        touched: Vec::new(),
        missing: false,
        unclear: None,
    };
    let wanted = case.policy.hides() || case.policy.denies_functions();
    let elsewhere = lookup::are_read_elsewhere(sight, case);
    let paths = lookup::paths(sight, case).filter(|_| !elsewhere);
    let Some(paths) = paths else {
        case.met = None;
        if wanted {
            return super::unresolved::without_paths(subject, sight, case);
        }
        return look.found;
    };
    let given = lookup::parameters(sight, case);
    let parameters = lookup::types(given.as_deref(), case);
    for path in &paths {
        match lookup::resolve(subject, sight, path, parameters) {
            Ok(resolution) => {
                look.one(&resolution, path, case);
                if let Some(met) = &mut case.met {
                    met.add(&resolution, sight);
                }
            }
            Err(_) => {
                case.met = None;
                if wanted {
                    look.unclear(None, case);
                }
            }
        }
    }
    look.found
}

/// One look at one statement.
struct Look<'l> {
    sight: &'l Sight,
    shown: Option<(&'l AccessTable, &'l Reads)>,
    found: Findings,
    /// The relations that it reads on the path at hand.
    touched: Vec<RelationId>,
    /// Whether it names a relation that the snapshot does not have.
    missing: bool,
    /// The first thing that could not be told.
    unclear: Option<Option<usize>>,
}

impl Look<'_> {
    fn one(&mut self, resolution: &Resolution<'_>, path: &SearchPath, case: &Case<'_>) {
        self.touched.clear();
        self.missing = false;
        self.unclear = None;
        for used in &resolution.uses {
            match used.what {
                What::Relation { id, .. } => self.touched.push(id),
                What::MissingRelation { .. } => self.missing = true,
                _ => {}
            }
        }
        for used in &resolution.uses {
            self.called(used, case);
            if let Some((table, reads)) = self.shown {
                self.may_read_anything(used, reads, case);
                if !case.trusts(used.at) {
                    self.read(used, table, path, case);
                }
            }
        }
        if let Some(at) = self.unclear {
            self.settle_unclear(at, resolution, path, case);
        }
    }

    /// Relations and columns.
    fn read(&mut self, used: &Use<'_>, table: &AccessTable, path: &SearchPath, case: &Case<'_>) {
        let (at, sight) = (used.at, self.sight);
        match &used.what {
            What::Relation { id, only } => {
                if let Some(why) = table.denies(*id, *only) {
                    self.found
                        .add(self.rule(PolicyRule::RelationDenied, *id, case), || {
                            refusal::relation(*id, why, at, sight, case)
                        });
                }
            }
            What::Column {
                origin: Some((id, number)),
                via: Via::Relation,
                ..
            } if table.hides(*id, *number) => {
                self.found
                    .add(self.rule(PolicyRule::ColumnDenied, *id, case), || {
                        refusal::column(*id, *number, at, sight, case)
                    });
            }
            What::WholeRow {
                relation: Some(id), ..
            } if table.hides_any(*id) => {
                self.found
                    .add(self.rule(PolicyRule::ColumnDenied, *id, case), || {
                        refusal::whole_row(*id, at, sight, case)
                    });
            }
            What::MissingRelation { schema, name } => {
                let schema = schema.as_ref().map(Name::as_str);
                if self.hides_unknown(schema, name.as_str(), path, case) {
                    self.found.add(PolicyRule::NotResolved, || {
                        refusal::unknown_name(name.as_str(), at, case)
                    });
                }
            }
            What::MissingColumn { name, .. } | What::AmbiguousColumn { name, .. } => {
                if let Some((id, number)) = self.left_away(name.as_str(), table) {
                    self.found.add(PolicyRule::ColumnDenied, || {
                        refusal::column(id, number, at, sight, case)
                    });
                } else if self.may_be_hidden(name.as_str(), table, case) {
                    self.found.add(PolicyRule::NotResolved, || {
                        refusal::unknown_name(name.as_str(), at, case)
                    });
                }
            }
            What::Unclear => {
                self.unclear.get_or_insert(at);
            }
            What::Column { .. }
            | What::WholeRow { .. }
            | What::CommonTable { .. }
            | What::Functions { .. }
            | What::MissingFunction
            | What::Operators { .. }
            | What::Cast { .. }
            | What::Coercion { .. }
            | What::Type { .. }
            | What::Compared { .. } => {}
        }
    }

    /// The rule that speaks. What the server keeps of other relations' rows leads around models,
    /// which hold where other rules are only observed.
    fn rule(&self, rule: PolicyRule, id: RelationId, case: &Case<'_>) -> PolicyRule {
        let is_of_server = server_objects::relation(self.sight.catalog(), id) != OfServer::Nothing;
        match is_of_server && case.policy.has_models() {
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
        case: &Case<'_>,
    ) -> bool {
        let catalog = self.sight.catalog();
        let hides = |schema: &str| {
            let access = case.policy.access();
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

    /// Whether a reference that means no one column here may mean one that the policy hides: in a
    /// relation that the statement reads, or in what that is a part of.
    fn may_be_hidden(&self, name: &str, table: &AccessTable, case: &Case<'_>) -> bool {
        let catalog = self.sight.catalog();
        let access = case.policy.access();
        self.touched.iter().any(|id| {
            let (schema, relation) = super::table::names_of(catalog, *id);
            let kin = table.has_kin(*id);
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

    /// The hidden column of this name that what is laid over its relation leaves away, so that the
    /// name stands for nothing.
    fn left_away(&self, name: &str, table: &AccessTable) -> Option<(RelationId, i16)> {
        let catalog = self.sight.catalog();
        let mut laid = self.touched.iter().filter(|id| table.laid(**id).is_some());
        laid.find_map(|id| {
            let mut columns = catalog.columns_of(*id).iter();
            let hidden = columns.find(|column| {
                table.hides(*id, column.number) && catalog.names().text(column.name) == name
            });
            Some((*id, hidden?.number))
        })
    }

    /// What the policy does not let be called, whatever calls it.
    fn called(&mut self, used: &Use<'_>, case: &Case<'_>) {
        let (at, sight) = (used.at, self.sight);
        let catalog = sight.catalog();
        let denied = |id: &FunctionId| sight.denies_function(*id);
        let found = match &used.what {
            What::Functions { candidates, .. } => candidates.iter().copied().find(denied),
            What::Operators { candidates, .. } => {
                let functions = candidates.iter();
                let mut functions = functions.filter_map(|id| catalog.operator(*id).function);
                functions.find(denied)
            }
            What::Cast { candidates, .. } => {
                let mut functions =
                    candidates
                        .iter()
                        .filter_map(|id| match catalog.cast(*id).method {
                            CastMethod::Function(function) => Some(function),
                            CastMethod::Binary | CastMethod::InOut => None,
                        });
                functions.find(denied)
            }
            What::Unclear if case.policy.denies_functions() => {
                self.unclear.get_or_insert(at);
                None
            }
            _ => None,
        };
        if let Some(function) = found {
            self.found.add(PolicyRule::FunctionDenied, || {
                refusal::function(function, at, sight, case)
            });
        }
    }

    /// What may read whatever it likes.
    fn may_read_anything(&mut self, used: &Use<'_>, reads: &Reads, case: &Case<'_>) {
        let catalog = self.sight.catalog();
        let unknown = |inferred: &Inferred| match inferred {
            Inferred::Row(_) | Inferred::Unclear => true,
            Inferred::Known(_) | Inferred::Literal | Inferred::Parameter(_) => false,
        };
        let happens = |source: &Inferred, target| {
            coercion::happening(reads.implicit_casts(), source, target, catalog).is_some()
        };
        let may = match &used.what {
            What::Functions { candidates, .. } => {
                self.none_known(candidates.is_empty(), used.at);
                candidates.iter().any(|id| reads.function(*id))
            }
            What::Operators { candidates, .. } => {
                self.none_known(candidates.is_empty(), used.at);
                candidates.iter().any(|id| reads.operator(*id))
            }
            What::Cast {
                source,
                target,
                candidates,
            } => {
                candidates.iter().any(|id| reads.cast(*id))
                    || reads.data_type(*target)
                    || (unknown(source) && reads.casting_to(*target))
            }
            What::Coercion { source, target } => {
                reads.data_type(*target) || happens(source, *target)
            }
            What::Type { id } => reads.data_type(*id),
            What::Compared {
                inferred: Inferred::Known(id),
            } => reads.data_type(*id),
            _ => false,
        };
        if may {
            let function = match &used.what {
                What::Functions { candidates, .. } => {
                    candidates.iter().copied().find(|id| reads.function(*id))
                }
                _ => None,
            };
            let sight = self.sight;
            self.found.add(PolicyRule::NotResolved, || {
                refusal::reads_anything(function, used.at, sight, case)
            });
        }
    }

    /// A call or an operator that may be any.
    fn none_known(&mut self, none: bool, at: Option<usize>) {
        if none {
            self.unclear.get_or_insert(at);
        }
    }

    /// Something that cannot be told. Where a relation is missing the server refuses the statement
    /// as a whole; should it be there by now, nothing else that is read has anything to hide.
    fn settle_unclear(
        &mut self,
        at: Option<usize>,
        resolution: &Resolution<'_>,
        path: &SearchPath,
        case: &Case<'_>,
    ) {
        let sight = self.sight;
        let guarded = self.shown.is_some_and(|(table, _)| {
            let mut touched = self.touched.iter();
            touched.any(|id| table.hides_any(*id))
        });
        if !self.missing || guarded {
            // A name that stands for nothing, and for nothing hidden, is what is to be mended.
            self.found.add(PolicyRule::NotResolved, || {
                missing_objects::first(resolution, Rule::NotResolved, (path, sight), case)
                    .unwrap_or_else(|| refusal::unclear(at, case))
            });
        }
    }

    fn unclear(&mut self, at: Option<usize>, case: &Case<'_>) {
        self.found
            .add(PolicyRule::NotResolved, || refusal::unclear(at, case));
    }
}
