//! Whether nothing that a statement evaluates could tell of a row, whenever it is evaluated: then
//! its models need no fence, and the planner has their tables as it has any other.
//!
//! Without a fence the planner may evaluate whatever a statement says on rows that a model leaves
//! away. So all of it has to be of kinds that are listed here: columns, constants and parameters,
//! operators and sorting that came with the server and that its catalog says are LEAKPROOF, and a
//! few aggregates, which meet no row that a WHERE has not passed. No query in the place of a value
//! is among them: that it has more than one row is an error.
//!
//! <https://www.postgresql.org/docs/current/rules-privileges.html>

use std::ops::Range;

use super::pushdown::{is_of_server, is_relabelled, runs_nothing};
use crate::RewrittenText;
use catalog::{
    Catalog, FunctionId, FunctionKind, Oid, Operator, RelationId, RelationKind, SearchPath, TypeId,
    type_oid,
};
use resolve::{
    self, CallForm, InferredType, KnownParameters, LookupContext, Resolution, UsedObject,
};
use sql::tree::{self, A_Expr_Kind, Node, SubLinkType};

/// Whether all under a node is of kinds that may stand in such a statement. What its names mean is
/// for [`is_leakproof_text`].
pub(crate) fn may_be_leakproof(node: Node<'_>) -> bool {
    let mut waiting = vec![node];
    while let Some(next) = waiting.pop() {
        let fits = match next {
            Node::SelectStmt(select) => {
                select.into_clause().is_none()
                    && select.locking_clause().is_empty()
                    && select.window_clause().is_empty()
            }
            Node::A_Expr(operation) => matches!(
                operation.kind,
                A_Expr_Kind::AEXPR_OP
                    | A_Expr_Kind::AEXPR_IN
                    | A_Expr_Kind::AEXPR_OP_ANY
                    | A_Expr_Kind::AEXPR_BETWEEN
            ),
            Node::SubLink(link) => matches!(
                link.sub_link_type,
                SubLinkType::EXISTS_SUBLINK | SubLinkType::ANY_SUBLINK
            ),
            Node::TypeCast(cast) => {
                let plain = matches!(cast.arg(), Node::A_Const(_));
                let name = cast.type_name();
                plain && name.is_some_and(|name| name.typmods().is_empty())
            }
            Node::WithClause(with) => !with.recursive,
            Node::CommonTableExpr(table) => {
                table.search_clause().is_none() && table.cycle_clause().is_none()
            }
            Node::FuncCall(call) => call.over().is_none() && !call.agg_within_group,
            Node::None
            | Node::DeclareCursorStmt(_)
            // What is shown is what runs: its options are words.
            | Node::ExplainStmt(_)
            | Node::DefElem(_)
            | Node::PrepareStmt(_)
            | Node::ResTarget(_)
            | Node::ColumnRef(_)
            | Node::A_Star(_)
            | Node::String(_)
            | Node::Integer(_)
            | Node::A_Const(_)
            | Node::ParamRef(_)
            | Node::BoolExpr(_)
            | Node::NullTest(_)
            | Node::BooleanTest(_)
            | Node::SortBy(_)
            | Node::JoinExpr(_)
            | Node::RangeVar(_)
            | Node::RangeSubselect(_)
            | Node::Alias(_)
            | Node::TypeName(_)
            | Node::NodeList(_) => true,
            _ => false,
        };
        if !fits || tree::children(next, &mut waiting).is_err() {
            return false;
        }
    }
    true
}

/// Whether a text with models in it tells nothing, wherever its names are looked up.
pub(crate) fn is_leakproof_text(
    rewritten: &RewrittenText,
    catalog: &Catalog,
    paths: &[SearchPath],
    parameters: KnownParameters<'_>,
) -> bool {
    let Ok(tree) = tree::parse(&rewritten.text) else {
        return false;
    };
    let Some(statement) = tree.statements().next() else {
        return false;
    };
    let spans: Vec<_> = rewritten.spans.iter().map(|put| put.to.clone()).collect();
    paths.iter().all(|path| {
        let lookup = LookupContext {
            catalog,
            path,
            parameters,
        };
        let found = resolve::statement(statement.node, &lookup);
        found.is_ok_and(|found| is_leakproof_resolution(&found, &spans, catalog))
    })
}

