//! Whether a text that may run will fail, as far as the snapshot shows. Asked before the text is
//! sent where a failure could not be undone: in a transaction block, and in the extended protocol.
//! A wrong yes costs a question to the server, a wrong no costs a repair, and neither a wrong row.

use std::collections::HashMap;

use crate::context::tree_of;
use crate::recoverers::grouping_error::aggregate_query::{GroupingCertainty, aggregate_queries};
use crate::scopes::query_scopes::{QueryScope, QueryScopes};
use crate::{Failure, FailureOrigin, SessionDatabase};
use catalog::type_oid::{
    BOOL, DATE, FLOAT4, FLOAT8, INT2, INT4, INT8, NUMERIC, TIMESTAMP, TIMESTAMPTZ, UUID,
};
use catalog::{Catalog, Oid, OperatorId, TypeId};
use gate::{ParameterTypes, SessionNames};
use resolve::{Resolution, UsedObject};
use sql::lexer;
use sql::node_access::constant_text;
use sql::tree::{self, A_Expr_Kind, Node, SetOperation, nodes};

/// Whether the server had better be asked before the text is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureForecast {
    /// Nothing speaks against it.
    None,
    /// Something in it means nothing, or not this.
    Likely,
}

/// Looks at a text that the gate permitted.
pub fn forecast(text: &str, parameters: &ParameterTypes, names: &SessionNames) -> FailureForecast {
    match SessionDatabase::of(names, parameters) {
        Some(database) => forecast_in(text, &database),
        None => FailureForecast::None,
    }
}

/// The failure of a SHOW of another system, which the server finds only when it runs: to Postgres
/// it is a setting that does not exist.
pub fn foreign_show(text: &str) -> Option<Failure> {
    let mut tokens = lexer::tokens(text).filter(|token| !token.kind.is_blank());
    let first = tokens.next().and_then(|token| text.get(token.span))?;
    if !first.eq_ignore_ascii_case("show") {
        return None;
    }
    let parsed = tree_of(text)?;
    let mut statements = parsed.statements().map(|statement| statement.node);
    let Some(Node::VariableShowStmt(show)) = statements.next() else {
        return None;
    };
    let name = show.name().filter(|name| FOREIGN_SHOWS.contains(name))?;
    let message = format!("unrecognized configuration parameter \"{name}\"");
    Failure::reported(text, "42704", &message, None, FailureOrigin::Server)
}

/// Looks at a text beside a snapshot.
pub fn forecast_in(text: &str, database: &SessionDatabase<'_>) -> FailureForecast {
    if foreign_show(text).is_some() {
        return FailureForecast::Likely;
    }
    let Ok(parsed) = tree::parse(text) else {
        return FailureForecast::None;
    };
    let statement = parsed.statements().next().map(|statement| statement.node);
    let select = match statement {
        Some(Node::SelectStmt(select)) => select,
        Some(Node::ExplainStmt(explain)) => match explain.query() {
            Node::SelectStmt(select) => select,
            _ => return FailureForecast::None,
        },
        _ => return FailureForecast::None,
    };
    let Some(resolution) = database.resolve(&parsed) else {
        return FailureForecast::None;
    };
    let statement = Node::SelectStmt(select);
    let catalog = database.catalog;
    let fails = names_nothing(&resolution)
        || !resolution.mismatches.is_empty()
        || has_invalid_literal(statement, &resolution, catalog)
        || QueryScopes::of(statement, &resolution, catalog, database.mask)
            .is_some_and(|query_scopes| has_invalid_query(&query_scopes));
    match fails {
        true => FailureForecast::Likely,
        false => FailureForecast::None,
    }
}

/// Whether a name means nothing, or several things.
fn names_nothing(resolution: &Resolution<'_>) -> bool {
    resolution.uses.iter().any(|used| {
        matches!(
            used.what,
            UsedObject::MissingRelation { .. }
                | UsedObject::MissingColumn { .. }
                | UsedObject::AmbiguousColumn { .. }
                | UsedObject::MissingFunction
        )
    })
}

