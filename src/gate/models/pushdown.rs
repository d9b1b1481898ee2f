//! A client's conditions about a model's columns, written so that they can be evaluated within the
//! model's fence: there the planner has the indexes and partitions of the table for them.
//!
//! Within the fence a condition meets rows that the model leaves out. So it may tell nothing of
//! them, in no error either: it compares a column that a table has as it is with constants or
//! parameters, by operators that came with the server and that its catalog says are LEAKPROOF (and
//! STRICT: [`super::conditions`] wants that). It stays where the client has written it as well.
//!
//! It is written anew, from what the tree says. A parameter that the server is to find the type of
//! has it written down, since the server now reads it here first.
//!
//! <https://www.postgresql.org/docs/current/rules-privileges.html>

use std::fmt::Write as _;

use super::conditions::{MergedColumns, RowConditions};
use super::leakproof::is_leakproof;
use super::optimization_fence::INSIDE;
use super::pushdown_forms::ComparisonForm;
use super::{CompiledModel, from_names};
use crate::catalog_view;
use crate::rewritten::text::CopiedConstant;
use catalog::{CastMethod, Catalog, Operator, SchemaKind, SearchPath, TypeId, TypeKind};
use ground::limits::{MODEL_CONDITION_BYTES_MAX, MODEL_CONDITION_DEPTH_MAX};
use resolve::{
    self, InferredType, KnownParameters, LookupContext, Resolution, TableColumns, UsedObject,
};
use sql::tree::list::NodeList;
use sql::tree::{BoolExprType, ConstValue, Node, nodes};

/// Conditions as they stand within a fence.
#[derive(Default, PartialEq, Eq)]
pub(crate) struct PushedConditions {
    /// Their text.
    pub(crate) text: String,
    /// Where constants of the client stand in it.
    pub(crate) copies: Vec<CopiedConstant>,
    /// The types that parameters have by it.
    pub(crate) typed: Vec<(u32, TypeId)>,
    merged: MergedColumns,
}

/// What is known of the parameters of a statement.
#[derive(Clone, Copy)]
pub(crate) struct StatementParameters<'p> {
    /// The types that the client gave; none where that is not known.
    pub(crate) types: Option<&'p [Option<TypeId>]>,
    /// Their numbers, each as often as it occurs.
    pub(crate) occur: &'p [i32],
}

/// The conditions of a statement that are evaluated within a model, as a name in FROM stands for
/// it, where there are any and they mean the same wherever names are looked up.
pub(crate) fn of<'t>(
    (model, named): (&CompiledModel, &from_names::FromName<'t>),
    conditions: &RowConditions<'t>,
    given: StatementParameters<'_>,
    (catalog, paths): (&Catalog, &[SearchPath]),
) -> Option<PushedConditions> {
    let columns = model.body.as_ref().ok()?.fenced()?;
    let alias = named.node.alias();
    if alias.is_some_and(|alias| !alias.colnames().is_empty()) {
        return None;
    }
    let name = alias.map_or(named.node.relname(), nodes::Alias::aliasname)?;
    let on = |path| {
        let reading = ConditionReader {
            table: TableColumns {
                name,
                relation: model.covers.filter(|_| alias.is_none()),
                columns,
            },
            lookup: LookupContext {
                catalog,
                path,
                parameters: given
                    .types
                    .map_or(KnownParameters::Unclear, KnownParameters::Given),
            },
            given,
        };
        let (merged, over) = conditions.over_name(named.node);
        reading.pushed_conditions(over, merged)
    };
    let mut each = paths.iter().map(on);
    let first = each.next()??;
    let agree = each.all(|other| other.as_ref() == Some(&first));
    agree.then_some(first)
}

/// What conditions are read against.
struct ConditionReader<'a> {
    /// The model, as the query calls it.
    table: TableColumns<'a>,
    /// Where names are looked up.
    lookup: LookupContext<'a>,
    /// The parameters.
    given: StatementParameters<'a>,
}