/// Whether what a statement uses tells nothing, but for what stands in these parts of its text:
/// the models. What is noted once for a statement counts wherever it was noted.
fn is_leakproof_resolution(
    found: &Resolution<'_>,
    models: &[Range<usize>],
    catalog: &Catalog,
) -> bool {
    let in_model =
        |at: Option<usize>| at.is_some_and(|at| models.iter().any(|span| span.contains(&at)));
    found.mismatches.is_empty()
        && found.missing_name.is_none()
        && found.uses.iter().all(|used| match &used.what {
            UsedObject::Type { id } => runs_nothing(catalog, *id),
            UsedObject::Coercion {
                source: InferredType::Known(source),
                target,
            } => is_relabelled(catalog, *source, *target) || widens(catalog, *source, *target),
            UsedObject::Relation { id, .. } => in_model(used.at) || is_stored(catalog, *id),
            UsedObject::Column { .. } | UsedObject::CommonTable { .. } => true,
            UsedObject::Operators { candidates, .. } => {
                let is_sound = |operator| is_leakproof(catalog.operator(operator));
                in_model(used.at) || matches!(candidates.as_slice(), [only] if is_sound(*only))
            }
            UsedObject::Functions {
                candidates,
                form: CallForm::Call,
            } => {
                let is_one = |function| is_quiet_aggregate(catalog, function);
                in_model(used.at) || matches!(candidates.as_slice(), [only] if is_one(*only))
            }
            UsedObject::Cast {
                source,
                target,
                candidates,
            } => {
                let is_literal = *source == InferredType::Literal && candidates.is_empty();
                in_model(used.at) || is_literal && is_of_server(catalog, *target)
            }
            UsedObject::Compared {
                inferred: InferredType::Known(id),
            } => is_compared_leakproof(catalog, *id),
            _ => in_model(used.at),
        })
}

/// Whether an operator came with the server, and tells nothing of its sides.
pub(super) fn is_leakproof(operator: &Operator) -> bool {
    operator.leakproof && operator.oid.is_built_in() && operator.support.is_empty()
}

/// Whether a read of a relation evaluates nothing of its own.
fn is_stored(catalog: &Catalog, id: RelationId) -> bool {
    let relation = catalog.relation(id);
    let kind = matches!(
        relation.kind,
        RelationKind::Table | RelationKind::PartitionedTable | RelationKind::MaterializedView
    );
    kind && relation.computed.is_none() && relation.policies.is_empty()
}

/// Whether it is a cast from a smaller type of integers to a larger one.
fn widens(catalog: &Catalog, source: TypeId, target: TypeId) -> bool {
    let size = |id| {
        let oid = catalog.data_type(id).oid;
        INTEGERS.iter().position(|own| *own == oid)
    };
    size(source)
        .zip(size(target))
        .is_some_and(|(source, target)| source < target)
}

/// Whether values of a type are sorted, hashed and told apart without anything being told.
fn is_compared_leakproof(catalog: &Catalog, id: TypeId) -> bool {
    let own = catalog.data_type(id);
    let compared = match own.oid {
        type_oid::VARCHAR => catalog.index().type_of_oid(type_oid::TEXT),
        _ => Some(id),
    };
    let Some(compared) = compared.filter(|_| is_of_server(catalog, id)) else {
        return false;
    };
    ["<", "="].into_iter().all(|symbol| {
        let name = catalog.names().find(symbol);
        let all = name.map(|name| catalog.index().operators(name));
        all.unwrap_or_default().iter().any(|id| {
            let operator = catalog.operator(*id);
            let sides = [operator.left, operator.right];
            sides == [Some(compared); 2] && is_leakproof(operator)
        })
    })
}

/// Whether it is one of the server's aggregates that do not fail.
fn is_quiet_aggregate(catalog: &Catalog, id: FunctionId) -> bool {
    let function = catalog.function(id);
    let name = catalog.names().text(function.name);
    let takes = |id: &TypeId| {
        let oid = catalog.data_type(*id).oid;
        oid == type_oid::ANY || !FLOATS.contains(&oid) && is_compared_leakproof(catalog, *id)
    };
    function.oid.is_built_in()
        && matches!(function.kind, FunctionKind::Aggregate { .. })
        && QUIET.contains(&name)
        && function.arguments.iter().all(takes)
}

/// Aggregates that have a result for whatever rows there are.
const QUIET: &[&str] = &[
    "avg", "bool_and", "bool_or", "count", "every", "max", "min", "sum",
];

/// `smallint`, `integer`, `bigint`.
const INTEGERS: [Oid; 3] = [type_oid::INT2, type_oid::INT4, type_oid::INT8];

/// `real` and `double precision`, whose sums overflow.
const FLOATS: [Oid; 2] = [type_oid::FLOAT4, type_oid::FLOAT8];