/// Whether a query groups less than it shows, or names two things in its FROM the same.
fn has_invalid_query(query_scopes: &QueryScopes<'_>) -> bool {
    let alias_needed = query_scopes.catalog.server_major() < ALIAS_OPTIONAL_SINCE;
    let odd_from = query_scopes.scopes.iter().any(|level| {
        has_same_name_twice(level)
            || has_uneven_set_operation(level.select)
            || alias_needed && has_nameless_query(level.select)
    });
    odd_from
        || aggregate_queries(query_scopes).iter().any(|grouped| {
            grouped.certainty == GroupingCertainty::Sure
                && (grouped.misplaced.is_some() || !grouped.open.is_empty())
        })
}

fn has_same_name_twice(level: &QueryScope<'_>) -> bool {
    let mut seen = HashMap::new();
    level.view.items.iter().any(|item| {
        let Some(name) = &item.name else { return false };
        // Two tables of one name can stand beside each other without aliases.
        let other = seen.insert(name.as_str(), item);
        other.is_some_and(|other| {
            item.schema.is_none() || other.schema.is_none() || item.relation == other.relation
        })
    })
}

/// Whether a sub-select in FROM has no alias.
fn has_nameless_query(select: &nodes::SelectStmt) -> bool {
    let mut waiting: Vec<Node<'_>> = select.from_clause().iter().collect();
    while let Some(node) = waiting.pop() {
        match node {
            Node::RangeSubselect(range) if range.alias().is_none() => return true,
            Node::JoinExpr(join) => waiting.extend([join.larg(), join.rarg()]),
            _ => {}
        }
    }
    false
}

/// Whether the sides of a set operation have different numbers of columns.
fn has_uneven_set_operation(select: &nodes::SelectStmt) -> bool {
    if select.op == SetOperation::SETOP_NONE {
        return false;
    }
    let mut waiting = vec![select];
    let mut seen: Option<usize> = None;
    while let Some(one) = waiting.pop() {
        if one.op != SetOperation::SETOP_NONE {
            waiting.extend([one.larg(), one.rarg()].into_iter().flatten());
            continue;
        }
        let Some(width) = width(one) else { continue };
        if *seen.get_or_insert(width) != width {
            return true;
        }
    }
    false
}

/// How many columns a query has, where no star is among them.
pub(crate) fn width(select: &nodes::SelectStmt) -> Option<usize> {
    if let Some(row) = select.values_lists().first() {
        return match row {
            Node::NodeList(row) => Some(row.len()),
            _ => None,
        };
    }
    let targets = select.target_list();
    let has_star = targets.iter().any(|target| match target.val() {
        Node::ColumnRef(column) => {
            matches!(column.fields().iter().next_back(), Some(Node::A_Star(_)))
        }
        Node::A_Indirection(_) => true,
        _ => false,
    });
    (!has_star).then(|| targets.iter().count())
}

/// Whether a literal is none of the type that its place asks for.
fn has_invalid_literal(
    statement: Node<'_>,
    resolution: &Resolution<'_>,
    catalog: &Catalog,
) -> bool {
    let operators = resolution.uses.iter().filter_map(|used| match &used.what {
        UsedObject::Operators { candidates, .. } => match candidates.as_slice() {
            [only] => Some((used.at?, *only)),
            _ => None,
        },
        _ => None,
    });
    let operators: HashMap<usize, OperatorId> = operators.collect();
    let mut waiting = vec![statement];
    while let Some(node) = waiting.pop() {
        let odd = match node {
            Node::A_Expr(comparison) => is_invalid_operand(comparison, &operators, catalog),
            Node::TypeCast(cast) => is_invalid_cast(cast),
            Node::TypeName(name) => is_no_type(name, catalog),
            _ => false,
        };
        if odd {
            return true;
        }
        // What is not known is the server's to say.
        let _unknown = tree::children(node, &mut waiting);
    }
    false
}