impl<'a> ConditionReader<'a> {
    /// Those of the conditions that can be evaluated within the fence; none where none can.
    fn pushed_conditions(
        &self,
        conditions: impl Iterator<Item = Node<'a>>,
        merged: MergedColumns,
    ) -> Option<PushedConditions> {
        let mut inside = PushedConditions {
            merged,
            ..PushedConditions::default()
        };
        for condition in conditions {
            let mark = (inside.text.len(), inside.copies.len(), inside.typed.len());
            if !inside.text.is_empty() {
                inside.text.push_str(" AND ");
            }
            let written = self.condition(condition, 0, &mut inside);
            if written.is_none() || inside.text.len() > MODEL_CONDITION_BYTES_MAX {
                inside.text.truncate(mark.0);
                inside.copies.truncate(mark.1);
                inside.typed.truncate(mark.2);
            }
        }
        (!inside.text.is_empty()).then_some(inside)
    }

    fn condition(&self, node: Node<'a>, depth: usize, inside: &mut PushedConditions) -> Option<()> {
        let Node::BoolExpr(several) = node else {
            return self.comparison(node, inside);
        };
        let word = match several.boolop {
            BoolExprType::AND_EXPR => " AND ",
            BoolExprType::OR_EXPR => " OR ",
            _ => return None,
        };
        if depth >= MODEL_CONDITION_DEPTH_MAX {
            return None;
        }
        inside.text.push('(');
        for (place, part) in several.args().iter().enumerate() {
            if place > 0 {
                inside.text.push_str(word);
            }
            self.condition(part, depth.saturating_add(1), inside)?;
            if inside.text.len() > MODEL_CONDITION_BYTES_MAX {
                return None;
            }
        }
        inside.text.push(')');
        Some(())
    }

    /// One comparison of one column.
    fn comparison(&self, node: Node<'a>, inside: &mut PushedConditions) -> Option<()> {
        let shape = ComparisonForm::of(node)?;
        let found = resolve::condition(node, &self.table, &self.lookup).ok()?;
        let operators = self.operators(&found)?;
        let one = ResolvedComparison {
            reading: self,
            found,
            operators,
        };
        match shape {
            ComparisonForm::Infix(column, symbol, value) => {
                inside.column(column)?;
                // Writing into a String cannot fail.
                let _ = write!(inside.text, " {symbol} ");
                one.value(value, one.right()?, inside)?;
            }
            ComparisonForm::Swapped(value, symbol, column) => {
                one.value(value, one.left()?, inside)?;
                let _ = write!(inside.text, " {symbol} ");
                inside.column(column)?;
            }
            ComparisonForm::Any(column, symbol, array) => {
                inside.column(column)?;
                let _ = write!(inside.text, " {symbol} ANY (");
                one.array(array, inside)?;
                inside.text.push(')');
            }
            ComparisonForm::In(column, list) => {
                inside.column(column)?;
                inside.text.push_str(" IN (");
                one.values(list, ", ", inside)?;
                inside.text.push(')');
            }
            ComparisonForm::Between(column, bounds) => {
                inside.column(column)?;
                inside.text.push_str(" BETWEEN ");
                one.values(bounds, " AND ", inside)?;
            }
            ComparisonForm::NotNull(column) => {
                inside.column(column)?;
                inside.text.push_str(" IS NOT NULL");
            }
        }
        Some(())
    }

    /// The operators that a comparison means; none where it may run anything else, or any of them
    /// may tell something.
    fn operators(&self, found: &Resolution<'_>) -> Option<Vec<&'a Operator>> {
        if !found.mismatches.is_empty() || found.missing_name.is_some() {
            return None;
        }
        let catalog = self.lookup.catalog;
        let mut operators = Vec::new();
        for used in &found.uses {
            match &used.what {
                UsedObject::Column {
                    origin: Some(_), ..
                } => {}
                UsedObject::Operators { candidates, .. } => {
                    let [only] = candidates.as_slice() else {
                        return None;
                    };
                    let operator = catalog.operator(*only);
                    operators.push(Some(operator).filter(|own| is_leakproof(own))?);
                }
                UsedObject::Type { id } if runs_nothing(catalog, *id) => {}
                UsedObject::Coercion {
                    source: InferredType::Known(source),
                    target,
                } if is_relabelled(catalog, *source, *target) => {}
                // What it is a cast of is looked at where it is written.
                UsedObject::Cast { target, .. } if is_of_server(catalog, *target) => {}
                _ => return None,
            }
        }
        Some(operators)
    }
}

/// A comparison, with what its names mean.
struct ResolvedComparison<'r, 'a> {
    reading: &'r ConditionReader<'a>,
    found: Resolution<'a>,
    operators: Vec<&'a Operator>,
}

impl<'a> ResolvedComparison<'_, 'a> {
    /// The type that all its operators take on the right.
    fn right(&self) -> Option<TypeId> {
        let mut sides = self.operators.iter().map(|operator| operator.right);
        let first = sides.next()??;
        sides.all(|other| other == Some(first)).then_some(first)
    }

    fn left(&self) -> Option<TypeId> {
        let mut sides = self.operators.iter().map(|operator| operator.left);
        let first = sides.next()??;
        sides.all(|other| other == Some(first)).then_some(first)
    }

    fn values(
        &self,
        list: &'a NodeList,
        between: &str,
        inside: &mut PushedConditions,
    ) -> Option<()> {
        for (place, value) in list.iter().enumerate() {
            if place > 0 {
                inside.text.push_str(between);
            }
            // A parameter takes its type from the operator, which has to be one for that.
            let wanted = match value {
                Node::ParamRef(_) => self.right()?,
                _ => self.operators.first()?.right?,
            };
            self.value(value, wanted, inside)?;
            if inside.text.len() > MODEL_CONDITION_BYTES_MAX {
                return None;
            }
        }
        Some(())
    }

    /// The right side of ANY.
    fn array(&self, node: Node<'a>, inside: &mut PushedConditions) -> Option<()> {
        let element = self.right()?;
        if let Node::A_ArrayExpr(array) = node {
            inside.text.push_str("ARRAY[");
            self.values(array.elements(), ", ", inside)?;
            inside.text.push(']');
            return Some(());
        }
        let catalog = self.reading.lookup.catalog;
        self.value(node, catalog.data_type(element).array?, inside)
    }

    /// A constant or parameter, in a place that takes the type `wanted`.
    fn value(&self, node: Node<'a>, wanted: TypeId, inside: &mut PushedConditions) -> Option<()> {
        match node {
            Node::A_Const(constant) => inside.constant(constant),
            Node::ParamRef(parameter) => match self.given(parameter)? {
                Some(_) => inside.parameter(parameter, None),
                None => self.typed(parameter, wanted, inside),
            },
            Node::TypeCast(cast) => self.cast(cast, inside),
            _ => None,
        }
    }

    /// A cast. One of a constant runs while the statement is planned, where it ends whatever rows
    /// there are; one of a parameter only says its type, or is no constant.
    fn cast(&self, cast: &'a nodes::TypeCast, inside: &mut PushedConditions) -> Option<()> {
        let name = cast.type_name()?;
        if !name.typmods().is_empty() || name.typemod >= 0 || name.setof || name.pct_type {
            return None;
        }
        let target = self.target(cast)?;
        match cast.arg() {
            Node::A_Const(constant) => {
                inside.constant(constant)?;
                inside.cast_to(self.reading.lookup.catalog, target)
            }
            Node::ParamRef(parameter) => match self.given(parameter)? {
                Some(own) if own == target => inside.parameter(parameter, None),
                Some(_) => None,
                None => self.typed(parameter, target, inside),
            },
            _ => None,
        }
    }

    /// The type that a cast makes. The tree does not say where `date '…'` stands: then all casts
    /// of the comparison of which that is so make the same type.
    fn target(&self, cast: &nodes::TypeCast) -> Option<TypeId> {
        let at = usize::try_from(cast.location).ok();
        let mut targets = self.found.uses.iter().filter_map(|used| match &used.what {
            UsedObject::Cast { target, .. } if used.at == at => Some(*target),
            _ => None,
        });
        let first = targets.next()?;
        targets.all(|other| other == first).then_some(first)
    }

    /// The type that the client gave a parameter, in which none says that the server is to find
    /// it; none where that is not known.
    fn given(&self, parameter: &nodes::ParamRef) -> Option<Option<TypeId>> {
        let place = usize::try_from(parameter.number).ok()?.checked_sub(1)?;
        Some(self.reading.given.types?.get(place).copied().flatten())
    }