fn is_invalid_operand(
    comparison: &nodes::A_Expr,
    operators: &HashMap<usize, OperatorId>,
    catalog: &Catalog,
) -> bool {
    let at = usize::try_from(comparison.location).ok();
    let Some(operator) = at.and_then(|at| operators.get(&at)) else {
        return false;
    };
    let operator = catalog.operator(*operator);
    let is_odd = |node: Node<'_>, side: Option<TypeId>| {
        let oid = side.map(|side| catalog.data_type(side).oid);
        match (oid, constant_text(node)) {
            (Some(oid), Some(text)) => is_invalid_value(oid, text),
            _ => false,
        }
    };
    let right = match comparison.rexpr() {
        // A literal there is an array.
        _ if matches!(
            comparison.kind,
            A_Expr_Kind::AEXPR_OP_ANY | A_Expr_Kind::AEXPR_OP_ALL
        ) =>
        {
            false
        }
        Node::NodeList(list) => list.iter().any(|node| is_odd(node, operator.right)),
        other => is_odd(other, operator.right),
    };
    right || is_odd(comparison.lexpr(), operator.left)
}

/// Whether no type has this name, in any schema.
fn is_no_type(name: &nodes::TypeName, catalog: &Catalog) -> bool {
    let last = name.names().iter().next_back().and_then(|part| part.sval());
    last.is_some_and(|last| {
        let known = catalog.names().find(last);
        !name.pct_type && known.is_none_or(|id| catalog.index().types(id).is_empty())
    })
}

fn is_invalid_cast(cast: &nodes::TypeCast) -> bool {
    let (Some(text), Some(name)) = (constant_text(cast.arg()), cast.type_name()) else {
        return false;
    };
    let last = name.names().iter().next_back().and_then(|name| name.sval());
    let oid = CASTS.iter().find(|(name, _)| Some(*name) == last);
    name.array_bounds().is_empty() && oid.is_some_and(|(_, oid)| is_invalid_value(*oid, text))
}

/// Whether a text is surely no value of a type. What is in doubt is one.
fn is_invalid_value(oid: Oid, text: &str) -> bool {
    let text = text.trim();
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_any = |words: &[&str]| {
        let bare = text.trim_start_matches(['+', '-']);
        words.iter().any(|word| bare.eq_ignore_ascii_case(word))
    };
    match oid {
        INT2 | INT4 | INT8 => {
            let starts = text.trim_start_matches(['+', '-']).bytes().next();
            !starts.is_some_and(|byte| byte.is_ascii_digit())
        }
        FLOAT4 | FLOAT8 | NUMERIC => !has_digit && !is_any(&["nan", "inf", "infinity"]),
        DATE | TIMESTAMP | TIMESTAMPTZ => !has_digit && !text.is_empty() && !is_any(MOMENTS),
        UUID => text.bytes().filter(u8::is_ascii_hexdigit).count() < UUID_DIGITS,
        BOOL => !text
            .bytes()
            .next()
            .is_some_and(|byte| b"tfyno01TFYNO".contains(&byte)),
        _ => false,
    }
}

/// What other systems show, and no version of Postgres has a setting of.
const FOREIGN_SHOWS: &[&str] = &["tables", "databases", "schemas", "views"];

/// The first server that does not ask for an alias of a sub-select in FROM.
const ALIAS_OPTIONAL_SINCE: u16 = 16;

const UUID_DIGITS: usize = 32;

/// The names that the grammar gives to types.
const CASTS: [(&str, Oid); 11] = [
    ("bool", BOOL),
    ("int8", INT8),
    ("int2", INT2),
    ("int4", INT4),
    ("float4", FLOAT4),
    ("float8", FLOAT8),
    ("date", DATE),
    ("timestamp", TIMESTAMP),
    ("timestamptz", TIMESTAMPTZ),
    ("numeric", NUMERIC),
    ("uuid", UUID),
];

/// Words that stand for a moment.
#[rustfmt::skip]
const MOMENTS: &[&str] = &[
    "now", "today", "tomorrow", "yesterday", "epoch", "infinity", "inf", "invalid", "current",
    "allballs",
];