    /// A parameter whose type the server finds here. Where it occurs again, the server would have
    /// found it there, perhaps.
    fn typed(
        &self,
        parameter: &nodes::ParamRef,
        wanted: TypeId,
        inside: &mut PushedConditions,
    ) -> Option<()> {
        // A value of a type that shows an object by its name is made where it is guarded.
        if catalog_view::shows_names(self.reading.lookup.catalog, wanted) {
            return None;
        }
        let mut occur = self.reading.given.occur.iter();
        let times = occur.by_ref().filter(|own| **own == parameter.number);
        if times.count() != 1 {
            return None;
        }
        inside
            .typed
            .push((u32::try_from(parameter.number).ok()?, wanted));
        inside.parameter(parameter, Some((self.reading.lookup.catalog, wanted)))
    }
}

impl PushedConditions {
    /// A column, by its name alone: nothing else is called what a model is called within.
    fn column(&mut self, column: &nodes::ColumnRef) -> Option<()> {
        if self.merged == MergedColumns::Some && column.fields().len() < 2 {
            return None;
        }
        let name = column.fields().iter().next_back()?.as_str()?;
        let _ = write!(self.text, "{INSIDE}.\"{}\"", name.replace('"', "\"\""));
        Some(())
    }

    /// A constant, as it is read again.
    fn constant(&mut self, constant: &nodes::A_Const) -> Option<()> {
        let start = self.text.len();
        match constant.val().filter(|_| !constant.isnull)? {
            ConstValue::Integer(number) => {
                let _ = write!(self.text, "({number})");
            }
            ConstValue::Float(digits) => {
                let _ = write!(self.text, "({digits})");
            }
            ConstValue::Boolean(truth) => {
                let _ = write!(self.text, "{truth}");
            }
            ConstValue::String(text) => {
                let _ = write!(self.text, "'{}'", text.replace('\'', "''"));
            }
            _ => return None,
        }
        self.copies.push(CopiedConstant {
            to: start..self.text.len(),
            from: usize::try_from(constant.location).ok()?,
        });
        Some(())
    }

    fn parameter(
        &mut self,
        parameter: &nodes::ParamRef,
        of_type: Option<(&Catalog, TypeId)>,
    ) -> Option<()> {
        let _ = write!(self.text, "${}", parameter.number);
        match of_type {
            Some((catalog, target)) => self.cast_to(catalog, target),
            None => Some(()),
        }
    }

    fn cast_to(&mut self, catalog: &Catalog, target: TypeId) -> Option<()> {
        if !is_of_server(catalog, target) {
            return None;
        }
        let name = catalog.names().text(catalog.data_type(target).name);
        let _ = write!(self.text, "::pg_catalog.\"{}\"", name.replace('"', "\"\""));
        Some(())
    }
}

/// Whether a value of a type takes part in a comparison without anything of a user being run.
pub(super) fn runs_nothing(catalog: &Catalog, id: TypeId) -> bool {
    match catalog.data_type(id).kind {
        TypeKind::Base => is_of_server(catalog, id),
        // The column has it; nothing is made into one.
        TypeKind::Domain { base, .. } => runs_nothing_below(catalog, base),
        _ => false,
    }
}

fn runs_nothing_below(catalog: &Catalog, base: TypeId) -> bool {
    matches!(catalog.data_type(base).kind, TypeKind::Base) && is_of_server(catalog, base)
}

/// Whether it is a type that came with the server, which users have given nothing to run.
pub(super) fn is_of_server(catalog: &Catalog, id: TypeId) -> bool {
    let own = catalog.data_type(id);
    matches!(own.kind, TypeKind::Base)
        && own.oid.is_built_in()
        && catalog.schema(own.schema).kind == SchemaKind::Catalog
        && own.makers.is_empty()
        && own.users.is_empty()
}

/// Whether a value of one type is taken for one of another as it is.
pub(super) fn is_relabelled(catalog: &Catalog, source: TypeId, target: TypeId) -> bool {
    let cast = catalog.index().cast(source, target);
    is_of_server(catalog, target)
        && cast.is_some_and(|id| catalog.cast(id).method == CastMethod::Binary)
}
